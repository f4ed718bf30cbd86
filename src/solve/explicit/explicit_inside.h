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
// Others use it by lb_derivative_explicit (step_derivative.h). explicit_stage.c is about stages,
// explicit_close.c about what closes gaps after them, explicit_derivative.c puts them together.
#pragma once
#include "dynamics/constraint/constraint_loop.h"
#include "solve/step/step_inside.h"
#include "solve/step/stepper.h"

typedef struct lb_explicit_derivative lb_explicit_derivative;

// A stage: where it is, its derivatives, and on the way back what it takes from later ones. nd are
// the coordinates but for those of free particles, `rows` all that there can be.
typedef struct lb_explicit_stage {
  double time;
  double *q, *v, *a;   // [nq], [nv], [nv]
  double* lambda;      // [rows]
  double* left;        // [rows] accelerations of unilateral constraints; large: it is not active
  double *K, *C, *M;   // [nd][nd]
  double *G, *H, *J;   // [rows][nd] of what constraints ask for, by q, v and a
  lb_stage_system by;  // (1) above
  double *dq, *dv;     // [nq], [nv] changes of q and v, or by them
  double *rate, *gain; // [nq], [nv] of the slopes, or by them
} lb_explicit_stage;

// Projection after a step: (2) and (3) above.
typedef struct lb_explicit_close {
  double *q, *v;       // [nq], [nv] where the step ended
  double *end, *speed; // [nq], [nv] and where it ends after all
  lb_projection projection;
  double* kick;  // [nv] u
  double *K, *L; // [nd][nd] of (2) and (3) by q* and q
  double *G, *E; // [rows][nd] of the gaps by q* and w
  double *H, *J; // [rows][nd] of the rates by q and v
  lb_stage_system place, velocity_level;
} lb_explicit_close;

struct lb_explicit_derivative {
  const lb_model* m;
  int nd, rows;
  lb_derivatives* D;                 // of the tree
  lb_particle_derivative* particles; // of ropes and deformables; NULL: there are none
  lb_data* own;                      // for what nodes were; NULL: likewise
  lb_tableau table;
  lb_explicit_stage* stage; // [table.stages] and what is seen at the step's end
  lb_explicit_close close;
  lb_active_set active_set;
  double h, end;     // of the step, and when it ends
  double *q, *v;     // [nq], [nv] the step's end before gaps are closed, quaternions of any length
  double* q0;        // [nq] its start
  double *dq, *dv;   // [nq], [nv] scratch: changes of the start's or the end's numbers
  double *xi, *zero; // [nv] likewise
  double* start;     // [nv] by the start, counted along velocities
  double *s, *t;     // [rows][nd] scratch
  bool seen;         // the last of the stages counts
};

// --- stages (explicit_stage.c) ---

// At d's time, q and v: accelerations and derivatives; false: (1) is singular.
bool lb_explicit_stage_take(lb_explicit_derivative* S, lb_data* d, lb_explicit_stage* s);
// `gain` from dq and dv; what motors prescribe is there already.
void lb_explicit_stage_pass(lb_explicit_derivative* S, lb_explicit_stage* s, const double* motor);
// Adjoint of a stage: from its slopes, `rate` and `gain`, to its q and v, dq and dv.
void lb_explicit_stage_return(lb_explicit_derivative* S, lb_explicit_stage* s, double* motor);

// d and D, and nodes, as they were.
void lb_explicit_stage_pose(lb_explicit_derivative* S, lb_data* d, lb_explicit_stage* s);

// --- closing (explicit_close.c) ---

// Close d's gaps, at the step's end; false: there is no derivative.
bool lb_explicit_close_take(lb_explicit_derivative* S, lb_data* d);
// Changes of the end, counted along velocities, to those of what is closed; and the transpose.
void lb_explicit_close_pass(lb_explicit_derivative* S, double* q, double* v, const double* motor);
void lb_explicit_close_return(lb_explicit_derivative* S, double* q, double* v, double* motor);
// d and D as they are in (2) or, later, in (3).
void lb_explicit_close_pose(lb_explicit_derivative* S, lb_data* d, bool later);
