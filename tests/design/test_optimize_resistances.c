// Springs and dampers of balls and of joints that slide and turn as parameters, beside limits and
// friction: gradients against differences, with every scheme.
#include "design/optimizing_schemes.h"

// Places: integrator, coordinates, more goals.
static const char TEXT[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  arm: {mass: 2, center: [0.1, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"
    "  hand: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
    "  bird: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
    "  puck: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
    "joints:\n"
    "  s: {type: spherical, child: arm, armature: 0.05, friction: 0.1, friction_speed: 1,\n"
    "      damping: 0.1, spring: {stiffness: 20, exponent: 2.5, rest: {axis: [1, 2, 3], angle: "
    "0.4}},\n"
    "      limits: {axis: [1, 0, 2], swing: 0.1, twist: [-0.3, 0.05], stiffness: 50, damping: 1,\n"
    "               transition: 0.5, pulls: true}}\n"
    "  f: {type: free, parent: arm, child: hand, damping: 1, turn_damping: 0.1, friction: 0.3,\n"
    "      friction_speed: 1, turn_friction: 0.1, turn_friction_speed: 1, armature: 0.3,\n"
    "      turn_armature: 0.02,\n"
    "      limits: {lower: [0.01, 0.01, -1], upper: [1, 1, 0.02], stiffness: 90, damping: 2,\n"
    "               transition: 0.05, pulls: true},\n"
    "      turn_limits: {axis: [1, 0, 2], swing: 0.1, twist: [-0.3, 0.05], stiffness: 5,\n"
    "                    damping: 0.1, transition: 0.5, pulls: true},\n"
    "      spring: {stiffness: 40, exponent: 1.5, turn_stiffness: 3, rest: [0.1, 0, 0.1],\n"
    "               turn_exponent: 2, turn_rest: {axis: [1, 2, 3], angle: 0.4}}}\n"
    "  g: {type: free-3d, child: bird, damping: 1, turn_damping: 0.1, armature: 0.1,\n"
    "      turn_armature: 0.02, friction: 0.3, friction_speed: 1,\n"
    "      spring: {stiffness: 40, exponent: 3, rest: [0.1, 0, 0.1],\n"
    "               turn_table: [[-1, -3], [0, 0], [0.5, 1], [2, 7]], turn_rest: [0.1, 0.2, "
    "0.3]}}\n"
    "  h: {type: free-2d, parent: bird, child: puck,\n"
    "      spring: {stiffness: 30, rest: [0.1, 0], turn_stiffness: 2, turn_rest: 0.3}}\n"
    "initial:\n"
    "  s: {rotation: {axis: [1, 0, 0], angle: 0.5}, spin: [1, 2, 3]}\n"
    "  f: {rotation: {axis: [1, 2, 0], angle: 0.5}, spin: [1, 2, 3], velocity: [1, 0, 2]}\n"
    "  g: {velocity: [1, 0, 2, 1, 2, 3]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    s1: {stiffness: s}\n    s2: {damping: s}\n    s3: {rest: s, at_most: 90 deg}\n"
    "    f1: {stiffness: f}\n    f2: {damping: f}\n    f3: {rest: f}\n"
    "    g1: {stiffness: g}\n    g2: {damping: g}\n    g3: {rest: g}\n"
    "    h1: {stiffness: h}\n    h2: {rest: h}\n"
    "    f4: {turn_stiffness: f}\n    f5: {turn_damping: f}\n"
    "    h4: {turn_stiffness: h, at_most: 50 N m/rad}\n    g5: {turn_damping: g}\n"
    "    weight: {mass: hand}\n"
    "  goals:\n"
    "    tip: {point: hand, at: [0.1, 0, 0], position: [0.5, 0, -0.1]}\n"
    "    fly: {point: puck, at: [0.1, 0, 0], velocity: [0, 0.2, 0.1]}\n%s";

// A chain of two bars between posts, on balls that twist back to where they rest: the last of them
// closes the loop, and pulls to no rotation as the scene has it.
static const char LOOP[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  arm: {mass: 2, center: [0.1, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"
    "  hand: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
    "joints:\n"
    "  s: {type: spherical, child: arm, damping: 0.1}\n"
    "  f: {type: spherical, parent: arm, child: hand, at: [0, 0, 1], spring: {stiffness: 5}}\n"
    "  g: {type: spherical, child: hand, at: [1, 0, 1], in_child: [1, 0, 0], loop: true,\n"
    "      spring: {stiffness: 20}}\n"
    "initial:\n"
    "  s: {spin: [1, 2, 3]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    g1: {rest: g}\n    f1: {rest: f}\n    g2: {stiffness: g}\n    weight: {mass: hand}\n"
    "  goals:\n"
    "    tip: {point: hand, at: [0.1, 0, 0], position: [0.5, 0, -0.1]}\n"
    "    fly: {point: hand, at: [0, 0.1, 0], velocity: [0, 0.2, 0.1]}\n%s";

static void gradients_of_implicit_schemes_are_those_of_differences(void** state) {
  (void)state;
  check_schemes(SCHEMES, TEXT, false, "", 1e-3, 1e-6);
  check_schemes(SCHEMES, TEXT, true, "", 1e-3, 1e-6);
}

static void gradients_by_rests_of_loop_balls_are_those_of_differences(void** state) {
  (void)state;
  check_schemes(SCHEMES, LOOP, false, "", 1e-3, 1e-6);
  check_schemes(SCHEMES, LOOP, true, "", 1e-3, 1e-6);
}

static void gradients_of_explicit_schemes_are_those_of_differences(void** state) {
  (void)state;
  static const char* const explicits[] = {"euler", "rk4", "rk8"};
  for (int i = 0; i < 3; i++) {
    char whole[8000];
    problem p;
    snprintf(whole, sizeof whole, TEXT, explicits[i], reduced, "");
    open_problem(&p, whole);
    check_both(&p, 1e-3, 1e-6);
    check_applied(&p);
    close_problem(&p);
  }
}

// A box that drops on soil and slides there, with a hand on it.
static const char SOIL[] =
    "duration: 100 ms\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  box: {shape: {box: [0.4, 0.2, 0.1]}, mass: 2}\n"
    "  hand: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
    "joints: {f: {type: spherical, parent: box, child: hand}}\n"
    "grounds:\n"
    "  soil: {stiffness: 30000, exponent: 1.5, dissipation: 0.2, friction: 0.4, slip: 0.05,\n"
    "    points: [{body: box, at: [-0.2, -0.1, -0.05]}, {body: box, at: [0.2, -0.1, -0.05]},\n"
    "             {body: box, at: [0, 0.1, -0.05]}]}\n"
    "initial: {box: {position: [0, 0, 0.08], velocity: [1, 0.3, -1]}}\n"
    "optimize:\n"
    "  parameters: {k: {stiffness: soil, at_most: 100000 N/m}, l: {length: box}}\n"
    "  goals:\n"
    "    tip: {point: hand, at: [0.1, 0, 0], position: [0.5, 0, -0.1]}\n"
    "    fly: {point: hand, at: [0, 0.1, 0], velocity: [0, 0.2, 0.1]}\n%s";

static void gradients_by_the_stiffness_of_grounds_are_those_of_differences(void** state) {
  (void)state;
  static const char* const all[] = {"bdf1", "bdf2", "sdirk2", "euler", "rk4"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char whole[8000];
    problem p;
    snprintf(whole, sizeof whole, SOIL, all[i], i % 2 ? maximal : reduced, "");
    open_problem(&p, whole);
    check_both(&p, 1e-4, 1e-6); // nothing lands in between
    check_applied(&p);
    close_problem(&p);
  }
}

// A satellite with an arm about a planet, by its strength and by the length of its hull.
static const char PLANET[] =
    "duration: 100 ms\n"
    "gravity: [0, 0, 0]\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  hull: {shape: {box: [0.4, 0.2, 0.1]}, mass: 2}\n"
    "  arm: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
    "joints: {f: {type: spherical, parent: hull, child: arm}}\n"
    "attractions:\n"
    "  planet: {from: {}, to: {body: hull, at: [0.2, 0, 0]}, strength: 30, softening: 10 cm}\n"
    "initial: {hull: {position: [0, 0, 0.9], velocity: [3, 0.3, -1]}}\n"
    "optimize:\n"
    "  parameters: {k: {stiffness: planet, at_most: 100}, l: {length: hull}}\n"
    "  goals:\n"
    "    tip: {point: arm, at: [0.1, 0, 0], position: [0.5, 0, -0.1]}\n%s";

static void gradients_by_the_strength_of_attractions_are_those_of_differences(void** state) {
  (void)state;
  static const char* const all[] = {"bdf2", "sdirk2", "rk4"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char whole[8000];
    problem p;
    snprintf(whole, sizeof whole, PLANET, all[i], i % 2 ? maximal : reduced, "");
    open_problem(&p, whole);
    check_both(&p, 1e-4, 1e-8);
    check_applied(&p);
    close_problem(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_of_implicit_schemes_are_those_of_differences),
      cmocka_unit_test(gradients_by_rests_of_loop_balls_are_those_of_differences),
      cmocka_unit_test(gradients_of_explicit_schemes_are_those_of_differences),
      cmocka_unit_test(gradients_by_the_stiffness_of_grounds_are_those_of_differences),
      cmocka_unit_test(gradients_by_the_strength_of_attractions_are_those_of_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
