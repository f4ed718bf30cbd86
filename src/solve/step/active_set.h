// Active set at the end of a step: constraints that are equations.
//
// A unilateral constraint is an equation where it is active. With the set of those fixed, a step
// is as smooth as one with constraints that are bilateral, and its derivative is theirs.
// Multipliers that are zero need care where constraints are redundant: of a box that lies on
// four corners two opposite ones may carry it all, and yet it does not turn about them, since the
// others are closed. A constraint that is closed but not active is an equation all the same if it
// could be active: if other multipliers, with its own above zero, exert the same forces. With rows
// f_j of J and lambda > 0 for active ones there are such when
//
//   f_j + sum_i x_i f_i = 0   for x_i of any sign where i is active or bilateral,
//                             x_i >= 0 where i is closed and not active                  (1)
//
// since (x, 1) times a small number may be added to lambda. The least squares of (1) are a problem
// of math/linear/complementary.h.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

// State of a constraint at the end of a step.
typedef enum lb_active_state {
  LB_INACTIVE,      // unilateral and not active
  LB_WEAKLY_ACTIVE, // multiplier zero, but closed
  LB_COULD_ACT,     // closed, and could act instead of others that do
  LB_ACTIVE         // active, or bilateral
} lb_active_state;

typedef struct lb_active_set {
  int nd, all;            // coordinates and constraints
  double* force;          // [all][nd] directions of their forces, as couplings of ratio leave them
  lb_active_state* state; // [all]
  int rows;               // equations that are not redundant
  int* row;               // [all] their numbers, in rising order
  // scratch
  double *A, *part; // [all][all]
  double* share;    // [2 * all]
  double* work;     // [4 * all]
  double* left;     // [nd]
  int* member;      // [all]
  int* pivot;       // [2 * all]
  bool* unilateral; // [all]
} lb_active_set;

// A set for as many coordinates and constraints; the arena says whether there is memory.
lb_active_set lb_active_set_take(lb_arena* arena, size_t nd, size_t all);

// The constraints that are equations, from what they are; idle ones may turn out to be able to act.
void lb_active_set_find(lb_active_set* C);
