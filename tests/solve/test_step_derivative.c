// The derivative of implicit steps, chained over a few of them, against differences of whole runs;
// and its transpose against itself.
#include "busy.h"
#include "compile.h"
#include "counting.h"
#include "dynamics/loop.h"
#include "dynamics/state.h"
#include "limber/limber.h"
#include "solve/bdf2.h"

enum { MOST = 400, STEPS = 5, MOTORS = 40 };
static const double STEP = 2e-3;

// A model that can be made again with its motors' keys moved.
static busy B;
static busy_options options;
static uint64_t seed_now;
static lb_coordinates coordinates;
static lb_integrator integrator;

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

// A coupling of the first two plain joints that no motor prescribes, and a led point of the last
// body.
static bool constrained;

static void add_constraints(lb_scene* s) {
  static lb_scene_constraint made[3];
  static lb_scene_term term[2];
  static lb_vec3 point;
  static double time[2] = {0, 0.02}, place[2] = {0, 0.01}, angle[2] = {0, 0.002};
  int nterm = 0;
  for (int j = 0; j < s->njoint && nterm < 2; j++) {
    bool plain = !s->joint[j].loop &&
                 lb_joint_count_q(&s->joint[j]) == lb_joint_count_v(&s->joint[j]) &&
                 lb_joint_count_q(&s->joint[j]) > 0;
    for (int i = 0; i < s->nmotor; i++) {
      plain = plain && (s->motor[i].joint != j || s->motor[i].drive == LB_DRIVE_FORCE);
    }
    if (plain) {
      term[nterm] = (lb_scene_term){j, 0, nterm ? -1.7 : 1};
      nterm++;
    }
  }
  made[0] = (lb_scene_constraint){.name = "gear",
                                  .kind = LB_CONSTRAINT_COUPLE,
                                  .nterm = nterm,
                                  .term = term,
                                  .least = 0.1,
                                  .most = 0.1};
  point = (lb_vec3){0.1, -0.2, 0.05};
  made[1] = (lb_scene_constraint){.name = "led",
                                  .kind = LB_CONSTRAINT_FOLLOW,
                                  .body = s->nbody - 1,
                                  .npoint = 1,
                                  .point = &point,
                                  .along = {true, false, false}};
  made[1].path[0] =
      (lb_profile_definition){.kind = LB_PROFILE_SMOOTH, .count = 2, .time = time, .value = place};
  made[2] = (lb_scene_constraint){.name = "turned",
                                  .kind = LB_CONSTRAINT_FOLLOW,
                                  .body = 0,
                                  .npoint = 1,
                                  .point = &point,
                                  .turn = true,
                                  .about = {0.6, 0, 0.8},
                                  .angle = made[1].path[0]};
  made[2].angle.value = angle;
  s->constraint = made;
  s->nconstraint = 3;
}

static void make(double moved) {
  make_busy(&B, seed_now, options);
  if (constrained) {
    add_constraints(&B.a.tree.scene);
  }
  lb_data_release(B.a.d);
  lb_model_release(B.a.m);
  for (int k = 0; k < 4; k++) {
    B.angle[k] += moved * (0.1 + 0.2 * k);
    B.push[k] += moved * (1 - 0.3 * k);
  }
  for (int i = 0; i < B.a.tree.scene.njoint && coordinates == LB_COORDINATES_MAXIMAL; i++) {
    lb_scene_joint* j = &B.a.tree.joint[i]; // what loops cannot be or have
    j->armature = j->friction = j->limit_stiffness = 0;
    j->kind = j->kind > LB_JOINT_FREE ? LB_JOINT_UNIVERSAL : j->kind;
  }
  B.a.tree.scene.solver.coordinates = coordinates;
  lb_error err = lb_error_make(NULL);
  if (lb_model_create(&B.a.tree.scene, NULL, &B.a.m, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  assert_int_equal(lb_data_create(B.a.m, NULL, &B.a.d, NULL), LB_OK);
}

// All but the model's own memory is released: good for its numbers, not for its bodies' forces.
static lb_model* keep_model(void) {
  lb_model* m = B.a.m;
  B.a.m = NULL;
  release_assembly(&B.a);
  return m;
}

// Changes of the motors with the keys, which profiles are linear in.
static void motor_changes(const chain* c, const lb_data* d, double keys, double* out) {
  const lb_model* m = d->model;
  for (int i = 0; i < m->nmotor; i++) {
    double here[3], there[3];
    lb_profile_evaluate(m->motor_profile[i], d->time, here);
    lb_profile_evaluate(c->plus->motor_profile[i], d->time, there);
    for (int k = 0; k < 3; k++) {
      const bool none = m->motor_drive[i] == LB_DRIVE_FORCE && k > 0;
      out[3 * i + k] = none ? 0 : keys * (there[k] - here[k]);
    }
  }
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// <y, D x> = <D'y, x>
static void check_transpose(chain* c, const lb_step_causes* in, const lb_step_effects* out, int nv,
                            int nmotor) {
  static double y[4][MOST], x[4][MOST], motor[3 * MOTORS];
  const int rows = lb_loops_count(c->d);
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
  lb_step_causes back = {{x[0], x[1]}, {x[2], x[3]}, motor};
  lb_step_back(c->S, &back, &(lb_step_effects){y[0], y[1], y[2], y[3]});
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

static void watch(void* context, const lb_data* d, const lb_step_past* past) {
  chain* c = context;
  const lb_model* m = d->model;
  double motor[3 * MOTORS], q[MOST], v[MOST], a[MOST];
  memcpy(c->d->q, d->q, (size_t)m->nq * sizeof *q);
  memcpy(c->d->qd, d->qd, (size_t)m->nv * sizeof *v);
  c->d->time = d->time;
  assert_true(lb_step_differentiate(c->S, c->d, past));
  motor_changes(c, d, keys_now, motor);
  const lb_step_causes in = {{c->q[0], c->q[1]}, {c->v[0], c->v[1]}, motor};
  double lambda[MOST] = {0};
  lb_step_effects out = {q, v, a, lambda};
  lb_step_forward(c->S, &out, &in);
  check_transpose(c, &in, &out, m->nv, m->nmotor);
  memcpy(c->q[1], c->q[0], sizeof c->q[1]);
  memcpy(c->v[1], c->v[0], sizeof c->v[1]);
  memcpy(c->q[0], q, sizeof q);
  memcpy(c->v[0], v, sizeof v);
}

// Where a run ends that starts `s` along the direction.
static void run(const direction* x, double s, const double* q0, const double* v0, double* q,
                double* v, chain* c) {
  make(s * x->keys);
  const lb_model* m = B.a.m;
  lb_data* d = B.a.d;
  const lb_scene_solver solver = {.integrator = integrator, .step = STEP};
  lb_stepper* st;
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
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
    lb_bdf2_watch(st, watch, c);
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
  release_assembly(&B.a);
}

// Change of coordinates from one state to another, counted along velocities.
static void between(const lb_model* m, double* out, const double* from, const double* to) {
  for (int i = 0; i < m->nlink; i++) {
    const int q = m->link_q[i], v = m->link_v[i], kind = m->link_kind[i];
    const bool freely = kind == LB_JOINT_FREE, ball = kind == LB_JOINT_SPHERICAL;
    if (!freely && !ball) {
      for (int k = 0; k < m->link_nv[i]; k++) {
        out[v + k] = to[q + k] - from[q + k];
      }
      continue;
    }
    const double *a = from + q + 3 * freely, *b = to + q + 3 * freely;
    const lb_quat r = {a[0], a[1], a[2], a[3]};
    const lb_vec3 w =
        lb_quat_log(lb_quat_mul(lb_quat_conjugate(r), (lb_quat){b[0], b[1], b[2], b[3]}));
    memcpy(out + v, (double[]){w.x, w.y, w.z}, 3 * sizeof *out);
    if (freely) {
      const lb_vec3 p = lb_quat_rotate(
          lb_quat_conjugate(r),
          lb_vec3_make(to[q] - from[q], to[q + 1] - from[q + 1], to[q + 2] - from[q + 2]));
      memcpy(out + v + 3, (double[]){p.x, p.y, p.z}, 3 * sizeof *out);
    }
  }
}

static void check_by(lb_integrator by, uint64_t seed, busy_options wanted, lb_coordinates in) {
  integrator = by;
  static direction x;
  static chain c;
  static double q0[MOST], v0[MOST], q[MOST], v[MOST], qs[MOST], vs[MOST], dq[MOST];
  static double sum_q[MOST], sum_v[MOST];
  lb_random r = {seed};
  c.random = r;
  c.back = 0;
  options = wanted;
  seed_now = seed;
  coordinates = in;
  make(1);
  lb_model* plus = keep_model();
  make(0);
  lb_model* m = B.a.m;
  lb_settle(m, B.a.d);
  if (constrained) {
    assert_near(lb_loop_gap(m, B.a.d, NULL), 0, 1e-9);
  }
  memcpy(q0, B.a.d->q, (size_t)m->nq * sizeof *q0);
  memcpy(v0, B.a.d->qd, (size_t)m->nv * sizeof *v0);
  keep_model();
  for (int k = 0; k < m->nv; k++) {
    x.q[k] = lb_random_between(&r, -1, 1);
    x.v[k] = lb_random_between(&r, -1, 1);
  }
  x.keys = keys_now = 1;
  c.plus = plus;
  run(&x, 0, q0, v0, q, v, &c);
  assert_near(c.back, 0, 1e-9);
  memset(sum_q, 0, sizeof sum_q);
  memset(sum_v, 0, sizeof sum_v);
  // constraints make a step's equations more curved
  const double h = constrained ? 1e-5 : 1e-4, at[4] = {-2, -1, 1, 2},
               weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  for (int p = 0; p < 4; p++) {
    run(&x, h * at[p], q0, v0, qs, vs, NULL);
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
    off[0] = fmax(off[0], fabs(sum_q[k] - c.q[0][k]));
    off[1] = fmax(off[1], fabs(sum_v[k] - c.v[0][k]));
  }
  print_message("%s, seed %d: off by %.2g and %.2g, transpose by %.2g\n",
                lb_integrator_name(integrator), (int)seed, off[0] / size[0], off[1] / size[1],
                c.back);
  assert_near(off[0] / size[0], 0, 1e-6);
  assert_near(off[1] / size[1], 0, 1e-6);
  lb_model_release(m);
  lb_model_release(plus);
}

// By every scheme of one or two stages that the watcher tells of.
static void check(uint64_t seed, busy_options wanted, lb_coordinates in) {
  static const lb_integrator schemes[] = {LB_INTEGRATOR_BDF2, LB_INTEGRATOR_BDF1,
                                          LB_INTEGRATOR_SDIRK2};
  // where wide open loops close, BDF1's first step is divided now and then; BDF2's is the same
  const int step = in == LB_COORDINATES_MAXIMAL ? 2 : 1;
  for (int i = 0; i < 3; i += step) {
    check_by(schemes[i], seed, wanted, in);
  }
}

static void rigid_trees_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    check(seed, (busy_options){.motors = true, .nbody = 3 + (int)seed}, LB_COORDINATES_REDUCED);
  }
}

static void elastic_bodies_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    check(seed, (busy_options){.motors = true, .elastic = true}, LB_COORDINATES_REDUCED);
  }
}

static void loops_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    check(seed, (busy_options){.motors = true, .calm = true, .nbody = 3 + (int)seed},
          LB_COORDINATES_MAXIMAL);
  }
  check(1, (busy_options){.motors = true, .calm = true, .elastic = true}, LB_COORDINATES_MAXIMAL);
}

static void constraints_match_differences(void** state) {
  (void)state;
  static const uint64_t seeds[] = {1, 2, 4, 5}; // whose constraints can be met from nearby
  constrained = true;
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    check(seeds[i], (busy_options){.motors = true, .calm = true, .nbody = 5 + (int)seeds[i]},
          LB_COORDINATES_REDUCED);
  }
  constrained = false;
}

static void memory_is_taken_when_made_and_given_back_when_it_runs_out(void** state) {
  (void)state;
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  lb_step_derivative* S = NULL;
  options = (busy_options){.motors = true, .elastic = true};
  seed_now = 1;
  coordinates = LB_COORDINATES_REDUCED;
  make(0);
  const lb_model* m = B.a.m;
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    count = (lb_counting){.refuse = refuse};
    status = lb_step_derivative_create(m, &allocator, &S, NULL);
    assert_true(status == LB_OK || (status == LB_NO_MEMORY && count.live == 0));
  }
  // using it takes none
  const long requests = count.requests;
  const lb_step_past past = {.dt = STEP, .count = 1, .weight = {1}, .q = {m->q0}, .v = {m->qd0}};
  assert_true(lb_step_differentiate(S, B.a.d, &past));
  assert_int_equal(count.requests, requests);
  lb_step_derivative_release(S);
  assert_int_equal(count.live, 0);
  release_assembly(&B.a);
}

static void rows_that_push_one_way_have_no_derivative(void** state) {
  (void)state;
  lb_model* m = compile("bodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\n"
                        "joints: {elbow: {type: revolute, child: arm, axis: y}}\n"
                        "constraints: {stop: {couple: [{joint: elbow}], at_most: 140 deg}}\n");
  lb_step_derivative* S = NULL;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_step_derivative_create(m, NULL, &S, &err), LB_INVALID);
  assert_null(S);
  assert_non_null(strstr(err.message[0].text, "constraint 'stop' pushes one way only"));
  lb_error_clear(&err);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rigid_trees_match_differences),
      cmocka_unit_test(elastic_bodies_match_differences),
      cmocka_unit_test(loops_match_differences),
      cmocka_unit_test(constraints_match_differences),
      cmocka_unit_test(rows_that_push_one_way_have_no_derivative),
      cmocka_unit_test(memory_is_taken_when_made_and_given_back_when_it_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
