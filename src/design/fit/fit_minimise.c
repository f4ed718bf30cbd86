// The objective of a fit, for a search: half the sum of squared residuals, which near the minimum
// are nearly linear in the unknowns, by damped Gauss-Newton steps with exact derivatives. They end
// when a step is small beside what the noise leaves open, so no run is spent on digits that mean
// nothing.
#include <math.h>
#include <string.h>

#include "design/fit/fit_markers.h"
#include "design/search/search.h"

enum { MOST_ITERATIONS = 40, MOST_TRIES = 12 };

static const double FIRST_DAMPING = 1e-3;
// A step is small when it is this part of the standard error, or this much [-, s or m].
static const double SMALL = 1e-2, TINY = 1e-7;
// Part of all the work that each further iteration is of what is left.
static const double SHARE = 0.25;

typedef struct minimiser {
  lb_fit_session* s;
  lb_normal normal;
  lb_objective f;
  double* J;                // [n][residuals]
  lb_fit_trial base, next;  // with rate: the best one, and the last
  double *x, *least, *most; // [n]
  double* memory;
} minimiser;

static double share_left(const lb_fit_session* s) {
  return SHARE * (1 - s->done) / 2;
}

static lb_status value(void* context, const double* x, double* value, lb_error* err) {
  minimiser* q = context;
  lb_fit_trial* t = &q->next;
  (void)err;
  memcpy(t->x, x, (size_t)q->s->n * sizeof *x);
  const lb_status status = lb_fit_try(q->s, 1, &t, share_left(q->s) / MOST_TRIES);
  *value = t->cost / 2;
  return status;
}

static void keep(void* context) {
  minimiser* q = context;
  const lb_fit_trial old = q->base;
  q->base = q->next;
  q->next = old;
  lb_fit_trial_copy(q->s, &q->s->best, &q->base);
}

// --- derivatives ---

// Clock and shift follow from the markers' velocities and places.
static lb_status gradient(void* context, const double* x, double* g, lb_error* err) {
  minimiser* q = context;
  const lb_fit_session* s = q->s;
  (void)x, (void)err;
  const lb_status status = lb_fit_differentiate(q->s, &q->base, share_left(s), q->J);
  for (int k = s->nmaterial; k < s->n; k++) {
    double* column = q->J + (size_t)k * q->normal.m;
    const int axis = k - s->shift;
    for (size_t i = 0; i < q->normal.m; i++) {
      const bool shifts = !isnan(s->markers->x[i]) && (int)(i % 3) == axis;
      column[i] = k == s->clock ? -q->base.rate[i] : shifts ? -1 : 0;
    }
  }
  lb_normal_make(&q->normal, q->J, q->base.r, g);
  q->s->iterations++;
  return status;
}

// --- steps ---

// Beside the standard errors that the residual suggests, each unknown on its own.
static bool is_small(const minimiser* q, const double* p) {
  const int n = q->s->n;
  const double variance = q->base.cost / fmax(1, (double)q->normal.m - n);
  for (int k = 0; k < n; k++) {
    const double curvature = q->normal.A[k + k * n];
    if (curvature > 0 && fabs(p[k]) > fmax(SMALL * sqrt(variance / curvature), TINY)) {
      return false;
    }
  }
  return true;
}

static lb_status step(void* context, const double* x, const double* g, double* damping, double* p,
                      double* gain, lb_error* err) {
  const minimiser* q = context;
  (void)err;
  *damping = fmax(*damping > 0 ? *damping : FIRST_DAMPING, 1e-9);
  *gain = lb_normal_step(&q->normal, &q->f, x, g, *damping, p);
  *gain = *gain > 0 && is_small(q, p) ? 0 : *gain;
  return LB_OK;
}

// --- the whole ---

static lb_status create(minimiser* q, const lb_search_options* options) {
  lb_fit_session* s = q->s;
  lb_arena* arena = &s->arena;
  const size_t n = (size_t)s->n;
  q->normal = (lb_normal){s->n, (size_t)s->nsample * (size_t)s->width, LB_TAKE(arena, double, n* n),
                          LB_TAKE(arena, double, n* n)};
  q->x = LB_TAKE(arena, double, 3 * n);
  q->memory = LB_TAKE(arena, double, lb_search_memory(&lb_search_gauss_newton, s->n, options));
  lb_fit_trial_create(s, &q->base, true);
  lb_fit_trial_create(s, &q->next, true);
  q->base.tape = q->next.tape = &s->tape;
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  q->least = q->x + n;
  q->most = q->least + n;
  for (int k = 0; k < s->n; k++) {
    q->x[k] = s->best.x[k];
    q->least[k] = s->u[k].low;
    q->most[k] = s->u[k].high;
  }
  return LB_OK;
}

lb_status lb_fit_minimise(lb_fit_session* s, double* J) {
  const lb_arena_mark mark = lb_arena_here(&s->arena);
  const lb_search_options options = {
      .iterations = MOST_ITERATIONS, .patience = 1, .tolerance = -1, .trials = MOST_TRIES};
  minimiser q = {.s = s, .J = J};
  lb_search_end end = LB_SEARCH_INTERRUPTED;
  double cost = 0;
  lb_status status = create(&q, &options);
  if (status == LB_OK) {
    q.f = (lb_objective){&q,           s->n,           q.least,
                         q.most,       .value = value, .gradient = gradient,
                         .keep = keep, .step = step};
    status = lb_search_run(&lb_search_gauss_newton, &q.f, &options, q.x, q.memory, &cost, &end,
                           s->allocator, s->err);
  }
  s->converged = end == LB_SEARCH_NO_GAIN;
  lb_arena_reset(&s->arena, mark);
  return status;
}
