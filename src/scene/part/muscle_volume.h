// Masses of muscles by the volume of their fibres.
#pragma once
#include "limber/scene.h"

/// How muscles are weighed: a cross-section bears `tension`, and fibres have `density`.
typedef struct lb_muscle_volume {
  double tension; ///< [Pa]     > 0
  double density; ///< [kg/m^3] > 0
  double over;    ///< of their conditional points, lb_smooth_conditions() [rad] > 0
} lb_muscle_volume;

/// 0.25 MPa and 1060 kg/m^3, as of mammals, and 2 degrees.
lb_muscle_volume lb_muscle_volume_default(void);

/// What was given to muscles.
typedef struct lb_muscle_masses {
  int count;    ///< muscles
  double mass;  ///< of them all [kg]
  int bound;    ///< body whose muscles would have been too heavy for it and were scaled down, or -1
  double scale; ///< by which they were; of several bodies the least
  int smoothed; ///< muscles whose conditional points come in smoothly now
  int first;    ///< of them, or -1
  int left;     ///< muscles that a conditional point next to a wrap leaves without mass
  int barred;   ///< the first of them, or -1
} lb_muscle_masses;

/// Mass would jump where points come in at once: conditional points that do come in over a part of
/// their coordinate, `over` where it is an angle and 1 mm where it is a length. False: there are
/// none.
bool lb_smooth_conditions(const lb_scene* s, lb_scene_muscle* m, double over);

/// Hill-type muscles that have no mass get that of their fibres, density F_o l_o / tension. It is
/// taken from the heaviest body that their path is on, of which it is 80 % at most; added where no
/// such body has a mass of its own.
lb_muscle_masses lb_scene_weigh_muscles(lb_scene* s, const lb_muscle_volume* how);

/// Where fibres are, as parts of the length at rest: in its middle.                 [red] 6.2.8
void lb_fibre_belly(const lb_scene_hill* h, double belly[2]);
