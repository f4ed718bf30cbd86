// Frames of a motion that inverse kinematics found, with its rates.
#include <math.h>
#include <string.h>

#include "design/inverse/inverse_dynamics.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "limber/ik.h"
#include "solve/run/frames.h"

static lb_status put_frame(lb_data* d, const lb_inverse_motion* x, int i, lb_recording* r,
                           lb_error* err) {
  const size_t nq = (size_t)d->model->nq, nv = (size_t)d->model->nv;
  d->time = x->time[i];
  memcpy(d->q, x->q + (size_t)i * nq, nq * sizeof *d->q);
  memcpy(d->qd, x->qd + (size_t)i * nv, nv * sizeof *d->qd);
  memcpy(d->qdd, x->qdd + (size_t)i * nv, nv * sizeof *d->qdd);
  lb_normalise(d->model, d->q);
  lb_kinematics(d->model, d, d->q, d->qd);
  lb_forces_apply(d->model, d);
  return lb_frame_put(r, d, err);
}

lb_status lb_ik_record(const lb_ik* ik, lb_recording* recording, lb_error* err) {
  lb_arena arena;
  lb_data* d = NULL;
  lb_inverse_motion x;
  lb_arena_init(&arena, recording->allocator);
  lb_status status = lb_data_create(ik->model, recording->allocator, &d, err);
  status = status == LB_OK ? lb_inverse_prepare(&arena, ik->model, &ik->motion, NAN, false, &x, err)
                           : status;
  if (status == LB_OK && d->work->muscles) {
    d->work->muscles->idle = true; // what they exert does not follow from a motion
  }
  for (int i = 0; i < ik->nsample && status == LB_OK; i++) {
    status = put_frame(d, &x, i, recording, err);
  }
  lb_data_release(d);
  lb_arena_release(&arena);
  return status;
}
