// Symmetric positive definite matrices with few diagonals. Column j of `band` holds the entries
// (j, j), (j + 1, j) ... (j + p, j) of the lower triangle: band[j * (p + 1) + i - j].
#pragma once
#include <stddef.h>

#include "limber/status.h"

// A = L L' in place. LB_FAILED: not positive definite, but for rounding.
lb_status lb_band_cholesky(int n, int p, double* band);
void lb_band_solve(int n, int p, const double* band, double* x);
