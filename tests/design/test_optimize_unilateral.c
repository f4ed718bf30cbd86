// Optimisations through landings and stops: gradients against differences of whole runs, and
// optima that are known.
#include "optimizing.h"

static const char* const INTEGRATORS[] = {"bdf1", "bdf2", "sdirk2", "euler", "rk4", "rk8"};

static void check(const char* text, double part) {
  for (size_t i = 0; i < sizeof INTEGRATORS / sizeof *INTEGRATORS; i++) {
    char scene[4000];
    problem p;
    snprintf(scene, sizeof scene, text, INTEGRATORS[i]);
    open_problem(&p, scene);
    check_gradient(&p, p.o->start, part, 1e-6);
    close_problem(&p);
  }
}

// A motor prescribes the shoulder, another one pushes the elbow until it hits a stop; what comes
// back is caught by a second stop. The wheel is geared to the shoulder and has a stop of its own.
static const char arm[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s, step: 4 ms}\n"
    "bodies:\n"
    "  upper: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 2}\n"
    "  fore: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0.02, -0.3]}}, mass: 1}\n"
    "  hand: {shape: {box: [0.1, 0.05, 0.1], position: [0, 0, -0.05]}, mass: 0.4}\n"
    "joints:\n"
    "  shoulder: {type: revolute, child: upper, axis: y}\n"
    "  elbow: {type: revolute, parent: upper, child: fore, at: [0, 0, -0.3], axis: y,\n"
    "          damping: 0.05, spring: {stiffness: 2, rest: 0.3}}\n"
    "  wrist: {type: spherical, parent: fore, child: hand, at: [0, 0, -0.3], damping: 0.01}\n"
    "initial: {elbow: {position: 1.2, velocity: 9}}\n"
    "motors:\n"
    "  swing: {joint: shoulder, keys: [[0, 0], [0.05, 0.1], [0.2, 0.3]]}\n"
    "  push: {joint: elbow, drive: force, ease: linear, keys: [[0, 0.5], [0.05, 1], [0.1, 0.2]]}\n"
    "constraints: {stop: {couple: [{joint: elbow}], at_least: 0, at_most: 1.4}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    swing: {motor: swing}\n"
    "    push: {motor: push}\n"
    "    speed: {velocity: elbow}\n"
    "    place: {position: elbow}\n"
    "    heavy: {mass: fore}\n"
    "    hand: {mass: hand}\n"
    "    long: {length: fore, along: [0, 0, -1]}\n"
    "    soft: {stiffness: elbow}\n"
    "    slow: {damping: elbow}\n"
    "  goals:\n"
    "    there: {point: hand, at: [0, 0.1, 0], position: [0.3, 0.1, 0.2]}\n"
    "    so: {joint: elbow, position: 1, time: [20 ms, 80 ms]}\n"
    "    fast: {point: hand, at: [0, 0.1, 0], velocity: [0.3, 0.1, 0.2], time: [12 ms, 80 ms]}\n";

static void an_arm_with_a_stop(void** state) {
  (void)state;
  check(arm, 1e-5);
}

// A box is thrown on a floor and lands on an edge, then on all corners, and slides against a wall
// that leans.
static const char box[] =
    "duration: 0.09 s\n"
    "solver: {integrator: %s, step: 3 ms}\n"
    "bodies:\n"
    "  box: {shape: {box: [0.4, 0.3, 0.2]}, mass: 3, drag: 2, position: [0, 0, 0.12],\n"
    "        rotation: {axis: [1, 2, 0], angle: 3 deg}}\n"
    "initial: {box: {velocity: [1, 0.5, -1.5], spin: [0.1, 0.2, 1]}}\n"
    "constraints:\n"
    "  ground:\n"
    "    floor:\n"
    "      body: box\n"
    "      points: [{at: [0.2, 0.15, -0.1]}, {at: [-0.2, 0.15, -0.1]},\n"
    "               {at: [0.2, -0.15, -0.1]}, {at: [-0.2, -0.15, -0.1]}]\n"
    "  wall:\n"
    "    floor: {body: box, points: [{at: [0.2, 0.15, 0.1]}, {at: [0.2, -0.15, 0.1]}],\n"
    "            normal: [-1, 0.05, 0.1], height: -0.2}\n"
    "optimize:\n"
    "  parameters:\n"
    "    throw: {velocity: box}\n"
    "    spin: {spin: box}\n"
    "    from: {position: box}\n"
    "    heavy: {mass: box}\n"
    "  goals:\n"
    "    there: {point: box, at: [0.1, 0.1, 0.05], position: [0.4, 0.1, 0.1]}\n"
    "    so: {point: box, at: [0.1, 0.1, 0.05], velocity: [0.3, 0.1, 0.1], time: [30 ms, 80 ms]}\n";

static void a_box_that_is_thrown_on_a_floor(void** state) {
  (void)state;
  check(box, 1e-4); // shorter ones feel where iterations of implicit steps end
}

// It starts on the floor, and into it: that is lost before the first step.
static const char slider[] =
    "duration: 0.12 s\n"
    "solver: {integrator: %s, step: 3 ms}\n"
    "bodies:\n"
    "  rod: {shape: {box: [0.02, 0.02, 0.5]}, mass: 1, position: [0, 0, 0.21650635094610965],\n"
    "        rotation: {axis: y, angle: 30 deg}}\n"
    "initial: {rod: {velocity: [0.3, 0.1, -0.5], spin: [0.1, 0.2, 0.3]}}\n"
    "constraints: {ground: {floor: {body: rod, points: [{at: [0, 0, -0.25]}]}}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    throw: {velocity: rod}\n"
    "    spin: {spin: rod}\n"
    "    heavy: {mass: rod}\n"
    "  goals:\n"
    "    there: {point: rod, at: [0.1, 0.1, 0.25], position: [0.25, 0.1, 0.4]}\n";

static void a_start_that_runs_into_the_floor(void** state) {
  (void)state;
  check(slider, 1e-5);
}

// Loops, with a start that follows from one of its joints, and two stops in its way.
static const char linkage[] =
    "duration: 0.05 s\n"
    "solver: {integrator: %s, step: 2.5 ms}\n"
    "bodies:\n"
    "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.2]}}, mass: 0.4}\n"
    "  rod: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.5, 0, 0]}}, mass: 0.6}\n"
    "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.25]}}, mass: 0.5}\n"
    "  bob: {mass: 0.3, center: [0.02, 0, -0.1], inertia: [0.001, 0.001, 0.001]}\n"
    "joints:\n"
    "  one: {type: revolute, child: crank, axis: y}\n"
    "  two: {type: revolute, parent: crank, child: rod, at: [0, 0, 0.2], axis: y}\n"
    "  four: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y}\n"
    "  three: {type: revolute, parent: rod, child: rocker, at: [0.5, 0, 0],\n"
    "          in_child: [0, 0, 0.25], axis: y, loop: true}\n"
    "  pin: {type: revolute, parent: rod, child: bob, at: [0.2, 0, 0], axis: y}\n"
    "initial: {one: {position: 0.2, velocity: 4}, two: {position: -0.2, velocity: -3},\n"
    "          four: {position: 0.4, velocity: 3}, pin: {position: 0.1, velocity: -3}}\n"
    "motors: {push: {joint: one, drive: force, keys: [[0, 0.2]]}}\n"
    "constraints:\n"
    "  stop: {couple: [{joint: one}], at_most: 0.31}\n"
    "  rest: {couple: [{joint: pin}], at_least: 0}\n"
    "optimize:\n"
    "  parameters:\n"
    "    fast: {velocity: one}\n"
    "    push: {motor: push}\n"
    "    heavy: {mass: rod}\n"
    "    bob: {mass: bob}\n"
    "  goals:\n"
    "    there: {point: bob, at: [0.1, 0, 0], position: [0.4, 0.1, 0.1]}\n"
    "    so: {joint: four, velocity: 0.3, time: [0, 20 ms]}\n";

static void loops_with_stops(void** state) {
  (void)state;
  check(linkage, 1e-5);
}

// --- what motors exert that drive positions ---

// A motor prescribes the shoulder, and one of a linkage a joint that closes a loop, while the elbow
// hits a stop, the hand lands on a floor and the rocker runs into a limit.
static const char prescribed[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s, step: 4 ms, coordinates: %s}\n"
    "bodies:\n"
    "  upper: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 2}\n"
    "  fore: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0.02, -0.3]}}, mass: 1}\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "  bob: {mass: 0.3, center: [0.02, 0, -0.1], inertia: [0.001, 0.001, 0.001]}\n"
    "joints:\n"
    "  shoulder: {type: revolute, child: upper, axis: y}\n"
    "  elbow: {type: revolute, parent: upper, child: fore, at: [0, 0, -0.3], axis: y,\n"
    "          damping: 0.05, spring: {stiffness: 2, rest: 0.3}}\n"
    "  a: {type: revolute, child: crank, at: [0, 1, 0], axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0],\n"
    "      in_child: [0.4, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 1, 0], axis: y, damping: 0.01, loop: true}\n"
    "  pin: {type: revolute, parent: coupler, child: bob, at: [0.2, 0, 0], axis: y}\n"
    "initial: {elbow: {position: 1.2, velocity: 6}, a: {position: -60 deg}, b: {position: 40 "
    "deg},\n"
    "          d: {position: -80 deg}, pin: {position: 0.1, velocity: -3}}\n"
    "motors:\n"
    "  swing: {joint: shoulder, spline: {from: 0, to: 0.1, points: [0, 0, 0.02, 0.05, 0.1]}}\n"
    "  lead: {joint: c, spline: {from: 0, to: 0.1, points: [-1.75, -1.75, -1.74, -1.72, -1.7]}}\n"
    "constraints:\n"
    "  stop: {couple: [{joint: elbow}], at_most: 1.4}\n"
    "  rest: {couple: [{joint: pin}], at_least: -0.3}\n"
    "  ground: {floor: {body: fore, height: -0.44, points: [{at: [0, 0.02, -0.3]}]}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    heavy: {mass: fore}\n"
    "    swing: {motor: swing}\n"
    "    lead: {motor: lead}\n"
    "    speed: {velocity: elbow}\n"
    "    bob: {velocity: pin}\n"
    "    long: {length: fore, along: [0, 0, -1]}\n"
    "    rod: {mass: coupler}\n"
    "    soft: {stiffness: elbow}\n"
    "  goals:\n"
    "    hard: {motor: swing, weight: 0.1}\n"
    "    push: {motor: lead}\n"
    "    last: {motor: swing, time: 0.1 s, weight: 1e-3}\n";

static void efforts_through_stops(void** state) {
  (void)state;
  for (int i = 0; i < 6; i++) {
    char scene[8000];
    problem p;
    snprintf(scene, sizeof scene, prescribed, INTEGRATORS[i % 3], i < 3 ? "reduced" : "maximal");
    open_problem(&p, scene);
    check_gradient(&p, p.o->start, 1e-4, 1e-6);
    check_applied(&p);
    close_problem(&p);
  }
}

static void numbers_in_the_scene_do_the_same(void** state) {
  (void)state;
  static const char* const texts[] = {arm, slider};
  for (int i = 0; i < 2; i++) {
    char scene[4000];
    problem p;
    snprintf(scene, sizeof scene, texts[i], "bdf2");
    open_problem(&p, scene);
    check_applied(&p);
    close_problem(&p);
  }
}

static void a_start_beyond_a_floor_is_reported(void** state) {
  (void)state;
  char scene[4000];
  problem p;
  snprintf(scene, sizeof scene, box, "bdf2");
  open_problem(&p, scene);
  double x[MOST], value = 17, gradient[MOST];
  lb_error err = lb_error_make(NULL);
  memcpy(x, p.o->start, (size_t)p.o->nvalue * sizeof *x);
  x[8] = 0.05; // how high
  assert_int_equal(lb_optimization_evaluate(p.o, x, &value, gradient, &err), LB_FAILED);
  assert_non_null(strstr(err.message[0].text, "'ground' does not hold at the start"));
  assert_near(value, 17, 0);
  lb_error_clear(&err);
  close_problem(&p);
}

// --- optima that are known ---

static void find_best(problem* p, double* x) {
  lb_error err = lb_error_make(NULL);
  double value = NAN;
  const lb_optimize_options options = {0};
  memcpy(x, p->o->start, (size_t)p->o->nvalue * sizeof *x);
  if (lb_optimize_run(p->o, &options, x, &value, &err) != LB_OK) {
    complain(&err);
  }
}

// A cart runs into another one, which it pushes on: m v = (m + M) V, to the last digit, since steps
// and impacts lose no momentum. How fast it must come, and how heavy the other must be.
static void carts_that_collide_share_their_momentum(void** state) {
  (void)state;
  static const char text[] =
      "duration: 0.2 s\n"
      "solver: {integrator: %s, step: 5 ms}\n"
      "bodies: {near: {shape: {box: [0.1, 0.1, 0.1]}, mass: 2},\n"
      "         far: {shape: {box: [0.1, 0.1, 0.1]}, mass: 3}}\n"
      "joints: {left: {type: prismatic, child: near, axis: x},\n"
      "         right: {type: prismatic, child: far, axis: x, at: [0.2, 0, 0]}}\n"
      "initial: {left: {velocity: 2}}\n"
      "constraints: {apart: {couple: [{joint: right}, {joint: left, times: -1}], at_least: "
      "-0.093}}\n"
      "optimize:\n"
      "  parameters: {change: {%s, at_least: 1, at_most: 9}}\n"
      "  goals: {so: {joint: right, velocity: 0.5}}\n";
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) {
      char scene[2000];
      double x[MOST];
      problem p;
      snprintf(scene, sizeof scene, text, INTEGRATORS[i], k ? "mass: far" : "velocity: left");
      open_problem(&p, scene);
      check_gradient(&p, p.o->start, 1e-5, 1e-6);
      find_best(&p, x);
      // v = V (m + M) / m; M = m (v / V - 1)
      assert_near(x[0], k ? 6 : 1.25, 1e-6);
      close_problem(&p);
    }
  }
}

// A box is thrown on a smooth floor, lands, and slides on until drag has stopped it: with steps h
// of BDF1 its velocity along the floor falls by 1 / (1 + h c / m) in each, whatever the floor does,
// so that it ends v (m / c) (1 - (1 + h c / m)^-n) from where it started.
static void a_block_slides_to_its_mark(void** state) {
  (void)state;
  static const char text[] =
      "duration: 1 s\n"
      "solver: {integrator: bdf1, step: 10 ms}\n"
      "bodies: {box: {shape: {box: [0.4, 0.3, 0.2]}, mass: 2, drag: 10, position: [0, 0, 0.15]}}\n"
      "initial: {box: {velocity: [1, 0.1, 0.5]}}\n"
      "constraints:\n"
      "  ground:\n"
      "    floor:\n"
      "      body: box\n"
      "      points: [{at: [0.2, 0.15, -0.1]}, {at: [-0.2, 0.15, -0.1]},\n"
      "               {at: [0.2, -0.15, -0.1]}, {at: [-0.2, -0.15, -0.1]}]\n"
      "optimize:\n"
      "  parameters: {throw: {velocity: box, at_least: -9, at_most: 9}}\n"
      "  goals:\n"
      "    there: {point: box, position: [0.7, -0.2, 0.1]}\n"
      "    low: {point: box, velocity: [0, 0, 0], time: 20 ms, along: z, weight: 1e-6}\n";
  problem p;
  double x[MOST];
  open_problem(&p, text);
  find_best(&p, x);
  const double reach = 2 / 10. * (1 - pow(1 + 0.01 * 10 / 2, -100));
  print_message("thrown at %.9g and %.9g m/s\n", x[0], x[1]);
  assert_near(x[0], 0.7 / reach, 1e-6);
  assert_near(x[1], -0.2 / reach, 1e-6);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_with_a_stop),
      cmocka_unit_test(a_box_that_is_thrown_on_a_floor),
      cmocka_unit_test(a_start_that_runs_into_the_floor),
      cmocka_unit_test(loops_with_stops),
      cmocka_unit_test(efforts_through_stops),
      cmocka_unit_test(numbers_in_the_scene_do_the_same),
      cmocka_unit_test(a_start_beyond_a_floor_is_reported),
      cmocka_unit_test(carts_that_collide_share_their_momentum),
      cmocka_unit_test(a_block_slides_to_its_mark),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
