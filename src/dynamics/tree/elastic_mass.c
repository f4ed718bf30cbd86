// Mass matrix and forward dynamics of trees with elastic bodies. Composite inertias as in crba.c;
// each coordinate's momentum then walks towards the world link by link, because the directions of
// an elastic body's coordinates differ from face to face.
#include <string.h>

#include "dynamics/joint/joint_elastic.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"

// Dot a momentum at link i's origin with the directions of everything from link i towards the
// world.
static void walk(const lb_model* m, const lb_work* w, double* row, int i, lb_v4 n, lb_v4 f) {
  while (i != LB_WORLD) {
    const lb_link* l = &m->link.packed[i];
    const lb_v4* S = w->S + 2 * (size_t)l->column;
    for (int k = 0; k < l->nv && l->v < m->ndense; k++) {
      row[l->v + k] += lb_v4_sum(S[2 * k] * n + S[2 * k + 1] * f);
    }
    n += lb_v4_cross(w->state[i].r, f);
    i = l->parent;
  }
}

static void weigh_links(const lb_model* m, lb_work* w, const double* q) {
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    lb_state* s = &w->state[i];
    lb_link_place(m, w, i, q);
    lb_link_weigh(m, w, i);
    s->d = l->m;
    if (l->kind == LB_LINK_FULL) {
      lb_full_state_weigh(s);
    }
    if (lb_link_is_elastic(l->kind)) {
      const lb_reduced_state* own = &s->elastic->state;
      s->d = l->reduced->m;
      s->h = lb_m3_apply(s->R, own->h);
      s->IA.A = lb_m3_congruence(s->R, own->I);
    }
    LB_JOINT[l->kind]->columns(w->S + 2 * (size_t)l->column, s);
  }
}

// Rows of a rigid link's or a face's coordinates, from the composite inertia of what hangs there.
static void fill_composite(const lb_model* m, const lb_work* w, double* M, int i) {
  const lb_link* l = &m->link.packed[i];
  const lb_state* s = &w->state[i];
  for (int k = 0; k < l->nv; k++) {
    const lb_v4 sw = w->S[2 * (l->column + k)];
    const lb_v4 sv = w->S[2 * (l->column + k) + 1];
    const lb_v4 f = sv * s->d + lb_v4_cross(sw, s->h);
    const lb_v4 n = lb_m3_apply(s->IA.A, sw) + lb_v4_cross(s->h, sv);
    walk(m, w, M + (size_t)(l->v + k) * (size_t)m->ndense, i, n, f);
  }
}

// Rows of an elastic body's own mass.
static void fill_own(const lb_model* m, const lb_work* w, double* M, int i) {
  const lb_link* l = &m->link.packed[i];
  const lb_state* s = &w->state[i];
  const lb_reduced* b = s->elastic->body;
  for (int k = 0; k < b->r; k++) {
    double* row = M + (size_t)(l->v + k) * (size_t)m->ndense;
    for (int j = 0; j < b->r; j++) {
      row[l->v + j] += b->M[k * b->r + j];
    }
    const lb_v4 f = lb_m3_apply(s->R, b->H[k]);
    const lb_v4 n = lb_m3_apply(s->R, s->elastic->state.C[k]) + lb_v4_cross(s->r, f);
    walk(m, w, row, l->parent, n, f);
  }
}

void lb_elastic_mass_matrix(const lb_model* m, lb_data* d, double* M, const double* q) {
  lb_work* w = d->work;
  const size_t nv = (size_t)m->ndense;
  lb_place_hinges(m, w, q);
  weigh_links(m, w, q);
  memset(M, 0, nv * nv * sizeof *M);
  for (int i = m->nlink - 1; i >= 0; i--) {
    if (m->link.packed[i].kind == LB_LINK_ELASTIC) {
      fill_own(m, w, M, i);
    } else if (m->link.packed[i].v < m->ndense) {
      fill_composite(m, w, M, i);
    }
    if (m->link.packed[i].parent != LB_WORLD) {
      lb_composite_add(&w->state[m->link.packed[i].parent], &w->state[i]);
    }
  }
  for (size_t k = 0; k < nv; k++) {
    M[k * nv + k] += m->dof.armature[k];
    for (size_t j = 0; j < k; j++) {
      M[j * nv + k] = M[k * nv + j];
    }
  }
}

void lb_elastic_solve(const lb_model* m, lb_data* d, double* qdd, const double* tau) {
  lb_work* w = d->work;
  const int nd = m->ndense; // nodes have no rows in M
  for (int i = 0; i < m->nlink; i++) {
    if (!m->link.driven[i] && !lb_link_is_face(m->link.kind[i])) {
      memset(qdd + m->link.v[i], 0, (size_t)m->link.nv[i] * sizeof *qdd);
    }
  }
  lb_rnea_forced(m, d, w->bias, d->q, d->qd, qdd);
  lb_crba(m, d, w->M, d->q);
  for (int k = 0; k < nd; k++) {
    w->bias[k] = tau[k] - w->bias[k];
  }
  // driven coordinates stay: a row of the identity
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.driven[i]) {
      const int k = m->link.v[i];
      for (int j = 0; j < nd; j++) {
        w->M[k * nd + j] = w->M[j * nd + k] = j == k;
      }
      w->bias[k] = 0;
    }
  }
  if (lb_cholesky(nd, w->M, nd) == LB_OK) {
    lb_cholesky_solve(nd, w->M, nd, 1, w->bias, nd);
  }
  for (int k = 0; k < nd; k++) {
    qdd[k] += w->bias[k];
  }
  // the links' accelerations, and in bias the forces that they need
  lb_rnea_forced(m, d, w->bias, d->q, d->qd, qdd);
}

void lb_elastic_accelerations(const lb_model* m, lb_data* d, double* qdd, const double* q,
                              const double* qd, const double* tau) {
  lb_work* w = d->work;
  const int nd = m->ndense;
  memset(qdd, 0, (size_t)m->nv * sizeof *qdd);
  lb_rnea(m, d, w->bias, q, qd, qdd);
  lb_crba(m, d, w->M, q);
  for (int k = 0; k < nd; k++) {
    qdd[k] = tau[k] - w->bias[k];
  }
  if (lb_cholesky(nd, w->M, nd) == LB_OK) {
    lb_cholesky_solve(nd, w->M, nd, 1, qdd, nd);
  }
}
