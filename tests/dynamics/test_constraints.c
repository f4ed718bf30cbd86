// Constraints besides loop joints: closed forms, and the same motion said in two ways.
#include "random_world.h"

// Two wheels that mesh, I1 = 0.02 and I2 = 0.005 with q1 + q2/3 = 0.1, under a torque T on the
// first: (I1 + 9 I2) qdd1 = T.
#define WHEELS                                                                                     \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies:\n"                                                                                      \
  "  one: {mass: 1, inertia: [0.02, 0.02, 0.02]}\n"                                                \
  "  two: {mass: 1, inertia: [0.005, 0.005, 0.005]}\n"                                             \
  "joints:\n"                                                                                      \
  "  first: {type: revolute, child: one, axis: y}\n"                                               \
  "  second: {type: revolute, child: two, axis: y, at: [1, 0, 0]}\n"                               \
  "constraints:\n"                                                                                 \
  "  mesh: {couple: [{joint: first}, {joint: second, times: 0.33333333333333333}], equals: 0.1}\n"

static void gears_move_as_one_inertia(void** state) {
  (void)state;
  static const char* const integrators[] = {"euler", "rk4", "rk8", "bdf2", "adaptive"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    char scene[1000];
    snprintf(scene, sizeof scene,
             "%smotors: {push: {joint: first, drive: force, keys: [[0, 0.5]]}}\n"
             "solver: {integrator: %s}\n",
             WHEELS, integrators[i]);
    world w = open_world(scene);
    const double start = w.d->q[0];
    run(&w, 500, 1e-3);
    lb_forward(w.m, w.d);
    const double qdd = 0.5 / (0.02 + 9 * 0.005);
    assert_near(w.d->q[0] + w.d->q[1] / 3, 0.1, 1e-12);
    assert_near(w.d->qdd[0], qdd, 1e-9);
    assert_near(w.d->qd[0], 0.5 * qdd, 1e-9);
    assert_near(w.d->q[0] - start, 0.5 * qdd * 0.25,
                strcmp(integrators[i], "euler") == 0  ? 2e-3
                : strcmp(integrators[i], "bdf2") == 0 ? 6e-6
                                                      : 1e-9);
    // the force between them turns the second wheel: multiplier / 3 = I2 qdd2
    assert_near(w.d->coupling_force[0] / 3, 0.005 * w.d->qdd[1], 1e-9);
    close_world(&w);
  }
}

// A rod against a stop: it comes to rest there, and the stop bears its weight's moment.
// Integrators, and how closely contacts hold at rest and on the way: implicit steps let gaps
// of second order open on the way, as they do in loops.
static const struct {
  const char* name;
  double rest, way;
} STEPPERS[] = {{"euler", 1e-12, 1e-9},        {"rk4", 1e-12, 1e-9}, {"rk8", 1e-12, 1e-9},
                {"linear-euler", 1e-12, 1e-5}, {"bdf1", 1e-9, 1e-5}, {"bdf2", 1e-9, 1e-5},
                {"sdirk2", 1e-9, 1e-5}};
enum { NSTEPPER = sizeof STEPPERS / sizeof *STEPPERS };

static void a_stop_stops_and_holds(void** state) {
  (void)state;
  for (size_t i = 0; i < NSTEPPER; i++) {
    char scene[1000];
    snprintf(
        scene, sizeof scene,
        "bodies:\n  " ROD("rod", "0.5") "joints: {hinge: {type: revolute, child: rod, axis: y}}\n"
                                        "initial: {hinge: {position: 80 deg}}\n"
                                        "constraints: {stop: {couple: [{joint: hinge}], at_least: "
                                        "30 deg, at_most: 90 deg}}\n"
                                        "solver: {integrator: %s}\n",
        STEPPERS[i].name);
    world w = open_world(scene);
    double lowest = 10;
    for (int k = 0; k < 1000; k++) {
      run(&w, 1, 1e-3);
      lowest = fmin(lowest, w.d->q[0]);
    }
    lb_forward(w.m, w.d);
    const double mass = w.m->link.mass[0].mass, angle = 30 * M_PI / 180;
    assert_near(lowest, angle, STEPPERS[i].rest);
    assert_near(w.d->q[0], angle, STEPPERS[i].rest);
    assert_near(w.d->qd[0], 0, STEPPERS[i].rest);
    assert_near(w.d->coupling_force[0], mass * 9.81 * 0.25 * sin(angle), 1e-9);
    assert_near(w.d->coupling_force[1], 0, 0);
    close_world(&w);
  }
}

// Pushed off a stop it leaves at once: the same motion as without.
static void a_stop_does_not_pull(void** state) {
  (void)state;
  static const char FREE[] = "bodies:\n  " ROD("rod", "0.5") //
      "joints: {hinge: {type: revolute, child: rod, axis: y}}\n"
      "initial: {hinge: {position: 30 deg, velocity: 2}}\n";
  char scene[1000];
  snprintf(scene, sizeof scene,
           "%sconstraints: {stop: {couple: [{joint: hinge}], at_least: 30 deg}}\n", FREE);
  world a = open_world(FREE), b = open_world(scene);
  run(&a, 100, 1e-3);
  run(&b, 100, 1e-3);
  assert_near(a.d->q[0], b.d->q[0], 1e-14);
  close_world(&a);
  close_world(&b);
}

// A box falls tilted on four corners and comes to lie flat; the floor carries its weight.
static void a_box_comes_to_lie_on_the_floor(void** state) {
  (void)state;
  for (size_t i = 0; i < NSTEPPER; i++) {
    char scene[1000];
    snprintf(scene, sizeof scene,
             "bodies: {box: {shape: {box: [0.4, 0.3, 0.2]}, mass: 3}}\n"
             "initial: {box: {position: [0, 0, 0.4], rotation: {axis: [1, 2, 0], angle: 10 deg}}}\n"
             "constraints:\n"
             "  ground:\n"
             "    floor:\n"
             "      body: box\n"
             "      points: [{at: [0.2, 0.15, -0.1]}, {at: [-0.2, 0.15, -0.1]},\n"
             "               {at: [0.2, -0.15, -0.1]}, {at: [-0.2, -0.15, -0.1]}]\n"
             "solver: {integrator: %s}\n",
             STEPPERS[i].name);
    world w = open_world(scene);
    lb_reaction r[5];
    double deepest = 0;
    for (int k = 0; k < 1500; k++) {
      run(&w, 1, 1e-3);
      deepest = fmax(deepest, lb_constraint_gap(w.m, w.d, NULL));
    }
    print_message("%s: %.2g deep, %.2g off\n", STEPPERS[i].name, deepest, w.d->q[2] - 0.1);
    assert_near(deepest, 0, STEPPERS[i].way);
    assert_near(w.d->q[2], 0.1, 1e-9);
    lb_forward(w.m, w.d);
    lb_reactions(w.m, w.d, r);
    double up = 0;
    for (int k = 1; k <= 4; k++) {
      assert_at_least(r[k].force.z, 0);
      up += r[k].force.z;
    }
    assert_near(up, 3 * 9.81, 1e-9);
    close_world(&w);
  }
}

// A tilted stick falls straight down on a smooth floor: it hits with one end, turns, hits with the
// other, and nothing ever pushes it sideways. Errors are those of steps in which something hits.
static void a_stick_that_falls_on_a_smooth_floor_stays_where_it_is(void** state) {
  (void)state;
  static const char* const integrators[] = {"euler", "rk4", "bdf2"};
  for (int i = 0; i < 3; i++) {
    double aside[2];
    for (int k = 0; k < 2; k++) {
      char text[600];
      snprintf(
          text, sizeof text,
          "solver: {integrator: %s}\n"
          "bodies:\n"
          "  stick:\n"
          "    {shape: {capsule: {radius: 1 cm, from: [-0.5, 0, 0], to: [0.5, 0, 0]}},\n"
          "     position: [0, 0, 0.6], rotation: {axis: y, angle: 30 deg}}\n"
          "constraints:\n"
          "  ground: {floor: {body: stick, points: [{at: [0.5, 0, 0]}, {at: [-0.5, 0, 0]}]}}\n",
          integrators[i]);
      world w = open_world(text);
      const double h = k ? 2.5e-4 : 4e-3;
      run(&w, (int)lround(1 / h), h);
      lb_poses(w.m, w.d);
      aside[k] = fabs(w.d->pose[0].p.x);
      assert_near(w.d->pose[0].p.z, 0, 1e-9); // flat
      close_world(&w);
    }
    print_message("%s: %.2g and %.2g m aside\n", integrators[i], aside[0], aside[1]);
    assert_below(aside[0], 0.02);
    assert_below(aside[1], 0.002);
  }
}

// A rod that stands tilted on a smooth floor and slides away under itself: its place after a fifth
// of a second.
static void slide(const char* integrator, double h, double q[7]) {
  char scene[1000];
  snprintf(scene, sizeof scene,
           "bodies: {rod: {shape: {box: [0.02, 0.02, 0.5]}, mass: 1}}\n"
           "initial: {rod: {position: [0, 0, 0.21650635094610965],\n"
           "                rotation: {axis: y, angle: 30 deg}}}\n"
           "constraints: {ground: {floor: {body: rod, points: [{at: [0, 0, -0.25]}]}}}\n"
           "solver: {integrator: %s}\n",
           integrator);
  world w = open_world(scene);
  run(&w, (int)lround(0.2 / h), h);
  lb_forward(w.m, w.d);
  lb_reaction r[2];
  lb_reactions(w.m, w.d, r);
  assert_above(lb_vec3_norm(r[1].force), 1); // still on the floor
  assert_near(lb_constraint_gap(w.m, w.d, NULL), 0, 1e-4);
  memcpy(q, w.d->q, 7 * sizeof *q);
  close_world(&w);
}

static void sliding_on_a_floor_keeps_the_order_of_implicit_steps(void** state) {
  (void)state;
  const struct {
    const char* name;
    double order;
  } schemes[] = {{"linear-euler", 1}, {"bdf1", 1}, {"bdf2", 2}, {"sdirk2", 2}};
  double exact[7], coarse[7], fine[7];
  slide("rk8", 1e-3, exact);
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    double error[2] = {0, 0};
    slide(schemes[i].name, 4e-3, coarse);
    slide(schemes[i].name, 2e-3, fine);
    for (int k = 0; k < 7; k++) {
      error[0] = fmax(error[0], fabs(coarse[k] - exact[k]));
      error[1] = fmax(error[1], fabs(fine[k] - exact[k]));
    }
    const double order = log2(error[0] / error[1]);
    print_message("%s: off by %.2g and %.2g, order %.2f\n", schemes[i].name, error[0], error[1],
                  order);
    assert_below(fabs(order - schemes[i].order), 0.2);
  }
}

// A point prescribed along a circle, with the joints found by the constraint, needs the same forces
// as joints that follow the angles.
static void a_prescribed_point_goes_where_it_is_prescribed(void** state) {
  (void)state;
  static const char* const integrators[] = {"rk4", "bdf2"};
  for (size_t i = 0; i < 2; i++) {
    char scene[1500];
    snprintf(scene, sizeof scene,
             "bodies:\n  " ROD("upper", "0.4") "  " ROD("lower", "0.4") //
             "joints:\n"
             "  shoulder: {type: revolute, child: upper, axis: y}\n"
             "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.4], axis: y}\n"
             "initial: {shoulder: {position: 20 deg}, elbow: {position: 60 deg}}\n"
             "constraints:\n"
             "  hand:\n"
             "    follow:\n"
             "      body: lower\n"
             "      at: [0, 0, -0.4]\n"
             "      along: xz\n"
             "      x: {keys: [[0, -0.5], [1, -0.3], [2, -0.6]]}\n"
             "      z: {keys: [[0, -0.3], [2, -0.5]]}\n"
             "solver: {integrator: %s}\n",
             integrators[i]);
    world w = open_world(scene);
    assert_int_equal(w.m->constraint.npair, 1);
    run(&w, 1000, 1e-3);
    lb_poses(w.m, w.d);
    const lb_vec3 p = lb_transform_point(w.d->pose[1], (lb_vec3){0, 0, -0.4});
    assert_near(p.x, -0.3, i ? 1e-7 : 1e-11);
    assert_near(p.z, -0.4, i ? 1e-7 : 1e-11);
    // the force at the hand does what torques at the joints would have to
    lb_forward(w.m, w.d);
    lb_reaction r[3];
    lb_reactions(w.m, w.d, r);
    double tau[2];
    lb_rnea(w.m, w.d, tau, w.d->q, w.d->qd, w.d->qdd);
    const lb_vec3 f = lb_quat_rotate(w.d->pose[1].q, r[2].force); // in the world's axes
    const lb_vec3 arm = lb_vec3_sub(p, w.d->pose[1].p);
    assert_near(tau[1], lb_vec3_cross(arm, f).y, 1e-9);
    assert_near(tau[0], lb_vec3_cross(p, f).y, 1e-9);
    close_world(&w);
  }
}

// A frame held in the world: nothing moves, and the constraint carries the weight.
static void a_held_frame_stays(void** state) {
  (void)state;
  world w = open_world(
      "bodies: {box: {shape: {box: [0.4, 0.3, 0.2]}, mass: 3}}\n"
      "initial: {box: {position: [1, 2, 3], rotation: {axis: [1, 2, 0], angle: 40 deg}}}\n"
      "constraints: {grip: {follow: {body: box, at: [0.2, 0, 0], rotation: true}}}\n");
  run(&w, 300, 1e-3);
  assert_near(w.d->q[0], 1, 1e-12);
  assert_near(w.d->q[2], 3, 1e-12);
  lb_forward(w.m, w.d);
  lb_reaction r[2];
  lb_reactions(w.m, w.d, r);
  assert_near(lb_vec3_norm(r[1].force), 3 * 9.81, 1e-9);
  close_world(&w);
}

// A free body with a prescribed rotation about an axis: it is turned by that, and takes the moment
// of Euler's equation, I al + w x I w, with w = axis rate and al = axis acceleration.
static void a_prescribed_turn_takes_eulers_moment(void** state) {
  (void)state;
  const char* const integrators[] = {"rk8", "bdf2", "sdirk2", "linear-euler"};
  const lb_vec3 axis = {2.0 / 3, -1.0 / 3, 2.0 / 3}, I = {0.1, 0.3, 0.35};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    char scene[1000];
    snprintf(scene, sizeof scene,
             "bodies: {box: {mass: 2, inertia: [0.1, 0.3, 0.35]}}\n"
             "initial: {box: {rotation: {axis: x, angle: 40 deg}}}\n"
             "constraints: {lead: {follow: {body: box, along: xz, turn: {about: [2, -1, 2],\n"
             "                     keys: [[0, 0], [1, 100 deg], [2, -20 deg]], ease: cubic}}}}\n"
             "solver: {integrator: %s}\n",
             integrators[i]);
    world w = open_world(scene);
    run(&w, 700, 1e-3);
    double angle[3];
    lb_profile_evaluate(w.m->constraint.prescribed[0].angle, w.d->time, angle);
    lb_poses(w.m, w.d);
    const lb_quat start = lb_quat_exp((lb_vec3){40 * M_PI / 180, 0, 0});
    const lb_quat want = lb_quat_mul(lb_quat_exp(lb_vec3_scale(angle[0], axis)), start);
    const lb_quat off = lb_quat_mul(lb_quat_conjugate(want), w.d->pose[0].q);
    const bool exact = i == 0;
    assert_near(lb_vec3_norm(lb_quat_log(off)), 0, exact ? 1e-12 : 1e-5);
    assert_near(w.d->pose[0].p.x, 0, 1e-9);
    lb_forward(w.m, w.d);
    lb_reaction r[2];
    lb_reactions(w.m, w.d, r);
    const lb_vec3 a = lb_quat_rotate(lb_quat_conjugate(want), axis); // along the body's axes
    const lb_vec3 spin = lb_vec3_scale(angle[1], a), al = lb_vec3_scale(angle[2], a);
    const lb_vec3 h = {I.x * spin.x, I.y * spin.y, I.z * spin.z};
    const lb_vec3 moment =
        lb_vec3_add((lb_vec3){I.x * al.x, I.y * al.y, I.z * al.z}, lb_vec3_cross(spin, h));
    const double apart = lb_vec3_norm(lb_vec3_sub(r[1].moment, moment));
    print_message("%s: turned %.1e off, moment %.1e\n", integrators[i],
                  lb_vec3_norm(lb_quat_log(off)), apart);
    assert_near(apart, 0, exact ? 1e-10 : 2e-3);
    close_world(&w);
  }
}

// A four-bar whose closing hinge has a spring, a damper and a motor: in reduced coordinates the
// loop is cut elsewhere, in maximal ones the joint is a constraint among others.
static void a_closing_joint_may_do_more_than_hold(void** state) {
  (void)state;
  static const char SCENE[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.1]}}}\n"
      "  coupler: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0.2]}}}\n"
      "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.3]}}}\n"
      "joints:\n"
      "  shaft: {type: revolute, child: crank, axis: y}\n"
      "  pin: {type: revolute, parent: crank, child: coupler, at: [0, 0, 0.1], axis: y}\n"
      "  pivot: {type: revolute, child: rocker, at: [0.4, 0, 0], axis: y}\n"
      "  close: {type: revolute, loop: true, parent: rocker, child: coupler, at: [0, 0, 0.3],\n"
      "          in_child: [0.4, 0, 0.2], axis: y, spring: {stiffness: 2, rest: 0.1},\n"
      "          damping: 0.02}\n"
      "motors: {m: {joint: close, drive: force, keys: [[0, 0.2], [0.2, 0.6], [0.4, -0.3]]}}\n";
  char split[2000], maximal[2000], both[2100];
  snprintf(split, sizeof split,
           "%sconstraints: {far: {couple: [{joint: close}], at_most: 100 rad}}\n", SCENE);
  snprintf(maximal, sizeof maximal, "%ssolver: {coordinates: maximal}\n", SCENE);
  snprintf(both, sizeof both, "%ssolver: {coordinates: maximal}\n", split);
  const char* const scene[4] = {SCENE, split, maximal, both};
  world w[4];
  for (int k = 0; k < 4; k++) {
    w[k] = open_world(scene[k]);
    run(&w[k], 400, 1e-3);
    lb_poses(w[k].m, w[k].d);
    assert_int_equal(w[k].m->nbody, k % 2 == 1 ? 4 : 3); // one is a part of the coupler
    for (int i = 0; i < 3; i++) {
      const lb_vec3 apart = lb_vec3_sub(w[k].d->pose[i].p, w[0].d->pose[i].p);
      assert_near(lb_vec3_norm(apart), 0, 1e-8);
    }
    assert_near(lb_potential_energy(w[k].m, w[k].d), lb_potential_energy(w[0].m, w[0].d), 1e-7);
  }
  assert_above(lb_vec3_norm(lb_vec3_sub(w[0].d->pose[1].p, (lb_vec3){0, 0, 0.1})), 0.01);
  for (int k = 0; k < 4; k++) {
    close_world(&w[k]);
  }
}

// q = P q1 with all hinges turning alike ([red] eq. 4.84-4.86): (P'M P) qdd1 = P'(tau - c).
static void coupled_chains_are_hyper_reduced(void** state) {
  (void)state;
  enum { N = 6 };
  char scene[4000] = "bodies:\n";
  char line[400];
  for (int i = 0; i < N; i++) {
    snprintf(line, sizeof line, "  b%d: {shape: {box: [0.2, 0.03, 0.02], position: [0.1, 0, 0]}}\n",
             i);
    strcat(scene, line);
  }
  strcat(scene, "joints:\n");
  for (int i = 0; i < N; i++) {
    char parent[32] = "world";
    if (i) {
      snprintf(parent, sizeof parent, "b%d", i - 1);
    }
    snprintf(line, sizeof line,
             "  j%d: {type: revolute, parent: %s, child: b%d, at: [%g, 0, 0], axis: [0, 1, %g]}\n",
             i, parent, i, i ? 0.2 : 0, 0.1 * i);
    strcat(scene, line);
  }
  strcat(scene, "initial: {j0: {position: 0.3, velocity: 2}}\nconstraints:\n");
  for (int i = 1; i < N; i++) {
    snprintf(line, sizeof line,
             "  c%d: {couple: [{joint: j0, times: -1}, {joint: j%d}], equals: 0}\n", i, i);
    strcat(scene, line);
  }
  world w = open_world(scene);
  run(&w, 200, 1e-3);
  double M[N * N], c[N], zero[N] = {0}, mass = 0, force = 0;
  lb_forward(w.m, w.d);
  double qdd[N];
  memcpy(qdd, w.d->qdd, sizeof qdd);
  lb_crba(w.m, w.d, M, w.d->q);
  lb_rnea(w.m, w.d, c, w.d->q, w.d->qd, zero);
  for (int i = 0; i < N; i++) {
    assert_near(w.d->q[i], w.d->q[0], 1e-12);
    assert_near(w.d->qd[i], w.d->qd[0], 1e-11);
    force -= c[i];
    for (int k = 0; k < N; k++) {
      mass += M[i * N + k];
    }
  }
  for (int i = 0; i < N; i++) {
    assert_near(qdd[i], force / mass, 1e-9);
  }
  close_world(&w);
}

// A coupling whose sum follows a path prescribes a coordinate as a motor does, of any plain joint;
// the torque is the multiplier.
static void a_path_prescribes_a_coordinate(void** state) {
  (void)state;
  static const char ARM[] = "bodies:\n  " ROD("upper", "0.4") "  " ROD("lower", "0.4") //
      "joints:\n"
      "  shoulder: {type: revolute, child: upper, axis: y}\n"
      "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.4], axis: x}\n"
      "solver: {integrator: rk8}\n";
  char by_motor[1000], by_path[1000];
  snprintf(by_motor, sizeof by_motor,
           "%smotors: {m: {joint: shoulder, keys: [[0, 0], [0.5, 40 deg], [1, 0]]}}\n", ARM);
  snprintf(by_path, sizeof by_path,
           "%sconstraints:\n"
           "  lead: {couple: [{joint: shoulder}], path: {keys: [[0, 0], [0.5, 40 deg], [1, 0]]}}\n",
           ARM);
  world a = open_world(by_motor), b = open_world(by_path);
  run(&a, 700, 1e-3);
  run(&b, 700, 1e-3);
  lb_forward(a.m, a.d);
  lb_forward(b.m, b.d);
  assert_near(a.d->q[0], b.d->q[0], 1e-12);
  assert_near(a.d->q[1], b.d->q[1], 1e-10);
  assert_near(a.d->motor_force[0], b.d->coupling_force[0], 1e-9);
  close_world(&a);
  close_world(&b);
}

// What is prescribed is where it should be at the end of each step, but for what the step bends.
static void linearly_implicit_steps_do_not_run_ahead_of_a_path(void** state) {
  (void)state;
  world w = open_world(
      "bodies:\n  " ROD("rod", "0.4") //
      "joints: {hinge: {type: revolute, child: rod, axis: y}}\n"
      "constraints: {lead: {couple: [{joint: hinge}], path: {keys: [[0, 0], [1, 40 deg]]}}}\n"
      "solver: {integrator: linear-euler}\n");
  double want[3], off = 0;
  for (int i = 0; i < 900; i++) {
    run(&w, 1, 1e-3);
    lb_profile_evaluate(w.m->constraint.coupling[0].path, w.d->time, want);
    off = fmax(off, fabs(w.d->q[0] - want[0]));
  }
  print_message("off by %.2g rad\n", off);
  assert_below(off, 3e-6); // h^2 qdd / 2
  close_world(&w);
}

// Coupled joints stay in the tree when the rest of it is taken apart.
static void couplings_hold_in_maximal_coordinates(void** state) {
  (void)state;
  static const char ARM[] =
      "bodies:\n  " ROD("upper", "0.4") "  " ROD("lower", "0.4") "  " ROD("hand", "0.2") //
      "joints:\n"
      "  shoulder: {type: spherical, child: upper}\n"
      "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.4], axis: x}\n"
      "  wrist: {type: revolute, parent: lower, child: hand, at: [0, 0, -0.4], axis: x}\n"
      "initial:\n"
      "  shoulder: {rotation: {axis: [1, 1, 0], angle: 50 deg}}\n"
      "  elbow: {position: 40 deg}\n"
      "  wrist: {position: 20 deg}\n"
      "constraints: {tendon: {couple: [{joint: elbow}, {joint: wrist, times: -2}], equals: 0}}\n";
  char maximal[2000];
  snprintf(maximal, sizeof maximal, "%ssolver: {coordinates: maximal, integrator: rk8}\n", ARM);
  char reduced[2000];
  snprintf(reduced, sizeof reduced, "%ssolver: {integrator: rk8}\n", ARM);
  world a = open_world(reduced), b = open_world(maximal);
  assert_int_equal(b.m->constraint.nloop, 1);
  run(&a, 300, 1e-3);
  run(&b, 300, 1e-3);
  lb_poses(a.m, a.d);
  lb_poses(b.m, b.d);
  for (int i = 0; i < 3; i++) {
    assert_near(lb_vec3_norm(lb_vec3_sub(a.d->pose[i].p, b.d->pose[i].p)), 0, 1e-9);
  }
  close_world(&a);
  close_world(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gears_move_as_one_inertia),
      cmocka_unit_test(a_stop_stops_and_holds),
      cmocka_unit_test(a_stop_does_not_pull),
      cmocka_unit_test(a_box_comes_to_lie_on_the_floor),
      cmocka_unit_test(a_stick_that_falls_on_a_smooth_floor_stays_where_it_is),
      cmocka_unit_test(sliding_on_a_floor_keeps_the_order_of_implicit_steps),
      cmocka_unit_test(a_prescribed_point_goes_where_it_is_prescribed),
      cmocka_unit_test(a_held_frame_stays),
      cmocka_unit_test(a_prescribed_turn_takes_eulers_moment),
      cmocka_unit_test(a_path_prescribes_a_coordinate),
      cmocka_unit_test(linearly_implicit_steps_do_not_run_ahead_of_a_path),
      cmocka_unit_test(couplings_hold_in_maximal_coordinates),
      cmocka_unit_test(a_closing_joint_may_do_more_than_hold),
      cmocka_unit_test(coupled_chains_are_hyper_reduced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
