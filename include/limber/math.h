// Small fixed-size mathematics: vectors, rotations, rigid transforms. SI, right-handed, z up.
// Quaternions are (w, x, y, z), body to world. X_ab takes coordinates in b to a.
#pragma once
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lb_vec3 {
  double x, y, z;
} lb_vec3;

typedef struct lb_quat {
  double w, x, y, z;
} lb_quat;

/// Three columns: m.x is the image of the x axis.
typedef struct lb_mat3 {
  lb_vec3 x, y, z;
} lb_mat3;

/// Rigid transform: rotation then translation.
typedef struct lb_transform {
  lb_quat q;
  lb_vec3 p;
} lb_transform;

/// Symmetric 3 x 3 matrix.
typedef struct lb_sym3 {
  double xx, yy, zz, xy, xz, yz;
} lb_sym3;

// --- vectors ---
static inline lb_vec3 lb_vec3_make(double x, double y, double z) {
  lb_vec3 r = {x, y, z};
  return r;
}
static inline lb_vec3 lb_vec3_add(lb_vec3 a, lb_vec3 b) {
  return lb_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline lb_vec3 lb_vec3_sub(lb_vec3 a, lb_vec3 b) {
  return lb_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline lb_vec3 lb_vec3_scale(double s, lb_vec3 a) {
  return lb_vec3_make(s * a.x, s * a.y, s * a.z);
}
static inline double lb_vec3_dot(lb_vec3 a, lb_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline lb_vec3 lb_vec3_cross(lb_vec3 a, lb_vec3 b) {
  return lb_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double lb_vec3_norm(lb_vec3 a) {
  return sqrt(lb_vec3_dot(a, a));
}

// --- matrices ---
static inline lb_vec3 lb_mat3_apply(lb_mat3 A, lb_vec3 v) {
  return lb_vec3_make(A.x.x * v.x + A.y.x * v.y + A.z.x * v.z,
                      A.x.y * v.x + A.y.y * v.y + A.z.y * v.z,
                      A.x.z * v.x + A.y.z * v.y + A.z.z * v.z);
}
static inline lb_mat3 lb_mat3_mul(lb_mat3 A, lb_mat3 B) {
  lb_mat3 r = {lb_mat3_apply(A, B.x), lb_mat3_apply(A, B.y), lb_mat3_apply(A, B.z)};
  return r;
}
static inline lb_mat3 lb_mat3_transpose(lb_mat3 A) {
  lb_mat3 r = {{A.x.x, A.y.x, A.z.x}, {A.x.y, A.y.y, A.z.y}, {A.x.z, A.y.z, A.z.z}};
  return r;
}
static inline lb_vec3 lb_sym3_apply(lb_sym3 A, lb_vec3 v) {
  return lb_vec3_make(A.xx * v.x + A.xy * v.y + A.xz * v.z, A.xy * v.x + A.yy * v.y + A.yz * v.z,
                      A.xz * v.x + A.yz * v.y + A.zz * v.z);
}
/// R A R'
lb_sym3 lb_sym3_rotate(lb_mat3 R, lb_sym3 A);

// --- quaternions ---
static inline lb_quat lb_quat_identity(void) {
  lb_quat r = {1, 0, 0, 0};
  return r;
}
static inline lb_quat lb_quat_mul(lb_quat a, lb_quat b) {
  lb_quat r = {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  return r;
}
static inline lb_quat lb_quat_conjugate(lb_quat a) {
  lb_quat r = {a.w, -a.x, -a.y, -a.z};
  return r;
}
/// Unit length; the identity when all four are zero.
lb_quat lb_quat_normalise(lb_quat a);
/// Rotation matrix of a quaternion of any length but zero (it is normalised on the way).
lb_mat3 lb_quat_matrix(lb_quat a);
/// Unit quaternion of a rotation matrix, w >= 0.
lb_quat lb_quat_from_matrix(lb_mat3 R);
/// Rotate a vector by a unit quaternion.
lb_vec3 lb_quat_rotate(lb_quat a, lb_vec3 v);
/// Exponential of a rotation vector, and its inverse (angle in [0, pi]).
lb_quat lb_quat_exp(lb_vec3 v);
lb_vec3 lb_quat_log(lb_quat a);
/// The shortest rotation that takes the z axis to `axis` (unit).
lb_quat lb_quat_from_z(lb_vec3 axis);

// --- rigid transforms ---
static inline lb_transform lb_transform_identity(void) {
  lb_transform r = {{1, 0, 0, 0}, {0, 0, 0}};
  return r;
}
/// X_ab X_bc
lb_transform lb_transform_mul(lb_transform X_ab, lb_transform X_bc);
lb_transform lb_transform_inverse(lb_transform X);
lb_vec3 lb_transform_point(lb_transform X, lb_vec3 p);

#ifdef __cplusplus
}
#endif
