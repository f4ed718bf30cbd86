// Small symmetric positive definite systems, A = L D L', inline: the recursions solve one a joint.
#pragma once

// The lower triangle of A becomes L and, on the diagonal, D.
static inline void lb_ldl_factor(int n, double* A, int stride) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) {
      const double l = A[stride * j + k] * A[stride * k + k];
      for (int i = j; i < n; i++) {
        A[stride * i + j] -= A[stride * i + k] * l;
      }
    }
    const double d = 1 / A[stride * j + j];
    for (int i = j + 1; i < n; i++) {
      A[stride * i + j] *= d;
    }
  }
}

static inline void lb_ldl_solve(int n, const double* A, int stride, double* x) {
  for (int i = 1; i < n; i++) {
    for (int k = 0; k < i; k++) {
      x[i] -= A[stride * i + k] * x[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] /= A[stride * i + i];
    for (int k = i + 1; k < n; k++) {
      x[i] -= A[stride * k + i] * x[k];
    }
  }
}
