// L-BFGS with bounds. Pairs of what the last iterations changed of the unknowns, s, and of the
// gradient, y, make an inverse of the second derivative,
//
//   H_i+1 = (1 - rho_i s_i y_i') H_i (1 - rho_i y_i s_i') + rho_i s_i s_i',   rho_i = 1 / s_i'y_i
//
// from some H_0. The product p = -H g takes two loops over the pairs and one product with H_0
// [Nocedal & Wright 2006, alg. 7.4]; with pairs of all iterations it is BFGS. Unknowns at a bound
// that the gradient pushes out stay there. Lines are searched to the conditions of Wolfe along the
// way that bounds bend, x(a) = within(x + a p).
#include <math.h>
#include <string.h>

#include "design/search/search.h"
#include "math/linear/dense.h"

enum {
  ENOUGH_TRIALS = 5, // of one line, when it has fallen
  MOST_TRIALS = 30   // else
};

static const double DECREASE = 1e-4, SLOPE = 0.9; // of the slope at the start of a line
static const double LONGEST_STEP = 64;            // over that which the pairs propose
static const double BLOCKED = 1e-3;               // a step that limits leave no more of
static const double ROUNDING = 1e-17;             // of the objective
static const double NEAR = 1e-3;                  // of an unknown: all but at a bound
static const double BENDS = 1e-12;                // of |s| |y|: pairs that bend less are of no use

// --- pairs ---

// Memory: number of pairs, the newest, and s, y and a number for the loops.
enum { PAIRS, NEWEST, FIRST_PAIR };

static size_t pair_size(int n) {
  return 2 * (size_t)n + 1;
}

static size_t memory_of(int n, const lb_search_options* options) {
  return FIRST_PAIR + (size_t)options->pairs * pair_size(n);
}

// The i-th pair, the newest first.
static double* pair_at(const lb_search* s, int i) {
  const int most = s->options.pairs, slot = ((int)s->own[NEWEST] - i + most) % most;
  return s->own + FIRST_PAIR + (size_t)slot * pair_size(s->f->n);
}

// Dot product over unknowns that are not held.
static double dot(const lb_search* s, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < s->f->n; i++) {
    sum += s->held[i] ? 0 : a[i] * b[i];
  }
  return sum;
}

// s'y of what is not held; 0: the pair says nothing of it.
static double bend_of(const lb_search* s, const double* pair) {
  const double* y = pair + s->f->n;
  const double sy = dot(s, pair, y);
  return sy > 1e-10 * lb_dot(s->f->n, pair, y) ? sy : 0;
}

// The factor with which H_0 takes the y of a pair to its s; scratch [n].
static double scale(const lb_search* s, const double* pair, double* scratch) {
  const lb_objective* f = s->f;
  const double* y = pair + f->n;
  memcpy(scratch, y, (size_t)f->n * sizeof *y);
  if (f->precondition) {
    f->precondition(f->context, scratch);
  }
  const double sy = dot(s, pair, y), yHy = dot(s, y, scratch);
  return sy > 0 && yHy > 0 ? sy / yHy : lb_dot(f->n, pair, y) / lb_dot(f->n, y, scratch);
}

static void clear_held(const lb_search* s, double* p) {
  for (int i = 0; i < s->f->n; i++) {
    p[i] = s->held[i] ? 0 : p[i];
  }
}

// p = H p
static void multiply(lb_search* s, double* p) {
  const lb_objective* f = s->f;
  const int n = f->n, count = (int)s->own[PAIRS];
  clear_held(s, p);
  for (int i = 0; i < count; i++) {
    double *pair = pair_at(s, i), *y = pair + n, *a = y + n;
    const double sy = bend_of(s, pair);
    *a = sy > 0 ? dot(s, pair, p) / sy : 0;
    lb_add(n, p, -*a, y);
  }
  if (f->precondition) {
    f->precondition(f->context, p);
  }
  const int which = s->options.first_scale ? count - 1 : 0;
  const double factor = count > 0 ? scale(s, pair_at(s, which), s->next) : 1;
  for (int i = 0; i < n; i++) {
    p[i] *= factor;
  }
  for (int i = count - 1; i >= 0; i--) {
    const double *pair = pair_at(s, i), *y = pair + n, *a = y + n;
    const double sy = bend_of(s, pair);
    if (sy > 0) {
      lb_add(n, p, *a - dot(s, y, p) / sy, pair);
    }
  }
  clear_held(s, p);
}

// Keep the pair from x to the best end of the line, unless it bends the wrong way.
static void remember(lb_search* s) {
  const int n = s->f->n, most = s->options.pairs;
  const int slot = s->own[PAIRS] > 0 ? ((int)s->own[NEWEST] + 1) % most : 0;
  double *pair = s->own + FIRST_PAIR + (size_t)slot * pair_size(n), *y = pair + n;
  for (int i = 0; i < n; i++) {
    pair[i] = s->best[i] - s->x[i];
    y[i] = s->end_g[i] - s->g[i];
  }
  if (lb_dot(n, pair, y) > BENDS * sqrt(lb_dot(n, pair, pair) * lb_dot(n, y, y))) {
    s->own[NEWEST] = slot;
    s->own[PAIRS] = fmin(s->own[PAIRS] + 1, most);
  }
}

// --- directions ---

// Active bounds: unknowns at their bounds, or so near to one that the gradient pushes them to that
// they go there by themselves: else steps get shorter and shorter before a bound that is never
// reached [Bertsekas 1982].
static void hold(lb_search* s) {
  double way = 0;
  for (int i = 0; i < s->f->n; i++) {
    way = fmax(way, fabs(lb_search_within(s, i, s->x[i] - s->g[i]) - s->x[i]));
  }
  const double near = fmin(NEAR, way);
  for (int i = 0; i < s->f->n; i++) {
    const double bound = lb_search_within(s, i, s->x[i] - copysign((double)INFINITY, s->g[i]));
    s->held[i] = s->g[i] == 0 || fabs(bound - s->x[i]) <= near;
    s->rest[i] = s->held[i] && s->g[i] != 0 ? bound - s->x[i] : 0;
  }
}

static double take_direction(lb_search* s) {
  for (int i = 0; i < s->f->n; i++) {
    s->p[i] = -s->g[i];
  }
  multiply(s, s->p);
  return lb_dot(s->f->n, s->p, s->g);
}

static void find_direction(lb_search* s) {
  double most = 0;
  if (!(take_direction(s) < 0)) {
    s->own[PAIRS] = 0;
    take_direction(s);
  }
  for (int i = 0; i < s->f->n && s->own[PAIRS] == 0; i++) {
    most = fmax(most, fabs(s->p[i]));
  }
  for (int i = 0; i < s->f->n && most > 0; i++) {
    s->p[i] *= s->f->first_step / most;
  }
  lb_add(s->f->n, s->p, 1, s->rest);
}

// Longest step that limits beyond the bounds allow, LONGEST_STEP at most.
static double find_longest(lb_search* s) {
  const lb_objective* f = s->f;
  if (!f->reach) {
    return LONGEST_STEP;
  }
  for (int i = 0; i < f->n; i++) {
    s->next[i] = LONGEST_STEP * s->p[i];
  }
  return LONGEST_STEP * f->reach(f->context, s->x, s->next);
}

// --- lines ---

static void go_to(lb_search* s, double step) {
  for (int i = 0; i < s->f->n; i++) {
    s->trial[i] = lb_search_within(s, i, s->x[i] + step * s->p[i]);
  }
}

// Directional derivative at the start, towards the trial.
static double decrease(const lb_search* s) {
  double sum = 0;
  for (int i = 0; i < s->f->n; i++) {
    sum += s->g[i] * (s->trial[i] - s->x[i]);
  }
  return sum;
}

// Derivative of the objective by the step, at the trial, without those that a bound holds.
static double slope_there(const lb_search* s, double step) {
  double sum = 0;
  for (int i = 0; i < s->f->n; i++) {
    sum += s->trial[i] == s->x[i] + step * s->p[i] ? s->next[i] * s->p[i] : 0;
  }
  return sum;
}

// The trial, with its gradient, is the best of the line.
static lb_status keep_trial(lb_search* s) {
  const lb_objective* f = s->f;
  if (f->keep) {
    f->keep(f->context);
  }
  const lb_status status = f->gradient(f->context, s->trial, s->next, s->err);
  memcpy(s->best, s->trial, (size_t)f->n * sizeof *s->best);
  memcpy(s->end_g, s->next, (size_t)f->n * sizeof *s->end_g);
  return status;
}

// The next step of a line: between the longest that was too short and the shortest that was too
// long; where none was long enough, the least of the parabola through value and slope at the start
// and the value there, which rises by `rise` above the slope.
static double next_step(double step, double low, double high, double longest, double down,
                        double rise) {
  const double part = isfinite(rise) && rise > 0 ? -down / (2 * rise) : 0.1;
  return !isfinite(high) ? fmin(4 * step, longest)
         : low > 0       ? 0.5 * (low + high)
                         : high * fmin(fmax(part, 0.1), 0.5);
}

// To a place that is lower, and where the way is no longer as steep (the conditions of Wolfe).
static lb_status search_line(lb_search* s, double longest, bool* fell) {
  const double start = s->value, slope = lb_dot(s->f->n, s->g, s->p);
  double step = fmin(1, longest), low = 0, high = (double)INFINITY;
  for (int i = 0; i < MOST_TRIALS; i++) {
    double there = 0;
    go_to(s, step);
    lb_status status = lb_search_try(s, s->trial, &there);
    const double down = decrease(s);
    if (status == LB_OK && there <= start + DECREASE * down && there < s->value) {
      status = keep_trial(s);
      s->value = there;
      *fell = true;
      low = step;
    } else {
      high = step;
    }
    const bool flat = low == step && slope_there(s, step) >= SLOPE * slope;
    if (status != LB_OK || flat || (*fell && (i >= ENOUGH_TRIALS || step >= longest))) {
      return status;
    }
    step = next_step(step, low, high, longest, down, there - start - down);
    if (!*fell && fabs(step * slope) < ROUNDING * fabs(start)) {
      break; // what could be gained would not show
    }
  }
  return LB_OK;
}

// A direction without decrease makes the pairs forgotten, and is tried again.
static lb_status iterate(lb_search* s, bool* moved) {
  const size_t size = (size_t)s->f->n * sizeof *s->x;
  const double start = s->value, pairs = s->own[PAIRS];
  lb_status status = LB_OK;
  hold(s);
  for (int i = 0; i < 2 && !*moved && status == LB_OK; i++) {
    find_direction(s);
    const double longest = find_longest(s);
    if (longest < BLOCKED) {
      s->end = LB_SEARCH_BLOCKED;
      return LB_OK;
    }
    status = search_line(s, longest, moved);
    if (!*moved) {
      s->own[PAIRS] = 0;
    }
  }
  *moved = *moved && status == LB_OK;
  if (*moved) {
    remember(s);
    memcpy(s->x, s->best, size);
    memcpy(s->g, s->end_g, size);
  } else {
    s->value = start;
    s->own[PAIRS] = status == LB_OK ? s->own[PAIRS] : pairs;
  }
  return status;
}

const lb_search_type lb_search_lbfgs = {memory_of, iterate};
