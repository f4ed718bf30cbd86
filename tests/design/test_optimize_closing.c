// Gradients of motions that begin open: gaps that close at a pace, in linearly implicit steps.
#include "design/optimizing_schemes.h"

// A four-bar whose parts do not meet, a gear that does not fit, and a hand away from where it is
// led.
static const char open_bar[] =
    "duration: 80 ms\n"
    "solver: {integrator: linear-euler%s, closing: %s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "  wheel: {shape: {cylinder: {radius: 6 cm, length: 3 cm}}}\n"
    "  upper: {shape: {box: [0.4, 0.05, 0.05], position: [0.2, 0, 0]}}\n"
    "  lower: {shape: {box: [0.5, 0.05, 0.05], position: [0.25, 0, 0]}}\n"
    "  flap: {shape: {box: [0.2, 0.05, 0.05], position: [0.1, 0, 0]}}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y, damping: 0.01,\n"
    "      spring: {stiffness: 0.2, rest: -1}}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0], damping: 0.02,\n"
    "      in_child: [0.4, 0, 0], axis: y, loop: true, spring: {stiffness: 0.5, rest: -2}}\n"
    "  shaft: {type: revolute, child: wheel, at: [0, 0.2, 0], axis: y}\n"
    "  shoulder: {type: euler, order: zyx, child: upper, at: [0, 1, 0], damping: 0.1}\n"
    "  elbow: {type: universal, parent: upper, child: lower, at: [0.4, 0, 0], axis: y,\n"
    "          second_axis: z, damping: 0.1}\n"
    "  wrist: {type: revolute, parent: lower, child: flap, at: [0.5, 0, 0], axis: y}\n"
    "constraints:\n"
    "  gear: {couple: [{joint: a, times: 2}, {joint: shaft}], equals: 0.1}\n"
    "  hand: {follow: {body: lower, at: [0.45, 0, 0],\n"
    "         x: {keys: [[0, 0.6], [0.1, 0.65]]}, z: {keys: [[0, 0.2], [0.1, 0.1]]}}}\n"
    "motors: {swing: {joint: wrist, spline: {from: 0, to: 0.1, points: [0.1, 0.1, 0.12, 0.15, "
    "0.2]}}}\n"
    "initial:\n"
    "  a: {position: -60 deg, velocity: -1}\n"
    "  b: {position: 45 deg}\n"
    "  c: {position: -95 deg}\n"
    "  shoulder: {position: [0.1, -0.8, 0.1], velocity: [0.2, 0, 1]}\n"
    "  elbow: {position: [1.1, 0.1]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    a: {position: a}\n"
    "    speed: {velocity: a}\n"
    "    b: {position: b}\n"
    "    c: {position: c}\n"
    "    shaft: {position: shaft}\n"
    "    turn: {velocity: shaft}\n"
    "    arm: {position: shoulder}\n"
    "    elbow: {velocity: elbow}\n"
    "    way: {motor: swing}\n"
    "    weight: {mass: coupler}\n"
    "    rocker: {length: rocker}\n"
    "    upper: {length: upper}\n"
    "    k: {stiffness: d}\n"
    "    r: {rest: d}\n"
    "    dc: {damping: c}\n"
    "  goals:\n"
    "    middle: {point: coupler, at: [0.3, 0, 0.05], position: [0.2, 0, 0.3], weight: 10}\n"
    "    turns: {joint: shaft, velocity: 0, weight: 0.01}\n"
    "    closes: {joint: d, position: -2, time: [0, 80 ms]}\n"
    "    hand: {point: lower, at: [0.5, 0, 0], position: [0.6, 1, 0.1], time: [0, 80 ms]}\n"
    "    tip: {point: flap, at: [0.2, 0, 0], velocity: [0, 0, 0], weight: 0.1}\n"
    "%s";

static void check_open(const char* text, const char* step, const char* pace, const char* more,
                       double part, double tolerance) {
  char whole[8000];
  problem p;
  snprintf(whole, sizeof whole, text, step, pace, more);
  open_problem(&p, whole);
  check_both(&p, part, tolerance);
  check_applied(&p);
  close_problem(&p);
}

static void gaps_that_close_at_a_pace(void** state) {
  (void)state;
  static const char effort[] = "    effort: {motor: swing, weight: 0.1}\n";
  check_open(open_bar, reduced, "30 ms", effort, 1e-3, 1e-8);
  check_open(open_bar, maximal, "30 ms", "", 1e-3, 1e-7);
}

// Strands and flesh begin where the bodies put them, and an elastic body straight.
static void with_strands_flesh_and_elastic_bodies(void** state) {
  (void)state;
  static const char soft[] =
      "strands:\n"
      "  rope: {through: [{body: crank, at: [0.1, 0, 0]}, {body: lower, at: [0.2, 0, 0]}],\n"
      "         segments: 4, mass: 0.1 kg, stiffness: 50 N, slack: 0.9}\n"
      "soft:\n"
      "  flesh:\n"
      "    form: {box: {from: [0, 0.3, 0], to: [0.4, 0.3, 0], width: 0.1, height: 0.1},\n"
      "           material: fat, elements: {along: 3, across: 1, around: 1}}\n"
      "    attach: [block]\n"
      "    within: 4 cm\n"
      "materials:\n"
      "  fat: {density: 400, young: 20 kPa, poisson: 0.4}\n"
      "  rubber: {density: 1100, young: 2 MPa, damping: {stiffness: 1 ms}}\n";
  char text[8000], *at;
  snprintf(text, sizeof text, open_bar, reduced, "30 ms", soft);
  static const char bodies[] =
      "bodies:\n"
      "  block: {shape: {box: [0.4, 0.05, 0.05], position: [0.2, 0, 0]}}\n"
      "  whip: {elastic: {rod: {radius: 1 cm, to: [0.2, 0, 0]}, material: rubber,\n"
      "         elements: {along: 2, across: 1}, basis: {modes: 2, derivatives: 1}}}\n"
      "  bob: {shape: {box: [0.04, 0.04, 0.04]}}\n";
  static const char joints[] =
      "joints:\n"
      "  pivot: {type: revolute, child: block, at: [0, 0.3, 0], axis: y}\n"
      "  stem: {type: fixed, parent: block, child: whip, at: [0.4, 0, 0], child_face: start}\n"
      "  tail: {type: fixed, parent: whip, face: end, child: bob}\n";
  static const char more[] = "  parameters:\n"
                             "    pivot: {position: pivot}\n"
                             "    fat: {young: fat}\n"
                             "    bend: {young: rubber}\n"
                             "    rope: {stiffness: rope}\n";
  const struct {
    const char *key, *text;
  } add[] = {{"bodies:\n", bodies}, {"joints:\n", joints}, {"  parameters:\n", more}};
  for (size_t i = 0; i < sizeof add / sizeof *add; i++) {
    char rest[8000];
    at = strstr(text, add[i].key);
    snprintf(rest, sizeof rest, "%s", at + strlen(add[i].key));
    snprintf(at, sizeof text - (size_t)(at - text), "%s%s", add[i].text, rest);
  }
  problem p;
  open_problem(&p, text);
  check_both(&p, 1e-3, 1e-8);
  check_applied(&p);
  close_problem(&p);
}

// Faster than a step they close within it.
static void gaps_that_close_in_the_first_step(void** state) {
  (void)state;
  check_open(open_bar, reduced, "1 ms", "", 2e-4, 1e-8);
  check_open(open_bar, maximal, "1 ms", "", 4e-4, 1e-7);
}

// A box that starts in the floor, one that comes down to it, and an arm that comes to its stop.
static const char in_floor[] =
    "duration: 80 ms\n"
    "solver: {integrator: linear-euler%s, closing: %s}\n"
    "bodies:\n"
    "  low: {shape: {box: [0.4, 0.3, 0.1]}, mass: 2 kg, position: [0, 0, 0.03],\n"
    "        rotation: [0, 5 deg, 0]}\n"
    "  high: {shape: {box: [0.4, 0.3, 0.1]}, mass: 1 kg, position: [2, 0, 0.1]}\n"
    "  arm: {shape: {box: [0.4, 0.05, 0.04], position: [0.2, 0, 0]}}\n"
    "joints: {hinge: {type: revolute, parent: high, child: arm, at: [0, 0, 1], axis: y}}\n"
    "constraints:\n"
    "  under: {floor: {body: low, points: [{at: [-0.2, -0.1, -0.05]}, {at: [0.2, 0, -0.05]},\n"
    "    {at: [-0.2, 0.1, -0.05]}], height: 0}}\n"
    "  below: {floor: {body: high, points: [{at: [0, 0, -0.05]}], height: 0}}\n"
    "  stop: {couple: [{joint: hinge}], at_most: 0.2}\n"
    "initial:\n"
    "  high: {velocity: [1, 0, -2]}\n"
    "  hinge: {position: 0.15, velocity: 2}\n"
    "optimize:\n"
    "  parameters:\n"
    "    place: {position: low}\n"
    "    turn: {rotation: low}\n"
    "    fall: {velocity: high}\n"
    "    lift: {position: hinge}\n"
    "    weight: {mass: low}\n"
    "    arm: {length: arm}\n"
    "  goals:\n"
    "    low: {point: low, at: [0.2, 0.1, 0], position: [0.1, 0, 0.1], time: [0, 80 ms]}\n"
    "    high: {point: high, at: [0.1, 0, 0], velocity: [0, 0, 0], weight: 0.1}\n"
    "    arm: {point: arm, at: [0.4, 0, 0], position: [2, 0, 1], time: [0, 80 ms]}\n"
    "%s";

static void floors_and_stops_that_push_out_at_a_pace(void** state) {
  (void)state;
  check_open(in_floor, reduced, "30 ms", "", 3e-4, 1e-8);
  check_open(in_floor, maximal, "30 ms", "", 3e-4, 1e-7);
}

// A simulation of the scene that numbers are written into begins with the same things in touch.
static void simulations_play_it_again(void** state) {
  (void)state;
  static const char box[] =
      "duration: 80 ms\n"
      "solver: {integrator: linear-euler%s, closing: 30 ms}\n"
      "record: {every: 80 ms}\n"
      "bodies:\n"
      "  box: {shape: {box: [0.4, 0.3, 0.1]}, mass: 2 kg, position: [0, 0, 0.03],\n"
      "        rotation: [0, 5 deg, 0]}\n"
      "constraints:\n"
      "  under: {floor: {body: box, points: [{at: [-0.2, -0.1, -0.05]}, {at: [0.2, 0, -0.05]},\n"
      "    {at: [-0.2, 0.1, -0.05]}], height: 0}}\n"
      "optimize:\n"
      "  parameters: {place: {position: box}, turn: {rotation: box}}\n"
      "  goals: {there: {point: box, position: [0, 0, 0]}}\n";
  static const char* const coordinates[] = {", step: 4 ms", ", step: 4 ms, coordinates: maximal"};
  for (int i = 0; i < 2; i++) {
    char text[2000];
    problem p;
    const double x[6] = {0.02, 0.01, 0.01, 0.03, -0.02, 0.04};
    lb_error err = lb_error_make(NULL);
    lb_model* m = NULL;
    lb_recording* r = NULL;
    lb_summary summary;
    const lb_simulate_options options = lb_simulate_default();
    snprintf(text, sizeof text, box, coordinates[i]);
    open_problem(&p, text);
    const double value = evaluate(&p, x, NULL);
    assert_int_equal(lb_optimization_apply(p.o, x, &p.scene, &err), LB_OK);
    assert_int_equal(lb_model_create(&p.scene, NULL, &m, &err), LB_OK);
    assert_int_equal(lb_recording_create(m, 2, NULL, &r, &err), LB_OK);
    assert_int_equal(lb_simulate(m, &options, r, &summary, &err), LB_OK);
    const lb_vec3 end = r->pose[(r->nframe - 1) * m->nbody].p;
    assert_near(lb_vec3_dot(end, end), value, 1e-12);
    lb_recording_release(r);
    lb_model_release(m);
    close_problem(&p);
  }
}

// A joint with coordinates that closes a loop starts as the scene has it, also where numbers are
// written into a scene in which its bodies are elsewhere.
static void a_scene_with_the_numbers_closes_its_gaps_alike(void** state) {
  (void)state;
  static const char text[] =
      "duration: 60 ms\n"
      "solver: {integrator: %s%s}\n"
      "bodies:\n"
      "  arm: {mass: 2, center: [0.1, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"
      "  hand: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
      "joints:\n"
      "  s: {type: spherical, child: arm}\n"
      "  f: {type: universal, parent: arm, child: hand, at: [0, 0, 1], axis: x, second_axis: y}\n"
      "  g: {type: euler, order: xyz, child: hand, at: [1, 0, 1], in_child: [1, 0, 0], loop: "
      "true,\n"
      "      damping: 0.1, spring: {stiffness: 20}}\n"
      "initial: {s: {spin: [1, 2, 3]}}\n"
      "optimize:\n"
      "  parameters: {qf: {position: f}, vs: {velocity: s}, rest: {rest: g}, size: {length: arm}}\n"
      "  goals:\n"
      "    tip: {point: hand, at: [0.1, 0, 0], position: [0.5, 0, -0.1]}\n"
      "    fly: {point: hand, at: [0, 0.1, 0], velocity: [0, 0.2, 0.1]}\n";
  static const char* const coordinates[] = {", step: 4 ms, closing: 30 ms",
                                            ", step: 4 ms, closing: 30 ms, coordinates: maximal"};
  for (int i = 0; i < 2; i++) {
    char whole[4000];
    problem p;
    snprintf(whole, sizeof whole, text, "linear-euler", coordinates[i]);
    open_problem(&p, whole);
    check_both(&p, 1e-3, 1e-6);
    check_applied(&p);
    close_problem(&p);
  }
}

// Each step takes dt / T off a gap, so where it has to begin to end at a place is known.
static void a_gap_falls_by_a_power(void** state) {
  (void)state;
  problem p;
  double x = 0, value = 0;
  lb_error err = lb_error_make(NULL);
  open_problem(&p, "duration: 0.2 s\n"
                   "solver: {integrator: linear-euler, step: 10 ms, closing: 50 ms}\n"
                   "bodies: {cart: {shape: {box: [0.1, 0.1, 0.1]}}}\n"
                   "joints: {rail: {type: prismatic, child: cart, axis: x}}\n"
                   "constraints: {home: {couple: [{joint: rail}], equals: 0.1}}\n"
                   "initial: {rail: {position: 1}}\n"
                   "optimize:\n"
                   "  parameters: {from: {position: rail}}\n"
                   "  goals: {end: {joint: rail, position: 0.12}}\n");
  const double left = pow(1 - 0.2, 20);
  double g = 0;
  x = p.o->start[0];
  assert_near(evaluate(&p, &x, &g), pow(0.9 * left - 0.02, 2), 1e-14);
  assert_near(g, 2 * (0.9 * left - 0.02) * left, 1e-12);
  const lb_optimize_options options = {0};
  assert_int_equal(lb_optimize_run(p.o, &options, &x, &value, &err), LB_OK);
  assert_near(x, 0.1 + 0.02 / left, 1e-6);
  close_problem(&p);
}

// The scene that they would be written into would be refused.
static void numbers_beyond_a_limit_are_not_tried(void** state) {
  (void)state;
  char text[8000];
  problem p;
  double x[MOST], value = 0;
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, in_floor, reduced, "30 ms", "");
  open_problem(&p, text);
  memcpy(x, p.o->start, (size_t)p.o->nvalue * sizeof *x);
  x[p.o->first[3]] = 0.21;
  assert_int_equal(lb_optimization_evaluate(p.o, x, &value, NULL, &err), LB_FAILED);
  assert_non_null(strstr(err.message[0].text, "'stop' does not hold at the start"));
  lb_error_clear(&err);
  close_problem(&p);
}

static void joints_that_close_loops_start_as_the_others_put_them(void** state) {
  (void)state;
  char text[8000], *at;
  lb_scene scene;
  lb_optimization* o = NULL;
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, open_bar, reduced, "30 ms", "");
  at = strstr(text, "    c: {position: c}");
  at[strlen("    c: {position: ")] = 'd';
  assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_optimization_create(&scene, NULL, &o, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "parameter 'c': joint 'd' closes a loop"));
  assert_true(err.message[0].place.line > 0);
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_that_close_at_a_pace),
      cmocka_unit_test(with_strands_flesh_and_elastic_bodies),
      cmocka_unit_test(gaps_that_close_in_the_first_step),
      cmocka_unit_test(floors_and_stops_that_push_out_at_a_pace),
      cmocka_unit_test(simulations_play_it_again),
      cmocka_unit_test(a_scene_with_the_numbers_closes_its_gaps_alike),
      cmocka_unit_test(a_gap_falls_by_a_power),
      cmocka_unit_test(numbers_beyond_a_limit_are_not_tried),
      cmocka_unit_test(joints_that_close_loops_start_as_the_others_put_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
