// Switching functions: quantities of the state at whose values forces, or the way joints lead, have
// kinks or jumps. Within the range around such a quantity everything is smooth, so that a step of
// high order keeps its order; one that leaves it does not (solve/explicit/adaptive.c).
#pragma once
#include <math.h>

typedef struct lb_switching {
  double x;
  double lower, upper; // nearest kinks on both sides
} lb_switching;

// A quantity without kinks, to begin with.
static inline lb_switching lb_switching_smooth(double x) {
  return (lb_switching){x, -INFINITY, INFINITY};
}

// The range narrowed by a kink.
static inline void lb_switching_kink(lb_switching* s, double at) {
  if (s->x > at) {
    s->lower = fmax(s->lower, at);
  } else {
    s->upper = fmin(s->upper, at);
  }
}

// A quantity that has a kink where it changes its sign.
static inline lb_switching lb_switching_sign(double x) {
  lb_switching s = lb_switching_smooth(x);
  lb_switching_kink(&s, 0);
  return s;
}
