// Semi-implicit Euler: velocities first, then positions with the new velocities. Order 1, and
// symplectic where the mass matrix is constant.
#include "dynamics/joint/joint.h"
#include "solve/step/stepper.h"

static lb_status create(lb_stepper* st, lb_error* err) {
  (void)st, (void)err;
  return LB_OK;
}

static bool step(lb_stepper* st, lb_data* d, double h) {
  const lb_model* m = st->m;
  lb_forward(m, d);
  for (int k = 0; k < m->nv; k++) {
    d->qd[k] += h * d->qdd[k];
  }
  lb_advance(m, d->q, d->qd, h);
  st->count++;
  return true;
}

const lb_stepper_type lb_stepper_euler = {.create = create, .step = step};
