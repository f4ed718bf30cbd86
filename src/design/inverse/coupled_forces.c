#include "design/inverse/coupled_forces.h"

#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"

static const double NOTHING = 1e-9; // pivot of an equation that says what others say

lb_coupled lb_coupled_create(lb_arena* arena, const lb_model* m) {
  const int most = m->constraint.count ? lb_constraints_most(m) : 0;
  return (lb_coupled){.nv = m->nv,
                      .most = most,
                      .dependent = LB_TAKE(arena, int, most),
                      .G = LB_TAKE(arena, double, (size_t)most*(size_t)m->nv)};
}

static double* row(const lb_coupled* c, int i) {
  return c->G + (size_t)i * (size_t)c->nv;
}

// Entry of the rows from `first` on that a coordinate is found from: of the large ones the last,
// which is farthest out, as a patella is behind its knee.
static double find_pivot(const lb_coupled* c, int first, int count, int* at, int* column) {
  static const double LARGE = 0.25; // over the largest
  double most = 0;
  for (int i = first; i < count; i++) {
    for (int k = 0; k < c->nv; k++) {
      most = fmax(most, fabs(row(c, i)[k]));
    }
  }
  for (int i = first; i < count && most > 0; i++) {
    for (int k = 0; k < c->nv; k++) {
      if (fabs(row(c, i)[k]) >= LARGE * most && (*column < 0 || k > *column)) {
        *at = i;
        *column = k;
      }
    }
  }
  return most;
}

static void swap_rows(const lb_coupled* c, int a, int b) {
  for (int k = 0; k < c->nv && a != b; k++) {
    const double x = row(c, a)[k];
    row(c, a)[k] = row(c, b)[k];
    row(c, b)[k] = x;
  }
}

// Gauss-Jordan with full pivoting.
static void reduce(lb_coupled* c, int count) {
  for (c->rank = 0; c->rank < count; c->rank++) {
    int at = 0, column = -1;
    const double pivot = find_pivot(c, c->rank, count, &at, &column);
    if (!(pivot > NOTHING)) {
      return;
    }
    swap_rows(c, c->rank, at);
    double* p = row(c, c->rank);
    const double scale = 1 / p[column];
    for (int k = 0; k < c->nv; k++) {
      p[k] *= scale;
    }
    for (int i = 0; i < count; i++) {
      const double by = i == c->rank ? 0 : row(c, i)[column];
      for (int k = 0; k < c->nv && by != 0; k++) {
        row(c, i)[k] -= by * p[k];
      }
    }
    c->dependent[c->rank] = column;
  }
}

void lb_coupled_find(lb_coupled* c, lb_data* d) {
  c->rank = 0;
  if (c->most == 0 || !d->work->constraints) {
    return;
  }
  const lb_constraint_rows rows = lb_constraints_linearise(d->model, d, LB_SET_BILATERAL);
  memcpy(c->G, rows.J, (size_t)rows.count * (size_t)c->nv * sizeof *c->G);
  reduce(c, rows.count);
}

void lb_coupled_move(const lb_coupled* c, double* tau) {
  for (int r = 0; r < c->rank; r++) {
    const double by = tau[c->dependent[r]];
    for (int k = 0; k < c->nv && by != 0; k++) {
      tau[k] -= row(c, r)[k] * by;
    }
    tau[c->dependent[r]] = 0;
  }
}
