// The derivative of a linearly implicit step, with contacts or without, and its transpose. The step
// is found again from its start. docs/theory-contact.md derives it.
//
// Velocities u at its end, multipliers Lambda of loops and impulses lambda of contacts solve
//
//   (1)  r(q0, v0, a) + h K u + C (u - v0) - Jl'Lambda - Jc'lambda/h = 0,   a = (u - v0)/h
//   (2)  Jl u = what is asked, w = Jc u + c lambda + b   with the conditions of contact_problem.h
//
// where r is inverse dynamics less forces, and all of r, J and b depend on q0 and v0. Linearised,
// with the impulses' derivatives by dq in R_q and W = M/h + C + h K,
//
//   (3)  W du - Jl'dLambda = -(R_q dq + R_v dv) + Jc'dlambda/h,   Jl du = -G dq
//
// so du is that of (3) without dlambda (stage_system.h), and then what contacts change in it
// (contact_slopes.h). There may be up to three such problems: of velocities, of those by which
// places change, and without contact, which bounces depend on. They share W and J.
//
// Then places are reached, axes of free bodies turn (free_axes.h), and gaps are closed
// (explicit_close.c).
//
// linear_euler_problem.c takes the problems, linear_euler_derivative.c puts them together.
#pragma once
#include "dynamics/contact/contact_slopes.h"
#include "solve/implicit/free_axes.h"
#include "solve/implicit/linear_euler.h"
#include "solve/step/step_inside.h"
#include "solve/step/stepper.h"

// Problems of a step.
enum { LB_OF_VELOCITIES, LB_OF_PLACES, LB_OF_FREE, LB_LINEAR_PROBLEMS };

typedef struct lb_linear_problem {
  bool on;
  const double* u; // [nv] its velocities
  double* a;       // [nv]
  double* K;       // [nd][nd] R_q
  double* G;       // [rows][nd]
  double* lambda;  // [rows] multipliers, those of unilateral constraints among them
  double *mu, *nu; // [nv], [rows] of the way back
} lb_linear_problem;

typedef struct lb_linear_derivative {
  lb_stepper* st;
  lb_derivatives* D;
  lb_contact_slopes* contacts; // NULL: nothing collides
  lb_linear_step step;
  double h, end;
  bool closes;         // gaps are closed after the step
  lb_stage_system sys; // (3)
  lb_active_set set;
  lb_linear_problem of[LB_LINEAR_PROBLEMS];
  double *C, *M;              // [nd][nd] R_v and W
  double *gap_q, *rate_q, *J; // [rows][nd]
  lb_free_axes_slopes* turn;  // [nlink]
  double *q1, *v1;            // [nq], [nv] the end before gaps are closed
  double *dq, *dv, *bias;     // [nv] changes of the start, or by it
  double *du, *move, *free;   // [nv] of velocities
  double* driven;             // [nv] of what motors prescribe at the end
  double* motor;              // [nmotor][3] as (3) sees them
  double* r;                  // [nv]
} lb_linear_derivative;

// At which gaps close.
double lb_linear_baumgarte(const lb_linear_derivative* L);
// The problems of the step that was found.
void lb_linear_list_problems(lb_linear_derivative* L);
// R_v, W and the equations of loops, which all share, after lb_derive_forced; false: singular.
bool lb_linear_take_matrices(lb_linear_derivative* L, lb_data* d);
// R_q, G and the rows of contacts of one.
void lb_linear_take_problem(lb_linear_derivative* L, lb_data* d, int which);

// d where the step begins, with a problem's accelerations and the forces in place; and D there,
// with its multipliers and, `contact`, its impulses.
void lb_linear_pose(lb_linear_derivative* L, lb_data* d, const lb_linear_problem* p);
void lb_linear_derive(lb_linear_derivative* L, lb_data* d, const lb_linear_problem* p,
                      bool contact);
