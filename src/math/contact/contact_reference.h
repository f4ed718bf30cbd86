// Reference solver of contact problems: dense, slow and to the last digits. Others are judged by
// it.
#pragma once
#include "base/arena.h"
#include "limber/status.h"
#include "math/contact/contact_problem.h"

// Impulses and velocities to a residual of 1e-10 of the problem's scale. lambda [nrow] has a first
// guess, such as zeros; u [velocity[ngroup]] is what they lead to. Newton's method comes first.
// Others follow in the order of contact_reference.c until one gets there; with large friction there
// need not be a solution at all. LB_INVALID: the report says refused; LB_NO_MEMORY.
lb_status lb_contact_reference(const lb_contact_problem* p, lb_arena* scratch, double* lambda,
                               double* u, lb_contact_report* report);

#define LB_CONTACT_REFERENCE_TOLERANCE 1e-10
