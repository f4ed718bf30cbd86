// A stage of an explicit step: (1) of explicit_inside.h, and its transpose.
#include <math.h>
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"
#include "solve/explicit/explicit_changes.h"
#include "solve/explicit/explicit_inside.h"

// A constraint that is closed and exerts nothing is closed when it would part more slowly than this
// [m/s^2 or rad/s^2].
static const double CLOSED = 1e-6;

// --- taking it ---

// With the constraints' forces in place: all of inverse dynamics less forces.
static void derive_forces(lb_explicit_derivative* S, lb_data* d, lb_explicit_stage* s) {
  lb_update(S->m, d, LB_FORCED);
  if (S->rows > 0) {
    lb_constraints_apply_multipliers(S->m, d, LB_SET_STEP, s->lambda);
  }
  lb_derive_forced(S->D, d);
  if (S->rows > 0) {
    lb_stage_note(&s->by, &S->active_set, d);
    lb_constraints_differentiate(S->D, d, s->lambda);
  }
  if (S->particles) {
    lb_particle_derivative_take(S->particles, S->D, d);
  }
}

static void judge(lb_explicit_derivative* S, const lb_data* d, const lb_explicit_stage* s) {
  for (int i = 0; i < S->active_set.all; i++) {
    S->active_set.state[i] = !lb_constraints_row(d, i)->unilateral || s->lambda[i] > 0 ? LB_ACTIVE
                             : fabs(s->left[i]) <= CLOSED ? LB_WEAKLY_ACTIVE
                                                          : LB_INACTIVE;
  }
}

static bool derive(lb_explicit_derivative* S, lb_data* d, lb_explicit_stage* s) {
  const size_t size = (size_t)S->nd * (size_t)S->nd * sizeof(double);
  derive_forces(S, d, s);
  memcpy(s->K, S->D->tau_q, size);
  memcpy(s->C, S->D->tau_qd, size);
  memcpy(s->M, S->D->M, size);
  lb_stage_find_pushes(&s->by, S->D, d, true);
  if (S->active_set.all > 0) {
    judge(S, d, s);
    lb_constraints_differentiate_accelerations(S->D, d, s->G, s->H, s->J);
  }
  return lb_operator_factor_masses(&s->by.op, s->M) &&
         lb_stage_constrain(&s->by, &S->active_set, s->J);
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

void lb_explicit_stage_pose(lb_explicit_derivative* S, lb_data* d, lb_explicit_stage* s) {
  const lb_model* m = S->m;
  d->time = s->time;
  memcpy(d->q, s->q, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, s->v, (size_t)m->nv * sizeof *d->qd);
  memcpy(d->qdd, s->a, (size_t)m->nv * sizeof *d->qdd);
  derive_forces(S, d, s);
}

// --- products ---

void lb_explicit_stage_pass(lb_explicit_derivative* S, lb_explicit_stage* s, const double* motor) {
  const lb_model* m = S->m;
  const lb_change_at at = {.q = s->q, .v = s->v};
  if (S->particles) {
    lb_explicit_stage_pose(S, S->own, s);
  }
  lb_change_pass(LB_CHANGE_PROJECT, m, at, S->xi, s->dq, NULL);
  lb_stage_forward(&s->by, s->by.mu, S->xi, s->dv, s->gain, motor, NULL);
  lb_add(m->nv, s->gain, 1, s->by.mu); // so far of driven coordinates alone
  lb_change_pass(LB_CHANGE_RATE, m, at, s->rate, s->dq, s->dv);
}

void lb_explicit_stage_return(lb_explicit_derivative* S, lb_explicit_stage* s, double* motor) {
  const lb_model* m = S->m;
  const lb_change_at at = {.q = s->q, .v = s->v};
  const size_t size = (size_t)m->nv * sizeof(double);
  if (S->particles) {
    lb_explicit_stage_pose(S, S->own, s);
  }
  memset(s->dq, 0, (size_t)m->nq * sizeof *s->dq);
  memset(s->dv, 0, size);
  memset(S->xi, 0, size);
  lb_change_return(LB_CHANGE_RATE, m, at, s->dq, s->dv, s->rate);
  lb_stage_back(&s->by, S->xi, s->dv, s->gain, motor, s->gain, s->by.nu);
  lb_change_return(LB_CHANGE_PROJECT, m, at, s->dq, NULL, S->xi);
  lb_stage_prescribe_back(m, s->dq, m->joint.q, s->dv, s->gain, motor);
}
