// Projection after an explicit step: (2) and (3) of explicit_inside.h, and their transposes. How q
// came about does not matter, only which equations it solves: those of
// dynamics/constraint/constraint_projection.c.
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "solve/explicit/explicit_changes.h"
#include "solve/explicit/explicit_inside.h"

// --- taking it ---

static void go_to(lb_explicit_derivative* S, lb_data* d, const double* q, const double* v) {
  memcpy(d->q, q, (size_t)S->m->nq * sizeof *q);
  memcpy(d->qd, v, (size_t)S->m->nv * sizeof *v);
}

static void blow(lb_explicit_derivative* S, lb_data* d, lb_stage_system* by, const double* q,
                 const double* a, const double* lambda) {
  memcpy(d->q, q, (size_t)S->m->nq * sizeof *q);
  memcpy(d->qdd, a, (size_t)S->m->nv * sizeof *a);
  lb_derive_blow(S->D, d, LB_SET_STEP, S->zero, lambda);
  lb_stage_note(by, &S->active_set, d);
}

// Rates of constraints at (q, v): by q in `by_q`, by v in J, and of their gaps by q in `gap`.
static void look_at_rates(lb_explicit_derivative* S, lb_data* d, const double* q, const double* v,
                          double* gap, double* by_q, double* J) {
  go_to(S, d, q, v);
  lb_kinematics(S->m, d, d->q, d->qd);
  lb_derive(S->D, d, d->q, d->qd, d->qdd, false);
  lb_constraints_measure(S->m, d, LB_SET_STEP);
  lb_constraints_differentiate_rows(S->D, d, gap, by_q, J);
}

// A constraint's gap at the end, from its derivative by q: by q* and by w.
static void spread_row(lb_explicit_derivative* S, const double* gap, double* by_start,
                       double* by_move) {
  const lb_model* m = S->m;
  const lb_change_at along = {.v = S->close.projection.move, .h = 1};
  const size_t size = (size_t)m->nv * sizeof(double), part = (size_t)S->nd * sizeof(double);
  memset(S->xi, 0, size);
  memset(S->zero, 0, size);
  memset(S->start, 0, size);
  memcpy(S->start, gap, part);
  lb_change_return(LB_CHANGE_ADVANCE, m, along, S->xi, S->zero, S->start);
  memcpy(by_start, S->xi, part);
  memcpy(by_move, S->zero, part);
}

// (2), where J is that of q*, M and J of it being there; the gaps' derivatives at the end are in s.
static bool factor_place(lb_explicit_derivative* S, const lb_data* d, const double* M) {
  lb_explicit_close* c = &S->close;
  const size_t nd = (size_t)S->nd;
  for (int i = 0; i < S->active_set.all; i++) {
    const size_t at = (size_t)i * nd;
    S->active_set.state[i] = c->projection.near[i] ? LB_ACTIVE : LB_INACTIVE;
    if (!lb_constraints_row(d, i)->velocity_level) { // others have J w = 0, which is there already
      spread_row(S, S->s + at, c->G + at, c->E + at);
    }
  }
  return lb_operator_factor_masses(&c->place.op, M) &&
         lb_stage_constrain(&c->place, &S->active_set, c->E);
}

static bool factor_velocity_level(lb_explicit_derivative* S, const lb_data* d) {
  lb_explicit_close* c = &S->close;
  for (int i = 0; i < S->active_set.all; i++) {
    const bool holds = !lb_constraints_row(d, i)->unilateral || c->projection.impulse[i] > 0;
    S->active_set.state[i] = holds                     ? LB_ACTIVE
                             : c->projection.closed[i] ? LB_WEAKLY_ACTIVE
                                                       : LB_INACTIVE;
  }
  return lb_operator_factor_masses(&c->velocity_level.op, S->D->M) &&
         lb_stage_constrain(&c->velocity_level, &S->active_set, c->J);
}

static bool derive(lb_explicit_derivative* S, lb_data* d) {
  lb_explicit_close* c = &S->close;
  const size_t nd = (size_t)S->nd, size = nd * nd * sizeof(double);
  blow(S, d, &c->place, c->q, c->projection.move, c->projection.lambda);
  memcpy(c->K, S->D->tau_q, size);
  memcpy(c->L, S->D->M, size);
  lb_constraints_differentiate_rows(S->D, d, S->s, S->t, c->J);
  if (lb_constraints_velocity_level(S->m) >= 0) {
    look_at_rates(S, d, c->q, c->projection.move, S->s, c->G, c->E);
  }
  look_at_rates(S, d, c->end, c->speed, S->s, c->H, S->t);
  if (!factor_place(S, d, c->L)) {
    return false;
  }
  memcpy(c->J, S->t, (size_t)S->active_set.all * nd * sizeof *c->J);
  blow(S, d, &c->velocity_level, c->end, c->kick, c->projection.impulse);
  memcpy(c->L, S->D->tau_q, size);
  return factor_velocity_level(S, d);
}

bool lb_explicit_close_take(lb_explicit_derivative* S, lb_data* d) {
  const lb_model* m = S->m;
  lb_explicit_close* c = &S->close;
  const size_t nq = (size_t)m->nq * sizeof(double), nv = (size_t)m->nv * sizeof(double);
  memcpy(c->q, d->q, nq);
  memcpy(c->v, d->qd, nv);
  lb_constraints_project(m, d, LB_SET_ACTIVE, &c->projection);
  memcpy(c->end, d->q, nq);
  memcpy(c->speed, d->qd, nv);
  if (S->rows == 0 || !c->projection.straight) {
    return c->projection.straight;
  }
  memcpy(c->kick, c->speed, nv);
  lb_add(m->nv, c->kick, -1, c->v);
  lb_step_clear_driven(m, c->kick);
  const bool ok = derive(S, d);
  go_to(S, d, c->end, c->speed);
  return ok;
}

void lb_explicit_close_pose(lb_explicit_derivative* S, lb_data* d, bool later) {
  lb_explicit_close* c = &S->close;
  d->time = S->end;
  if (later) {
    blow(S, d, &c->velocity_level, c->end, c->kick, c->projection.impulse);
  } else {
    blow(S, d, &c->place, c->q, c->projection.move, c->projection.lambda);
  }
}

// --- products ---

void lb_explicit_close_pass(lb_explicit_derivative* S, double* q, double* v, const double* motor) {
  const lb_model* m = S->m;
  const lb_change_at along = {.v = S->close.projection.move, .h = 1};
  lb_stage_system *place = &S->close.place, *speed = &S->close.velocity_level;
  if (S->rows == 0) {
    return;
  }
  lb_stage_forward(place, place->mu, q, NULL, NULL, motor, NULL);
  lb_change_pass(LB_CHANGE_ADVANCE, m, along, S->xi, q, place->mu);
  memcpy(q, S->xi, (size_t)m->nv * sizeof *q);
  lb_stage_forward(speed, speed->mu, q, v, NULL, motor, NULL);
  lb_add(m->nv, v, 1, speed->mu);
}

void lb_explicit_close_return(lb_explicit_derivative* S, double* q, double* v, double* motor) {
  const lb_model* m = S->m;
  const lb_change_at along = {.v = S->close.projection.move, .h = 1};
  lb_stage_system *place = &S->close.place, *speed = &S->close.velocity_level;
  const size_t size = (size_t)m->nv * sizeof(double);
  if (S->rows == 0) {
    return;
  }
  lb_stage_back(speed, q, v, NULL, motor, v, NULL);
  memset(S->xi, 0, size);
  memset(S->zero, 0, size);
  lb_change_return(LB_CHANGE_ADVANCE, m, along, S->xi, S->zero, q);
  lb_stage_back(place, S->xi, NULL, NULL, motor, S->zero, NULL);
  memcpy(q, S->xi, size);
}
