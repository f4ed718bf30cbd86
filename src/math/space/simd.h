// Three-vectors in the first three lanes of a four-wide register, and 3 x 3 matrices as three such
// columns. The recursions spend their time here, so it is all inline. The fourth lane is zero
// wherever a vector is meant; the compiler's vector extensions lower this to whatever the machine
// has.
#pragma once
#include <stddef.h>

#include "limber/math.h"

typedef double lb_v4 __attribute__((vector_size(32)));

typedef struct lb_m3 {
  lb_v4 x, y, z; // columns
} lb_m3;

#define LB_SHUFFLE(a, i, j, k, l) __builtin_shufflevector((a), (a), i, j, k, l)

static inline lb_v4 lb_v4_make(double x, double y, double z) {
  return (lb_v4){x, y, z, 0};
}
static inline lb_v4 lb_v4_from(lb_vec3 a) {
  return (lb_v4){a.x, a.y, a.z, 0};
}
static inline lb_vec3 lb_v4_vec3(lb_v4 a) {
  return (lb_vec3){a[0], a[1], a[2]};
}
static inline lb_v4 lb_v4_load(const double* a) {
  return (lb_v4){a[0], a[1], a[2], 0};
}
static inline void lb_v4_store(double* out, lb_v4 a) {
  out[0] = a[0];
  out[1] = a[1];
  out[2] = a[2];
}
static inline void lb_v4_add_to(double* out, lb_v4 a) {
  out[0] += a[0];
  out[1] += a[1];
  out[2] += a[2];
}
static inline lb_v4 lb_v4_zero(void) {
  return (lb_v4){0, 0, 0, 0};
}

static inline lb_v4 lb_v4_unit(int axis) {
  lb_v4 e = lb_v4_zero();
  e[axis] = 1;
  return e;
}
// Vector i of a field of them.
static inline lb_v4 lb_v4_at(const double* field, int i) {
  return lb_v4_load(field + 3 * (size_t)i);
}

static inline lb_v4 lb_v4_cross(lb_v4 a, lb_v4 b) {
  const lb_v4 c = a * LB_SHUFFLE(b, 1, 2, 0, 3) - LB_SHUFFLE(a, 1, 2, 0, 3) * b;
  return LB_SHUFFLE(c, 1, 2, 0, 3);
}

static inline double lb_v4_sum(lb_v4 a) {
  return (a[0] + a[2]) + (a[1] + a[3]);
}
static inline double lb_v4_dot(lb_v4 a, lb_v4 b) {
  return lb_v4_sum(a * b);
}

static inline lb_m3 lb_m3_from(lb_mat3 A) {
  return (lb_m3){lb_v4_from(A.x), lb_v4_from(A.y), lb_v4_from(A.z)};
}
static inline lb_mat3 lb_m3_mat3(lb_m3 A) {
  return (lb_mat3){lb_v4_vec3(A.x), lb_v4_vec3(A.y), lb_v4_vec3(A.z)};
}
// Rotation matrix of a quaternion, as lb_quat_matrix has it, without a call.
static inline lb_m3 lb_m3_rotation(lb_quat a) {
  static const double SMALLEST_SQUARE = 1e-280, LARGEST_SQUARE = 1e280;
  const double n2 = a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z;
  if (n2 < SMALLEST_SQUARE || n2 > LARGEST_SQUARE) {
    return lb_m3_from(lb_quat_matrix(a));
  }
  const double s = 2 / n2;
  const double wx = s * a.w * a.x, wy = s * a.w * a.y, wz = s * a.w * a.z;
  const double xx = s * a.x * a.x, yy = s * a.y * a.y, zz = s * a.z * a.z;
  const double xy = s * a.x * a.y, xz = s * a.x * a.z, yz = s * a.y * a.z;
  return (lb_m3){{1 - yy - zz, xy + wz, xz - wy, 0},
                 {xy - wz, 1 - xx - zz, yz + wx, 0},
                 {xz + wy, yz - wx, 1 - xx - yy, 0}};
}
static inline lb_m3 lb_m3_identity(void) {
  return (lb_m3){{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
}

// A v
static inline lb_v4 lb_m3_apply(lb_m3 A, lb_v4 v) {
  return A.x * v[0] + A.y * v[1] + A.z * v[2];
}

// A B
static inline lb_m3 lb_m3_mul(lb_m3 A, lb_m3 B) {
  return (lb_m3){lb_m3_apply(A, B.x), lb_m3_apply(A, B.y), lb_m3_apply(A, B.z)};
}

// A'
static inline lb_m3 lb_m3_transpose(lb_m3 A) {
  const lb_v4 lo = __builtin_shufflevector(A.x, A.y, 0, 4, 2, 6); // xx yx xz yz
  const lb_v4 hi = __builtin_shufflevector(A.x, A.y, 1, 5, 3, 7); // xy yy 0 0
  return (lb_m3){__builtin_shufflevector(lo, A.z, 0, 1, 4, 7),
                 __builtin_shufflevector(hi, A.z, 0, 1, 5, 7),
                 __builtin_shufflevector(lo, A.z, 2, 3, 6, 7)};
}

// A' v
static inline lb_v4 lb_m3_apply_transposed(lb_m3 A, lb_v4 v) {
  return lb_m3_apply(lb_m3_transpose(A), v);
}

// R A R' of a symmetric A
static inline lb_m3 lb_m3_congruence(lb_m3 R, lb_m3 A) {
  const lb_m3 W = lb_m3_mul(R, A);
  return (lb_m3){W.x * R.x[0] + W.y * R.y[0] + W.z * R.z[0],
                 W.x * R.x[1] + W.y * R.y[1] + W.z * R.z[1],
                 W.x * R.x[2] + W.y * R.y[2] + W.z * R.z[2]};
}

// A += s a b'
static inline void lb_m3_add_outer(lb_m3* A, double s, lb_v4 a, lb_v4 b) {
  const lb_v4 sa = s * a;
  A->x += sa * b[0];
  A->y += sa * b[1];
  A->z += sa * b[2];
}

// A += s B
static inline void lb_m3_add_scaled(lb_m3* A, double s, lb_m3 B) {
  A->x += B.x * s;
  A->y += B.y * s;
  A->z += B.z * s;
}

static inline lb_m3 lb_m3_scale(double s, lb_m3 A) {
  return (lb_m3){A.x * s, A.y * s, A.z * s};
}
static inline double lb_m3_trace(lb_m3 A) {
  return A.x[0] + A.y[1] + A.z[2];
}
// Axial vector of A - A': for A = a b' it is b x a.
static inline lb_v4 lb_m3_axial(lb_m3 A) {
  return lb_v4_make(A.y[2] - A.z[1], A.z[0] - A.x[2], A.x[1] - A.y[0]);
}
// tr(A) 1 - A: inertia from second moments.
static inline lb_m3 lb_m3_complement(lb_m3 A) {
  const double t = lb_m3_trace(A);
  return (lb_m3){lb_v4_make(t, 0, 0) - A.x, lb_v4_make(0, t, 0) - A.y, lb_v4_make(0, 0, t) - A.z};
}
// A^-1 of a symmetric A.
static inline lb_m3 lb_m3_inverse_symmetric(lb_m3 A) {
  const lb_m3 c = {lb_v4_cross(A.y, A.z), lb_v4_cross(A.z, A.x), lb_v4_cross(A.x, A.y)};
  return lb_m3_scale(1 / lb_v4_dot(A.x, c.x), c);
}

static inline void lb_m3_add(lb_m3* A, lb_m3 B) {
  A->x += B.x;
  A->y += B.y;
  A->z += B.z;
}

// A to rows `stride` apart, and s A added to them.
static inline void lb_m3_store(double* out, int stride, lb_m3 A) {
  const lb_m3 T = lb_m3_transpose(A);
  lb_v4_store(out, T.x);
  lb_v4_store(out + stride, T.y);
  lb_v4_store(out + 2 * stride, T.z);
}
static inline void lb_m3_add_to(double* out, int stride, double s, lb_m3 A) {
  const lb_m3 T = lb_m3_transpose(A);
  lb_v4_add_to(out, T.x * s);
  lb_v4_add_to(out + stride, T.y * s);
  lb_v4_add_to(out + 2 * stride, T.z * s);
}

// C [r]x : what C does to cross products with r
static inline lb_m3 lb_m3_mul_cross(lb_m3 C, lb_v4 r) {
  return (lb_m3){r[2] * C.y - r[1] * C.z, r[0] * C.z - r[2] * C.x, r[1] * C.x - r[0] * C.y};
}

// [r]x A
static inline lb_m3 lb_m3_cross_mul(lb_v4 r, lb_m3 A) {
  return (lb_m3){lb_v4_cross(r, A.x), lb_v4_cross(r, A.y), lb_v4_cross(r, A.z)};
}
