// Force sharing, or static optimisation: activations of many muscles that exert given joint forces
// with the least effort. Nothing here allocates.
//
//   minimise  sum a_i^p + sum price_j r_j^2     with  r = wanted - B a,   least <= a <= 1
//
// Reserves r take what muscles cannot do, at a price, so that there always is a solution. A high
// price makes equations of them, as far as muscles reach.
#pragma once
#include <stddef.h>

typedef struct lb_muscle_share {
  int muscles, joints;  // n, m
  const double* B;      // [m][n] joint force of muscle i at an activation of 1
  const double* wanted; // [m] joint forces, less passive ones
  const double* price;  // [m] > 0 of reserves
  int power;            // p: 2 or 3
  double least;         // activation, >= 0
} lb_muscle_share;

typedef struct lb_share_result {
  double cost;
  double residual; // of the joint forces, over what their parts add up to
  int iterations;
} lb_share_result;

// Numbers of scratch.
size_t lb_muscle_share_scratch(int muscles, int joints);
// Activations a [n] and reserves r [m].
lb_share_result lb_muscle_share_solve(const lb_muscle_share* s, double* a, double* r,
                                      double* scratch);
// The same with bounds of its own for each activation, lower and upper [n], in place of `least` and
// 1.
lb_share_result lb_muscle_share_within(const lb_muscle_share* s, const double* lower,
                                       const double* upper, double* a, double* r, double* scratch);
