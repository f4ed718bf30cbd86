// Random contact problems of every kind: free bodies and mechanisms, equality blocks, pyramids,
// rolling and spinning friction, limits of motors, compliance.
#pragma once
#include "contact_worlds.h"

enum { MIXED_GROUPS = 8, MIXED_BLOCKS = 24, MIXED_WIDTH = 12, MIXED_FREEDOMS = 10 };

typedef struct lb_mixed {
  lb_contact_problem problem;
  int velocity[MIXED_GROUPS + 1];
  double u0[MIXED_GROUPS * MIXED_WIDTH];
  double Winv[MIXED_GROUPS][MIXED_FREEDOMS][MIXED_FREEDOMS];
  lb_contact_row row[MIXED_BLOCKS * LB_CONTACT_BLOCK_MOST];
  double J[MIXED_BLOCKS * LB_CONTACT_BLOCK_MOST * 2 * MIXED_WIDTH];
  double Z[MIXED_BLOCKS * LB_CONTACT_BLOCK_MOST * 2 * MIXED_WIDTH];
  int block[MIXED_BLOCKS + 1];
} lb_mixed;

static inline int lb_mixed_freedoms(const lb_mixed* m, int g) {
  return lb_contact_width(&m->problem, g) == WORLD_WIDTH ? 6 : MIXED_FREEDOMS;
}

// Groups with W^-1 = B B' + 1 / 4.
static inline void lb_mixed_groups(lb_mixed* m, lb_random* r, int ngroup) {
  m->problem.ngroup = ngroup;
  for (int g = 0; g < ngroup; g++) {
    double B[MIXED_FREEDOMS][MIXED_FREEDOMS];
    m->velocity[g + 1] = m->velocity[g] + (g % 3 == 2 ? MIXED_WIDTH : WORLD_WIDTH);
    const int n = lb_mixed_freedoms(m, g);
    lb_random_vector(r, 1, m->u0 + m->velocity[g], n);
    lb_random_vector(r, 0.5, &B[0][0], MIXED_FREEDOMS * MIXED_FREEDOMS);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        double sum = i == j ? 0.25 : 0;
        for (int k = 0; k < n; k++) {
          sum += B[i][k] * B[j][k];
        }
        m->Winv[g][i][j] = sum;
      }
    }
  }
}

static inline int lb_mixed_row(lb_mixed* m, lb_random* r, lb_contact_kind kind, const int* group) {
  const int at = m->problem.nrow++;
  lb_contact_row* row = &m->row[at];
  *row = (lb_contact_row){.kind = kind, .normal = -1, .group = {group[0], group[1]}};
  row->b = lb_random_unit(r) < 0.3 ? lb_random_between(r, -0.5, 0.5) : 0;
  row->c = lb_random_unit(r) < 0.5 ? 0 : lb_random_between(r, 0, 0.2);
  for (int s = 0; s < 2; s++) {
    if (group[s] < 0) {
      continue;
    }
    const int n = lb_mixed_freedoms(m, group[s]), to = m->problem.nentry;
    row->entry[s] = to;
    m->problem.nentry += lb_contact_width(&m->problem, group[s]);
    lb_random_vector(r, 1, m->J + to, n);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        m->Z[to + i] += m->Winv[group[s]][i][j] * m->J[to + j];
      }
    }
  }
  return at;
}

static inline void lb_mixed_set(lb_mixed* m, lb_random* r, int size, int normal, double mu,
                                const int* group) {
  const int at = lb_mixed_row(m, r, size == 2 ? LB_CONTACT_SET_2 : LB_CONTACT_SET_1, group);
  m->row[at].normal = normal;
  m->row[at].mu = mu;
  if (size == 2) {
    lb_mixed_row(m, r, LB_CONTACT_SECOND, group);
  }
}

static inline void lb_mixed_block(lb_mixed* m, lb_random* r, double mu) {
  const int a = (int)(lb_random_unit(r) * m->problem.ngroup);
  const int b = (int)(lb_random_unit(r) * m->problem.ngroup);
  const int group[2] = {a, a == b ? -1 : b}, kind = (int)(lb_random_unit(r) * 6);
  if (kind == 0) { // a joint
    for (int i = 0; i < 1 + (int)(lb_random_unit(r) * 3); i++) {
      lb_mixed_row(m, r, LB_CONTACT_EQUALITY, group);
    }
  } else if (kind == 1) { // a motor of limited torque
    lb_mixed_set(m, r, 1, -1, lb_random_between(r, 0.01, 0.5), group);
  } else if (kind == 2) { // dry friction in two directions
    lb_mixed_set(m, r, 2, -1, lb_random_between(r, 0.01, 0.5), group);
  } else {
    const int n = lb_mixed_row(m, r, LB_CONTACT_UNILATERAL, group);
    if (kind == 3) { // a pyramid
      lb_mixed_set(m, r, 1, n, mu, group);
      lb_mixed_set(m, r, 1, n, mu, group);
    } else { // a point, that may also roll and spin
      lb_mixed_set(m, r, 2, n, mu, group);
    }
    if (kind == 5) {
      lb_mixed_set(m, r, 2, n, 0.2 * mu, group);
      lb_mixed_set(m, r, 1, n, 0.1 * mu, group);
    }
  }
  m->block[++m->problem.nblock] = m->problem.nrow;
}

static inline void lb_mixed_world(lb_mixed* m, lb_random* r, int ngroup, int nblock, double mu) {
  memset(m, 0, sizeof *m);
  m->problem = (lb_contact_problem){
      .velocity = m->velocity, .u0 = m->u0, .row = m->row, .J = m->J, .Z = m->Z, .block = m->block};
  lb_mixed_groups(m, r, ngroup);
  for (int i = 0; i < nblock; i++) {
    lb_mixed_block(m, r, mu);
  }
}
