// Loops in the implicit stepper: their gaps c close at the pace of the steps, J v + c/dt = 0 (index
// 2 with Baumgarte's stabilisation). With dv = -W^-1 (r - J'lambda) + W^-1 J' mu,
//
//   (J W^-1 J') mu = J W^-1 r - (J v + c/dt) / 2,  lambda += mu
//
// (half, because both J v and c/dt change by J dv; beside an exact W, E in place of the first J is
// the whole derivative of J v + c/dt by v, and all of it goes by E dv), where redundant rows are
// left out as in dynamics/constraint/constraint_loop.c. Gaps then stay of third order. Closing them
// after each step, as explicit steppers do, would strain stiff bodies and kick them. A stage within
// a step asks for J v = 0 alone: its gap is of second order, and only that of the step's end is
// not.
//
// Rows that ask for a rate alone have no gap, and all of J v goes by J dv.
//
// Unilateral constraints ask for the same with >=, for lambda >= 0, and for one of them to
// be zero: with lambda + mu in place of mu these are the conditions of a quadratic program
// (math/linear/complementary.h). Those that are not active yet ask for c >= 0 alone, so that they
// land where they are active.
#pragma once
#include "base/arena.h"
#include "dynamics/constraint/constraint_loop.h"

typedef struct lb_implicit_schur {
  int n;           // unknowns
  int most;        // rows there can be
  int count;       // rows kept below; 0: none
  int rank;        // of A
  double* J;       // [rows][n]
  const double* E; // [rows][n] how what they ask for changes with v; J where nobody said
  double* Z;       // [rows][n] W^-1 J'
  double* A;       // [rows][rows] J Z', factored unless rows are unilateral
  double* lambda;  // [rows]
  double* held;    // [rows] multipliers to go back to
  double* mu;      // [rows]
  double* work;    // [4 * rows]
  int* pivot;      // [2 * rows]
  int* exchange;   // [rows] of A's factor where W is not symmetric
  bool general;    // W is not symmetric, or not definite
  double* part;    // [rows][rows] scratch of unilateral constraints
  double* next;    // [rows] and their multipliers to be
  double* held_A;  // [rows][rows] of such rows beside a general W: A among those that are bilateral
  double* left;    // [rows][rows] and what these leave of A for the others
  double* to;      // [rows][rows] the former's solutions for the latter
  double* wanted;  // [rows] what both are asked for
  bool* unilateral; // [rows] true
  int* member;      // [2 * rows] which rows are bilateral and are not redundant; which are active
} lb_implicit_schur;

lb_status lb_implicit_schur_create(lb_implicit_schur* L, int rows, int n, lb_arena* arena);
// With multipliers alone, for those who have no matrices.
lb_status lb_implicit_schur_create_small(lb_implicit_schur* L, int rows, int n, lb_arena* arena);

// What corrections need of the rows changes as little as W does, and is kept from the first of them
// on. To be forgotten with each new W, which is symmetric and definite or `general`.
void lb_implicit_schur_forget(lb_implicit_schur* L, bool general);

// What rows are asked for: J v + pace c = 0, of which `share` is to go by J dv; and of those that
// may land `rate` J v + c/dt >= 0, all of it by J dv.
typedef struct lb_kkt_target {
  double baumgarte, share, rate, dt;
} lb_kkt_target;

// Of a stage with dt; `inner`: within a step.
static inline lb_kkt_target lb_kkt_target_of(double dt, bool inner) {
  return inner ? (lb_kkt_target){0, 1, 0, dt} : (lb_kkt_target){1 / dt, 0.5, 0, dt};
}

// J dv that row i asks for.
static inline double lb_implicit_asked(const lb_constraint_rows* rows, int i, lb_kkt_target wish) {
  const double share = rows->velocity_level[i] ? 1 : wish.share; // J v alone changes by J dv
  return rows->inactive[i] ? wish.rate * rows->rate[i] + rows->gap[i] / wish.dt
                           : share * (rows->rate[i] + wish.baumgarte * rows->gap[i]);
}

// Given J [count][n] and E (NULL: J), where `solve` puts W^-1 b into each of its right-hand sides:
// multipliers, and what they change in dv = W^-1 r and in r.
void lb_implicit_schur_correct(lb_implicit_schur* L, const lb_constraint_rows* rows,
                               const double* J, const double* E, lb_kkt_target wish,
                               void (*solve)(const void* context, int count, double* b),
                               const void* context, double* dv, double* r);

// Remember the multipliers, or go back to those remembered.
void lb_implicit_schur_hold(lb_implicit_schur* L, bool back);
