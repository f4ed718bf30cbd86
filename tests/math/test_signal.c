// Slopes and the low-pass filter of sampled signals.
#include "math/curve/signal.h"

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
    assert_above(order, 5.6);
    assert_below(order, 7.2);
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

static void filter_leaves_cubics_alone_up_to_the_ends(void** state) {
  (void)state;
  double x[80], scratch[240];
  for (int degree = 0; degree <= 3; degree++) {
    for (int i = 0; i < 80; i++) {
      x[i] = 3 - 2 * pow(0.02 * i - 0.5, degree);
    }
    lb_signal_low_pass(80, 0.01, 6, x, 1, scratch);
    for (int i = 0; i < 80; i++) {
      assert_near(x[i], 3 - 2 * pow(0.02 * i - 0.5, degree), 1e-6);
    }
  }
}

static void filter_leaves_few_samples_that_stay_alone(void** state) {
  (void)state;
  for (int n = 2; n <= 9; n++) {
    double x[9], scratch[27];
    for (int i = 0; i < n; i++) {
      x[i] = 0.7;
    }
    lb_signal_low_pass(n, 0.01, 6, x, 1, scratch);
    for (int i = 0; i < n; i++) {
      assert_near(x[i], 0.7, 1e-12);
    }
  }
}

// Filtered, and differentiated twice.
static void accelerate(double* x, double* a) {
  double t[N], slope[N], scratch[3 * N];
  for (int i = 0; i < N; i++) {
    t[i] = 0.01 * i;
  }
  lb_signal_low_pass(N, 0.01, 6, x, 1, scratch);
  lb_signal_slopes(N, t, x, 1, slope, 1);
  lb_signal_slopes(N, t, slope, 1, a, 1);
}

// The worst error of the acceleration of a sine over its amplitude, whatever its phase: that of
// sine and cosine together. Within `near` samples of the ends.
static double end_error(double frequency, int near) {
  double s[N], c[N], as[N], ac[N], worst = 0;
  const double w = 2 * M_PI * frequency;
  for (int i = 0; i < N; i++) {
    s[i] = sin(w * 0.01 * i);
    c[i] = cos(w * 0.01 * i);
  }
  accelerate(s, as);
  accelerate(c, ac);
  for (int i = 0; i < N; i++) {
    const double phase = w * 0.01 * i, es = as[i] / (w * w) + sin(phase),
                 ec = ac[i] / (w * w) + cos(phase);
    worst = i < near || i >= N - near ? fmax(worst, hypot(es, ec)) : worst;
  }
  return worst;
}

static void filter_keeps_accelerations_at_the_ends(void** state) {
  (void)state;
  assert_below(end_error(0.5, 50), 0.01);
  assert_below(end_error(1, 50), 0.07);
  // what the fit leaves out falls with the third power of the frequency
  const double order = log2(end_error(0.5, 1) / end_error(0.25, 1));
  assert_above(order, 2.9);
  assert_below(order, 3.1);
}

// How far noise of size one moves the acceleration at a sample: by what each sample does to it.
static double noise_at(int sample) {
  double sum = 0;
  for (int j = 0; j < N; j++) {
    double x[N] = {0}, a[N];
    x[j] = 1;
    accelerate(x, a);
    sum += a[sample] * a[sample];
  }
  return sqrt(sum);
}

static void ends_take_in_at_most_three_times_the_noise_of_the_middle(void** state) {
  (void)state;
  const double middle = noise_at(N / 2);
  const int at[] = {0, 1, 3, 6, 10, 20, N - 4, N - 1};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    const double ratio = noise_at(at[i]) / middle;
    assert_above(ratio, 0.9);
    assert_below(ratio, 3);
  }
}

// The natural spline of degree five has order six in the middle of a signal, and the filter a
// response of 1 / (1 + (w/w_c)^6) without delay.
static double worst_quintic(double h, int derivative) {
  double x[N], xd[N], xdd[N], scratch[16 * N], worst = 0;
  const int n = (int)(4 / h) + 1;
  for (int i = 0; i < n; i++) {
    x[i] = sin(2 * h * i);
  }
  lb_signal_opensim(n, h, NAN, x, 1, xd, xdd, 1, scratch);
  for (int i = n / 4; i < 3 * n / 4; i++) {
    const double t = 2 * h * i;
    worst = fmax(worst, derivative == 1 ? fabs(xd[i] - 2 * cos(t)) : fabs(xdd[i] + 4 * sin(t)));
  }
  return worst;
}

static void rates_by_the_quintic_spline_converge(void** state) {
  (void)state;
  assert_above(log2(worst_quintic(0.1, 1) / worst_quintic(0.05, 1)), 5.5);
  assert_above(log2(worst_quintic(0.1, 2) / worst_quintic(0.05, 2)), 3.5);
}

// (Where a pass begins it is not yet what it should be, which half the length is to let die out.)
static void a_line_stays_a_line_also_in_the_filter_of_third_order(void** state) {
  (void)state;
  double x[N], xd[N], xdd[N], scratch[16 * N];
  for (int i = 0; i < N; i++) {
    x[i] = 0.3 - 0.2 * i;
  }
  lb_signal_opensim(N, 0.01, 6, x, 1, xd, xdd, 1, scratch);
  for (int i = 0; i < N; i++) {
    assert_near(x[i], 0.3 - 0.2 * i, 1e-9);
    assert_near(xd[i], -20, 1e-7);
    assert_near(xdd[i], 0, 1e-5);
  }
}

static void the_filter_of_third_order_keeps_half_at_its_cut_off(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    double x[N], xd[N], xdd[N], scratch[16 * N], s = 0, c = 0;
    const double cutoff = 6, step = 0.01, f = k == 0 ? 2 : k == 1 ? 6 : 12;
    const double ratio = tan(M_PI * f * step) / tan(M_PI * cutoff * step);
    for (int i = 0; i < N; i++) {
      x[i] = sin(2 * M_PI * f * step * i);
    }
    lb_signal_opensim(N, step, cutoff, x, 1, xd, xdd, 1, scratch);
    for (int i = 100; i < 300; i++) {
      s += x[i] * sin(2 * M_PI * f * step * i) / 100;
      c += x[i] * cos(2 * M_PI * f * step * i) / 100;
    }
    assert_near(s, 1 / (1 + pow(ratio, 6)), 1e-6);
    assert_near(c, 0, 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_are_of_sixth_order_on_even_and_uneven_samples),
      cmocka_unit_test(slopes_of_polynomials_are_exact_with_few_samples_too),
      cmocka_unit_test(filter_has_butterworths_gain_and_no_delay),
      cmocka_unit_test(filter_leaves_cubics_alone_up_to_the_ends),
      cmocka_unit_test(filter_leaves_few_samples_that_stay_alone),
      cmocka_unit_test(filter_keeps_accelerations_at_the_ends),
      cmocka_unit_test(ends_take_in_at_most_three_times_the_noise_of_the_middle),
      cmocka_unit_test(rates_by_the_quintic_spline_converge),
      cmocka_unit_test(a_line_stays_a_line_also_in_the_filter_of_third_order),
      cmocka_unit_test(the_filter_of_third_order_keeps_half_at_its_cut_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
