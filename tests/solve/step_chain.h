// Sensitivities on their way through a run of implicit steps: what tests of steps' derivatives
// share.
#pragma once
#include "changes.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/tree/state.h"
#include "limber/limber.h"
#include "model/use/model_derive.h"
#include "solve/implicit/implicit.h"
#include "test.h"

enum { MOST = 1000, STEPS = 5, MOTORS = 40 };
static const double STEP = 2e-3;

// Direction of a change: of the start and of the motors' keys.
typedef struct direction {
  double q[MOST], v[MOST], keys;
} direction;

// A sensitivity on its way through a run: changes of the last two states.
typedef struct chain {
  lb_step_derivative* S;
  lb_data* d;
  const lb_model* plus; // with the keys moved by one
  double q[2][MOST], v[2][MOST], a[MOST];
  double back; // worst failure of the transpose
  lb_random random;
} chain;

// Changes of the motors with the keys, which profiles are linear in.
static inline void motor_changes(const chain* c, const lb_model* m, double time, double keys,
                                 double* out) {
  for (int i = 0; i < m->nmotor; i++) {
    double here[3], there[3];
    lb_profile_evaluate(m->motor.profile[i], time, here);
    lb_profile_evaluate(c->plus->motor.profile[i], time, there);
    for (int k = 0; k < 3; k++) {
      const bool none = m->motor.drive[i] == LB_DRIVE_FORCE && k > 0;
      out[3 * i + k] = none ? 0 : keys * (there[k] - here[k]);
    }
  }
}

// <y, D x> = <D'y, x>
static inline void check_transpose(chain* c, const lb_step_causes* in, const lb_step_effects* out,
                                   int nv, int nmotor) {
  static double y[4][MOST], x[4][MOST], motor[3 * MOTORS];
  const int rows = lb_constraints_count(c->d);
  for (int k = 0; k < nv; k++) {
    y[0][k] = lb_random_between(&c->random, -1, 1);
    y[1][k] = lb_random_between(&c->random, -1, 1);
    y[2][k] = lb_random_between(&c->random, -1, 1) * STEP;
  }
  memset(y[3], 0, sizeof y[3]);
  for (int i = 0; i < rows; i++) {
    y[3][i] = lb_random_between(&c->random, -1, 1) * STEP;
  }
  memset(x, 0, sizeof x);
  memset(motor, 0, sizeof motor);
  lb_step_causes back = {.q = {x[0], x[1]}, .v = {x[2], x[3]}, .motor = motor};
  lb_step_back(c->S, &back, &(lb_step_effects){.q = y[0], .v = y[1], .a = y[2], .lambda = y[3]});
  const double one = dot(nv, y[0], out->q) + dot(nv, y[1], out->v) + dot(nv, y[2], out->a) +
                     dot(rows, y[3], out->lambda);
  double other = dot(3 * nmotor, motor, in->motor);
  for (int p = 0; p < 2; p++) {
    other += dot(nv, x[p], in->q[p]) + dot(nv, x[2 + p], in->v[p]);
  }
  const double size = sqrt(dot(nv, out->q, out->q) + dot(nv, out->v, out->v));
  c->back = fmax(c->back, fabs(one - other) / (1 + size));
}

static double keys_now;

static inline void watch(void* context, const lb_data* d, const lb_step_past* past) {
  chain* c = context;
  const lb_model* m = d->model;
  double motor[3 * MOTORS], q[MOST], v[MOST], a[MOST];
  memcpy(c->d->q, d->q, (size_t)m->nq * sizeof *q);
  memcpy(c->d->qd, d->qd, (size_t)m->nv * sizeof *v);
  c->d->time = d->time;
  assert_int_equal(past->taken_back, 0);
  assert_true(lb_step_differentiate(c->S, c->d, past));
  motor_changes(c, m, d->time, keys_now, motor);
  const lb_step_causes in = {.q = {c->q[0], c->q[1]}, .v = {c->v[0], c->v[1]}, .motor = motor};
  double lambda[MOST] = {0};
  lb_step_effects out = {.q = q, .v = v, .a = a, .lambda = lambda};
  lb_step_forward(c->S, &out, &in, NULL);
  check_transpose(c, &in, &out, m->nv, m->nmotor);
  memcpy(c->q[1], c->q[0], sizeof c->q[1]);
  memcpy(c->v[1], c->v[0], sizeof c->v[1]);
  memcpy(c->q[0], q, sizeof q);
  memcpy(c->v[0], v, sizeof v);
}

// Run m from `s` along the direction off q0 and v0, with the sensitivity along it in c, if any.
static inline void chain_run(const lb_model* m, lb_data* d, lb_integrator integrator,
                             const direction* x, double s, const double* q0, const double* v0,
                             double* q, double* v, chain* c) {
  // differences divide what Newton's method leaves
  const lb_scene_solver solver = {.integrator = integrator,
                                  .step = STEP,
                                  .tolerance = 1e-12,
                                  .newton =
                                      lb_model_interface(m) ? LB_NEWTON_EXACT : LB_NEWTON_KEPT};
  lb_stepper* st;
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  ((lb_implicit*)st->own)->newton.tolerance = 1e-12; // multipliers are right later than velocities
  memcpy(d->q, q0, (size_t)m->nq * sizeof *q);
  lb_advance(m, d->q, x->q, s);
  for (int k = 0; k < m->nv; k++) {
    d->qd[k] = v0[k] + s * x->v[k];
  }
  if (c) {
    assert_int_equal(lb_step_derivative_create(m, NULL, &c->S, NULL), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &c->d, NULL), LB_OK);
    memcpy(c->q[0], x->q, sizeof c->q[0]);
    memcpy(c->v[0], x->v, sizeof c->v[0]);
    memset(c->q[1], 0, sizeof c->q[1]);
    memset(c->v[1], 0, sizeof c->v[1]);
    lb_stepper_watch(st, watch, c);
  }
  lb_error err = lb_error_make(NULL);
  for (int i = 0; i < STEPS; i++) {
    const lb_status status = lb_stepper_step(st, d, STEP, &err);
    if (status != LB_OK) {
      print_error("%s\n", err.message[0].text);
    }
    assert_int_equal(status, LB_OK);
  }
  memcpy(q, d->q, (size_t)m->nq * sizeof *q);
  memcpy(v, d->qd, (size_t)m->nv * sizeof *v);
  if (c) {
    lb_step_derivative_release(c->S);
    lb_data_release(c->d);
  }
  lb_stepper_release(st);
}

// Where a run ends that starts `s` along the direction.
typedef void chain_runner(const direction* x, double s, const double* q0, const double* v0,
                          double* q, double* v, chain* c);

// The sensitivity of a whole run against differences of fourth order.
static inline void chain_compare(chain_runner* go, const lb_model* m, lb_integrator by, int seed,
                                 const direction* x, double h, const double* q0, const double* v0,
                                 chain* c) {
  static double q[MOST], v[MOST], qs[MOST], vs[MOST], dq[MOST], sum_q[MOST], sum_v[MOST];
  c->back = 0;
  go(x, 0, q0, v0, q, v, c);
  assert_near(c->back, 0, 1e-9);
  memset(sum_q, 0, sizeof sum_q);
  memset(sum_v, 0, sizeof sum_v);
  const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  for (int p = 0; p < 4; p++) {
    go(x, h * at[p], q0, v0, qs, vs, NULL);
    between(m, dq, q, qs);
    for (int k = 0; k < m->nv; k++) {
      sum_q[k] += weight[p] * dq[k] / h;
      sum_v[k] += weight[p] * vs[k] / h;
    }
  }
  double size[2] = {0, 0}, off[2] = {0, 0};
  for (int k = 0; k < m->nv; k++) {
    size[0] = fmax(size[0], fabs(sum_q[k]));
    size[1] = fmax(size[1], fabs(sum_v[k]));
    off[0] = fmax(off[0], fabs(sum_q[k] - c->q[0][k]));
    off[1] = fmax(off[1], fabs(sum_v[k] - c->v[0][k]));
  }
  print_message("%s, seed %d: off by %.2g and %.2g, transpose by %.2g\n", lb_integrator_name(by),
                seed, off[0] / size[0], off[1] / size[1], c->back);
  assert_near(off[0] / size[0], 0, 1e-6);
  assert_near(off[1] / size[1], 0, 1e-6);
}
