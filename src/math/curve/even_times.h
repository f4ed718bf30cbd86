// Times of samples that a file rounded: even ones, as far as the digits let them be.
#pragma once
#include <stdbool.h>

/// Find times start + i step that the times t[i * stride], which rise, are rounded from: each
/// within half a unit of the last decimal place that any of them has, which is at most a third of
/// a step. Where `rate` [1/s] is given and fits, step = 1 / rate, and times may be 5 % of a step
/// off besides; else a whole number of samples a second is taken where one fits. False: there are
/// none, there are fewer than LB_EVEN_LEAST samples, or the times are even as they stand.
bool lb_even_times(int n, const double* t, int stride, double rate, double* start, double* step);

/// Fewer samples than these may be meant to be uneven.
enum { LB_EVEN_LEAST = 8 };
