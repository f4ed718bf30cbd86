#include "math/signal.h"

#include <math.h>

// --- slopes ---

enum { STENCIL = 7 };

// The slope at node i of the polynomial through n nodes is sum_{j != i} w_j (x_j - x_i),
//   w_j = prod_{k != i,j} (t_i - t_k) / prod_{k != j} (t_j - t_k)
static double slope_at(int n, int i, const double* t, const double* x, int stride) {
  double sum = 0;
  for (int j = 0; j < n; j++) {
    if (j == i) {
      continue;
    }
    double weight = 1 / (t[j] - t[i]);
    for (int k = 0; k < n; k++) {
      if (k != i && k != j) {
        weight *= (t[i] - t[k]) / (t[j] - t[k]);
      }
    }
    sum += weight * (x[(long)j * stride] - x[(long)i * stride]);
  }
  return sum;
}

void lb_signal_slopes(int n, const double* t, const double* x, int stride, double* slope,
                      int slope_stride) {
  const int wide = n < STENCIL ? n : STENCIL;
  for (int i = 0; i < n; i++) {
    int first = i - wide / 2;
    first = first < 0 ? 0 : first > n - wide ? n - wide : first;
    slope[(long)i * slope_stride] =
        slope_at(wide, i - first, t + first, x + (long)first * stride, stride);
  }
}

// --- the filter ---

// Second-order section in transposed direct form II, normalised.
typedef struct section {
  double b0, b1, b2, a1, a2;
} section;

// Butterworth's by the bilinear transform with the cut-off prewarped.
static section butterworth(double cutoff_times_step) {
  const double K = tan(M_PI * cutoff_times_step);
  const double D = K * K + M_SQRT2 * K + 1;
  const double b = K * K / D;
  return (section){b, 2 * b, b, 2 * (K * K - 1) / D, (K * K - M_SQRT2 * K + 1) / D};
}

// In place, beginning as if the first value had been there for ever; `step` 1 or -1.
static void pass(const section* s, int n, double* x, int step) {
  double* at = step > 0 ? x : x + n - 1;
  double z2 = (s->b2 - s->a2) * *at;
  double z1 = (s->b1 - s->a1) * *at + z2;
  for (int i = 0; i < n; i++, at += step) {
    const double in = *at, out = s->b0 * in + z1;
    z1 = s->b1 * in - s->a1 * out + z2;
    z2 = s->b2 * in - s->a2 * out;
    *at = out;
  }
}

void lb_signal_low_pass(int n, double step, double cutoff, double* x, int stride, double* scratch) {
  // Two passes have the gain 1/(1 + (f/f0)^4): 1/sqrt(2) is at f = f0 (sqrt(2) - 1)^(1/4).
  const double raised = cutoff * step / pow(M_SQRT2 - 1, 0.25);
  const section s = butterworth(raised);
  // The signal goes on beyond its ends, turned about them, for as long as the filter remembers.
  const double memory = ceil(3 / raised);
  const int pad = memory < n - 1 ? (int)memory : n - 1;
  double* y = scratch + pad;
  for (int i = 0; i < n; i++) {
    y[i] = x[(long)i * stride];
  }
  for (int i = 1; i <= pad; i++) {
    y[-i] = 2 * y[0] - y[i];
    y[n - 1 + i] = 2 * y[n - 1] - y[n - 1 - i];
  }
  pass(&s, n + 2 * pad, scratch, 1);
  pass(&s, n + 2 * pad, scratch, -1);
  for (int i = 0; i < n; i++) {
    x[(long)i * stride] = y[i];
  }
}
