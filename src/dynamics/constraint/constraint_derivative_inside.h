// Two frames that a loop joins, and how they move with each coordinate: what derivatives of loops
// share (constraint_derivative.c, constraint_acceleration.c). The names of constraint_derivative.c
// hold: a's and b's turns t and what b moves beyond a at P, b's origin.
#pragma once
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "elastic/reduced/reduced.h"
#include "model/use/link.h"

typedef struct loop {
  lb_loop_end a, b;
  lb_motion *Sa, *Sb;     // [nv] motions of P with the links
  lb_motion* psi_a;       // [nv]
  lb_motion* psi_b;       // [nv]
  lb_motion *on_a, *on_b; // [nv] scratch, zero but for the coordinates below
  int begin[2], end[2];   // coordinates of the trees that a and b are in: one range after the other
} loop;

// The coordinates of the tree that a link is in.
static inline void find_range(const lb_model* m, int link, int* begin, int* end) {
  int t = 0;
  while (t + 1 < m->ntree && m->tree_link[t + 1] <= link) {
    t++;
  }
  *begin = t < m->ntree ? m->link_v[m->tree_link[t]] : 0;
  *end = t + 1 < m->ntree ? m->link_v[m->tree_link[t + 1]] : m->nv;
}

// Traces come after all other coordinates, whatever tree they are in.
static inline bool trees_are_mixed(const lb_model* m) {
  bool any = false;
  for (int i = 0; i < m->nlink && m->nelastic > 0; i++) {
    any |= m->link[i].reduced && m->link[i].reduced->traces;
  }
  return any;
}

static inline void find_ranges(const lb_model* m, loop* L) {
  if (trees_are_mixed(m)) {
    L->begin[0] = 0;
    L->end[0] = L->begin[1] = L->end[1] = m->nv;
    return;
  }
  const int a = L->a.link == LB_WORLD ? L->b.link : L->a.link;
  const int b = L->b.link == LB_WORLD ? L->a.link : L->b.link;
  find_range(m, a < b ? a : b, &L->begin[0], &L->end[0]);
  find_range(m, a < b ? b : a, &L->begin[1], &L->end[1]);
  if (L->begin[1] == L->begin[0]) { // the same tree
    L->begin[1] = L->end[1];
  }
}

// All coordinates that may move a or b, in rising order: from begin[0], below end[1].
static inline int next(const loop* L, int k) {
  return k + 1 == L->end[0] ? L->begin[1] : k + 1;
}

static inline void clear(lb_motion* x, int n) {
  for (int k = 0; k < n; k++) {
    x[k] = (lb_motion){lb_v4_zero(), lb_v4_zero()};
  }
}

static inline loop open_loop(const lb_derivatives* D, const lb_data* d, int i) {
  lb_motion** lever = D->work->lever;
  loop L = {lb_loop_end_of(d, i, 0),
            lb_loop_end_of(d, i, 1),
            lever[0],
            lever[1],
            lever[2],
            lever[3],
            lever[4],
            lever[5],
            {0},
            {0}};
  find_ranges(D->model, &L);
  const lb_state* state = d->work->state;
  lb_derive_point(D, L.Sa, L.psi_a, L.a.link, L.b.p - state[L.a.link].p);
  lb_derive_point(D, L.Sb, L.psi_b, L.b.link, L.b.p - state[L.b.link].p);
  clear(L.on_a, D->model->nv);
  clear(L.on_b, D->model->nv);
  return L;
}

// How b moves and turns as seen from a when coordinate k moves ...
static inline lb_motion apart(const loop* L, int k) {
  return (lb_motion){L->Sb[k].w - L->Sa[k].w, L->Sb[k].v - L->Sa[k].v};
}

// ... and what becomes of its velocity as seen from a.
static inline lb_motion rate_apart(const loop* L, int k) {
  const lb_motion x = apart(L, k);
  return (lb_motion){L->psi_b[k].w - L->psi_a[k].w + lb_v4_cross(x.w, L->b.w),
                     L->psi_b[k].v - L->psi_a[k].v + lb_v4_cross(x.w, L->b.v) -
                         lb_v4_cross(L->a.w, x.v)};
}
