// The derivative of steps with unilateral constraints — hard stops, floors — through landings,
// impacts and constraints that are redundant: chained steps against differences of whole runs, and
// its transpose against itself.
#include "changes.h"
#include "compile.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/state.h"
#include "limber/limber.h"
#include "model/use/link.h"
#include "solve/implicit/implicit.h"
#include "stops.h"

enum { MOST = 200, MOST_STEPS = 40, MOTORS = 4 };

// What accelerations and forces count beside velocities.
static const double STEP = 2e-3;

// A scene whose motors depend on a number, and how it is run.
typedef struct world {
  const char* text; // with one %.17g, a motor's
  double number;    // there
  int steps;
  double h;
  bool inactive; // a step of the run has an impact
  bool mixed;    // constraints that were and were not active act in one stage
  uint64_t seed;
  double tolerance; // of Newton's method; 0: as small as can be
  double move;      // of differences; 0: as is usual
  bool level;       // the first body moves along the floor
  double turned;    // how much directions change free bodies' rotations
} world;

typedef struct direction {
  double q[MOST], v[MOST], number;
} direction;

// A sensitivity on its way through a run: of each reported state, and those that the next comes
// from.
typedef struct chain {
  lb_step_derivative* S;
  lb_data* d;
  const lb_model* plus; // with the number moved by one
  double q[3 * MOST_STEPS][MOST], v[3 * MOST_STEPS][MOST];
  bool inner[3 * MOST_STEPS];
  int count;
  double number, back;
  int impacts, taken_back;
  lb_random random;
} chain;

static lb_integrator integrator;

static lb_model* make(const world* w, double number) {
  char text[2000];
  snprintf(text, sizeof text, w->text, number);
  return compile(text);
}

static void motor_changes(const chain* c, const lb_model* m, double time, double* out) {
  for (int i = 0; i < m->nmotor; i++) {
    double here[3], there[3];
    lb_profile_evaluate(m->motor.profile[i], time, here);
    lb_profile_evaluate(c->plus->motor.profile[i], time, there);
    for (int k = 0; k < 3; k++) {
      const bool none = m->motor.drive[i] == LB_DRIVE_FORCE && k > 0;
      out[3 * i + k] = none ? 0 : c->number * (there[k] - here[k]);
    }
  }
}

// <y, D x> = <D'y, x>, over |y| |D x| + |D'y| |x|
static void check_transpose(chain* c, const lb_step_causes* in, const lb_step_effects* out, int nv,
                            int nmotor) {
  double y[4][MOST] = {{0}}, x[4][MOST] = {{0}}, motor[3 * MOTORS] = {0};
  for (int k = 0; k < nv; k++) {
    for (int i = 0; i < 3; i++) {
      y[i][k] = lb_random_between(&c->random, -1, 1) * (i < 2 ? 1 : STEP);
    }
  }
  const int rows = lb_constraints_count(c->d);
  for (int i = 0; i < rows; i++) {
    y[3][i] = lb_random_between(&c->random, -1, 1) * STEP;
  }
  lb_step_causes back = {.q = {x[0], x[1]}, .v = {x[2], x[3]}, .motor = motor};
  lb_step_back(c->S, &back, &(lb_step_effects){.q = y[0], .v = y[1], .a = y[2], .lambda = y[3]});
  const double* const to[] = {out->q, out->v, out->a, out->lambda};
  const double* const from[] = {in->q[0], in->q[1], in->v[0], in->v[1]};
  double difference = -dot(3 * nmotor, motor, in->motor), size = 0;
  for (int i = 0; i < 4; i++) {
    const int n = i < 3 ? nv : rows;
    difference += dot(n, y[i], to[i]) - dot(nv, x[i], from[i]);
    size += sqrt(dot(n, y[i], y[i]) * dot(n, to[i], to[i])) +
            sqrt(dot(nv, x[i], x[i]) * dot(nv, from[i], from[i]));
  }
  c->back = fmax(c->back, fabs(difference) / size);
}

static void watch(void* context, const lb_data* d, const lb_step_past* past) {
  chain* c = context;
  const lb_model* m = d->model;
  c->count -= past->taken_back;
  c->taken_back += past->taken_back;
  c->impacts += past->impact;
  memcpy(c->d->q, d->q, (size_t)m->nq * sizeof *d->q);
  memcpy(c->d->qd, d->qd, (size_t)m->nv * sizeof *d->qd);
  c->d->time = d->time;
  assert_true(lb_step_differentiate(c->S, c->d, past));
  const int now = c->count++, one = now - 1;
  int two = now > 1 ? now - 2 : 0;
  while (two > 0 && c->inner[two]) {
    two--;
  }
  double motor[3 * MOTORS], a[MOST], lambda[MOST] = {0};
  motor_changes(c, m, d->time, motor);
  const lb_step_causes in = {
      .q = {c->q[one], c->q[two]}, .v = {c->v[one], c->v[two]}, .motor = motor};
  lb_step_causes none = in;
  static double zero[MOST];
  if (past->count == 1) {
    none.q[1] = none.v[1] = zero;
  }
  lb_step_effects out = {.q = c->q[now], .v = c->v[now], .a = a, .lambda = lambda};
  lb_step_forward(c->S, &out, &none, NULL);
  check_transpose(c, &none, &out, m->nv, m->nmotor);
  c->inner[now] = past->inner;
}

// Where a run ends that starts `s` along the direction, with the same active set.
static void run(const world* w, const lb_model* m, const direction* x, double s, double* q,
                double* v, chain* c) {
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  const lb_scene_solver solver = {.integrator = integrator, .step = w->h};
  assert_at_most(m->nv, MOST);
  assert_at_most(lb_constraints_most(m), MOST);
  assert_at_most(m->nmotor, MOTORS);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  ((lb_implicit*)st->own)->newton.tolerance = w->tolerance > 0 ? w->tolerance : 1e-13;
  lb_project(m, d);
  lb_advance(m, d->q, x->q, s);
  for (int k = 0; k < m->nv; k++) {
    d->qd[k] += s * x->v[k];
  }
  lb_drive(m, d);
  if (c) {
    assert_int_equal(lb_step_derivative_create(m, NULL, &c->S, NULL), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &c->d, NULL), LB_OK);
    memcpy(c->q[0], x->q, sizeof c->q[0]);
    memcpy(c->v[0], x->v, sizeof c->v[0]);
    c->count = 1;
    lb_stepper_watch(st, watch, c);
  }
  for (int i = 0; i < w->steps; i++) {
    assert_int_equal(lb_stepper_step(st, d, w->h, NULL), LB_OK);
  }
  memcpy(q, d->q, (size_t)m->nq * sizeof *q);
  memcpy(v, d->qd, (size_t)m->nv * sizeof *v);
  if (c) {
    lb_step_derivative_release(c->S);
    lb_data_release(c->d);
  }
  lb_stepper_release(st);
  lb_data_release(d);
}

static direction choose_direction(const world* w, const lb_model* m) {
  direction x = {.number = 1};
  lb_random r = {w->seed};
  for (int k = 0; k < m->nv; k++) {
    x.q[k] = lb_random_between(&r, -1, 1);
    x.v[k] = lb_random_between(&r, -1, 1);
  }
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < 3 && m->link.kind[i] == LB_JOINT_FREE; k++) {
      x.q[m->link.v[i] + k] *= w->turned;
    }
    for (int k = 0; k < m->link.nv[i] && lb_link_is_elastic(m->link.kind[i]); k++) { // stiff
      x.q[m->link.v[i] + k] *= 1e-3;
    }
    for (int k = 0; k < m->link.nv[i] && m->link.driven[i]; k++) { // motors say where it is
      x.q[m->link.v[i] + k] = x.v[m->link.v[i] + k] = 0;
    }
  }
  for (int k = 0; k < 6 && w->level; k++) {
    x.q[k] *= k > 1 && k < 5;
    x.v[k] *= k > 1 && k < 5;
  }
  return x;
}

// Models with the number where differences are taken, in the middle where it is, and moved by one:
// the same for all schemes, since bases of elastic bodies take longer than runs.
enum { HERE = 2, PLUS = 5, MODELS };

typedef struct models {
  lb_model* m[MODELS];
} models;

static double moved(const world* w) {
  return w->move > 0 ? w->move : 3e-5;
}

static models make_all(const world* w) {
  models all;
  for (int i = 0; i < MODELS; i++) {
    all.m[i] = make(w, w->number + (i == PLUS ? 1 : (i - HERE) * moved(w)));
  }
  return all;
}

static void check_by(const world* w, const models* all, lb_integrator by) {
  static chain c;
  static const double weight[5] = {1. / 12, -8. / 12, 0, 8. / 12, -1. / 12};
  const double h = moved(w);
  double q[MOST], v[MOST], qs[MOST], vs[MOST], dq[MOST], sum_q[MOST] = {0}, sum_v[MOST] = {0};
  integrator = by;
  const lb_model *m = all->m[HERE], *plus = all->m[PLUS];
  const direction x = choose_direction(w, m);
  c = (chain){.plus = plus, .number = x.number, .random = {w->seed}};
  run(w, m, &x, 0, q, v, &c);
  for (int p = 0; p < 5; p++) {
    if (p == HERE) {
      continue;
    }
    run(w, all->m[p], &x, (p - HERE) * h, qs, vs, NULL);
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
    off[0] = fmax(off[0], fabs(sum_q[k] - c.q[c.count - 1][k]));
    off[1] = fmax(off[1], fabs(sum_v[k] - c.v[c.count - 1][k]));
  }
  print_message("%s: off by %.2g and %.2g, transpose by %.2g; %d impacts\n", lb_integrator_name(by),
                off[0] / size[0], off[1] / size[1], c.back, c.impacts);
  assert_int_equal(c.impacts > 0, w->inactive);
  assert_int_equal(c.taken_back > 0, w->inactive);
  assert_near(c.back, 0, 1e-12);
  assert_near(off[0] / size[0], 0, 1e-6);
  assert_near(off[1] / size[1], 0, 1e-6);
}

static void check(const world* w) {
  static const lb_integrator schemes[] = {LB_INTEGRATOR_BDF1, LB_INTEGRATOR_BDF2,
                                          LB_INTEGRATOR_SDIRK2};
  const models all = make_all(w);
  for (int i = 0; i < 3; i++) {
    check_by(w, &all, schemes[i]);
  }
  for (int i = 0; i < MODELS; i++) {
    lb_model_release(all.m[i]);
  }
}

static void an_arm_that_hits_its_stop(void** state) {
  (void)state;
  check(&(world){
      .text = ARM("reduced"), .number = 0.5, .steps = 12, .h = 2e-3, .inactive = true, .seed = 1});
  check(&(world){
      .text = ARM("maximal"), .number = 0.5, .steps = 12, .h = 2e-3, .inactive = true, .seed = 2});
}

static void a_box_that_lands_on_four_corners(void** state) {
  (void)state;
  static const char flat[] = BOX("[0, 0, 0.103]", "[1, 0.5, -1]", "{axis: z, angle: 20 deg}");
  static const char edge[] = BOX("[0, 0, 0.11]", "[1, 0.5, -1]", "{axis: y, angle: 2 deg}");
  check(&(world){.text = flat, .steps = 8, .h = 2e-3, .inactive = true, .seed = 3, .turned = 0.1});
  check(&(world){.text = edge, .steps = 20, .h = 2e-3, .inactive = true, .seed = 3, .turned = 0.1});
}

// At rest on four corners, which carry it in many ways; pushed along.
static void a_box_that_slides_on_four_corners(void** state) {
  (void)state;
  static const char text[] = BOX("[0, 0, 0.1]", "[1, 0.5, 0]", "{axis: z, angle: 20 deg}");
  check(&(world){.text = text, .steps = 6, .h = 5e-3, .seed = 4, .turned = 1, .level = true});
}

// It stands on one end, tilted, and slides away under itself.
static void a_rod_that_slides_on_a_floor(void** state) {
  (void)state;
  static const char text[] =
      "bodies: {rod: {shape: {box: [0.02, 0.02, 0.5]}, mass: 1}}\n"
      "initial: {rod: {position: [0, 0, 0.21650635094610965], velocity: [0.3, 0.1, 0],\n"
      "                rotation: {axis: y, angle: 30 deg}}}\n"
      "constraints: {ground: {floor: {body: rod, points: [{at: [0, 0, -0.25]}]}}}\n";
  check(&(world){.text = text, .steps = 10, .h = 5e-3, .seed = 5, .turned = 1, .move = 3e-6});
}

// One end of a stick hits, the stick turns, the other end hits.
static void a_stick_that_falls_on_its_ends(void** state) {
  (void)state;
  check(&(world){.text = STICK, .steps = 30, .h = 1e-3, .inactive = true, .seed = 6, .turned = 1});
}

// A force pulls a slider off its stop, and another one comes to lie.
static void what_lifts_off_and_what_comes_back(void** state) {
  (void)state;
  check(&(world){.text = LIFTED,
                 .number = 1,
                 .move = 3e-7,
                 .steps = 30,
                 .h = 2e-3,
                 .inactive = true,
                 .seed = 7});
}

// Rows that hold both ways beside them: a four-bar, closed by a loop with redundant constraints,
// a gear, and a stop that the crank runs into; a bob on the rod goes on swinging.
static void a_linkage_with_a_stop(void** state) {
  (void)state;
  check(&(world){.text = LINKAGE,
                 .number = 0.2,
                 .tolerance = 1e-12,
                 .steps = 14,
                 .h = 2e-3,
                 .inactive = true,
                 .seed = 8});
}

// A motor lowers an elastic rod until the weight at its end lies on a table; the hand on the weight
// swings into a stop.
static void an_elastic_rod_that_taps_on_a_table(void** state) {
  (void)state;
  static const char text[] =
      "materials: {s: {density: 1000, young: 0.2 GPa, poisson: 0.3,\n"
      "                damping: {stiffness: 1e-3 s}}}\n"
      "bodies:\n"
      "  hub: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}}\n"
      "  rod: {elastic: {rod: {radius: 5 mm, to: [0.4, 0, 0]}, material: s,\n"
      "        elements: {along: 6, across: 1}}}\n"
      "  weight: {mass: 0.1 kg, shape: {sphere: {radius: 2 cm}}}\n"
      "  hand: {mass: 0.05, center: [0.05, 0, 0.01], inertia: [1e-4, 1e-4, 1e-4]}\n"
      "joints:\n"
      "  motor: {type: revolute, child: hub, axis: y}\n"
      "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"
      "  tip: {type: fixed, parent: rod, face: end, child: weight}\n"
      "  pin: {type: revolute, parent: weight, child: hand, axis: y}\n"
      "initial: {pin: {velocity: -5}}\n"
      "motors: {turn: {joint: motor, keys: [[0, 0], [0.1, %.17g]]}}\n"
      "constraints:\n"
      "  table: {floor: {body: weight, points: [{at: [0, 0, -2 cm]}, {at: [1 cm, 0, -2 cm]}],\n"
      "          height: -2.005 cm}}\n"
      "  stop: {couple: [{joint: pin}], at_least: -0.032}\n";
  check(&(world){.text = text,
                 .number = 0.3,
                 .tolerance = 1e-12,
                 .move = 1e-6,
                 .steps = 16,
                 .h = 1e-3,
                 .inactive = true,
                 .seed = 9});
}

// An arm with a rope and deformables hits its stop, and lands with its end on a table: the nodes go
// on as they did.
static void an_arm_with_ropes_and_deformable_that_hits(void** state) {
  (void)state;
  static const char text[] =
      "limber: 1\n"
      "materials: {gel: {density: 500, young: 3e4, model: corotated, damping: {stiffness: 5 ms}}}\n"
      "bodies:\n"
      "  arm: {shape: {box: [0.4, 0.06, 0.06], position: [0.2, 0, 0]}, mass: 1}\n"
      "  hand: {shape: {box: [0.3, 0.06, 0.06], position: [0.15, 0, 0]}, mass: 0.5}\n"
      "joints:\n"
      "  shoulder: {type: revolute, child: arm, axis: y}\n"
      "  elbow: {type: revolute, parent: arm, at: [0.4, 0, 0], child: hand, axis: y}\n"
      "initial: {shoulder: {velocity: 1}, elbow: {velocity: 4}}\n"
      "motors: {push: {joint: elbow, drive: force, keys: [[0, %.17g], [1, 0.3]]}}\n"
      "ropes:\n"
      "  string: {through: [{body: hand, at: [0.2, 0, 0.03]}, {free: true, at: [0.9, 0.1, 0.1]}],\n"
      "    segments: 3, mass: 0.2, stiffness: 100 N, damping: 5 ms, slack: 0.97}\n"
      "deformables:\n"
      "  flesh:\n"
      "    form: {box: {from: [0.2, 0, 0], to: [0.6, 0, 0], width: 0.1, height: 0.1},\n"
      "      elements: {along: 4, across: 2, around: 2}, material: gel}\n"
      "    attach: [arm, hand]\n"
      "constraints:\n"
      "  stop: {couple: [{joint: elbow}], at_most: 0.03}\n"
      "  table: {floor: {body: hand, points: [{at: [0.3, 0, -0.03]}], height: -0.056}}\n";
  check(&(world){.text = text,
                 .number = 0.3,
                 .tolerance = 1e-12,
                 .move = 1e-6,
                 .steps = 16,
                 .h = 1e-3,
                 .inactive = true,
                 .seed = 10});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_that_hits_its_stop),
      cmocka_unit_test(a_box_that_lands_on_four_corners),
      cmocka_unit_test(a_box_that_slides_on_four_corners),
      cmocka_unit_test(a_rod_that_slides_on_a_floor),
      cmocka_unit_test(a_stick_that_falls_on_its_ends),
      cmocka_unit_test(what_lifts_off_and_what_comes_back),
      cmocka_unit_test(a_linkage_with_a_stop),
      cmocka_unit_test(an_elastic_rod_that_taps_on_a_table),
      cmocka_unit_test(an_arm_with_ropes_and_deformable_that_hits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
