// Derivatives of what constraints ask of accelerations, with the names of
// constraint_derivative.c.
//
// Accelerations, too, are taken in a's axes: with chi and sig of dynamics_derivative.h at P, whose
// gains of a point's acceleration are chi + 2 psi.w x v and of an angular one chi + psi.w x w, and
// with x and y the changes of b's place and velocity, what the rows' axes see as
//
//   a_b - (a of a's link at P) - 2 w_a x (v_b - v of a's link at P)
//   al_b - al_a - w_a x (w_b - w_a)
//
// changes by a coordinate by
//
//   x.w x a_b + chi_b - chi_a + 2 (psi_b - psi_a).w x v_b - al_a x x.v - w_a x (w_a x x.v + 2 y.v)
//   x.w x al_b + chi_b - chi_a + (psi_b - psi_a).w x w_b - w_a x y.w
//
// and by its velocity, where nothing moves, with sig for chi, S for psi, 0 for x and x for y.
#include <string.h>

#include "dynamics/constraint/constraint_derivative_inside.h"

typedef struct gains {
  lb_motion *chi_a, *chi_b, *sig_a, *sig_b; // [nv] at P
} gains;

static gains find_gains(const lb_derivatives* D, const lb_data* d, const loop* L) {
  const size_t nv = (size_t)D->model->nv;
  const lb_derivation* W = D->work;
  lb_motion* at = W->points;
  const gains g = {at, at + nv, at + 2 * nv, at + 3 * nv};
  const lb_v4 arm_a = L->b.p - d->work->state[L->a.link].p;
  const lb_v4 arm_b = L->b.p - d->work->state[L->b.link].p;
  lb_derive_columns(D, g.chi_a, W->chi, L->a.link, arm_a);
  lb_derive_columns(D, g.sig_a, W->sig, L->a.link, arm_a);
  lb_derive_columns(D, g.chi_b, W->chi, L->b.link, arm_b);
  lb_derive_columns(D, g.sig_b, W->sig, L->b.link, arm_b);
  return g;
}

// What a coordinate, or its velocity, does: x to the place, y to the velocity of b as seen from a,
// `turn` to a's angular velocity and `gain` to the acceleration beyond.
typedef struct change {
  lb_motion x, y;
  lb_v4 turn_a, turn_b;
  lb_motion gain;
} change;

static change change_by_place(const loop* L, const gains* g, int k) {
  return (change){apart(L, k),
                  rate_apart(L, k),
                  L->psi_a[k].w,
                  L->psi_b[k].w,
                  {g->chi_b[k].w - g->chi_a[k].w, g->chi_b[k].v - g->chi_a[k].v}};
}

static change change_by_rate(const loop* L, const gains* g, int k) {
  return (change){{lb_v4_zero(), lb_v4_zero()},
                  apart(L, k),
                  L->Sa[k].w,
                  L->Sb[k].w,
                  {g->sig_b[k].w - g->sig_a[k].w, g->sig_b[k].v - g->sig_a[k].v}};
}

static double shift_acceleration(const loop* L, const lb_constraint_row* row, const change* c) {
  const lb_v4 w = row->spin;
  const lb_v4 by = lb_v4_cross(c->x.w, L->b.a) + c->gain.v +
                   2 * lb_v4_cross(c->turn_b - c->turn_a, L->b.v) - lb_v4_cross(L->a.al, c->x.v) -
                   lb_v4_cross(w, lb_v4_cross(w, c->x.v) + 2 * c->y.v);
  return lb_v4_dot(row->e, by);
}

// Of al_b - al_a, in a's axes.
static lb_v4 turn_acceleration(const loop* L, const change* c) {
  return lb_v4_cross(c->x.w, L->b.al) + c->gain.w + lb_v4_cross(c->turn_b, L->b.w) -
         lb_v4_cross(c->turn_a, L->a.w);
}

// Of al.e + w.ed with ed = (w_b x x_b) x z_a + x_b x (w_a x z_a), al and w those of b less a's.
static double square_acceleration(const loop* L, const lb_constraint_row* row, const change* c) {
  const lb_v4 za = L->a.R.z, xb = L->b.R.x, wa = L->a.w, wb = L->b.w, wr = wb - wa;
  const lb_v4 dx = lb_v4_cross(c->x.w, xb);
  const lb_v4 dwb = lb_v4_cross(c->x.w, wb) + c->turn_b, dwa = c->turn_a;
  const lb_v4 ed = lb_v4_cross(lb_v4_cross(wb, xb), za) + lb_v4_cross(xb, lb_v4_cross(wa, za));
  const lb_v4 ded = lb_v4_cross(lb_v4_cross(dwb, xb) + lb_v4_cross(wb, dx), za) +
                    lb_v4_cross(dx, lb_v4_cross(wa, za)) + lb_v4_cross(xb, lb_v4_cross(dwa, za));
  return lb_v4_dot(turn_acceleration(L, c), row->e) +
         lb_v4_dot(L->b.al - L->a.al, lb_v4_cross(dx, za)) + lb_v4_dot(dwb - dwa, ed) +
         lb_v4_dot(wr, ded);
}

static double acceleration_change(const loop* L, const lb_constraint_row* row, const change* c) {
  if (row->kind == LB_GAP_SHIFT) {
    return shift_acceleration(L, row, c);
  }
  if (row->kind == LB_GAP_SQUARE) {
    return square_acceleration(L, row, c);
  }
  const lb_v4 seen = turn_acceleration(L, c) - lb_v4_cross(c->turn_a, L->b.w - L->a.w) -
                     lb_v4_cross(row->spin, c->y.w);
  return lb_v4_dot(row->e, seen);
}

void lb_constraints_differentiate_accelerations(lb_derivatives* D, lb_data* d, double* by_q,
                                                double* by_v, double* J) {
  const int nv = D->model->nv, count = lb_constraints_count(d);
  const size_t size = (size_t)count * (size_t)nv * sizeof(double);
  memset(by_q, 0, size); // couplings are linear
  memset(by_v, 0, size);
  memset(J, 0, size);
  for (int r = 0; r < count; r++) {
    const lb_constraint_row row = lb_constraints_row(d, r);
    if (row.coupling >= 0) {
      lb_coupling_row(D->model, row.coupling, row.sign, true, J + (size_t)r * (size_t)nv);
    }
  }
  for (int i = 0; i < D->model->nloop; i++) {
    const loop L = open_loop(D, d, i);
    const gains g = find_gains(D, d, &L);
    for (int r = 0; r < count; r++) {
      const lb_constraint_row row = lb_constraints_row(d, r);
      for (int k = L.begin[0]; row.loop == i && k < L.end[1]; k = next(&L, k)) {
        const size_t at = (size_t)r * (size_t)nv + (size_t)k;
        const change place = change_by_place(&L, &g, k), rate = change_by_rate(&L, &g, k);
        by_q[at] = acceleration_change(&L, &row, &place);
        by_v[at] = acceleration_change(&L, &row, &rate);
        J[at] = lb_v4_dot(row.e, row.kind == LB_GAP_SHIFT ? place.x.v : place.x.w);
      }
    }
  }
  lb_constraints_drop_rounding(D, d, J);
}
