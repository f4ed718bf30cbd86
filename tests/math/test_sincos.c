// Batched sines and cosines against long double.
#include "math/space/sincos.h"
#include "test.h"

static void sincos_is_within_one_and_a_half_units_of_one(void** state) {
  (void)state;
  lb_random random = {12345};
  double worst = 0;
  for (int round = 0; round < 20000; round++) {
    double x[19], s[19], c[19];
    const double range = pow(10, lb_random_between(&random, -9, 6));
    const int n = 1 + round % 19;
    for (int i = 0; i < n; i++) {
      x[i] = lb_random_between(&random, -range, range);
    }
    lb_sincos(n, x, s, c);
    for (int i = 0; i < n; i++) {
      worst = fmax(worst, fabs((double)((long double)s[i] - sinl((long double)x[i]))));
      worst = fmax(worst, fabs((double)((long double)c[i] - cosl((long double)x[i]))));
    }
  }
  assert_near(worst, 0, 1.7e-16);
}

static void sincos_holds_at_quadrant_edges_and_far_away(void** state) {
  (void)state;
  for (int k = -400; k <= 400; k++) {
    for (int side = -1; side <= 1; side++) {
      const double x[2] = {k * (acos(-1.0) / 4) * (1 + side * 1e-15), k * 1e7 + 0.1};
      double s[2], c[2];
      lb_sincos(2, x, s, c);
      for (int i = 0; i < 2; i++) {
        assert_near(s[i], sin(x[i]), 2.3e-16);
        assert_near(c[i], cos(x[i]), 2.3e-16);
      }
    }
  }
  const double odd[3] = {INFINITY, NAN, -0.0};
  double s[3], c[3];
  lb_sincos(3, odd, s, c);
  assert_true(isnan(s[0]) && isnan(c[0]) && isnan(s[1]) && isnan(c[1]));
  assert_near(s[2], 0, 0);
  assert_near(c[2], 1, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sincos_is_within_one_and_a_half_units_of_one),
      cmocka_unit_test(sincos_holds_at_quadrant_edges_and_far_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
