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
    lb_fem_product(p->fem, y, (lb_blend){.D = 1}, u, w, NULL);
    projected_project(p, Kv, y);
  }
}

static inline void projected_blend(const void* context, double* A, lb_blend of, const double* eta,
                                   const double* v, double* scratch) {
  const lb_projected* p = context;
  const size_t n = (size_t)p->fem->ndof;
  double *u = scratch, *w = scratch + n, *y = scratch + 2 * n;
  projected_expand(p, u, eta);
  if (v) {
    projected_expand(p, w, v);
  }
  for (int k = 0; k < p->basis->r; k++) {
    lb_fem_product(p->fem, y, of, u, projected_column(p, k), v ? w : NULL);
    projected_project(p, A + k * p->basis->r, y);
  }
}

static inline void projected_blend_product(const void* context, double* out, lb_blend of,
                                           const double* eta, const double* v, const double* x,
                                           double* scratch) {
  const lb_projected* p = context;
  const size_t n = (size_t)p->fem->ndof;
  double *u = scratch, *w = scratch + n, *along = scratch + 2 * n, *y = scratch + 3 * n;
  projected_expand(p, u, eta);
  projected_expand(p, w, v);
  projected_expand(p, along, x);
  lb_fem_product(p->fem, y, of, u, along, w);
  projected_project(p, out, y);
}

static inline double projected_energy(const void* context, const double* eta, double* scratch) {
  const lb_projected* p = context;
  projected_expand(p, scratch, eta);
  return lb_fem_energy(p->fem, scratch);
}

static inline lb_reduced_force lb_projected_force(const lb_projected* p) {
  return (lb_reduced_force){.force = projected_force,
                            .energy = projected_energy,
                            .scratch = 5 * p->fem->ndof,
                            .context = p,
                            .viscous =
                                lb_region_materials_differ(p->fem->nregion, p->fem->material),
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
