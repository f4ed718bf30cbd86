// Optimisations by explicit steps: gradients against differences of whole runs, and the same
// optimum as by implicit ones.
#include "optimizing.h"

static const char* const EXPLICIT[] = {"euler", "rk4", "rk8"};

// Every kind of number, with a spring, a cable, limits, several joints and a free body.
static const char everything[] =
    "duration: 0.06 s\n"
    "solver: {integrator: %s, step: 3 ms}\n"
    "bodies:\n"
    "  base: {shape: {box: [0.4, 0.1, 0.1], position: [0.2, 0, 0]}, mass: 2 kg}\n"
    "  arm: {shape: {box: [0.5, 0.05, 0.08], position: [0.25, 0.01, 0]}, mass: 1 kg}\n"
    "  hand: {shape: {box: [0.2, 0.05, 0.05], position: [0.1, 0, 0.02]}, mass: 0.5 kg}\n"
    "  cart: {shape: {box: [0.2, 0.2, 0.1]}, mass: 1.5 kg}\n"
    "  ball: {shape: {sphere: {radius: 5 cm}, position: [0.01, 0.02, 0]}, mass: 0.3 kg, drag: "
    "0.2,\n"
    "         position: [0.5, 0.3, 0.2], rotation: [20 deg, 30 deg, -40 deg]}\n"
    "joints:\n"
    "  shoulder: {type: revolute, child: base, at: [0, 0, 1], axis: y, damping: 0.1,\n"
    "             spring: {stiffness: 3, rest: 0.2}}\n"
    "  elbow: {type: universal, parent: base, child: arm, at: [0.4, 0, 0], axis: y,\n"
    "          second_axis: z, damping: 0.05}\n"
    "  wrist: {type: spherical, parent: arm, child: hand, at: [0.5, 0, 0], damping: 0.02,\n"
    "          in_child: [-0.02, 0, 0]}\n"
    "  rail: {type: prismatic, child: cart, axis: x, at: [0, 1, 0]}\n"
    "springs:\n"
    "  pull: {from: {body: hand, at: [0.2, 0, 0]}, to: {body: ball, at: [0.02, 0.01, 0.03]},\n"
    "         stiffness: 30, damping: 0.4, length: 0.3}\n"
    "cables:\n"
    "  rope: {through: [{body: base, at: [0.1, 0, 0.1]}, {body: arm, at: [0.2, 0.1, 0]},\n"
    "         {body: cart, at: [0, 0.1, 0]}], stiffness: 12, damping: 0.2, length: 0.8}\n"
    "motors:\n"
    "  swing: {joint: shoulder, drive: force, ease: linear,\n"
    "          keys: [[0, 1], [20 ms, -2], [50 ms, 3]]}\n"
    "  lead: {joint: rail, keys: [[10 ms, 0], [30 ms, 0.02], [50 ms, 0.01]]}\n"
    "initial: {ball: {velocity: [1, 0.2, 0.5], spin: [1, 2, 3]}, shoulder: {position: 0.3},\n"
    "          elbow: {velocity: [0.5, -0.3]}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    throw: {velocity: ball}\n"
    "    spin: {spin: ball}\n"
    "    from: {position: ball}\n"
    "    angle: {position: shoulder}\n"
    "    speed: {velocity: elbow}\n"
    "    swing: {motor: swing}\n"
    "    lead: {motor: lead}\n"
    "    heavy: {mass: hand}\n"
    "    long: {length: arm, along: x}\n"
    "    spring: {stiffness: pull}\n"
    "    damper: {damping: pull}\n"
    "    rest: {rest: rope}\n"
    "    stiff: {stiffness: shoulder}\n"
    "    slow: {damping: elbow}\n"
    "    middle: {rest: shoulder}\n"
    "  goals:\n"
    "    there: {point: hand, at: [0, 0.1, 0], position: [0.3, 0.1, 0.2]}\n"
    "    fast: {point: ball, at: [0, 0.1, 0], velocity: [0.3, 0.1, 0.2], time: [12 ms, 60 ms]}\n"
    "    so: {joint: elbow, position: [0.1, 0.2], time: [20 ms, 60 ms]}\n"
    "    little: {motor: swing, weight: 1e-3}\n";

static void gradients_equal_differences_of_runs(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    char scene[6000];
    problem p;
    snprintf(scene, sizeof scene, everything, EXPLICIT[i]);
    open_problem(&p, scene);
    check_gradient(&p, p.o->start, 1e-3, 1e-6);
    close_problem(&p);
  }
}

static void numbers_in_the_scene_do_the_same(void** state) {
  (void)state;
  char scene[6000];
  problem p;
  snprintf(scene, sizeof scene, everything, "rk4");
  open_problem(&p, scene);
  check_applied(&p);
  close_problem(&p);
}

// A four-bar that a motor prescribes, geared to a wheel, an arm whose end is prescribed, and a top
// that turns at a rate; the integrator, and more, go in.
static const char linked[] =
    "duration: 0.06 s\n"
    "solver: {integrator: %s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "  flap: {shape: {box: [0.2, 0.02, 0.1], position: [0.1, 0, 0]}}\n"
    "  flywheel: {shape: {cylinder: {radius: 0.1, length: 0.02}}}\n"
    "  upper: {shape: {box: [0.5, 0.05, 0.05], position: [0.25, 0, 0]}, mass: 1}\n"
    "  lower: {shape: {box: [0.5, 0.05, 0.05], position: [0.25, 0, 0]}, mass: 1}\n"
    "  top: {shape: {box: [0.3, 0.2, 0.1]}, mass: 1.5, position: [1, 1, 1]}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y, damping: 0.01}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0],\n"
    "      in_child: [0.4, 0, 0], axis: y, loop: true, spring: {stiffness: 0.2, rest: -1}}\n"
    "  e: {type: revolute, parent: rocker, child: flap, at: [0.4, 0, 0], axis: y}\n"
    "  wheel: {type: revolute, child: flywheel, at: [0, 0.2, 0], axis: y}\n"
    "  shoulder: {type: spherical, child: upper, at: [0, -1, 0]}\n"
    "  elbow: {type: revolute, parent: upper, child: lower, at: [0.5, 0, 0], axis: y}\n"
    "springs:\n"
    "  s: {from: {body: flap, at: [0.2, 0, 0]}, to: {body: lower, at: [0.2, 0, 0]},\n"
    "      stiffness: 40, damping: 0.2, length: 0.3}\n"
    "constraints:\n"
    "  gear: {couple: [{joint: wheel}, {joint: c, times: -3}], equals: 3.49}\n"
    "  hand: {follow: {body: lower, at: [0.5, 0, 0], x: {keys: [[0, 0.8], [1, 1]]}}}\n"
    "  turn: {follow: {body: top, at: [0.1, 0, 0], x: {rates: [[0, 0.3]]},\n"
    "         turn: {about: [0.3, 0.1, 1], rates: [[0, 1]]}}}\n"
    "motors:\n"
    "  lead: {joint: a, spline: {from: 0, to: 0.1, degree: 5, points: [-1.05, -1.05, -1.03, -1,\n"
    "         -0.97, -0.95]}}\n"
    "  shove: {joint: e, drive: force, keys: [[0, 0.3]]}\n"
    "initial:\n"
    "  b: {position: 40 deg}\n"
    "  c: {position: -100 deg}\n"
    "  e: {velocity: 1}\n"
    "  elbow: {position: 0.9}\n"
    "optimize:\n"
    "  parameters:\n"
    "    way: {motor: lead}\n"
    "    force: {motor: shove}\n"
    "    m: {mass: coupler}\n"
    "    n: {mass: lower}\n"
    "    weight: {mass: top}\n"
    "    k: {stiffness: s}\n"
    "    kd: {stiffness: d}\n"
    "%s"
    "  goals:\n"
    "    tip: {point: flap, at: [0.2, 0, 0], position: [0.2, 0, 0.3], time: [0, 0.06 s]}\n"
    "    whirl: {point: top, at: [0.1, 0.2, 0.3], velocity: [0.2, 0.1, 0.3]}\n"
    "    hand: {point: lower, at: [0.5, 0, 0], position: [0.8, -1, 0.3]}\n"
    "    effort: {motor: lead, time: [20 ms, 0.06 s], weight: 0.1}\n"
    "    last: {motor: lead, time: 0.06 s, weight: 0.01}\n";

static void check_linked(const char* by, const char* more, double part, double tolerance) {
  char scene[6000];
  problem p;
  snprintf(scene, sizeof scene, linked, by, more);
  open_problem(&p, scene);
  check_gradient(&p, p.o->start, part, tolerance);
  close_problem(&p);
}

static void gradients_through_constraints_and_efforts_of_motors(void** state) {
  (void)state;
  static const char more[] = "    slow: {damping: c}\n";
  for (int i = 0; i < 3; i++) {
    char by[80];
    snprintf(by, sizeof by, "%s, step: 3 ms", EXPLICIT[i]);
    check_linked(by, more, 1e-3, 1e-9);
    snprintf(by, sizeof by, "%s, step: 3 ms, coordinates: maximal", EXPLICIT[i]);
    check_linked(by, more, 1e-3, 1e-9);
  }
}

// Sizes that are found anew for every difference move runs by as much as the tolerance lets them.
static void gradients_of_adaptive_steps_are_those_of_the_steps_taken(void** state) {
  (void)state;
  check_linked("adaptive, step: 3 ms, tolerance: 1e-13", "", 3e-3, 1e-6);
  check_linked("adaptive, step: 3 ms, tolerance: 1e-13, coordinates: maximal", "", 3e-3, 1e-6);
}

// A motor prescribes the shoulder of an arm whose elbow hits a stop and stays there: what it exerts
// before, as it hits and after.
static void efforts_beside_stops(void** state) {
  (void)state;
  static const char text[] =
      "duration: 0.06 s\n"
      "solver: {integrator: %s, step: 4 ms%s}\n"
      "bodies:\n"
      "  upper: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 2}\n"
      "  fore: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0.02, -0.3]}}, mass: 1}\n"
      "  hand: {shape: {box: [0.1, 0.05, 0.1], position: [0, 0, -0.05]}, mass: 0.4}\n"
      "joints:\n"
      "  shoulder: {type: revolute, child: upper, axis: y}\n"
      "  elbow: {type: revolute, parent: upper, child: fore, at: [0, 0, -0.3], axis: y}\n"
      "  wrist: {type: spherical, parent: fore, child: hand, at: [0, 0, -0.3], damping: 0.01}\n"
      "initial: {elbow: {position: 1.2, velocity: 9}, wrist: {spin: [1, 2, 3]}}\n"
      "motors:\n"
      "  swing: {joint: shoulder, keys: [[0, 0], [0.05, 0.1], [0.2, 0.3]]}\n"
      "  push: {joint: elbow, drive: force, ease: linear, keys: [[0, 3], [0.1, 5]]}\n"
      "constraints: {stop: {couple: [{joint: elbow}], at_most: 1.4}}\n"
      "optimize:\n"
      "  parameters:\n"
      "    swing: {motor: swing}\n"
      "    push: {motor: push}\n"
      "    speed: {velocity: elbow}\n"
      "    heavy: {mass: fore}\n"
      "  goals:\n"
      "    there: {point: hand, at: [0, 0.1, 0], position: [0.3, 0.1, 0.2]}\n"
      "    effort: {motor: swing, weight: 0.1}\n";
  for (int i = 0; i < 6; i++) {
    char scene[4000];
    problem p;
    snprintf(scene, sizeof scene, text, EXPLICIT[i / 2], i % 2 ? ", coordinates: maximal" : "");
    open_problem(&p, scene);
    check_gradient(&p, p.o->start, 1e-5, 1e-6);
    close_problem(&p);
  }
}

// A step that tears a linkage so far apart that it has to be put together again from there.
static void steps_that_leave_wide_gaps_are_reported(void** state) {
  (void)state;
  static const char text[] =
      "duration: 0.5 s\n"
      "solver: {integrator: euler, step: 0.25 s}\n"
      "bodies:\n"
      "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
      "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
      "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
      "joints:\n"
      "  a: {type: revolute, child: crank, axis: y}\n"
      "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
      "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y}\n"
      "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0],\n"
      "      in_child: [0.4, 0, 0], axis: y, loop: true}\n"
      "initial: {a: {position: -60 deg, velocity: 5}, b: {position: 40 deg}, c: {position: -100 "
      "deg}}\n"
      "optimize:\n"
      "  parameters: {m: {mass: coupler}}\n"
      "  goals: {there: {point: coupler, position: [0, 0, 0]}}\n";
  problem p;
  double value, gradient[MOST];
  lb_error err = lb_error_make(NULL);
  open_problem(&p, text);
  assert_int_equal(lb_optimization_evaluate(p.o, p.o->start, &value, NULL, &err), LB_OK);
  assert_int_equal(lb_optimization_evaluate(p.o, p.o->start, &value, gradient, &err), LB_FAILED);
  assert_non_null(strstr(err.message[0].text, "gaps too wide to be closed straight"));
  lb_error_clear(&err);
  close_problem(&p);
}

// Without drag a throw has a closed form, x = v t + g t^2 / 2, which rk4 follows exactly.
static void a_throw_hits(void** state) {
  (void)state;
  static const char text[] = "duration: 0.5 s\n"
                             "solver: {integrator: rk4, step: 10 ms}\n"
                             "bodies: {ball: {shape: {sphere: {radius: 5 cm}}, mass: 0.3}}\n"
                             "initial: {ball: {velocity: [1, 0, 1]}}\n"
                             "optimize:\n"
                             "  parameters: {throw: {velocity: ball}}\n"
                             "  goals: {hit: {point: ball, position: [2, -1, 0.5]}}\n";
  const double wanted[] = {4, -2, 1 + 9.81 * 0.25};
  const lb_optimize_options options = {0};
  problem p;
  double x[MOST], value;
  open_problem(&p, text);
  memcpy(x, p.o->start, (size_t)p.o->nvalue * sizeof *x);
  assert_int_equal(lb_optimize_run(p.o, &options, x, &value, NULL), LB_OK);
  for (int k = 0; k < 3; k++) {
    assert_near(x[k], wanted[k], 1e-9);
  }
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_equal_differences_of_runs),
      cmocka_unit_test(numbers_in_the_scene_do_the_same),
      cmocka_unit_test(gradients_through_constraints_and_efforts_of_motors),
      cmocka_unit_test(gradients_of_adaptive_steps_are_those_of_the_steps_taken),
      cmocka_unit_test(efforts_beside_stops),
      cmocka_unit_test(steps_that_leave_wide_gaps_are_reported),
      cmocka_unit_test(a_throw_hits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
