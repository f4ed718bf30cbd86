// Drag on bodies, at their centres of mass: -c v against moving and -c_w w against turning.
#include "dynamics/force.h"
#include "dynamics/force_point.h"
#include "dynamics/kinematics.h"

static int drag_count(const lb_model* m) {
  return m->ndrag;
}

static void drag_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->ndrag; i++) {
    const lb_force_point p = lb_force_point_find(d->work, &m->drag[i].at);
    lb_force_point_push(&p, p.velocity * -m->drag[i].linear);
    p.link->xn -= p.link->w * m->drag[i].angular;
  }
}

// Both are in proportion to velocities that turn along and gain psi, and so the change beyond
// turning along is theirs of psi.
static void drag_differentiate(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  lb_motion *S = D->work->lever[0], *psi = D->work->lever[1], *change = D->work->lever[2];
  for (int i = 0; i < m->ndrag; i++) {
    const lb_force_point p = lb_force_point_find(d->work, &m->drag[i].at);
    lb_derive_point(D, S, psi, p.index, p.arm);
    const lb_motion* const by[] = {psi, S};
    double* const K[] = {D->tau_q, D->tau_qd};
    for (int side = 0; side < 2; side++) {
      for (int k = 0; k < m->nv; k++) {
        change[k] =
            (lb_motion){by[side][k].w * -m->drag[i].angular, by[side][k].v * -m->drag[i].linear};
      }
      lb_derive_push(D, K[side], S, change);
    }
  }
}

static lb_motion drag_of(const lb_model* m, int i, lb_motion velocity) {
  return (lb_motion){velocity.w * -m->drag[i].angular, velocity.v * -m->drag[i].linear};
}

static void drag_stiffen(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  lb_motion *S = D->work->lever[0], *change = D->work->lever[1];
  for (int i = 0; i < m->ndrag; i++) {
    const lb_force_point p = lb_force_point_find(d->work, &m->drag[i].at);
    lb_derive_point(D, S, NULL, p.index, p.arm);
    for (int k = 0; k < m->nv; k++) {
      change[k] = drag_of(m, i, S[k]);
    }
    lb_derive_push(D, D->tau_qd, S, change);
  }
}

static void drag_answer(const lb_probe* p, const lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < D->model->ndrag; i++) {
    const lb_force_point at = lb_force_point_find(d->work, &D->model->drag[i].at);
    lb_force_point_wrench(&at, drag_of(D->model, i, lb_probe_point(p, D, at, NULL).U));
  }
}

// In proportion to what turns along and gains psi(u).
static void drag_differentiate_answer(const lb_probe* p, lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->ndrag; i++) {
    const lb_force_point at = lb_force_point_find(d->work, &m->drag[i].at);
    const lb_probed a = lb_probe_point(p, D, at, D->work->points);
    for (int k = 0; k < m->nv; k++) {
      a.change[k] = drag_of(m, i, a.psi_u[k]);
    }
    lb_derive_push(D, D->tau_q, a.S, a.change);
  }
}

const lb_force lb_force_drag = {.name = "drag",
                                .count = drag_count,
                                .apply = drag_apply,
                                .differentiate = drag_differentiate,
                                .on_links = true,
                                .stiffen = drag_stiffen,
                                .answer = drag_answer,
                                .differentiate_answer = drag_differentiate_answer};
