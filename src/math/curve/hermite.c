#include "math/curve/hermite.h"

#include <math.h>

int lb_sample_before(int n, const double* time, double t, double* part) {
  int i = 0;
  for (int high = n - 1; high - i > 1;) {
    const int middle = (i + high) / 2;
    if (time[middle] <= t) {
      i = middle;
    } else {
      high = middle;
    }
  }
  *part = fmin(fmax((t - time[i]) / (time[i + 1] - time[i]), 0), 1);
  return i;
}

void lb_hermite5(double s, double h, const double a[3], const double b[3], double out[3]) {
  const double d = b[0] - a[0], v = a[1] * h, w = b[1] * h, p = a[2] * h * h, r = b[2] * h * h;
  const double c3 = 10 * d - 6 * v - 4 * w - (3 * p - r) / 2;
  const double c4 = -15 * d + 8 * v + 7 * w + (3 * p - 2 * r) / 2;
  const double c5 = 6 * d - 3 * (v + w) - (p - r) / 2;
  out[0] = a[0] + s * (v + s * (p / 2 + s * (c3 + s * (c4 + s * c5))));
  out[1] = (v + s * (p + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h;
  out[2] = (p + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (h * h);
}
