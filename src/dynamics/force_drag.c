// Drag on bodies, at their centres of mass: -c v against moving and -c_w w against turning.
#include "dynamics/force.h"
#include "dynamics/force_point.h"
#include "dynamics/kinematics.h"

static int drag_count(const lb_model* m) {
  return m->ndrag;
}

static void drag_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->ndrag; i++) {
    const lb_force_point p = lb_force_point_find(d->work, &m->drag[i].at);
    lb_force_point_push(&p, p.velocity * -m->drag[i].linear);
    p.link->xn -= p.link->w * m->drag[i].angular;
  }
}

// Both are in proportion to velocities that turn along and gain psi, and so the change beyond
// turning along is theirs of psi.
static void drag_differentiate(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  lb_motion *S = D->work->lever[0], *psi = D->work->lever[1], *change = D->work->lever[2];
  for (int i = 0; i < m->ndrag; i++) {
    const lb_force_point p = lb_force_point_find(d->work, &m->drag[i].at);
    lb_derive_point(D, S, psi, p.index, p.arm);
    const lb_motion* const by[] = {psi, S};
    double* const K[] = {D->tau_q, D->tau_qd};
    for (int side = 0; side < 2; side++) {
      for (int k = 0; k < m->nv; k++) {
        change[k] =
            (lb_motion){by[side][k].w * -m->drag[i].angular, by[side][k].v * -m->drag[i].linear};
      }
      lb_derive_push(D, K[side], S, change);
    }
  }
}

const lb_force lb_force_drag = {"drag", drag_count,   drag_apply, NULL, drag_differentiate,
                                true,   LB_STIFF_RATE};
