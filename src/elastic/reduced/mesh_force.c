#include "elastic/reduced/mesh_force.h"

#include <string.h>

#include "math/linear/dense.h"

static const double* column(const lb_projected* p, int k) {
  return p->basis->Phi + (size_t)k * (size_t)p->fem->ndof;
}

// out = Phi x
static void expand(const lb_projected* p, double* out, const double* x) {
  const int n = p->fem->ndof;
  memset(out, 0, (size_t)n * sizeof *out);
  for (int k = 0; k < p->basis->r; k++) {
    const double* phi = column(p, k);
    for (int i = 0; i < n; i++) {
      out[i] += phi[i] * x[k];
    }
  }
}

// out = Phi' f
static void project(const lb_projected* p, double* out, const double* f) {
  for (int k = 0; k < p->basis->r; k++) {
    const double* phi = column(p, k);
    double sum = 0;
    for (int i = 0; i < p->fem->ndof; i++) {
      sum += phi[i] * f[i];
    }
    out[k] = sum;
  }
}

static void force(const void* context, double* f, double* Kv, const double* eta, const double* v,
                  double* scratch) {
  const lb_projected* p = context;
  const size_t n = (size_t)p->fem->ndof;
  double *u = scratch, *w = scratch + n, *y = scratch + 2 * n;
  expand(p, u, eta);
  lb_fem_force(p->fem, y, u);
  project(p, f, y);
  if (Kv) {
    expand(p, w, v);
    lb_fem_apply_viscous(p->fem, y, u, w);
    project(p, Kv, y);
  }
}

typedef void apply_function(const lb_fem* fem, double* y, const double* u, const double* v);
typedef void second_function(const lb_fem* fem, double* y, const double* u, const double* v,
                             const double* w);

static void columns(const lb_projected* p, apply_function* apply, double* K, const double* eta,
                    double* scratch) {
  const size_t n = (size_t)p->fem->ndof;
  double *u = scratch, *y = scratch + n;
  expand(p, u, eta);
  for (int k = 0; k < p->basis->r; k++) {
    apply(p->fem, y, u, column(p, k));
    project(p, K + k * p->basis->r, y);
  }
}

static void tangent(const void* context, double* K, const double* eta, double* scratch) {
  columns(context, lb_fem_apply, K, eta, scratch);
}

static void viscous(const void* context, double* K, const double* eta, double* scratch) {
  columns(context, lb_fem_apply_viscous, K, eta, scratch);
}

// out = Phi'(blend) x, with K at u and its derivative along w; y and z are scratch.
static void apply_blend(const lb_projected* p, double* out, lb_blend of, const double* u,
                        const double* w, const double* x, double* y, double* z) {
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
  project(p, out, y);
}

static void blend(const void* context, double* A, lb_blend of, const double* eta, const double* v,
                  double* scratch) {
  const lb_projected* p = context;
  const size_t n = (size_t)p->fem->ndof;
  double *u = scratch, *w = scratch + n, *y = scratch + 2 * n;
  expand(p, u, eta);
  expand(p, w, v);
  for (int k = 0; k < p->basis->r; k++) {
    apply_blend(p, A + k * p->basis->r, of, u, w, column(p, k), y, y + n);
  }
}

static void blend_product(const void* context, double* out, lb_blend of, const double* eta,
                          const double* v, const double* x, double* scratch) {
  const lb_projected* p = context;
  const size_t n = (size_t)p->fem->ndof;
  double *u = scratch, *w = scratch + n, *y = scratch + 2 * n, *along = scratch + 4 * n;
  expand(p, u, eta);
  expand(p, w, v);
  expand(p, along, x);
  apply_blend(p, out, of, u, w, along, y, y + n);
}

static double energy(const void* context, const double* eta, double* scratch) {
  const lb_projected* p = context;
  expand(p, scratch, eta);
  return lb_fem_energy(p->fem, scratch);
}

lb_reduced_force lb_projected_force(const lb_projected* p) {
  return (lb_reduced_force){.force = force,
                            .tangent = tangent,
                            .energy = energy,
                            .scratch = 5 * p->fem->ndof,
                            .context = p,
                            .viscous = p->fem->viscous ? viscous : NULL,
                            .blend = blend,
                            .blend_product = blend_product};
}

static void apply_mass(const void* context, double* y, const double* x) {
  lb_fem_mass_apply(context, y, x);
}

static void apply_damping(const void* context, double* y, const double* x) {
  lb_fem_damping_apply(context, y, x);
}

lb_status lb_projected_reduce(const lb_projected* p, int nface, const lb_basis_face* face,
                              lb_arena* arena, lb_reduced* reduced) {
  const lb_arena_mark mark = lb_arena_here(arena);
  int* count = LB_TAKE(arena, int, nface);
  const int** node = LB_TAKE(arena, const int*, nface);
  const double** weight = LB_TAKE(arena, const double*, nface);
  if (!count || !node || !weight) {
    lb_arena_reset(arena, mark);
    return LB_NO_MEMORY;
  }
  for (int f = 0; f < nface; f++) {
    count[f] = face[f].count;
    node[f] = face[f].node;
    weight[f] = face[f].weight;
  }
  const lb_reduced_input in = {.nnode = p->fem->nnode,
                               .r = p->basis->r,
                               .X = &p->fem->node[0].x,
                               .Phi = p->basis->Phi,
                               .apply_mass = apply_mass,
                               .context = p->fem,
                               .nface = nface,
                               .face_count = count,
                               .face_node = node,
                               .face_weight = weight,
                               .apply_damping =
                                   p->fem->C.value == p->fem->M.value ? NULL : apply_damping};
  const lb_status status = lb_reduced_create(reduced, &in, arena);
  if (status == LB_OK) {
    reduced->internal = lb_projected_force(p);
    reduced->alpha = p->fem->alpha;
    reduced->beta = p->fem->beta;
  }
  return status;
}
