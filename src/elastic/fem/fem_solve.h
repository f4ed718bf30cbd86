// One elastic body alone: where it rests under a load, and how it vibrates. What is held is said
// by `held`, [ndof], nonzero for the components of u that keep their value; NULL holds nothing.
#pragma once
#include "elastic/fem/fem.h"

/// Mark all three components of some nodes.
void lb_fem_hold(char* held, int count, const int* node);

/// K(0) u = f, u [ndof] holding the given values where held. LB_FAILED: it can still move freely.
lb_status lb_fem_solve_linear(const lb_fem* fem, double* u, const double* f, const char* held,
                              lb_error* err);

/// How lb_fem_solve_static() goes about it. Start from lb_static_default().
typedef struct lb_static_options {
  double tolerance; ///< residual over the sum of loads and reactions
  int iterations;   ///< of Newton's method, for one step of load
  double first;     ///< fraction of the load in the first step, in (0, 1]
  double least;     ///< fraction of a step below which the solver gives up
} lb_static_options;
lb_static_options lb_static_default(void);

typedef struct lb_static_report {
  int steps;       ///< of load
  int iterations;  ///< in all
  double fraction; ///< of the load that was reached: 1 when done
  double residual; ///< relative, as the tolerance
} lb_static_report;

/// Equilibrium lb_fem_force(u) = f under the dead load f, reached by growing the load from u as it
/// is (an equilibrium without load, such as 0); where held, from u to `goal` (NULL: stays).
/// Newton's method with steps of load that shrink when it fails, and a line search that keeps
/// elements from turning inside out. LB_FAILED: not all of the load was reached; u is then the last
/// equilibrium found, and the report says which. `report` may be NULL.
lb_status lb_fem_solve_static(const lb_fem* fem, double* u, const double* f, const char* held,
                              const double* goal, const lb_static_options* options,
                              lb_static_report* report, lb_error* err);

/// The `count` lowest modes about u (NULL: at rest), rising: circular frequencies omega [count] in
/// rad/s, and modes x [count * ndof], one after the other, x' M x = 1, zero where held. A free
/// body's first six are rigid, with omega 0 up to rounding. added[i] is a mass at node i [kg], or
/// NULL.
lb_status lb_fem_modes(const lb_fem* fem, int count, double* omega, double* x, const double* u,
                       const char* held, const double* added, lb_error* err);
