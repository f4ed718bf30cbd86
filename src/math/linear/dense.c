// Small factorisations, by columns. At these sizes plain loops that the compiler can vectorise beat
// a call to BLAS.
#include "math/linear/dense.h"

#include <math.h>

// column -= s * from, rows first ... n - 1
static void subtract_scaled(double* restrict column, double s, const double* restrict from,
                            int first, int n) {
  for (int i = first; i < n; i++) {
    column[i] -= s * from[i];
  }
}

// Subtraction of four columns at a time, `lda` apart, scaled by their entries in row `first`: the
// column is then read and written a quarter as often. Columns of other blocks of a matrix that has
// blocks on its diagonal alone are zero there.
static void subtract_four(double* restrict column, const double* restrict from, size_t lda,
                          int first, int n) {
  const double *f0 = from, *f1 = f0 + lda, *f2 = f1 + lda, *f3 = f2 + lda;
  const double s0 = f0[first], s1 = f1[first], s2 = f2[first], s3 = f3[first];
  if (s0 == 0 && s1 == 0 && s2 == 0 && s3 == 0) {
    return;
  }
  for (int i = first; i < n; i++) {
    column[i] -= (s0 * f0[i] + s1 * f1[i]) + (s2 * f2[i] + s3 * f3[i]);
  }
}

// a . b over first ... n - 1, in eight sums of their own, which the compiler may put in one
// register.
static double dot_from(const double* restrict a, const double* restrict b, int first, int n) {
  double s[8] = {0};
  int i = first;
  for (; i + 8 <= n; i += 8) {
    for (int l = 0; l < 8; l++) {
      s[l] += a[i + l] * b[i + l];
    }
  }
  for (int l = 0; i + l < n; l++) {
    s[l] += a[i + l] * b[i + l];
  }
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

lb_status lb_cholesky(int n, double* A, int lda) {
  for (int j = 0; j < n; j++) {
    double* a = A + (size_t)j * (size_t)lda;
    int k = 0;
    for (; k + 4 <= j; k += 4) {
      subtract_four(a, A + (size_t)k * (size_t)lda, (size_t)lda, j, n);
    }
    for (; k < j; k++) {
      const double* l = A + (size_t)k * (size_t)lda;
      subtract_scaled(a, l[j], l, j, n);
    }
    if (!(a[j] > 0)) { // also when it is not a number
      return LB_FAILED;
    }
    const double s = 1 / sqrt(a[j]);
    for (int i = j; i < n; i++) {
      a[i] *= s;
    }
  }
  return LB_OK;
}

// b = L^-1 b with a unit diagonal or L's own.
static void solve_lower(int n, const double* L, int lda, double* b, bool unit) {
  for (int j = 0; j < n; j++) {
    const double* l = L + (size_t)j * (size_t)lda;
    if (!unit) {
      b[j] /= l[j];
    }
    if (b[j] != 0) { // as it is above the first that is not
      subtract_scaled(b, b[j], l, j + 1, n);
    }
  }
}

// b = L'^-1 b
static void solve_lower_transposed(int n, const double* L, int lda, double* b, bool unit) {
  int end = n;
  while (end > 0 && b[end - 1] == 0) { // zeros stay
    end--;
  }
  for (int j = end - 1; j >= 0; j--) {
    const double* l = L + (size_t)j * (size_t)lda;
    const double sum = b[j] - dot_from(l, b, j + 1, end);
    b[j] = unit ? sum : sum / l[j];
  }
}

void lb_cholesky_solve(int n, const double* L, int lda, int nrhs, double* B, int ldb) {
  for (int c = 0; c < nrhs; c++) {
    double* b = B + (size_t)c * (size_t)ldb;
    solve_lower(n, L, lda, b, false);
    solve_lower_transposed(n, L, lda, b, false);
  }
}

static int largest_below(const double* column, int first, int n) {
  int most = first;
  for (int i = first + 1; i < n; i++) {
    if (fabs(column[i]) > fabs(column[most])) {
      most = i;
    }
  }
  return most;
}

static void exchange(double* a, double* b) {
  const double t = *a;
  *a = *b;
  *b = t;
}

// column -= L's columns k ... k + 3 times what they find in the column: four at a time where L is
// full, one by one in the triangle on top of that.
static void eliminate_four(double* restrict column, const double* restrict L, size_t lda, int k,
                           int n) {
  const double *l0 = L + (size_t)k * lda, *l1 = l0 + lda, *l2 = l1 + lda, *l3 = l2 + lda;
  const double s0 = column[k];
  const double s1 = column[k + 1] -= s0 * l0[k + 1];
  const double s2 = column[k + 2] -= s0 * l0[k + 2] + s1 * l1[k + 2];
  const double s3 = column[k + 3] -= s0 * l0[k + 3] + s1 * l1[k + 3] + s2 * l2[k + 3];
  for (int i = k + 4; i < n; i++) {
    column[i] -= (s0 * l0[i] + s1 * l1[i]) + (s2 * l2[i] + s3 * l3[i]);
  }
}

// Column by column, each with all that stands to its left: it is then written a quarter as often as
// when every pivot goes through all columns to its right.
lb_status lb_lu(int n, double* A, int lda, int* pivot) {
  for (int j = 0; j < n; j++) {
    double* a = A + (size_t)j * (size_t)lda;
    for (int k = 0; k < j; k++) {
      exchange(&a[k], &a[pivot[k]]);
    }
    int k = 0;
    for (; k + 4 <= j; k += 4) {
      eliminate_four(a, A, (size_t)lda, k, n);
    }
    for (; k < j; k++) {
      subtract_scaled(a, a[k], A + (size_t)k * (size_t)lda, k + 1, n);
    }
    const int p = pivot[j] = largest_below(a, j, n);
    if (!(fabs(a[p]) > 0)) {
      return LB_FAILED;
    }
    for (int c = 0; c <= j && p != j; c++) {
      double* column = A + (size_t)c * (size_t)lda;
      exchange(&column[j], &column[p]);
    }
    const double s = 1 / a[j];
    for (int i = j + 1; i < n; i++) {
      a[i] *= s;
    }
  }
  return LB_OK;
}

void lb_lu_solve(int n, const double* LU, int lda, const int* pivot, int nrhs, double* B, int ldb) {
  for (int c = 0; c < nrhs; c++) {
    double* b = B + (size_t)c * (size_t)ldb;
    for (int j = 0; j < n; j++) {
      exchange(&b[j], &b[pivot[j]]);
    }
    solve_lower(n, LU, lda, b, true);
    for (int j = n - 1; j >= 0; j--) {
      const double* u = LU + (size_t)j * (size_t)lda;
      b[j] /= u[j];
      subtract_scaled(b, b[j], u, 0, j);
    }
  }
}

// A' = U'L'P
void lb_lu_solve_transposed(int n, const double* LU, int lda, const int* pivot, int nrhs, double* B,
                            int ldb) {
  for (int c = 0; c < nrhs; c++) {
    double* b = B + (size_t)c * (size_t)ldb;
    for (int j = 0; j < n; j++) {
      const double* u = LU + (size_t)j * (size_t)lda;
      b[j] = (b[j] - dot_from(u, b, 0, j)) / u[j];
    }
    solve_lower_transposed(n, LU, lda, b, true);
    for (int j = n - 1; j >= 0; j--) {
      exchange(&b[j], &b[pivot[j]]);
    }
  }
}
