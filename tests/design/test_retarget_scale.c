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

// The objective after a search over that before, and the curves of the motor.
static double search(problem* p) {
  lb_error err = lb_error_make(NULL);
  lb_retarget_state* s;
  lb_retarget_value after;
  const lb_retarget_value before = evaluate(p, p->input, NULL);
  must(lb_retarget_state_create(p->input, NULL, &s, &err), &err);
  must(lb_retarget_run(p->model, p->what, p->input, p->targets, &p->options, s, &after, &err),
       &err);
  memcpy(p->curves->control, s->curves->control, (size_t)control_count(p) * sizeof(double));
  print_message("spacing %.3g ms: peak %.3g mm, then %.3g mm in %d iterations\n",
                1e3 * p->input->spacing, 1e3 * before.peak, 1e3 * after.peak, s->iteration);
  lb_retarget_state_release(s);
  return after.peak / before.peak;
}

static void a_millimetre_and_a_metre_end_alike(void** state) {
  (void)state;
  lb_test_needs_speed();
  static const double SIZE[] = {0.7, 7e-3, 7};
  double left[3], spacing[3];
  for (int i = 0; i < 3; i++) {
    problem p;
    open_rod(&p, SIZE[i], 1);
    left[i] = search(&p);
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
  search(&a);
  search(&b);
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

static lb_limiting limiting_of(problem* p) {
  lb_error err = lb_error_make(NULL);
  lb_limiting found;
  search(p);
  must(lb_limiting_find(p->model, p->what, p->targets, p->curves, &p->options, &found, &err), &err);
  for (int f = 0; f < LB_LIMITING_COUNT; f++) {
    print_message("  %s: %.3g\n", lb_limiting_name((lb_limiting_factor)f), found.left[f]);
  }
  return found;
}

static void what_limits_a_search_is_found(void** state) {
  (void)state;
  lb_test_needs_speed();
  problem p;
  open_rod(&p, 0.7, 1);
  p.what->smoothness = 1e3;
  assert_int_equal(limiting_of(&p).factor, LB_LIMITING_SMOOTHNESS);
  p.what->smoothness = 1e-2;
  p.what->limit[0].torque = 0.3;
  assert_int_equal(limiting_of(&p).factor, LB_LIMITING_TORQUE);
  p.what->limit[0].torque = (double)INFINITY;
  p.what->limit[0].acceleration = 60; // a little more than the input's
  assert_int_equal(limiting_of(&p).factor, LB_LIMITING_MOTORS);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_change_and_not_the_input_is_weighed),
      cmocka_unit_test(a_millimetre_and_a_metre_end_alike),
      cmocka_unit_test(weights_of_bodies_change_no_curve_by_their_unit),
      cmocka_unit_test(what_limits_a_search_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
