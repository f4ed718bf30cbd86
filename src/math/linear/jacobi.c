// Jacobi's method for symmetric matrices: rotations in the plane of two coordinates until nothing
// is left between any two. Rotations stop by |a_pq| against sqrt(a_pp a_qq), so that small entries
// are seen beside large ones [Demmel, Veselic 1992].
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/linear/dense.h"

enum { MOST_SWEEPS = 60 };

// Rows or columns p and q: (x, y) becomes (x - s y - ..., y + s x ...) with t = tan(half angle).
static void rotate(int n, double* x, double* y, int stride, double s, double t) {
  for (int k = 0; k < n; k++) {
    double *a = x + k * stride, *b = y + k * stride;
    const double xa = *a, xb = *b;
    *a = xa - s * (xb + t * xa);
    *b = xb + s * (xa - t * xb);
  }
}

// Make a_pq zero; false when it is.
static bool annihilate(int n, double* A, double* V, int p, int q) {
  const double a = A[p + p * n], b = A[q + q * n], c = A[p + q * n];
  if (!(fabs(c) > DBL_EPSILON * sqrt(fabs(a * b)))) {
    return false;
  }
  const double h = (b - a) / (2 * c);
  const double tangent = (h < 0 ? -1 : 1) / (fabs(h) + sqrt(1 + h * h));
  const double cosine = 1 / sqrt(1 + tangent * tangent), s = tangent * cosine;
  rotate(n, A + p, A + q, n, s, s / (1 + cosine));
  rotate(n, A + p * n, A + q * n, 1, s, s / (1 + cosine));
  rotate(n, V + p * n, V + q * n, 1, s, s / (1 + cosine));
  A[p + p * n] = a - tangent * c;
  A[q + q * n] = b + tangent * c;
  A[p + q * n] = A[q + p * n] = 0;
  return true;
}

static void swap(int n, double* x, double* y) {
  for (int k = 0; k < n; k++) {
    const double keep = x[k];
    x[k] = y[k];
    y[k] = keep;
  }
}

void lb_eigen_graded(int n, double* A, double* V, double* w) {
  memset(V, 0, (size_t)(n * n) * sizeof *V);
  for (int i = 0; i < n; i++) {
    V[i + i * n] = 1;
  }
  bool turned = true;
  for (int sweep = 0; sweep < MOST_SWEEPS && turned; sweep++) {
    turned = false;
    for (int p = 0; p < n - 1; p++) {
      for (int q = p + 1; q < n; q++) {
        turned |= annihilate(n, A, V, p, q);
      }
    }
  }
  for (int i = 0; i < n; i++) {
    w[i] = A[i + i * n];
  }
  for (int i = 0; i < n - 1; i++) { // sort by selection
    int least = i;
    for (int j = i + 1; j < n; j++) {
      least = w[j] < w[least] ? j : least;
    }
    swap(1, w + i, w + least);
    swap(n, V + i * n, V + least * n);
  }
}
