// The dual problem, in as many unknowns as there are joint forces. With their prices lambda, the
// effort of a muscle is least for its share y = B_i'lambda where
//
//   (1)  p a^(p-1) = y,   or at a bound
//
// reserves are r = lambda/(2 price), and what is left to find is the root of
//
//   (2)  h(lambda) = wanted - B a(lambda) - lambda/(2 price)
//
// which is minus the gradient of a strictly convex function,
//
//   (3)  sum (y a - a^p) + sum lambda^2/(4 price) - wanted'lambda
//
// Newton's method with steps that are halved until (3) falls enough cannot fail: its matrix,
// B a'(y) B' + 1/(2 price), is definite. High prices do not spoil it, since no small reserve has to
// be the difference of large numbers. Where all muscles are at bounds the matrix says little; so
// prices begin low, where none is at its upper one, and rise by a factor at a time.
#include "math/muscle/muscle_share.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/linear/dense.h"

enum { MOST_STEPS = 200, MOST_HALVES = 50 };
static const double ENOUGH = 1e-13; // residual
static const double ROUGH = 1e-3;   // likewise, at prices on the way
static const double RISE = 10;      // of prices
static const double ARMIJO = 1e-4;  // part of the fall that the slope promises
static const double RAISED = 1e-9;  // activation below which (1) with p = 3 counts as no steeper

size_t lb_muscle_share_scratch(int muscles, int joints) {
  const size_t n = (size_t)muscles, m = (size_t)joints;
  return m * m + 4 * m + 2 * n;
}

typedef struct work {
  double low;                  // factor on prices
  const double *lower, *upper; // [n] bounds of activations; NULL: all the same
  double* H;                   // [m][m]
  double *h, *step, *l, *to;   // [m] (2), Newton's step, lambda and the next one
  double *a, *slope;           // [n] (1) and its slope
} work;

// (1)
static double activate(const lb_muscle_share* s, const work* w, size_t i, double y) {
  const double least = w->lower ? w->lower[i] : s->least, most = w->upper ? w->upper[i] : 1;
  const double a = s->power == 3 ? sqrt(fmax(y, 0) / 3) : y / 2;
  w->slope[i] = a <= least || a >= most ? 0 : s->power == 3 ? 1 / (6 * fmax(a, RAISED)) : 0.5;
  return fmin(fmax(a, least), most);
}

// (2) and the residual; (3) is returned.
static double evaluate(const lb_muscle_share* s, const double* l, work* w, double* residual) {
  const size_t n = (size_t)s->muscles;
  double value = 0;
  for (size_t i = 0; i < n; i++) {
    double y = 0;
    for (int j = 0; j < s->joints; j++) {
      y += s->B[(size_t)j * n + i] * l[j];
    }
    const double a = w->a[i] = activate(s, w, i, y);
    value += y * a - (s->power == 3 ? a * a * a : a * a);
  }
  *residual = 0;
  for (int j = 0; j < s->joints; j++) {
    const double reserve = l[j] / (2 * w->low * s->price[j]);
    double sum = 0, size = fabs(s->wanted[j]) + fabs(reserve);
    for (size_t i = 0; i < n; i++) {
      const double part = s->B[(size_t)j * n + i] * w->a[i];
      sum += part;
      size += fabs(part);
    }
    w->h[j] = s->wanted[j] - sum - reserve;
    value += l[j] * (reserve / 2 - s->wanted[j]);
    *residual = fmax(*residual, size > 0 ? fabs(w->h[j]) / size : 0);
  }
  return value;
}

static bool find_step(const lb_muscle_share* s, work* w) {
  const size_t n = (size_t)s->muscles;
  const int m = s->joints;
  for (int j = 0; j < m; j++) {
    for (int k = 0; k <= j; k++) {
      double sum = 0;
      for (size_t i = 0; i < n; i++) {
        sum += w->slope[i] * s->B[(size_t)j * n + i] * s->B[(size_t)k * n + i];
      }
      w->H[j + k * m] = sum;
    }
    w->H[j + j * m] += 1 / (2 * w->low * s->price[j]);
    w->step[j] = w->h[j];
  }
  if (lb_cholesky(m, w->H, m) != LB_OK) {
    return false;
  }
  lb_cholesky_solve(m, w->H, m, 1, w->step, m);
  return true;
}

static double go(const lb_muscle_share* s, work* w, double part, double* residual) {
  memcpy(w->to, w->l, (size_t)s->joints * sizeof *w->l);
  lb_add(s->joints, w->to, part, w->step);
  return evaluate(s, w->to, w, residual);
}

// Root of (2) at the prices at hand.
static void find_root(const lb_muscle_share* s, work* w, double enough, lb_share_result* out) {
  double value = evaluate(s, w->l, w, &out->residual);
  for (int i = 0; i < MOST_STEPS && out->residual > enough && find_step(s, w); i++) {
    const double promise = ARMIJO * lb_dot(s->joints, w->h, w->step), before = out->residual;
    double part = 1, residual, next = go(s, w, part, &residual);
    for (int k = 0; k < MOST_HALVES && !(next <= value - part * promise); k++) {
      // near the end (3) is rounding, and the residual tells
      if (part == 1 && residual < 0.5 * before && before < 1e-6) {
        break;
      }
      part /= 2;
      next = go(s, w, part, &residual);
    }
    out->iterations++;
    if (!(next < value || residual < before)) {
      break;
    }
    memcpy(w->l, w->to, (size_t)s->joints * sizeof *w->l);
    value = next;
    out->residual = residual;
  }
}

// Prices at which no muscle does half of what it can, over those that are asked for.
static double lowest(const lb_muscle_share* s) {
  const size_t n = (size_t)s->muscles;
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double y = 0;
    for (int j = 0; j < s->joints; j++) {
      y += 2 * s->price[j] * fabs(s->wanted[j] * s->B[(size_t)j * n + i]);
    }
    most = fmax(most, y);
  }
  return most > 1 ? 1 / most : 1;
}

lb_share_result lb_muscle_share_solve(const lb_muscle_share* s, double* a, double* r,
                                      double* scratch) {
  return lb_muscle_share_within(s, NULL, NULL, a, r, scratch);
}

lb_share_result lb_muscle_share_within(const lb_muscle_share* s, const double* lower,
                                       const double* upper, double* a, double* r, double* scratch) {
  const size_t n = (size_t)s->muscles, m = (size_t)s->joints;
  work w = {.low = lowest(s), .lower = lower, .upper = upper, .H = scratch, .h = scratch + m * m};
  w.step = w.h + m, w.l = w.step + m, w.to = w.l + m, w.a = w.to + m, w.slope = w.a + n;
  lb_share_result out = {0};
  for (size_t j = 0; j < m; j++) {
    w.l[j] = 2 * w.low * s->price[j] * s->wanted[j];
  }
  for (; w.low < 1; w.low = fmin(1, RISE * w.low)) {
    find_root(s, &w, ROUGH, &out);
  }
  find_root(s, &w, ENOUGH, &out);
  evaluate(s, w.l, &w, &out.residual);
  memcpy(a, w.a, n * sizeof *a);
  for (size_t i = 0; i < n; i++) {
    out.cost += s->power == 3 ? a[i] * a[i] * a[i] : a[i] * a[i];
  }
  for (size_t j = 0; j < m; j++) {
    r[j] = w.l[j] / (2 * s->price[j]);
    out.cost += s->price[j] * r[j] * r[j];
  }
  return out;
}
