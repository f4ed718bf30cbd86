// Searches that know gradients only: BFGS, as the document has it, and L-BFGS with a
// preconditioner. They are here to be compared with; Gauss and Newton's method (retarget_search.c)
// is faster.
//
// The dense matrix is never written down (bfgs.h): BFGS keeps all pairs, with H_0 a multiple of the
// identity, L-BFGS the last ones, with H_0 a multiple of P^-1. P is what the second derivative
// would be if nothing bent and motors did not know of each other,
//
//   P = (sigma_j + closeness) * square + smoothness * bend    of each motor j
//
// where sigma_j says how much the tracked bodies move with it (lb_linear_still).
//
// Written here because libLBFGS neither takes a preconditioner nor gives its pairs away, which a
// search that goes on with the same bits has to save.
#include <math.h>
#include <string.h>
#include <time.h>

#include "design/retarget/curve_limits.h"
#include "design/search/bfgs.h"
#include "math/linear/band.h"
#include "math/linear/dense.h"

enum {
  FEW = 20,         // pairs of L-BFGS, and for a start of BFGS
  PATIENCE = 5,     // iterations over which the objective has to fall
  MOST_TRIALS = 12, // of one line search
};

// The conditions of Wolfe: of the decrease promised at the start of a line, and of the slope there.
static const double DECREASE = 1e-4, SLOPE = 0.9;
static const double FIRST_STEP = 0.01; // [rad] that the first step changes a control point by
static const double LONGEST_STEP = 64; // over that which the pairs propose
static const double BLOCKED = 1e-3;    // a step that limits leave no more of leads nowhere

// What is saved, in this order, as doubles.
typedef struct memory {
  double* norm;   // [1] of the gradient at the start
  double* recent; // [PATIENCE] objectives before the last iterations, by iteration
  double* sigma;  // [nmotor]
  lb_bfgs pairs;
} memory;

typedef struct quasi {
  lb_retargeting r;
  memory m;
  lb_limits* limits;
  lb_curves* trial;
  int n;                       // control points of all motors
  bool all;                    // pairs are kept: BFGS
  double *gradient, *next, *p; // [n]
  double* band;                // [nmotor][ncontrol][4] P, factored
} quasi;

// --- memory ---

// Room for so many pairs, and where everything is.
static lb_status make_room(quasi* q, lb_retarget_state* state, int pairs) {
  const int head = 3 + PATIENCE + q->r.what->nmotor;
  const lb_status status =
      lb_retarget_state_reserve(state, head + pairs * lb_bfgs_size(q->n), q->r.err);
  if (status != LB_OK) {
    return status;
  }
  double* at = state->memory;
  q->m.norm = at;
  q->m.recent = at + 3;
  q->m.sigma = q->m.recent + PATIENCE;
  q->m.pairs = (lb_bfgs){.n = q->n,
                         .most = (state->nmemory - head) / lb_bfgs_size(q->n),
                         .count = at + 1,
                         .newest = at + 2,
                         .pair = q->m.sigma + q->r.what->nmotor};
  return LB_OK;
}

// --- preconditioner ---

// How much tracked bodies move with each motor.
static lb_status weigh_motors(quasi* q, const lb_curves* curves) {
  const int M = q->r.what->nmotor, n = q->r.input->ncontrol, width = 4 * M - 1;
  lb_linear* linear = NULL;
  double* still = LB_TAKE(&q->r.arena, double, (size_t)q->n*(size_t)(width + 1));
  lb_status status = still ? lb_linear_create(&q->r, &linear) : LB_NO_MEMORY;
  if (status != LB_OK) {
    return lb_error_add(q->r.err, status, (lb_place){0}, "out of memory for retargeting");
  }
  status = lb_motion_gradient(&q->r, curves, q->gradient, linear);
  if (status == LB_OK) {
    lb_linear_still(linear, still, width);
    for (int j = 0; j < M; j++) {
      double sum = 0, whole = 0;
      for (int k = 0; k < n; k++) {
        sum += still[(size_t)(k * M + j) * (size_t)(width + 1)];
        whole += q->r.square[4 * k];
      }
      q->m.sigma[j] = sum / whole;
    }
  }
  return status;
}

static bool is_fixed(const quasi* q, int k) {
  return k < LB_CURVES_FIXED || k >= q->r.input->ncontrol - LB_CURVES_FIXED;
}

static lb_status precondition(quasi* q) {
  const lb_retarget* what = q->r.what;
  const int n = q->r.input->ncontrol;
  lb_status status = LB_OK;
  for (int j = 0; j < what->nmotor && status == LB_OK; j++) {
    double* band = q->band + (size_t)j * 4 * (size_t)n;
    for (int i = 0; i < 4 * n; i++) {
      const int k = i / 4, l = k + i % 4;
      const bool apart = is_fixed(q, k) || l >= n || is_fixed(q, l); // fixed ones stand alone
      band[i] = apart ? i % 4 == 0
                      : (q->m.sigma[j] + what->closeness) * q->r.square[i] +
                            what->smoothness * q->r.bend[i];
    }
    status = lb_band_cholesky(n, 3, band);
  }
  return status == LB_OK ? LB_OK
                         : lb_error_add(q->r.err, status, (lb_place){0},
                                        "the curves' weights leave some of them free: give "
                                        "'closeness' or 'smoothness' a weight");
}

// x = P^-1 x
static void apply(const void* context, double* x) {
  const quasi* q = context;
  const int n = q->r.input->ncontrol;
  for (int j = 0; j < q->r.what->nmotor; j++) {
    lb_band_solve(n, 3, q->band + (size_t)j * 4 * (size_t)n, x + (size_t)j * (size_t)n);
  }
}

// --- directions ---

// p = -H g, of which without pairs the first step is short.
static void find_direction(quasi* q) {
  double most = 0;
  for (int i = 0; i < q->n; i++) {
    q->p[i] = -q->gradient[i];
  }
  lb_bfgs_apply(&q->m.pairs, q->all, q->p, q->next, q->all ? NULL : apply, q);
  for (int i = 0; i < q->n; i++) {
    most = fmax(most, fabs(q->p[i]));
  }
  for (int i = 0; i < q->n && *q->m.pairs.count == 0 && most > FIRST_STEP; i++) {
    q->p[i] *= FIRST_STEP / most;
  }
}

// --- line search ---

// A place on the line.
typedef struct place {
  double step, value, slope;
} place;

static void go_to(quasi* q, const lb_curves* from, double step) {
  for (int i = 0; i < q->n; i++) {
    q->trial->control[i] = from->control[i] + step * q->p[i];
  }
}

// What cannot be simulated is infinitely bad.
static lb_status try_step(quasi* q, lb_retarget_value* value) {
  lb_error quiet = lb_error_make(q->r.allocator);
  lb_error* err = q->r.err;
  q->r.err = &quiet;
  const lb_status status = lb_motion_run(&q->r, q->trial, value);
  q->r.err = err;
  lb_error_clear(&quiet);
  if (status == LB_INTERRUPTED || status == LB_NO_MEMORY) {
    return lb_error_add(err, status, (lb_place){0}, "%s", lb_status_text(status));
  }
  if (status != LB_OK) {
    value->objective = INFINITY;
  }
  return LB_OK;
}

// Between `low`, the best so far, and `high`, where it is worse or rises: where the parabola
// through them has its least value, not too near to either.
static double between(place low, place high) {
  const double d = high.step - low.step, rise = high.value - low.value - low.slope * d;
  const double part = isfinite(rise) && rise > 0 ? -low.slope * d / (2 * rise) : 0.1;
  return low.step + fmin(fmax(part, 0.1), 0.9) * d;
}

// Along p to where Wolfe's conditions hold, `longest` at most. The step, 0 when there is none, the
// value there and in `next` the gradient.
static lb_status search_line(quasi* q, const lb_curves* from, double longest,
                             lb_retarget_value* value, double* step) {
  const place start = {0, value->objective, lb_dot(q->n, q->gradient, q->p)};
  place low = start, high = {NAN, INFINITY, NAN};
  double at = fmin(1, longest);
  for (int i = 0; i < MOST_TRIALS && start.slope < 0; i++) {
    lb_retarget_value there;
    go_to(q, from, at);
    lb_status status = try_step(q, &there);
    if (status == LB_OK && (there.objective > start.value + DECREASE * at * start.slope ||
                            there.objective >= low.value)) {
      high = (place){at, there.objective, NAN};
    } else if (status == LB_OK) {
      status = lb_motion_gradient(&q->r, q->trial, q->next, NULL);
      const double slope = lb_dot(q->n, q->next, q->p);
      const bool rises = isnan(high.step) ? slope >= 0 : slope * (high.step - low.step) >= 0;
      high = rises ? low : high;
      low = (place){at, there.objective, slope};
      *value = there;
    }
    if (status != LB_OK) {
      return status;
    }
    if (low.step > 0 &&
        (fabs(low.slope) <= -SLOPE * start.slope || (low.step == longest && isnan(high.step)))) {
      break;
    }
    at = isnan(high.step) ? fmin(4 * at, longest) : between(low, high);
  }
  go_to(q, from, low.step);
  *step = low.step;
  return LB_OK;
}

// --- iterations ---

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// How long a step the limits allow, LONGEST_STEP at most.
static double find_longest(quasi* q, const lb_curves* curves) {
  for (int i = 0; i < q->n; i++) {
    q->next[i] = LONGEST_STEP * q->p[i];
  }
  return LONGEST_STEP * lb_limits_reach(q->limits, curves->control, q->next);
}

// One iteration from curves with a known value and gradient. When a direction leads nowhere, the
// pairs are forgotten and it is tried once more. `fell`: it led somewhere.
static lb_status advance(quasi* q, lb_curves* curves, lb_retarget_value* value, bool* fell) {
  *fell = false;
  for (int i = 0; i < 2 && !*fell; i++) {
    double step = 0;
    find_direction(q);
    const double longest = find_longest(q, curves);
    if (longest < BLOCKED) {
      return lb_error_add(q->r.err, LB_FAILED, (lb_place){0},
                          "a motor's curve has come to its limits, which '%s' cannot follow "
                          "(choose gauss-newton)",
                          lb_retarget_method_name(q->all ? LB_RETARGET_BFGS : LB_RETARGET_LBFGS));
    }
    const lb_status status = search_line(q, curves, longest, value, &step);
    if (status != LB_OK) {
      return status;
    }
    *fell = step > 0;
    if (*fell) {
      lb_bfgs_remember(&q->m.pairs, curves->control, q->trial->control, q->gradient, q->next);
      memcpy(curves->control, q->trial->control, (size_t)q->n * sizeof(double));
      memcpy(q->gradient, q->next, (size_t)q->n * sizeof(double));
    } else {
      *q->m.pairs.count = 0;
    }
  }
  return LB_OK;
}

// Value, gradient and preconditioner where the search starts or goes on.
static lb_status begin(quasi* q, const lb_retarget_state* state, lb_retarget_value* value) {
  lb_status status = lb_motion_run(&q->r, state->curves, value);
  if (status == LB_OK) {
    status = state->iteration == 0 && !q->all
                 ? weigh_motors(q, state->curves)
                 : lb_motion_gradient(&q->r, state->curves, q->gradient, NULL);
  }
  return status == LB_OK && !q->all ? precondition(q) : status;
}

static lb_status iterate(quasi* q, const lb_retarget_options* options, lb_retarget_state* state,
                         lb_retarget_value* value) {
  const lb_retarget* what = q->r.what;
  const double began = now();
  const int first = state->iteration;
  lb_status status = begin(q, state, value);
  while (status == LB_OK && !state->done && state->iteration < what->iterations) {
    const double norm = sqrt(lb_dot(q->n, q->gradient, q->gradient));
    bool fell = false;
    q->m.recent[state->iteration % PATIENCE] = value->objective;
    *q->m.norm = state->iteration == 0 ? norm : *q->m.norm;
    if (q->all && (int)*q->m.pairs.count == q->m.pairs.most) {
      status = make_room(q, state, 2 * q->m.pairs.most);
    }
    status = status == LB_OK ? advance(q, state->curves, value, &fell) : status;
    if (status != LB_OK) {
      break;
    }
    state->iteration++;
    const double before = q->m.recent[state->iteration % PATIENCE];
    state->done = !fell || (state->iteration >= PATIENCE &&
                            before - value->objective <= what->tolerance * before);
    const double each = (now() - began) / (state->iteration - first);
    const lb_retarget_news news = {
        .iteration = state->iteration,
        .value = *value,
        .gradient = norm / *q->m.norm,
        .left = state->done ? 0 : each * (what->iterations - state->iteration),
        .runs = q->r.nrun,
        .gradients = q->r.ngradient};
    if (options->news && !options->news(options->context, &news, state)) {
      return lb_error_add(q->r.err, LB_INTERRUPTED, (lb_place){0}, "interrupted after iteration %d",
                          state->iteration);
    }
  }
  return status;
}

// --- the whole ---

static lb_status open_search(quasi* q, lb_retarget_state* state) {
  const lb_curves* input = q->r.input;
  lb_arena* arena = &q->r.arena;
  q->n = q->r.what->nmotor * input->ncontrol;
  const lb_status status = make_room(q, state, FEW);
  if (status != LB_OK) {
    return status;
  }
  double** const vector[] = {&q->gradient, &q->next, &q->p};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
    *vector[i] = LB_TAKE(arena, double, q->n);
  }
  q->band = LB_TAKE(arena, double, 4 * (size_t)q->n);
  if (!q->gradient || !q->next || !q->p || !q->band ||
      lb_limits_create(&q->r, arena, &q->limits) != LB_OK) {
    return lb_error_add(q->r.err, LB_NO_MEMORY, (lb_place){0}, "out of memory for retargeting");
  }
  return lb_curves_create(input->nmotor, input->ncontrol, input->start, input->spacing,
                          q->r.allocator, &q->trial, q->r.err);
}

lb_status lb_quasi_newton_run(const lb_model* model, const lb_retarget* retarget,
                              const lb_curves* input, const lb_targets* targets,
                              const lb_retarget_options* options, lb_retarget_state* state,
                              lb_retarget_value* value, lb_error* err) {
  quasi q = {.all = options->method == LB_RETARGET_BFGS};
  lb_retarget_value found = {0};
  lb_status status =
      lb_retargeting_open(&q.r, model, retarget, input, targets, options, state->allocator, err);
  if (status != LB_OK) {
    return status;
  }
  status = open_search(&q, state);
  if (status == LB_OK) {
    status = iterate(&q, options, state, &found);
  }
  if (status == LB_OK || status == LB_INTERRUPTED) {
    *value = found;
  }
  lb_curves_release(q.trial);
  lb_retargeting_close(&q.r);
  return status;
}
