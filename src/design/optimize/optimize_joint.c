// Goals about joints that the model has no coordinates for: those that close loops, and in maximal
// coordinates most. Their coordinates are measured between the two bodies. Angles are known but for
// whole turns: they begin as the tree has them and go on from step to step.
#include <math.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "math/linear/dense.h"

lb_status lb_aimed_find(lb_optimizing* o, lb_aimed* a, const char* joint) {
  const int own = lb_model_joint(o->model, joint);
  if (own >= 0) {
    a->q = o->model->joint_q[own];
    a->v = o->model->joint_v[own];
    return LB_OK;
  }
  const int in_tree = lb_model_joint(o->tree, joint);
  a->loop = lb_optimizing_loop(o->model, joint);
  a->begin = in_tree < 0 ? -1 : o->tree->joint_q[in_tree];
  a->followed = LB_TAKE(&o->arena, double, (size_t)a->g->count*(size_t)(o->public.steps + 1));
  return a->followed ? LB_OK : LB_NO_MEMORY;
}

void lb_aimed_follow(const lb_optimizing* o, lb_aimed* a, const lb_model* m, const lb_data* d,
                     int step) {
  double q[4], qd[3];
  if (a->loop < 0 || a->g->rate) {
    return;
  }
  const bool slides = m->loop[a->loop].kind == LB_JOINT_PRISMATIC;
  lb_loop_coordinates(m, d, a->loop, q, qd);
  for (int k = 0; k < a->g->count; k++) {
    double* now = a->followed + (size_t)step * (size_t)a->g->count + k;
    const double near = step > 0       ? now[-a->g->count] + o->h * qd[k]
                        : a->begin < 0 ? 0
                                       : o->q1[a->begin + k];
    *now = slides ? q[k] : near + remainder(q[k] - near, 2 * M_PI);
  }
}

void lb_aimed_measure(const lb_aimed* a, const lb_model* m, const lb_data* d, int step,
                      double* value) {
  double q[4], qd[3];
  if (a->g->rate) {
    lb_loop_coordinates(m, d, a->loop, q, qd);
  }
  for (int k = 0; k < a->g->count; k++) {
    value[k] = a->g->rate ? qd[k] : a->followed[(size_t)step * (size_t)a->g->count + (size_t)k];
  }
}

void lb_aimed_add_measured(const lb_aimed* a, const lb_derivatives* D, const lb_data* d,
                           const double* miss, double* scratch, double* by_q, double* by_v) {
  const int nv = D->model->nv;
  double *q_q = scratch, *qd_q = q_q + 3 * (size_t)nv, *qd_qd = qd_q + 3 * (size_t)nv;
  const int n = lb_loop_differentiate_coordinates(D, d, a->loop, q_q, qd_q, qd_qd);
  for (int k = 0; k < n; k++) {
    const size_t at = (size_t)k * (size_t)nv;
    const double off = 2 * a->weight * miss[k];
    lb_add(nv, by_q, off, (a->g->rate ? qd_q : q_q) + at);
    lb_add(a->g->rate ? nv : 0, by_v, off, qd_qd + at);
  }
}
