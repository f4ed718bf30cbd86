// How far apart the control points of curves are, where a scene does not say so: near enough for
// the vibrations that matter, and for what the input itself does.
#include <math.h>

#include "design/retarget/retarget_search.h"
#include "limber/shaping.h"
#include "limber/simulate.h"
#include "math/curve/time_profile.h"

enum { MOST_MODES = 40, LEAST_SPANS = 8, STEPS = 4, TRIES = 5 };
// A vibration matters that motors excite by this part of the one they excite most.
static const double MATTERS = 0.05;
// Control points in a period of the fastest of them; so much closer for the input's detail.
static const double A_PERIOD = 8, DETAIL = 4;
static const double USUAL = 0.04; // [s] where nothing vibrates
// How well curves have to follow the input, as a part of its range.
static const double FOLLOWED = 2e-3;

// The slowest and the fastest vibration that matters [Hz]; none: they stay.
static lb_status find_vibrations(const lb_model* m, const lb_allocator* allocator, double* slow,
                                 double* fast, lb_error* err) {
  lb_vibration mode[MOST_MODES];
  lb_data* d = NULL;
  int count = 0;
  lb_status status = lb_start_at_rest(m, allocator, &d, NULL);
  status = status == LB_OK ? lb_modes_of_model(m, d, MOST_MODES, mode, &count, NULL) : status;
  lb_data_release(d);
  if (status != LB_OK) { // without a rest at the start there are no targets, which is told there
    return status == LB_NO_MEMORY
               ? lb_error_add(err, status, (lb_place){0}, "out of memory for retargeting")
               : LB_OK;
  }
  count = count < MOST_MODES ? count : MOST_MODES;
  double most = 0;
  for (int i = 0; i < count; i++) {
    most = fmax(most, mode[i].excitation);
  }
  for (int i = count - 1; i >= 0; i--) { // slow ones come first
    if (mode[i].excitation > 0 && mode[i].excitation >= MATTERS * most) {
      *fast = fmax(*fast, mode[i].frequency);
      *slow = mode[i].frequency;
    }
  }
  return LB_OK;
}

// Largest distance of the curves from the input, over its range, of the motor that is worst off.
static double fit_error(const lb_model* m, const lb_retarget* r, const lb_curves* c) {
  enum { SAMPLES = 3 }; // in a span, where the fit has none
  const int count = SAMPLES * (c->ncontrol - 3);
  double worst = 0;
  for (int i = 0; i < c->nmotor; i++) {
    double off = 0, low = INFINITY, high = -INFINITY;
    for (int k = 0; k < count; k++) {
      double input[3], curve[3];
      const double t = (k + 0.45) / count * m->duration;
      lb_profile_evaluate(m->motor.profile[r->motor[i]], t, input);
      lb_curves_evaluate(c, i, t, curve);
      off = fmax(off, fabs(curve[0] - input[0]));
      low = fmin(low, input[0]);
      high = fmax(high, input[0]);
    }
    worst = high > low ? fmax(worst, off / (high - low)) : worst;
  }
  return worst;
}

lb_status lb_spacing_choose(const lb_model* m, lb_retarget* r, const lb_allocator* allocator,
                            lb_error* err) {
  double slow = 0, fast = 0;
  lb_status status = find_vibrations(m, allocator, &slow, &fast, err);
  r->period = slow > 0 ? 1 / slow : 0;
  if (r->spacing > 0 || status != LB_OK) {
    return status;
  }
  const double steps = STEPS * m->solver.step; // what is faster the steps do not see either
  const double widest =
      fmin(fast > 0 ? fmax(steps, 1 / (A_PERIOD * fast)) : USUAL, m->duration / LEAST_SPANS);
  const double least = fmax(steps, widest / DETAIL);
  double error = INFINITY;
  r->spacing = widest;
  for (int k = 0; k < TRIES && error > FOLLOWED && status == LB_OK; k++) {
    lb_curves* c = NULL;
    r->spacing = fmin(widest, fmax(least, widest * exp2(-0.5 * k)));
    status = lb_curves_fit(m, r, allocator, &c, err);
    error = status == LB_OK ? fit_error(m, r, c) : 0;
    lb_curves_release(c);
  }
  return status;
}
