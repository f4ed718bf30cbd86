// Forces at the end of an implicit step. Newton's method stops when velocities are right, which
// multipliers of loops may not be yet: here they are found again, from the motion.
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
#include "model/use/model_derive.h"
#include "model/use/motor_use.h"
#include "solve/step/step_derivative.h"

// rnea - forces, under what is in the work space.
static void residual(const lb_model* m, lb_data* d, double* r) {
  lb_rnea_moved(m, d, r, d->qdd);
  lb_add(m->nv, r, -1, d->work->tau);
}

void lb_step_residual(lb_data* d, double* r) {
  lb_update(d->model, d, LB_FORCED);
  residual(d->model, d, r);
}

void lb_step_accelerate(lb_data* d, const lb_step_past* past) {
  const lb_model* m = d->model;
  memcpy(d->qdd, d->qd, (size_t)m->nv * sizeof *d->qdd);
  for (int p = 0; p < past->count; p++) {
    lb_add(m->nv, d->qdd, -past->weight[p], past->v[p]);
  }
  for (int k = 0; k < m->nv; k++) {
    d->qdd[k] /= past->dt;
  }
}

void lb_step_balance(lb_data* d, const lb_step_past* past, double* r, double* lambda) {
  const lb_model* m = d->model;
  lb_constraints_set_redundant(d, past->redundant);
  lb_step_accelerate(d, past);
  lb_drive(m, d);
  lb_step_residual(d, r);
  if (d->work->constraints &&
      lb_model_interface(m)) { // held faces' reactions are in r, and its steps are exact
    memcpy(lambda, past->lambda, (size_t)lb_constraints_most(m) * sizeof *lambda);
  } else if (d->work->constraints) {
    lb_constraints_balance(m, d, r, past->lambda, lambda);
  }
}

void lb_step_exert(lb_data* d, const lb_step_past* past, double* r, double* lambda) {
  const lb_model* m = d->model;
  lb_step_balance(d, past, r, lambda);
  if (d->work->constraints) {
    lb_constraints_apply_multipliers(m, d, LB_SET_INACTIVE, lambda);
    residual(m, d, r);
  }
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      d->motor_force[i] = r[m->motor.v[i]];
    }
  }
}
