// With r_i = t_i - i h, times are rounded from a + i h where
//
//   (1)  spread(h) = max_i r_i - min_i r_i <= u
//
// for the unit u of the last digit: a may then be anything in [max r - u/2, min r + u/2]. The
// spread is convex in h, and its slope is the index of the least r minus that of the largest. So
// the least spread is found by bisection.
#include "math/curve/even_times.h"

#include <float.h>
#include <math.h>

enum { MOST_DIGITS = 9, HALVINGS = 60 };
static const double EVEN = 1e-6;   // of a step: too little to see in rates
static const double ROOM = 1e-6;   // of a unit, for rounding here
static const double COARSEST = 3;  // units in a step, at least
static const double JITTER = 0.05; // of a step, where the rate is given

typedef struct samples {
  int n;
  const double* t;
  int stride;
} samples;

typedef struct spread {
  double least, most;
  int at_least, at_most;
} spread;

static double time_at(const samples* s, int i) {
  return s->t[(long)i * s->stride];
}

static spread spread_of(const samples* s, double h) {
  spread x = {INFINITY, -INFINITY, 0, 0};
  for (int i = 0; i < s->n; i++) {
    const double r = time_at(s, i) - i * h;
    if (r < x.least) {
      x.least = r;
      x.at_least = i;
    }
    if (r > x.most) {
      x.most = r;
      x.at_most = i;
    }
  }
  return x;
}

static double width_of(const samples* s, double h) {
  const spread x = spread_of(s, h);
  return x.most - x.least;
}

static bool ends_by(double t, double scale) {
  return fabs(t - round(t * scale) / scale) <= 4 * DBL_EPSILON * fabs(t);
}

// Unit of the last decimal place that any of the times has; NAN: they have more than are counted.
static double unit_of(const samples* s) {
  double scale = 1;
  int i = 0; // those before have no more places
  for (int digits = 0; digits <= MOST_DIGITS; digits++, scale *= 10) {
    while (i < s->n && ends_by(time_at(s, i), scale)) {
      i++;
    }
    if (i == s->n) {
      return 1 / scale;
    }
  }
  return NAN;
}

// Step with the least spread.
static double narrowest(const samples* s, double h, double unit) {
  double low = h - unit, high = h + unit; // the ends are off by a unit at most, and n > 2
  for (int k = 0; k < HALVINGS; k++) {
    const double middle = 0.5 * (low + high);
    const spread x = spread_of(s, middle);
    *(x.at_most > x.at_least ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

bool lb_even_times(int n, const double* t, int stride, double rate, double* start, double* step) {
  const samples s = {n, t, stride};
  if (n < LB_EVEN_LEAST) {
    return false;
  }
  const double mean = (time_at(&s, n - 1) - time_at(&s, 0)) / (n - 1), unit = unit_of(&s);
  if (width_of(&s, mean) <= EVEN * mean) {
    return false;
  }
  const bool rounded = unit <= mean / COARSEST;
  const double bound = rounded ? (1 + ROOM) * unit : 0;
  const double loose = fmax(bound, 2 * JITTER * mean);
  const double h = rounded ? narrowest(&s, mean, unit) : mean, whole = 1 / round(1 / h);
  const struct {
    double step, bound;
    bool may;
  } choice[] = {{1 / rate, loose, rate > 0},
                {whole, bound, rounded && h < 1 && fabs(h - whole) < unit},
                {h, bound, rounded}};
  for (int k = 0; k < 3; k++) {
    const spread x = choice[k].may ? spread_of(&s, choice[k].step) : (spread){0};
    if (choice[k].may && x.most - x.least <= choice[k].bound) {
      const double half = 0.5 * fmax(choice[k].bound, x.most - x.least);
      *step = choice[k].step;
      *start = fmin(fmax(time_at(&s, 0), x.most - half), x.least + half);
      return true;
    }
  }
  return false;
}
