// Forces that a motion needs less those that act: what derivatives of forces are about.
#pragma once
#include "differences.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"

// Of an lb_data with its accelerations: M qdd + c - tau [nv].
static inline void residual(void* data, double* out, const double* q, const double* v) {
  lb_data* d = data;
  const lb_model* m = d->model;
  memcpy(d->q, q, (size_t)m->nq * sizeof *q);
  memcpy(d->qd, v, (size_t)m->nv * sizeof *v);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  lb_rnea_forced(m, d, out, d->q, d->qd, d->qdd);
  for (int k = 0; k < m->nv; k++) {
    out[k] -= d->work->tau[k];
  }
}
