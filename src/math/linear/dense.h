// Dense linear algebra. Matrices are stored by columns, A(i, j) = A[i + j * ld], as in LAPACK.
//
// First small systems, solved in place without allocating: for the blocks of joints, bodies and
// constraints. Then LAPACK for everything larger, with its scratch from an arena (given back before
// returning), so that all memory is the caller's. LB_FAILED always means that the matrix did not
// allow it (singular, not positive definite, no convergence); the outputs are then undefined.
#pragma once
#include "base/arena.h"
#include "limber/status.h"

// --- vectors ---

static inline double lb_dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/// y += s x
static inline void lb_add(int n, double* y, double s, const double* x) {
  for (int i = 0; i < n; i++) {
    y[i] += s * x[i];
  }
}

// --- small: no allocation ---

/// A = L L', symmetric positive definite; reads and writes the lower triangle.
lb_status lb_cholesky(int n, double* A, int lda);
void lb_cholesky_solve(int n, const double* L, int lda, int nrhs, double* B, int ldb);

/// P A = L U with partial pivoting; row i was exchanged with row pivot[i].
lb_status lb_lu(int n, double* A, int lda, int* pivot);
void lb_lu_solve(int n, const double* LU, int lda, const int* pivot, int nrhs, double* B, int ldb);
/// Solution of A'x = b by the same factors.
void lb_lu_solve_transposed(int n, const double* LU, int lda, const int* pivot, int nrhs, double* B,
                            int ldb);

/// A = V diag(w) V', w rising, by Jacobi's rotations: A positive definite, n x n without gaps, is
/// destroyed. Where diagonal entries differ by many orders of magnitude all w keep their digits, as
/// long as A is well conditioned once it is scaled to a diagonal of ones.
void lb_eigen_graded(int n, double* A, double* V, double* w);

// --- BLAS and LAPACK ---

/// y += s A x and y += A' x, A m x n without gaps between its columns.
void lb_columns_add(int m, int n, double* y, double s, const double* A, const double* x);
void lb_columns_dot(int m, int n, double* y, const double* A, const double* x);

/// B = A^-1 B with the factor of lb_cholesky, lda n, and with B by rows of nrhs numbers.
void lb_cholesky_solve_rows(int n, const double* L, int nrhs, double* B);

/// A = V diag(w) V', w rising; the lower triangle of A is read, V takes its place.
lb_status lb_eigen_symmetric(lb_arena* scratch, int n, double* A, int lda, double* w);
/// A v = w B v with B positive definite, w rising, V' B V = I: modes of vibration. V replaces A,
/// the Cholesky factor replaces B.
lb_status lb_eigen_generalised(lb_arena* scratch, int n, double* A, int lda, double* B, int ldb,
                               double* w);

/// The shortest x that minimises |A x - b| for each column b; singular values below `rcond` times
/// the largest count as zero. B has max(m, n) rows, x in its first n. A is destroyed.
/// LB_FAILED: a number is none, or infinite.
lb_status lb_least_squares(lb_arena* scratch, int m, int n, double* A, int lda, int nrhs, double* B,
                           int ldb, double rcond, int* rank);

/// Range and complement of the columns of A, m x n: an orthonormal Q, m x m without gaps, whose
/// first `rank` columns span them, by Householder's reflections with exchanged columns. What is
/// left of a column below `rcond` times the longest counts as zero. A is destroyed.
lb_status lb_range(lb_arena* scratch, int m, int n, double* A, int lda, double rcond, double* Q,
                   int* rank);

/// C = A B and C = A' B, C m x n and all without gaps between their columns; k numbers are summed.
void lb_columns_multiply(int m, int n, int k, double* C, const double* A, const double* B);
void lb_columns_multiply_transposed(int m, int n, int k, double* C, const double* A,
                                    const double* B);
