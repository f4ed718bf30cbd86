// What the files of retargeting share. docs/retarget.md derives it.
#pragma once
#include "base/arena.h"
#include "dynamics/state.h"
#include "limber/dynamics.h"
#include "limber/retarget.h"
#include "math/bspline.h"
#include "solve/bdf2.h"

// --- curves (curves.c) ---

// Control points at each end that say how the motion begins and ends; they are not changed.
enum { LB_CURVES_FIXED = 3 };

lb_bspline lb_curves_spline(const lb_curves* c);

// --- targets (target.c) ---

// Where track i should be: its point, and the axes of its body.
typedef struct lb_aim {
  lb_v4 p;
  lb_m3 R;
} lb_aim;

void lb_targets_read(const lb_targets* targets, const lb_retarget* r, int track, double time,
                     lb_aim* aim);

// --- a run (motion.c) ---

// One step of a run: where it came from is the record before, or the two before.
typedef struct lb_moment {
  double time, dt;
  double weight; // of the objective: h, half of it at the end; 0 of a part of a step
  int count;     // states it came from: 0 of the start
  int step;      // which step it ends; 0: a part of one, or the start
} lb_moment;

// A run as it was stepped: states and multipliers of all steps.
typedef struct lb_motion_log {
  int count, capacity, rows;
  lb_moment* moment; // [capacity]
  double* q;         // [capacity][nq]
  double* v;         // [capacity][nv]
  double* lambda;    // [capacity][rows]
  bool overflown;
} lb_motion_log;

// Everything that stays the same during a search.
typedef struct lb_retargeting {
  const lb_model* model;
  const lb_retarget* what;
  const lb_curves* input;
  const lb_targets* targets;
  const lb_allocator* allocator;
  const lb_progress* progress;
  lb_error* err;
  int threads;
  double h;
  int nstep;
  int nrun, ngradient; // simulations and ways back so far
  lb_arena arena;
  lb_motion_log log;
  // Quadratic forms of a curve's square and of its second derivative's, [ncontrol][4] by columns
  // (math/band.h).
  double *square, *bend;
  double* off; // [ncontrol] scratch
} lb_retargeting;

// A tracked body's deviation: residuals, of which the objective is half the square.
typedef struct lb_miss {
  lb_v4 distance;   // of the point, times its weight
  lb_v4 moment;     // derivative of the orientation's share by a small rotation
  lb_v4 axis[3];    // of its three residuals by a small rotation
  lb_v4 arm;        // from the link's origin to the point
  double weight[2]; // of distance and orientation at this time
  double value;
  double off, angle; // how far [m], [rad]
} lb_miss;

// At d's state, links placed.
lb_miss lb_track_miss(const lb_retargeting* r, const lb_data* d, int track, double time);

// Step a model that plays the curves from start to end; the log and all but the gradient's part of
// the value.
lb_status lb_motion_run(lb_retargeting* r, const lb_curves* curves, lb_retarget_value* value);

// --- the linearised motion (linear.c) ---

// How the residuals change with the control points, to first order: a linear recursion over the
// steps, for products with its matrix and the transpose. Over a few milliseconds the matrices
// hardly change, so that one serves a group of steps. Single precision: the gradient is exact, and
// this only says where to go.
//
// Of coordinates that no motor drives, with u the angles, rates and accelerations of the motors,
//
//   qh = 4/3 q1 - 1/3 q2,  vh = 4/3 v1 - 1/3 v2
//   v = G (qh, vh, u),     q = qh + dt v,     residuals y = T (q, angles)
typedef struct lb_linear {
  const lb_retargeting* r;
  int nfree, nmotor, nrow, size, ngroup;
  int width;  // of G: 2 nfree + 3 nmotor
  int* free;  // [nfree] coordinates
  int* motor; // [nmotor] driven ones
  double dt;
  float* G;              // [ngroup][nfree][width]
  float* T;              // [ngroup][nrow][nfree + nmotor]
  float* y;              // [nstep + 1][nrow]
  double* q[3];          // [nfree] states, and adjoints on the way back
  double* v[3];          // [nfree]
  float *in, *out;       // [width + nrow], [width + nrow] scratch
  int* span;             // [nstep + 1] of the spline at each step ...
  double (*basis)[3][4]; // [nstep + 1] ... and its functions and their derivatives there
} lb_linear;

lb_status lb_linear_create(lb_retargeting* r, lb_linear** out);
// Whether a step's matrices are kept, and for which group; -1: they are not.
int lb_linear_group(const lb_linear* L, int step);
// Keep them. `scratch` has 3 nv^2 numbers, `S` nv motions.
void lb_linear_keep(lb_linear* L, int group, lb_step_derivative* D, const lb_miss* miss,
                    double* scratch, lb_motion* S);
// y += J'J x, of control points [nmotor][ncontrol].
void lb_linear_product(lb_linear* L, double* y, const double* x);
// Add what J'J would be if nothing bent, as a matrix with few diagonals: see precondition.
void lb_linear_still(const lb_linear* L, double* band, int p);

// --- the gradient (gradient.c) ---

// Of the motion in the log by control points, [nmotor][ncontrol], zero for the fixed ones. `keep`
// (may be NULL) is filled on the way.
lb_status lb_motion_gradient(lb_retargeting* r, const lb_curves* curves, double* gradient,
                             lb_linear* keep);

// --- regularisers (regular.c) ---

lb_status lb_regular_fill(lb_retargeting* r);
// Adds their value and gradient.
void lb_regular_add(const lb_retargeting* r, const lb_curves* curves, lb_retarget_value* value,
                    double* gradient);

// y += (closeness * square + smoothness * bend) x, of all motors
void lb_regular_product(const lb_retargeting* r, double smoothness, double* y, const double* x);

lb_status lb_retargeting_open(lb_retargeting* r, const lb_model* model, const lb_retarget* what,
                              const lb_curves* input, const lb_targets* targets,
                              const lb_retarget_options* options, const lb_allocator* allocator,
                              lb_error* err);
void lb_retargeting_close(lb_retargeting* r);

// --- other methods (quasi_newton.c) ---

// lb_retarget_run by LB_RETARGET_BFGS or LB_RETARGET_LBFGS.
lb_status lb_quasi_newton_run(const lb_model* model, const lb_retarget* retarget,
                              const lb_curves* input, const lb_targets* targets,
                              const lb_retarget_options* options, lb_retarget_state* state,
                              lb_retarget_value* value, lb_error* err);
