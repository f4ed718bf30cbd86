// Composite-rigid-body algorithm: the mass matrix in time proportional to its nonzero entries.
// [Featherstone 2008, ch. 6]. Each coordinate's momentum F = I_c S is dotted with the directions S
// of the coordinates it hangs on; both are moved to one point, the tree's root, so that walking up
// the tree is a dot product a step.
#include <string.h>

#include "dynamics/kinematics.h"
#include "model/pose.h"

// Add a rigid inertia (m, h, I) whose origin is r further on. With s = h + m r / 2,
//   I' = I - [r][s] - [s][r] = I + 2 (r.s) 1 - (r s' + s r').
static void add_composite(lb_state* p, double* p_mass, const lb_state* c, double m) {
  const lb_v4 r = c->r;
  const lb_v4 s = c->h + r * (0.5 * m);
  const double d = 2 * lb_v4_dot(r, s);
  lb_m3 I = c->IA.A;
  I.x[0] += d;
  I.y[1] += d;
  I.z[2] += d;
  lb_m3_add_outer(&I, -1, r, s);
  lb_m3_add_outer(&I, -1, s, r);
  lb_m3_add(&p->IA.A, I);
  p->h += c->h + r * m;
  *p_mass += m;
}

// Row of one coordinate: F with all S it hangs on, itself first.
static void fill_row(const lb_model* m, const lb_v4* S, double* row, int k, lb_v4 n, lb_v4 f) {
  for (int j = k; j >= 0; j = m->v_parent[j]) {
    row[j] = lb_v4_sum(S[2 * j] * n + S[2 * j + 1] * f);
  }
}

// All rows of one link, from its composite inertia; `at` is its origin seen from the root.
static void fill_link(const lb_model* m, const lb_work* w, double* M, int i, lb_v4 at) {
  const lb_link* l = &m->link[i];
  const lb_state* s = &w->state[i];
  const int nv = lb_joint_kind_nv(l->kind);
  for (int k = l->v; k < l->v + nv; k++) {
    const lb_v4 sw = w->S[2 * k];
    const lb_v4 sv = w->S[2 * k + 1] - lb_v4_cross(at, sw); // back at the link's origin
    const lb_v4 f = sv * s->d + lb_v4_cross(sw, s->h);
    const lb_v4 n = lb_m3_apply(s->IA.A, sw) + lb_v4_cross(s->h, sv) + lb_v4_cross(at, f);
    fill_row(m, w->S, M + (size_t)k * (size_t)m->nv, k, n, f);
  }
}

void lb_crba(const lb_model* m, lb_data* d, double* M, const double* q) {
  lb_work* w = d->work;
  const size_t nv = (size_t)m->nv;
  lb_place_hinges(m, w, q);
  memset(M, 0, nv * nv * sizeof *M);
  for (int t = 0; t < m->ntree; t++) {
    const lb_v4* root = &w->state[m->tree_link[t]].p;
    for (int i = m->tree_link[t]; i < m->tree_link[t + 1]; i++) {
      const lb_link* l = &m->link[i];
      lb_state* s = &w->state[i];
      lb_link_place(m, w, i, q);
      lb_link_weigh(m, w, i);
      s->d = l->m; // composite mass
      LB_JOINT[l->kind]->columns(w->S + 2 * l->v, s);
      for (int k = l->v; k < l->v + lb_joint_kind_nv(l->kind); k++) {
        w->S[2 * k + 1] += lb_v4_cross(s->p - *root, w->S[2 * k]);
      }
    }
    for (int i = m->tree_link[t + 1] - 1; i >= m->tree_link[t]; i--) {
      lb_state* s = &w->state[i];
      fill_link(m, w, M, i, s->p - *root);
      const int p = m->link[i].parent;
      if (p != LB_WORLD) {
        add_composite(&w->state[p], &w->state[p].d, s, s->d);
      }
    }
  }
  for (size_t k = 0; k < nv; k++) {
    M[k * nv + k] += m->armature[k];
    for (size_t j = 0; j < k; j++) {
      M[j * nv + k] = M[k * nv + j];
    }
  }
}
