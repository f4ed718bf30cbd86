// Eight numbers: one vector where the processor has such, else two of four. Compilers take vectors
// of eight through memory where there are none, number by number, which is many times slower.
// Processors do less beside vectors of eight, so code that mostly sums over the eight and goes on
// with single numbers is faster with two of four: a file of such defines LB_WIDE_HALVES first.
#pragma once
#include "math/space/simd.h"

#define LB_WIDE_INLINE static inline __attribute__((always_inline))

// Four and eight numbers anywhere in memory.
typedef double lb_any4 __attribute__((vector_size(32), aligned(8)));

#if defined __AVX512F__ && !defined LB_WIDE_HALVES

typedef double lb_v8 __attribute__((vector_size(64), aligned(32)));
typedef double lb_any8 __attribute__((vector_size(64), aligned(8)));

LB_WIDE_INLINE lb_v8 lb_v8_load(const double* a) {
  return *(const lb_any8*)a;
}
LB_WIDE_INLINE void lb_v8_store(double* to, lb_v8 a) {
  *(lb_any8*)to = a;
}
LB_WIDE_INLINE lb_v8 lb_v8_scale(double s, lb_v8 a) {
  return a * s;
}
// a + s b
LB_WIDE_INLINE lb_v8 lb_v8_add(lb_v8 a, double s, lb_v8 b) {
  return a + s * b;
}
LB_WIDE_INLINE double lb_v8_lane(lb_v8 a, int lane) {
  return a[lane];
}
LB_WIDE_INLINE lb_v8 lb_v8_set_lane(lb_v8 a, int lane, double x) {
  a[lane] = x;
  return a;
}
LB_WIDE_INLINE lb_v8 lb_v8_times(lb_v8 a, lb_v8 b) {
  return a * b;
}
// a + b c, number by number
LB_WIDE_INLINE lb_v8 lb_v8_add_times(lb_v8 a, lb_v8 b, lb_v8 c) {
  return a + b * c;
}
// Four sums that add up to that of all.
LB_WIDE_INLINE lb_v4 lb_v8_fold(lb_v8 a) {
  return __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
}

#else

typedef struct lb_v8 {
  lb_v4 low, high;
} lb_v8;

LB_WIDE_INLINE lb_v8 lb_v8_load(const double* a) {
  return (lb_v8){*(const lb_any4*)a, *(const lb_any4*)(a + 4)};
}
LB_WIDE_INLINE void lb_v8_store(double* to, lb_v8 a) {
  *(lb_any4*)to = a.low;
  *(lb_any4*)(to + 4) = a.high;
}
LB_WIDE_INLINE lb_v8 lb_v8_scale(double s, lb_v8 a) {
  return (lb_v8){a.low * s, a.high * s};
}
LB_WIDE_INLINE lb_v8 lb_v8_add(lb_v8 a, double s, lb_v8 b) {
  return (lb_v8){a.low + s * b.low, a.high + s * b.high};
}
LB_WIDE_INLINE double lb_v8_lane(lb_v8 a, int lane) {
  return lane < 4 ? a.low[lane] : a.high[lane - 4];
}
LB_WIDE_INLINE lb_v8 lb_v8_set_lane(lb_v8 a, int lane, double x) {
  if (lane < 4) {
    a.low[lane] = x;
  } else {
    a.high[lane - 4] = x;
  }
  return a;
}
LB_WIDE_INLINE lb_v8 lb_v8_times(lb_v8 a, lb_v8 b) {
  return (lb_v8){a.low * b.low, a.high * b.high};
}
LB_WIDE_INLINE lb_v8 lb_v8_add_times(lb_v8 a, lb_v8 b, lb_v8 c) {
  return (lb_v8){a.low + b.low * c.low, a.high + b.high * c.high};
}
LB_WIDE_INLINE lb_v4 lb_v8_fold(lb_v8 a) {
  return a.low + a.high;
}

#endif

LB_WIDE_INLINE lb_v8 lb_v8_zero(void) {
  return (lb_v8){0};
}
LB_WIDE_INLINE double lb_v8_sum(lb_v8 a) {
  return lb_v4_sum(lb_v8_fold(a));
}
LB_WIDE_INLINE double lb_v8_dot(lb_v8 a, lb_v8 b) {
  return lb_v8_sum(lb_v8_times(a, b));
}
// The sums of three, each as lb_v8_sum has it, in the first three places.
LB_WIDE_INLINE lb_v4 lb_v8_sums(lb_v8 a, lb_v8 b, lb_v8 c) {
  const lb_v4 x = lb_v8_fold(a), y = lb_v8_fold(b), z = lb_v8_fold(c);
  const lb_v4 xz =
      __builtin_shufflevector(x, z, 0, 1, 4, 5) + __builtin_shufflevector(x, z, 2, 3, 6, 7);
  const lb_v4 yy = y + __builtin_shufflevector(y, y, 2, 3, 0, 1);
  return __builtin_shufflevector(xz, yy, 0, 4, 2, 6) + __builtin_shufflevector(xz, yy, 1, 5, 3, 7);
}
