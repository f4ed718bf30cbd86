// Cholesky's method within a band.
#include "math/linear/band.h"

#include <math.h>

lb_status lb_band_cholesky(int n, int p, double* band) {
  static const double LOST = 1e-12; // a pivot this far below its start is rounding
  const int w = p + 1;
  for (int j = 0; j < n; j++) {
    double* column = band + (size_t)j * (size_t)w;
    const double start = column[0];
    for (int k = j > p ? j - p : 0; k < j; k++) {
      const double* l = band + (size_t)k * (size_t)w;
      for (int i = 0; i <= p - (j - k); i++) {
        column[i] -= l[j - k] * l[j - k + i];
      }
    }
    if (!(column[0] > LOST * start)) {
      return LB_FAILED;
    }
    const double s = 1 / sqrt(column[0]);
    for (int i = 0; i <= p; i++) {
      column[i] *= s;
    }
  }
  return LB_OK;
}

void lb_band_solve(int n, int p, const double* band, double* x) {
  const int w = p + 1;
  for (int j = 0; j < n; j++) {
    const double* l = band + (size_t)j * (size_t)w;
    x[j] /= l[0];
    for (int i = 1; i <= p && j + i < n; i++) {
      x[j + i] -= l[i] * x[j];
    }
  }
  for (int j = n - 1; j >= 0; j--) {
    const double* l = band + (size_t)j * (size_t)w;
    for (int i = 1; i <= p && j + i < n; i++) {
      x[j] -= l[i] * x[j + i];
    }
    x[j] /= l[0];
  }
}
