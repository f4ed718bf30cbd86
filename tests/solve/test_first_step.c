// BDF2 whose first step is one of SDIRK2: the scene's key does what it says, and one step has the
// error of SDIRK2, of third order, where that of BDF1 is of second.
#include "compile.h"

static double swing(const char* solver, double h) {
  char text[1000];
  snprintf(text, sizeof text,
           "bodies: {bob: {mass: 1, shape: {sphere: {radius: 5 cm}}}}\n"
           "joints: {hinge: {type: revolute, child: bob, axis: y, in_child: [0, 0, 0.5]}}\n"
           "initial: {hinge: {position: 60 deg, velocity: 2}}\nsolver: {%s, step: 1 ms}\n",
           solver);
  lb_model* m = compile(text);
  lb_data* d;
  lb_stepper* st;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
  const double speed = d->qd[0];
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return speed;
}

static void the_first_step_is_that_of_sdirk2(void** state) {
  (void)state;
  const double ours = swing("integrator: bdf2, first_step: sdirk2", 0.01);
  assert_near(ours, swing("integrator: sdirk2", 0.01), 1e-14);
  assert_near(swing("integrator: bdf2", 0.01), swing("integrator: bdf1", 0.01), 1e-14);
  assert_near(swing("integrator: bdf2, first_step: bdf1", 0.01), swing("integrator: bdf2", 0.01),
              1e-14);
}

static void its_error_is_of_higher_order(void** state) {
  (void)state;
  const double h = 0.02, truth[] = {swing("integrator: rk8", h), swing("integrator: rk8", h / 2)};
  static const char* const first[] = {"integrator: bdf2, tolerance: 1e-13",
                                      "integrator: bdf2, tolerance: 1e-13, first_step: sdirk2"};
  double order[2];
  for (int i = 0; i < 2; i++) {
    order[i] = log2(fabs((swing(first[i], h) - truth[0]) / (swing(first[i], h / 2) - truth[1])));
    print_message("%s: order %.2f\n", first[i], order[i]);
  }
  assert_above(order[1], order[0] + 0.8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_step_is_that_of_sdirk2),
      cmocka_unit_test(its_error_is_of_higher_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
