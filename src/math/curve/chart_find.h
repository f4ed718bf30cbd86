// The inverse of a chart: coordinates from a place.
#pragma once
#include "math/curve/chart.h"

// Preferred coordinates where several mean the same place: those between the bounds if there are
// any, and of these the ones next to `near`. Whole turns are counted as bounds want it that are
// less than one apart.
typedef struct lb_chart_target {
  double lower[LB_CHART_MOST], upper[LB_CHART_MOST], near[LB_CHART_MOST];
} lb_chart_target;

// The coordinates at which Q(q) is R, p, or comes nearest; returns what is left, the length of
// rotation vector and distance together [rad, m].
double lb_chart_find(const lb_chart* c, double* q, lb_m3 R, lb_v4 p, const lb_chart_target* wish);

// Preferred one of the numbers q + i period for coordinate k.
double lb_chart_unwind(const lb_chart_target* wish, int k, double q, double period);
