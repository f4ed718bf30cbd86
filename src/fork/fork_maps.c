// Maps from wrenches of effectors to all links.
//
//   (1)  T_i = J_i G                                       twists, [fork] eq. 22
//   (2)  W_i = sum over links j that i carries of Ad'(effectors' wrenches on j, forces of loops)
//
// (2) is what the joint of link i passes on, [fork] eq. 15-20: along its own directions S it is the
// change of the joint's own force, S'W_i = k dq. Of redundant constraints the least forces count.
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/tree/kinematics.h"
#include "fork/fork_inside.h"
#include "math/linear/dense.h"

static void fill_twists(lb_fork_work* w) {
  const lb_fork* f = w->fork;
  const size_t n = 6 * (size_t)f->neffector, nv = (size_t)f->nv;
  for (size_t i = 0; i < 6 * (size_t)f->nlink; i++) {
    lb_columns_dot(f->nv, (int)n, f->T + i * n, w->G, w->J + i * nv);
  }
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
      lb_constraints_apply_multipliers(m, w->d, LB_SET_INACTIVE, lambda);
    }
    gather(w, c);
    lb_arena_reset(&w->scratch, mark);
  }
  return status;
}

lb_status lb_fork_fill_maps(lb_fork_work* w) {
  fill_twists(w);
  lb_equilibrium_solver_look(w->R, w->d); // kinematics, and all constraints
  return w->fork->W ? fill_wrenches(w) : LB_OK;
}
