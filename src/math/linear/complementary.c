#include "math/linear/complementary.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"

typedef struct problem {
  int n;
  const double *A, *b;
  const bool* unilateral;
  double tolerance;
  double* x;    // [n]
  double* d;    // [n] decrease of x of the active rows when x of another rises
  double* part; // of A: the rows that act
  int* acting;  // [nacting] their rows of A are independent
  int nacting;
} problem;

static double entry(const problem* p, int i, int j) {
  return i > j ? p->A[i + (long)j * p->n] : p->A[j + (long)i * p->n];
}

static double residual(const problem* p, int i) {
  double sum = p->b[i];
  for (int j = 0; j < p->n; j++) {
    sum += entry(p, i, j) * p->x[j];
  }
  return sum;
}

// --- equations ---

static void take_part(const problem* p) {
  const int k = p->nacting;
  for (int j = 0; j < k; j++) {
    for (int i = j; i < k; i++) {
      p->part[i + (long)j * k] = entry(p, p->acting[i], p->acting[j]);
    }
  }
}

// All equations act but those that are redundant; x solves them.
static void solve_equations(problem* p, double* work, int* pivot) {
  for (int i = 0; i < p->n; i++) {
    if (!p->unilateral[i]) {
      p->acting[p->nacting++] = i;
    }
  }
  const int k = p->nacting;
  if (k == 0) {
    return;
  }
  take_part(p);
  const int rank = lb_semidefinite_factor(k, p->part, k, p->tolerance, work, pivot);
  for (int j = 0; j < k; j++) {
    p->d[j] = -p->b[p->acting[j]];
  }
  lb_semidefinite_solve(k, p->part, k, rank, p->d, work, pivot);
  for (int j = 0; j < k; j++) {
    p->x[p->acting[j]] = p->d[j];
  }
  for (int j = 0; j < rank; j++) { // pivots count from 1
    pivot[j] = p->acting[pivot[j] - 1];
  }
  memcpy(p->acting, pivot, (size_t)rank * sizeof *pivot);
  p->nacting = rank;
}

// --- unilateral constraints ---

// Direction: x of the active rows falls by d, and w of this one rises (the result), with its own x.
static double find_direction(const problem* p, int row) {
  const int k = p->nacting;
  double rise = entry(p, row, row);
  take_part(p);
  for (int j = 0; j < k; j++) {
    p->d[j] = entry(p, p->acting[j], row);
  }
  if (k > 0 && lb_cholesky(k, p->part, k) == LB_OK) {
    lb_cholesky_solve(k, p->part, k, 1, p->d, k);
  }
  for (int j = 0; j < k; j++) {
    rise -= entry(p, p->acting[j], row) * p->d[j];
  }
  return rise;
}

// Longest step of a row's x until an active one would become negative; which.
static double longest_step(const problem* p, int* stops) {
  double step = (double)INFINITY;
  *stops = -1;
  for (int j = 0; j < p->nacting; j++) {
    const int i = p->acting[j];
    if (p->unilateral[i] && p->d[j] > 0 && p->x[i] < step * p->d[j]) {
      step = p->x[i] / p->d[j];
      *stops = j;
    }
  }
  return step;
}

static void drop(problem* p, int j) {
  p->x[p->acting[j]] = 0;
  memmove(p->acting + j, p->acting + j + 1, (size_t)(p->nacting - j - 1) * sizeof *p->acting);
  p->nacting--;
}

// Raise x of a violated row until it holds, letting go of rows on the way. False: it cannot hold.
static bool add_row(problem* p, int row, double w) {
  for (;;) {
    int stops;
    const double rise = find_direction(p, row);
    const bool redundant = !(rise > p->tolerance * entry(p, row, row));
    const double most = longest_step(p, &stops);
    const double wanted = redundant ? (double)INFINITY : -w / rise;
    const double step = fmin(most, wanted);
    if (!isfinite(step)) {
      return false;
    }
    for (int j = 0; j < p->nacting; j++) {
      p->x[p->acting[j]] -= step * p->d[j];
    }
    p->x[row] += step;
    w += redundant ? 0 : step * rise;
    if (wanted <= most) {
      p->acting[p->nacting++] = row;
      return true;
    }
    drop(p, stops);
  }
}

static bool is_acting(const problem* p, int i) {
  for (int j = 0; j < p->nacting; j++) {
    if (p->acting[j] == i) {
      return true;
    }
  }
  return false;
}

// The row that is violated most, by more than `least`, or -1.
static int most_violated(const problem* p, double least, double* w) {
  int worst = -1;
  *w = least;
  for (int i = 0; i < p->n; i++) {
    const double here = p->unilateral[i] && !is_acting(p, i) ? residual(p, i) : 0;
    if (here < *w) {
      *w = here;
      worst = i;
    }
  }
  return worst;
}

void lb_complementary_solve(int n, const double* A, double* b, const bool* unilateral,
                            double tolerance, double* x, double* part, double* work, int* pivot) {
  static const double ROUNDING = 1e-13;
  problem p = {.n = n,
               .A = A,
               .b = b,
               .unilateral = unilateral,
               .tolerance = tolerance,
               .x = x,
               .d = work + 2 * n,
               .part = part,
               .acting = pivot + n};
  double size = 0, w = 0;
  memset(x, 0, (size_t)n * sizeof *x);
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(b[i]));
  }
  solve_equations(&p, work, pivot);
  for (int i = 0; i < 10 * n; i++) { // it ends long before, but for rounding
    const int row = most_violated(&p, -ROUNDING * size, &w);
    if (row < 0 || !add_row(&p, row, w)) {
      break;
    }
  }
  for (int i = 0; i < n; i++) {
    p.d[i] = residual(&p, i);
  }
  memcpy(b, p.d, (size_t)n * sizeof *b);
}
