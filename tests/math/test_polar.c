// Polar decomposition: rotations of full, flat and mirrored matrices, and their derivative.
#include "math/space/polar.h"

#include "test.h"

static lb_vec3 random_vec3(lb_random* r) {
  return lb_vec3_make(lb_random_between(r, -1, 1), lb_random_between(r, -1, 1),
                      lb_random_between(r, -1, 1));
}

static lb_mat3 random_rotation(lb_random* r) {
  return lb_quat_matrix(lb_quat_exp(lb_vec3_scale(3, random_vec3(r))));
}

static double distance(lb_mat3 A, lb_mat3 B) {
  const lb_mat3 D = lb_mat3_sub(A, B);
  return sqrt(lb_vec3_dot(D.x, D.x) + lb_vec3_dot(D.y, D.y) + lb_vec3_dot(D.z, D.z));
}

static lb_mat3 full(lb_sym3 S) {
  return (lb_mat3){{S.xx, S.xy, S.xz}, {S.xy, S.yy, S.yz}, {S.xz, S.yz, S.zz}};
}

// U diag(s) V'
static lb_mat3 with_singular_values(lb_random* r, lb_vec3 s) {
  const lb_mat3 D = {{s.x, 0, 0}, {0, s.y, 0}, {0, 0, s.z}};
  return lb_mat3_mul(random_rotation(r), lb_mat3_mul(D, lb_mat3_transpose(random_rotation(r))));
}

static const lb_vec3 SINGULAR[] = {
    {1, 1, 1},        {3, 2, 1},  {1, 1e-3, 1e-6}, {5, 2, 0},         {1, 1, 0},
    {1, 1e-8, 0},     {3, 2, -1}, {3, 2, -1.99},   {1e150, 1e149, 0}, {1e-150, 1e-151, 1e-152},
    {2, 1e-5, -1e-9},
};
enum { CASES = sizeof SINGULAR / sizeof *SINGULAR };

static void rotation_times_symmetric_gives_the_matrix_back(void** state) {
  (void)state;
  lb_random r = {1};
  for (int i = 0; i < 40 * CASES; i++) {
    const lb_mat3 A = with_singular_values(&r, SINGULAR[i % CASES]);
    const lb_polar p = lb_polar_decompose(A);
    const double scale = SINGULAR[i % CASES].x;
    assert_true(p.unique);
    assert_near(lb_mat3_determinant(p.R), 1, 1e-14);
    assert_near(distance(lb_mat3_mul(lb_mat3_transpose(p.R), p.R), lb_mat3_diagonal(1)), 0, 1e-14);
    assert_near(distance(lb_mat3_mul(p.R, full(p.S)), A) / scale, 0, 1e-14);
  }
}

static void polar_part_of_a_rotated_stretch_is_the_rotation(void** state) {
  (void)state;
  lb_random r = {2};
  for (int i = 0; i < 200; i++) {
    const lb_mat3 R = random_rotation(&r), Q = random_rotation(&r);
    const lb_mat3 D = {{3, 0, 0}, {0, 1.5, 0}, {0, 0, i % 2 ? 0.1 : 0}};
    const lb_mat3 S = lb_mat3_mul(Q, lb_mat3_mul(D, lb_mat3_transpose(Q)));
    assert_near(distance(lb_polar_decompose(lb_mat3_mul(R, S)).R, R), 0, 1e-14);
  }
}

static void rotation_is_the_nearest_one(void** state) {
  (void)state;
  lb_random r = {3};
  for (int i = 0; i < 500; i++) {
    const lb_mat3 A = with_singular_values(&r, SINGULAR[i % 8]);
    const double nearest = distance(lb_polar_decompose(A).R, A);
    assert_at_most(nearest, distance(random_rotation(&r), A) + 1e-12);
  }
}

static void rank_below_two_has_no_unique_rotation(void** state) {
  (void)state;
  lb_random r = {4};
  const lb_mat3 line = lb_mat3_outer(random_vec3(&r), random_vec3(&r));
  const lb_mat3 degenerate[] = {lb_mat3_diagonal(0), line,
                                with_singular_values(&r, (lb_vec3){2, 1, -1})};
  for (int i = 0; i < 3; i++) {
    const lb_polar p = lb_polar_decompose(degenerate[i]);
    assert_false(p.unique);
    assert_near(lb_mat3_determinant(p.R), 1, 1e-14);
  }
}

static void derivative_matches_central_differences_for_flat_and_mirrored_too(void** state) {
  (void)state;
  lb_random r = {5};
  static const lb_vec3 s[] = {{3, 2, 1}, {3, 2, 0}, {2, 2, 0}, {3, 2, -0.5}, {1, 1, 1}};
  const double h = 1e-6;
  for (int i = 0; i < 200; i++) {
    const lb_mat3 A = with_singular_values(&r, s[i % 5]);
    const lb_mat3 dA = {random_vec3(&r), random_vec3(&r), random_vec3(&r)};
    const lb_polar p = lb_polar_decompose(A);
    const lb_mat3 dR = lb_mat3_mul(p.R, lb_mat3_skew(lb_polar_derivative(&p, dA)));
    const lb_mat3 after = lb_polar_decompose(lb_mat3_add(A, lb_mat3_scale(h, dA))).R;
    const lb_mat3 before = lb_polar_decompose(lb_mat3_sub(A, lb_mat3_scale(h, dA))).R;
    const lb_mat3 expected = lb_mat3_scale(0.5 / h, lb_mat3_sub(after, before));
    assert_near(distance(dR, expected), 0, 1e-8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotation_times_symmetric_gives_the_matrix_back),
      cmocka_unit_test(polar_part_of_a_rotated_stretch_is_the_rotation),
      cmocka_unit_test(rotation_is_the_nearest_one),
      cmocka_unit_test(rank_below_two_has_no_unique_rotation),
      cmocka_unit_test(derivative_matches_central_differences_for_flat_and_mirrored_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
