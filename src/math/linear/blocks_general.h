// Sparse matrices of 3 x 3 blocks that are not symmetric, with the pattern of one that is
// (blocks.h): A = L U in the same order of elimination. Blocks on the diagonal are eliminated whole
// and nothing is exchanged between them, which is safe where the symmetric part is positive: for
// masses and stiffnesses with some damping that is not symmetric.
#pragma once
#include "math/linear/blocks.h"

typedef struct lb_blocks_general {
  const lb_blocks* pattern; // pattern; its values do not count
  lb_m3* lower; // [column[n]] blocks on and below the diagonal, then L, and U_jj^-1 on it
  lb_m3* upper; // [column[n]] those above it, transposed, at the same places; then U
} lb_blocks_general;

lb_status lb_blocks_general_create(lb_arena* arena, const lb_blocks* pattern, lb_blocks_general* A);
void lb_blocks_general_zero(lb_blocks_general* A);

// Add blocks (i, j) and (j, i), where p is the place of (i, j); on the diagonal the first alone.
static inline void lb_blocks_general_add(lb_blocks_general* A, lb_block_place p, lb_m3 ij,
                                         lb_m3 ji) {
  lb_m3_add(&A->lower[p.at], p.transposed ? ji : ij);
  lb_m3_add(&A->upper[p.at], lb_m3_transpose(p.transposed ? ij : ji));
}

// false: a block of the diagonal is singular.
bool lb_blocks_general_factor(lb_blocks_general* A);
// x = L^-1 x and x = U^-1 x; transposed, of A' = U'L': x = U'^-1 x and x = L'^-1 x. `width`
// right-hand sides at once, as in lb_blocks_forward.
void lb_blocks_general_forward(const lb_blocks_general* A, bool transposed, int width, double* x);
void lb_blocks_general_backward(const lb_blocks_general* A, bool transposed, int width, double* x);
