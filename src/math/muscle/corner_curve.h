// Corner curves: smooth curves y(x) through points with slopes, each piece a quintic Bezier corner
// between the tangents of its ends; straight beyond the first and the last point. Nothing here
// allocates.                                  Millard, Uchida, Seth, Delp 2013, J. Biomech. Eng.
#pragma once
#include <stdbool.h>

enum { LB_CORNER_MOST = 5, LB_CORNER_CELLS = 64, LB_CORNER_COEFFICIENTS = 6 };

// Value of a curve with its first and second derivative.
typedef struct lb_curve_value {
  double y, slope, bend;
} lb_curve_value;

// A point on a curve, with its slope.
typedef struct lb_corner_point {
  double x, y, slope;
} lb_corner_point;

// A piece: x and y as polynomials of u in [0, 1].
typedef struct lb_corner {
  lb_corner_point from, to;
  double x[LB_CORNER_COEFFICIENTS], y[LB_CORNER_COEFFICIENTS];
  // u at equally spaced x, and its slope over a cell, to start from
  double u[LB_CORNER_CELLS + 1], rise[LB_CORNER_CELLS + 1];
} lb_corner;

typedef struct lb_corner_curve {
  int count;
  lb_corner piece[LB_CORNER_MOST];
} lb_corner_curve;

// Curve through count + 1 points; curviness [count] of each corner, from 0 (round) to 1 (sharp).
// false: two tangents do not meet between their points.
bool lb_corner_curve_make(lb_corner_curve* curve, int count, const lb_corner_point* point,
                          const double* curviness);

lb_curve_value lb_corner_curve_at(const lb_corner_curve* curve, double x);

// x at which a rising curve has the value y; of a flat part, the end that is reached first from its
// middle. Beyond ends without slope: the end.
double lb_corner_curve_inverse(const lb_corner_curve* curve, double y);
