// Dense Jacobians of the links' velocities, [red] algorithms 1 and 2: slow, and good for comparing
// with and for looking at. For a link with parent p,
//
//   J = Ad J_p + S,   Jdot = Ad Jdot_p - [S qd, Ad J_p] + Sdot
//
// each in the axes of its link and at its origin, where Ad takes motions from the parent there.
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/tree/kinematics.h"

static lb_motion load(const double* M, size_t stride, size_t k) {
  return (lb_motion){{M[k], M[stride + k], M[2 * stride + k], 0},
                     {M[3 * stride + k], M[4 * stride + k], M[5 * stride + k], 0}};
}

static void store(double* M, size_t stride, size_t k, lb_motion a) {
  for (size_t c = 0; c < 3; c++) {
    M[c * stride + k] = a.w[c];
    M[(3 + c) * stride + k] = a.v[c];
  }
}

// Motion and columns of the parent.
static void inherit(const lb_model* m, const lb_work* w, int i, lb_motion own, double* J,
                    double* Jdot) {
  const size_t nv = (size_t)m->nv, size = 6 * nv;
  const lb_state *s = &w->state[i], *p = &w->state[m->link.parent[i]];
  const lb_m3 turn = lb_m3_mul(lb_m3_transpose(s->R), p->R);
  const lb_v4 back = -lb_m3_apply_transposed(p->R, s->r);
  const size_t from = (size_t)m->link.parent[i] * size, to = (size_t)i * size;
  for (size_t k = 0; k < nv; k++) {
    const lb_motion a = lb_motion_turn(turn, lb_motion_shift(load(J + from, nv, k), back));
    const lb_motion ad = lb_motion_turn(turn, lb_motion_shift(load(Jdot + from, nv, k), back));
    store(J + to, nv, k, a);
    store(Jdot + to, nv, k, lb_motion_add(ad, lb_motion_cross(a, own)));
  }
}

// Sdot of the joint's own directions: d/dt S_a = sum_k T_ak qd_k, where bend gives T_ak for a unit
// velocity along a.
static void add_bend(const lb_derivatives* D, lb_work* w, int i, const double* qd, double* Jdot) {
  const lb_model* m = D->model;
  const lb_link* l = &m->link.packed[i];
  const lb_joint* joint = LB_JOINT[l->kind];
  lb_state* s = &w->state[i];
  lb_motion *rate = D->work->bend, *curve = rate + l->nv;
  double* unit = D->tau;
  memset(unit, 0, (size_t)m->nv * sizeof *unit);
  for (int a = 0; a < l->nv; a++) {
    unit[l->v + a] = 1;
    joint->move(s, &w->state[l->parent], unit + l->v);
    joint->bend(rate, curve, s, unit + l->v, unit + l->v);
    unit[l->v + a] = 0;
    lb_motion sum = lb_motion_zero();
    for (int k = 0; k < l->nv; k++) {
      sum = lb_motion_add(sum, lb_motion_scale(qd[l->v + k], rate[k]));
    }
    store(Jdot, (size_t)m->nv, (size_t)l->v + (size_t)a,
          lb_motion_turn(lb_m3_transpose(s->R), sum));
  }
  joint->move(s, &w->state[l->parent], qd + l->v);
}

void lb_jacobians(lb_derivatives* D, lb_data* d, double* J, double* Jdot, const double* q,
                  const double* qd) {
  const lb_model* m = D->model;
  lb_work* w = d->work;
  const size_t nv = (size_t)m->nv, size = 6 * nv;
  lb_kinematics(m, d, q, qd);
  lb_fill_columns(m, w);
  memset(J, 0, (size_t)m->nlink * size * sizeof *J);
  memset(Jdot, 0, (size_t)m->nlink * size * sizeof *Jdot);
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    const lb_m3 Rt = lb_m3_transpose(w->state[i].R);
    const lb_v4* S = w->S + 2 * (size_t)l->column;
    lb_motion own = lb_motion_zero(); // S qd
    for (int k = 0; k < l->nv; k++) {
      const lb_motion here = {S[2 * k] * qd[l->v + k], S[2 * k + 1] * qd[l->v + k]};
      own = lb_motion_add(own, lb_motion_turn(Rt, here));
    }
    if (l->parent != LB_WORLD) {
      inherit(m, w, i, own, J, Jdot);
    }
    for (int k = 0; k < l->nv; k++) {
      store(J + (size_t)i * size, nv, (size_t)l->v + (size_t)k,
            lb_motion_turn(Rt, (lb_motion){S[2 * k], S[2 * k + 1]}));
    }
    if (LB_JOINT[l->kind]->bend) {
      add_bend(D, w, i, qd, Jdot + (size_t)i * size);
    }
  }
}
