// Unilateral constraints that yield: stops, floors, ropes and ratchets with a stiffness and a
// damping, by all integrators, in reduced and maximal coordinates.
#include "contact_scene.h"

static const char* const ALL[] = {"euler",    "linear-euler", "bdf1", "bdf2",    "sdirk2",
                                  "midpoint", "rk4",          "rk8",  "adaptive"};
static const char* const COORDINATES[] = {"reduced", "maximal"};
enum { SOLVED = 5, NALL = 9 };

// A slider of 2 kg along z with what stops it.
#define SLIDER                                                                                     \
  "solver: {integrator: %s, coordinates: %s, step: %g}\nbodies: {b: {shape: {box: [0.1, 0.1, "     \
  "0.1]}, mass: 2}}\njoints: {s: {type: prismatic, child: b, axis: z}}\n%s%s"
#define STOP(by) "constraints: {stop: {couple: [{joint: s}], at_least: 0 m, " by "}}\n"

static double height(lb_world* w) {
  return contact_place(w, "b").z;
}
static double speed(lb_world* w) {
  return contact_velocity(w, "b").linear.z;
}

// --- at rest ---

// The give is the weight over the stiffness.
static void assert_gives(const char* stop, const char* joints, double give) {
  for (int i = 0; i < NALL; i++) {
    for (int k = 0; k < 2; k++) {
      lb_world* w = contact_world("solver: {integrator: %s, coordinates: %s, step: 1 ms}\nbodies: "
                                  "{b: {shape: {box: [0.1, 0.1, 0.1]}, mass: 2}}\n%s%s",
                                  ALL[i], COORDINATES[k], joints, stop);
      contact_run(w, 1.5);
      assert_near(-height(w), give, 1e-9);
      assert_near(speed(w), 0, 1e-7);
      lb_world_close(w);
    }
  }
}

#define GLIDES "joints: {s: {type: prismatic, child: b, axis: z}}\n"

static void what_rests_gives_by_its_weight_over_the_stiffness(void** state) {
  (void)state;
  const double give = 2 * GRAVITY / 1e4;
  assert_gives(STOP("stiffness: 1e4 N/m, damping: 100 N s/m"), GLIDES, give);
  assert_gives("constraints: {stop: {couple: [{joint: s, times: -2}], at_most: 0 m, stiffness: "
               "2500 N/m, damping: 25 N s/m}}\n",
               GLIDES, give);
  assert_gives("constraints: {stop: {couple: [{joint: s}], ratchet: 1 cm, stiffness: 1e4 N/m, "
               "damping: 100 N s/m}}\n",
               GLIDES, give);
  assert_gives("constraints: {stop: {floor: {body: b, points: [{at: [0, 0, 0]}]}, stiffness: 1e4 "
               "N/m, damping: "
               "100 N s/m}}\n",
               "", give);
  assert_gives("constraints: {stop: {distance: {from: {at: [0, 0, 1]}, to: {body: b}, length: 1 m, "
               "unilateral: true}, stiffness: 1e4 N/m, damping: 100 N s/m}}\n",
               "", give);
}

// That of [auto], with steps that do not resolve it.
static void a_stiff_stop_gives_by_as_little(void** state) {
  (void)state;
  for (int i = 1; i < SOLVED; i++) {
    for (int k = 0; k < 2; k++) {
      lb_world* w =
          contact_world(SLIDER, ALL[i], COORDINATES[k], 1e-3, "initial: {s: {position: 5 cm}}\n",
                        STOP("stiffness: 1e8 N/m, damping: 1e4 N s/m"));
      contact_run(w, 0.5);
      assert_near(-height(w), 2 * GRAVITY / 1e8, 1e-11);
      lb_world_close(w);
    }
  }
}

// --- in motion ---

// Thrown at a stop at 1 m/s from 1 cm, without gravity. With s = kd/(2 m) and f^2 = kp/m - s^2,
//
//   x = -sin(f t) exp(-s t)/f,   until kp x + kd x' = 0
//
// since the damper does not pull. It comes in at the first step that begins beyond the stop, so
// that only spring alone has an order of two; adaptive steps find the stop.
static double leaves_with(double kp, double kd) {
  const double s = kd / 4, f = sqrt(kp / 2 - s * s);
  const double t = (M_PI - atan2(2 * s * f, f * f - s * s)) / f;
  return exp(-s * t) * (s / f * sin(f * t) - cos(f * t));
}

static double bounces(const char* by, const char* coordinates, double h, double kp, double kd) {
  char stop[200];
  snprintf(stop, sizeof stop, STOP("stiffness: %g N/m, damping: %g N s/m"), kp, kd);
  lb_world* w =
      contact_world(SLIDER, by, coordinates, h,
                    "gravity: [0, 0, 0]\ninitial: {s: {position: 1 cm, velocity: -1}}\n", stop);
  double last = -1;
  while (lb_world_time(w) < 0.1 - 1e-9) {
    const double z = height(w), v = speed(w);
    contact_run(w, lb_world_time(w) + h);
    if (v < 0 && z > h) { // it is not felt before it is met
      assert_near(speed(w), v, 1e-9);
    }
    assert_true(speed(w) >= last - 1e-9); // it pushes, and never pulls
    last = speed(w);
  }
  assert_true(height(w) > 0);
  lb_world_close(w);
  return last;
}

static void what_is_thrown_at_a_stop_leaves_as_a_damped_spring_lets_it(void** state) {
  (void)state;
  for (int i = 0; i < NALL; i++) {
    for (int kd = 0; kd <= 100; kd += 100) {
      const double v = leaves_with(2e4, kd);
      for (int k = 0; k < 2; k++) {
        double coarse = fabs(bounces(ALL[i], COORDINATES[k], 4e-4, 2e4, kd) - v);
        double fine = fabs(bounces(ALL[i], COORDINATES[k], 1e-4, 2e4, kd) - v);
        print_message("%s, kd %d: leaves at %.4g, off by %.2g -> %.2g\n", ALL[i], kd, v, coarse,
                      fine);
        const bool second = i >= 3 && kd == 0;
        assert_below(fine, i == NALL - 1 ? 1e-6 : second ? 1e-3 : 2e-2);
      }
    }
  }
}

// --- ratchets ---

// A wheel is turned past two teeth of 0.5 rad and let go: it falls back to the second one, and
// behind it by the torque over the stiffness.
static void a_ratchet_that_yields_holds_behind_its_tooth(void** state) {
  (void)state;
  for (int i = 0; i < NALL; i++) {
    for (int k = 0; k < 2; k++) {
      lb_world* w = contact_world(
          "gravity: [0, 0, 0]\nsolver: {integrator: %s, coordinates: %s, step: 1 ms}\nbodies: "
          "{wheel: {shape: {sphere: {radius: 0.1}}, mass: 1, inertia: [0.01, 0.01, "
          "0.01]}}\njoints: "
          "{j: {type: revolute, child: wheel, axis: z, damping: 0.1}}\nloads: {l: {body: wheel, "
          "torque: [0, 0, 1], ease: linear, keys: [[0, 1], [0.3, 1], [0.31, -1], [9, -1]]}}\n"
          "constraints: {pawl: {couple: [{joint: j}], ratchet: 0.5 rad, stiffness: 200 N m/rad, "
          "damping: 1 N m s/rad}}\n",
          ALL[i], COORDINATES[k]);
      contact_run(w, 0.3);
      const double far = lb_world_q(w, 0)[0];
      contact_run(w, 4);
      const double tooth = 0.5 * floor((far + 0.5) / 0.5);
      const double left = lb_world_q(w, 0)[0] + 1 / 200.;
      assert_true(far > 1);
      assert_true(fabs(remainder(left, 0.5)) < 1e-6);
      assert_true(left >= tooth - 0.6);
      lb_world_close(w);
    }
  }
}

// --- refused ---

static void what_they_cannot_do_is_refused(void** state) {
  (void)state;
  static const struct {
    const char *by, *more, *why;
  } CASES[] = {
      {"bdf2", ", hard: {couple: [{joint: s}], at_most: 1 m}", "let all of them yield"},
      {"linear-euler", ", hard: {couple: [{joint: s}], at_most: 1 m}", NULL},
      {"rk4", ", hard: {couple: [{joint: s}], at_most: 1 m}", NULL},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    char text[2000];
    snprintf(text, sizeof text,
             "solver: {integrator: %s}\nbodies: {b: {shape: {box: [0.1, 0.1, 0.1]}}}\njoints: {s: "
             "{type: prismatic, child: b, axis: z}}\nconstraints: {stop: {couple: [{joint: s}], "
             "at_least: 0 m, stiffness: 100 N/m}%s}\n",
             CASES[i].by, CASES[i].more);
    lb_error err = lb_error_make(NULL);
    lb_world* w = lb_world_parse(text, "stop", &err);
    assert_true((w == NULL) == (CASES[i].why != NULL));
    assert_true(!CASES[i].why || strstr(err.message[0].text, CASES[i].why));
    lb_world_close(w);
    lb_error_clear(&err);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_rests_gives_by_its_weight_over_the_stiffness),
      cmocka_unit_test(a_stiff_stop_gives_by_as_little),
      cmocka_unit_test(what_is_thrown_at_a_stop_leaves_as_a_damped_spring_lets_it),
      cmocka_unit_test(a_ratchet_that_yields_holds_behind_its_tooth),
      cmocka_unit_test(what_they_cannot_do_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
