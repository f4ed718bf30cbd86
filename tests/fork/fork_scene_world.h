// Scenes whose mechanisms are simulated by their effectors, and what tests of them share.
#pragma once
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/rnea.h"
#include "fork_world.h"
#include "model/use/link.h"

static inline lb_scene parse(const char* text) {
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "fork.yaml", NULL, &scene, &err) != LB_OK) {
    print_error("%s\n%s\n", err.count ? err.message[0].text : "?", text);
    fail();
  }
  lb_error_clear(&err);
  return scene;
}

static inline lb_model* reduced_model(const lb_scene* scene) {
  lb_model* m = NULL;
  lb_error err = lb_error_make(NULL);
  if (lb_fork_model_create(scene, NULL, &m, &err) != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
  return m;
}

static inline lb_model* make(const char* text) {
  lb_scene scene = parse(text);
  lb_model* m = reduced_model(&scene);
  lb_scene_release(&scene);
  return m;
}

static inline lb_data* state_of(const lb_model* m) {
  lb_data* d = NULL;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  return d;
}

static inline lb_stepper* stepper_of(const lb_model* m) {
  lb_stepper* s = NULL;
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &s, NULL), LB_OK);
  return s;
}

// A chassis that floats, a parallelogram and an arm on it, a wheel on the coupler, a spring from
// the coupler to the chassis, a load, and a servo inside.
#define ROVER_OF(integrator, gravity, drag, more, fork)                                            \
  "gravity: " gravity "\n"                                                                         \
  "duration: 2 s\n"                                                                                \
  "solver: {integrator: " integrator ", step: 1 ms}\n"                                             \
  "bodies:\n"                                                                                      \
  "  chassis: {mass: 5, center: [0.1, 0, 0.05], inertia: [0.3, 0.2, 0.4], position: [0.3, 0.2, "   \
  "1], rotation: {axis: [1, 2, 0.5], angle: 0.4}}\n"                                               \
  "  left: {mass: 0.5, center: [0, 0, -0.15], inertia: [0.01, 0.01, 0.002]}\n"                     \
  "  right: {mass: 0.4, center: [0, 0, -0.15], inertia: [0.01, 0.01, 0.002]}\n"                    \
  "  coupler: {mass: 0.7, center: [0.2, 0.02, 0], inertia: [0.003, 0.02, 0.02], drag: " drag "}\n" \
  "  arm: {mass: 0.3, center: [0.1, 0, 0], inertia: [0.001, 0.004, 0.004]}\n"                      \
  "  tip: {mass: 0.2, center: [0.1, 0, 0.01], inertia: [0.001, 0.002, 0.002]}\n"                   \
  "  wheel: {mass: 0.6, center: [0, 0, 0], inertia: [0.002, 0.004, 0.002]}\n"                      \
  "joints:\n"                                                                                      \
  "  a: {type: revolute, axis: y, parent: chassis, child: left, at: [0, 0, 0], spring: "           \
  "{stiffness: 40}, damping: 0.5}\n"                                                               \
  "  b: {type: revolute, axis: y, parent: chassis, child: right, at: [0.4, 0, 0], spring: "        \
  "{stiffness: 30}, damping: 0.4}\n"                                                               \
  "  c: {type: revolute, axis: y, parent: left, child: coupler, at: [0, 0, -0.3]}\n"               \
  "  d: {type: revolute, axis: y, parent: right, child: coupler, at: [0, 0, -0.3], "               \
  "in_child: [0.4, 0, 0], loop: true}\n"                                                           \
  "  e: {type: universal, axis: y, second_axis: z, parent: chassis, child: arm, at: [-0.1, 0.1, "  \
  "0], "                                                                                           \
  "spring: {stiffness: 20}, damping: 0.2}\n"                                                       \
  "  f: {type: revolute, axis: y, parent: arm, child: tip, at: [0.2, 0, 0], damping: 0.1, "        \
  "armature: 0.01}\n"                                                                              \
  "  axle: {type: revolute, axis: y, parent: coupler, child: wheel, at: [0.2, 0.1, 0]}\n"          \
  "initial: {chassis: {velocity: [0.2, 0.1, 0], spin: [0.3, -0.5, 0.7]}}\n"                        \
  "motors:\n"                                                                                      \
  "  flex: {joint: f, drive: servo, stiffness: 15, damping: 0.2, keys: [[0 s, 0.1], [1 s, 0.2], "  \
  "[2 s, 0]]}\n"                                                                                   \
  "springs:\n"                                                                                     \
  "  strut: {from: {body: chassis, at: [0.2, 0, 0.1]}, to: {body: coupler, at: [0.1, 0, 0]}, "     \
  "stiffness: 200, damping: 3}\n" more                                                             \
  "fork: {legs: {base: chassis, effectors: [coupler, tip]" fork "}}\n"
#define ROVER(integrator, gravity, drag, more) ROVER_OF(integrator, gravity, drag, more, "")

// Two links on the ground, of which the second is the effector.
#define ARM(fork)                                                                                  \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies:\n"                                                                                      \
  "  a: {mass: 1, center: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                             \
  "  b: {mass: 1, center: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                             \
  "joints:\n"                                                                                      \
  "  one: {type: revolute, axis: z, child: a, spring: {stiffness: 9}}\n"                           \
  "  two: {type: revolute, axis: z, parent: a, child: b, at: [0.2, 0, 0], spring: {stiffness: "    \
  "9}}\n"                                                                                          \
  "fork:\n"                                                                                        \
  "  f:\n"                                                                                         \
  "    effectors: [b]\n" fork

static inline void random_state(const lb_model* m, lb_data* d, lb_random* r, double size) {
  memcpy(d->q, m->start.q, (size_t)m->nq * sizeof *d->q);
  for (int i = 0; i < m->nv; i++) {
    d->qd[i] = lb_random_between(r, -size, size);
  }
  lb_advance(m, d->q, d->qd, 1);
  for (int i = 0; i < m->nv; i++) {
    d->qd[i] = lb_random_between(r, -2 * size, 2 * size);
    d->qdd[i] = lb_random_between(r, -5, 5);
  }
}

typedef struct residual_of {
  const lb_model* m;
  lb_data* d;
  const double* qdd;
} residual_of;

static inline void residual(void* context, double* out, const double* q, const double* v) {
  const residual_of* c = context;
  lb_data* d = c->d;
  memcpy(d->q, q, (size_t)c->m->nq * sizeof *q);
  memcpy(d->qd, v, (size_t)c->m->nv * sizeof *v);
  lb_update(c->m, d, LB_ORIGINS | LB_FORCED);
  double tau[64];
  memcpy(tau, d->work->tau, (size_t)c->m->nv * sizeof *tau);
  lb_rnea_forced(c->m, d, out, d->q, d->qd, c->qdd);
  for (int i = 0; i < c->m->nv; i++) {
    out[i] -= tau[i];
  }
}

// --- runs and refusals ---

static inline lb_recording* run(const lb_model* m, int threads) {
  lb_recording* r = NULL;
  lb_summary summary;
  lb_simulate_options o = lb_simulate_default();
  o.threads = threads;
  o.duration = 0.3;
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &o, r, &summary, NULL), LB_OK);
  return r;
}

static inline void assert_refused(const char* text, int line, const char* words) {
  lb_scene scene = parse(text);
  lb_error err = lb_error_make(NULL);
  lb_model* m = NULL;
  const lb_status status = lb_fork_model_create(&scene, NULL, &m, &err);
  if (status == LB_OK || err.count == 0 || !strstr(err.message[0].text, words) ||
      err.message[0].place.line != line) {
    print_error("wanted line %d: %s\ngot line %d: %s\n", line, words,
                err.count ? err.message[0].place.line : -1,
                err.count ? err.message[0].text : "nothing");
    fail();
  }
  assert_string_equal(err.message[0].place.file, "fork.yaml");
  lb_error_clear(&err);
  lb_scene_release(&scene);
}
