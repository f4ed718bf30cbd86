// Contact problems with A as a dense matrix, scaled so that impulses and velocities have one size:
//
//   (1)  lambda_r = D_r x_r,  D_r^2 = rho_r,   y = A_s x + q  with  A_s = D A D,  q = D (J u0 + b)
//
// so diag(A_s) is one (in the mean over a friction set), |x|^2 is an energy, and the natural map
// has steps of one. Methods: Newton's for the whole, and block Gauss-Seidel.
#pragma once
#include "base/carve.h"
#include "math/contact/contact_local.h"

typedef struct lb_contact_dense {
  int n;
  int* row;              // [n] rows of the problem, blocks whole and rising
  int* end;              // [n] first place behind the block of each
  lb_contact_kind* kind; // [n]
  int* normal;           // [n] place of the unilateral row of a set, or -1
  double* mu;            // [n] radius for x_n = 1, or the radius
  double* D;             // [n]
  double* q;             // [n]
  double* A;             // [n * n] by columns
  double tolerance;      // of max |F_r| / D_r, the natural map in the units of w
  // --- scratch of the methods
  double *F, *y, *dx, *dy, *trial, *trial_y, *best; // [n]
  double* G;                                        // [n * n]
  double* rhs;                                      // [n]
  int *index, *pivot;                               // [n]
  int *head, *next;                                 // [ngroup], [2 n] rows of each group
} lb_contact_dense;

// Room for n rows of a problem with ngroup groups.
void lb_contact_dense_carve(lb_contact_dense* d, lb_carver* c, int n, int ngroup);

// Assemble the rows of `nblock` blocks, which are listed. d->n becomes their number.
void lb_contact_dense_assemble(lb_contact_dense* d, const lb_contact_problem* p, int nblock,
                               const int* block);

void lb_contact_dense_to(const lb_contact_dense* d, const double* lambda, double* x);
void lb_contact_dense_from(const lb_contact_dense* d, const double* x, double* lambda);

// y = A_s x + q
void lb_contact_dense_apply(const lb_contact_dense* d, const double* x, double* y);
// F = x - proj(x - y); returns max |F_r| / D_r.
double lb_contact_natural_map(const lb_contact_dense* d, const double* x, const double* y,
                              double* F);

// Outcome of a method: whether the tolerance was met, by x, after some steps.
typedef struct lb_contact_try {
  bool solved;
  double residual;
  int steps;
} lb_contact_try;

// Newton's method for the natural map (semismooth, Alart and Curnier 1991) with a line search on
// |F|^2. Redundant rows: A + eps in the matrix alone, which makes each step one of the proximal
// point method, so the root is that of A. x ends as the best that was met.
lb_contact_try lb_contact_newton(lb_contact_dense* d, int most, double* x);

// Sweeps of block Gauss-Seidel over pieces, each solved exactly.
lb_contact_try lb_contact_dense_sweeps(lb_contact_dense* d, const lb_contact_problem* p, int most,
                                       double* x);

// Newton matrix G at x, reduced to the rows in d->index (returns how many): the others have F = x.
// What is left of dF for changes of x elsewhere stands on the right-hand side.
int lb_contact_newton_matrix(lb_contact_dense* d, const double* x, const double* y, double eps);
