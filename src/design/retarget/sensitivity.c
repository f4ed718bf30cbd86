// Forward sensitivities: how a run changes along given directions of the control points. With S_n
// the derivative of step n (solve/step/step_derivative.h),
//
//   dz_n = S_n (dz_n-1, dz_n-2, du_n),   dF = sum_n dF/dz_n dz_n + that of the regularisers
//
// from the first step to the last. Exact for the steps taken, as the adjoint is, and made of other
// products: what each finds along a direction must agree to rounding.
#include <string.h>

#include "design/retarget/retarget_search.h"
#include "math/linear/dense.h"

typedef struct way_on {
  lb_tangents tangents; // first: it is the walk's context, too
  int ndirection;
  const double* direction; // [ndirection][nmotor][ncontrol]
  double* slope;           // [ndirection]
  bool moving;             // is the motion's wanted?
  double* motion;          // [ndirection][nstep + 1][nv]
  lb_direction* change;    // [ndirection]
  double* motor;           // [nmotor][3] scratch
  double* regular;         // [nmotor][ncontrol] the regularisers' gradient
} way_on;

static size_t control_count(const way_on* w) {
  const lb_curves* c = w->tangents.curves;
  return (size_t)c->nmotor * (size_t)c->ncontrol;
}

static size_t motion_size(const way_on* w) {
  const lb_retargeting* r = w->tangents.r;
  return (size_t)w->ndirection * ((size_t)r->nstep + 1) * (size_t)r->model->nv;
}

static void go_on(way_on* w, lb_tangent* t, int k) {
  const lb_retargeting* r = w->tangents.r;
  const lb_record* at = lb_tape_record(&r->tape, t->record);
  const int nv = r->model->nv;
  lb_tangents_gather(&w->tangents, at->time, w->motor, w->direction + (size_t)k * control_count(w));
  const lb_step_effects out = lb_walk_forward(&w->tangents.walk, t, &w->change[k], w->motor, NULL);
  w->slope[k] += lb_dot(nv, t->by_q, out.q) + lb_dot(nv, t->by_v, out.v) +
                 lb_dot(nv, t->by_a, out.a) + lb_dot(r->tape.rows, t->by_lambda, out.lambda);
  if (w->moving && at->effort > 0) {
    double* to = w->motion + ((size_t)k * ((size_t)r->nstep + 1) + (size_t)at->effort) * (size_t)nv;
    memcpy(to, out.q, (size_t)nv * sizeof *to);
  }
}

static void go_on_all(void* context, lb_tangent* t) {
  way_on* w = context;
  for (int k = 0; k < w->ndirection; k++) {
    go_on(w, t, k);
  }
}

static lb_status take_vectors(way_on* w) {
  const lb_walk* walk = &w->tangents.walk;
  lb_arena* arena = &w->tangents.walk.arena;
  w->change = LB_TAKE(arena, lb_direction, w->ndirection);
  for (int k = 0; k < w->ndirection && w->change; k++) {
    lb_direction_take(arena, walk, &w->change[k]);
  }
  w->motor = LB_TAKE(arena, double, 3 * walk->m->nmotor);
  w->regular = LB_TAKE(arena, double, control_count(w));
  w->slope = LB_TAKE(arena, double, w->ndirection);
  w->motion = w->moving ? LB_TAKE(arena, double, motion_size(w)) : NULL;
  return lb_arena_check(arena, "sensitivities", w->tangents.r->err);
}

static void add_regularisers(way_on* w) {
  const size_t n = control_count(w);
  lb_retarget_value value = {0};
  lb_regular_add(w->tangents.r, w->tangents.curves, &value, w->regular);
  for (int k = 0; k < w->ndirection; k++) {
    for (size_t i = 0; i < n; i++) {
      w->slope[k] += w->regular[i] * w->direction[(size_t)k * n + i];
    }
  }
}

static lb_status find(lb_retargeting* r, const lb_curves* curves, way_on* w, double* slope,
                      double* motion) {
  lb_retarget_value value;
  if (r->next) {
    return lb_error_add(r->err, LB_INVALID, (lb_place){0},
                        "sensitivities are those of one model, without copies: leave 'robust' out");
  }
  lb_status status = lb_motion_run(r, curves, &value);
  if (status != LB_OK) {
    return status;
  }
  status = lb_tangents_open(&w->tangents, r, curves, NULL);
  if (status == LB_OK) {
    status = take_vectors(w);
  }
  if (status == LB_OK) {
    status = lb_walk_along(&w->tangents.walk, false, go_on_all);
  }
  if (status == LB_OK) {
    add_regularisers(w);
    memcpy(slope, w->slope, (size_t)w->ndirection * sizeof *slope);
    if (motion) {
      memcpy(motion, w->motion, motion_size(w) * sizeof *motion);
    }
  }
  lb_tangents_close(&w->tangents);
  return status;
}

lb_status lb_retarget_sensitivity(const lb_model* model, const lb_retarget* retarget,
                                  const lb_curves* input, const lb_targets* targets,
                                  const lb_curves* curves, const lb_retarget_options* options,
                                  int ndirection, const double* direction, double* slope,
                                  double* motion, lb_error* err) {
  lb_retargeting r;
  lb_status status =
      lb_retargeting_open(&r, model, retarget, input, targets, options, curves->allocator, err);
  if (status != LB_OK) {
    return status;
  }
  way_on w = {.ndirection = ndirection, .direction = direction, .moving = motion};
  status = find(&r, curves, &w, slope, motion);
  lb_retargeting_close(&r);
  return status;
}
