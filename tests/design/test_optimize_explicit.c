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
      cmocka_unit_test(a_throw_hits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
