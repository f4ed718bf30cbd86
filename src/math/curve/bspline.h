// B-splines on equally spaced knots, of degree 0 to 5, with derivatives of any order. The knots are
// computed, not stored, so a spline is a small value and nothing here allocates.
//
// A spline of n control points and degree p has n - p spans of equal length on [start, end].
// Clamped ones repeat the end knots and so start and end in their first and last control points;
// uniform ones keep the spacing beyond the ends. Outside [start, end] the first and last polynomial
// go on.
#pragma once
#include <stdbool.h>

#include "limber/status.h"

enum { LB_BSPLINE_MOST_DEGREE = 5, LB_BSPLINE_MOST_ORDER = LB_BSPLINE_MOST_DEGREE + 1 };

typedef struct lb_bspline {
  int degree;
  int count; ///< control points, more than the degree
  double start, end;
  bool clamped;
} lb_bspline;

/// Row k holds the k-th derivatives of the degree + 1 basis functions that are not zero.
typedef double lb_bspline_row[LB_BSPLINE_MOST_ORDER];

/// Position of knot i, 0 <= i <= count + degree.
double lb_bspline_knot(const lb_bspline* spline, int i);

/// The span that holds t, 0 <= span < count - degree; the basis functions of control points span
/// ... span + degree are not zero on it.
int lb_bspline_span(const lb_bspline* spline, double t);

/// Values and derivatives up to `order` of the basis functions of a span at t: N[order + 1].
void lb_bspline_basis(const lb_bspline* spline, lb_bspline_row* N, int span, double t, int order);

/// Derivatives 0 ... order of the spline with these control points: out[order + 1].
void lb_bspline_evaluate(const lb_bspline* spline, double* out, const double* control, double t,
                         int order);

/// Control points whose spline is nearest to nsample samples in the sense of least squares.
/// `scratch` has count * (degree + 1) entries. LB_FAILED: the samples leave a control point
/// undetermined.
lb_status lb_bspline_fit(const lb_bspline* spline, double* control, double* scratch, int nsample,
                         const double* t, const double* value);
