// Linear complementarity with equations: the conditions of a convex quadratic program in the
// multipliers of its constraints. Nothing here allocates.
#pragma once
#include <stdbool.h>

/// Find x with w = A x + b such that w_i = 0, or, where unilateral[i], w_i >= 0, x_i >= 0 and
/// w_i x_i = 0. A is positive semidefinite by columns (lower triangle read, n x n), and b such that
/// there is a solution; of several it is one. b becomes w. `tolerance` as in semidefinite.h.
/// `part` has n * n numbers, `work` 4 n, `pivot` 2 n.
///
/// A dual method [Goldfarb and Idnani 1983] in terms of A: the multiplier of the row that is
/// violated most rises until the row holds; rows that would pull on the way are let go.
void lb_complementary_solve(int n, const double* A, double* b, const bool* unilateral,
                            double tolerance, double* x, double* part, double* work, int* pivot);
