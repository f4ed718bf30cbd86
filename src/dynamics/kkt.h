// The KKT system of a tree under constraints,
//
//   [W  J'] (x )   (b)
//   [J  -C] (mu) = (c)                                                               (1)
//
// with W the mass matrix and more in the blocks of single joints, J the constraints' Jacobian and C
// their compliance. It is factored and solved in time linear in the links where constraints are
// local: neither W nor J nor J W^-1 J' is ever formed. kkt.c has the derivation.
#pragma once
#include "base/arena.h"
#include "dynamics/row.h"

typedef struct lb_kkt lb_kkt;

// Whether a model's KKT system is of this kind, and large enough for it to pay: rigid links, no
// particles, no couplings that are eliminated, and constraints.
bool lb_kkt_fits(const lb_model* m);

// Find an order of elimination near the model's start; d is left there. NULL: there is no memory.
lb_kkt* lb_kkt_create(const lb_model* m, lb_data* d, const lb_allocator* allocator);
void lb_kkt_release(lb_kkt* K);

// What (1) has beyond the masses of the tree and the constraints.
typedef struct lb_kkt_terms {
  const double* block; // [nv][LB_JOINT_MOST_V] added to W, joint by joint; NULL: nothing
  const bool* held;    // [nv] velocities that are zero beside those of motors; NULL: none
  double heavier;      // of those: as so many times their inertia instead of held; 0: held
  double damping;      // C, over what a unit multiplier moves a free link; 0: rigid
} lb_kkt_terms;

// Factor (1) at d's poses, which are in place, with the bilateral ones among d's constraints;
// false: W is not positive definite. Redundant ones are left out: their multipliers are zero.
bool lb_kkt_factor(lb_kkt* K, lb_data* d, lb_kkt_terms terms);

// Solve (1): b [nv] becomes x, c [constraints] in d's order becomes mu; of unilateral ones it is
// left alone.
void lb_kkt_solve(lb_kkt* K, double* b, double* c);

// Bilateral constraints that are redundant where d is, by number: whether there are any.
bool lb_kkt_redundant(const lb_kkt* K, bool* redundant);
