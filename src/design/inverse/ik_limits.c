// A step within limits is a quadratic program with bounds,
//
//   min over s of 1/2 s'H s - g's,   lower - q <= s <= upper - q
//
// With C the rows +e_v of lower bounds and -e_v of upper ones that are met, and multipliers x,
//
//   s = H^-1 (g + C'x),   w = C s - C bound >= 0,   x >= 0,   w'x = 0                          (1)
//
// which is a linear complementarity in A = C H^-1 C'. Bounds come into C as steps meet them: what
// is the least for some bounds, and within all, is the least for all. Where none is met, which is
// the rule, the step costs nothing more. The inverse of H has few digits where markers hardly tell
// a coordinate, so (1) only says which bounds hold; the step follows from H itself.
#include "design/inverse/ik_limits.h"

#include <math.h>
#include <string.h>

#include "math/linear/complementary.h"
#include "math/linear/dense.h"

static const double MET = 1e-13;   // beyond a bound, over 1 and its size, that is rounding
static const double PIVOT = 1e-13; // of A, that is zero
static const double NEAR = 1e-6;   // as closing of gaps moves what is at a limit [m or rad]

bool lb_ik_has_limit(const lb_model* m, int v) {
  return (m->dof.limit_stiffness[v] > 0 || m->dof.clamped[v]) &&
         (m->dof.lower[v] > -INFINITY || m->dof.upper[v] < INFINITY);
}

// Limit i is that of a number whose rate is a velocity; NULL arrays: how many there are.
static int find_limits(const lb_model* m, lb_ik_limits* x) {
  int count = 0;
  for (int l = 0; l < m->nlink; l++) {
    const bool plain = m->joint.nq[m->link.joint[l]] == m->link.nv[l];
    for (int k = 0; k < m->link.nv[l] && plain; k++) {
      const int v = m->link.v[l] + k;
      if (!lb_ik_has_limit(m, v)) {
        continue;
      }
      if (x->q) {
        x->q[count] = m->link.q[l] + k;
        x->v[count] = v;
        x->lower[count] = m->dof.lower[v];
        x->upper[count] = m->dof.upper[v];
      }
      count++;
    }
  }
  return count;
}

lb_status lb_ik_limits_take(lb_arena* arena, const lb_model* m, lb_ik_limits* limits) {
  lb_ik_limits x = {.n = m->nv};
  x.count = find_limits(m, &x);
  const size_t n = (size_t)x.count, rows = 2 * n;
  x.q = LB_TAKE(arena, int, n);
  x.v = LB_TAKE(arena, int, n);
  x.lower = LB_TAKE(arena, double, n);
  x.upper = LB_TAKE(arena, double, n);
  x.row = LB_TAKE(arena, int, rows);
  x.column = LB_TAKE(arena, double, rows*(size_t)m->nv);
  x.A = LB_TAKE(arena, double, rows* rows);
  x.part = LB_TAKE(arena, double, rows* rows);
  x.b = LB_TAKE(arena, double, rows);
  x.x = LB_TAKE(arena, double, rows);
  x.work = LB_TAKE(arena, double, 4 * rows);
  x.plain = LB_TAKE(arena, double, m->nv);
  x.unilateral = LB_TAKE(arena, bool, rows);
  x.held = LB_TAKE(arena, bool, m->nv);
  x.pivot = LB_TAKE(arena, int, 2 * rows);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  find_limits(m, &x);
  for (size_t i = 0; i < rows; i++) {
    x.unilateral[i] = true;
  }
  *limits = x;
  return LB_OK;
}

bool lb_ik_limits_keep(const lb_ik_limits* limits, double* q) {
  bool beyond = false;
  for (int i = 0; i < limits->count; i++) {
    double* at = &q[limits->q[i]];
    const double within = fmin(fmax(*at, limits->lower[i]), limits->upper[i]);
    beyond |= within != *at;
    *at = within;
  }
  return beyond;
}

void lb_ik_limits_count(const lb_ik_limits* limits, const double* q, int* at) {
  for (int i = 0; i < limits->count; i++) {
    const double x = q[limits->q[i]];
    at[limits->v[i]] += x <= limits->lower[i] + NEAR || x >= limits->upper[i] - NEAR;
  }
}

// --- a step ---

static int velocity(const lb_ik_limits* x, int row) {
  return x->v[row / 2];
}

static double sign(int row) {
  return row % 2 ? -1 : 1;
}

// w of (1): how far inside its bound a step ends.
static double inside(const lb_ik_limits* x, const double* q, const double* step, int row) {
  const int i = row / 2;
  const double bound = row % 2 ? x->upper[i] : x->lower[i];
  return sign(row) * (q[x->q[i]] + step[x->v[i]] - bound);
}

static bool is_row(const lb_ik_limits* x, int row) {
  for (int k = 0; k < x->nrow; k++) {
    if (x->row[k] == row) {
      return true;
    }
  }
  return false;
}

static void add_row(lb_ik_limits* x, const double* L, int row) {
  double* column = x->column + (size_t)x->nrow * (size_t)x->n;
  memset(column, 0, (size_t)x->n * sizeof *column);
  column[velocity(x, row)] = 1;
  lb_cholesky_solve(x->n, L, x->n, 1, column, 1);
  x->row[x->nrow++] = row;
}

// Bounds that the step goes beyond join C; false: there are none.
static bool add_rows(lb_ik_limits* x, const double* L, const double* q, const double* step) {
  const int before = x->nrow;
  for (int row = 0; row < 2 * x->count; row++) {
    const double w = inside(x, q, step, row), size = 1 + fabs(q[x->q[row / 2]]);
    if (w < -MET * size && !is_row(x, row)) {
      add_row(x, L, row);
    }
  }
  return x->nrow > before;
}

// Multipliers of (1), and what they do to the step without bounds, s = step + H^-1 C'x.
static void solve_rows(lb_ik_limits* x, const double* q, double* step, const double* plain) {
  const int n = x->nrow;
  for (int j = 0; j < n; j++) {
    x->b[j] = inside(x, q, plain, x->row[j]);
    for (int i = j; i < n; i++) {
      x->A[(size_t)i + (size_t)j * (size_t)n] =
          sign(x->row[i]) * sign(x->row[j]) *
          x->column[(size_t)j * (size_t)x->n + (size_t)velocity(x, x->row[i])];
    }
  }
  lb_complementary_solve(n, x->A, x->b, x->unilateral, PIVOT, x->x, x->part, x->work, x->pivot);
  memcpy(step, plain, (size_t)x->n * sizeof *step);
  for (int j = 0; j < n; j++) {
    lb_add(x->n, step, sign(x->row[j]) * x->x[j], x->column + (size_t)j * (size_t)x->n);
  }
}

// Steps of bounds with a multiplier end there; these are held.
static void hold_rows(lb_ik_limits* x, const double* q, double* step) {
  memset(x->held, 0, (size_t)x->n * sizeof *x->held);
  for (int j = 0; j < x->nrow; j++) {
    if (x->x[j] > 0) {
      const int i = x->row[j] / 2;
      step[x->v[i]] = (x->row[j] % 2 ? x->upper[i] : x->lower[i]) - q[x->q[i]];
      x->held[x->v[i]] = true;
    }
  }
}

// The others, from H s = g where the held ones are known.
static void solve_rest(lb_ik_limits* x, const double* H, double* L, const double* g, double* step) {
  const size_t n = (size_t)x->n;
  double* s = x->plain;
  for (size_t a = 0; a < n; a++) {
    s[a] = x->held[a] ? step[a] : g[a];
  }
  for (size_t b = 0; b < n; b++) {
    for (size_t a = b; a < n; a++) {
      const double h = H[b * n + a];
      const bool apart = x->held[a] || x->held[b];
      L[b * n + a] = !apart ? h : a == b;
      s[a] -= !x->held[a] && x->held[b] ? h * step[b] : 0;
      s[b] -= !x->held[b] && x->held[a] ? h * step[a] : 0;
    }
  }
  if (lb_cholesky(x->n, L, x->n) == LB_OK) {
    lb_cholesky_solve(x->n, L, x->n, 1, s, 1);
    memcpy(step, s, n * sizeof *step);
  }
}

void lb_ik_limits_step(lb_ik_limits* limits, const double* H, double* L, const double* g,
                       const double* q, double* step) {
  double* plain = limits->plain;
  limits->nrow = 0;
  if (!add_rows(limits, L, q, step)) {
    return;
  }
  memcpy(plain, step, (size_t)limits->n * sizeof *plain);
  do {
    solve_rows(limits, q, step, plain);
  } while (add_rows(limits, L, q, step));
  hold_rows(limits, q, step);
  solve_rest(limits, H, L, g, step);
}
