// With a little damping, |A x - b|^2 + damping |x|^2, there is one solution, and its conditions are
// those of complementary.h with A'A + damping. As the damping goes to zero it goes to the shortest
// solution without, and so a small one decides which unknowns are zero. The others are then
// found from A itself, as exactly as if nothing were known of signs.
#include "math/linear/nonnegative.h"

#include <string.h>

#include "math/linear/complementary.h"
#include "math/linear/dense.h"

// Relative to the longest column's square, and the pivots that it leaves above zero.
static const double DAMPING = 1e-12, PIVOT = 1e-13;

typedef struct problem {
  lb_arena* scratch;
  int m, n;
  const double *A, *b;
  const bool* unilateral;
  double rcond;
  double* x;    // [n]
  bool* chosen; // [n] not zero
} problem;

static const double* column(const problem* p, int i) {
  return p->A + (size_t)i * (size_t)p->m;
}

// True where no unknown is bounded: all are chosen.
static bool choose_all(const problem* p) {
  bool all = true;
  for (int i = 0; i < p->n; i++) {
    p->chosen[i] = true;
    all = all && !p->unilateral[i];
  }
  return all;
}

static lb_status choose(const problem* p) {
  const size_t n = (size_t)p->n;
  double* G = LB_TAKE(p->scratch, double, n* n);
  double* part = LB_TAKE(p->scratch, double, n* n);
  double* b = LB_TAKE(p->scratch, double, 5 * n);
  int* pivot = LB_TAKE(p->scratch, int, 2 * n);
  if (lb_arena_status(p->scratch) != LB_OK) {
    return LB_NO_MEMORY;
  }
  double most = 0;
  for (int i = 0; i < p->n; i++) {
    b[i] = -lb_dot(p->m, column(p, i), p->b);
    for (int j = 0; j <= i; j++) {
      G[(size_t)i + (size_t)j * n] = lb_dot(p->m, column(p, i), column(p, j));
    }
    const double own = G[(size_t)i * (n + 1)];
    most = own > most ? own : most;
  }
  for (size_t i = 0; i < n; i++) {
    G[i * (n + 1)] += most > 0 ? DAMPING * most : 1;
  }
  lb_complementary_solve(p->n, G, b, p->unilateral, PIVOT, p->x, part, b + n, pivot);
  for (int i = 0; i < p->n; i++) {
    p->chosen[i] = !p->unilateral[i] || p->x[i] > 0;
  }
  return LB_OK;
}

// The shortest x of those that are chosen.
static lb_status solve_chosen(const problem* p) {
  const size_t m = (size_t)p->m, n = (size_t)p->n, longer = m > n ? m : n;
  double* A = LB_TAKE(p->scratch, double, m* n);
  double* b = LB_TAKE(p->scratch, double, longer);
  if (!A || !b) {
    return LB_NO_MEMORY;
  }
  int count = 0, rank = 0;
  for (int i = 0; i < p->n; i++) {
    if (p->chosen[i]) {
      memcpy(A + (size_t)count++ * m, column(p, i), m * sizeof *A);
    }
  }
  memcpy(b, p->b, m * sizeof *b);
  const lb_status status = count == 0 ? LB_OK
                                      : lb_least_squares(p->scratch, p->m, count, A, p->m, 1, b,
                                                         (int)longer, p->rcond, &rank);
  for (int i = 0, k = 0; i < p->n; i++) {
    p->x[i] = p->chosen[i] ? b[k++] : 0;
  }
  return status;
}

// Unknowns below zero, by rounding or for want of damping, are set to zero.
static bool let_go(const problem* p) {
  bool any = false;
  for (int i = 0; i < p->n; i++) {
    if (p->chosen[i] && p->unilateral[i] && p->x[i] < 0) {
      p->chosen[i] = false;
      any = true;
    }
  }
  return any;
}

lb_status lb_nonnegative_least_squares(lb_arena* scratch, int m, int n, const double* A,
                                       const double* b, const bool* unilateral, double rcond,
                                       double* x) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  const problem p = {scratch, m, n, A, b, unilateral, rcond, x, LB_TAKE(scratch, bool, n)};
  lb_status status = !p.chosen ? LB_NO_MEMORY : choose_all(&p) ? LB_OK : choose(&p);
  const lb_arena_mark chosen = lb_arena_here(scratch);
  do {
    lb_arena_reset(scratch, chosen);
    status = status == LB_OK ? solve_chosen(&p) : status;
  } while (status == LB_OK && let_go(&p));
  lb_arena_reset(scratch, mark);
  return status;
}
