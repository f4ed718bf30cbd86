// A stage of an explicit step: (1) of explicit_derivative.h, and its transpose.
#include <math.h>
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "model/use/motor_use.h"
#include "solve/explicit/explicit_changes.h"
#include "solve/explicit/explicit_inside.h"
#include "solve/step/step_matrix.h"

// A row that touches and does not push is closed when it would part more slowly than this
// [m/s^2 or rad/s^2].
static const double CLOSED = 1e-6;

// --- what is shared ---

bool lb_explicit_count(lb_data* d) {
  lb_constraints_activate_all(d);
  return lb_constraints_eliminate(d, true);
}

void lb_explicit_uncount(lb_data* d, bool was) {
  lb_constraints_keep_active(d->model, d, NULL);
  lb_constraints_eliminate(d, was);
}

void lb_explicit_note(lb_explicit_derivative* S, const lb_data* d) {
  S->active_set.all = lb_constraints_count(d);
  for (int i = 0; i < S->active_set.all; i++) {
    S->row_motor[i] = lb_constraints_row(d, i).motor;
  }
}

void lb_explicit_add(const lb_explicit_derivative* S, double* y, double s, const double* A,
                     const double* x) {
  for (int i = 0; i < S->nd; i++) {
    y[i] += s * lb_dot(S->nd, A + (size_t)i * (size_t)S->nd, x);
  }
}

void lb_explicit_add_back(const lb_explicit_derivative* S, double* y, double s, const double* A,
                          const double* x) {
  for (int i = 0; i < S->nd; i++) {
    lb_add(S->nd, y, s * x[i], A + (size_t)i * (size_t)S->nd);
  }
}

void lb_explicit_prescribe(const lb_model* m, lb_explicit_changes c, const double* motor) {
  for (int i = 0; i < m->nmotor; i++) {
    const int j = m->motor_joint[i];
    if (lb_motor_prescribes(m, i)) {
      c.q[c.at[j]] = motor[3 * i];
      c.v[m->joint_v[j]] = motor[3 * i + 1];
      if (c.a) {
        c.a[m->joint_v[j]] = motor[3 * i + 2];
      }
    }
  }
}

void lb_explicit_follow(const lb_model* m, lb_explicit_changes c, double* motor) {
  for (int i = 0; i < m->nmotor; i++) {
    const int j = m->motor_joint[i];
    if (lb_motor_prescribes(m, i)) {
      double* const from[] = {c.q + c.at[j], c.v + m->joint_v[j], c.a ? c.a + m->joint_v[j] : NULL};
      for (int k = 0; k < 3 && from[k]; k++) {
        motor[3 * i + k] += *from[k];
        *from[k] = 0;
      }
    }
  }
}

void lb_explicit_ask(const lb_explicit_derivative* S, const lb_dense_kkt* s, int which, double* c,
                     const double* motor) {
  for (int i = 0; i < s->rows; i++) {
    const int by = S->row_motor[s->row[i]];
    c[i] += by >= 0 ? motor[3 * by + which] : 0;
  }
}

void lb_explicit_asked(const lb_explicit_derivative* S, const lb_dense_kkt* s, int which,
                       const double* nu, double* motor) {
  for (int i = 0; i < s->rows; i++) {
    const int by = S->row_motor[s->row[i]];
    if (by >= 0) {
      motor[3 * by + which] += nu[i];
    }
  }
}

// --- taking it ---

static void find_pushes(lb_explicit_derivative* S, const lb_data* d, lb_explicit_stage* s) {
  const lb_model* m = S->m;
  memset(s->push, 0, (size_t)m->nmotor * (size_t)S->nd * sizeof *s->push);
  for (int i = 0; i < m->nmotor; i++) {
    double* push = s->push + (size_t)i * (size_t)S->nd;
    if (lb_motor_applies_force(m, i) && m->motor_loop[i] >= 0) {
      lb_loop_motor_direction(S->D, d, i, push);
    } else if (lb_motor_applies_force(m, i)) {
      push[m->motor_v[i]] = 1;
    }
  }
}

// With the rows' forces in place: all of inverse dynamics less forces.
static void derive_forces(lb_explicit_derivative* S, lb_data* d, const double* lambda) {
  lb_kinematics(S->m, d, d->q, d->qd);
  lb_forces_apply(S->m, d);
  const bool was = lb_explicit_count(d);
  if (S->rows > 0) {
    lb_constraints_apply_multipliers(S->m, d, lambda);
  }
  lb_derive_forced(S->D, d);
  if (S->rows > 0) {
    lb_explicit_note(S, d);
    lb_constraints_differentiate(S->D, d, lambda);
  }
  if (S->particles) {
    lb_particle_derivative_take(S->particles, S->D, d);
  }
  lb_explicit_uncount(d, was);
}

static void judge(lb_explicit_derivative* S, const lb_data* d, const lb_explicit_stage* s) {
  for (int i = 0; i < S->active_set.all; i++) {
    S->active_set.state[i] = !lb_constraints_row(d, i).unilateral || s->lambda[i] > 0 ? LB_ACTIVE
                             : fabs(s->left[i]) <= CLOSED ? LB_WEAKLY_ACTIVE
                                                          : LB_INACTIVE;
  }
}

static bool derive(lb_explicit_derivative* S, lb_data* d, lb_explicit_stage* s) {
  const size_t size = (size_t)S->nd * (size_t)S->nd * sizeof(double);
  derive_forces(S, d, s->lambda);
  memcpy(s->K, S->D->tau_q, size);
  memcpy(s->C, S->D->tau_qd, size);
  memcpy(s->M, S->D->M, size);
  find_pushes(S, d, s);
  if (S->active_set.all > 0) {
    judge(S, d, s);
    lb_constraints_differentiate_accelerations(S->D, d, s->G, s->H, s->J);
  }
  return lb_dense_kkt_factor(&s->by, &S->active_set, s->M, s->J, s->J);
}

bool lb_explicit_stage_take(lb_explicit_derivative* S, lb_data* d, lb_explicit_stage* s) {
  const lb_model* m = S->m;
  s->time = d->time;
  lb_forward(m, d); // drives what motors prescribe
  lb_constraints_multipliers(d, s->lambda, s->left);
  memcpy(s->q, d->q, (size_t)m->nq * sizeof *s->q);
  memcpy(s->v, d->qd, (size_t)m->nv * sizeof *s->v);
  memcpy(s->a, d->qdd, (size_t)m->nv * sizeof *s->a);
  lb_rates(m, s->rate, s->q, s->v);
  return derive(S, d, s);
}

void lb_explicit_stage_pose(lb_explicit_derivative* S, lb_data* d, const lb_explicit_stage* s) {
  const lb_model* m = S->m;
  d->time = s->time;
  memcpy(d->q, s->q, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, s->v, (size_t)m->nv * sizeof *d->qd);
  memcpy(d->qdd, s->a, (size_t)m->nv * sizeof *d->qdd);
  derive_forces(S, d, s->lambda);
}

// --- products ---

void lb_explicit_stage_pass(lb_explicit_derivative* S, lb_explicit_stage* s, const double* motor) {
  const lb_model* m = S->m;
  lb_dense_kkt* by = &s->by;
  double* r = s->mu;
  lb_changes_settle(m, s->q, S->xi, s->dq);
  memset(r, 0, (size_t)m->nv * sizeof *r);
  lb_explicit_add(S, r, -1, s->K, S->xi);
  lb_explicit_add(S, r, -1, s->C, s->dv);
  lb_explicit_add(S, r, -1, s->M, s->gain); // so far of driven coordinates alone
  if (S->particles) {
    lb_explicit_stage_pose(S, S->own, s);
    lb_particle_derivative_add(S->particles, r, -1, S->xi, s->dv);
  }
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_applies_force(m, i)) {
      lb_add(S->nd, r, motor[3 * i], s->push + (size_t)i * (size_t)S->nd);
    }
  }
  memset(by->c, 0, (size_t)by->rows * sizeof *by->c);
  lb_explicit_ask(S, by, 2, by->c, motor);
  lb_dense_kkt_add(by, by->c, -1, s->G, S->xi);
  lb_dense_kkt_add(by, by->c, -1, s->H, s->dv);
  lb_dense_kkt_add(by, by->c, -1, s->J, s->gain);
  lb_dense_kkt_solve(by, r);
  lb_add(m->nv, s->gain, 1, r);
  lb_changes_rate(m, s->q, s->v, s->rate, s->dq, s->dv);
}

void lb_explicit_stage_return(lb_explicit_derivative* S, lb_explicit_stage* s, double* motor) {
  const lb_model* m = S->m;
  lb_dense_kkt* by = &s->by;
  const size_t size = (size_t)m->nv * sizeof(double);
  memset(s->dq, 0, (size_t)m->nq * sizeof *s->dq);
  memset(s->dv, 0, size);
  memset(S->xi, 0, size);
  lb_changes_rate_back(m, s->q, s->v, s->dq, s->dv, s->rate);
  memcpy(s->mu, s->gain, size);
  lb_dense_kkt_solve_back(by, s->mu);
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_applies_force(m, i)) {
      motor[3 * i] += lb_dot(S->nd, s->push + (size_t)i * (size_t)S->nd, s->mu);
    }
  }
  lb_explicit_asked(S, by, 2, by->nu, motor);
  lb_explicit_add_back(S, S->xi, -1, s->K, s->mu);
  lb_explicit_add_back(S, s->dv, -1, s->C, s->mu);
  lb_explicit_add_back(S, s->gain, -1, s->M, s->mu);
  lb_dense_kkt_add_back(by, S->xi, -1, s->G, by->nu);
  lb_dense_kkt_add_back(by, s->dv, -1, s->H, by->nu);
  lb_dense_kkt_add_back(by, s->gain, -1, s->J, by->nu);
  if (S->particles) {
    lb_explicit_stage_pose(S, S->own, s);
    lb_particle_derivative_add_back(S->particles, S->xi, s->dv, -1, s->mu);
  }
  lb_changes_settle_back(m, s->q, s->dq, S->xi);
  lb_explicit_follow(m, (lb_explicit_changes){s->dq, s->dv, s->gain, m->joint_q}, motor);
}
