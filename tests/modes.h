// Modes of vibration: the lowest solutions of K x = w M x, by ARPACK with shift and invert.
// ARPACK's symmetric Lanczos in its shift-and-invert form. With A = (K + s M)^-1 M, which is
// symmetric in the product x' M y, A x = x / (w + s): the lowest w are A's largest, far apart, so
// that few iterations find them.
#pragma once
#include <arpack.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/assert.h"
#include "math/linear/dense.h"
#include "math/linear/direct.h"
#include "math/linear/sparse.h"

enum { MOST_ITERATIONS = 1000, SHIFT_AND_INVERT = 3 };

typedef struct lanczos {
  const lb_sparse* M;
  lb_direct* direct; // of K + s M
  int n, count, basis;
  double shift;
  double* resid; // [n]
  double* V;     // [n * basis]
  double* workd; // [3 n]
  double* workl;
  double* d; // [count] 1-based results of ARPACK
  int lworkl;
  int iparam[11], ipntr[14];
} lanczos;

// ARPACK asks for products; which is wanted stands in `ido`.
static inline lb_status multiply(lanczos* z, int ido) {
  double* x = z->workd + z->ipntr[0] - 1;
  double* y = z->workd + z->ipntr[1] - 1;
  if (ido == 2) { // y = M x
    lb_sparse_apply(z->M, 1, y, x);
    return LB_OK;
  }
  if (ido == -1) { // y = (K + s M)^-1 M x
    lb_sparse_apply(z->M, 1, y, x);
  } else { // M x is there already
    memcpy(y, z->workd + z->ipntr[2] - 1, (size_t)z->n * sizeof *y);
  }
  return lb_direct_solve(z->direct, 1, y);
}

static inline lb_status iterate(lanczos* z) {
  int ido = 0, info = 1; // we give the first vector: the same every time
  for (int i = 0; i < z->n; i++) {
    z->resid[i] = 1 + 0.5 * sin(1.7 * i); // no symmetry of a body's to be blind to
  }
  for (;;) {
    dsaupd_c(&ido, "G", z->n, "LM", z->count, 0, z->resid, z->basis, z->V, z->n, z->iparam,
             z->ipntr, z->workd, z->workl, z->lworkl, &info);
    if (ido != -1 && ido != 1 && ido != 2) {
      break;
    }
    const lb_status status = multiply(z, ido);
    if (status != LB_OK) {
      return status;
    }
  }
  return info == 0 && z->iparam[4] >= z->count ? LB_OK : LB_FAILED;
}

// Sign of a mode, so that a mesh has one result.
static inline void orient(int n, double* x) {
  int top = 0;
  for (int i = 1; i < n; i++) {
    // a hair more, so that rounding does not choose between equals
    top = fabs(x[i]) > (1 + 1e-6) * fabs(x[top]) ? i : top;
  }
  if (x[top] < 0) {
    for (int i = 0; i < n; i++) {
      x[i] = -x[i];
    }
  }
}

// Sort by insertion; both arrays are short in `count`.
static inline void sort(int n, int count, double* w, double* x, double* spare) {
  const size_t bytes = (size_t)n * sizeof *x;
  for (int i = 1; i < count; i++) {
    const double wi = w[i];
    int j = i;
    for (; j > 0 && w[j - 1] > wi; j--) {
      w[j] = w[j - 1];
    }
    if (j < i) {
      memcpy(spare, x + (size_t)i * (size_t)n, bytes);
      memmove(x + (size_t)(j + 1) * (size_t)n, x + (size_t)j * (size_t)n, (size_t)(i - j) * bytes);
      memcpy(x + (size_t)j * (size_t)n, spare, bytes);
    }
    w[j] = wi;
  }
}

static inline lb_status extract(lanczos* z, int* select, double* x, double* w) {
  int info = 0;
  dseupd_c(1, "A", select, z->d, z->V, z->n, -z->shift, "G", z->n, "LM", z->count, 0, z->resid,
           z->basis, z->V, z->n, z->iparam, z->ipntr, z->workd, z->workl, z->lworkl, &info);
  if (info != 0) {
    return LB_FAILED;
  }
  sort(z->n, z->count, z->d, z->V, z->resid);
  for (int k = 0; k < z->count; k++) {
    orient(z->n, z->V + (size_t)k * (size_t)z->n);
  }
  memcpy(w, z->d, (size_t)z->count * sizeof *w);
  memcpy(x, z->V, (size_t)z->count * (size_t)z->n * sizeof *x);
  return LB_OK;
}

static inline lb_status factor_shifted(lanczos* z, lb_arena* arena, const lb_sparse* K) {
  lb_sparse S = *K;
  const size_t bytes = (size_t)K->row[K->n] * sizeof *S.value;
  S.value = LB_TAKE(arena, double, K->row[K->n]);
  if (!S.value) {
    return LB_NO_MEMORY;
  }
  memcpy(S.value, K->value, bytes);
  lb_add(S.row[S.n], S.value, z->shift, z->M->value);
  const lb_status status = lb_direct_create(arena->allocator, &S, true, &z->direct);
  return status == LB_OK ? lb_direct_factor(z->direct, &S) : status;
}

static inline lb_status take(lanczos* z, lb_arena* arena, int** select) {
  const size_t n = (size_t)z->n;
  z->lworkl = z->basis * (z->basis + 8);
  z->resid = LB_TAKE(arena, double, n);
  z->V = LB_TAKE(arena, double, n*(size_t)z->basis);
  z->workd = LB_TAKE(arena, double, 3 * n);
  z->workl = LB_TAKE(arena, double, z->lworkl);
  z->d = LB_TAKE(arena, double, z->count);
  *select = LB_TAKE(arena, int, z->basis);
  const bool all = z->resid && z->V && z->workd && z->workl && z->d && *select;
  return all ? LB_OK : LB_NO_MEMORY;
}

/// The `count` solutions nearest to zero of K x = w M x, rising, with x' M x = 1 and the largest
/// component of x positive. K positive semidefinite, M positive definite, of one pattern. `shift`
/// is added: K + shift M is factored; it must be definite, so shift > 0 where K is singular. A
/// shift of the order of the smallest w wanted that is not zero converges quickest. count < n.
/// w [count]; x [count * n], one mode after the other. LB_FAILED: no convergence, or not definite.
static inline lb_status lb_modes(const lb_allocator* allocator, const lb_sparse* K,
                                 const lb_sparse* M, double shift, int count, double* w,
                                 double* x) {
  LB_ASSERT(count > 0 && count < K->n);
  const int wanted = 2 * count + 10; // Lanczos vectors: more cost memory, fewer restarts
  lanczos z = {.M = M, .n = K->n, .count = count, .shift = shift};
  z.basis = wanted < K->n ? wanted : K->n;
  z.iparam[0] = 1;
  z.iparam[2] = MOST_ITERATIONS;
  z.iparam[6] = SHIFT_AND_INVERT;
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  int* select = NULL;
  lb_status status = factor_shifted(&z, &arena, K);
  if (status == LB_OK) {
    status = take(&z, &arena, &select);
  }
  if (status == LB_OK) {
    // ARPACK keeps its state between calls in static variables
    static pthread_mutex_t arpack = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&arpack);
    status = iterate(&z);
    status = status == LB_OK ? extract(&z, select, x, w) : status;
    pthread_mutex_unlock(&arpack);
  }
  lb_direct_release(z.direct);
  lb_arena_release(&arena);
  return status;
}
