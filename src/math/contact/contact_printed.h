// The quadratic program of [auto] eq. 6, for comparison alone: it is not the problem of
// contact_problem.h, and docs/theory-contact.md says what goes wrong.
//
//   (1)  min 1/2 |A lambda - b|^2  such that  lambda_n >= 0,  |lambda_t| <= mu lambda_n each
//   tangent
//
// with b = -(J u0 + b of the rows). Friction sets of two are taken as two tangents: a square
// pyramid.
#pragma once
#include "base/arena.h"
#include "limber/status.h"
#include "math/contact/contact_problem.h"

// lambda [nrow] of (1), and u [velocity[ngroup]] that it leads to. LB_INVALID: the problem is not
// valid, or has sets that (1) does not know (of a constant radius, or two on one normal);
// LB_FAILED: no convergence. Dense: for small problems.
lb_status lb_contact_printed(const lb_contact_problem* p, lb_arena* scratch, double* lambda,
                             double* u);
