// Composite-rigid-body algorithm: the mass matrix in time proportional to its nonzero entries.
// [Featherstone 2008, ch. 6]. Each coordinate's momentum F = I_c S is dotted with the directions S
// of the coordinates it hangs on; both are moved to one point, the tree's root, so that walking up
// the tree is a dot product a step.
#include <string.h>

#include "dynamics/joint/joint_elastic.h"
#include "dynamics/muscle/muscle_inertia.h"
#include "dynamics/tree/kinematics.h"
#include "model/use/initial_pose.h"

// Four numbers from anywhere.
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

// Entries [first, last] of a row. The directions are stored by component, so that whole runs of
// coordinates add up at once; a group of four may run over `last` up to `limit`.
static void fill_run(const double* S, size_t nv, double* row, int first, int last, int limit,
                     lb_v4 n, lb_v4 f) {
  const double *wx = S, *wy = S + nv, *wz = S + 2 * nv;
  const double *vx = S + 3 * nv, *vy = S + 4 * nv, *vz = S + 5 * nv;
  int j = first;
  for (; j <= last && j + 3 <= limit; j += 4) {
    *(four*)(row + j) = (*(const four*)(wx + j) * n[0] + *(const four*)(wy + j) * n[1] +
                         *(const four*)(wz + j) * n[2]) +
                        (*(const four*)(vx + j) * f[0] + *(const four*)(vy + j) * f[1] +
                         *(const four*)(vz + j) * f[2]);
  }
  for (; j <= last; j++) {
    row[j] =
        (wx[j] * n[0] + wy[j] * n[1] + wz[j] * n[2]) + (vx[j] * f[0] + vy[j] * f[1] + vz[j] * f[2]);
  }
}

// Row of one coordinate up to the diagonal: F with every S it hangs on, zero elsewhere. Coordinates
// on a path have consecutive numbers, so the row is a few runs. The one that ends on the diagonal
// may spill into the upper triangle, which is copied from the lower one afterwards.
static void fill_row(const lb_model* m, const double* S, double* row, int k, lb_v4 n, lb_v4 f) {
  int end = k;
  while (end >= 0) {
    const int first = m->dof.run[end];
    fill_run(S, (size_t)m->ndense, row, first, end, end == k ? m->ndense - 1 : end, n, f);
    end = m->dof.parent[first];
    memset(row + end + 1, 0, (size_t)(first - end - 1) * sizeof *row);
  }
}

// Momentum of one coordinate's unit velocity, at the root, which is `at` behind the link's origin.
static void momentum(const lb_state* s, lb_v4 at, lb_v4 sw, lb_v4 sv, lb_v4* n, lb_v4* f) {
  *f = sv * s->d + lb_v4_cross(sw, s->h);
  *n = lb_m3_apply(s->IA.A, sw) + lb_v4_cross(s->h, sv) + lb_v4_cross(at, *f);
}

// The directions of a link's coordinates: kept at the link's origin, and spread by component at the
// root.
static void spread_directions(const lb_model* m, lb_work* w, int i, lb_v4 at) {
  const lb_link* l = &m->link.packed[i];
  if (l->kind == LB_JOINT_REVOLUTE) {
    revolute_columns(w->S + 2 * l->column, &w->state[i]);
  } else {
    LB_JOINT[l->kind]->columns(w->S + 2 * l->column, &w->state[i]);
  }
  for (int k = l->v; k < l->v + l->nv; k++) {
    const lb_v4 sw = w->S[2 * k];
    const lb_v4 sv = w->S[2 * k + 1] + lb_v4_cross(at, sw);
    for (int c = 0; c < 3; c++) {
      w->spread[c * m->ndense + k] = sw[c];
      w->spread[(3 + c) * m->ndense + k] = sv[c];
    }
  }
}

static void weigh_tree(const lb_model* m, lb_work* w, const double* q, int first, int last) {
  for (int i = first; i < last; i++) {
    lb_link_place(m, w, i, q);
    lb_link_weigh(m, w, i);
    w->state[i].d = m->link.packed[i].m; // composite mass
    spread_directions(m, w, i, w->state[i].p - w->state[first].p);
  }
}

static void fill_tree(const lb_model* m, lb_work* w, double* M, int first, int last) {
  for (int i = last - 1; i >= first; i--) {
    const lb_link* l = &m->link.packed[i];
    lb_state* s = &w->state[i];
    const lb_v4 at = s->p - w->state[first].p;
    for (int k = l->v; k < l->v + l->nv; k++) {
      lb_v4 n, f;
      momentum(s, at, w->S[2 * k], w->S[2 * k + 1], &n, &f);
      fill_row(m, w->spread, M + (size_t)k * (size_t)m->ndense, k, n, f);
    }
    if (l->parent != LB_WORLD) {
      lb_composite_add(&w->state[l->parent], s);
    }
  }
}

// Copy the lower triangle to the upper one, in blocks that stay in the cache.
static void mirror(double* M, int n) {
  enum { BLOCK = 64 };
  for (int i0 = 0; i0 < n; i0 += BLOCK) {
    const int i1 = i0 + BLOCK < n ? i0 + BLOCK : n;
    for (int j0 = 0; j0 <= i0; j0 += BLOCK) {
      for (int i = i0; i < i1; i++) {
        const int j1 = j0 + BLOCK < i ? j0 + BLOCK : i;
        for (int j = j0; j < j1; j++) {
          M[(size_t)j * (size_t)n + (size_t)i] = M[(size_t)i * (size_t)n + (size_t)j];
        }
      }
    }
  }
}

static void rigid_mass_matrix(const lb_model* m, lb_data* d, double* M, const double* q) {
  lb_place_hinges(m, d->work, q);
  for (int t = 0; t < m->link.ntree; t++) {
    weigh_tree(m, d->work, q, m->link.tree[t], m->link.tree[t + 1]);
    fill_tree(m, d->work, M, m->link.tree[t], m->link.tree[t + 1]);
  }
  for (size_t k = 0; k < (size_t)m->ndense; k++) {
    M[k * ((size_t)m->ndense + 1)] += m->dof.armature[k];
  }
  mirror(M, m->ndense);
}

void lb_crba(const lb_model* m, lb_data* d, double* M, const double* q) {
  if (m->elastic.count > 0) {
    lb_elastic_mass_matrix(m, d, M, q);
  } else {
    rigid_mass_matrix(m, d, M, q);
  }
  if (m->muscle.ninertial > 0) {
    lb_muscles_weigh(m, d->work, M, q);
  }
}
