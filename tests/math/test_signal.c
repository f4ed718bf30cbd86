// Slopes and the low-pass filter of sampled signals.
#include "math/signal.h"

#include "test.h"

enum { N = 400 };

static double worst_slope(double h, double unevenness) {
  double t[N], x[N], slope[N], worst = 0;
  const int n = (int)(4 / h) + 1;
  for (int i = 0; i < n; i++) {
    t[i] = h * i + unevenness * h * sin(1.7 * i);
    x[i] = sin(2 * t[i]);
  }
  lb_signal_slopes(n, t, x, 1, slope, 1);
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(slope[i] - 2 * cos(2 * t[i])));
  }
  return worst;
}

static void slopes_are_of_sixth_order_on_even_and_uneven_samples(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const double uneven = k ? 0.3 : 0;
    const double order = log2(worst_slope(0.05, uneven) / worst_slope(0.025, uneven));
    assert_true(order > 5.6 && order < 7.2);
  }
}

static void slopes_of_polynomials_are_exact_with_few_samples_too(void** state) {
  (void)state;
  for (int n = 2; n <= 9; n++) {
    double t[9], x[9], slope[9];
    const int degree = n < 7 ? n - 1 : 6;
    for (int i = 0; i < n; i++) {
      t[i] = 0.3 * i + 0.02 * i * i;
      x[i] = pow(t[i] - 1, degree);
    }
    lb_signal_slopes(n, t, x, 1, slope, 1);
    for (int i = 0; i < n; i++) {
      assert_near(slope[i], degree * pow(t[i] - 1, degree - 1), 1e-10);
    }
  }
}

// Amplitude that a sine of this frequency keeps, by least squares with sine and cosine in the
// middle, and the part that is out of phase.
static void response(double frequency, double* in_phase, double* out_of_phase) {
  double x[N], scratch[3 * N], s = 0, c = 0, weight = 0;
  const double step = 0.01, cutoff = 6;
  for (int i = 0; i < N; i++) {
    x[i] = sin(2 * M_PI * frequency * step * i);
  }
  lb_signal_low_pass(N, step, cutoff, x, 1, scratch);
  for (int i = 100; i < 300; i++) { // whole periods of every frequency used here
    s += x[i] * sin(2 * M_PI * frequency * step * i);
    c += x[i] * cos(2 * M_PI * frequency * step * i);
    weight += 0.5;
  }
  *in_phase = s / weight;
  *out_of_phase = c / weight;
}

static void filter_has_butterworths_gain_and_no_delay(void** state) {
  (void)state;
  const double f[] = {1, 3, 6, 12, 20};
  for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
    double gain, delay;
    response(f[i], &gain, &delay);
    const double warped = tan(M_PI * f[i] * 0.01),
                 w0 = tan(M_PI * 6 * 0.01 / pow(M_SQRT2 - 1, 0.25));
    assert_near(gain, 1 / (1 + pow(warped / w0, 4)), 1e-6);
    assert_near(delay, 0, 1e-6);
  }
  double gain, delay;
  response(6, &gain, &delay);
  assert_near(gain, M_SQRT1_2, 2e-2); // but for the warping of frequencies
}

static void filter_leaves_straight_lines_alone(void** state) {
  (void)state;
  double x[50], scratch[150];
  for (int i = 0; i < 50; i++) {
    x[i] = 3 - 0.2 * i;
  }
  lb_signal_low_pass(50, 0.01, 6, x, 1, scratch);
  for (int i = 0; i < 50; i++) {
    assert_near(x[i], 3 - 0.2 * i, 2e-2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_are_of_sixth_order_on_even_and_uneven_samples),
      cmocka_unit_test(slopes_of_polynomials_are_exact_with_few_samples_too),
      cmocka_unit_test(filter_has_butterworths_gain_and_no_delay),
      cmocka_unit_test(filter_leaves_straight_lines_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
