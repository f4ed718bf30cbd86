// SE(3): group identities, Jacobians against finite differences, and the switch from series to sine
// and cosine.
#include "math/space/se3.h"

#include "test.h"

static const double PI = 3.14159265358979323846;

static lb_vec3 random_vec3(lb_random* r) {
  return lb_vec3_make(lb_random_between(r, -1, 1), lb_random_between(r, -1, 1),
                      lb_random_between(r, -1, 1));
}

// A direction of rotation with this angle, and any translation.
static lb_twist random_twist(lb_random* r, double angle) {
  const lb_vec3 w = random_vec3(r);
  return (lb_twist){lb_vec3_scale(angle / lb_vec3_norm(w), w), random_vec3(r)};
}

static lb_transform random_transform(lb_random* r) {
  return lb_se3_exp(random_twist(r, lb_random_between(r, 0, 3)));
}

static lb_twist plus(lb_twist x, double h, lb_twist d) {
  return (lb_twist){lb_vec3_add(x.w, lb_vec3_scale(h, d.w)),
                    lb_vec3_add(x.v, lb_vec3_scale(h, d.v))};
}

static void assert_vec3_near(lb_vec3 a, lb_vec3 b, double tolerance) {
  assert_near(a.x, b.x, tolerance);
  assert_near(a.y, b.y, tolerance);
  assert_near(a.z, b.z, tolerance);
}

static void assert_twist_near(lb_twist a, lb_twist b, double tolerance) {
  assert_vec3_near(a.w, b.w, tolerance);
  assert_vec3_near(a.v, b.v, tolerance);
}

static void assert_mat3_near(lb_mat3 A, lb_mat3 B, double tolerance) {
  assert_vec3_near(A.x, B.x, tolerance);
  assert_vec3_near(A.y, B.y, tolerance);
  assert_vec3_near(A.z, B.z, tolerance);
}

static lb_mat3 difference(lb_mat3 A, lb_mat3 B, double h) {
  return lb_mat3_scale(0.5 / h, lb_mat3_sub(A, B));
}

// Angles from nothing to beyond half a turn, both sides of the switch among them.
static double angles[] = {0, 1e-300, 1e-160,       1e-8,         1e-4, 0.01, 0.5,
                          1, 2,      2.9999999999, 3.0000000001, 3,    3.14, 4};
enum { ANGLES = sizeof angles / sizeof *angles };

static void stumpff_functions_match_their_series_in_extended_precision(void** state) {
  (void)state;
  const double x[] = {
      0, 1e-300,           1e-16, 1e-8, 1e-4, 0.01, 0.3, 1, 2, 4, 5.9, nextafter(9, 0),
      9, nextafter(9, 10), 6.1,   9.8,  16,   25};
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
    double c[LB_STUMPFF_COUNT];
    lb_stumpff(x[i], c);
    long double factorial = 1;
    for (int n = 0; n < LB_STUMPFF_COUNT; n++) {
      factorial *= n ? n : 1;
      long double term = 1 / factorial, sum = 0;
      for (int k = 1; k < 60; k++) {
        sum += term;
        term *= -(long double)x[i] / ((n + 2 * k - 1) * (n + 2 * k));
      }
      // relative to the size at zero
      assert_near((double)(sum * factorial), c[n] * (double)factorial, 1e-14);
    }
  }
}

static void stumpff_functions_agree_across_the_switch(void** state) {
  (void)state;
  double below[LB_STUMPFF_COUNT], above[LB_STUMPFF_COUNT];
  lb_stumpff(nextafter(LB_STUMPFF_SWITCH, 0), below);
  lb_stumpff(LB_STUMPFF_SWITCH, above);
  for (int n = 0; n < LB_STUMPFF_COUNT; n++) {
    assert_near(below[n] / above[n], 1, 1e-14);
  }
}

static void log_undoes_exp(void** state) {
  (void)state;
  lb_random r = {1};
  for (int i = 0; i < ANGLES && angles[i] < PI; i++) {
    const lb_twist x = random_twist(&r, angles[i]);
    assert_twist_near(lb_se3_log(lb_se3_exp(x)), x, 3e-14);
  }
}

static void exp_undoes_log_at_half_turns_too(void** state) {
  (void)state;
  lb_random r = {2};
  for (int i = 0; i < 200; i++) {
    lb_transform X = random_transform(&r);
    if (i % 3 == 0) {
      X.q = lb_quat_normalise((lb_quat){0, X.q.x, X.q.y, X.q.z});
    }
    const lb_transform back = lb_se3_exp(lb_se3_log(X));
    assert_vec3_near(back.p, X.p, 1e-13);
    assert_mat3_near(lb_quat_matrix(back.q), lb_quat_matrix(X.q), 1e-13);
  }
}

static void exp_of_a_matrix_is_exp_of_the_quaternion(void** state) {
  (void)state;
  lb_random r = {3};
  for (int i = 0; i < ANGLES; i++) {
    const lb_vec3 w = random_twist(&r, angles[i]).w;
    assert_mat3_near(lb_so3_exp(w), lb_quat_matrix(lb_quat_exp(w)), 1e-14);
  }
}

// exp(x) = (exp(x / n))^n, which checks the translation too.
static void exp_is_a_power_of_a_small_step(void** state) {
  (void)state;
  lb_random r = {4};
  for (int i = 0; i < ANGLES; i++) {
    const lb_twist x = random_twist(&r, angles[i]);
    lb_transform X = lb_se3_exp(plus((lb_twist){0}, 1.0 / 1024, x));
    for (int k = 0; k < 10; k++) {
      X = lb_transform_mul(X, X);
    }
    const lb_transform whole = lb_se3_exp(x);
    assert_vec3_near(X.p, whole.p, 1e-12);
    assert_mat3_near(lb_quat_matrix(X.q), lb_quat_matrix(whole.q), 1e-12);
  }
}

// exp(x + h d) = exp(h J d) exp(x), and the same on the right.
static void jacobians_match_finite_differences_of_exp(void** state) {
  (void)state;
  lb_random r = {10};
  const double h = 1e-6;
  for (int i = 0; i < ANGLES; i++) {
    const lb_vec3 x = random_twist(&r, angles[i]).w, d = random_vec3(&r);
    const lb_quat after = lb_quat_exp(lb_vec3_add(x, lb_vec3_scale(h, d)));
    const lb_quat before = lb_quat_conjugate(lb_quat_exp(lb_vec3_sub(x, lb_vec3_scale(h, d))));
    const lb_vec3 left = lb_quat_log(lb_quat_mul(after, before));
    const lb_vec3 right = lb_quat_log(lb_quat_mul(before, after));
    assert_vec3_near(lb_mat3_apply(lb_so3_jacobian(LB_LEFT, x), d), lb_vec3_scale(0.5 / h, left),
                     1e-9);
    assert_vec3_near(lb_mat3_apply(lb_so3_jacobian(LB_RIGHT, x), d), lb_vec3_scale(0.5 / h, right),
                     1e-9);
  }
}

static void left_jacobian_is_the_right_one_turned(void** state) {
  (void)state;
  lb_random r = {11};
  for (int i = 0; i < ANGLES; i++) {
    const lb_vec3 x = random_twist(&r, angles[i]).w;
    assert_mat3_near(lb_so3_jacobian(LB_LEFT, x),
                     lb_mat3_mul(lb_so3_exp(x), lb_so3_jacobian(LB_RIGHT, x)), 1e-13);
  }
}

static void inverse_jacobians_are_inverse(void** state) {
  (void)state;
  lb_random r = {12};
  for (int i = 0; i < ANGLES; i++) {
    const lb_vec3 x = random_twist(&r, angles[i]).w;
    static const lb_jacobian pair[][2] = {{LB_LEFT, LB_LEFT_INVERSE}, {LB_RIGHT, LB_RIGHT_INVERSE}};
    for (int side = 0; side < 2; side++) {
      assert_mat3_near(
          lb_mat3_mul(lb_so3_jacobian(pair[side][0], x), lb_so3_jacobian(pair[side][1], x)),
          lb_mat3_diagonal(1), 1e-13);
    }
  }
}

// [red] 4.43 with its correction, where the plain formulas are well conditioned.
static void right_jacobian_is_the_document_s_s(void** state) {
  (void)state;
  lb_random r = {13};
  const lb_vec3 q = random_twist(&r, 1.7).w, qd = random_vec3(&r);
  const double t = lb_vec3_norm(q), td = lb_vec3_dot(q, qd) / t;
  const double a = (1 - cos(t)) / (t * t), b = (t - sin(t)) / (t * t * t);
  const double ad = (sin(t) / (t * t) - 2 * (1 - cos(t)) / (t * t * t)) * td;
  const double bd = ((1 - cos(t)) / (t * t * t) - 3 * (t - sin(t)) / (t * t * t * t)) * td;
  const lb_mat3 Q = lb_mat3_skew(q), D = lb_mat3_skew(qd), QQ = lb_mat3_mul(Q, Q);
  const lb_mat3 S =
      lb_mat3_add(lb_mat3_sub(lb_mat3_diagonal(1), lb_mat3_scale(a, Q)), lb_mat3_scale(b, QQ));
  assert_mat3_near(lb_so3_jacobian(LB_RIGHT, q), S, 1e-14);
  const lb_mat3 mixed = lb_mat3_add(lb_mat3_mul(D, Q), lb_mat3_mul(Q, D));
  lb_mat3 Sd = lb_mat3_add(lb_mat3_scale(bd, QQ), lb_mat3_scale(b, mixed));
  Sd = lb_mat3_sub(Sd, lb_mat3_add(lb_mat3_scale(ad, Q), lb_mat3_scale(a, D)));
  assert_mat3_near(lb_so3_jacobian_dot(LB_RIGHT, q, qd), Sd, 1e-14);
}

static void jacobian_rates_match_finite_differences(void** state) {
  (void)state;
  lb_random r = {14};
  const double h = 1e-5;
  for (int i = 0; i < ANGLES; i++) {
    const lb_vec3 x = random_twist(&r, angles[i]).w, u = random_vec3(&r), v = random_vec3(&r);
    const lb_vec3 up = lb_vec3_add(x, lb_vec3_scale(h, v)),
                  down = lb_vec3_sub(x, lb_vec3_scale(h, v));
    for (lb_jacobian kind = 0; kind < LB_JACOBIAN_COUNT; kind++) {
      assert_mat3_near(lb_so3_jacobian_dot(kind, x, v),
                       difference(lb_so3_jacobian(kind, up), lb_so3_jacobian(kind, down), h), 2e-9);
      assert_mat3_near(
          lb_so3_jacobian_ddot(kind, x, u, v),
          difference(lb_so3_jacobian_dot(kind, up, u), lb_so3_jacobian_dot(kind, down, u), h),
          2e-9);
    }
  }
}

static void jacobians_agree_across_the_switch(void** state) {
  (void)state;
  lb_random r = {15};
  const double t = sqrt(LB_STUMPFF_SWITCH);
  for (int i = 0; i < 50; i++) {
    const lb_vec3 x = random_twist(&r, t).w, u = random_vec3(&r), v = random_vec3(&r);
    const lb_vec3 below = lb_vec3_scale(1 - 1e-15, x), above = lb_vec3_scale(1 + 1e-15, x);
    assert_below(lb_vec3_dot(below, below), LB_STUMPFF_SWITCH);
    assert_at_least(lb_vec3_dot(above, above), LB_STUMPFF_SWITCH);
    for (lb_jacobian kind = 0; kind < LB_JACOBIAN_COUNT; kind++) {
      assert_mat3_near(lb_so3_jacobian(kind, below), lb_so3_jacobian(kind, above), 1e-13);
      assert_mat3_near(lb_so3_jacobian_dot(kind, below, v), lb_so3_jacobian_dot(kind, above, v),
                       1e-12);
      assert_mat3_near(lb_so3_jacobian_ddot(kind, below, u, v),
                       lb_so3_jacobian_ddot(kind, above, u, v), 1e-12);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stumpff_functions_match_their_series_in_extended_precision),
      cmocka_unit_test(stumpff_functions_agree_across_the_switch),
      cmocka_unit_test(log_undoes_exp),
      cmocka_unit_test(exp_undoes_log_at_half_turns_too),
      cmocka_unit_test(exp_of_a_matrix_is_exp_of_the_quaternion),
      cmocka_unit_test(exp_is_a_power_of_a_small_step),
      cmocka_unit_test(jacobians_match_finite_differences_of_exp),
      cmocka_unit_test(left_jacobian_is_the_right_one_turned),
      cmocka_unit_test(inverse_jacobians_are_inverse),
      cmocka_unit_test(right_jacobian_is_the_document_s_s),
      cmocka_unit_test(jacobian_rates_match_finite_differences),
      cmocka_unit_test(jacobians_agree_across_the_switch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
