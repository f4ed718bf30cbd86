// One elastic body in full space: internal energy, forces, tangent stiffness and mass of a mesh of
// tetrahedra. Unknowns are the displacements of the nodes, u[3 * node + component], in the frame
// that the mesh is given in. SI units.
//
// A body is made once and never written again, so threads may share it. Evaluations allocate
// nothing, and give the same bits for any number of threads.
#pragma once
#include "elastic/fem/blend.h"
#include "elastic/fem/material.h"
#include "elastic/reduced/tie.h"
#include "geom/tet/tetmesh.h"
#include "math/linear/sparse.h"
#include "math/space/simd.h"

typedef struct lb_fem_batch lb_fem_batch;

typedef struct lb_fem {
  lb_arena arena;
  int nnode;
  int ndof;              ///< 3 * nnode
  lb_vec3* node;         ///< [nnode] reference positions
  double young, density; ///< the largest modulus, the mean density
  double size, thin;     ///< longest and shortest edge of the box with the same second moments [m]

  // mass
  lb_sparse M;       ///< of nodes: the mass matrix is M times the 3 x 3 identity, block by block
  double* node_mass; ///< [nnode] row sums of M: what a uniform acceleration acts on; may be < 0

  // ties
  int ntie;
  lb_tie* tie;
  double tie_factor; ///< on their stiffness: moduli that changed since
  lb_sparse ties;    ///< of nodes: their stiffness is this times the identity, block by block

  // elements, eight at a time
  int order, elem_nodes, npoint;
  int nregion, nelem, nbatch;
  lb_region_material* material; ///< [nregion]

  // damping: regions have shares of the largest alpha and beta
  double alpha, beta;
  lb_sparse C; ///< of nodes, int rho (share of alpha) N_a N_b; M itself where all share alike

  double gradient[4][10][3]; ///< of the shape functions at the points
  lb_fem_batch* batch;       ///< [nbatch]

  // the order of work: chunks of one colour share no node
  int nchunk, ncolour;
  int* chunk;    ///< [nchunk + 1] first batch of each
  int* sequence; ///< [nchunk] chunks by colour
  int* colour;   ///< [ncolour + 1] first in `sequence` of each colour
  int threads;
} lb_fem;

/// The body that fills `mesh`; material[i] is that of region i. The mesh is not needed afterwards.
/// Runs on up to `threads` threads. LB_INVALID when a material or the mesh is not fit; `name` is
/// the body's in messages.
lb_status lb_fem_create(const lb_allocator* allocator, const lb_tetmesh* mesh,
                        const lb_material* material, int threads, const char* name, lb_place place,
                        lb_fem** fem, lb_error* err);
/// lb_fem_create with nodes tied to others. Ties act in energy, force and stiffness, not in
/// damping.
lb_status lb_fem_create_tied(const lb_allocator* allocator, const lb_tetmesh* mesh,
                             const lb_material* material, int ntie, const lb_tie* tie, int threads,
                             const char* name, lb_place place, lb_fem** fem, lb_error* err);
void lb_fem_release(lb_fem* fem);

/// A copy in `arena`, whose regions are `factor` [nregion] times as stiff; one factor is for all.
/// It shares the rest with `from`, which must outlive it.
lb_fem* lb_fem_scaled(const lb_fem* from, int nregion, const double* factor, lb_arena* arena);

/// Elastic energy [J].
double lb_fem_energy(const lb_fem* fem, const double* u);
/// f = the energy's gradient [N]: the force that holds the nodes at u.
void lb_fem_force(const lb_fem* fem, double* f, const double* u);
/// f = force(u) + beta K(u) v, in one sweep.
void lb_fem_damped_force(const lb_fem* fem, double* f, double beta, const double* u,
                         const double* v);
/// y = K(u) v without the matrix, K the derivative of lb_fem_force().
void lb_fem_apply(const lb_fem* fem, double* y, const double* u, const double* v);
/// y = (dK(u) along v) w, the second derivative of lb_fem_force(); symmetric in v and w.
void lb_fem_second(const lb_fem* fem, double* y, const double* u, const double* v, const double* w);
/// y = that blend of K(u) v and K'(u) v, and of their changes along w, in one sweep; w may be NULL
/// without those. Rayleigh damping is (alpha C + beta K'(u)) v [N]: C is M and K' is K, with each
/// region's share.
void lb_fem_product(const lb_fem* fem, double* y, lb_blend of, const double* u, const double* v,
                    const double* w);
/// y = C x, both [ndof].
void lb_fem_damping_apply(const lb_fem* fem, double* y, const double* x);

/// A zero matrix with the pattern of K(u), in `arena`.
lb_status lb_fem_matrix(const lb_fem* fem, lb_arena* arena, lb_sparse* K);
/// K = K(u).
void lb_fem_tangent(const lb_fem* fem, lb_sparse* K, const double* u);
/// K = that blend of K(u) and K'(u), and of their changes along v; v may be NULL without those.
void lb_fem_blend(const lb_fem* fem, lb_sparse* K, lb_blend of, const double* u, const double* v);
/// A += s M, and A += s C, for a matrix of lb_fem_matrix().
void lb_fem_add_mass(const lb_fem* fem, lb_sparse* A, double s);
void lb_fem_add_damping(const lb_fem* fem, lb_sparse* A, double s);

/// y = M x, both [ndof].
void lb_fem_mass_apply(const lb_fem* fem, double* y, const double* x);
/// Mass, centre and inertia in the reference configuration.
lb_mass lb_fem_rigid(const lb_fem* fem);

/// Rotations around each node: R [nnode], those nearest to the mean gradients of the elements
/// around. For bodies that bend far and strain little.
void lb_fem_rotations(const lb_fem* fem, lb_m3* R, const double* u);

/// The smallest volume ratio det F at the points where forces are computed, and the element (as
/// numbered in the mesh) it is in: not positive means inverted.
double lb_fem_least_volume(const lb_fem* fem, const double* u, int* elem);
/// The middle of an element's corners, in the reference configuration.
lb_vec3 lb_fem_elem_middle(const lb_fem* fem, int elem);
