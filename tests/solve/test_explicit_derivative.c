// The derivative of explicit steps, chained over a few of them, against differences of whole runs;
// and its transpose against itself.
#include "busy.h"
#include "changes.h"
#include "compile.h"
#include "counting.h"
#include "dynamics/joint/joint.h"
#include "explicit_step.h"
#include "limber/limber.h"
#include "model/use/initial_pose.h"
#include "solve/step/stepper.h"

enum { MOST = 400, STEPS = 5, MOTORS = 40, MOMENTS = 14 };
static const double STEP = 1e-3;

// A model that can be made again with its motors' keys moved.
static busy B;
static busy_options options;
static double move = 1e-4; // of differences
static uint64_t seed_now;

typedef struct direction {
  double q[MOST], v[MOST];
} direction;

static void make(double moved) {
  make_busy(&B, seed_now, options);
  lb_data_release(B.a.d);
  lb_model_release(B.a.m);
  for (int k = 0; k < 4; k++) {
    B.angle[k] += moved * (0.1 + 0.2 * k);
    B.push[k] += moved * (1 - 0.3 * k);
  }
  assert_int_equal(lb_model_create(&B.a.tree.scene, NULL, &B.a.m, NULL), LB_OK);
  assert_int_equal(lb_data_create(B.a.m, NULL, &B.a.d, NULL), LB_OK);
}

// All but the model's own memory is released: good for its numbers, not for its bodies' forces.
static lb_model* keep_model(void) {
  lb_model* m = B.a.m;
  B.a.m = NULL;
  release_assembly(&B.a);
  return m;
}

// A sensitivity on its way through a run.
typedef struct chain {
  lb_step_derivative* S;
  lb_data* d;
  const lb_model* plus; // with the keys moved by one
  double q[MOST], v[MOST], back;
  lb_random random;
} chain;

static void motor_changes(const chain* c, const lb_model* m, double* out) {
  for (int k = 0; k < lb_step_moments(c->S); k++) {
    const double time = lb_step_moment(c->S, k);
    for (int i = 0; i < m->nmotor; i++, out += 3) {
      double here[3], there[3];
      lb_profile_evaluate(m->motor.profile[i], time, here);
      lb_profile_evaluate(c->plus->motor.profile[i], time, there);
      for (int j = 0; j < 3; j++) {
        out[j] = m->motor.drive[i] == LB_DRIVE_FORCE && j > 0 ? 0 : there[j] - here[j];
      }
    }
  }
}

static void pass_step(chain* c, const lb_model* m, const lb_data* d) {
  static double motor[3 * MOTORS * MOMENTS], by[3 * MOTORS * MOMENTS];
  static double q[MOST], v[MOST], y[2][MOST], x[2][MOST];
  const int n = lb_step_moments(c->S) * 3 * m->nmotor;
  assert_at_most(n, 3 * MOTORS * MOMENTS);
  memcpy(c->d->q, d->q, (size_t)m->nq * sizeof *q);
  memcpy(c->d->qd, d->qd, (size_t)m->nv * sizeof *v);
  c->d->time = d->time;
  assert_true(differentiate_step(c->S, c->d, STEP));
  motor_changes(c, m, motor);
  pass_forward(c->S, q, v, c->q, c->v, motor);
  for (int k = 0; k < m->nv; k++) {
    x[0][k] = y[0][k] = lb_random_between(&c->random, -1, 1);
    x[1][k] = y[1][k] = lb_random_between(&c->random, -1, 1);
  }
  memset(by, 0, sizeof by);
  pass_back(c->S, x[0], x[1], by);
  const double one = dot(m->nv, y[0], q) + dot(m->nv, y[1], v);
  const double other = dot(m->nv, x[0], c->q) + dot(m->nv, x[1], c->v) + dot(n, by, motor);
  c->back = fmax(c->back, fabs(one - other) / sqrt(dot(m->nv, q, q) + dot(m->nv, v, v)));
  memcpy(c->q, q, sizeof q);
  memcpy(c->v, v, sizeof v);
}

// Where a run ends that starts `s` along the direction.
static void run(lb_integrator by, const direction* x, double s, const double* q0, const double* v0,
                double* q, double* v, chain* c) {
  make(s);
  const lb_model* m = B.a.m;
  lb_data* d = B.a.d;
  const lb_scene_solver solver = {.integrator = by, .step = STEP};
  lb_stepper* st;
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  st->watched = true; // charts stay
  memcpy(d->q, q0, (size_t)m->nq * sizeof *q);
  lb_advance(m, d->q, x->q, s);
  for (int k = 0; k < m->nv; k++) {
    d->qd[k] = v0[k] + s * x->v[k];
  }
  lb_drive(m, d);
  if (c) {
    assert_int_equal(lb_step_derivative_create_for(m, by, NULL, &c->S, NULL), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &c->d, NULL), LB_OK);
    memcpy(c->q, x->q, sizeof c->q);
    memcpy(c->v, x->v, sizeof c->v);
  }
  for (int i = 0; i < STEPS; i++) {
    if (c) {
      pass_step(c, m, d);
    }
    assert_int_equal(lb_stepper_step(st, d, STEP, NULL), LB_OK);
  }
  memcpy(q, d->q, (size_t)m->nq * sizeof *q);
  memcpy(v, d->qd, (size_t)m->nv * sizeof *v);
  if (c) {
    lb_step_derivative_release(c->S);
    lb_data_release(c->d);
  }
  lb_stepper_release(st);
  release_assembly(&B.a);
}

static void check_by(lb_integrator by, uint64_t seed, busy_options wanted) {
  static direction x;
  static chain c;
  static double q0[MOST], v0[MOST], q[MOST], v[MOST], qs[MOST], vs[MOST], dq[MOST];
  static double sum_q[MOST], sum_v[MOST];
  lb_random r = {seed};
  c = (chain){.random = r};
  options = wanted;
  seed_now = seed;
  make(1);
  lb_model* plus = keep_model();
  make(0);
  lb_model* m = B.a.m;
  lb_project(m, B.a.d);
  assert_near(lb_constraint_gap(m, B.a.d, NULL), 0, 1e-9); // what lay about is put together
  memcpy(q0, B.a.d->q, (size_t)m->nq * sizeof *q0);
  memcpy(v0, B.a.d->qd, (size_t)m->nv * sizeof *v0);
  keep_model();
  for (int k = 0; k < m->nv; k++) {
    x.q[k] = lb_random_between(&r, -1, 1);
    x.v[k] = lb_random_between(&r, -1, 1);
  }
  c.plus = plus;
  run(by, &x, 0, q0, v0, q, v, &c);
  memset(sum_q, 0, sizeof sum_q);
  memset(sum_v, 0, sizeof sum_v);
  const double h = move, at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  for (int p = 0; p < 4; p++) {
    run(by, &x, h * at[p], q0, v0, qs, vs, NULL);
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
    off[0] = fmax(off[0], fabs(sum_q[k] - c.q[k]));
    off[1] = fmax(off[1], fabs(sum_v[k] - c.v[k]));
  }
  print_message("%s, seed %d: off by %.2g and %.2g, transpose by %.2g\n", lb_integrator_name(by),
                (int)seed, off[0] / size[0], off[1] / size[1], c.back);
  assert_near(off[0] / size[0], 0, 1e-6);
  assert_near(off[1] / size[1], 0, 1e-6);
  assert_near(c.back, 0, 1e-12);
  lb_model_release(m);
  lb_model_release(plus);
}

static const lb_integrator EXPLICIT[] = {LB_INTEGRATOR_EULER, LB_INTEGRATOR_MIDPOINT,
                                         LB_INTEGRATOR_RK4, LB_INTEGRATOR_RK8};
enum { METHODS = 4 };

static void rigid_trees_match_differences(void** state) {
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
      check_by(EXPLICIT[i], seed, (busy_options){.motors = true, .nbody = 3 + (int)seed});
    }
  }
}

static void elastic_bodies_match_differences(void** state) {
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    for (uint64_t seed = 1; seed <= 2; seed++) {
      check_by(EXPLICIT[i], seed, (busy_options){.motors = true, .elastic = true});
    }
  }
}

static const double JAMMED = 1e4; // [1/s^2]

// The largest acceleration at a state that is closed.
static double fastest(void) {
  double most = 0;
  lb_forward(B.a.m, B.a.d);
  for (int k = 0; k < B.a.m->nv; k++) {
    most = fmax(most, fabs(B.a.d->qdd[k]));
  }
  return most;
}

// Bodies that lie about need not fit together, and some that do are jammed: no difference tells
// anything where accelerations leave all bounds.
static bool fits(uint64_t seed, busy_options wanted) {
  options = wanted;
  seed_now = seed;
  make(0);
  lb_project(B.a.m, B.a.d);
  const bool closed = lb_constraint_gap(B.a.m, B.a.d, NULL) < 1e-9;
  const bool calm = fastest() < JAMMED;
  release_assembly(&B.a);
  return closed && calm;
}

static void loops_of_every_kind_match_differences(void** state) {
  (void)state;
  int count = 0;
  move = 3e-6; // joints are near their limits, where forces have a kink
  for (uint64_t seed = 1; count < 4; seed++) {
    const busy_options loops = {.motors = true, .loops = true, .calm = true, .nbody = 30};
    assert_below(seed, 150);
    if (fits(seed, loops)) {
      count++;
      for (int i = 0; i < METHODS; i++) {
        check_by(EXPLICIT[i], seed, loops);
      }
    }
  }
}

static void memory_is_taken_when_made_and_given_back_when_it_runs_out(void** state) {
  (void)state;
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  lb_step_derivative* S = NULL;
  options = (busy_options){.motors = true, .nbody = 4};
  seed_now = 1;
  make(0);
  lb_project(B.a.m, B.a.d);
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    count = (lb_counting){.refuse = refuse};
    status = lb_step_derivative_create_for(B.a.m, LB_INTEGRATOR_RK8, &allocator, &S, NULL);
    assert_true(status == LB_OK || (status == LB_NO_MEMORY && count.live == 0));
  }
  const long requests = count.requests;
  assert_true(differentiate_step(S, B.a.d, STEP));
  assert_int_equal(count.requests, requests);
  lb_step_derivative_release(S);
  assert_int_equal(count.live, 0);
  release_assembly(&B.a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rigid_trees_match_differences),
      cmocka_unit_test(elastic_bodies_match_differences),
      cmocka_unit_test(loops_of_every_kind_match_differences),
      cmocka_unit_test(memory_is_taken_when_made_and_given_back_when_it_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
