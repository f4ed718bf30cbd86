// Gradients by what is harder to change: rotations, numbers of joints that close loops, starts and
// lengths in maximal coordinates, forces of motors that drive positions, points that are
// prescribed.
#include "design/optimizing_schemes.h"

// --- rotations ---

static const char turning[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  arm: {shape: {box: [0.4, 0.1, 0.05], position: [0.2, 0, 0]}, mass: 1 kg}\n"
    "  hand: {shape: {box: [0.2, 0.05, 0.1], position: [0.1, 0, 0]}, mass: 0.5 kg}\n"
    "  kite: {shape: {box: [0.3, 0.2, 0.1], position: [0.05, 0, 0]}, mass: 0.4 kg}\n"
    "  ball: {shape: {box: [0.1, 0.2, 0.05], position: [0.02, 0.01, 0]}, mass: 0.3 kg, drag: 0.2, "
    "air_drag: 0.1,\n"
    "         position: [0.5, 0.3, 0.2], rotation: [20 deg, 30 deg, -40 deg]}\n"
    "joints:\n"
    "  shoulder: {type: spherical, child: arm, at: [0, 0, 1], spring: {stiffness: 3}, damping: "
    "0.1}\n"
    "  wrist: {type: spherical, parent: arm, child: hand, at: [0.4, 0, 0], spring: {stiffness: "
    "1}}\n"
    "  line: {type: free, child: kite, at: [0, 1, 0]}\n"
    "springs:\n"
    "  pull: {from: {body: hand, at: [0.2, 0, 0]}, to: {body: ball, at: [0.1, 0.01, 0.03]},\n"
    "         stiffness: 30, damping: 0.4, length: 0.3}\n"
    "  tug: {from: {body: kite, at: [0.2, 0, 0]}, to: {body: ball}, stiffness: 20, length: 0.2}\n"
    "initial:\n"
    "  shoulder: {rotation: [10 deg, 40 deg, 0], spin: [0.5, 1, -0.4]}\n"
    "  line: {position: [0.1, 0.2, 0.3], rotation: [30 deg, 0, 20 deg], spin: [1, 0, 2],\n"
    "         velocity: [0.3, 0, 1]}\n"
    "  ball: {velocity: [1, -1, 2], spin: [3, -2, 1]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    shoulder: {position: shoulder}\n"
    "    wrist: {position: wrist}\n"
    "    wrist speed: {velocity: wrist}\n"
    "    line: {position: line}\n"
    "    kite speed: {velocity: line}\n"
    "    throw: {velocity: ball}\n"
    "    turn: {rotation: ball}\n"
    "    place: {position: ball}\n"
    "    k: {stiffness: shoulder}\n"
    "    d: {damping: shoulder}\n"
    "    kw: {stiffness: wrist}\n"
    "  goals:\n"
    "    reach: {point: hand, at: [0.2, 0.01, 0], position: [1, 0.1, 0.9], time: [0, 0.1 s]}\n"
    "    ball: {point: ball, at: [0.2, 0, 0.1], position: [0.4, 0, 0.4]}\n"
    "    speed: {point: kite, at: [0.1, 0.1, 0], velocity: [0, 0, 0], weight: 0.1}\n";

static void rotations_and_ball_joints(void** state) {
  (void)state;
  check_schemes(SCHEMES, turning, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, turning, true, "", 2e-3, 1e-7);
}

// The velocity of a free body that turns is that of the scene, along the world's axes.
static void turned_bodies_keep_their_velocity(void** state) {
  (void)state;
  problem p;
  double x[3] = {0.3, -0.2, 0.5};
  open_problem(&p, "duration: 0.1 s\n"
                   "gravity: [0, 0, 0]\n"
                   "bodies: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1 kg,\n"
                   "                rotation: [50 deg, 0, 0]}}\n"
                   "initial: {ball: {velocity: [1, 2, 3]}}\n"
                   "optimize:\n"
                   "  parameters: {turn: {rotation: ball}}\n"
                   "  goals: {there: {point: ball, position: [0.1, 0.2, 0.3]}}\n");
  assert_near(evaluate(&p, x, NULL), 0, 1e-24);
  close_problem(&p);
}

// --- joints that close loops, and all of them in maximal coordinates ---

// Every joint that has constraints of its own closes a loop here.
static const char closing[] =
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
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y, damping: 0.01,\n"
    "      spring: {stiffness: 0.2, rest: -1}}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0], damping: 0.02,\n"
    "      in_child: [0.4, 0, 0], axis: y, loop: true, spring: {stiffness: 0.5, rest: -2}}\n"
    "  slide: {type: prismatic, child: cart, at: [0.3, 1, 0], axis: x, loop: true, damping: 3,\n"
    "          spring: {stiffness: 50, rest: 0.05}}\n"
    "  turn: {type: universal, child: cross, at: [0, 2, 0], axis: y, second_axis: z, loop: true,\n"
    "         damping: 0.2, spring: {stiffness: 30, rest: [0.3, -0.2]}}\n"
    "  ball: {type: spherical, child: globe, at: [0, 3, 0], loop: true, damping: 0.3,\n"
    "         spring: {stiffness: 20}}\n"
    "initial:\n"
    "  a: {position: -60 deg, velocity: -1}\n"
    "  b: {position: 40 deg}\n"
    "  c: {position: -100 deg}\n"
    "  globe: {spin: [0.5, 1, 0]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    kc: {stiffness: c}\n"
    "    dc: {damping: c}\n"
    "    rc: {rest: c}\n"
    "    kd: {stiffness: d}\n"
    "    dd: {damping: d}\n"
    "    rd: {rest: d}\n"
    "    ks: {stiffness: slide}\n"
    "    ds: {damping: slide}\n"
    "    rs: {rest: slide}\n"
    "    kt: {stiffness: turn}\n"
    "    dt: {damping: turn}\n"
    "    rt: {rest: turn}\n"
    "    kb: {stiffness: ball}\n"
    "    db: {damping: ball}\n"
    "  goals:\n"
    "    middle: {point: coupler, at: [0.3, 0, 0.05], position: [0.2, 0, 0.3], weight: 10}\n"
    "    cart: {point: cart, position: [0.4, 1, 0], time: [0, 0.1 s], weight: 100}\n"
    "    cross: {point: cross, at: [0.2, 0.1, 0.1], position: [0.2, 2, 0], weight: 3}\n"
    "    globe: {point: globe, at: [0.2, 0.1, 0.1], velocity: [0, 0, 0], weight: 0.1}\n";

static void numbers_of_joints_that_close_loops(void** state) {
  (void)state;
  check_schemes(SCHEMES, closing, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, closing, true, "", 1e-3, 1e-7);
}

// What starts a tree starts the bodies that it is taken apart to.
static const char apart[] =
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
    "  shoulder: {type: revolute, child: base, at: [0, 0, 1], axis: y, damping: 0.1,\n"
    "             spring: {stiffness: 3, rest: 0.2}}\n"
    "  elbow: {type: universal, parent: base, child: arm, at: [0.3, 0, 0], axis: y,\n"
    "          second_axis: z, damping: 0.05, spring: {stiffness: 1, rest: [0.3, 0.1]}}\n"
    "  wrist: {type: spherical, parent: arm, child: hand, at: [0.4, 0, 0], damping: 0.02,\n"
    "          in_child: [-0.02, 0, 0], spring: {stiffness: 0.5}}\n"
    "  rail: {type: prismatic, child: cart, axis: x, at: [0, 1, 0]}\n"
    "  tilt: {type: revolute, parent: cart, child: mast, axis: y}\n"
    "  thread: {type: helical, parent: mast, child: screw, at: [0, 0, 0.4], axis: z, pitch: 0.1}\n"
    "springs:\n"
    "  pull: {from: {body: hand, at: [0.2, 0, 0]}, to: {body: mast, at: [0, 0, 0.4]},\n"
    "         stiffness: 10, damping: 0.4, length: 0.3}\n"
    "motors:\n"
    "  push: {joint: rail, spline: {from: 0, to: 0.1, degree: 3, points: [0, 0.01, 0.02, 0.03, "
    "0.04]}}\n"
    "initial:\n"
    "  shoulder: {position: 0.3, velocity: 0.5}\n"
    "  elbow: {position: [0.2, -0.3], velocity: [1, 0.5]}\n"
    "  wrist: {spin: [0.5, 1, -0.4]}\n"
    "  thread: {position: 0.2, velocity: 2}\n"
    "optimize:\n"
    "  parameters:\n"
    "    lift: {position: shoulder}\n"
    "    lift speed: {velocity: shoulder}\n"
    "    bend: {position: elbow}\n"
    "    bend speed: {velocity: elbow}\n"
    "    turn: {position: wrist}\n"
    "    turn speed: {velocity: wrist}\n"
    "    tilt: {position: tilt}\n"
    "    thread: {position: thread}\n"
    "    thread speed: {velocity: thread}\n"
    "    path: {motor: push}\n"
    "    base: {length: base}\n"
    "    arm: {length: arm, along: [0.6, 0.8, 0]}\n"
    "    mast: {length: mast, along: z}\n"
    "    weight: {mass: arm}\n"
    "    k: {stiffness: shoulder}\n"
    "    r: {rest: shoulder}\n"
    "    ke: {stiffness: elbow}\n"
    "    de: {damping: elbow}\n"
    "    re: {rest: elbow}\n"
    "    kw: {stiffness: wrist}\n"
    "    dw: {damping: wrist}\n"
    "  goals:\n"
    "    reach: {point: hand, at: [0.2, 0.01, 0], position: [1, 0.1, 0.9]}\n"
    "    speed: {point: screw, at: [0.1, 0, 0], velocity: [1, 0, 0], weight: 0.1}\n"
    "    way: {point: arm, at: [0.4, 0, 0], position: [0.4, 0, 0.4], time: [20 ms, 0.1 s]}\n"
    "%s";

static const char effort[] = "    effort: {motor: push, weight: 1e-3}\n";

static void starts_and_lengths_in_maximal_coordinates(void** state) {
  (void)state;
  check_schemes(SCHEMES, apart, false, effort, 1e-3, 1e-8);
  check_schemes(SCHEMES, apart, true, effort, 2e-3, 1e-7);
}

// How far objective and gradient in maximal coordinates are from those in reduced ones.
static void compare_coordinates(const char* step, double off[2]) {
  double value[2], g[2][MOST], largest = 0;
  int n = 0;
  for (int k = 0; k < 2; k++) {
    char text[8000], solver[80];
    problem p;
    snprintf(solver, sizeof solver, ", step: %s, coordinates: %s", step, k ? "maximal" : "reduced");
    snprintf(text, sizeof text, apart, "sdirk2", solver, "");
    open_problem(&p, text);
    value[k] = evaluate(&p, p.o->start, g[k]);
    n = p.o->nvalue;
    close_problem(&p);
  }
  off[0] = fabs(value[1] / value[0] - 1);
  off[1] = 0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(g[0][i]));
    off[1] = fmax(off[1], fabs(g[0][i] - g[1][i]));
  }
  off[1] /= largest;
}

// The steps are others, and both go to the same motion, with order two.
static void both_coordinates_have_the_same_gradient(void** state) {
  (void)state;
  double coarse[2], fine[2];
  compare_coordinates("4 ms", coarse);
  compare_coordinates("1 ms", fine);
  for (int i = 0; i < 2; i++) {
    assert_near(log2(coarse[i] / fine[i]) / 2, 2, 0.1);
  }
  assert_below(fine[0], 2e-6);
  assert_below(fine[1], 2e-4);
}

// --- motors that drive positions ---

// A four-bar with a joint that closes a loop and is prescribed by a motor, or the crank is.
static const char prescribed[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "  flap: {shape: {box: [0.2, 0.02, 0.1], position: [0.1, 0, 0]}}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0],\n"
    "      in_child: [0.4, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y, damping: 0.01, loop: true,\n"
    "      spring: {stiffness: 0.2, rest: -1}}\n"
    "  e: {type: revolute, parent: rocker, child: flap, at: [0.4, 0, 0], axis: y}\n"
    "springs:\n"
    "  s: {from: {body: flap, at: [0.2, 0, 0]}, to: {at: [0.2, 0, -0.5]}, stiffness: 40,\n"
    "      damping: 0.2, length: 0.3}\n"
    "%s"
    "  b: {position: 40 deg}\n"
    "  d: {position: -80 deg}\n"
    "  e: {velocity: 1}\n"
    "optimize:\n"
    "  parameters:\n"
    "    way: {motor: lead}\n"
    "    m: {mass: coupler}\n"
    "    rocker: {length: rocker}\n"
    "    crank: {length: crank}\n"
    "    flap speed: {velocity: e}\n"
    "    k: {stiffness: s}\n"
    "    kc: {stiffness: c}\n"
    "    rc: {rest: c}\n"
    "  goals:\n"
    "    tip: {point: flap, at: [0.2, 0, 0], position: [0.2, 0, 0.3], time: [0, 0.1 s]}\n"
    "    effort: {motor: lead, time: [40 ms, 0.1 s], weight: 0.1}\n"
    "    last: {motor: lead, time: 0.1 s, weight: 0.01}\n";

static void check_prescribed(const char* motors, bool loose, double part, double tolerance) {
  for (int i = 0; i < SCHEMES; i++) {
    char text[8000];
    problem p;
    snprintf(text, sizeof text, prescribed, schemes[i], loose ? maximal : reduced, motors);
    open_problem(&p, text);
    check_both(&p, part, tolerance);
    check_applied(&p);
    close_problem(&p);
  }
}

static void forces_of_motors_that_drive_positions(void** state) {
  (void)state;
  static const char crank[] = "motors:\n"
                              "  lead: {joint: a, spline: {from: 0, to: 0.1, points: [-1.05, "
                              "-1.05, -1.03, -1, -0.97, -0.95]}}\n"
                              "  shove: {joint: c, drive: force, keys: [[0, 0.3]]}\n"
                              "initial:\n";
  static const char loop[] = "motors:\n"
                             "  lead: {joint: c, spline: {from: 0, to: 0.1, points: [-1.75, "
                             "-1.75, -1.74, -1.72, -1.7, -1.69]}}\n"
                             "  shove: {joint: a, drive: force, keys: [[0, 0.3]]}\n"
                             "initial:\n"
                             "  a: {position: -60 deg}\n";
  check_prescribed(crank, false, 6e-4, 1e-7);
  check_prescribed(crank, true, 6e-4, 1e-7);
  check_prescribed(loop, false, 2e-4, 1e-7);
  check_prescribed(loop, true, 2e-4, 1e-7);
}

// A motor that lifts a hanging rod at rest by an angle holds its weight: m g l sin(angle).
static void efforts_are_what_motors_exert(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "duration: 0.1 s\n"
                   "solver: {integrator: bdf2, step: 10 ms}\n"
                   "gravity: [0, 0, -10]\n"
                   "bodies: {rod: {mass: 2 kg, center: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
                   "joints: {hinge: {type: revolute, child: rod, axis: y}}\n"
                   "motors: {hold: {joint: hinge, keys: [[0, 0.3]]}}\n"
                   "optimize:\n"
                   "  parameters: {at: {motor: hold}}\n"
                   "  goals: {effort: {motor: hold}}\n");
  const double x = 0.7, torque = 10 * cos(x);
  double g = 0;
  assert_near(evaluate(&p, &x, &g), 0.1 * torque * torque, 1e-10);
  assert_near(g, -0.2 * torque * 10 * sin(x), 1e-9);
  close_problem(&p);
}

// --- bodies in parts, points that are prescribed ---

// A loop's joint with a rotor splits the slider.
static void masses_of_bodies_that_loops_split(void** state) {
  (void)state;
  static const char text[] =
      "duration: 0.1 s\n"
      "solver: {integrator: %s%s}\n"
      "bodies:\n"
      "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
      "  rod: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
      "  slider: {shape: {box: [0.1, 0.1, 0.1], position: [0.02, 0, 0.01]}}\n"
      "joints:\n"
      "  a: {type: revolute, child: crank, axis: y}\n"
      "  b: {type: revolute, parent: crank, child: rod, at: [0.2, 0, 0], axis: y}\n"
      "  s: {type: prismatic, child: slider, at: [0.7, 0, 0], axis: x}\n"
      "  c: {type: revolute, loop: true, parent: rod, child: slider, at: [0.5, 0, 0],\n"
      "      axis: y, armature: 0.01, damping: 0.1, spring: {stiffness: 0.5, rest: 0.3}}\n"
      "initial: {a: {position: 40 deg, velocity: 2}, b: {position: -60 deg}}\n"
      "optimize:\n"
      "  parameters: {m: {mass: rod}, n: {mass: slider}, rod: {length: rod}, k: {stiffness: c},\n"
      "               d: {damping: c}, r: {rest: c}, speed: {velocity: a}}\n"
      "  goals: {g: {point: slider, position: [0.6, 0, 0], weight: 100, time: [0, 0.1 s]}}\n";
  check_schemes(SCHEMES, text, false, "", 5e-4, 1e-8);
  check_schemes(SCHEMES, text, true, "", 1e-3, 1e-7);
}

// A hand on a rail through the world, and the tip of a strut that is held where it starts.
static void starts_and_lengths_where_points_are_prescribed(void** state) {
  (void)state;
  static const char text[] =
      "duration: 0.1 s\n"
      "solver: {integrator: %s%s}\n"
      "bodies:\n"
      "  upper: {shape: {box: [0.4, 0.05, 0.05], position: [0.2, 0, 0]}}\n"
      "  lower: {shape: {box: [0.5, 0.05, 0.05], position: [0.25, 0, 0]}}\n"
      "  flap: {shape: {box: [0.2, 0.1, 0.02], position: [0.1, 0, 0]}}\n"
      "  post: {shape: {box: [0.1, 0.1, 0.4], position: [0, 0, 0.2]}}\n"
      "  strut: {shape: {box: [0.4, 0.05, 0.02], position: [0.2, 0, 0]}}\n"
      "joints:\n"
      "  foot: {type: universal, child: post, at: [0, 2, 0], axis: x, second_axis: y}\n"
      "  ankle: {type: spherical, parent: post, child: strut, at: [0, 0, 0.4], damping: 0.1}\n"
      "  shoulder: {type: euler, order: zyx, child: upper, damping: 0.1}\n"
      "  elbow: {type: universal, parent: upper, child: lower, at: [0.4, 0, 0], axis: y,\n"
      "          second_axis: z, damping: 0.1}\n"
      "  wrist: {type: revolute, parent: lower, child: flap, at: [0.5, 0, 0], axis: y}\n"
      "constraints:\n"
      "  hand: {follow: {body: lower, at: [0.45, 0, 0],\n"
      "         x: {keys: [[0, 0.6], [0.1, 0.65]]}, z: {keys: [[0, 0.2], [0.1, 0.1]]}}}\n"
      "  tip: {follow: {body: strut, at: [0.3, 0.1, 0]}}\n"
      "initial:\n"
      "  shoulder: {position: [0.1, -0.9, 0.1], velocity: [0.2, 0, 1]}\n"
      "  elbow: {position: [1.2, 0.1]}\n"
      "optimize:\n"
      "  parameters:\n"
      "    ankle: {length: post, along: z}\n"
      "    strut: {length: strut}\n"
      "    flap: {position: wrist}\n"
      "    roll: {velocity: wrist}\n"
      "    upper: {length: upper}\n"
      "    lower: {length: lower}\n"
      "    m: {mass: lower}\n"
      "    d: {damping: elbow}\n"
      "  goals:\n"
      "    tip: {point: flap, at: [0.2, 0, 0], position: [0.5, 0, 0.5], time: [0, 0.1 s]}\n"
      "    post: {point: post, at: [0, 0, 0.3], position: [0.1, 2, 0.1], time: [0, 0.1 s]}\n"
      "    elbow: {point: lower, velocity: [0, 0, 0], weight: 0.1}\n";
  check_schemes(SCHEMES, text, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, text, true, "", 1e-3, 1e-7);
}

// --- scenes ---

// Numbers written twice, or after others, are written.
static void numbers_can_be_written_again(void** state) {
  (void)state;
  char text[8000];
  problem p;
  double x[MOST];
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, apart, "bdf2", reduced, effort);
  open_problem(&p, text);
  move_numbers(&p, x);
  assert_int_equal(lb_optimization_apply(p.o, x, &p.scene, &err), LB_OK);
  const lb_vec3 joint = p.scene.joint[1].in_parent.p, size = p.scene.shape[0].shape.size;
  const lb_mass mass = p.scene.body[1].mass;
  assert_int_equal(lb_optimization_apply(p.o, p.o->start, &p.scene, &err), LB_OK);
  assert_int_equal(lb_optimization_apply(p.o, x, &p.scene, &err), LB_OK);
  assert_memory_equal(&joint, &p.scene.joint[1].in_parent.p, sizeof joint);
  assert_memory_equal(&size, &p.scene.shape[0].shape.size, sizeof size);
  assert_memory_equal(&mass, &p.scene.body[1].mass, sizeof mass);
  assert_true(size.x != 0.3);
  close_problem(&p);
}

// --- balls in loops ---

// A rod between balls, which the loop has follow, turns there about its own axes; the parts do not
// fit as the scene has them.
static const char between_balls[] =
    "duration: 40 ms\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.1, 0.02, 0.02], position: [0.05, 0, 0]}}\n"
    "  rod: {shape: {box: [0.4, 0.02, 0.03], position: [0.2, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.02, 0.02, 0.2], position: [0, 0, 0.1]}}\n"
    "joints:\n"
    "  shaft: {type: revolute, child: crank, axis: [0, 0.2, 1]}\n"
    "  near: {type: spherical, parent: crank, child: rod, at: [0.1, 0, 0]}\n"
    "  pivot: {type: revolute, child: rocker, at: [0.5, 0.05, -0.2], axis: [0.1, 1, 0]}\n"
    "  far: {type: spherical, loop: true, parent: rod, child: rocker, at: [0.4, 0, 0],\n"
    "    in_child: [0, 0, 0.2]}\n"
    "initial: {shaft: {velocity: 4}, near: {spin: [3, 0, 0]}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    rocker: {length: rocker, along: z}\n"
    "    crank: {length: crank, along: [1, 1, 0]}\n"
    "    rod: {length: rod, along: x}\n"
    "    from: {position: shaft}\n"
    "    speed: {velocity: shaft}\n"
    "  goals:\n"
    "    reach: {point: rod, at: [0.2, 0, 0.3], position: [0.3, 0, 0.2]}\n"
    "    turn: {joint: pivot, position: 0.2}\n"
    "%s";

static void starts_of_balls_that_follow(void** state) {
  (void)state;
  check_schemes(SCHEMES, between_balls, false, "", 1e-3, 1e-8);
  check_schemes(1, between_balls, true, "", 2e-3, 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotations_and_ball_joints),
      cmocka_unit_test(turned_bodies_keep_their_velocity),
      cmocka_unit_test(numbers_of_joints_that_close_loops),
      cmocka_unit_test(starts_and_lengths_in_maximal_coordinates),
      cmocka_unit_test(both_coordinates_have_the_same_gradient),
      cmocka_unit_test(forces_of_motors_that_drive_positions),
      cmocka_unit_test(efforts_are_what_motors_exert),
      cmocka_unit_test(masses_of_bodies_that_loops_split),
      cmocka_unit_test(starts_and_lengths_where_points_are_prescribed),
      cmocka_unit_test(numbers_can_be_written_again),
      cmocka_unit_test(starts_of_balls_that_follow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
