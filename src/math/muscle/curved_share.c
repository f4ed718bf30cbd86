// Newton's method with shorter steps. Each round solves a quadratic program about the activations
// at hand, with tensions F + F'(a - a_i) and the curvature of Lagrange's function,
//
//   (1)  min sum g_i (a - a_i) + h_i/2 (a - a_i)^2 + sum price_j r_j^2
//   (2)  g = p a^(p-1),   h = p (p-1) a^(p-2) - y F'',   y = arm_i'lambda
//
// with the prices lambda = 2 price r of the round before. A curvature below a part of the first
// term is raised to it, so that the program is convex. Its step leads downhill in f then, and is
// halved until f falls: rounds cannot swing to and fro. Near a solution whole steps converge
// quadratically. In the variables x = (a - m)/w, with w = sqrt(2/h) and m = a - g/h, (1) is the
// program of muscle_share.h.
#include "math/muscle/curved_share.h"

#include <math.h>
#include <string.h>

#include "math/muscle/muscle_share.h"

static const double STAYS = 1e-9;  // change of an activation
static const double CONVEX = 0.25; // least curvature, over that of the effort
static const double RAISED = 1e-3,
                    TINY = 1e-12;     // activations below which a^3 counts as no less curved
static const double AHEAD = 1e-4;     // change of an activation for F''
static const double ENOUGH = 1e-4;    // part of the fall of f that its slope tells
static const double ROUNDING = 1e-13; // of f, below which steps are taken as they are
enum { MOST_PARTS = 30 };

typedef struct work {
  double *F, *slope, *bend;      // [n] at a
  double *h, *g, *w;             // [n]
  double *x, *lower, *upper;     // [n] variables of the program
  double *to, *F_to, *slope_to;  // [n] next activations
  double *lambda, *wanted, *r_x; // [m]
  double* B;                     // [m][n]
  double* scratch;               // of the program
} work;

size_t lb_curved_share_scratch(int muscles, int joints) {
  const size_t n = (size_t)muscles, m = (size_t)joints;
  return 12 * n + 3 * m + m * n + lb_muscle_share_scratch(muscles, joints);
}

static work carve(const lb_curved_share* s, double* scratch) {
  const size_t n = (size_t)s->muscles, m = (size_t)s->joints;
  work w;
  double** const of_n[] = {&w.F, &w.slope, &w.bend,  &w.h,  &w.g,    &w.w,
                           &w.x, &w.lower, &w.upper, &w.to, &w.F_to, &w.slope_to};
  double** const of_m[] = {&w.lambda, &w.wanted, &w.r_x};
  for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++, scratch += n) {
    *of_n[i] = scratch;
  }
  for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++, scratch += m) {
    *of_m[i] = scratch;
  }
  w.B = scratch;
  w.scratch = scratch + m * n;
  return w;
}

static double power(double a, int p) {
  return p == 3 ? a * a * a : a * a;
}

// Tensions and slopes at a, what they leave to r, and f.
static double evaluate(const lb_curved_share* s, const double* a, double* F, double* slope,
                       double* r) {
  const size_t n = (size_t)s->muscles;
  double f = 0;
  for (int i = 0; i < s->muscles; i++) {
    const lb_share_tension p = s->pull(s->context, i, a[i]);
    F[i] = p.force;
    slope[i] = p.slope;
    f += power(a[i], s->power);
  }
  for (int j = 0; j < s->joints; j++) {
    r[j] = s->wanted[j];
    for (size_t i = 0; i < n; i++) {
      r[j] -= s->arm[(size_t)j * n + i] * F[i];
    }
    f += s->price[j] * r[j] * r[j];
  }
  return f;
}

// F'' by differences of exact slopes, within the bounds.
static void find_bends(const lb_curved_share* s, const work* w, const double* a) {
  for (int i = 0; i < s->muscles; i++) {
    const double step = a[i] + AHEAD <= s->upper[i] ? AHEAD : -AHEAD;
    w->bend[i] = (s->pull(s->context, i, a[i] + step).slope - w->slope[i]) / step;
  }
}

// p (p-1) a^(p-2). With p = 3, the curvature of a muscle that is not wanted is one with which the
// step ends at 0: Newton's own would halve activations for ever.
static double effort_bends(int p, double a, double y, bool first) {
  return p == 2 ? 2 : y > 0 || first ? 6 * fmax(a, RAISED) : 3 * fmax(a, TINY);
}

// (2)
static void find_curvature(const lb_curved_share* s, const work* w, const double* a, bool first) {
  const size_t n = (size_t)s->muscles;
  for (size_t i = 0; i < n; i++) {
    double y = 0;
    for (int j = 0; j < s->joints; j++) {
      y += s->arm[(size_t)j * n + i] * w->lambda[j];
    }
    const double own = effort_bends(s->power, a[i], y, first);
    w->g[i] = s->power == 3 ? 3 * a[i] * a[i] : 2 * a[i];
    w->h[i] = fmax(own - y * w->bend[i], CONVEX * own);
  }
}

// (1): the next activations, and lambda.
static double solve_program(const lb_curved_share* s, const work* w, const double* a) {
  const size_t n = (size_t)s->muscles;
  memcpy(w->wanted, s->wanted, (size_t)s->joints * sizeof *w->wanted);
  for (size_t i = 0; i < n; i++) {
    const double m = a[i] - w->g[i] / w->h[i];
    w->w[i] = sqrt(2 / w->h[i]);
    w->lower[i] = (s->lower[i] - m) / w->w[i];
    w->upper[i] = (s->upper[i] - m) / w->w[i];
    for (int j = 0; j < s->joints; j++) {
      const double arm = s->arm[(size_t)j * n + i];
      w->B[(size_t)j * n + i] = arm * w->slope[i] * w->w[i];
      w->wanted[j] -= arm * (w->F[i] + w->slope[i] * (m - a[i]));
    }
  }
  const lb_muscle_share program = {.muscles = s->muscles,
                                   .joints = s->joints,
                                   .B = w->B,
                                   .wanted = w->wanted,
                                   .price = s->price,
                                   .power = 2};
  const lb_share_result out =
      lb_muscle_share_within(&program, w->lower, w->upper, w->x, w->r_x, w->scratch);
  for (size_t i = 0; i < n; i++) {
    const double m = a[i] - w->g[i] / w->h[i];
    w->to[i] = fmin(fmax(m + w->w[i] * w->x[i], s->lower[i]), s->upper[i]);
  }
  for (int j = 0; j < s->joints; j++) {
    w->lambda[j] = 2 * s->price[j] * w->r_x[j];
  }
  return out.residual;
}

// Slope of f along the step to the next activations.
static double slope_along(const lb_curved_share* s, const work* w, const double* a,
                          const double* r) {
  const size_t n = (size_t)s->muscles;
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double by = w->g[i];
    for (int j = 0; j < s->joints; j++) {
      by -= 2 * s->price[j] * r[j] * s->arm[(size_t)j * n + i] * w->slope[i];
    }
    sum += by * (w->to[i] - a[i]);
  }
  return sum;
}

// Largest change by the step.
static double change(const lb_curved_share* s, const work* w, const double* a) {
  double most = 0;
  for (int i = 0; i < s->muscles; i++) {
    most = fmax(most, fabs(w->to[i] - a[i]));
  }
  return most;
}

// The step, or the part of it by which f falls: f there. `to` becomes where it ends.
static double go(const lb_curved_share* s, const work* w, const double* a, double* r, double f,
                 double along) {
  double part = 1, next = evaluate(s, w->to, w->F_to, w->slope_to, r);
  for (int k = 0; k < MOST_PARTS && !(next <= f + ENOUGH * part * along + ROUNDING * f); k++) {
    part /= 2;
    for (int i = 0; i < s->muscles; i++) {
      w->to[i] = a[i] + (w->to[i] - a[i]) / 2;
    }
    next = evaluate(s, w->to, w->F_to, w->slope_to, r);
  }
  return next;
}

// Were tensions straight over the step? Then its end is the solution.
static bool straight(const lb_curved_share* s, const work* w) {
  bool same = true;
  for (int i = 0; i < s->muscles; i++) {
    same &= w->slope[i] == w->slope_to[i];
  }
  return same && s->power == 2;
}

lb_curved_result lb_curved_share_solve(const lb_curved_share* s, double* a, double* r,
                                       double* scratch) {
  const size_t n = (size_t)s->muscles;
  const work w = carve(s, scratch);
  lb_curved_result out = {0};
  double f = evaluate(s, a, w.F, w.slope, r);
  memset(w.lambda, 0, (size_t)s->joints * sizeof *w.lambda);
  memset(w.bend, 0, n * sizeof *w.bend);
  while (out.rounds < s->rounds && !out.settled) {
    find_curvature(s, &w, a, out.rounds == 0);
    out.residual = solve_program(s, &w, a);
    const double along = slope_along(s, &w, a, r);
    if (change(s, &w, a) <= STAYS) {
      out.settled = true;
      break;
    }
    f = go(s, &w, a, r, f, along);
    out.settled = straight(s, &w);
    out.rounds++;
    memcpy(a, w.to, n * sizeof *a);
    memcpy(w.F, w.F_to, n * sizeof *a);
    memcpy(w.slope, w.slope_to, n * sizeof *a);
    if (!out.settled) {
      find_bends(s, &w, a);
    }
  }
  return out;
}
