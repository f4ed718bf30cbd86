// Vectors, rotations and rigid transforms.
#include "limber/math.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static void assert_vec3_near(lb_vec3 a, lb_vec3 b, double tolerance) {
  assert_near(a.x, b.x, tolerance);
  assert_near(a.y, b.y, tolerance);
  assert_near(a.z, b.z, tolerance);
}

static void assert_quat_near(lb_quat a, lb_quat b, double tolerance) {
  assert_near(a.w, b.w, tolerance);
  assert_near(a.x, b.x, tolerance);
  assert_near(a.y, b.y, tolerance);
  assert_near(a.z, b.z, tolerance);
}

static lb_vec3 random_vec3(lb_random* r) {
  return lb_vec3_make(lb_random_between(r, -1, 1), lb_random_between(r, -1, 1),
                      lb_random_between(r, -1, 1));
}

static lb_quat random_quat(lb_random* r) {
  return lb_quat_normalise((lb_quat){lb_random_between(r, -1, 1), lb_random_between(r, -1, 1),
                                     lb_random_between(r, -1, 1), lb_random_between(r, -1, 1)});
}

static lb_transform random_transform(lb_random* r) {
  return (lb_transform){random_quat(r), random_vec3(r)};
}

static void matrix_and_quaternion_rotate_alike(void** state) {
  (void)state;
  lb_random r = {1};
  for (int i = 0; i < 1000; i++) {
    const lb_quat q = random_quat(&r);
    const lb_vec3 v = random_vec3(&r);
    assert_vec3_near(lb_quat_rotate(q, v), lb_mat3_apply(lb_quat_matrix(q), v), 1e-15);
  }
}

static void matrix_of_a_product_is_the_product_of_matrices(void** state) {
  (void)state;
  lb_random r = {2};
  for (int i = 0; i < 1000; i++) {
    const lb_quat a = random_quat(&r), b = random_quat(&r);
    const lb_mat3 AB = lb_quat_matrix(lb_quat_mul(a, b));
    const lb_mat3 product = lb_mat3_mul(lb_quat_matrix(a), lb_quat_matrix(b));
    assert_vec3_near(AB.x, product.x, 1e-14);
    assert_vec3_near(AB.y, product.y, 1e-14);
    assert_vec3_near(AB.z, product.z, 1e-14);
  }
}

static void matrix_does_not_depend_on_the_quaternion_s_length(void** state) {
  (void)state;
  static const double length[] = {1e-200, 1e-3, 7, 1e200};
  const lb_quat q = {0.5, -0.5, 0.5, 0.5};
  const lb_mat3 R = lb_quat_matrix(q);
  for (int i = 0; i < 4; i++) {
    const double s = length[i];
    const lb_mat3 A = lb_quat_matrix((lb_quat){s * q.w, s * q.x, s * q.y, s * q.z});
    assert_vec3_near(A.x, R.x, 1e-15);
    assert_vec3_near(A.y, R.y, 1e-15);
    assert_vec3_near(A.z, R.z, 1e-15);
  }
}

static void quaternion_comes_back_from_its_matrix(void** state) {
  (void)state;
  lb_random r = {3};
  for (int i = 0; i < 1000; i++) {
    lb_quat q = random_quat(&r);
    if (i % 4 == 0) { // half turns have w = 0
      q = lb_quat_normalise((lb_quat){0, q.x, q.y, q.z});
    }
    lb_quat back = lb_quat_from_matrix(lb_quat_matrix(q));
    assert_at_least(back.w, 0);
    const double sign = q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z < 0 ? -1 : 1;
    back = (lb_quat){sign * back.w, sign * back.x, sign * back.y, sign * back.z};
    assert_quat_near(q, back, 1e-15);
  }
}

static void log_undoes_exp_at_every_size_of_angle(void** state) {
  (void)state;
  lb_random r = {4};
  static const double angle[] = {0,    1e-200, 1e-160, 1e-141, 1e-139,   1e-20,
                                 1e-8, 1e-4,   0.1,    1,      3.1415926};
  for (size_t i = 0; i < sizeof angle / sizeof *angle; i++) {
    lb_vec3 v = random_vec3(&r);
    v = lb_vec3_scale(angle[i] / lb_vec3_norm(v), v);
    const lb_vec3 back = lb_quat_log(lb_quat_exp(v));
    const double scale = angle[i] > 0 ? 1 / angle[i] : 1;
    assert_vec3_near(lb_vec3_scale(scale, back), lb_vec3_scale(scale, v), 1e-14);
  }
}

static void log_takes_the_shorter_way_round(void** state) {
  (void)state;
  const lb_vec3 v = lb_quat_log(lb_quat_exp(lb_vec3_make(0, 1.5 * PI, 0)));
  assert_vec3_near(v, lb_vec3_make(0, -0.5 * PI, 0), 1e-15);
}

static void exp_of_parallel_vectors_adds_angles(void** state) {
  (void)state;
  const lb_vec3 v = {0.3, -0.2, 0.5};
  assert_quat_near(lb_quat_mul(lb_quat_exp(v), lb_quat_exp(lb_vec3_scale(2, v))),
                   lb_quat_exp(lb_vec3_scale(3, v)), 1e-15);
}

static void normalised_zero_is_the_identity(void** state) {
  (void)state;
  assert_quat_near(lb_quat_normalise((lb_quat){0, 0, 0, 0}), lb_quat_identity(), 0);
  assert_quat_near(lb_quat_normalise((lb_quat){0, 3e-300, 0, 4e-300}), (lb_quat){0, 0.6, 0, 0.8},
                   1e-15);
}

static void from_z_takes_z_to_the_axis_by_the_shortest_way(void** state) {
  (void)state;
  lb_random r = {5};
  for (int i = 0; i < 1000; i++) {
    lb_vec3 axis = random_vec3(&r);
    if (i % 5 == 0) { // nearly straight down, where the plain formula cancels
      axis = lb_vec3_make(1e-9 * axis.x, 1e-12 * axis.y, -1);
    }
    axis = lb_vec3_scale(1 / lb_vec3_norm(axis), axis);
    const lb_quat q = lb_quat_from_z(axis);
    assert_vec3_near(lb_quat_rotate(q, lb_vec3_make(0, 0, 1)), axis, 1e-15);
    assert_near(lb_vec3_norm(lb_quat_log(q)), acos(axis.z), 1e-7);
    assert_near(q.z, 0, 0);
  }
  const lb_vec3 down =
      lb_quat_rotate(lb_quat_from_z(lb_vec3_make(0, 0, -1)), lb_vec3_make(0, 0, 1));
  assert_vec3_near(down, lb_vec3_make(0, 0, -1), 1e-15);
}

static void transforms_form_a_group(void** state) {
  (void)state;
  lb_random r = {6};
  for (int i = 0; i < 1000; i++) {
    const lb_transform A = random_transform(&r), B = random_transform(&r);
    const lb_vec3 p = random_vec3(&r);
    assert_vec3_near(lb_transform_point(lb_transform_mul(A, B), p),
                     lb_transform_point(A, lb_transform_point(B, p)), 1e-14);
    const lb_transform I = lb_transform_mul(A, lb_transform_inverse(A));
    assert_vec3_near(I.p, lb_vec3_make(0, 0, 0), 1e-14);
    assert_quat_near(I.q, lb_quat_identity(), 1e-14);
  }
}

static void rotated_symmetric_matrix_is_r_a_r_transposed(void** state) {
  (void)state;
  lb_random r = {7};
  for (int i = 0; i < 100; i++) {
    const lb_mat3 R = lb_quat_matrix(random_quat(&r));
    const lb_vec3 d = random_vec3(&r), o = random_vec3(&r), v = random_vec3(&r);
    const lb_sym3 A = {d.x, d.y, d.z, o.x, o.y, o.z};
    const lb_vec3 expected =
        lb_mat3_apply(R, lb_sym3_apply(A, lb_mat3_apply(lb_mat3_transpose(R), v)));
    assert_vec3_near(lb_sym3_apply(lb_sym3_rotate(R, A), v), expected, 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrix_and_quaternion_rotate_alike),
      cmocka_unit_test(matrix_of_a_product_is_the_product_of_matrices),
      cmocka_unit_test(matrix_does_not_depend_on_the_quaternion_s_length),
      cmocka_unit_test(quaternion_comes_back_from_its_matrix),
      cmocka_unit_test(log_undoes_exp_at_every_size_of_angle),
      cmocka_unit_test(log_takes_the_shorter_way_round),
      cmocka_unit_test(exp_of_parallel_vectors_adds_angles),
      cmocka_unit_test(normalised_zero_is_the_identity),
      cmocka_unit_test(from_z_takes_z_to_the_axis_by_the_shortest_way),
      cmocka_unit_test(transforms_form_a_group),
      cmocka_unit_test(rotated_symmetric_matrix_is_r_a_r_transposed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
