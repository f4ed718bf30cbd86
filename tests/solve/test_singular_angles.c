// A body that turns past a place where two axes of its angles fall together: near enough, angles
// turn faster than any step of fixed length can follow. Every run is either right or stops there.
#include <float.h>

#include "started.h"

#define BODY                                                                                       \
  "gravity: [0, 0, 0]\nbodies: {a: {shape: {box: [0.1, 0.2, 0.5], position: [0, 0, -0.25]}}}\n"    \
  "record: {every: 10 ms}\n"

// At one radian a second past the place, which is a tenth of a radian ahead, at a distance b from
// it; `phase` is where steps of 1 ms fall.
static lb_status pass(run* u, const char* integrator, const char* more, double b, double phase) {
  char text[800];
  snprintf(text, sizeof text,
           BODY "joints: {j: {type: euler, child: a%s}}\n"
                "initial: {j: {position: [0, %.17g, 0], velocity: [%.17g, 1, 0]}}\n"
                "duration: 0.2\nsolver: {integrator: %s, step: 1 ms}\n",
           more, 1.5707963267948966 - 0.1 + 1e-3 * phase, b / (0.1 * 0.1), integrator);
  return start(u, text, lb_simulate_default());
}

static void assert_stopped(const run* u) {
  assert_true(u->s.failure.failed);
  assert_non_null(strstr(u->err.message[0].text, "joint 'j', which carries body 'a'"));
  assert_non_null(strstr(u->err.message[0].text, "axes fall together"));
  assert_non_null(strstr(u->err.message[0].text, "spherical"));
  assert_above(u->r->nframe, 5);
  assert_at_most(u->r->time[u->r->nframe - 1], u->s.failure.time);
}

static const struct {
  const char* integrator;
  double good; // the distance from which on it must go on
  double off;  // what energy may be off by in what is kept
} METHODS[] = {
    {"rk4", 0.004, 1e-3},     {"rk8", 0.004, 1e-3},  {"bdf2", 0.01, 0.02},
    {"sdirk2", 0.004, 0.015}, {"euler", 0.02, 0.15}, {"linear-euler", 0.02, 0.15},
    {"bdf1", 0.02, 0.02},
};

static void every_run_past_a_singular_place_is_right_or_stops(void** state) {
  (void)state;
  static const double DISTANCE[] = {0.03, 0.02, 0.01, 6e-3, 4e-3, 3.1e-3, 2e-3, 1e-3,
                                    3e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-9,   0};
  for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
    int stopped = 0;
    for (size_t k = 0; k < sizeof DISTANCE / sizeof *DISTANCE; k++) {
      for (int phase = 0; phase < 4; phase++) {
        run u;
        const lb_status status =
            pass(&u, METHODS[i].integrator, "", DISTANCE[k], 0.25 * phase + 0.03);
        assert_true(status == LB_OK || status == LB_FAILED);
        if (!(u.s.energy_drift <= METHODS[i].off) ||
            (status == LB_FAILED && DISTANCE[k] >= METHODS[i].good)) {
          fail_msg("%s, %g: energy off by %g, %s", METHODS[i].integrator, DISTANCE[k],
                   u.s.energy_drift, status == LB_OK ? "goes on" : u.err.message[0].text);
        }
        if (status == LB_FAILED) {
          assert_stopped(&u);
          stopped++;
        }
        finish(&u);
      }
    }
    assert_at_least(stopped, 8); // 1e-3 and 1e-4 at least
  }
}

// In a plane, straight through the place, the other two angles have nothing to do.
static void a_swing_in_a_plane_goes_through(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
    run u;
    assert_int_equal(pass(&u, METHODS[i].integrator, "", 0, 0.4), LB_OK);
    assert_below(u.s.energy_drift, 1e-12);
    finish(&u);
  }
}

// Rotors give the angles that run away something to carry, and there is no such place.
static void rotors_go_through(void** state) {
  (void)state;
  run u;
  assert_int_equal(pass(&u, "rk4", ", armature: 0.01", 1e-4, 0.4), LB_OK);
  assert_below(u.s.energy_drift, 1e-9);
  finish(&u);
}

// The error controlled by itself: energy by the tolerance, until rounding counts for more. At a
// distance b the mass matrix has a condition number of about 1 / b^2, and accelerations are off by
// DBL_EPSILON times that for as long as the place is near, whatever the tolerance is.
static void adaptive_steps_go_through(void** state) {
  (void)state;
  static const double DISTANCE[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  for (size_t k = 0; k < sizeof DISTANCE / sizeof *DISTANCE; k++) {
    run u;
    const double rounding = DBL_EPSILON / (DISTANCE[k] * DISTANCE[k]);
    assert_int_equal(pass(&u, "adaptive", "", DISTANCE[k], 0.4), LB_OK);
    assert_below(u.s.energy_drift, fmax(1e-7, rounding / 5));
    finish(&u);
  }
}

// The same three turns in other words: each run stops, at the same time.
static void it_does_not_matter_what_kind_of_joint_it_is(void** state) {
  (void)state;
  static const char* const JOINTS[] = {
      "joints: {j: {type: euler, child: a}}\n"
      "initial: {j: {position: [0, 1.45, 0], velocity: [1e-4, 1, 0]}}\n",
      "joints: {j: {type: free-3d, child: a, order: xyz, first: rotation}}\n"
      "initial: {j: {position: [0, 1.45, 0, 0, 0, 0], velocity: [1e-4, 1, 0, 0, 0, 0]}}\n",
      "joints: {j: {type: composite, child: a, parts: [{type: revolute, axis: x}, {type: revolute, "
      "axis: y}, {type: revolute, axis: z}]}}\n"
      "initial: {j: {position: [0, 1.45, 0], velocity: [1e-4, 1, 0]}}\n",
  };
  double time = 0;
  for (int i = 0; i < 3; i++) {
    run u;
    char text[800];
    snprintf(text, sizeof text, BODY "%sduration: 0.3\n", JOINTS[i]);
    assert_int_equal(start(&u, text, lb_simulate_default()), LB_FAILED);
    assert_stopped(&u);
    time = i == 0 ? u.s.failure.time : time;
    assert_near(u.s.failure.time, time, 1e-12);
    finish(&u);
  }
}

// With the first axis twice the place is at a middle angle of 0.
static void axes_that_come_twice_have_their_place_elsewhere(void** state) {
  (void)state;
  run u;
  char text[800];
  snprintf(text, sizeof text,
           BODY "joints: {j: {type: euler, child: a, order: zxz}}\n"
                "initial: {j: {position: [0, 0.1, 0], velocity: [0.01, -1, 0]}}\nduration: 0.2\n");
  assert_int_equal(start(&u, text, lb_simulate_default()), LB_FAILED);
  assert_stopped(&u);
  assert_below(fabs(u.s.failure.time - 0.1), 0.005);
  finish(&u);
}

// Hinges in a row with levers between them have other directions to move the body in: three
// parallel axes on an arm are no singular place, however fast their angles turn.
static void levers_are_no_singular_place(void** state) {
  (void)state;
  run u;
  char text[900];
  snprintf(text, sizeof text,
           BODY "joints: {j: {type: composite, child: a, parts: [{type: revolute, axis: x}, "
                "{type: revolute, axis: x, at: [0, 0, -0.5]}, {type: revolute, axis: x, at: [0, 0, "
                "-0.5]}]}}\n"
                "initial: {j: {position: [0.3, 1, -0.9], velocity: [-40, 80, -40]}}\n"
                "duration: 0.02\nsolver: {step: 0.5 ms}\n");
  assert_int_equal(start(&u, text, lb_simulate_default()), LB_OK);
  assert_below(u.s.energy_drift, 1e-3);
  finish(&u);
}

// A search's runs are stepped alike, with derivatives and without, and end there too.
static void a_run_that_is_differentiated_stops_there(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
    char text[900];
    lb_scene scene;
    lb_optimization* o = NULL;
    lb_error err = lb_error_make(NULL);
    double objective = 0, gradient[3];
    snprintf(text, sizeof text,
             BODY "joints: {j: {type: euler, child: a}}\n"
                  "initial: {j: {position: [0, 1.45, 0], velocity: [1e-3, 1, 0]}}\nduration: 0.2\n"
                  "solver: {integrator: %s}\n"
                  "optimize: {parameters: {push: {velocity: j}}, goals: {hit: {point: a, position: "
                  "[0, 0, 1]}}}\n",
             METHODS[i].integrator);
    assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err), LB_OK);
    assert_int_equal(lb_optimization_create(&scene, NULL, &o, &err), LB_OK);
    assert_int_equal(o->nvalue, 3);
    assert_int_equal(lb_optimization_evaluate(o, (double[]){4, 1, 0}, &objective, gradient, &err),
                     LB_OK);
    assert_int_equal(lb_optimization_evaluate(o, o->start, &objective, gradient, &err), LB_FAILED);
    assert_non_null(strstr(err.message[0].text, "singular place after t = 0.1"));
    lb_optimization_release(o);
    lb_scene_release(&scene);
    lb_error_clear(&err);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_run_past_a_singular_place_is_right_or_stops),
      cmocka_unit_test(a_swing_in_a_plane_goes_through),
      cmocka_unit_test(rotors_go_through),
      cmocka_unit_test(adaptive_steps_go_through),
      cmocka_unit_test(it_does_not_matter_what_kind_of_joint_it_is),
      cmocka_unit_test(axes_that_come_twice_have_their_place_elsewhere),
      cmocka_unit_test(levers_are_no_singular_place),
      cmocka_unit_test(a_run_that_is_differentiated_stops_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
