// Static optimisation of one moment (math/muscle/muscle_share.h), and of recordings.
#pragma once
#include "base/arena.h"
#include "limber/analysis.h"
#include "limber/recording.h"

typedef struct lb_static lb_static;

// NULL: there is no memory.
lb_static* lb_static_create(lb_arena* arena, const lb_model* m,
                            const lb_muscle_static_options* how);

// A moment: lengths and rates of paths [n], arms [n][nv], joint forces that are wanted [nv], and
// the time since the moment before; 0: there was none.
typedef struct lb_static_moment {
  const double *length, *rate, *arm, *wanted;
  double dt;
} lb_static_moment;
// Activations and tensions [n], and reserves [nv]; returns the residual.
double lb_static_solve(lb_static* s, const lb_static_moment* at, double* activation,
                       double* tension, double* reserve);
// Moments so far whose activations did not settle.
int lb_static_unsettled(const lb_static* s);

// Lengths and rates [n] and arms [n][nv] of all muscles where d is.
void lb_muscle_paths(const lb_model* m, lb_data* d, double* length, double* rate, double* arm);

/// Of a recording that lb_inverse() made: activations and tensions [nframe][nmuscle], and reserves
/// [nframe][nv], what muscles leave of the joint forces. Without Hill's model a muscle has its
/// `tension` at an activation of 1. The worst residual of all frames is returned in `residual`.
lb_status lb_muscle_static(const lb_recording* inverse, const lb_muscle_static_options* options,
                           double* activation, double* tension, double* reserve, double* residual,
                           lb_error* err);
