// Derivatives of constraints: forces beyond turning along with links, gaps and rates.
//
// A constraint's force (n, f) acts at b's origin P on b's link and, opposite, on a's link at the
// same point. With the names of constraint_derivative.h, it changes on b by (dn, df) - t_b x (n, f)
// beyond turning along; on a by the opposite of (dn, df) - t_a x (n, f), and its point of action
// moves by s, which adds a moment -s x f. A force of given components in a's axes has (dn, df) =
// t_a x (n, f).
#include "dynamics/constraint/constraint_derivative.h"

#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "elastic/reduced/reduced.h"
#include "model/use/link.h"

// --- pairs ---

// The coordinates of the tree that a link is in.
static void find_range(const lb_model* m, int link, int* begin, int* end) {
  int t = 0;
  while (t + 1 < m->link.ntree && m->link.tree[t + 1] <= link) {
    t++;
  }
  *begin = t < m->link.ntree ? m->link.v[m->link.tree[t]] : 0;
  *end = t + 1 < m->link.ntree ? m->link.v[m->link.tree[t + 1]] : m->nv;
}

// Traces come after all other coordinates, whatever tree they are in.
static bool trees_are_mixed(const lb_model* m) {
  bool any = false;
  for (int i = 0; i < m->nlink && m->elastic.count > 0; i++) {
    any |= m->link.packed[i].reduced && m->link.packed[i].reduced->traces;
  }
  return any;
}

static void find_ranges(const lb_model* m, lb_pair_derivative* L) {
  if (trees_are_mixed(m)) {
    L->begin[0] = 0;
    L->end[0] = L->begin[1] = L->end[1] = m->nv;
    return;
  }
  const int a = L->P.a.link == LB_WORLD ? L->P.b.link : L->P.a.link;
  const int b = L->P.b.link == LB_WORLD ? L->P.a.link : L->P.b.link;
  find_range(m, a < b ? a : b, &L->begin[0], &L->end[0]);
  find_range(m, a < b ? b : a, &L->begin[1], &L->end[1]);
  if (L->begin[1] == L->begin[0]) { // the same tree
    L->begin[1] = L->end[1];
  }
}

static void clear(lb_motion* x, int n) {
  for (int k = 0; k < n; k++) {
    x[k] = lb_motion_zero();
  }
}

lb_pair_derivative lb_pair_differentiate(const lb_derivatives* D, const lb_data* d,
                                         int constraint) {
  lb_motion** lever = D->work->lever;
  lb_pair_derivative L = {.Sa = lever[0],
                          .Sb = lever[1],
                          .psi_a = lever[2],
                          .psi_b = lever[3],
                          .on_a = lever[4],
                          .on_b = lever[5]};
  lb_constraint_pair(&L.P, d, constraint);
  find_ranges(D->model, &L);
  const lb_state* state = d->work->state;
  lb_derive_point(D, L.Sa, L.psi_a, L.P.a.link, L.P.b.p - state[L.P.a.link].p);
  lb_derive_point(D, L.Sb, L.psi_b, L.P.b.link, L.P.b.p - state[L.P.b.link].p);
  clear(L.on_a, D->model->nv);
  clear(L.on_b, D->model->nv);
  return L;
}

// --- forces ---

void lb_pair_push(lb_derivatives* D, double* tau, const lb_pair_derivative* L, lb_motion F) {
  for (int k = L->begin[0]; k < L->end[1]; k = lb_pair_next(L, k)) {
    const lb_motion x = lb_pair_apart(L, k), c = L->on_b[k];
    L->on_a[k] = (lb_motion){-c.w - lb_v4_cross(x.v, F.v), -c.v};
    L->on_b[k] = (lb_motion){c.w - lb_v4_cross(x.w, F.w), c.v - lb_v4_cross(x.w, F.v)};
  }
  lb_derive_force(D, tau, L->Sa, L->on_a);
  lb_derive_force(D, tau, L->Sb, L->on_b);
}

// --- springs along rows ---

static void add_along(lb_motion* F, const lb_constraint_row* row, double force) {
  *(row->turns ? &F->w : &F->v) += row->e * force;
}

// The force changes with b's place x and velocity y as seen from a; only the part beyond turning
// with a is asked for.
void lb_row_spring_differentiate(const lb_pair_derivative* L, const lb_constraint_row* row,
                                 lb_row_spring by, bool by_rate) {
  const lb_gap_type* type = row->type;
  for (int v = L->begin[0]; v < L->end[1]; v = lb_pair_next(L, v)) {
    const lb_motion x = lb_pair_apart(L, v), y = by_rate ? x : lb_pair_rate_apart(L, v);
    double change = by.damping * lb_v4_dot(row->e, lb_gap_part(type, y));
    if (!by_rate) {
      change += by.stiffness * (type->change ? type->change(&L->P, row, x)
                                             : lb_v4_dot(row->e, lb_gap_part(type, x)));
    }
    if (!by_rate && type->turn) {
      const lb_v4 de = type->turn(&L->P, row, x);
      change += by.damping * lb_v4_dot(de, lb_gap_part(type, L->P.rate));
      *(type->turns ? &L->on_b[v].w : &L->on_b[v].v) -= de * by.pull;
    }
    add_along(&L->on_b[v], row, -change);
  }
}

void lb_row_spring_stiffen(const lb_pair_derivative* L, const lb_constraint_row* row,
                           double stiff) {
  for (int v = L->begin[0]; v < L->end[1]; v = lb_pair_next(L, v)) {
    const lb_v4 x = lb_gap_part(row->type, lb_pair_apart(L, v));
    add_along(&L->on_b[v], row, -stiff * lb_v4_dot(row->e, x));
  }
}

// --- forces of multipliers ---

// Rows from r on that are of the same constraint: the number of the first after them.
static int end_of(const lb_data* d, int r) {
  const int count = lb_constraints_count(d);
  int end = r + 1;
  while (end < count &&
         lb_constraints_row(d, end)->constraint == lb_constraints_row(d, r)->constraint) {
    end++;
  }
  return end;
}

// Force of a constraint with multiplier lambda, and its change in a's axes.
static void add_force(const lb_pair_derivative* L, const lb_constraint_row* row, double lambda,
                      lb_motion* F) {
  add_along(F, row, lambda);
  for (int k = L->begin[0]; row->type->turn && k < L->end[1]; k = lb_pair_next(L, k)) {
    const lb_v4 de = row->type->turn(&L->P, row, lb_pair_apart(L, k));
    *(row->turns ? &L->on_b[k].w : &L->on_b[k].v) += de * lambda;
  }
}

void lb_constraints_differentiate(lb_derivatives* D, lb_data* d, const double* lambda) {
  for (int r = 0, end = 0; r < lb_constraints_count(d); r = end) {
    end = end_of(d, r);
    const lb_constraint_row* row = lb_constraints_row(d, r);
    if (!row->type) {
      lb_coupling_bend(D->model, d, row->coupling,
                       &(lb_term_bend){.scale = -row->sign * lambda[r], .force_q = D->tau_q});
      continue;
    }
    const lb_pair_derivative L = lb_pair_differentiate(D, d, lb_constraints_row(d, r)->constraint);
    lb_motion F = lb_motion_zero();
    for (int k = r; k < end; k++) {
      add_force(&L, lb_constraints_row(d, k), lambda[k], &F);
    }
    lb_pair_push(D, D->tau_q, &L, F);
  }
}

// --- gaps and rates ---

void lb_gap_differentiate(const lb_pair_derivative* L, const lb_constraint_row* row, double* gap_q,
                          double* rate_q, double* J) {
  const lb_gap_type* type = row->type;
  const lb_v4 rate = lb_gap_part(type, L->P.rate);
  for (int k = L->begin[0]; k < L->end[1]; k = lb_pair_next(L, k)) {
    const lb_motion x = lb_pair_apart(L, k), y = lb_pair_rate_apart(L, k);
    J[k] = lb_v4_dot(row->e, lb_gap_part(type, x));
    gap_q[k] = row->velocity_level ? 0 : type->change ? type->change(&L->P, row, x) : J[k];
    rate_q[k] = lb_v4_dot(row->e, lb_gap_part(type, y));
    if (type->turn) {
      rate_q[k] += lb_v4_dot(type->turn(&L->P, row, x), rate);
    }
  }
}

void lb_constraints_drop_rounding(const lb_derivatives* D, lb_data* d, double* J) {
  const lb_model *m = d->model, *links = D->model;
  const int count = lb_constraints_count(d);
  const double* from = count > 0 ? lb_constraints_jacobian(m, d) : NULL;
  for (int r = 0; r < count; r++) {
    for (int k = 0; k < links->nv; k++) {
      if (from[r * m->nv + k] == 0 && !links->dof.driven[k]) {
        J[r * links->nv + k] = 0;
      }
    }
  }
}

void lb_constraints_differentiate_rows(lb_derivatives* D, lb_data* d, double* gap_q, double* rate_q,
                                       double* J) {
  const int nv = D->model->nv, count = lb_constraints_count(d);
  const size_t size = (size_t)count * (size_t)nv * sizeof(double);
  memset(gap_q, 0, size);
  memset(rate_q, 0, size);
  memset(J, 0, size);
  for (int r = 0, end = 0; r < count; r = end) {
    const lb_constraint_row* row = lb_constraints_row(d, r);
    end = end_of(d, r);
    if (!row->type) {
      const double sign = row->velocity_level ? 0 : row->sign;
      const size_t at = (size_t)r * (size_t)nv;
      lb_coupling_row(D->model, d, row->coupling, sign, true, gap_q + at);
      lb_coupling_row(D->model, d, row->coupling, row->sign, true, J + at);
      lb_coupling_bend(D->model, d, row->coupling,
                       &(lb_term_bend){.scale = row->sign, .rate_q = rate_q + at});
      continue;
    }
    lb_pair_derivative L = lb_pair_differentiate(D, d, row->constraint);
    lb_pair_fill_turn(&L.P);
    for (int k = r; k < end; k++) {
      const size_t at = (size_t)k * (size_t)nv;
      lb_gap_differentiate(&L, lb_constraints_row(d, k), gap_q + at, rate_q + at, J + at);
    }
  }
  lb_constraints_drop_rounding(D, d, J);
}

// --- accelerations ---
//
// They, too, are taken in a's axes: with chi and sig of dynamics_derivative.h at P, whose gains of
// a point's acceleration are chi + 2 psi.w x v and of an angular one chi + psi.w x w, and with x
// and y the changes of b's place and velocity, what the constraints' axes see as
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

typedef struct gains {
  lb_motion *chi_a, *chi_b, *sig_a, *sig_b; // [nv] at P
} gains;

static gains find_gains(const lb_derivatives* D, const lb_data* d, const lb_pair* P) {
  const size_t nv = (size_t)D->model->nv;
  const lb_derivation* W = D->work;
  lb_motion* at = W->points;
  const gains g = {at, at + nv, at + 2 * nv, at + 3 * nv};
  const lb_v4 arm_a = P->b.p - d->work->state[P->a.link].p;
  const lb_v4 arm_b = P->b.p - d->work->state[P->b.link].p;
  lb_derive_columns(D, g.chi_a, W->chi, P->a.link, arm_a);
  lb_derive_columns(D, g.sig_a, W->sig, P->a.link, arm_a);
  lb_derive_columns(D, g.chi_b, W->chi, P->b.link, arm_b);
  lb_derive_columns(D, g.sig_b, W->sig, P->b.link, arm_b);
  return g;
}

// Derivatives by a coordinate or its velocity: x of the place, y of the velocity of b as seen from
// a, `turn` of a's and b's angular velocities and `gain` of the acceleration beyond.
typedef struct change {
  lb_motion x, y;
  lb_v4 turn_a, turn_b;
  lb_motion gain;
} change;

static change change_by_place(const lb_pair_derivative* L, const gains* g, int k) {
  return (change){lb_pair_apart(L, k),
                  lb_pair_rate_apart(L, k),
                  L->psi_a[k].w,
                  L->psi_b[k].w,
                  {g->chi_b[k].w - g->chi_a[k].w, g->chi_b[k].v - g->chi_a[k].v}};
}

static change change_by_rate(const lb_pair_derivative* L, const gains* g, int k) {
  return (change){lb_motion_zero(),
                  lb_pair_apart(L, k),
                  L->Sa[k].w,
                  L->Sb[k].w,
                  {g->sig_b[k].w - g->sig_a[k].w, g->sig_b[k].v - g->sig_a[k].v}};
}

static lb_v4 shift_acceleration(const lb_pair* P, lb_v4 w, const change* c) {
  return lb_v4_cross(c->x.w, P->b.a) + c->gain.v + 2 * lb_v4_cross(c->turn_b - c->turn_a, P->b.v) -
         lb_v4_cross(P->a.al, c->x.v) - lb_v4_cross(w, lb_v4_cross(w, c->x.v) + 2 * c->y.v);
}

static lb_v4 turn_acceleration(const lb_pair* P, lb_v4 w, const change* c) {
  return lb_v4_cross(c->x.w, P->b.al) + c->gain.w + lb_v4_cross(c->turn_b, P->b.w) -
         lb_v4_cross(c->turn_a, P->a.w) - lb_v4_cross(c->turn_a, P->b.w - P->a.w) -
         lb_v4_cross(w, c->y.w);
}

// Derivative of e.rd + de(r).r, de linear in r.
static double acceleration_change(const lb_pair* P, const lb_constraint_row* row, const change* c) {
  const lb_gap_type* type = row->type;
  const lb_v4 seen =
      type->turns ? turn_acceleration(P, row->spin, c) : shift_acceleration(P, row->spin, c);
  double by = lb_v4_dot(row->e, seen);
  if (type->turn) {
    const lb_v4 r = lb_gap_part(type, P->rate), dr = lb_gap_part(type, c->y);
    by += lb_v4_dot(type->turn(P, row, c->x), lb_gap_part(type, P->acceleration)) +
          lb_v4_dot(type->turn_again(P, row, c->x, P->rate) + type->turn(P, row, c->y), r) +
          lb_v4_dot(type->turn(P, row, P->rate), dr);
  }
  return by;
}

static void differentiate_acceleration(const lb_pair_derivative* L, const gains* g,
                                       const lb_constraint_row* row, double* by_q, double* by_v,
                                       double* J) {
  for (int k = L->begin[0]; k < L->end[1]; k = lb_pair_next(L, k)) {
    const change place = change_by_place(L, g, k), rate = change_by_rate(L, g, k);
    by_q[k] = acceleration_change(&L->P, row, &place);
    by_v[k] = acceleration_change(&L->P, row, &rate);
    J[k] = lb_v4_dot(row->e, lb_gap_part(row->type, place.x));
  }
}

void lb_constraints_differentiate_accelerations(lb_derivatives* D, lb_data* d, double* by_q,
                                                double* by_v, double* J) {
  const int nv = D->model->nv, count = lb_constraints_count(d);
  const size_t size = (size_t)count * (size_t)nv * sizeof(double);
  memset(by_q, 0, size);
  memset(by_v, 0, size);
  memset(J, 0, size);
  for (int r = 0, end = 0; r < count; r = end) {
    const lb_constraint_row* row = lb_constraints_row(d, r);
    end = end_of(d, r);
    if (!row->type) {
      const size_t at = (size_t)r * (size_t)nv;
      lb_coupling_row(D->model, d, row->coupling, row->sign, true, J + at);
      lb_coupling_bend(D->model, d, row->coupling,
                       &(lb_term_bend){.scale = row->sign,
                                       .acceleration_q = by_q + at,
                                       .acceleration_v = by_v + at});
      continue;
    }
    const lb_pair_derivative L = lb_pair_differentiate(D, d, row->constraint);
    const gains g = find_gains(D, d, &L.P);
    for (int k = r; k < end; k++) {
      const size_t at = (size_t)k * (size_t)nv;
      differentiate_acceleration(&L, &g, lb_constraints_row(d, k), by_q + at, by_v + at, J + at);
    }
  }
  lb_constraints_drop_rounding(D, d, J);
}
