// Links that move by a chart: what one of them keeps between the passes of a recursion.
#pragma once
#include "base/carve.h"
#include "dynamics/force/switching.h"
#include "dynamics/tree/state.h"
#include "limber/dynamics.h"
#include "math/curve/chart.h"

typedef struct lb_general {
  const lb_chart* chart;
  double q[LB_CHART_MOST];
  lb_chart_at at; // seen from the link
  // in the world's axes
  lb_motion S[LB_CHART_MOST];
  lb_motion U[LB_CHART_MOST];              // ABA: (moment, force) of unit accelerations
  double D[LB_CHART_MOST * LB_CHART_MOST]; // ABA: S'U and armature, factored
  double u[LB_CHART_MOST];
} lb_general;

// Their share of a data block.
void lb_general_lay_out(lb_carver* c, const lb_model* m, lb_work* w);

// Switching functions of charts that have knots, as lb_force's.
int lb_general_switching(const lb_model* m, const lb_data* d, lb_switching* out);
