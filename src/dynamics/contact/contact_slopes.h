// Derivatives of a step's contact problem: how rows and forces change with the state that the step
// begins with, points and normals being found anew there. docs/theory-contact.md derives it.
//
// A row asks for something of a field of motions, X = (w, v) of each link at its origin: velocities
// u, or the accelerations that velocities bring. With the arm to the point x, and axes e,
//
//   (1)  e.(Xa.v + Xa.w x (x - pa) - Xb.v - Xb.w x (x - pb))    or, turning, e.(Xa.w - Xb.w)
//
// All of e, x, p and X change along a coordinate. Impulses act along the same rows, J'lambda.
#pragma once
#include "dynamics/contact/contact_set.h"
#include "dynamics/derivative/dynamics_derivative.h"

// Velocities of a step, [nv] each.
typedef struct lb_contact_moves {
  const double* start; // that it begins with
  const double* bias;  // of which the accelerations are that bring velocities to the step's end
  const double* free;  // at its end without contact
  const double* end;   // that rows ask something of: of velocities, or of places
} lb_contact_moves;

typedef struct lb_contact_slopes lb_contact_slopes;

// For the data of one model; NULL: no memory.
lb_contact_slopes* lb_contact_slopes_create(const lb_model* m, const lb_allocator* allocator);
void lb_contact_slopes_release(lb_contact_slopes* S);

// Take the points of the step of h that d's contacts were solved for, at its start q; D is scratch.
// false: a pair has no derivative, or no memory, as lb_contact_slopes_complain says.
bool lb_contact_slopes_take(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, const double* q,
                            double h);
// LB_OK: it was something else.
lb_status lb_contact_slopes_complain(const lb_contact_slopes* S, double time, lb_error* err);
// Rows of the problem of velocities, or of that of places where there is such a one, at these
// velocities. It is then the one that the functions below are about, until another one is named.
void lb_contact_slopes_find_rows(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, bool places,
                                 const lb_contact_moves* moves);
void lb_contact_slopes_choose(lb_contact_slopes* S, bool places);
bool lb_contact_slopes_twice(const lb_contact_slopes* S);
bool lb_contact_slopes_bounces(const lb_contact_slopes* S);
int lb_contact_slopes_rows(const lb_contact_slopes* S);

// Forces of its impulses on the links, before lb_derive; then what they change by beyond turning
// along with these, in D's tau_q. Multipliers of unilateral constraints, as
// lb_contacts_multipliers.
void lb_contact_slopes_push(lb_contact_slopes* S, lb_data* d);
void lb_contact_slopes_add_stiffness(lb_contact_slopes* S, lb_derivatives* D);
void lb_contact_slopes_multipliers(const lb_contact_slopes* S, double* lambda);
// tau [nv] += J'lambda / h
void lb_contact_slopes_add_forces(const lb_contact_slopes* S, double* tau);
// Rows of unilateral constraints and of servos: their derivatives by q, [rows of LB_SET_STEP][nv]
// gap_q and rate_q. Before products.
void lb_contact_slopes_add_constraints(lb_contact_slopes* S, const double* gap_q,
                                       const double* rate_q);

// Changes, or what an objective changes by them. NULL: not wanted.
typedef struct lb_contact_causes {
  double *q, *start, *bias, *free; // [nv]
  double* motor;                   // [nmotor][3] at the end of the step
} lb_contact_causes;

// du [nv], that without changes of impulses, becomes the change of velocities.
bool lb_contact_slopes_forward(lb_contact_slopes* S, const lb_contact_causes* in, double* du);
// The transpose: by [nv] of the velocities; adds to the causes, and makes it that by du.
bool lb_contact_slopes_back(lb_contact_slopes* S, const lb_contact_causes* out, double* by);
// After it: by friction of each point, [points].
void lb_contact_slopes_by_friction(const lb_contact_slopes* S, double* by);
