// Derivatives of collocations against differences.
#pragma once
#include "collocating.h"

static unsigned check_seed = 7;
static inline double random_number(void) {
  check_seed = check_seed * 1664525u + 1013904223u;
  return (double)(check_seed >> 8) / (1 << 23) - 1;
}

// A point near the guess, and its directional derivatives by differences of fourth order with steps
// of h.
static inline void check_derivatives_by(const char* text, const lb_collocate_inputs* in, double h) {
  static const double AT[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  collocated c = make_collocation(text, in);
  lb_collocating* C = c.c->work;
  const size_t n = (size_t)C->n, m = (size_t)C->rows;
  double *x = malloc(n * 8), *to = malloc(n * 8), *e = malloc(n * 8), *lambda = malloc(m * 8);
  double *g = malloc(m * 8), *dg = calloc(m, 8), *Jg = calloc(m, 8);
  double *J = malloc((size_t)C->pattern.count * 8), *H = malloc((size_t)C->curvature.count * 8);
  double *by = malloc(n * 8), *dby = calloc(n, 8), *He = calloc(n, 8), df = 0;
  for (size_t k = 0; k < n; k++) {
    x[k] = C->Z[k] / C->scale[k] + 0.01 * random_number();
    x[k] = fmin(fmax(x[k], C->lower[k] + 1e-2), C->upper[k] - 1e-2);
    e[k] = random_number();
  }
  for (size_t k = 0; k < m; k++) {
    lambda[k] = random_number();
  }
  const double factor = 0.7;
  for (int p = 0; p < 4; p++) {
    for (size_t k = 0; k < n; k++) {
      to[k] = x[k] + h * AT[p] * e[k];
    }
    double f;
    assert_true(lb_collocation_objective(C, to, &f));
    assert_true(lb_collocation_constraints(C, to, g));
    df += WEIGHT[p] * f / h;
    for (size_t k = 0; k < m; k++) {
      dg[k] += WEIGHT[p] * g[k] / h;
    }
    assert_true(lb_collocation_gradient(C, to, by));
    assert_true(lb_collocation_jacobian(C, to, J));
    for (size_t k = 0; k < n; k++) {
      dby[k] += WEIGHT[p] * factor * by[k] / h;
    }
    for (int k = 0; k < C->pattern.count; k++) {
      dby[C->pattern.column[k]] += WEIGHT[p] * lambda[C->pattern.row[k]] * J[k] / h;
    }
  }
  lb_collocation_gradient(C, x, by);
  lb_collocation_jacobian(C, x, J);
  lb_collocation_hessian(C, x, factor, lambda, H);
  double slope = 0, worst = 0, size = 1, bent = 0, most = 1;
  for (size_t k = 0; k < n; k++) {
    slope += by[k] * e[k];
  }
  for (int k = 0; k < C->pattern.count; k++) {
    Jg[C->pattern.row[k]] += J[k] * e[C->pattern.column[k]];
  }
  for (int k = 0; k < C->curvature.count; k++) {
    const int r = C->curvature.row[k], s = C->curvature.column[k];
    He[r] += H[k] * e[s];
    He[s] += r == s ? 0 : H[k] * e[r];
  }
  for (size_t k = 0; k < m; k++) {
    worst = fmax(worst, fabs(Jg[k] - dg[k]));
    size = fmax(size, fabs(dg[k]));
  }
  for (size_t k = 0; k < n; k++) {
    bent = fmax(bent, fabs(He[k] - dby[k]));
    most = fmax(most, fabs(dby[k]));
  }
  print_message("gradient %.1e, Jacobian %.1e, Hessian %.1e of their sizes\n",
                fabs(slope - df) / fmax(1, fabs(df)), worst / size, bent / most);
  assert_true(fabs(slope - df) <= 1e-7 * fmax(1, fabs(df)));
  assert_true(worst <= 1e-7 * size);
  assert_true(bent <= 1e-7 * most);
  double* all[] = {x, to, e, lambda, g, dg, Jg, J, H, by, dby, He};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    free(all[k]);
  }
  forget_collocation(&c);
}

static inline void check_derivatives(const char* text, const lb_collocate_inputs* in) {
  check_derivatives_by(text, in, 1e-4);
}
