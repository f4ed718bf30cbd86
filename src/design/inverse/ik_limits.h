// Limits of coordinates in inverse kinematics: those of joints with `limits`, and ranges that are
// clamped. Nothing here allocates but lb_ik_limits_take.
#pragma once
#include "base/arena.h"
#include "limber/model.h"

typedef struct lb_ik_limits {
  int count;
  int *q, *v;            // [count] coordinate, and its velocity
  double *lower, *upper; // [count]
  int n;                 // velocities of the model
  int nrow;              // bounds that a step met
  int* row;             // [2 count] each is 2 i where limit i is met from above, 2 i + 1 from below
  double* column;       // [2 count][n] of the inverse of H, for each of them
  double *A, *part;     // [2 count][2 count]
  double *b, *x, *work; // [2 count], and 4 times as many
  double* plain;        // [n] the step without limits
  bool* unilateral;     // [2 count]
  bool* held;           // [n] at a bound after the step
  int* pivot;           // [4 count]
} lb_ik_limits;

// Whether poses keep a velocity's coordinate between its `lower` and `upper`.
bool lb_ik_has_limit(const lb_model* m, int v);

// Which coordinates have limits, and memory for them.
lb_status lb_ik_limits_take(lb_arena* arena, const lb_model* m, lb_ik_limits* limits);
// Bring coordinates q [nq] back to limits that they are beyond; true where there was one.
bool lb_ik_limits_keep(const lb_ik_limits* limits, double* q);
// `step`, the least of 1/2 s'H s - g's, becomes the least of those that keep q + s within the
// limits. H by its lower triangle, L its Cholesky factor, which is lost where a limit is met.
void lb_ik_limits_step(lb_ik_limits* limits, const double* H, double* L, const double* g,
                       const double* q, double* step);
// Add 1 to `at` [nv] for each coordinate that is at one of its limits.
void lb_ik_limits_count(const lb_ik_limits* limits, const double* q, int* at);
