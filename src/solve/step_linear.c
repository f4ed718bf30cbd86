// Linearly implicit steps: (7) of step_derivative.h.
#include <string.h>

#include "dynamics/derivative.h"
#include "dynamics/force.h"
#include "dynamics/gear.h"
#include "dynamics/kinematics.h"
#include "math/dense.h"
#include "model/motor.h"
#include "solve/explicit_changes.h"
#include "solve/step_inside.h"

// --- the derivative ---

// d at the start with the accelerations of the step, under all forces and what they answer.
static void pose(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  const lb_model* m = S->m;
  memcpy(d->q, past->q[0], (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, past->v[0], (size_t)m->nv * sizeof *d->qd);
  for (int k = 0; k < m->nv; k++) {
    d->qdd[k] = S->u[k] / past->dt;
  }
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
}

// Where coordinates answer by themselves it does not matter how links move.
static void take_probe(lb_step_derivative* S, lb_data* d) {
  if (S->plain) {
    S->probe.x = S->x;
    S->probe.u = S->u;
  } else {
    lb_derive(S->D, d, d->q, d->qd, d->qdd, false);
    lb_probe_take(&S->probe, S->D, d, S->x, S->u);
  }
}

// By q_1 and v_1, for the end's velocities as they are.
static void derive_start(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  lb_derivatives* D = S->D;
  pose(S, d, past);
  take_probe(S, d);
  lb_forces_answer(&S->probe, D, d);
  if (S->nodes) {
    lb_node_derivative_answer(S->nodes, D, d, &S->probe);
  }
  const int count = lb_loops_linearise(S->m, d).count;
  if (count > 0) {
    lb_loops_push(S->m, d, past->lambda);
  }
  lb_derive(D, d, d->q, d->qd, d->qdd, true);
  lb_forces_differentiate(D, d);
  lb_forces_differentiate_answer(&S->probe, D, d);
  if (count > 0) {
    lb_loops_differentiate(D, d, past->lambda);
  }
  if (S->nodes) {
    lb_node_derivative_take_linear(S->nodes, D, d, &S->probe);
  }
}

// Gaps count with motors as the step begins, and rates as it ends.
static void derive_rows(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  const lb_model* m = S->m;
  memcpy(d->qd, S->end_v, (size_t)m->nv * sizeof *d->qd);
  lb_kinematics(m, d, d->q, d->qd);
  lb_derive(S->D, d, d->q, d->qd, d->qdd, false);
  d->time -= past->dt;
  if (lb_loops_linearise(m, d).count > 0) {
    lb_loops_differentiate_rows(S->D, d, S->start_gap, S->s_q, S->J);
  }
  d->time += past->dt;
  lb_loops_linearise(m, d);
}

void lb_step_linear_derive(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  const size_t n = (size_t)S->nd * (size_t)S->nd;
  const lb_derivatives* D = S->D;
  for (int k = 0; k < S->m->nv; k++) {
    S->end_v[k] = d->qd[k];
    S->x[k] = past->dt * d->qd[k];
    S->u[k] = d->qd[k] - past->v[0][k];
  }
  const bool geared = lb_loops_gear(d, true);
  derive_start(S, d, past);
  memcpy(S->still_K, D->tau_q, n * sizeof(double));
  memcpy(S->still_M, D->M, n * sizeof(double));
  memcpy(S->start_C, D->tau_qd, n * sizeof(double));
  lb_forces_stiffen(S->D, d);
  for (size_t k = 0; k < n; k++) {
    S->stiff_C[k] = D->tau_qd[k] + past->dt * D->tau_q[k];
    S->start_C[k] -= D->tau_qd[k];
  }
  if (lb_loops_most_rows(S->m) > 0) {
    derive_rows(S, d, past);
  }
  lb_loops_gear(d, geared);
}

lb_step_answers lb_step_pose_linear(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  pose(S, d, past);
  lb_derive(S->D, d, d->q, d->qd, d->qdd, false);
  lb_probe_take(&S->probe, S->D, d, S->x, S->u);
  return (lb_step_answers){&S->probe, S->nodes ? S->nodes->X : NULL, S->nodes ? S->nodes->U : NULL};
}

// --- products ---

void lb_step_linear_gather(lb_step_derivative* S, const lb_step_causes* in) {
  const lb_model* m = S->m;
  const size_t size = (size_t)m->nv * sizeof(double);
  memcpy(S->q, in->q[0], size);
  memcpy(S->begun, in->v[0], size);
  lb_gears_follow(m, S->q);
  lb_gears_follow(m, S->begun);
  memset(S->v, 0, size);
  memset(S->a, 0, size);
  lb_add(m->nv, S->a, -1 / S->dt, S->begun);
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_leads(m, i)) {
      const int k = m->motor_v[i];
      S->v[k] = in->motor[3 * i + 1];
      S->a[k] += in->motor[3 * i + 1] / S->dt;
    }
  }
}

void lb_step_linear_forces(lb_step_derivative* S, double* y, double s, const double* q,
                           const double* v) {
  const int nd = S->nd;
  for (int i = 0; i < nd; i++) {
    y[i] += s * lb_dot(nd, S->start_C + (size_t)i * (size_t)nd, S->begun);
  }
  if (S->nodes) {
    lb_node_derivative_add(S->nodes, y, s, q, S->begun);
    lb_node_derivative_add_stiff(S->nodes, y, s, (lb_node_share){0, 1, S->dt}, v);
    lb_node_derivative_add_stiff(S->nodes, y, s, (lb_node_share){0, -1, 0}, S->begun);
  }
}

void lb_step_linear_forces_back(lb_step_derivative* S, double* q, double* v, double s,
                                const double* mu) {
  const int nd = S->nd;
  for (int i = 0; i < nd; i++) {
    lb_add(nd, S->begun, s * mu[i], S->start_C + (size_t)i * (size_t)nd);
  }
  if (S->nodes) {
    lb_node_derivative_add_back(S->nodes, q, S->begun, s, mu);
    lb_node_derivative_add_stiff(S->nodes, v, s, (lb_node_share){0, 1, S->dt}, mu);
    lb_node_derivative_add_stiff(S->nodes, S->begun, s, (lb_node_share){0, -1, 0}, mu);
  }
}

void lb_step_linear_advance(lb_step_derivative* S, double* q, const double* v,
                            const lb_step_causes* in) {
  const lb_model* m = S->m;
  lb_changes_advance(m, S->end_v, S->dt, q, S->q, v);
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_leads(m, i)) {
      q[m->motor_v[i]] = in->motor[3 * i];
    }
  }
}

void lb_step_linear_advance_back(lb_step_derivative* S, const lb_step_effects* in) {
  const lb_model* m = S->m;
  memcpy(S->begun, in->q, (size_t)m->nv * sizeof *S->begun);
  lb_step_clear_driven(m, S->begun);
  memset(S->q, 0, (size_t)m->nv * sizeof *S->q);
  lb_changes_advance_back(m, S->end_v, S->dt, S->q, S->v, S->begun);
  memset(S->begun, 0, (size_t)m->nv * sizeof *S->begun);
}

void lb_step_linear_scatter(lb_step_derivative* S, lb_step_causes* out, const lb_step_effects* in) {
  const lb_model* m = S->m;
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_leads(m, i)) {
      const int k = m->motor_v[i];
      out->motor[3 * i] += in->q[k];
      out->motor[3 * i + 1] += S->v[k] + S->a[k] / S->dt;
    }
  }
  lb_add(m->nv, S->begun, -1 / S->dt, S->a);
  lb_gears_fold(m, S->q);
  lb_gears_fold(m, S->begun);
  lb_add(m->nv, out->q[0], 1, S->q);
  lb_add(m->nv, out->v[0], 1, S->begun);
}
