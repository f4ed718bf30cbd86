// B-splines: the identities that define them.
#include "math/curve/bspline.h"

#include "test.h"

// Every degree, clamped and uniform.
#define EVERY_SPLINE(spline, p, c)                                                                 \
  for (int p = 0; p <= LB_BSPLINE_MOST_DEGREE; p++)                                                \
    for (int c = 0; c < 2; c++)                                                                    \
      for (lb_bspline spline = {p, p + 7, -0.7, 2.3, c}, *once = &spline; once; once = NULL)

static void basis_functions_are_positive_and_sum_to_one(void** state) {
  (void)state;
  lb_random r = {1};
  EVERY_SPLINE(s, p, c) {
    for (int i = 0; i < 200; i++) {
      const double t = lb_random_between(&r, s.start, s.end);
      lb_bspline_row N[3];
      lb_bspline_basis(&s, N, lb_bspline_span(&s, t), t, 2);
      double sum[3] = {0};
      for (int k = 0; k < 3; k++) {
        for (int j = 0; j <= p; j++) {
          sum[k] += N[k][j];
          if (k == 0) {
            assert_at_least(N[0][j], 0);
          }
        }
      }
      assert_near(sum[0], 1, 1e-14);
      assert_near(sum[1], 0, 1e-12);
      assert_near(sum[2], 0, 1e-11);
    }
  }
}

static void span_holds_its_parameter(void** state) {
  (void)state;
  lb_random r = {2};
  EVERY_SPLINE(s, p, c) {
    for (int i = 0; i < 500; i++) {
      // knots and their neighbours, where rounding can pick the wrong side
      double t = lb_bspline_knot(&s, p + i % 8);
      t = i < 8    ? t
          : i < 16 ? nextafter(t, -9)
          : i < 24 ? nextafter(t, 9)
                   : lb_random_between(&r, s.start, s.end);
      if (t < s.start || t >= s.end) {
        continue;
      }
      const int span = lb_bspline_span(&s, t);
      assert_at_most(lb_bspline_knot(&s, p + span), t);
      assert_below(t, lb_bspline_knot(&s, p + span + 1));
    }
    assert_int_equal(lb_bspline_span(&s, s.start - 5), 0);
    assert_int_equal(lb_bspline_span(&s, s.end + 5), s.count - p - 1);
    assert_int_equal(lb_bspline_span(&s, (double)NAN), 0);
  }
}

static void derivatives_match_finite_differences(void** state) {
  (void)state;
  lb_random r = {3};
  const double h = 1e-5;
  EVERY_SPLINE(s, p, c) {
    double control[20];
    for (int i = 0; i < s.count; i++) {
      control[i] = lb_random_between(&r, -1, 1);
    }
    for (int i = 0; i < 100; i++) {
      const int span = i % (s.count - p);
      const double width = (s.end - s.start) / (s.count - p);
      const double t = s.start + (span + 0.05 + 0.9 * lb_random_unit(&r)) * width;
      double at[8], before[8], after[8];
      lb_bspline_evaluate(&s, at, control, t, 7);
      lb_bspline_evaluate(&s, before, control, t - h, 7);
      lb_bspline_evaluate(&s, after, control, t + h, 7);
      for (int k = 0; k < 7; k++) {
        assert_near(at[k + 1], (after[k] - before[k]) / (2 * h), 2e-6);
      }
      assert_near(at[p + 1], 0, 0);
    }
  }
}

static void derivatives_below_the_degree_are_continuous_at_knots(void** state) {
  (void)state;
  lb_random r = {4};
  EVERY_SPLINE(s, p, c) {
    double control[20];
    for (int i = 0; i < s.count; i++) {
      control[i] = lb_random_between(&r, -1, 1);
    }
    for (int span = 0; span + 1 < s.count - p; span++) {
      const double t = lb_bspline_knot(&s, p + span + 1);
      lb_bspline_row left[LB_BSPLINE_MOST_ORDER], right[LB_BSPLINE_MOST_ORDER];
      lb_bspline_basis(&s, left, span, t, p);
      lb_bspline_basis(&s, right, span + 1, t, p);
      for (int k = 0; k < p; k++) {
        double a = 0, b = 0;
        for (int j = 0; j <= p; j++) {
          a += left[k][j] * control[span + j];
          b += right[k][j] * control[span + 1 + j];
        }
        assert_near(a, b, 1e-11);
      }
    }
  }
}

static void clamped_spline_starts_and_ends_in_its_control_points(void** state) {
  (void)state;
  for (int p = 1; p <= LB_BSPLINE_MOST_DEGREE; p++) {
    const lb_bspline s = {p, p + 3, 1, 4, true};
    const double control[] = {5, 1, -2, 8, 3, 9, 4, 7};
    double value;
    lb_bspline_evaluate(&s, &value, control, 1, 0);
    assert_near(value, control[0], 0);
    lb_bspline_evaluate(&s, &value, control, 4, 0);
    assert_near(value, control[s.count - 1], 1e-15);
  }
}

// A fit of enough samples of a polynomial of the spline's degree gives it back with all
// derivatives.
static void polynomials_up_to_the_degree_are_reproduced(void** state) {
  (void)state;
  enum { SAMPLES = 60 };
  EVERY_SPLINE(s, p, c) {
    double t[SAMPLES], value[SAMPLES], control[20], scratch[120];
    for (int i = 0; i < SAMPLES; i++) {
      t[i] = s.start + (s.end - s.start) * i / (SAMPLES - 1);
      value[i] = 3 * pow(t[i], p) - 2;
    }
    assert_int_equal(lb_bspline_fit(&s, control, scratch, SAMPLES, t, value), LB_OK);
    for (int i = 0; i < 50; i++) {
      const double u = s.start + (s.end - s.start) * (i + 0.5) / 50;
      double out[2];
      lb_bspline_evaluate(&s, out, control, u, 1);
      assert_near(out[0], 3 * pow(u, p) - 2, 1e-10);
      assert_near(out[1], p ? 3 * p * pow(u, p - 1) : 0, 1e-9);
    }
  }
}

static void fit_converges_with_order_degree_plus_one(void** state) {
  (void)state;
  enum { SAMPLES = 2000 };
  static double t[SAMPLES], value[SAMPLES], control[100], scratch[600];
  for (int i = 0; i < SAMPLES; i++) {
    t[i] = (double)i / (SAMPLES - 1);
    value[i] = sin(9 * t[i]);
  }
  for (int p = 1; p <= LB_BSPLINE_MOST_DEGREE; p++) {
    double error[2] = {0};
    for (int k = 0; k < 2; k++) {
      const lb_bspline s = {p, p + (16 << k), 0, 1, true};
      assert_int_equal(lb_bspline_fit(&s, control, scratch, SAMPLES, t, value), LB_OK);
      for (int i = 0; i < SAMPLES; i++) {
        double out;
        lb_bspline_evaluate(&s, &out, control, t[i], 0);
        error[k] = fmax(error[k], fabs(out - value[i]));
      }
    }
    assert_near(log2(error[0] / error[1]), p + 1, 0.12);
  }
}

static void fit_fails_when_a_control_point_has_no_sample(void** state) {
  (void)state;
  const lb_bspline s = {3, 9, 0, 1, true};
  const double t[] = {0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1};
  double control[9], scratch[36];
  assert_int_equal(lb_bspline_fit(&s, control, scratch, 11, t, t), LB_FAILED);
  assert_int_equal(lb_bspline_fit(&s, control, scratch, 0, t, t), LB_FAILED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(basis_functions_are_positive_and_sum_to_one),
      cmocka_unit_test(span_holds_its_parameter),
      cmocka_unit_test(derivatives_match_finite_differences),
      cmocka_unit_test(derivatives_below_the_degree_are_continuous_at_knots),
      cmocka_unit_test(clamped_spline_starts_and_ends_in_its_control_points),
      cmocka_unit_test(polynomials_up_to_the_degree_are_reproduced),
      cmocka_unit_test(fit_converges_with_order_degree_plus_one),
      cmocka_unit_test(fit_fails_when_a_control_point_has_no_sample),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
