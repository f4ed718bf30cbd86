#include "base/pace.h"

#include <math.h>
#include <stdbool.h>

static const double WINDOW = 10;   // time constant of the rate [s]
static const double WATCHED = 3;   // before anything is said [s]
static const double GAINED = 0.03; // and so much of the work

// A mean since the first look, and after WINDOW exponential smoothing: dr/dt = (df/dt - r)/WINDOW.
void lb_pace_follow(lb_pace* p, double now, double fraction) {
  const bool anew = p->looked == 0 || fraction < p->reached;
  if (anew) {
    *p = (lb_pace){.begun = now, .looked = now, .first = fraction, .reached = fraction};
  }
  const double waited = now - p->looked, since = now - p->begun;
  if (!(waited > 0)) {
    return;
  }
  if (since < WINDOW) {
    p->rate = (fraction - p->first) / since;
  } else {
    p->rate += (1 - exp(-waited / WINDOW)) * ((fraction - p->reached) / waited - p->rate);
  }
  p->looked = now;
  p->reached = fraction;
}

double lb_pace_left(const lb_pace* p) {
  const bool known = p->looked - p->begun >= WATCHED && p->reached - p->first >= GAINED;
  return known && p->rate > 0 ? (1 - p->reached) / p->rate : (double)NAN;
}
