// Symmetric sparse matrices: the lower triangle by rows. Patterns are made once and hold still;
// values change as often as the caller likes, and nothing that changes them allocates.
#pragma once
#include "base/arena.h"
#include "limber/status.h"

/// Row i holds columns col[row[i]] ... col[row[i + 1] - 1], rising, the last of them i itself: the
/// diagonal is always there.
typedef struct lb_sparse {
  int n;
  int* row;      ///< [n + 1]
  int* col;      ///< [row[n]]
  double* value; ///< [row[n]]
} lb_sparse;

/// An entry's place; (i, j) and (j, i) are the same one.
typedef struct lb_sparse_pair {
  int i, j;
} lb_sparse_pair;

/// The pattern with the given places (any order, repeated as often as they come) and the whole
/// diagonal, values zero.
lb_status lb_sparse_create(lb_arena* arena, int n, int npair, const lb_sparse_pair* pair,
                           lb_sparse* A);

/// The pattern in which each entry of `nodes` is a full block of size x size: unknown
/// size * node + component.
lb_status lb_sparse_expand(lb_arena* arena, const lb_sparse* nodes, int size, lb_sparse* A);

/// The rows and columns of A for which index[i] >= 0, in that order (index rises where it is not
/// negative). from[k] says which of A's values is B's k-th: lb_sparse_gather() copies them.
lb_status lb_sparse_restrict(lb_arena* arena, const lb_sparse* A, const int* index, lb_sparse* B,
                             int** from);
void lb_sparse_gather(lb_sparse* B, const lb_sparse* A, const int* from);

/// Index of entry (i, j) in `value`, or -1 when it is not in the pattern.
int lb_sparse_find(const lb_sparse* A, int i, int j);

void lb_sparse_zero(lb_sparse* A);

/// y = A x for `width` numbers per unknown, x[width * i + c]: width 3 applies a matrix of nodes to
/// vectors of points.
void lb_sparse_apply(const lb_sparse* A, int width, double* y, const double* x);
