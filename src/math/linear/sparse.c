// Patterns of symmetric sparse matrices and the few operations on their values.
#include "math/linear/sparse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static int compare_ints(const void* a, const void* b) {
  const int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}

// Rising and without repetition; returns how many are left.
static int sort_unique(int* list, int count) {
  qsort(list, (size_t)count, sizeof *list, compare_ints);
  int kept = 0;
  for (int k = 0; k < count; k++) {
    if (kept == 0 || list[k] != list[kept - 1]) {
      list[kept++] = list[k];
    }
  }
  return kept;
}

static lb_sparse_pair lower(lb_sparse_pair p) {
  return p.i >= p.j ? p : (lb_sparse_pair){p.j, p.i};
}

// Columns of each row, repeated as they come, behind `start`.
static void bucket(int n, int npair, const lb_sparse_pair* pair, int* start, int* col) {
  for (int i = 0; i < n; i++) {
    start[i + 1] = 1; // the diagonal
  }
  for (int k = 0; k < npair; k++) {
    start[lower(pair[k]).i + 1]++;
  }
  for (int i = 0; i < n; i++) {
    start[i + 1] += start[i];
  }
  // Fill from each row's end, so that `start` ends up where it began after one shift.
  for (int i = 0; i < n; i++) {
    col[start[i]] = i;
  }
  for (int k = 0; k < npair; k++) {
    const lb_sparse_pair p = lower(pair[k]);
    col[++start[p.i]] = p.j;
  }
  for (int i = n; i > 0; i--) {
    start[i] = start[i - 1] + 1;
  }
  start[0] = 0;
}

static lb_status take_rows(lb_arena* arena, int n, int count, lb_sparse* A) {
  *A = (lb_sparse){n, LB_TAKE(arena, int, n + 1), LB_TAKE(arena, int, count),
                   LB_TAKE(arena, double, count)};
  return lb_arena_status(arena);
}

lb_status lb_sparse_create(lb_arena* arena, int n, int npair, const lb_sparse_pair* pair,
                           lb_sparse* A) {
  LB_ASSERT(npair <= INT_MAX - n);
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  int* start = LB_TAKE(&scratch, int, n + 1);
  int* col = LB_TAKE(&scratch, int, n + npair);
  lb_status status = start && col ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK) {
    bucket(n, npair, pair, start, col);
    int count = 0;
    for (int i = 0; i < n; i++) {
      const int kept = sort_unique(col + start[i], start[i + 1] - start[i]);
      memmove(col + count, col + start[i], (size_t)kept * sizeof *col);
      start[i] = count;
      count += kept;
    }
    start[n] = count;
    lb_sparse made;
    status = take_rows(arena, n, count, &made);
    if (status == LB_OK) {
      memcpy(made.row, start, (size_t)(n + 1) * sizeof *start);
      memcpy(made.col, col, (size_t)count * sizeof *col);
      *A = made;
    }
  }
  lb_arena_release(&scratch);
  return status;
}

lb_status lb_sparse_expand(lb_arena* arena, const lb_sparse* nodes, int size, lb_sparse* A) {
  const int n = nodes->n, nblock = nodes->row[n];
  // every block below the diagonal is full, those on it are lower triangles
  const int count = (nblock - n) * size * size + n * (size * (size + 1)) / 2;
  lb_sparse made;
  if (take_rows(arena, size * n, count, &made) != LB_OK) {
    return LB_NO_MEMORY;
  }
  int k = 0;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < size; c++) {
      made.row[size * i + c] = k;
      for (int b = nodes->row[i]; b < nodes->row[i + 1]; b++) {
        const int width = nodes->col[b] == i ? c + 1 : size;
        for (int d = 0; d < width; d++) {
          made.col[k++] = size * nodes->col[b] + d;
        }
      }
    }
  }
  made.row[size * n] = k;
  LB_ASSERT(k == count);
  *A = made;
  return LB_OK;
}

lb_status lb_sparse_restrict(lb_arena* arena, const lb_sparse* A, const int* index, lb_sparse* B,
                             int** from) {
  int n = 0, count = 0;
  for (int i = 0; i < A->n; i++) {
    n += index[i] >= 0;
    for (int k = A->row[i]; index[i] >= 0 && k < A->row[i + 1]; k++) {
      count += index[A->col[k]] >= 0;
    }
  }
  lb_sparse made;
  int* source = LB_TAKE(arena, int, count);
  if (!source || take_rows(arena, n, count, &made) != LB_OK) {
    return LB_NO_MEMORY;
  }
  int filled = 0;
  for (int i = 0; i < A->n; i++) {
    if (index[i] < 0) {
      continue;
    }
    made.row[index[i]] = filled;
    for (int k = A->row[i]; k < A->row[i + 1]; k++) {
      if (index[A->col[k]] >= 0) {
        made.col[filled] = index[A->col[k]];
        source[filled++] = k;
      }
    }
  }
  made.row[n] = filled;
  *B = made;
  *from = source;
  return LB_OK;
}

void lb_sparse_gather(lb_sparse* B, const lb_sparse* A, const int* from) {
  const int count = B->row[B->n];
  for (int k = 0; k < count; k++) {
    B->value[k] = A->value[from[k]];
  }
}

int lb_sparse_find(const lb_sparse* A, int i, int j) {
  const lb_sparse_pair p = lower((lb_sparse_pair){i, j});
  int low = A->row[p.i], high = A->row[p.i + 1] - 1;
  while (low <= high) {
    const int middle = low + (high - low) / 2;
    if (A->col[middle] == p.j) {
      return middle;
    }
    if (A->col[middle] < p.j) {
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return -1;
}

void lb_sparse_zero(lb_sparse* A) {
  memset(A->value, 0, (size_t)A->row[A->n] * sizeof *A->value);
}

static void apply_one(const lb_sparse* A, double* y, const double* x) {
  for (int i = 0; i < A->n; i++) {
    const int diagonal = A->row[i + 1] - 1;
    const double xi = x[i];
    double sum = A->value[diagonal] * xi;
    for (int k = A->row[i]; k < diagonal; k++) {
      const int j = A->col[k];
      const double a = A->value[k];
      sum += a * x[j];
      y[j] += a * xi;
    }
    y[i] = sum;
  }
}

static void apply_many(const lb_sparse* A, int width, double* y, const double* x) {
  for (int i = 0; i < A->n; i++) {
    const int diagonal = A->row[i + 1] - 1;
    const double* xi = &x[width * i];
    double* yi = &y[width * i];
    for (int c = 0; c < width; c++) {
      yi[c] = A->value[diagonal] * xi[c];
    }
    for (int k = A->row[i]; k < diagonal; k++) {
      const double a = A->value[k];
      const double* xj = &x[width * A->col[k]];
      double* yj = &y[width * A->col[k]];
      for (int c = 0; c < width; c++) {
        yi[c] += a * xj[c];
        yj[c] += a * xi[c];
      }
    }
  }
}

// Row i writes y_i before any later row adds to it, so y need not be cleared.
void lb_sparse_apply(const lb_sparse* A, int width, double* y, const double* x) {
  if (width == 1) {
    apply_one(A, y, x);
  } else {
    apply_many(A, width, y, x);
  }
}
