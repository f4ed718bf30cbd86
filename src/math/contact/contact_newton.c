// Semismooth Newton method of dense contact problems. The natural map's derivative, for y = A x +
// q:
//
//   (1)  equality, active unilateral row, sticking set:  F = y,  dF = A dx
//   (2)  inactive unilateral row, set of radius zero:    F = x,  dF = dx
//   (3)  slipping set, z = x - y, n = z/|z|, k = R/|z|:  F = x - R n,
//        dF = dx - mu n dx_n - k (1 - n n')(dx - A dx)
//
// Rows of (2) are eliminated: dx = -x.
#include <math.h>
#include <string.h>

#include "math/contact/contact_dense.h"
#include "math/linear/dense.h"

static double radius(const lb_contact_dense* d, int i, const double* x) {
  return d->normal[i] < 0 ? d->mu[i] : d->mu[i] * fmax(0, x[d->normal[i]]);
}

// Whether row i, the first of its set, is in the reduced system.
static bool is_free(const lb_contact_dense* d, int i, const double* x, const double* y) {
  if (d->kind[i] == LB_CONTACT_UNILATERAL) {
    return x[i] > y[i];
  }
  return d->kind[i] == LB_CONTACT_EQUALITY || radius(d, i, x) > 0;
}

// Rows of the reduced system, and dx of the others.
static int choose_rows(lb_contact_dense* d, const double* x, const double* y) {
  int m = 0;
  bool taken = false;
  for (int i = 0; i < d->n; i++) {
    taken = d->kind[i] == LB_CONTACT_SECOND ? taken : is_free(d, i, x, y);
    d->dx[i] = taken ? 0 : -x[i];
    d->pivot[i] = taken ? m : -1; // place in the reduced system meanwhile
    if (taken) {
      d->index[m++] = i;
    }
  }
  return m;
}

// Slipping set at i, in rows k, k + 1 of G, which hold A's.
static void slip_rows(lb_contact_dense* d, int m, int k, const double* x, const double* y) {
  const int i = d->index[k], size = d->kind[i] == LB_CONTACT_SET_2 ? 2 : 1;
  const double R = radius(d, i, x);
  const double z0 = x[i] - y[i], z1 = size > 1 ? x[i + 1] - y[i + 1] : 0;
  const double length = sqrt(z0 * z0 + z1 * z1);
  if (length <= R) {
    return; // sticks
  }
  const double n[2] = {z0 / length, z1 / length}, t[2] = {-n[1], n[0]};
  const double keep = size > 1 ? R / length : 0;
  double* g = d->G + k;
  for (int j = 0; j < m; j++, g += m) {
    const double along = size > 1 ? keep * (t[0] * g[0] + t[1] * g[1]) : 0;
    for (int a = 0; a < size; a++) {
      g[a] = t[a] * along;
    }
  }
  const double change = size > 1 ? t[0] * d->rhs[k] + t[1] * d->rhs[k + 1] : 0;
  for (int a = 0; a < size; a++) {
    d->rhs[k + a] = keep * t[a] * change;
    for (int b = 0; b < size; b++) {
      d->G[(size_t)(k + a) + (size_t)(k + b) * (size_t)m] += (a == b) - keep * t[a] * t[b];
    }
  }
  const int normal = d->normal[i] < 0 ? -1 : d->pivot[d->normal[i]];
  const double known = d->normal[i] < 0 || normal >= 0 ? 0 : d->dx[d->normal[i]];
  for (int a = 0; a < size; a++) {
    d->rhs[k + a] -= d->mu[i] * n[a] * known;
    if (normal >= 0) {
      d->G[(size_t)(k + a) + (size_t)normal * (size_t)m] -= d->mu[i] * n[a];
    }
  }
}

int lb_contact_newton_matrix(lb_contact_dense* d, const double* x, const double* y, double eps) {
  const int n = d->n, m = choose_rows(d, x, y);
  // A dx of the rows that are eliminated, and A among those that are left
  memset(d->dy, 0, (size_t)n * sizeof *d->dy);
  for (int j = 0; j < n; j++) {
    if (d->pivot[j] < 0 && d->dx[j] != 0) {
      lb_add(n, d->dy, d->dx[j], d->A + (size_t)j * (size_t)n);
    }
  }
  for (int k = 0; k < m; k++) {
    const double* column = d->A + (size_t)d->index[k] * (size_t)n;
    double* g = d->G + (size_t)k * (size_t)m;
    for (int i = 0; i < m; i++) {
      g[i] = column[d->index[i]];
    }
    g[k] += eps;
    d->rhs[k] = d->dy[d->index[k]];
  }
  for (int k = 0; k < m; k++) {
    const lb_contact_kind kind = d->kind[d->index[k]];
    if (kind == LB_CONTACT_SET_1 || kind == LB_CONTACT_SET_2) {
      slip_rows(d, m, k, x, y);
    }
  }
  return m;
}

// dx of a Newton step, and dy = A dx. False: the matrix is singular.
static bool newton_step(lb_contact_dense* d, const double* x, const double* y, double eps) {
  const int n = d->n, m = lb_contact_newton_matrix(d, x, y, eps);
  for (int k = 0; k < m; k++) {
    d->rhs[k] = -d->F[d->index[k]] - d->rhs[k];
  }
  if (lb_lu(m, d->G, m, d->pivot) != LB_OK) {
    return false;
  }
  lb_lu_solve(m, d->G, m, d->pivot, 1, d->rhs, m);
  for (int k = 0; k < m; k++) {
    d->dx[d->index[k]] = d->rhs[k];
    if (!isfinite(d->rhs[k])) {
      return false;
    }
    lb_add(n, d->dy, d->rhs[k], d->A + (size_t)d->index[k] * (size_t)n);
  }
  return true;
}

// The longest of halved steps that makes |F|^2 smaller, or the shortest one.
static double line_search(lb_contact_dense* d, const double* x, const double* y, double limit) {
  static const double SHORTEST = 1.0 / 256, ENOUGH = 1e-4;
  double step = 1;
  for (;; step /= 2) {
    for (int i = 0; i < d->n; i++) {
      d->trial[i] = x[i] + step * d->dx[i];
      d->trial_y[i] = y[i] + step * d->dy[i];
    }
    lb_contact_natural_map(d, d->trial, d->trial_y, d->F);
    if (lb_dot(d->n, d->F, d->F) <= (1 - ENOUGH * step) * limit || step <= SHORTEST) {
      return step;
    }
  }
}

lb_contact_try lb_contact_newton(lb_contact_dense* d, int most, double* x) {
  static const double EPS = 1e-9; // of A_rr, which is one
  enum { MEMORY = 4 };            // steps back over which |F| must have become smaller
  const size_t size = (size_t)d->n * sizeof *x;
  double past[MEMORY];
  lb_contact_try out = {false, (double)INFINITY, 0};
  for (int i = 0; i < MEMORY; i++) {
    past[i] = 0;
  }
  memcpy(d->best, x, size);
  for (;; out.steps++) {
    lb_contact_dense_apply(d, x, d->y);
    const double residual = lb_contact_natural_map(d, x, d->y, d->F);
    if (residual < out.residual) {
      out.residual = residual;
      memcpy(d->best, x, size);
    }
    out.solved = out.residual <= d->tolerance;
    if (out.solved || out.steps >= most || !isfinite(residual)) {
      break;
    }
    past[out.steps % MEMORY] = lb_dot(d->n, d->F, d->F);
    if (!newton_step(d, x, d->y, EPS)) {
      break;
    }
    double limit = 0;
    for (int i = 0; i < MEMORY; i++) {
      limit = fmax(limit, past[i]);
    }
    line_search(d, x, d->y, limit);
    memcpy(x, d->trial, size);
  }
  memcpy(x, d->best, size);
  return out;
}
