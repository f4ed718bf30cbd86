#include "math/linear/semidefinite.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

_Static_assert(sizeof(lapack_int) == sizeof(int), "LAPACK with 32-bit integers");

int lb_semidefinite_factor(int n, double* A, int lda, double tolerance, double* work, int* pivot) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, A[i + i * lda]);
  }
  int rank = 0;
  if (n == 0) {
    return 0; // which LAPACK would complain about
  }
  LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', n, A, lda, pivot, &rank, tolerance * largest, work);
  return rank;
}

int lb_semidefinite_rows(int n, double* A, int lda, double tolerance, double* work, int* pivot) {
  const int rank = lb_semidefinite_factor(n, A, lda, tolerance, work, pivot);
  for (int i = 0; i < n; i++) {
    pivot[i]--;
  }
  return rank;
}

void lb_semidefinite_solve(int n, const double* A, int lda, int rank, double* x, double* work,
                           const int* pivot) {
  if (rank == 0) {
    memset(x, 0, (size_t)n * sizeof *x);
    return;
  }
  for (int i = 0; i < rank; i++) {
    work[i] = x[pivot[i] - 1];
  }
  cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, rank, A, lda, work, 1);
  cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, rank, A, lda, work, 1);
  memset(x, 0, (size_t)n * sizeof *x);
  for (int i = 0; i < rank; i++) {
    x[pivot[i] - 1] = work[i];
  }
}
