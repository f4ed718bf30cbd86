// Derivatives of explicit steps for tests, from a step's start.
#pragma once
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "solve/step/step_derivative.h"

enum { EXPLICIT_MOST = 2000 };

// Of a step of h from d, which goes to its end.
static bool differentiate_step(lb_step_derivative* S, lb_data* d, double h) {
  static double q[EXPLICIT_MOST], v[EXPLICIT_MOST];
  static bool active[EXPLICIT_MOST];
  const lb_model* m = d->model;
  memcpy(q, d->q, (size_t)m->nq * sizeof *q);
  memcpy(v, d->qd, (size_t)m->nv * sizeof *v);
  if (lb_constraints_active(d)) {
    memcpy(active, lb_constraints_active(d), (size_t)lb_constraints_most(m) * sizeof *active);
  }
  const lb_step_past past = {.dt = h,
                             .count = 1,
                             .weight = {1},
                             .q = {q},
                             .v = {v},
                             .from = d->time,
                             .active = {active, active}};
  d->time += h;
  return lb_step_differentiate(S, d, &past);
}

static void pass_forward(lb_step_derivative* S, double* q, double* v, double* q0, double* v0,
                         double* motor) {
  lb_step_forward(S, &(lb_step_effects){.q = q, .v = v},
                  &(lb_step_causes){.q = {q0}, .v = {v0}, .motor = motor}, NULL);
}

// What is by the end, in q and v, becomes what is by the start.
static void pass_back(lb_step_derivative* S, double* q, double* v, double* motor) {
  static double by_q[EXPLICIT_MOST], by_v[EXPLICIT_MOST];
  memset(by_q, 0, sizeof by_q);
  memset(by_v, 0, sizeof by_v);
  lb_step_back(S, &(lb_step_causes){.q = {by_q}, .v = {by_v}, .motor = motor},
               &(lb_step_effects){.q = q, .v = v});
  memcpy(q, by_q, (size_t)lb_step_dynamics(S)->model->nv * sizeof *q);
  memcpy(v, by_v, (size_t)lb_step_dynamics(S)->model->nv * sizeof *v);
}
