// Levenberg and Marquardt's method on the residuals: near the minimum they are nearly linear in the
// unknowns, and the step
//
//   (J'J + lambda diag(J'J)) dx = -J'r                                                          (1)
//
// is Gauss and Newton's; further away lambda grows until the step goes downhill. It ends when the
// step is small beside what the noise leaves open, so no run is spent on digits that mean nothing.
#include <math.h>
#include <string.h>

#include "design/fit/fit_markers.h"
#include "math/linear/dense.h"

enum { MOST_ITERATIONS = 40, MOST_TRIES = 12 };

static const double FIRST_LAMBDA = 1e-3;
// A step is small when it is this part of the standard error, or this much [-, s or m].
static const double SMALL = 1e-2, TINY = 1e-7;
// Part of all the work that each further iteration is of what is left.
static const double SHARE = 0.25;

typedef struct minimiser {
  lb_fit_session* s;
  size_t size;         // residuals
  double* J;           // [n][size]
  lb_fit_trial base;   // with rate
  lb_fit_trial next;   // with rate
  lb_fit_trial* probe; // [nmaterial]
  lb_fit_trial** all;  // [nmaterial] the same as pointers
  double *A, *b, *dx;  // [n * n], [n], [n]
  double* L;           // [n * n]
} minimiser;

static lb_status create(minimiser* q, double* J) {
  lb_fit_session* s = q->s;
  const int n = s->n;
  q->J = J;
  q->size = (size_t)s->nsample * (size_t)s->width;
  q->probe = LB_TAKE(&s->arena, lb_fit_trial, s->nmaterial);
  q->all = LB_TAKE(&s->arena, lb_fit_trial*, s->nmaterial);
  q->A = LB_TAKE(&s->arena, double, 2 * n * n + 2 * n);
  if (!q->probe || !q->all || !q->A || lb_fit_trial_create(s, &q->base, true) != LB_OK ||
      lb_fit_trial_create(s, &q->next, true) != LB_OK) {
    return LB_NO_MEMORY;
  }
  q->L = q->A + n * n;
  q->b = q->L + n * n;
  q->dx = q->b + n;
  for (int i = 0; i < s->nmaterial; i++) {
    if (lb_fit_trial_create(s, &q->probe[i], false) != LB_OK) {
      return LB_NO_MEMORY;
    }
  }
  return LB_OK;
}

// --- derivatives ---

// Of the materials by differences, inwards where x is at a bound; the others follow from the
// markers' velocities and places.
static lb_status differentiate(minimiser* q, double share) {
  lb_fit_session* s = q->s;
  for (int k = 0; k < s->nmaterial; k++) {
    lb_fit_trial* t = q->all[k] = &q->probe[k];
    memcpy(t->x, q->base.x, (size_t)s->n * sizeof *t->x);
    t->x[k] += t->x[k] + s->u[k].probe > s->u[k].high ? -s->u[k].probe : s->u[k].probe;
  }
  const lb_status status = lb_fit_try(s, s->nmaterial, q->all, share);
  for (int k = 0; k < s->nmaterial && status == LB_OK; k++) {
    const double by = q->probe[k].x[k] - q->base.x[k];
    const bool ran = isfinite(q->probe[k].cost);
    for (size_t i = 0; i < q->size; i++) {
      q->J[(size_t)k * q->size + i] = ran ? (q->probe[k].r[i] - q->base.r[i]) / by : 0;
    }
  }
  for (int k = s->nmaterial; k < s->n; k++) {
    const int axis = k - s->shift;
    for (size_t i = 0; i < q->size; i++) {
      const bool seen = !isnan(s->markers->x[i]);
      q->J[(size_t)k * q->size + i] = k == s->clock                  ? -q->base.rate[i]
                                      : seen && (int)(i % 3) == axis ? -1
                                                                     : 0;
    }
  }
  return status;
}

static void make_normal(minimiser* q) {
  const int n = q->s->n;
  for (int k = 0; k < n; k++) {
    const double* Jk = q->J + (size_t)k * q->size;
    q->b[k] = 0;
    for (size_t i = 0; i < q->size; i++) {
      q->b[k] -= Jk[i] * q->base.r[i];
    }
    for (int l = 0; l <= k; l++) {
      const double* Jl = q->J + (size_t)l * q->size;
      double sum = 0;
      for (size_t i = 0; i < q->size; i++) {
        sum += Jk[i] * Jl[i];
      }
      q->A[k + l * n] = q->A[l + k * n] = sum;
    }
  }
}

// --- steps ---

// dx of (1); unknowns that change nothing stay, and so do those that would leave their range. False
// when the matrix allows none.
static bool find_step(minimiser* q, double lambda) {
  const lb_fit_session* s = q->s;
  const int n = s->n;
  memcpy(q->L, q->A, (size_t)(n * n) * sizeof *q->L);
  memcpy(q->dx, q->b, (size_t)n * sizeof *q->dx);
  for (int k = 0; k < n; k++) {
    const bool out = (q->base.x[k] <= s->u[k].low && q->b[k] < 0) ||
                     (q->base.x[k] >= s->u[k].high && q->b[k] > 0);
    q->L[k + k * n] *= 1 + lambda;
    if (out || !(q->A[k + k * n] > 0)) {
      for (int l = 0; l < n; l++) {
        q->L[k + l * n] = q->L[l + k * n] = k == l;
      }
      q->dx[k] = 0;
    }
  }
  if (lb_cholesky(n, q->L, n) != LB_OK) {
    return false;
  }
  lb_cholesky_solve(n, q->L, n, 1, q->dx, n);
  for (int k = 0; k < n; k++) {
    q->next.x[k] = fmin(fmax(q->base.x[k] + q->dx[k], s->u[k].low), s->u[k].high);
    q->dx[k] = q->next.x[k] - q->base.x[k];
  }
  return true;
}

// Beside the standard errors that the residual suggests, each unknown on its own.
static bool is_small(const minimiser* q) {
  const int n = q->s->n;
  const double variance = q->base.cost / fmax(1, (double)q->size - n);
  for (int k = 0; k < n; k++) {
    const double error = sqrt(variance / q->A[k + k * n]);
    if (q->A[k + k * n] > 0 && fabs(q->dx[k]) > fmax(SMALL * error, TINY)) {
      return false;
    }
  }
  return true;
}

static void accept(minimiser* q) {
  const lb_fit_trial old = q->base;
  q->base = q->next;
  q->next = old;
  lb_fit_trial_copy(q->s, &q->s->best, &q->base);
}

// One step downhill, trying ever shorter ones. `*moved` is false when there is none.
static lb_status descend(minimiser* q, double* lambda, double share, bool* moved) {
  *moved = false;
  for (int i = 0; i < MOST_TRIES; i++) {
    if (find_step(q, *lambda)) {
      if (is_small(q)) {
        return LB_OK;
      }
      lb_fit_trial* t = &q->next;
      const lb_status status = lb_fit_try(q->s, 1, &t, share / MOST_TRIES);
      if (status != LB_OK) {
        return status;
      }
      if (q->next.cost < q->base.cost) {
        *lambda = fmax(*lambda / 10, 1e-9);
        *moved = true;
        accept(q);
        return LB_OK;
      }
    }
    *lambda *= i == 0 ? 10 : 30;
  }
  return LB_OK;
}

static lb_status iterate(minimiser* q) {
  lb_fit_session* s = q->s;
  lb_fit_trial* base = &q->base;
  memcpy(q->base.x, s->best.x, (size_t)s->n * sizeof *q->base.x);
  lb_status status = lb_fit_try(s, 1, &base, 0);
  double lambda = FIRST_LAMBDA;
  bool moved = true;
  while (status == LB_OK && moved && s->iterations < MOST_ITERATIONS) {
    const double share = SHARE * (1 - s->done);
    status = differentiate(q, share / 2);
    if (status == LB_OK) {
      make_normal(q);
      status = descend(q, &lambda, share / 2, &moved);
      s->iterations++;
    }
  }
  s->converged = status == LB_OK && !moved;
  return status;
}

lb_status lb_fit_minimise(lb_fit_session* s, double* J) {
  const lb_arena_mark mark = lb_arena_here(&s->arena);
  minimiser q = {.s = s};
  lb_status status = create(&q, J);
  if (status == LB_OK) {
    status = iterate(&q);
  }
  lb_arena_reset(&s->arena, mark);
  return status;
}
