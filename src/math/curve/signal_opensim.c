// Filter and rates as OpenSim's tools have them, to compare with their results. Nobody should
// prefer them: a signal that is turned about its end has no curvature there.
//
// The signal is continued beyond both ends by half its length, turned about the end: 2 x_0 - x_j.
// Then comes Butterworth's filter of third order, forward and backward, with
//   H = 1 / (s^3 + 2 s^2 + 2 s + 1),   s = (1 - z) / (w (1 + z)),   w = tan(pi cutoff step)
// and z the delay; the first three samples of each pass are those of its input. Rates are those of
// the natural spline of degree five through all of that.
//
// Of the spline, slopes d and curvatures e at the samples (by their number) are unknown. The
// polynomial of degree five between two samples with difference D has, at its start and end,
//   p'''  = 60 D - 36 d0 - 24 d1 - 9 e0 + 3 e1,        60 D - 24 d0 - 36 d1 - 3 e0 + 9 e1
//   p'''' = -360 D + 192 d0 + 168 d1 + 36 e0 - 24 e1,  360 D - 168 d0 - 192 d1 - 24 e0 + 36 e1
// Both are continuous, and zero at the ends: two equations for each sample, with its neighbours.
#include <math.h>
#include <string.h>

#include "math/curve/signal.h"

typedef struct mat2 {
  double a, b, c, d; // rows
} mat2;

typedef struct vec2 {
  double x, y;
} vec2;

static mat2 mul(mat2 p, mat2 q) {
  return (mat2){p.a * q.a + p.b * q.c, p.a * q.b + p.b * q.d, p.c * q.a + p.d * q.c,
                p.c * q.b + p.d * q.d};
}

static vec2 apply(mat2 p, vec2 v) {
  return (vec2){p.a * v.x + p.b * v.y, p.c * v.x + p.d * v.y};
}

static mat2 minus(mat2 p, mat2 q) {
  return (mat2){p.a - q.a, p.b - q.b, p.c - q.c, p.d - q.d};
}

static mat2 inverse(mat2 p) {
  const double D = p.a * p.d - p.b * p.c;
  return (mat2){p.d / D, -p.b / D, -p.c / D, p.a / D};
}

// Equations of sample i: A u_(i-1) + B u_i + C u_(i+1) = r with u = (d, e).
typedef struct equations {
  mat2 A, B, C;
  vec2 r;
} equations;

static equations at_sample(int n, const double* x, int i) {
  if (i == 0) {
    const double D = x[1] - x[0];
    return (equations){.B = {36, 9, 192, 36}, .C = {24, -3, 168, -24}, .r = {60 * D, 360 * D}};
  }
  if (i == n - 1) {
    const double D = x[i] - x[i - 1];
    return (equations){.A = {24, 3, 168, 24}, .B = {36, -9, 192, -36}, .r = {60 * D, 360 * D}};
  }
  return (equations){.A = {-24, -3, 168, 24},
                     .B = {0, 18, 384, 0},
                     .C = {24, -3, 168, -24},
                     .r = {60 * (x[i + 1] - 2 * x[i] + x[i - 1]), 360 * (x[i + 1] - x[i - 1])}};
}

// Slopes and curvatures u [n] by the samples' number; scratch [n]. Elimination, block by block.
static void spline(int n, const double* x, vec2* u, mat2* scratch) {
  for (int i = 0; i < n; i++) {
    equations e = at_sample(n, x, i);
    if (i > 0) {
      e.B = minus(e.B, mul(e.A, scratch[i - 1]));
      const vec2 v = apply(e.A, u[i - 1]);
      e.r = (vec2){e.r.x - v.x, e.r.y - v.y};
    }
    const mat2 inv = inverse(e.B);
    scratch[i] = mul(inv, e.C);
    u[i] = apply(inv, e.r);
  }
  for (int i = n - 2; i >= 0; i--) {
    const vec2 v = apply(scratch[i], u[i + 1]);
    u[i] = (vec2){u[i].x - v.x, u[i].y - v.y};
  }
}

// One pass over x, `way` 1 or -1, from `in`, a copy of it.
static void pass(int n, double w, const double* in, double* x, int way) {
  const double a = 1 + 2 * w + 2 * w * w + w * w * w, b = w * w * w / a;
  const double a1 = (-3 - 2 * w + 2 * w * w + 3 * w * w * w) / a;
  const double a2 = (3 - 2 * w - 2 * w * w + 3 * w * w * w) / a;
  const double a3 = (-1 + 2 * w - 2 * w * w + w * w * w) / a;
  const int first = way > 0 ? 0 : n - 1;
  for (int k = 3; k < n; k++) {
    const int i = first + way * k, p = i - way, q = p - way, r = q - way;
    x[i] = b * (in[i] + 3 * in[p] + 3 * in[q] + in[r]) - a1 * x[p] - a2 * x[q] - a3 * x[r];
  }
}

void lb_signal_opensim(int n, double step, double cutoff, double* x, int stride, double* slope,
                       double* curvature, int rate_stride, double* scratch) {
  const int pad = n / 2, m = n + 2 * pad;
  double *y = scratch, *copy = y + m;
  for (int i = 0; i < m; i++) {
    const int j = i - pad;
    const long at = j < 0 ? -j : j >= n ? 2 * (n - 1) - j : j, end = j < 0 ? 0 : n - 1;
    y[i] = j < 0 || j >= n ? 2 * x[end * stride] - x[at * stride] : x[at * stride];
  }
  const double w = tan(M_PI * cutoff * step);
  for (int way = 1; way >= -1 && !isnan(cutoff); way -= 2) {
    memcpy(copy, y, (size_t)m * sizeof *y);
    pass(m, w, copy, y, way);
  }
  vec2* u = (vec2*)(copy + m);
  spline(m, y, u, (mat2*)(u + m));
  for (int i = 0; i < n; i++) {
    x[(long)i * stride] = y[pad + i];
    slope[(long)i * rate_stride] = u[pad + i].x / step;
    curvature[(long)i * rate_stride] = u[pad + i].y / (step * step);
  }
}
