// The search for curves. Its objective is that of the motion (retarget_motion.c) and its gradient;
// the searches are those of src/design/search.
//
// With residuals y of the tracked bodies and the regularisers' form B, the objective is
// 1/2 y'y + 1/2 x'Bx, and its second derivative nearly H = J'J + B: residuals are small where the
// curves are good, and the motion depends almost linearly on them. An iteration of Gauss and
// Newton's method finds
//
//   p = argmin g'p + 1/2 p'Hp   within the limits                                            (1)
//
// by an interior-point method and conjugate gradients with products J'(J p) (curve_step.c,
// retarget_linear.c). Where the motion is not that linear, p must not be too violent: the damping
// is on p's accelerations. g is the exact gradient of the steps (retarget_gradient.c), so where the
// search ends does not depend on what H leaves out. Limits are linear in x: as long as they hold at
// its start they hold on the whole way to where (1) ends.
//
// BFGS, as the document has it, and L-BFGS with a preconditioner are there to be compared with.
#include <math.h>
#include <string.h>
#include <time.h>

#include "design/retarget/curve_step.h"

enum {
  MOST_TRIALS = 6, // of one iteration
  PART_TRIALS = 3, // before a part of the draft is found to be too long
  PART_ITERATIONS = 6,
  IDLE = 2,        // iterations that together gain too little end the search
  IDLE_PAIRS = 5,  // of those that know gradients only
  FEW_PAIRS = 20,  // of L-BFGS
  MOST_PAIRS = 500 // of BFGS
};

// A search goes through these stages, with ever better models of the motion.
enum { DRAFT, ROUGH, FINE };
// What it remembers: the stage, iterations before the present search, its first damping, the weight
// of torques beyond their limits, how much it has done, and the objective of the input. Then come
// the motors' weights in the preconditioner, and what the search remembers.
enum { STAGE, BASE, DAMPING, HOLD, RUNS, GRADIENTS, INPUT, HEAD };

// Steps are that long [s] before the last stage, which begins when an iteration gains less than
// this part of the objective.
static const double ROUGH_STEP = 2e-3, ROUGHLY = 0.03;
// Of the input's objective: nobody sees a deviation that is three hundred times smaller.
static const double ENOUGH = 1e-5;
// The draft goes on by so much [s] when an iteration gains less than this part; it looks so far
// behind and ahead of there; all of it as much longer as a slow character's period is than PERIOD.
// Predictions have to come true by this part.
static const double ADVANCE = 1, LEAST_ADVANCE = 0.2, PARTLY = 0.2, BEHIND = 1.5, AHEAD = 0.4;
static const double PERIOD = 0.75;
static const double FAIR = 0.4;
static const double FIRST_STEP = 0.01; // [rad] that the first step of L-BFGS changes a curve by

typedef struct curve_search {
  lb_newton at; // first: it is the context of its step, too
  const lb_retarget_options* options;
  lb_retarget_state* state;
  lb_objective f;
  const lb_search_type* type;
  lb_search_options how;
  lb_retarget_value there, kept, found; // of the last trial, the best one, the last iteration
  double runs, gradients;               // before this stage
  double began;                         // when the iteration did [s]
  double* draft;                        // [n] curves before it
} curve_search;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double* sigma_of(const curve_search* s) {
  return s->state->memory + HEAD;
}

static double* memory_of(const curve_search* s) {
  return sigma_of(s) + s->at.r.what->nmotor;
}

// --- the objective ---

static lb_status value(void* context, const double* x, double* value, lb_error* err) {
  curve_search* s = context;
  s->at.r.err = err;
  memcpy(s->at.trial->control, x, (size_t)s->at.n * sizeof *x);
  const lb_status status = lb_motion_run(&s->at.r, s->at.trial, &s->there);
  *value = s->there.objective;
  return status;
}

static void keep(void* context) {
  curve_search* s = context;
  s->kept = s->there;
}

// L-BFGS makes its preconditioner where the search begins.
static lb_status gradient(void* context, const double* x, double* g, lb_error* err) {
  curve_search* s = context;
  double* sigma = sigma_of(s);
  const bool weigh = s->f.precondition && sigma[0] == 0;
  s->at.r.err = err;
  memcpy(s->at.trial->control, x, (size_t)s->at.n * sizeof *x);
  const lb_status status =
      lb_motion_gradient(&s->at.r, s->at.trial, g, s->f.step || weigh ? s->at.linear : NULL);
  lb_newton_clear_fixed(&s->at, g);
  if (status != LB_OK || !weigh) {
    return status;
  }
  lb_curves_weigh(&s->at, sigma);
  return lb_curves_precondition(&s->at, sigma, err);
}

static lb_status step(void* context, const double* x, const double* g, double* damping, double* p,
                      double* gain, lb_error* err) {
  curve_search* s = context;
  *damping = *damping > 0 ? *damping : s->state->memory[DAMPING];
  return lb_newton_step(&s->at, x, g, damping, p, gain, err);
}

static double reach(void* context, const double* x, const double* p) {
  return lb_limits_reach(((lb_newton*)context)->limits, x, p);
}

// When the search is over and torques are still beyond their limits: that gets more expensive, so
// that it goes on. As soon as it can help no more, it is over.
static bool is_loose(const curve_search* s) {
  static const double MOST = 1e6;
  return s->kept.torque > LB_TORQUE_KEPT && s->at.r.hold < MOST * lb_torque_hold(s->at.r.what);
}

static bool tell(curve_search* s, double gradient) {
  lb_retarget_state* state = s->state;
  const int limit = s->at.r.what->iterations, rest = s->f.step ? 1 : limit - state->iteration;
  const double each = now() - s->began;
  state->memory[RUNS] = s->runs + s->at.r.nrun;
  state->memory[GRADIENTS] = s->gradients + s->at.r.ngradient;
  s->found = s->kept;
  s->began = now();
  const lb_retarget_news news = {.iteration = state->iteration,
                                 .value = s->kept,
                                 .gradient = gradient,
                                 .left = state->iteration == 0 ? NAN
                                         : state->done         ? 0
                                                               : each * rest,
                                 .runs = (int)state->memory[RUNS],
                                 .gradients = (int)state->memory[GRADIENTS]};
  return !s->options->news || s->options->news(s->options->context, &news, state);
}

static bool news(void* context, const lb_search_news* n) {
  curve_search* s = context;
  lb_retarget_state* state = s->state;
  const bool fine = state->memory[STAGE] == FINE;
  if (n->iteration == 0 && state->iteration > 0) {
    return true; // a stage begins
  }
  state->iteration = (int)state->memory[BASE] + n->iteration;
  const bool limit = state->iteration >= s->at.r.what->iterations;
  const bool found = n->over && fine && !is_loose(s);
  state->done = s->f.step ? limit || found : found && !limit; // others may be given more iterations
  return tell(s, n->gradient);
}

// --- a first draft ---

static double slowness(const lb_newton* s) {
  return fmax(1, s->r.what->period / PERIOD);
}

// A part of the motion: it is played until `until`, and control points are free from `from` on; the
// last AHEAD of it is played as the input has it, so that what is left shaking there counts.
static void look_at(lb_newton* s, double from, double until) {
  const lb_bspline spline = lb_curves_spline(s->r.input);
  const int most = s->whole, steps = (int)fmin(most, ceil(until / s->r.h));
  for (lb_retargeting* copy = &s->r; copy; copy = copy->next) {
    copy->nstep = steps;
  }
  s->free[0] = LB_CURVES_FIXED;
  s->free[1] = s->r.input->ncontrol - LB_CURVES_FIXED;
  while (lb_bspline_knot(&spline, s->free[0]) < from) {
    s->free[0]++;
  }
  while (steps < most && lb_bspline_knot(&spline, s->free[1] - 1) > until - AHEAD * slowness(s)) {
    s->free[1]--;
  }
  const double first = lb_bspline_knot(&spline, s->free[0]);
  lb_linear_window(s->linear, from > 0 ? (int)floor(first / s->r.h) : 0);
}

// Better curves for the part that is looked at. Not `well`: to first order nothing can be said of
// it, and it should be shorter.
static lb_status draft_part(curve_search* s, bool may_fail, bool* well, lb_error* err) {
  lb_search q;
  bool far = true;
  memset(memory_of(s), 0, lb_search_memory(s->type, s->at.n, &s->how) * sizeof(double));
  lb_status status = lb_search_begin(&q, s->type, &s->f, &s->how, s->state->curves->control,
                                     memory_of(s), s->state->allocator, err);
  for (int i = 0; i < PART_ITERATIONS && far && status == LB_OK; i++) {
    const double before = q.value;
    q.options.trials = may_fail && i == 0 ? PART_TRIALS : MOST_TRIALS;
    status = lb_search_iterate(&q, &far);
    *well = i > 0 || !may_fail || q.came > FAIR;
    far = *well && ((far && before - q.value > PARTLY * before) || q.came < FAIR);
  }
  s->state->memory[DAMPING] = lb_search_damping(memory_of(s));
  lb_search_finish(&q);
  return status;
}

// Part after part from the start on: what shakes at the end of one is not yet much, and what the
// input makes of the whole may be so wild that nothing can be said to first order. Taken when it is
// better than the input, whose value is in `kept`.
static lb_status draft(curve_search* s, lb_error* err) {
  const double end = s->at.whole * s->at.r.h;
  const double slow = slowness(&s->at);
  double *x = s->state->curves->control, done = 0, by = ADVANCE * slow, unused = 0;
  const lb_retarget_value input = s->kept;
  lb_status status = LB_OK;
  memcpy(s->draft, x, (size_t)s->at.n * sizeof *x);
  s->state->memory[DAMPING] = 0;
  while (done < end && status == LB_OK) {
    bool well = false;
    look_at(&s->at, done - BEHIND * slow, done + by + AHEAD * slow);
    status = draft_part(s, by > LEAST_ADVANCE * slow, &well, err);
    done += well ? by : 0;
    by *= well ? 1.5 : 0.5;
    if (status == LB_OK && !lb_progress_report(s->at.r.progress, fmin(1, done / end), "drafting")) {
      status = lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
    }
  }
  look_at(&s->at, 0, INFINITY);
  status = status == LB_OK ? value(s, x, &unused, err) : status;
  const bool better = status == LB_OK && s->there.objective < input.objective;
  s->kept = better ? s->there : input;
  memcpy(x, better ? x : s->draft, (size_t)s->at.n * sizeof *x);
  return status;
}

// The draft counts as one iteration.
static lb_status run_draft(curve_search* s, lb_error* err) {
  lb_retarget_state* state = s->state;
  double unused = 0;
  lb_status status = value(s, state->curves->control, &unused, err);
  keep(s);
  state->memory[INPUT] = unused;
  bool on = status != LB_OK || tell(s, 1);
  status = status == LB_OK && on ? draft(s, err) : status;
  if (status == LB_OK && on) {
    state->memory[STAGE] = ROUGH;
    state->memory[BASE] = ++state->iteration;
    state->done = state->iteration >= s->at.r.what->iterations;
    memset(memory_of(s), 0, lb_search_memory(s->type, s->at.n, &s->how) * sizeof(double));
    on = tell(s, 1);
  }
  return on ? status : lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
}

// --- stages ---

// Another search goes on from where one ended.
static void begin_again(curve_search* s) {
  double* m = s->state->memory;
  m[BASE] = s->state->iteration;
  m[DAMPING] = lb_search_damping(memory_of(s));
  memset(memory_of(s), 0, lb_search_memory(s->type, s->at.n, &s->how) * sizeof(double));
}

static lb_status blocked(const curve_search* s, lb_error* err) {
  return lb_error_add(err, LB_FAILED, (lb_place){0},
                      "a motor's curve has come to its limits, which '%s' cannot follow "
                      "(choose gauss-newton)",
                      lb_retarget_method_name(s->options->method));
}

// From where the state is to the end of its stage.
static lb_status iterate(curve_search* s, lb_error* err) {
  static const double MORE = 10;
  lb_retarget_state* state = s->state;
  double* m = state->memory;
  const bool fine = m[STAGE] == FINE;
  lb_search_end end = LB_SEARCH_INTERRUPTED;
  double unused = 0;
  s->how.patience = !s->f.step ? IDLE_PAIRS : fine ? IDLE : 1;
  s->how.tolerance = fine ? s->at.r.what->tolerance : ROUGHLY;
  s->how.enough = ENOUGH * m[INPUT];
  s->how.iterations = state->done ? 0 : s->at.r.what->iterations - (int)m[BASE];
  s->at.r.hold = m[HOLD] > 0 ? m[HOLD] : s->at.r.hold;
  const lb_status status = lb_search_run(s->type, &s->f, &s->how, state->curves->control,
                                         memory_of(s), &unused, &end, state->allocator, err);
  if (status != LB_OK || end == LB_SEARCH_BLOCKED) {
    return status != LB_OK ? status : blocked(s, err);
  }
  s->found = s->kept;
  if (end == LB_SEARCH_LIMIT) {
    return LB_OK;
  }
  state->done = state->done || (fine && !is_loose(s));
  if (!state->done) { // torques beyond their limits get more expensive
    m[HOLD] = fine ? MORE * s->at.r.hold : s->at.r.hold;
    m[STAGE] = FINE;
    begin_again(s);
  }
  return LB_OK;
}

static void choose_method(curve_search* s, const lb_retarget* what, int n) {
  const lb_retarget_method method = s->options->method;
  const bool newton = method == LB_RETARGET_GAUSS_NEWTON, all = method == LB_RETARGET_BFGS;
  const int pairs = what->iterations < MOST_PAIRS ? what->iterations : MOST_PAIRS;
  s->type = newton ? &lb_search_gauss_newton : &lb_search_lbfgs;
  s->how = (lb_search_options){
      .pairs = all && pairs > 0 ? pairs : FEW_PAIRS, .first_scale = all, .trials = MOST_TRIALS};
  s->f = (lb_objective){.context = s,
                        .n = n,
                        .first_step = FIRST_STEP,
                        .value = value,
                        .gradient = gradient,
                        .keep = keep,
                        .news = news,
                        .reach = reach,
                        .precondition = method == LB_RETARGET_LBFGS ? lb_curves_apply : NULL,
                        .step = newton ? step : NULL};
}

// All but the last stage make do with a longer step.
static lb_status run_stage(curve_search* s, const lb_model* model, const lb_retarget* retarget,
                           const lb_curves* input, const lb_targets* targets, lb_error* err) {
  lb_retarget_state* state = s->state;
  lb_retarget_options options = *s->options;
  const double h = isnan(options.step) ? model->solver.step : options.step;
  options.step = state->memory[STAGE] < FINE
                     ? fmax(h, fmin(ROUGH_STEP, input->spacing / LB_SPACING_STEPS))
                     : h;
  s->at = (lb_newton){.n = 0};
  s->runs = state->memory[RUNS];
  s->gradients = state->memory[GRADIENTS];
  s->began = now();
  lb_status status = lb_retargeting_open(&s->at.r, model, retarget, input, targets, &options,
                                         state->allocator, err);
  if (status != LB_OK) {
    return status;
  }
  status = lb_curves_create(input->nmotor, input->ncontrol, input->start, input->spacing,
                            state->allocator, &s->at.trial, err);
  s->draft = LB_TAKE(&s->at.r.arena, double, input->nmotor * input->ncontrol);
  status = status == LB_OK ? lb_newton_open(&s->at) : status;
  if (status == LB_OK && s->f.precondition && sigma_of(s)[0] != 0) {
    status = lb_curves_precondition(&s->at, sigma_of(s), err);
  }
  if (status == LB_OK) {
    status = state->memory[STAGE] == DRAFT ? run_draft(s, err) : iterate(s, err);
  }
  lb_curves_release(s->at.trial);
  lb_retargeting_close(&s->at.r);
  return status;
}

lb_status lb_retarget_run(const lb_model* model, const lb_retarget* retarget,
                          const lb_curves* input, const lb_targets* targets,
                          const lb_retarget_options* options, lb_retarget_state* state,
                          lb_retarget_value* value, lb_error* err) {
  lb_status status = lb_retarget_check(model, retarget, state->curves, options, err);
  if (status != LB_OK) {
    return status;
  }
  if (state->iteration > 0 && state->method != options->method) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "the search was begun with '%s', and '%s' cannot go on from there",
                        lb_retarget_method_name(state->method),
                        lb_retarget_method_name(options->method));
  }
  state->method = options->method;
  curve_search s = {.options = options, .state = state};
  const int n = retarget->nmotor * input->ncontrol;
  choose_method(&s, retarget, n);
  status = lb_retarget_state_reserve(
      state, HEAD + retarget->nmotor + (int)lb_search_memory(s.type, n, &s.how), err);
  if (status == LB_OK && !s.f.step) {
    state->memory[STAGE] = FINE;
  }
  do {
    status = status == LB_OK ? run_stage(&s, model, retarget, input, targets, err) : status;
  } while (status == LB_OK && !state->done && state->iteration < retarget->iterations);
  if (status == LB_OK || status == LB_INTERRUPTED) {
    *value = s.found;
  }
  return status;
}

lb_status lb_retarget_go_on(const lb_model* model, const lb_retarget* retarget,
                            const lb_curves* input, const lb_targets* targets,
                            const lb_curves* curves, const lb_retarget_options* options,
                            lb_retarget_value* value, lb_error* err) {
  static const double HELD = 1e3;
  lb_retarget_state* state = NULL;
  lb_status status = lb_retarget_state_create(curves, curves->allocator, &state, err);
  status = status == LB_OK ? lb_retarget_state_reserve(state, HEAD, err) : status;
  if (status == LB_OK) {
    state->memory[STAGE] = FINE;
    state->memory[HOLD] = HELD * lb_torque_hold(retarget);
    status = lb_retarget_run(model, retarget, input, targets, options, state, value, err);
  }
  lb_retarget_state_release(state);
  return status;
}

lb_status lb_retarget_evaluate(const lb_model* model, const lb_retarget* retarget,
                               const lb_curves* input, const lb_targets* targets,
                               const lb_curves* curves, const lb_retarget_options* options,
                               lb_retarget_value* value, double* gradient, lb_error* err) {
  lb_retargeting r;
  lb_status status =
      lb_retargeting_open(&r, model, retarget, input, targets, options, curves->allocator, err);
  if (status != LB_OK) {
    return status;
  }
  status = lb_motion_run(&r, curves, value);
  if (status == LB_OK && gradient) {
    status = lb_motion_gradient(&r, curves, gradient, NULL);
  }
  lb_retargeting_close(&r);
  return status;
}

// --- states ---

const char* lb_retarget_method_name(lb_retarget_method method) {
#define NAME(code, name, words) [code] = name,
  static const char* const names[] = {LB_RETARGET_METHOD_LIST(NAME)};
#undef NAME
  return names[method];
}

lb_retarget_options lb_retarget_default(void) {
  return (lb_retarget_options){.step = NAN, .threads = 1};
}

lb_status lb_retarget_state_create(const lb_curves* input, const lb_allocator* allocator,
                                   lb_retarget_state** state, lb_error* err) {
  lb_curves* c;
  const lb_status status = lb_curves_create(input->nmotor, input->ncontrol, input->start,
                                            input->spacing, allocator, &c, err);
  if (status != LB_OK) {
    return status;
  }
  memcpy(c->control, input->control, (size_t)c->nmotor * (size_t)c->ncontrol * sizeof *c->control);
  lb_retarget_state* s = lb_allocate(allocator, sizeof *s);
  if (!s) {
    lb_curves_release(c);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for retargeting");
  }
  *s = (lb_retarget_state){.curves = c, .allocator = allocator};
  *state = s;
  return LB_OK;
}

lb_status lb_retarget_state_reserve(lb_retarget_state* state, int nmemory, lb_error* err) {
  const size_t kept = (size_t)state->nmemory, all = (size_t)nmemory;
  if (all <= kept) {
    return LB_OK;
  }
  double* memory = lb_allocate(state->allocator, all * sizeof *memory);
  if (!memory) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for retargeting");
  }
  if (kept) {
    memcpy(memory, state->memory, kept * sizeof *memory);
  }
  memset(memory + kept, 0, (all - kept) * sizeof *memory);
  lb_release(state->allocator, state->memory);
  state->memory = memory;
  state->nmemory = nmemory;
  return LB_OK;
}

void lb_retarget_state_release(lb_retarget_state* state) {
  if (state) {
    lb_curves_release(state->curves);
    lb_release(state->allocator, state->memory);
    lb_release(state->allocator, state);
  }
}
