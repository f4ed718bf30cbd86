// What keeps curves from coming nearer to their target. One thing at a time is made easier (more
// iterations, finer control points, less smoothness, motors without limits), and the search goes
// on: how much deviation it leaves tells what stands in the way. Where nothing helps, not even
// everything at once, it is reach: the motors cannot bring the tracked bodies there.
//
// The search that goes on is that of lb_retarget_run, steps that are solved to the end and played
// until they come true. One step alone says little: what is best to first order may be so far away
// that none of it comes true.
#include <math.h>
#include <string.h>

#include "design/retarget/retarget_search.h"

enum { MORE = 2 };                                // iterations that the search goes on for
static const double SMOOTHER = 1e-2, FINER = 0.5; // on smoothness and spacing
static const double HELPS = 0.8;                  // part of the deviation, or less, that is left
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

// The problem with something made easier.
typedef struct easier {
  lb_retarget what;
  lb_retarget_limit* limit; // [nmotor] its own
  double step;              // [s]
  lb_curves *input, *curves;
} easier;

// Whether there is anything to make easier.
typedef bool easing(easier* e);

static bool go_on(easier* e) {
  return e->what.iterations > 0;
}

// Accelerations are weighed as they were. As many steps as before are between control points: with
// fewer, curves could be good at the steps alone.
static bool refine(easier* e) {
  e->step *= FINER;
  e->what.spacing *= FINER;
  e->what.smoothness *= pow(FINER, -4);
  return true;
}

static bool roughen(easier* e) {
  e->what.smoothness *= SMOOTHER;
  e->what.closeness *= SMOOTHER;
  return true;
}

static bool free_motors(easier* e) {
  const double most = (double)INFINITY;
  bool any = false;
  for (int i = 0; i < e->what.nmotor; i++) {
    lb_retarget_limit* l = &e->limit[i];
    any = any || isfinite(l->angle[0]) || isfinite(l->angle[1]) || isfinite(l->speed) ||
          isfinite(l->acceleration);
    *l = (lb_retarget_limit){{-most, most}, most, most, l->torque};
  }
  return any;
}

static bool free_torques(easier* e) {
  bool any = false;
  for (int i = 0; i < e->what.nmotor; i++) {
    any = any || isfinite(e->limit[i].torque);
    e->limit[i].torque = (double)INFINITY;
  }
  return any;
}

static bool ease_all(easier* e) {
  free_motors(e);
  free_torques(e);
  return refine(e) && roughen(e);
}

// NULL: nothing that the search could be freed of.
static easing* const EASING[LB_LIMITING_COUNT] = {
    [LB_LIMITING_ITERATIONS] = go_on,    [LB_LIMITING_SPACING] = refine,
    [LB_LIMITING_SMOOTHNESS] = roughen,  [LB_LIMITING_MOTORS] = free_motors,
    [LB_LIMITING_TORQUE] = free_torques, [LB_LIMITING_SEVERAL] = ease_all};

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

// The value that a search begins with.
static bool note_first(void* context, const lb_retarget_news* news,
                       const lb_retarget_state* state) {
  lb_retarget_value* first = context;
  (void)state;
  *first = news->iteration == 0 ? news->value : *first;
  return true;
}

// Part of the root mean square deviation that going on leaves. Torques must stay as well within
// their limits as they are.
static lb_status find_left(const easier* e, const lb_model* m, const lb_targets* targets,
                           const lb_retarget_options* options, double* left, lb_error* err) {
  lb_retarget_value first = {0}, last = {0};
  lb_retarget_options o = *options;
  o.method = LB_RETARGET_GAUSS_NEWTON;
  o.step = e->step;
  o.news = note_first;
  o.context = &first;
  const lb_status status =
      lb_retarget_go_on(m, &e->what, e->input, targets, e->curves, &o, &last, err);
  const bool kept = last.torque <= fmax(LB_TORQUE_KEPT, first.torque);
  const bool better = kept && last.deviation < first.deviation;
  *left = better ? sqrt(last.deviation / first.deviation) : 1;
  return status;
}

// Curves that cannot be played with this made easier are no better.
static lb_status left_without(lb_limiting_factor factor, const lb_model* m, const lb_retarget* what,
                              const lb_targets* targets, const lb_curves* curves,
                              const lb_retarget_options* options, double* left, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, curves->allocator);
  easier e = {
      .what = *what, .limit = LB_COPY(&arena, what->limit, what->nmotor), .step = options->step};
  lb_status status = lb_arena_check(&arena, "retargeting", err);
  e.what.limit = e.limit;
  *left = NAN;
  if (status == LB_OK && EASING[factor](&e)) {
    lb_error quiet = lb_error_make(curves->allocator);
    e.what.iterations = MORE;
    status = fit_both(&e, m, what, curves, &quiet);
    status = status == LB_OK ? find_left(&e, m, targets, options, left, &quiet) : status;
    status = status == LB_FAILED || status == LB_INVALID ? LB_OK : status;
    lb_error_clear(&quiet);
  }
  lb_curves_release(e.input);
  lb_curves_release(e.curves);
  lb_arena_release(&arena);
  return status == LB_OK ? LB_OK
                         : lb_error_add(err, status, (lb_place){0}, "%s", lb_status_text(status));
}

// What has to be left, or less, so that another factor limits more. Going on is in all of them, so
// they have to help as much again as that.
static double least_of(const lb_limiting* l) {
  const double left = l->factor == LB_LIMITING_REACH ? 1 : l->left[l->factor];
  return l->factor <= LB_LIMITING_ITERATIONS ? fmin(HELPS, left) * left : left;
}

lb_limiting lb_limiting_none(void) {
  lb_limiting none = {.factor = LB_LIMITING_REACH};
  for (int f = 0; f < LB_LIMITING_COUNT; f++) {
    none.left[f] = NAN;
  }
  return none;
}

void lb_limiting_note(lb_limiting* l, lb_limiting_factor factor, double left) {
  const double least = least_of(l);
  l->left[factor] = left;
  l->factor = left < least ? factor : l->factor;
}

lb_status lb_limiting_find(const lb_model* m, const lb_retarget* what, const lb_targets* targets,
                           const lb_curves* curves, const lb_retarget_options* options,
                           lb_limiting* limiting, lb_error* err) {
  lb_retarget_options rough = *options;
  const double h = isnan(options->step) ? m->solver.step : options->step;
  lb_limiting found = lb_limiting_none();
  lb_status status = LB_OK;
  rough.step = fmax(h, fmin(ROUGH_STEP, curves->spacing / LB_SPACING_STEPS));
  for (int f = 0; f < LB_LIMITING_COUNT && status == LB_OK; f++) {
    const bool needed = f != LB_LIMITING_SEVERAL || found.factor == LB_LIMITING_REACH;
    double left = NAN;
    if (EASING[f] && needed) {
      status = left_without((lb_limiting_factor)f, m, what, targets, curves, &rough, &left, err);
      lb_limiting_note(&found, (lb_limiting_factor)f, left);
    }
  }
  if (status == LB_OK) {
    *limiting = found;
  }
  return status;
}
