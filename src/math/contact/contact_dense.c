#include "math/contact/contact_dense.h"

#include <string.h>

#include "math/linear/dense.h"

void lb_contact_dense_carve(lb_contact_dense* d, lb_carver* c, int n, int ngroup) {
  const size_t count = (size_t)n;
  lb_contact_scaled_carve(&d->system, c, n);
  d->rhs = lb_carve(c, count, sizeof(double));
  d->A = lb_carve(c, count * count, sizeof(double));
  d->G = lb_carve(c, count * count, sizeof(double));
  d->index = lb_carve(c, count, sizeof(int));
  d->pivot = lb_carve(c, count, sizeof(int));
  d->head = lb_carve(c, (size_t)ngroup, sizeof(int));
  d->next = lb_carve(c, 2 * count, sizeof(int));
}

// --- assembly ---

// Rows of each group as lists of 2 * place + side.
static void list_rows(lb_contact_dense* d, const lb_contact_problem* p) {
  const lb_contact_scaled* sys = &d->system;
  for (int i = 0; i < 2 * sys->n; i++) {
    const int g = p->row[sys->row[i / 2]].group[i % 2];
    if (g >= 0) {
      d->head[g] = -1;
    }
  }
  for (int i = 2 * sys->n; i-- > 0;) {
    const int g = p->row[sys->row[i / 2]].group[i % 2];
    if (g >= 0) {
      d->next[i] = d->head[g];
      d->head[g] = i;
    }
  }
}

static void apply(void* matrix, const lb_contact_scaled* s, const double* x, double* y) {
  const lb_contact_dense* d = matrix;
  memcpy(y, s->q, (size_t)s->n * sizeof *y);
  for (int j = 0; j < s->n; j++) {
    if (x[j] != 0) {
      lb_add(s->n, y, x[j], d->A + (size_t)j * (size_t)s->n);
    }
  }
}

static bool step(void* matrix, lb_contact_scaled* s);

static const lb_contact_operator DENSE = {apply, step};

void lb_contact_dense_assemble(lb_contact_dense* d, const lb_contact_problem* p, int nblock,
                               const int* block) {
  lb_contact_scaled* sys = &d->system;
  lb_contact_scaled_take(sys, p, nblock, block);
  sys->op = &DENSE;
  sys->matrix = d;
  list_rows(d, p);
  const int n = sys->n;
  for (int j = 0; j < n; j++) {
    double* column = d->A + (size_t)j * (size_t)n;
    const lb_contact_row* r = &p->row[sys->row[j]];
    memset(column, 0, (size_t)n * sizeof *column);
    for (int s = 0; s < 2; s++) {
      const int g = r->group[s];
      for (int at = g >= 0 ? d->head[g] : -1; at >= 0; at = d->next[at]) {
        const double* J = p->J + p->row[sys->row[at / 2]].entry[at % 2];
        column[at / 2] += lb_contact_dot(lb_contact_width(p, g), J, p->Z + r->entry[s]);
      }
    }
    column[j] += r->c;
    for (int i = 0; i < n; i++) {
      column[i] *= sys->D[i] * sys->D[j];
    }
  }
}

// --- Newton's matrix ---

// Rows of the reduced system, and dx of the others.
static int choose_rows(lb_contact_dense* d, lb_contact_scaled* s) {
  int m = 0;
  bool taken = false;
  for (int i = 0; i < s->n; i++) {
    if (s->kind[i] != LB_CONTACT_SECOND) {
      const int last = i + (s->kind[i] == LB_CONTACT_SET_2);
      taken = s->P[i] != 0 || s->P[last] != 0 || s->N[i] != 0 || s->N[last] != 0;
    }
    s->dx[i] = taken ? 0 : -s->F[i];
    d->pivot[i] = taken ? m : -1; // place in the reduced system meanwhile
    if (taken) {
      d->index[m++] = i;
    }
  }
  return m;
}

// Rows k (and k + 1) of G, which hold A's, become those of (2); rhs has A dx of what is eliminated
// and becomes dF of it.
static void set_rows(lb_contact_dense* d, const lb_contact_scaled* s, int m, int k) {
  const int i = d->index[k], size = s->kind[i] == LB_CONTACT_SET_2 ? 2 : 1;
  if (s->P[i] == 1 && (size == 1 || s->P[i + 1] == 1)) {
    return; // A's
  }
  const int other = size > 1 ? 1 : 0, normal = s->normal[i] < 0 ? -1 : d->pivot[s->normal[i]];
  const double P0 = s->P[i], P1 = size > 1 ? s->P[i + 1] : 0, Q = s->Q[i];
  double* g = d->G + k;
  for (int j = 0; j < m; j++, g += m) {
    const double a0 = g[0], a1 = g[other];
    g[0] = P0 * a0 + Q * a1;
    if (size > 1) {
      g[1] = Q * a0 + P1 * a1;
    }
  }
  const double r0 = d->rhs[k], r1 = d->rhs[k + other];
  double* own = d->G + k + (size_t)k * (size_t)m;
  own[0] += 1 - P0;
  d->rhs[k] = P0 * r0 + Q * r1;
  if (size > 1) {
    own[1] -= Q;
    own[m] -= Q;
    own[m + 1] += 1 - P1;
    d->rhs[k + 1] = Q * r0 + P1 * r1;
  }
  for (int a = 0; a < size && s->normal[i] >= 0; a++) {
    if (normal >= 0) {
      d->G[(size_t)(k + a) + (size_t)normal * (size_t)m] -= s->N[i + a];
    } else {
      d->rhs[k + a] -= s->N[i + a] * s->dx[s->normal[i]];
    }
  }
}

int lb_contact_dense_matrix(lb_contact_dense* d, lb_contact_scaled* s, double eps) {
  const int n = s->n, m = choose_rows(d, s);
  memset(s->dy, 0, (size_t)n * sizeof *s->dy);
  for (int j = 0; j < n; j++) {
    if (d->pivot[j] < 0 && s->dx[j] != 0) {
      lb_add(n, s->dy, s->dx[j], d->A + (size_t)j * (size_t)n);
    }
  }
  for (int k = 0; k < m; k++) {
    const double* column = d->A + (size_t)d->index[k] * (size_t)n;
    double* g = d->G + (size_t)k * (size_t)m;
    for (int i = 0; i < m; i++) {
      g[i] = column[d->index[i]];
    }
    g[k] += eps;
    d->rhs[k] = s->dy[d->index[k]];
  }
  for (int k = 0; k < m; k++) {
    const lb_contact_kind kind = s->kind[d->index[k]];
    if (kind == LB_CONTACT_SET_1 || kind == LB_CONTACT_SET_2) {
      set_rows(d, s, m, k);
    }
  }
  return m;
}

static bool step(void* matrix, lb_contact_scaled* s) {
  lb_contact_dense* d = matrix;
  const int n = s->n, m = lb_contact_dense_matrix(d, s, s->eps);
  for (int k = 0; k < m; k++) {
    d->rhs[k] = -s->F[d->index[k]] - d->rhs[k];
  }
  if (lb_lu(m, d->G, m, d->pivot) != LB_OK) {
    return false;
  }
  lb_lu_solve(m, d->G, m, d->pivot, 1, d->rhs, m);
  for (int k = 0; k < m; k++) {
    s->dx[d->index[k]] = d->rhs[k];
    if (!isfinite(d->rhs[k])) {
      return false;
    }
    lb_add(n, s->dy, d->rhs[k], d->A + (size_t)d->index[k] * (size_t)n);
  }
  return true;
}

// --- sweeps ---

typedef struct sweeper {
  lb_contact_dense* d;
  lb_contact_scaled* s;
  double *x, *y;
} sweeper;

static void add_column(const sweeper* s, int j, double change) {
  if (change != 0) {
    s->x[j] += change;
    lb_add(s->s->n, s->y, change, s->d->A + (size_t)j * (size_t)s->s->n);
  }
}

static void take_part(const lb_contact_dense* d, int at, int m, double* part) {
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) {
      part[i + j * m] = d->A[(size_t)(at + i) + (size_t)(at + j) * (size_t)d->system.n];
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
  const lb_contact_scaled* d = s->s;
  const int m = piece.nrow;
  double part[9], w[3] = {0, 0, 0}, l[3] = {0, 0, 0};
  lb_contact_local L;
  take_part(s->d, at, m, part);
  lb_contact_local_prepare(&L, piece, part,
                           piece.kind == LB_PIECE_POINT && m > 1 ? d->mu[at + 1] : 0);
  memcpy(w, s->y + at, (size_t)m * sizeof *w);
  memcpy(l, s->x + at, (size_t)m * sizeof *l);
  if (piece.kind == LB_PIECE_POINT) {
    lb_contact_point_solve(&L, w, LB_CONTACT_CLOSE, l);
  } else {
    lb_contact_set_solve(&L, lb_contact_radius(d, at, s->x), w, LB_CONTACT_CLOSE, l);
  }
  for (int i = 0; i < m; i++) {
    add_column(s, at + i, l[i] - s->x[at + i]);
  }
}

static void sweep(const sweeper* s, const lb_contact_problem* p) {
  const lb_contact_scaled* d = s->s;
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
  lb_contact_scaled* sys = &d->system;
  const sweeper s = {d, sys, x, sys->y};
  for (; out.steps < most && !out.solved; out.steps++) {
    if (out.steps % 16 == 0) {
      apply(d, sys, x, sys->y); // against drift
    }
    sweep(&s, p);
    out.residual = lb_contact_natural_map(sys, x, sys->y, sys->F);
    out.solved = out.residual <= sys->tolerance;
  }
  return out;
}
