// Worlds in which motors prescribe rotations: gradients against differences, with every scheme.
#include "design/optimizing_schemes.h"

// A ball and a body that flies are prescribed on an arm that swings, and what that takes is a goal;
// a ball that closes a loop is prescribed, too. Places: integrator, coordinates, more goals.
static const char TEXT[] =
    "duration: 40 ms\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  arm: {shape: {box: [0.3, 0.1, 0.05], position: [0.15, 0.02, -0.1]}, mass: 2}\n"
    "  ball: {shape: {box: [0.2, 0.05, 0.04], position: [0.1, 0, 0.02]}, mass: 0.3}\n"
    "  tail: {shape: {box: [0.1, 0.05, 0.04], position: [0.05, 0, 0.02]}, mass: 0.3}\n"
    "  bird: {shape: {box: [0.1, 0.05, 0.04], position: [0.05, 0, 0.02]}, mass: 0.3}\n"
    "joints:\n"
    "  j: {type: universal, child: arm, axis: y, second_axis: x, damping: 0.02}\n"
    "  s: {type: spherical, parent: arm, child: ball, at: [0.3, 0.1, 0], damping: 0.01}\n"
    "  t: {type: revolute, parent: ball, child: tail, axis: [1, 1, 0], at: [0.1, 0, 0]}\n"
    "  f: {type: free, parent: arm, child: bird, spring: {stiffness: 30 N/m}}\n"
    "motors:\n"
    "  a: {joint: s, keys: [[-0.01, [0, 0, 0]], [0.02, [0.2, 0.1, 0.3]], [0.06, [0, 0.3, 0.2]]]}\n"
    "  b: {joint: f, spline: {to: 0.05, points: [[0, 0, 0], [0.1, 0, 0], [0.1, 0.2, 0],\n"
    "      [0.2, 0.1, 0.3]]}}\n"
    "  c: {joint: j, drive: force, spline: {to: 0.04, points: [0, 2, 1, 2]}}\n"
    "initial:\n"
    "  j: {position: [0.3, 0.2], velocity: [1, -2]}\n"
    "  t: {position: 0.3, velocity: 3}\n"
    "  f: {position: [0.1, 0, 0.1], velocity: [1, 2, -1]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    push: {motor: c}\n"
    "    size: {length: ball, along: x}\n"
    "    weight: {mass: ball}\n"
    "    place: {position: j}\n"
    "    speed: {velocity: t}\n"
    "  goals:\n"
    "    tip: {point: tail, at: [0.1, 0, 0], position: [0.5, 0, -0.1]}\n"
    "    side: {point: bird, at: [0.1, 0, 0], velocity: [0.5, 0, -0.1]}\n%s";

static const char EFFORTS[] = "    ea: {motor: a, weight: 0.1}\n    eb: {motor: b, weight: 10}\n";

static void gradients_of_implicit_schemes_are_those_of_differences(void** state) {
  (void)state;
  check_schemes(SCHEMES, TEXT, false, EFFORTS, 1e-3, 1e-6);
}

static void gradients_in_maximal_coordinates_are_those_of_differences(void** state) {
  (void)state;
  check_schemes(SCHEMES, TEXT, true, EFFORTS, 1e-3, 1e-6);
}

static void gradients_of_explicit_schemes_are_those_of_differences(void** state) {
  (void)state;
  static const char* const explicits[] = {"euler", "rk4"};
  for (size_t i = 0; i < sizeof explicits / sizeof *explicits; i++) {
    char whole[8000];
    problem p;
    snprintf(whole, sizeof whole, TEXT, explicits[i], reduced, EFFORTS);
    open_problem(&p, whole);
    check_both(&p, 1e-3, 1e-6);
    check_applied(&p);
    close_problem(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_of_implicit_schemes_are_those_of_differences),
      cmocka_unit_test(gradients_in_maximal_coordinates_are_those_of_differences),
      cmocka_unit_test(gradients_of_explicit_schemes_are_those_of_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
