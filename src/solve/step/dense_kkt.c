#include "solve/step/dense_kkt.h"

#include <cblas.h>
#undef I // complex.h comes along
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/constraint/elimination.h"
#include "math/linear/dense.h"
#include "solve/step/step_matrix.h"

lb_dense_kkt lb_dense_kkt_lay_out(lb_carver* c, const lb_model* m) {
  const size_t nd = (size_t)m->ndense, rows = (size_t)lb_constraints_most(m);
  lb_dense_kkt s = {.m = m, .nd = m->ndense};
  s.W = lb_carve(c, nd * nd, sizeof(double));
  s.row = lb_carve(c, rows, sizeof(int));
  s.E = lb_carve(c, rows * nd, sizeof(double));
  s.Z = lb_carve(c, rows * nd, sizeof(double));
  s.A = lb_carve(c, rows * rows, sizeof(double));
  s.pivot = lb_carve(c, rows, sizeof(int));
  s.nu = lb_carve(c, rows, sizeof(double));
  s.c = lb_carve(c, rows, sizeof(double));
  return s;
}

// --- making ---

static bool factor_masses(lb_dense_kkt* s, const double* M) {
  const lb_model* m = s->m;
  const size_t nd = (size_t)s->nd;
  memcpy(s->W, M, nd * nd * sizeof *M);
  for (int i = 0; i < m->nlink; i++) {
    for (size_t j = 0; m->link_driven[i] && j < nd; j++) {
      const size_t k = (size_t)m->link_v[i];
      s->W[k + j * nd] = s->W[j + k * nd] = j == k;
    }
  }
  lb_elimination_reduce(m, s->W);
  const int left = lb_elimination_left(m);
  return lb_cholesky(left, s->W, left) == LB_OK;
}

// b = P W^-1 P'b of the tree, b [count][nd].
static void solve_masses(const lb_dense_kkt* s, int count, double* b) {
  const int left = lb_elimination_left(s->m), nd = s->nd;
  for (int i = 0; i < count; i++) {
    lb_elimination_gather(s->m, b + (size_t)i * (size_t)nd);
  }
  if (left > 0 && count > 0) {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, left, count, 1,
                s->W, left, b, nd);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, left, count, 1,
                s->W, left, b, nd);
  }
  for (int i = 0; i < count; i++) {
    lb_elimination_spread(s->m, b + (size_t)i * (size_t)nd);
  }
}

static void choose(lb_dense_kkt* s, lb_active_set* active_set, const double* J) {
  const size_t nd = (size_t)s->nd;
  memcpy(active_set->force, J, (size_t)active_set->all * nd * sizeof *J);
  for (int i = 0; i < active_set->all; i++) {
    double* force = active_set->force + (size_t)i * nd;
    lb_step_clear_driven(s->m, force);
    lb_elimination_fold(s->m, force);
  }
  lb_active_set_find(active_set);
  s->rows = active_set->rows;
  memcpy(s->row, active_set->row, (size_t)s->rows * sizeof *s->row);
}

bool lb_dense_kkt_factor(lb_dense_kkt* s, lb_active_set* active_set, const double* M,
                         const double* J, const double* E) {
  const size_t nd = (size_t)s->nd;
  s->rows = 0;
  if (!factor_masses(s, M)) {
    return false;
  }
  if (active_set->all == 0) {
    return true;
  }
  choose(s, active_set, J);
  for (int i = 0; i < s->rows; i++) {
    const size_t to = (size_t)i * nd, from = (size_t)s->row[i] * nd;
    memcpy(s->E + to, E + from, nd * sizeof *E);
    memcpy(s->Z + to, active_set->force + from, nd * sizeof *E);
    lb_step_clear_driven(s->m, s->E + to);
  }
  if (s->rows == 0) {
    return true;
  }
  solve_masses(s, s->rows, s->Z);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, s->rows, s->rows, s->nd, 1, s->E, s->nd,
              s->Z, s->nd, 0, s->A, s->rows);
  return lb_lu(s->rows, s->A, s->rows, s->pivot) == LB_OK;
}

// --- solving ---

static void solve_nodes(const lb_dense_kkt* s, double* b) {
  for (int k = s->nd; k < s->m->nv; k++) {
    b[k] /= s->m->armature[k];
  }
}

// With x0 = W^-1 b:   A lambda = c - E x0,   x = x0 + Z'lambda
void lb_dense_kkt_solve(lb_dense_kkt* s, double* b) {
  const size_t nd = (size_t)s->nd;
  lb_step_clear_driven(s->m, b);
  solve_masses(s, 1, b);
  for (int i = 0; i < s->rows; i++) {
    s->nu[i] = s->c[i] - lb_dot(s->nd, s->E + (size_t)i * nd, b);
  }
  if (s->rows > 0) {
    lb_lu_solve(s->rows, s->A, s->rows, s->pivot, 1, s->nu, s->rows);
  }
  for (int i = 0; i < s->rows; i++) {
    lb_add(s->nd, b, s->nu[i], s->Z + (size_t)i * nd);
  }
  solve_nodes(s, b);
}

// A'nu = Z b + nu,   mu = W^-1 (b - E'nu)
void lb_dense_kkt_solve_back(lb_dense_kkt* s, double* b) {
  const size_t nd = (size_t)s->nd;
  lb_step_clear_driven(s->m, b);
  for (int i = 0; i < s->rows; i++) {
    s->nu[i] += lb_dot(s->nd, s->Z + (size_t)i * nd, b);
  }
  if (s->rows > 0) {
    lb_lu_solve_transposed(s->rows, s->A, s->rows, s->pivot, 1, s->nu, s->rows);
  }
  for (int i = 0; i < s->rows; i++) {
    lb_add(s->nd, b, -s->nu[i], s->E + (size_t)i * nd);
  }
  solve_masses(s, 1, b);
  lb_step_clear_driven(s->m, b);
  solve_nodes(s, b);
}

void lb_dense_kkt_add(const lb_dense_kkt* s, double* y, double scale, const double* A,
                      const double* x) {
  for (int i = 0; i < s->rows; i++) {
    y[i] += scale * lb_dot(s->nd, A + (size_t)s->row[i] * (size_t)s->nd, x);
  }
}

void lb_dense_kkt_add_back(const lb_dense_kkt* s, double* y, double scale, const double* A,
                           const double* x) {
  for (int i = 0; i < s->rows; i++) {
    lb_add(s->nd, y, scale * x[i], A + (size_t)s->row[i] * (size_t)s->nd);
  }
}
