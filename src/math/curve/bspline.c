// B-splines by the Cox-de Boor recursion, run in the triangle of basis functions that are not zero.
#include "math/curve/bspline.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/linear/band.h"

static double spacing(const lb_bspline* spline) {
  return (spline->end - spline->start) / (spline->count - spline->degree);
}

double lb_bspline_knot(const lb_bspline* spline, int i) {
  const int nspan = spline->count - spline->degree;
  int k = i - spline->degree;
  if (spline->clamped) {
    k = k < 0 ? 0 : k > nspan ? nspan : k;
  }
  return k == nspan ? spline->end : spline->start + k * spacing(spline);
}

int lb_bspline_span(const lb_bspline* spline, double t) {
  const int p = spline->degree, last = spline->count - p - 1;
  const double s = (t - spline->start) / spacing(spline);
  int span = !(s >= 1) ? 0 : s >= last ? last : (int)s;
  // the division may have rounded across a knot
  if (span > 0 && t < lb_bspline_knot(spline, span + p)) {
    span--;
  } else if (span < last && t >= lb_bspline_knot(spline, span + p + 1)) {
    span++;
  }
  return span;
}

// One degree up: from the d functions of degree d - 1 on the span to the d + 1 of degree d.
//
//   N_i,d(t) = (t - k_i)/(k_i+d - k_i) N_i,d-1 + (k_i+d+1 - t)/(k_i+d+1 - k_i+1) N_i+1,d-1
//
// `knot` points at the span's left knot. Each function of degree d - 1 is handed on in two parts.
static void raise_degree(double* N, int d, const double* knot, double t) {
  double carried = 0;
  for (int r = 0; r < d; r++) {
    const double right = knot[r + 1] - t, left = t - knot[r + 1 - d];
    const double part = N[r] / (knot[r + 1] - knot[r + 1 - d]);
    N[r] = carried + right * part;
    carried = left * part;
  }
  N[d] = carried;
}

// Recursion for derivatives of the next order:
//
//   N'_i,d = d (N_i,d-1 / (k_i+d - k_i) - N_i+1,d-1 / (k_i+d+1 - k_i+1))
static void raise_derivative(double* N, int d, const double* knot) {
  double carried = 0;
  for (int r = 0; r < d; r++) {
    const double part = d * N[r] / (knot[r + 1] - knot[r + 1 - d]);
    N[r] = carried - part;
    carried = part;
  }
  N[d] = carried;
}

void lb_bspline_basis(const lb_bspline* spline, lb_bspline_row* N, int span, double t, int order) {
  const int p = spline->degree;
  LB_ASSERT(p >= 0 && p <= LB_BSPLINE_MOST_DEGREE && spline->count > p);
  // the 2p knots around the span; `knot` at its left end
  double around[2 * LB_BSPLINE_MOST_ORDER];
  for (int i = 0; i < 2 * p + 2; i++) {
    around[i] = lb_bspline_knot(spline, span + i);
  }
  const double* knot = around + p;
  // the k-th derivative in degree p: values up to degree p - k, then k derivative steps
  for (int k = 0; k <= order; k++) {
    memset(N[k], 0, sizeof N[k]);
    if (k > p) {
      continue;
    }
    N[k][0] = 1;
    for (int d = 1; d <= p; d++) {
      if (d <= p - k) {
        raise_degree(N[k], d, knot, t);
      } else {
        raise_derivative(N[k], d, knot);
      }
    }
  }
}

void lb_bspline_evaluate(const lb_bspline* spline, double* out, const double* control, double t,
                         int order) {
  const int span = lb_bspline_span(spline, t);
  lb_bspline_row N[LB_BSPLINE_MOST_ORDER];
  const int most = order < spline->degree ? order : spline->degree;
  lb_bspline_basis(spline, N, span, t, most);
  for (int k = 0; k <= order; k++) {
    out[k] = 0;
    for (int r = 0; k <= most && r <= spline->degree; r++) {
      out[k] += N[k][r] * control[span + r];
    }
  }
}

lb_status lb_bspline_fit(const lb_bspline* spline, double* control, double* scratch, int nsample,
                         const double* t, const double* value) {
  const int p = spline->degree, n = spline->count;
  memset(scratch, 0, (size_t)n * (size_t)(p + 1) * sizeof *scratch);
  memset(control, 0, (size_t)n * sizeof *control);
  for (int k = 0; k < nsample; k++) {
    lb_bspline_row N[1];
    const int span = lb_bspline_span(spline, t[k]);
    lb_bspline_basis(spline, N, span, t[k], 0);
    for (int r = 0; r <= p; r++) {
      control[span + r] += N[0][r] * value[k];
      for (int c = r; c <= p; c++) {
        scratch[(span + r) * (p + 1) + c - r] += N[0][r] * N[0][c];
      }
    }
  }
  const lb_status status = lb_band_cholesky(n, p, scratch);
  if (status == LB_OK) {
    lb_band_solve(n, p, scratch, control);
  }
  return status;
}
