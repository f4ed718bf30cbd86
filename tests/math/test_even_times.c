// Times that a file rounded.
#include "math/curve/even_times.h"

#include <math.h>

#include "test.h"

enum { N = 400 };

static double rounded(double t, double unit) {
  return round(t / unit) / round(1 / unit);
}

static void rounded_times_are_found_again(void** state) {
  (void)state;
  const struct {
    double rate, start, unit;
    int n;
  } cases[] = {{60, 0, 1e-3, 151},    {60, 2.35, 1e-3, 8},   {120, 0, 1e-3, 300},
               {240, 0.1, 1e-3, 400}, {59.94, 0, 1e-3, 400}, {30, 1000, 1e-2, 50},
               {2048, 0, 1e-4, 400},  {1.46, 0, 0.1, 40},    {60, -0.5, 1e-4, 151}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const int n = cases[k].n;
    double t[N], start = -1, step = -1;
    for (int i = 0; i < n; i++) {
      t[i] = rounded(cases[k].start + i / cases[k].rate, cases[k].unit);
    }
    assert_true(lb_even_times(n, t, 1, 0, &start, &step));
    // two lines between the same roundings are no more than this apart
    assert_near(step, 1 / cases[k].rate, 2 * cases[k].unit / (n - 1));
    for (int i = 0; i < n; i++) {
      assert_near(start + i * step, t[i], 0.5001 * cases[k].unit);
    }
  }
}

static void whole_rates_and_given_ones_are_exact(void** state) {
  (void)state;
  double t[2 * N], start, step;
  for (int i = 0; i < N; i++) {
    t[2 * i] = rounded(i / 60.0, 1e-3);
  }
  assert_true(lb_even_times(N, t, 2, 0, &start, &step));
  assert_near(start, 0, 0);
  assert_near(step, 1.0 / 60, 0);
  for (int i = 0; i < N; i++) {
    t[2 * i] = rounded(0.25 + i / 59.94, 1e-3);
  }
  assert_true(lb_even_times(N, t, 2, 59.94, &start, &step));
  assert_near(start, 0.25, 0);
  assert_near(step, 1 / 59.94, 0);
  // a rate that the times do not have is of no account
  assert_true(lb_even_times(N, t, 2, 50, &start, &step));
  assert_near(step, 1 / 59.94, 2e-3 / N);
}

static void times_that_waver_need_a_rate(void** state) {
  (void)state;
  double t[N], start, step;
  for (int i = 0; i < N; i++) {
    t[i] = i / 100.0 + 4e-4 * sin(1.7 * i);
  }
  assert_false(lb_even_times(N, t, 1, 0, &start, &step));
  assert_true(lb_even_times(N, t, 1, 100, &start, &step));
  assert_near(step, 0.01, 0);
  t[N / 2] += 2e-3;
  assert_false(lb_even_times(N, t, 1, 100, &start, &step));
}

static void uneven_times_stay(void** state) {
  (void)state;
  double t[N], start, step;
  // one sample is missing
  for (int gone = 1; gone < 99; gone++) {
    for (int i = 0; i < 100; i++) {
      t[i] = rounded((i + (i >= gone)) / 240.0, 1e-3);
    }
    const bool even = lb_even_times(100, t, 1, gone % 2 ? 240 : 0, &start, &step);
    assert_false(even);
  }
  // few, and coarse: meant as they are
  const double few[] = {0, 0.3, 0.7, 1};
  assert_false(lb_even_times(4, few, 1, 0, &start, &step));
  const double coarse[] = {0, 1, 3, 4, 6, 7, 9, 10, 12};
  assert_false(lb_even_times(9, coarse, 1, 0, &start, &step));
  // even as they stand
  for (int i = 0; i < N; i++) {
    t[i] = 0.01 * i;
  }
  assert_false(lb_even_times(N, t, 1, 100, &start, &step));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounded_times_are_found_again),
      cmocka_unit_test(whole_rates_and_given_ones_are_exact),
      cmocka_unit_test(times_that_waver_need_a_rate),
      cmocka_unit_test(uneven_times_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
