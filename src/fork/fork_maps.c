// Maps from wrenches of effectors to all links.
//
//   (1)  T_i = J_i G                                       twists, [fork] eq. 22
//   (2)  W_i = sum over links j that i carries of Ad'(effectors' wrenches on j, forces of loops)
//
// (2) is what the joint of link i passes on, [fork] eq. 15-20: along its own directions S it is the
// change of the joint's own force, S'W_i = k dq. Forces of loops are those of their constraints, of
// redundant ones the least.
//
// Other forces on links change, too, as the mechanism gives way: springs, cables and loads between
// bodies, weights and forces of loops as the links turn under them. What all of them pass on
// through joint i along its own axes, V_i(q), is differenced along dq = G e, by fourth order,
//
//   (3)  W_i += (8 (V_i(h) - V_i(-h)) - V_i(2h) + V_i(-2h)) / 12 h
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_derivative.h"
#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/tree/kinematics.h"
#include "fork/fork_inside.h"
#include "math/linear/dense.h"

static lb_status fill_twists(lb_fork_work* w) {
  const lb_fork* f = w->fork;
  const size_t n = 6 * (size_t)f->neffector, nv = (size_t)f->nv;
  double* J = LB_TAKE(&w->scratch, double, 6 * nv);
  for (int i = 0; J && i < f->nlink; i++) {
    lb_fork_jacobian(w, i, lb_transform_identity(), J);
    for (size_t r = 0; r < 6; r++) {
      lb_columns_dot(f->nv, (int)n, f->T + (6 * (size_t)i + r) * n, w->G, J + r * nv);
      lb_columns_dot(f->nv, f->count, f->follow + (6 * (size_t)i + r) * (size_t)f->count, f->dq,
                     J + r * nv);
    }
  }
  return J ? LB_OK : LB_NO_MEMORY;
}

// Wrench r of an effector, as moment and force on its link.
static void put_unit(const lb_fork_work* w, int column) {
  const lb_anchor* at = &w->fork->at[column / 6];
  lb_state* s = &w->d->work->state[at->link];
  const double unit[3] = {column % 3 == 0, column % 3 == 1, column % 3 == 2};
  const lb_vec3 own = lb_quat_rotate(at->X.q, lb_vec3_make(unit[0], unit[1], unit[2]));
  const lb_v4 axis = lb_m3_apply(s->R, lb_v4_from(own));
  if (column % 6 < 3) {
    s->xn += axis;
  } else {
    s->xf += axis;
    s->xn += lb_v4_cross(lb_m3_apply(s->R, lb_v4_from(at->X.p)), axis);
  }
}

// Sums from the tips inward, each link's along its own axes: out [nlink][6] += factor times these.
static void gather(const lb_fork_work* w, double factor, double* out) {
  for (int i = w->fork->nlink - 1; i >= 0; i--) {
    const lb_state* s = &w->d->work->state[i];
    const int p = w->m->link.parent[i];
    const lb_v4 moment = lb_m3_apply_transposed(s->R, s->xn);
    const lb_v4 force = lb_m3_apply_transposed(s->R, s->xf);
    for (size_t c = 0; c < 3; c++) {
      out[6 * (size_t)i + c] += factor * moment[c];
      out[6 * (size_t)i + 3 + c] += factor * force[c];
    }
    if (p != LB_WORLD) {
      lb_state* parent = &w->d->work->state[p];
      parent->xn += s->xn + lb_v4_cross(s->r, s->xf);
      parent->xf += s->xf;
    }
  }
}

static void clear(const lb_fork_work* w) {
  for (int i = 0; i < w->m->nlink; i++) {
    w->d->work->state[i].xn = w->d->work->state[i].xf = lb_v4_zero();
  }
}

static void put_weights(const lb_fork_work* w) {
  const lb_v4 g = lb_v4_from(w->m->gravity);
  for (int i = 0; i < w->m->nlink; i++) {
    const lb_link* l = &w->held->link.packed[i];
    lb_state* s = &w->d->work->state[i];
    s->xf += w->m->link.mass[i].mass * g;
    s->xn += lb_v4_cross(lb_m3_apply(s->R, l->h), g);
  }
}

// V of (3) at q + h dq, times a factor.
static void add_forces(const lb_fork_work* w, const double* q, const double* dq, double h,
                       double factor, double* out) {
  const lb_model* m = w->held;
  memcpy(w->d->q, q, (size_t)m->nq * sizeof *q);
  lb_advance(m, w->d->q, dq, h);
  const lb_constraint_rows rows = lb_equilibrium_forces(m, w->d);
  put_weights(w);
  if (rows.count > 0) {
    lb_constraints_apply_multipliers(m, w->d, LB_SET_INACTIVE, w->R->at.lambda);
  }
  gather(w, factor, out);
}

// (3) along dq.
static void difference(const lb_fork_work* w, const double* q, const double* dq, double* out) {
  static const double MOVE = 1e-3; // of the coordinate that moves most
  double most = 0;
  for (int k = 0; k < w->m->nv; k++) {
    most = fmax(most, fabs(dq[k]));
  }
  const double h = most > 0 ? MOVE / most : 1;
  add_forces(w, q, dq, h, 8 / (12 * h), out);
  add_forces(w, q, dq, -h, -8 / (12 * h), out);
  add_forces(w, q, dq, 2 * h, -1 / (12 * h), out);
  add_forces(w, q, dq, -2 * h, 1 / (12 * h), out);
  memcpy(w->d->q, q, (size_t)w->m->nq * sizeof *q);
  lb_equilibrium_solver_look(w->R, w->d);
}

static lb_status fill_wrenches(lb_fork_work* w) {
  const lb_model* m = w->held;
  const size_t nv = (size_t)m->nv, n = 6 * (size_t)w->fork->neffector, rows = 6 * (size_t)m->nlink;
  double* lambda = LB_TAKE(&w->scratch, double, w->R->at.rows);
  double* q = LB_COPY(&w->scratch, w->d->q, m->nq);
  double* W = LB_TAKE(&w->scratch, double, rows);
  lb_status status = lambda && q && W ? LB_OK : LB_NO_MEMORY;
  for (size_t c = 0; c < n && status == LB_OK; c++) {
    const lb_arena_mark mark = lb_arena_here(&w->scratch);
    memset(W, 0, rows * sizeof *W);
    status = lb_fork_multipliers(&w->A, w->G + c * nv, w->J_e + c * nv, lambda);
    difference(w, q, w->G + c * nv, W);
    clear(w);
    put_unit(w, (int)c);
    if (w->R->at.rows > 0) {
      lb_constraints_apply_multipliers(m, w->d, LB_SET_INACTIVE, lambda);
    }
    gather(w, 1, W);
    for (size_t r = 0; r < rows; r++) {
      w->fork->W[r * n + c] = W[r];
    }
    lb_arena_reset(&w->scratch, mark);
  }
  return status;
}

lb_status lb_fork_fill_maps(lb_fork_work* w) {
  const lb_status status = fill_twists(w);
  return status == LB_OK && w->fork->W ? fill_wrenches(w) : status;
}
