// The gradient by the discrete adjoint: the derivative of every step taken, transposed, from the
// last step to the first. Exact for the objective as it is summed up.
//
// All states are known, so steps are differentiated many at a time on as many threads as there are;
// only the products with the transposes, which are cheap, follow each other.
#include <string.h>

#include "base/parallel.h"
#include "design/retarget.h"
#include "dynamics/derivative.h"

enum { SLOTS = 16 };

// A step being differentiated.
typedef struct slot {
  lb_step_derivative* S;
  lb_data* d;
  int record; // of the log
  bool failed;
  double* by_q;      // [nv] of the objective by the state at the step's end
  lb_motion* motion; // [nv] scratch
  lb_miss* miss;     // [ntrack]
  double* scratch;   // [3][nv][nv] with `keep`
} slot;

typedef struct way_back {
  lb_retargeting* r;
  lb_model* played;
  lb_linear* keep;
  lb_arena arena;
  slot slot[SLOTS];
  double *q[3], *v[3]; // [nv] by the states of the last three steps, a ring
  double* zero;        // [nv] no objective sees accelerations
  double* motor;       // [nmotor][3]
} way_back;

static lb_step_past past_of(const lb_retargeting* r, int i) {
  const lb_motion_log* log = &r->log;
  const lb_moment* at = &log->moment[i];
  const size_t nq = (size_t)r->model->nq, nv = (size_t)r->model->nv;
  lb_step_past past = {.dt = at->dt,
                       .count = at->count,
                       .weight = {at->count == 2 ? 4. / 3 : 1, at->count == 2 ? -1. / 3 : 0},
                       .lambda = log->lambda + (size_t)i * (size_t)log->rows};
  for (int p = 0; p < at->count; p++) {
    past.q[p] = log->q + (size_t)(i - 1 - p) * nq;
    past.v[p] = log->v + (size_t)(i - 1 - p) * nv;
  }
  return past;
}

static void add_misses(const lb_retargeting* r, slot* s, double weight) {
  const lb_model* m = r->model;
  const lb_derivatives* D = lb_step_dynamics(s->S);
  memset(s->by_q, 0, (size_t)m->nv * sizeof *s->by_q);
  for (int t = 0; t < r->what->ntrack && weight > 0; t++) {
    const lb_miss miss = s->miss[t] = lb_track_miss(r, s->d, t, s->d->time);
    lb_derive_point(D, s->motion, NULL, m->body_link[r->what->track[t].body], miss.arm);
    for (int k = 0; k < m->nv; k++) {
      s->by_q[k] += weight * (lb_v4_dot(s->motion[k].v, miss.distance) +
                              lb_v4_dot(s->motion[k].w, miss.moment));
    }
  }
}

static void differentiate(void* context, int i) {
  way_back* w = context;
  slot* s = &w->slot[i];
  lb_retargeting* r = w->r;
  const lb_model* m = r->model;
  if (s->record < 1) {
    return;
  }
  const lb_moment* at = &r->log.moment[s->record];
  memcpy(s->d->q, r->log.q + (size_t)s->record * (size_t)m->nq, (size_t)m->nq * sizeof(double));
  memcpy(s->d->qd, r->log.v + (size_t)s->record * (size_t)m->nv, (size_t)m->nv * sizeof(double));
  s->d->time = at->time;
  const lb_step_past past = past_of(r, s->record);
  s->failed = !lb_step_differentiate(s->S, s->d, &past);
  add_misses(r, s, at->weight);
  const int group = w->keep ? lb_linear_group(w->keep, at->step) : -1;
  if (group >= 0) {
    lb_linear_keep(w->keep, group, s->S, s->miss, s->scratch, s->motion);
  }
}

// Through one step, and what its motors' share means for the control points.
static void go_back(way_back* w, const lb_curves* c, const slot* s, double* gradient) {
  const lb_retargeting* r = w->r;
  const lb_model* m = r->model;
  const int now = s->record % 3, one = (s->record + 2) % 3, two = (s->record + 1) % 3;
  for (int k = 0; k < m->nv; k++) {
    w->q[now][k] += s->by_q[k];
  }
  memset(w->motor, 0, 3 * (size_t)m->nmotor * sizeof *w->motor);
  lb_step_causes out = {{w->q[one], w->q[two]}, {w->v[one], w->v[two]}, w->motor};
  lb_step_back(s->S, &out, &(lb_step_effects){w->q[now], w->v[now], w->zero});
  memset(w->q[now], 0, (size_t)m->nv * sizeof(double));
  memset(w->v[now], 0, (size_t)m->nv * sizeof(double));
  const lb_bspline spline = lb_curves_spline(c);
  const double t = r->log.moment[s->record].time;
  const int span = lb_bspline_span(&spline, t);
  lb_bspline_row N[3];
  lb_bspline_basis(&spline, N, span, t, 2);
  for (int i = 0; i < c->nmotor; i++) {
    const double* g = w->motor + 3 * (size_t)r->what->motor[i];
    double* to = gradient + (size_t)i * (size_t)c->ncontrol + (size_t)span;
    for (int k = 0; k < 4; k++) {
      to[k] += N[0][k] * g[0] + N[1][k] * g[1] + N[2][k] * g[2];
    }
  }
}

static lb_status open_slots(way_back* w) {
  const lb_model* m = w->played;
  const size_t nv = (size_t)m->nv;
  lb_status status = LB_OK;
  for (int i = 0; i < SLOTS && status == LB_OK; i++) {
    slot* s = &w->slot[i];
    s->by_q = LB_TAKE(&w->arena, double, nv);
    s->motion = lb_arena_take_array(&w->arena, nv, sizeof *s->motion, LB_ALIGN);
    s->miss = lb_arena_take_array(&w->arena, (size_t)w->r->what->ntrack, sizeof *s->miss, LB_ALIGN);
    s->scratch = LB_TAKE(&w->arena, double, w->keep ? 3 * nv* nv : 0);
    if (!s->by_q || !s->motion || !s->miss || !s->scratch) {
      return lb_error_add(w->r->err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
    }
    status = lb_data_create(m, w->r->allocator, &s->d, w->r->err);
    if (status == LB_OK) {
      status = lb_step_derivative_create(m, w->r->allocator, &s->S, w->r->err);
    }
  }
  return status;
}

static lb_status open_way(way_back* w, const lb_curves* curves) {
  lb_retargeting* r = w->r;
  const size_t nv = (size_t)r->model->nv;
  lb_arena_init(&w->arena, r->allocator);
  const lb_status status =
      lb_model_play(r->model, r->what, curves, r->targets->q0, r->allocator, &w->played, r->err);
  if (status != LB_OK) {
    return status;
  }
  double* block = LB_TAKE(&w->arena, double, 7 * nv + 3 * (size_t)r->model->nmotor);
  if (!block) {
    return lb_error_add(r->err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  for (int i = 0; i < 3; i++) {
    w->q[i] = block + (size_t)i * nv;
    w->v[i] = block + (size_t)(3 + i) * nv;
  }
  w->zero = block + 6 * nv;
  w->motor = block + 7 * nv;
  return open_slots(w);
}

static void close_way(way_back* w) {
  for (int i = 0; i < SLOTS; i++) {
    lb_step_derivative_release(w->slot[i].S);
    lb_data_release(w->slot[i].d);
  }
  lb_model_release(w->played);
  lb_arena_release(&w->arena);
}

static lb_status walk(way_back* w, const lb_curves* curves, double* gradient) {
  lb_retargeting* r = w->r;
  const int last = r->log.count - 1;
  for (int first = last; first >= 1; first -= SLOTS) {
    for (int i = 0; i < SLOTS; i++) {
      w->slot[i].record = first - i;
    }
    lb_parallel_for(r->threads, SLOTS, differentiate, w);
    for (int i = 0; i < SLOTS && first - i >= 1; i++) {
      if (w->slot[i].failed) {
        return lb_error_add(r->err, LB_FAILED, (lb_place){0},
                            "the step that ends at t = %g s has no derivative",
                            r->log.moment[first - i].time);
      }
      go_back(w, curves, &w->slot[i], gradient);
    }
    if (!lb_progress_report(r->progress, 1 - (double)first / last, "going back")) {
      return lb_error_add(r->err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
    }
  }
  return LB_OK;
}

lb_status lb_motion_gradient(lb_retargeting* r, const lb_curves* curves, double* gradient,
                             lb_linear* keep) {
  const size_t n = (size_t)curves->ncontrol;
  r->ngradient++;
  way_back w = {.r = r, .keep = keep};
  memset(gradient, 0, (size_t)curves->nmotor * n * sizeof *gradient);
  lb_status status = open_way(&w, curves);
  if (status == LB_OK) {
    status = walk(&w, curves, gradient);
  }
  if (status == LB_OK) {
    lb_retarget_value value = {0};
    lb_regular_add(r, curves, &value, gradient); // and none of the fixed ones
  }
  close_way(&w);
  return status;
}
