// Maps from wrenches of effectors to all links.
//
//   (1)  T_i = J_i G                                       twists, [fork] eq. 22
//   (2)  W_i = sum over links j that i carries of Ad'(effectors' wrenches on j, forces of loops)
//
// (2) is what the joint of link i passes on, [fork] eq. 15-20: along its own directions S it is the
// change of the joint's own force, S'W_i = k dq. Forces of loops are those of their constraints, of
// redundant ones the least, and of the springs of the joints that close them.
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

// Springs of loop joints: -k times the rates of their coordinates at velocities dq.
static void put_loop_springs(const lb_fork_work* w, const double* dq) {
  const lb_model* m = w->held;
  lb_kinematics(m, w->d, w->d->q, dq);
  lb_move_origins(m, w->d->work, dq);
  for (int i = 0; i < m->constraint.nloop; i++) {
    const double k = m->constraint.loop[i].resistance.stiffness;
    lb_constraint_row row[3];
    lb_pair P;
    lb_constraint_pair(&P, w->d, i);
    const int n = k > 0 ? lb_loop_free_rows(m, &P, i, row) : 0;
    for (int c = 0; c < n; c++) {
      const lb_v4 F = row[c].e * (-k * row[c].rate), none = lb_v4_zero();
      const lb_v4 moment = row[c].turns ? F : none, force = row[c].turns ? none : F;
      lb_link_add_wrench(w->d->work, P.b.link, P.b.p, moment, force);
      lb_link_add_wrench(w->d->work, P.a.link, P.b.p, -moment, -force);
    }
  }
}

// Sums from the tips inward, each link's along its own axes.
static void gather(const lb_fork_work* w, int column) {
  const lb_fork* f = w->fork;
  const size_t n = 6 * (size_t)f->neffector;
  for (int i = f->nlink - 1; i >= 0; i--) {
    const lb_state* s = &w->d->work->state[i];
    const int p = w->m->link.parent[i];
    const lb_v4 moment = lb_m3_apply_transposed(s->R, s->xn);
    const lb_v4 force = lb_m3_apply_transposed(s->R, s->xf);
    for (size_t c = 0; c < 3; c++) {
      f->W[(6 * (size_t)i + c) * n + (size_t)column] = moment[c];
      f->W[(6 * (size_t)i + 3 + c) * n + (size_t)column] = force[c];
    }
    if (p != LB_WORLD) {
      lb_state* parent = &w->d->work->state[p];
      parent->xn += s->xn + lb_v4_cross(s->r, s->xf);
      parent->xf += s->xf;
    }
  }
}

static lb_status fill_wrenches(lb_fork_work* w) {
  const lb_model* m = w->held;
  const size_t nv = (size_t)m->nv;
  double* lambda = LB_TAKE(&w->scratch, double, w->R->at.rows);
  lb_status status = lambda ? LB_OK : LB_NO_MEMORY;
  for (int c = 0; c < 6 * w->fork->neffector && status == LB_OK; c++) {
    const lb_arena_mark mark = lb_arena_here(&w->scratch);
    status = lb_fork_multipliers(&w->A, w->G + (size_t)c * nv, w->J_e + (size_t)c * nv, lambda);
    for (int i = 0; i < m->nlink; i++) {
      w->d->work->state[i].xn = w->d->work->state[i].xf = lb_v4_zero();
    }
    put_unit(w, c);
    if (w->R->at.rows > 0) {
      put_loop_springs(w, w->G + (size_t)c * nv);
      lb_constraints_apply_multipliers(m, w->d, LB_SET_INACTIVE, lambda);
    }
    gather(w, c);
    lb_arena_reset(&w->scratch, mark);
  }
  return status;
}

lb_status lb_fork_fill_maps(lb_fork_work* w) {
  const lb_status status = fill_twists(w);
  return status == LB_OK && w->fork->W ? fill_wrenches(w) : status;
}
