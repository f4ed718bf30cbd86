#include "fork/fork_linear.h"

#include <math.h>
#include <string.h>

#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"

static const double SAME = 3e-6;      // sine of the angle below which a constraint repeats others
static const double TINY = 1e-10;     // part of the longest row below which a row is none
static const double LEAST = 1e-3;     // stiffness over mass of what counts as held [1/s^2]
static const double ROUGH = 1e-13;    // the same over the largest: rounding
static const double THIN = 1e-11;     // part of a diagonal entry left in the factor: look closer
static const double THINNEST = 1e-15; // the same of the largest
static const double BESIDE = 1e-3;    // a step off a pose [rad or m]

// --- constraints ---

static double length_of(const lb_fork_linear* A, int row) {
  const double* J = A->R->at.J + (size_t)row * (size_t)A->m->nv;
  double sum = 0;
  for (int k = 0; k < A->nfree; k++) {
    sum += J[A->free[k]] * J[A->free[k]];
  }
  return sqrt(sum);
}

// Rows of J that hold, of the free coordinates and of unit length; those that nothing moves say
// nothing.
static bool take_rows(lb_fork_linear* A) {
  const lb_equilibrium_point* at = &A->R->at;
  const size_t nv = (size_t)A->m->nv, nfree = (size_t)A->nfree;
  double most = 0;
  A->rows = A->asked = 0;
  A->J = LB_TAKE(A->arena, double, (size_t)at->rows* nfree);
  A->row = LB_TAKE(A->arena, int, at->rows);
  for (int i = 0; i < at->rows; i++) {
    most = fmax(most, length_of(A, i));
  }
  for (int i = 0; A->J && A->row && i < at->rows; i++) {
    const bool asks = !at->unilateral[i] || at->lambda[i] > 0;
    const double length = length_of(A, i);
    A->asked += asks;
    if (asks && length > TINY * most) {
      for (size_t k = 0; k < nfree; k++) {
        A->J[(size_t)A->rows * nfree + k] = at->J[(size_t)i * nv + (size_t)A->free[k]] / length;
      }
      A->row[A->rows++] = i;
    }
  }
  return A->J && A->row;
}

// P: what is at right angles to all rows.
static lb_status find_free(lb_fork_linear* A) {
  const size_t nfree = (size_t)A->nfree;
  A->n = A->nfree;
  A->P = NULL;
  if (A->rows == 0) {
    return LB_OK;
  }
  double* Q = LB_TAKE(A->arena, double, nfree* nfree);
  double* copy = LB_COPY(A->arena, A->J, (size_t)A->rows * nfree);
  int rank = 0;
  if (!Q || !copy) {
    return LB_NO_MEMORY;
  }
  const lb_status status = lb_range(A->arena, A->nfree, A->rows, copy, A->nfree, SAME, Q, &rank);
  A->n = A->nfree - rank;
  A->P = Q + (size_t)rank * nfree;
  return status;
}

lb_status lb_fork_ranks(const lb_fork_linear* A, lb_data* d, int* here, int* beside) {
  const lb_model* m = A->m;
  lb_fork_linear other = *A;
  double* q = LB_COPY(A->arena, d->q, m->nq);
  double* dq = LB_TAKE(A->arena, double, m->nv);
  *here = *beside = A->nfree - A->n;
  if (!q || !dq) {
    return LB_NO_MEMORY;
  }
  if (A->asked == *here || A->n == 0) { // all are independent
    return LB_OK;
  }
  for (int k = 0; k < A->nfree; k++) { // no direction is like another
    for (int i = 0; i < A->n; i++) {
      dq[A->free[k]] += sin(1.7 * i + 1) * A->P[(size_t)i * (size_t)A->nfree + (size_t)k];
    }
  }
  lb_advance(m, d->q, dq, BESIDE);
  lb_normalise(m, d->q);
  lb_project(m, d);
  lb_equilibrium_solver_look(A->R, d);
  const lb_status status = take_rows(&other) ? find_free(&other) : LB_NO_MEMORY;
  *beside = other.nfree - other.n;
  memcpy(d->q, q, (size_t)m->nq * sizeof *q);
  lb_equilibrium_solver_look(A->R, d);
  return status;
}

// --- matrices ---

// Symmetric part of B [nv][nv] among the free coordinates, then along the free directions.
static double* among_free(const lb_fork_linear* A, const double* B) {
  const size_t nv = (size_t)A->m->nv, nfree = (size_t)A->nfree;
  double* out = LB_TAKE(A->arena, double, nfree* nfree);
  for (size_t i = 0; out && i < nfree; i++) {
    const size_t a = (size_t)A->free[i];
    for (size_t j = 0; j < nfree; j++) {
      const size_t b = (size_t)A->free[j];
      out[i * nfree + j] = 0.5 * (B[a * nv + b] + B[b * nv + a]);
    }
  }
  return out;
}

static double* along_free(const lb_fork_linear* A, const double* B) {
  const size_t n = (size_t)A->n, nfree = (size_t)A->nfree;
  double* out = LB_TAKE(A->arena, double, n* n);
  double* half = LB_TAKE(A->arena, double, n* nfree);
  if (!out || !half || !B) {
    return NULL;
  }
  if (!A->P) {
    memcpy(out, B, n * n * sizeof *out);
    return out;
  }
  lb_columns_multiply(A->nfree, A->n, A->nfree, half, B, A->P);
  lb_columns_multiply_transposed(A->n, A->n, A->nfree, out, A->P, half);
  return out;
}

// Are all diagonal entries of the factor well above rounding in what they were summed from?
static bool is_firm(const lb_fork_linear* A) {
  const size_t n = (size_t)A->n, nfree = (size_t)A->nfree;
  double most = 0;
  for (size_t k = 0; k < nfree; k++) {
    most = fmax(most, fabs(A->K[k * (nfree + 1)]));
  }
  bool firm = true;
  for (size_t i = 0; i < n && firm; i++) {
    double scale = A->P ? 0 : fabs(A->K[i * (nfree + 1)]);
    for (size_t k = 0; A->P && k < nfree; k++) {
      const double p = A->P[i * nfree + k];
      scale += p * p * fabs(A->K[k * (nfree + 1)]);
    }
    const double left = A->L[i * (n + 1)] * A->L[i * (n + 1)];
    firm = left > THIN * scale && left > THINNEST * most;
  }
  return firm;
}

// A direction of z, in coordinates of the whole.
static void expand(const lb_fork_linear* A, double* dq, const double* z) {
  memset(dq, 0, (size_t)A->m->nv * sizeof *dq);
  for (int k = 0; k < A->nfree; k++) {
    double sum = A->P ? 0 : z[k];
    for (int i = 0; A->P && i < A->n; i++) {
      sum += z[i] * A->P[(size_t)i * (size_t)A->nfree + (size_t)k];
    }
    dq[A->free[k]] = sum;
  }
}

static int busiest_joint(const lb_model* m, const double* M, const double* dq) {
  int joint = 0;
  double most = -1;
  for (int j = 0; j < m->njoint; j++) {
    double energy = 0;
    for (int k = m->joint.v[j]; k < m->joint.v[j] + m->joint.nv[j]; k++) {
      energy += M[(size_t)k * ((size_t)m->nv + 1)] * dq[k] * dq[k];
    }
    if (energy > most) {
      most = energy;
      joint = j;
    }
  }
  return joint;
}

// Modes of K over the masses: which are negative, and which are neither.
static lb_status find_modes(const lb_fork_linear* A, lb_fork_stability* found) {
  const size_t nv = (size_t)A->m->nv, n = (size_t)A->n;
  double *V = along_free(A, A->K), *B = along_free(A, among_free(A, A->R->D->M));
  double* w = LB_TAKE(A->arena, double, n);
  found->neutral = LB_TAKE(A->arena, double, n* nv);
  if (!V || !B || !w || !found->neutral) {
    return LB_NO_MEMORY;
  }
  const lb_status status = lb_eigen_generalised(A->arena, A->n, V, A->n, B, A->n, w);
  if (status != LB_OK) {
    return status;
  }
  const double least = fmax(LEAST, ROUGH * fabs(w[n - 1]));
  found->unstable = w[0] < -least;
  expand(A, found->neutral, V);
  found->joint = busiest_joint(A->m, A->R->D->M, found->neutral);
  for (size_t i = 0; i < n && w[i] <= least; i++) {
    expand(A, found->neutral + i * nv, V + i * n);
    found->nneutral++;
  }
  return LB_OK;
}

// X [n][rows] by columns: B along the free directions, each row of unit length.
static double* rows_along_free(const lb_fork_linear* A, int rows, const double* B) {
  const size_t n = (size_t)A->n, nfree = (size_t)A->nfree, nv = (size_t)A->m->nv;
  double* X = LB_TAKE(A->arena, double, n*(size_t)rows);
  double* row = LB_TAKE(A->arena, double, nfree);
  for (int r = 0; X && row && r < rows; r++) {
    double* x = X + (size_t)r * n;
    for (size_t k = 0; k < nfree; k++) {
      row[k] = B[(size_t)r * nv + (size_t)A->free[k]];
    }
    if (A->P) {
      lb_columns_multiply_transposed(A->n, 1, A->nfree, x, A->P, row);
    } else {
      memcpy(x, row, nfree * sizeof *x);
    }
    const double length = sqrt(lb_dot(A->n, x, x));
    for (size_t k = 0; k < n && length > 0; k++) {
      x[k] /= length;
    }
  }
  return row ? X : NULL;
}

// Z'B Z of a symmetric B [n][n], Z [nz] columns.
static double* along_held(const lb_fork_linear* A, const double* B, const double* Z, int nz) {
  double* half = LB_TAKE(A->arena, double, (size_t)A->n*(size_t)nz);
  double* out = LB_TAKE(A->arena, double, (size_t)nz*(size_t)nz);
  if (!B || !half || !out) {
    return NULL;
  }
  lb_columns_multiply(A->n, nz, A->n, half, B, Z);
  lb_columns_multiply_transposed(nz, nz, A->n, out, Z, half);
  return out;
}

lb_status lb_fork_held_modes(const lb_fork_linear* A, int rows, const double* B, int count,
                             double* dq, double* stiffness, int* found) {
  const size_t n = (size_t)A->n;
  double *X = rows_along_free(A, rows, B), *Q = LB_TAKE(A->arena, double, n*n);
  int rank = 0;
  if (!X || !Q) {
    return LB_NO_MEMORY;
  }
  lb_status status = lb_range(A->arena, A->n, rows, X, A->n, SAME, Q, &rank);
  if (status != LB_OK) {
    return status;
  }
  const int nz = A->n - rank;
  const double* Z = Q + (size_t)rank * n;
  double* V = along_held(A, along_free(A, A->K), Z, nz);
  double* M = along_held(A, along_free(A, among_free(A, A->R->D->M)), Z, nz);
  double *w = LB_TAKE(A->arena, double, nz), *z = LB_TAKE(A->arena, double, n);
  if (!V || !M || !w || !z) {
    return LB_NO_MEMORY;
  }
  status = nz > 0 ? lb_eigen_generalised(A->arena, nz, V, nz, M, nz, w) : LB_OK;
  *found = count < nz ? count : nz;
  for (int i = 0; i < *found && status == LB_OK; i++) {
    lb_columns_multiply(A->n, 1, nz, z, Z, V + (size_t)i * (size_t)nz);
    expand(A, dq + (size_t)i * (size_t)A->m->nv, z);
    stiffness[i] = w[i];
  }
  return status;
}

static lb_status factor(lb_fork_linear* A, lb_fork_stability* found) {
  *found = (lb_fork_stability){0};
  A->L = along_free(A, A->K);
  if (!A->L) {
    return LB_NO_MEMORY;
  }
  const bool firm = lb_cholesky(A->n, A->L, A->n) == LB_OK && is_firm(A);
  return firm || A->n == 0 ? LB_OK : find_modes(A, found);
}

lb_status lb_fork_linearise(lb_fork_linear* A, lb_equilibrium_solver* R, lb_arena* arena,
                            lb_fork_stability* found) {
  const lb_model* m = R->m;
  *A = (lb_fork_linear){.m = m, .R = R, .arena = arena, .free = LB_TAKE(arena, int, m->nv)};
  for (int k = 0; A->free && k < m->nv; k++) {
    A->free[A->nfree] = k;
    A->nfree += !m->dof.driven[k];
  }
  A->K = A->free ? among_free(A, R->D->tau_q) : NULL;
  if (!A->K || !take_rows(A)) {
    return LB_NO_MEMORY;
  }
  const lb_status status = find_free(A);
  return status == LB_OK ? factor(A, found) : status;
}

lb_status lb_fork_leave_neutral(lb_fork_linear* A, lb_fork_stability* found) {
  const size_t nfree = (size_t)A->nfree;
  double* J = LB_TAKE(A->arena, double, ((size_t)A->rows + (size_t)found->nneutral) * nfree);
  if (!J) {
    return LB_NO_MEMORY;
  }
  memcpy(J, A->J, (size_t)A->rows * nfree * sizeof *J);
  for (int i = 0; i < found->nneutral; i++) { // as if a constraint held each
    double* row = J + (size_t)(A->rows + i) * nfree;
    for (size_t k = 0; k < nfree; k++) {
      row[k] = found->neutral[(size_t)i * (size_t)A->m->nv + (size_t)A->free[k]];
    }
    const double length = sqrt(lb_dot(A->nfree, row, row));
    for (size_t k = 0; k < nfree; k++) {
      row[k] /= length;
    }
  }
  lb_fork_linear more = *A;
  more.J = J;
  more.rows = A->rows + found->nneutral;
  const lb_status status = find_free(&more);
  A->n = more.n;
  A->P = more.P;
  return status == LB_OK ? factor(A, found) : status;
}

// --- solving ---

static lb_status solve(const lb_fork_linear* A, const double* L, int count, double* x) {
  const size_t nv = (size_t)A->m->nv;
  double* f = LB_TAKE(A->arena, double, A->nfree);
  double* z = LB_TAKE(A->arena, double, A->nfree);
  if (!f || !z) {
    return LB_NO_MEMORY;
  }
  for (int c = 0; c < count; c++) {
    double* column = x + (size_t)c * nv;
    for (int k = 0; k < A->nfree; k++) {
      f[k] = column[A->free[k]];
    }
    if (A->P) {
      lb_columns_multiply_transposed(A->n, 1, A->nfree, z, A->P, f);
    }
    lb_cholesky_solve(A->n, L, A->n, 1, A->P ? z : f, A->n);
    expand(A, column, A->P ? z : f);
  }
  return LB_OK;
}

lb_status lb_fork_solve(const lb_fork_linear* A, int count, double* x) {
  return solve(A, A->L, count, x);
}

// Without constraints L^-1 f, K = L L'. With them U w^(-1/2) U'f, where U are the modes of P'K P in
// the coordinates and w their stiffness: the symmetric root, whatever basis P is.
lb_status lb_fork_solve_half(const lb_fork_linear* A, int count, double* x) {
  const size_t nv = (size_t)A->m->nv, n = (size_t)A->n;
  double *V = A->P ? along_free(A, A->K) : NULL, *w = LB_TAKE(A->arena, double, n);
  double *f = LB_TAKE(A->arena, double, A->nfree), *z = LB_TAKE(A->arena, double, n);
  double* u = LB_TAKE(A->arena, double, n);
  if ((A->P && !V) || !w || !f || !z || !u) {
    return LB_NO_MEMORY;
  }
  const lb_status status = A->P ? lb_eigen_symmetric(A->arena, A->n, V, A->n, w) : LB_OK;
  for (int c = 0; c < count && status == LB_OK; c++) {
    double* column = x + (size_t)c * nv;
    for (int k = 0; k < A->nfree; k++) {
      f[k] = column[A->free[k]];
    }
    if (A->P) {
      lb_columns_multiply_transposed(A->n, 1, A->nfree, z, A->P, f);
      lb_columns_multiply_transposed(A->n, 1, A->n, u, V, z);
      for (size_t i = 0; i < n; i++) {
        u[i] /= sqrt(w[i]);
      }
      lb_columns_multiply(A->n, 1, A->n, z, V, u);
    } else {
      for (size_t j = 0; j < n; j++) { // L z = f
        z[j] = f[j] / A->L[j * (n + 1)];
        lb_add(A->n - (int)j - 1, f + j + 1, -z[j], A->L + j * (n + 1) + 1);
      }
    }
    expand(A, column, z);
  }
  return status;
}

lb_status lb_fork_solve_mass(const lb_fork_linear* A, int count, double* x) {
  double* L = along_free(A, among_free(A, A->R->D->M));
  if (!L) {
    return LB_NO_MEMORY;
  }
  const lb_status status = lb_cholesky(A->n, L, A->n);
  return status == LB_OK ? solve(A, L, count, x) : status;
}

// J'lambda = K dq - f: rows of unit length have multipliers times their length.
lb_status lb_fork_multipliers(const lb_fork_linear* A, const double* dq, const double* f,
                              double* lambda) {
  const lb_equilibrium_point* at = &A->R->at;
  const size_t nv = (size_t)A->m->nv, nfree = (size_t)A->nfree, rows = (size_t)A->rows;
  double* J = LB_COPY(A->arena, A->J, rows * nfree);
  double* x = LB_TAKE(A->arena, double, nfree > rows ? nfree : rows);
  memset(lambda, 0, (size_t)at->rows * sizeof *lambda);
  if (!J || !x) {
    return LB_NO_MEMORY;
  }
  for (size_t k = 0; k < nfree; k++) {
    const size_t v = (size_t)A->free[k];
    x[k] = lb_dot(A->m->nv, A->R->D->tau_q + v * nv, dq) - f[v];
  }
  int rank = 0;
  const lb_status status = rows == 0
                               ? LB_OK
                               : lb_least_squares(A->arena, A->nfree, A->rows, J, A->nfree, 1, x,
                                                  (int)(nfree > rows ? nfree : rows), SAME, &rank);
  for (size_t i = 0; i < rows && status == LB_OK; i++) {
    lambda[A->row[i]] = x[i] / length_of(A, A->row[i]);
  }
  return status;
}

lb_status lb_fork_close_gaps(const lb_fork_linear* A, const double* gap, double* dq) {
  const size_t nfree = (size_t)A->nfree, rows = (size_t)A->rows;
  const size_t longer = nfree > rows ? nfree : rows;
  double* J = LB_TAKE(A->arena, double, rows* nfree); // by columns
  double* x = LB_TAKE(A->arena, double, longer);
  memset(dq, 0, (size_t)A->m->nv * sizeof *dq);
  if (!J || !x) {
    return LB_NO_MEMORY;
  }
  for (size_t i = 0; i < rows; i++) {
    x[i] = -gap[A->row[i]] / length_of(A, A->row[i]);
    for (size_t k = 0; k < nfree; k++) {
      J[k * rows + i] = A->J[i * nfree + k];
    }
  }
  int rank = 0;
  const lb_status status = rows == 0 ? LB_OK
                                     : lb_least_squares(A->arena, A->rows, A->nfree, J, A->rows, 1,
                                                        x, (int)longer, SAME, &rank);
  for (size_t k = 0; k < nfree && status == LB_OK && rows > 0; k++) {
    dq[A->free[k]] = x[k];
  }
  return status;
}
