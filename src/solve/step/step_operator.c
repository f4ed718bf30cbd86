#include "solve/step/step_operator.h"

#include <string.h>

#include "dynamics/constraint/elimination.h"
#include "elastic/reduced/reduced_derivative.h"
#include "math/linear/dense.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"
#include "solve/step/step_matrix.h"

lb_operator lb_operator_take(lb_arena* arena, const lb_model* m, int nd) {
  return (lb_operator){.m = m,
                       .small = m,
                       .nd = nd,
                       .left = nd,
                       .layer = &lb_layer_plain,
                       .W = LB_TAKE(arena, double, (size_t)nd*(size_t)nd),
                       .order = LB_TAKE(arena, int, nd)};
}

lb_status lb_operator_create(lb_operator* W, const lb_model* m, lb_arena* arena) {
  *W = lb_operator_take(arena, m, m->ndense);
  if (m->particles.nparticle == 0) {
    return lb_arena_status(arena);
  }
  W->small = lb_model_without_particles(m, arena);
  W->layer = &lb_layer_symmetric;
  W->symmetric = LB_TAKE(arena, lb_particle_matrix, 1);
  return W->small && W->symmetric ? lb_particle_matrix_create(W->symmetric, m, arena)
                                  : LB_NO_MEMORY;
}

// --- factors ---

bool lb_operator_factor_inner(lb_operator* W, bool definite) {
  W->factors = definite ? &lb_factors_cholesky : &lb_factors_lu;
  return (definite ? lb_cholesky(W->left, W->W, W->left)
                   : lb_lu(W->left, W->W, W->left, W->order)) == LB_OK;
}

bool lb_operator_factor(lb_operator* W, lb_data* d, double dt, bool definite) {
  if (W->layer->eliminate && !W->layer->eliminate(W, d, dt)) {
    return false;
  }
  lb_elimination_reduce(W->small, W->W);
  W->left = lb_elimination_left(W->small);
  return lb_operator_factor_inner(W, definite);
}

bool lb_operator_factor_masses(lb_operator* W, const double* M) {
  memcpy(W->W, M, (size_t)W->nd * (size_t)W->nd * sizeof *M);
  lb_step_hold_driven(W->small, W->nd, W->W);
  lb_elimination_reduce(W->small, W->W);
  W->left = lb_elimination_left(W->small);
  return lb_operator_factor_inner(W, true);
}

bool lb_operator_factor_tree_matrix(lb_operator* W) {
  lb_tree_slopes_matrix(W->tree, W->W);
  W->left = lb_elimination_left(W->small);
  return lb_operator_factor_inner(W, false);
}

// Couplings of fixed ratio leave fewer velocities: to these, or back.
static void map_each(const lb_operator* W, void (*map)(const lb_model* m, double* b), int count,
                     double* b) {
  for (int i = 0; i < count && W->left < W->nd; i++) {
    map(W->small, b + (size_t)i * (size_t)W->nd);
  }
}

static void solve_lu(lb_operator* W, bool transposed, int count, double* b) { // W is by rows
  map_each(W, lb_elimination_gather, count, b);
  (transposed ? lb_lu_solve : lb_lu_solve_transposed)(W->left, W->W, W->left, W->order, count, b,
                                                      W->nd);
  map_each(W, lb_elimination_spread, count, b);
}

static void solve_cholesky(lb_operator* W, bool transposed, int count, double* b) {
  (void)transposed;
  map_each(W, lb_elimination_gather, count, b);
  lb_cholesky_solve(W->left, W->W, W->left, count, b, W->nd);
  map_each(W, lb_elimination_spread, count, b);
}

// Recursion, or the dense matrix where its pivots are too small.
static void solve_tree(lb_operator* W, bool transposed, int count, double* b) {
  for (; count > 0; count--, b += W->nd) {
    if (!lb_tree_slopes_solve(W->tree, transposed, b)) {
      lb_operator_factor_tree_matrix(W);
      solve_lu(W, transposed, count, b);
      return;
    }
  }
}

static void solve_inertia(lb_operator* W, bool transposed, int count, double* b) {
  (void)transposed;
  for (; count > 0; count--, b += W->nd) {
    lb_tree_factor_solve(W->inertia, b);
    for (int k = 0; k < W->nd; k++) {
      b[k] *= W->dt;
    }
  }
}

const lb_factors lb_factors_lu = {solve_lu};
const lb_factors lb_factors_cholesky = {solve_cholesky};
const lb_factors lb_factors_tree = {solve_tree};
const lb_factors lb_factors_inertia = {solve_inertia};

// --- a matrix ---

// y += s (dr/dq of internal forces that K leaves out) x; symmetric.
static void add_internal(const lb_operator* W, double* y, double scale, const double* x) {
  const lb_internal_forces* e = W->internal;
  for (int i = 0; e && i < W->m->nlink; i++) {
    const lb_link* l = &W->m->link.packed[i];
    if (l->kind == LB_LINK_ELASTIC && lb_dot(l->nv, x + l->v, x + l->v) > 0) {
      memset(e->block, 0, (size_t)l->nv * sizeof *e->block);
      lb_reduced_stiffness_product(l->reduced, e->block, e->q + l->q, e->v + l->v, x + l->v,
                                   e->scratch);
      lb_add(l->nv, y + l->v, scale, e->block);
    }
  }
}

static void add_plain(const lb_operator* W, double* y, double scale, const double* q,
                      const double* v, const double* a) {
  const double* const matrix[] = {W->K, W->C, W->M};
  const double* const x[] = {q, v, a};
  for (int p = 0; p < 3; p++) {
    for (int i = 0; matrix[p] && x[p] && i < W->nd; i++) {
      y[i] += scale * lb_dot(W->nd, matrix[p] + (size_t)i * (size_t)W->nd, x[p]);
    }
  }
  add_internal(W, y, scale, q);
  for (int k = W->nd; k < W->m->nv && a; k++) {
    y[k] += scale * W->m->dof.armature[k] * a[k];
  }
}

static void add_plain_back(const lb_operator* W, double* q, double* v, double* a, double scale,
                           const double* mu) {
  const double* const matrix[] = {W->K, W->C, W->M};
  double* const x[] = {q, v, a};
  for (int p = 0; p < 3; p++) {
    for (int i = 0; matrix[p] && x[p] && i < W->nd; i++) {
      if (mu[i] != 0) {
        lb_add(W->nd, x[p], scale * mu[i], matrix[p] + (size_t)i * (size_t)W->nd);
      }
    }
  }
  add_internal(W, q, scale, mu);
  for (int k = W->nd; k < W->m->nv && a; k++) {
    a[k] += scale * W->m->dof.armature[k] * mu[k];
  }
}

static double* before_plain(const lb_operator* W, bool transposed, double* b) {
  (void)W, (void)transposed;
  return b;
}

static void after_masses(const lb_operator* W, bool transposed, double* b) {
  (void)transposed;
  for (int k = W->nd; k < W->m->nv; k++) {
    b[k] /= W->m->dof.armature[k];
  }
}

const lb_layer lb_layer_plain = {add_plain, add_plain_back, NULL, before_plain, after_masses};

// --- a tree ---

static void add_tree(const lb_operator* W, double* y, double scale, const double* q,
                     const double* v, const double* a) {
  lb_tree_slopes_add(W->tree, y, scale, q, v, a);
}

static void add_tree_back(const lb_operator* W, double* q, double* v, double* a, double scale,
                          const double* mu) {
  lb_tree_slopes_add_back(W->tree, q, v, a, scale, mu);
}

const lb_layer lb_layer_tree = {add_tree, add_tree_back, NULL, before_plain, after_masses};

// --- free particles ---

static bool eliminate_symmetric(lb_operator* W, lb_data* d, double dt) {
  return lb_particle_matrix_reduce(W->symmetric, d, dt, W->W);
}

static double* before_symmetric(const lb_operator* W, bool transposed, double* b) {
  (void)transposed;
  lb_particle_matrix_before(W->symmetric, b);
  return b;
}

static void after_symmetric(const lb_operator* W, bool transposed, double* b) {
  (void)transposed;
  lb_particle_matrix_after(W->symmetric, b);
}

const lb_layer lb_layer_symmetric = {NULL, NULL, eliminate_symmetric, before_symmetric,
                                     after_symmetric};

static void add_particles(const lb_operator* W, double* y, double scale, const double* q,
                          const double* v, const double* a) {
  add_plain(W, y, scale, q, v, a);
  lb_particle_derivative_add(W->particles, y, scale, q, v);
}

static void add_particles_back(const lb_operator* W, double* q, double* v, double* a, double scale,
                               const double* mu) {
  add_plain_back(W, q, v, a, scale, mu);
  lb_particle_derivative_add_back(W->particles, q, v, scale, mu);
}

static bool eliminate_particles(lb_operator* W, lb_data* d, double dt) {
  return lb_particle_derivative_factor(W->particles, d, dt, W->W);
}

static double* before_particles(const lb_operator* W, bool transposed, double* b) {
  lb_particle_derivative_before(W->particles, transposed, b);
  return b;
}

static void after_particles(const lb_operator* W, bool transposed, double* b) {
  lb_particle_derivative_after(W->particles, transposed, b);
}

const lb_layer lb_layer_particles = {add_particles, add_particles_back, eliminate_particles,
                                     before_particles, after_particles};
const lb_layer lb_layer_massive = {add_particles, add_particles_back, NULL, before_plain,
                                   after_masses};

// --- bodies with all their nodes ---

static void add_interface(const lb_operator* W, double* y, double scale, const double* q,
                          const double* v, const double* a) {
  lb_full_step_add(W->full, (lb_full_matrices){W->K, W->C, W->M}, y, scale, q, v, a);
}

static void add_interface_back(const lb_operator* W, double* q, double* v, double* a, double scale,
                               const double* mu) {
  lb_full_step_add_back(W->full, (lb_full_matrices){W->K, W->C, W->M}, q, v, a, scale, mu);
}

static bool eliminate_nodes(lb_operator* W, lb_data* d, double dt) {
  (void)d;
  return lb_full_step_factor(W->full, dt, W->W);
}

static double* before_interface(const lb_operator* W, bool transposed, double* b) {
  lb_full_step_before(W->full, transposed, b);
  return W->full->y;
}

static void after_interface(const lb_operator* W, bool transposed, double* b) {
  lb_full_step_after(W->full, transposed, b);
}

const lb_layer lb_layer_interface = {add_interface, add_interface_back, eliminate_nodes,
                                     before_interface, after_interface};

static double* before_condensed(const lb_operator* W, bool transposed, double* b) {
  (void)transposed;
  lb_condensed_model_project(W->condensed, W->c, b);
  return W->c;
}

static void after_condensed(const lb_operator* W, bool transposed, double* b) {
  (void)transposed;
  memset(b, 0, (size_t)W->m->nv * sizeof *b);
  lb_condensed_model_expand(W->condensed, b, W->c);
}

const lb_layer lb_layer_condensed = {NULL, NULL, NULL, before_condensed, after_condensed};
