#include "math/contact/contact_dense.h"

#include <string.h>

#include "math/linear/dense.h"

void lb_contact_dense_carve(lb_contact_dense* d, lb_carver* c, int n, int ngroup) {
  const size_t count = (size_t)n, width = sizeof(double);
  d->row = lb_carve(c, count, sizeof(int));
  d->end = lb_carve(c, count, sizeof(int));
  d->kind = lb_carve(c, count, sizeof *d->kind);
  d->normal = lb_carve(c, count, sizeof(int));
  double** vectors[] = {&d->mu, &d->D,     &d->q,       &d->F,    &d->y,  &d->dx,
                        &d->dy, &d->trial, &d->trial_y, &d->best, &d->rhs};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = lb_carve(c, count, width);
  }
  d->A = lb_carve(c, count * count, width);
  d->G = lb_carve(c, count * count, width);
  d->index = lb_carve(c, count, sizeof(int));
  d->pivot = lb_carve(c, count, sizeof(int));
  d->head = lb_carve(c, (size_t)ngroup, sizeof(int));
  d->next = lb_carve(c, 2 * count, sizeof(int));
}

// --- assembly ---

static void take_rows(lb_contact_dense* d, const lb_contact_problem* p, int nblock,
                      const int* block) {
  d->n = 0;
  for (int k = 0; k < nblock; k++) {
    const int first = p->block[block[k]], size = p->block[block[k] + 1] - first, base = d->n;
    for (int i = 0; i < size; i++) {
      const lb_contact_row* r = &p->row[first + i];
      const int at = base + i;
      const bool set = r->kind == LB_CONTACT_SET_1 || r->kind == LB_CONTACT_SET_2;
      d->row[at] = first + i;
      d->end[at] = base + size;
      d->kind[at] = r->kind;
      d->normal[at] = set && r->normal >= 0 ? base + r->normal - first : -1;
      d->D[at] = sqrt(lb_contact_step(p, first + i));
      d->mu[at] = set ? r->mu / d->D[at] * (r->normal >= 0 ? d->D[d->normal[at]] : 1) : 0;
      d->q[at] = d->D[at] * (lb_contact_row_velocity(p, first + i, p->u0) + r->b);
    }
    d->n += size;
  }
}

// Rows of each group as lists of 2 * place + side.
static void list_rows(lb_contact_dense* d, const lb_contact_problem* p) {
  for (int i = 0; i < d->n; i++) {
    for (int s = 0; s < 2; s++) {
      const int g = p->row[d->row[i]].group[s];
      if (g >= 0) {
        d->head[g] = -1;
      }
    }
  }
  for (int i = d->n; i-- > 0;) {
    for (int s = 0; s < 2; s++) {
      const int g = p->row[d->row[i]].group[s];
      if (g >= 0) {
        d->next[2 * i + s] = d->head[g];
        d->head[g] = 2 * i + s;
      }
    }
  }
}

void lb_contact_dense_assemble(lb_contact_dense* d, const lb_contact_problem* p, int nblock,
                               const int* block) {
  take_rows(d, p, nblock, block);
  list_rows(d, p);
  const int n = d->n;
  for (int j = 0; j < n; j++) {
    double* column = d->A + (size_t)j * (size_t)n;
    const lb_contact_row* r = &p->row[d->row[j]];
    memset(column, 0, (size_t)n * sizeof *column);
    for (int s = 0; s < 2; s++) {
      const int g = r->group[s];
      for (int at = g >= 0 ? d->head[g] : -1; at >= 0; at = d->next[at]) {
        const double* J = p->J + p->row[d->row[at / 2]].entry[at % 2];
        column[at / 2] += lb_dot(lb_contact_width(p, g), J, p->Z + r->entry[s]);
      }
    }
    column[j] += r->c;
    for (int i = 0; i < n; i++) {
      column[i] *= d->D[i] * d->D[j];
    }
  }
}

void lb_contact_dense_to(const lb_contact_dense* d, const double* lambda, double* x) {
  for (int i = 0; i < d->n; i++) {
    x[i] = lambda[d->row[i]] / d->D[i];
  }
}

void lb_contact_dense_from(const lb_contact_dense* d, const double* x, double* lambda) {
  for (int i = 0; i < d->n; i++) {
    lambda[d->row[i]] = x[i] * d->D[i];
  }
}

void lb_contact_dense_apply(const lb_contact_dense* d, const double* x, double* y) {
  memcpy(y, d->q, (size_t)d->n * sizeof *y);
  for (int j = 0; j < d->n; j++) {
    if (x[j] != 0) {
      lb_add(d->n, y, x[j], d->A + (size_t)j * (size_t)d->n);
    }
  }
}

// --- natural map ---

static double radius(const lb_contact_dense* d, int i, const double* x) {
  return d->normal[i] < 0 ? d->mu[i] : d->mu[i] * fmax(0, x[d->normal[i]]);
}

static int set_size(lb_contact_kind kind) {
  return kind == LB_CONTACT_SET_2 ? 2 : 1;
}

// F of a set; z = x - y outside of the disc is cut to it.
static void set_map(int size, double R, const double* x, const double* y, double* F) {
  const double z0 = x[0] - y[0], z1 = size > 1 ? x[1] - y[1] : 0;
  const double length = sqrt(z0 * z0 + z1 * z1);
  const double keep = length > R ? R / length : 1;
  F[0] = x[0] - keep * z0;
  if (size > 1) {
    F[1] = x[1] - keep * z1;
  }
}

double lb_contact_natural_map(const lb_contact_dense* d, const double* x, const double* y,
                              double* F) {
  double worst = 0;
  for (int i = 0; i < d->n; i++) {
    switch (d->kind[i]) {
    case LB_CONTACT_EQUALITY:
      F[i] = y[i];
      break;
    case LB_CONTACT_UNILATERAL:
      F[i] = fmin(x[i], y[i]);
      break;
    case LB_CONTACT_SET_1:
    case LB_CONTACT_SET_2:
      set_map(set_size(d->kind[i]), radius(d, i, x), x + i, y + i, F + i);
      break;
    default:
      break; // with the row before
    }
  }
  for (int i = 0; i < d->n; i++) {
    const bool pair = d->kind[i] == LB_CONTACT_SET_2;
    const double e = (pair ? hypot(F[i], F[i + 1]) : fabs(F[i])) / d->D[i];
    worst = e > worst || isnan(e) ? e : worst;
  }
  return worst;
}

// --- sweeps ---

typedef struct sweeper {
  lb_contact_dense* d;
  double *x, *y;
} sweeper;

static void add_column(const sweeper* s, int j, double change) {
  if (change != 0) {
    s->x[j] += change;
    lb_add(s->d->n, s->y, change, s->d->A + (size_t)j * (size_t)s->d->n);
  }
}

static void take_part(const lb_contact_dense* d, int at, int m, double* part) {
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) {
      part[i + j * m] = d->A[(size_t)(at + i) + (size_t)(at + j) * (size_t)d->n];
    }
  }
}

static void solve_equality(const sweeper* s, int at, int m) {
  static const double EPS = 1e-12; // for rows that repeat others of their block
  double part[LB_CONTACT_BLOCK_MOST * LB_CONTACT_BLOCK_MOST], step[LB_CONTACT_BLOCK_MOST];
  take_part(s->d, at, m, part);
  for (int i = 0; i < m; i++) {
    part[i * (m + 1)] += EPS;
    step[i] = -s->y[at + i];
  }
  if (lb_cholesky(m, part, m) == LB_OK) {
    lb_cholesky_solve(m, part, m, 1, step, m);
    for (int i = 0; i < m; i++) {
      add_column(s, at + i, step[i]);
    }
  }
}

static void solve_point_or_set(const sweeper* s, lb_contact_piece piece, int at) {
  const lb_contact_dense* d = s->d;
  const int m = piece.nrow;
  double part[9], w[3] = {0, 0, 0}, l[3] = {0, 0, 0};
  lb_contact_local L;
  take_part(d, at, m, part);
  lb_contact_local_prepare(&L, piece, part,
                           piece.kind == LB_PIECE_POINT && m > 1 ? d->mu[at + 1] : 0);
  memcpy(w, s->y + at, (size_t)m * sizeof *w);
  memcpy(l, s->x + at, (size_t)m * sizeof *l);
  if (piece.kind == LB_PIECE_POINT) {
    lb_contact_point_solve(&L, w, l);
  } else {
    lb_contact_set_solve(&L, radius(d, at, s->x), w, l);
  }
  for (int i = 0; i < m; i++) {
    add_column(s, at + i, l[i] - s->x[at + i]);
  }
}

static void sweep(const sweeper* s, const lb_contact_problem* p) {
  const lb_contact_dense* d = s->d;
  for (int at = 0; at < d->n;) {
    const int shift = d->row[at] - at; // rows of a block are consecutive in both
    const lb_contact_piece piece = lb_contact_piece_at(p, d->row[at], d->end[at] + shift);
    if (piece.kind == LB_PIECE_EQUALITY) {
      solve_equality(s, at, piece.nrow);
    } else {
      solve_point_or_set(s, piece, at);
    }
    at += piece.nrow;
  }
}

lb_contact_try lb_contact_dense_sweeps(lb_contact_dense* d, const lb_contact_problem* p, int most,
                                       double* x) {
  lb_contact_try out = {false, (double)INFINITY, 0};
  const sweeper s = {d, x, d->y};
  for (; out.steps < most && !out.solved; out.steps++) {
    if (out.steps % 16 == 0) {
      lb_contact_dense_apply(d, x, d->y); // against drift
    }
    sweep(&s, p);
    out.residual = lb_contact_natural_map(d, x, d->y, d->F);
    out.solved = out.residual <= d->tolerance;
  }
  return out;
}
