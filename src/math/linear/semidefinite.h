// Symmetric systems that may be singular but have a solution: constraints some of which are
// redundant. Nothing here allocates.
#pragma once

// Redundancy of a constraint, for all that decide it: the part of its own size, squared, that is
// independent of the others. A sine of 3e-6 from these, or less, is rounding.
#define LB_REDUNDANT 1e-11

// Factor A, positive semidefinite by columns (lower triangle). Pivots below `tolerance` times the
// largest diagonal entry count as zero. `work` has 2 n numbers, `pivot` n. Returns the rank.
int lb_semidefinite_factor(int n, double* A, int lda, double tolerance, double* work, int* pivot);

// A x = b with b in x, from A's factor: a solution in which unknowns beyond A's rank are zero.
// `work` has n numbers.
void lb_semidefinite_solve(int n, const double* A, int lda, int rank, double* x, double* work,
                           const int* pivot);

// Rows of A that are not redundant, in `pivot` from 0; returns how many. A is destroyed; `work`
// and `tolerance` as for the factor.
int lb_semidefinite_rows(int n, double* A, int lda, double tolerance, double* work, int* pivot);
