// One set of defaults for characters of every size: weights of regularisers have no unit, and
// control points are as close as vibrations and input ask for.
#include "retargeting.h"

// A rod with a weight on it, turned by 20 degrees, `size` metres long; all times go with the size,
// so that the character is the same in other units.
static const char ROD[] =
    "gravity: [0, 0, 0]\n"
    "duration: %g s\n"
    "record: {every: %g s}\n"
    "solver: {integrator: bdf2, step: %g s}\n"
    "materials: {steel: {density: 7850, young: 200 GPa, poisson: 0.3,\n"
    "  damping: {mass: %g, stiffness: %g s}}}\n"
    "bodies:\n"
    "  hub: {shape: {sphere: {radius: %g}}}\n"
    "  rod: {material: steel, elastic: {rod: {radius: %g, from: [0, 0, 0], to: [0, 0, %g]},\n"
    "    elements: {along: 6, across: 1}, basis: {modes: 4, derivatives: 4}}}\n"
    "  weight: {shape: {sphere: {radius: %g}}, mass: %g}\n"
    "joints:\n"
    "  motor: {type: revolute, child: hub, axis: y}\n"
    "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"
    "  tip: {type: fixed, parent: rod, child: weight, face: end}\n"
    "motors: {motor: {joint: motor, keys: [[0, 0], [%g, 0], [%g, 20 deg]]}}\n"
    "retarget: {bodies: {weight: {position: %g}}}\n";

static void open_rod(problem* p, double size, double weight) {
  char text[sizeof ROD + 400];
  const double s = size / 0.7;
  snprintf(text, sizeof text, ROD, 0.9 * s, 0.01 * s, 2e-3 * s, 0.1 / s, 5e-5 * s, 0.02 * s,
           2e-3 * s, size, 0.01 * s, 0.1 * s * s * s, 0.1 * s, 0.3 * s, weight);
  open_text(p, text, 1e3);
}

static void a_millimetre_and_a_metre_end_alike(void** state) {
  (void)state;
  lb_test_needs_speed();
  static const double SIZE[] = {0.7, 7e-3, 7};
  double left[3], spacing[3];
  for (int i = 0; i < 3; i++) {
    problem p;
    open_rod(&p, SIZE[i], 1);
    left[i] = search_curves(&p);
    spacing[i] = p.input->spacing / SIZE[i];
    close_problem(&p);
    assert_below(left[i], 0.05);
    assert_near(spacing[i] / spacing[0], 1, 1e-6);
    assert_near(left[i] / left[0], 1, 0.05);
  }
}

static void weights_of_bodies_change_no_curve_by_their_unit(void** state) {
  (void)state;
  lb_test_needs_speed();
  problem a, b;
  open_rod(&a, 0.7, 1);
  open_rod(&b, 0.7, 1e4);
  search_curves(&a);
  search_curves(&b);
  for (int i = 0; i < control_count(&a); i++) {
    assert_near(a.curves->control[i], b.curves->control[i], 1e-6);
  }
  close_problem(&a);
  close_problem(&b);
}

static void a_change_and_not_the_input_is_weighed(void** state) {
  (void)state;
  problem p;
  open_rod(&p, 0.7, 1);
  const lb_retarget_value value = evaluate(&p, p.input, NULL);
  assert_near(value.closeness, 0, 0);
  assert_near(value.smoothness, 0, 0);
  close_problem(&p);
}

static lb_limiting searched_limiting(problem* p) {
  search_curves(p);
  return limiting_of(p);
}

static void what_limits_a_search_is_found(void** state) {
  (void)state;
  lb_test_needs_speed();
  problem p;
  open_rod(&p, 0.7, 1);
  p.what->smoothness = 1e3;
  assert_int_equal(searched_limiting(&p).factor, LB_LIMITING_SMOOTHNESS);
  p.what->smoothness = 1e-2;
  p.what->limit[0].torque = 0.3;
  assert_int_equal(searched_limiting(&p).factor, LB_LIMITING_TORQUE);
  p.what->limit[0].torque = (double)INFINITY;
  p.what->limit[0].acceleration = 60; // a little more than the input's
  assert_int_equal(searched_limiting(&p).factor, LB_LIMITING_MOTORS);
  close_problem(&p);
}

// Half of the way is left to go, and nothing but going on is needed for it: what a finer or freer
// curve would do as well is not what limits.
static void curves_on_the_way_are_limited_by_iterations(void** state) {
  (void)state;
  lb_test_needs_speed();
  problem p;
  open_rod(&p, 0.7, 1);
  search_curves(&p);
  for (int i = 0; i < control_count(&p); i++) {
    p.curves->control[i] = (p.curves->control[i] + p.input->control[i]) / 2;
  }
  const lb_limiting found = limiting_of(&p);
  assert_int_equal(found.factor, LB_LIMITING_ITERATIONS);
  assert_below(found.left[LB_LIMITING_ITERATIONS], 0.1);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_change_and_not_the_input_is_weighed),
      cmocka_unit_test(a_millimetre_and_a_metre_end_alike),
      cmocka_unit_test(weights_of_bodies_change_no_curve_by_their_unit),
      cmocka_unit_test(what_limits_a_search_is_found),
      cmocka_unit_test(curves_on_the_way_are_limited_by_iterations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
