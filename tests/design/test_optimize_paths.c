// Gradients of runs through muscles: mass that slides over a cylinder and lifts off, via points,
// tensions, and a cable over a surface; the same over two surfaces in a row, and through a point
// that comes and goes.
#include "optimizing.h"

// Places: integrator, surfaces of the triceps, more of the biceps' via point, a cable.
static const char arm[] =
    "duration: 0.1 s\n"
    "solver: {integrator: %s, step: 2 ms}\n"
    "bodies:\n"
    "  upper: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001]}\n"
    "  lower: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001]}\n"
    "joints:\n"
    "  shoulder: {type: spherical, child: upper, at: [0, 0, 1], damping: 0.02}\n"
    "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.5], axis: -y}\n"
    "wraps:\n"
    "  condyle: {body: upper, position: [0, 0, -0.5], rotation: [90 deg, 0, 0], side: -x, "
    "cylinder: {radius: 5 cm}, smooth: 0.3}\n"
    "  ball: {body: upper, position: [0.05, 0, -0.25], sphere: {radius: 4 cm}}\n"
    "  calf: {body: lower, position: [-2 cm, 0, -0.15], rotation: [90 deg, 0, 5 deg], side: -x, "
    "cylinder: {radius: 4.5 cm}, smooth: 0.3}\n"
    "muscles:\n"
    "  triceps:\n"
    "    through: [{body: upper, at: [-7 cm, 0, -0.12]}, %s, {body: lower, at: [-7 "
    "cm, "
    "0, -0.3]}]\n"
    "    mass: {amount: 1}\n    tension: 5\n"
    "  biceps:\n"
    "    through: [{body: upper, at: [5 cm, 0, -0.2]}, {body: upper, at: [6 cm, 0, -0.45]%s}, "
    "{body: "
    "lower, at: [5 cm, 0, -0.1]}]\n"
    "    mass: {amount: 0.5, belly: [0.1, 0.9], tendon: even}\n    tension: 3\n"
    "cables:\n"
    "  cord: {through: [{at: [0.12, 0.02, 0.95]}, {wrap: ball}, {body: lower, at: [0.1, 0, 0]}], "
    "stiffness: 60, damping: 1, length: 0.3}\n%s"
    "motors:\n"
    "  bend: {joint: elbow, drive: force, ease: linear, keys: [[0, -1], [50 ms, -2], [0.1, 0]]}\n"
    "initial: {elbow: {position: 8 deg, velocity: -3}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    bend: {motor: bend}\n"
    "    speed: {velocity: elbow}\n"
    "    start: {position: elbow}\n"
    "    stiff: {stiffness: cord}\n"
    "    damped: {damping: cord}\n"
    "    rest: {rest: cord}\n"
    "  goals:\n"
    "    there: {point: lower, at: [0, 0, -0.5], position: [0.3, 0.1, 0.2]}\n"
    "    fast: {point: upper, at: [0, 0, -0.5], velocity: [0.3, 0.1, 0.2], time: [50 ms, 0.1]}\n";

static void check_by(const char* by, const char* surfaces, const char* via, const char* cable) {
  char text[sizeof arm + 600];
  problem p;
  snprintf(text, sizeof text, arm, by, surfaces, via, cable);
  open_problem(&p, text);
  if (getenv("LIMBER_TELL")) {
    print_message("%s\n", by);
  }
  check_gradient(&p, p.o->start, 1e-4, 1e-7); // bands are C3: small steps, but above rounding
  check_applied(&p);
  close_problem(&p);
}

static void check(const char* surfaces, const char* via, const char* cable) {
  static const char* const by[] = {"bdf1", "bdf2", "sdirk2", "rk4", "rk8", "euler"};
  for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
    check_by(by[i], surfaces, via, cable);
  }
}

static void gradients_match_differences(void** state) {
  (void)state;
  check("{wrap: condyle}", "", "");
}

static void gradients_go_through_dependent_nodes(void** state) {
  (void)state;
  check("{wrap: condyle}, {wrap: calf}", ", while: {joint: elbow, at_least: 2 deg, over: 20 deg}",
        "");
}

static void gradients_go_through_cables_with_moving_and_conditional_points(void** state) {
  (void)state;
  check("{wrap: condyle}", "",
        "  strap: {through: [{body: upper, at: [5 cm, 3 cm, -0.2]}, {body: upper, at: [7 cm, 3 cm, "
        "-0.45], while: {joint: elbow, at_least: 2 deg, over: 20 deg}}, {body: lower, follows: "
        "{joint: elbow, x: {polynomial: [0.01, 0.02, 0.05]}, y: 3 cm, z: -15 cm}}, {body: lower, "
        "at: [4 cm, 0, -0.3]}], stiffness: 90, damping: 2, length: 0.3}\n");
}

static void maximal_coordinates_have_them_too(void** state) {
  (void)state;
  check_by("sdirk2, coordinates: maximal", "{wrap: condyle}", "", "");
  check_by("bdf2, coordinates: maximal", "{wrap: condyle}, {wrap: calf}", "", "");
  check_by("sdirk2, coordinates: maximal", "{wrap: condyle}, {wrap: calf}", "", "");
}

// Third differences of a run's value over one number. A step that is taken again in parts is off by
// 6e-8 from those of runs beside it.
static void values_do_not_jump(void** state) {
  (void)state;
  enum { NUMBER = 1, RUNS = 110 };
  char text[sizeof arm + 600];
  problem p;
  snprintf(text, sizeof text, arm, "sdirk2, coordinates: maximal", "{wrap: condyle}, {wrap: calf}",
           "", "");
  open_problem(&p, text);
  double x[MOST], last[3] = {0}, worst = 0;
  memcpy(x, p.o->start, (size_t)p.o->nvalue * sizeof *x);
  for (int i = 0; i < RUNS; i++) {
    x[NUMBER] = p.o->start[NUMBER] - 0.00098 + 1e-6 * i;
    const double value = evaluate(&p, x, NULL);
    const double jump = value - 3 * last[0] + 3 * last[1] - last[2];
    worst = i < 3 ? 0 : fmax(worst, fabs(jump));
    last[2] = last[1];
    last[1] = last[0];
    last[0] = value;
  }
  if (getenv("LIMBER_TELL")) {
    print_message("jumps by %.2g\n", worst);
  }
  assert_below(worst, 1e-12);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_match_differences),
      cmocka_unit_test(gradients_go_through_dependent_nodes),
      cmocka_unit_test(gradients_go_through_cables_with_moving_and_conditional_points),
      cmocka_unit_test(maximal_coordinates_have_them_too),
      cmocka_unit_test(values_do_not_jump),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
