// A mechanism linearised about an equilibrium, and its static solution.
//
//   (1)  K dq - J'lambda = f,   J dq = 0
//
// with K of all forces, preload and gravity included, and of the loops' forces; J has the loops,
// couplings and contacts that hold. With a basis P of the directions that J leaves free, J P = 0,
//
//   (2)  dq = S f,   S = P (P'K P)^-1 P'
//
// which needs neither independent constraints nor a definite K: unsprung pins within loops are
// held by the rest of the loop.
#pragma once
#include "solve/equilibrium/equilibrium.h"

typedef struct lb_fork_linear {
  const lb_model* m;
  lb_equilibrium_solver* R; // K, D and M of the whole: R->D's tau_q, tau_qd and M
  lb_arena* arena;
  int nfree; // coordinates that nothing prescribes
  int* free; // [nfree]
  int n;     // free directions
  double* P; // [n][nfree] basis of these; NULL: the free coordinates themselves
  double* K; // [nfree][nfree] symmetric part among the free coordinates
  double* L; // [n][n] Cholesky factor of P'K P
  int asked; // constraints that hold
  int rows;  // those of them that the free coordinates move
  double* J; // [rows][nfree] of unit length
  int* row;  // [rows] their numbers in R->at
} lb_fork_linear;

// State of the linearisation's factor.
typedef struct lb_fork_stability {
  bool unstable;   // a direction has negative stiffness
  int nneutral;    // directions without stiffness
  double* neutral; // [nneutral][nv] these
  int joint;       // joint that moves most in the first direction of either kind
} lb_fork_stability;

// Linearise where d is, the last state R looked at. LB_FAILED only by memory or LAPACK: what is not
// positive definite is in `found`, and L is then not there.
lb_status lb_fork_linearise(lb_fork_linear* A, lb_equilibrium_solver* R, lb_arena* arena,
                            lb_fork_stability* found);
// Leave the neutral directions out, and factor.
lb_status lb_fork_leave_neutral(lb_fork_linear* A, lb_fork_stability* found);

// Multipliers lambda [R->at.rows] of (1), the least ones, from dq and f [nv].
lb_status lb_fork_multipliers(const lb_fork_linear* A, const double* dq, const double* f,
                              double* lambda);

// The shortest dq [nv] with J dq = -gap, gap [R->at.rows].
lb_status lb_fork_close_gaps(const lb_fork_linear* A, const double* gap, double* dq);

// x = S f for `count` columns [nv] each, in place.
lb_status lb_fork_solve(const lb_fork_linear* A, int count, double* x);
// x = S^(1/2) f, a root with S^(1/2)'S^(1/2)' = S that changes steadily with the pose.
lb_status lb_fork_solve_half(const lb_fork_linear* A, int count, double* x);
// x = P (P'M P)^-1 P'f, the same with masses in place of stiffness.
lb_status lb_fork_solve_mass(const lb_fork_linear* A, int count, double* x);

// The slowest vibrations that keep the rows of B [rows][nv] at rest: dq [count][nv] with unit mass,
// and their stiffness [count]. Fewer than asked where there are no more: `found`.
lb_status lb_fork_held_modes(const lb_fork_linear* A, int rows, const double* B, int count,
                             double* dq, double* stiffness, int* found);

// Number of independent constraints at R's last look, and that beside it, after a step along the
// free directions and with loops closed: more of them there means that the pose is singular.
lb_status lb_fork_ranks(const lb_fork_linear* A, lb_data* d, int* here, int* beside);
