// Joints that the model has no coordinates for: goals about them, and where they start.
#include "design/optimizing_schemes.h"

// Every joint that is taken apart, and one that stays.
static const char limb[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  base: {shape: {box: [0.3, 0.1, 0.1], position: [0.15, 0, 0]}}\n"
    "  arm: {shape: {box: [0.4, 0.05, 0.08], position: [0.2, 0.01, 0]}, drag: 0.4}\n"
    "  hand: {shape: {box: [0.2, 0.05, 0.05], position: [0.1, 0, 0.02]}}\n"
    "  cart: {shape: {box: [0.2, 0.2, 0.1]}, mass: 1.5 kg}\n"
    "  mast: {shape: {box: [0.1, 0.1, 0.4], position: [0, 0, 0.2]}}\n"
    "  screw: {shape: {box: [0.1, 0.2, 0.1]}, mass: 0.5 kg}\n"
    "joints:\n"
    "  shoulder: {type: revolute, child: base, at: [0, 0, 1], axis: y}\n"
    "  elbow: {type: universal, parent: base, child: arm, at: [0.3, 0, 0], axis: y,\n"
    "          second_axis: z, damping: 0.05}\n"
    "  wrist: {type: spherical, parent: arm, child: hand, at: [0.4, 0, 0], damping: 0.02,\n"
    "          in_child: [-0.02, 0, 0], spring: {stiffness: 0.5}}\n"
    "  rail: {type: prismatic, child: cart, axis: x, at: [0, 1, 0]}\n"
    "  tilt: {type: revolute, parent: cart, child: mast, axis: y}\n"
    "  thread: {type: helical, parent: mast, child: screw, at: [0, 0, 0.4], axis: z, pitch: 0.1}\n"
    "springs:\n"
    "  pull: {from: {body: hand, at: [0.2, 0, 0]}, to: {body: mast, at: [0, 0, 0.4]},\n"
    "         stiffness: 10, damping: 0.4, length: 0.3}\n"
    "initial:\n"
    "  shoulder: {position: 7, velocity: 0.5}\n"
    "  elbow: {position: [0.2, -0.3], velocity: [1, 0.5]}\n"
    "  wrist: {spin: [0.5, 1, -0.4]}\n"
    "  thread: {position: 0.2, velocity: 2}\n"
    "optimize:\n"
    "  parameters:\n"
    "    lift: {position: shoulder}\n"
    "    bend: {position: elbow}\n"
    "    bend speed: {velocity: elbow}\n"
    "    turn: {position: wrist}\n"
    "    turn speed: {velocity: wrist}\n"
    "    push: {velocity: rail}\n"
    "    base: {length: base}\n"
    "    weight: {mass: arm}\n"
    "    dw: {damping: wrist}\n"
    "  goals:\n"
    "    lift: {joint: shoulder, position: 6.8}\n"
    "    lift speed: {joint: shoulder, velocity: 0.4, time: [20 ms, 80 ms]}\n"
    "    bend: {joint: elbow, position: [0.3, 0.4], time: [20 ms, 0.1 s]}\n"
    "    bend speed: {joint: elbow, velocity: [0.3, -2], weight: 0.1}\n"
    "    spin: {joint: wrist, velocity: [2, 1, 0], weight: 0.1}\n"
    "    way: {joint: rail, position: 0.1, weight: 10}\n"
    "    speed: {joint: rail, velocity: 0.1}\n"
    "    thread: {joint: thread, position: 0.1}\n"
    "    tilt: {joint: tilt, velocity: 0.2, time: [0, 40 ms], weight: 0.1}\n"
    "%s";

static void goals_about_joints_in_maximal_coordinates(void** state) {
  (void)state;
  check_scene(limb, false, "", 1e-3, 1e-8);
  check_scene(limb, true, "", 1e-3, 1e-7);
}

// Every goal of a motion by short steps: the two kinds of coordinates measure the same.
static void both_coordinates_measure_joints_alike(void** state) {
  (void)state;
  double goal[2][9];
  for (int k = 0; k < 2; k++) {
    char text[8000];
    problem p;
    snprintf(text, sizeof text, limb, "sdirk2",
             k ? ", step: 0.5 ms, coordinates: maximal" : ", step: 0.5 ms", "");
    open_problem(&p, text);
    evaluate(&p, p.o->start, NULL);
    memcpy(goal[k], p.o->goal, sizeof goal[k]);
    close_problem(&p);
  }
  for (int i = 0; i < 9; i++) {
    assert_near(goal[1][i] / goal[0][i], 1, 1e-5);
  }
}

// A wheel begins at 3 rad and turns at 50 rad/s, almost four times around.
static void turns_are_counted(void** state) {
  (void)state;
  problem p;
  double g = NAN;
  open_problem(&p, "duration: 0.5 s\n"
                   "gravity: [0, 0, 0]\n"
                   "solver: {integrator: bdf1, step: 20 ms, coordinates: maximal}\n"
                   "bodies: {wheel: {shape: {cylinder: {radius: 0.1, length: 0.1}}}}\n"
                   "joints: {axle: {type: revolute, child: wheel, axis: z}}\n"
                   "initial: {axle: {position: 3, velocity: 50}}\n"
                   "optimize:\n"
                   "  parameters: {v: {velocity: axle}}\n"
                   "  goals: {there: {joint: axle, position: 27}}\n");
  // a step of BDF1 turns a body by 2 atan(h w / 2)
  assert_near(sqrt(evaluate(&p, p.o->start, &g)), 27 - (3 + 25 * 2 * atan(0.5)), 1e-9);
  assert_true(g != 0);
  close_problem(&p);
}

// --- joints that close loops ---

static const char closed[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y, damping: 0.01}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0], damping: 0.02,\n"
    "      in_child: [0.4, 0, 0], axis: y, loop: true, spring: {stiffness: 0.5, rest: -2}}\n"
    "initial:\n"
    "  a: {position: -60 deg, velocity: -1}\n"
    "  b: {position: 40 deg}\n"
    "  c: {position: -100 deg}\n"
    "optimize:\n"
    "  parameters:\n"
    "    kd: {stiffness: d}\n"
    "    m: {mass: rocker}\n"
    "    start: {velocity: a}\n"
    "  goals:\n"
    "    so: {joint: d, position: -1, time: [0, 0.1 s], weight: 10}\n"
    "    slow: {joint: d, velocity: 0}\n"
    "%s";

static void goals_about_joints_that_close_loops(void** state) {
  (void)state;
  check_scene(closed, false, "", 1e-3, 1e-8);
  check_scene(closed, true, "", 1e-3, 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(goals_about_joints_in_maximal_coordinates),
      cmocka_unit_test(both_coordinates_measure_joints_alike),
      cmocka_unit_test(turns_are_counted),
      cmocka_unit_test(goals_about_joints_that_close_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
