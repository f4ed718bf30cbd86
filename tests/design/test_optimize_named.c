// What `initial` names stays while numbers change, and the others follow: as when a simulation
// starts.
#include "design/optimizing.h"

// A four-bar with springs, whose crank is named, or more than it can keep; pins as drawn are the
// coupler's length apart.
#define BARS(how, named)                                                                           \
  "duration: 60 ms\n"                                                                              \
  "solver: {step: 3 ms, " how "}\n"                                                                \
  "bodies:\n"                                                                                      \
  "  crank: {shape: {box: [0.1, 0.02, 0.02], position: [0.05, 0, 0]}, mass: 0.2}\n"                \
  "  coupler: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}, mass: 0.5}\n"               \
  "  rocker: {shape: {box: [0.3, 0.02, 0.02], position: [0.15, 0, 0]}, mass: 0.4}\n"               \
  "joints:\n"                                                                                      \
  "  a: {type: revolute, child: crank, axis: y}\n"                                                 \
  "  b: {type: revolute, parent: crank, child: coupler, at: [0.1, 0, 0], axis: y}\n"               \
  "  c: {type: revolute, child: rocker, at: [0.4, 0, 0], axis: y, damping: 0.01}\n"                \
  "  d: {type: revolute, loop: true, parent: coupler, child: rocker, at: [0.4, 0, 0], in_child: "  \
  "[0.3, 0, 0], axis: y, spring: {stiffness: 0.5}}\n"                                              \
  "initial: {" named "}\n"                                                                         \
  "optimize:\n"                                                                                    \
  "  parameters:\n"                                                                                \
  "    long: {length: coupler}\n"                                                                  \
  "    short: {length: rocker}\n"                                                                  \
  "    heavy: {mass: coupler}\n"                                                                   \
  "  goals:\n"                                                                                     \
  "    there: {point: coupler, at: [0.2, 0, 0.05], position: [0.3, 0, 0.2], time: [0, 60 ms]}\n"   \
  "    slow: {joint: c, velocity: 0, weight: 0.01}\n"

// With the crank named and with guesses beside it.
#define ALONE "a: {position: -70 deg, velocity: 3}"
#define FIRST                                                                                      \
  "a: {position: -70 deg, velocity: 3}, b: {position: 50 deg}, c: {position: -110 deg, velocity: " \
  "1}"

static const char* const SCENES[] = {
    BARS("integrator: rk4", ALONE),
    BARS("integrator: bdf2", ALONE),
    BARS("integrator: bdf2, coordinates: maximal", ALONE),
    BARS("integrator: rk4", FIRST),
    BARS("integrator: sdirk2", FIRST),
    BARS("integrator: bdf1, coordinates: maximal", FIRST),
};
enum { NSCENE = sizeof SCENES / sizeof *SCENES };

static void gradients_equal_differences_of_runs(void** state) {
  (void)state;
  for (int i = 0; i < NSCENE; i++) {
    problem p;
    open_problem(&p, SCENES[i]);
    check_gradient(&p, p.o->start, 1e-4, 1e-7);
    check_applied(&p);
    close_problem(&p);
  }
}

// The rocker's angle with its pin and the crank's so far apart, crank at -70 degrees: elbow up.
static double solve_rocker(double l, double r) {
  const double a = -70 * M_PI / 180, x = 0.1 * cos(a) - 0.4, z = -0.1 * sin(a), d = hypot(x, z);
  const double along = (d * d + r * r - l * l) / (2 * d), aside = sqrt(r * r - along * along);
  return -atan2((along * z - aside * x) / d, (along * x + aside * z) / d);
}

static void the_crank_stays_where_lengths_change(void** state) {
  (void)state;
  for (int i = 0; i < NSCENE; i++) {
    problem p;
    open_problem(&p, SCENES[i]);
    const double x[] = {1.1 * p.o->start[0], 0.95 * p.o->start[1], p.o->start[2]};
    assert_int_equal(lb_optimization_apply(p.o, x, &p.scene, NULL), LB_OK);
    assert_near(p.scene.joint[0].q[0], -70 * M_PI / 180, 1e-12);
    assert_near(p.scene.joint[0].qd[0], 3, 1e-12);
    assert_near(p.scene.joint[2].q[0], solve_rocker(1.1 * 0.4, 0.95 * 0.3), 1e-9);
    close_problem(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_equal_differences_of_runs),
      cmocka_unit_test(the_crank_stays_where_lengths_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
