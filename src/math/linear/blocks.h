// Sparse symmetric positive definite matrices of 3 x 3 blocks, a block row for each of many points,
// and their Cholesky factors. The pattern and the order of elimination (minimum degree) are found
// once; filling, factoring and solving allocate nothing.
#pragma once
#include "base/arena.h"
#include "limber/status.h"
#include "math/linear/sparse.h"
#include "math/space/simd.h"

typedef struct lb_blocks {
  int n;         // block rows
  int* place;    // [n] of a point in the order of elimination
  int* column;   // [n + 1] blocks of each column: the diagonal first, then rising rows
  int* row;      // [column[n]]
  lb_m3* value;  // [column[n]] the matrix, then its factor L, with L_jj^-1 on the diagonal
  int* before;   // [n + 1] first block of each row of L left of the diagonal
  int* at;       // [before[n]] places of those blocks in `value`
  int* left;     // [before[n]] their columns
  int* position; // [n] scratch: of the rows of a column
} lb_blocks;

// Place of block (i, j) in `value`, as it is or transposed.
typedef struct lb_block_place {
  int at;
  bool transposed;
} lb_block_place;

// The pattern with the given pairs of points and the whole diagonal.
lb_status lb_blocks_create(lb_arena* arena, int n, int npair, const lb_sparse_pair* pair,
                           lb_blocks* A);
// (i, j) and (j, i) are kept once; the pair must be in the pattern.
lb_block_place lb_blocks_find(const lb_blocks* A, int i, int j);

void lb_blocks_zero(lb_blocks* A);
static inline void lb_blocks_add(lb_blocks* A, lb_block_place p, lb_m3 block) {
  lb_m3_add(&A->value[p.at], p.transposed ? lb_m3_transpose(block) : block);
}

// A = L L' in place. false: it is not positive definite.
bool lb_blocks_factor(lb_blocks* A);
// x = L^-1 x and x = L^-T x for `width` right-hand sides at once: x[(3 * place + c) * width + k],
// in the order of elimination.
void lb_blocks_forward(const lb_blocks* A, int width, double* x);
void lb_blocks_backward(const lb_blocks* A, int width, double* x);
