// Columns are added one at a time: that with the largest cosine with what is missing. The Cholesky
// factor of N over the columns with a weight gains a row with each, and is made anew from the first
// that lost its weight. A column that was tried is not tried again.
#include "elastic/reduced/cubature_fit.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

// Columns that are equal but for rounding: the first of them is taken, on every processor.
static const double HAIR = 1e-6;

bool lb_cubature_fit_take(lb_cubature_fit* s, lb_arena* arena) {
  const size_t n = (size_t)s->ncolumn, most = (size_t)s->most;
  s->N = LB_TAKE(arena, double, n* n);
  s->Ab = LB_TAKE(arena, double, n);
  s->w = LB_TAKE(arena, double, n);
  s->rest = LB_TAKE(arena, double, n);
  s->tried = LB_TAKE(arena, bool, n);
  s->passive = LB_TAKE(arena, int, most);
  s->L = LB_TAKE(arena, double, most* most);
  s->y = LB_TAKE(arena, double, most);
  s->z = LB_TAKE(arena, double, most);
  return lb_arena_status(arena) == LB_OK;
}

static const double* products(const lb_cubature_fit* s, int column) {
  return s->N + (size_t)column * (size_t)s->ncolumn;
}

// Row n of the Cholesky factor for one more column; false when it depends on those before it.
static bool append(lb_cubature_fit* s, int column) {
  const double* N = products(s, column);
  double* row = s->L + (size_t)s->n * (size_t)s->most;
  double left = N[column] * (1 + 1e-13);
  for (int i = 0; i < s->n; i++) {
    const double* Li = s->L + (size_t)i * (size_t)s->most;
    row[i] = (N[s->passive[i]] - lb_dot(i, row, Li)) / Li[i];
    left -= row[i] * row[i];
  }
  if (!(left > 0)) {
    return false;
  }
  row[s->n] = sqrt(left);
  s->passive[s->n++] = column;
  return true;
}

// Keep the columns that still have a weight; the factor is made anew from the first that has none.
static void drop_empty(lb_cubature_fit* s) {
  const int n = s->n;
  int first = 0;
  while (first < n && s->w[s->passive[first]] > 0) {
    first++;
  }
  s->n = first;
  for (int i = first; i < n; i++) {
    const int column = s->passive[i];
    if (s->w[column] > 0 && !append(s, column)) {
      s->w[column] = 0;
    }
  }
}

// Least squares over the columns with a weight: z = N^-1 A'b.
static void solve_passive(lb_cubature_fit* s) {
  for (int i = 0; i < s->n; i++) {
    const double* Li = s->L + (size_t)i * (size_t)s->most;
    s->y[i] = (s->Ab[s->passive[i]] - lb_dot(i, Li, s->y)) / Li[i];
  }
  memcpy(s->z, s->y, (size_t)s->n * sizeof *s->z);
  for (int i = s->n - 1; i >= 0; i--) {
    const double* Li = s->L + (size_t)i * (size_t)s->most;
    s->z[i] /= Li[i];
    lb_add(i, s->z, -s->z[i], Li);
  }
}

// How far the weights may go towards z before one of them is zero.
static double longest_step(const lb_cubature_fit* s) {
  double step = 1;
  for (int i = 0; i < s->n; i++) {
    const double w = s->w[s->passive[i]];
    if (s->z[i] <= 0) {
      step = fmin(step, w > s->z[i] ? w / (w - s->z[i]) : 0);
    }
  }
  return step;
}

// Weights of all columns so far, from those of before with the new column free (Lawson and Hanson's
// inner loop).
static void solve_weights(lb_cubature_fit* s) {
  double step = 0;
  while (s->n > 0 && step < 1) {
    solve_passive(s);
    step = longest_step(s);
    for (int i = 0; i < s->n; i++) {
      double* w = &s->w[s->passive[i]];
      const double before = *w;
      *w += step * (s->z[i] - before);
      if (s->z[i] <= 0 && *w <= 1e-9 * before) { // it has come down to zero
        *w = 0;
      }
    }
    drop_empty(s);
  }
}

// What is missing, along every candidate; returns its size over that of b.
static double find_rest(lb_cubature_fit* s) {
  memcpy(s->rest, s->Ab, (size_t)s->ncolumn * sizeof *s->rest);
  for (int i = 0; i < s->n; i++) {
    lb_add(s->ncolumn, s->rest, -s->w[s->passive[i]], products(s, s->passive[i]));
  }
  double left = s->bb;
  for (int i = 0; i < s->n; i++) {
    left -= s->w[s->passive[i]] * (s->Ab[s->passive[i]] + s->rest[s->passive[i]]);
  }
  return sqrt(fmax(left, 0) / s->bb);
}

// The candidate with the largest cosine with what is missing; -1: none.
static int best_column(const lb_cubature_fit* s) {
  int best = -1;
  double most = 0;
  for (int i = 0; i < s->ncolumn; i++) {
    const double size = products(s, i)[i];
    const double along = size > 0 && !s->tried[i] ? s->rest[i] / sqrt(size) : 0;
    if (along > (1 + HAIR) * most) {
      most = along;
      best = i;
    }
  }
  return best;
}

double lb_cubature_fit_choose(lb_cubature_fit* s, double tolerance) {
  double error = find_rest(s);
  while (s->n < s->most && error > tolerance) {
    const int column = best_column(s);
    if (column < 0) {
      break;
    }
    s->tried[column] = true;
    if (append(s, column)) {
      solve_weights(s);
      error = find_rest(s);
    }
  }
  return error;
}
