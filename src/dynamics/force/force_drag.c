// Drag on bodies, at their centres of mass: -(c + c_a |v|) v against moving and -c_w w against
// turning. With e = v/|v| that of the air changes along with a change U of v by
//
//   (1)  g(U) = d(|v| v)/dv U = |v| (U + e e.U)
//
// All of it turns along with the velocities, so that changes beyond turning along are those that
// velocities have beyond it.
#include "dynamics/force/force_drag.h"

#include <math.h>

#include "dynamics/force/force.h"
#include "dynamics/force/force_point.h"
#include "dynamics/tree/kinematics.h"

static int drag_count(const lb_model* m) {
  return m->force.ndrag;
}

static double size_of(lb_v4 v) {
  return sqrt(lb_v4_dot(v, v));
}

static lb_v4 direction_of(lb_v4 v) {
  const double size = size_of(v);
  return size > 0 ? v / size : lb_v4_zero();
}

lb_v4 lb_drag_force(const lb_model_drag* drag, lb_v4 v) {
  return v * -(drag->linear + drag->air * size_of(v));
}

lb_motion lb_drag_change(const lb_model_drag* drag, lb_v4 v, lb_motion U) { // (1)
  const lb_v4 e = direction_of(v);
  const lb_v4 air = (U.v + e * lb_v4_dot(e, U.v)) * (drag->air * size_of(v));
  return (lb_motion){U.w * -drag->angular, U.v * -drag->linear - air};
}

static void drag_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->force.ndrag; i++) {
    const lb_model_drag* drag = &m->force.drag[i];
    const lb_force_point p = lb_force_point_find(d->work, &drag->at);
    lb_force_point_apply(&p, lb_drag_force(drag, p.velocity));
    p.link->xn -= p.link->w * drag->angular;
  }
}

// Derivatives of drag; the symmetric ones are by velocities alone.
static void drag_differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  const lb_model* m = D->model;
  lb_motion *S = D->work->lever[0], *psi = D->work->lever[1], *change = D->work->lever[2];
  for (int i = 0; i < m->force.ndrag; i++) {
    const lb_force_point p = lb_force_point_find(d->work, &m->force.drag[i].at);
    lb_derive_point(D, S, psi, p.index, p.arm);
    const lb_motion* const by[] = {psi, S};
    double* const K[] = {D->tau_q, D->tau_qd};
    for (int side = symmetric; side < 2; side++) {
      for (int k = 0; k < m->nv; k++) {
        change[k] = lb_drag_change(&m->force.drag[i], p.velocity, by[side][k]);
      }
      lb_derive_force(D, K[side], S, change);
    }
  }
}

const lb_force lb_force_drag = {.name = "drag",
                                .count = drag_count,
                                .apply = drag_apply,
                                .differentiate = drag_differentiate,
                                .on_links = true,
                                .stiff = true};
