// Steps chosen from an error estimate: Fehlberg's pair of orders 8 and 7, with the
// proportional-integral controller, and the constants, of SUNDIALS' ARKODE.
//
// The pair's estimate compares slopes at the ends of a step alone,
//
//   (1)  e = 41/840 h (k_1 + k_11 - k_12 - k_13)
//
// and is zero for what depends on time alone, or changes in between: it does not see kinks. So
// kinks are located. A force says within which ranges of its switching functions it is smooth
// (dynamics/force/switching.h). A step all of whose stages are within is judged by (1). One that
// crosses a kink is judged by the fourth differences of its slopes at 0, 1/6, ... 1 as well,
//
//   (2)  e = h max |k_i - 4 k_i+1 + 6 k_i+2 - 4 k_i+3 + k_i+4|
//
// which are of order h^2 across a kink, h across a jump and h^5 where all is smooth. Where that is
// too large, a shorter step is made that ends right before the kink, and then a very short one
// across. What forces do at a kink thus decides how exactly it is found, and rounding at a kink
// where something is at rest does no harm.
#include <float.h>
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "math/curve/rotation_profile.h"
#include "math/linear/dense.h"
#include "solve/diagnose/diagnose.h"
#include "solve/step/stepper.h"

typedef struct adaptive {
  lb_tableau t;
  const lb_model* m;
  lb_stepper* st;
  lb_data* d;  // the one being stepped
  int n;       // nq + nv
  int nswitch; // switching functions
  double tolerance;
  double* y;           // [n] start of an inner step
  double* weight;      // [n] 1 / allowed error
  double* slope;       // [stages][n]
  lb_switching* range; // [nswitch] at the beginning
  lb_switching* at;    // [stages][nswitch]
  double* reached;     // [n] end of the last step
  double time;         // time at that end
  double h;            // length of the next inner step, by its error; 0: to be found
  double error;        // of the last one
  double growth;       // at most, of the next one
  double kink;         // when the next kink is expected, if it is later than now
} adaptive;

static lb_status create(lb_stepper* st, lb_error* err) {
  const int n = st->m->nq + st->m->nv + st->m->nx, nswitch = lb_switching_find(st->m, NULL, NULL);
  lb_arena* arena = &st->arena;
  lb_tableau t;
  adaptive* own = st->own = LB_TAKE(arena, adaptive, 1);
  const bool ok = own && lb_tableau_rk8(arena, &t);
  if (ok) {
    *own = (adaptive){.t = t,
                      .m = st->m,
                      .st = st,
                      .n = n,
                      .nswitch = nswitch,
                      .tolerance = lb_adaptive_tolerance(&st->solver),
                      .y = LB_TAKE(arena, double, n),
                      .weight = LB_TAKE(arena, double, n),
                      .reached = LB_TAKE(arena, double, n),
                      .slope = LB_TAKE(arena, double, t.stages* n),
                      .range = LB_TAKE(arena, lb_switching, nswitch),
                      .at = LB_TAKE(arena, lb_switching, t.stages * nswitch)};
  }
  if (!ok || lb_arena_status(arena) != LB_OK) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
  }
  return LB_OK;
}

// --- a trial ---

static void store(const adaptive* own, double* y) {
  memcpy(y, own->d->q, (size_t)own->m->nq * sizeof *y);
  memcpy(y + own->m->nq, own->d->qd, (size_t)own->m->nv * sizeof *y);
  memcpy(y + own->m->nq + own->m->nv, own->d->x, (size_t)own->m->nx * sizeof *y);
}

// The slope of d's state, and its switching functions; false: it is not finite.
static bool look(const adaptive* own, int stage) {
  double* k = own->slope + (size_t)stage * (size_t)own->n;
  lb_slopes(own->m, own->d, k, k + own->m->nq);
  for (int i = 0; i < own->n; i++) {
    if (!isfinite(k[i])) {
      return false;
    }
  }
  if (own->nswitch > 0) {
    lb_switching_find(own->m, own->d, own->at + (size_t)stage * (size_t)own->nswitch);
  }
  return true;
}

// Steps end where forces of time jump. First and last stages see them on the step's own side: else
// 41/840 of a jump would count in the step before it, or after it.
static double within(double t, double from, double to) {
  static const double MARGIN = 4 * DBL_EPSILON; // of time
  const double margin = MARGIN * fmax(fabs(from), fabs(to));
  return fmin(fmax(t, from + margin), to - margin);
}

// Beginning of an inner step from t, to `end` at most, at d.
static bool begin(adaptive* own, double t, double end) {
  store(own, own->y);
  own->d->time = within(t, t, end);
  for (int i = 0; i < own->n; i++) {
    own->weight[i] = 1 / (own->tolerance * fabs(own->y[i]) + own->tolerance);
  }
  const bool ok = look(own, 0);
  memcpy(own->range, own->at, (size_t)own->nswitch * sizeof *own->range);
  return ok;
}

// All stages but the first, which stays, and the end of a step of h.
static bool try_step(adaptive* own, double t, double h) {
  const lb_tableau* T = &own->t;
  for (int i = 1; i < T->stages; i++) {
    lb_tableau_combine(own->m, own->d, own->y, h, i, T->a + i * T->stages, own->slope);
    own->d->time = within(t + T->c[i] * h, t, t + h);
    if (!look(own, i)) {
      return false;
    }
  }
  lb_tableau_combine(own->m, own->d, own->y, h, T->stages, T->b, own->slope);
  return true;
}

// --- its error, over what is allowed ---

// h |sum_j weight_j k_j| over some stages, in the mean square.
static double size_of(const adaptive* own, double h, int count, const int* stage,
                      const double* weight) {
  double sum = 0;
  for (int i = 0; i < own->n; i++) {
    double e = 0;
    for (int j = 0; j < count; j++) {
      e += weight[j] * own->slope[(size_t)stage[j] * (size_t)own->n + (size_t)i];
    }
    e *= h * own->weight[i];
    sum += e * e;
  }
  return sqrt(sum / own->n);
}

// (1)
static double smooth_error(const adaptive* own, double h) {
  static const int stage[4] = {0, 10, 11, 12};
  static const double weight[4] = {41. / 840, 41. / 840, -41. / 840, -41. / 840};
  return size_of(own, h, 4, stage, weight);
}

// (2)
static double kink_error(const adaptive* own, double h) {
  static const int sixths[7] = {0, 7, 9, 5, 8, 6, 10};
  static const double weight[5] = {1, -4, 6, -4, 1};
  double most = 0;
  for (int i = 0; i < 3; i++) {
    most = fmax(most, size_of(own, h, 5, sixths + i, weight));
  }
  return most;
}

// --- kinks ---

static double value_at(const adaptive* own, int stage, int i) {
  return own->at[(size_t)stage * (size_t)own->nswitch + (size_t)i].x;
}

// The stage that is nearest before a stage in time, among those that it is made of.
static int stage_before(const lb_tableau* T, int stage) {
  int before = 0;
  for (int k = 1; k < stage; k++) {
    before = T->c[k] < T->c[stage] && T->c[k] > T->c[before] ? k : before;
  }
  return before;
}

// The part of the step after which switching function i leaves its range, if it is out at a stage;
// else 2.
static double leaves_by(const adaptive* own, int stage, int i) {
  const lb_switching* r = &own->range[i];
  const double x = value_at(own, stage, i);
  if (x >= r->lower && x <= r->upper) {
    return 2;
  }
  const int before = stage_before(&own->t, stage);
  const double from = value_at(own, before, i), bound = x < r->lower ? r->lower : r->upper;
  const double c = own->t.c[before], dc = own->t.c[stage] - c;
  return c + dc * (from == x ? 0 : (bound - from) / (x - from));
}

// The part of the step after which the first one leaves its range, by the first stage that finds it
// out: later ones are made of that and may be anywhere. 2: all stay.
static double leaves(const adaptive* own) {
  double part = 2;
  for (int k = 1; k < own->t.stages && part > 1; k++) {
    for (int i = 0; i < own->nswitch; i++) {
      part = fmin(part, leaves_by(own, k, i));
    }
  }
  return part;
}

// Switching functions that leave their range and are back between two stages: after which part of
// the step the first is out farthest, by the parabola through the beginning, the middle and the
// end. 2: all stay.
static double grazes(const adaptive* own) {
  double part = 2;
  for (int i = 0; i < own->nswitch; i++) {
    const lb_switching* r = &own->range[i];
    const double m = value_at(own, 5, i), b = value_at(own, 10, i);
    const double bend = 2 * (r->x - 2 * m + b), slope = 4 * m - 3 * r->x - b;
    const double s = -slope / (2 * bend), x = r->x + s * (slope + s * bend);
    if (s > 0 && s < part && s < 1 && (x < r->lower || x > r->upper)) {
      part = s;
    }
  }
  return part;
}

// --- lengths of steps ---

// Part of the allowed error that a step across a kink may have by (2).
static const double CROSSING = 0.1;

// Weight of the last step's error in the controller.
static const double BIAS = 1.2;

// Growth at the most after the first step, after others.
static const double FIRST_GROWTH = 1e4, GROWTH = 25;

// Factor for the length of a step of h with this error.
static double ratio_of(const adaptive* own, double error) {
  static const double TINY = 1e-10, SAFETY = 0.99, LEAST = 0.1, SAME = 1.5, ROUNDING = 1e-6;
  static const double NOW = 0.8 / 7, BEFORE = 0.31 / 7;
  const double wanted =
      SAFETY * pow(fmax(BIAS * error, TINY), -NOW) * pow(fmax(own->error, TINY), BEFORE);
  const double ratio = fmax(LEAST, fmin(own->growth, wanted));
  const bool same = error <= 1 && ratio > 1 - ROUNDING && ratio < SAME + ROUNDING;
  return same ? 1 : ratio;
}

// The first length: no quantity changes by more than a tenth along its slope. What is still too
// long is found out by its error.
static double first_length(const adaptive* own, double whole) {
  static const double PART = 0.1;
  double longest = PART * whole;
  for (int i = 0; i < own->n; i++) {
    const double change = fabs(own->slope[i]);
    const double allowed = PART * fabs(own->y[i]) + 1 / own->weight[i];
    longest = change * longest > allowed ? allowed / change : longest;
  }
  return longest;
}

// --- one inner step ---

typedef struct trial {
  double h;
  double least;  // by errors
  double finest; // shortest step, by rounding of time
  double error;  // over what is allowed
  int failures;
  bool cut;    // shorter than its error asks for, because of a kink
  bool looked; // for what grazes a kink
} trial;

// Once more, shorter; none: it is as short as can be.
static bool shorten(adaptive* own, trial* s, double ratio) {
  own->growth = 1;
  s->h = s->h <= s->least ? 0 : fmax(s->least, ratio * s->h);
  s->cut = false;
  own->h = s->h;
  return false;
}

// A kink is a part of the step away: up to right before it, or across it with a step that is short
// enough. The error of that is in proportion to its square.
static bool approach(adaptive* own, trial* s, double t, double part, double error) {
  static const double MARGIN = 0.02; // of the way, that its place is uncertain by
  const double way = part * s->h, across = s->h * sqrt(CROSSING / (4 * error));
  const double h = 2 * way <= across ? across : way - fmax(across / 2, MARGIN * way);
  own->kink = t + way;
  s->h = fmax(s->finest, fmin(h, 0.9 * s->h));
  s->cut = true;
  return false;
}

// true: the step stands.
static bool judge(adaptive* own, trial* s, double t) {
  const double part = leaves(own);
  const double kink = part <= 1 ? kink_error(own, s->h) : 0;
  if (kink > CROSSING && s->h > s->finest) {
    return approach(own, s, t, part, kink);
  }
  s->error = smooth_error(own, s->h);
  if (!(s->error <= 1)) {
    static const double AGAIN = 0.3;
    const double ratio = ratio_of(own, s->error);
    return shorten(own, s, s->failures++ > 0 ? fmin(AGAIN, ratio) : ratio);
  }
  const double farthest = part <= 1 || s->looked ? 2 : grazes(own);
  s->looked = true;
  if (farthest < 1) {
    s->h *= farthest;
    s->cut = true;
  }
  return farthest > 1;
}

static trial propose(const adaptive* own, double t, double end, double least) {
  trial s = {.h = own->h, .least = least};
  s.finest = 16 * DBL_EPSILON * fmax(fabs(t), fabs(end));
  if (own->kink > t && 2 * (own->kink - t) < s.h) {
    s.h = fmax(s.finest, 2 * (own->kink - t));
    s.cut = true;
  }
  if (t + s.h > end - s.finest) {
    s.h = end - t;
  }
  return s;
}

// A valid state after every inner step, at time t.
static bool project(const adaptive* own, double t, double h) {
  own->d->time = t;
  lb_muscles_keep(own->m, own->d);
  if (!(lb_project(own->m, own->d) <= LB_CLOSED)) {
    return false;
  }
  if (own->st->watcher) {
    const lb_step_past past = {.dt = h, .count = 1, .weight = {1}};
    own->st->watcher(own->st->watching, own->d, &past);
  }
  lb_constraints_find_redundant(own->m, own->d); // for the next
  own->st->count++;
  return true;
}

// An inner step from t, to `end` at most: when it ends, or NAN.
static double advance(adaptive* own, double t, double end, double least) {
  if (!begin(own, t, end)) {
    return NAN;
  }
  if (!(own->h > 0)) {
    own->h = first_length(own, end - t);
    own->growth = FIRST_GROWTH;
    own->kink = t;
  }
  trial s = propose(own, t, end, least);
  while (!(try_step(own, t, s.h) ? judge(own, &s, t) : shorten(own, &s, 0.25))) {
    if (!(s.h > 0)) {
      return NAN;
    }
  }
  if (!s.cut) {
    own->h = fmax(least, s.h * ratio_of(own, s.error));
    own->error = BIAS * s.error;
  }
  own->growth = GROWTH;
  const double reached = s.h == end - t ? end : t + s.h;
  return project(own, reached, s.h) ? reached : NAN;
}

// --- a step ---

// A model without coordinates has no error; watchers see its steps all the same.
static bool step_nothing(lb_stepper* st, lb_data* d, double h) {
  st->count++;
  if (st->watcher) {
    st->watcher(st->watching, d, &(lb_step_past){.dt = h, .count = 1, .weight = {1}});
  }
  return true;
}

static double next_of(const lb_profile* p, double t, double before) {
  return p ? fmin(before, lb_profile_next(p, t)) : before;
}

// External forces jump at their first and last sample.
static double next_jump(const lb_scene_external* e, double t, double before) {
  const double first = e->time[0], last = e->time[e->nsample - 1];
  const double next = first > t ? first : last > t ? last : INFINITY;
  return fmin(before, next);
}

// The first time after t, at most `stop`, at which a piece of what is a function of time ends. The
// error estimate is zero for forces of time alone, so steps across such a place may miss all that
// comes after it; within a piece these are polynomials, for which steps are exact.
static double next_end(const lb_model* m, double t, double stop) {
  for (int i = 0; i < m->nmotor; i++) {
    stop = next_of(m->motor.profile[i], t, stop);
    stop = next_of(m->motor.turning[i] ? m->motor.turning[i]->clock : NULL, t, stop);
  }
  for (int i = 0; i < m->force.nload; i++) {
    stop = next_of(m->force.load_profile[i], t, stop);
  }
  for (int i = 0; i < m->force.nexternal; i++) {
    stop = next_jump(&m->force.external[i], t, stop);
  }
  for (int i = 0; i < m->muscle.count; i++) {
    stop = next_of(m->muscle.item[i].excitation, t, stop);
  }
  for (int i = 0; i < m->constraint.ncoupling; i++) {
    stop = next_of(m->constraint.coupling[i].path, t, stop);
  }
  for (int i = 0; i < m->constraint.nprescribed; i++) {
    const lb_model_prescribed* g = &m->constraint.prescribed[i];
    for (int k = 0; k < 3; k++) {
      stop = next_of(g->path[k], t, stop);
    }
    stop = next_of(g->angle, t, stop);
  }
  return stop;
}

// Inner steps in one go before the problem counts as too stiff for an explicit method.
enum { MOST_INNER_STEPS = 100000 };

// The shortest, as a part of the whole. Speeds grow without end as something is prescribed to where
// it is out of reach, and steps would shrink for ever.
static const double LEAST_INNER_STEP = 1e-9;

// To `stop`, piece by piece.
static bool evolve(adaptive* own, double begin, double stop) {
  const double least = LEAST_INNER_STEP * (stop - begin);
  double t = begin;
  while (t < stop) {
    double end = next_end(own->m, t + 10 * least, stop);
    end = stop - end > 10 * least ? end : stop;
    for (int i = 0; t < end && i < MOST_INNER_STEPS; i++) {
      t = advance(own, t, end, least);
    }
    if (!(t >= end)) {
      return false;
    }
  }
  return true;
}

// True where d is at the last step's end, so that its error says something of the next.
static bool is_there(const adaptive* own, const lb_data* d) {
  const size_t nq = (size_t)own->m->nq * sizeof(double);
  const size_t nv = (size_t)own->m->nv * sizeof(double);
  const size_t nx = (size_t)own->m->nx * sizeof(double);
  return own->time == d->time && memcmp(own->reached, d->q, nq) == 0 &&
         memcmp(own->reached + own->m->nq, d->qd, nv) == 0 &&
         memcmp(own->reached + own->m->nq + own->m->nv, d->x, nx) == 0;
}

static bool step(lb_stepper* st, lb_data* d, double h) {
  adaptive* own = st->own;
  const double stop = d->time + h;
  if (st->m->nv == 0) {
    return step_nothing(st, d, h);
  }
  own->d = d;
  own->error = is_there(own, d) ? own->error : 1;
  const bool ok = evolve(own, d->time, stop);
  own->h = ok ? own->h : 0;
  store(own, own->reached);
  own->time = stop;
  return ok;
}

// --- what it takes from earlier steps ---

enum { PAST = 5 };

static size_t past_size(const lb_model* m) {
  (void)m;
  return PAST;
}

static void save_past(lb_stepper* st, const lb_data* d, double* past) {
  const adaptive* own = st->own;
  const double all[PAST] = {own->h, own->error, own->growth, own->kink, is_there(own, d)};
  memcpy(past, all, sizeof all);
}

static void load_past(lb_stepper* st, lb_data* d, const double* past) {
  adaptive* own = st->own;
  own->h = past[0];
  own->error = past[1];
  own->growth = past[2];
  own->kink = past[3];
  own->d = d;
  own->time = past[4] != 0 ? d->time : NAN;
  store(own, own->reached);
}

const lb_stepper_type lb_stepper_adaptive = {.create = create,
                                             .step = step,
                                             .tableau = lb_tableau_rk8,
                                             .derivative = &lb_derivative_explicit,
                                             .past_size = past_size,
                                             .save_past = save_past,
                                             .load_past = load_past};
