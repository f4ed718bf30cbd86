// Steps of a run, differentiated. All states are known, so many steps are differentiated at a time,
// on as many threads as there are; only the products that chain them, which are cheap, follow each
// other: forwards for sensitivities, backwards for adjoints.
#include <string.h>

#include "base/parallel.h"
#include "design/retarget.h"
#include "dynamics/derivative.h"

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

// The linear motion's steps may be longer than the simulation's.
static void keep_step(lb_tangents* T, lb_tangent* t, int own, double dt) {
  const bool longer = T->keep->dt > 1.01 * dt;
  t->failed |= longer && !lb_step_factor(t->S, t->d, T->keep->dt);
  lb_linear_keep(T->keep, own, t->S, t->miss, t->scratch, t->motion);
  t->failed |= longer && !lb_step_factor(t->S, t->d, dt);
}

static void differentiate(void* context, int i) {
  lb_tangents* T = context;
  lb_tangent* t = &T->at[i];
  const lb_retargeting* r = T->r;
  const lb_model* m = r->model;
  const lb_moment* at = lb_log_moment(&r->log, t->record);
  memcpy(t->d->q, lb_log_q(r, t->record), (size_t)m->nq * sizeof(double));
  memcpy(t->d->qd, lb_log_v(r, t->record), (size_t)m->nv * sizeof(double));
  t->d->time = at->time;
  const lb_step_past past = T->past(r, t);
  t->failed = !lb_step_differentiate(t->S, t->d, &past);
  add_misses(r, t, at->weight);
  const int own = T->keep ? lb_linear_own_step(T->keep, at->step) : -1;
  if (own >= 0) {
    keep_step(T, t, own, past.dt);
  }
  if (r->limited) {
    lb_tangent_add_torques(r, t, T->keep, own);
  }
}

static lb_status take(lb_tangents* T, int first, int by, int count) {
  lb_retargeting* r = T->r;
  for (int i = 0; i < count; i++) {
    T->at[i].record = first + i * by;
  }
  lb_parallel_for(r->threads, count, differentiate, T);
  for (int i = 0; i < count; i++) {
    if (T->at[i].failed) {
      return lb_error_add(r->err, LB_FAILED, (lb_place){0},
                          "the step that ends at t = %g s has no derivative",
                          lb_log_moment(&r->log, T->at[i].record)->time);
    }
  }
  return LB_OK;
}

static lb_status walk_stretch(lb_tangents* T, bool back, lb_tangent_visitor* visit, void* context) {
  const lb_retargeting* r = T->r;
  const int begin = lb_log_first_record(&r->log), end = r->log.count;
  for (int done = 0; done < end - begin; done += T->width) {
    const int left = end - begin - done, count = left < T->width ? left : T->width;
    const lb_status status = take(T, back ? end - 1 - done : begin + done, back ? -1 : 1, count);
    if (status != LB_OK) {
      return status;
    }
    for (int i = 0; i < count; i++) {
      visit(context, &T->at[i]);
    }
    const double gone = lb_log_moment(&r->log, T->at[0].record)->time / r->model->duration;
    if (!lb_progress_report(r->progress, back ? 1 - gone : gone, "differentiating")) {
      return lb_error_add(r->err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
    }
  }
  return LB_OK;
}

lb_status lb_tangents_walk(lb_tangents* T, bool back, lb_tangent_visitor* visit, void* context) {
  const int n = lb_log_stretches(T->r);
  lb_status status = LB_OK;
  for (int i = 0; i < n && status == LB_OK; i++) {
    const int stretch = back ? n - 1 - i : i;
    if (T->r->log.stretch != stretch) {
      status = lb_motion_again(T->r, T->st, T->d, stretch);
    }
    status = status == LB_OK ? walk_stretch(T, back, visit, context) : status;
  }
  return status;
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
  const size_t nv = (size_t)m->nv, rows = (size_t)T->r->log.rows;
  double* block = LB_TAKE(&T->arena, double, 9 * nv + 3 * rows + (size_t)T->r->what->nmotor);
  t->by_q = LB_TAKE(&T->arena, double, nv);
  t->before = LB_TAKE(&T->arena, double, nv);
  t->motion = lb_arena_take_array(&T->arena, nv, sizeof *t->motion, LB_ALIGN);
  t->miss = lb_arena_take_array(&T->arena, (size_t)T->r->what->ntrack, sizeof *t->miss, LB_ALIGN);
  t->scratch = LB_TAKE(&T->arena, double, T->keep ? 3 * nv* nv : 0);
  if (!block || !t->by_q || !t->before || !t->motion || !t->miss || !t->scratch) {
    return lb_error_add(T->r->err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  t->by_v = block;
  t->by_a = t->by_v + nv;
  t->single = (lb_step_effects){block + 2 * nv, block + 3 * nv, block + 4 * nv, block + 8 * nv};
  t->pulled = block + 5 * nv;
  t->by_lambda = block + 8 * nv + rows;
  t->torque = t->by_lambda + rows;
  lb_status status = lb_data_create(m, T->r->allocator, &t->d, T->r->err);
  if (status == LB_OK) {
    status = lb_step_derivative_create(m, T->r->allocator, &t->S, T->r->err);
  }
  if (status == LB_OK) {
    lb_step_take_matrices(t->S);
  }
  return status;
}

lb_status lb_tangents_open(lb_tangents* T, lb_retargeting* r, const lb_curves* curves,
                           lb_linear* keep) {
  // One thread takes one step at a time, so that its matrices are still in the cache when they are
  // used.
  const int wide = r->threads > 1 ? 4 * r->threads : 1;
  *T = (lb_tangents){.r = r,
                     .curves = curves,
                     .keep = keep,
                     .past = as_stepped,
                     .width = wide < LB_TANGENTS ? wide : LB_TANGENTS};
  lb_arena_init(&T->arena, r->allocator);
  lb_status status =
      lb_model_play(r->model, r->what, curves, r->targets->q0, r->allocator, &T->played, r->err);
  for (int i = 0; i < T->width && status == LB_OK; i++) {
    status = open_one(T, &T->at[i]);
  }
  if (status == LB_OK && lb_log_stretches(r) > 1) {
    status = lb_motion_open(r, T->played, &T->d, &T->st);
  }
  return status;
}

void lb_tangents_close(lb_tangents* T) {
  for (int i = 0; i < T->width; i++) {
    lb_step_derivative_release(T->at[i].S);
    lb_data_release(T->at[i].d);
  }
  lb_stepper_release(T->st);
  lb_data_release(T->d);
  lb_model_release(T->played);
  lb_arena_release(&T->arena);
}
