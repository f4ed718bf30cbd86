// Where a model rests: the work space of lb_equilibrium (limber/simulate.h), for those who ask
// often.
//
// At rest, with all velocities and accelerations zero and motors where they are,
//
//   r(q) = rnea(q, 0, 0) - forces(q) - J'lambda = 0,   gap(q) = 0                           (1)
//
// Newton's method with the exact stiffness K = dr/dq. For models with all nodes of their elastic
// bodies, a step is solved for in the few coordinates of the condensed model (condensed_model.h);
// for those with ropes and deformables, in the coordinates of the tree (equilibrium_particles.c).
#pragma once
#include "base/arena.h"
#include "dynamics/constraint/constraint_loop.h"
#include "limber/derivative.h"

typedef struct lb_equilibrium_solver lb_equilibrium_solver;

// How steps are found.
typedef struct lb_equilibrium_space {
  lb_status (*create)(lb_equilibrium_solver* R,
                      lb_error* err); // sets R->D; on failure `release` is called
  void (*release)(lb_equilibrium_solver* R);
  // R->r where d is; forces are in place.
  void (*look)(lb_equilibrium_solver* R, lb_data* d);
  // R->D, R->rs and R->Js there; `anew`: with nothing left of earlier ones, after which R->fresh is
  // true. false: there is no definite stiffness.
  bool (*linearise)(lb_equilibrium_solver* R, lb_data* d, bool anew);
  void (*expand)(const lb_equilibrium_solver* R, double* dq, const double* c);
} lb_equilibrium_space;

extern const lb_equilibrium_space lb_equilibrium_dense, lb_equilibrium_full,
    lb_equilibrium_particles;

struct lb_equilibrium_solver {
  const lb_model* m;
  const lb_model*
      small; // in whose coordinates steps are solved for: m, its condensed model or its tree
  const lb_equilibrium_space* space;
  void* own; // what that keeps
  const lb_allocator* allocator;
  lb_derivatives* D; // of `small`
  // --- of m, with all its coordinates
  double mass;              // of all that moves
  double *r, *dq;           // [nv] residual, driven coordinates with what their motors hold; a step
  double* J;                // [rows][nv]
  double *kept_q, *start_q; // [nq]
  double* kept_dq;          // [nv]
  int rows;                 // of loops, at the last state looked at
  double *gap, *mu;         // [rows]
  double* lambda;           // [rows] multipliers of loops
  int choice;               // of rows that they are of (lb_constraints_count_choices)
  double *kept_lambda, *kept_mu; // [rows]
  // --- in the coordinates that are solved for
  int n;               // how many
  double *rs, *c;      // [n] r and dq in them
  double *Js, *Z;      // [rows][n]
  double* S;           // [rows][rows]
  double* work;        // [4 * rows]
  int* pivot;          // [2 * rows]
  bool has_unilateral; // there are unilateral constraints:
  bool* unilateral;    // [rows] which, ...
  bool* acts;        // [rows] ... and all but those of them that neither push nor are gone through
  double* part;      // [rows][rows] their scratch ...
  double* next;      // [rows] ... and multipliers
  double *A, *B, *V; // [n][n]
  double *w, *z;     // [n]
  lb_arena scratch;  // for eigenvalues
  double penalty;    // on gaps, in the stiffness
  double size;       // of the step [m]
  double least;      // stiffness over mass of the softest mode where one is not positive, else 0
  bool fresh;        // the matrices are those of this very state
  bool loose;        // free particles had no definite stiffness
  int iterations;    // of the last solve
};

// LB_INVALID for a model that only shows another one, with all nodes.
lb_status lb_equilibrium_solver_create(const lb_model* m, const lb_allocator* allocator,
                                       lb_equilibrium_solver** out, lb_error* err);
void lb_equilibrium_solver_release(lb_equilibrium_solver* R);

// As lb_equilibrium; multipliers of the last solve are its start.
lb_status lb_equilibrium_solver_solve(lb_equilibrium_solver* R, lb_data* d, lb_error* err);

// A row and column of the identity for each driven coordinate.
void lb_equilibrium_solver_hold(const lb_equilibrium_solver* R, double* A);

// Residual, gaps and J at d's state and time, all without velocities; of bodies in a basis the
// stiffness too (R->D: tau, tau_q, tau_qd, M).
void lb_equilibrium_solver_look(lb_equilibrium_solver* R, lb_data* d);

// All forces on a model at a state but those of loops, whose rows it returns; and the derivatives
// of what all forces leave, loops' with multipliers lambda.
lb_constraint_rows lb_equilibrium_forces(const lb_model* m, lb_data* d);
void lb_equilibrium_differentiate(lb_derivatives* D, lb_data* d, const double* lambda);
