// Steps of a run of retargeting, differentiated: what tracked bodies and torques make of each, and
// its matrices for the linearised motion. The tape is walked along by tape_walk.c.
#include <math.h>
#include <string.h>

#include "design/retarget/retarget_search.h"
#include "dynamics/derivative/dynamics_derivative.h"

static void add_misses(const lb_tangents* T, lb_tangent* t, double weight) {
  const lb_retargeting* r = T->r;
  const lb_tangent_room* own = &T->room[t->slot];
  for (int i = 0; i < r->what->ntrack && weight > 0; i++) {
    const lb_miss miss = own->miss[i] = lb_track_miss(r, t->d, i, t->d->time);
    lb_derive_point(t->D, own->motion, NULL, r->model->body.link[r->what->track[i].body], miss.arm);
    for (int k = 0; k < r->model->nv; k++) {
      t->by_q[k] += weight * (lb_v4_dot(own->motion[k].v, miss.distance) +
                              lb_v4_dot(own->motion[k].w, miss.moment));
    }
  }
}

// The linear motion's steps need not be as long as the simulation's stages.
static bool keep_step(const lb_tangents* T, lb_tangent* t, int own) {
  const lb_tangent_room* room = &T->room[t->slot];
  const double dt = lb_tape_record(&T->r->tape, t->record)->dt;
  const bool other = fabs(T->keep->dt - dt) > 0.01 * dt;
  const bool made = !other || lb_step_factor(t->S, t->d, T->keep->dt);
  lb_linear_keep(T->keep, own, t->S, room->miss, room->scratch, room->motion);
  return made && (!other || lb_step_factor(t->S, t->d, dt));
}

static bool look(void* context, lb_tangent* t) {
  const lb_tangents* T = context;
  const lb_record* at = lb_tape_record(&T->r->tape, t->record);
  const int own = T->keep ? lb_linear_own_step(T->keep, at->effort) : -1;
  add_misses(T, t, lb_motion_weight(T->r, at->effort));
  const bool kept = own < 0 || keep_step(T, t, own);
  if (T->r->limited) {
    lb_tangent_add_torques(T, t, own);
  }
  return kept;
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

static bool take_room(lb_tangents* T, lb_tangent_room* own) {
  const lb_retargeting* r = T->r;
  const size_t nv = (size_t)r->model->nv, rows = (size_t)r->tape.rows;
  lb_arena* arena = &T->walk.arena;
  double* block = LB_TAKE(arena, double, 7 * nv + 2 * rows + (size_t)r->what->nmotor);
  own->motion = lb_arena_take_array(arena, nv, sizeof *own->motion, LB_ALIGN);
  own->miss = lb_arena_take_array(arena, (size_t)r->what->ntrack, sizeof *own->miss, LB_ALIGN);
  own->scratch = LB_TAKE(arena, double, T->keep ? 3 * nv* nv : 0);
  if (!block || !own->motion || !own->miss || !own->scratch) {
    return false;
  }
  own->single =
      (lb_step_effects){.q = block, .v = block + nv, .a = block + 2 * nv, .lambda = block + 6 * nv};
  own->pulled = block + 3 * nv;
  own->torque = block + 6 * nv + rows;
  return true;
}

static lb_status make_stepper(void* context, const lb_model* played, lb_stepper** st) {
  return lb_motion_stepper(((lb_tangents*)context)->r, played, st);
}

lb_status lb_tangents_open(lb_tangents* T, lb_retargeting* r, const lb_curves* curves,
                           lb_linear* keep) {
  *T = (lb_tangents){.r = r, .curves = curves, .keep = keep};
  lb_status status =
      lb_model_play(r->model, r->what, curves, r->targets->q0, r->allocator, &T->played, r->err);
  T->walk = (lb_walk){.tape = &r->tape,
                      .m = T->played,
                      .allocator = r->allocator,
                      .progress = r->progress,
                      .err = r->err,
                      .threads = r->threads,
                      .matrices = true,
                      .context = T,
                      .stepper = make_stepper,
                      .look = look};
  status = status == LB_OK ? lb_walk_open(&T->walk) : status;
  for (int i = 0; i < T->walk.width && status == LB_OK; i++) {
    status = take_room(T, &T->room[i]) ? LB_OK
                                       : lb_error_add(r->err, LB_NO_MEMORY, (lb_place){0},
                                                      "out of memory for a gradient");
  }
  return status;
}

void lb_tangents_close(lb_tangents* T) {
  lb_walk_close(&T->walk);
  lb_model_release(T->played);
}
