// Retargeting: the gradient against differences on every scene with a `retarget`, curves, and a
// search that must succeed.
#include "retargeting.h"

static void the_gradient_matches_differences(void** state) {
  (void)state;
  check_gradient("rod", 2);
  check_gradient("two-rods", 2);
}

static void fitted_curves_begin_and_end_as_the_input_does(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "rod", 0.7); // in the middle of the motion
  for (int k = 0; k < 2; k++) {
    double f[3], want[3];
    const double t = k * 0.7;
    lb_curves_evaluate(p.input, 0, t, f);
    lb_profile_evaluate(p.model->motor.profile[p.what->motor[0]], t, want);
    assert_near(f[0], want[0], 1e-9);
    assert_near(f[1], want[1], 1e-7);
    assert_near(f[2], want[2], 1e-5);
  }
  close_problem(&p);
}

static void rods_stop_where_they_should(void** state) {
  (void)state;
  lb_test_needs_speed();
  problem p;
  open_problem(&p, "rod", 2);
  lb_error err = lb_error_make(NULL);
  lb_retarget_state* s;
  lb_retarget_value before, after;
  must(lb_retarget_evaluate(p.model, p.what, p.input, p.targets, p.input, &p.options, &before, NULL,
                            &err),
       &err);
  must(lb_retarget_state_create(p.input, NULL, &s, &err), &err);
  must(lb_retarget_run(p.model, p.what, p.input, p.targets, &p.options, s, &after, &err), &err);
  print_message("peak %.1f mm, then %.1f mm in %d iterations\n", 1e3 * before.peak,
                1e3 * after.peak, s->iteration);
  assert_below(after.peak, before.peak / 10);
  lb_retarget_state_release(s);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gradient_matches_differences),
      cmocka_unit_test(fitted_curves_begin_and_end_as_the_input_does),
      cmocka_unit_test(rods_stop_where_they_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
