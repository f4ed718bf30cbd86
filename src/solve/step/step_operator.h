// W of the linear equations of steps and equilibria: one operator that has K, C and M of a state,
// is factored for a step, and solved with, forward and transposed.
//
//   dr = K dq + C dv + M da,   W = M/dt + C + K dq/dv, or M, or K
//
// W has layers. Inside is a matrix, or a recursion over the links of a tree; couplings of fixed
// ratio are eliminated from a matrix, x = P u (dynamics/constraint/elimination.h). Around it free
// particles are eliminated (particle_matrix.h, particle_derivative.h), or the nodes of elastic
// bodies are condensed to their interface (full_step.h) or to the columns of one solve
// (condensed_model.h). Rows and columns of driven coordinates are those of the identity.
#pragma once
#include "dynamics/derivative/tree_derivative.h"
#include "dynamics/system/tree_system.h"
#include "solve/full/condensed_model.h"
#include "solve/full/full_step.h"
#include "solve/particle/particle_derivative.h"

typedef struct lb_operator lb_operator;

// A layer around the inner W.
typedef struct lb_layer {
  // y += s (K q + C v + M a), and the transpose: q, v, a += s (K, C, M)'mu
  void (*add)(const lb_operator* W, double* y, double scale, const double* q, const double* v,
              const double* a);
  void (*add_back)(const lb_operator* W, double* q, double* v, double* a, double scale,
                   const double* mu);
  // The inner W at d, without what surrounds it; false: that is singular. NULL: it is all there is.
  bool (*eliminate)(lb_operator* W, lb_data* d, double dt);
  // Before and after the inner W is solved with, for the part of b [nv] that is returned.
  double* (*before)(const lb_operator* W, bool transposed, double* b);
  void (*after)(const lb_operator* W, bool transposed, double* b);
} lb_layer;

extern const lb_layer lb_layer_plain;     // a matrix; free particles have their masses
extern const lb_layer lb_layer_tree;      // a tree, by products
extern const lb_layer lb_layer_symmetric; // free particles, with a symmetric matrix
extern const lb_layer lb_layer_particles; // free particles, nothing left out
extern const lb_layer lb_layer_massive;   // free particles beside a W of masses alone
extern const lb_layer lb_layer_interface; // bodies with all nodes, by the traces of their faces
extern const lb_layer lb_layer_condensed; // bodies with all nodes, by the columns of one solve

// Factors of the inner W: b = W^-1 b or W'^-1 b, [count][nd].
typedef struct lb_factors {
  void (*solve)(lb_operator* W, bool transposed, int count, double* b);
} lb_factors;

extern const lb_factors lb_factors_lu, lb_factors_cholesky;
extern const lb_factors lb_factors_tree;    // Newton's exact matrix by recursion
extern const lb_factors lb_factors_inertia; // masses with more on their diagonal, by recursion

// Internal forces of elastic bodies that K leaves out: their state, and scratch.
typedef struct lb_internal_forces {
  double *q, *v;   // [nq], [nv]
  double* block;   // [most r][most r]
  double* scratch; // for their forces
} lb_internal_forces;

struct lb_operator {
  const lb_model* m;     // model of x, q, v and a
  const lb_model* small; // model of the inner W: m, its tree or another variant
  int nd;                // number of its coordinates
  int left;              // of them after couplings of fixed ratio are eliminated
  const lb_layer* layer;
  const lb_factors* factors;
  lb_tree_slopes* tree;               // of lb_layer_tree
  lb_tree_factor* inertia;            // of lb_factors_inertia: dt W
  double dt;                          // dt of `inertia`
  lb_particle_matrix* symmetric;      // of lb_layer_symmetric
  lb_particle_derivative* particles;  // of lb_layer_particles and lb_layer_massive
  lb_full_step* full;                 // of lb_layer_interface
  lb_condensed_model* condensed;      // of lb_layer_condensed
  double* c;                          // [nd] right-hand side for `condensed`
  const lb_internal_forces* internal; // NULL: K has all
  const double *K, *C, *M;            // [nd][nd] by rows; NULL: zero
  double* W;                          // [nd][nd] by rows, then factors
  int* order;                         // [nd] of them
};

// Operator with `small` = m, with room for a matrix; the arena says whether there is memory.
lb_operator lb_operator_take(lb_arena* arena, const lb_model* m, int nd);
// A matrix of all of m but free particles, which lb_layer_symmetric eliminates.
lb_status lb_operator_create(lb_operator* W, const lb_model* m, lb_arena* arena);

// Factor W, which is there by rows: with what surrounds it at d for a step of dt, couplings
// eliminated; or as it is. `definite`: it is symmetric and positive definite. false: it is not, or
// singular.
bool lb_operator_factor(lb_operator* W, lb_data* d, double dt, bool definite);
bool lb_operator_factor_inner(lb_operator* W, bool definite);
// M in its place, couplings eliminated.
bool lb_operator_factor_masses(lb_operator* W, const double* M);
// The matrix of a tree, where the recursion does not do.
bool lb_operator_factor_tree_matrix(lb_operator* W);

// b = W^-1 b or W'^-1 b of the inner W, [count][nd].
static inline void lb_operator_solve(lb_operator* W, bool transposed, int count, double* b) {
  W->factors->solve(W, transposed, count, b);
}
