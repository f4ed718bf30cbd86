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
#include "dynamics/constraint/constraint_rows.h"

typedef struct lb_kkt lb_kkt;

// Models for which this KKT system pays: rigid links, no particles, no couplings that are
// eliminated, and constraints.
bool lb_kkt_fits(const lb_model* m);

// Find an order of elimination near the model's start; d is left there. NULL: there is no memory.
lb_kkt* lb_kkt_create(const lb_model* m, lb_data* d, const lb_allocator* allocator);
// A KKT system for steps, which hold no velocities and are not damped: joints that were taken apart
// are joints again (kkt_span.c).
lb_status lb_kkt_create_alone(const lb_model* m, const lb_allocator* allocator, lb_kkt** K,
                              lb_error* err);
void lb_kkt_release(lb_kkt* K);

// Terms of (1) beyond the masses of the tree and the constraints.
typedef struct lb_kkt_terms {
  const double* diagonal; // [nv] added to W; NULL: nothing
  const bool* held;       // [nv] velocities that are zero beside those of motors; NULL: none
  double heavier;         // of those: as so many times their inertia instead of held; 0: held
  double damping;         // C, over the mean of what unit multipliers move free links; 0: rigid
  double dt;              // springs and dampers of joints that close loops are part of W, which is
                          // M + dt (C + dt K); 0: they are not
  bool linear;            // b lacks dt^2 K v of these, with d's velocities
  bool bilateral;         // unilateral constraints count as bilateral
} lb_kkt_terms;

// Factor (1) at d's poses, which are in place, with the constraints that d has; false: W is not
// positive definite. Redundant ones are left out: their multipliers are zero.
bool lb_kkt_factor(lb_kkt* K, lb_data* d, lb_kkt_terms terms);

// Forget the order of elimination, so that the next factors do not depend on earlier ones. K may be
// NULL.
void lb_kkt_forget(lb_kkt* K);

// Solve (1): b [nv] becomes x, c [constraints] in d's order becomes mu. Unilateral ones have
//
//   mu >= 0,   w = c - J x >= 0,   mu w = 0
//
// and are solved for by their Schur complement, a solve for each. `gap` [constraints] becomes w
// where there are any; NULL: not wanted.
void lb_kkt_solve(lb_kkt* K, double* b, double* c, double* gap);
// (1) for c = 0, springs' included, with bilateral constraints alone: W^-1 b under constraints.
void lb_kkt_solve_homogeneous(lb_kkt* K, double* b);

// out += scale J'mu, J that of the factor.
void lb_kkt_add_forces(lb_kkt* K, const double* mu, double scale, double* out);

// Bilateral constraints that are redundant where (1) was factored, by number: how many are not.
int lb_kkt_redundant(const lb_kkt* K, bool* redundant);
// True where a constraint is all but redundant.
bool lb_kkt_is_weak(const lb_kkt* K);
// True where some coordinate feels one of these, in some pose.
bool lb_kkt_feels(const lb_kkt* K, const bool* rows);
