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
// Newton's method with steps that are halved until (3) falls cannot fail: its matrix, B a'(y) B' +
// 1/(2 price), is definite. Where all muscles are at bounds the matrix says little; so prices begin
// low, where none is at its upper one, and rise by a factor at a time.
//
// Where muscles cannot do what is wanted, prices lambda are large, and the share y of a muscle that
// is between its bounds is a small difference of them. So lambda is a sum of two numbers, the first
// rounded and the second what is left, and y is summed with all its digits [Dekker 1971]. (3) would
// drown in rounding, too; its slope along a step, -h'step, does not.
#include "math/muscle/muscle_share.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/linear/dense.h"

enum { MOST_STEPS = 200, MOST_PARTS = 50, MOST_IDLE = 4 };
static const double ENOUGH = 1e-13; // residual
static const double ROUGH = 1e-3;   // likewise, at prices on the way
static const double RISE = 10;      // of prices
static const double BEYOND = 0.1;   // slope of (3) where a step ends, over that where it begins
static const double BEFORE = 0.5;   // likewise, minus it, of a step that is not a whole one
static const double RAISED = 1e-9;  // activation below which (1) with p = 3 counts as no steeper

size_t lb_muscle_share_scratch(int muscles, int joints) {
  const size_t n = (size_t)muscles, m = (size_t)joints;
  return m * m + 6 * m + 4 * n;
}

// Numbers of twice as many digits: sums of two.
typedef struct precise {
  double *x, *rest;
} precise;

typedef struct work {
  double low;                  // factor on prices
  const double *lower, *upper; // [n] bounds of activations; NULL: all the same
  double* H;                   // [m][m]
  double *h, *step;            // [m] (2) and Newton's step
  precise l, to;               // [m] lambda and the next one
  precise y;                   // [n] B'lambda
  double *a, *slope;           // [n] (1) and its slope
} work;

// a + b and the error of that sum.
static inline double two_sum(double a, double b, double* error) {
  const double sum = a + b, part = sum - a;
  *error = (a - (sum - part)) + (b - part);
  return sum;
}

static void find_shares(const lb_muscle_share* s, const precise* l, const precise* y) {
  const size_t n = (size_t)s->muscles;
  memset(y->x, 0, n * sizeof *y->x);
  memset(y->rest, 0, n * sizeof *y->rest);
  for (int j = 0; j < s->joints; j++) {
    const double *B = s->B + (size_t)j * n, lambda = l->x[j], rest = l->rest[j];
    for (size_t i = 0; i < n; i++) {
      const double product = B[i] * lambda, lost = fma(B[i], lambda, -product);
      double error;
      y->x[i] = two_sum(y->x[i], product, &error);
      y->rest[i] += error + lost + B[i] * rest;
    }
  }
}

// (1)
static double activate(const lb_muscle_share* s, const work* w, size_t i) {
  const double least = w->lower ? w->lower[i] : s->least, most = w->upper ? w->upper[i] : 1;
  const double y = w->y.x[i] + w->y.rest[i], a = s->power == 3 ? sqrt(fmax(y, 0) / 3) : y / 2;
  w->slope[i] = a <= least || a >= most ? 0 : s->power == 3 ? 1 / (6 * fmax(a, RAISED)) : 0.5;
  return fmin(fmax(a, least), most);
}

// (2) and the residual, which is returned.
static double evaluate(const lb_muscle_share* s, const precise* l, const work* w) {
  const size_t n = (size_t)s->muscles;
  double residual = 0;
  find_shares(s, l, &w->y);
  for (size_t i = 0; i < n; i++) {
    w->a[i] = activate(s, w, i);
  }
  for (int j = 0; j < s->joints; j++) {
    const double reserve = l->x[j] / (2 * w->low * s->price[j]);
    double sum = 0, size = fabs(s->wanted[j]) + fabs(reserve);
    for (size_t i = 0; i < n; i++) {
      const double part = s->B[(size_t)j * n + i] * w->a[i];
      sum += part;
      size += fabs(part);
    }
    w->h[j] = s->wanted[j] - sum - reserve;
    residual = fmax(residual, size > 0 ? fabs(w->h[j]) / size : 0);
  }
  return residual;
}

// B a'(y) B' + 1/(2 price), its diagonal raised by a part of it.
static void fill_matrix(const lb_muscle_share* s, const work* w, double raised) {
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
    w->H[j + j * m] = (1 + raised) * w->H[j + j * m] + 1 / (2 * w->low * s->price[j]);
  }
}

// Newton's step. Where few muscles are between their bounds, and strong, rounding may hide that the
// matrix is definite; a raised diagonal shows it, for steps that are shorter.
static bool find_step(const lb_muscle_share* s, const work* w) {
  static const double FIRST = 1e-15, LAST = 1e-9;
  double raised = 0;
  fill_matrix(s, w, raised);
  while (lb_cholesky(s->joints, w->H, s->joints) != LB_OK) {
    raised = fmax(10 * raised, FIRST);
    if (raised > LAST) {
      return false;
    }
    fill_matrix(s, w, raised);
  }
  memcpy(w->step, w->h, (size_t)s->joints * sizeof *w->step);
  lb_cholesky_solve(s->joints, w->H, s->joints, 1, w->step, s->joints);
  return true;
}

// A part of the step: the residual after it.
static double go(const lb_muscle_share* s, const work* w, double part) {
  for (int j = 0; j < s->joints; j++) {
    double error;
    const double sum = two_sum(w->l.x[j], part * w->step[j], &error);
    w->to.x[j] = two_sum(sum, w->l.rest[j] + error, &w->to.rest[j]);
  }
  return evaluate(s, &w->to, w);
}

// The whole step, or where (3) falls to beyond it, the part up to about there: the residual.
static double search(const lb_muscle_share* s, const work* w) {
  const double fall = lb_dot(s->joints, w->h, w->step);
  double residual = go(s, w, 1), slope = -lb_dot(s->joints, w->h, w->step);
  double from = 0, to = 1, before = -fall, beyond = slope;
  for (int k = 0;
       k < MOST_PARTS && !(slope <= BEYOND * fall && (k == 0 || slope >= -BEFORE * fall)); k++) {
    // where a straight line between the slopes is zero, and not too near to an end
    const double at = before / (before - beyond);
    const double part = from + (to - from) * fmin(fmax(at, 0.1), 0.9);
    residual = go(s, w, part);
    slope = -lb_dot(s->joints, w->h, w->step);
    *(slope > 0 ? &to : &from) = part;
    *(slope > 0 ? &beyond : &before) = slope;
  }
  return residual;
}

// Root of (2) at the prices at hand.
static void find_root(const lb_muscle_share* s, const work* w, double enough,
                      lb_share_result* out) {
  double least = out->residual = evaluate(s, &w->l, w);
  for (int i = 0, idle = 0; i < MOST_STEPS && out->residual > enough && idle < MOST_IDLE; i++) {
    if (!find_step(s, w)) {
      break;
    }
    out->residual = search(s, w);
    out->iterations++;
    memcpy(w->l.x, w->to.x, (size_t)s->joints * sizeof *w->l.x);
    memcpy(w->l.rest, w->to.rest, (size_t)s->joints * sizeof *w->l.rest);
    idle = out->residual < 0.5 * least || least > 1e-9 ? 0 : idle + 1;
    least = fmin(least, out->residual);
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
  work w = {.low = lowest(s), .lower = lower, .upper = upper, .H = scratch};
  double** const part[] = {&w.h,       &w.step, &w.l.x,   &w.l.rest, &w.to.x,
                           &w.to.rest, &w.a,    &w.slope, &w.y.x,    &w.y.rest};
  lb_share_result out = {0};
  scratch += m * m;
  for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
    *part[k] = scratch;
    scratch += k < 6 ? m : n;
  }
  for (size_t j = 0; j < m; j++) {
    w.l.x[j] = 2 * w.low * s->price[j] * s->wanted[j];
    w.l.rest[j] = 0;
  }
  for (; w.low < 1; w.low = fmin(1, RISE * w.low)) {
    find_root(s, &w, ROUGH, &out);
  }
  find_root(s, &w, ENOUGH, &out);
  out.residual = evaluate(s, &w.l, &w);
  memcpy(a, w.a, n * sizeof *a);
  for (size_t i = 0; i < n; i++) {
    out.cost += s->power == 3 ? a[i] * a[i] * a[i] : a[i] * a[i];
  }
  for (size_t j = 0; j < m; j++) {
    r[j] = w.l.x[j] / (2 * s->price[j]);
    out.cost += s->price[j] * r[j] * r[j];
  }
  return out;
}
