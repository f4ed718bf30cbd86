// Gradients through redundant loops: constraints that a step leaves out, its derivative
// does not have either.
#include "optimizing.h"

static const char* const METHODS[] = {"euler", "bdf1", "bdf2", "sdirk2", "rk4", "rk8", "adaptive"};
static const char* const COORDINATES[] = {"reduced", "maximal"};

static const char door[] =
    "duration: 100 ms\n"
    "solver: {integrator: %s, step: 4 ms, coordinates: %s}\n"
    "bodies:\n"
    "  frame: {shape: {box: [0.2, 0.1, 0.05], position: [0.1, 0, 0]}}\n"
    "  door: {shape: {box: [0.2, 0.1, 0.05], position: [0.1, 0, 0]}}\n"
    "joints:\n"
    "  post: {type: revolute, child: frame, axis: [0, 0.2, 1]}\n"
    "  upper: {type: revolute, parent: frame, child: door, at: [0.2, 0.05, 0],\n"
    "          in_child: [0, 0.05, 0], axis: y, damping: 0.01}\n"
    "  lower: {type: revolute, loop: true, parent: frame, child: door, at: [0.2, -0.05, 0],\n"
    "          in_child: [0, -0.05, 0], axis: y}\n"
    "initial: {post: {velocity: 3}, upper: {velocity: 4}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    from: {position: post}\n"
    "    fast: {velocity: upper}\n"
    "    heavy: {mass: door}\n"
    "    long: {length: frame, along: x}\n"
    "    slow: {damping: upper}\n"
    "  goals:\n"
    "    there: {point: door, at: [0.2, 0, 0.3], position: [0.3, 0, 0.2]}\n"
    "    still: {joint: upper, velocity: 0.2}\n";

static void gradients_of_a_door_on_two_hinges_equal_differences(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
    for (int c = 0; c < 2; c++) {
      char scene[3000];
      problem p;
      snprintf(scene, sizeof scene, door, METHODS[i], COORDINATES[c]);
      open_problem(&p, scene);
      check_gradient(&p, p.o->start, 1e-3, 1e-7);
      close_problem(&p);
    }
  }
}

static void numbers_in_the_scene_do_the_same(void** state) {
  (void)state;
  char scene[3000];
  problem p;
  snprintf(scene, sizeof scene, door, "bdf2", "maximal");
  open_problem(&p, scene);
  check_applied(&p);
  close_problem(&p);
}

// In steps that are very short the rounding of gaps over them is all that is left to correct, from
// rest sooner than at speed; Newton's method ends there.
static void steps_of_a_tenth_of_a_millisecond_are_found_from_rest(void** state) {
  (void)state;
  static const char bars[] =
      "duration: 2 ms\n"
      "solver: {integrator: %s, step: 0.1 ms, coordinates: %s}\n"
      "bodies:\n"
      "  one: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.3, 0, 0]}}, mass: 0.3}\n"
      "  two: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.5, 0, 0]}}, mass: 0.3}\n"
      "  three: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0]}}, mass: 0.3}\n"
      "joints:\n"
      "  a: {type: revolute, child: one, axis: y}\n"
      "  b: {type: revolute, parent: one, child: two, axis: y, at: [0.3, 0, 0]}\n"
      "  c: {type: revolute, child: three, axis: y, at: [0.45, 0, 0]}\n"
      "  loop: {type: revolute, axis: y, parent: two, child: three, at: [0.5, 0, 0],\n"
      "         in_child: [0.4, 0, 0], loop: true}\n"
      "initial: {a: {position: -1.0449274770577477}, b: {position: 0.8612049403991237},\n"
      "          c: {position: -1.0696439454444087}}\n"
      "optimize:\n"
      "  parameters: {heavy: {mass: two}, long: {length: two}}\n"
      "  goals: {there: {point: two, position: [0.1, 0, 0.2]}}\n";
  for (int i = 2; i < 5; i++) {
    char scene[3000];
    problem p;
    snprintf(scene, sizeof scene, bars, METHODS[i], "reduced");
    open_problem(&p, scene);
    check_gradient(&p, p.o->start, 1e-3, 1e-7);
    close_problem(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_of_a_door_on_two_hinges_equal_differences),
      cmocka_unit_test(numbers_in_the_scene_do_the_same),
      cmocka_unit_test(steps_of_a_tenth_of_a_millisecond_are_found_from_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
