// The derivative of an explicit step — semi-implicit Euler, or a Runge-Kutta method — by everything
// it starts from, and its transpose. For trees without loops and other constraints.
//
// A stage finds accelerations a from r(q, v, a) = 0, inverse dynamics less forces, at a q and v
// that follow from the stages before: with K, C, M the derivatives of r by q, v, a,
//
//   M da = -(K dq + C dv)                                                                   (1)
//
// and all else of the step is sums. Stages are found again from the step's start, so that nothing
// of a run has to be kept but its states.
//
// Euler: v+ = v + h a, q+ = q moved along v+ for h. Runge-Kutta methods add up slopes (tableau.h),
// quaternions as four numbers; on the way through a step changes are those of the numbers, at its
// ends they are counted along velocities (limber/derivative.h).
#pragma once
#include "limber/derivative.h"
#include "solve/stepper.h"

typedef struct lb_explicit_derivative lb_explicit_derivative;

// Steps that are found without solving equations, of a size that is given.
bool lb_integrator_is_explicit(lb_integrator integrator);

// LB_INVALID, told at `place`, where such steps have no derivative: with constraints or free nodes.
lb_status lb_explicit_check(const lb_model* m, lb_integrator integrator, lb_place place,
                            lb_error* err);

// LB_INVALID where steps of this integrator are not explicit, or lb_explicit_check says so.
lb_status lb_explicit_derivative_create(const lb_model* m, lb_integrator integrator,
                                        const lb_allocator* allocator, lb_explicit_derivative** out,
                                        lb_error* err);
void lb_explicit_derivative_release(lb_explicit_derivative* S);

// Times at which motors matter: those of the stages, then the step's end.
int lb_explicit_moments(const lb_explicit_derivative* S);
double lb_explicit_moment(const lb_explicit_derivative* S, int i);

// Take the derivative of the step of h from d, which is lost; false: M is singular.
bool lb_explicit_differentiate(lb_explicit_derivative* S, lb_data* d, double h);

// Changes of the end, q and v [nv], by those of the start and of the motors at each moment,
// [moments][nmotor][3]: place, rate and acceleration; of one that pushes its force and two zeros.
void lb_explicit_forward(lb_explicit_derivative* S, double* q, double* v, const double* q0,
                         const double* v0, const double* motor);

// The transpose: how an objective changes with the end, in q and v, becomes how it changes with the
// start, and is added to `motor`.
void lb_explicit_back(lb_explicit_derivative* S, double* q, double* v, double* motor);

// After that: by a change dr of (1) in stage i the objective changes by -mu'dr, [nv]; and d as it
// was there, forces and accelerations in place.
const double* lb_explicit_multiplier(const lb_explicit_derivative* S, int i);
const lb_derivatives* lb_explicit_pose(lb_explicit_derivative* S, lb_data* d, int i);

// The derivatives of the dynamics where d is, for what depends on it: places and velocities.
const lb_derivatives* lb_explicit_look(lb_explicit_derivative* S, lb_data* d);
