// The problems of a linearly implicit step, linearised.
#include "solve/implicit/linear_euler_derivative.h"

#include <string.h>

#include "dynamics/constraint/elimination.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"

void lb_linear_pose(lb_linear_derivative* L, lb_data* d, const lb_linear_problem* p) {
  const lb_model* m = d->model;
  d->time = L->end;
  memcpy(d->q, L->step.q0, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, L->step.v0, (size_t)m->nv * sizeof *d->qd);
  memcpy(d->qdd, p->a, (size_t)m->nv * sizeof *d->qdd);
  if (d->work->contacts) {
    lb_contacts_hold(d->work->contacts, 0); // they act by what is pushed with
  }
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
}

// R of (1) without multipliers, as a right-hand side.
static void find_residual(lb_linear_derivative* L, lb_data* d, const lb_linear_problem* p,
                          bool contact) {
  const lb_model* m = d->model;
  lb_rnea_forced(m, d, L->r, d->q, d->qd, d->qdd);
  if (d->work->contacts) {
    lb_free_axes_remove(m, d, L->r);
  }
  for (int k = 0; k < m->nv; k++) {
    const double more = L->step.more ? L->step.more[k] : 0;
    const double C = L->step.damping ? L->step.damping[k] : 0;
    L->r[k] += more / L->h * p->u[k] - C * L->step.v0[k] - d->work->tau[k];
    L->r[k] = -L->r[k];
  }
  if (contact && L->contacts) {
    lb_contact_slopes_add_forces(L->contacts, L->r);
  }
}

// Multipliers of loops that balance it.
static void balance(lb_linear_derivative* L, const lb_data* d, lb_linear_problem* p, bool contact) {
  const size_t rows = (size_t)L->set.all;
  memset(p->lambda, 0, rows * sizeof *p->lambda);
  if (rows == 0) {
    return;
  }
  if (contact && L->contacts) {
    lb_contact_slopes_multipliers(L->contacts, p->lambda);
  }
  lb_step_clear_driven(d->model, L->r);
  lb_elimination_fold(L->sys.op.small, L->r);
  lb_operator_solve(&L->sys.op, false, 1, L->r);
  memset(L->sys.nu, 0, (size_t)L->sys.rows * sizeof *L->sys.nu);
  lb_stage_close(&L->sys, L->r);
  for (int i = 0; i < L->sys.rows; i++) {
    p->lambda[L->sys.row[i]] = L->sys.nu[i];
  }
}

// R_q: of inverse dynamics, forces, multipliers and impulses.
void lb_linear_derive(lb_linear_derivative* L, lb_data* d, const lb_linear_problem* p,
                      bool contact) {
  const lb_model* m = d->model;
  lb_linear_pose(L, d, p);
  if (contact && L->contacts) {
    lb_contact_slopes_push(L->contacts, d);
  }
  if (L->set.all > 0) {
    lb_constraints_apply_multipliers(m, d, LB_SET_STEP, p->lambda);
  }
  lb_derive_forced(L->D, d);
  if (L->set.all > 0) {
    lb_constraints_differentiate(L->D, d, p->lambda);
  }
  if (contact && L->contacts) {
    lb_contact_slopes_add_stiffness(L->contacts, L->D);
  }
}

// Derivatives of the constraints' gaps and rates, at a problem's velocities.
static void look_at_rows(lb_linear_derivative* L, lb_data* d, const lb_linear_problem* p) {
  const lb_model* m = d->model;
  memcpy(d->qd, p->u, (size_t)m->nv * sizeof *d->qd);
  lb_kinematics(m, d, d->q, d->qd);
  lb_derive(L->D, d, d->q, d->qd, d->qdd, false);
  lb_constraints_measure(m, d, LB_SET_STEP);
  L->set.all = lb_constraints_count(d);
  if (L->set.all > 0) {
    lb_constraints_differentiate_rows(L->D, d, L->gap_q, L->rate_q, L->J);
  }
}

// At which gaps close.
double lb_linear_baumgarte(const lb_linear_derivative* L) {
  return L->st->solver.closing > L->h ? 1 / L->st->solver.closing : 1 / L->h;
}

static void take_rows(lb_linear_derivative* L, lb_data* d, lb_linear_problem* p) {
  const size_t nd = (size_t)d->model->nv;
  for (int i = 0; i < L->set.all; i++) {
    const double share = lb_constraints_row(d, i)->velocity_level ? 0 : lb_linear_baumgarte(L);
    for (size_t k = (size_t)i * nd; k < ((size_t)i + 1) * nd; k++) {
      p->G[k] = L->rate_q[k] + share * L->gap_q[k];
    }
  }
}

// R_v, W and the equations of loops, which all problems share.
bool lb_linear_take_matrices(lb_linear_derivative* L, lb_data* d) {
  const lb_model* m = d->model;
  const size_t nv = (size_t)m->nv;
  for (size_t i = 0; i < nv; i++) {
    for (size_t k = 0; k < nv; k++) {
      L->M[i * nv + k] = L->D->M[i * nv + k] / L->h;
      L->C[i * nv + k] = L->D->tau_qd[i * nv + k] - L->M[i * nv + k];
    }
    L->M[i * nv + i] += L->step.more ? L->step.more[i] / L->h : 0;
    L->C[i * nv + i] -= L->step.damping ? L->step.damping[i] : 0;
  }
  if (d->work->contacts) {
    lb_free_axes_remove_slopes(m, L->step.v0, L->C);
  }
  lb_stage_find_pushes(&L->sys, L->D, d, true);
  look_at_rows(L, d, &L->of[LB_OF_VELOCITIES]);
  lb_stage_note(&L->sys, &L->set, d);
  for (int i = 0; i < L->set.all; i++) {
    L->set.state[i] = lb_constraints_row(d, i)->unilateral ? LB_INACTIVE : LB_ACTIVE;
  }
  return lb_operator_factor_masses(&L->sys.op, L->M) && lb_stage_constrain(&L->sys, &L->set, L->J);
}

void lb_linear_take_problem(lb_linear_derivative* L, lb_data* d, int which) {
  const lb_model* m = d->model;
  lb_linear_problem* p = &L->of[which];
  const lb_contact_moves moves = {L->step.v0, L->bias, L->step.free, p->u};
  lb_linear_pose(L, d, p);
  if (which != LB_OF_FREE && L->contacts) {
    lb_contact_slopes_find_rows(L->contacts, d, L->D, which == LB_OF_PLACES, &moves);
  }
  look_at_rows(L, d, p);
  take_rows(L, d, p);
  if (which != LB_OF_FREE && L->contacts) {
    lb_contact_slopes_add_constraints(L->contacts, L->gap_q, L->rate_q);
  }
  lb_linear_pose(L, d, p);
  find_residual(L, d, p, which != LB_OF_FREE);
  balance(L, d, p, which != LB_OF_FREE);
  lb_linear_derive(L, d, p, which != LB_OF_FREE);
  memcpy(p->K, L->D->tau_q, (size_t)m->nv * (size_t)m->nv * sizeof *p->K);
}

void lb_linear_list_problems(lb_linear_derivative* L) {
  const lb_model* m = L->st->m;
  const double* const velocities[LB_LINEAR_PROBLEMS] = {L->step.end, L->step.move, L->step.free};
  L->of[LB_OF_VELOCITIES].on = true;
  L->of[LB_OF_PLACES].on = L->contacts && lb_contact_slopes_twice(L->contacts);
  L->of[LB_OF_FREE].on = L->contacts && lb_contact_slopes_bounces(L->contacts);
  for (int i = 0; i < LB_LINEAR_PROBLEMS; i++) {
    lb_linear_problem* p = &L->of[i];
    p->u = velocities[i];
    for (int k = 0; k < m->nv; k++) {
      p->a[k] = (p->u[k] - L->step.v0[k]) / L->h;
    }
  }
  memcpy(L->bias, L->step.v0, (size_t)m->nv * sizeof *L->bias);
  for (int k = 0; k < m->nv && L->step.drives; k++) {
    L->bias[k] = m->dof.driven[k] ? L->step.v1[k] : L->bias[k];
  }
}
