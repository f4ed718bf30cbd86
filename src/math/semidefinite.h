// Symmetric systems that may be singular but have a solution: constraints some of which repeat
// others.
#pragma once

// A x = b with b in x, A positive semidefinite by columns (lower triangle, destroyed): a solution
// in which unknowns beyond A's rank are zero. Pivots below `tolerance` times the largest diagonal
// entry count as zero. `work` has 2 n numbers, `pivot` n. Returns the rank. Allocates nothing.
int lb_solve_semidefinite(int n, double* A, int lda, double* x, double tolerance, double* work,
                          int* pivot);

// Rows of A that do not repeat others, in `pivot` from 0; returns how many. A is destroyed; `work`
// and `tolerance` as above.
int lb_semidefinite_rows(int n, double* A, int lda, double tolerance, double* work, int* pivot);
