// LAPACK behind the library's conventions: the functions that take their scratch from outside, so
// no memory is asked for behind the caller's back, and one status for what the matrix did not
// allow.
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/linear/dense.h"

// LAPACK's own return value: 0 done, > 0 the matrix did not allow it, < 0 a bad argument.
static lb_status outcome(lapack_int info) {
  LB_ASSERT(info >= 0);
  return info == 0 ? LB_OK : LB_FAILED;
}

// Scratch sizes come back as doubles.
static lapack_int size_of(double asked) {
  return (lapack_int)ceil(asked);
}

void lb_columns_add(int m, int n, double* y, double s, const double* A, const double* x) {
  if (m > 0 && n > 0) {
    cblas_dgemv(CblasColMajor, CblasNoTrans, m, n, s, A, m, x, 1, 1, y, 1);
  }
}

void lb_columns_dot(int m, int n, double* y, const double* A, const double* x) {
  if (m > 0 && n > 0) {
    cblas_dgemv(CblasColMajor, CblasTrans, m, n, 1, A, m, x, 1, 1, y, 1);
  }
}

// Solution by rows: there the lower L is the upper L'.
void lb_cholesky_solve_rows(int n, const double* L, int nrhs, double* B) {
  if (n > 0 && nrhs > 0) {
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, n, nrhs, 1, L, n, B,
                nrhs);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, n, nrhs, 1, L, n,
                B, nrhs);
  }
}

lb_status lb_eigen_symmetric(lb_arena* scratch, int n, double* A, int lda, double* w) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  lb_status status = LB_NO_MEMORY;
  double asked = 1;
  lapack_int iasked = 1;
  LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, A, lda, w, &asked, -1, &iasked, -1);
  double* work = LB_TAKE(scratch, double, size_of(asked));
  lapack_int* iwork = LB_TAKE(scratch, lapack_int, iasked);
  if (work && iwork) {
    status = outcome(LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, A, lda, w, work,
                                         size_of(asked), iwork, iasked));
  }
  lb_arena_reset(scratch, mark);
  return status;
}

lb_status lb_eigen_generalised(lb_arena* scratch, int n, double* A, int lda, double* B, int ldb,
                               double* w) {
  enum { A_V_IS_W_B_V = 1 };
  const lb_arena_mark mark = lb_arena_here(scratch);
  lb_status status = LB_NO_MEMORY;
  double asked = 1;
  lapack_int iasked = 1;
  LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, A_V_IS_W_B_V, 'V', 'L', n, A, lda, B, ldb, w, &asked, -1,
                      &iasked, -1);
  double* work = LB_TAKE(scratch, double, size_of(asked));
  lapack_int* iwork = LB_TAKE(scratch, lapack_int, iasked);
  if (work && iwork) {
    status = outcome(LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, A_V_IS_W_B_V, 'V', 'L', n, A, lda, B,
                                         ldb, w, work, size_of(asked), iwork, iasked));
  }
  lb_arena_reset(scratch, mark);
  return status;
}

// LAPACK's singular values need not end where a number is none.
static bool all_finite(int m, int n, const double* A, int lda) {
  bool finite = true;
  for (int j = 0; j < n && finite; j++) {
    for (int i = 0; i < m; i++) {
      finite &= (bool)isfinite(A[(size_t)j * (size_t)lda + (size_t)i]);
    }
  }
  return finite;
}

lb_status lb_least_squares(lb_arena* scratch, int m, int n, double* A, int lda, int nrhs, double* B,
                           int ldb, double rcond, int* rank) {
  if (!all_finite(m, n, A, lda) || !all_finite(m, nrhs, B, ldb)) {
    return LB_FAILED;
  }
  const lb_arena_mark mark = lb_arena_here(scratch);
  lb_status status = LB_NO_MEMORY;
  double asked = 1;
  lapack_int iasked = 1, found = 0;
  double* s = LB_TAKE(scratch, double, m < n ? m : n);
  LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, nrhs, A, lda, B, ldb, s, rcond, &found, &asked, -1,
                      &iasked);
  double* work = LB_TAKE(scratch, double, size_of(asked));
  lapack_int* iwork = LB_TAKE(scratch, lapack_int, iasked);
  if (s && work && iwork) {
    status = outcome(LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, nrhs, A, lda, B, ldb, s, rcond,
                                         &found, work, size_of(asked), iwork));
  }
  if (status == LB_OK) {
    *rank = found;
  }
  lb_arena_reset(scratch, mark);
  return status;
}

lb_status lb_range(lb_arena* scratch, int m, int n, double* A, int lda, double rcond, double* Q,
                   int* rank) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  const int least = m < n ? m : n;
  lb_status status = LB_NO_MEMORY;
  double asked[2] = {1, 1};
  lapack_int* exchange = LB_TAKE(scratch, lapack_int, n);
  double* tau = LB_TAKE(scratch, double, least);
  LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, A, lda, exchange, tau, &asked[0], -1);
  LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, m, m, least, Q, m, tau, &asked[1], -1);
  const lapack_int size = size_of(fmax(asked[0], asked[1]));
  double* work = LB_TAKE(scratch, double, size);
  if (exchange && tau && work) {
    status =
        outcome(LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, A, lda, exchange, tau, work, size));
    for (*rank = 0; *rank < least && fabs(A[*rank * (lda + 1)]) > rcond * fabs(A[0]);) {
      ++*rank;
    }
    for (int j = 0; j < least; j++) {
      memcpy(Q + (size_t)j * (size_t)m, A + (size_t)j * (size_t)lda, (size_t)m * sizeof *Q);
    }
    status =
        status == LB_OK
            ? outcome(LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, m, m, least, Q, m, tau, work, size))
            : status;
  }
  lb_arena_reset(scratch, mark);
  return status;
}

void lb_columns_multiply(int m, int n, int k, double* C, const double* A, const double* B) {
  if (m > 0 && n > 0 && k > 0) {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, A, m, B, k, 0, C, m);
  }
}

void lb_columns_multiply_transposed(int m, int n, int k, double* C, const double* A,
                                    const double* B) {
  if (m > 0 && n > 0 && k > 0) {
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, 1, A, k, B, k, 0, C, m);
  }
}
