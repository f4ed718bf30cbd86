// Optimisations of scenes with ropes and deformables: gradients against differences of whole runs,
// what numbers do in a scene, and what is refused.
#include "optimizing.h"

// An arm that a motor prescribes and one that a motor pushes, deformables around their joint, a
// rope and a wire that pushes, too. The integrator and its step go in.
static const char limb[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s}\n"
    "materials:\n"
    "  gel: {density: 500, young: 30 kPa, poisson: 0.3, model: corotated,\n"
    "    damping: {mass: 0.3, stiffness: 3 ms}}\n"
    "  fat: {density: 400, young: 20 kPa, poisson: 0.4}\n"
    "bodies:\n"
    "  arm: {shape: {box: [0.4, 0.06, 0.06], position: [0.2, 0, 0]}, mass: 1}\n"
    "  hand: {shape: {box: [0.3, 0.06, 0.06], position: [0.15, 0, 0]}, mass: 0.5}\n"
    "  ball: {shape: {sphere: {radius: 5 cm}}, position: [0.3, 0, -0.3]}\n"
    "  bob: {shape: {sphere: {radius: 5 cm}}, mass: 0.2}\n"
    "joints:\n"
    "  shoulder: {type: revolute, child: arm, axis: y}\n"
    "  elbow: {type: revolute, parent: arm, at: [0.4, 0, 0], child: hand, axis: z, damping: 0.01}\n"
    "  wrist: {type: revolute, parent: hand, at: [0.3, 0, 0], child: bob, axis: x, damping: 0.01}\n"
    "motors:\n"
    "  lead: {joint: shoulder, keys: [[0 s, 0 rad], [60 ms, 0.1 rad]]}\n"
    "  push: {joint: elbow, drive: force, keys: [[0 s, 1], [60 ms, 2]]}\n"
    "ropes:\n"
    "  string: {through: [{at: [0.5, 0.3, 0.4]}, {body: arm, at: [0.3, 0, 0.03]},\n"
    "    {body: hand, at: [0.2, 0, 0.03]}], segments: 5, mass: 0.1, stiffness: 200 N, slack: "
    "0.95,\n"
    "    damping: 2 ms, drag: 0.2}\n"
    "  wire: {through: [{body: hand, at: [0.3, 0, 0]}, {body: ball, at: [0, 0, 0.05]}],\n"
    "    segments: 3, mass: 0.05, stiffness: 60 N, damping: 1 ms, pushes: true}\n"
    "deformables:\n"
    "  flesh:\n"
    "    form: {box: {from: [0.2, 0, 0], to: [0.6, 0, 0], width: 0.1, height: 0.1},\n"
    "      elements: {along: 4, across: 2, around: 2},\n"
    "      parts: [{until: 0.3, material: gel}, {material: fat}]}\n"
    "    attach: [arm, hand]\n"
    "  lump:\n"
    "    form: {box: {from: [0.3, 0, -0.4], to: [0.3, 0, -0.2], width: 0.1, height: 0.1},\n"
    "      elements: {along: 2, across: 1, around: 1}, material: fat}\n"
    "    attach: [ball]\n"
    "    within: 3 cm\n"
    "optimize:\n"
    "  parameters:\n"
    "    stiff: {stiffness: string}\n"
    "    damped: {damping: string}\n"
    "    tight: {rest: string}\n"
    "    wired: {stiffness: wire}\n"
    "    wire damped: {damping: wire}\n"
    "    soft: {young: gel}\n"
    "    fatty: {young: fat}\n"
    "    curve: {motor: lead}\n"
    "    force: {motor: push}\n"
    "    weight: {mass: hand}\n"
    "    heavy: {mass: ball}\n"
    "    speed: {velocity: elbow}\n"
    "    thrown: {velocity: ball}\n"
    "    spun: {spin: ball}\n"
    "    turned: {position: wrist}\n"
    "    hinge: {damping: elbow}\n"
    "%s"
    "  goals:\n"
    "    reach: {point: hand, at: [0.3, 0, 0], position: [0.6, 0.1, 0.1], weight: 3}\n"
    "    pace: {point: ball, velocity: [0.2, 0.1, 0.3], time: [20 ms, 60 ms], weight: 20}\n"
    "    turn: {joint: wrist, position: 0.3, time: 40 ms}\n"
    "    effort: {motor: push, weight: 0.1}\n";

static void gradients_through_ropes_and_deformable_equal_differences_of_runs(void** state) {
  (void)state;
  static const char* const by[] = {"bdf1, step: 4 ms", "bdf2, step: 4 ms", "sdirk2, step: 4 ms",
                                   "euler, step: 1 ms", "rk4, step: 1 ms"};
  char text[sizeof limb + 30];
  double x[MOST];
  for (int i = 0; i < 5; i++) {
    problem p;
    snprintf(text, sizeof text, limb, by[i], "");
    open_problem(&p, text);
    for (int k = 0; k < p.o->nvalue; k++) {
      x[k] = p.o->start[k] * (1 + 0.1 * sin(3. * k));
    }
    check_gradient(&p, x, 2e-4, 1e-8);
    close_problem(&p);
  }
}

// A linkage with a string on it; the coordinates' name, and a number of a joint, go in.
static const char linkage[] =
    "duration: 60 ms\n"
    "solver: {integrator: bdf2, step: 4 ms, coordinates: %s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.02, 0.02, 0.5], position: [0, 0, 0.25]}}\n"
    "  coupler: {shape: {box: [1, 0.02, 0.02], position: [0.5, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.02, 0.02, 0.5], position: [0, 0, 0.25]}}\n"
    "joints:\n"
    "  j1: {type: revolute, child: crank, axis: y}\n"
    "  j2: {type: revolute, parent: crank, child: coupler, axis: y, at: [0, 0, 0.5]}\n"
    "  j3: {type: revolute, child: rocker, axis: y, at: [1, 0, 0]}\n"
    "  closing: {type: revolute, loop: true, parent: coupler, child: rocker, axis: y,\n"
    "            at: [1, 0, 0], in_child: [0, 0, 0.5]}\n"
    "initial: {j1: {velocity: 2 rad/s}, j2: {velocity: -2 rad/s}, j3: {velocity: 2 rad/s}}\n"
    "ropes:\n"
    "  string: {through: [{body: coupler, at: [0.2, 0, 0]}, {body: coupler, at: [0.8, 0, 0]},\n"
    "    {body: rocker, at: [0, 0, 0.1]}], segments: 9, mass: 0.2, stiffness: 40 N, slack: 0.98,\n"
    "    damping: 1 ms, pushes: true}\n"
    "optimize:\n"
    "  parameters:\n"
    "    stiff: {stiffness: string}\n"
    "    slack: {rest: string}\n"
    "    heavy: {mass: coupler}\n"
    "%s"
    "  goals:\n"
    "    there: {point: rocker, at: [0, 0, 0.5], position: [1.1, 0, 0.4]}\n"
    "    fast: {point: coupler, velocity: [1, 0, 0], time: [20 ms, 60 ms]}\n";

static void gradients_through_loops_with_ropes_equal_differences_of_runs(void** state) {
  (void)state;
  static const char* const how[][2] = {{"reduced", "    speed: {velocity: j1}\n"}, {"maximal", ""}};
  char text[sizeof linkage + 60];
  double x[MOST];
  for (int i = 0; i < 2; i++) {
    problem p;
    snprintf(text, sizeof text, linkage, how[i][0], how[i][1]);
    open_problem(&p, text);
    for (int k = 0; k < p.o->nvalue; k++) {
      x[k] = p.o->start[k] * (1 + 0.05 * sin(3. * k));
    }
    check_gradient(&p, x, 2e-4, 1e-8);
    close_problem(&p);
  }
}

static void a_scene_with_the_numbers_moves_as_the_optimisation_does(void** state) {
  (void)state;
  char text[sizeof limb + 30];
  problem p;
  snprintf(text, sizeof text, limb, "bdf2, step: 4 ms", "");
  open_problem(&p, text);
  const double before = evaluate(&p, p.o->start, NULL);
  check_applied(&p);
  // what is in the scene now is not what numbers are put into
  assert_near(evaluate(&p, p.o->start, NULL), before, 1e-12);
  close_problem(&p);
}

// --- starts ---

// Bodies with deformables and ropes on them start elsewhere, the motor's first value included, and
// one beside them gets longer.
static void gradients_by_starts_and_lengths_of_what_ropes_and_deformable_are_on(void** state) {
  (void)state;
  static const char* const by[] = {"bdf1, step: 4 ms",
                                   "bdf2, step: 4 ms",
                                   "sdirk2, step: 4 ms",
                                   "rk4, step: 1 ms",
                                   "bdf2, step: 4 ms, coordinates: maximal",
                                   "sdirk2, step: 4 ms, coordinates: maximal"};
  char text[sizeof limb + 400];
  double x[MOST];
  for (int i = 0; i < 6; i++) {
    problem p;
    snprintf(text, sizeof text, limb, by[i],
             "    bent: {position: elbow}\n"
             "    from: {position: ball}\n"
             "    round: {rotation: ball}\n"
             "    bob: {length: bob, along: [0.8, 0, 0.6]}\n");
    open_problem(&p, text);
    for (int k = 0; k < p.o->nvalue; k++) {
      x[k] = p.o->start[k] * (1 + 0.05 * sin(3. * k)) + 0.01 * cos(2. * k);
      x[k] = fmax(x[k], p.o->least[k]);
    }
    check_gradient(&p, x, 2e-4, i < 5 ? 1e-8 : 1e-7);
    check_applied(&p);
    close_problem(&p);
  }
}

// The linkage moves what its string is on, and the string's points move along bodies.
static void gradients_by_starts_and_lengths_of_a_linkage_with_a_rope(void** state) {
  (void)state;
  static const char* const how[] = {"reduced", "maximal"};
  char text[sizeof linkage + 200];
  double x[MOST];
  for (int i = 0; i < 2; i++) {
    problem p;
    snprintf(text, sizeof text, linkage, how[i],
             "    begin: {position: j1}\n"
             "    speed: {velocity: j1}\n"
             "    crank: {length: crank, along: z}\n"
             "    coupler: {length: coupler}\n"
             "    rocker: {length: rocker, along: z}\n");
    open_problem(&p, text);
    for (int k = 0; k < p.o->nvalue; k++) {
      x[k] = p.o->start[k] * (1 + 0.02 * sin(3. * k)) + 0.01 * cos(2. * k);
    }
    check_gradient(&p, x, 2e-4, i ? 1e-7 : 1e-8);
    check_applied(&p);
    close_problem(&p);
  }
}

// A deformable on one body, a rope between its points and one between it and another that moves
// alike go where it goes, without strain: what is at rest stays so.
static void what_moves_with_bodies_is_not_strained(void** state) {
  (void)state;
  static const char text[] =
      "duration: 50 ms\n"
      "gravity: [0, 0, 0]\n"
      "solver: {integrator: bdf2, step: 5 ms}\n"
      "materials: {fat: {density: 400, young: 20 kPa, poisson: 0.4}}\n"
      "bodies:\n"
      "  ball: {shape: {sphere: {radius: 5 cm}}}\n"
      "  hand: {shape: {box: [0.1, 0.02, 0.02], position: [0.05, 0, 0]}}\n"
      "joints: {wrist: {type: fixed, parent: ball, child: hand, at: [0, 0, -0.2]}}\n"
      "ropes:\n"
      "  string: {through: [{body: ball, at: [0, 0, 0.1]}, {body: hand, at: [0.1, 0, 0]}],\n"
      "    segments: 3, mass: 0.1, stiffness: 200 N, slack: 1}\n"
      "deformables:\n"
      "  lump:\n"
      "    form: {box: {from: [0, 0, -0.2], to: [0, 0, 0.05], width: 0.1, height: 0.1},\n"
      "      elements: {along: 3, across: 1, around: 1}, material: fat}\n"
      "    attach: [ball, hand]\n"
      "    within: 6 cm\n"
      "optimize:\n"
      "  parameters: {from: {position: ball}, turn: {rotation: ball}}\n"
      "  goals: {still: {point: hand, at: [0.1, 0, 0], velocity: [0, 0, 0], time: [0, 50 ms]}}\n";
  const double x[6] = {0.3, -0.2, 0.4, 0.5, -0.6, 0.7};
  problem p;
  open_problem(&p, text);
  assert_near(sqrt(evaluate(&p, x, NULL)), 0, 1e-12);
  close_problem(&p);
}

// Force of a motor that prescribes the motion of an elastic body with a rope on it.
static void gradients_of_forces_where_ropes_hang_on_elastic_bodies(void** state) {
  (void)state;
  static const char text[] =
      "duration: 40 ms\n"
      "solver: {integrator: %s, step: 4 ms}\n"
      "materials: {soft: {density: 1100, young: 20 MPa, damping: {mass: 0.3, stiffness: 1 ms}}}\n"
      "bodies:\n"
      "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.1]}}}\n"
      "  rod: {material: soft, elastic: {rod: {radius: 1 cm, to: [0.4, 0, 0.2]},\n"
      "    elements: {along: 5, across: 1}, basis: {modes: 2, derivatives: 2}}}\n"
      "  tip: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.3]}}}\n"
      "  bob: {shape: {sphere: {radius: 2 cm}}, position: [0.4, 0, 0]}\n"
      "joints:\n"
      "  shaft: {type: revolute, child: crank, axis: y}\n"
      "  pin: {type: revolute, parent: crank, child: rod, at: [0, 0, 0.1], face: start, axis: y}\n"
      "  hold: {type: revolute, parent: rod, child: tip, face: end, axis: y, damping: 0.02}\n"
      "ropes:\n"
      "  string: {through: [{body: tip, at: [0, 0, 0.2]}, {body: bob}], segments: 3, mass: 20 g,\n"
      "    stiffness: 60 N, damping: 3 ms, slack: 0.9, pushes: true}\n"
      "motors: {lead: {joint: shaft, keys: [[0, 0], [0.1, 0.2], [0.2, 0.6]]}}\n"
      "initial: {pin: {velocity: 1}, hold: {velocity: 2}}\n"
      "optimize:\n"
      "  parameters:\n"
      "    soft: {young: soft}\n"
      "    tight: {stiffness: string}\n"
      "    weight: {mass: tip}\n"
      "    from: {position: pin}\n"
      "    curve: {motor: lead}\n"
      "  goals: {effort: {motor: lead}}\n";
  static const char* const by[] = {"sdirk2", "bdf1", "bdf2"};
  double value[3];
  for (int i = 0; i < 3; i++) {
    char whole[4000];
    problem p;
    snprintf(whole, sizeof whole, text, by[i]);
    open_problem(&p, whole);
    value[i] = evaluate(&p, p.o->start, NULL);
    check_gradient(&p, p.o->start, 1e-3, 1e-7);
    close_problem(&p);
  }
  assert_below(value[0], 1);
  assert_below(value[1], 1);
  assert_below(value[2], 1); // [(N m)^2 s]
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_through_ropes_and_deformable_equal_differences_of_runs),
      cmocka_unit_test(gradients_through_loops_with_ropes_equal_differences_of_runs),
      cmocka_unit_test(a_scene_with_the_numbers_moves_as_the_optimisation_does),
      cmocka_unit_test(gradients_by_starts_and_lengths_of_what_ropes_and_deformable_are_on),
      cmocka_unit_test(gradients_by_starts_and_lengths_of_a_linkage_with_a_rope),
      cmocka_unit_test(what_moves_with_bodies_is_not_strained),
      cmocka_unit_test(gradients_of_forces_where_ropes_hang_on_elastic_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
