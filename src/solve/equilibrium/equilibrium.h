// Equilibrium: the work space of lb_equilibrium (limber/simulate.h), for frequent calls.
//
// In equilibrium, with all velocities and accelerations zero and motors where they are,
//
//   r(q) = rnea(q, 0, 0) - forces(q) - J'lambda = 0,   gap(q) = 0                           (1)
//
// Newton's method with the exact stiffness K = dr/dq, as an operator with layers: bodies with all
// their nodes are condensed (equilibrium_full.c), free particles eliminated (equilibrium_tree.c).
// equilibrium_step.c is about one look and one step, equilibrium.c about the way down.
#pragma once
#include "limber/derivative.h"
#include "solve/step/schur.h"

typedef struct lb_equilibrium_solver lb_equilibrium_solver;

// Unknowns and matrices of steps.
typedef struct lb_equilibrium_space {
  // Makes sys.W, and R->own if there is anything to keep.
  lb_status (*create)(lb_equilibrium_solver* R, lb_arena* arena);
  void (*release)(lb_equilibrium_solver* R); // of what is kept, also after a failure; or NULL
  // at.r where d is; forces are in place.
  void (*look)(lb_equilibrium_solver* R, lb_data* d);
  // R->D and the layers of sys.W there, for step.dq, which is -r; `anew`: with nothing left of
  // earlier ones, after which step.fresh is true. false: there is no definite stiffness.
  bool (*linearise)(lb_equilibrium_solver* R, lb_data* d, bool anew);
} lb_equilibrium_space;

extern const lb_equilibrium_space lb_equilibrium_full, lb_equilibrium_tree;

// The state last looked at, with all coordinates.
typedef struct lb_equilibrium_point {
  double* r;           // [nv] residual, driven coordinates with what their motors hold
  int rows;            // constraints
  double* J;           // [rows][nv]
  double* gap;         // [rows]
  double* lambda;      // [rows] multipliers
  int choice;          // of constraints that they are of (lb_constraints_count_choices)
  bool any_unilateral; // there are unilateral constraints:
  bool* unilateral;    // [rows] unilateral constraints
  bool* acts;          // [rows] all but those of them that neither act nor are gone through
} lb_equilibrium_point;

// The step from there.
typedef struct lb_equilibrium_step {
  double* dq;   // [nv]
  double* c;    // [n] in the coordinates that are solved for: a part of dq, or W's
  double* mu;   // [rows] of the multipliers
  double size;  // [m]
  double least; // stiffness over mass of the softest mode where one is not positive, else 0
  bool fresh;   // the matrices are those of this very state
  bool loose;   // free particles had no definite stiffness
} lb_equilibrium_step;

// Start of a step, and the line search.
typedef struct lb_equilibrium_kept {
  double *q, *start;   // [nq]
  double* dq;          // [nv]
  double *lambda, *mu; // [rows]
} lb_equilibrium_kept;

// (2) of equilibrium_step.c, in the coordinates that are solved for.
typedef struct lb_equilibrium_system {
  int n;          // number of unknowns
  lb_operator W;  // the stiffness
  lb_schur schur; // of the constraints
  double* rs;     // [n] -r in them
  double* Js;     // [rows][n] J in them
  double *B, *V;  // [n][n] masses, modes
  double *w, *z;  // [n] their stiffness over mass; scratch
  double* row;    // [nv] scratch
  double penalty; // on gaps, in the stiffness
} lb_equilibrium_system;

struct lb_equilibrium_solver {
  const lb_model* m;
  lb_model forces; // where steps solve for servos and stops that yield: m, with these as forces
  const lb_equilibrium_space* space;
  void* own; // its own work space
  const lb_allocator* allocator;
  lb_arena arena;    // of all arrays
  lb_arena scratch;  // for eigenvalues
  lb_derivatives* D; // of the model in whose coordinates steps are solved for
  double mass;       // of all that moves
  lb_equilibrium_point at;
  lb_equilibrium_step step;
  lb_equilibrium_kept kept;
  lb_equilibrium_system sys;
  int iterations;  // of the last solve
  double shortest; // step of it so far [m]
  int nudges;      // unstable equilibria that it left
};

// LB_INVALID for a model that only shows another one, with all nodes.
lb_status lb_equilibrium_solver_create(const lb_model* m, const lb_allocator* allocator,
                                       lb_equilibrium_solver** out, lb_error* err);
void lb_equilibrium_solver_release(lb_equilibrium_solver* R);

// lb_equilibrium from the multipliers of the last solve.
lb_status lb_equilibrium_solver_solve(lb_equilibrium_solver* R, lb_data* d, lb_error* err);

// Residual, gaps and J at d's state and time, all without velocities; of bodies in a basis the
// stiffness too (R->D: tau, tau_q, tau_qd, M).
void lb_equilibrium_solver_look(lb_equilibrium_solver* R, lb_data* d);

// All forces on a model at a state but those of loops, whose constraints it returns; and the
// derivatives of what all forces leave, loops' with multipliers lambda.
lb_constraint_rows lb_equilibrium_forces(const lb_model* m, lb_data* d);
void lb_equilibrium_differentiate(lb_derivatives* D, lb_data* d, const double* lambda);
