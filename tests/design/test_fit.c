// design: a fit finds what was planted, with intervals, and says when it is undetermined.
#include "counting.h"
#include "design/fit/fit_markers.h"
#include "design/rod.h"

enum { YOUNG, DAMPING };
static const double E = 2e11, ALPHA = 0.5;

// For what needs no search: the scene's modulus is right or nearly so.
static const char* const NEAR = "fit: {materials: {spring-steel: {within: 1.15}}}\n";

static lb_fit* fit_with(const rod* r, const seen* s, int threads) {
  lb_fit_options o = lb_fit_default();
  o.threads = threads;
  lb_fit* fit = NULL;
  lb_error err = lb_error_make(NULL);
  const lb_status status = lb_fit_run(r->model, &r->scene.fit, &s->markers, &o, NULL, &fit, &err);
  for (int i = 0; i < err.count; i++) {
    print_error("%s\n", err.message[i].text);
  }
  assert_int_equal(status, LB_OK);
  lb_error_clear(&err);
  return fit;
}

static lb_fit* fit_of(const rod* r, const seen* s) {
  return fit_with(r, s, 2);
}

static void show(const lb_fit* fit) {
  for (int i = 0; i < fit->nvalue; i++) {
    const lb_fit_value* v = &fit->value[i];
    print_message("%s: %g, %g to %g, %s\n", lb_fit_quantity_name(v->quantity), v->value, v->low,
                  v->high, lb_fit_doubt_text(v->doubt));
  }
  print_message("rms %g from %g, explained %g, correlation %g, %d iterations, %ld runs\n", fit->rms,
                fit->rms_start, fit->explained, fit->correlation, fit->iterations, fit->runs);
}

static const lb_fit_value* value_of(const lb_fit* fit, lb_fit_quantity quantity) {
  for (int i = 0; i < fit->nvalue; i++) {
    if (fit->value[i].quantity == quantity) {
      return &fit->value[i];
    }
  }
  fail_msg("no %s", lb_fit_quantity_name(quantity));
  return NULL;
}

static bool covers(const lb_fit_value* v, double truth) {
  return v->low <= truth && truth <= v->high;
}

// A millimetre of noise on a single marker; the scene is wrong by a factor of three in Young's
// modulus and five in damping, both ways.
static void planted_numbers_are_found_to_one_per_cent(void** state) {
  (void)state;
  static const double young[] = {3, 1.0 / 3}, damping[] = {0.2, 5};
  for (int i = 0; i < 2; i++) {
    rod r = make_rod(young[i] * E, damping[i] * ALPHA, 0, "30 deg", "");
    lb_model* truth = other_rod(&r, E, ALPHA, 0);
    static seen s;
    lb_random random = {.state = 77 + (uint64_t)i};
    look_at(&s, truth, 1.6, 2e-3, 0);
    blur(&s, 1e-3, &random);
    lb_fit* fit = fit_of(&r, &s);
    show(fit);
    assert_near(fit->value[YOUNG].value / E, 1, 0.01);
    assert_near(fit->value[DAMPING].value / ALPHA, 1, 0.01);
    assert_int_equal(lb_fit_determined(fit), 2);
    assert_near(fit->rms / 1e-3, 1, 0.1);
    assert_true(fit->converged);
    lb_fit_release(fit);
    lb_model_release(truth);
    drop_rod(&r);
  }
}

// 95 % of the intervals, give or take: of 24 at least 20 (fewer has a probability of 1 in 170), and
// as wide as the values scatter.
static void intervals_hold_the_truth_as_often_as_they_say(void** state) {
  (void)state;
  lb_test_needs_speed();
  enum { SEEDS = 12 };
  rod r = make_rod(E, ALPHA, 0, "30 deg", "fit: {materials: {spring-steel: {within: 1.01}}}\n");
  int held = 0;
  double squares = 0;
  for (int i = 0; i < SEEDS; i++) {
    static seen s;
    lb_random random = {.state = 0x9E3779B97F4A7C15 * (uint64_t)(i + 1)};
    look_at(&s, r.model, 0.9, 5e-3, 0);
    blur(&s, 1e-3, &random);
    lb_fit* fit = fit_of(&r, &s);
    const double truth[] = {E, ALPHA};
    for (int k = 0; k < 2; k++) {
      const lb_fit_value* v = &fit->value[k];
      const double error = 0.5 * (v->high - v->low) / 1.98;
      held += covers(v, truth[k]);
      squares += pow((v->value - truth[k]) / error, 2);
    }
    lb_fit_release(fit);
  }
  print_message("%d of %d hold the truth, scatter %.3g standard errors\n", held, 2 * SEEDS,
                sqrt(squares / (2 * SEEDS)));
  assert_at_least(held, 20);
  assert_near(sqrt(squares / (2 * SEEDS)), 1, 0.35);
  drop_rod(&r);
}

// The camera started 120 ms late and stands 1, 2 and -3 cm off.
static void clock_and_shift_are_found_with_the_rest(void** state) {
  (void)state;
  rod r = make_rod(1.1 * E, 2 * ALPHA, 0, "30 deg",
                   "fit: {materials: {spring-steel: {within: 1.15}}, clock: true, shift: true}\n");
  lb_model* truth = other_rod(&r, E, ALPHA, 0);
  static seen s;
  lb_random random = {.state = 5};
  const double shift[] = {0.01, 0.02, -0.03};
  look_at(&s, truth, 1.2, 5e-3, 0.12);
  blur(&s, 2e-4, &random);
  for (int i = 0; i < 3 * s.markers.nsample; i++) {
    s.x[i] += shift[i % 3];
  }
  lb_fit* fit = fit_of(&r, &s);
  show(fit);
  assert_near(value_of(fit, LB_FIT_YOUNG)->value / E, 1, 0.01);
  assert_near(value_of(fit, LB_FIT_CLOCK)->value, 0.12, 2e-4);
  for (int k = 0; k < 3; k++) {
    const lb_fit_value* v = value_of(fit, (lb_fit_quantity)(LB_FIT_SHIFT_X + k));
    assert_near(v->value, shift[k], 2e-4);
    assert_int_equal(v->doubt, LB_FIT_SURE);
  }
  lb_fit_release(fit);
  lb_model_release(truth);
  drop_rod(&r);
}

// Samples that are missing are passed over; those that are there, thinned, give the same.
static void missing_samples_are_passed_over(void** state) {
  (void)state;
  rod r = make_rod(1.1 * E, 2 * ALPHA, 0, "30 deg", NEAR);
  lb_model* truth = other_rod(&r, E, ALPHA, 0);
  static seen s;
  look_at(&s, truth, 0.6, 5e-3, 0);
  lb_random random = {.state = 9};
  for (int i = 0; i < 3 * s.markers.nsample; i++) {
    s.x[i] = lb_random_unit(&random) < 0.4 ? (double)NAN : s.x[i];
  }
  lb_fit* fit = fit_of(&r, &s);
  show(fit);
  assert_near(fit->value[YOUNG].value / E, 1, 1e-5);
  assert_near(fit->value[DAMPING].value / ALPHA, 1, 1e-4);
  for (int i = 0; i < 3 * s.markers.nsample; i++) {
    assert_true(isfinite(fit->fitted[i]));
    if (!isnan(s.x[i])) {
      assert_below(fabs(fit->fitted[i] - s.x[i]), 1e-6);
    }
  }
  lb_fit_release(fit);
  lb_model_release(truth);
  drop_rod(&r);
}

// A marker on a bending rod moves with its surface.
static void a_marker_on_an_elastic_body_bends_with_it(void** state) {
  (void)state;
  rod r = make_rod(1.1 * E, 2 * ALPHA, 0, "30 deg", NEAR);
  lb_model* truth = other_rod(&r, E, ALPHA, 0);
  static seen s;
  look_at(&s, truth, 0.6, 5e-3, 0);
  // the middle of the end face is where the weight's origin is
  s.marker = (lb_scene_marker){
      .name = "end", .body = lb_model_body(truth, "rod"), .has_at = true, .at = {0, 0, 0.72}};
  lb_fit* fit = fit_of(&r, &s);
  show(fit);
  assert_near(fit->value[YOUNG].value / E, 1, 2e-3);
  assert_below(fit->rms, 2e-4);
  lb_fit_release(fit);
  lb_model_release(truth);
  drop_rod(&r);
}

static void expect_no_linearised(const rod* r, const seen* s, lb_fit_doubt doubt) {
  lb_fit* fit = fit_of(r, s);
  show(fit);
  assert_int_equal(lb_fit_determined(fit), 0);
  for (int i = 0; i < fit->nvalue; i++) {
    assert_int_equal(fit->value[i].doubt, doubt);
  }
  lb_fit_release(fit);
}

static void markers_that_do_not_move_determine_nothing(void** state) {
  (void)state;
  rod r = make_rod(E, ALPHA, 0, "30 deg", NEAR), still = make_rod(E, ALPHA, 0, "0 deg", NEAR);
  static seen s;
  lb_random random = {.state = 3};
  look_at(&s, still.model, 0.5, 5e-3, 0);
  expect_no_linearised(&r, &s, LB_FIT_UNEXPLAINED);
  blur(&s, 1e-3, &random);
  expect_no_linearised(&r, &s, LB_FIT_UNEXPLAINED);
  expect_no_linearised(&still, &s, LB_FIT_UNEXPLAINED);
  drop_rod(&r);
  drop_rod(&still);
}

// Next to no damping: the modulus is found, of the damping only how small it must be.
static void damping_too_small_to_see_is_not_claimed(void** state) {
  (void)state;
  rod r = make_rod(E, ALPHA, 0, "30 deg", NEAR);
  lb_model* truth = other_rod(&r, 1.1 * E, 1e-4, 0);
  static seen s;
  lb_random random = {.state = 4};
  look_at(&s, truth, 1, 5e-3, 0);
  blur(&s, 1e-3, &random);
  lb_fit* fit = fit_of(&r, &s);
  show(fit);
  assert_int_equal(fit->value[YOUNG].doubt, LB_FIT_SURE);
  assert_near(fit->value[YOUNG].value / (1.1 * E), 1, 0.01);
  assert_int_not_equal(fit->value[DAMPING].doubt, LB_FIT_SURE);
  lb_fit_release(fit);
  lb_model_release(truth);
  drop_rod(&r);
}

// One mode cannot distinguish damping by mass from damping by stiffness.
static void dampings_that_only_show_together_are_called_tied(void** state) {
  (void)state;
  rod r = make_rod(E, ALPHA, 1e-3, "30 deg",
                   "fit: {materials: {spring-steel: {within: 1.15, damping: both}}}\n");
  static seen s;
  lb_random random = {.state = 6};
  look_at(&s, r.model, 1, 5e-3, 0);
  blur(&s, 5e-3, &random);
  lb_fit* fit = fit_of(&r, &s);
  show(fit);
  assert_int_equal(value_of(fit, LB_FIT_YOUNG)->doubt, LB_FIT_SURE);
  assert_int_not_equal(value_of(fit, LB_FIT_DAMPING_MASS)->doubt, LB_FIT_SURE);
  assert_int_not_equal(value_of(fit, LB_FIT_DAMPING_STIFFNESS)->doubt, LB_FIT_SURE);
  lb_fit_release(fit);
  drop_rod(&r);
}

// The same error in four samples at a time counts as one.
static void noise_that_lasts_widens_the_intervals(void** state) {
  (void)state;
  lb_test_needs_speed();
  rod r = make_rod(E, ALPHA, 0, "30 deg", NEAR);
  double high[2], correlation[2];
  for (int lasts = 0; lasts < 2; lasts++) {
    static seen s;
    static double clean[3 * SEEN_MOST];
    lb_random random = {.state = 0x9E3779B97F4A7C15};
    look_at(&s, r.model, 1, 4e-3, 0);
    memcpy(clean, s.x, sizeof clean);
    blur(&s, 1e-3, &random);
    for (int i = 0; i < 3 * s.markers.nsample && lasts; i++) {
      const int from = i / 12 * 12 + i % 3; // the first of four
      s.x[i] = clean[i] + (s.x[from] - clean[from]);
    }
    lb_fit* fit = fit_of(&r, &s);
    show(fit);
    high[lasts] = fit->value[YOUNG].high - fit->value[YOUNG].value;
    correlation[lasts] = fit->correlation;
    lb_fit_release(fit);
  }
  assert_near(correlation[0], 1, 0.2);
  assert_near(correlation[1] / 4, 1, 0.35);
  assert_near(high[1] / high[0], 2, 0.25);
  drop_rod(&r);
}

static void threads_change_nothing(void** state) {
  (void)state;
  rod r = make_rod(1.1 * E, ALPHA, 0, "30 deg", NEAR);
  lb_model* truth = other_rod(&r, E, ALPHA, 0);
  static seen s;
  look_at(&s, truth, 0.6, 5e-3, 0);
  lb_fit *one = fit_with(&r, &s, 1), *two = fit_with(&r, &s, 2);
  assert_int_equal(one->runs, two->runs);
  for (int i = 0; i < one->nvalue; i++) {
    assert_near(one->value[i].value, two->value[i].value, 0);
    assert_near(one->value[i].high, two->value[i].high, 0);
  }
  lb_fit_release(one);
  lb_fit_release(two);
  lb_model_release(truth);
  drop_rod(&r);
}

// --- derivatives ---

// Residuals of a scene that is off, with its own numbers moved by `by`.
static void residuals_at(lb_fit_session* s, lb_fit_trial* t, int unknown, double by) {
  for (int k = 0; k < s->n; k++) {
    t->x[k] = k == unknown ? by : 0;
  }
  assert_int_equal(lb_fit_try(s, 1, &t, 0), LB_OK);
  assert_true(isfinite(t->cost));
}

static void expect_exact(const char* solver, const char* marked) {
  // of x, so that what Newton's method leaves is little beside the change; of the largest
  // derivative
  static const double BY = 1e-3, CLOSE = 1e-5;
  char more[400];
  static seen s;
  snprintf(
      more, sizeof more,
      "fit: {materials: {spring-steel: {damping: both}}, clock: true}\nsolver: {step: 1 ms%s}\n",
      solver);
  rod r = make_rod(E, ALPHA, 1e-3, "30 deg", more);
  // just above what rounding lets it reach; linear-euler cannot say so, but is run by BDF2
  r.model->solver.tolerance = 1e-11;
  look_at(&s, r.model, 0.5, 5e-3, 0);
  if (marked) {
    s.marker = (lb_scene_marker){
        .name = marked, .body = lb_model_body(r.model, marked), .has_at = true, .at = {0, 0, 0.4}};
  }
  lb_fit_session fit;
  lb_fit_trial at, high, low;
  lb_fit_options o = lb_fit_default();
  assert_int_equal(lb_fit_open(&fit, r.model, &r.scene.fit, &s.markers, &o, NULL, NULL), LB_OK);
  const size_t size = (size_t)fit.nsample * (size_t)fit.width;
  double* J = lb_allocate(NULL, (size_t)fit.nmaterial * size * sizeof *J);
  lb_fit_trial* const all[] = {&at, &high, &low};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(lb_fit_trial_create(&fit, all[i], false), LB_OK);
    all[i]->tape = &fit.tape; // steps as those that are differentiated
  }
  residuals_at(&fit, &at, 0, 0);
  assert_int_equal(lb_fit_differentiate(&fit, &at, 0, J), LB_OK);
  assert_int_equal(fit.nmaterial, 3);
  for (int k = 0; k < fit.nmaterial; k++) {
    double most = 0, worst = 0;
    residuals_at(&fit, &high, k, BY);
    residuals_at(&fit, &low, k, -BY);
    for (size_t i = 0; i < size; i++) {
      const double slope = (high.r[i] - low.r[i]) / (2 * BY);
      most = fmax(most, fabs(slope));
      worst = fmax(worst, fabs(slope - J[(size_t)k * size + i]));
    }
    print_message("%s unknown %d: largest %g, off by %g of it\n", solver, k, most, worst / most);
    assert_true(most > 1e-6);
    assert_below(worst / most, CLOSE);
  }
  lb_release(NULL, J);
  lb_fit_close(&fit);
  drop_rod(&r);
}

static void derivatives_are_those_of_the_steps(void** state) {
  (void)state;
  expect_exact("", NULL);
  expect_exact(", integrator: sdirk2", "rod");
  expect_exact(", coordinates: maximal", NULL);
  expect_exact(", integrator: linear-euler", "rod"); // run by BDF2
}

// --- stopping, and want of memory ---

static bool stop_after(void* context, double fraction, const char* what) {
  assert_at_least(fraction, 0);
  assert_at_most(fraction, 1);
  assert_non_null(what);
  return --*(int*)context > 0;
}

static void an_interrupted_fit_keeps_the_best_so_far(void** state) {
  (void)state;
  rod r =
      make_rod(1.3 * E, ALPHA, 0, "30 deg", "fit: {materials: {spring-steel: {within: 1.5}}}\n");
  lb_model* truth = other_rod(&r, E, ALPHA, 0);
  static seen s;
  look_at(&s, truth, 0.6, 5e-3, 0);
  for (int left = 1; left < 400; left = 3 * left + 1) {
    int count = left;
    lb_fit_options o = lb_fit_default();
    o.progress = (lb_progress){stop_after, &count};
    lb_fit* fit = NULL;
    const lb_status status = lb_fit_run(r.model, &r.scene.fit, &s.markers, &o, NULL, &fit, NULL);
    assert_non_null(fit);
    if (status == LB_INTERRUPTED) {
      assert_int_equal(lb_fit_determined(fit), 0);
      assert_int_equal(fit->value[YOUNG].doubt, LB_FIT_UNFINISHED);
    }
    assert_at_most(fit->rms, fit->rms_start);
    lb_fit_release(fit);
  }
  lb_model_release(truth);
  drop_rod(&r);
}

static void running_out_of_memory_leaks_nothing(void** state) {
  (void)state;
  rod r = make_rod(1.01 * E, ALPHA, 0, "30 deg", "fit: {materials: {spring-steel: {within: 1}}}\n");
  static seen s;
  look_at(&s, r.model, 0.06, 5e-3, 0);
  lb_status status = LB_NO_MEMORY;
  long refuse = 1;
  for (; status != LB_OK; refuse += refuse < 40 ? 1 : 13) {
    lb_counting counting = {.refuse = refuse};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    lb_fit_options o = lb_fit_default();
    lb_fit* fit = NULL;
    status = lb_fit_run(r.model, &r.scene.fit, &s.markers, &o, &allocator, &fit, NULL);
    if (status == LB_OK) {
      lb_fit_release(fit);
    } else {
      assert_int_equal(status, LB_NO_MEMORY);
      assert_null(fit);
    }
    assert_int_equal(counting.live, 0);
  }
  print_message("refused up to request %ld\n", refuse);
  drop_rod(&r);
}

static void what_cannot_be_fitted_is_said(void** state) {
  (void)state;
  rod r = make_rod(E, ALPHA, 0, "30 deg", NEAR);
  static seen s;
  look_at(&s, r.model, 0.1, 5e-3, 0);
  for (int i = 0; i < 3 * s.markers.nsample; i++) {
    s.x[i] = i == 5 ? s.x[i] : (double)NAN;
  }
  lb_fit* fit = NULL;
  lb_error err = lb_error_make(NULL);
  const lb_fit_options o = lb_fit_default();
  assert_int_equal(lb_fit_run(r.model, &r.scene.fit, &s.markers, &o, NULL, &fit, &err), LB_INVALID);
  assert_string_equal(err.message[0].text,
                      "the markers were seen too rarely: 1 numbers for 2 unknowns");
  assert_null(fit);
  lb_error_clear(&err);
  drop_rod(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_numbers_are_found_to_one_per_cent),
      cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
      cmocka_unit_test(clock_and_shift_are_found_with_the_rest),
      cmocka_unit_test(missing_samples_are_passed_over),
      cmocka_unit_test(a_marker_on_an_elastic_body_bends_with_it),
      cmocka_unit_test(markers_that_do_not_move_determine_nothing),
      cmocka_unit_test(damping_too_small_to_see_is_not_claimed),
      cmocka_unit_test(dampings_that_only_show_together_are_called_tied),
      cmocka_unit_test(noise_that_lasts_widens_the_intervals),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(derivatives_are_those_of_the_steps),
      cmocka_unit_test(an_interrupted_fit_keeps_the_best_so_far),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
      cmocka_unit_test(what_cannot_be_fitted_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
