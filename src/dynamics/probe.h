// What forces answer to a displacement and to a change of velocities, to first order, and how that
// changes from place to place: what linearly implicit steps are made of, and their derivatives.
//
// A force F(q, v) answers a displacement x and a change u of velocities by
//
//   (1)  A = -(K x + C u)
//
// with its stiffness K and damping C, [nv] x [nv], both as the laws have them in `stiffen`
// (force.h). It is an external force like others: on links, whose points move by X = S x and by
// U = S u, or on coordinates. When coordinate k moves, the answers on links turn along and change
// beyond that with everything they depend on: places by S_k, velocities by psi_k and turning along
// (derivative.h), and X and U, velocities themselves but for x and u in place of qd, by their own
// psi:
//
//   (2)  dX/dq_k = S_k.w x X + psi_k(x),   psi_k(x) = X_p x S_k + T_k x
#pragma once
#include "base/arena.h"
#include "dynamics/derivative.h"
#include "dynamics/force_point.h"

typedef struct lb_probe {
  const double *x, *u;      // [nv]
  lb_motion *X, *U;         // [1 + nlink] the links' motions, at O
  lb_motion *psi_x, *psi_u; // [ncolumn] of (2)
} lb_probe;

lb_status lb_probe_create(lb_probe* p, const lb_model* m, lb_arena* arena);

// Of x and u, after lb_derive.
void lb_probe_take(lb_probe* p, lb_derivatives* D, lb_data* d, const double* x, const double* u);

// A point of a link with all that changes there.
typedef struct lb_probed {
  lb_force_point p;
  lb_motion X, U;                     // of the point
  lb_motion *S, *psi, *psi_x, *psi_u; // [nv] there
  lb_motion* change;                  // [nv] room for what comes of it
} lb_probed;

// With arrays of `room`, [LB_POINT_ARRAYS][nv]; but for `p`, X and U where `room` is NULL.
lb_probed lb_probe_point(const lb_probe* p, const lb_derivatives* D, lb_force_point at,
                         lb_motion* room);

// What becomes of a point when a coordinate, or its velocity, changes.
typedef struct lb_nudge {
  lb_v4 x, xd;    // place and velocity
  lb_motion X, U; // of (2)
} lb_nudge;

static inline lb_motion lb_motion_gain(lb_motion S, lb_motion psi, lb_motion X) {
  return (lb_motion){psi.w + lb_v4_cross(S.w, X.w), psi.v + lb_v4_cross(S.w, X.v)};
}

static inline lb_nudge lb_nudge_place(const lb_probed* a, int k) {
  const lb_motion S = a->S[k];
  return (lb_nudge){S.v, lb_force_point_gain(S, a->psi[k], a->p.velocity),
                    lb_motion_gain(S, a->psi_x[k], a->X), lb_motion_gain(S, a->psi_u[k], a->U)};
}

static inline lb_nudge lb_nudge_velocity(const lb_probed* a, int k) {
  return (lb_nudge){lb_v4_zero(), a->S[k].v, lb_motion_zero(), lb_motion_zero()};
}

// A change of (moment, force) less its turning along.
static inline lb_motion lb_beyond_turning(lb_motion change, lb_motion S, lb_motion force) {
  return (lb_motion){change.w - lb_v4_cross(S.w, force.w), change.v - lb_v4_cross(S.w, force.v)};
}

// (moment, force) on a link at a point.
static inline void lb_force_point_wrench(const lb_force_point* p, lb_motion force) {
  lb_force_point_push(p, force.v);
  if (p->link) {
    p->link->xn += force.w;
  }
}

// How a point of a link moves with the velocities mu, [nv].
lb_motion lb_derive_motion(const lb_derivatives* D, const lb_force_point* p, const double* mu);
