// Least squares some of whose unknowns may not be negative.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "limber/status.h"

/// The shortest x of those that minimise |A x - b| with x_i >= 0 where unilateral[i]. A is m x n by
/// columns without gaps; singular values below `rcond` times the largest count as zero. LB_FAILED:
/// no convergence.
lb_status lb_nonnegative_least_squares(lb_arena* scratch, int m, int n, const double* A,
                                       const double* b, const bool* unilateral, double rcond,
                                       double* x);
