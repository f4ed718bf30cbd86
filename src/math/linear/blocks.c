#include "math/linear/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/linear/blocks_rows.h"

// --- the order of elimination ---
//
// Minimum degree on the quotient graph: a point that is left has neighbours among the points, and
// elements, which are what eliminated points left behind. Eliminating p makes one element of its
// neighbours and of all the points of its elements; these are the rows of p's column of the factor.
// Degrees are bounded from above by sums over elements.

typedef struct graph {
  int n;
  int** list;     // [n] neighbours, then elements
  int* nnear;     // [n] of them, neighbours
  int* nelem;     // [n] of them, elements
  int* degree;    // [n] bound
  int** member;   // [n] of an element: its points
  int* nmember;   // [n]
  int* stamp;     // [n] tick at which a point was seen last
  int tick;       // number of searches so far
  bool* gone;     // [n] points that are eliminated
  bool* absorbed; // [n] elements that are part of others
} graph;

static bool graph_make(graph* g, lb_arena* arena, int n, int npair, const lb_sparse_pair* pair) {
  *g = (graph){.n = n,
               .list = LB_TAKE(arena, int*, n),
               .nnear = LB_TAKE(arena, int, n),
               .nelem = LB_TAKE(arena, int, n),
               .degree = LB_TAKE(arena, int, n),
               .member = LB_TAKE(arena, int*, n),
               .nmember = LB_TAKE(arena, int, n),
               .stamp = LB_TAKE(arena, int, n),
               .gone = LB_TAKE(arena, bool, n),
               .absorbed = LB_TAKE(arena, bool, n)};
  lb_sparse pattern; // finds repeated pairs
  if (!g->list || !g->nnear || !g->nelem || !g->degree || !g->member || !g->nmember || !g->stamp ||
      !g->gone || !g->absorbed || lb_sparse_create(arena, n, npair, pair, &pattern) != LB_OK) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    for (int k = pattern.row[i]; k < pattern.row[i + 1] - 1; k++) {
      g->degree[i]++;
      g->degree[pattern.col[k]]++;
    }
  }
  for (int i = 0; i < n; i++) {
    g->list[i] = LB_TAKE(arena, int, g->degree[i]);
    if (!g->list[i]) {
      return false;
    }
  }
  for (int i = 0; i < n; i++) {
    for (int k = pattern.row[i]; k < pattern.row[i + 1] - 1; k++) {
      const int j = pattern.col[k];
      g->list[i][g->nnear[i]++] = j;
      g->list[j][g->nnear[j]++] = i;
    }
  }
  return true;
}

// Visit the points that p sees, each once: count them, or write them down.
static int see(graph* g, int p, int* out) {
  int count = 0;
  g->stamp[p] = ++g->tick;
  for (int k = 0; k < g->nnear[p] + g->nelem[p]; k++) {
    const int e = g->list[p][k];
    const bool single = k < g->nnear[p];
    for (int s = 0; s < (single ? 1 : g->nmember[e]); s++) {
      const int i = single ? e : g->member[e][s];
      if (!g->gone[i] && g->stamp[i] != g->tick) {
        g->stamp[i] = g->tick;
        count++;
        if (out) {
          out[count - 1] = i;
        }
      }
    }
  }
  return count;
}

// Point i, a member of the new element p, forgets what the element says already.
static void update(graph* g, int i, int p) {
  int* list = g->list[i];
  const int nnear = g->nnear[i], total = nnear + g->nelem[i];
  int kept = 0, bound = g->nmember[p] - 1;
  for (int k = 0; k < nnear; k++) {
    if (!g->gone[list[k]] && g->stamp[list[k]] != g->tick) {
      list[kept++] = list[k];
    }
  }
  g->nnear[i] = kept;
  bound += kept;
  for (int k = nnear; k < total; k++) {
    if (!g->absorbed[list[k]]) {
      bound += g->nmember[list[k]] - 1;
      list[kept++] = list[k];
    }
  }
  list[kept++] = p; // there is room: p, or an element that it absorbed, was in the list
  g->nelem[i] = kept - g->nnear[i];
  g->degree[i] = bound;
}

static int least_degree(const graph* g) {
  int best = -1;
  for (int i = 0; i < g->n; i++) {
    if (!g->gone[i] && (best < 0 || g->degree[i] < g->degree[best])) {
      best = i;
    }
  }
  return best;
}

// Eliminate everything; `order` [n] are the points in turn, and members the rows of their columns.
static bool eliminate(graph* g, lb_arena* arena, int* order) {
  for (int step = 0; step < g->n; step++) {
    const int p = order[step] = least_degree(g);
    const int count = see(g, p, NULL);
    g->member[p] = LB_TAKE(arena, int, count);
    if (!g->member[p]) {
      return false;
    }
    g->nmember[p] = see(g, p, g->member[p]);
    g->gone[p] = true;
    for (int k = g->nnear[p]; k < g->nnear[p] + g->nelem[p]; k++) {
      g->absorbed[g->list[p][k]] = true;
    }
    for (int s = 0; s < g->nmember[p]; s++) {
      update(g, g->member[p][s], p);
    }
  }
  return true;
}

// --- the pattern of the factor ---

static int by_number(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b;
}

// Columns from what the points saw when they were eliminated.
static bool lay_columns(lb_blocks* A, const graph* g, const int* order, lb_arena* arena) {
  for (int c = 0; c < A->n; c++) {
    A->place[order[c]] = c;
    A->column[c + 1] = A->column[c] + 1 + g->nmember[order[c]];
  }
  A->row = LB_TAKE(arena, int, A->column[A->n]);
  A->value = LB_TAKE(arena, lb_m3, A->column[A->n]);
  if (!A->row || !A->value) {
    return false;
  }
  for (int c = 0; c < A->n; c++) {
    int* row = A->row + A->column[c];
    const int count = g->nmember[order[c]];
    row[0] = c;
    for (int k = 0; k < count; k++) {
      row[1 + k] = A->place[g->member[order[c]][k]];
    }
    qsort(row + 1, (size_t)count, sizeof *row, by_number);
  }
  return true;
}

// Places of the blocks by rows.
static bool lay_rows(lb_blocks* A, lb_arena* arena) {
  const int total = A->column[A->n] - A->n;
  A->at = LB_TAKE(arena, int, total);
  A->left = LB_TAKE(arena, int, total);
  if (!A->at || !A->left) {
    return false;
  }
  for (int c = 0; c < A->n; c++) {
    for (int k = A->column[c] + 1; k < A->column[c + 1]; k++) {
      A->before[A->row[k] + 1]++;
    }
  }
  for (int i = 0; i < A->n; i++) {
    A->before[i + 1] += A->before[i];
    A->position[i] = A->before[i];
  }
  for (int c = 0; c < A->n; c++) {
    for (int k = A->column[c] + 1; k < A->column[c + 1]; k++) {
      const int to = A->position[A->row[k]]++;
      A->at[to] = k;
      A->left[to] = c;
    }
  }
  return true;
}

lb_status lb_blocks_create(lb_arena* arena, int n, int npair, const lb_sparse_pair* pair,
                           lb_blocks* A) {
  *A = (lb_blocks){.n = n,
                   .place = LB_TAKE(arena, int, n),
                   .column = LB_TAKE(arena, int, n + 1),
                   .before = LB_TAKE(arena, int, n + 1),
                   .position = LB_TAKE(arena, int, n)};
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  graph g;
  int* order = LB_TAKE(&scratch, int, n);
  const bool made = order && graph_make(&g, &scratch, n, npair, pair) &&
                    eliminate(&g, &scratch, order) && lay_columns(A, &g, order, arena) &&
                    lay_rows(A, arena);
  lb_arena_release(&scratch);
  return made ? LB_OK : LB_NO_MEMORY;
}

lb_block_place lb_blocks_find(const lb_blocks* A, int i, int j) {
  const int a = A->place[i], b = A->place[j];
  const int low = a < b ? a : b, high = a < b ? b : a;
  int first = A->column[low], last = A->column[low + 1] - 1;
  while (first < last) {
    const int middle = (first + last) / 2;
    if (A->row[middle] < high) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return (lb_block_place){first, a < b};
}

void lb_blocks_zero(lb_blocks* A) {
  memset(A->value, 0, (size_t)A->column[A->n] * sizeof *A->value);
}

// --- numbers ---

// The inverse of the Cholesky factor of a 3 x 3 block, by columns.
static bool invert_diagonal(lb_m3* D) {
  const double a = D->x[0], b = D->x[1], c = D->x[2], d = D->y[1], e = D->y[2], f = D->z[2];
  const double l00 = sqrt(a), l10 = b / l00, l20 = c / l00;
  const double dd = d - l10 * l10, l11 = sqrt(dd), l21 = (e - l20 * l10) / l11;
  const double ff = f - l20 * l20 - l21 * l21, l22 = sqrt(ff);
  // a pivot that rounding may have made is none
  static const double LEAST = 1e-14;
  if (!(a > 0) || !(dd > LEAST * d) || !(ff > LEAST * f)) {
    return false;
  }
  const double i00 = 1 / l00, i11 = 1 / l11, i22 = 1 / l22;
  const double i10 = -l10 * i00 * i11, i21 = -l21 * i11 * i22;
  const double i20 = -(l20 * i00 + l21 * i10) * i22;
  *D = (lb_m3){lb_v4_make(i00, i10, i20), lb_v4_make(0, i11, i21), lb_v4_make(0, 0, i22)};
  return true;
}

// Take off what the columns to the left say about column j.
static void gather_column(lb_blocks* A, int j) {
  for (int k = A->column[j]; k < A->column[j + 1]; k++) {
    A->position[A->row[k]] = k;
  }
  for (int s = A->before[j]; s < A->before[j + 1]; s++) {
    const lb_m3 T = lb_m3_transpose(A->value[A->at[s]]);
    for (int k = A->at[s]; k < A->column[A->left[s] + 1]; k++) {
      lb_m3* to = &A->value[A->position[A->row[k]]];
      const lb_m3 product = lb_m3_mul(A->value[k], T);
      to->x -= product.x;
      to->y -= product.y;
      to->z -= product.z;
    }
  }
}

bool lb_blocks_factor(lb_blocks* A) {
  for (int j = 0; j < A->n; j++) {
    gather_column(A, j);
    lb_m3* D = &A->value[A->column[j]];
    if (!invert_diagonal(D)) {
      return false;
    }
    const lb_m3 T = lb_m3_transpose(*D);
    for (int k = A->column[j] + 1; k < A->column[j + 1]; k++) {
      A->value[k] = lb_m3_mul(A->value[k], T);
    }
  }
  return true;
}

void lb_blocks_forward(const lb_blocks* A, int width, double* x) {
  const size_t block = 3 * (size_t)width;
  for (int j = 0; j < A->n; j++) {
    const double* from = x + (size_t)j * block;
    lb_constraint_rows_multiply(width, x + (size_t)j * block, A->value[A->column[j]]);
    for (int k = A->column[j] + 1; k < A->column[j + 1]; k++) {
      lb_constraint_rows_subtract(width, x + (size_t)A->row[k] * block, A->value[k], from);
    }
  }
}

void lb_blocks_backward(const lb_blocks* A, int width, double* x) {
  const size_t block = 3 * (size_t)width;
  for (int j = A->n - 1; j >= 0; j--) {
    double* to = x + (size_t)j * block;
    for (int k = A->column[j] + 1; k < A->column[j + 1]; k++) {
      lb_constraint_rows_subtract(width, to, lb_m3_transpose(A->value[k]),
                                  x + (size_t)A->row[k] * block);
    }
    lb_constraint_rows_multiply(width, to, lb_m3_transpose(A->value[A->column[j]]));
  }
}
