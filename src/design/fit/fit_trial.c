// Running trials: a variation of the model is stepped through the markers' time, its markers are
// compared with the measured ones.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "design/fit/fit_markers.h"

lb_status lb_fit_trial_create(lb_fit_session* s, lb_fit_trial* t, bool rate) {
  const size_t size = (size_t)s->nsample * (size_t)s->width;
  *t = (lb_fit_trial){.until = s->end, .cost = (double)INFINITY};
  t->x = LB_TAKE(&s->arena, double, s->n);
  t->r = LB_TAKE(&s->arena, double, size);
  t->rate = rate ? LB_TAKE(&s->arena, double, size) : NULL;
  return t->x && t->r && (!rate || t->rate) ? LB_OK : LB_NO_MEMORY;
}

void lb_fit_trial_copy(const lb_fit_session* s, lb_fit_trial* to, const lb_fit_trial* from) {
  memcpy(to->x, from->x, (size_t)s->n * sizeof *to->x);
  memcpy(to->r, from->r, (size_t)s->nsample * (size_t)s->width * sizeof *to->r);
  to->until = from->until;
  to->used = from->used;
  to->cost = from->cost;
}

// --- the model of a trial ---

double* lb_fit_number(lb_scene_material* m, int quantity) {
  double* const number[] = {[LB_FIT_YOUNG] = &m->young,
                            [LB_FIT_DAMPING_MASS] = &m->damping_mass,
                            [LB_FIT_DAMPING_STIFFNESS] = &m->damping_stiffness};
  return number[quantity];
}

static lb_material_change change_of(const lb_fit_session* s, const double* x, int unknown) {
  const lb_fit_unknown* u = &s->u[unknown];
  double to[LB_FIT_CLOCK];
  for (int k = 0; k < LB_FIT_CLOCK; k++) {
    to[k] = u->has[k] ? *lb_fit_number(&s->start[u->material], k) * exp(x[unknown]) : (double)NAN;
  }
  return (lb_material_change){u->material, to[LB_FIT_YOUNG], to[LB_FIT_DAMPING_MASS],
                              to[LB_FIT_DAMPING_STIFFNESS]};
}

lb_status lb_fit_vary(const lb_fit_session* s, const double* x, lb_model** model) {
  lb_arena scratch;
  lb_arena_init(&scratch, s->allocator);
  lb_material_change* change = LB_TAKE(&scratch, lb_material_change, s->nmaterial);
  lb_status status = LB_NO_MEMORY;
  if (change) {
    for (int i = 0; i < s->nmaterial; i++) {
      change[i] = change_of(s, x, i);
    }
    const lb_variation v = {.nmaterial = s->nmaterial, .material = change};
    status = lb_model_vary(s->model, &v, s->allocator, model, s->err);
  }
  lb_arena_release(&scratch);
  return status;
}

void lb_fit_slot_close(lb_fit_slot* slot) {
  lb_stepper_release(slot->stepper);
  lb_data_release(slot->data);
  lb_model_release(slot->model);
  slot->stepper = NULL;
  slot->data = NULL;
  slot->model = NULL;
}

// Memory is taken here, one trial after the other, so that the caller's allocator sees one thread.
static lb_status open_slot(lb_fit_session* s, lb_fit_slot* slot, const lb_fit_trial* t) {
  lb_fit_slot_close(slot);
  lb_status status = lb_fit_vary(s, t->x, &slot->model);
  if (status == LB_OK) {
    status = lb_data_create(slot->model, s->allocator, &slot->data, s->err);
  }
  if (status == LB_OK) {
    status = lb_stepper_create(slot->model, &s->solver, s->allocator, &slot->stepper, s->err);
  }
  if (status == LB_OK) {
    lb_stepper_watch_charts(slot->stepper, s->keeps);
  }
  return status;
}

// --- one run ---

// Ask whether to go on; one thread at a time speaks for all.
static bool look(lb_fit_session* s, long steps) {
  const double all = (double)(atomic_fetch_add(&s->stepped, steps) + steps);
  if (!s->deaf && !atomic_flag_test_and_set(&s->reporting)) {
    const double part = s->steps > 0 ? fmin(all / s->steps, 1) : 1;
    if (!lb_progress_report(&s->options->progress, s->done + s->share * part, "fitting")) {
      atomic_store(&s->stopped, true);
    }
    atomic_flag_clear(&s->reporting);
  }
  return s->deaf || !atomic_load(&s->stopped);
}

static int steps_of(const lb_fit_session* s, const lb_fit_trial* t) {
  const double margin = s->clock >= 0 ? LB_FIT_CLOCK_RANGE : 0;
  const double steps = ceil((fmax(t->until, 0) + margin) / s->h) + 3; // the cubic looks ahead
  return (int)fmin(steps, s->slot[0].track.capacity - 1);
}

// False when the model cannot be run, or was stopped.
static bool play(lb_fit_session* s, lb_fit_slot* slot, const lb_fit_trial* t) {
  enum { LOOK_EVERY = 128 };
  const int steps = steps_of(s, t);
  slot->track.count = 0;
  if (lb_assemble(slot->model, slot->data, NULL) != LB_OK) {
    return false;
  }
  if (t->tape) {
    lb_tape_begin(t->tape, slot->stepper, slot->data, steps);
  }
  lb_track_add(&slot->track, slot->data);
  for (int i = 1; i <= steps; i++) {
    const lb_status status = t->tape ? lb_tape_step(t->tape, slot->stepper, slot->data, i, NULL)
                                     : lb_stepper_step(slot->stepper, slot->data, s->h, NULL);
    if (status != LB_OK) {
      return false;
    }
    slot->data->time = i * s->h; // no drift from adding up
    lb_track_add(&slot->track, slot->data);
    if (i % LOOK_EVERY == 0 && !look(s, LOOK_EVERY)) {
      return false;
    }
  }
  return true;
}

// --- comparison ---

// Residual (1) without shift at a clock; how many numbers were compared, and the sum of each axis.
static int compare(const lb_fit_session* s, lb_fit_slot* slot, lb_fit_trial* t, double clock,
                   double sum[3], int count[3]) {
  const lb_markers* m = s->markers;
  const size_t width = (size_t)s->width;
  memset(sum, 0, 3 * sizeof *sum);
  memset(count, 0, 3 * sizeof *count);
  int i = 0;
  for (; i < s->nsample && m->time[i] <= t->until; i++) {
    double* rate = t->rate ? t->rate + (size_t)i * width : NULL;
    lb_track_read(&slot->track, m->time[i] + clock, slot->row, rate);
    for (size_t k = 0; k < width; k++) {
      const double x = m->x[(size_t)i * width + k];
      const double r = isnan(x) ? 0 : x - slot->row[k];
      t->r[(size_t)i * width + k] = r;
      sum[k % 3] += r;
      count[k % 3] += !isnan(x);
      if (rate && isnan(x)) {
        rate[k] = 0;
      }
    }
  }
  return i;
}

// Take a shift off what was seen; the sum of squares is left.
static double take_shift(const lb_fit_session* s, lb_fit_trial* t, const double shift[3]) {
  double cost = 0;
  const size_t width = (size_t)s->width;
  for (size_t i = 0; i < (size_t)t->used * width; i++) {
    if (!isnan(s->markers->x[i])) {
      t->r[i] -= shift[i % width % 3];
      cost += t->r[i] * t->r[i];
    }
  }
  return cost;
}

// The cost at a clock; the shift is the given one, or the best for that clock.
static double cost_at(const lb_fit_session* s, lb_fit_slot* slot, lb_fit_trial* t, double clock) {
  double sum[3], shift[3] = {0};
  int count[3];
  t->used = compare(s, slot, t, clock, sum, count);
  for (int k = 0; k < 3 && s->shift >= 0; k++) {
    if (t->offsets) {
      t->x[s->shift + k] = count[k] ? sum[k] / count[k] : 0;
    }
    shift[k] = t->x[s->shift + k];
  }
  return take_shift(s, t, shift);
}

// The best clock over its range: a grid fine enough for the shortest swing that matters, then ever
// finer ones around its best.
static double best_clock(const lb_fit_session* s, lb_fit_slot* slot, lb_fit_trial* t) {
  enum { FIRST = 50, FINER = 5, ROUNDS = 4 };
  double best = 0, least = cost_at(s, slot, t, 0), range = LB_FIT_CLOCK_RANGE;
  for (int round = 0; round < ROUNDS; round++) {
    const int half = round == 0 ? FIRST : FINER;
    const double middle = best;
    for (int i = -half; i <= half; i++) {
      const double clock = middle + range * i / half;
      const double cost = cost_at(s, slot, t, clock);
      if (cost < least) {
        least = cost;
        best = clock;
      }
    }
    range /= half;
  }
  return fmin(fmax(best, -LB_FIT_CLOCK_RANGE), LB_FIT_CLOCK_RANGE);
}

typedef struct wave {
  lb_fit_session* s;
  lb_fit_trial* const* trial;
} wave;

static void run_one(void* context, int i) {
  const wave* w = context;
  lb_fit_session* s = w->s;
  lb_fit_trial* t = w->trial[i];
  lb_fit_slot* slot = &s->slot[i];
  t->cost = (double)INFINITY;
  if (!play(s, slot, t)) {
    return;
  }
  if (s->clock >= 0 && t->offsets) {
    t->x[s->clock] = best_clock(s, slot, t);
  }
  const double cost = cost_at(s, slot, t, s->clock >= 0 ? t->x[s->clock] : 0);
  t->cost = isfinite(cost) ? cost : (double)INFINITY;
}

lb_status lb_fit_try(lb_fit_session* s, int count, lb_fit_trial* const* trial, double share) {
  s->share = share;
  s->steps = 0;
  atomic_store(&s->stepped, 0);
  for (int i = 0; i < count; i++) {
    s->steps += steps_of(s, trial[i]);
  }
  lb_status status = LB_OK;
  for (int first = 0; first < count && status == LB_OK; first += s->nslot) {
    const int n = count - first < s->nslot ? count - first : s->nslot;
    for (int i = 0; i < n && status == LB_OK; i++) {
      status = open_slot(s, &s->slot[i], trial[first + i]);
    }
    if (status == LB_OK) {
      wave w = {s, trial + first};
      lb_parallel_for(s->options->threads, n, run_one, &w);
      s->runs += n;
    }
    for (int i = 0; i < n; i++) {
      s->took += s->slot[i].stepper ? lb_stepper_count(s->slot[i].stepper) : 0;
    }
    status = status == LB_OK && !look(s, 0) ? LB_INTERRUPTED : status;
  }
  s->done += share;
  return status;
}
