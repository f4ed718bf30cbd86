// Exact derivatives of a fit's residual: tangents of the run on the tape, along each unknown of the
// materials. Forces are linear in a material's numbers, so that by x, where they are exp(x) times
// what they were, the equations r of a stage change by
//
//   dr/dx = r(numbers twice as large) - r(numbers)                                             (1)
//
// at the same state: what a model with twice the numbers asks for more. How a run starts does not
// depend on them. Markers move with changes of the coordinates as they do with velocities.
#include <math.h>
#include <string.h>

#include "design/fit/fit_markers.h"

typedef struct tangents {
  lb_fit_session* s;
  lb_walk walk;
  lb_model** twice;     // [nmaterial] models of (1)
  lb_data** d;          // [nmaterial] of them, and one of the model itself
  lb_direction* change; // [nmaterial]
  lb_track* track;      // [nmaterial] changes of the markers' places
  double* r;            // [nv] of the model itself
  double* force;        // [nmaterial][nv] -dr/dx
  double* motor;        // [nmotor][3] zeros
  lb_progress progress;
} tangents;

// --- forces ---

static void go_to(lb_data* to, const lb_data* from) {
  const lb_model* m = to->model;
  to->time = from->time;
  memcpy(to->q, from->q, (size_t)m->nq * sizeof *to->q);
  memcpy(to->qd, from->qd, (size_t)m->nv * sizeof *to->qd);
  memcpy(to->qdd, from->qdd, (size_t)m->nv * sizeof *to->qdd);
}

// (1) of all unknowns where d is.
static void find_forces(const tangents* w, const lb_data* d) {
  const int nv = d->model->nv, n = w->s->nmaterial;
  go_to(w->d[n], d);
  lb_step_residual(w->d[n], w->r);
  for (int k = 0; k < n; k++) {
    double* f = w->force + (size_t)k * (size_t)nv;
    go_to(w->d[k], d);
    lb_step_residual(w->d[k], f);
    for (int i = 0; i < nv; i++) {
      f[i] = w->r[i] - f[i];
    }
  }
}

// --- the way ---

static bool look(void* context, lb_tangent* t) {
  (void)context, (void)t;
  return true;
}

// Materials do nothing to impacts and charts.
static void go_on(void* context, lb_tangent* t) {
  tangents* w = context;
  const lb_record* at = lb_tape_record(w->walk.tape, t->record);
  const bool acts = !at->impact && !at->recharts;
  const int n = w->s->nmaterial, nv = w->walk.m->nv;
  lb_data* d = w->d[n];
  if (acts) {
    find_forces(w, t->d);
  }
  for (int k = 0; k < n; k++) {
    double* force = acts ? w->force + (size_t)k * (size_t)nv : NULL;
    const lb_step_effects out = lb_walk_forward(&w->walk, t, &w->change[k], w->motor, force);
    if (at->step > 0) {
      lb_tape_go_to(w->walk.tape, d, t->record);
      memcpy(d->qd, out.q, (size_t)nv * sizeof *d->qd);
      w->track[k].count = at->step;
      lb_track_add_velocities(&w->track[k], d);
    }
  }
}

// --- the whole ---

static lb_status make_stepper(void* context, const lb_model* m, lb_stepper** st) {
  const lb_fit_session* s = ((tangents*)context)->s;
  const lb_status status = lb_stepper_create(m, &s->solver, s->allocator, st, s->err);
  if (status == LB_OK) {
    lb_stepper_watch_charts(*st, s->keeps);
  }
  return status;
}

static bool report(void* context, double fraction, const char* what) {
  const lb_fit_session* s = context;
  return lb_progress_report(&s->options->progress, s->done + s->share * fraction, what);
}

static lb_status take_vectors(tangents* w) {
  lb_arena* arena = &w->walk.arena;
  const lb_track* like = &w->s->slot[0].track;
  const size_t n = (size_t)w->s->nmaterial;
  w->twice = LB_TAKE(arena, lb_model*, n);
  w->d = LB_TAKE(arena, lb_data*, n + 1);
  w->change = LB_TAKE(arena, lb_direction, n);
  w->track = LB_TAKE(arena, lb_track, n);
  w->r = LB_TAKE(arena, double, w->walk.m->nv);
  w->force = LB_TAKE(arena, double, n*(size_t)w->walk.m->nv);
  w->motor = LB_TAKE(arena, double, 3 * w->walk.m->nmotor);
  for (size_t k = 0; k < n && lb_arena_status(arena) == LB_OK; k++) {
    lb_direction_take(arena, &w->walk, &w->change[k]);
    w->track[k] = *like;
    w->track[k].x = LB_TAKE(arena, double, (size_t)like->capacity*(size_t)w->s->width);
  }
  return lb_arena_status(arena);
}

static lb_status make_models(tangents* w, const double* at) {
  const lb_fit_session* s = w->s;
  const int n = s->nmaterial;
  double* x = LB_TAKE(&w->walk.arena, double, s->n);
  lb_status status = x ? lb_data_create(w->walk.m, s->allocator, &w->d[n], s->err) : LB_NO_MEMORY;
  for (int k = 0; k < n && status == LB_OK; k++) {
    memcpy(x, at, (size_t)s->n * sizeof *x);
    x[k] += log(2);
    status = lb_fit_vary(s, x, &w->twice[k]);
    status = status == LB_OK ? lb_data_create(w->twice[k], s->allocator, &w->d[k], s->err) : status;
  }
  return status;
}

static void release_models(tangents* w) {
  for (int k = 0; k <= w->s->nmaterial && w->twice && w->d; k++) {
    lb_data_release(w->d[k]);
    lb_model_release(k < w->s->nmaterial ? w->twice[k] : NULL);
  }
}

// From the markers' changes at steps to those of the residual at samples.
static void fill_columns(const tangents* w, const lb_fit_trial* t, double* J) {
  const lb_fit_session* s = w->s;
  const lb_markers* m = s->markers;
  const double clock = s->clock >= 0 ? t->x[s->clock] : 0;
  const size_t width = (size_t)s->width;
  for (int k = 0; k < s->nmaterial; k++) {
    for (size_t i = 0; i < (size_t)s->nsample; i++, J += width) {
      lb_track_read(&w->track[k], m->time[i] + clock, J, NULL);
      for (size_t j = 0; j < width; j++) {
        J[j] = isnan(m->x[i * width + j]) ? 0 : -J[j];
      }
    }
  }
}

// Stages of fewer coordinates are sooner differentiated than shared out.
enum { MANY = 32 };

lb_status lb_fit_differentiate(lb_fit_session* s, const lb_fit_trial* trial, double share,
                               double* J) {
  tangents w = {.s = s, .progress = {report, s}};
  w.walk = (lb_walk){.tape = &s->tape,
                     .m = s->slot[0].model,
                     .allocator = s->allocator,
                     .progress = &w.progress,
                     .err = s->err,
                     .threads = s->model->nv < MANY ? 1 : s->options->threads,
                     .keeps = s->keeps,
                     .context = &w,
                     .stepper = make_stepper,
                     .look = look};
  s->share = share;
  lb_status status = lb_walk_open(&w.walk);
  status = status == LB_OK ? take_vectors(&w) : status;
  status = status == LB_OK ? make_models(&w, trial->x) : status;
  status = status == LB_OK ? lb_walk_along(&w.walk, false, go_on) : status;
  if (status == LB_OK) {
    fill_columns(&w, trial, J);
  }
  s->done += share;
  release_models(&w);
  lb_walk_close(&w.walk);
  return status;
}
