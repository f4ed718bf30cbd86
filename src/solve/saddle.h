// Linear equations under rows of constraints, as accelerations, impulses and the closing of gaps
// have them: with x = P u the velocities that couplings of fixed ratio leave (dynamics/gear.h),
//
//   P'(M x - J'lambda) = P'b,   E x = c                                                    (1)
//
// for coordinates that no motor leads; those of others in x are zero. M is symmetric. Rows that
// repeat others are left out. Free nodes have masses of their own, and no rows.
#pragma once
#include "base/carve.h"
#include "limber/dynamics.h"
#include "solve/row_choice.h"

typedef struct lb_saddle {
  const lb_model* m;
  int nd;         // coordinates but for those of free nodes, which come last
  double* W;      // [nd][nd] Cholesky factor of P'M P
  int rows;       // that are equations ...
  int* row;       // [rows] ... which of all
  double *E, *Z;  // [rows][nd] E without driven coordinates, W^-1 J'
  double* A;      // [rows][rows] E Z, factored
  int* pivot;     // [rows]
  double *nu, *c; // [rows] for callers: multipliers, right-hand sides
} lb_saddle;

lb_saddle lb_saddle_lay_out(lb_carver* c, const lb_model* m);

// M [nd][nd]; J and E [all][nd] of the rows whose states are in `choice`, all coordinates. false:
// singular.
bool lb_saddle_factor(lb_saddle* s, lb_row_choice* choice, const double* M, const double* J,
                      const double* E);

// b [nv] becomes x, c lambda, in nu.
void lb_saddle_solve(lb_saddle* s, double* b);

// The transpose: how an objective changes with x, in b, and with lambda, in nu, becomes how it
// changes with b and c, in b and nu.
void lb_saddle_solve_back(lb_saddle* s, double* b);

// y += scale A x over the rows that are equations, and y += scale A'x; A [all][nd].
void lb_saddle_add(const lb_saddle* s, double* y, double scale, const double* A, const double* x);
void lb_saddle_add_back(const lb_saddle* s, double* y, double scale, const double* A,
                        const double* x);
