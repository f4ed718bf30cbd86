// The derivative of an explicit step — semi-implicit Euler, or a Runge-Kutta method — by everything
// it starts from, and its transpose.
//
// A stage finds accelerations a and multipliers lambda from r(q, v, a) - J'lambda = 0, inverse
// dynamics less forces, and g(q, v, a) = 0, the second rates of the constraints' gaps, at a q and v
// that follow from the stages before: with K, C, M the derivatives of the former by q, v, a, and G,
// H, J of g,
//
//   M da - J'dlambda = -(K dq + C dv),   J da = -(G dq + H dv)                             (1)
//
// and all else of the stages is sums. They are found again from the step's start, so that nothing
// of a run has to be kept but its states, and which of the unilateral constraints are active.
//
// Euler: v+ = v + h a, q+ = q moved along v+ for h. Runge-Kutta methods add up slopes (tableau.h),
// quaternions as four numbers; on the way through a step changes are those of the numbers, at its
// ends they are counted along velocities (limber/derivative.h).
//
// From where that ends, q* and v*, gaps are closed (dynamics/constraint/constraint_projection.c):
//
//   M(q*) w - J(q*)'lambda = 0,   gap(q) = 0,   q = q* moved along w                       (2)
//   M(q) u - J(q)'x = 0,   rate(q, v) = 0,   v = v* + u                                    (3)
//
// Of unilateral constraints those are equations that are active in (1) and (3), and those that are
// closed in (2). The derivative is that for the set of them as it is: at a change of the set it is
// that of one side.
//
// A step of an adaptive method is one of a Runge-Kutta method: its size is what it was.
//
// Others use it by lb_derivative_explicit (step_derivative.h).
#pragma once
#include "limber/derivative.h"
#include "solve/step/stepper.h"

typedef struct lb_explicit_derivative lb_explicit_derivative;

// LB_INVALID where steps of this integrator are not explicit.
lb_status lb_explicit_derivative_create(const lb_model* m, lb_integrator integrator,
                                        const lb_allocator* allocator, lb_explicit_derivative** out,
                                        lb_error* err);
void lb_explicit_derivative_release(lb_explicit_derivative* S);

// Times at which motors matter: those of the stages, then the step's end.
int lb_explicit_moments(const lb_explicit_derivative* S);
double lb_explicit_moment(const lb_explicit_derivative* S, int i);

// Take the derivative of the step of h from d, which goes to its end; false: there is none. What
// touches at the start is as d has it (lb_constraints_load).
bool lb_explicit_differentiate(lb_explicit_derivative* S, lb_data* d, double h);

// Changes of the end, q and v [nv], by those of the start and of the motors at each moment,
// [moments][nmotor][3]: place, rate and acceleration; of one that applies a force, that force and
// two zeros.
void lb_explicit_forward(lb_explicit_derivative* S, double* q, double* v, const double* q0,
                         const double* v0, const double* motor);

// The transpose: how an objective changes with the end, in q and v, becomes how it changes with the
// start, and is added to `motor`.
void lb_explicit_back(lb_explicit_derivative* S, double* q, double* v, double* motor);
