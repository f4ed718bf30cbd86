// Motions of frames and the forces dual to them, in the recursions' registers: angular part first.
#pragma once
#include "math/space/simd.h"

// Angular and linear part: of a motion, or moment and force.
typedef struct lb_motion {
  lb_v4 w, v;
} lb_motion;

static inline lb_motion lb_motion_zero(void) {
  return (lb_motion){lb_v4_zero(), lb_v4_zero()};
}
static inline lb_motion lb_motion_cross(lb_motion a, lb_motion b) {
  return (lb_motion){lb_v4_cross(a.w, b.w), lb_v4_cross(a.w, b.v) + lb_v4_cross(a.v, b.w)};
}
static inline lb_motion lb_motion_add(lb_motion a, lb_motion b) {
  return (lb_motion){a.w + b.w, a.v + b.v};
}
static inline lb_motion lb_motion_scale(double s, lb_motion a) {
  return (lb_motion){a.w * s, a.v * s};
}
static inline double lb_motion_dot(lb_motion a, lb_motion b) {
  return lb_v4_sum(a.w * b.w + a.v * b.v);
}
// Motion (w, v) seen from a point `at` behind: v' = v + at x w.
static inline lb_motion lb_motion_shift(lb_motion a, lb_v4 at) {
  return (lb_motion){a.w, a.v + lb_v4_cross(at, a.w)};
}
// Force (moment n, force f) seen from a point `at` behind: n' = n + at x f.
static inline lb_motion lb_force_shift(lb_motion a, lb_v4 at) {
  return (lb_motion){a.w + lb_v4_cross(at, a.v), a.v};
}
// Both parts in other axes.
static inline lb_motion lb_motion_turn(lb_m3 A, lb_motion a) {
  return (lb_motion){lb_m3_apply(A, a.w), lb_m3_apply(A, a.v)};
}
