// Limits on motors' torques in retargeting: what they are of, their derivatives, and that the
// search keeps to them.
#include "retargeting.h"

// The most that a motor exerts at the end of a step.
static double peak_torque(problem* p, int motor) {
  const double limit = p->what->limit[motor].torque;
  for (int i = 0; i < p->what->nmotor; i++) {
    p->what->limit[i].torque = i == motor ? 1 : INFINITY;
  }
  const double torque = evaluate(p, p->curves, NULL).torque;
  for (int i = 0; i < p->what->nmotor; i++) {
    p->what->limit[i].torque = i == motor ? limit : INFINITY;
  }
  return torque;
}

// Limits that all motors exceed, with curves that shake.
static void open_limited(problem* p, const char* name) {
  enum { MOST = 16 };
  double peak[MOST];
  open_problem(p, name, PIECE);
  p->options.step = LONG_STEP;
  shake_curves(p, 0.02, 5);
  assert_at_most(p->what->nmotor, MOST);
  for (int i = 0; i < p->what->nmotor; i++) {
    peak[i] = peak_torque(p, i);
  }
  for (int i = 0; i < p->what->nmotor; i++) {
    p->what->limit[i].torque = 0.2 * peak[i];
  }
  const lb_retarget_value v = evaluate(p, p->curves, NULL);
  print_message("%s: limits are %.2g of the objective\n", name, v.limits / v.objective);
  assert_near(v.torque, 5, 1e-9);
  assert_above(v.limits, 0.1 * v.objective);
}

// A torque's second derivative jumps where it comes to its limit, which differences must not see.
static const double NEAR = 3e-6;

static void torques_beyond_their_limits_are_in_the_gradient(void** state) {
  (void)state;
  static const char* const SCENES[] = {"rod", "two-rods", "rapper"}; // the last has a loop
  for (size_t i = 0; i < sizeof SCENES / sizeof *SCENES; i++) {
    problem p;
    open_limited(&p, SCENES[i]);
    check_gradient_of(&p, SCENES[i], 2, NEAR);
    compare_both_ways_of(&p, SCENES[i]);
    close_problem(&p);
  }
}

static void torques_of_steps_are_those_that_runs_record(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "rod", PIECE);
  shake_curves(&p, 0.02, 5);
  lb_error err = lb_error_make(NULL);
  lb_model* played;
  lb_recording* r;
  lb_summary summary;
  lb_simulate_options o = lb_simulate_default();
  p.model->record.every = p.model->solver.step;
  must(lb_model_play(p.model, p.what, p.curves, p.targets->q0, NULL, &played, &err), &err);
  must(lb_recording_create(played, 0, NULL, &r, &err), &err);
  must(lb_simulate(played, &o, r, &summary, &err), &err);
  double most = 0;
  for (int f = 1; f < r->nframe; f++) {
    most = fmax(most, fabs(r->motor[(size_t)f * (size_t)played->nmotor]));
  }
  const double torque = peak_torque(&p, 0);
  print_message("%.6g N m, recorded %.6g N m\n", torque, most);
  assert_near(torque / most, 1, 1e-6);
  lb_recording_release(r);
  lb_model_release(played);
  close_problem(&p);
}

static lb_retarget_value search(problem* p, double torque, int* iterations) {
  lb_error err = lb_error_make(NULL);
  lb_retarget_state* s;
  lb_retarget_value value;
  p->what->limit[0].torque = torque;
  must(lb_retarget_state_create(p->input, NULL, &s, &err), &err);
  must(lb_retarget_run(p->model, p->what, p->input, p->targets, &p->options, s, &value, &err),
       &err);
  memcpy(p->curves->control, s->curves->control, (size_t)control_count(p) * sizeof(double));
  *iterations = s->iteration;
  lb_retarget_state_release(s);
  return value;
}

static void half_the_torque_is_kept_at_the_price_of_a_larger_deviation(void** state) {
  (void)state;
  lb_test_needs_speed();
  problem p;
  int plain, limited;
  open_problem(&p, "rod", 1.5);
  p.options.step = LONG_STEP;
  const lb_retarget_value free = search(&p, INFINITY, &plain);
  const double needs = peak_torque(&p, 0);
  const lb_retarget_value held = search(&p, needs / 2, &limited);
  print_message("%.3g N m: peak %.3g mm in %d iterations; half of it: %.3g mm, %.4f of the limit, "
                "in %d\n",
                needs, 1e3 * free.peak, plain, 1e3 * held.peak, held.torque, limited);
  assert_at_most(held.torque, LB_TORQUE_KEPT);
  assert_above(held.torque, 0.99); // the limit is what holds it
  assert_above(held.deviation, free.deviation);
  assert_below(held.peak, 0.06); // ... of the 0.3 m it was
  close_problem(&p);
}

static void what_cannot_be_kept_ends_the_search_all_the_same(void** state) {
  (void)state;
  lb_test_needs_speed();
  problem p;
  int iterations;
  open_problem(&p, "rod", 0.9);
  p.options.step = 2 * LONG_STEP;
  // less than it takes to hold the weight at the end, where curves stay as they are
  const lb_retarget_value value = search(&p, 0.05, &iterations);
  print_message("%.3g of the limit after %d iterations\n", value.torque, iterations);
  assert_above(value.torque, LB_TORQUE_KEPT);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(torques_beyond_their_limits_are_in_the_gradient),
      cmocka_unit_test(torques_of_steps_are_those_that_runs_record),
      cmocka_unit_test(half_the_torque_is_kept_at_the_price_of_a_larger_deviation),
      cmocka_unit_test(what_cannot_be_kept_ends_the_search_all_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
