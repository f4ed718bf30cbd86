// Modes of vibration: the lowest solutions of K x = w M x, by ARPACK with shift and invert.
#pragma once
#include "math/linear/sparse.h"

/// The `count` solutions nearest to zero of K x = w M x, rising, with x' M x = 1 and the largest
/// component of x positive. K positive semidefinite, M positive definite, of one pattern. `shift`
/// is added: K + shift M is factored; it must be definite, so shift > 0 where K is singular. A
/// shift of the order of the smallest w wanted that is not zero converges quickest. count < n.
/// w [count]; x [count * n], one mode after the other. LB_FAILED: no convergence, or not definite.
lb_status lb_modes(const lb_allocator* allocator, const lb_sparse* K, const lb_sparse* M,
                   double shift, int count, double* w, double* x);
