// Lemke's method on the pyramid of Stewart and Trinkle (1996): a start for methods of the round
// cone, from pivots alone and so without a need for a guess.
#pragma once
#include "base/arena.h"
#include "math/contact/contact_dense.h"

// x of the problem with |x_t|_1 <= R in place of |x_t| <= R. False: the method ended on a ray or
// there is no memory, and x is unchanged.
bool lb_contact_lemke(const lb_contact_dense* d, lb_arena* scratch, double* x);
