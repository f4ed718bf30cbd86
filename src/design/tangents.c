// Steps of a run, differentiated. All states are known, so many steps are differentiated at a time,
// on as many threads as there are; only the products that chain them, which are cheap, follow each
// other: forwards for sensitivities, backwards for adjoints.
#include <string.h>

#include "base/parallel.h"
#include "design/retarget.h"
#include "dynamics/derivative.h"

lb_step_past lb_log_past(const lb_retargeting* r, int i) {
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

static void add_misses(const lb_retargeting* r, lb_tangent* t, double weight) {
  const lb_model* m = r->model;
  const lb_derivatives* D = lb_step_dynamics(t->S);
  memset(t->by_q, 0, (size_t)m->nv * sizeof *t->by_q);
  for (int i = 0; i < r->what->ntrack && weight > 0; i++) {
    const lb_miss miss = t->miss[i] = lb_track_miss(r, t->d, i, t->d->time);
    lb_derive_point(D, t->motion, NULL, m->body_link[r->what->track[i].body], miss.arm);
    for (int k = 0; k < m->nv; k++) {
      t->by_q[k] += weight * (lb_v4_dot(t->motion[k].v, miss.distance) +
                              lb_v4_dot(t->motion[k].w, miss.moment));
    }
  }
}

static void differentiate(void* context, int i) {
  lb_tangents* T = context;
  lb_tangent* t = &T->at[i];
  const lb_retargeting* r = T->r;
  const lb_model* m = r->model;
  const lb_moment* at = &r->log.moment[t->record];
  memcpy(t->d->q, r->log.q + (size_t)t->record * (size_t)m->nq, (size_t)m->nq * sizeof(double));
  memcpy(t->d->qd, r->log.v + (size_t)t->record * (size_t)m->nv, (size_t)m->nv * sizeof(double));
  t->d->time = at->time;
  const lb_step_past past = T->past(r, t);
  t->failed = !lb_step_differentiate(t->S, t->d, &past);
  add_misses(r, t, at->weight);
  const int group = T->keep ? lb_linear_group(T->keep, at->step) : -1;
  if (group >= 0) {
    lb_linear_keep(T->keep, group, t->S, t->miss, t->scratch, t->motion);
  }
}

lb_status lb_tangents_take(lb_tangents* T, int first, int by, int count) {
  lb_retargeting* r = T->r;
  for (int i = 0; i < count; i++) {
    T->at[i].record = first + i * by;
  }
  lb_parallel_for(r->threads, count, differentiate, T);
  for (int i = 0; i < count; i++) {
    if (T->at[i].failed) {
      return lb_error_add(r->err, LB_FAILED, (lb_place){0},
                          "the step that ends at t = %g s has no derivative",
                          r->log.moment[T->at[i].record].time);
    }
  }
  return LB_OK;
}

// --- control points ---

void lb_tangents_spread(const lb_tangents* T, double time, const double* motor, double* control) {
  const lb_curves* c = T->curves;
  const lb_bspline spline = lb_curves_spline(c);
  const int span = lb_bspline_span(&spline, time);
  lb_bspline_row N[3];
  lb_bspline_basis(&spline, N, span, time, 2);
  for (int i = 0; i < c->nmotor; i++) {
    const double* g = motor + 3 * (size_t)T->r->what->motor[i];
    double* to = control + (size_t)i * (size_t)c->ncontrol + (size_t)span;
    for (int k = 0; k < 4; k++) {
      to[k] += N[0][k] * g[0] + N[1][k] * g[1] + N[2][k] * g[2];
    }
  }
}

void lb_tangents_gather(const lb_tangents* T, double time, double* motor, const double* control) {
  const lb_curves* c = T->curves;
  const lb_bspline spline = lb_curves_spline(c);
  const int span = lb_bspline_span(&spline, time);
  lb_bspline_row N[3];
  lb_bspline_basis(&spline, N, span, time, 2);
  memset(motor, 0, 3 * (size_t)T->r->model->nmotor * sizeof *motor);
  for (int i = 0; i < c->nmotor; i++) {
    const double* x = control + (size_t)i * (size_t)c->ncontrol;
    double* to = motor + 3 * (size_t)T->r->what->motor[i];
    for (int k = span; k < span + 4; k++) {
      const bool fixed = k < LB_CURVES_FIXED || k >= c->ncontrol - LB_CURVES_FIXED;
      for (int d = 0; d < 3 && !fixed; d++) {
        to[d] += N[d][k - span] * x[k];
      }
    }
  }
}

// --- life ---

static lb_step_past as_stepped(const lb_retargeting* r, lb_tangent* t) {
  return lb_log_past(r, t->record);
}

static lb_status open_one(lb_tangents* T, lb_tangent* t) {
  const lb_model* m = T->played;
  const size_t nv = (size_t)m->nv;
  t->by_q = LB_TAKE(&T->arena, double, nv);
  t->before = LB_TAKE(&T->arena, double, nv);
  t->motion = lb_arena_take_array(&T->arena, nv, sizeof *t->motion, LB_ALIGN);
  t->miss = lb_arena_take_array(&T->arena, (size_t)T->r->what->ntrack, sizeof *t->miss, LB_ALIGN);
  t->scratch = LB_TAKE(&T->arena, double, T->keep ? 3 * nv* nv : 0);
  if (!t->by_q || !t->before || !t->motion || !t->miss || !t->scratch) {
    return lb_error_add(T->r->err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  const lb_status status = lb_data_create(m, T->r->allocator, &t->d, T->r->err);
  return status == LB_OK ? lb_step_derivative_create(m, T->r->allocator, &t->S, T->r->err) : status;
}

lb_status lb_tangents_open(lb_tangents* T, lb_retargeting* r, const lb_curves* curves,
                           lb_linear* keep) {
  *T = (lb_tangents){.r = r, .curves = curves, .keep = keep, .past = as_stepped};
  lb_arena_init(&T->arena, r->allocator);
  lb_status status =
      lb_model_play(r->model, r->what, curves, r->targets->q0, r->allocator, &T->played, r->err);
  for (int i = 0; i < LB_TANGENTS && status == LB_OK; i++) {
    status = open_one(T, &T->at[i]);
  }
  return status;
}

void lb_tangents_close(lb_tangents* T) {
  for (int i = 0; i < LB_TANGENTS; i++) {
    lb_step_derivative_release(T->at[i].S);
    lb_data_release(T->at[i].d);
  }
  lb_model_release(T->played);
  lb_arena_release(&T->arena);
}
