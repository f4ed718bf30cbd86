// Starts that `initial` names and that could not stay.
#include <math.h>
#include <string.h>

#include "limber/simulate.h"
#include "model/use/model_derive.h"

// Less is rounding of what was written, as to whole degrees; of velocities a part of them besides.
static const double MOVED[] = {
    [LB_COORDINATE_ANGLE] = 1e-2, [LB_COORDINATE_LENGTH] = 1e-3, [LB_COORDINATE_NUMBER] = 1e-3};
static const double FASTER = 1e-2;

// Difference of a joint's k-th coordinate from the model's start; of a quaternion, which comes
// last, the rotation vector from there.
static double way_from_start(const lb_model* m, const lb_data* d, int joint, int k) {
  const int nq = m->joint.nq[joint], nv = m->joint.nv[joint];
  const double *q = d->q + m->joint.q[joint], *from = m->start.q + m->joint.q[joint];
  if (nq == nv || k >= 3) {
    const int i = nq == nv ? k : k - 3;
    return q[i] - from[i];
  }
  const double *a = from + nq - 4, *b = q + nq - 4;
  const lb_quat start = {a[0], a[1], a[2], a[3]}, end = {b[0], b[1], b[2], b[3]};
  const lb_vec3 turn = lb_quat_log(lb_quat_mul(lb_quat_conjugate(start), end));
  return (double[]){turn.x, turn.y, turn.z}[k];
}

static void look_at(const lb_model* m, const lb_data* d, int joint, lb_moved_start* moved) {
  for (int k = 0; k < m->joint.nv[joint]; k++) {
    const int v = m->joint.v[joint] + k;
    const double little = MOVED[m->dof.counts[v]];
    const double way = m->start.q_named[v] ? fabs(way_from_start(m, d, joint, k)) : 0;
    const double gain = m->start.v_named[v] ? fabs(d->qd[v] - m->start.qd[v]) : 0;
    const lb_moved_start by = {m->joint.name[joint], m->joint.named[joint],
                               (lb_coordinate)m->dof.counts[v], way > little ? way : gain,
                               way <= little};
    const bool far = way > little || gain > little + FASTER * fabs(m->start.qd[v]);
    // places before velocities, which may only have been wrong with them
    if (far && (!moved->name || (moved->rate && !by.rate) ||
                (moved->rate == by.rate && by.by > moved->by))) {
      *moved = by;
    }
  }
}

static bool any_named(const lb_model* m) {
  for (int v = 0; v < m->nv; v++) {
    if (m->start.q_named[v] || m->start.v_named[v]) {
      return m->constraint.count > 0 && !(m->solver.closing > 0);
    }
  }
  return false;
}

lb_status lb_find_moved_start(const lb_model* model, const lb_allocator* allocator,
                              lb_moved_start* moved, lb_error* err) {
  const lb_model* m = lb_model_variants(model).assembly;
  lb_data* d = NULL;
  *moved = (lb_moved_start){0};
  if (!any_named(m)) {
    return LB_OK;
  }
  lb_status status = lb_data_create(m, allocator, &d, err);
  if (status == LB_OK) {
    status = lb_assemble(m, d, err);
  }
  for (int i = 0; i < m->njoint && status == LB_OK; i++) {
    look_at(m, d, i, moved);
  }
  lb_data_release(d);
  return status;
}
