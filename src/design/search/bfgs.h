// Pairs of BFGS: what the last iterations of a search changed of the numbers, s, and of the
// gradient, y. With them the inverse of the second derivative is
//
//   H_i+1 = (1 - rho_i s_i y_i') H_i (1 - rho_i y_i s_i') + rho_i s_i s_i',   rho_i = 1 / s_i'y_i
//
// from some H_0, and a product with it takes two loops over the pairs and one product with H_0
// [Nocedal & Wright 2006, alg. 7.4]. L-BFGS keeps the last pairs, BFGS all of them.
#pragma once
#include <stdbool.h>

// All of it is doubles, so that a search can save them and go on with the same bits.
typedef struct lb_bfgs {
  int n, most;            // numbers, and room for pairs
  double *count, *newest; // [1] each
  double* pair;           // [most][2 n + 1] s, y and a number for the loops over them
  const bool* held;       // [n] numbers that stay as they are; NULL: none does
} lb_bfgs;

// Doubles of each pair.
static inline int lb_bfgs_size(int n) {
  return 2 * n + 1;
}

// p = H p, H_0 by `apply`, times the factor with which it answers to the y of the newest pair by
// its s, of the first pair if `first`; NULL: it is the identity. Without pairs p = H_0 p.
void lb_bfgs_apply(const lb_bfgs* B, bool first, double* p, double* scratch,
                   void (*apply)(const void* context, double* x), const void* context);

// Keep the pair from x to x1 and from g to g1, unless it bends the wrong way.
void lb_bfgs_remember(lb_bfgs* B, const double* x, const double* x1, const double* g,
                      const double* g1);
