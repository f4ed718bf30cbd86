// The derivative of explicit steps of worlds with constraints, ropes and deformables: several steps
// in a chain against differences of whole runs, and its transpose against itself.
#include "changes.h"
#include "compile.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/joint/joint.h"
#include "explicit_step.h"
#include "limber/limber.h"
#include "solve/step/stepper.h"
#include "stops.h"

enum { MOST = 1000, MOTORS = 4, MOMENTS = 14, MOST_STEPS = 200 };

// A scene whose motors depend on a number, and how it is run.
typedef struct world {
  const char* text; // with one %.17g, a motor's
  double number;    // there
  int steps;
  double h;
  double move;      // of differences
  double tolerance; // of what is compared
  bool stops;       // unilateral constraints come to do so
  double turned;    // how much of a direction's turns counts, of free bodies
  bool still;       // it starts where it does, and the number alone changes
} world;

typedef struct direction {
  double q[MOST], v[MOST];
} direction;

// A sensitivity on its way through a run.
typedef struct chain {
  lb_step_derivative* S;
  lb_data* d;
  const lb_model* plus; // with the number moved by one
  double q[MOST], v[MOST], back;
  lb_random random;
} chain;

static lb_integrator integrator;
static double size[MOST_STEPS]; // of the steps taken
static int nsize;

static lb_model* make(const world* w, double number) {
  char text[6000];
  snprintf(text, sizeof text, w->text, number);
  return compile(text);
}

static void motor_changes(const chain* c, const lb_model* m, double* out) {
  for (int k = 0; k < lb_step_moments(c->S); k++) {
    const double time = lb_step_moment(c->S, k);
    for (int i = 0; i < m->nmotor; i++, out += 3) {
      double here[3] = {0}, there[3] = {0};
      if (m->motor.profile[i]) { // else it prescribes a rotation, which has no number
        lb_profile_evaluate(m->motor.profile[i], time, here);
        lb_profile_evaluate(c->plus->motor.profile[i], time, there);
      }
      for (int j = 0; j < 3; j++) {
        out[j] = m->motor.drive[i] == LB_DRIVE_FORCE && j > 0 ? 0 : there[j] - here[j];
      }
    }
  }
}

static void copy_state(lb_data* to, const lb_data* from) {
  const lb_model* m = from->model;
  memcpy(to->q, from->q, (size_t)m->nq * sizeof *to->q);
  memcpy(to->qd, from->qd, (size_t)m->nv * sizeof *to->qd);
  to->time = from->time;
  lb_constraints_set_active(to, lb_constraints_active(from));
  lb_constraints_set_redundant(to, lb_constraints_redundant(from));
}

static double length(int n, const double* a, const double* b) {
  return sqrt(dot(n, a, a) + (b ? dot(n, b, b) : 0));
}

// The sensitivity goes along with a step of h from d; <y, D x> = <D'y, x>.
static void pass_step(chain* c, const lb_data* d, double h) {
  static double motor[3 * MOTORS * MOMENTS], by[3 * MOTORS * MOMENTS];
  static double q[MOST], v[MOST], y[2][MOST], x[2][MOST];
  const lb_model* m = d->model;
  const int n = lb_step_moments(c->S) * 3 * m->nmotor;
  assert_at_most(n, 3 * MOTORS * MOMENTS);
  copy_state(c->d, d);
  assert_true(differentiate_step(c->S, c->d, h));
  motor_changes(c, m, motor);
  pass_forward(c->S, q, v, c->q, c->v, motor);
  for (int k = 0; k < m->nv; k++) {
    x[0][k] = y[0][k] = lb_random_between(&c->random, -1, 1);
    x[1][k] = y[1][k] = lb_random_between(&c->random, -1, 1);
  }
  memset(by, 0, sizeof by);
  pass_back(c->S, x[0], x[1], by);
  const int nv = m->nv;
  const double one = dot(nv, y[0], q) + dot(nv, y[1], v);
  const double other = dot(nv, x[0], c->q) + dot(nv, x[1], c->v) + dot(n, by, motor);
  const double scale = length(nv, y[0], y[1]) * length(nv, q, v) +
                       length(nv, x[0], x[1]) * length(nv, c->q, c->v) +
                       length(n, by, NULL) * length(n, motor, NULL);
  // what lies on a stop does not change, but for rounding
  c->back = fmax(c->back, fabs(one - other) / fmax(scale, 1e-6));
  memcpy(c->q, q, sizeof q);
  memcpy(c->v, v, sizeof v);
}

// Where a run begins, `s` along the direction, with gaps closed.
static lb_data* begin(const world* w, lb_model** m, const direction* x, double s) {
  lb_data* d = NULL;
  *m = make(w, w->number + s);
  assert_at_most((*m)->nq, MOST);
  assert_at_most(lb_constraints_most(*m), MOST);
  assert_at_most((*m)->nmotor, MOTORS);
  assert_int_equal(lb_data_create(*m, NULL, &d, NULL), LB_OK);
  lb_project(*m, d);
  lb_advance(*m, d->q, x->q, s);
  for (int k = 0; k < (*m)->nv; k++) {
    d->qd[k] += s * x->v[k];
  }
  lb_project(*m, d);
  return d;
}

static void end(lb_model* m, lb_data* d) {
  lb_data_release(d);
  lb_model_release(m);
}

static void note_size(void* context, const lb_data* d, const lb_step_past* past) {
  (void)context, (void)d;
  assert_below(nsize, MOST_STEPS);
  size[nsize++] = past->dt;
}

// The sizes of the steps that the integrator takes; those of an adaptive one are found.
static void find_sizes(const world* w, const direction* x) {
  lb_model* m = NULL;
  lb_data* d = begin(w, &m, x, 0);
  lb_scene_solver solver = {.integrator = integrator, .step = w->h, .tolerance = 1e-9};
  lb_stepper* st = NULL;
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  lb_stepper_watch(st, note_size, NULL);
  nsize = 0;
  for (int i = 0; i < w->steps; i++) {
    assert_int_equal(lb_stepper_step(st, d, w->h, NULL), LB_OK);
  }
  lb_stepper_release(st);
  end(m, d);
}

// Where a run ends that starts `s` along the direction, by steps of the sizes found.
static void run(const world* w, const direction* x, double s, double* q, double* v, chain* c) {
  lb_model* m = NULL;
  lb_data* d = begin(w, &m, x, s);
  const bool found = integrator == LB_INTEGRATOR_ADAPTIVE;
  lb_scene_solver solver = {.integrator = found ? LB_INTEGRATOR_RK8 : integrator, .step = w->h};
  lb_stepper* st = NULL;
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  st->watched = true; // charts stay
  if (c) {
    assert_int_equal(lb_step_derivative_create_for(m, integrator, NULL, &c->S, NULL), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &c->d, NULL), LB_OK);
  }
  for (int i = 0; i < nsize; i++) {
    if (c) {
      pass_step(c, d, size[i]);
    }
    assert_int_equal(lb_stepper_step(st, d, size[i], NULL), LB_OK);
    if (c) { // the same step
      for (int k = 0; k < m->nv; k++) {
        assert_near(c->d->qd[k], d->qd[k], 1e-13);
      }
    }
  }
  memcpy(q, d->q, (size_t)m->nq * sizeof *q);
  memcpy(v, d->qd, (size_t)m->nv * sizeof *v);
  if (c) {
    lb_step_derivative_release(c->S);
    lb_data_release(c->d);
  }
  lb_stepper_release(st);
  end(m, d);
}

static void stay(const world* w, const direction* x, double s, double* q, double* v, chain* c) {
  (void)c;
  lb_model* m = NULL;
  lb_data* d = begin(w, &m, x, s);
  memcpy(q, d->q, (size_t)m->nq * sizeof *q);
  memcpy(v, d->qd, (size_t)m->nv * sizeof *v);
  end(m, d);
}

typedef void runner(const world* w, const direction* x, double s, double* q, double* v, chain* c);

// Differences of fourth order of where a run ends.
static void differ(runner* go, const world* w, const lb_model* m, const direction* x,
                   const double* q, double* by_q, double* by_v) {
  static double qs[MOST], vs[MOST], dq[MOST];
  const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  memset(by_q, 0, MOST * sizeof *by_q);
  memset(by_v, 0, MOST * sizeof *by_v);
  for (int p = 0; p < 4; p++) {
    go(w, x, w->move * at[p], qs, vs, NULL);
    between(m, dq, q, qs);
    for (int k = 0; k < m->nv; k++) {
      by_q[k] += weight[p] * dq[k] / w->move;
      by_v[k] += weight[p] * vs[k] / w->move;
    }
  }
}

static double worst(int n, const double* a, const double* b) {
  double off = 0, most = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(a[k]));
    off = fmax(off, fabs(a[k] - b[k]));
  }
  return off / most;
}

static void check_by(const world* w, lb_integrator by) {
  static direction x;
  static chain c;
  static double q[MOST], v[MOST], sum_q[MOST], sum_v[MOST];
  integrator = by;
  lb_model *m = make(w, w->number), *plus = make(w, w->number + 1);
  lb_random r = {3};
  c = (chain){.plus = plus, .random = r};
  for (int k = 0; k < m->nv; k++) {
    x.q[k] = w->still ? 0 : lb_random_between(&r, -1, 1);
    x.v[k] = w->still ? 0 : lb_random_between(&r, -1, 1);
  }
  for (int k = 0; k < 3 && w->stops && m->link.kind[0] == LB_JOINT_FREE; k++) {
    x.q[k] *= w->turned;
    x.v[k] *= w->turned;
  }
  find_sizes(w, &x);
  stay(w, &x, 0, q, v, NULL);
  differ(stay, w, m, &x, q, c.q, c.v);
  run(w, &x, 0, q, v, &c);
  differ(run, w, m, &x, q, sum_q, sum_v);
  const double off[] = {worst(m->nv, sum_q, c.q), worst(m->nv, sum_v, c.v)};
  print_message("%s: %d steps, off by %.2g and %.2g, transpose by %.2g\n", lb_integrator_name(by),
                nsize, off[0], off[1], c.back);
  assert_near(off[0], 0, w->tolerance);
  assert_near(off[1], 0, w->tolerance);
  assert_near(c.back, 0, 1e-12);
  lb_model_release(m);
  lb_model_release(plus);
}

static void check(const world* w) {
  static const lb_integrator all[] = {LB_INTEGRATOR_EULER, LB_INTEGRATOR_MIDPOINT,
                                      LB_INTEGRATOR_RK4, LB_INTEGRATOR_RK8, LB_INTEGRATOR_ADAPTIVE};
  for (int i = 0; i < (w->stops ? 4 : 5); i++) { // adaptive steps do not go with stops
    check_by(w, all[i]);
  }
}

// A planar four-bar in space: three of the closing hinge's constraints are redundant.
#define FOUR_BAR                                                                                   \
  "limber: 1\n"                                                                                    \
  "bodies:\n"                                                                                      \
  "  crank: {shape: {box: [0.02, 0.02, 0.5], position: [0, 0, 0.25]}, mass: 1}\n"                  \
  "  coupler: {shape: {box: [1, 0.02, 0.02], position: [0.5, 0, 0]}, mass: 2}\n"                   \
  "  rocker: {shape: {box: [0.02, 0.02, 0.6], position: [0, 0, 0.3]}, mass: 1.5}\n"                \
  "joints:\n"                                                                                      \
  "  j1: {type: revolute, child: crank, axis: y}\n"                                                \
  "  j2: {type: revolute, parent: crank, child: coupler, axis: y, at: [0, 0, 0.5], damping: "      \
  "0.1}\n"                                                                                         \
  "  j3: {type: revolute, child: rocker, axis: y, at: [1, 0, 0], spring: {stiffness: 3}}\n"        \
  "  closing: {type: revolute, loop: true, parent: coupler, child: rocker, axis: y,\n"             \
  "            at: [1, 0, 0], in_child: [0, 0, 0.6], spring: {stiffness: 2}, damping: 0.2}\n"      \
  "initial: {j1: {position: 0.3, velocity: 2 rad/s}}\n"

static void a_four_bar_with_redundant_constraints(void** state) {
  (void)state;
  check(&(world){.text = FOUR_BAR
                 "motors: {push: {joint: j1, drive: force, keys: [[0, %.17g], [1, 3]]}}\n",
                 .number = 1,
                 .steps = 6,
                 .h = 5e-3,
                 .move = 1e-4,
                 .tolerance = 1e-8});
}

static void a_four_bar_whose_closing_joint_is_driven(void** state) {
  (void)state;
  check(&(world){.text = FOUR_BAR "motors: {lead: {joint: closing, keys: [[0, 0], [1, %.17g]]}}\n",
                 .number = 0.2,
                 .steps = 6,
                 .h = 5e-3,
                 .move = 1e-3,
                 .tolerance = 1e-8});
}

static void a_four_bar_in_maximal_coordinates(void** state) {
  (void)state;
  check(&(world){.text = FOUR_BAR
                 "solver: {coordinates: maximal}\n"
                 "motors: {push: {joint: j2, drive: force, keys: [[0, %.17g], [1, 3]]}}\n",
                 .number = 1,
                 .steps = 6,
                 .h = 5e-3,
                 .move = 1e-4,
                 .tolerance = 1e-7});
}

// Two arms geared to each other, one of them part of a linkage with universal and ball joints.
#define GEARED                                                                                     \
  "limber: 1\n"                                                                                    \
  "bodies:\n"                                                                                      \
  "  crank: {shape: {box: [0.02, 0.02, 0.5], position: [0, 0, 0.25]}, mass: 1}\n"                  \
  "  wheel: {shape: {box: [0.3, 0.02, 0.3], position: [0.1, 0, 0]}, mass: 2}\n"                    \
  "  vane: {shape: {box: [0.2, 0.1, 0.02], position: [0.1, 0, 0]}, mass: 0.4}\n"                   \
  "  rod: {shape: {box: [1, 0.02, 0.03], position: [0.5, 0, 0]}, mass: 0.7}\n"                     \
  "joints:\n"                                                                                      \
  "  j1: {type: revolute, child: crank, axis: y}\n"                                                \
  "  j2: {type: revolute, child: wheel, axis: [0.3, 1, 0.2], at: [1, 0.3, 0]}\n"                   \
  "  hang: {type: spherical, parent: wheel, child: vane, at: [0.3, 0, 0]}\n"                       \
  "  hook: {type: universal, parent: crank, child: rod, at: [0, 0, 0.5], axis: y,\n"               \
  "         second_axis: z}\n"                                                                     \
  "  closing: {type: spherical, loop: true, parent: rod, child: vane, at: [1, 0, 0],\n"            \
  "            in_child: [0.2, 0, 0]}\n"                                                           \
  "constraints:\n"                                                                                 \
  "  gear: {couple: [{joint: j1, times: 2}, {joint: j2, times: 1}], equals: 0.1}\n"                \
  "initial: {j1: {velocity: 2 rad/s}}\n"

static void gears_in_a_linkage(void** state) {
  (void)state;
  check(&(world){.text = GEARED
                 "motors: {push: {joint: j1, drive: force, keys: [[0, %.17g], [1, 3]]}}\n",
                 .number = 1,
                 .steps = 6,
                 .h = 5e-3,
                 .move = 1e-4,
                 .tolerance = 1e-8});
}

static void gears_in_maximal_coordinates(void** state) {
  (void)state;
  check(&(world){.text = GEARED
                 "solver: {coordinates: maximal}\n"
                 "motors: {push: {joint: j1, drive: force, keys: [[0, %.17g], [1, 3]]}}\n",
                 .number = 1,
                 .steps = 6,
                 .h = 5e-3,
                 .move = 1e-4,
                 .tolerance = 1e-7});
}

// An arm whose end is prescribed along a path, and one whose last body is turned and moved at
// rates, on a cart that a motor prescribes.
#define LED                                                                                        \
  "limber: 1\n"                                                                                    \
  "bodies:\n"                                                                                      \
  "  cart: {shape: {box: [0.2, 0.2, 0.1]}, mass: 3}\n"                                             \
  "  upper: {shape: {box: [0.5, 0.05, 0.05], position: [0.25, 0, 0]}, mass: 1}\n"                  \
  "  lower: {shape: {box: [0.5, 0.05, 0.05], position: [0.25, 0, 0]}, mass: 1}\n"                  \
  "  ball: {shape: {sphere: {radius: 0.1}, position: [0.01, 0.02, 0]}, mass: 1,\n"                 \
  "         position: [0, 0, 1]}\n"                                                                \
  "  top: {shape: {box: [0.3, 0.2, 0.1]}, mass: 1.5, position: [1, 1, 1]}\n"                       \
  "joints:\n"                                                                                      \
  "  rail: {type: prismatic, child: cart, axis: x}\n"                                              \
  "  shoulder: {type: spherical, parent: cart, child: upper}\n"                                    \
  "  elbow: {type: revolute, parent: upper, child: lower, at: [0.5, 0, 0], axis: y}\n"             \
  "motors: {lead: {joint: rail, keys: [[0, 0], [1, %.17g]]}}\n"                                    \
  "constraints:\n"                                                                                 \
  "  hand: {follow: {body: lower, at: [0.5, 0, 0],\n"                                              \
  "         x: {keys: [[0, 0.8], [1, 1]]}, z: {keys: [[0, 0], [0.5, 0.3]]}}}\n"                    \
  "  turn: {follow: {body: top, at: [0.1, 0, 0], x: {rates: [[0, 0.3], [1, 1]], ease: linear},\n"  \
  "         turn: {about: [0.3, 0.1, 1], keys: [[0, 0], [1, 2]]}}}\n"                              \
  "  spin: {follow: {body: ball, at: [0, 0.05, 0], y: {rates: [[0, 0.3]]},\n"                      \
  "         turn: {about: [1, 0.1, 1], rates: [[0, 3], [1, 2]], ease: linear}}}\n"                 \
  "initial: {shoulder: {spin: [1, 0.5, 0.3]}, elbow: {position: 0.9}}\n"

static void points_and_frames_that_are_prescribed_along_paths_and_at_rates(void** state) {
  (void)state;
  check(
      &(world){.text = LED, .number = 0.3, .steps = 6, .h = 5e-3, .move = 1e-4, .tolerance = 1e-8});
}

static void the_same_in_maximal_coordinates(void** state) {
  (void)state;
  check(&(world){.text = LED "solver: {coordinates: maximal}\n",
                 .number = 0.3,
                 .steps = 6,
                 .h = 5e-3,
                 .move = 1e-4,
                 .tolerance = 1e-7});
}

// A ball whose rotation a motor prescribes, on an arm that swings, with a tail that hangs on it.
#define TURNED                                                                                     \
  "limber: 1\n"                                                                                    \
  "bodies:\n"                                                                                      \
  "  arm: {shape: {box: [0.5, 0.05, 0.05], position: [0.25, 0, 0]}, mass: 1}\n"                    \
  "  ball: {shape: {box: [0.3, 0.05, 0.1], position: [0.15, 0, 0]}, mass: 1}\n"                    \
  "  tail: {shape: {box: [0.3, 0.05, 0.1], position: [0.15, 0, 0]}, mass: 1}\n"                    \
  "joints:\n"                                                                                      \
  "  shoulder: {type: universal, child: arm, axis: y, second_axis: z}\n"                           \
  "  socket: {type: spherical, parent: arm, child: ball, damping: 0.1,\n"                          \
  "           at: {position: [0.5, 0, 0], rotation: [0.1, 0.2, 0.3]}}\n"                           \
  "  tip: {type: spherical, parent: ball, child: tail, at: [0.3, 0, 0]}\n"                         \
  "motors:\n"                                                                                      \
  "  push: {joint: shoulder, drive: force, keys: [[0, %.17g], [1, 3]]}\n"                          \
  "  turn: {joint: socket, keys: [[-0.05, [0, 0, 0]], [0.1, [1, 0.5, -0.3]]]}\n"                   \
  "initial: {shoulder: {velocity: [1, 2]}, tip: {spin: [1, 0.5, 0.3]}}\n"

static void rotations_that_are_prescribed(void** state) {
  (void)state;
  check(&(world){
      .text = TURNED, .number = 2, .steps = 6, .h = 5e-3, .move = 1e-4, .tolerance = 1e-8});
  check(&(world){.text = TURNED "solver: {coordinates: maximal}\n",
                 .number = 2,
                 .steps = 4,
                 .h = 5e-3,
                 .move = 1e-4,
                 .tolerance = 1e-7});
}

// An arm that a motor prescribes, with deformables around its elbow, a rope along it, and one that
// floats.
#define FABRIC                                                                                     \
  "limber: 1\n"                                                                                    \
  "materials: {gel: {density: 500, young: 3e4, model: corotated,\n"                                \
  "  damping: {mass: 0.3, stiffness: 1 ms}}}\n"                                                    \
  "bodies:\n"                                                                                      \
  "  arm: {shape: {box: [0.4, 0.06, 0.06], position: [0.2, 0, 0]}, mass: 1}\n"                     \
  "  hand: {shape: {box: [0.3, 0.06, 0.06], position: [0.15, 0, 0]}, mass: 0.5}\n"                 \
  "  tip: {shape: {sphere: {radius: 0.05}}, mass: 0.1}\n"                                          \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: arm, axis: y}\n"                                            \
  "  elbow: {type: revolute, parent: arm, at: [0.4, 0, 0], child: hand, axis: z}\n"                \
  "  wrist: {type: spherical, parent: hand, at: [0.3, 0, 0], child: tip}\n"                        \
  "motors:\n"                                                                                      \
  "  lead: {joint: shoulder, keys: [[0 s, 0 deg], [0.1 s, %.17g rad]]}\n"                          \
  "ropes:\n"                                                                                       \
  "  string: {through: [{at: [0.5, 0.3, 0.4]}, {body: arm, at: [0.3, 0, 0.03]},\n"                 \
  "    {body: hand, at: [0.2, 0, 0.03]}, {body: tip, at: [0, 0, 0.03]}], segments: 6,\n"           \
  "    mass: 0.2, stiffness: 100 N, damping: 1 ms, slack: 0.97, drag: 0.2}\n"                      \
  "  loose: {through: [{body: tip, at: [0, 0, -0.03]}, {free: true, at: [0.9, 0.1, 0]}],\n"        \
  "    segments: 3, mass: 0.1, stiffness: 50 N, damping: 1 ms, pushes: true}\n"                    \
  "deformables:\n"                                                                                 \
  "  flesh:\n"                                                                                     \
  "    form: {box: {from: [0.2, 0, 0], to: [0.6, 0, 0], width: 0.1, height: 0.1},\n"               \
  "      elements: {along: 4, across: 2, around: 2}, material: gel}\n"                             \
  "    attach: [arm, hand]\n"

static void ropes_and_deformable(void** state) {
  (void)state;
  check(&(world){
      .text = FABRIC, .number = 0.2, .steps = 5, .h = 5e-4, .move = 1e-5, .tolerance = 1e-7});
}

static void ropes_and_deformable_in_maximal_coordinates(void** state) {
  (void)state;
  check(&(world){.text = FABRIC "solver: {coordinates: maximal}\n",
                 .number = 0.2,
                 .steps = 5,
                 .h = 5e-4,
                 .move = 1e-5,
                 .tolerance = 1e-7});
}

// --- stops and floors ---

static void check_stop(const char* text, double number, int steps, double h, double turned) {
  check(&(world){.text = text,
                 .number = number,
                 .steps = steps,
                 .h = h,
                 .move = 1e-6,
                 .tolerance = 1e-6,
                 .stops = true,
                 .turned = turned});
}

static void an_arm_that_hits_its_stop(void** state) {
  (void)state;
  check_stop(ARM("reduced"), 0.5, 12, 2e-3, 1);
  check_stop(ARM("maximal"), 0.5, 12, 2e-3, 1);
}

static void a_box_that_lands_on_four_corners(void** state) {
  (void)state;
  check_stop(BOX("[0, 0, 0.103]", "[1, 0.5, -1]", "{axis: z, angle: 20 deg}"), 0, 8, 2e-3, 0);
  check_stop(BOX("[0, 0, 0.11]", "[1, 0.5, -1]", "{axis: y, angle: 2 deg}"), 0, 20, 2e-3, 0);
}

static void a_stick_that_falls_on_its_ends(void** state) {
  (void)state;
  check_stop(STICK, 0, 30, 1e-3, 1);
}

static void what_lifts_off_and_what_comes_back(void** state) {
  (void)state;
  check(&(world){.text = LIFTED,
                 .number = 1,
                 .steps = 30,
                 .h = 2e-3,
                 .move = 1e-4,
                 .tolerance = 1e-6,
                 .stops = true,
                 .still = true});
}

static void a_linkage_with_a_stop(void** state) {
  (void)state;
  check_stop(LINKAGE, 0.2, 14, 2e-3, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_four_bar_with_redundant_constraints),
      cmocka_unit_test(a_four_bar_whose_closing_joint_is_driven),
      cmocka_unit_test(a_four_bar_in_maximal_coordinates),
      cmocka_unit_test(gears_in_a_linkage),
      cmocka_unit_test(gears_in_maximal_coordinates),
      cmocka_unit_test(points_and_frames_that_are_prescribed_along_paths_and_at_rates),
      cmocka_unit_test(the_same_in_maximal_coordinates),
      cmocka_unit_test(rotations_that_are_prescribed),
      cmocka_unit_test(ropes_and_deformable),
      cmocka_unit_test(ropes_and_deformable_in_maximal_coordinates),
      cmocka_unit_test(an_arm_that_hits_its_stop),
      cmocka_unit_test(a_box_that_lands_on_four_corners),
      cmocka_unit_test(a_stick_that_falls_on_its_ends),
      cmocka_unit_test(what_lifts_off_and_what_comes_back),
      cmocka_unit_test(a_linkage_with_a_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
