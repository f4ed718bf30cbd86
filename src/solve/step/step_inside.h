// What the files of a step's derivative share (step_derivative.h): step_derivative.c takes it and
// multiplies with it, step_constraints.c says which rows are equations, step_impact.c is about
// impacts.
#pragma once
#include "base/arena.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/tree_derivative.h"
#include "math/linear/dense.h"
#include "solve/full/full_step.h"
#include "solve/particle/particle_derivative.h"
#include "solve/step/active_set.h"
#include "solve/step/step_derivative.h"
#include "solve/step/step_matrix.h"

struct lb_step_derivative {
  const lb_model* m;
  const lb_allocator* allocator;
  lb_arena arena;                    // of nodes
  lb_particle_derivative* particles; // of ropes and deformables; NULL: there are none
  lb_full_step* full;                // of bodies with all their nodes; NULL: there are none
  int nd;            // coordinates but for those of free particles, which come last; of `full`
                     // those of the interface model, which D is of
  lb_derivatives* D; // of those
  const double *K, *C, *M;   // [nd][nd] of (4): D's, or those of (6); C NULL: zero
  double *still_K, *still_M; // [nd][nd] of (6)
  lb_tree_slopes* tree;      // takes the place of matrices where it can; NULL: it never can ...
  bool by_tree;              // ... and it does now
  bool factored;             // W is, without it or because its factors do not do
  double dt;
  double reach;     // dq/dv of joints whose coordinates are numbers: dt, or 0 in an impact
  double baumgarte; // 1/dt of (3), or 0 in a stage within a step
  bool inner;       // it is one
  bool impact;
  bool internal; // internal forces of elastic bodies are not in K
  int count;     // states before
  double* Q;     // [nlink][LB_STEP_BLOCK] dq/dv of joints whose coordinates are not numbers
  double* H[2];  // [nlink][LB_STEP_BLOCK] dq/dq_i, weights included
  double weight[2];
  double* W;                // [nd][nd] its transpose is factored, for which it is by columns
  int* order;               // [nd]
  lb_active_set active_set; // has the arrays of those below, and scratch
  int rows;                 // that are equations and are not redundant ...
  int* row;                 // [rows] ... which ...
  int* row_motor;           // [rows] ... and the motor that asks for its gap, or -1
  lb_active_state* state;   // [all rows]
  bool* inactive;           // [all rows] those whose gap counts over dt
  double *s_q, *s_v;        // [rows][nd] ds/dq and ds/dv, all coordinates
  double* J;                // [rows][nd] directions of the forces, all coordinates
  double* gap_q;            // [rows][nd] scratch
  double* E;                // [rows][nd] of (4), driven coordinates left out
  double* F;                // [rows][nd] J, driven coordinates left out
  double* Z;                // [rows][nd] F as couplings of fixed ratio leave it, then W^-1 F'
  double* A;                // [rows][rows] E Z, factored
  int* pivot;               // [2 * rows]
  double* nu;               // [rows]
  double *q, *v, *a, *mu;   // [nv]
  double* from;             // [nq]
  double *eta, *etad;       // [nq], [nv] coordinates and velocities at the step's end
  double* block;            // [most r][most r] of elastic bodies
  double* scratch;          // for their forces
  double* push;             // [nmotor][nd] generalised force of a unit push at a loop
};

// y += s A x and y += s A'x, A by rows; NULL: it is zero
static inline void lb_step_add_product(int rows, int n, double* y, double s, const double* A,
                                       const double* x) {
  for (int i = 0; A && i < rows; i++) {
    y[i] += s * lb_dot(n, A + (size_t)i * (size_t)n, x);
  }
}
static inline void lb_step_add_transposed(int rows, int n, double* y, double s, const double* A,
                                          const double* x) {
  for (int i = 0; A && i < rows; i++) {
    lb_add(n, y, s * x[i], A + (size_t)i * (size_t)n);
  }
}

// Solve with W, or with its transpose, for the velocities that couplings of fixed ratio leave
// (dynamics/constraint/elimination.h): b [count][nd].
void lb_step_solve(lb_step_derivative* S, bool transposed, int count, double* b);

// At which gaps close in s of (3) and (6).
static inline double lb_step_baumgarte(const lb_step_past* past, double dt) {
  return past->inner || past->impact ? 0 : 1 / dt;
}

// --- Newton's method for bodies with all their nodes (implicit_full.c) ---

// W of (4) at d's q, qd and qdd, factored, under the multipliers lambda; false: it has no factors.
bool lb_step_full_matrix(lb_step_derivative* S, lb_data* d, double dt, const double* lambda);
// Before b [nv] is solved for with it: what lb_step_solve takes, after which lb_full_step_after
// gives the nodes. S's data is where d is, and the reactions of held faces are taken out of b.
double* lb_step_full_before(lb_step_derivative* S, lb_data* d, double* b);

// --- rows (step_constraints.c) ---

// What the rows that were last linearised are, from the multipliers.
void lb_step_rows_judge(lb_step_derivative* S, const lb_data* d, const lb_step_past* past);
// Their derivatives, and A of (5) factored; false: it is singular. After W.
bool lb_step_rows_differentiate(lb_step_derivative* S, lb_data* d);

// --- impacts (step_impact.c) ---

// Of M(q) a - J'lambda, at d's q with a its qdd: D's tau_q and M. Everything in d's work rests;
// `zero` [nv] is scratch, lambda of all rows that are there.
void lb_derive_blow(lb_derivatives* D, lb_data* d, double* zero, const double* lambda);
// d's links with the accelerations a, at rest and without gravity; `needed` [nv] is M(q) a.
void lb_pose_blow(lb_data* d, double* zero, double* needed);

// K and M of (6), then D at the end of the impact.
void lb_step_impact_derive(lb_step_derivative* S, lb_data* d, const lb_step_past* past);
