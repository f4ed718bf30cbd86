// The continuous adjoint against the discrete one: they agree in the limit of short steps.
#include "continuous_adjoint.h"
#include "retargeting.h"

// The distance of the two gradients as a part of their length.
static double distance(problem* p, double step, double* exact, double* other) {
  const int n = control_count(p);
  lb_error err = lb_error_make(NULL);
  p->options.step = step;
  evaluate(p, p->curves, exact);
  must(gradient_continuous(p->model, p->what, p->input, p->targets, p->curves, &p->options, other,
                           &err),
       &err);
  for (int i = 0; i < n; i++) {
    other[i] -= exact[i];
  }
  return sqrt(dot(n, other, other) / dot(n, exact, exact));
}

static void check_order(const char* name) {
  enum { LEVELS = 3 };
  problem p;
  open_problem(&p, name, PIECE);
  shake_curves(&p, 0.02, 3);
  double* exact = test_malloc((size_t)control_count(&p) * sizeof *exact);
  double* other = test_malloc((size_t)control_count(&p) * sizeof *other);
  double step = 1e-3, before = distance(&p, step, exact, other);
  assert_below(before, 2e-3);
  for (int k = 1; k < LEVELS; k++) {
    step /= 2;
    const double now = distance(&p, step, exact, other), order = log2(before / now);
    print_message("%s: steps of %.3g ms, off by %.2g, order %.2f\n", name, 1e3 * step, now, order);
    assert_above(order, 1.9);
    assert_below(order, 2.1);
    before = now;
  }
  test_free(exact);
  test_free(other);
  close_problem(&p);
}

static void the_continuous_gradient_tends_to_the_exact_one_with_order_two(void** state) {
  (void)state;
  check_order("rod");
  lb_test_needs_speed();
  check_order("two-rods");
  check_order("rapper"); // a loop
}

static void free_bodies_are_refused(void** state) {
  (void)state;
  lb_scene scene;
  lb_model* model;
  lb_curves* curves;
  double gradient[8];
  lb_error err = lb_error_make(NULL);
  must(lb_scene_read(LIMBER_SOURCE_DIR "/scenes/free-flyer.yaml", NULL, &scene, &err), &err);
  must(lb_model_create(&scene, NULL, &model, &err), &err);
  must(lb_curves_create(1, 8, 0, 0.1, NULL, &curves, &err), &err);
  lb_retarget_limit none = {{-INFINITY, INFINITY}, INFINITY, INFINITY, INFINITY};
  const lb_retarget what = {.nmotor = 1, .motor = (int[]){0}, .limit = &none};
  const lb_targets targets = {.nframe = 0};
  const lb_retarget_options options = lb_retarget_default();
  assert_int_equal(
      gradient_continuous(model, &what, curves, &targets, curves, &options, gradient, &err),
      LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "ball or free joint"));
  lb_error_clear(&err);
  lb_curves_release(curves);
  lb_model_release(model);
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_continuous_gradient_tends_to_the_exact_one_with_order_two),
      cmocka_unit_test(free_bodies_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
