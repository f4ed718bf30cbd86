// Following a motion step by step: a simulation whose excitations are found before each step, by a
// program that always has an answer.
#pragma once
#include "limber/collocate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lb_follow_options {
  double step;      ///< [s] between excitations
  double frequency; ///< [1/s] with which errors of coordinates die out, critically damped
  double price;     ///< of the square of a reserve [1/(N m)^2 or 1/N^2] > 0
  double most;      ///< [N m or N] of a reserve that is no warning
  double cutoff;    ///< of a low-pass filter on the motion [Hz]; NAN: none
  int rounds;       ///< in which activations of a step may settle
  bool opensim;     ///< filter and rates as OpenSim's tools have them
  double from, to;  ///< [s] part of the motion
  lb_progress progress;
} lb_follow_options;

lb_follow_options lb_follow_default(void);

/// Simulate the model along a motion, with frames at all steps. Excitations of muscles are those
/// with the least squares of activations; reserves on coordinates do what muscles cannot. The
/// result has both as its controls.
lb_status lb_follow_motion(const lb_model* model, const lb_joint_motion* motion,
                           const lb_follow_options* options, lb_recording* recording,
                           lb_collocation** result, lb_error* err);

#ifdef __cplusplus
}
#endif
