// Inverse dynamics of a whole motion: from coordinates over time to the forces that they need.
#pragma once
#include "limber/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A motion as samples of the joints' coordinates.
typedef struct lb_joint_motion {
  const char* file;
  int nsample;
  double* time;     ///< [nsample] rising [s]
  double* q;        ///< [nsample][nq]
  double* qd;       ///< [nsample][nv] where `has_qd`
  double* qdd;      ///< [nsample][nv] where `has_qdd`
  bool* has_qd;     ///< [njoint]
  bool* has_qdd;    ///< [njoint]
  int nheld;        ///< coordinates that a table of OpenSim's lacks, which stay as at the start
  const char* held; ///< the first of them, by the model's name
  int nnote;
  const lb_message* note; ///< [nnote] what is odd in the table but does no harm; misspelt columns
  void* storage;
} lb_joint_motion;

/// Read a table with the columns time, NAME.q (NAME.q0, NAME.q1, ... of joints with several
/// coordinates) of every joint that moves, and perhaps NAME.qd and NAME.qdd: the trajectory.csv of
/// any job. Mistakes are reported with file, line and column.
lb_status lb_joint_motion_read(const char* path, const lb_model* model,
                               const lb_allocator* allocator, lb_joint_motion** motion,
                               lb_error* err);
void lb_joint_motion_release(lb_joint_motion* motion);

/// Measured forces on bodies, as from force plates.
typedef struct lb_outer_forces {
  int count;
  lb_scene_external* item; ///< [count] on bodies of the model
  int nnote;
  const lb_message* note; ///< [nnote] what was not read, or is odd but does no harm
  void* storage;
} lb_outer_forces;

/// Read a table with the columns time and, of any body, NAME.fx, NAME.fy and NAME.fz [N] in the
/// world's axes, at the point NAME.px, NAME.py, NAME.pz of the world [m] (0 where not given) with a
/// further moment NAME.mx, NAME.my, NAME.mz [N m]; or ExternalLoads of OpenSim's (.xml), and the
/// table that they name.
lb_status lb_outer_forces_read(const char* path, const lb_model* model,
                               const lb_allocator* allocator, lb_outer_forces** forces,
                               lb_error* err);
void lb_outer_forces_release(lb_outer_forces* forces);

typedef struct lb_inverse_options {
  double cutoff;                 ///< of the low-pass filter on the motion [Hz]; NAN: none
  double force_cutoff;           ///< cutoff for the forces
  bool opensim;                  ///< filter and rates as OpenSim's tools have them
  double touch;                  ///< gap below which floors and limits are active [m or rad]
  const lb_outer_forces* forces; ///< or NULL
  double begin, end;             ///< times outside which samples are left out [s]
  struct lb_analysis* analysis;  ///< filled frame by frame, or NULL. With static optimisation the
                                 ///< muscles exert what it finds, which joint reactions then show
  lb_progress progress;
} lb_inverse_options;

lb_inverse_options lb_inverse_default(void);

/// Inverse dynamics: generalised forces that this motion needs besides the scene's springs,
/// dampers, loads and gravity, a frame for each sample, and joint reactions. Motors are taken to
/// exert what is needed, whatever their profiles say. In a scene with constraints the motors and
/// the constraints carry what they can; what is left on other coordinates shows in `torque`. Floors
/// and limits are active where there is no gap, and never pull.
///
/// Rates that the motion does not have, and all of them when it is filtered, come from its
/// coordinates by differences of sixth order.
lb_status lb_inverse(const lb_model* model, const lb_joint_motion* motion,
                     const lb_inverse_options* options, lb_recording* recording,
                     lb_summary* summary, lb_error* err);

#ifdef __cplusplus
}
#endif
