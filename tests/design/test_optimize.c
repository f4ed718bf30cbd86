// Gradients of optimisations against differences of whole runs, and what the numbers put into a
// model do against what they do in a scene.
#include "design/optimizing.h"

// Every kind of number, with springs, cables, loads, limits, several joints and a free body. The
// integrator's name goes in.
static const char everything[] =
    "duration: 0.12 s\n"
    "solver: {integrator: %s, step: 5 ms}\n"
    "bodies:\n"
    "  base: {shape: {box: [0.4, 0.1, 0.1], position: [0.2, 0, 0]}, mass: 2 kg}\n"
    "  arm: {shape: {box: [0.5, 0.05, 0.08], position: [0.25, 0.01, 0]}, mass: 1 kg}\n"
    "  hand: {shape: {box: [0.2, 0.05, 0.05], position: [0.1, 0, 0.02]}, mass: 0.5 kg}\n"
    "  cart: {shape: {box: [0.2, 0.2, 0.1]}, mass: 1.5 kg}\n"
    "  wheel: {shape: {box: [0.3, 0.1, 0.1], position: [0.1, 0, 0]}}\n"
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
    "  axle: {type: revolute, parent: cart, child: wheel, axis: z}\n"
    "springs:\n"
    "  pull: {from: {body: hand, at: [0.2, 0, 0]}, to: {body: ball, at: [0.02, 0.01, 0.03]},\n"
    "         stiffness: 30, damping: 0.4, length: 0.3}\n"
    "  guide: {from: {body: arm, at: [0.3, 0, 0.1]}, to: {body: cart, at: [0.1, 0, 0]},\n"
    "          stiffness: 8, damping: 0.3, length: 0.1, along: y}\n"
    "cables:\n"
    "  rope: {through: [{body: base, at: [0.1, 0, 0.1]}, {body: arm, at: [0.2, 0.1, 0]},\n"
    "         {body: cart, at: [0, 0.1, 0]}], stiffness: 12, damping: 0.2, length: 0.8}\n"
    "motors:\n"
    "  swing: {joint: shoulder, drive: force, ease: linear,\n"
    "          keys: [[0, 1], [50 ms, -2], [0.1 s, 3]]}\n"
    "  turn: {joint: axle, keys: [[20 ms, 0], [60 ms, 0.2], [0.1 s, 0.1]]}\n"
    "  push: {joint: rail, spline: {from: 0, to: 0.12, degree: 3, points: [0, 0, 0.01, 0.03, "
    "0.04]}}\n"
    "loads:\n"
    "  wind: {body: arm, at: [0.4, 0, 0], force: [1, 2, -1], torque: [0.1, 0, 0.2]}\n"
    "initial:\n"
    "  shoulder: {position: 0.3, velocity: 0.5}\n"
    "  elbow: {position: [0.2, -0.3], velocity: [1, 0.5]}\n"
    "  wrist: {spin: [0.5, 1, -0.4]}\n"
    "  ball: {velocity: [1, -1, 2], spin: [3, -2, 1]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    bend: {position: elbow}\n"
    "    bend speed: {velocity: elbow}\n"
    "    turn speed: {velocity: wrist}\n"
    "    place: {position: ball}\n"
    "    throw: {velocity: ball}\n"
    "    spin: {spin: ball}\n"
    "    torque: {motor: swing}\n"
    "    path: {motor: push}\n"
    "    turn: {motor: turn}\n"
    "    weight: {mass: arm}\n"
    "    ball weight: {mass: ball}\n"
    "    longer: {length: arm}\n"
    "    base length: {length: base, along: [0.6, 0, 0.8]}\n"
    "    base weight: {mass: base}\n"
    "    hand length: {length: hand}\n"
    "    joint stiffness: {stiffness: shoulder}\n"
    "    joint damping: {damping: shoulder}\n"
    "    joint rest: {rest: shoulder}\n"
    "    ball joint damping: {damping: wrist}\n"
    "    elbow damping: {damping: elbow}\n"
    "    spring stiffness: {stiffness: pull}\n"
    "    spring damping: {damping: pull}\n"
    "    spring length: {rest: pull}\n"
    "    guide stiffness: {stiffness: guide}\n"
    "    guide damping: {damping: guide}\n"
    "    guide length: {rest: guide}\n"
    "    rope stiffness: {stiffness: rope}\n"
    "    rope damping: {damping: rope}\n"
    "    rope length: {rest: rope}\n"
    "  goals:\n"
    "    reach: {point: hand, at: [0.2, 0.01, 0], position: [1, 0.1, 0.9]}\n"
    "    speed: {point: hand, at: [0.1, 0, 0], velocity: [1, 0, 0], time: 60 ms, weight: 0.1}\n"
    "    path: {point: ball, at: [0.05, 0, 0], position: [0.4, 0, 0.4], along: xz,\n"
    "           time: [20 ms, 0.1 s], weight: 30}\n"
    "    bend: {joint: elbow, position: [0.1, 0], weight: 0.5}\n"
    "    calm: {joint: wrist, velocity: [0, 0, 0], weight: 0.01, time: [50 ms, 0.12 s]}\n"
    "    wheel: {point: wheel, at: [0.2, 0, 0], position: [0, 1, 0], time: [0, 0.12 s],\n"
    "            weight: 10}\n"
    "    effort: {motor: swing, weight: 0.1}\n";

static const char* const schemes[] = {"bdf1", "bdf2", "sdirk2", "euler", "rk4", "rk8"};
enum { IMPLICIT = 3 };

static void gradients_by_every_kind_of_number_equal_differences_of_runs(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    char text[sizeof everything + 16];
    problem p;
    double x[MOST];
    snprintf(text, sizeof text, everything, schemes[i]);
    open_problem(&p, text);
    check_gradient(&p, p.o->start, 2e-4, 1e-8);
    for (int k = 0; k < p.o->nvalue; k++) { // elsewhere, lengths and all
      x[k] = p.o->start[k] * (1 + 0.05 * sin(3. * k)) + 0.01 * cos(2. * k);
    }
    check_gradient(&p, x, 2e-4, 1e-8);
    close_problem(&p);
  }
}

static void a_scene_with_the_numbers_moves_as_the_optimisation_does(void** state) {
  (void)state;
  char text[sizeof everything + 16];
  problem p;
  snprintf(text, sizeof text, everything, "bdf2");
  open_problem(&p, text);
  check_applied(&p);
  close_problem(&p);
}

// Joints that move by charts.
static const char charts[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s, step: 5 ms}\n"
    "bodies:\n"
    "  a: {shape: {box: [0.4, 0.1, 0.1], position: [0.2, 0, 0]}}\n"
    "  b: {shape: {box: [0.3, 0.2, 0.1], position: [0.1, 0, 0]}}\n"
    "  c: {shape: {box: [0.1, 0.3, 0.1], position: [0, 0.1, 0]}}\n"
    "  d: {shape: {box: [0.1, 0.1, 0.3], position: [0, 0, 0.1]}}\n"
    "joints:\n"
    "  turn: {type: euler, order: zxy, child: a, spring: {stiffness: 2}, damping: 0.1}\n"
    "  fly: {type: free-3d, child: b, at: [1, 0, 0]}\n"
    "  screw: {type: helical, parent: a, child: c, at: [0.4, 0, 0], axis: z, pitch: 0.1}\n"
    "  table: {type: planar, parent: b, child: d, axis: x, second_axis: y,\n"
    "          spring: {stiffness: 5}}\n"
    "springs: {s: {from: {body: c}, to: {body: d}, stiffness: 10, length: 0.4}}\n"
    "initial:\n"
    "  turn: {position: [0.3, -0.2, 0.4], velocity: [1, 2, -1]}\n"
    "  fly: {position: [0.1, 0.2, 0, 0.3, 0.2, -0.1], velocity: [1, 0, 1, 2, -1, 1]}\n"
    "  screw: {velocity: 3}\n"
    "optimize:\n"
    "  parameters:\n"
    "    turn: {position: turn}\n"
    "    turning: {velocity: turn}\n"
    "    fly: {position: fly}\n"
    "    flying: {velocity: fly}\n"
    "    screw: {position: screw}\n"
    "    k: {stiffness: turn}\n"
    "    d: {damping: turn}\n"
    "    r: {rest: turn}\n"
    "    table: {stiffness: table}\n"
    "    a: {length: a}\n"
    "    b: {length: b, along: y}\n"
    "    c: {mass: c}\n"
    "  goals:\n"
    "    c: {point: c, at: [0, 0.2, 0], position: [0.5, 0.2, 0], time: [0, 0.1 s], weight: 10}\n"
    "    d: {point: d, at: [0, 0, 0.2], velocity: [0, 1, 0]}\n"
    "    fly: {joint: fly, position: [0, 0, 0, 0, 0, 0]}\n";

static void gradients_through_charts_equal_differences_of_runs(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    char text[sizeof charts + 16];
    problem p;
    snprintf(text, sizeof text, charts, schemes[i]);
    open_problem(&p, text);
    check_gradient(&p, p.o->start, 2e-4, 1e-8);
    check_applied(&p);
    close_problem(&p);
  }
}

// Loops, a coupling, and springs across them.
static const char linkage[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s, step: 4 ms%s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "  flywheel: {shape: {cylinder: {radius: 0.1, length: 0.02}}}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y, damping: 0.01}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0],\n"
    "      in_child: [0.4, 0, 0], axis: y, loop: true}\n"
    "  wheel: {type: revolute, child: flywheel, at: [0, 0.2, 0], axis: y}\n"
    "%s"
    "springs:\n"
    "  s: {from: {body: coupler, at: [0.3, 0, 0.1]}, to: {at: [0.2, 0, -0.5]}, stiffness: 40,\n"
    "      damping: 0.2, length: 0.3}\n"
    "motors:\n"
    "  drive: {joint: a, drive: force, keys: [[0, 0.3]]}\n"
    "initial:\n"
    "  a: {position: -60 deg, velocity: -1}\n"
    "  b: {position: 40 deg}\n"
    "  c: {position: -100 deg}\n"
    "optimize:\n"
    "  parameters:\n"
    "    torque: {motor: drive, knots: 4}\n"
    "    m: {mass: coupler}\n"
    "    n: {mass: rocker}\n"
    "    k: {stiffness: s}\n"
    "    d: {damping: s}\n"
    "    l: {rest: s}\n"
    "%s"
    "  goals:\n"
    "    middle: {point: coupler, at: [0.3, 0, 0.05], position: [0.2, 0, 0.3], weight: 10}\n"
    "    speed: {point: rocker, at: [0.4, 0, 0], velocity: [0.1, 0, 0.2], time: [0, 0.1 s]}\n"
    "    effort: {motor: drive}\n";

static void gradients_through_loops_and_couplings_equal_differences_of_runs(void** state) {
  (void)state;
  static const char gear[] =
      "constraints:\n"
      "  gear: {couple: [{joint: wheel}, {joint: c, times: -3}], equals: 3.49}\n";
  static const char numbers[] = "    c: {damping: c}\n"
                                "    start: {position: a}\n"
                                "    speed: {velocity: a}\n"
                                "    crank: {length: crank}\n"
                                "    coupler: {length: coupler}\n"
                                "    rocker: {length: rocker}\n";
  for (size_t i = 0; i < 2 * (sizeof schemes / sizeof *schemes); i++) {
    const bool maximal = i % 2;
    char text[sizeof linkage + sizeof gear + sizeof numbers + 100];
    problem p;
    snprintf(text, sizeof text, linkage, schemes[i / 2], maximal ? ", coordinates: maximal" : "",
             gear, numbers);
    open_problem(&p, text);
    // in maximal coordinates rounding in the runs limits what differences can show
    check_gradient(&p, p.o->start, 5e-4, maximal ? 1e-7 : 1e-8);
    check_applied(&p);
    close_problem(&p);
  }
}

// Masses change how a start that leaves loops open would be closed: it is closed as it was.
static void loops_that_the_scene_leaves_open_are_closed_once(void** state) {
  (void)state;
  for (int maximal = 0; maximal < 2; maximal++) {
    char text[sizeof linkage + 100];
    problem p;
    snprintf(text, sizeof text, linkage, "bdf2", maximal ? ", coordinates: maximal" : "", "", "");
    open_problem(&p, text);
    check_applied(&p);
    close_problem(&p);
  }
}

// A loop's joint with a rotor splits its child, and has a velocity of its own at the start.
static void joints_that_split_bodies_start_as_they_did(void** state) {
  (void)state;
  problem p;
  open_problem(&p,
               "duration: 0.1 s\n"
               "solver: {integrator: bdf2, step: 4 ms}\n"
               "bodies:\n"
               "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
               "  rod: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
               "  slider: {shape: {box: [0.1, 0.1, 0.1]}}\n"
               "joints:\n"
               "  a: {type: revolute, child: crank, axis: y}\n"
               "  b: {type: revolute, parent: crank, child: rod, at: [0.2, 0, 0], axis: y}\n"
               "  s: {type: prismatic, child: slider, at: [0.7, 0, 0], axis: x}\n"
               "  c: {type: revolute, loop: true, parent: rod, child: slider, at: [0.5, 0, 0],\n"
               "      axis: y, armature: 0.01}\n"
               "initial: {a: {position: 40 deg, velocity: 2}, b: {position: -60 deg}}\n"
               "optimize:\n"
               "  parameters: {m: {mass: rod}, speed: {velocity: a}}\n"
               "  goals: {g: {point: slider, position: [0.6, 0, 0], weight: 100}}\n");
  check_gradient(&p, p.o->start, 2e-4, 1e-8);
  check_applied(&p);
  close_problem(&p);
}

// A mass on an elastic arm that a motor prescribes.
static const char bending[] =
    "duration: 80 ms\n"
    "solver: {integrator: %s, step: %s}\n"
    "materials: {rubber: {density: 1100, young: 5 MPa, poisson: 0.45,\n"
    "                     damping: {mass: 0.1, stiffness: %s}}}\n"
    "bodies:\n"
    "  base: {shape: {box: [0.1, 0.1, 0.1]}}\n"
    "  arm: {elastic: {rod: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0]},\n"
    "                  material: rubber, accuracy: 0.2, basis: {modes: 2, derivatives: 1}}}\n"
    "  tip: {shape: {box: [0.05, 0.05, 0.05]}}\n"
    "joints:\n"
    "  turn: {type: revolute, child: base, axis: z}\n"
    "  hold: {type: fixed, parent: base, child: arm, at: [0.05, 0, 0], child_face: start}\n"
    "  carry: {type: revolute, parent: arm, face: end, child: tip, axis: y,\n"
    "          spring: {stiffness: 0.5}}\n"
    "motors:\n"
    "  lead: {joint: turn, spline: {from: 0, to: 80 ms, points: [0, 0, 0.01, 0.05, 0.06, "
    "0.06]}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    curve: {motor: lead}\n"
    "    load: {mass: tip}\n"
    "    length: {length: tip}\n"
    "    spring: {stiffness: carry}\n"
    "    start: {velocity: carry}\n"
    "  goals:\n"
    "    there: {point: tip, at: [0.03, 0, 0], position: [0.4, 0.1, 0], weight: 100}\n"
    "    calm: {point: tip, velocity: [0, 0, 0], time: [40 ms, 80 ms]}\n";

static void check_bending(const char* scheme, const char* step, const char* damping) {
  char text[sizeof bending + 32];
  problem p;
  snprintf(text, sizeof text, bending, scheme, step, damping);
  open_problem(&p, text);
  check_gradient(&p, p.o->start, 5e-4, 1e-8);
  close_problem(&p);
}

static void gradients_through_elastic_bodies_equal_differences_of_runs(void** state) {
  (void)state;
  for (size_t i = 0; i < IMPLICIT; i++) { // others cannot follow them
    check_bending(schemes[i], "2 ms", "1 ms");
  }
  check_bending("euler", "5 us", "0 s"); // but this one by short steps
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_by_every_kind_of_number_equal_differences_of_runs),
      cmocka_unit_test(a_scene_with_the_numbers_moves_as_the_optimisation_does),
      cmocka_unit_test(gradients_through_charts_equal_differences_of_runs),
      cmocka_unit_test(gradients_through_loops_and_couplings_equal_differences_of_runs),
      cmocka_unit_test(loops_that_the_scene_leaves_open_are_closed_once),
      cmocka_unit_test(joints_that_split_bodies_start_as_they_did),
      cmocka_unit_test(gradients_through_elastic_bodies_equal_differences_of_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
