#include "solve/implicit/anderson.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

// Redundant pairs are those with less than this part of their squared size left: less would be
// rounding.
static const double APART = 1e-4;

lb_status lb_anderson_create(lb_anderson* s, int n, lb_arena* arena) {
  const size_t all = (3 * (size_t)LB_ANDERSON_MOST + 3) * (size_t)n;
  double* block = LB_TAKE(arena, double, all);
  if (!block) {
    return LB_NO_MEMORY;
  }
  *s = (lb_anderson){.n = n, .first = true};
  double** const part[] = {&s->step, &s->g, &s->r, &s->more, &s->dg, &s->dr};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i] = block;
    block += i < 3 ? (size_t)n : (size_t)LB_ANDERSON_MOST * (size_t)n;
  }
  return LB_OK;
}

void lb_anderson_forget(lb_anderson* s) {
  s->count = s->next = 0;
  s->first = true;
}

void lb_anderson_restart(lb_anderson* s) {
  s->first = true;
}

// A pair takes the place of the oldest one; of the products only those with it are new.
static void keep_pair(lb_anderson* s, const double* g, const double* r) {
  const int n = s->n, at = s->next;
  double *dg = s->dg + at * n, *dr = s->dr + at * n, *more = s->more + at * n;
  for (int i = 0; i < n; i++) {
    dg[i] = g[i] - s->g[i];
    dr[i] = r[i] - s->r[i];
    more[i] = dg[i] - s->step[i];
  }
  s->next = (at + 1) % LB_ANDERSON_MOST;
  s->count = s->count < LB_ANDERSON_MOST ? s->count + 1 : s->count;
  for (int j = 0; j < s->count; j++) {
    s->product[at][j] = s->product[j][at] = lb_dot(n, dg, s->dr + j * n);
  }
}

// c, by normal equations of pairs of unit size, and what they explain of |g|^2; 0: they explain
// nothing.
static double fit(const lb_anderson* s, const double* r, double* c) {
  const int n = s->n, count = s->count;
  double A[LB_ANDERSON_MOST * LB_ANDERSON_MOST], scale[LB_ANDERSON_MOST], along[LB_ANDERSON_MOST];
  for (int i = 0; i < count; i++) {
    if (!(s->product[i][i] > 0)) {
      return 0;
    }
    scale[i] = 1 / sqrt(s->product[i][i]);
    c[i] = along[i] = scale[i] * lb_dot(n, s->dg + i * n, r);
    for (int j = 0; j < i; j++) { // by columns, the lower triangle
      A[j * count + i] = scale[i] * scale[j] * s->product[i][j];
    }
    A[i * count + i] = 1 + APART;
  }
  if (lb_cholesky(count, A, count) != LB_OK) {
    return 0;
  }
  lb_cholesky_solve(count, A, count, 1, c, count);
  const double explained = lb_dot(count, c, along);
  for (int i = 0; i < count; i++) {
    c[i] *= scale[i];
  }
  return explained;
}

double lb_anderson_correct(lb_anderson* s, double* v, const double* g, const double* r) {
  const int n = s->n;
  double c[LB_ANDERSON_MOST];
  if (!s->first) {
    keep_pair(s, g, r);
  }
  s->first = false;
  memcpy(s->g, g, (size_t)n * sizeof *g);
  memcpy(s->r, r, (size_t)n * sizeof *r);
  for (int i = 0; i < n; i++) {
    s->step[i] = -g[i];
  }
  const double size = lb_dot(n, g, r), explained = fit(s, r, c);
  if (explained > 0) {
    for (int i = 0; i < s->count; i++) {
      lb_add(n, s->step, c[i], s->more + i * n);
    }
  }
  lb_add(n, v, 1, s->step);
  return explained > 0 ? sqrt(fmin(1, fmax(APART, 1 - explained / size))) : 1;
}
