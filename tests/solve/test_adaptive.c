// Adaptive steps where forces are functions of time, of which the error estimate sees nothing.
#include "compile.h"
#include "limber/limber.h"

// The speed of a slide of a kilogram after half a second of a motor's force.
static double pushed(const char* motor, const char* by) {
  char text[1000];
  lb_data* d;
  lb_stepper* st;
  snprintf(text, sizeof text,
           "duration: 1 s\n"
           "gravity: [0, 0, 0]\n"
           "solver: {integrator: %s}\n"
           "bodies: {car: {shape: {box: [0.1, 0.1, 0.1]}, mass: 1 kg}}\n"
           "joints: {slide: {type: prismatic, child: car, axis: x}}\n"
           "motors: {push: {joint: slide, drive: force, %s}}\n",
           by, motor);
  lb_model* m = compile(text);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, d, NULL), LB_OK);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(lb_stepper_step(st, d, 0.1, NULL), LB_OK);
  }
  const double v = d->qd[0];
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return v;
}

static void a_short_pulse_is_not_missed(void** state) {
  (void)state;
  assert_near(pushed("ease: linear, keys: [[305 ms, 0], [307 ms, 100], [309 ms, 0]]", "adaptive"),
              0.2, 1e-13);
  assert_near(pushed("keys: [[305 ms, 0], [307 ms, 100], [309 ms, 0]]", "adaptive"), 0.2, 1e-13);
}

static void a_pulse_that_repeats_is_not_missed(void** state) {
  (void)state;
  static const char pulses[] =
      "ease: linear, keys: [[5 ms, 0], [7 ms, 100], [9 ms, 0]], repeat: 50 ms";
  assert_near(pushed(pulses, "adaptive"), 10 * 0.2, 1e-12);
}

// x' = v, v' = tau - 4 x: between two steps the force jumps, and within one there is a closed form.
static void a_caller_may_change_forces_between_steps(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  lb_world* w = lb_world_parse("gravity: [0, 0, 0]\n"
                               "solver: {integrator: adaptive, tolerance: 1e-12}\n"
                               "bodies: {car: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
                               "joints: {slide: {type: prismatic, child: car, axis: x,\n"
                               "                 spring: {stiffness: 4}}}\n",
                               "slide.yaml", &err);
  assert_non_null(w);
  double x = 0, v = 0;
  for (int i = 0; i < 200; i++) {
    const double h = 0.01 * (1 + i % 3), tau = i % 2 ? 50 * sin(i) : -1000;
    lb_world_set_tau(w, 0, &tau);
    assert_int_equal(lb_world_step(w, h), LB_OK);
    const double c = cos(2 * h), s = sin(2 * h), from = x - tau / 4;
    x = tau / 4 + from * c + v / 2 * s;
    v = v * c - 2 * from * s;
    assert_near(lb_world_q(w, 0)[0], x, 1e-8);
    assert_near(lb_world_qd(w, 0)[0], v, 1e-8);
  }
  lb_world_close(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_short_pulse_is_not_missed),
      cmocka_unit_test(a_pulse_that_repeats_is_not_missed),
      cmocka_unit_test(a_caller_may_change_forces_between_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
