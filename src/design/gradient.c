// The gradient by the discrete adjoint: the derivative of every step taken, transposed, from the
// last step to the first. Exact for the objective as it is summed up.
#include <string.h>

#include "design/retarget.h"

typedef struct way_back {
  lb_tangents tangents;
  double *q[3], *v[3]; // [nv] by the states of the last three steps, a ring
  double* motor;       // [nmotor][3]
  double* gradient;    // [nmotor][ncontrol]
} way_back;

// Through one step, and what its motors' share means for the control points.
static void go_back(void* context, const lb_tangent* t) {
  way_back* w = context;
  const lb_retargeting* r = w->tangents.r;
  const lb_model* m = r->model;
  const int now = t->record % 3, one = (t->record + 2) % 3, two = (t->record + 1) % 3;
  for (int k = 0; k < m->nv; k++) {
    w->q[now][k] += t->by_q[k];
    w->v[now][k] += t->by_v[k];
  }
  memset(w->motor, 0, 3 * (size_t)m->nmotor * sizeof *w->motor);
  lb_step_causes out = {{w->q[one], w->q[two]}, {w->v[one], w->v[two]}, w->motor};
  lb_step_back(t->S, &out, &(lb_step_effects){w->q[now], w->v[now], t->by_a, t->by_lambda});
  memset(w->q[now], 0, (size_t)m->nv * sizeof(double));
  memset(w->v[now], 0, (size_t)m->nv * sizeof(double));
  lb_tangents_spread(&w->tangents, lb_log_moment(&r->log, t->record)->time, w->motor, w->gradient);
}

static lb_status take_vectors(way_back* w, size_t controls) {
  const lb_retargeting* r = w->tangents.r;
  const size_t nv = (size_t)r->model->nv, motors = 3 * (size_t)r->model->nmotor;
  double* block = LB_TAKE(&w->tangents.arena, double, 6 * nv + motors + controls);
  if (!block) {
    return lb_error_add(r->err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  for (int i = 0; i < 3; i++) {
    w->q[i] = block + (size_t)i * nv;
    w->v[i] = block + (size_t)(3 + i) * nv;
  }
  w->motor = block + 6 * nv;
  w->gradient = w->motor + motors;
  return LB_OK;
}

lb_status lb_motion_gradient_one(lb_retargeting* r, const lb_curves* curves, double* gradient,
                                 lb_linear* keep) {
  const size_t n = (size_t)curves->nmotor * (size_t)curves->ncontrol;
  way_back w = {.gradient = NULL};
  lb_status status = lb_tangents_open(&w.tangents, r, curves, keep);
  if (status == LB_OK) {
    status = take_vectors(&w, n);
  }
  if (status == LB_OK) {
    status = lb_tangents_walk(&w.tangents, true, go_back, &w);
  }
  if (status == LB_OK) {
    for (size_t i = 0; i < n; i++) {
      gradient[i] += w.gradient[i];
    }
  }
  lb_tangents_close(&w.tangents);
  return status;
}
