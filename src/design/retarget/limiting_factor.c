// What keeps curves from coming nearer to their target. One thing at a time is made easier (finer
// control points, less smoothness, motors without limits), and the best change of the curves is
// found anew, to first order: how much deviation it would leave tells what stands in the way. Where
// nothing helps, it is reach: the motors cannot bring the tracked bodies there.
#include <math.h>
#include <string.h>

#include "design/retarget/curve_step.h"

static const double SMOOTHER = 1e-2, FINER = 0.5; // on smoothness and spacing
static const double HELPS = 0.8;                  // part of the deviation, or less, that is left
static const double DAMPED = 0.1;                 // of the smoothness: damping of the change
static const double ROUGH_STEP = 2e-3;            // [s]

static const char* const NAMES[][2] = {
#define LB_LIMITING_NAME(code, name, words) {name, words},
    LB_LIMITING_LIST(LB_LIMITING_NAME)
#undef LB_LIMITING_NAME
};

const char* lb_limiting_name(lb_limiting_factor factor) {
  return NAMES[factor][0];
}

const char* lb_limiting_words(lb_limiting_factor factor) {
  return NAMES[factor][1];
}

// The problem with one thing made easier.
typedef struct easier {
  lb_retarget what;
  lb_retarget_limit* limit; // [nmotor] its own
  lb_curves *input, *curves;
} easier;

// Whether there is anything to make easier.
static bool ease(easier* e, lb_limiting_factor factor) {
  const double most = (double)INFINITY;
  bool any = factor == LB_LIMITING_SPACING || factor == LB_LIMITING_SMOOTHNESS;
  if (factor == LB_LIMITING_SMOOTHNESS) {
    e->what.smoothness *= SMOOTHER;
    e->what.closeness *= SMOOTHER;
  }
  if (factor == LB_LIMITING_SPACING) { // accelerations are weighed as they were
    e->what.spacing *= FINER;
    e->what.smoothness *= pow(FINER, -4);
  }
  for (int i = 0; i < e->what.nmotor; i++) {
    lb_retarget_limit* l = &e->limit[i];
    const double torque = l->torque;
    if (factor == LB_LIMITING_MOTORS) {
      any = any || isfinite(l->angle[0]) || isfinite(l->angle[1]) || isfinite(l->speed) ||
            isfinite(l->acceleration);
      *l = (lb_retarget_limit){{-most, most}, most, most, torque};
    } else if (factor == LB_LIMITING_TORQUE) {
      any = any || isfinite(torque);
      l->torque = most;
    }
  }
  return any;
}

// Input and curves with the problem's spacing.
static lb_status fit_both(easier* e, const lb_model* m, const lb_retarget* what,
                          const lb_curves* curves, lb_error* err) {
  lb_model* played = NULL;
  lb_status status = lb_model_play(m, what, curves, NULL, curves->allocator, &played, err);
  if (status == LB_OK) {
    status = lb_curves_fit(m, &e->what, curves->allocator, &e->input, err);
  }
  if (status == LB_OK) {
    status = lb_curves_fit(played, &e->what, curves->allocator, &e->curves, err);
  }
  lb_model_release(played);
  return status;
}

static double regularisers(const lb_newton* s, const lb_curves* c) {
  lb_retarget_value value = {0};
  lb_regular_add(&s->r, c, &value, NULL);
  return value.closeness + value.smoothness;
}

// Part of the root mean square deviation that the best change would leave. Its gain g is that of
// all of the objective F = D + R, so that D' = D - g + R - R'.
static lb_status find_left(lb_newton* s, easier* e, double* left) {
  double* x = e->curves->control;
  double* g = LB_TAKE(&s->r.arena, double, s->n);
  double* p = LB_TAKE(&s->r.arena, double, s->n);
  lb_retarget_value value = {0};
  double gain = 0, damping = DAMPED * e->what.smoothness;
  lb_status status = lb_arena_check(&s->r.arena, "retargeting", s->r.err);
  status = status == LB_OK ? lb_motion_run(&s->r, e->curves, &value) : status;
  status = status == LB_OK ? lb_motion_gradient(&s->r, e->curves, g, s->linear) : status;
  if (status != LB_OK) {
    return status;
  }
  lb_newton_clear_fixed(s, g);
  status = lb_newton_step(s, x, g, &damping, p, &gain, s->r.err);
  const double before = regularisers(s, e->curves);
  for (int i = 0; i < s->n && status == LB_OK; i++) {
    x[i] += p[i];
  }
  const double after = regularisers(s, e->curves);
  const double rest = fmax(0, value.deviation - gain + before - after);
  *left = value.deviation > 0 ? sqrt(rest / value.deviation) : 1;
  return status;
}

static lb_status left_without(lb_limiting_factor factor, const lb_model* m, const lb_retarget* what,
                              const lb_targets* targets, const lb_curves* curves,
                              const lb_retarget_options* options, double* left, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, curves->allocator);
  easier e = {.what = *what, .limit = LB_COPY(&arena, what->limit, what->nmotor)};
  lb_status status = lb_arena_check(&arena, "retargeting", err);
  e.what.limit = e.limit;
  *left = NAN;
  if (status == LB_OK && ease(&e, factor)) {
    lb_newton s = {.n = 0};
    status = fit_both(&e, m, what, curves, err);
    status = status == LB_OK ? lb_retargeting_open(&s.r, m, &e.what, e.input, targets, options,
                                                   curves->allocator, err)
                             : status;
    if (status == LB_OK) {
      status = lb_newton_open(&s);
      status = status == LB_OK ? find_left(&s, &e, left) : status;
      lb_retargeting_close(&s.r);
    }
  }
  lb_curves_release(e.input);
  lb_curves_release(e.curves);
  lb_arena_release(&arena);
  return status;
}

void lb_limiting_note(lb_limiting* l, lb_limiting_factor factor, double left) {
  const double least = l->factor == LB_LIMITING_REACH ? HELPS : l->left[l->factor];
  l->left[factor] = left;
  l->factor = left < least ? factor : l->factor;
}

lb_status lb_limiting_find(const lb_model* m, const lb_retarget* what, const lb_targets* targets,
                           const lb_curves* curves, const lb_retarget_options* options,
                           lb_limiting* limiting, lb_error* err) {
  lb_retarget_options rough = *options;
  const double h = isnan(options->step) ? m->solver.step : options->step;
  lb_limiting found = {.factor = LB_LIMITING_REACH};
  lb_status status = LB_OK;
  rough.step = fmax(h, fmin(ROUGH_STEP, curves->spacing / LB_SPACING_STEPS));
  for (int f = 0; f < LB_LIMITING_COUNT && status == LB_OK; f++) {
    double left = NAN;
    status = left_without((lb_limiting_factor)f, m, what, targets, curves, &rough, &left, err);
    lb_limiting_note(&found, (lb_limiting_factor)f, left);
  }
  if (status == LB_OK) {
    *limiting = found;
  }
  return status;
}
