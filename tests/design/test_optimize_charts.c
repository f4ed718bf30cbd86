// Rotation vectors that change to those the other way round, within runs of an optimisation:
// gradients against differences, with every scheme, and the motion of a simulation.
#include "design/optimizing_schemes.h"

// Arms that turn more than once; places: integrator, coordinates, more goals.
static const char TEXT[] =
    "duration: 320 ms\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  arm: {mass: 2, center: [0.1, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"
    "  hand: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
    "  puck: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"
    "joints:\n"
    "  s: {type: exponential, child: arm, damping: 0.1}\n"
    "  f: {type: free-3d, parent: arm, child: hand}\n"
    "  c: {type: composite, child: puck, parts: [{type: prismatic, axis: x}, {type: "
    "exponential}]}\n"
    "initial:\n"
    "  s: {position: [4.1, 0.4, 0.3], velocity: [10, 6, 3]}\n"
    "  f: {position: [0.1, 0.2, 0.1, 3, 0.1, 0], velocity: [1, 0, 2, 20, 3, 1]}\n"
    "  c: {position: [0.1, 3, 0.1, 0], velocity: [1, 20, 3, 1]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    s1: {position: s}\n    s2: {velocity: s}\n    s3: {damping: s}\n"
    "    f1: {position: f}\n    f2: {velocity: f}\n"
    "    c1: {position: c}\n    c2: {velocity: c}\n"
    "    weight: {mass: hand}\n"
    "  goals:\n"
    "    tip: {point: hand, at: [0.1, 0, 0], position: [0.5, 0, -0.1]}\n"
    "    fly: {point: hand, at: [0, 0.1, 0], velocity: [0, 0.2, 0.1], time: 0.2 s}\n"
    "    puck: {point: puck, at: [0, 0.1, 0], velocity: [0, 0.2, 0.1]}\n%s";

static void gradients_through_changes_are_those_of_differences(void** state) {
  (void)state;
  static const char* const all[] = {"bdf1", "bdf2", "sdirk2", "euler", "rk4", "rk8"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char whole[8000];
    problem p;
    double x[MOST];
    snprintf(whole, sizeof whole, TEXT, all[i], reduced, "");
    open_problem(&p, whole);
    move_numbers(&p, x);
    check_gradient(&p, x, 1e-4, 1e-6);
    check_applied(&p);
    close_problem(&p);
  }
}

// The place of an arm's tip after it turned more than once, by a simulation.
static lb_vec3 simulate(const lb_scene* scene) {
  lb_error err = lb_error_make(NULL);
  lb_model* m = NULL;
  lb_recording* r = NULL;
  lb_summary summary;
  const lb_simulate_options options = lb_simulate_default();
  assert_int_equal(lb_model_create(scene, NULL, &m, &err), LB_OK);
  assert_int_equal(lb_recording_create(m, 2, NULL, &r, &err), LB_OK);
  assert_int_equal(lb_simulate(m, &options, r, &summary, &err), LB_OK);
  const lb_transform end = r->pose[(r->nframe - 1) * m->nbody];
  lb_recording_release(r);
  lb_model_release(m);
  return lb_vec3_add(end.p, lb_quat_rotate(end.q, lb_vec3_make(0.5, 0, 0)));
}

static const char ARM[] =
    "duration: 0.6 s\n"
    "solver: {integrator: %s, step: 4 ms%s}\n"
    "bodies: {arm: {mass: 2, center: [0.1, 0, 0.3], inertia: [0.3, 0.2, 0.1]}}\n"
    "joints: {s: {type: %s, child: arm}}\n"
    "initial: {s: {%s: [12, 6, 3]}}\n"
    "optimize:\n"
    "  parameters: {weight: {mass: arm}}\n"
    "  goals: {%s: %s}\n";

static void the_motion_is_that_of_a_simulation(void** state) {
  (void)state;
  static const char* const all[] = {"bdf2", "rk4"};
  for (int i = 0; i < 2; i++) {
    char text[2000];
    problem p;
    snprintf(text, sizeof text, ARM, all[i], i ? "" : ", tolerance: 1e-13", "exponential",
             "velocity", "end", "{point: arm, at: [0.5, 0, 0], position: [0, 0, 0], along: x}");
    open_problem(&p, text);
    const lb_vec3 end = simulate(&p.scene);
    assert_near(evaluate(&p, p.o->start, NULL), end.x * end.x, 1e-9);
    close_problem(&p);
  }
}

// The same motion as that of a ball, which has no numbers to change.
static void the_motion_is_that_of_a_ball(void** state) {
  (void)state;
  double value[2], g[2];
  for (int i = 0; i < 2; i++) {
    char text[2000];
    problem p;
    snprintf(text, sizeof text, ARM, "rk8", "", i ? "spherical" : "exponential",
             i ? "spin" : "velocity", "end",
             "{point: arm, at: [0.5, 0, 0], position: [0, 0, 0], along: xy}");
    open_problem(&p, text);
    value[i] = evaluate(&p, p.o->start, &g[i]);
    close_problem(&p);
  }
  assert_near(value[0], value[1], 1e-6);
  assert_near(g[0], g[1], 1e-6);
}

// What a goal is about keeps its numbers, up to where they are of no use.
static void numbers_of_goals_do_not_change(void** state) {
  (void)state;
  char text[2000];
  problem p;
  lb_error err = lb_error_make(NULL);
  double value = 0;
  snprintf(text, sizeof text, ARM, "rk4", "", "exponential", "velocity", "end",
           "{joint: s, position: [5, 2, 1], time: 0.4 s}");
  open_problem(&p, text);
  assert_int_equal(lb_optimization_evaluate(p.o, p.o->start, &value, NULL, &err), LB_FAILED);
  assert_non_null(strstr(err.message[0].text, "a goal"));
  lb_error_clear(&err);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_through_changes_are_those_of_differences),
      cmocka_unit_test(the_motion_is_that_of_a_simulation),
      cmocka_unit_test(the_motion_is_that_of_a_ball),
      cmocka_unit_test(numbers_of_goals_do_not_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
