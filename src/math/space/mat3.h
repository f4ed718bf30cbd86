// 3 x 3 matrices beyond limber/math.h: sums, outer products, and cross products as matrices.
#pragma once
#include "limber/math.h"

static inline lb_mat3 lb_mat3_diagonal(double d) {
  lb_mat3 r = {{d, 0, 0}, {0, d, 0}, {0, 0, d}};
  return r;
}
static inline lb_mat3 lb_mat3_add(lb_mat3 A, lb_mat3 B) {
  lb_mat3 r = {lb_vec3_add(A.x, B.x), lb_vec3_add(A.y, B.y), lb_vec3_add(A.z, B.z)};
  return r;
}
static inline lb_mat3 lb_mat3_sub(lb_mat3 A, lb_mat3 B) {
  lb_mat3 r = {lb_vec3_sub(A.x, B.x), lb_vec3_sub(A.y, B.y), lb_vec3_sub(A.z, B.z)};
  return r;
}
static inline lb_mat3 lb_mat3_scale(double s, lb_mat3 A) {
  lb_mat3 r = {lb_vec3_scale(s, A.x), lb_vec3_scale(s, A.y), lb_vec3_scale(s, A.z)};
  return r;
}
static inline double lb_mat3_determinant(lb_mat3 A) {
  return lb_vec3_dot(A.x, lb_vec3_cross(A.y, A.z));
}
/// a b'
static inline lb_mat3 lb_mat3_outer(lb_vec3 a, lb_vec3 b) {
  lb_mat3 r = {lb_vec3_scale(b.x, a), lb_vec3_scale(b.y, a), lb_vec3_scale(b.z, a)};
  return r;
}
/// [v]: [v] u = v x u
static inline lb_mat3 lb_mat3_skew(lb_vec3 v) {
  lb_mat3 r = {{0, v.z, -v.y}, {-v.z, 0, v.x}, {v.y, -v.x, 0}};
  return r;
}
/// The vector v with [v] = (A - A') / 2.
static inline lb_vec3 lb_mat3_axial(lb_mat3 A) {
  return lb_vec3_make((A.y.z - A.z.y) / 2, (A.z.x - A.x.z) / 2, (A.x.y - A.y.x) / 2);
}
