// Derivatives of forward dynamics from those of inverse dynamics: with tau(q, qd, qdd(q, qd)) held,
//
//   dqdd/dq = -M^-1 dtau/dq,   dqdd/dqd = -M^-1 dtau/dqd,   dqdd/dtau = M^-1
//
// Trees of rigid links have M factored by the articulated-body algorithm (mass_solve.h). Elastic
// bodies couple their coordinates by blocks of M: with them lb_aba has factored the matrix.
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"

// With the Cholesky factor that lb_aba leaves; where it failed, a pivot is not positive.
static lb_status solve_elastic(lb_derivatives* D, const double* L) {
  const int nv = D->model->nv;
  const size_t size = (size_t)nv * (size_t)nv, step = (size_t)nv + 1;
  for (size_t k = 0; k < size; k++) {
    D->qdd_q[k] = -D->tau_q[k];
    D->qdd_qd[k] = -D->tau_qd[k];
    D->qdd_tau[k] = k % step == 0;
  }
  for (size_t k = 0; k < size; k += step) {
    if (!(L[k] > 0)) {
      return LB_FAILED;
    }
  }
  lb_cholesky_solve_rows(nv, L, nv, D->qdd_q);
  lb_cholesky_solve_rows(nv, L, nv, D->qdd_qd);
  lb_cholesky_solve_rows(nv, L, nv, D->qdd_tau);
  return LB_OK;
}

lb_status lb_aba_derivatives(lb_derivatives* D, lb_data* d, const double* q, const double* qd,
                             const double* tau) {
  const lb_model* m = D->model;
  lb_mass_factors* F = &D->work->mass;
  lb_aba(m, d, D->qdd, q, qd, tau);
  if (lb_model_has_dense_mass(m)) {
    lb_derive(D, d, q, qd, D->qdd, false);
    return solve_elastic(D, d->work->M);
  }
  const bool definite = lb_mass_factors_take(F, d->work);
  lb_rnea_again(m, d, D->tau, D->qdd);
  lb_derive_matrices(D, d, qd, D->qdd);
  lb_mass_factors_solve(F, (double* const[]){D->qdd_q, D->qdd_qd, D->qdd_tau},
                        (const double* const[]){D->tau_q, D->tau_qd});
  return definite ? LB_OK : LB_FAILED;
}
