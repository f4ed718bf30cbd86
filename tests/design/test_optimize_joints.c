// Joints that the model has no coordinates for: goals about them, and where they start.
#include "design/optimizing_schemes.h"

// Every joint that is taken apart, and one that stays.
static const char limb[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  base: {shape: {box: [0.3, 0.1, 0.1], position: [0.15, 0, 0]}}\n"
    "  arm: {shape: {box: [0.4, 0.05, 0.08], position: [0.2, 0.01, 0]}, drag: 0.4, air_drag: 0.3}\n"
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
  check_schemes(SCHEMES, limb, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, limb, true, "", 1e-3, 1e-7);
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
  assert_near(sqrt(evaluate(&p, p.o->start, &g)), 28 - 27, 1e-9);
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
  check_schemes(SCHEMES, closed, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, closed, true, "", 1e-3, 1e-7);
}

// Every joint that has constraints of its own closes a loop, and one that has a rotor, whose body
// is split: that one starts as numbers say.
static const char split_start[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "  cart: {shape: {box: [0.1, 0.1, 0.1]}, position: [0.3, 1, 0]}\n"
    "  cross: {shape: {box: [0.2, 0.1, 0.3]}, position: [0, 2, 0]}\n"
    "  globe: {shape: {box: [0.2, 0.1, 0.3]}, position: [0, 3, 0], rotation: [20 deg, 0, 10 "
    "deg]}\n"
    "  flap: {shape: {box: [0.2, 0.1, 0.3]}, position: [0, 4, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y, damping: 0.01}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0], damping: 0.02,\n"
    "      in_child: [0.4, 0, 0], axis: y, loop: true, spring: {stiffness: 0.5, rest: -2}}\n"
    "  slide: {type: prismatic, child: cart, at: [0.3, 1, 0], axis: x, loop: true, damping: 3,\n"
    "          spring: {stiffness: 50, rest: 0.05}}\n"
    "  turn: {type: universal, child: cross, at: [0, 2, 0], axis: y, second_axis: z, loop: true,\n"
    "         damping: 0.2, spring: {stiffness: 30, rest: [0.3, -0.2]}}\n"
    "  ball: {type: spherical, child: globe, at: [0, 3, 0], loop: true, damping: 0.3,\n"
    "         spring: {stiffness: 20}}\n"
    "  hinge: {type: revolute, child: flap, at: [0, 4, 0], axis: y, loop: true, armature: 0.01}\n"
    "initial:\n"
    "  a: {position: -60 deg, velocity: -1}\n"
    "  b: {position: 40 deg}\n"
    "  c: {position: -100 deg}\n"
    "  globe: {spin: [0.5, 1, 0]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    kd: {stiffness: d}\n"
    "    place: {position: a}\n"
    "    speed: {velocity: c}\n"
    "    flap: {position: hinge}\n"
    "    flap speed: {velocity: hinge}\n"
    "  goals:\n"
    "    middle: {point: coupler, at: [0.3, 0, 0.05], position: [0.2, 0, 0.3], weight: 10}\n"
    "    cart: {point: cart, position: [0.4, 1, 0], time: [0, 0.1 s], weight: 100}\n"
    "    cross: {point: cross, at: [0.2, 0.1, 0.1], position: [0.2, 2, 0], weight: 3}\n"
    "    globe: {point: globe, at: [0.2, 0.1, 0.1], velocity: [0, 0, 0], weight: 0.1}\n"
    "    flap: {joint: hinge, position: 0.2}\n"
    "    fast: {joint: hinge, velocity: 0.2, weight: 0.1}\n"
    "%s";

static void starts_of_joints_that_split_bodies(void** state) {
  (void)state;
  check_schemes(SCHEMES, split_start, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, split_start, true, "", 1e-3, 1e-7);
}

// --- constraints that give a rate ---

// A crank that turns at a rate drives a rocker; a raft is prescribed at a velocity and a spin; a
// gear runs at a rate of its own.
static const char velocity_level[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "  raft: {shape: {box: [0.3, 0.2, 0.1]}, position: [0, 1, 0], rotation: [0, 0, 20 deg]}\n"
    "  pole: {shape: {box: [0.05, 0.05, 0.5], position: [0, 0, 0.25]}}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y, damping: 0.01}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0],\n"
    "      in_child: [0.4, 0, 0], axis: y, loop: true, spring: {stiffness: 0.5, rest: -2}}\n"
    "  swing: {type: revolute, parent: raft, child: pole, at: [0.1, 0, 0], axis: y}\n"
    "constraints:\n"
    "  drive: {couple: [{joint: a}], path: {rates: [[0, -2], [0.1, -3]]}}\n"
    "  tow: {follow: {body: raft, at: [0.1, 0, 0], along: xy, x: {rates: [[0, 0.5], [0.1, 0.7]]},\n"
    "        y: {rates: [[0, 0.1]]}, turn: {about: z, rates: [[0, 1], [0.1, 2]]}}}\n"
    "initial:\n"
    "  a: {position: -60 deg}\n"
    "  b: {position: 40 deg}\n"
    "  c: {position: -100 deg}\n"
    "  raft: {velocity: [0, 0, 0.3]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    k: {stiffness: d}\n"
    "    begin: {position: a}\n"
    "    raft: {position: raft}\n"
    "    turn: {rotation: raft}\n"
    "    swing: {position: swing}\n"
    "    swing speed: {velocity: swing}\n"
    "    crank: {length: crank}\n"
    "    rocker: {length: rocker}\n"
    "    pole: {length: pole, along: z}\n"
    "  goals:\n"
    "    middle: {point: coupler, at: [0.3, 0, 0.05], position: [0.2, 0, 0.3], weight: 10}\n"
    "    fast: {joint: c, velocity: 1}\n"
    "    tip: {point: pole, at: [0, 0, 0.5], position: [0.2, 1, 0.4], time: [0, 0.1 s]}\n"
    "    slow: {point: raft, at: [0.1, 0.1, 0], velocity: [0, 0, 0]}\n"
    "%s";

static void starts_and_lengths_where_rates_are_given(void** state) {
  (void)state;
  check_schemes(SCHEMES, velocity_level, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, velocity_level, true, "", 1e-3, 1e-7);
}

// --- bodies that loops split ---

// A rocker that a joint with a rotor and friction holds, and one with limits, at another place.
static const char split[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.03], position: [0.2, 0.01, 0]}, drag: 0.3}\n"
    "  cart: {shape: {box: [0.1, 0.1, 0.1]}, mass: 2 kg}\n"
    "  rod: {shape: {box: [0.3, 0.03, 0.02], position: [0.15, 0, 0]}, mass: 1 kg}\n"
    "  flap: {shape: {box: [0.2, 0.1, 0.02], position: [0.1, 0, 0]}}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y, damping: 0.01}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0], damping: 0.02,\n"
    "      in_child: [0.4, 0, 0], axis: y, loop: true, armature: 0.002,\n"
    "      friction: 0.01, friction_speed: 0.5, spring: {stiffness: 0.5, rest: -2}}\n"
    "  rail: {type: prismatic, child: cart, axis: x, at: [0.6, 0, 0.3]}\n"
    "  e: {type: revolute, parent: cart, child: rod, axis: y}\n"
    "  f: {type: revolute, parent: rod, child: rocker, at: [0.25, 0, 0], axis: y, loop: true,\n"
    "      in_child: [0.25, 0, 0.03], limits: {lower: 2, upper: 2.45, stiffness: 2}}\n"
    "  hang: {type: spherical, parent: rocker, child: flap, at: [0.3, 0.1, 0], damping: 0.01}\n"
    "initial:\n"
    "  a: {position: -60 deg, velocity: -1}\n"
    "  b: {position: 40 deg}\n"
    "  c: {position: -57 deg}\n"
    "  e: {position: 162 deg}\n"
    "  rail: {position: 0.25}\n"
    "optimize:\n"
    "  parameters:\n"
    "    dd: {damping: c}\n"
    "    kd: {stiffness: d}\n"
    "    weight: {mass: rocker}\n"
    "    coupler: {length: coupler}\n"
    "    rod: {length: rod}\n"
    "    begin: {position: a}\n"
    "  goals:\n"
    "    middle: {point: coupler, at: [0.3, 0, 0.05], position: [0.2, 0, 0.3], weight: 10}\n"
    "    flap: {point: flap, at: [0.2, 0, 0.05], position: [0.2, 0, 0.3], time: [0, 0.1 s]}\n"
    "    fast: {joint: d, velocity: 1}\n"
    "%s";

static void lengths_beside_bodies_that_loops_split(void** state) {
  (void)state;
  check_schemes(SCHEMES, split, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, split, true, "", 1e-3, 1e-7);
}

// --- frames that are prescribed ---

// A platform begins turned from how the scene has it, and so does the hand of an arm.
static const char turned[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  platform: {shape: {box: [0.4, 0.3, 0.1]}, rotation: [10 deg, 0, 20 deg]}\n"
    "  pole: {shape: {box: [0.05, 0.05, 0.5], position: [0, 0, 0.25]}}\n"
    "  arm: {shape: {box: [0.4, 0.05, 0.05], position: [0.2, 0, 0]}}\n"
    "  hand: {shape: {box: [0.2, 0.05, 0.1], position: [0.1, 0, 0]}}\n"
    "joints:\n"
    "  swing: {type: universal, parent: platform, child: pole, at: [0.1, 0, 0], axis: x,\n"
    "          second_axis: y, damping: 0.1}\n"
    "  shoulder: {type: spherical, child: arm, at: [0, 1, 0]}\n"
    "  wrist: {type: spherical, parent: arm, child: hand, at: [0.4, 0, 0]}\n"
    "constraints:\n"
    "  lead: {follow: {body: platform, x: {keys: [[0, 0.1], [0.1, 0.2]]},\n"
    "         turn: {about: z, keys: [[0, 0.3], [0.1, 0.5]]}}}\n"
    "  level: {follow: {body: hand, along: none, turn: {about: x, keys: [[0, -0.2], [0.1, 0]]}}}\n"
    "initial:\n"
    "  swing: {position: [0.2, 0.1], velocity: [1, 0]}\n"
    "  shoulder: {rotation: [0, 20 deg, 0], spin: [0.3, 0, 1]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    pole: {length: pole, along: z}\n"
    "    m: {mass: hand}\n"
    "    lean: {position: swing}\n"
    "    fast: {velocity: swing}\n"
    "    lift: {position: shoulder}\n"
    "    arm: {length: arm}\n"
    "    stand: {length: platform}\n"
    "  goals:\n"
    "    tip: {point: pole, at: [0.1, 0, 0.5], position: [0.2, 0.1, 0.4], time: [0, 0.1 s]}\n"
    "    hand: {point: hand, at: [0.2, 0.1, 0], position: [0.4, 1, 0.1], time: [0, 0.1 s]}\n"
    "    slow: {point: hand, at: [0.2, 0.1, 0], velocity: [0, 0, 0], weight: 0.1}\n"
    "%s";

static void frames_that_begin_turned(void** state) {
  (void)state;
  check_schemes(SCHEMES, turned, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, turned, true, "", 1e-3, 1e-7);
}

// --- the place of one joint and the velocity of another ---

// A four-bar with a gear on its crank: one freedom.
static const char crossed[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "  wheel: {shape: {cylinder: {radius: 6 cm, length: 3 cm}}}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0],\n"
    "      in_child: [0.4, 0, 0], axis: y, loop: true}\n"
    "  shaft: {type: revolute, child: wheel, at: [0, 0.2, 0], axis: y}\n"
    "constraints: {gear: {couple: [{joint: a, times: 2}, {joint: shaft}], equals: -2}}\n"
    "initial:\n"
    "  a: {position: -60 deg, velocity: -1}\n"
    "  b: {position: 40 deg}\n"
    "  c: {position: -100 deg, velocity: -0.5}\n"
    "  shaft: {velocity: 2}\n"
    "optimize:\n"
    "  parameters:\n"
    "%s"
    "    rocker: {length: rocker}\n"
    "    weight: {mass: coupler}\n"
    "  goals:\n"
    "    middle: {point: coupler, at: [0.3, 0, 0.05], position: [0.2, 0, 0.3], weight: 10}\n"
    "    speed: {point: rocker, at: [0.4, 0, 0], velocity: [0, 0, 0], time: [0, 60 ms]}\n"
    "    wheel: {joint: shaft, position: 0}\n";

static void the_place_of_one_joint_and_the_velocity_of_another(void** state) {
  (void)state;
  static const char* const both[] = {
      "    from: {position: a}\n    speed: {velocity: c}\n",
      "    from: {position: c}\n    speed: {velocity: shaft}\n",
      "    speed: {velocity: b}\n    from: {position: shaft}\n",
  };
  for (int i = 0; i < 3; i++) {
    check_schemes(i == 0 ? SCHEMES : 2, crossed, false, both[i], 5e-4, 1e-8);
    check_schemes(i == 0 ? SCHEMES : 1, crossed, true, both[i], 1e-3, 1e-7);
  }
}

// Without forces gears turn on as they start: 2 a + s = 1 and s' = -2 a'.
static void gears_start_as_they_are_said_to(void** state) {
  (void)state;
  problem p;
  double x[2] = {0.3, 4}, value = 0;
  lb_error err = lb_error_make(NULL);
  open_problem(&p, "duration: 0.1 s\n"
                   "gravity: [0, 0, 0]\n"
                   "bodies:\n"
                   "  one: {mass: 1, inertia: [1, 1, 1]}\n"
                   "  two: {mass: 2, inertia: [2, 2, 2]}\n"
                   "joints:\n"
                   "  a: {type: revolute, child: one, axis: y}\n"
                   "  s: {type: revolute, child: two, at: [0, 0.2, 0], axis: y}\n"
                   "constraints: {gear: {couple: [{joint: a, times: 2}, {joint: s}], equals: 1}}\n"
                   "initial: {a: {position: 0.2}, s: {velocity: 3}}\n"
                   "optimize:\n"
                   "  tolerance: 1e-14\n"
                   "  parameters: {place: {position: a}, speed: {velocity: s}}\n"
                   "  goals:\n"
                   "    middle: {joint: s, position: 0.6, time: 50 ms}\n"
                   "    end: {joint: a, position: 0.15}\n");
  const double a = 0.3 - 2 * 0.1, s = 1 - 2 * 0.3 + 4 * 0.05;
  assert_near(evaluate(&p, x, NULL), pow(a - 0.15, 2) + pow(s - 0.6, 2), 1e-12);
  const lb_optimize_options options = {0};
  assert_int_equal(lb_optimize_run(p.o, &options, x, &value, &err), LB_OK);
  // x0 - v/20 = 0.15, 1 - 2 x0 + v/20 = 0.6
  assert_near(x[0], 0.25, 1e-6);
  assert_near(x[1], 2, 1e-5);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(goals_about_joints_in_maximal_coordinates),
      cmocka_unit_test(both_coordinates_measure_joints_alike),
      cmocka_unit_test(turns_are_counted),
      cmocka_unit_test(goals_about_joints_that_close_loops),
      cmocka_unit_test(starts_of_joints_that_split_bodies),
      cmocka_unit_test(starts_and_lengths_where_rates_are_given),
      cmocka_unit_test(lengths_beside_bodies_that_loops_split),
      cmocka_unit_test(frames_that_begin_turned),
      cmocka_unit_test(the_place_of_one_joint_and_the_velocity_of_another),
      cmocka_unit_test(gears_start_as_they_are_said_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
