// Internal forces of a mesh in a basis by the elements themselves, f = Phi' f(Phi eta): what forces
// by points of the body are held against.
#pragma once
#include <string.h>

#include "elastic/reduced/projected_mass.h"
#include "math/linear/dense.h"

static inline const double* projected_column(const lb_projected* p, int k) {
  return p->basis->Phi + (size_t)k * (size_t)p->fem->ndof;
}

// out = Phi x
static inline void projected_expand(const lb_projected* p, double* out, const double* x) {
  const int n = p->fem->ndof;
  memset(out, 0, (size_t)n * sizeof *out);
  for (int k = 0; k < p->basis->r; k++) {
    const double* phi = projected_column(p, k);
    for (int i = 0; i < n; i++) {
      out[i] += phi[i] * x[k];
    }
  }
}

// out = Phi' f
static inline void projected_project(const lb_projected* p, double* out, const double* f) {
  for (int k = 0; k < p->basis->r; k++) {
    const double* phi = projected_column(p, k);
    double sum = 0;
    for (int i = 0; i < p->fem->ndof; i++) {
      sum += phi[i] * f[i];
    }
    out[k] = sum;
  }
}

static inline void projected_force(const void* context, double* f, double* Kv, const double* eta,
                                   const double* v, double* scratch) {
  const lb_projected* p = context;
  const size_t n = (size_t)p->fem->ndof;
  double *u = scratch, *w = scratch + n, *y = scratch + 2 * n;
  projected_expand(p, u, eta);
  lb_fem_force(p->fem, y, u);
  projected_project(p, f, y);
  if (Kv) {
    projected_expand(p, w, v);
    lb_fem_apply_viscous(p->fem, y, u, w);
    projected_project(p, Kv, y);
  }
}

typedef void apply_function(const lb_fem* fem, double* y, const double* u, const double* v);
typedef void second_function(const lb_fem* fem, double* y, const double* u, const double* v,
                             const double* w);

static inline void projected_columns(const lb_projected* p, apply_function* apply, double* K,
                                     const double* eta, double* scratch) {
  const size_t n = (size_t)p->fem->ndof;
  double *u = scratch, *y = scratch + n;
  projected_expand(p, u, eta);
  for (int k = 0; k < p->basis->r; k++) {
    apply(p->fem, y, u, projected_column(p, k));
    projected_project(p, K + k * p->basis->r, y);
  }
}

static inline void projected_tangent(const void* context, double* K, const double* eta,
                                     double* scratch) {
  projected_columns(context, lb_fem_apply, K, eta, scratch);
}

static inline void projected_viscous(const void* context, double* K, const double* eta,
                                     double* scratch) {
  projected_columns(context, lb_fem_apply_viscous, K, eta, scratch);
}

// out = Phi'(blend) x, with K at u and its derivative along w; y and z are scratch.
static inline void projected_apply_blend(const lb_projected* p, double* out, lb_blend of,
                                         const double* u, const double* w, const double* x,
                                         double* y, double* z) {
  apply_function* const apply[2] = {lb_fem_apply, lb_fem_apply_viscous};
  second_function* const second[2] = {lb_fem_second, lb_fem_second_viscous};
  const double factor[2] = {of.K, of.D}, turn[2] = {of.T, of.N};
  memset(y, 0, (size_t)p->fem->ndof * sizeof *y);
  for (int k = 0; k < 2; k++) {
    if (factor[k] != 0) {
      apply[k](p->fem, z, u, x);
      lb_add(p->fem->ndof, y, factor[k], z);
    }
    if (turn[k] != 0) {
      second[k](p->fem, z, u, w, x);
      lb_add(p->fem->ndof, y, turn[k], z);
    }
  }
  projected_project(p, out, y);
}

static inline void projected_blend(const void* context, double* A, lb_blend of, const double* eta,
                                   const double* v, double* scratch) {
  const lb_projected* p = context;
  const size_t n = (size_t)p->fem->ndof;
  double *u = scratch, *w = scratch + n, *y = scratch + 2 * n;
  projected_expand(p, u, eta);
  projected_expand(p, w, v);
  for (int k = 0; k < p->basis->r; k++) {
    projected_apply_blend(p, A + k * p->basis->r, of, u, w, projected_column(p, k), y, y + n);
  }
}

static inline void projected_blend_product(const void* context, double* out, lb_blend of,
                                           const double* eta, const double* v, const double* x,
                                           double* scratch) {
  const lb_projected* p = context;
  const size_t n = (size_t)p->fem->ndof;
  double *u = scratch, *w = scratch + n, *y = scratch + 2 * n, *along = scratch + 4 * n;
  projected_expand(p, u, eta);
  projected_expand(p, w, v);
  projected_expand(p, along, x);
  projected_apply_blend(p, out, of, u, w, along, y, y + n);
}

static inline double projected_energy(const void* context, const double* eta, double* scratch) {
  const lb_projected* p = context;
  projected_expand(p, scratch, eta);
  return lb_fem_energy(p->fem, scratch);
}

static inline lb_reduced_force lb_projected_force(const lb_projected* p) {
  return (lb_reduced_force){.force = projected_force,
                            .tangent = projected_tangent,
                            .energy = projected_energy,
                            .scratch = 5 * p->fem->ndof,
                            .context = p,
                            .viscous = p->fem->viscous ? projected_viscous : NULL,
                            .blend = projected_blend,
                            .blend_product = projected_blend_product};
}

// The reduced body with these forces.
static inline lb_status lb_projected_reduce(const lb_projected* p, int nface,
                                            const lb_basis_face* face, lb_arena* arena,
                                            lb_reduced* reduced) {
  const lb_status status = lb_projected_weigh(p, nface, face, arena, reduced);
  reduced->internal = lb_projected_force(p);
  return status;
}
