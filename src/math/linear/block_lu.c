#include "math/linear/block_lu.h"

#include <string.h>

#include "math/linear/dense.h"

// Pivots of the last part below this fraction of its largest are none.
static const double REDUNDANT = 1e-11;

// --- the pattern ---

typedef struct graph {
  int n;
  bool* joined; // [n][n]
  bool* gone;   // [n]
} graph;

static bool* edge(const graph* g, int i, int j) {
  return &g->joined[(size_t)i * (size_t)g->n + (size_t)j];
}

// Unknowns that a part which is left is coupled with.
static int degree(const graph* g, const int* size, int i) {
  int sum = 0;
  for (int j = 0; j < g->n; j++) {
    sum += *edge(g, i, j) && !g->gone[j] && j != i ? size[j] : 0;
  }
  return sum;
}

static int choose(const graph* g, const int* size, bool last) {
  int best = -1, least = 0;
  for (int i = 0; i < g->n && !(last && i == g->n - 1 && best >= 0); i++) {
    const int d = g->gone[i] ? 0 : degree(g, size, i);
    if (!g->gone[i] && (best < 0 || d < least)) {
      best = i;
      least = d;
    }
  }
  return best;
}

// Eliminating a part joins all that it was joined with; these are written down.
static int eliminate(graph* g, int p, int* list) {
  int count = 0;
  g->gone[p] = true;
  for (int i = 0; i < g->n; i++) {
    if (*edge(g, p, i) && !g->gone[i]) {
      list[count++] = i;
    }
  }
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      *edge(g, list[i], list[j]) = true;
    }
  }
  return count;
}

static bool make_graph(graph* g, lb_arena* arena, int n, int npair, const lb_sparse_pair* pair) {
  const size_t cells = (size_t)n * (size_t)n;
  *g = (graph){n, LB_TAKE(arena, bool, cells), LB_TAKE(arena, bool, n)};
  if (!g->joined || !g->gone) {
    return false;
  }
  for (int k = 0; k < npair; k++) {
    *edge(g, pair[k].i, pair[k].j) = *edge(g, pair[k].j, pair[k].i) = true;
  }
  for (int i = 0; i < n; i++) {
    *edge(g, i, i) = true;
  }
  return true;
}

// The order, and with it what fills up: joined tells every block there is afterwards.
static void order_parts(lb_block_lu* A, graph* g, bool last) {
  for (int k = 0; k < A->n; k++) {
    const int p = choose(g, A->size, last);
    A->order[k] = p;
    A->near[k + 1] = A->near[k] + eliminate(g, p, A->part + A->near[k]);
  }
  A->count = 1;
  for (int i = 0; i < A->n; i++) {
    for (int j = 0; j < A->n; j++) {
      if (*edge(g, i, j)) {
        A->block[(size_t)i * (size_t)A->n + (size_t)j] = A->count;
        A->count += (size_t)A->size[i] * (size_t)A->size[j];
      }
    }
  }
}

lb_status lb_block_lu_create(lb_arena* arena, int n, const int* size, bool last, int npair,
                             const lb_sparse_pair* pair, lb_block_lu* A) {
  const size_t cells = (size_t)n * (size_t)n;
  graph g;
  *A = (lb_block_lu){.n = n,
                     .size = LB_TAKE(arena, int, n),
                     .first = LB_TAKE(arena, int, n + 1),
                     .order = LB_TAKE(arena, int, n),
                     .near = LB_TAKE(arena, int, n + 1),
                     .part = LB_TAKE(arena, int, cells),
                     .block = LB_TAKE(arena, size_t, cells),
                     .last = last};
  if (lb_arena_status(arena) != LB_OK || !make_graph(&g, arena, n, npair, pair)) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < n; i++) {
    A->size[i] = size[i];
    A->first[i + 1] = A->first[i] + size[i];
  }
  order_parts(A, &g, last);
  A->value = LB_TAKE(arena, double, A->count);
  A->pivot = LB_TAKE(arena, int, A->first[n] + (last ? size[n - 1] : 0));
  return lb_arena_status(arena);
}

void lb_block_lu_zero(lb_block_lu* A) {
  memset(A->value, 0, A->count * sizeof *A->value);
}

// --- numbers ---

// C -= A B, rows x inner x columns, all by columns. Four columns of A at a time: C is then read and
// written a quarter as often.
static void subtract_product(int rows, int inner, int columns, double* restrict C,
                             const double* restrict A, const double* restrict B) {
  for (int j = 0; j < columns; j++, C += rows, B += inner) {
    int k = 0;
    for (; k + 4 <= inner; k += 4) {
      const double *a = A + (size_t)k * (size_t)rows, *b = a + rows, *c = b + rows, *d = c + rows;
      const double x = B[k], y = B[k + 1], z = B[k + 2], w = B[k + 3];
      for (int i = 0; i < rows; i++) {
        C[i] -= (a[i] * x + b[i] * y) + (c[i] * z + d[i] * w);
      }
    }
    for (; k < inner; k++) {
      const double* a = A + (size_t)k * (size_t)rows;
      for (int i = 0; i < rows; i++) {
        C[i] -= a[i] * B[k];
      }
    }
  }
}

static bool is_last(const lb_block_lu* A, int p) {
  return A->last && p == A->n - 1;
}

static bool factor_own(lb_block_lu* A, int p) {
  const int n = A->size[p];
  double* D = lb_block_lu_at(A, p, p);
  int* pivot = A->pivot + A->first[p];
  if (is_last(A, p)) {
    A->rank = lb_lu_full(n, D, n, REDUNDANT, pivot);
    return true;
  }
  return lb_lu(n, D, n, pivot) == LB_OK;
}

static void solve_own(const lb_block_lu* A, int p, int count, double* b) {
  const int n = A->size[p];
  const double* D = lb_block_lu_at(A, p, p);
  const int* pivot = A->pivot + A->first[p];
  if (is_last(A, p)) {
    lb_lu_full_solve(n, D, n, A->rank, pivot, b); // one right-hand side: nothing comes after
  } else {
    lb_lu_solve(n, D, n, pivot, count, b, n);
  }
}

// With D_p factored, the blocks U_pj = D_p^-1 A_pj of its row take the place of A's, those of its
// column stay, and every pair of its neighbours becomes A_ij - A_ip U_pj.
bool lb_block_lu_factor(lb_block_lu* A) {
  for (int k = 0; k < A->n; k++) {
    const int p = A->order[k], n = A->size[p];
    if (!factor_own(A, p)) {
      return false;
    }
    for (int b = A->near[k]; b < A->near[k + 1]; b++) {
      const int j = A->part[b];
      double* U = lb_block_lu_at(A, p, j);
      solve_own(A, p, A->size[j], U);
      for (int a = A->near[k]; a < A->near[k + 1]; a++) {
        const int i = A->part[a];
        subtract_product(A->size[i], n, A->size[j], lb_block_lu_at(A, i, j),
                         lb_block_lu_at(A, i, p), U);
      }
    }
  }
  return true;
}

void lb_block_lu_solve(const lb_block_lu* A, double* x) {
  for (int k = 0; k < A->n; k++) {
    const int p = A->order[k], n = A->size[p];
    double* own = x + A->first[p];
    solve_own(A, p, 1, own);
    for (int a = A->near[k]; a < A->near[k + 1]; a++) {
      const int i = A->part[a];
      subtract_product(A->size[i], n, 1, x + A->first[i], lb_block_lu_at(A, i, p), own);
    }
  }
  for (int k = A->n - 1; k >= 0; k--) {
    const int p = A->order[k], n = A->size[p];
    for (int b = A->near[k]; b < A->near[k + 1]; b++) {
      const int j = A->part[b];
      subtract_product(n, A->size[j], 1, x + A->first[p], lb_block_lu_at(A, p, j), x + A->first[j]);
    }
  }
}
