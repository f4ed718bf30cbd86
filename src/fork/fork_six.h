// Six by six matrices of one effector, a row in a register of eight numbers. Loops have constant
// bounds and are unrolled, so that entries need no addresses.
#pragma once
#include <string.h>

typedef double lb_six __attribute__((vector_size(8 * sizeof(double)), aligned(sizeof(double))));
#define LB_SIX_INLINE static inline __attribute__((always_inline))
#define LB_SIX_LOOP _Pragma("GCC unroll 6")

LB_SIX_INLINE lb_six lb_six_load(const double* x) {
  lb_six y;
  memcpy(&y, x, sizeof y);
  return y;
}
LB_SIX_INLINE void lb_six_store(double* x, lb_six y) {
  memcpy(x, &y, sizeof y);
}
// 1 at k, 0 elsewhere; and 1 from k on.
LB_SIX_INLINE lb_six lb_six_unit(int k) {
  return (lb_six){k == 0, k == 1, k == 2, k == 3, k == 4, k == 5, k == 6, k == 7};
}
LB_SIX_INLINE lb_six lb_six_from(int k) {
  return (lb_six){k <= 0, k <= 1, k <= 2, k <= 3, k <= 4, k <= 5, k <= 6, k <= 7};
}

// A semidefinite matrix C = L diag(1/d) L' of rank `rank` at most: columns of L with 1 at the
// diagonal, and its rows. What is not above `least` is zero, and so is its d.
typedef struct lb_six_factor {
  int rank;
  lb_six column[6], row[6], d;
} lb_six_factor;

LB_SIX_INLINE void lb_six_factorise(lb_six_factor* F, const double* C, double least, int rank) {
  lb_six A[6];
  LB_SIX_LOOP for (int i = 0; i < 6; i++) {
    A[i] = lb_six_load(C + 8 * i);
    F->row[i] = F->column[i] = (lb_six){0};
  }
  F->d = (lb_six){0};
  F->rank = rank;
  LB_SIX_LOOP for (int p = 0; p < 6; p++) {
    if (p >= rank) {
      break;
    }
    const double d = A[p][p], inverse = d > least ? 1 / d : 0;
    const lb_six l = A[p] * (inverse * lb_six_from(p));
    F->column[p] = l;
    F->row[p] += (inverse > 0) * lb_six_unit(p);
    F->d += inverse * lb_six_unit(p);
    LB_SIX_LOOP for (int i = p + 1; i < 6; i++) {
      A[i] -= A[p][i] * l;
      F->row[i] += (A[p][i] * inverse) * lb_six_unit(p);
    }
  }
}

// y along the columns; what is left of it stays in y.
LB_SIX_INLINE lb_six lb_six_along(const lb_six_factor* F, lb_six* y) {
  lb_six x = {0};
  LB_SIX_LOOP for (int p = 0; p < 6; p++) {
    if (p >= F->rank) {
      break;
    }
    const double along = F->d[p] > 0 ? (*y)[p] : 0;
    *y -= along * F->column[p];
    x += along * lb_six_unit(p);
  }
  return x;
}

// sum of x_k A_k: A'x, or A x of a symmetric A.
LB_SIX_INLINE lb_six lb_six_combine(const lb_six A[6], lb_six x) {
  lb_six even = x[0] * A[0], odd = x[1] * A[1];
  even += x[2] * A[2];
  odd += x[3] * A[3];
  even += x[4] * A[4];
  odd += x[5] * A[5];
  return even + odd;
}

// A x = b of the first `rank` rows and columns of a positive definite A, by Gauss and Jordan. A is
// used up.
LB_SIX_INLINE lb_six lb_six_solve(lb_six A[6], lb_six b, int rank) {
  lb_six x = {0};
  LB_SIX_LOOP for (int i = 0; i < 6; i++) { // b is one more column
    A[i] = A[i] * (lb_six_from(0) - lb_six_from(6)) + b[i] * lb_six_unit(6);
  }
  LB_SIX_LOOP for (int p = 0; p < 6; p++) {
    if (p >= rank) {
      break;
    }
    A[p] *= 1 / A[p][p];
    LB_SIX_LOOP for (int i = 0; i < 6; i++) {
      if (i != p) {
        A[i] -= A[i][p] * A[p];
      }
    }
  }
  LB_SIX_LOOP for (int p = 0; p < 6; p++) {
    x += (p < rank ? A[p][6] : 0) * lb_six_unit(p);
  }
  return x;
}
