// Derivatives of contact solutions with the active sets held: who sticks, slips or is open stays
// so. That is the derivative wherever no contact is about to change, and one of several elsewhere.
//
//   (1)  G dx = -P D (dw0 + lambda dc) + n dR,   G = 1 - P + P A_s - N   (contact_newton.h)
//   (2)  dR = lambda_n dmu, or dmu for a constant radius
//
// with n the direction of a slipping set's impulses. Redundant contacts share changes evenly.
#pragma once
#include "base/arena.h"
#include "limber/status.h"
#include "math/contact/contact_problem.h"

// Changes of a problem, or gradients by them: a number for each row, NULL for none.
typedef struct lb_contact_change {
  double* w0; // J u0 + b
  double* mu; // of sets, at their first rows
  double* c;
} lb_contact_change;

// dlambda [nrow] and Z dlambda [velocity[ngroup]] of a change of the problem that lambda solves;
// du0 comes on top of the latter. LB_FAILED: a matrix is singular; LB_INVALID, LB_NO_MEMORY.
lb_status lb_contact_tangent(const lb_contact_problem* p, lb_arena* scratch, const double* lambda,
                             const lb_contact_change* change, double* dlambda, double* du);

// Gradients by w0, mu and c of a function with these gradients by lambda and u (NULL: none). That
// by u0 is J'w0 and the one by u.
lb_status lb_contact_adjoint(const lb_contact_problem* p, lb_arena* scratch, const double* lambda,
                             const double* by_lambda, const double* by_u,
                             lb_contact_change* gradient);
