#include "fork/fork_jet.h"

#include <string.h>

#include "math/linear/dense.h"

// Parts of a jet along a path.
typedef struct path {
  double *v, *t, *tt, *k, *tk, *ttk;
} path;

static path path_of(const lb_jet_at* at, const double* x) {
  double* p = (double*)x;
  return (path){p, p + 1, p + 2, p + 3, p + 3 + at->r, p + 3 + 2 * at->r};
}

static size_t size_of(const lb_jet_at* at) {
  return lb_fork_jet_size(at->kind, at->r);
}

// --- seeds ---

void lb_fork_jet_constant(const lb_jet_at* at, double* out, double value) {
  memset(out, 0, size_of(at) * sizeof *out);
  out[0] = value;
}

void lb_fork_jet_coordinate(const lb_jet_at* at, double* out, int k, double factor) {
  lb_fork_jet_constant(at, out, factor * at->y[k]);
  if (at->kind == LB_JET_SECOND) {
    out[1 + k] = factor;
  } else {
    const path p = path_of(at, out);
    *p.t = factor * at->yd[k];
    p.k[k] = factor;
  }
}

void lb_fork_jet_distance(const lb_jet_at* at, double* out, const double* c) {
  const int r = at->r;
  lb_fork_jet_constant(at, out, 0);
  const path p = path_of(at, out);
  for (int k = 0; k < r; k++) {
    const double d = at->y[k] - c[k];
    out[0] += d * d;
    if (at->kind == LB_JET_SECOND) {
      out[1 + k] = 2 * d;
      out[1 + r + k * (r + 1)] = 2;
    } else {
      *p.t += 2 * d * at->yd[k];
      *p.tt += 2 * at->yd[k] * at->yd[k];
      p.k[k] = 2 * d;
      p.tk[k] = 2 * at->yd[k];
    }
  }
}

// --- rules ---

void lb_fork_jet_add(const lb_jet_at* at, double* out, double s, const double* a) {
  lb_add((int)size_of(at), out, s, a);
}

static void multiply_second(int r, double* restrict out, const double* a, const double* b) {
  const double *ga = a + 1, *gb = b + 1;
  double *g = out + 1, *H = g + r;
  out[0] = a[0] * b[0];
  for (int i = 0; i < r + r * r; i++) {
    g[i] = a[0] * gb[i] + b[0] * ga[i];
  }
  for (int i = 0; i < r; i++) {
    for (int k = 0; k < r; k++) {
      H[i * r + k] += ga[i] * gb[k] + gb[i] * ga[k];
    }
  }
}

static void multiply_path(int r, path o, path a, path b) {
  *o.v = *a.v * *b.v;
  *o.t = *a.t * *b.v + *a.v * *b.t;
  *o.tt = *a.tt * *b.v + 2 * *a.t * *b.t + *a.v * *b.tt;
  for (int k = 0; k < r; k++) {
    o.k[k] = a.k[k] * *b.v + *a.v * b.k[k];
    o.tk[k] = a.tk[k] * *b.v + *a.t * b.k[k] + a.k[k] * *b.t + *a.v * b.tk[k];
    o.ttk[k] = a.ttk[k] * *b.v + 2 * a.tk[k] * *b.t + a.k[k] * *b.tt + *a.tt * b.k[k] +
               2 * *a.t * b.tk[k] + *a.v * b.ttk[k];
  }
}

void lb_fork_jet_multiply(const lb_jet_at* at, double* out, const double* a, const double* b) {
  if (at->kind == LB_JET_SECOND) {
    multiply_second(at->r, out, a, b);
  } else {
    multiply_path(at->r, path_of(at, out), path_of(at, a), path_of(at, b));
  }
}

static void compose_second(int r, double* out, const double f[4], const double* a) {
  const double *ga = a + 1, *Ha = ga + r;
  double *g = out + 1, *H = g + r;
  for (int i = 0; i < r * r; i++) { // before its gradient is overwritten
    H[i] = f[1] * Ha[i] + f[2] * ga[i / r] * ga[i % r];
  }
  for (int i = 0; i < r; i++) {
    g[i] = f[1] * ga[i];
  }
  out[0] = f[0];
}

static void compose_path(int r, path o, const double f[4], path a) {
  const double t = *a.t, tt = *a.tt;
  for (int k = 0; k < r; k++) {
    const double by_k = a.k[k], by_tk = a.tk[k], by_ttk = a.ttk[k];
    o.k[k] = f[1] * by_k;
    o.tk[k] = f[2] * t * by_k + f[1] * by_tk;
    o.ttk[k] = f[3] * t * t * by_k + f[2] * (2 * t * by_tk + tt * by_k) + f[1] * by_ttk;
  }
  *o.v = f[0];
  *o.t = f[1] * t;
  *o.tt = f[2] * t * t + f[1] * tt;
}

void lb_fork_jet_compose(const lb_jet_at* at, double* out, const double f[4], const double* a) {
  if (at->kind == LB_JET_SECOND) {
    compose_second(at->r, out, f, a);
  } else {
    compose_path(at->r, path_of(at, out), f, path_of(at, a));
  }
}
