// Impacts: (6) of step_derivative.h. Its K is that of inverse dynamics without velocities, gravity
// and forces but the impulses, for the accelerations v - v_1.
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "solve/step/step_inside.h"

// Zero velocities and no gravity, until it is given back.
static lb_v4 still(const lb_model* m, lb_data* d, double* zero) {
  const lb_v4 gravity = d->work->state[-1].a;
  d->work->state[-1].a = lb_v4_zero();
  memset(zero, 0, (size_t)m->nv * sizeof *zero);
  lb_kinematics(m, d, d->q, zero);
  for (int i = 0; i < m->nlink; i++) {
    d->work->state[i].xn = d->work->state[i].xf = lb_v4_zero();
  }
  return gravity;
}

void lb_derive_blow(lb_derivatives* D, lb_data* d, lb_constraint_set set, double* zero,
                    const double* lambda) {
  const lb_model* m = d->model;
  const lb_v4 gravity = still(m, d, zero);
  lb_constraints_apply_multipliers(m, d, set, lambda);
  lb_derive(D, d, d->q, zero, d->qdd, true);
  lb_constraints_differentiate(D, d, lambda);
  d->work->state[-1].a = gravity;
}

void lb_pose_blow(lb_data* d, double* zero, double* needed) {
  const lb_v4 gravity = still(d->model, d, zero);
  lb_rnea(d->model, d, needed, d->q, zero, d->qdd);
  d->work->state[-1].a = gravity;
}

void lb_step_impact_derive(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  const lb_model* m = S->m;
  const size_t size = (size_t)S->sys.op.nd * (size_t)S->sys.op.nd * sizeof(double);
  for (int k = 0; k < m->nv; k++) {
    d->qdd[k] = d->qd[k] - past->v[0][k];
  }
  lb_step_clear_driven(m, d->qdd);
  lb_derive_blow(S->D, d, LB_SET_INACTIVE, S->v, past->lambda);
  memcpy(S->still_K, S->D->tau_q, size);
  memcpy(S->still_M, S->D->M, size);
  lb_kinematics(m, d, d->q, d->qd);
  lb_derive(S->D, d, d->q, d->qd, d->qdd, false);
  lb_constraints_linearise(m, d, LB_SET_INACTIVE);
}
