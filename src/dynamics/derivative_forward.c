// Derivatives of forward dynamics from those of inverse dynamics: with tau(q, qd, qdd(q, qd)) held,
//
//   dqdd/dq = -M^-1 dtau/dq,   dqdd/dqd = -M^-1 dtau/dqd,   dqdd/dtau = M^-1
//
// Trees of rigid links have M factored by the articulated-body algorithm (mass_solve.h). Elastic
// bodies couple their coordinates by a block of M: with them M is factored as L'D L with a unit
// lower L [Featherstone 2008, ch. 6.5]. From the leaves to the root there is no fill, L_ij being
// zero unless coordinate i hangs on j. Right-hand sides are eliminated by whole rows.
#include <string.h>

#include "dynamics/derivative.h"
#include "dynamics/rnea.h"

// Rows of three matrices at once: y -= s x.
typedef struct rows {
  double* part[3];
} rows;

static inline void subtract_row(const rows* B, int nv, int y, double s, int x) {
  for (int p = 0; p < 3; p++) {
    double* restrict to = B->part[p] + (size_t)y * (size_t)nv;
    const double* restrict from = B->part[p] + (size_t)x * (size_t)nv;
    for (int k = 0; k < nv; k++) {
      to[k] -= s * from[k];
    }
  }
}

static inline void scale_row(const rows* B, int nv, int y, double s) {
  for (int p = 0; p < 3; p++) {
    double* row = B->part[p] + (size_t)y * (size_t)nv;
    for (int k = 0; k < nv; k++) {
      row[k] *= s;
    }
  }
}

// The lower triangle of H becomes L below 1/D.
static bool factor(double* H, int nv, const int* up) {
  for (int k = nv - 1; k >= 0; k--) {
    double* row = H + (size_t)k * (size_t)nv;
    if (!(row[k] > 0)) {
      return false;
    }
    row[k] = 1 / row[k];
    for (int i = up[k]; i >= 0; i = up[i]) {
      const double a = row[i] * row[k];
      double* to = H + (size_t)i * (size_t)nv;
      for (int j = i; j >= 0; j = up[j]) {
        to[j] -= a * row[j];
      }
      row[i] = a;
    }
  }
  return true;
}

// B = (L'D L)^-1 B
static void solve(const rows* B, const double* L, int nv, const int* up) {
  for (int i = nv - 1; i >= 0; i--) {
    for (int j = up[i]; j >= 0; j = up[j]) {
      subtract_row(B, nv, j, L[(size_t)i * (size_t)nv + (size_t)j], i);
    }
  }
  for (int i = 0; i < nv; i++) {
    scale_row(B, nv, i, L[(size_t)i * (size_t)nv + (size_t)i]);
    for (int j = up[i]; j >= 0; j = up[j]) {
      subtract_row(B, nv, i, L[(size_t)i * (size_t)nv + (size_t)j], j);
    }
  }
}

static lb_status solve_elastic(lb_derivatives* D) {
  const int nv = D->model->nv;
  const size_t size = (size_t)nv * (size_t)nv;
  double* L = D->work->L;
  memcpy(L, D->M, size * sizeof *L);
  if (!factor(L, nv, D->work->v_up)) {
    return LB_FAILED;
  }
  for (size_t k = 0; k < size; k++) {
    D->qdd_q[k] = -D->tau_q[k];
    D->qdd_qd[k] = -D->tau_qd[k];
    D->qdd_tau[k] = 0;
  }
  for (int k = 0; k < nv; k++) {
    D->qdd_tau[(size_t)k * ((size_t)nv + 1)] = 1;
  }
  const rows B = {{D->qdd_q, D->qdd_qd, D->qdd_tau}};
  solve(&B, L, nv, D->work->v_up);
  return LB_OK;
}

lb_status lb_aba_derivatives(lb_derivatives* D, lb_data* d, const double* q, const double* qd,
                             const double* tau) {
  const lb_model* m = D->model;
  lb_mass_factors* F = &D->work->mass;
  lb_aba(m, d, D->qdd, q, qd, tau);
  if (m->nelastic > 0) {
    lb_derive(D, d, q, qd, D->qdd, false);
    return solve_elastic(D);
  }
  const bool definite = lb_mass_factors_take(F, d->work);
  lb_rnea_again(m, d, D->tau, D->qdd);
  lb_derive_matrices(D, d, qd, D->qdd);
  lb_mass_factors_solve(F, (double* const[]){D->qdd_q, D->qdd_qd, D->qdd_tau},
                        (const double* const[]){D->tau_q, D->tau_qd});
  return definite ? LB_OK : LB_FAILED;
}
