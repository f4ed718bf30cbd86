// Constraints on top of an operator W (step_operator.h), by their Schur complement: multipliers of
// Newton's method, of linearly implicit steps and of equilibria. Redundant constraints and
// unilateral ones are dealt with here.
//
// In steps gaps c close at the pace of the steps, J v + c/dt = 0 (index 2 with Baumgarte's
// stabilisation). With dv = -W^-1 (r - J'lambda) + W^-1 J' mu,
//
//   (J W^-1 J') mu = J W^-1 r - (J v + c/dt) / 2,  lambda += mu                             (1)
//
// (half, because both J v and c/dt change by J dv; beside an exact W, E in place of the first J is
// the whole derivative of J v + c/dt by v, and all of it goes by E dv). Gaps then stay of third
// order. Closing them after each step, as explicit steppers do, would strain stiff bodies and kick
// them. A stage within a step asks for J v = 0 alone: its gap is of second order, and only that of
// the step's end is not. Constraints that ask for a rate alone have no gap, and all of J v goes by
// J dv.
//
// Unilateral constraints ask for the same with >=, for lambda >= 0, and for one of them to
// be zero: with lambda + mu in place of mu these are the conditions of a quadratic program
// (math/linear/complementary.h). Those that are not active yet ask for c >= 0 alone, so that they
// land where they are active.
#pragma once
#include "dynamics/constraint/constraint_loop.h"
#include "solve/step/step_operator.h"

typedef struct lb_schur {
  int n;           // unknowns of W
  int most;        // constraints there can be
  int count;       // constraints kept below; 0: none
  bool general;    // W is not symmetric, or not definite
  double* J;       // [count][n]
  const double* E; // [count][n] derivatives of the targets by v; J where nobody said
  double* Z;       // [count][n] W^-1 J'
  double* A;       // [count][count] E Z', by rows; factored where all are bilateral and W definite
  int rank;        // of that factor
  double* mu;      // [count] right-hand sides, then multipliers
  bool in_parts;   // some are solved for first, (2) of schur.c; else A is factored
  int first, rest; // numbers of the first, of the others
  int *of_first, *of_rest;        // [count] these
  bool* unilateral;               // [rest]
  double* held;                   // [first][first] A among the first, factored
  double* to;                     // [rest][first] their solutions for the rest
  double* left;                   // [rest][rest] Schur complement of the first in A
  double *part, *next, *b, *work; // [count][count], [count], [count], [4 * count] scratch
  int *exchange, *pivot;          // [count], [2 * count]
} lb_schur;

// For as many constraints and unknowns; the arena says whether there is memory.
lb_schur lb_schur_take(lb_arena* arena, int most, int n);

// Kept columns of W^-1 J', which change as little as W does. To be forgotten with each new W of n
// unknowns, which is symmetric and definite or `general`.
void lb_schur_forget(lb_schur* L, int n, bool general);

// Keep constraints: J, rows `stride` apart of which the first n numbers count, and E [count][n]
// (NULL: J). `unilateral` [count] (NULL: none is).
void lb_schur_keep(lb_schur* L, lb_operator* W, int count, const double* J, int stride,
                   const double* E, const bool* unilateral);
// mu from the change that is asked for, which is there: A mu = change. Unilateral constraints have
// their conditions on lambda + mu.
void lb_schur_solve(lb_schur* L, const double* lambda);

// The part of dv = W^-1 r that bilateral constraints leave: E dv = 0. They are kept.
void lb_schur_project(lb_schur* L, double* dv);

// Targets of constraints: J v + baumgarte c = 0, of which `share` is to go by J dv; and of those
// that may land `rate` J v + c/dt >= 0, all of it by J dv.
typedef struct lb_kkt_target {
  double baumgarte, share, rate, dt;
} lb_kkt_target;

// Target of a stage with dt; `inner`: within a step.
static inline lb_kkt_target lb_kkt_target_of(double dt, bool inner) {
  return inner ? (lb_kkt_target){0, 1, 0, dt} : (lb_kkt_target){1 / dt, 0.5, 0, dt};
}

// J dv that constraint i asks for.
static inline double lb_kkt_asked(const lb_constraint_rows* rows, int i, lb_kkt_target wish) {
  const double share = rows->velocity_level[i] ? 1 : wish.share; // J v alone changes by J dv
  return rows->inactive[i] ? wish.rate * rows->rate[i] + rows->gap[i] / wish.dt
                           : share * (rows->rate[i] + wish.baumgarte * rows->gap[i]);
}

// (1): given dv = W^-1 r [n], what multipliers change in it, in r [n] and in lambda. Constraints
// are kept by J and E as above where there are others than before.
void lb_schur_correct(lb_schur* L, lb_operator* W, const lb_constraint_rows* rows, const double* J,
                      int stride, const double* E, lb_kkt_target wish, double* lambda, double* dv,
                      double* r);
