// Plots of searches, drawn as SVG: the objective after each iteration, and curves that were found
// over those they started from.
#pragma once
#include "output/file/out.h"

// The objective after each iteration, on a logarithmic scale: n values `stride` apart, the last of
// iteration `last`.
void lb_report_history(lb_out* out, int n, const double* objective, size_t stride, int last);

// A curve over time: n values evenly spaced, where they started and what was found.
typedef struct lb_report_curve {
  const char* name;
  const char* unit; // NULL: not told
  int n;
  const double *start, *found;
  double least, most; // bounds; infinite: none
  double duration;    // [s]
} lb_report_curve;
void lb_report_draw(lb_out* out, const lb_report_curve* curve);
