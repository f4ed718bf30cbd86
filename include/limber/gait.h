// Walking: figures of a recording of something that walks.
//
// A recording has a gait when a motor of it repeats, at least two bodies touch solid scenery and
// leave it again, and a free body carries them. These bodies are its feet. Figures are of whole
// cycles at the end of the recording, without the first cycle where there are more.
#pragma once
#include "limber/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A body that touches scenery and leaves it again.
typedef struct lb_gait_foot {
  int body;
  double duty;      ///< share of the time for which it touches
  double slip;      ///< way that it slides a cycle while it touches [m]
  double force;     ///< largest force on it [N]
  const bool* down; ///< [nframe] it touches
} lb_gait_foot;

/// How it walks. Motors that repeat count.
typedef struct lb_gait {
  int nfoot;
  lb_gait_foot* foot; ///< [nfoot]
  int trunk;          ///< free body that carries the feet
  double period;      ///< of a cycle [s]
  int cycles;         ///< that figures are of
  double from, to;    ///< frames' times that they are of [s]
  double distance;    ///< of the trunk, level, over the whole recording [m]
  double stride;      ///< a cycle [m]
  double speed;       ///< [m/s]
  double slip;        ///< of all feet, a cycle [m]
  double heave;       ///< height between the trunk's lowest and highest place [m]
  double pitch, roll; ///< between the extremes, about axes across and along the way [rad]
  double torque_mean, torque_peak; ///< sizes, of the motor with the largest [N m] or [N]
  double power_mean, power_peak;   ///< of all motors together [W]
  double energy;                   ///< that motors put in a cycle; what they brake is lost [J]
  double transport; ///< cost of transport: energy over weight times stride; NAN: it does not walk
  int nmotor, nsample;
  int* motor;     ///< [nmotor] those that repeat
  double* phase;  ///< [nsample] frames of the last cycle: time since it began [s]
  double* torque; ///< [nmotor][nsample] what each motor exerts [N m] or [N]
  double* power;  ///< [nsample] of all of them together [W]
  void* curve;    ///< memory of these
  const lb_allocator* allocator;
} lb_gait;

/// *gait is NULL where there is none.
lb_status lb_gait_create(const lb_recording* recording, lb_gait** gait, lb_error* err);
/// NULL is ignored.
void lb_gait_release(lb_gait* gait);

#ifdef __cplusplus
}
#endif
