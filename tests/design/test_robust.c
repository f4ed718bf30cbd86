// Curves for a character that is not known exactly: the mean over copies that differ.
#include "counting.h"
#include "retargeting.h"

static const double OFF = 0.05;

static void the_gradient_of_the_mean_matches_differences(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "rod", 0.3);
  p.options.step = 2 * LONG_STEP;
  p.what->robust = OFF;
  shake_curves(&p, 0.02, 5);
  check_gradient_of(&p, "rod and four copies", 2, 1e-4);
  close_problem(&p);
}

static void without_differences_the_mean_is_the_value(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "rod", 0.3);
  p.options.step = 2 * LONG_STEP;
  shake_curves(&p, 0.02, 5);
  const lb_retarget_value one = evaluate(&p, p.curves, NULL);
  p.what->robust = 1e-12;
  const lb_retarget_value mean = evaluate(&p, p.curves, NULL);
  assert_near(mean.objective / one.objective, 1, 1e-6);
  close_problem(&p);
}

static void no_memory_leaves_nothing_behind(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "rod", 0.2);
  p.options.step = 2 * LONG_STEP;
  p.what->robust = OFF;
  p.what->limit[0].torque = 1e-2;
  double gradient[64];
  lb_status status = LB_NO_MEMORY;
  assert_at_most(control_count(&p), 64);
  memcpy(p.curves->control, p.input->control, (size_t)control_count(&p) * sizeof(double));
  for (long refuse = 1; status != LB_OK; refuse++) {
    lb_counting counting = {.refuse = refuse};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    lb_error err = lb_error_make(NULL);
    lb_retarget_value value;
    p.curves->allocator = &allocator;
    gradient[4] = 17;
    status = lb_retarget_evaluate(p.model, p.what, p.input, p.targets, p.curves, &p.options, &value,
                                  gradient, &err);
    assert_true(status == LB_OK || (status == LB_NO_MEMORY && gradient[4] == 17));
    assert_int_equal(counting.live, 0);
    lb_error_clear(&err);
    p.curves->allocator = p.input->allocator;
  }
  close_problem(&p);
}

static void find_curves(problem* p, double robust) {
  lb_error err = lb_error_make(NULL);
  lb_retarget_state* s;
  lb_retarget_value value;
  p->what->robust = robust;
  must(lb_retarget_state_create(p->input, NULL, &s, &err), &err);
  must(lb_retarget_run(p->model, p->what, p->input, p->targets, &p->options, s, &value, &err),
       &err);
  print_message("%d iterations, objective %.3g, peak %.3g mm\n", s->iteration, value.objective,
                1e3 * value.peak);
  memcpy(p->curves->control, s->curves->control, (size_t)control_count(p) * sizeof(double));
  lb_retarget_state_release(s);
}

// The worst and the mean square deviation of the curves over softer, stiffer, lighter and heavier
// copies, and of the model itself.
typedef struct spread {
  double peak, square, plain;
} spread;

static spread play(problem* p, const lb_recording* target) {
  static const int PERTURBATION[] = {0, 1, 4, 5};
  spread s = {0};
  lb_error err = lb_error_make(NULL);
  lb_simulate_options o = lb_simulate_default();
  lb_deviation track;
  lb_replay replay = {.track = &track};
  o.step = p->options.step;
  for (int i = 0; i < 4; i++) {
    must(lb_replay_perturbed(PERTURBATION[i], p->model, p->what, p->curves, target, &o, &replay,
                             &err),
         &err);
    s.peak = fmax(s.peak, replay.all.peak);
    s.square += replay.all.rms * replay.all.rms / 4;
  }
  must(lb_replay_run(p->model, p->what, p->curves, target, &o, NULL, NULL, &replay, &err), &err);
  s.plain = replay.all.peak;
  return s;
}

static void copies_that_differ_do_better_with_curves_made_for_them(void** state) {
  (void)state;
  lb_test_needs_speed();
  problem p;
  lb_recording* target;
  lb_error err = lb_error_make(NULL);
  const lb_simulate_options slow = lb_simulate_default();
  open_problem(&p, "rod", 1.4);
  p.options.step = LONG_STEP;
  must(lb_recording_create(p.model, 0, NULL, &target, &err), &err);
  must(lb_quasistatic_motion(p.model, &slow, target, &err), &err);
  find_curves(&p, 0);
  const spread plain = play(&p, target);
  find_curves(&p, OFF);
  const spread robust = play(&p, target);
  print_message("worst of the copies %.3g mm, then %.3g mm; root of the mean square %.3g mm, then "
                "%.3g mm; the model itself %.3g mm, then %.3g mm\n",
                1e3 * plain.peak, 1e3 * robust.peak, 1e3 * sqrt(plain.square),
                1e3 * sqrt(robust.square), 1e3 * plain.plain, 1e3 * robust.plain);
  assert_below(robust.peak, 0.95 * plain.peak);
  assert_below(robust.square, plain.square);
  assert_above(robust.plain, plain.plain); // the price
  lb_recording_release(target);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gradient_of_the_mean_matches_differences),
      cmocka_unit_test(without_differences_the_mean_is_the_value),
      cmocka_unit_test(no_memory_leaves_nothing_behind),
      cmocka_unit_test(copies_that_differ_do_better_with_curves_made_for_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
