// Worlds that tests of the C interface share.
#pragma once
#include "limber/limber.h"
#include "test.h"

// A world from text in which "%s" stands for an integrator, or none.
static inline lb_world* open_world(const char* format, lb_integrator integrator) {
  char text[4000];
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, format, lb_integrator_name(integrator));
  lb_world* w = lb_world_parse(text, "test.yaml", &err);
  if (!w) {
    fail_msg("%s", err.count ? err.message[0].text : "?");
  }
  return w;
}

static inline void must_step(lb_world* w, double h) {
  if (lb_world_step(w, h) != LB_OK) {
    lb_error err = lb_error_make(NULL);
    lb_world_check(w, &err);
    fail_msg("%s at %g s: %s", lb_integrator_name(lb_world_model(w)->solver.integrator),
             lb_world_time(w), err.message[0].text);
  }
}

static inline void assert_same_state(lb_world* a, lb_world* b) {
  const lb_data *x = lb_world_data(a), *y = lb_world_data(b);
  const lb_model* m = x->model;
  for (int i = 0; i < m->nq; i++) {
    if (memcmp(&x->q[i], &y->q[i], sizeof *x->q) != 0) {
      fail_msg("%s: q[%d] is %.17g and %.17g at %g s", lb_integrator_name(m->solver.integrator), i,
               x->q[i], y->q[i], x->time);
    }
  }
  assert_memory_equal(x->qd, y->qd, (size_t)m->nv * sizeof *x->qd);
  assert_true(x->time == y->time);
}

// A four-bar linkage that a torque drives, an arm on a prescribed hinge that carries another, and a
// ball joint.
#define LINKAGE(motor, load)                                                                       \
  "solver: {integrator: %s, step: 1 ms}\n"                                                         \
  "bodies:\n"                                                                                      \
  "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.1]}}}\n"                \
  "  coupler: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0.2]}}}\n"            \
  "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.3]}}}\n"               \
  "  arm: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.2, 0, 0]}}}\n"                  \
  "  hand: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, -0.2]}}}\n"                \
  "  bob: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0.1, -0.2]}}}\n"               \
  "joints:\n"                                                                                      \
  "  shaft: {type: revolute, child: crank, axis: y}\n"                                             \
  "  pin: {type: revolute, parent: crank, child: coupler, at: [0, 0, 0.1], axis: y}\n"             \
  "  pivot: {type: revolute, child: rocker, at: [0.4, 0, 0], axis: y}\n"                           \
  "  closing: {type: revolute, loop: true, parent: rocker, child: coupler, at: [0, 0, 0.3],\n"     \
  "            in_child: [0.4, 0, 0.2], axis: y}\n"                                                \
  "  shoulder: {type: revolute, child: arm, at: [0, 1, 0], axis: y}\n"                             \
  "  elbow: {type: revolute, parent: arm, child: hand, at: [0.2, 0, 0], axis: y}\n"                \
  "  ball: {type: spherical, child: bob, at: [0, 2, 0]}\n"                                         \
  "motors:\n"                                                                                      \
  "  crank: {joint: shaft, drive: force, " motor "}\n"                                             \
  "  arm: {joint: shoulder, keys: [[0, 0 deg], [1 s, 40 deg]]}\n"                                  \
  "initial: {ball: {spin: [1, 0.5, 2]}}\n"                                                         \
  "markers: {tip: {body: hand, at: [0, 0, -0.2]}}\n" load

// An elastic rod of rubber with a weight at its end.
#define RUBBER                                                                                     \
  "solver: {integrator: %s, step: 0.2 ms}\n"                                                       \
  "materials: {rubber: {density: 1100, young: 5 MPa, poisson: 0.4, damping: {mass: 1}}}\n"         \
  "bodies:\n"                                                                                      \
  "  hub: {shape: {sphere: {radius: 2 cm}}}\n"                                                     \
  "  rod: {elastic: {rod: {radius: 1 cm, to: [20 cm, 0, 0]}, material: rubber,\n"                  \
  "    elements: {along: 6, across: 1}, basis: {modes: 2, derivatives: 2}}}\n"                     \
  "  bob: {shape: {sphere: {radius: 1 cm}}, mass: 50 g}\n"                                         \
  "joints:\n"                                                                                      \
  "  turn: {type: revolute, child: hub, axis: z}\n"                                                \
  "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"                                 \
  "  hook: {type: revolute, parent: rod, face: end, child: bob, axis: y}\n"                        \
  "motors: {turn: {joint: turn, keys: [[0, 0 deg], [0.5 s, 30 deg]]}}\n"                           \
  "markers: {end: {body: rod, at: [20 cm, 0, 0]}}\n"
