// design: a fit finds what was planted, says how sure it is, and when it cannot tell.
#include "counting.h"
#include "design/rod.h"

enum { YOUNG, DAMPING };

static lb_fit* fit_of(const rod* r, const seen* s) {
  lb_fit_options o = lb_fit_default();
  o.threads = 2;
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

static void show(const lb_fit* fit) {
  for (int i = 0; i < fit->nvalue; i++) {
    const lb_fit_value* v = &fit->value[i];
    print_message("%s: %g, %g to %g, %s\n", lb_fit_quantity_name(v->quantity), v->value, v->low,
                  v->high, lb_fit_doubt_text(v->doubt));
  }
  print_message("rms %g from %g, explained %g, correlation %g, %d iterations, %ld runs\n", fit->rms,
                fit->rms_start, fit->explained, fit->correlation, fit->iterations, fit->runs);
}

static const double E = 2e11, ALPHA = 0.5;

// A millimetre of noise on a single marker; the scene is wrong by a factor of three in Young's
// modulus and five in damping, both ways.
static void planted_numbers_are_found_to_one_per_cent(void** state) {
  (void)state;
  static const double young[] = {3, 1.0 / 3}, damping[] = {5, 0.2};
  for (int i = 0; i < 2; i++) {
    rod r = make_rod(young[i] * E, damping[i] * ALPHA, 0, "30 deg", "");
    lb_model* truth = other_rod(&r, E, ALPHA, 0);
    static seen s;
    lb_random random = {.state = 77 + (uint64_t)i};
    look_at(&s, truth, 2, 4e-3, 0);
    blur(&s, 1e-3, &random);
    lb_fit* fit = fit_of(&r, &s);
    show(fit);
    assert_near(fit->value[YOUNG].value / E, 1, 0.01);
    assert_near(fit->value[DAMPING].value / ALPHA, 1, 0.01);
    assert_int_equal(lb_fit_determined(fit), 2);
    assert_near(fit->rms / 1e-3, 1, 0.1);
    lb_fit_release(fit);
    lb_model_release(truth);
    drop_rod(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_numbers_are_found_to_one_per_cent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
