// Where a model rests: the work space of lb_rest (limber/simulate.h), for those who ask often.
//
// At rest, with all velocities and accelerations zero and motors where they are,
//
//   r(q) = rnea(q, 0, 0) - forces(q) - J'lambda = 0,   gap(q) = 0                           (1)
//
// Newton's method with the exact stiffness K = dr/dq, for bodies in a basis.
#pragma once
#include "base/arena.h"
#include "limber/derivative.h"

typedef struct lb_rester {
  const lb_model* m;
  const lb_allocator* allocator;
  lb_derivatives* D;
  int rows;                 // of loops, at the last state looked at
  double *J, *Z;            // [rows][nv]
  double* S;                // [rows][rows]
  double *gap, *mu;         // [rows]
  double* lambda;           // [rows] multipliers of loops
  double* work;             // [2 * rows]
  int* pivot;               // [rows]
  double *A, *B, *V;        // [nv][nv]
  double *w, *z;            // [nv]
  double *r, *dq;           // [nv]
  double *kept_q, *start_q; // [nq]
  double* kept_lambda;      // [rows]
  double penalty;           // on gaps, in the stiffness
  double least;     // stiffness over mass of the softest mode where one is not positive, else 0
  double mass;      // of all that moves
  lb_arena scratch; // for eigenvalues
  int iterations;   // of the last solve
} lb_rester;

lb_status lb_rester_create(const lb_model* m, const lb_allocator* allocator, lb_rester** out,
                           lb_error* err);
void lb_rester_release(lb_rester* R);

// As lb_rest; multipliers of the last solve are its start.
lb_status lb_rester_solve(lb_rester* R, lb_data* d, lb_error* err);

// A row and column of the identity for each driven coordinate.
void lb_rester_hold(const lb_rester* R, double* A);

// Residual, stiffness (R->D: tau, tau_q, tau_qd, M), gaps and J at d's state and time, all without
// velocities.
void lb_rester_look(lb_rester* R, lb_data* d);
