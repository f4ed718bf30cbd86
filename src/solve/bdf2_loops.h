// Loops in the implicit stepper: their gaps c close at the pace of the steps, J v + c/dt = 0 (index
// 2 with Baumgarte's stabilisation). With dv = -W^-1 (r - J'lambda) + W^-1 J' mu,
//
//   (J W^-1 J') mu = J W^-1 r - (J v + c/dt) / 2,  lambda += mu
//
// (half, because both J v and c/dt change by J dv), where redundant rows are left out as in
// dynamics/loop.c. Gaps then stay of third order. Closing them after each step, as explicit
// steppers do, would strain stiff bodies and kick them.
#pragma once
#include "base/arena.h"
#include "dynamics/loop.h"

typedef struct lb_bdf2_loops {
  int n;          // unknowns
  int most;       // rows there can be
  int count;      // rows kept below; 0: none
  int rank;       // of A
  double* J;      // [rows][n]
  double* Z;      // [rows][n] W^-1 J'
  double* A;      // [rows][rows] J Z', factored
  double* lambda; // [rows]
  double* held;   // [rows] multipliers to go back to
  double* mu;     // [rows]
  double* work;   // [2 * rows]
  int* pivot;     // [rows]
} lb_bdf2_loops;

lb_status lb_bdf2_loops_create(lb_bdf2_loops* L, int rows, int n, lb_arena* arena);

// What corrections need of the rows changes as little as W does, and is kept from the first of them
// on. To be forgotten with each new W.
void lb_bdf2_loops_forget(lb_bdf2_loops* L);

// Given J [count][n], where `solve` puts W^-1 b into each of its right-hand sides: multipliers, and
// what they change in dv = W^-1 r and in r. `share` of J v + c/dt is to go by J dv: one half where
// c changes along, all of it where c stays.
void lb_bdf2_loops_correct(lb_bdf2_loops* L, const lb_loop_rows* rows, const double* J, double dt,
                           double share, void (*solve)(const void* context, int count, double* b),
                           const void* context, double* dv, double* r);

// Remember the multipliers, or go back to those remembered.
void lb_bdf2_loops_hold(lb_bdf2_loops* L, bool back);
