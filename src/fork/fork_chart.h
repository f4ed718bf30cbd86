// Exponential chart of a rigid motion, X = exp(xi), and generalised forces along xi.
//
// With Stumpff's functions c_n of |w|^2 (math/space/se3.h),
//
//   (1)  R = 1 + c1 [w] + c2 [w]^2,   p = v + c2 w x v + c3 w x (w x v)
//
// The body's twist is J_r(xi) xidot, so that a wrench (n, f) along its axes does the work of
// g = J_r'(n, f) along xi. With F = R f, and p as it changes with w at constant v,
//
//   (2)  g_w = (1 + c2 [w] + c3 [w]^2) n + d(F.p)/dw
//   (3)  g_v = (1 + c2 [w] + c3 [w]^2) f
//   (4)  d(F.p)/dw = c2 v x F + 2 c2' F.(w x v) w + 2 c3' F.(w x (w x v)) w
//                    + c3 ((w.v) F + (F.w) v - 2 (F.v) w),    2 c_n' = n c_n+2 - c_n+1
#pragma once
#include <string.h>

#include "math/space/se3.h"

// Six numbers as a twist or wrench, and back.
static inline lb_twist lb_fork_twist(const double* x) {
  return (lb_twist){lb_vec3_make(x[0], x[1], x[2]), lb_vec3_make(x[3], x[4], x[5])};
}
static inline void lb_fork_put(double* x, lb_twist t) {
  const double six[6] = {t.w.x, t.w.y, t.w.z, t.v.x, t.v.y, t.v.z};
  memcpy(x, six, sizeof six);
}
static inline lb_twist lb_fork_scale(double s, lb_twist t) {
  return (lb_twist){lb_vec3_scale(s, t.w), lb_vec3_scale(s, t.v)};
}

typedef struct lb_fork_chart {
  lb_twist xi;
  double c[LB_STUMPFF_COUNT];
} lb_fork_chart;

static inline lb_fork_chart lb_fork_chart_at(lb_twist xi) {
  lb_fork_chart chart = {.xi = xi};
  lb_stumpff(lb_vec3_dot(xi.w, xi.w), chart.c);
  return chart;
}

// a x + b w x x + c w x (w x x)
static inline lb_vec3 lb_fork_turn(lb_vec3 w, lb_vec3 x, double b, double c) {
  const lb_vec3 once = lb_vec3_cross(w, x), twice = lb_vec3_cross(w, once);
  return lb_vec3_add(x, lb_vec3_add(lb_vec3_scale(b, once), lb_vec3_scale(c, twice)));
}

static inline lb_transform lb_fork_chart_pose(const lb_fork_chart* X) {
  return (lb_transform){lb_quat_exp(X->xi.w), lb_fork_turn(X->xi.w, X->xi.v, X->c[2], X->c[3])};
}

// (4)
static inline lb_vec3 lb_fork_chart_lever(const lb_fork_chart* X, lb_vec3 F) {
  const lb_vec3 w = X->xi.w, v = X->xi.v, once = lb_vec3_cross(w, v);
  const double* c = X->c;
  const double by2 = 2 * c[4] - c[3], by3 = 3 * c[5] - c[4];
  const double along_w = by2 * lb_vec3_dot(F, once) + by3 * lb_vec3_dot(F, lb_vec3_cross(w, once)) -
                         2 * c[3] * lb_vec3_dot(F, v);
  lb_vec3 g = lb_vec3_scale(c[2], lb_vec3_cross(v, F));
  g = lb_vec3_add(g, lb_vec3_scale(along_w, w));
  g = lb_vec3_add(g, lb_vec3_scale(c[3] * lb_vec3_dot(w, v), F));
  return lb_vec3_add(g, lb_vec3_scale(c[3] * lb_vec3_dot(F, w), v));
}

// (2) and (3)
static inline lb_twist lb_fork_chart_force(const lb_fork_chart* X, lb_twist wrench) {
  const lb_vec3 w = X->xi.w;
  const double* c = X->c;
  const lb_vec3 F = lb_fork_turn(w, wrench.v, c[1], c[2]);
  return (lb_twist){lb_vec3_add(lb_fork_turn(w, wrench.w, c[2], c[3]), lb_fork_chart_lever(X, F)),
                    lb_fork_turn(w, wrench.v, c[2], c[3])};
}

// The wrench whose work along xi is g, (2) and (3) backwards.
static inline lb_twist lb_fork_chart_wrench(const lb_fork_chart* X, lb_twist g) {
  const lb_mat3 back = lb_mat3_transpose(lb_so3_jacobian(LB_RIGHT_INVERSE, X->xi.w));
  const lb_vec3 f = lb_mat3_apply(back, g.v);
  const lb_vec3 F = lb_fork_turn(X->xi.w, f, X->c[1], X->c[2]);
  return (lb_twist){lb_mat3_apply(back, lb_vec3_sub(g.w, lb_fork_chart_lever(X, F))), f};
}

// J_r [6][6]: its rows are the forces of unit wrenches.
static inline void lb_fork_chart_jacobian(const lb_fork_chart* X, double* J) {
  for (size_t k = 0; k < 6; k++) {
    double unit[6] = {0};
    unit[k] = 1;
    lb_fork_put(J + 6 * k, lb_fork_chart_force(X, lb_fork_twist(unit)));
  }
}

// The body's twist J_r xidot.
static inline lb_twist lb_fork_chart_rate(const lb_fork_chart* X, lb_twist rate) {
  const double x[6] = {rate.w.x, rate.w.y, rate.w.z, rate.v.x, rate.v.y, rate.v.z};
  double J[36], y[6];
  lb_fork_chart_jacobian(X, J);
  for (size_t i = 0; i < 6; i++) {
    y[i] = 0;
    for (size_t k = 0; k < 6; k++) {
      y[i] += J[6 * i + k] * x[k];
    }
  }
  return lb_fork_twist(y);
}
