#include "dynamics/tree/mechanism_pose.h"

#include <string.h>

#include "dynamics/joint/joint.h"
#include "dynamics/tree/state.h"
#include "math/linear/dense.h"

bool lb_mechanisms_create(lb_data* d, const lb_allocator* allocator) {
  const lb_model_mechanisms* all = &d->model->mechanism;
  const size_t size = (size_t)all->count * sizeof *d->work->mechanism;
  d->work->mechanism = all->count > 0 ? lb_allocate(allocator, size) : NULL;
  if (!d->work->mechanism) {
    return all->count == 0;
  }
  memset(d->work->mechanism, 0, size);
  bool ok = true;
  for (int i = 0; i < all->count && ok; i++) {
    ok = lb_data_create(all->item[i].whole, allocator, &d->work->mechanism[i], NULL) == LB_OK;
  }
  return ok;
}

void lb_mechanisms_release(lb_data* d) {
  for (int i = 0; d->work->mechanism && i < d->model->mechanism.count; i++) {
    lb_data_release(d->work->mechanism[i]);
  }
  lb_release(d->work->allocator, d->work->mechanism);
}

void lb_mechanism_follow(const lb_model* m, lb_data* d, int mechanism) {
  const lb_model_mechanism* of = &m->mechanism.item[mechanism];
  const lb_model* whole = of->whole;
  lb_data* w = d->work->mechanism[mechanism];
  const double* y = d->q + m->link.q[m->body.link[of->body]];
  memcpy(w->q, of->q, (size_t)whole->nq * sizeof *w->q);
  memset(w->qd, 0, (size_t)whole->nv * sizeof *w->qd);
  for (int k = 0; k < of->count; k++) {
    lb_add(whole->nv, w->qd, y[k], of->dq + (size_t)k * (size_t)whole->nv);
  }
  lb_advance(whole, w->q, w->qd, 1);
  memset(w->qd, 0, (size_t)whole->nv * sizeof *w->qd);
  if (whole->constraint.count > 0) {
    lb_project(whole, w);
  }
}

void lb_mechanisms_pose(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->mechanism.count; i++) {
    const lb_model_mechanism* of = &m->mechanism.item[i];
    lb_data* w = d->work->mechanism[i];
    lb_mechanism_follow(m, d, i);
    lb_poses(of->whole, w);
    const lb_transform moved = of->base == LB_WORLD ? lb_transform_identity()
                                                    : lb_transform_mul(d->pose[of->base], of->from);
    for (int k = 0; k < m->nbody; k++) {
      if (of->follows[k]) {
        d->pose[k] = lb_transform_mul(moved, w->pose[k]);
      }
    }
  }
}
