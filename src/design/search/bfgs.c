#include "design/search/bfgs.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

// Of |s| |y|: pairs that bend less are of no use.
static const double BENDS = 1e-12;

// The i-th pair, the newest first.
static double* pair_at(const lb_bfgs* B, int i) {
  const int slot = ((int)*B->newest - i + B->most) % B->most;
  return B->pair + (size_t)slot * (size_t)lb_bfgs_size(B->n);
}

static double dot(const lb_bfgs* B, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; B->held && i < B->n; i++) {
    sum += B->held[i] ? 0 : a[i] * b[i];
  }
  return B->held ? sum : lb_dot(B->n, a, b);
}

// s'y of what is not held; 0: the pair says nothing of it.
static double bend_of(const lb_bfgs* B, const double* s, const double* y) {
  const double sy = dot(B, s, y);
  return !B->held || sy > 1e-10 * lb_dot(B->n, s, y) ? sy : 0;
}

static double scale(const lb_bfgs* B, const double* s, double* scratch,
                    void (*apply)(const void* context, double* x), const void* context) {
  const double* y = s + B->n;
  memcpy(scratch, y, (size_t)B->n * sizeof *y);
  if (apply) {
    apply(context, scratch);
  }
  const double sy = dot(B, s, y), yHy = dot(B, y, scratch);
  return sy > 0 && yHy > 0 ? sy / yHy : lb_dot(B->n, s, y) / lb_dot(B->n, y, scratch);
}

static void clear_held(const lb_bfgs* B, double* p) {
  for (int i = 0; B->held && i < B->n; i++) {
    p[i] = B->held[i] ? 0 : p[i];
  }
}

void lb_bfgs_apply(const lb_bfgs* B, bool first, double* p, double* scratch,
                   void (*apply)(const void* context, double* x), const void* context) {
  const int n = B->n, count = (int)*B->count;
  clear_held(B, p);
  for (int i = 0; i < count; i++) {
    double *s = pair_at(B, i), *y = s + n, *a = y + n;
    const double sy = bend_of(B, s, y);
    *a = sy > 0 ? dot(B, s, p) / sy : 0;
    lb_add(n, p, -*a, y);
  }
  if (apply) {
    apply(context, p);
  }
  const double factor =
      count > 0 ? scale(B, pair_at(B, first ? count - 1 : 0), scratch, apply, context) : 1;
  for (int i = 0; i < n; i++) {
    p[i] *= factor;
  }
  for (int i = count - 1; i >= 0; i--) {
    const double *s = pair_at(B, i), *y = s + n, *a = y + n;
    const double sy = bend_of(B, s, y);
    if (sy > 0) {
      lb_add(n, p, *a - dot(B, y, p) / sy, s);
    }
  }
  clear_held(B, p);
}

void lb_bfgs_remember(lb_bfgs* B, const double* x, const double* x1, const double* g,
                      const double* g1) {
  const int n = B->n, slot = *B->count > 0 ? ((int)*B->newest + 1) % B->most : 0;
  double *s = B->pair + (size_t)slot * (size_t)lb_bfgs_size(n), *y = s + n;
  for (int i = 0; i < n; i++) {
    s[i] = x1[i] - x[i];
    y[i] = g1[i] - g[i];
  }
  if (lb_dot(n, s, y) > BENDS * sqrt(lb_dot(n, s, s) * lb_dot(n, y, y))) {
    *B->newest = slot;
    *B->count = fmin(*B->count + 1, B->most);
  }
}
