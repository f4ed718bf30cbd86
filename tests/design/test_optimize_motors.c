// Curves of motors on joints of several coordinates as parameters: gradients against differences,
// with every scheme.
#include "design/optimizing_schemes.h"

static const char explicits[][8] = {"euler", "rk4", "rk8"};

// Prescribed motions and forces on a cross, a body with six numbers, a ball and a body that flies;
// what the motors exert is a goal, too. Places: integrator, coordinates, more goals.
static const char TEXT[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  arm: {shape: {box: [0.3, 0.1, 0.05], position: [0.15, 0.02, -0.1]}, mass: 2}\n"
    "  hand: {shape: {box: [0.1, 0.05, 0.02], position: [0.05, 0, 0.1]}, mass: 0.5}\n"
    "  ball: {shape: {box: [0.1, 0.05, 0.04], position: [0.05, 0, 0.02]}, mass: 0.3}\n"
    "  bird: {shape: {box: [0.1, 0.05, 0.04], position: [0.05, 0, 0.02]}, mass: 0.3}\n"
    "  tail: {shape: {box: [0.1, 0.05, 0.04], position: [0.05, 0, 0.02]}, mass: 0.3}\n"
    "joints:\n"
    "  t: {type: revolute, parent: ball, child: tail, axis: [1, 1, 0], at: [0.1, 0, 0]}\n"
    "  j: {type: universal, child: arm, axis: y, second_axis: x, damping: 0.02}\n"
    "  k: {type: free-3d, parent: arm, child: hand, at: [0.3, 0, 0], damping: 1,\n"
    "      turn_damping: 0.02, spring: {stiffness: 30 N/m, turn_stiffness: 0.2 N m/rad}}\n"
    "  s: {type: spherical, parent: arm, child: ball, at: [0.1, 0.1, 0], damping: 0.01}\n"
    "  f: {type: free, child: bird}\n"
    "motors:\n"
    "  a: {joint: j, coordinate: 1, spline: {to: 0.06, points: [0.1, 0.2, 0.3, 0.1, 0.1]}}\n"
    "  b: {joint: k, coordinate: 2, spline: {to: 0.06, points: [0, 0.01, 0.02, 0.01, 0]}}\n"
    "  c: {joint: k, coordinate: 4, drive: force, spline: {to: 0.06, points: [0, 0.2, 0.1, 0.2]}}\n"
    "  d: {joint: s, coordinate: 2, drive: force, spline: {to: 0.06, points: [0, 0.1, 0.1, 0]}}\n"
    "  e: {joint: f, coordinate: 4, drive: force, keys: [[0, 1], [0.06, 2]], ease: linear}\n"
    "initial:\n"
    "  k: {position: [0, 0.01, 0, 0.1, 0, 0.2]}\n"
    "  f: {rotation: {axis: [1, 2, 3], angle: 40 deg}, spin: [1, 2, -1]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    pa: {motor: a}\n    pb: {motor: b}\n    pc: {motor: c}\n    pd: {motor: d}\n"
    "    pe: {motor: e}\n"
    "    size: {length: arm, along: x}\n"
    "    weight: {mass: hand}\n"
    "    qj: {position: j, at_least: -1, at_most: 1}\n    vj: {velocity: j}\n"
    "    qk: {position: k}\n    vk: {velocity: k}\n"
    "  goals:\n"
    "    tip: {point: hand, at: [0.1, 0, 0], position: [0.5, 0, -0.1]}\n"
    "    side: {point: ball, at: [0.1, 0, 0], velocity: [0.5, 0, -0.1]}\n"
    "    fly: {point: bird, at: [0.1, 0, 0], position: [0, 0.2, 0.1]}\n%s";

static const char EFFORTS[] = "    ea: {motor: a, weight: 0.01}\n    eb: {motor: b, weight: 0.02}\n"
                              "    ec: {motor: c, weight: 0.1}\n";

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

// Curves of which a value is felt far away: cubic ones, and such as repeat, with and without a key
// at the end that is the first again.
static const char CURVES[] =
    "duration: 100 ms\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  arm: {mass: 2, center: [0.1, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"
    "  hand: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
    "  puck: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
    "  fin: {mass: 1, center: [0.1, 0, 0.2], inertia: [0.03, 0.02, 0.01]}\n"
    "joints:\n"
    "  s: {type: revolute, child: arm, axis: y}\n"
    "  f: {type: universal, parent: arm, child: hand, at: [0.1, 0, 0.5], axis: x, second_axis: y}\n"
    "  c: {type: planar, child: puck, parent: arm}\n"
    "  h: {type: revolute, child: fin, parent: puck, axis: x}\n"
    "motors:\n"
    "  a: {joint: s, ease: cubic, keys: [[0, 0.2], [20 ms, 0.3], [60 ms, 0.4], [90 ms, 0.5]]}\n"
    "  b: {joint: f, coordinate: 1, ease: cubic, repeat: 60 ms,\n"
    "      keys: [[0, 0.2], [20 ms, 0.3], [40 ms, 0.4]]}\n"
    "  c: {joint: f, coordinate: 0, ease: cubic, repeat: 60 ms,\n"
    "      keys: [[0, 0.2], [20 ms, 0.3], [40 ms, 0.1], [60 ms, 0.2]]}\n"
    "  d: {joint: c, coordinate: 0, repeat: 60 ms,\n"
    "      keys: [[0, 0.2], [20 ms, 0.3], [40 ms, 0.1], [60 ms, 0.2]]}\n"
    "  e: {joint: c, coordinate: 1, drive: force, ease: linear, repeat: 50 ms,\n"
    "      keys: [[0, 3], [20 ms, 5], [40 ms, -7]]}\n"
    "  g: {joint: h, drive: force, repeat: 50 ms, spline: {to: 50 ms, points: [1, 2, 3, 4, 1]}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    a: {motor: a}\n    b: {motor: b}\n    c: {motor: c}\n    d: {motor: d}\n"
    "    e: {motor: e}\n    g: {motor: g}\n"
    "  goals:\n"
    "    tip: {point: hand, at: [0.1, 0, 0], position: [0.5, 0, -0.1]}\n"
    "    fly: {point: puck, at: [0, 0.1, 0], velocity: [0, 0.2, 0.1]}\n"
    "    fin: {point: fin, at: [0, 0.1, 0], velocity: [0, 0.2, 0.1]}\n"
    "    ma: {motor: a, weight: 1e-4}\n    me: {motor: e, weight: 1e-3}\n%s";

static void gradients_by_curves_that_flow_or_repeat_are_those_of_differences(void** state) {
  (void)state;
  static const char* const some[] = {"sdirk2", "bdf1", "rk4"};
  for (int i = 0; i < 3; i++) {
    char whole[8000];
    problem p;
    snprintf(whole, sizeof whole, CURVES, some[i], reduced, "");
    open_problem(&p, whole);
    assert_int_equal(p.o->nvalue, 4 + 3 + 3 + 3 + 3 + 5);
    check_both(&p, 1e-2, 1e-6);
    check_applied(&p);
    close_problem(&p);
  }
}

// Phases of cranks in loops, of forces and of cyclic splines, and values of curves that advance.
static const char CYCLES[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s%s}\n"
    "profiles:\n"
    "  gait: {ease: cubic, repeat: 200 ms, advance: 1 turn, keys: [[0, 20 deg], [80 ms, 90 deg],\n"
    "         [150 ms, 250 deg]]}\n"
    "bodies: {fin: {mass: 1, center: [0.1, 0, 0.2], inertia: [0.03, 0.02, 0.01]},\n"
    "         tail: {mass: 1, center: [0.1, 0, 0.2], inertia: [0.03, 0.02, 0.01]}}\n"
    "joints: {h: {type: revolute, child: fin, axis: x}, t: {type: revolute, child: tail, axis: "
    "x}}\n"
    "linkages:\n"
    "  leg:\n"
    "    profile: gait\n"
    "    points: {O: {fixed: [0, 0]}, R: {fixed: [0.3, 0]}, P: [0, 0.1], Q: [0.3, 0.2]}\n"
    "    bars: {crank: {O-P: 0.1}, rod: {P-Q: 0.3}, rocker: {Q-R: 0.22}}\n"
    "    copies: {a: {phase: 0.1}, b: {phase: 0.4, mirror: true}}\n"
    "motors:\n"
    "  push: {joint: h, drive: force, repeat: 50 ms, phase: 0.2,\n"
    "         spline: {to: 50 ms, points: [1, 2, 3, 4], cyclic: true}}\n"
    "  turn: {joint: t, ease: cubic, repeat: 70 ms, advance: 1 turn, phase: 0.3,\n"
    "         keys: [[0, 0], [30 ms, 100 deg], [70 ms, 1 turn]]}\n"
    "optimize:\n"
    "  parameters: {pa: {phase: crank-a}, pb: {phase: crank-b}, pc: {phase: push}, v: {motor: "
    "turn}}\n"
    "  goals:\n"
    "    one: {point: rocker-a, at: [0.1, 0, 0], position: [0.5, 0, -0.1]}\n"
    "    two: {point: rod-b, at: [0.1, 0, 0], velocity: [0.5, 0, -0.1]}\n"
    "    fin: {point: fin, at: [0, 0.1, 0], velocity: [0, 0.2, 0.1]}\n"
    "    tail: {point: tail, at: [0, 0.1, 0], velocity: [0, 0.2, 0.1]}\n"
    "    little: {motor: crank-a, weight: 1e-4}\n%s";

static void gradients_by_phases_are_those_of_differences(void** state) {
  (void)state;
  static const char* const some[] = {"sdirk2", "bdf2", "rk4"};
  for (int i = 0; i < 4; i++) {
    char whole[8000];
    problem p;
    snprintf(whole, sizeof whole, CYCLES, some[i % 3], i == 3 ? maximal : reduced, "");
    open_problem(&p, whole);
    assert_int_equal(p.o->nvalue, 3 + 2);
    check_both(&p, 1e-3, 1e-6);
    check_applied(&p);
    close_problem(&p);
  }
}

// Of a joint of which motors prescribe some coordinates, the others may start elsewhere.
static void what_motors_lead_starts_as_they_say(void** state) {
  (void)state;
  char whole[8000];
  problem p;
  snprintf(whole, sizeof whole, TEXT, "bdf2", reduced, EFFORTS);
  open_problem(&p, whole);
  for (int i = 0; i < p.scene.optimize.nparameter; i++) {
    const bool j = strcmp(p.scene.optimize.parameter[i].name + 1, "j") == 0;
    const bool place = p.scene.optimize.parameter[i].name[0] == 'q';
    const int prescribed = p.o->first[i] + (j ? 1 : 2);
    if (p.scene.optimize.parameter[i].kind == LB_PARAMETER_POSITION ||
        p.scene.optimize.parameter[i].kind == LB_PARAMETER_VELOCITY) {
      assert_true(p.o->least[prescribed] == p.o->most[prescribed]);
      assert_near(p.o->start[prescribed], place ? (j ? 0.1 : 0) : (j ? 10 : 1), 1e-12);
      assert_below(p.o->least[prescribed - 1], p.o->most[prescribed - 1]);
    }
  }
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_of_implicit_schemes_are_those_of_differences),
      cmocka_unit_test(gradients_in_maximal_coordinates_are_those_of_differences),
      cmocka_unit_test(gradients_of_explicit_schemes_are_those_of_differences),
      cmocka_unit_test(gradients_by_curves_that_flow_or_repeat_are_those_of_differences),
      cmocka_unit_test(gradients_by_phases_are_those_of_differences),
      cmocka_unit_test(what_motors_lead_starts_as_they_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
