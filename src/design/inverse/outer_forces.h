// Measured forces between their samples.
#pragma once
#include "base/arena.h"
#include "limber/inverse.h"

// The wrenches [nsample][nbody][6], filtered unless the cut-off is NAN.
lb_status lb_outer_forces_filter(const lb_outer_forces* F, double cutoff, lb_arena* arena,
                                 double** wrench, lb_error* err);
// Those of a moment, out [nbody][6]: straight lines between samples, nothing before the first and
// after the last.
void lb_outer_forces_at(const lb_outer_forces* F, const double* wrench, double t, double* out);
