// A 3 x 3 block times three rows of `width` numbers each: what sparse factors of blocks do to
// right-hand sides.
#pragma once
#include "math/space/simd.h"

// y -= B x
static inline void lb_constraint_rows_subtract(int width, double* restrict y, lb_m3 B,
                                               const double* restrict x) {
  for (int k = 0; k < width; k++) {
    const double a = x[k], b = x[width + k], c = x[2 * width + k];
    y[k] -= B.x[0] * a + B.y[0] * b + B.z[0] * c;
    y[width + k] -= B.x[1] * a + B.y[1] * b + B.z[1] * c;
    y[2 * width + k] -= B.x[2] * a + B.y[2] * b + B.z[2] * c;
  }
}

// x = B x
static inline void lb_constraint_rows_multiply(int width, double* x, lb_m3 B) {
  for (int k = 0; k < width; k++) {
    const lb_v4 y = lb_m3_apply(B, lb_v4_make(x[k], x[width + k], x[2 * width + k]));
    x[k] = y[0];
    x[width + k] = y[1];
    x[2 * width + k] = y[2];
  }
}
