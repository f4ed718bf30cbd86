// Gradients by numbers of composite joints' parts: springs, dampers, rests and starts of each.
#include "design/optimizing_schemes.h"

// An arm on a chain of a hinge, a slide and a joint in the plane, a hand on one of angles, and a
// bar that a chain holds to the world where it closes a loop.
static const char chains[] =
    "duration: 80 ms\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  arm: {shape: {box: [0.4, 0.1, 0.05], position: [0.2, 0, 0]}, mass: 1 kg}\n"
    "  hand: {shape: {box: [0.2, 0.05, 0.1], position: [0.1, 0, 0]}, mass: 0.5 kg}\n"
    "  bar: {shape: {box: [0.3, 0.05, 0.05], position: [0.15, 0, 0]}, mass: 0.7 kg}\n"
    "joints:\n"
    "  shoulder:\n"
    "    type: composite\n"
    "    child: arm\n"
    "    at: [0, 0, 1]\n"
    "    parts:\n"
    "      - {type: revolute, axis: y, damping: 0.1, spring: {stiffness: 3, rest: 0.1}}\n"
    "      - {type: fixed, at: [0, 0, 0.1]}\n"
    "      - {type: prismatic, axis: z, damping: 2, spring: {stiffness: 50, rest: 0.02}}\n"
    "      - {type: free-2d, at: [0.02, 0, 0], damping: 1, turn_damping: 0.1,\n"
    "         spring: {stiffness: 40, turn_stiffness: 2}}\n"
    "  wrist:\n"
    "    type: composite\n"
    "    parent: arm\n"
    "    child: hand\n"
    "    at: [0.4, 0, 0]\n"
    "    parts:\n"
    "      - {type: universal, axis: y, second_axis: z, damping: 0.02,\n"
    "         spring: {stiffness: 1, rest: [0.1, -0.2]}}\n"
    "      - type: composite\n"
    "        parts: [{type: revolute, axis: x, spring: {stiffness: 0.5, rest: 0.3}, damping: "
    "0.01},\n"
    "          {type: prismatic, axis: x, spring: {stiffness: 30, rest: 0.01}}]\n"
    "  swing: {type: revolute, child: bar, at: [1, 0, 0], axis: y}\n"
    "  guide:\n"
    "    type: composite\n"
    "    child: bar\n"
    "    at: [1.3, 0, 0]\n"
    "    in_child: [0.3, 0, 0]\n"
    "    loop: true\n"
    "    parts:\n"
    "      - {type: prismatic, axis: x, damping: 1, spring: {stiffness: 60, rest: -0.02}}\n"
    "      - {type: prismatic, axis: z, damping: 2, spring: {stiffness: 40, rest: 0.03}}\n"
    "      - {type: revolute, axis: y, damping: 0.1, spring: {stiffness: 4, rest: 0.2}}\n"
    "initial:\n"
    "  shoulder: {position: [0.2, 0.03, 0.01, 0.02, 0.1], velocity: [1, 0.1, 0, 0.2, 0.5]}\n"
    "  wrist: {position: [0.2, 0.1, 0.3, 0], velocity: [1, 0, 2, 0]}\n"
    "  swing: {position: 0.1, velocity: 1}\n"
    "optimize:\n"
    "  parameters:\n"
    "    k1: {stiffness: shoulder, part: 1, at_most: 10 N m/rad}\n"
    "    d1: {damping: shoulder, part: 1}\n"
    "    r1: {rest: shoulder, part: 1, at_least: -90 deg}\n"
    "    k3: {stiffness: shoulder, part: 3}\n"
    "    d3: {damping: shoulder, part: 3, at_most: 10 N s/m}\n"
    "    r3: {rest: shoulder, part: 3}\n"
    "    k4: {stiffness: shoulder, part: 4}\n"
    "    d4: {damping: shoulder, part: 4}\n"
    "    t4: {turn_stiffness: shoulder, part: 4}\n"
    "    u4: {turn_damping: shoulder, part: 4}\n"
    "    r4: {rest: shoulder, part: 4}\n"
    "    p3: {position: shoulder, part: 3, at_least: -1 m}\n"
    "    v4: {velocity: shoulder, part: 4}\n"
    "    p2: {position: wrist, part: 2}\n"
    "    v1: {velocity: wrist, part: 1}\n"
    "    kw: {stiffness: wrist, part: 1}\n"
    "    rw: {rest: wrist}\n"
    "    k2: {stiffness: guide, part: 2}\n"
    "    d2: {damping: guide, part: 2}\n"
    "    rg: {rest: guide}\n"
    "    kg: {stiffness: guide, part: 3}\n"
    "    pg: {position: guide, part: 3}\n"
    "    vg: {velocity: guide, part: 3}\n"
    "  goals:\n"
    "    reach: {point: hand, at: [0.2, 0.01, 0], position: [0.5, 0.1, 0.9], time: [0, 80 ms]}\n"
    "    speed: {point: hand, velocity: [0, 0, 0], weight: 0.1}\n"
    "    bar: {point: bar, at: [0.3, 0, 0], position: [1.2, 0, 0], weight: 10, time: [0, 80 ms]}\n"
    "%s";

static void numbers_of_parts(void** state) {
  (void)state;
  check_schemes(SCHEMES, chains, false, "", 5e-4, 1e-8);
  check_schemes(SCHEMES, chains, true, "", 1e-3, 1e-7);
}

static void numbers_of_parts_in_explicit_steps(void** state) {
  (void)state;
  static const char* const by[] = {"euler", "rk4", "rk8"};
  for (int i = 0; i < 6; i++) {
    char text[8000];
    problem p;
    snprintf(text, sizeof text, chains, by[i / 2], i % 2 ? maximal : reduced, "");
    open_problem(&p, text);
    check_both(&p, 5e-4, 1e-8);
    check_applied(&p);
    close_problem(&p);
  }
}

// A weight on a slide in a chain comes to rest where its spring holds it: m g / k below its rest.
static void a_part_gets_as_stiff_as_it_must_be(void** state) {
  (void)state;
  problem p;
  double x[2], value = 0;
  lb_error err = lb_error_make(NULL);
  open_problem(&p, "duration: 4 s\n"
                   "gravity: [0, 0, -10]\n"
                   "solver: {integrator: bdf1, step: 50 ms}\n"
                   "bodies: {load: {mass: 2 kg, inertia: [1, 1, 1]}}\n"
                   "joints:\n"
                   "  hang: {type: composite, child: load, parts: [\n"
                   "    {type: revolute, axis: z, spring: {stiffness: 5}},\n"
                   "    {type: prismatic, axis: z, spring: {stiffness: 100}, damping: 30}]}\n"
                   "initial: {hang: {position: [0, -0.2]}}\n"
                   "optimize:\n"
                   "  tolerance: 1e-12\n"
                   "  parameters: {k: {stiffness: hang, part: 2}}\n"
                   "  goals: {low: {joint: hang, position: [0, -0.1]}}\n");
  x[0] = p.o->start[0];
  assert_near(x[0], 100, 0);
  const lb_optimize_options options = {0};
  assert_int_equal(lb_optimize_run(p.o, &options, x, &value, &err), LB_OK);
  assert_near(x[0], 200, 1e-5);
  close_problem(&p);
}

// What one parameter changes no other does: a part, and all of them.
static void parts_and_the_whole_are_not_both_named(void** state) {
  (void)state;
  static const char text[] =
      "bodies: {arm: {shape: {box: [1, 0.1, 0.1]}}}\n"
      "joints:\n"
      "  wrist: {type: composite, child: arm, parts: [{type: revolute, axis: z},\n"
      "    {type: prismatic, axis: x}]}\n"
      "optimize:\n"
      "  parameters:\n"
      "    one: {rest: wrist, part: 1}\n"
      "    two: {rest: wrist, part: 2}\n"
      "    both: {rest: wrist}\n"
      "  goals: {g: {point: arm, position: [0, 0, 0]}}\n";
  lb_scene scene;
  lb_optimization* o = NULL;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_optimization_create(&scene, NULL, &o, &err), LB_INVALID);
  assert_int_equal(err.message[0].place.line, 9);
  assert_non_null(strstr(err.message[0].text, "'both' changes what 'one' changes"));
  lb_error_clear(&err);
  scene.optimize.parameter[1].part = 3; // as a program may have it
  assert_int_equal(lb_scene_check(&scene, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "joint 'wrist' has no part 3"));
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_of_parts),
      cmocka_unit_test(numbers_of_parts_in_explicit_steps),
      cmocka_unit_test(a_part_gets_as_stiff_as_it_must_be),
      cmocka_unit_test(parts_and_the_whole_are_not_both_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
