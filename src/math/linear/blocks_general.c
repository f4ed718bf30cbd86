#include "math/linear/blocks_general.h"

#include <math.h>
#include <string.h>

#include "math/linear/blocks_rows.h"

lb_status lb_blocks_general_create(lb_arena* arena, const lb_blocks* pattern,
                                   lb_blocks_general* A) {
  const int count = pattern->column[pattern->n];
  *A = (lb_blocks_general){pattern, LB_TAKE(arena, lb_m3, count), LB_TAKE(arena, lb_m3, count)};
  return lb_arena_status(arena);
}

void lb_blocks_general_zero(lb_blocks_general* A) {
  const size_t size = (size_t)A->pattern->column[A->pattern->n] * sizeof *A->lower;
  memset(A->lower, 0, size);
  memset(A->upper, 0, size);
}

static void subtract(lb_m3* to, lb_m3 B) {
  to->x -= B.x;
  to->y -= B.y;
  to->z -= B.z;
}

// Take off what the columns to the left say about column j of L, and the rows above about row j of
// U: A_ij -= L_is U_sj and A_ji -= L_js U_si for i from j on.
static void gather(lb_blocks_general* A, int j) {
  const lb_blocks* P = A->pattern;
  for (int k = P->column[j]; k < P->column[j + 1]; k++) {
    P->position[P->row[k]] = k;
  }
  for (int s = P->before[j]; s < P->before[j + 1]; s++) {
    const int here = P->at[s];
    const lb_m3 U = lb_m3_transpose(A->upper[here]), L = lb_m3_transpose(A->lower[here]);
    for (int k = here; k < P->column[P->left[s] + 1]; k++) {
      const int to = P->position[P->row[k]];
      subtract(&A->lower[to], lb_m3_mul(A->lower[k], U));
      subtract(&A->upper[to], lb_m3_mul(A->upper[k], L)); // both transposed
    }
  }
}

static bool invert(lb_m3* B) {
  static const double LEAST = 1e-14;
  const lb_v4 yz = lb_v4_cross(B->y, B->z), zx = lb_v4_cross(B->z, B->x),
              xy = lb_v4_cross(B->x, B->y);
  const double det = lb_v4_dot(B->x, yz);
  const double size = sqrt(lb_v4_dot(B->x, B->x) * lb_v4_dot(B->y, B->y) * lb_v4_dot(B->z, B->z));
  if (!(fabs(det) > LEAST * size)) {
    return false;
  }
  *B = lb_m3_transpose((lb_m3){yz / det, zx / det, xy / det});
  return true;
}

bool lb_blocks_general_factor(lb_blocks_general* A) {
  const lb_blocks* P = A->pattern;
  for (int j = 0; j < P->n; j++) {
    gather(A, j);
    lb_m3* D = &A->lower[P->column[j]];
    if (!invert(D)) {
      return false;
    }
    for (int k = P->column[j] + 1; k < P->column[j + 1]; k++) {
      A->lower[k] = lb_m3_mul(A->lower[k], *D);
    }
  }
  return true;
}

void lb_blocks_general_forward(const lb_blocks_general* A, bool transposed, int width, double* x) {
  const lb_blocks* P = A->pattern;
  const lb_m3* factor = transposed ? A->upper : A->lower;
  const size_t block = 3 * (size_t)width;
  for (int j = 0; j < P->n; j++) {
    double* from = x + (size_t)j * block;
    if (transposed) {
      lb_constraint_rows_multiply(width, from, lb_m3_transpose(A->lower[P->column[j]]));
    }
    for (int k = P->column[j] + 1; k < P->column[j + 1]; k++) {
      lb_constraint_rows_subtract(width, x + (size_t)P->row[k] * block, factor[k], from);
    }
  }
}

void lb_blocks_general_backward(const lb_blocks_general* A, bool transposed, int width, double* x) {
  const lb_blocks* P = A->pattern;
  const lb_m3* factor = transposed ? A->lower : A->upper;
  const size_t block = 3 * (size_t)width;
  for (int j = P->n - 1; j >= 0; j--) {
    double* to = x + (size_t)j * block;
    for (int k = P->column[j] + 1; k < P->column[j + 1]; k++) {
      lb_constraint_rows_subtract(width, to, lb_m3_transpose(factor[k]),
                                  x + (size_t)P->row[k] * block);
    }
    if (!transposed) {
      lb_constraint_rows_multiply(width, to, A->lower[P->column[j]]);
    }
  }
}
