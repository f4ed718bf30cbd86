// The asymptotic order of convergence on fine meshes, and locking of linear elements however fine.
#include "frequencies.h"

static void frequencies_approach_order_four(void** state) {
  (void)state;
  const order_case all[] = {
      {0.08, 4, false, 0.3, 0}, {0.08, 4, true, 0, 0}, {0.08, 4, true, 0, 0.03}};
  for (int i = 0; i < 3; i++) {
    for (int pair = 0; pair < (all[i].clamped ? 2 : 1); pair++) {
      assert_above(frequency_order(all[i], 2, pair), 3.3);
    }
  }
}

static void linear_elements_are_still_stiff_where_quadratic_ones_have_converged(void** state) {
  (void)state;
  const lb_material m = lb_material_default();
  double linear, quadratic;
  frequencies(beam_def(0.2, 0.01, 0.01, 160, 8, 8, 1), m, false, 0, 1, &linear);
  frequencies(beam_def(0.2, 0.01, 0.01, 20, 1, 1, 2), m, false, 0, 1, &quadratic);
  print_message("41 k unknowns of order 1: %.3f Hz, 1 k of order 2: %.3f Hz\n", linear, quadratic);
  assert_above(linear, 1.02 * quadratic);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frequencies_approach_order_four),
      cmocka_unit_test(linear_elements_are_still_stiff_where_quadratic_ones_have_converged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
