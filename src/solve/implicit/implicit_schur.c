#include "solve/implicit/implicit_schur.h"

#include <string.h>

#include "math/linear/complementary.h"
#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"

lb_status lb_implicit_schur_create(lb_implicit_schur* L, int rows, int n, lb_arena* arena) {
  *L = (lb_implicit_schur){.n = n,
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
                           .next = LB_TAKE(arena, double, rows),
                           .held_A = LB_TAKE(arena, double, rows* rows),
                           .left = LB_TAKE(arena, double, rows* rows),
                           .to = LB_TAKE(arena, double, rows* rows),
                           .member = LB_TAKE(arena, int, 2 * rows),
                           .wanted = LB_TAKE(arena, double, rows),
                           .unilateral = LB_TAKE(arena, bool, rows)};
  for (int i = 0; L->unilateral && i < rows; i++) {
    L->unilateral[i] = true;
  }
  return lb_arena_status(arena);
}

lb_status lb_implicit_schur_create_small(lb_implicit_schur* L, int rows, int n, lb_arena* arena) {
  *L = (lb_implicit_schur){.n = n,
                           .most = rows,
                           .lambda = LB_TAKE(arena, double, rows),
                           .held = LB_TAKE(arena, double, rows),
                           .next = LB_TAKE(arena, double, rows)};
  return L->lambda && L->held && L->next ? LB_OK : LB_NO_MEMORY;
}

void lb_implicit_schur_forget(lb_implicit_schur* L, bool general) {
  L->count = 0;
  L->general = general;
}

// Of an exact W the matrix A says nothing about which rows are redundant: forces of constraints may
// make it indefinite. Rows are chosen by themselves, and A is that of the chosen ones.
static void factor_general(lb_implicit_schur* L) {
  const int n = L->n, count = L->count;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      L->A[i * count + j] = lb_dot(n, L->J + i * n, L->J + j * n);
    }
  }
  L->rank = lb_semidefinite_rows(count, L->A, count, LB_REDUNDANT, L->work, L->pivot);
  for (int i = 0; i < L->rank; i++) {
    for (int j = 0; j < L->rank; j++) {
      L->A[i + j * L->rank] = lb_dot(n, L->E + L->pivot[i] * n, L->Z + L->pivot[j] * n);
    }
  }
  if (lb_lu(L->rank, L->A, L->rank, L->exchange) != LB_OK) {
    L->rank = 0;
  }
}

// Columns from `at` on up to the next gap, [from, to): of a row between parts that move freely,
// those of the parts. false: all that is left is zero.
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
static void fill(lb_implicit_schur* L) {
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

static void factor(lb_implicit_schur* L) {
  fill(L);
  L->rank = lb_semidefinite_factor(L->count, L->A, L->count, LB_REDUNDANT, L->work, L->pivot);
}

static void solve_general(lb_implicit_schur* L) {
  for (int i = 0; i < L->rank; i++) {
    L->work[i] = L->mu[L->pivot[i]];
  }
  lb_lu_solve(L->rank, L->A, L->rank, L->exchange, 1, L->work, L->rank);
  memset(L->mu, 0, (size_t)L->count * sizeof *L->mu);
  for (int i = 0; i < L->rank; i++) {
    L->mu[L->pivot[i]] = L->work[i];
  }
}

// The conditions of unilateral constraints, on lambda + mu: A is not factored.
static void solve_unilateral(lb_implicit_schur* L, const bool* unilateral) {
  const int n = L->count;
  for (int i = 0; i < n; i++) {
    L->mu[i] = -L->mu[i] - lb_dot(n, L->A + i * n, L->lambda);
  }
  lb_complementary_solve(n, L->A, L->mu, unilateral, LB_REDUNDANT, L->next, L->part, L->work,
                         L->pivot);
  for (int i = 0; i < n; i++) {
    L->mu[i] = L->next[i] - L->lambda[i];
  }
}

// Which rows are bilateral and say something of their own, then which are active; how many of both.
static void list_members(lb_implicit_schur* L, const bool* unilateral, int* holding, int* pushing) {
  const int n = L->n, count = L->count;
  int *hold = L->member, *push = L->member + L->most, all = 0;
  *pushing = 0;
  for (int i = 0; i < count; i++) {
    if (unilateral[i]) {
      push[(*pushing)++] = i;
    } else {
      hold[all++] = i;
    }
  }
  for (int i = 0; i < all; i++) {
    for (int j = 0; j < all; j++) {
      L->part[i * all + j] = lb_dot(n, L->J + hold[i] * n, L->J + hold[j] * n);
    }
  }
  *holding = all > 0 ? lb_semidefinite_rows(all, L->part, all, LB_REDUNDANT, L->work, L->pivot) : 0;
  for (int i = 0; i < *holding; i++) {
    L->exchange[i] = hold[L->pivot[i]];
  }
  memcpy(hold, L->exchange, (size_t)*holding * sizeof *hold);
}

// A_TT factored, and A_TT^-1 A_TO in `to`. false: it is singular.
static bool factor_holding(lb_implicit_schur* L, int t, int o) {
  const int count = L->count, *T = L->member, *O = L->member + L->most;
  for (int i = 0; i < t; i++) {
    for (int j = 0; j < t; j++) {
      L->held_A[i + j * t] = L->A[T[i] * count + T[j]];
    }
    for (int j = 0; j < o; j++) {
      L->to[i + j * t] = L->A[T[i] * count + O[j]];
    }
  }
  if (lb_lu(t, L->held_A, t, L->exchange) != LB_OK) {
    return false;
  }
  lb_lu_solve(t, L->held_A, t, L->exchange, o, L->to, t);
  return true;
}

// g = A lambda + change, of rows that are not redundant: those keep what they have.
static void find_wanted(const lb_implicit_schur* L, int t, int o, double* g) {
  const int count = L->count, *T = L->member, *O = L->member + L->most;
  for (int i = 0; i < count; i++) {
    g[i] = L->mu[i];
    for (int j = 0; j < t + o; j++) {
      const int k = j < t ? T[j] : O[j - t];
      g[i] += L->A[i * count + k] * L->lambda[k];
    }
  }
}

// The symmetric part of A_OO - A_OT A_TT^-1 A_TO.
static void find_left(lb_implicit_schur* L, int t, int o) {
  const int count = L->count, *T = L->member, *O = L->member + L->most;
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
      const double mean = 0.5 * (L->left[i + j * o] + L->left[j + i * o]);
      L->left[i + j * o] = L->left[j + i * o] = mean;
    }
  }
}

// The same beside a W that is not symmetric or not definite, where A may be indefinite. With rows T
// that are bilateral and O that are active, and next = lambda + mu,
//
//   A_TT next_T = g_T - A_TO next_O,     g = A lambda + change
//   (A_OO - A_OT A_TT^-1 A_TO) next_O - (g_O - A_OT A_TT^-1 g_T)  >= 0,  next_O >= 0
//
// so that inequalities are those of the second matrix alone: of its symmetric part, since
// they are those of a quadratic program, and the next iteration makes up for the rest. false: A_TT
// is singular, and nothing is changed.
static bool solve_unilateral_general(lb_implicit_schur* L, const bool* unilateral) {
  const int count = L->count;
  int t = 0, o = 0;
  list_members(L, unilateral, &t, &o);
  if (!factor_holding(L, t, o)) {
    return false;
  }
  const int *T = L->member, *O = L->member + L->most;
  double *g = L->next, *held = L->wanted, *b = L->wanted + t;
  find_wanted(L, t, o, g);
  find_left(L, t, o);
  for (int i = 0; i < t; i++) {
    held[i] = g[T[i]];
  }
  lb_lu_solve(t, L->held_A, t, L->exchange, 1, held, t);
  for (int i = 0; i < o; i++) {
    b[i] = -g[O[i]];
    for (int k = 0; k < t; k++) {
      b[i] += L->A[O[i] * count + T[k]] * held[k];
    }
  }
  lb_complementary_solve(o, L->left, b, L->unilateral, LB_REDUNDANT, L->next, L->part, L->work,
                         L->pivot);
  memset(L->mu, 0, (size_t)count * sizeof *L->mu);
  for (int i = 0; i < t; i++) {
    for (int j = 0; j < o; j++) {
      held[i] -= L->to[i + j * t] * L->next[j];
    }
    L->mu[T[i]] = held[i] - L->lambda[T[i]];
  }
  for (int i = 0; i < o; i++) {
    L->mu[O[i]] = L->next[i] - L->lambda[O[i]];
  }
  return true;
}

// mu from the change of J v that is asked for: A mu = change.
static void solve_multipliers(lb_implicit_schur* L, const bool* unilateral) {
  if (unilateral && L->general && solve_unilateral_general(L, unilateral)) {
    return;
  }
  if (unilateral) {
    solve_unilateral(L, unilateral);
  } else if (L->general) {
    solve_general(L);
  } else {
    lb_semidefinite_solve(L->count, L->A, L->count, L->rank, L->mu, L->work, L->pivot);
  }
}

static void keep(lb_implicit_schur* L, int count, const double* J, const double* E, bool unilateral,
                 void (*solve)(const void* context, int count, double* b), const void* context) {
  const size_t size = (size_t)count * (size_t)L->n * sizeof *L->J;
  memcpy(L->J, J, size);
  memcpy(L->Z, J, size);
  L->E = E ? E : L->J;
  solve(context, count, L->Z);
  L->count = count;
  (unilateral ? fill : L->general ? factor_general : factor)(L);
}

void lb_implicit_schur_correct(lb_implicit_schur* L, const lb_constraint_rows* rows,
                               const double* J, const double* E, lb_kkt_target wish,
                               void (*solve)(const void* context, int count, double* b),
                               const void* context, double* dv, double* r) {
  const int n = L->n;
  const int count = rows->count;
  if (L->count != count) {
    keep(L, count, J, E, rows->unilateral != NULL, solve, context);
  }
  for (int i = 0; i < count; i++) {
    L->mu[i] = -lb_implicit_asked(rows, i, wish);
  }
  lb_columns_dot(n, count, L->mu, L->E, dv);
  solve_multipliers(L, rows->unilateral);
  lb_add(count, L->lambda, 1, L->mu);
  lb_columns_add(n, count, dv, -1, L->Z, L->mu);
  lb_columns_add(n, count, r, -1, L->J, L->mu);
}

void lb_implicit_schur_hold(lb_implicit_schur* L, bool back) {
  const size_t size = (size_t)L->most * sizeof *L->lambda;
  memcpy(back ? L->lambda : L->held, back ? L->held : L->lambda, size);
}
