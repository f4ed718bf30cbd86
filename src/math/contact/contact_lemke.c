// Linear complementarity of the pyramid.                               [Stewart and Trinkle 1996]
//
//   (1)  unilateral rows:   0 <= x_n,   y_n >= 0
//   (2)  directions +-e_i:  0 <= beta,  +-y_t + gamma >= 0
//   (3)  sets:              0 <= gamma, R(x_n) - sum beta >= 0
//
// each pair with product zero. Equality rows are eliminated first, with eps on their diagonal.
#include "math/contact/contact_lemke.h"

#include <string.h>

#include "math/linear/dense.h"

typedef struct variable {
  int row;     // row of d
  double sign; // of a direction; 1 for a unilateral row; 0 for gamma
  int set;     // of directions and gamma: gamma's place
  int of;      // of gamma: first row of the set
} variable;

typedef struct lemke {
  const lb_contact_dense* d;
  double* K; // [n * n] A after the equality rows were eliminated
  double* q; // [n]
  int nequality;
  int* equality;    // [nequality]
  double* factor;   // [nequality^2] Cholesky factor of A among them
  double* coupling; // [nequality * n] factor^-1 A_en
  int size;
  variable* v;     // [size]
  double* tableau; // [size rows] x [2 size + 2]
  int* basis;      // [size]
} lemke;

static bool eliminate_equalities(lemke* L, double* work) {
  static const double EPS = 1e-9;
  const lb_contact_scaled* d = &L->d->system;
  const int n = d->n, m = L->nequality;
  const size_t ld = (size_t)n;
  memcpy(L->K, L->d->A, ld * ld * sizeof *L->K);
  memcpy(L->q, d->q, ld * sizeof *L->q);
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) {
      L->factor[i + j * m] = L->d->A[(size_t)L->equality[i] + (size_t)L->equality[j] * ld];
    }
    L->factor[j * (m + 1)] += EPS;
    work[j] = d->q[L->equality[j]];
  }
  if (m == 0) {
    return true;
  }
  if (lb_cholesky(m, L->factor, m) != LB_OK) {
    return false;
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      L->coupling[(size_t)i + (size_t)j * (size_t)m] =
          L->d->A[(size_t)L->equality[i] + (size_t)j * ld];
    }
  }
  lb_cholesky_solve(m, L->factor, m, n, L->coupling, m);
  lb_cholesky_solve(m, L->factor, m, 1, work, m);
  for (int e = 0; e < m; e++) {
    const double* column = L->d->A + (size_t)L->equality[e] * ld;
    lb_add(n, L->q, -work[e], column);
    for (int j = 0; j < n; j++) {
      lb_add(n, L->K + (size_t)j * ld, -L->coupling[(size_t)e + (size_t)j * (size_t)m], column);
    }
  }
  return true;
}

// Variables of the complementarity problem; returns how many (counts alone where v is NULL).
static int list_variables(const lb_contact_scaled* d, variable* v) {
  variable one;
  int size = 0;
  for (int i = 0; i < d->n; i++) {
    const lb_contact_kind kind = d->kind[i];
    if (kind == LB_CONTACT_UNILATERAL) {
      *(v ? &v[size] : &one) = (variable){i, 1, -1, -1};
      size++;
    } else if (kind == LB_CONTACT_SET_1 || kind == LB_CONTACT_SET_2) {
      const int rows = kind == LB_CONTACT_SET_2 ? 2 : 1, gamma = size + 2 * rows;
      for (int k = 0; k < 2 * rows; k++) {
        *(v ? &v[size] : &one) = (variable){i + k / 2, k % 2 ? -1 : 1, gamma, -1};
        size++;
      }
      *(v ? &v[size] : &one) = (variable){-1, 0, gamma, i};
      size++;
    }
  }
  return size;
}

// M_ij of the complementarity problem w = M z + q.
static double entry(const lemke* L, int i, int j) {
  const variable *a = &L->v[i], *b = &L->v[j];
  const lb_contact_scaled* d = &L->d->system;
  if (a->sign != 0 && b->sign != 0) {
    return a->sign * b->sign * L->K[(size_t)a->row + (size_t)b->row * (size_t)d->n];
  }
  if (a->sign != 0) {
    return a->set == j ? 1 : 0; // gamma in a direction's row
  }
  if (b->sign == 0) {
    return 0;
  }
  if (b->set == i) {
    return -1; // beta in gamma's row
  }
  return b->set < 0 && d->normal[a->of] == b->row ? d->mu[a->of] : 0;
}

static double constant(const lemke* L, int i) {
  const variable* a = &L->v[i];
  if (a->sign != 0) {
    return a->sign * L->q[a->row];
  }
  return L->d->system.normal[a->of] < 0 ? L->d->system.mu[a->of] : 0;
}

// Rows w - M z - z0 = q, with q moved a little, each by another amount: ties would cycle.
static void fill_tableau(lemke* L) {
  static const double PERTURBATION = 1e-9;
  const int N = L->size, width = 2 * N + 2;
  double size = 0;
  for (int i = 0; i < N; i++) {
    size = fmax(size, fabs(constant(L, i)));
  }
  for (int i = 0; i < N; i++) {
    double* t = L->tableau + (size_t)i * (size_t)width;
    memset(t, 0, (size_t)width * sizeof *t);
    t[i] = 1;
    for (int j = 0; j < N; j++) {
      t[N + j] = -entry(L, i, j);
    }
    t[2 * N] = -1;
    t[2 * N + 1] = constant(L, i) + PERTURBATION * size * (1 + (double)((i * 7919) % 101) / 101);
    L->basis[i] = i;
  }
}

static void pivot(lemke* L, int row, int column) {
  const int width = 2 * L->size + 2;
  double* p = L->tableau + (size_t)row * (size_t)width;
  const double inverse = 1 / p[column];
  for (int j = 0; j < width; j++) {
    p[j] *= inverse;
  }
  for (int i = 0; i < L->size; i++) {
    double* t = L->tableau + (size_t)i * (size_t)width;
    if (i != row && t[column] != 0) {
      lb_add(width, t, -t[column], p);
    }
  }
  L->basis[row] = column;
}

// The row whose variable becomes zero first as `column` enters; -1: a ray. z0 leaves if it can.
static int ratio_test(const lemke* L, int column) {
  static const double LEAST = 1e-11;
  const int N = L->size, width = 2 * N + 2;
  int leaving = -1;
  double least = (double)INFINITY;
  for (int i = 0; i < N; i++) {
    const double* t = L->tableau + (size_t)i * (size_t)width;
    if (t[column] > LEAST) {
      const double ratio = t[width - 1] / t[column];
      if (ratio < least || (L->basis[i] == 2 * N && ratio <= least)) {
        least = ratio;
        leaving = i;
      }
    }
  }
  return leaving;
}

static bool run(lemke* L) {
  const int N = L->size, width = 2 * N + 2, most = 20 * N + 20;
  int row = -1;
  double least = 0;
  for (int i = 0; i < N; i++) {
    const double value = L->tableau[(size_t)i * (size_t)width + (size_t)width - 1];
    if (value < least) {
      least = value;
      row = i;
    }
  }
  int entering = 2 * N;
  for (int i = 0; i < most && row >= 0; i++) {
    const int left = L->basis[row];
    pivot(L, row, entering);
    if (left == 2 * N) {
      return true;
    }
    entering = left < N ? left + N : left - N;
    row = ratio_test(L, entering);
  }
  return row < 0 && entering == 2 * N; // nothing to do
}

static void take_solution(const lemke* L, double* x, double* work) {
  const lb_contact_scaled* d = &L->d->system;
  const int N = L->size, width = 2 * N + 2, m = L->nequality;
  memset(x, 0, (size_t)d->n * sizeof *x);
  for (int i = 0; i < N; i++) {
    const int k = L->basis[i] - N;
    if (k >= 0 && k < N && L->v[k].sign != 0) {
      x[L->v[k].row] +=
          L->v[k].sign * fmax(0, L->tableau[(size_t)i * (size_t)width + (size_t)width - 1]);
    }
  }
  for (int e = 0; e < m; e++) {
    work[e] = -d->q[L->equality[e]];
  }
  lb_cholesky_solve(m, L->factor, m, 1, work, m);
  for (int j = 0; j < d->n; j++) {
    lb_add(m, work, -x[j], L->coupling + (size_t)j * (size_t)m);
  }
  for (int e = 0; e < m; e++) {
    x[L->equality[e]] = work[e];
  }
}

static bool solve(lemke* L, lb_arena* scratch, double* x) {
  const size_t n = (size_t)L->d->system.n;
  L->size = list_variables(&L->d->system, NULL);
  const size_t N = (size_t)L->size;
  L->equality = LB_TAKE(scratch, int, n);
  if (!L->equality) {
    return false;
  }
  for (int i = 0; i < L->d->system.n; i++) {
    if (L->d->system.kind[i] == LB_CONTACT_EQUALITY) {
      L->equality[L->nequality++] = i;
    }
  }
  const size_t m = (size_t)L->nequality;
  L->K = LB_TAKE(scratch, double, (n * n));
  L->q = LB_TAKE(scratch, double, n);
  L->factor = LB_TAKE(scratch, double, (m * m));
  L->coupling = LB_TAKE(scratch, double, (m * n));
  L->v = LB_TAKE(scratch, variable, N);
  L->tableau = LB_TAKE(scratch, double, (N * (2 * N + 2)));
  L->basis = LB_TAKE(scratch, int, N);
  double* work = LB_TAKE(scratch, double, n + 1);
  if (lb_arena_status(scratch) != LB_OK || !eliminate_equalities(L, work)) {
    return false;
  }
  list_variables(&L->d->system, L->v);
  fill_tableau(L);
  if (!run(L)) {
    return false;
  }
  take_solution(L, x, work);
  return true;
}

bool lb_contact_lemke(const lb_contact_dense* d, lb_arena* scratch, double* x) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  lemke L = {.d = d};
  const bool solved = solve(&L, scratch, x);
  lb_arena_reset(scratch, mark);
  return solved;
}
