// Energy of a double pendulum with a muscle as heavy as its rods, over a cylinder at their joint.
#include "compile.h"
#include "dynamics/force/force.h"
#include "solve/step/stepper.h"

// %s: the integrator, then `smooth` and the path; %g the step.
#define PENDULUM                                                                                   \
  "solver: {integrator: %s, step: %g}\n"                                                           \
  "bodies:\n"                                                                                      \
  "  upper: {mass: 1, center: [0, 0, -0.25], inertia: [0.020833, 0.020833, 1e-4]}\n"               \
  "  lower: {mass: 1, center: [0, 0, -0.25], inertia: [0.020833, 0.020833, 1e-4]}\n"               \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: upper, axis: -y}\n"                                         \
  "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.5], axis: -y}\n"           \
  "initial: {shoulder: {position: 45 deg}, elbow: {position: 45 deg}}\n"                           \
  "wraps:\n  condyle: {body: upper, position: [0, 0, -0.5], rotation: [90 deg, 0, 0], side: -x, "  \
  "%s}\n"                                                                                          \
  "muscles:\n  triceps:\n    through: [{body: upper, at: [-6 cm, 0, -12 cm]}, %s {body: lower, "   \
  "at: [-5.5 cm, 0, -30 cm]}]\n    mass: {amount: 1%s}\n"
#define ROUND "cylinder: {radius: 5 cm}, smooth: %g"

typedef struct outcome {
  double error, scale; // most that the energy is off, and m g l
  int lifts;
} outcome;

static outcome run(const char* by, double h, double until, const char* surface, const char* path,
                   const char* mass) {
  char text[2000];
  snprintf(text, sizeof text, PENDULUM, by, h, surface, path, mass);
  lb_model* m = compile(text);
  lb_data* d;
  lb_stepper* st;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  const double start = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
  outcome out = {.scale = 3 * 9.81 * 0.5};
  bool bent = d->q[1] > 0;
  for (int i = 0; i < (int)lround(until / h); i++) {
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    const double now = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
    out.error = fmax(out.error, fabs(now - start));
    out.lifts += bent != (d->q[1] > 0);
    bent = d->q[1] > 0;
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return out;
}

static outcome run_round(double smooth, double h) {
  char surface[80];
  snprintf(surface, sizeof surface, ROUND, smooth);
  return run("rk4", h, 1.5, surface, "{wrap: condyle},", "");
}

static void a_band_keeps_the_energy_that_a_sharp_lift_off_loses(void** state) {
  (void)state;
  const outcome sharp = run_round(0, 1e-3), sharp_fine = run_round(0, 5e-4);
  const outcome band = run_round(0.15, 1e-3), fine = run_round(0.15, 5e-4),
                finer = run_round(0.15, 2.5e-4);
  print_message("sharp %.3g %.3g, band %.3g %.3g %.3g J, %d passes\n", sharp.error,
                sharp_fine.error, band.error, fine.error, finer.error, band.lifts);
  assert_true(band.lifts >= 4);
  assert_above(sharp.error, 0.05 * sharp.scale);
  assert_above(sharp_fine.error, 0.05 * sharp.scale); // a smaller step does not help
  assert_below(band.error, 1e-4 * band.scale);
  assert_below(fine.error, 5e-6 * band.scale);
  assert_above(log2(band.error / fine.error), 3.5); // the order
  assert_above(log2(fine.error / finer.error), 3.5);
}

// 30 lift-offs, with the band that scenes have where they do not say.
static void ten_seconds_keep_it_too(void** state) {
  (void)state;
  const char *surface = "cylinder: {radius: 5 cm}", *path = "{wrap: condyle},";
  const outcome band = run("rk4", 1e-3, 10, surface, path, ""),
                fine = run("rk4", 5e-4, 10, surface, path, "");
  print_message("10 s: %.3g %.3g of m g l, %d passes\n", band.error / band.scale,
                fine.error / band.scale, band.lifts);
  assert_above(band.lifts, 20);
  assert_below(band.error, 1e-4 * band.scale);
  assert_above(log2(band.error / fine.error), 3.5);
}

// Mass points that the network places, as [red] has them.
static void a_network_keeps_the_energy_by_its_exact_derivatives(void** state) {
  (void)state;
  lb_test_needs_speed();
  const char* surface =
      "cylinder: {radius: 5 cm}, network: " LIMBER_SOURCE_DIR "/scenes/networks/cylinder.npz";
  const outcome coarse = run("rk4", 1e-3, 1.5, surface, "{wrap: condyle},", ", points: 20");
  const outcome fine = run("rk4", 5e-4, 1.5, surface, "{wrap: condyle},", ", points: 20");
  const outcome sharp = run("rk4", 5e-4, 1.5, "cylinder: {radius: 5 cm}, smooth: 0",
                            "{wrap: condyle},", ", points: 20");
  print_message("network %.3g %.3g, sharp points %.3g J, %d passes\n", coarse.error, fine.error,
                sharp.error, fine.lifts);
  assert_true(fine.lifts >= 4);
  assert_below(coarse.error, 2e-6 * coarse.scale);
  assert_below(fine.error, 2e-7 * fine.scale);
  assert_above(log2(coarse.error / fine.error), 3);
  assert_above(sharp.error, 0.01 * sharp.scale);
}

static void straight_muscles_and_via_points_keep_it(void** state) {
  (void)state;
  const char* none = "sphere: {radius: 1 cm}";
  assert_below(run("rk8", 1e-3, 10, none, "", "").error, 1e-9);
  const char* vias = "{body: upper, at: [-5 cm, 0, -45 cm]}, {body: lower, at: [-6 cm, 0, -5 cm]},";
  assert_below(run("rk8", 1e-3, 10, none, vias, "").error, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_band_keeps_the_energy_that_a_sharp_lift_off_loses),
      cmocka_unit_test(ten_seconds_keep_it_too),
      cmocka_unit_test(a_network_keeps_the_energy_by_its_exact_derivatives),
      cmocka_unit_test(straight_muscles_and_via_points_keep_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
