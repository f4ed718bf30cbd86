// Direct solution of symmetric sparse systems, definite or not: MUMPS behind a small interface.
// The pattern is analysed once, then factored and solved as often as values change. MUMPS keeps its
// factors in memory of its own, outside the caller's allocator. Calls from several threads wait for
// each other.
#pragma once
#include <stdbool.h>

#include "math/linear/sparse.h"

typedef struct lb_direct lb_direct;

/// Ready for matrices of the pattern of A, which must outlive it. `definite` promises that they are
/// positive definite: half the work is saved, and a matrix that is not makes the factorisation
/// fail.
lb_status lb_direct_create(const lb_allocator* allocator, const lb_sparse* A, bool definite,
                           lb_direct** direct);
void lb_direct_release(lb_direct* direct);

/// Factor the values of A, which has the pattern given at the start. LB_FAILED: it is singular (or
/// not definite as promised); LB_NO_MEMORY: no memory for the factors.
lb_status lb_direct_factor(lb_direct* direct, const lb_sparse* A);

/// A X = B, X in the place of B: `nrhs` columns of length n, one after the other.
lb_status lb_direct_solve(lb_direct* direct, int nrhs, double* B);

/// Inertia: the number of negative eigenvalues of the last factored matrix.
int lb_direct_negative(const lb_direct* direct);
