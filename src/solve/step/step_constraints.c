// Which constraints are equations at the end of a step, and what they do to (5) of
// step_derivative.h.
#include <math.h>
#include <string.h>

#include "dynamics/constraint/elimination.h"
#include "math/linear/dense.h"
#include "solve/step/step_inside.h"

// A row is closed when s of (3) is below this [m/s or rad/s].
static const double CLOSED = 1e-6;

// --- which ---

void lb_step_rows_judge(lb_step_derivative* S, const lb_data* d, const lb_step_past* past) {
  const double baumgarte = lb_step_baumgarte(past, past->dt);
  for (int i = 0; i < lb_constraints_count(d); i++) {
    const lb_constraint_row r = lb_constraints_row(d, i);
    const bool inactive = past->inactive && past->inactive[i];
    const bool ajar = past->impact && r.gap > CLOSED;
    const double rate = inactive ? 0 : r.rate;
    const double s = rate + (inactive ? 1 / past->dt : baumgarte) * r.gap;
    S->inactive[i] = inactive;
    S->state[i] = !r.unilateral || past->lambda[i] > 0 ? LB_ACTIVE
                  : fabs(s) <= CLOSED && !ajar         ? LB_WEAKLY_ACTIVE
                                                       : LB_INACTIVE;
  }
}

static void choose_rows(lb_step_derivative* S, int rows) {
  lb_active_set C = S->active_set;
  C.all = rows;
  lb_active_set_find(&C);
  S->rows = C.rows;
}

// --- their derivatives ---

// s_q from that of the rate, which is there, and s_v.
static void differentiate_row(lb_step_derivative* S, int row) {
  const size_t nd = (size_t)S->nd, at = (size_t)row * nd;
  const bool landed = S->inactive[row];
  const double rate = landed ? 0 : 1, gap = landed ? 1 / S->dt : S->baumgarte;
  for (size_t k = at; k < at + nd; k++) {
    S->s_q[k] = rate * S->s_q[k] + gap * S->gap_q[k];
    S->s_v[k] = rate * S->J[k];
  }
}

bool lb_step_rows_differentiate(lb_step_derivative* S, lb_data* d) {
  const lb_model* m = S->m;
  const size_t nd = (size_t)S->nd;
  const int all = lb_constraints_count(d);
  lb_constraints_differentiate_rows(S->D, d, S->gap_q, S->s_q, S->J);
  memcpy(S->F, S->J, (size_t)all * nd * sizeof *S->F);
  for (int i = 0; i < all; i++) {
    lb_step_clear_driven(m, S->F + (size_t)i * nd);
  }
  memcpy(S->Z, S->F, (size_t)all * nd * sizeof *S->Z);
  for (int i = 0; i < all; i++) {
    lb_elimination_fold(m, S->Z + (size_t)i * nd);
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
    S->row_motor[i] = lb_constraints_row(d, S->row[i]).motor;
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
