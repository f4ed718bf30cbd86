// Derivatives of the dynamics, exact to rounding. A small change of q is counted along the
// velocities: for quaternions it is a rotation vector in the link's frame, for a free body that and
// then a displacement in the link's frame, so that every matrix is nv x nv.
//
// Matrices are stored by rows: entry [i * nv + j] is the derivative of number i by coordinate j.
// One lb_derivatives a thread; nothing here allocates but lb_derivatives_create().
#pragma once
#include "limber/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lb_derivatives {
  const lb_model* model;
  // --- of the generalised forces that a motion needs ---
  double* tau;    ///< [nv] the forces themselves
  double* M;      ///< [nv][nv] by the accelerations: the mass matrix, symmetric
  double* tau_q;  ///< [nv][nv] by the coordinates
  double* tau_qd; ///< [nv][nv] by the velocities
  // --- of accelerations, by lb_aba_derivatives ---
  double* qdd;     ///< [nv] the accelerations themselves
  double* qdd_q;   ///< [nv][nv]
  double* qdd_qd;  ///< [nv][nv]
  double* qdd_tau; ///< [nv][nv] by the forces: the inverse of the mass matrix

  struct lb_derivation* work; ///< scratch
} lb_derivatives;

lb_status lb_derivatives_create(const lb_model* model, const lb_allocator* allocator,
                                lb_derivatives** derivatives, lb_error* err);
void lb_derivatives_release(lb_derivatives* derivatives);

/// Derivatives of tau = M(q) qdd + c(q, qd), as lb_rnea computes it: sets tau, M, tau_q and tau_qd.
void lb_rnea_derivatives(lb_derivatives* derivatives, lb_data* data, const double* q,
                         const double* qd, const double* qdd);

/// Derivatives of qdd = M(q)^-1 (tau - c(q, qd)), as lb_aba computes it: sets everything. LB_FAILED
/// when the mass matrix is not positive definite.
lb_status lb_aba_derivatives(lb_derivatives* derivatives, lb_data* data, const double* q,
                             const double* qd, const double* tau);

/// Jacobians of the links: J qd is the angular velocity of each and the velocity of its origin,
/// both in its own axes, and Jdot the rate of J. [nlink][6][nv] each; writes over tau.
void lb_jacobians(lb_derivatives* derivatives, lb_data* data, double* J, double* Jdot,
                  const double* q, const double* qd);

#ifdef __cplusplus
}
#endif
