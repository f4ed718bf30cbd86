// Derivatives of linearly implicit steps with contacts: of single steps and of runs, against
// central differences of the same run, and forward against transposed.
#include <math.h>
#include <string.h>

#include "contact_kinds.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "limber/limber.h"
#include "math/space/se3.h"
#include "solve/step/stepper.h"
#include "test.h"

enum { MOST_V = 160, MOST_ROWS = 400, MOST_STEPS = 1200 };

typedef struct moment {
  double q[MOST_V], v[MOST_V];
  bool active[MOST_ROWS], redundant[MOST_ROWS];
} moment;

typedef struct world {
  lb_scene scene;
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  lb_step_derivative* S;
  double h;
  moment* at; // [steps + 1]
  contact_kinds kinds;
} world;

static void must(lb_status status, const lb_error* err) {
  for (int i = 0; i < err->count && status != LB_OK; i++) {
    print_error("%s\n", err->message[i].text);
  }
  assert_int_equal(status, LB_OK);
}

static void ignore(void* context, const lb_data* d, const lb_step_past* past) {
  (void)context, (void)d, (void)past;
}

static void prepare(world* w) {
  lb_error err = lb_error_make(NULL);
  must(lb_model_create(&w->scene, NULL, &w->m, &err), &err);
  must(lb_data_create(w->m, NULL, &w->d, &err), &err);
  must(lb_stepper_create(w->m, NULL, NULL, &w->st, &err), &err);
  must(lb_step_derivative_create_for(w->m, w->m->solver.integrator, NULL, &w->S, &err), &err);
  must(lb_assemble(w->m, w->d, &err), &err);
  lb_stepper_watch(w->st, ignore, NULL);
  w->h = w->m->solver.step;
  w->at = test_calloc(MOST_STEPS + 1, sizeof *w->at);
  assert_at_most(w->m->nq, MOST_V);
  assert_at_most(lb_constraints_most(w->m), MOST_ROWS);
  memcpy(w->at[0].q, w->d->q, (size_t)w->m->nq * sizeof(double));
  memcpy(w->at[0].v, w->d->qd, (size_t)w->m->nv * sizeof(double));
}

static void open_world(world* w, const char* text) {
  lb_error err = lb_error_make(NULL);
  memset(w, 0, sizeof *w);
  must(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &w->scene, &err), &err);
  prepare(w);
}

static void open_file(world* w, const char* path) {
  lb_error err = lb_error_make(NULL);
  memset(w, 0, sizeof *w);
  must(lb_scene_read(path, NULL, &w->scene, &err), &err);
  prepare(w);
}

static void close_world(world* w) {
  test_free(w->at);
  lb_step_derivative_release(w->S);
  lb_stepper_release(w->st);
  lb_data_release(w->d);
  lb_model_release(w->m);
  lb_scene_release(&w->scene);
}

static void keep(const world* w, moment* s) {
  const int rows = lb_constraints_most(w->m);
  memcpy(s->q, w->d->q, (size_t)w->m->nq * sizeof(double));
  memcpy(s->v, w->d->qd, (size_t)w->m->nv * sizeof(double));
  if (rows > 0 && lb_constraints_active(w->d)) {
    memcpy(s->active, lb_constraints_active(w->d), (size_t)rows);
    memcpy(s->redundant, lb_constraints_redundant(w->d), (size_t)rows);
  }
}

// A run of n steps from the first state.
static void run(world* w, int n) {
  lb_error err = lb_error_make(NULL);
  w->kinds = (contact_kinds){0};
  memcpy(w->d->q, w->at[0].q, (size_t)w->m->nq * sizeof(double));
  memcpy(w->d->qd, w->at[0].v, (size_t)w->m->nv * sizeof(double));
  w->d->time = 0;
  lb_constraints_forget_redundant(w->d);
  lb_kinematics(w->m, w->d, w->d->q, w->d->qd);
  lb_constraints_find_redundant(w->m, w->d);
  keep(w, &w->at[0]);
  for (int i = 1; i <= n; i++) {
    must(lb_stepper_step(w->st, w->d, w->h, &err), &err);
    w->d->time = i * w->h;
    keep(w, &w->at[i]);
    count_contacts(&w->kinds, w->d->work->contacts);
  }
}

static lb_step_past past_of(const world* w, int i) {
  return (lb_step_past){.dt = w->h,
                        .count = 1,
                        .weight = {1},
                        .q = {w->at[i - 1].q},
                        .v = {w->at[i - 1].v},
                        .from = (i - 1) * w->h,
                        .active = {w->at[i - 1].active, w->at[i].active},
                        .redundant = lb_constraints_most(w->m) > 0 ? w->at[i].redundant : NULL};
}

static void take(world* w, int i) {
  const lb_step_past past = past_of(w, i);
  memcpy(w->d->q, w->at[i].q, (size_t)w->m->nq * sizeof(double));
  memcpy(w->d->qd, w->at[i].v, (size_t)w->m->nv * sizeof(double));
  w->d->time = i * w->h;
  assert_true(lb_step_differentiate(w->S, w->d, &past));
  // it is the same step
  for (int k = 0; k < w->m->nv; k++) {
    assert_within(w->d->qd[k], w->at[i].v[k], 1e-9 * (1 + fabs(w->at[i].v[k])));
  }
}

// The change of coordinates from a to b, along velocities.
static void subtract(const lb_model* m, const double* a, const double* b, double* out) {
  for (int i = 0; i < m->nlink; i++) {
    const int q = m->link.q[i], v = m->link.v[i], kind = m->link.kind[i];
    const int turn = kind == LB_JOINT_FREE ? 3 : 0;
    if (kind != LB_JOINT_FREE && kind != LB_JOINT_SPHERICAL) {
      for (int k = 0; k < m->link.nv[i]; k++) {
        out[v + k] = b[q + k] - a[q + k];
      }
      continue;
    }
    const double *x = a + q + turn, *y = b + q + turn;
    const lb_quat r = {x[0], x[1], x[2], x[3]}, s = {y[0], y[1], y[2], y[3]};
    const lb_vec3 t = lb_quat_log(lb_quat_mul(lb_quat_conjugate(r), s));
    out[v] = t.x, out[v + 1] = t.y, out[v + 2] = t.z;
    if (turn) {
      const lb_vec3 p = {b[q] - a[q], b[q + 1] - a[q + 1], b[q + 2] - a[q + 2]};
      const lb_vec3 l = lb_quat_rotate(lb_quat_conjugate(r), p);
      out[v + 3] = l.x, out[v + 4] = l.y, out[v + 5] = l.z;
    }
  }
}

typedef struct direction {
  double q[MOST_V], v[MOST_V];
} direction;

// Velocities and places that constraints allow are what states differ by.
static void random_direction(world* w, lb_random* r, direction* x) {
  for (int k = 0; k < w->m->nv; k++) {
    x->q[k] = w->m->dof.driven[k] ? 0 : lb_random_between(r, -1, 1);
    x->v[k] = w->m->dof.driven[k] ? 0 : lb_random_between(r, -1, 1);
  }
}

// The end of n steps from a state that is e along a direction.
static unsigned long run_from(world* w, const moment* start, int n, const direction* x, double e,
                              moment* out) {
  w->at[0] = *start;
  lb_advance(w->m, w->at[0].q, x->q, e);
  for (int k = 0; k < w->m->nv; k++) {
    w->at[0].v[k] += e * x->v[k];
  }
  run(w, n);
  *out = w->at[n];
  return w->kinds.sets;
}

static double largest(int n, const double* x) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

static void pass(world* w, int n, const direction* x, direction* out) {
  double motor[6 * MOST_V] = {0}, a[MOST_V], lambda[MOST_ROWS];
  direction now = *x;
  for (int i = 1; i <= n; i++) {
    take(w, i);
    lb_step_causes in = {.q = {now.q}, .v = {now.v}, .motor = motor};
    lb_step_forward(w->S, &(lb_step_effects){.q = out->q, .v = out->v, .a = a, .lambda = lambda},
                    &in, NULL);
    now = *out;
  }
  *out = now;
}

static void go_back(world* w, int n, const direction* y, direction* out) {
  double motor[6 * MOST_V] = {0}, a[MOST_V] = {0}, lambda[MOST_ROWS] = {0};
  direction now = *y;
  for (int i = n; i > 0; i--) {
    memset(out, 0, sizeof *out);
    take(w, i);
    lb_step_causes to = {.q = {out->q}, .v = {out->v}, .motor = motor};
    lb_step_back(w->S, &to, &(lb_step_effects){.q = now.q, .v = now.v, .a = a, .lambda = lambda});
    now = *out;
  }
  *out = now;
}

static double dot(int n, const direction* x, const direction* y) {
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += x->q[k] * y->q[k] + x->v[k] * y->v[k];
  }
  return sum;
}

// The ends of n steps on both sides of the first state, as far away as no contact changes.
static double differ(world* w, int n, const direction* x, moment end[5]) {
  const moment start = w->at[0];
  double e = 1e-6;
  bool same = false;
  for (; e > 1e-9 && !same; e = same ? e : e / 2) {
    unsigned long sets[5];
    same = true;
    for (int k = 0; k < 5; k++) {
      sets[k] = run_from(w, &start, n, x, (k - 2) * e, &end[k]);
    }
    for (int k = 0; k < 5; k++) {
      same = same && sets[k] == sets[2];
    }
  }
  assert_true(same);
  const direction none = {0};
  run_from(w, &start, n, &none, 0, &end[2]);
  return e;
}

// Differences of fourth order.
static double find_difference(world* w, int n, const direction* x, direction* out) {
  static const double W[5] = {1. / 12, -8. / 12, 0, 8. / 12, -1. / 12};
  moment end[5];
  const double e = differ(w, n, x, end);
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 5; i++) {
    double off[MOST_V] = {0};
    subtract(w->m, end[2].q, end[i].q, off);
    for (int k = 0; k < w->m->nv; k++) {
      out->q[k] += W[i] * off[k] / e;
      out->v[k] += W[i] * end[i].v[k] / e;
    }
  }
  return e;
}

// Both products of n steps from the first state, along random directions.
static void check_steps(world* w, int n, double tolerance) {
  const int nv = w->m->nv;
  lb_random random = {7};
  direction x, y, forward, back, difference;
  random_direction(w, &random, &x);
  random_direction(w, &random, &y);
  const double e = find_difference(w, n, &x, &difference);
  pass(w, n, &x, &forward);
  go_back(w, n, &y, &back);
  // directions are as long as one
  const double q = fmax(1, largest(nv, difference.q)), v = fmax(1, largest(nv, difference.v));
  double off_q = 0, off_v = 0;
  for (int k = 0; k < nv; k++) {
    off_q = fmax(off_q, fabs(forward.q[k] - difference.q[k]));
    off_v = fmax(off_v, fabs(forward.v[k] - difference.v[k]));
  }
  const double one = dot(nv, &forward, &y), two = dot(nv, &x, &back);
  print_message("%d steps, %d stick, %d slip, %d open: places off by %.1e of %.2g, velocities by "
                "%.1e of %.2g; transposed by %.1e (differences over %.0e)\n",
                n, w->kinds.sticks, w->kinds.slips, w->kinds.opens, off_q / q, q, off_v / v, v,
                fabs(one - two) / fmax(fabs(one), 1e-300), e);
  assert_at_most(off_q, tolerance * q);
  assert_at_most(off_v, tolerance * v);
  assert_within(one, two, 1e-9 * sqrt(dot(nv, &forward, &forward) * dot(nv, &y, &y)));
}

static void check(const char* text, int n, double tolerance) {
  world w;
  open_world(&w, text);
  check_steps(&w, n, tolerance);
  close_world(&w);
}

#define HEAD                                                                                       \
  "name: x\nduration: 1 s\nsolver: {integrator: linear-euler, step: 1 ms}\n"                       \
  "materials: {m: {density: 1000, friction: 0.5}, ice: {density: 1000, friction: 0.05}}\n"         \
  "scenery: [{box: [40, 40, 1], position: [0, 0, -0.5], solid: true, material: m}]\n"

// --- one body ---

#define BALL(r, z) "shape: {sphere: {radius: " #r "}}, material: m, position: [0, 0, " #z "]"

static void a_flight(void** state) {
  (void)state;
  check(HEAD "contacts: {}\nbodies: {b: {shape: {box: [10 cm, 20 cm, 30 cm]}, material: m, "
             "position: [0, 0, 1]}}\ninitial: {b: {velocity: [1, 2, 3], spin: [1, 2, -3]}}\n",
        50, 1e-8);
}

static void a_ball_that_lands_slides_and_rolls(void** state) {
  (void)state;
  static const char SLIDES[] = "initial: {b: {velocity: [2, 1, -0.1], spin: [1, 2, 3]}}\n";
  char text[2000];
  snprintf(text, sizeof text,
           HEAD "contacts: {law: compliant}\nbodies: {b: {" BALL(10 cm, 0.101) "}}\n%s", SLIDES);
  check(text, 200, 1e-6);
  snprintf(text, sizeof text, HEAD "contacts: {}\nbodies: {b: {" BALL(10 cm, 0.101) "}}\n%s",
           SLIDES);
  check(text, 200, 1e-6);
  // friction 0.5 has it roll after 2/7 v/(mu g) = 0.12 s
  check(HEAD "contacts: {}\nbodies: {b: {" BALL(10 cm,
                                                0.101) "}}\ninitial: {b: {velocity: [2, 1, 0]}}\n",
        200, 1e-6);
}

static void a_ball_that_bounces(void** state) {
  (void)state;
  check("name: x\nduration: 1 s\nsolver: {integrator: linear-euler, step: 1 ms}\nmaterials: {m: "
        "{density: 1000, friction: 0.3, restitution: 0.6, rolling: 1 mm, spinning: 2 "
        "mm}}\nscenery: [{box: [40, 40, 1], "
        "position: [0, 0, -0.5], solid: true, material: m}]\ncontacts: {}\nbodies: {b: {" BALL(
            10 cm, 0.12) "}}\n"
                         "initial: {b: {velocity: [1, 0.5, -1], spin: [3, 2, 1]}}\n",
        300, 1e-6);
}

static void a_box_that_lands_on_a_corner(void** state) {
  (void)state;
  check(HEAD "contacts: {}\nbodies: {b: {shape: {box: [10 cm, 20 cm, 30 cm]}, material: m, "
             "position: [0, 0, 0.2], rotation: [20, 10, 30]}}\ninitial: {b: {velocity: [1, 0, -1], "
             "spin: [1, 2, -3]}}\n",
        100, 1e-6);
}

// --- ten contacts at once ---

// A box that slides on four corners with a ball on it, balls that roll, slide and land, a rod that
// slides on two points, a box that lands on a corner.
static void ten_contacts_that_stick_slip_and_land(void** state) {
  (void)state;
  static const char TEXT[] = HEAD
      "contacts: {law: compliant, stiffness: 1e6 N/m, damping: 2e3 N s/m}\nbodies:\n"
      "  box: {shape: {box: [30 cm, 20 cm, 10 cm]}, material: ice, position: [0, 0, 0.04998]}\n"
      "  rolls: {shape: {sphere: {radius: 10 cm}}, material: m, position: [1, 0, 0.09999]}\n"
      "  slides: {shape: {sphere: {radius: 10 cm}}, material: ice, position: [2, 0, 0.09999]}\n"
      "  lands: {shape: {sphere: {radius: 10 cm}}, material: m, position: [3, 0, 0.102]}\n"
      "  top: {shape: {sphere: {radius: 5 cm}}, material: m, position: [0.03, 0.02, 0.14996]}\n"
      "  rod: {shape: {capsule: {radius: 3 cm, length: 20 cm}}, material: ice, position: [0, 1, "
      "0.02999], rotation: [0, 90 deg, 20 deg]}\n"
      "  tilted: {shape: {box: [10 cm, 10 cm, 10 cm]}, material: m, position: [0, 2, 0.09], "
      "rotation: [30 deg, 20 deg, 0]}\n"
      "initial:\n  box: {velocity: [0.2, 0.1, 0], spin: [0, 0, 0.3]}\n  top: {velocity: [0.2, 0.1, "
      "0]}\n  rolls: {velocity: [1, 0, 0], spin: [0, 10, 0]}\n  slides: {velocity: [1, 0.5, 0]}\n"
      "  lands: {velocity: [0.5, 0, -0.5]}\n  rod: {velocity: [0.3, 0.2, 0], spin: [0.1, 0, 1]}\n"
      "  tilted: {velocity: [0.2, 0.1, -0.2]}\n";
  check(TEXT, 1, 1e-6);
  check(TEXT, 20, 1e-6);
  check(TEXT, 200, 1e-6);
}

// The same things, rigid. What lies is tilted a little at first: feet that land together are at a
// switch, since one that is left above the floor is brought down and one that is below is not.
static void ten_rigid_contacts_that_stick_slip_and_land(void** state) {
  (void)state;
  static const char TEXT[] = HEAD
      "contacts: {}\nbodies:\n"
      "  slab: {mass: 3, inertia: [0.02, 0.04, 0.05], center: [0, 0, 0], material: ice, position: "
      "[0, 0, 0.0112], rotation: [0.2 deg, 0.3 deg, 0], shapes: [{sphere: {radius: 1 cm}, "
      "position: [15 cm, 0, 0]}, {sphere: {radius: 1 cm}, position: [-10 cm, 12 cm, 0]}, {sphere: "
      "{radius: 1 cm}, position: [-10 cm, -12 cm, 0]}, {box: [30 cm, 24 cm, 2 cm], position: [0, "
      "0, 3 cm]}]}\n"
      "  top: {shape: {sphere: {radius: 5 cm}}, material: m, position: [0.03, 0.02, 0.1025]}\n"
      "  rolls: {shape: {sphere: {radius: 10 cm}}, material: m, position: [1, 0, 0.10012]}\n"
      "  slides: {shape: {sphere: {radius: 10 cm}}, material: ice, position: [2, 0, 0.10012]}\n"
      "  lands: {shape: {sphere: {radius: 10 cm}}, material: m, position: [3, 0, 0.102]}\n"
      "  rod: {shape: {capsule: {radius: 3 cm, length: 20 cm}}, material: ice, position: [0, 1, "
      "0.0312], rotation: [0, 90.5 deg, 20 deg]}\n"
      "  tilted: {shape: {box: [10 cm, 10 cm, 10 cm]}, material: m, position: [0, 2, 0.09], "
      "rotation: [30 deg, 20 deg, 0]}\n"
      "initial:\n  slab: {velocity: [0.2, 0.1, 0], spin: [0, 0, 0.3]}\n  top: {velocity: [0.2, "
      "0.1, "
      "0]}\n  rolls: {velocity: [1, 0, 0], spin: [0, 10, 0]}\n  slides: {velocity: [1, 0.5, 0]}\n"
      "  lands: {velocity: [0.5, 0, -0.5]}\n  rod: {velocity: [0.3, 0.2, 0], spin: [0, 0, 1]}\n"
      "  tilted: {velocity: [0.2, 0.1, -0.2]}\n";
  check(TEXT, 20, 1e-6);
  check(TEXT, 50, 1e-6);
  check(TEXT, 120, 1e-6);
}

// What sticks at several points has exact gradients where friction yields: points of a body that
// lies flat are as high as each other, and stick in another way as soon as they are not.
static void a_box_that_stands(void** state) {
  (void)state;
  check(
      HEAD
      "contacts: {law: compliant, friction: viscous}\nbodies: {b: {shape: {box: [30 cm, 20 cm, 10 "
      "cm]}, material: m, position: [0, 0, 0.0499]}}\n",
      50, 1e-6);
}

// --- mechanisms ---

#define LEGS                                                                                       \
  "bodies:\n"                                                                                      \
  "  trunk: {shape: {box: [30 cm, 20 cm, 6 cm]}, material: m}\n"                                   \
  "  left: {shape: {capsule: {radius: 2 cm, length: 30 cm}}, material: m}\n"                       \
  "  right: {shape: {capsule: {radius: 2 cm, length: 30 cm}}, material: m}\n"                      \
  "joints:\n"                                                                                      \
  "  hip: {type: revolute, axis: y, parent: trunk, child: left, at: [10 cm, 12 cm, 0], "           \
  "in_child: [0, 0, 15 cm]}\n"                                                                     \
  "  knee: {type: spherical, parent: trunk, child: right, at: [-10 cm, -12 cm, 0], "               \
  "in_child: [0, 0, 15 cm]}\n"                                                                     \
  "  free: {type: free, child: trunk}\n"

// Feet that are not too stiff: rounding of gaps over h is what differences cannot do without.
static void legs_of_a_tree(void** state) {
  (void)state;
  check(HEAD "contacts: {law: compliant, stiffness: 1e6 N/m, damping: 2e3 N s/m}\n" LEGS
             "initial: {free: {position: [0, 0, 0.3199], velocity: [0.3, 0.2, -0.1], spin: [0.1, "
             "0.2, 0.3]}, hip: {position: 10 deg, velocity: 1 rad/s}}\n",
        1, 1e-6);
  check(HEAD "contacts: {law: compliant, stiffness: 1e6 N/m, damping: 2e3 N s/m}\n" LEGS
             "initial: {free: {position: [0, 0, 0.3199], velocity: [0.3, 0.2, -0.1], spin: [0.1, "
             "0.2, 0.3]}, hip: {position: 10 deg, velocity: 1 rad/s}}\n",
        100, 1e-6);
}

static void legs_with_motors(void** state) {
  (void)state;
  check(HEAD "contacts: {law: compliant, stiffness: 1e6 N/m, damping: 2e3 N s/m}\n" LEGS
             "motors: {m: {joint: hip, keys: [[0, 10 deg], [0.1, 20 deg], [0.2, 5 deg]]}}\n"
             "initial: {free: {position: [0, 0, 0.3199], velocity: [0.3, 0.2, -0.1], spin: [0.1, "
             "0.2, 0.3]}}\n",
        100, 1e-6);
}

// --- pairs of things ---

#define BOTH(shape_a, z, shape_b)                                                                  \
  HEAD "contacts: {law: compliant}\nbodies:\n  a: {shape: {" shape_a "}, material: m, position: "  \
       "[0, 0, 1]}\n  b: {shape: {" shape_b "}, material: m, position: [0.06, 0.05, " z            \
       "], rotation: [10 deg, 20 deg, 0]}\ninitial: {a: {velocity: [0.2, 0.1, 0.5], spin: [0.2, "  \
       "0.1, 0.3]}}\n"

static void both_bodies_move(void** state) {
  (void)state;
  check(BOTH("sphere: {radius: 10 cm}", "1.183", "sphere: {radius: 10 cm}"), 20, 1e-6);
  check(BOTH("box: [30 cm, 20 cm, 10 cm]", "1.1499", "sphere: {radius: 10 cm}"), 20, 1e-6);
  check(BOTH("box: [30 cm, 20 cm, 10 cm]", "1.114", "box: [10 cm, 10 cm, 10 cm]"), 20, 1e-6);
  check(BOTH("capsule: {radius: 5 cm, length: 30 cm}", "1.22",
             "capsule: {radius: 5 cm, length: 10 cm}"),
        20, 1e-6);
}

// A floor beside the contacts, and a belt that carries.
static void constraints_and_belts(void** state) {
  (void)state;
  check("name: x\nduration: 1 s\nsolver: {integrator: linear-euler, step: 1 ms}\n"
        "materials: {m: {density: 1000, friction: 0.5}}\n"
        "scenery: [{box: [40, 40, 1], position: [0, 0, -0.5], solid: true, material: m, belt: "
        "[0.5, 0.2, 0]}]\n"
        "contacts: {law: compliant}\nbodies: {b: {shape: {sphere: {radius: 10 cm}}, material: m, "
        "position: [0, 0, 0.0999]},"
        " c: {shape: {box: [20 cm, 10 cm, 10 cm]}, material: m, position: [1, 0, 0.3], rotation: "
        "[10 deg, 20 deg, 0]}}\n"
        "constraints: {stop: {floor: {body: c, points: [{at: [10 cm, 5 cm, -5 cm]}], height: 20 "
        "cm}}}\n",
        100, 1e-6);
}

// --- walkers ---

// Four legs of bars with loops and motors: steps, and the projection after them.
static void a_walker_of_loops(void** state) {
  (void)state;
  world w;
  open_file(&w, LIMBER_SOURCE_DIR "/scenes/dog.yaml");
  check_steps(&w, 1, 1e-6);
  check_steps(&w, 200, 1e-6);
  close_world(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flight),
      cmocka_unit_test(a_ball_that_lands_slides_and_rolls),
      cmocka_unit_test(a_ball_that_bounces),
      cmocka_unit_test(a_box_that_lands_on_a_corner),
      cmocka_unit_test(ten_contacts_that_stick_slip_and_land),
      cmocka_unit_test(ten_rigid_contacts_that_stick_slip_and_land),
      cmocka_unit_test(a_box_that_stands),
      cmocka_unit_test(legs_of_a_tree),
      cmocka_unit_test(legs_with_motors),
      cmocka_unit_test(both_bodies_move),
      cmocka_unit_test(constraints_and_belts),
      cmocka_unit_test(a_walker_of_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
