// Impacts: (6) of step_derivative.h. Its K is that of inverse dynamics without velocities, gravity
// and forces but the impulses, for the accelerations v - v_1.
#include <string.h>

#include "dynamics/derivative.h"
#include "dynamics/kinematics.h"
#include "dynamics/rnea.h"
#include "solve/step_inside.h"

// Everything rests and weighs nothing, until gravity is given back.
static lb_v4 still(lb_step_derivative* S, lb_data* d) {
  const lb_v4 gravity = d->work->state[-1].a;
  d->work->state[-1].a = lb_v4_zero();
  memset(S->v, 0, (size_t)S->m->nv * sizeof *S->v);
  lb_kinematics(S->m, d, d->q, S->v);
  for (int i = 0; i < S->m->nlink; i++) {
    d->work->state[i].xn = d->work->state[i].xf = lb_v4_zero();
  }
  return gravity;
}

void lb_step_impact_derive(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  const lb_model* m = S->m;
  const size_t size = (size_t)S->nd * (size_t)S->nd * sizeof(double);
  for (int k = 0; k < m->nv; k++) {
    d->qdd[k] = d->qd[k] - past->v[0][k];
  }
  lb_step_clear_driven(m, d->qdd);
  const lb_v4 gravity = still(S, d);
  lb_loops_linearise(m, d);
  lb_loops_push(m, d, past->lambda);
  lb_derive(S->D, d, d->q, S->v, d->qdd, true);
  lb_loops_differentiate(S->D, d, past->lambda);
  memcpy(S->still_K, S->D->tau_q, size);
  memcpy(S->still_M, S->D->M, size);
  d->work->state[-1].a = gravity;
  lb_kinematics(m, d, d->q, d->qd);
  lb_derive(S->D, d, d->q, d->qd, d->qdd, false);
  lb_loops_linearise(m, d);
}

void lb_step_pose_impact(lb_step_derivative* S, lb_data* d) {
  const lb_v4 gravity = still(S, d);
  lb_rnea(S->m, d, S->a, d->q, S->v, d->qdd);
  d->work->state[-1].a = gravity;
}
