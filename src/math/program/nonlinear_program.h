// Nonlinear programs by interior points, IPOPT behind a small interface:
//
//   minimise f(x)   with   g_lower <= g(x) <= g_upper,   lower <= x <= upper
//
// IPOPT and the MUMPS inside it take memory of their own, outside the caller's allocator. Other
// threads may use MUMPS while functions of the caller run (math/linear/mumps_lock.h).
#pragma once
#include <stdbool.h>

#include "limber/status.h"

// Places of values in a sparse matrix.
typedef struct lb_triplets {
  int count;
  int *row, *column; // [count] from 0; of a symmetric matrix the lower triangle
} lb_triplets;

// State of the search after an iteration.
typedef struct lb_program_news {
  int iteration;
  double objective, infeasibility, optimality; // as IPOPT scales them
  bool restoring;                              // it looks for a feasible point alone
} lb_program_news;

// Functions return false where there is no value.
typedef struct lb_program {
  int n, m;                        // variables and constraints
  const double *lower, *upper;     // [n] beyond 1e19 there is none
  const double *g_lower, *g_upper; // [m]
  const lb_triplets *jacobian_at, *hessian_at;
  bool (*objective)(void* context, const double* x, double* f);
  bool (*gradient)(void* context, const double* x, double* df);     // [n]
  bool (*constraints)(void* context, const double* x, double* g);   // [m]
  bool (*jacobian)(void* context, const double* x, double* values); // of jacobian_at
  // of factor f + lambda'g, of hessian_at
  bool (*hessian)(void* context, const double* x, double factor, const double* lambda,
                  double* values);
  bool (*news)(void* context, const lb_program_news* news); // false: stop; NULL: nobody listens
  void* context;
} lb_program;

typedef struct lb_program_options {
  double tolerance;
  int iterations;
  double barrier; // first barrier parameter, small where x is nearly a solution; 0: IPOPT's own
} lb_program_options;

typedef enum lb_program_end {
  LB_PROGRAM_SOLVED,
  LB_PROGRAM_ACCEPTABLE, // as far as rounding allows, or nearly
  LB_PROGRAM_LIMIT,      // of iterations
  LB_PROGRAM_STOPPED,    // by `news`
  LB_PROGRAM_INFEASIBLE, // no point nearby meets the constraints better
  LB_PROGRAM_FAILED
} lb_program_end;

// From x [n] on; the last iterate is left there, and its constraints' multipliers in lambda [m].
lb_status lb_program_solve(const lb_program* program, const lb_program_options* options, double* x,
                           double* lambda, lb_program_end* end);
