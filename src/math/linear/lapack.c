// LAPACK behind the library's conventions: the functions that take their scratch from outside, so
// no memory is asked for behind the caller's back, and one status for what the matrix did not
// allow.
#include <cblas.h>
#include <lapacke.h>
#include <math.h>

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

lb_status lb_least_squares(lb_arena* scratch, int m, int n, double* A, int lda, int nrhs, double* B,
                           int ldb, double rcond, int* rank) {
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
