// Damped Gauss-Newton steps (Levenberg 1944, Marquardt 1963). With residuals y that are nearly
// linear in the unknowns, the second derivative of y'y/2 is nearly J'J. An iteration takes the step
// p that is best to second order with a damping mu on it. When less comes true of the predicted
// gain than should, mu rises and p is found again; when predictions hold, it falls.
#include <math.h>
#include <string.h>

#include "design/search/search.h"
#include "math/linear/dense.h"

// Ratios of actual to predicted decrease.
static const double POOR = 0.1, FAIR = 0.4, GOOD = 0.75;

enum { DAMPING, MEMORY };

static size_t memory_of(int n, const lb_search_options* options) {
  (void)n, (void)options;
  return MEMORY;
}

static lb_status iterate(lb_search* s, bool* moved) {
  const lb_objective* f = s->f;
  double* mu = &s->own[DAMPING];
  const double was = *mu;
  for (int i = 0; i < s->options.trials && !*moved; i++) {
    double gain = 0, there = (double)INFINITY;
    lb_status status = f->step(f->context, s->x, s->g, mu, s->p, &gain, s->err);
    if (status != LB_OK || gain == 0) {
      *mu = status == LB_OK ? *mu : was;
      return status;
    }
    for (int k = 0; k < f->n; k++) {
      s->trial[k] = s->x[k] + s->p[k];
    }
    status = gain > 0 ? lb_search_try(s, s->trial, &there) : LB_OK;
    if (status != LB_OK) {
      *mu = was;
      return status;
    }
    s->came = isfinite(there) ? (s->value - there) / gain : -1;
    *moved = s->came > POOR;
    *mu *= s->came > GOOD ? 0.2 : s->came > FAIR ? 0.7 : *moved ? 3 : 10;
    s->value = *moved ? there : s->value;
  }
  if (*moved) {
    memcpy(s->x, s->trial, (size_t)f->n * sizeof *s->x);
    s->has_gradient = false;
    if (f->keep) {
      f->keep(f->context);
    }
  }
  return LB_OK;
}

const lb_search_type lb_search_gauss_newton = {memory_of, iterate};

// --- dense steps ---

void lb_normal_make(lb_normal* N, const double* J, const double* r, double* g) {
  const int n = N->n, m = (int)N->m;
  for (int k = 0; k < n; k++) {
    g[k] = lb_dot(m, J + (size_t)k * N->m, r);
    for (int l = 0; l <= k; l++) {
      N->A[k + l * n] = N->A[l + k * n] = lb_dot(m, J + (size_t)k * N->m, J + (size_t)l * N->m);
    }
  }
}

// -g'p - p'Ap/2
static double predict(const lb_normal* N, const double* g, const double* p) {
  double gain = -lb_dot(N->n, g, p);
  for (int k = 0; k < N->n; k++) {
    gain -= p[k] * lb_dot(N->n, N->A + (size_t)k * (size_t)N->n, p) / 2;
  }
  return gain;
}

double lb_normal_step(const lb_normal* N, const lb_objective* f, const double* x, const double* g,
                      double damping, double* p) {
  const int n = N->n;
  memcpy(N->L, N->A, (size_t)n * (size_t)n * sizeof *N->L);
  for (int k = 0; k < n; k++) {
    const bool out = (x[k] <= f->least[k] && g[k] > 0) || (x[k] >= f->most[k] && g[k] < 0);
    const bool stays = out || !(N->A[k + k * n] > 0);
    N->L[k + k * n] *= 1 + damping;
    p[k] = stays ? 0 : -g[k];
    for (int l = 0; l < n && stays; l++) {
      N->L[k + l * n] = N->L[l + k * n] = k == l;
    }
  }
  if (lb_cholesky(n, N->L, n) != LB_OK) {
    return -1;
  }
  lb_cholesky_solve(n, N->L, n, 1, p, n);
  for (int k = 0; k < n; k++) {
    p[k] = fmin(fmax(x[k] + p[k], f->least[k]), f->most[k]) - x[k];
  }
  return predict(N, g, p);
}
