#include "solve/step/active_set.h"

#include <math.h>
#include <string.h>

#include "math/linear/complementary.h"
#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"

// (1) holds when this much of the constraint is left.
static const double LEFT = 1e-8;

static const double* force_of(const lb_active_set* C, int row) {
  return C->force + (size_t)row * (size_t)C->nd;
}

// Residual of constraint j, over its size, by the least squares of (1) over the members; x in
// C->share.
static double left_of(lb_active_set* C, int j, int count) {
  const int nd = C->nd;
  const double* f = force_of(C, j);
  double *x = C->share, *b = C->share + count, *left = C->left;
  memcpy(left, f, (size_t)nd * sizeof *left);
  if (count > 0) {
    for (int i = 0; i < count; i++) {
      const double* g = force_of(C, C->member[i]);
      for (int k = 0; k < count; k++) {
        C->A[i + k * count] = lb_dot(nd, g, force_of(C, C->member[k]));
      }
      b[i] = lb_dot(nd, g, f);
      C->unilateral[i] = C->state[C->member[i]] == LB_WEAKLY_ACTIVE;
    }
    lb_complementary_solve(count, C->A, b, C->unilateral, LB_REDUNDANT, x, C->part, C->work,
                           C->pivot);
  }
  for (int i = 0; i < count; i++) {
    lb_add(nd, left, x[i], force_of(C, C->member[i]));
  }
  return sqrt(lb_dot(nd, left, left) / lb_dot(nd, f, f));
}

// (1) for an idle constraint: it could act then, together with those that have a share.
static void look_at_idle(lb_active_set* C, int j, int rows) {
  int count = 0;
  for (int i = 0; i < rows; i++) {
    if (i != j && C->state[i] != LB_INACTIVE) {
      C->member[count++] = i;
    }
  }
  if (left_of(C, j, count) <= LEFT) {
    C->state[j] = LB_COULD_ACT;
    for (int i = 0; i < count; i++) {
      if (C->unilateral[i] && C->share[i] > 0) {
        C->state[C->member[i]] = LB_COULD_ACT;
      }
    }
  }
}

static void add_row(lb_active_set* C, int row) {
  int i = C->rows++;
  for (; i > 0 && C->row[i - 1] > row; i--) {
    C->row[i] = C->row[i - 1];
  }
  C->row[i] = row;
}

// Constraints that hold, but those that are redundant.
static void choose_holding(lb_active_set* C, int rows) {
  int count = 0;
  for (int i = 0; i < rows; i++) {
    if (C->state[i] == LB_ACTIVE) {
      C->member[count++] = i;
    }
  }
  for (int i = 0; i < count; i++) {
    for (int j = 0; j <= i; j++) { // the lower triangle
      C->A[i + j * count] = lb_dot(C->nd, force_of(C, C->member[i]), force_of(C, C->member[j]));
    }
  }
  const int rank =
      count > 0 ? lb_semidefinite_rows(count, C->A, count, LB_REDUNDANT, C->work, C->pivot) : 0;
  for (int i = 0; i < rank; i++) {
    add_row(C, C->member[C->pivot[i]]);
  }
}

// Bilateral constraints come first: of those that could be active instead the step says less
// exactly what they are.
void lb_active_set_find(lb_active_set* C) {
  const int rows = C->all;
  for (int i = 0; i < rows; i++) {
    if (C->state[i] == LB_WEAKLY_ACTIVE) {
      look_at_idle(C, i, rows);
    }
  }
  C->rows = 0;
  choose_holding(C, rows);
  for (int j = 0; j < rows; j++) {
    memcpy(C->member, C->row, (size_t)C->rows * sizeof *C->row);
    if (C->state[j] == LB_COULD_ACT && left_of(C, j, C->rows) > sqrt(LB_REDUNDANT)) {
      add_row(C, j);
    }
  }
}

lb_active_set lb_active_set_take(lb_arena* arena, size_t nd, size_t all) {
  return (lb_active_set){.nd = (int)nd,
                         .all = (int)all,
                         .force = LB_TAKE(arena, double, all* nd),
                         .state = LB_TAKE(arena, lb_active_state, all),
                         .row = LB_TAKE(arena, int, all),
                         .A = LB_TAKE(arena, double, all* all),
                         .part = LB_TAKE(arena, double, all* all),
                         .share = LB_TAKE(arena, double, 2 * all),
                         .work = LB_TAKE(arena, double, 4 * all),
                         .left = LB_TAKE(arena, double, nd),
                         .member = LB_TAKE(arena, int, all),
                         .pivot = LB_TAKE(arena, int, 2 * all),
                         .unilateral = LB_TAKE(arena, bool, all)};
}
