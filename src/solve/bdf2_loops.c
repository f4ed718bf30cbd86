#include "solve/bdf2_loops.h"

#include <string.h>

#include "math/complementary.h"
#include "math/dense.h"
#include "math/semidefinite.h"

// Rows of loops whose pivot is below this fraction of the largest repeat others.
static const double REDUNDANT = 1e-11;

lb_status lb_bdf2_loops_create(lb_bdf2_loops* L, int rows, int n, lb_arena* arena) {
  *L = (lb_bdf2_loops){.n = n,
                       .most = rows,
                       .J = LB_TAKE(arena, double, (size_t)rows*(size_t)n),
                       .Z = LB_TAKE(arena, double, (size_t)rows*(size_t)n),
                       .A = LB_TAKE(arena, double, rows* rows),
                       .lambda = LB_TAKE(arena, double, rows),
                       .held = LB_TAKE(arena, double, rows),
                       .mu = LB_TAKE(arena, double, rows),
                       .work = LB_TAKE(arena, double, 4 * rows),
                       .pivot = LB_TAKE(arena, int, 2 * rows),
                       .exchange = LB_TAKE(arena, int, rows),
                       .part = LB_TAKE(arena, double, rows* rows),
                       .next = LB_TAKE(arena, double, rows)};
  return L->J && L->Z && L->A && L->lambda && L->held && L->mu && L->work && L->pivot &&
                 L->exchange && L->part && L->next
             ? LB_OK
             : LB_NO_MEMORY;
}

void lb_bdf2_loops_forget(lb_bdf2_loops* L, bool general) {
  L->count = 0;
  L->general = general;
}

// Of an exact W the matrix A says nothing about which rows repeat others: forces of constraints may
// make it indefinite. Rows are chosen by themselves, and A is that of the chosen ones.
static void factor_general(lb_bdf2_loops* L) {
  const int n = L->n, count = L->count;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      L->A[i * count + j] = lb_dot(n, L->J + i * n, L->J + j * n);
    }
  }
  L->rank = lb_semidefinite_rows(count, L->A, count, REDUNDANT, L->work, L->pivot);
  for (int i = 0; i < L->rank; i++) {
    for (int j = 0; j < L->rank; j++) {
      L->A[i + j * L->rank] = lb_dot(n, L->J + L->pivot[i] * n, L->Z + L->pivot[j] * n);
    }
  }
  if (lb_lu(L->rank, L->A, L->rank, L->exchange) != LB_OK) {
    L->rank = 0;
  }
}

// Of a W that is not symmetric the symmetric part: conditions one way are those of a quadratic
// program, and the next iteration makes up for the rest.
static void fill(lb_bdf2_loops* L) {
  const int n = L->n, count = L->count;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      L->A[i * count + j] = lb_dot(n, L->J + i * n, L->Z + j * n);
    }
  }
  for (int i = 0; L->general && i < count; i++) {
    for (int j = 0; j < i; j++) {
      const double mean = 0.5 * (L->A[i * count + j] + L->A[j * count + i]);
      L->A[i * count + j] = L->A[j * count + i] = mean;
    }
  }
}

static void factor(lb_bdf2_loops* L) {
  fill(L);
  L->rank = lb_semidefinite_factor(L->count, L->A, L->count, REDUNDANT, L->work, L->pivot);
}

static void solve_general(lb_bdf2_loops* L) {
  for (int i = 0; i < L->rank; i++) {
    L->work[i] = L->mu[L->pivot[i]];
  }
  lb_lu_solve(L->rank, L->A, L->rank, L->exchange, 1, L->work, L->rank);
  memset(L->mu, 0, (size_t)L->count * sizeof *L->mu);
  for (int i = 0; i < L->rank; i++) {
    L->mu[L->pivot[i]] = L->work[i];
  }
}

// The conditions of rows that push one way, on lambda + mu: A is not factored.
static void solve_one_way(lb_bdf2_loops* L, const bool* pushes) {
  const int n = L->count;
  for (int i = 0; i < n; i++) {
    L->mu[i] = -L->mu[i] - lb_dot(n, L->A + i * n, L->lambda);
  }
  lb_complementary_solve(n, L->A, L->mu, pushes, REDUNDANT, L->next, L->part, L->work, L->pivot);
  for (int i = 0; i < n; i++) {
    L->mu[i] = L->next[i] - L->lambda[i];
  }
}

// mu from the change of J v that is asked for: A mu = change.
static void solve_multipliers(lb_bdf2_loops* L, const bool* pushes) {
  if (pushes) {
    solve_one_way(L, pushes);
  } else if (L->general) {
    solve_general(L);
  } else {
    lb_semidefinite_solve(L->count, L->A, L->count, L->rank, L->mu, L->work, L->pivot);
  }
}

static void keep(lb_bdf2_loops* L, int count, const double* J, bool one_way,
                 void (*solve)(const void* context, int count, double* b), const void* context) {
  const size_t size = (size_t)count * (size_t)L->n * sizeof *L->J;
  memcpy(L->J, J, size);
  memcpy(L->Z, J, size);
  solve(context, count, L->Z);
  L->count = count;
  (one_way ? fill : L->general ? factor_general : factor)(L);
}

void lb_bdf2_loops_correct(lb_bdf2_loops* L, const lb_loop_rows* rows, const double* J,
                           lb_bdf2_wish wish,
                           void (*solve)(const void* context, int count, double* b),
                           const void* context, double* dv, double* r) {
  const int n = L->n;
  const int count = rows->count;
  if (L->count != count) {
    keep(L, count, J, rows->pushes != NULL, solve, context);
  }
  for (int i = 0; i < count; i++) {
    const double share = rows->paced[i] ? 1 : wish.share; // J v alone changes by J dv
    L->mu[i] = rows->lands[i] ? -(wish.rate * rows->rate[i] + rows->gap[i] / wish.dt)
                              : -share * (rows->rate[i] + wish.pace * rows->gap[i]);
  }
  lb_columns_dot(n, count, L->mu, L->J, dv);
  solve_multipliers(L, rows->pushes);
  lb_add(count, L->lambda, 1, L->mu);
  lb_columns_add(n, count, dv, -1, L->Z, L->mu);
  lb_columns_add(n, count, r, -1, L->J, L->mu);
}

void lb_bdf2_loops_hold(lb_bdf2_loops* L, bool back) {
  const size_t size = (size_t)L->most * sizeof *L->lambda;
  memcpy(back ? L->lambda : L->held, back ? L->held : L->lambda, size);
}
