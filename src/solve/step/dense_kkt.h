// Linear equations under constraints, as accelerations, impulses and the closing of gaps
// have them: with x = P u the velocities that couplings of fixed ratio leave
// (dynamics/constraint/elimination.h),
//
//   P'(M x - J'lambda) = P'b,   E x = c                                                    (1)
//
// for coordinates that no motor prescribes; those of others in x are zero. M is symmetric.
// Redundant constraints are left out. Free particles have masses of their own, and no rows.
#pragma once
#include "base/carve.h"
#include "limber/dynamics.h"
#include "solve/step/active_set.h"

typedef struct lb_dense_kkt {
  const lb_model* m;
  int nd;         // coordinates but for those of free particles, which come last
  double* W;      // [nd][nd] Cholesky factor of P'M P
  int rows;       // that are equations ...
  int* row;       // [rows] ... which of all
  double *E, *Z;  // [rows][nd] E without driven coordinates, W^-1 J'
  double* A;      // [rows][rows] E Z, factored
  int* pivot;     // [rows]
  double *nu, *c; // [rows] for callers: multipliers, right-hand sides
} lb_dense_kkt;

lb_dense_kkt lb_dense_kkt_lay_out(lb_carver* c, const lb_model* m);

// M [nd][nd]; J and E [all][nd] of the rows whose states are in `choice`, all coordinates. false:
// singular.
bool lb_dense_kkt_factor(lb_dense_kkt* s, lb_active_set* active_set, const double* M,
                         const double* J, const double* E);

// b [nv] becomes x, c lambda, in nu.
void lb_dense_kkt_solve(lb_dense_kkt* s, double* b);

// The transpose: how an objective changes with x, in b, and with lambda, in nu, becomes how it
// changes with b and c, in b and nu.
void lb_dense_kkt_solve_back(lb_dense_kkt* s, double* b);

// y += scale A x over the rows that are equations, and y += scale A'x; A [all][nd].
void lb_dense_kkt_add(const lb_dense_kkt* s, double* y, double scale, const double* A,
                      const double* x);
void lb_dense_kkt_add_back(const lb_dense_kkt* s, double* y, double scale, const double* A,
                           const double* x);
