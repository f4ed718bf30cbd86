// Gradients against differences that converge: central ones over halved widths, extrapolated to
// width zero, with an account of how exact they are.
#pragma once
#include <float.h>

#include "optimizing.h"

enum { WIDTHS = 9 };

typedef struct limit {
  double value, off; // and how far two ways of extrapolating it are apart, or rounding brings it
} limit;

// Neville's table of central differences d(h), d(h/2), .., which are series in h^2. The entry that
// three before it agree with best: wide differences are bent, narrow ones are rounded. `rounding`
// is that of d(h).
static limit extrapolate(const double* difference, double rounding) {
  double table[WIDTHS][WIDTHS];
  limit best = {NAN, (double)INFINITY};
  for (int i = 0; i < WIDTHS; i++, rounding *= 2) {
    table[i][0] = difference[i];
    double factor = 1;
    for (int k = 1; k < i; k++) {
      const double *now = table[i], *before = table[i - 1];
      factor *= 4;
      table[i][k] = now[k - 1] + (now[k - 1] - before[k - 1]) / (factor - 1);
      const double last = fmax(fabs(now[k] - now[k - 1]), fabs(now[k] - before[k - 1]));
      const double off = fmax(fmax(rounding, last), fabs(before[k - 1] - table[i - 2][k - 1]));
      best = off < best.off ? (limit){now[k], off} : best;
    }
  }
  return best;
}

static limit converged_difference(problem* p, const double* x, int i, double widest) {
  double y[MOST], difference[WIDTHS], h = widest, more = 0;
  memcpy(y, x, (size_t)p->o->nvalue * sizeof *y);
  for (int k = 0; k < WIDTHS; k++, h /= 2) {
    y[i] = x[i] + h;
    more = evaluate(p, y, NULL);
    y[i] = x[i] - h;
    difference[k] = (more - evaluate(p, y, NULL)) / (2 * h);
  }
  return extrapolate(difference, DBL_EPSILON * fabs(more) / widest);
}

// The slopes by a parameter's numbers, within `tolerance` of the largest of them; differences are
// ten times as exact.
static void check_parameter(problem* p, int parameter, const double* g, double widest,
                            double tolerance) {
  const int first = p->o->first[parameter], end = p->o->first[parameter + 1];
  double size = 0, worst = 0, rough = 0;
  for (int i = first; i < end; i++) {
    const double x = p->o->start[i];
    const limit d = converged_difference(p, p->o->start, i, widest * fmax(0.1, fabs(x)));
    size = fmax(size, fabs(d.value));
    worst = fmax(worst, fabs(g[i] - d.value));
    rough = fmax(rough, d.off);
    if (getenv("LIMBER_TELL")) {
      print_message("%d: %.12g %.12g\n", i, g[i], d.value);
    }
  }
  print_message("%s: %.6g, off by %.1e of it, differences by %.1e\n",
                p->scene.optimize.parameter[parameter].name, size, worst / size, rough / size);
  assert_at_most(rough, 0.1 * tolerance * size);
  assert_at_most(worst, tolerance * size);
}

static inline void check_converged(problem* p, double widest, double tolerance) {
  double g[MOST];
  evaluate(p, p->o->start, g);
  for (int k = 0; k < p->scene.optimize.nparameter; k++) {
    check_parameter(p, k, g, widest, tolerance);
  }
}
