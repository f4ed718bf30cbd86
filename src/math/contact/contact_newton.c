#include "math/contact/contact_newton.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/linear/dense.h"

void lb_contact_scaled_carve(lb_contact_scaled* s, lb_carver* c, int n) {
  const size_t count = (size_t)n;
  int** integers[] = {&s->row, &s->end, &s->normal, &s->no_normal};
  double** numbers[] = {&s->mu,    &s->D,       &s->q,    &s->F,        &s->y,
                        &s->dx,    &s->dy,      &s->P,    &s->Q,        &s->N,
                        &s->trial, &s->trial_y, &s->best, &s->fixed_mu, &s->last};
  s->kind = lb_carve(c, count, sizeof *s->kind);
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    *integers[i] = lb_carve(c, count, sizeof(int));
  }
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    *numbers[i] = lb_carve(c, count, sizeof(double));
  }
}

void lb_contact_scaled_take(lb_contact_scaled* s, const lb_contact_problem* p, int nblock,
                            const int* block) {
  s->n = 0;
  s->eps = LB_CONTACT_EPS;
  s->idle = (double)INFINITY;
  for (int k = 0; k < nblock; k++) {
    const int first = p->block[block[k]], size = p->block[block[k] + 1] - first, base = s->n;
    for (int i = 0; i < size; i++) {
      const lb_contact_row* r = &p->row[first + i];
      const int at = base + i;
      const bool set = r->kind == LB_CONTACT_SET_1 || r->kind == LB_CONTACT_SET_2;
      s->row[at] = first + i;
      s->end[at] = base + size;
      s->kind[at] = r->kind;
      s->normal[at] = set && r->normal >= 0 ? base + r->normal - first : -1;
      s->D[at] = sqrt(lb_contact_step(p, first + i));
      s->mu[at] = set ? r->mu / s->D[at] * (r->normal >= 0 ? s->D[s->normal[at]] : 1) : 0;
      s->q[at] = s->D[at] * (lb_contact_row_velocity(p, first + i, p->u0) + r->b);
    }
    s->n += size;
  }
}

// --- natural map ---

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

double lb_contact_natural_map(const lb_contact_scaled* s, const double* x, const double* y,
                              double* F) {
  double worst = 0;
  for (int i = 0; i < s->n; i++) {
    const lb_contact_kind kind = s->kind[i];
    const bool pair = kind == LB_CONTACT_SET_2;
    if (kind == LB_CONTACT_SECOND) {
      continue; // with the row before
    }
    if (kind == LB_CONTACT_EQUALITY) {
      F[i] = y[i];
    } else if (kind == LB_CONTACT_UNILATERAL) {
      F[i] = x[i] < y[i] ? x[i] : y[i];
    } else {
      set_map(pair ? 2 : 1, lb_contact_radius(s, i, x), x + i, y + i, F + i);
    }
    const double e = (pair ? sqrt(F[i] * F[i] + F[i + 1] * F[i + 1]) : fabs(F[i])) / s->D[i];
    worst = e > worst || isnan(e) ? e : worst;
  }
  return worst;
}

static void set_slope(lb_contact_scaled* s, int i, const double* x, const double* y) {
  const bool pair = s->kind[i] == LB_CONTACT_SET_2;
  const double R = lb_contact_radius(s, i, x);
  const double z0 = x[i] - y[i], z1 = pair ? x[i + 1] - y[i + 1] : 0;
  const double length = sqrt(z0 * z0 + z1 * z1);
  const bool sticks = length <= R && R > 0, slips = !sticks && R > 0;
  const double keep = slips && pair ? R / length : 0;
  const double n[2] = {slips ? z0 / length : 0, slips ? z1 / length : 0}, t[2] = {-n[1], n[0]};
  for (int a = 0; a < (pair ? 2 : 1); a++) {
    s->P[i + a] = sticks ? 1 : keep * t[a] * t[a];
    s->N[i + a] = s->normal[i] < 0 ? 0 : s->mu[i] * n[a];
    s->Q[i + a] = 0;
  }
  s->Q[i] = keep * t[0] * t[1];
}

void lb_contact_slopes(lb_contact_scaled* s, const double* x, const double* y) {
  for (int i = 0; i < s->n; i++) {
    const lb_contact_kind kind = s->kind[i];
    if (kind == LB_CONTACT_SET_1 || kind == LB_CONTACT_SET_2) {
      set_slope(s, i, x, y);
    } else if (kind != LB_CONTACT_SECOND) {
      s->P[i] = kind == LB_CONTACT_EQUALITY || x[i] > y[i];
      s->Q[i] = s->N[i] = 0;
    }
  }
}

// --- Newton's method ---

// The longest of halved steps that makes |F|^2 smaller than the limit, or the shortest one.
static void line_search(lb_contact_scaled* s, const double* x, double limit) {
  static const double SHORTEST = 1.0 / 256, ENOUGH = 1e-4;
  for (double step = 1;; step /= 2) {
    for (int i = 0; i < s->n; i++) {
      s->trial[i] = x[i] + step * s->dx[i];
      s->trial_y[i] = s->y[i] + step * s->dy[i];
    }
    lb_contact_natural_map(s, s->trial, s->trial_y, s->F);
    if (lb_dot(s->n, s->F, s->F) <= (1 - ENOUGH * step) * limit || step <= SHORTEST) {
      return;
    }
  }
}

lb_contact_try lb_contact_newton(lb_contact_scaled* s, int most, double* x) {
  enum { MEMORY = 4 };             // steps back over which |F| must have become smaller
  static const double CLOSE = 100; // tolerances within which steps may be idle
  const size_t size = (size_t)s->n * sizeof *x;
  double past[MEMORY] = {0};
  lb_contact_try out = {false, (double)INFINITY, 0};
  memcpy(s->best, x, size);
  for (;; out.steps++) {
    s->op->apply(s->matrix, s, x, s->y);
    const double residual = lb_contact_natural_map(s, x, s->y, s->F), before = out.residual;
    if (residual < out.residual) {
      out.residual = residual;
      memcpy(s->best, x, size);
    }
    out.solved = out.residual <= s->tolerance;
    const bool idle = residual < CLOSE * s->tolerance && residual > s->idle * before;
    if (out.solved || out.steps >= most || !isfinite(residual) || idle) {
      break;
    }
    past[out.steps % MEMORY] = lb_dot(s->n, s->F, s->F);
    lb_contact_slopes(s, x, s->y);
    if (!s->op->step(s->matrix, s)) {
      break;
    }
    double limit = 0;
    for (int i = 0; i < MEMORY; i++) {
      limit = fmax(limit, past[i]);
    }
    line_search(s, x, limit);
    memcpy(x, s->trial, size);
  }
  memcpy(x, s->best, size);
  return out;
}

int lb_contact_fixed_radius(lb_contact_scaled* s, int rounds, double* x) {
  static const int MOST = 20; // steps of a round
  lb_contact_scaled fixed = *s;
  int steps = 0;
  fixed.mu = s->fixed_mu;
  fixed.normal = s->no_normal;
  for (int i = 0; i < s->n; i++) {
    s->last[i] = fmax(0, x[i]);
    fixed.normal[i] = -1;
  }
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < s->n; i++) {
      fixed.mu[i] = s->normal[i] < 0 ? s->mu[i] : s->mu[i] * s->last[s->normal[i]];
    }
    steps += lb_contact_newton(&fixed, MOST, x).steps;
    for (int i = 0; i < s->n; i++) {
      s->last[i] = 0.5 * (s->last[i] + fmax(0, x[i]));
    }
  }
  return steps;
}

void lb_contact_random_start(const lb_contact_scaled* s, int k, double* x) {
  static const double SIZES[] = {0.1, 1, 10};
  uint64_t state = 88172645463325252u + (uint64_t)k * 7919; // xorshift
  double largest = 0;
  for (int i = 0; i < s->n; i++) {
    largest = fmax(largest, fabs(s->q[i]));
  }
  for (int i = 0; i < s->n; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    x[i] = SIZES[k % 3] * largest * ((double)(state >> 11) * 0x1p-52 - 1);
  }
}
