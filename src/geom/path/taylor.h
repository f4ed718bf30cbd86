// Taylor series: numbers with their derivatives, so that the geometry of paths is written once. A
// series is Taylor series in time up to order N, 0 to 2, and each of its coefficients has seven
// partial derivatives: by the arc length sigma and by the two ends p and q of a path, in lanes
//
//   [value, sigma, p.x, p.y, p.z, q.x, q.y, q.z]
//
// With the ends at y(t), coefficient n of f and of its derivatives are those of f(y(t)) and
// df/dy (y(t)). N is a constant wherever these functions are inlined.
#pragma once
#include <math.h>

#include <stdbool.h>

#include "math/space/wide.h"

enum {
  LB_TAYLOR_LANES = 8,
  LB_TAYLOR_SIGMA = 1,
  LB_TAYLOR_P = 2,
  LB_TAYLOR_Q = 5,
  LB_TAYLOR_ORDER = 2
};

typedef lb_v8 lb_dual; // a number with its derivatives

typedef struct lb_taylor {
  lb_dual c[LB_TAYLOR_ORDER + 1];
} lb_taylor;

typedef struct lb_taylor3 {
  lb_taylor x, y, z;
} lb_taylor3;

// Small functions that must be inlined for N to be a constant.
#ifdef __SANITIZE_ADDRESS__ // which makes of them more than compilers can chew
#define LB_TAYLOR_INLINE static inline
#else
#define LB_TAYLOR_INLINE static inline __attribute__((always_inline))
#endif

// --- coefficients: numbers with first derivatives ---

LB_TAYLOR_INLINE lb_dual lb_dual_constant(double a) {
  return lb_v8_set_lane(lb_v8_zero(), 0, a);
}

// Number `f` whose derivative by a is `slope`.
LB_TAYLOR_INLINE lb_dual lb_dual_chain(lb_dual a, double f, double slope) {
  return lb_v8_set_lane(lb_v8_scale(slope, a), 0, f);
}

LB_TAYLOR_INLINE lb_dual lb_dual_mul(lb_dual a, lb_dual b) {
  const double x = lb_v8_lane(a, 0), y = lb_v8_lane(b, 0);
  return lb_v8_set_lane(lb_v8_add(lb_v8_scale(y, a), x, b), 0, x * y);
}

// --- jets ---

LB_TAYLOR_INLINE lb_taylor lb_taylor_constant(double a) {
  return (lb_taylor){{lb_dual_constant(a)}};
}

// The derivative by a lane becomes another.
LB_TAYLOR_INLINE lb_taylor lb_taylor_set_slope(lb_taylor a, int lane, double slope) {
  a.c[0] = lb_v8_set_lane(a.c[0], lane, slope);
  return a;
}

// Coordinate of a lane that moves with rate ad and acceleration add.
LB_TAYLOR_INLINE lb_taylor lb_taylor_variable(int lane, double a, double ad, double add) {
  lb_taylor r = {{lb_dual_constant(a), lb_dual_constant(ad), lb_dual_constant(0.5 * add)}};
  return lb_taylor_set_slope(r, lane, 1);
}

LB_TAYLOR_INLINE double lb_taylor_value(const lb_taylor* a) {
  return lb_v8_lane(a->c[0], 0);
}

// Coefficient n of the derivative by a lane; lane 0 is the number itself.
LB_TAYLOR_INLINE double lb_taylor_lane(const lb_taylor* a, int n, int lane) {
  return lb_v8_lane(a->c[n], lane);
}

LB_TAYLOR_INLINE lb_taylor lb_taylor_add(int N, lb_taylor a, lb_taylor b) {
  for (int n = 0; n <= N; n++) {
    a.c[n] = lb_v8_add(a.c[n], 1, b.c[n]);
  }
  return a;
}

LB_TAYLOR_INLINE lb_taylor lb_taylor_sub(int N, lb_taylor a, lb_taylor b) {
  for (int n = 0; n <= N; n++) {
    a.c[n] = lb_v8_add(a.c[n], -1, b.c[n]);
  }
  return a;
}

LB_TAYLOR_INLINE lb_taylor lb_taylor_scale(int N, double s, lb_taylor a) {
  for (int n = 0; n <= N; n++) {
    a.c[n] = lb_v8_scale(s, a.c[n]);
  }
  return a;
}

LB_TAYLOR_INLINE lb_taylor lb_taylor_shift(lb_taylor a, double s) {
  return lb_taylor_set_slope(a, 0, lb_taylor_value(&a) + s);
}

LB_TAYLOR_INLINE lb_taylor lb_taylor_mul(int N, lb_taylor a, lb_taylor b) {
  lb_taylor r;
  for (int n = 0; n <= N; n++) {
    r.c[n] = lb_dual_mul(a.c[0], b.c[n]);
    for (int k = 1; k <= n; k++) {
      r.c[n] = lb_v8_add(r.c[n], 1, lb_dual_mul(a.c[k], b.c[n - k]));
    }
  }
  return r;
}

// Function of a jet by its value and first three derivatives there.
LB_TAYLOR_INLINE lb_taylor lb_taylor_apply(int N, lb_taylor a, const double f[4]) {
  lb_taylor r;
  r.c[0] = lb_dual_chain(a.c[0], f[0], f[1]);
  if (N >= 1) {
    r.c[1] = lb_dual_mul(lb_dual_chain(a.c[0], f[1], f[2]), a.c[1]);
  }
  if (N >= 2) {
    const lb_dual square = lb_dual_mul(a.c[1], a.c[1]);
    r.c[2] = lb_v8_add(lb_dual_mul(lb_dual_chain(a.c[0], f[1], f[2]), a.c[2]), 0.5,
                       lb_dual_mul(lb_dual_chain(a.c[0], f[2], f[3]), square));
  }
  return r;
}

LB_TAYLOR_INLINE lb_taylor lb_taylor_inverse(int N, lb_taylor a) {
  const double i = 1 / lb_taylor_value(&a);
  return lb_taylor_apply(N, a, (double[]){i, -i * i, 2 * i * i * i, -6 * i * i * i * i});
}

LB_TAYLOR_INLINE lb_taylor lb_taylor_div(int N, lb_taylor a, lb_taylor b) {
  return lb_taylor_mul(N, a, lb_taylor_inverse(N, b));
}

LB_TAYLOR_INLINE lb_taylor lb_taylor_sqrt(int N, lb_taylor a) {
  const double s = sqrt(lb_taylor_value(&a)), i = 1 / lb_taylor_value(&a);
  return lb_taylor_apply(N, a,
                         (double[]){s, 0.5 * s * i, -0.25 * s * i * i, 0.375 * s * i * i * i});
}

LB_TAYLOR_INLINE void lb_taylor_sincos(int N, lb_taylor a, lb_taylor* sine, lb_taylor* cosine) {
  const double s = sin(lb_taylor_value(&a)), c = cos(lb_taylor_value(&a));
  *sine = lb_taylor_apply(N, a, (double[]){s, c, -s, -c});
  *cosine = lb_taylor_apply(N, a, (double[]){c, -s, -c, s});
}

// Angle of (x, y), from -pi to pi: that of its value, and the arc tangent of what is left in a
// frame turned by it, whose derivatives at 0 are 1, 0, -2.
LB_TAYLOR_INLINE lb_taylor lb_taylor_angle(int N, lb_taylor y, lb_taylor x) {
  const double X = lb_taylor_value(&x), Y = lb_taylor_value(&y);
  const lb_taylor along = lb_taylor_add(N, lb_taylor_scale(N, X, x), lb_taylor_scale(N, Y, y));
  const lb_taylor across = lb_taylor_sub(N, lb_taylor_scale(N, X, y), lb_taylor_scale(N, Y, x));
  return lb_taylor_apply(N, lb_taylor_div(N, across, along), (double[]){atan2(Y, X), 1, 0, -2});
}

// Steps of Newton's method that take a root which is exact in its value to its series of order N.
// The derivatives by lanes count as one order more, and each step doubles those that are exact.
LB_TAYLOR_INLINE int lb_taylor_newton_steps(int N) {
  return N > 0 ? 2 : 1;
}

// --- vectors ---

// End of a path, at lanes from `lane` on.
LB_TAYLOR_INLINE lb_taylor3 lb_taylor3_variable(int lane, lb_vec3 a, lb_vec3 ad, lb_vec3 add) {
  return (lb_taylor3){lb_taylor_variable(lane, a.x, ad.x, add.x),
                      lb_taylor_variable(lane + 1, a.y, ad.y, add.y),
                      lb_taylor_variable(lane + 2, a.z, ad.z, add.z)};
}

LB_TAYLOR_INLINE lb_taylor3 lb_taylor3_constant(lb_vec3 a) {
  return (lb_taylor3){lb_taylor_constant(a.x), lb_taylor_constant(a.y), lb_taylor_constant(a.z)};
}

LB_TAYLOR_INLINE lb_taylor3 lb_taylor3_add(int N, lb_taylor3 a, lb_taylor3 b) {
  return (lb_taylor3){lb_taylor_add(N, a.x, b.x), lb_taylor_add(N, a.y, b.y),
                      lb_taylor_add(N, a.z, b.z)};
}

LB_TAYLOR_INLINE lb_taylor3 lb_taylor3_sub(int N, lb_taylor3 a, lb_taylor3 b) {
  return (lb_taylor3){lb_taylor_sub(N, a.x, b.x), lb_taylor_sub(N, a.y, b.y),
                      lb_taylor_sub(N, a.z, b.z)};
}

LB_TAYLOR_INLINE lb_taylor3 lb_taylor3_scale(int N, lb_taylor s, lb_taylor3 a) {
  return (lb_taylor3){lb_taylor_mul(N, s, a.x), lb_taylor_mul(N, s, a.y), lb_taylor_mul(N, s, a.z)};
}

LB_TAYLOR_INLINE lb_taylor lb_taylor3_dot(int N, lb_taylor3 a, lb_taylor3 b) {
  return lb_taylor_add(N, lb_taylor_add(N, lb_taylor_mul(N, a.x, b.x), lb_taylor_mul(N, a.y, b.y)),
                       lb_taylor_mul(N, a.z, b.z));
}

LB_TAYLOR_INLINE lb_taylor3 lb_taylor3_cross(int N, lb_taylor3 a, lb_taylor3 b) {
  return (lb_taylor3){lb_taylor_sub(N, lb_taylor_mul(N, a.y, b.z), lb_taylor_mul(N, a.z, b.y)),
                      lb_taylor_sub(N, lb_taylor_mul(N, a.z, b.x), lb_taylor_mul(N, a.x, b.z)),
                      lb_taylor_sub(N, lb_taylor_mul(N, a.x, b.y), lb_taylor_mul(N, a.y, b.x))};
}

// Coefficient n of the vector itself, and of its derivative by a lane.
LB_TAYLOR_INLINE lb_vec3 lb_taylor3_lane(const lb_taylor3* a, int n, int lane) {
  return lb_vec3_make(lb_taylor_lane(&a->x, n, lane), lb_taylor_lane(&a->y, n, lane),
                      lb_taylor_lane(&a->z, n, lane));
}
