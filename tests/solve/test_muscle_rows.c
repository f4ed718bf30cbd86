// Energy of a double pendulum with a heavy muscle whose nodes depend on several links: over two
// cylinders in a row, and through a point that comes and goes.
#include "compile.h"
#include "dynamics/force/force.h"
#include "dynamics/muscle/path.h"
#include "dynamics/tree/kinematics.h"
#include "solve/step/stepper.h"

// %g the step, %s `smooth` of both cylinders and the path.
#define PENDULUM                                                                                   \
  "solver: {integrator: rk4, step: %g}\n"                                                          \
  "bodies:\n"                                                                                      \
  "  upper: {mass: 1, center: [0, 0, -0.25], inertia: [0.020833, 0.020833, 1e-4]}\n"               \
  "  lower: {mass: 1, center: [0, 0, -0.25], inertia: [0.020833, 0.020833, 1e-4]}\n"               \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: upper, axis: -y}\n"                                         \
  "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.5], axis: -y}\n"           \
  "initial: {shoulder: {position: 45 deg}, elbow: {position: 45 deg}}\n"                           \
  "wraps:\n"                                                                                       \
  "  condyle: {body: upper, position: [0, 0, -0.5], rotation: [90 deg, 0, 0], side: -x,\n"         \
  "    cylinder: {radius: 5 cm}, smooth: %g}\n"                                                    \
  "  shank: {body: lower, position: [-1 cm, 0, -15 cm], rotation: [90 deg, 0, 10 deg], side: "     \
  "-x,\n"                                                                                          \
  "    cylinder: {radius: 4 cm}, smooth: %g}\n"                                                    \
  "muscles:\n  triceps:\n    through: [{body: upper, at: [-6 cm, 0, -12 cm]}, %s {body: lower, "   \
  "at: [-5.5 cm, 1 cm, -30 cm]}]\n    mass: {amount: %g}\n"
#define ROW "{wrap: condyle}, {wrap: shank},"
#define COMES                                                                                      \
  "{body: lower, at: [-9 cm, 1 cm, -6 cm], while: {joint: elbow, at_least: 0 deg, over: 30 deg}},"

typedef struct outcome {
  double error, scale; // most that the energy is off, and m g l
  int lifts[2];        // off each surface, or out of the range
} outcome;

// Whether each surface is touched; of a point whether it counts by half.
static void look(lb_model* m, lb_data* d, bool* on) {
  lb_path p;
  lb_kinematics(m, d, d->q, d->qd);
  lb_move_origins(m, d->work, d->qd);
  lb_path_find(&p, m->muscle.item[0].path, d->work, d->q, d->qd);
  on[0] = on[1] = d->q[1] > 0;
  for (int s = 0, k = 0; s + 1 < p.count; s++) {
    if (p.span[s].surface) {
      lb_wrap_path path;
      lb_wrap_find(0, &p.span[s].surface->wrap, &path, &p.span[s].end[0], &p.span[s].end[1]);
      on[k++] = path.count > 1;
    }
  }
}

static outcome run(double h, double smooth, const char* through) {
  char text[2500];
  snprintf(text, sizeof text, PENDULUM, h, smooth, smooth, through, 1.0);
  lb_model* m = compile(text);
  lb_data* d;
  lb_stepper* st;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  const double start = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
  outcome out = {.scale = 3 * 9.81 * 0.5};
  bool was[2], on[2];
  look(m, d, was);
  for (int i = 0; i < (int)lround(1.5 / h); i++) {
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    const double now = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
    out.error = fmax(out.error, fabs(now - start));
    look(m, d, on);
    for (int k = 0; k < 2; k++) {
      out.lifts[k] += was[k] && !on[k];
      was[k] = on[k];
    }
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return out;
}

static void two_surfaces_in_a_row_keep_the_energy(void** state) {
  (void)state;
  const outcome sharp = run(5e-4, 0, ROW);
  const outcome band = run(1e-3, 0.15, ROW), fine = run(5e-4, 0.15, ROW),
                finer = run(2.5e-4, 0.15, ROW);
  print_message("sharp %.3g, band %.3g %.3g %.3g of m g l, %d and %d lift-offs\n",
                sharp.error / sharp.scale, band.error / band.scale, fine.error / band.scale,
                finer.error / band.scale, fine.lifts[0], fine.lifts[1]);
  assert_true(fine.lifts[0] >= 2 && fine.lifts[1] >= 2);
  assert_above(sharp.error, 0.01 * sharp.scale);
  assert_below(band.error, 1e-4 * band.scale);
  assert_above(log2(band.error / fine.error), 3.5); // the order
  assert_above(log2(fine.error / finer.error), 3.5);
}

static void a_point_that_comes_in_over_a_part_keeps_it(void** state) {
  (void)state;
  const outcome coarse = run(1e-3, 0.1, COMES), fine = run(5e-4, 0.1, COMES),
                finer = run(2.5e-4, 0.1, COMES);
  print_message("%.3g %.3g %.3g of m g l, %d times\n", coarse.error / coarse.scale,
                fine.error / coarse.scale, finer.error / coarse.scale, fine.lifts[0]);
  assert_true(fine.lifts[0] >= 2);
  assert_below(coarse.error, 1e-4 * coarse.scale);
  assert_above(log2(coarse.error / fine.error), 3.5);
  assert_above(log2(fine.error / finer.error), 3.5);
}

// A path is the same with mass and without.
static void hardly_any_mass_is_massless(void** state) {
  (void)state;
  static const char* const through[] = {ROW, COMES};
  for (int i = 0; i < 2; i++) {
    double length[2], qdd[2][2];
    for (int heavy = 0; heavy < 2; heavy++) {
      char text[2500];
      snprintf(text, sizeof text, PENDULUM "    tension: 30\n", 1e-3, 0.1, 0.1, through[i],
               heavy ? 1e-13 : 0.0);
      lb_model* m = compile(text);
      lb_data* d;
      lb_path p;
      assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
      assert_int_equal(m->muscle.ninertial, heavy);
      d->q[1] = 0.02; // in the bands and in the range
      d->qd[1] = 1.5;
      lb_forward(m, d);
      memcpy(qdd[heavy], d->qdd, sizeof qdd[heavy]);
      lb_path_find(&p, m->muscle.item[0].path, d->work, d->q, d->qd);
      assert_int_equal(p.ngroup, 1);
      assert_true(p.group[0].known > 0); // something is handed on
      length[heavy] = p.length;
      lb_data_release(d);
      lb_model_release(m);
    }
    assert_near(length[0], length[1], 0);
    assert_near(qdd[0][0], qdd[1][0], 1e-12 * fabs(qdd[0][0]));
    assert_near(qdd[0][1], qdd[1][1], 1e-12 * fabs(qdd[0][1]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_surfaces_in_a_row_keep_the_energy),
      cmocka_unit_test(hardly_any_mass_is_massless),
      cmocka_unit_test(a_point_that_comes_in_over_a_part_keeps_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
