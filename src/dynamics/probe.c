#include "dynamics/probe.h"

#include <string.h>

lb_status lb_probe_create(lb_probe* p, const lb_model* m, lb_arena* arena) {
  const size_t nlink = (size_t)m->nlink + 1, ncolumn = (size_t)m->ncolumn;
  lb_motion* block =
      lb_arena_take_array(arena, 2 * (nlink + ncolumn), sizeof *block, _Alignof(lb_motion));
  if (!block) {
    return LB_NO_MEMORY;
  }
  memset(block, 0, 2 * (nlink + ncolumn) * sizeof *block);
  *p = (lb_probe){.X = block + 1, // X[-1] and U[-1] are the world's
                  .U = block + 1 + nlink,
                  .psi_x = block + 2 * nlink,
                  .psi_u = block + 2 * nlink + ncolumn};
  return LB_OK;
}

// The terms of a joint that bends its directions, for the velocities x.
static void add_bending(lb_derivation* W, const lb_link* l, const lb_state* s, int i,
                        const double* x, lb_motion* psi) {
  lb_motion* rate = W->bend;
  LB_JOINT[l->kind]->bend(rate, W->bend + l->nv, s, x + l->v, x + l->v);
  for (int k = 0; k < l->nv; k++) {
    psi[l->column + k] = lb_motion_add(psi[l->column + k], lb_motion_shift(rate[k], W->at[i]));
  }
}

// Links' motions with velocities x, and psi of those: (1) of derivative.h.
static void follow(lb_derivatives* D, const lb_data* d, const double* x, lb_motion* X,
                   lb_motion* psi) {
  const lb_model* m = D->model;
  lb_derivation* W = D->work;
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link[i];
    X[i] = X[l->parent];
    // an elastic body's own coordinates do not move its frame
    for (int k = 0; k < l->nv && l->kind != LB_LINK_ELASTIC; k++) {
      const lb_motion S = W->S[l->column + k];
      X[i] = lb_motion_add(X[i], lb_motion_scale(x[l->v + k], S));
      psi[l->column + k] = lb_motion_cross(X[l->parent], S);
    }
    if (LB_JOINT[l->kind]->bend) {
      add_bending(W, l, &d->work->state[i], i, x, psi);
    }
  }
}

void lb_probe_take(lb_probe* p, lb_derivatives* D, lb_data* d, const double* x, const double* u) {
  const lb_model* m = D->model;
  p->x = x;
  p->u = u;
  follow(D, d, x, p->X, p->psi_x);
  follow(D, d, u, p->U, p->psi_u);
  for (int i = 0; i < m->nlink; i++) { // joints know their velocities again
    const lb_link* l = &m->link[i];
    if (LB_JOINT[l->kind]->bend) {
      LB_JOINT[l->kind]->bend(D->work->bend, D->work->bend + l->nv, &d->work->state[i],
                              d->qd + l->v, d->qdd + l->v);
    }
  }
}

lb_probed lb_probe_point(const lb_probe* p, const lb_derivatives* D, lb_force_point at,
                         lb_motion* room) {
  const size_t nv = (size_t)D->model->nv;
  lb_probed a = {.p = at};
  if (at.index != LB_WORLD) {
    const lb_v4 from = -(D->work->at[at.index] + at.arm);
    a.X = lb_motion_shift(p->X[at.index], from);
    a.U = lb_motion_shift(p->U[at.index], from);
  }
  if (room) {
    lb_motion** const part[LB_POINT_ARRAYS] = {&a.S, &a.psi, &a.psi_x, &a.psi_u, &a.change};
    for (size_t i = 0; i < LB_POINT_ARRAYS; i++) {
      *part[i] = room + i * nv;
    }
    lb_derive_point(D, a.S, a.psi, at.index, at.arm);
    lb_derive_columns(D, a.psi_x, p->psi_x, at.index, at.arm);
    lb_derive_columns(D, a.psi_u, p->psi_u, at.index, at.arm);
  }
  return a;
}

lb_motion lb_derive_motion(const lb_derivatives* D, const lb_force_point* p, const double* mu) {
  lb_motion *S = D->work->points, sum = lb_motion_zero();
  lb_derive_point(D, S, NULL, p->index, p->arm);
  for (int k = 0; k < D->model->nv; k++) {
    sum = lb_motion_add(sum, lb_motion_scale(mu[k], S[k]));
  }
  return sum;
}
