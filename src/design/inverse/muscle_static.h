// Static optimisation: activations of muscles that exert the joint forces of a motion, moment by
// moment, with the least effort (math/muscle/muscle_share.h). Tendons are stiff.
#pragma once
#include "limber/recording.h"

typedef struct lb_static_options {
  int power;    ///< of activations in the effort: 2 or 3
  double least; ///< activation, 0 to 1
  double price; ///< of the square of a reserve [1/(N m)^2 or 1/N^2] > 0
  bool passive; ///< passive forces of fibres count
} lb_static_options;

lb_static_options lb_static_default(void);

/// Of a recording that lb_inverse() made: activations and tensions [nframe][nmuscle], and reserves
/// [nframe][nv], what muscles leave of the joint forces. Without Hill's model a muscle has its
/// `tension` at an activation of 1. The worst residual of all frames is returned in `residual`.
lb_status lb_muscle_static(const lb_recording* inverse, const lb_static_options* options,
                           double* activation, double* tension, double* reserve, double* residual,
                           lb_error* err);
