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

// After that, what a step is made of: each part has equations of its own, and by a change dr of
// them the objective changes by -mu'dr.
typedef struct lb_explicit_part {
  const double* mu;        // [nv]; NULL: there is no such part
  bool impact;             // of (2) or (3), about masses alone; else of (1)
  const lb_derivatives* D; // of the dynamics there
} lb_explicit_part;
int lb_explicit_parts(const lb_explicit_derivative* S);
// The part i, with d as it was there, forces and accelerations in place.
lb_explicit_part lb_explicit_pose(lb_explicit_derivative* S, lb_data* d, int i);
// How velocities v [nv] move the particles of ropes and deformables there, [3 * nnode], until S is
// used again; NULL: there are none.
const double* lb_explicit_move_particles(lb_explicit_derivative* S, const double* v);

// The derivatives of the dynamics where d is, for what depends on it: places and velocities.
const lb_derivatives* lb_explicit_look(lb_explicit_derivative* S, lb_data* d);

// --- what motors exert at a step's end ---

// At d's state, before the step that ends there is differentiated: sets d's motor_force, as
// lb_forward does. false: (1) is singular. It is a part of the step until
// lb_explicit_look.
bool lb_explicit_see(lb_explicit_derivative* S, lb_data* d);
// Add `scale` times how what a motor exerts that drives a position changes: with q and v, and with
// what is passed on by ...
void lb_explicit_add_torque(lb_explicit_derivative* S, double* q, double* v, int motor,
                            double scale);
// ... this: adds to q and v of the end, and to the motors there, [nmotor][3].
void lb_explicit_see_back(lb_explicit_derivative* S, double* q, double* v, double* motor);
