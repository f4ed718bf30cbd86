// Jets: numbers with their derivatives, so that the geometry of paths is written once. A jet is a
// Taylor series in time up to order N, 0 to 2, and each of its coefficients has seven partial
// derivatives: by the arc length sigma and by the two ends p and q of a path, in lanes
//
//   [value, sigma, p.x, p.y, p.z, q.x, q.y, q.z]
//
// With the ends at y(t), coefficient n of f and of its derivatives are those of f(y(t)) and
// df/dy (y(t)). N is a constant wherever these functions are inlined.
#pragma once
#include <math.h>

#include <stdbool.h>

#include "limber/math.h"

enum { LB_JET_LANES = 8, LB_JET_SIGMA = 1, LB_JET_P = 2, LB_JET_Q = 5, LB_JET_ORDER = 2 };

typedef double lb_lanes __attribute__((vector_size(64), aligned(32)));

typedef struct lb_jet {
  lb_lanes c[LB_JET_ORDER + 1];
} lb_jet;

typedef struct lb_jet3 {
  lb_jet x, y, z;
} lb_jet3;

// Small functions that must be inlined for N to be a constant.
#define LB_JET_INLINE static inline __attribute__((always_inline))

// --- coefficients: numbers with first derivatives ---

LB_JET_INLINE lb_lanes lb_lanes_mul(lb_lanes a, lb_lanes b) {
  lb_lanes r = a * b[0] + b * a[0];
  r[0] = a[0] * b[0];
  return r;
}

// Number `f` whose derivative by a is `slope`.
LB_JET_INLINE lb_lanes lb_lanes_chain(lb_lanes a, double f, double slope) {
  lb_lanes r = a * slope;
  r[0] = f;
  return r;
}

// --- jets ---

LB_JET_INLINE lb_jet lb_jet_constant(double a) {
  return (lb_jet){{{a}}};
}

// Coordinate of a lane that moves with rate ad and acceleration add.
LB_JET_INLINE lb_jet lb_jet_variable(int lane, double a, double ad, double add) {
  lb_jet r = {{{a}, {ad}, {0.5 * add}}};
  r.c[0][lane] = 1;
  return r;
}

LB_JET_INLINE double lb_jet_value(const lb_jet* a) {
  return a->c[0][0];
}

LB_JET_INLINE lb_jet lb_jet_add(int N, lb_jet a, lb_jet b) {
  for (int n = 0; n <= N; n++) {
    a.c[n] += b.c[n];
  }
  return a;
}

LB_JET_INLINE lb_jet lb_jet_sub(int N, lb_jet a, lb_jet b) {
  for (int n = 0; n <= N; n++) {
    a.c[n] -= b.c[n];
  }
  return a;
}

LB_JET_INLINE lb_jet lb_jet_scale(int N, double s, lb_jet a) {
  for (int n = 0; n <= N; n++) {
    a.c[n] *= s;
  }
  return a;
}

LB_JET_INLINE lb_jet lb_jet_shift(lb_jet a, double s) {
  a.c[0][0] += s;
  return a;
}

LB_JET_INLINE lb_jet lb_jet_mul(int N, lb_jet a, lb_jet b) {
  lb_jet r;
  for (int n = 0; n <= N; n++) {
    r.c[n] = lb_lanes_mul(a.c[0], b.c[n]);
    for (int k = 1; k <= n; k++) {
      r.c[n] += lb_lanes_mul(a.c[k], b.c[n - k]);
    }
  }
  return r;
}

// Function of a jet by its value and first three derivatives there.
LB_JET_INLINE lb_jet lb_jet_apply(int N, lb_jet a, const double f[4]) {
  lb_jet r;
  r.c[0] = lb_lanes_chain(a.c[0], f[0], f[1]);
  if (N >= 1) {
    r.c[1] = lb_lanes_mul(lb_lanes_chain(a.c[0], f[1], f[2]), a.c[1]);
  }
  if (N >= 2) {
    const lb_lanes square = lb_lanes_mul(a.c[1], a.c[1]);
    r.c[2] = lb_lanes_mul(lb_lanes_chain(a.c[0], f[1], f[2]), a.c[2]) +
             lb_lanes_mul(lb_lanes_chain(a.c[0], f[2], f[3]), square) * 0.5;
  }
  return r;
}

LB_JET_INLINE lb_jet lb_jet_inverse(int N, lb_jet a) {
  const double i = 1 / a.c[0][0];
  return lb_jet_apply(N, a, (double[]){i, -i * i, 2 * i * i * i, -6 * i * i * i * i});
}

LB_JET_INLINE lb_jet lb_jet_div(int N, lb_jet a, lb_jet b) {
  return lb_jet_mul(N, a, lb_jet_inverse(N, b));
}

LB_JET_INLINE lb_jet lb_jet_sqrt(int N, lb_jet a) {
  const double s = sqrt(a.c[0][0]), i = 1 / a.c[0][0];
  return lb_jet_apply(N, a, (double[]){s, 0.5 * s * i, -0.25 * s * i * i, 0.375 * s * i * i * i});
}

LB_JET_INLINE void lb_jet_sincos(int N, lb_jet a, lb_jet* sine, lb_jet* cosine) {
  const double s = sin(a.c[0][0]), c = cos(a.c[0][0]);
  *sine = lb_jet_apply(N, a, (double[]){s, c, -s, -c});
  *cosine = lb_jet_apply(N, a, (double[]){c, -s, -c, s});
}

// Angle of (x, y), from -pi to pi: that of its value, and the arc tangent of what is left in a
// frame turned by it, whose derivatives at 0 are 1, 0, -2.
LB_JET_INLINE lb_jet lb_jet_angle(int N, lb_jet y, lb_jet x) {
  const double X = x.c[0][0], Y = y.c[0][0];
  const lb_jet along = lb_jet_add(N, lb_jet_scale(N, X, x), lb_jet_scale(N, Y, y));
  const lb_jet across = lb_jet_sub(N, lb_jet_scale(N, X, y), lb_jet_scale(N, Y, x));
  return lb_jet_apply(N, lb_jet_div(N, across, along), (double[]){atan2(Y, X), 1, 0, -2});
}

// --- vectors ---

// End of a path, at lanes from `lane` on.
LB_JET_INLINE lb_jet3 lb_jet3_variable(int lane, lb_vec3 a, lb_vec3 ad, lb_vec3 add) {
  return (lb_jet3){lb_jet_variable(lane, a.x, ad.x, add.x),
                   lb_jet_variable(lane + 1, a.y, ad.y, add.y),
                   lb_jet_variable(lane + 2, a.z, ad.z, add.z)};
}

LB_JET_INLINE lb_jet3 lb_jet3_constant(lb_vec3 a) {
  return (lb_jet3){lb_jet_constant(a.x), lb_jet_constant(a.y), lb_jet_constant(a.z)};
}

LB_JET_INLINE lb_jet3 lb_jet3_add(int N, lb_jet3 a, lb_jet3 b) {
  return (lb_jet3){lb_jet_add(N, a.x, b.x), lb_jet_add(N, a.y, b.y), lb_jet_add(N, a.z, b.z)};
}

LB_JET_INLINE lb_jet3 lb_jet3_sub(int N, lb_jet3 a, lb_jet3 b) {
  return (lb_jet3){lb_jet_sub(N, a.x, b.x), lb_jet_sub(N, a.y, b.y), lb_jet_sub(N, a.z, b.z)};
}

LB_JET_INLINE lb_jet3 lb_jet3_scale(int N, lb_jet s, lb_jet3 a) {
  return (lb_jet3){lb_jet_mul(N, s, a.x), lb_jet_mul(N, s, a.y), lb_jet_mul(N, s, a.z)};
}

LB_JET_INLINE lb_jet lb_jet3_dot(int N, lb_jet3 a, lb_jet3 b) {
  return lb_jet_add(N, lb_jet_add(N, lb_jet_mul(N, a.x, b.x), lb_jet_mul(N, a.y, b.y)),
                    lb_jet_mul(N, a.z, b.z));
}

LB_JET_INLINE lb_jet3 lb_jet3_cross(int N, lb_jet3 a, lb_jet3 b) {
  return (lb_jet3){lb_jet_sub(N, lb_jet_mul(N, a.y, b.z), lb_jet_mul(N, a.z, b.y)),
                   lb_jet_sub(N, lb_jet_mul(N, a.z, b.x), lb_jet_mul(N, a.x, b.z)),
                   lb_jet_sub(N, lb_jet_mul(N, a.x, b.y), lb_jet_mul(N, a.y, b.x))};
}

// Coefficient n of the vector itself, and of its derivative by a lane.
LB_JET_INLINE lb_vec3 lb_jet3_lane(const lb_jet3* a, int n, int lane) {
  return lb_vec3_make(a->x.c[n][lane], a->y.c[n][lane], a->z.c[n][lane]);
}
