#include "math/contact/contact_derivative.h"

#include <math.h>
#include <string.h>

#include "base/carve.h"
#include "math/contact/contact_dense.h"
#include "math/contact/contact_islands.h"
#include "math/linear/dense.h"

// Slopes and matrix of one island at a time.
typedef struct work {
  const lb_contact_problem* p;
  const double* lambda;
  lb_contact_islands islands;
  lb_contact_dense d;
  double* x; // [n]
  double* a; // [n] adjoint unknowns
} work;

static int largest_island(const work* k) {
  int most = 0;
  for (int i = 0; i < k->islands.nisland; i++) {
    int rows = 0;
    for (int b = k->islands.first[i]; b < k->islands.first[i + 1]; b++) {
      const int block = k->islands.block[b];
      rows += k->p->block[block + 1] - k->p->block[block];
    }
    most = rows > most ? rows : most;
  }
  return most;
}

static lb_status prepare(work* k, lb_arena* scratch) {
  const lb_contact_problem* p = k->p;
  lb_carver measure = {NULL, 0};
  lb_contact_islands_carve(&k->islands, &measure, p->nblock, p->ngroup);
  lb_carver c = {lb_arena_take(scratch, measure.used, LB_ALIGN), 0};
  if (!c.base) {
    return LB_NO_MEMORY;
  }
  lb_contact_islands_carve(&k->islands, &c, p->nblock, p->ngroup);
  lb_contact_islands_find(&k->islands, p);
  const int most = largest_island(k);
  measure = (lb_carver){NULL, 0};
  lb_contact_dense_carve(&k->d, &measure, most, p->ngroup);
  c = (lb_carver){lb_arena_take(scratch, measure.used, LB_ALIGN), 0};
  k->x = LB_TAKE(scratch, double, most);
  k->a = LB_TAKE(scratch, double, most);
  if (lb_arena_status(scratch) != LB_OK) {
    return LB_NO_MEMORY;
  }
  lb_contact_dense_carve(&k->d, &c, most, p->ngroup);
  return LB_OK;
}

// The island's matrix, and its slopes at the solution.
static void take_island(work* k, int island) {
  lb_contact_scaled* s = &k->d.system;
  const int first = k->islands.first[island];
  lb_contact_dense_assemble(&k->d, k->p, k->islands.first[island + 1] - first,
                            k->islands.block + first);
  for (int i = 0; i < s->n; i++) {
    k->x[i] = k->lambda[s->row[i]] / s->D[i];
  }
  s->op->apply(s->matrix, s, k->x, s->y);
  lb_contact_slopes(s, k->x, s->y);
}

static bool is_set(lb_contact_kind kind) {
  return kind == LB_CONTACT_SET_1 || kind == LB_CONTACT_SET_2;
}

// n dR / dmu of a slipping set at row i; false where it sticks or is open.
static bool radius_slope(const work* k, int i, double* n) {
  const lb_contact_scaled* s = &k->d.system;
  const bool pair = s->kind[i] == LB_CONTACT_SET_2;
  const double z0 = k->x[i] - s->y[i], z1 = pair ? k->x[i + 1] - s->y[i + 1] : 0;
  const double length = sqrt(z0 * z0 + z1 * z1);
  const double normal = s->normal[i] < 0 ? 1 : k->lambda[s->row[s->normal[i]]];
  if (!(length > lb_contact_radius(s, i, k->x)) || !(normal > 0)) {
    return false;
  }
  n[0] = z0 / length * normal / s->D[i];
  n[1] = z1 / length * normal / s->D[i];
  return true;
}

// --- forward ---

// Right-hand side of (1) with its sign changed, as F of a Newton step.
static void take_change(work* k, const lb_contact_change* change) {
  lb_contact_scaled* s = &k->d.system;
  double* e = k->a;
  for (int i = 0; i < s->n; i++) {
    const int r = s->row[i];
    const double w0 = change->w0 ? change->w0[r] : 0, c = change->c ? change->c[r] : 0;
    e[i] = s->D[i] * (w0 + c * k->lambda[r]);
  }
  for (int i = 0; i < s->n; i++) {
    double n[2];
    const bool pair = s->kind[i] == LB_CONTACT_SET_2;
    if (s->kind[i] == LB_CONTACT_SECOND) {
      continue;
    }
    s->F[i] = s->P[i] * e[i];
    if (pair) {
      s->F[i] += s->Q[i] * e[i + 1];
      s->F[i + 1] = s->Q[i] * e[i] + s->P[i + 1] * e[i + 1];
    }
    if (is_set(s->kind[i]) && change->mu && radius_slope(k, i, n)) {
      for (int a = 0; a < (pair ? 2 : 1); a++) {
        s->F[i + a] -= n[a] * change->mu[s->row[i]];
      }
    }
  }
}

static lb_status forward(work* k, lb_arena* scratch, const lb_contact_change* change,
                         double* dlambda) {
  const lb_status status = prepare(k, scratch);
  if (status != LB_OK) {
    return status;
  }
  for (int island = 0; island < k->islands.nisland; island++) {
    lb_contact_scaled* s = &k->d.system;
    take_island(k, island);
    take_change(k, change);
    if (!s->op->step(s->matrix, s)) {
      return LB_FAILED;
    }
    for (int i = 0; i < s->n; i++) {
      dlambda[s->row[i]] = s->D[i] * s->dx[i];
    }
  }
  return LB_OK;
}

lb_status lb_contact_tangent(const lb_contact_problem* p, lb_arena* scratch, const double* lambda,
                             const lb_contact_change* change, double* dlambda, double* du) {
  if (!lb_contact_valid(p)) {
    return LB_INVALID;
  }
  const lb_arena_mark mark = lb_arena_here(scratch);
  work k = {.p = p, .lambda = lambda};
  const lb_status status = forward(&k, scratch, change, dlambda);
  lb_arena_reset(scratch, mark);
  if (status == LB_OK) {
    lb_contact_velocities(p, dlambda, du);
    for (int i = 0; i < lb_contact_nvelocity(p); i++) {
      du[i] -= p->u0[i];
    }
  }
  return status;
}

// --- transposed ---

// D (gradient by lambda + Z' gradient by u) of row i.
static double right_side(const work* k, int i, const double* by_lambda, const double* by_u) {
  const lb_contact_problem* p = k->p;
  const lb_contact_scaled* s = &k->d.system;
  const lb_contact_row* r = &p->row[s->row[i]];
  double sum = by_lambda ? by_lambda[s->row[i]] : 0;
  for (int a = 0; a < 2 && by_u; a++) {
    const int g = r->group[a];
    if (g >= 0) {
      sum += lb_dot(lb_contact_width(p, g), p->Z + r->entry[a], by_u + p->velocity[g]);
    }
  }
  return s->D[i] * sum;
}

// G'a = g: the rows of the reduced matrix first, then those with dF = dx, which others look at.
static bool solve_transposed(work* k, const double* by_lambda, const double* by_u) {
  lb_contact_dense* d = &k->d;
  lb_contact_scaled* s = &d->system;
  memset(s->F, 0, (size_t)s->n * sizeof *s->F);
  const int m = lb_contact_dense_matrix(d, s, LB_CONTACT_EPS);
  for (int i = 0; i < s->n; i++) {
    k->a[i] = right_side(k, i, by_lambda, by_u);
  }
  for (int j = 0; j < m; j++) {
    d->rhs[j] = k->a[d->index[j]];
  }
  if (lb_lu(m, d->G, m, d->pivot) != LB_OK) {
    return false;
  }
  lb_lu_solve_transposed(m, d->G, m, d->pivot, 1, d->rhs, m);
  memset(s->dx, 0, (size_t)s->n * sizeof *s->dx);
  for (int j = 0; j < m; j++) {
    s->dx[d->index[j]] = d->rhs[j];
  }
  return true;
}

// b = P a of the reduced rows, into dy.
static void apply_slopes(lb_contact_scaled* s) {
  for (int i = 0; i < s->n; i++) {
    if (s->kind[i] == LB_CONTACT_SECOND) {
      continue;
    }
    s->dy[i] = s->P[i] * s->dx[i];
    if (s->kind[i] == LB_CONTACT_SET_2) {
      s->dy[i] += s->Q[i] * s->dx[i + 1];
      s->dy[i + 1] = s->Q[i] * s->dx[i] + s->P[i + 1] * s->dx[i + 1];
    }
  }
}

static bool transposed(work* k, const double* by_lambda, const double* by_u,
                       lb_contact_change* out) {
  lb_contact_dense* d = &k->d;
  lb_contact_scaled* s = &d->system;
  if (!solve_transposed(k, by_lambda, by_u)) {
    return false;
  }
  apply_slopes(s);
  for (int i = 0; i < s->n; i++) {
    const int r = s->row[i];
    double n[2];
    if (out->w0) {
      out->w0[r] = -s->D[i] * s->dy[i];
    }
    if (out->c) {
      out->c[r] = -s->D[i] * s->dy[i] * k->lambda[r];
    }
    if (out->mu) {
      out->mu[r] = 0;
    }
    if (out->mu && is_set(s->kind[i]) && radius_slope(k, i, n)) {
      for (int a = 0; a < (s->kind[i] == LB_CONTACT_SET_2 ? 2 : 1); a++) {
        const bool reduced = s->P[i] != 0 || s->Q[i] != 0 || s->N[i] != 0 || s->dx[i + a] != 0;
        const double* column = d->A + (size_t)(i + a) * (size_t)s->n;
        out->mu[r] += n[a] * (reduced ? s->dx[i + a] : k->a[i + a] - lb_dot(s->n, column, s->dy));
      }
    }
  }
  return true;
}

lb_status lb_contact_adjoint(const lb_contact_problem* p, lb_arena* scratch, const double* lambda,
                             const double* by_lambda, const double* by_u,
                             lb_contact_change* gradient) {
  if (!lb_contact_valid(p)) {
    return LB_INVALID;
  }
  const lb_arena_mark mark = lb_arena_here(scratch);
  work k = {.p = p, .lambda = lambda};
  lb_status status = prepare(&k, scratch);
  for (int island = 0; status == LB_OK && island < k.islands.nisland; island++) {
    take_island(&k, island);
    status = transposed(&k, by_lambda, by_u, gradient) ? LB_OK : LB_FAILED;
  }
  lb_arena_reset(scratch, mark);
  return status;
}
