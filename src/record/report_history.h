// How a search went, in a report.
#pragma once
#include "record/out.h"

// The objective at the start and after each iteration, the last of which has the number `last`, on
// a logarithmic scale: n numbers, `stride` apart.
void lb_report_history(lb_out* out, int n, const double* objective, size_t stride, int last);
