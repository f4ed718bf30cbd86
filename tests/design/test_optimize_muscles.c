// Excitations of muscles as parameters: gradients through activation, fibres and tendons against
// differences, with every implicit scheme, tendons that stretch and do not, and feedback beside
// them.
#include "design/optimizing.h"

// Places: integrator, more of the solver, starts, more of both Hill models, excitation of the
// triceps.
static const char TEXT[] =
    "duration: 80 ms\n"
    "solver: {integrator: %s, step: 2 ms%s}\n"
    "bodies:\n"
    "  upper: {mass: 2, center: [0, 0, -0.15], inertia: [0.02, 0.02, 0.002]}\n"
    "  fore: {mass: 1.5, center: [0, 0, -0.15], inertia: [0.012, 0.012, 0.001]}\n"
    "joints:\n  shoulder: {type: spherical, child: upper, at: [0, 0, 1], damping: 0.2}\n"
    "  elbow: {type: revolute, parent: upper, child: fore, at: [0, 0, -0.3], axis: -y}\n"
    "initial: {elbow: {position: 0.5}%s}\n"
    "muscles:\n"
    "  biceps:\n    through: [{body: upper, at: [0.03, 0.01, 0]}, {body: fore, at: [0.02, 0, "
    "-0.05]}]\n"
    "    hill: {model: millard, force: 700, fiber: 0.13, slack: 0.21, pennation: 0.1%s}\n"
    "    excitation: {keys: [[0, 0.05], [0.02, 0.3], [0.06, 0.15]], ease: smooth}\n"
    "  triceps:\n    through: [{body: upper, at: [-0.03, 0, -0.02]}, {body: upper, at: [-0.025, "
    "0, -0.29]}, {body: fore, at: [-0.02, 0.005, 0.01]}]\n"
    "    hill: {model: %s, force: 900, fiber: 0.1, slack: 0.19, pennation: 0.15%s}\n"
    "    excitation: {%s}\n"
    "  cord:\n    through: [{at: [0.1, 0.3, 0.9]}, {body: upper, at: [0, 0.05, -0.1]}]\n"
    "    tension: 20\n    excitation: {keys: [[0, 0.2], [0.08, 0.5]], ease: linear}\n"
    "optimize:\n"
    "  parameters:\n"
    "    drive: {excitation: biceps}\n"
    "    knots: {excitation: cord, knots: 3}\n%s"
    "    begin: {position: elbow}\n    fast: {velocity: elbow}\n    heavy: {mass: fore}\n"
    "  goals:\n"
    "    hand: {point: fore, at: [0, 0, -0.3], position: [0.2, 0, 0.6]}\n"
    "    speed: {point: fore, at: [0, 0, -0.3], velocity: [0.2, 0.1, 0.6], weight: 0.1}\n"
    "    effort: {muscle: biceps, weight: 20}\n"
    "    other: {muscle: triceps, weight: 10}\n"
    "    pull: {muscle: cord, weight: 1}\n";
#define FEEDBACK "follow: {joint: elbow, to: 0.3, gain: -0.6, rate_gain: -0.02}"
#define KEYS "keys: [[0, 0.2], [0.05, 0.05]], ease: linear"
#define TRICEPS "    back: {excitation: triceps, at_least: 0.01, at_most: 1}\n"

static void check_from(const char* start, const char* by, const char* solver, const char* hill,
                       const char* model, const char* excitation, const char* more,
                       double tolerance) {
  char text[8192];
  assert_in_range(
      snprintf(text, sizeof text, TEXT, by, solver, start, hill, model, hill, excitation, more), 0,
      sizeof text - 1);
  problem p;
  open_problem(&p, text);
  // Thelen's curves have kinks where fibres rest, as they do at the start
  check_gradient(&p, p.o->start, strcmp(model, "thelen") == 0 ? 2e-5 : 1e-3, tolerance);
  close_problem(&p);
}

static void check(const char* by, const char* solver, const char* hill, const char* model,
                  const char* excitation, const char* more, double tolerance) {
  check_from("", by, solver, hill, model, excitation, more, tolerance);
}

static void starts_that_are_given_have_gradients_too(void** state) {
  (void)state;
  check_from(", biceps: {activation: 0.3}, triceps: {fiber: 0.11}", "bdf2", "", "", "millard", KEYS,
             TRICEPS, 1e-7);
  check_from(", biceps: {activation: 0.3, fiber: 0.14}", "sdirk2", "", "", "millard", FEEDBACK, "",
             1e-7);
}

static void gradients_are_those_of_differences(void** state) {
  (void)state;
  const char* const by[] = {"bdf1", "bdf2", "sdirk2"};
  for (int i = 0; i < 3; i++) {
    check(by[i], "", "", "millard", KEYS, TRICEPS, 1e-7);
    check(by[i], "", "", "millard", FEEDBACK, "", 1e-7);
    check(by[i], "", ", elastic: false", "millard", KEYS, TRICEPS, 1e-7);
    check(by[i], "", ", damping: 0", "millard", KEYS, TRICEPS, 1e-7);
    check(by[i], "", "", "thelen", KEYS, TRICEPS, 1e-7);
  }
}

// Bellies with mass between elastic tendons: mass and hill of both muscles.
#define HEAVY "}\n    mass: {amount: 0.2, belly: [0.2, 0.6], tendon: elastic"

static void tendons_with_mass_have_gradients_too(void** state) {
  (void)state;
  const char* const by[] = {"bdf1", "bdf2", "sdirk2"};
  for (int i = 0; i < 3; i++) {
    check(by[i], "", HEAVY, "millard", KEYS, TRICEPS, 1e-7);
    check(by[i], "", HEAVY, "millard", FEEDBACK, "", 1e-7);
  }
  check_from(", biceps: {activation: 0.3}, triceps: {fiber: 0.089}", "bdf2", "", HEAVY, "millard",
             KEYS, TRICEPS, 1e-7);
  check("bdf2", ", coordinates: maximal", HEAVY, "millard", KEYS, TRICEPS, 1e-7);
}

static void maximal_coordinates_have_gradients_too(void** state) {
  (void)state;
  check("bdf2", ", coordinates: maximal", "", "millard", KEYS, TRICEPS, 1e-7);
}

static void numbers_in_the_model_do_what_they_do_in_the_scene(void** state) {
  (void)state;
  char text[8192];
  snprintf(text, sizeof text, TEXT, "bdf2", "", "", "", "thelen", "", KEYS, TRICEPS);
  problem p;
  open_problem(&p, text);
  check_applied(&p);
  close_problem(&p);
}

static void explicit_steps_are_refused(void** state) {
  (void)state;
  char text[8192];
  snprintf(text, sizeof text, TEXT, "rk4", "", "", "", "thelen", "", KEYS, TRICEPS);
  lb_scene scene;
  lb_optimization* o;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_optimization_create(&scene, NULL, &o, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "need implicit steps"));
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_are_those_of_differences),
      cmocka_unit_test(starts_that_are_given_have_gradients_too),
      cmocka_unit_test(tendons_with_mass_have_gradients_too),
      cmocka_unit_test(maximal_coordinates_have_gradients_too),
      cmocka_unit_test(numbers_in_the_model_do_what_they_do_in_the_scene),
      cmocka_unit_test(explicit_steps_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
