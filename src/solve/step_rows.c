// Which rows of constraints are equations at the end of a step, and what they do to (5) of
// step_derivative.h.
//
// A row that pushes but does not pull is one where it pushes. With the set of those fixed, a step
// is as smooth as one with rows that hold both ways, and its derivative is theirs. Multipliers that
// are zero need care where rows repeat each other: of a box that lies on four corners two
// opposite ones may carry it all, and yet it does not turn about them, since the others are closed.
// A row that is closed but does not push is an equation all the same if it could push: if other
// multipliers, with its own above zero, exert the same forces. With rows f_j of J and lambda > 0
// for those that push there are such when
//
//   f_j + sum_i x_i f_i = 0   for x_i of any sign where i pushes or holds both ways,
//                             x_i >= 0 where i is closed and does not push                  (1)
//
// since (x, 1) times a small number may be added to lambda. The least squares of (1) are a problem
// of math/complementary.h.
#include <math.h>
#include <string.h>

#include "dynamics/gear.h"
#include "math/complementary.h"
#include "math/dense.h"
#include "math/semidefinite.h"
#include "solve/step_inside.h"

// Rows whose pivot is below this fraction of the largest repeat others, as in the stepper.
static const double REDUNDANT = 1e-11;

// A row is closed when s of (3) is below this [m/s or rad/s]; (1) holds when this much of the row
// is left.
static const double CLOSED = 1e-6, LEFT = 1e-8;

// --- which ---

void lb_step_rows_judge(lb_step_derivative* S, const lb_data* d, const lb_step_past* past) {
  const double pace = lb_step_pace(past, past->dt);
  for (int i = 0; i < lb_loops_count(d); i++) {
    const lb_loop_row r = lb_loops_row(d, i);
    const bool lands = past->lands && past->lands[i];
    const bool ajar = past->impact && r.gap > CLOSED;
    const double s = lands ? r.gap / past->dt : r.rate + pace * r.gap;
    S->lands[i] = lands;
    S->state[i] = !r.pushes || past->lambda[i] > 0 ? LB_ROW_HOLDS
                  : fabs(s) <= CLOSED && !ajar     ? LB_ROW_IDLE
                                                   : LB_ROW_FREE;
  }
}

static const double* force_of(const lb_step_derivative* S, int row) {
  return S->Z + (size_t)row * (size_t)S->nd;
}

// How much of row j is left, over its size, by the least squares of (1) over the members; x in
// S->share.
static double left_of(lb_step_derivative* S, int j, int count) {
  const int nd = S->nd;
  const double* f = force_of(S, j);
  double *x = S->share, *b = S->share + count, *left = S->mu;
  memcpy(left, f, (size_t)nd * sizeof *left);
  if (count > 0) {
    for (int i = 0; i < count; i++) {
      const double* g = force_of(S, S->member[i]);
      for (int k = 0; k < count; k++) {
        S->A[i + k * count] = lb_dot(nd, g, force_of(S, S->member[k]));
      }
      b[i] = lb_dot(nd, g, f);
      S->one_way[i] = S->state[S->member[i]] == LB_ROW_IDLE;
    }
    lb_complementary_solve(count, S->A, b, S->one_way, REDUNDANT, x, S->part, S->work, S->pivot);
  }
  for (int i = 0; i < count; i++) {
    lb_add(nd, left, x[i], force_of(S, S->member[i]));
  }
  return sqrt(lb_dot(nd, left, left) / lb_dot(nd, f, f));
}

// (1) for an idle row: it could push then, together with those that have a share.
static void look_at_idle(lb_step_derivative* S, int j, int rows) {
  int count = 0;
  for (int i = 0; i < rows; i++) {
    if (i != j && S->state[i] != LB_ROW_FREE) {
      S->member[count++] = i;
    }
  }
  if (left_of(S, j, count) <= LEFT) {
    S->state[j] = LB_ROW_COULD;
    for (int i = 0; i < count; i++) {
      if (S->one_way[i] && S->share[i] > 0) {
        S->state[S->member[i]] = LB_ROW_COULD;
      }
    }
  }
}

static void add_row(lb_step_derivative* S, int row) {
  int i = S->rows++;
  for (; i > 0 && S->row[i - 1] > row; i--) {
    S->row[i] = S->row[i - 1];
  }
  S->row[i] = row;
}

// Rows that hold, but those that repeat others.
static void choose_holding(lb_step_derivative* S, int rows) {
  int count = 0;
  for (int i = 0; i < rows; i++) {
    if (S->state[i] == LB_ROW_HOLDS) {
      S->member[count++] = i;
    }
  }
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      S->A[i + j * count] = lb_dot(S->nd, force_of(S, S->member[i]), force_of(S, S->member[j]));
    }
  }
  const int rank =
      count > 0 ? lb_semidefinite_rows(count, S->A, count, REDUNDANT, S->work, S->pivot) : 0;
  for (int i = 0; i < rank; i++) {
    add_row(S, S->member[S->pivot[i]]);
  }
}

// The equations that say something of their own, in rising order. Rows that hold come first: of
// those that could push instead the step says less exactly what they are.
static void choose_rows(lb_step_derivative* S, int rows) {
  S->rows = 0;
  choose_holding(S, rows);
  for (int j = 0; j < rows; j++) {
    memcpy(S->member, S->row, (size_t)S->rows * sizeof *S->row);
    if (S->state[j] == LB_ROW_COULD && left_of(S, j, S->rows) > sqrt(REDUNDANT)) {
      add_row(S, j);
    }
  }
}

// --- their derivatives ---

// s_q from that of the rate, which is there, and s_v.
static void differentiate_row(lb_step_derivative* S, int row) {
  const size_t nd = (size_t)S->nd, at = (size_t)row * nd;
  const bool landed = S->lands[row];
  const double rate = landed ? 0 : 1, gap = landed ? 1 / S->dt : S->pace;
  for (size_t k = at; k < at + nd; k++) {
    S->s_q[k] = rate * S->s_q[k] + gap * S->gap_q[k];
    S->s_v[k] = rate * S->J[k];
  }
}

bool lb_step_rows_differentiate(lb_step_derivative* S, lb_data* d) {
  const lb_model* m = S->m;
  const size_t nd = (size_t)S->nd;
  const int all = lb_loops_count(d);
  lb_loops_differentiate_rows(S->D, d, S->gap_q, S->s_q, S->J);
  if (S->linear && !(S->closing > 0)) {
    memcpy(S->gap_q, S->start_gap, (size_t)all * nd * sizeof *S->gap_q);
  }
  memcpy(S->F, S->J, (size_t)all * nd * sizeof *S->F);
  for (int i = 0; i < all; i++) {
    lb_step_clear_driven(m, S->F + (size_t)i * nd);
  }
  memcpy(S->Z, S->F, (size_t)all * nd * sizeof *S->Z);
  for (int i = 0; i < all; i++) {
    lb_gears_fold(m, S->Z + (size_t)i * nd);
  }
  for (int i = 0; i < all; i++) {
    if (S->state[i] == LB_ROW_IDLE) {
      look_at_idle(S, i, all);
    }
  }
  choose_rows(S, all);
  for (int i = 0; i < all; i++) {
    differentiate_row(S, i);
  }
  double* const matrices[] = {S->s_q, S->s_v, S->J, S->F};
  for (int p = 0; p < 4; p++) {
    for (int i = 0; i < S->rows; i++) {
      memmove(matrices[p] + (size_t)i * nd, matrices[p] + (size_t)S->row[i] * nd,
              nd * sizeof(double));
    }
  }
  for (int i = 0; i < S->rows; i++) {
    S->row_motor[i] = lb_loops_row(d, S->row[i]).motor;
  }
  memcpy(S->Z, S->F, (size_t)S->rows * nd * sizeof *S->Z);
  for (int i = 0; i < S->rows; i++) {
    const size_t at = (size_t)i * nd;
    lb_step_row(S->E + at, S->D->model, d, S->reach, S->s_q + at, S->s_v + at);
  }
  if (S->rows == 0) {
    return true;
  }
  lb_step_solve(S, false, S->rows, S->Z);
  for (int i = 0; i < S->rows; i++) {
    for (int j = 0; j < S->rows; j++) {
      S->A[i + j * S->rows] = lb_dot(S->nd, S->E + (size_t)i * nd, S->Z + (size_t)j * nd);
    }
  }
  return lb_lu(S->rows, S->A, S->rows, S->pivot) == LB_OK;
}
