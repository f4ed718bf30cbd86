// Contact problems with A as a dense matrix: Newton's method of contact_newton.h by LU factors, and
// block Gauss-Seidel. Nothing here allocates.
#pragma once
#include "math/contact/contact_local.h"
#include "math/contact/contact_newton.h"

typedef struct lb_contact_dense {
  lb_contact_scaled system;
  double* A;          // [n * n] scaled, by columns
  double* G;          // [n * n] Newton's matrix, then its factors
  double* rhs;        // [n]
  int *index, *pivot; // [n]
  int *head, *next;   // [ngroup], [2 n] rows of each group
} lb_contact_dense;

// Room for n rows of a problem with ngroup groups.
void lb_contact_dense_carve(lb_contact_dense* d, lb_carver* c, int n, int ngroup);

// Assemble the rows of `nblock` blocks, which are listed.
void lb_contact_dense_assemble(lb_contact_dense* d, const lb_contact_problem* p, int nblock,
                               const int* block);

// Newton's matrix 1 - P + P (A + eps) - N at the slopes of a system (d's own, or one that has its
// rows with other radii), reduced to the rows in d->index (returns how many): the others have
// dF = dx. dy of the system becomes A dx of those, with dx = -F.
int lb_contact_dense_matrix(lb_contact_dense* d, lb_contact_scaled* s, double eps);

// Sweeps of block Gauss-Seidel over pieces, each solved exactly.
lb_contact_try lb_contact_dense_sweeps(lb_contact_dense* d, const lb_contact_problem* p, int most,
                                       double* x);
