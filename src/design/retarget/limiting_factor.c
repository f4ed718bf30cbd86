// What keeps curves from coming nearer to their target. One thing at a time is made easier (finer
// control points, less smoothness, motors without limits), and one more step of the search is
// taken: how much deviation it leaves tells what stands in the way. Where nothing helps, it is
// reach: the motors cannot bring the tracked bodies there.
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

// The deviation of the curves and a part of a change; one that cannot be played is of no use.
static lb_status try_change(lb_newton* s, const easier* e, const double* p, double part,
                            double* deviation) {
  lb_retarget_value value = {0};
  for (int i = 0; i < s->n; i++) {
    s->trial->control[i] = e->curves->control[i] + part * p[i];
  }
  const lb_status status = lb_motion_run(&s->r, s->trial, &value);
  *deviation = status == LB_OK ? value.deviation : (double)INFINITY;
  return status == LB_FAILED ? LB_OK : status;
}

// Part of the root mean square deviation that the best change leaves, or half of it where the
// motion is not that linear.
static lb_status find_left(lb_newton* s, const easier* e, double* left) {
  static const double PARTS[] = {1, 0.5};
  double* g = LB_TAKE(&s->r.arena, double, s->n);
  double* p = LB_TAKE(&s->r.arena, double, s->n);
  lb_retarget_value now = {0};
  double gain = 0, damping = DAMPED * e->what.smoothness, least = 0;
  lb_status status = lb_arena_check(&s->r.arena, "retargeting", s->r.err);
  status = status == LB_OK ? lb_motion_run(&s->r, e->curves, &now) : status;
  status = status == LB_OK ? lb_motion_gradient(&s->r, e->curves, g, s->linear) : status;
  if (status == LB_OK) {
    lb_newton_clear_fixed(s, g);
    status = lb_newton_step(s, e->curves->control, g, &damping, p, &gain, s->r.err);
    least = now.deviation;
  }
  for (int i = 0; i < 2 && status == LB_OK; i++) {
    double deviation = 0;
    status = try_change(s, e, p, PARTS[i], &deviation);
    least = fmin(least, deviation);
  }
  *left = now.deviation > 0 ? sqrt(least / now.deviation) : 1;
  return status;
}

// The problem with its room open.
static lb_status solve(const easier* e, const lb_model* m, const lb_targets* targets,
                       const lb_retarget_options* options, double* left, lb_error* err) {
  const lb_curves* c = e->curves;
  lb_newton s = {.n = 0};
  lb_status status =
      lb_retargeting_open(&s.r, m, &e->what, e->input, targets, options, c->allocator, err);
  if (status != LB_OK) {
    return status;
  }
  status = lb_newton_open(&s);
  if (status == LB_OK) {
    status =
        lb_curves_create(c->nmotor, c->ncontrol, c->start, c->spacing, c->allocator, &s.trial, err);
  }
  status = status == LB_OK ? find_left(&s, e, left) : status;
  lb_curves_release(s.trial);
  lb_retargeting_close(&s.r);
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
    status = fit_both(&e, m, what, curves, err);
    status = status == LB_OK ? solve(&e, m, targets, options, left, err) : status;
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
