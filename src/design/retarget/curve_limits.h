// What motors' curves must keep to, as bounds on linear functions of the control points. A spline
// lies within the hull of its control points, and so do its derivatives, which are splines with
// control points of their own,
//
//   d1_k = 3 (c_k+1 - c_k) / (t_k+4 - t_k+1),   d2_k = 2 (d1_k+1 - d1_k) / (t_k+4 - t_k+2)
//
// with knots t, so bounds on all of these hold at all times; of accelerations, which are straight
// between knots, they are exact.
#pragma once
#include "design/retarget/retarget_search.h"

typedef struct lb_bound {
  int first;        // control point, counted over all motors
  int count;        // of coefficients
  double factor[3]; // of the control points from the first on
  double low, high;
} lb_bound;

typedef struct lb_limits {
  int count;
  lb_bound* bound;   // [count] those that something free has to do with
  double* slack;     // [2 * count] how far inside, of each side
  double* push;      // [2 * count] with what force
  double* stiffness; // [count]
} lb_limits;

lb_limits* lb_limits_create(const lb_retargeting* r, lb_arena* arena);

// The function that a bound is on.
double lb_bound_at(const lb_bound* b, const double* x);

// How far along p from x one may go, 1 at most, for the bounds to hold.
double lb_limits_reach(const lb_limits* l, const double* x, const double* p);

// Say which limit curves exceed; LB_OK when none.
lb_status lb_limits_check(const lb_model* model, const lb_retarget* what, const lb_curves* curves,
                          lb_error* err);
