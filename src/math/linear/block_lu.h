// Sparse matrices of dense blocks of any size and their factors L U: a few parts with many unknowns
// each, of which most pairs have nothing to do with each other. The pattern is symmetric, the
// numbers need not be. Rows are exchanged within the blocks on the diagonal alone, so each of them
// must be regular once what comes before it is eliminated; the last one need not be.
//
// The pattern and the order of elimination (minimum degree, weighed by the blocks' sizes) are found
// once; filling, factoring and solving allocate nothing.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "limber/status.h"
#include "math/linear/sparse.h"

typedef struct lb_block_lu {
  int n;         // parts
  int* size;     // [n] unknowns of each
  int* first;    // [n + 1] where they begin
  int* order;    // [n] parts as they are eliminated
  int* near;     // [n + 1] for the part that is eliminated i-th, where in ...
  int* part;     // ... this list those begin that it is coupled with then
  size_t* block; // [n][n] where each begins in `value`; 0: none
  double* value; // blocks by columns, after one number that is nobody's
  size_t count;  // of numbers
  int* pivot;    // [unknowns + those of the last part]
  bool last;     // the last part waits for all others and may be singular:
  int rank;      // then its rank
} lb_block_lu;

// The pattern with the given pairs of parts, and every part with itself. `last`: the last part is
// eliminated after all others, and what in it repeats the rest is left out.
lb_status lb_block_lu_create(lb_arena* arena, int n, const int* size, bool last, int npair,
                             const lb_sparse_pair* pair, lb_block_lu* A);

void lb_block_lu_zero(lb_block_lu* A);
// Rows of part i and columns of part j, A(r, c) at [r + c * size[i]]. The pair must be in the
// pattern.
static inline double* lb_block_lu_at(const lb_block_lu* A, int i, int j) {
  return A->value + A->block[(size_t)i * (size_t)A->n + (size_t)j];
}

// In place. false: a block on its diagonal is singular.
bool lb_block_lu_factor(lb_block_lu* A);
// x = A^-1 x, part after part; of a singular last part a solution with zeros for what is left out.
void lb_block_lu_solve(const lb_block_lu* A, double* x);
