// Projected Gauss-Seidel as [fork] section 6 and [Erleben 2007] have it, for comparison: rows one
// after another, friction of each tangent within a box that the normal impulse of the moment sets.
#pragma once
#include "math/contact/contact_problem.h"

// lambda [nrow], which starts from zero, and u [velocity[ngroup]] that it leads to, after `sweeps`
// of
//
//   (1)  lambda_r <- proj(lambda_r - w_r / (A_rr + c_r)),   w of contact_problem.h
//
// proj onto lambda >= 0 for unilateral rows, and onto |lambda| <= R each row by itself for sets:
// friction is a pyramid. False: the problem is not valid.
bool lb_contact_gauss_seidel(const lb_contact_problem* p, int sweeps, double* lambda, double* u);
