// A few numbers at a time: the same quantity of so many elements, or points. The element loops are
// written in these. They are as wide as the registers: gcc takes wider ones apart through memory,
// and three times as long.
#pragma once
#include <math.h>

#ifdef __AVX512F__
enum { LB_LANES = 8 };
#else
enum { LB_LANES = 4 };
#endif
typedef double lb_lanes __attribute__((vector_size(LB_LANES * sizeof(double))));

static inline lb_lanes lb_lanes_set(double x) {
  return x - (lb_lanes){0};
}

/// 3 x 3 matrices by columns, m[i + 3 j] the entry in row i, column j.
/// C = A B
static inline void lb_lanes_mul(lb_lanes C[9], const lb_lanes A[9], const lb_lanes B[9]) {
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      C[i + 3 * j] = A[i] * B[3 * j] + A[i + 3] * B[3 * j + 1] + A[i + 6] * B[3 * j + 2];
    }
  }
}
/// C = A' B
static inline void lb_lanes_mul_tn(lb_lanes C[9], const lb_lanes A[9], const lb_lanes B[9]) {
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      C[i + 3 * j] =
          A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
    }
  }
}
/// C = A B'
static inline void lb_lanes_mul_nt(lb_lanes C[9], const lb_lanes A[9], const lb_lanes B[9]) {
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      C[i + 3 * j] = A[i] * B[j] + A[i + 3] * B[j + 3] + A[i + 6] * B[j + 6];
    }
  }
}
/// A += 1
static inline void lb_lanes_add_identity(lb_lanes A[9]) {
  A[0] += 1;
  A[4] += 1;
  A[8] += 1;
}
/// A : B
static inline lb_lanes lb_lanes_dot9(const lb_lanes A[9], const lb_lanes B[9]) {
  lb_lanes sum = A[0] * B[0];
  for (int k = 1; k < 9; k++) {
    sum += A[k] * B[k];
  }
  return sum;
}
static inline lb_lanes lb_lanes_trace(const lb_lanes A[9]) {
  return A[0] + A[4] + A[8];
}
/// det A
static inline lb_lanes lb_lanes_determinant(const lb_lanes A[9]) {
  return A[0] * (A[4] * A[8] - A[5] * A[7]) + A[1] * (A[5] * A[6] - A[3] * A[8]) +
         A[2] * (A[3] * A[7] - A[4] * A[6]);
}
/// The bilinear cofactor: C(A, A) = 2 cof A, and cof's derivative at A along B is C(A, B).
static inline void lb_lanes_cofactor(lb_lanes C[9], const lb_lanes A[9], const lb_lanes B[9]) {
  for (int j = 0; j < 3; j++) {
    const int p = 3 * ((j + 1) % 3), q = 3 * ((j + 2) % 3);
    for (int i = 0; i < 3; i++) {
      const int k = (i + 1) % 3, l = (i + 2) % 3;
      C[i + 3 * j] =
          A[k + p] * B[l + q] - A[l + p] * B[k + q] + B[k + p] * A[l + q] - B[l + p] * A[k + q];
    }
  }
}
/// X to the rotation nearest to it, by Newton's method X <- (X + X^-T) / 2 after a scaling to unit
/// volume: twice as many digits in each step.
static inline void lb_lanes_rotate(lb_lanes X[9], int steps) {
  for (int i = 0; i <= steps; i++) {
    lb_lanes C[9];
    lb_lanes_cofactor(C, X, X); // twice the cofactor
    const lb_lanes twice = X[0] * C[0] + X[1] * C[1] + X[2] * C[2];
    for (int k = 0; k < 9 && i > 0; k++) {
      X[k] = 0.5 * (X[k] + C[k] / twice);
    }
    for (int l = 0; l < LB_LANES && i == 0; l++) {
      const double scale = 1 / cbrt(0.5 * twice[l]);
      for (int k = 0; k < 9; k++) {
        X[k][l] *= scale;
      }
    }
  }
}
