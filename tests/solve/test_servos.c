// Servos, with contacts and without, by all integrators: an arm of 1 kg on a hinge.
#include "contact_scene.h"

static const double I = 0.26; // 0.5^2 + 0.01

// Head of a scene by an integrator, an arm and what its servo is like.
#define ARM                                                                                        \
  "solver: {integrator: %s, step: %g}\nbodies: {arm: {shape: {sphere: {radius: 0.05}, position: "  \
  "[0.5, 0, 0]}, mass: 1, center: [0.5, 0, 0], inertia: [0.01, 0.01, 0.01]}}\njoints: "            \
  "{j: {type: revolute, child: arm, axis: y}}\nmotors: {m: {joint: j, drive: servo, ease: "        \
  "linear, "                                                                                       \
  "%s}}\n%s"
#define STILL "keys: [[0, 0], [10, 0]]"
#define FLAT "gravity: [0, 0, 0]\n"

static const char* const ALL[] = {"euler",    "linear-euler", "bdf1", "bdf2",    "sdirk2",
                                  "midpoint", "rk4",          "rk8",  "adaptive"};
enum { IMPLICIT = 5, NALL = 9 };

static double angle(lb_world* w) {
  return lb_world_q(w, 0)[0];
}

// kp q = weight cos q
static void all_integrators_sag_alike(void** state) {
  (void)state;
  for (int i = 0; i < NALL; i++) {
    lb_world* w = contact_world(ARM, ALL[i], 1e-3,
                                STILL ", stiffness: 100 N m/rad, damping: 20 N m s/rad", "");
    contact_run(w, 4);
    assert_near(100 * fabs(angle(w)), 0.5 * GRAVITY * cos(angle(w)), 1e-6);
    assert_near(fabs(lb_world_motor_force(w, 0)), 100 * fabs(angle(w)), 1e-4);
    lb_world_close(w);
  }
}

// Named in `initial`, it starts there and not at its target, and swings to that: place and rate
// each for itself.
static void a_servo_starts_where_it_is_named(void** state) {
  (void)state;
  static const char* const with[] = {"", "contacts: {}\n"};
  const double kp = 40, s = 2 / (2 * I), f = sqrt(kp / I - s * s);
  for (int i = 0; i < 2 * NALL; i++) {
    if (i >= NALL + IMPLICIT) {
      continue; // refused with contacts
    }
    for (int rate = 0; rate < 2; rate++) {
      char more[200];
      snprintf(more, sizeof more, FLAT "%sinitial: {j: {%s: %g}}\n", with[i / NALL],
               rate ? "velocity" : "position", rate ? 3.0 : 0.3);
      lb_world* w = contact_world(ARM, ALL[i % NALL], 1e-4,
                                  STILL ", stiffness: 40 N m/rad, damping: 2 N m s/rad", more);
      assert_near(angle(w), rate ? 0 : 0.3, 0);
      contact_run(w, 0.2);
      const double t = lb_world_time(w);
      const double q =
          exp(-s * t) * (rate ? 3 / f * sin(f * t) : 0.3 * (cos(f * t) + s / f * sin(f * t)));
      assert_near(angle(w), q, 5e-4);
      lb_world_close(w);
    }
  }
}

// Under a torque T the arm goes to T/kp as a damped oscillator.
static double swing(const char* by, double h) {
  lb_world* w = contact_world(ARM, by, h, STILL ", stiffness: 40 N m/rad, damping: 2 N m s/rad",
                              FLAT "loads: {l: {body: arm, torque: [0, 3, 0]}}\n");
  contact_run(w, 0.2);
  const double t = lb_world_time(w), T = 3, kp = 40, s = 2 / (2 * I), f = sqrt(kp / I - s * s);
  const double q = T / kp * (1 - exp(-s * t) * (cos(f * t) + s / f * sin(f * t)));
  const double error = fabs(angle(w) - q);
  lb_world_close(w);
  return error;
}

static void a_servo_swings_as_a_spring_and_damper(void** state) {
  (void)state;
  const double order[NALL] = {1, 1, 1, 2, 2, 2, 4, 0, 0};
  for (int i = 0; i < NALL; i++) {
    const double coarse = swing(ALL[i], 4e-3), fine = swing(ALL[i], 2e-3);
    print_message("%s: %.3g -> %.3g\n", ALL[i], coarse, fine);
    assert_below(fine, order[i] == 1 ? 2e-3 : 1e-4);
    if (order[i] > 0) {
      assert_near(log2(coarse / fine), order[i], 0.15);
    }
  }
}

// What the limit leaves of a torque of 3 N m.
static void a_servo_gives_way_at_its_limit(void** state) {
  (void)state;
  for (int i = 0; i < NALL; i++) {
    lb_world* w = contact_world(
        ARM, ALL[i], 1e-3, STILL ", stiffness: 1e4 N m/rad, damping: 10 N m s/rad, limit: 2 N m",
        FLAT "loads: {l: {body: arm, torque: [0, 3, 0]}}\n");
    contact_run(w, 0.5);
    assert_near(lb_world_qd(w, 0)[0], 0.5 * (3 - 2) / I, 0.02);
    assert_near(fabs(lb_world_motor_force(w, 0)), 2, 1e-9);
    lb_world_close(w);
  }
}

// One with a limit alone holds exactly below it, and gives way beyond: I w' = 3 - 2.
static void one_with_a_limit_alone_holds(void** state) {
  (void)state;
  for (int i = 0; i < IMPLICIT; i++) {
    lb_world* w = contact_world(ARM, ALL[i], 1e-3, STILL ", limit: 6 N m", "");
    contact_run(w, 1);
    assert_near(angle(w), 0, 1e-12);
    assert_near(fabs(lb_world_motor_force(w, 0)), 0.5 * GRAVITY, 1e-9);
    lb_world_close(w);
    w = contact_world(ARM, ALL[i], 1e-3, STILL ", limit: 2 N m",
                      FLAT "loads: {l: {body: arm, torque: [0, 3, 0]}}\n");
    contact_run(w, 0.5);
    assert_near(lb_world_qd(w, 0)[0], 0.5 * (3 - 2) / I, 1e-9);
    assert_near(fabs(lb_world_motor_force(w, 0)), 2, 0);
    lb_world_close(w);
  }
}

// One with a limit alone follows its profile, at any speed.
static void one_with_a_limit_alone_does_not_lag(void** state) {
  (void)state;
  for (int i = 0; i < IMPLICIT; i++) {
    lb_world* w = contact_world(ARM, ALL[i], 1e-3, "keys: [[0, 0], [1, 6.28]], limit: 5 N m", FLAT);
    for (int k = 1; k <= 900; k++) {
      contact_run(w, 1e-3 * k);
      assert_near(angle(w), 6.28 * lb_world_time(w), 1e-9);
    }
    lb_world_close(w);
  }
}

// Matrices that leave nothing out find the same steps, in a linkage with a load that comes and
// goes.
static double turns(const char* newton, bool maximal) {
  lb_world* w = contact_world(
      "solver: {integrator: bdf2, newton: %s, coordinates: %s, step: 2 ms, tolerance: "
      "1e-13}\nbodies: {a: {mass: 1, "
      "center: [0, 0, -0.3], inertia: [0.1, 0.1, 0.02]}, b: {mass: 1, center: [0, 0.1, -0.3], "
      "inertia: [0.1, 0.12, 0.05]}}\njoints: {i: {type: revolute, child: a, axis: y}, j: {type: "
      "revolute, parent: a, child: b, at: [0, 0, -0.6], axis: [1, 1, 0]}}\nmotors: {m: {joint: i, "
      "drive: servo, keys: [[0, 0], [0.5, 2], [1, -1]], stiffness: 1e8 N m/rad, damping: 1e5 N m "
      "s/rad, limit: 8 N m}, n: {joint: j, drive: servo, keys: [[0, 0], [0.4, 1], [1, 0]], "
      "stiffness: 50 N m/rad, damping: 3 N m s/rad}}\n",
      newton, maximal ? "maximal" : "reduced");
  contact_run(w, 1);
  const double z = contact_place(w, "b").z;
  lb_world_close(w);
  return z;
}

static void exact_matrices_find_the_same_steps(void** state) {
  (void)state;
  for (int maximal = 0; maximal < 2; maximal++) {
    assert_near(turns("exact", maximal), turns("kept", maximal), 1e-7);
  }
}

// --- saturation ---

// A motor of 1e8 N m/rad with 20 N m, whose target runs away: I w' = 20.
static void a_stiff_servo_turns_its_joint_with_the_limit(void** state) {
  (void)state;
  for (int i = 0; i < IMPLICIT; i++) {
    lb_world* w = contact_world(ARM, ALL[i], 1e-3,
                                "keys: [[0, 0], [0.1, 0], [0.2, 100], [10, 100]], stiffness: 1e8 N "
                                "m/rad, damping: 1e5 N m s/rad, limit: 20 N m",
                                FLAT);
    contact_run(w, 0.15);
    const double before = lb_world_qd(w, 0)[0];
    contact_run(w, 0.35);
    assert_near(lb_world_qd(w, 0)[0] - before, 0.2 * 20 / I, 1e-9);
    assert_near(fabs(lb_world_motor_force(w, 0)), 20, 0);
    assert_near(before, 0.05 * 20 / I, 0.05); // what the kink leaves of second order
    lb_world_close(w);
  }
}

// A load comes and goes: the servo is at its limit for a while and returns. The reference steps
// over no kink.
static double comes_back(const char* by, double h) {
  lb_world* w = contact_world(
      ARM, by, h, STILL ", stiffness: 40 N m/rad, damping: 6 N m s/rad, limit: 4 N m",
      FLAT "loads: {l: {body: arm, torque: [0, 5, 0], keys: [[0, 0], [0.2, 1], [0.4, 1], [0.6, 0], "
           "[9, 0]], ease: smooth}}\n");
  double most = 0;
  while (lb_world_time(w) < 1 - 1e-9) {
    contact_run(w, lb_world_time(w) + h);
    most = fmax(most, fabs(lb_world_motor_force(w, 0)));
  }
  assert_near(most, 4, 0); // it was there, and never beyond
  assert_below(fabs(lb_world_motor_force(w, 0)), 3.9);
  const double q = angle(w);
  lb_world_close(w);
  return q;
}

static void a_servo_comes_back_from_its_limit(void** state) {
  (void)state;
  const double q = comes_back("rk4", 1e-4);
  const double order[IMPLICIT] = {1, 1, 1, 2, 2};
  for (int i = 0; i < IMPLICIT; i++) {
    const double coarse = fabs(comes_back(ALL[i], 4e-3) - q);
    const double fine = fabs(comes_back(ALL[i], 1e-3) - q);
    print_message("%s: %.3g -> %.3g\n", ALL[i], coarse, fine);
    assert_near(log2(coarse / fine) / 2, order[i], 0.25);
  }
}

// Without a load, a servo is where its profile is at the end of every step, at any speed.
static void a_servo_does_not_lag(void** state) {
  (void)state;
  for (int i = 0; i < IMPLICIT; i++) {
    lb_world* w = contact_world(ARM, ALL[i], 1e-3,
                                "keys: [[0, 0], [1, 6.28]], repeat: 1 s, advance: 6.28, stiffness: "
                                "1e8 N m/rad, damping: 1e5 N m s/rad",
                                FLAT);
    for (int k = 1; k <= 1500; k++) {
      contact_run(w, 1e-3 * k);
      assert_near(angle(w), 6.28 * lb_world_time(w), 1e-9);
    }
    lb_world_close(w);
  }
}

// The problem of contacts without any is the servo's alone: nothing changes with it.
static void contacts_that_never_meet_change_nothing(void** state) {
  (void)state;
  static const char* const SERVO =
      STILL ", stiffness: 300 N m/rad, damping: 3 N m s/rad, limit: 4 N m";
  for (int i = 0; i < IMPLICIT; i++) {
    lb_world *a = contact_world(ARM, ALL[i], 1e-3, SERVO, ""),
             *b = contact_world(ARM, ALL[i], 1e-3, SERVO, "contacts: {}\n");
    for (int k = 1; k <= 5; k++) {
      contact_run(a, 0.1 * k);
      contact_run(b, 0.1 * k);
      assert_near(angle(a), angle(b), 1e-12);
    }
    lb_world_close(a);
    lb_world_close(b);
  }
}

// A servo in a loop: a slider that a spring would push away stays where the servo has it.
static void a_servo_holds_a_linkage(void** state) {
  (void)state;
  for (int i = 0; i < IMPLICIT; i++) {
    lb_world* w = contact_world(
        "solver: {integrator: %s}\nbodies: {crank: {shape: {box: [0.2, 0.02, 0.02], position: "
        "[0.1, "
        "0, 0]}}, rod: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}, slider: {shape: "
        "{box: [0.05, 0.05, 0.05]}}}\njoints: {shaft: {type: revolute, child: crank, axis: y}, "
        "pin: {type: revolute, parent: crank, child: rod, at: [0.2, 0, 0], axis: y}, way: {type: "
        "prismatic, child: slider, axis: x, at: [0.6, 0, 0]}, end: {type: revolute, loop: true, "
        "parent: rod, child: slider, at: [0.4, 0, 0], axis: y}}\nmotors: {m: {joint: shaft, drive: "
        "servo, ease: linear, keys: [[0, -1], [2, 11]], stiffness: 1e6 N m/rad, damping: 1e3 N m "
        "s/rad}}\n",
        ALL[i]);
    contact_run(w, 1);
    const double q = lb_world_q(w, lb_world_find(w, LB_PART_JOINT, "shaft"))[0];
    const double x = 0.2 * cos(q) + sqrt(0.16 - 0.04 * sin(q) * sin(q));
    assert_near(q, 5, 1e-3);
    assert_near(contact_place(w, "slider").x, x, 1e-5);
    lb_world_close(w);
  }
}

// --- loops and maximal coordinates ---

// Angle of the arm about y, within a turn.
static double turn_of(lb_world* w) {
  const lb_quat q = lb_world_pose(w, lb_world_find(w, LB_PART_BODY, "arm")).q;
  return 2 * atan2(q.y, q.w);
}

// By coordinates of the tree, by maximal ones, and as a loop with a pin that yields.
#define LOOPED                                                                                     \
  "solver: {integrator: %s, step: %g}\nbodies: {arm: {shape: {sphere: {radius: 0.05}, position: "  \
  "[0.5, 0, 0]}, mass: 1, center: [0.5, 0, 0], inertia: [0.01, 0.01, 0.01]}}\njoints: {j: {type: " \
  "revolute, child: arm, axis: y, loop: true%s}}\nmotors: {m: {joint: j, drive: servo, ease: "     \
  "linear, %s}}\n%s"
#define PIN                                                                                        \
  ", compliance: {stiffness: 1e8 N/m, damping: 1e4 N s/m, turn_stiffness: 1e8 N m/rad, "           \
  "turn_damping: 1e4 N m s/rad}"

typedef enum arms { REDUCED, MAXIMAL, LOOP, YIELDING, NARMS } arms;

static lb_world* arm_world(arms by, const char* integrator, double h, const char* servo,
                           const char* rest) {
  char name[100];
  snprintf(name, sizeof name, "%s, coordinates: %s", integrator,
           by == MAXIMAL ? "maximal" : "reduced");
  return by < LOOP ? contact_world(ARM, name, h, servo, rest)
                   : contact_world(LOOPED, name, h, by == YIELDING ? PIN : "", servo, rest);
}

// How far the arm is from its profile at worst, at so many rad/s and steps of 1 ms. Bodies on loops
// start at rest, and have 0.1 s to catch up.
static double lag(arms by, const char* integrator, double speed, const char* servo) {
  char motor[300];
  snprintf(motor, sizeof motor, "keys: [[0, 0], [1, %.17g]], repeat: 1 s, advance: %.17g%s", speed,
           speed, servo);
  lb_world* w = arm_world(by, integrator, 1e-3, motor, FLAT);
  double worst = 0;
  contact_run(w, by < LOOP ? 0 : 0.1);
  for (int k = 101; k <= 1500; k++) {
    contact_run(w, 1e-3 * k);
    worst = fmax(worst, fabs(remainder(turn_of(w) - speed * lb_world_time(w), 2 * M_PI)));
  }
  lb_world_close(w);
  return worst;
}

// Without a load it is where its profile is, over more than a turn, in all coordinates. Euler takes
// springs of pins as they begin.
static void a_servo_on_a_loop_does_not_lag(void** state) {
  (void)state;
  static const double speed[] = {6.28, -2 * M_PI, 0.7, 40};
  for (int i = 0; i < IMPLICIT; i++) {
    for (arms by = REDUCED; by < (i == 0 ? YIELDING : NARMS); by++) {
      for (int k = 0; k < 4; k++) {
        const double worst =
            lag(by, ALL[i], speed[k], ", stiffness: 1e8 N m/rad, damping: 1e5 N m s/rad");
        print_message("%s, %d, %g rad/s: %.2g rad\n", ALL[i], by, speed[k], worst);
        assert_below(worst, 1e-9);
      }
    }
  }
}

// Angle after a swing in which the servo is at its limit, falls behind by more than a turn and
// comes back.
static double swings_back(arms by, const char* integrator, double h, double* most) {
  lb_world* w = arm_world(by, integrator, h,
                          "keys: [[0, 0], [0.1, 0], [0.2, 10], [9, 10]], stiffness: 30 N m/rad, "
                          "damping: 8 N m s/rad, limit: 6 N m",
                          FLAT);
  *most = 0;
  while (lb_world_time(w) < 1.5 - 1e-9) {
    contact_run(w, lb_world_time(w) + h);
    *most = fmax(*most, fabs(lb_world_motor_force(w, 0)));
  }
  const double q = turn_of(w);
  lb_world_close(w);
  return q;
}

static void reduced_and_maximal_coordinates_agree(void** state) {
  (void)state;
  for (int i = 0; i < NALL - 1; i++) {
    double most, error[2][NARMS] = {{0}};
    for (int k = 0; k < 2; k++) {
      const double q = swings_back(REDUCED, ALL[i], 2e-3 / (1 + k), &most);
      for (arms by = MAXIMAL; by < YIELDING; by++) {
        error[k][by] =
            fabs(remainder(swings_back(by, ALL[i], 2e-3 / (1 + k), &most) - q, 2 * M_PI));
        assert_near(most, 6, 0);
      }
    }
    print_message("%s: maximal %.2g -> %.2g, loop %.2g -> %.2g\n", ALL[i], error[0][MAXIMAL],
                  error[1][MAXIMAL], error[0][LOOP], error[1][LOOP]);
    assert_below(error[1][MAXIMAL], 1e-9); // its joint stays in the tree
    assert_below(error[1][LOOP], 1e-3);
  }
}

// A slider-crank that starts with its bars in line, in a chain from the slider to the crank: the
// shaft closes the loop and has the servo. The other way round the shaft carries the crank.
static const char* const CRANKS[] = {
    "{shaft: {type: revolute, child: crank, axis: y}, pin: {type: revolute, parent: crank, child: "
    "rod, at: [0.2, 0, 0], axis: y}, way: {type: prismatic, child: slider, axis: x, at: [0.6, 0, "
    "0]}, end: {type: revolute, loop: true, parent: rod, child: slider, at: [0.4, 0, 0], axis: y}}",
    "{way: {type: prismatic, child: slider, axis: x, at: [0.6, 0, 0]}, end: {type: revolute, "
    "parent: slider, child: rod, in_child: [0.4, 0, 0], axis: y}, pin: {type: revolute, parent: "
    "rod, child: crank, in_child: [0.2, 0, 0], axis: y}, shaft: {type: revolute, loop: true, "
    "child: crank, axis: y}}"};

static void a_servo_on_the_joint_that_closes_a_linkage_turns_it(void** state) {
  (void)state;
  for (int i = 0; i < IMPLICIT; i++) {
    double force[2][2];
    for (int k = 0; k < 4; k++) {
      lb_world* w = contact_world(
          "solver: {integrator: %s, coordinates: %s}\nbodies: {crank: {shape: {box: [0.2, 0.02, "
          "0.02], position: [0.1, 0, 0]}}, rod: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, "
          "0, "
          "0]}}, slider: {shape: {box: [0.05, 0.05, 0.05]}}}\njoints: %s\nmotors: {m: {joint: "
          "shaft, drive: servo, keys: [[0, 0], [1, 1], [2, 10]], stiffness: 1e6 N m/rad, damping: "
          "1e3 N m s/rad}}\n",
          ALL[i], k % 2 ? "maximal" : "reduced", CRANKS[k / 2]);
      contact_run(w, 1.7);
      const lb_quat r = lb_world_pose(w, lb_world_find(w, LB_PART_BODY, "crank")).q;
      const double q = 2 * atan2(r.y, r.w), s = 0.7;
      const double x = 0.2 * cos(q) + sqrt(0.16 - 0.04 * sin(q) * sin(q));
      const double f = 1 + 9 * (10 * pow(s, 3) - 15 * pow(s, 4) + 6 * pow(s, 5));
      force[k / 2][k % 2] = lb_world_motor_force(w, 0);
      assert_near(remainder(q - f, 2 * M_PI), 0, 1e-4);
      assert_near(contact_place(w, "slider").x, x, 1e-4);
      lb_world_close(w);
    }
    print_message("%s: %.4g %.4g, %.4g %.4g N m\n", ALL[i], force[0][0], force[0][1], force[1][0],
                  force[1][1]);
    for (int k = 1; k < 4; k++) {
      assert_near(force[k / 2][k % 2], force[0][0], 0.02 * fabs(force[0][0]));
    }
  }
}

// A servo presses the end of its arm on the ground with all it has: the ground's moment about the
// hinge is 6 N m and that of the weight.
static void a_servo_at_its_limit_presses_on_the_ground(void** state) {
  (void)state;
  for (int i = 0; i < 4; i++) { // sdirk2 is as bdf2 there
    for (arms by = REDUCED; by < YIELDING; by++) {
      lb_world* w = arm_world(by, ALL[i], 1e-3,
                              "keys: [[0, 0], [0.1, 0], [0.3, 1], [9, 1]], stiffness: 1e8 N m/rad, "
                              "damping: 1e5 N m s/rad, limit: 6 N m",
                              "contacts: {}\nscenery: [{box: [4, 4, 1], position: [0, 0, -0.6], "
                              "solid: true}]\n");
      contact_run(w, 1);
      lb_body_contact touch[8];
      assert_int_equal(lb_world_contacts(w, touch, 8), 1);
      const lb_vec3 p = touch[0].point, f = touch[0].force;
      assert_near(fabs(p.z * f.x - p.x * f.z), 6 + 0.5 * GRAVITY * cos(turn_of(w)), 1e-9);
      assert_near(fabs(lb_world_motor_force(w, 0)), 6, 0);
      lb_world_close(w);
    }
  }
}

// --- refused ---

static void assert_refused(const char* text, const char* why) {
  lb_error err = lb_error_make(NULL);
  lb_world* w = lb_world_parse(text, "servo", &err);
  assert_null(w);
  assert_true(err.count > 0 && strstr(err.message[0].text, why));
  lb_error_clear(&err);
}

static void what_servos_cannot_do_is_refused(void** state) {
  (void)state;
  char text[2000];
  for (int i = IMPLICIT; i < NALL; i++) {
    snprintf(text, sizeof text, ARM, ALL[i], 1e-3, STILL ", limit: 6 N m", "");
    assert_refused(text, "give it a stiffness, or choose linear-euler or euler");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_integrators_sag_alike),
      cmocka_unit_test(a_servo_starts_where_it_is_named),
      cmocka_unit_test(a_servo_swings_as_a_spring_and_damper),
      cmocka_unit_test(a_servo_gives_way_at_its_limit),
      cmocka_unit_test(one_with_a_limit_alone_holds),
      cmocka_unit_test(one_with_a_limit_alone_does_not_lag),
      cmocka_unit_test(exact_matrices_find_the_same_steps),
      cmocka_unit_test(a_stiff_servo_turns_its_joint_with_the_limit),
      cmocka_unit_test(a_servo_comes_back_from_its_limit),
      cmocka_unit_test(a_servo_on_a_loop_does_not_lag),
      cmocka_unit_test(reduced_and_maximal_coordinates_agree),
      cmocka_unit_test(a_servo_on_the_joint_that_closes_a_linkage_turns_it),
      cmocka_unit_test(a_servo_at_its_limit_presses_on_the_ground),
      cmocka_unit_test(a_servo_does_not_lag),
      cmocka_unit_test(contacts_that_never_meet_change_nothing),
      cmocka_unit_test(a_servo_holds_a_linkage),
      cmocka_unit_test(what_servos_cannot_do_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
