// Force sharing among muscles whose tensions are curved functions of their activations, as those of
// elastic tendons at the end of a step are. Nothing here allocates.
//
//   minimise  f(a) = sum a_i^p + sum price_j r_j^2   with  r = wanted - sum_i arm_i F_i(a_i)
//
// and lower <= a <= upper.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Tension of a muscle and its slope by activation.
typedef struct lb_share_tension {
  double force, slope;
} lb_share_tension;

typedef struct lb_curved_share {
  int muscles, joints;         // n, m
  const double* arm;           // [m][n] joint force at a tension of 1
  const double* wanted;        // [m]
  const double* price;         // [m] > 0 of reserves
  int power;                   // p: 2 or 3
  const double *lower, *upper; // [n] bounds of activations
  lb_share_tension (*pull)(const void* context, int muscle, double a);
  const void* context;
  int rounds; // at most
} lb_curved_share;

typedef struct lb_curved_result {
  int rounds;
  bool settled;    // no round would change it
  double residual; // of the joint forces in the last program, over what their parts add up to
} lb_curved_result;

// Numbers of scratch.
size_t lb_curved_share_scratch(int muscles, int joints);
// Activations a [n] from those that are given on, and reserves r [m], which are what muscles leave
// at these activations, settled or not.
lb_curved_result lb_curved_share_solve(const lb_curved_share* s, double* a, double* r,
                                       double* scratch);
