// Running a scene from start to end: when it ends, what it sums up, how it stops.
#include "started.h"

#define OSCILLATOR                                                                                 \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {b: {mass: 1, shape: {sphere: {radius: 0.1}}}}\n"                                       \
  "joints: {j: {type: prismatic, child: b, axis: x, spring: {stiffness: 39.4784176043574}}}\n"     \
  "initial: {j: {position: 1}}\n"

// Euler's energy swings within a period and comes back: the worst counts, not the last.
static void drift_is_the_worst_of_the_run(void** state) {
  (void)state;
  run u;
  assert_int_equal(start(&u, OSCILLATOR "duration: 1\nsolver: {integrator: euler, step: 1 ms}\n",
                         lb_simulate_default()),
                   LB_OK);
  const double last = fabs(u.s.energy_end - u.s.energy_start);
  assert_above(u.s.energy_drift, 1e-3);
  assert_below(last, 0.1 * u.s.energy_drift * u.s.energy_start);
  assert_near(u.s.energy_start, 0.5 * 39.4784176043574, 1e-13);
  assert_true(u.s.conservative);
  finish(&u);
}

static void run_ends_exactly_at_its_duration(void** state) {
  (void)state;
  static const double duration[] = {1, 1, 0.1, 1e-9, 0.25}, step[] = {3e-3, 0.3, 10, 1e-3, 1e-3};
  for (int i = 0; i < 5; i++) {
    run u;
    lb_simulate_options options = lb_simulate_default();
    options.duration = duration[i];
    options.step = step[i];
    assert_int_equal(start(&u, OSCILLATOR, options), LB_OK);
    assert_near(u.r->time[u.r->nframe - 1] / duration[i], 1, 1e-14);
    assert_at_most(u.s.step, step[i] * (1 + 1e-12));
    for (int f = 1; f < u.r->nframe; f++) {
      assert_above(u.r->time[f], u.r->time[f - 1]);
    }
    finish(&u);
  }
}

// Whether a frame is one leap of the adaptive stepper or several.
static void adaptive_frames_are_as_far_apart_as_asked_for(void** state) {
  (void)state;
  static const double every[] = {0.05, 0.03, 0.02, 0.007, 0.25, 1};
  for (int i = 0; i < 6; i++) {
    run u;
    char text[1000];
    snprintf(text, sizeof text,
             "%sduration: %.17g\nsolver: {integrator: adaptive}\nrecord: {every: %.17g}\n",
             OSCILLATOR, 20 * every[i], every[i]);
    assert_int_equal(start(&u, text, lb_simulate_default()), LB_OK);
    assert_int_equal(u.r->nframe, 21);
    for (int f = 0; f < u.r->nframe; f++) {
      assert_near(u.r->time[f] / every[i], f, 1e-12);
    }
    finish(&u);
  }
}

static void a_world_in_which_nothing_moves_runs_with_every_integrator(void** state) {
  (void)state;
  static const char* const INTEGRATORS[] = {"euler", "rk4",  "rk8",    "linear-euler",
                                            "bdf1",  "bdf2", "sdirk2", "adaptive"};
  for (int i = 0; i < 8; i++) {
    char text[200];
    run u;
    snprintf(text, sizeof text,
             "bodies: {a: {shape: {box: [1, 1, 1]}}}\njoints: {j: {type: fixed, child: a}}\n"
             "duration: 0.1\nsolver: {integrator: %s}\n",
             INTEGRATORS[i]);
    assert_int_equal(start(&u, text, lb_simulate_default()), LB_OK);
    assert_near(u.r->time[u.r->nframe - 1], 0.1, 1e-15);
    finish(&u);
  }
}

static void what_cannot_be_run_is_refused(void** state) {
  (void)state;
  static const double duration[] = {1e300, 1, -1, 1e9, NAN}, step[] = {1e-3, 1e-300, 1e-3, 1e-3, 0};
  for (int i = 0; i < 5; i++) {
    run u;
    lb_simulate_options options = lb_simulate_default();
    options.duration = duration[i];
    options.step = step[i];
    assert_int_equal(start(&u, OSCILLATOR, options), LB_INVALID);
    assert_int_equal(u.err.count, 1);
    finish(&u);
  }
  run u;
  lb_simulate_options options = lb_simulate_default();
  options.step = 1e-3;
  assert_int_equal(start(&u, OSCILLATOR "solver: {integrator: adaptive}\n", options), LB_INVALID);
  finish(&u);
}

static bool stop_at_once(void* context, double fraction, const char* what) {
  (void)fraction, (void)what;
  ++*(int*)context;
  return false;
}

// One frame at the end only: the interrupt must not wait for it.
static void interrupt_does_not_wait_for_a_frame(void** state) {
  (void)state;
  run u;
  int asked = 0;
  lb_simulate_options options = lb_simulate_default();
  options.progress = (lb_progress){stop_at_once, &asked};
  assert_int_equal(start(&u, OSCILLATOR "duration: 1000\nrecord: {every: 1000}\n", options),
                   LB_INTERRUPTED);
  assert_int_equal(asked, 1);
  assert_true(u.s.interrupted);
  assert_below(u.s.steps, 1000);
  assert_int_equal(u.r->nframe, 1);
  finish(&u);
}

// Steps of 5 ms are seven times too long for the spring: it grows by some hundred times a step, and
// no frame has anything to say from where it is beyond what bodies have.
static void a_run_that_blows_up_keeps_frames_from_before(void** state) {
  (void)state;
  run u;
  assert_int_equal(start(&u,
                         "gravity: [0, 0, 0]\n"
                         "bodies: {b: {mass: 1, shape: {sphere: {radius: 0.1}}}}\n"
                         "joints: {j: {type: prismatic, child: b, axis: x, "
                         "spring: {stiffness: 8e6}}}\n"
                         "initial: {j: {position: 1e-6}}\nduration: 2\n"
                         "record: {every: 5 ms}\nsolver: {integrator: rk4, step: 5 ms}\n",
                         lb_simulate_default()),
                   LB_FAILED);
  assert_above(u.r->nframe, 2);
  for (int f = 0; f < u.r->nframe; f++) {
    assert_below(fabs(u.r->q[f]), 1e6);
    assert_below(fabs(u.r->qd[f]), 1e6);
    assert_true(lb_recording_is_finite(u.r, f));
  }
  assert_true(u.s.failure.failed);
  assert_near(u.s.failure.time, u.r->time[u.r->nframe - 1], 1e-12);
  assert_non_null(strstr(u.s.failure.reason, "test.yaml:3"));
  assert_non_null(strstr(u.s.failure.reason, "left all bounds"));
  assert_true(isfinite(u.s.energy_end) && isfinite(u.s.linear_momentum[1].x));
  assert_near(u.s.linear_momentum[1].x, u.r->qd[u.r->nframe - 1], 1e-12);
  finish(&u);
}

#define CURVE                                                                                      \
  "gravity: [0, 0, 0]\nbodies: {b: {mass: 1, shape: {sphere: {radius: 0.1}}}}\n"                   \
  "duration: 2\ninitial: {j: {position: 0.5, velocity: 1}}\njoints:\n"                             \
  "  j: {type: spline-curve, child: b, frames: [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]"

// Frames in a row, so that one unit of the coordinate is a metre and it moves on at one a second.
static void a_spline_without_limits_that_is_run_off_is_reported(void** state) {
  (void)state;
  static const struct {
    const char* rest;
    bool left;
  } CASES[] = {{"]}\n", true},
               {"], cyclic: true}\n", false},
               {"], limits: {lower: 0, upper: 1, stiffness: 1e4}}\n", false}};
  for (int i = 0; i < 3; i++) {
    char text[600];
    run u;
    snprintf(text, sizeof text, "%s%s", CURVE, CASES[i].rest);
    assert_int_equal(start(&u, text, lb_simulate_default()), LB_OK);
    const lb_spline_exit e = lb_recording_spline_exit(u.r, 0);
    assert_int_equal(e.left, CASES[i].left);
    if (e.left) {
      assert_int_equal(e.coordinate, 0);
      assert_true(e.end == 1);
      assert_near(e.time, 0.52, 1e-9);
      assert_near(e.farthest, 2.5, 1e-9);
    }
    assert_false(u.s.failure.failed);
    finish(&u);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drift_is_the_worst_of_the_run),
      cmocka_unit_test(run_ends_exactly_at_its_duration),
      cmocka_unit_test(adaptive_frames_are_as_far_apart_as_asked_for),
      cmocka_unit_test(a_world_in_which_nothing_moves_runs_with_every_integrator),
      cmocka_unit_test(what_cannot_be_run_is_refused),
      cmocka_unit_test(interrupt_does_not_wait_for_a_frame),
      cmocka_unit_test(a_run_that_blows_up_keeps_frames_from_before),
      cmocka_unit_test(a_spline_without_limits_that_is_run_off_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
