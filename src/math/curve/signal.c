#include "math/curve/signal.h"

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

// --- ends ---

// Start of a signal: value, and second derivative by the sample's number.
typedef struct signal_end {
  double value, curvature;
} signal_end;

// A polynomial of degree `DEGREE` through the samples within REACH periods of the cut-off, by least
// squares with the weights (1 - i/m)^2, so that what is far away takes little part. Less reach
// follows quicker signals and more noise: with these the curvature errs by 7 % for a sine at a
// sixth of the cut-off and by 1 % at a twelfth, and noise moves it three times as far as the filter
// lets it move the curvature in the middle of a signal.
enum { DEGREE = 4 };
static const double REACH = 2;

// A polynomial of s = i/m at the samples, and itself and its two derivatives at s = 0.
typedef struct basis {
  double *at, zero[3];
} basis;

// The next of the monic polynomials that are orthogonal under the weights (Stieltjes):
//   p_k+1 = (s - alpha) p_k - beta p_k-1,  alpha = <s p_k, p_k> / <p_k, p_k>,
//                                          beta = <p_k, p_k> / <p_k-1, p_k-1>
// takes the place of p_k-1.
static void next_polynomial(int m, double alpha, double beta, const basis* p, basis* last) {
  for (int i = 0; i < m; i++) {
    last->at[i] = ((double)i / m - alpha) * p->at[i] - beta * last->at[i];
  }
  for (int r = 2; r >= 0; r--) {
    const double lower = r > 0 ? r * p->zero[r - 1] : 0;
    last->zero[r] = lower - alpha * p->zero[r] - beta * last->zero[r];
  }
}

// The fit is sum_k <x, p_k> / <p_k, p_k> p_k. `scratch` has 2 m numbers.
static signal_end fit_end(int m, const double* x, long stride, double* scratch) {
  basis p = {scratch, {1, 0, 0}}, last = {scratch + m, {0, 0, 0}};
  for (int i = 0; i < m; i++) {
    p.at[i] = 1;
    last.at[i] = 0;
  }
  signal_end end = {0, 0};
  double before = 1;
  for (int k = 0; k <= DEGREE && k < m; k++) {
    double size = 0, moment = 0, along = 0;
    for (int i = 0; i < m; i++) {
      const double s = (double)i / m, weighted = (1 - s) * (1 - s) * p.at[i];
      size += weighted * p.at[i];
      moment += weighted * p.at[i] * s;
      along += weighted * x[i * stride];
    }
    end.value += along / size * p.zero[0];
    end.curvature += along / size * p.zero[2] / ((double)m * m);
    next_polynomial(m, moment / size, k > 0 ? size / before : 0, &p, &last);
    const basis made = last;
    last = p;
    p = made;
    before = size;
  }
  return end;
}

// The signal goes on beyond its first sample as a parabola less what it is above the parabola on
// this side. With a and c its value and curvature there, its slope is in both:
//
//   x(-i) = p(-i) - (x(i) - p(i)) = p(-i) + p(i) - x(i) = 2 a + c i^2 - x(i)
//
// so that slope and third derivative go on by themselves, whatever they are, and the fourth jumps.
// Turned about its end alone (c = 0) a signal would have no curvature there, and the filter would
// take away what it has: all of an acceleration. The first sample is its own image, and the mean of
// the two is a. A filter that is even in time and leaves parabolas alone returns a and c there.
static void go_on(signal_end end, int pad, double* y, int inward) {
  y[0] = end.value;
  for (int i = 1; i <= pad; i++) {
    y[-i * inward] = 2 * end.value + end.curvature * i * i - y[i * inward];
  }
}

void lb_signal_low_pass(int n, double step, double cutoff, double* x, int stride, double* scratch) {
  // Two passes have the gain 1/(1 + (f/f0)^4): 1/sqrt(2) is at f = f0 (sqrt(2) - 1)^(1/4).
  const double raised = cutoff * step / pow(M_SQRT2 - 1, 0.25);
  const section s = butterworth(raised);
  const double reach = ceil(REACH / (cutoff * step));
  const int m = reach < n ? (int)reach : n;
  const signal_end first = fit_end(m, x, stride, scratch),
                   last = fit_end(m, x + (long)(n - 1) * stride, -(long)stride, scratch);
  // beyond the ends for as long as the filter remembers
  const double memory = ceil(3 / raised);
  const int pad = memory < n - 1 ? (int)memory : n - 1;
  double* y = scratch + pad;
  for (int i = 0; i < n; i++) {
    y[i] = x[(long)i * stride];
  }
  go_on(first, pad, y, 1);
  go_on(last, pad, y + n - 1, -1);
  pass(&s, n + 2 * pad, scratch, 1);
  pass(&s, n + 2 * pad, scratch, -1);
  for (int i = 0; i < n; i++) {
    x[(long)i * stride] = y[i];
  }
}
