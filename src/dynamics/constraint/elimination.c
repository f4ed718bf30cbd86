#include "dynamics/constraint/elimination.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

int lb_elimination_left(const lb_model* m) {
  return m->constraint.elimination.count > 0 ? m->constraint.elimination.nfree : m->ndense;
}

void lb_elimination_follow(const lb_model* m, double* x) {
  const lb_elimination* g = &m->constraint.elimination;
  for (int e = 0; e < g->count; e++) {
    x[g->held[e]] = 0;
    for (int i = g->first[e]; i < g->first[e + 1]; i++) {
      x[g->held[e]] += g->factor[i] * x[g->from[i]];
    }
  }
}

void lb_elimination_fold(const lb_model* m, double* x) {
  const lb_elimination* g = &m->constraint.elimination;
  for (int e = 0; e < g->count; e++) {
    for (int i = g->first[e]; i < g->first[e + 1]; i++) {
      x[g->from[i]] += g->factor[i] * x[g->held[e]];
    }
    x[g->held[e]] = 0;
  }
}

void lb_elimination_gather(const lb_model* m, double* b) {
  const lb_elimination* g = &m->constraint.elimination;
  lb_elimination_fold(m, b);
  for (int k = 0; g->count > 0 && k < g->nfree; k++) {
    b[k] = b[g->free[k]];
  }
}

void lb_elimination_spread(const lb_model* m, double* u) {
  const lb_elimination* g = &m->constraint.elimination;
  for (int k = g->nfree - 1; g->count > 0 && k >= 0; k--) {
    u[g->free[k]] = u[k];
  }
  lb_elimination_follow(m, u);
}

void lb_elimination_reduce(const lb_model* m, double* A) {
  const lb_elimination* g = &m->constraint.elimination;
  const size_t n = (size_t)m->nv, left = (size_t)g->nfree;
  for (int e = 0; e < g->count; e++) {
    const double* from = A + (size_t)g->held[e] * n;
    for (int i = g->first[e]; i < g->first[e + 1]; i++) {
      lb_add(m->nv, A + (size_t)g->from[i] * n, g->factor[i], from);
    }
  }
  for (size_t k = 0; g->count > 0 && k < left; k++) {
    double* row = A + (size_t)g->free[k] * n;
    lb_elimination_gather(m, row);
    memmove(A + k * left, row, left * sizeof *A);
  }
}

void lb_elimination_multipliers(const lb_model* m, double* lambda, const double* r) {
  const lb_elimination* g = &m->constraint.elimination;
  memset(lambda, 0, (size_t)g->count * sizeof *lambda);
  for (int e = 0; e < g->count; e++) {
    lb_add(g->count, lambda, r[g->held[e]], g->R + (size_t)e * (size_t)g->count);
  }
}

static double said_place(const lb_elimination* g, int e, const double* q) {
  double at = g->offset[e];
  for (int i = g->first[e]; i < g->first[e + 1]; i++) {
    at += g->factor[i] * q[g->from_q[i]];
  }
  return at;
}

double lb_elimination_gap(const lb_model* m, const lb_data* d) {
  double most = 0;
  for (int e = 0; e < m->constraint.elimination.count; e++) {
    most = fmax(most, fabs(d->q[m->constraint.elimination.held_q[e]] -
                           said_place(&m->constraint.elimination, e, d->q)));
  }
  return most;
}

void lb_elimination_hold(const lb_model* m, lb_data* d) {
  const lb_elimination* g = &m->constraint.elimination;
  for (int e = 0; e < g->count; e++) {
    d->q[g->held_q[e]] = said_place(g, e, d->q);
  }
  lb_elimination_follow(m, d->qd);
}
