// The search: L-BFGS with bounds. Numbers are counted over their scales. Where a number is at a
// bound and the gradient pushes it out, it stays; the pairs of the last iterations make a direction
// for the others, p = -H g (bfgs.h), and the line search goes along the way that bounds bend, x(a)
// = within(x + a p).
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "design/search/bfgs.h"
#include "math/linear/dense.h"

enum {
  PAIRS = 20,
  PATIENCE = 10,     // iterations over which the objective has to fall
  ENOUGH_TRIALS = 5, // of one line search, when it has fallen
  MOST_TRIALS = 30   // else
};

static const double DECREASE = 1e-4, SLOPE = 0.9; // of the slope at the start of a line
static const double LONGEST_STEP = 64;            // over that which the pairs propose
static const double FIRST_STEP = 0.1;             // of a number's scale
static const double ROUNDING = 1e-17;             // of the objective
static const double NEAR = 1e-3;                  // of a number's scale: all but at a bound
static const double NOTHING = 1e-16;              // of the objective at the start: as good as none

typedef struct search {
  lb_optimization* o;
  lb_error* err;
  lb_arena arena;
  int n;
  lb_bfgs pairs;
  bool* held;            // [n]
  double* rest;          // [n] of those that are held: what is left to the bound
  double *x, *g;         // [n] numbers and gradient over and times their scales
  double *trial, *next;  // [n] the same at the end of a step
  double *best, *best_g; // [n] and of the best one of a line
  double* p;             // [n]
  double* real;          // [n] numbers as they are
  double recent[PATIENCE];
} search;

// --- evaluation ---

static double within(const search* s, int i, double x) {
  const double k = s->o->scale[i];
  return fmin(fmax(x, s->o->least[i] / k), s->o->most[i] / k);
}

// What cannot be simulated is infinitely bad.
static lb_status evaluate(search* s, const double* x, double* value, double* g) {
  lb_error quiet = lb_error_make(s->o->work->allocator);
  for (int i = 0; i < s->n; i++) { // a bound is met to the last bit
    s->real[i] = fmin(fmax(x[i] * s->o->scale[i], s->o->least[i]), s->o->most[i]);
  }
  const lb_status status = lb_optimization_evaluate(s->o, s->real, value, g, &quiet);
  lb_error_clear(&quiet);
  if (status == LB_NO_MEMORY) {
    return lb_error_add(s->err, status, (lb_place){0}, "out of memory for a run");
  }
  if (status != LB_OK || !isfinite(*value)) {
    *value = (double)INFINITY;
    return LB_OK;
  }
  for (int i = 0; i < s->n; i++) {
    g[i] *= s->o->scale[i];
  }
  return LB_OK;
}

// --- directions ---

// Which numbers stay at their bounds, or are so near to one that the gradient pushes them to that
// they go there by themselves: else steps get shorter and shorter before a bound that is never
// reached [Bertsekas 1982]. The largest part of the gradient that is left.
static double hold(search* s) {
  double most = 0, way = 0;
  for (int i = 0; i < s->n; i++) {
    way = fmax(way, fabs(within(s, i, s->x[i] - s->g[i]) - s->x[i]));
  }
  const double near = fmin(NEAR, way);
  for (int i = 0; i < s->n; i++) {
    const double bound = within(s, i, s->x[i] - copysign((double)INFINITY, s->g[i]));
    s->held[i] = s->g[i] == 0 || fabs(bound - s->x[i]) <= near;
    s->rest[i] = s->held[i] && s->g[i] != 0 ? bound - s->x[i] : 0;
    most = fmax(most, s->rest[i] == 0 && s->held[i] ? 0 : fabs(s->g[i]));
  }
  return most;
}

static double take_direction(search* s) {
  for (int i = 0; i < s->n; i++) {
    s->p[i] = -s->g[i];
  }
  lb_bfgs_apply(&s->pairs, false, s->p, s->next, NULL, NULL);
  return lb_dot(s->n, s->p, s->g);
}

static void find_direction(search* s) {
  if (!(take_direction(s) < 0)) {
    *s->pairs.count = 0;
    take_direction(s);
  }
  if (*s->pairs.count == 0) {
    double most = 0;
    for (int i = 0; i < s->n; i++) {
      most = fmax(most, fabs(s->p[i]));
    }
    for (int i = 0; i < s->n && most > 0; i++) {
      s->p[i] *= FIRST_STEP / most;
    }
  }
  lb_add(s->n, s->p, 1, s->rest);
}

// --- lines ---

static void go_to(search* s, double step) {
  for (int i = 0; i < s->n; i++) {
    s->trial[i] = within(s, i, s->x[i] + step * s->p[i]);
  }
}

// What a gradient says of the way to the trial.
static double along(const search* s, const double* g) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) {
    sum += g[i] * (s->trial[i] - s->x[i]);
  }
  return sum;
}

// Of the objective by the step, where the trial is and no bound holds it.
static double slope_there(const search* s, double step) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) {
    sum += s->trial[i] == s->x[i] + step * s->p[i] ? s->next[i] * s->p[i] : 0;
  }
  return sum;
}

// Keep the trial as the best of the line.
static void keep_trial(search* s) {
  memcpy(s->best, s->trial, (size_t)s->n * sizeof *s->best);
  memcpy(s->best_g, s->next, (size_t)s->n * sizeof *s->best_g);
}

// To a place that is lower, and where the way is no longer as steep (the conditions of Wolfe):
// between the longest step that was too short and the shortest that was too long.
static lb_status search_line(search* s, double* value, bool* fell) {
  const double start = *value, slope = lb_dot(s->n, s->g, s->p);
  double step = 1, low = 0, high = (double)INFINITY;
  *fell = false;
  for (int i = 0; i < MOST_TRIALS; i++) {
    double there = 0;
    go_to(s, step);
    const lb_status status = evaluate(s, s->trial, &there, s->next);
    if (status != LB_OK) {
      return status;
    }
    const double down = along(s, s->g);
    if (there <= start + DECREASE * down && there < *value) {
      keep_trial(s);
      *value = there;
      *fell = true;
      low = step;
      if (slope_there(s, step) >= SLOPE * slope) {
        return LB_OK;
      }
    } else {
      high = step;
    }
    if (*fell && (i >= ENOUGH_TRIALS || step >= LONGEST_STEP)) {
      return LB_OK;
    }
    // where the parabola through value and slope at the start and the value there is least
    const double rise = there - start - down;
    const double part = isfinite(rise) && rise > 0 ? -down / (2 * rise) : 0.1;
    step = !isfinite(high) ? 4 * step
           : low > 0       ? 0.5 * (low + high)
                           : high * fmin(fmax(part, 0.1), 0.5);
    if (!*fell && fabs(step * slope) < ROUNDING * fabs(start)) {
      return LB_OK; // what could be gained would not show
    }
  }
  return LB_OK;
}

// --- the search ---

static bool take_arrays(search* s) {
  double** const part[] = {&s->x,    &s->g,    &s->trial,  &s->next, &s->p,
                           &s->real, &s->best, &s->best_g, &s->rest};
  bool ok = true;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    ok = (*part[i] = LB_TAKE(&s->arena, double, s->n)) && ok;
  }
  s->held = LB_TAKE(&s->arena, bool, s->n);
  double* pairs = LB_TAKE(&s->arena, double, 2 + PAIRS * lb_bfgs_size(s->n));
  s->pairs = (lb_bfgs){s->n, PAIRS, pairs, pairs + 1, pairs + 2, s->held};
  return ok && s->held && pairs;
}

// One iteration; where a direction leads nowhere the pairs are forgotten and it is tried again.
static lb_status advance(search* s, double* value, bool* fell) {
  lb_status status = LB_OK;
  *fell = false;
  for (int i = 0; i < 2 && !*fell && status == LB_OK; i++) {
    find_direction(s);
    status = search_line(s, value, fell);
    if (*fell) {
      lb_bfgs_remember(&s->pairs, s->x, s->best, s->g, s->best_g);
      double* x = s->x;
      double* g = s->g;
      s->x = s->best, s->best = x;
      s->g = s->best_g, s->best_g = g;
    } else {
      *s->pairs.count = 0;
    }
  }
  return status;
}

static bool tell(search* s, const lb_optimize_options* options, int iteration, double objective,
                 double gradient, double* x) {
  for (int i = 0; i < s->n; i++) {
    x[i] = fmin(fmax(s->x[i] * s->o->scale[i], s->o->least[i]), s->o->most[i]);
  }
  const lb_optimize_news news = {iteration, objective, gradient, x};
  return !options->news || options->news(options->context, &news);
}

const char* lb_optimize_end_name(lb_optimize_end end) {
  static const char* const name[] = {[LB_OPTIMIZE_INTERRUPTED] = "interrupted",
                                     [LB_OPTIMIZE_CONVERGED] = "converged",
                                     [LB_OPTIMIZE_NO_GAIN] = "nothing left to gain",
                                     [LB_OPTIMIZE_LIMIT] = "iteration limit"};
  return (int)end >= 0 && end <= LB_OPTIMIZE_LIMIT ? name[end] : "";
}

// Whether iteration k with a gradient of this size is the last one, and why.
static bool ends(search* s, int k, double first, double value, double size) {
  const lb_scene_optimize* what = &s->o->scene->optimize;
  const double before = s->recent[(k + 1) % PATIENCE];
  if (!(size > 0) || value <= NOTHING * first) {
    s->o->end = LB_OPTIMIZE_NO_GAIN;
  } else if (k >= PATIENCE && before - value <= what->tolerance * value) {
    s->o->end = LB_OPTIMIZE_CONVERGED;
  } else if (k == what->iterations) {
    s->o->end = LB_OPTIMIZE_LIMIT;
  } else {
    return false;
  }
  return true;
}

static lb_status find(search* s, const lb_optimize_options* options, double* x, double* objective) {
  double value = 0;
  s->o->end = LB_OPTIMIZE_INTERRUPTED; // until there is another reason
  for (int i = 0; i < s->n; i++) {
    s->x[i] = within(s, i, x[i] / s->o->scale[i]);
    s->real[i] = fmin(fmax(x[i], s->o->least[i]), s->o->most[i]);
  }
  // at the start, what is wrong is told
  lb_status status = lb_optimization_evaluate(s->o, s->real, &value, s->g, s->err);
  if (status != LB_OK) {
    return status;
  }
  for (int i = 0; i < s->n; i++) {
    s->g[i] *= s->o->scale[i];
  }
  const double first = value, norm = hold(s);
  double size = norm;
  for (int k = 0;; k++) {
    *objective = value;
    s->recent[k % PATIENCE] = value;
    if (!tell(s, options, k, value, norm > 0 ? size / norm : 0, x)) {
      return lb_error_add(s->err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
    }
    if (ends(s, k, first, value, size)) {
      return LB_OK;
    }
    bool fell = false;
    status = advance(s, &value, &fell);
    if (status != LB_OK || !fell) {
      s->o->end = status == LB_OK ? LB_OPTIMIZE_NO_GAIN : s->o->end;
      return status;
    }
    size = hold(s);
  }
}

lb_status lb_optimize_run(lb_optimization* o, const lb_optimize_options* options, double* x,
                          double* objective, lb_error* err) {
  search s = {.o = o, .err = err, .n = o->nvalue};
  lb_arena_init(&s.arena, o->work->allocator);
  const lb_status status = take_arrays(&s) ? find(&s, options, x, objective)
                                           : lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                                                          "out of memory for a search");
  lb_arena_release(&s.arena);
  return status;
}
