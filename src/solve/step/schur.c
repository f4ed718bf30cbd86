#include "solve/step/schur.h"

#include <string.h>

#include "math/linear/complementary.h"
#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"

lb_schur lb_schur_take(lb_arena* arena, int most, int n) {
  const size_t rows = (size_t)most, width = rows * (size_t)n, square = rows * rows;
  return (lb_schur){.n = n,
                    .most = most,
                    .J = LB_TAKE(arena, double, width),
                    .Z = LB_TAKE(arena, double, width),
                    .A = LB_TAKE(arena, double, square),
                    .mu = LB_TAKE(arena, double, rows),
                    .of_first = LB_TAKE(arena, int, rows),
                    .of_rest = LB_TAKE(arena, int, rows),
                    .unilateral = LB_TAKE(arena, bool, rows),
                    .held = LB_TAKE(arena, double, square),
                    .to = LB_TAKE(arena, double, square),
                    .left = LB_TAKE(arena, double, square),
                    .part = LB_TAKE(arena, double, square),
                    .next = LB_TAKE(arena, double, rows),
                    .b = LB_TAKE(arena, double, rows),
                    .work = LB_TAKE(arena, double, 4 * rows),
                    .exchange = LB_TAKE(arena, int, rows),
                    .pivot = LB_TAKE(arena, int, 2 * rows)};
}

void lb_schur_forget(lb_schur* L, int n, bool general) {
  L->n = n;
  L->count = 0;
  L->general = general;
}

// --- A ---

// Columns from `at` on up to the next gap, [from, to): of a constraint between parts that move
// freely, those of the parts. false: all that is left is zero.
static bool next_run(const double* row, int n, int at, int* from, int* to) {
  enum { GAP = 6 };
  for (; at < n && row[at] == 0; at++) {
  }
  *from = *to = at;
  for (int last = at; at < n && at <= last + GAP; at++) {
    last = row[at] != 0 ? at : last;
    *to = last + 1;
  }
  return *from < n;
}

// A = E Z', the runs of E's rows alone.
static void fill(lb_schur* L) {
  const int n = L->n, count = L->count;
  memset(L->A, 0, (size_t)count * (size_t)count * sizeof *L->A);
  for (int i = 0; i < count; i++) {
    const double* row = L->E + i * n;
    const int end = L->general ? count : i + 1;
    for (int from = 0, to = 0; next_run(row, n, to, &from, &to);) {
      for (int j = 0; j < end; j++) {
        L->A[i * count + j] += lb_dot(to - from, row + from, L->Z + j * n + from);
      }
    }
    for (int j = 0; j < end; j++) {
      L->A[j * count + i] = L->general ? L->A[j * count + i] : L->A[i * count + j];
    }
  }
}

// --- which constraints are solved for first ---
//
// Beside a W that is symmetric and definite, none. Beside another one A says nothing about which
// constraints are redundant, since their forces may make it indefinite; then bilateral ones T that
// are independent by themselves come before the unilateral ones O,
//
//   A_TT mu_T = change_T - A_TO mu_O
//   (A_OO - A_OT A_TT^-1 A_TO) mu_O >= change_O - A_OT A_TT^-1 change_T                    (2)
//
// so that inequalities are those of the second matrix alone: of its symmetric part, since they are
// those of a quadratic program, and the next iteration makes up for the rest.

static void split(lb_schur* L, const bool* unilateral) {
  L->first = L->rest = 0;
  for (int i = 0; i < L->count; i++) {
    const bool pushes = unilateral && unilateral[i];
    if (L->general && !pushes) {
      L->of_first[L->first++] = i;
    } else {
      L->unilateral[L->rest] = pushes;
      L->of_rest[L->rest++] = i;
    }
  }
}

// Redundant ones of the first are left out.
static void drop_redundant(lb_schur* L) {
  const int n = L->n, all = L->first;
  for (int i = 0; i < all; i++) {
    for (int j = 0; j < all; j++) {
      L->part[i * all + j] = lb_dot(n, L->J + L->of_first[i] * n, L->J + L->of_first[j] * n);
    }
  }
  L->first = all > 0 ? lb_semidefinite_rows(all, L->part, all, LB_REDUNDANT, L->work, L->pivot) : 0;
  for (int i = 0; i < L->first; i++) {
    L->exchange[i] = L->of_first[L->pivot[i]];
  }
  memcpy(L->of_first, L->exchange, (size_t)L->first * sizeof *L->of_first);
}

// A_TT factored, and A_TT^-1 A_TO in `to`. false: it is singular.
static bool factor_first(lb_schur* L) {
  const int count = L->count, t = L->first, *T = L->of_first, *O = L->of_rest;
  for (int i = 0; i < t; i++) {
    for (int j = 0; j < t; j++) {
      L->held[i + j * t] = L->A[T[i] * count + T[j]];
    }
    for (int j = 0; j < L->rest; j++) {
      L->to[i + j * t] = L->A[T[i] * count + O[j]];
    }
  }
  if (lb_lu(t, L->held, t, L->exchange) != LB_OK) {
    return false;
  }
  lb_lu_solve(t, L->held, t, L->exchange, L->rest, L->to, t);
  return true;
}

// The symmetric part of what is left of A.
static void find_left(lb_schur* L) {
  const int count = L->count, t = L->first, o = L->rest, *T = L->of_first, *O = L->of_rest;
  for (int i = 0; i < o; i++) {
    for (int j = 0; j < o; j++) {
      double sum = L->A[O[i] * count + O[j]];
      for (int k = 0; k < t; k++) {
        sum -= L->A[O[i] * count + T[k]] * L->to[k + j * t];
      }
      L->left[i + j * o] = sum;
    }
  }
  for (int i = 0; i < o; i++) {
    for (int j = 0; j < i; j++) {
      L->left[i + j * o] = L->left[j + i * o] = 0.5 * (L->left[i + j * o] + L->left[j + i * o]);
    }
  }
}

static void factor_in_parts(lb_schur* L, const bool* unilateral) {
  split(L, unilateral);
  drop_redundant(L);
  if (!factor_first(L)) { // as if W were definite
    L->general = false;
    split(L, unilateral);
  }
  find_left(L);
}

void lb_schur_keep(lb_schur* L, lb_operator* W, int count, const double* J, int stride,
                   const double* E, const bool* unilateral) {
  const size_t n = (size_t)L->n;
  for (size_t i = 0; i < (size_t)count; i++) {
    memcpy(L->J + i * n, J + i * (size_t)stride, n * sizeof *J);
  }
  memcpy(L->Z, L->J, (size_t)count * n * sizeof *J);
  L->E = E ? E : L->J;
  L->count = count;
  lb_operator_solve(W, false, count, L->Z);
  fill(L);
  L->in_parts = L->general || unilateral;
  if (L->in_parts) {
    factor_in_parts(L, unilateral);
  } else {
    L->rank = lb_semidefinite_factor(count, L->A, count, LB_REDUNDANT, L->work, L->pivot);
  }
}

// --- multipliers ---

// The rest of (2) with `held` = A_TT^-1 change_T in next.
static void solve_rest(lb_schur* L, const double* lambda) {
  const int count = L->count, t = L->first, o = L->rest, *O = L->of_rest;
  double *held = L->next, *next = L->next + t;
  for (int i = 0; i < o; i++) {
    L->b[i] = -L->mu[O[i]];
    for (int k = 0; k < t; k++) {
      L->b[i] += L->A[O[i] * count + L->of_first[k]] * held[k];
    }
    for (int j = 0; j < o; j++) {
      L->b[i] -= L->left[i + j * o] * lambda[O[j]];
    }
  }
  lb_complementary_solve(o, L->left, L->b, L->unilateral, LB_REDUNDANT, next, L->part, L->work,
                         L->pivot);
  for (int i = 0; i < o; i++) {
    next[i] -= lambda[O[i]];
    lb_add(t, held, -next[i], L->to + i * t);
  }
}

static void solve_in_parts(lb_schur* L, const double* lambda) {
  const int t = L->first;
  for (int i = 0; i < t; i++) {
    L->next[i] = L->mu[L->of_first[i]];
  }
  if (t > 0) {
    lb_lu_solve(t, L->held, t, L->exchange, 1, L->next, t);
  }
  if (L->rest > 0) {
    solve_rest(L, lambda);
  }
  memset(L->mu, 0, (size_t)L->count * sizeof *L->mu);
  for (int i = 0; i < t; i++) {
    L->mu[L->of_first[i]] = L->next[i];
  }
  for (int i = 0; i < L->rest; i++) {
    L->mu[L->of_rest[i]] = L->next[t + i];
  }
}

void lb_schur_solve(lb_schur* L, const double* lambda) {
  if (L->in_parts) {
    solve_in_parts(L, lambda);
  } else {
    lb_semidefinite_solve(L->count, L->A, L->count, L->rank, L->mu, L->work, L->pivot);
  }
}

void lb_schur_correct(lb_schur* L, lb_operator* W, const lb_constraint_rows* rows, const double* J,
                      int stride, const double* E, lb_kkt_target wish, double* lambda, double* dv,
                      double* r) {
  const int n = L->n, count = rows->count;
  if (L->count != count) {
    lb_schur_keep(L, W, count, J, stride, E, rows->unilateral);
  }
  for (int i = 0; i < count; i++) {
    L->mu[i] = -lb_kkt_asked(rows, i, wish);
  }
  lb_columns_dot(n, count, L->mu, L->E, dv);
  lb_schur_solve(L, lambda);
  lb_add(count, lambda, 1, L->mu);
  lb_columns_add(n, count, dv, -1, L->Z, L->mu);
  lb_columns_add(n, count, r, -1, L->J, L->mu);
}

void lb_schur_project(lb_schur* L, double* dv) {
  memset(L->mu, 0, (size_t)L->count * sizeof *L->mu);
  lb_columns_dot(L->n, L->count, L->mu, L->E, dv);
  lb_schur_solve(L, L->mu);
  lb_columns_add(L->n, L->count, dv, -1, L->Z, L->mu);
}
