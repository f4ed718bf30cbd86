// The search for curves: Gauss and Newton's method.
//
// With residuals y of the tracked bodies and the regularisers' form B, the objective is
// 1/2 y'y + 1/2 x'Bx, and its second derivative nearly H = J'J + B: residuals are small where the
// curves are good, and the motion depends almost linearly on them. An iteration finds
//
//   p = argmin g'p + 1/2 p'Hp   within the limits                                            (1)
//
// by an interior-point method and conjugate gradients with products J'(J p) (gauss_newton.c,
// retarget_linear.c). Where the motion is not that linear, p must not be too violent: H gets mu
// times the form of p's accelerations, with mu rising and falling as predictions fail and come true
// (Levenberg and Marquardt). g is the exact gradient of the steps (retarget_gradient.c), so where
// the search ends does not depend on what H leaves out. Limits are linear in x: as long as they
// hold at its start they hold on the whole way to where (1) ends.
#include <math.h>
#include <string.h>
#include <time.h>

#include "design/retarget/gauss_newton.h"
#include "math/linear/dense.h"

enum {
  MOST_TRIALS = 6, // of one iteration
  PART_TRIALS = 3, // before a part of the draft is found to be too long
  PART_ITERATIONS = 6,
  IDLES = 2 // iterations in a row that gain too little end the search
};

// A search goes through these stages, with ever better models of the motion.
enum { DRAFT, ROUGH, FINE };
// What it remembers: the gradient's norm at the start, mu, the stage, and the weight of torques
// beyond their limits; how often in a row it gained too little; and how much it has done.
enum { NORM, MU, STAGE, HOLD, IDLE, RUNS, GRADIENTS, MEMORY };

// Steps are that long [s] before the last stage, which begins when an iteration gains less than
// this part of the objective.
static const double ROUGH_STEP = 2e-3, ROUGHLY = 0.03;
// The draft goes on by so much [s] when an iteration gains less than this part; it looks so far
// behind and ahead of there.
static const double ADVANCE = 1, LEAST_ADVANCE = 0.2, PARTLY = 0.2, BEHIND = 1.5, AHEAD = 0.4;
// How much of what was predicted should come true.
static const double POOR = 0.1, FAIR = 0.4, GOOD = 0.75;
// The first mu, as a part of first_mu(); along limits, where nothing is gentle, all of it.
static const double GENTLE = 1e-3;

// --- steps ---

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The first mu: as much as tracked bodies weigh, for motions faster than a tenth of a second; those
// that move only when something bends weigh nothing here.
static double first_mu(lb_newton* s) {
  static const double FAST = 0.05; // [s] over a radian
  double sum = 0, whole = 0;
  memset(s->band, 0, (size_t)s->n * (size_t)(s->width + 1) * sizeof *s->band);
  lb_linear_still(s->linear, s->band, s->width);
  for (int i = 0; i < s->n; i++) {
    sum += s->band[(size_t)i * (size_t)(s->width + 1)];
    whole += s->r.square[4 * (i % s->r.input->ncontrol)];
  }
  return fmax(s->r.what->smoothness, sum / whole * pow(FAST, 4));
}

// How much the objective should fall along p.
static double predict(lb_newton* s) {
  const double mu = s->mu;
  s->mu = 0;
  lb_newton_multiply(s, s->image, s->p);
  s->mu = mu;
  return lb_linear_lean_gain(s->linear, s->p) - lb_dot(s->n, s->gradient, s->p) -
         lb_dot(s->n, s->p, s->image) / 2;
}

// One trial: to where (1) ends. Sets what part of the prediction came true; less than nothing when
// the motion cannot even be simulated there.
static lb_status try_direction(lb_newton* s, const lb_curves* curves, double objective,
                               lb_retarget_value* there, double* came) {
  const double reach = lb_limits_reach(s->limits, curves->control, s->p);
  for (int k = 0; k < s->n; k++) {
    s->p[k] *= reach;
    s->trial->control[k] = curves->control[k] + s->p[k];
  }
  const double predicted = predict(s);
  lb_error quiet = lb_error_make(s->r.allocator);
  lb_error* err = s->r.err;
  s->r.err = &quiet;
  const lb_status status = lb_motion_run(&s->r, s->trial, there);
  s->r.err = err;
  lb_error_clear(&quiet);
  if (status == LB_INTERRUPTED || status == LB_NO_MEMORY) {
    return lb_error_add(err, status, (lb_place){0}, "%s", lb_status_text(status));
  }
  *came = status == LB_OK && predicted > 0 ? (objective - there->objective) / predicted : -1;
  return LB_OK;
}

// The step that is taken: p with a mu that predicts well enough. `fell`: there was one.
static lb_status take_step(lb_newton* s, lb_curves* curves, lb_retarget_value* value, bool* fell) {
  *fell = false;
  for (int i = 0; i < s->trials && !*fell; i++) {
    lb_retarget_value there;
    double came = -1;
    lb_status status = lb_newton_direction(s, curves->control);
    if (status == LB_OK) {
      status = try_direction(s, curves, value->objective, &there, &came);
    }
    if (status != LB_OK) {
      return status;
    }
    *fell = came > POOR;
    s->came = came;
    s->mu *= came > GOOD ? 0.2 : came > FAIR ? 0.7 : came > POOR ? 3 : 10;
    if (*fell) {
      memcpy(curves->control, s->trial->control, (size_t)s->n * sizeof(double));
      *value = there;
    }
  }
  return LB_OK;
}

// One iteration; `far`: there may be more to gain than `enough`, as a part of the objective.
static lb_status improve(lb_newton* s, lb_curves* curves, lb_retarget_value* value, double enough,
                         bool* far) {
  const double before = value->objective;
  bool fell = false;
  lb_status status = lb_motion_gradient(&s->r, curves, s->gradient, s->linear);
  if (status == LB_OK) {
    lb_newton_clear_fixed(s, s->gradient);
    s->norm = sqrt(lb_dot(s->n, s->gradient, s->gradient));
    s->mu = s->mu > 0 ? s->mu : (s->limits->count > 0 ? 1 : GENTLE) * first_mu(s);
    status = take_step(s, curves, value, &fell);
  }
  *far = fell && before - value->objective > enough * before;
  return status;
}

// --- a first draft ---

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
  while (steps < most && lb_bspline_knot(&spline, s->free[1] - 1) > until - AHEAD) {
    s->free[1]--;
  }
  const double first = lb_bspline_knot(&spline, s->free[0]);
  lb_linear_window(s->linear, from > 0 ? (int)floor(first / s->r.h) : 0);
}

// Better curves for the part that is looked at. Not `well`: to first order nothing can be said of
// it, and it should be shorter.
static lb_status draft_part(lb_newton* s, lb_curves* curves, bool may_fail, bool* well) {
  lb_retarget_value part;
  bool far = true;
  lb_status status = lb_motion_run(&s->r, curves, &part);
  for (int i = 0; i < PART_ITERATIONS && far && status == LB_OK; i++) {
    s->trials = may_fail && i == 0 ? PART_TRIALS : MOST_TRIALS;
    status = improve(s, curves, &part, PARTLY, &far);
    *well = i > 0 || !may_fail || s->came > FAIR;
    far = *well && (far || s->came < FAIR);
  }
  s->trials = MOST_TRIALS;
  return status;
}

// Part after part from the start on: what shakes at the end of one is not yet much, and what the
// input makes of the whole may be so wild that nothing can be said to first order. Taken when it is
// better than the input.
static lb_status draft(lb_newton* s, lb_curves* curves, lb_retarget_value* value) {
  const double end = s->whole * s->r.h;
  lb_status status = LB_OK;
  s->mu = 0;
  memcpy(s->draft, curves->control, (size_t)s->n * sizeof(double));
  double done = 0, by = ADVANCE;
  while (done < end && status == LB_OK) {
    bool well = false;
    look_at(s, done - BEHIND, done + by + AHEAD);
    status = draft_part(s, curves, by > LEAST_ADVANCE, &well);
    done += well ? by : 0;
    by *= well ? 1.5 : 0.5;
    if (status == LB_OK && !lb_progress_report(s->r.progress, fmin(1, done / end), "drafting")) {
      status = lb_error_add(s->r.err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
    }
  }
  look_at(s, 0, INFINITY);
  lb_retarget_value there = {.objective = INFINITY};
  if (status == LB_OK) {
    status = lb_motion_run(&s->r, curves, &there);
  }
  if (there.objective < value->objective) {
    *value = there;
  } else {
    memcpy(curves->control, s->draft, (size_t)s->n * sizeof(double));
  }
  return status;
}

static lb_status open_search(lb_newton* s, lb_arena* arena) {
  const int M = s->r.what->nmotor;
  s->n = M * s->r.input->ncontrol;
  s->width = 4 * M - 1;
  double** const vector[] = {&s->gradient, &s->p,     &s->residual, &s->z,     &s->direction,
                             &s->image,    &s->right, &s->swapped,  &s->draft, &s->before};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
    *vector[i] = LB_TAKE(arena, double, s->n);
    if (!*vector[i]) {
      return LB_NO_MEMORY;
    }
  }
  s->band = LB_TAKE(arena, double, (size_t)s->n*(size_t)(s->width + 1));

  if (!s->band || lb_linear_create(&s->r, &s->linear) != LB_OK ||
      lb_limits_create(&s->r, arena, &s->limits) != LB_OK) {
    return LB_NO_MEMORY;
  }
  s->whole = s->r.nstep;
  s->trials = MOST_TRIALS;
  look_at(s, 0, INFINITY);
  return LB_OK;
}

// --- iterations ---

// When the search is over and torques are still beyond their limits: make that more expensive, so
// that it goes on. As soon as that can help no more, it is over.
static bool tighten(lb_newton* s, lb_retarget_value* value) {
  static const double MORE = 10, MOST = 1e6;
  if (value->torque <= LB_TORQUE_KEPT || s->r.hold >= MOST * lb_torque_hold(s->r.what)) {
    return false;
  }
  s->r.hold *= MORE;
  value->objective += (MORE - 1) * value->limits;
  value->limits *= MORE;
  return true;
}

// `each` is what an iteration takes [s].
static lb_status tell(lb_newton* s, const lb_retarget_options* options,
                      const lb_retarget_state* state, const lb_retarget_value* value, double each) {
  const double norm = state->memory[NORM];
  const lb_retarget_news news = {.iteration = state->iteration,
                                 .value = *value,
                                 .gradient = norm > 0 ? s->norm / norm : 1,
                                 .left = state->done ? 0 : each,
                                 .runs = (int)state->memory[RUNS],
                                 .gradients = (int)state->memory[GRADIENTS]};
  if (!options->news || options->news(options->context, &news, state)) {
    return LB_OK;
  }
  return lb_error_add(s->r.err, LB_INTERRUPTED, (lb_place){0}, "interrupted after iteration %d",
                      state->iteration);
}

// From where the state is to the end of its stage.
static lb_status iterate(lb_newton* s, const lb_retarget_options* options, lb_retarget_state* state,
                         lb_retarget_value* value) {
  const double stage = state->memory[STAGE];
  const double runs = state->memory[RUNS], gradients = state->memory[GRADIENTS];
  s->mu = state->memory[MU];
  s->r.hold = state->memory[HOLD] > 0 ? state->memory[HOLD] : s->r.hold;
  lb_status status = lb_motion_run(&s->r, state->curves, value);
  if (status == LB_OK && state->iteration == 0) {
    status = tell(s, options, state, value, NAN);
  }
  while (status == LB_OK && !state->done && state->memory[STAGE] == stage) {
    const double began = now();
    const double enough = stage < FINE ? ROUGHLY : s->r.what->tolerance;
    bool far = false;
    status = stage == DRAFT ? draft(s, state->curves, value)
                            : improve(s, state->curves, value, enough, &far);
    if (status != LB_OK) {
      break;
    }
    state->memory[RUNS] = runs + s->r.nrun;
    state->memory[GRADIENTS] = gradients + s->r.ngradient;
    state->memory[MU] = s->mu;
    state->memory[NORM] = state->memory[NORM] > 0 ? state->memory[NORM] : s->norm;
    state->iteration++;
    state->memory[IDLE] = far ? 0 : state->memory[IDLE] + 1;
    far = far || (stage == FINE && (state->memory[IDLE] < IDLES || tighten(s, value)));
    state->memory[HOLD] = s->r.hold;
    state->memory[STAGE] += stage < FINE && !far;
    state->done = (stage == FINE && !far) || state->iteration >= s->r.what->iterations;
    status = tell(s, options, state, value, now() - began);
  }
  return status;
}

// All but the last stage make do with a longer step.
static lb_status run_stage(const lb_model* model, const lb_retarget* retarget,
                           const lb_curves* input, const lb_targets* targets,
                           lb_retarget_options options, lb_retarget_state* state,
                           lb_retarget_value* value, lb_error* err) {
  lb_newton s = {.n = 0};
  const double h = isnan(options.step) ? model->solver.step : options.step;
  options.step = state->memory[STAGE] < FINE ? fmax(h, ROUGH_STEP) : h;
  lb_status status =
      lb_retargeting_open(&s.r, model, retarget, input, targets, &options, state->allocator, err);
  if (status != LB_OK) {
    return status;
  }
  status = lb_curves_create(input->nmotor, input->ncontrol, input->start, input->spacing,
                            state->allocator, &s.trial, err);
  if (status == LB_OK && open_search(&s, &s.r.arena) != LB_OK) {
    status = lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for retargeting");
  }
  if (status == LB_OK) {
    status = iterate(&s, &options, state, value);
  }
  lb_curves_release(s.trial);
  lb_retargeting_close(&s.r);
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
  if (options->method != LB_RETARGET_GAUSS_NEWTON) {
    return lb_quasi_newton_run(model, retarget, input, targets, options, state, value, err);
  }
  status = lb_retarget_state_reserve(state, MEMORY, err);
  lb_retarget_value found = {0};
  bool over = status != LB_OK;
  while (!over) {
    status = run_stage(model, retarget, input, targets, *options, state, &found, err);
    over = status != LB_OK || state->done;
  }
  if (status == LB_OK || status == LB_INTERRUPTED) {
    *value = found;
  }
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
