// What the files of retargeting share. docs/theory-retarget.md derives it.
#pragma once
#include "base/arena.h"
#include "design/tape/tape.h"
#include "dynamics/tree/state.h"
#include "limber/dynamics.h"
#include "limber/retarget.h"
#include "math/curve/bspline.h"

// --- curves (motor_curves.c) ---

// Control points at each end that say how the motion begins and ends; they are not changed.
enum { LB_CURVES_FIXED = 3 };
// Steps between two control points, at least.
enum { LB_SPACING_STEPS = 8 };

lb_bspline lb_curves_spline(const lb_curves* c);

// --- other characters (retarget_vary.c) ---

// On everything elastic, and on all masses.
typedef struct lb_factors {
  double stiffness, damping, mass;
} lb_factors;

lb_status lb_vary(const lb_model* m, const lb_factors* factors, const lb_allocator* allocator,
                  lb_model** out, lb_error* err);

// --- control points (curve_spacing.c) ---

// The period of the slowest vibration that matters, and the spacing where none is given.
lb_status lb_spacing_choose(const lb_model* m, lb_retarget* r, const lb_allocator* allocator,
                            lb_error* err);

// --- levers (motor_levers.c) ---

// Of the motors [nmotor], at moments of a quasistatic motion.
lb_status lb_levers_find(const lb_recording* rest, const lb_retarget* w,
                         const lb_allocator* allocator, double* lever, lb_error* err);

// --- starts (retarget_replay.c) ---

// Where a model rests, with everything closed; *d is to be released, whether it went well or not.
lb_status lb_start_at_rest(const lb_model* m, const lb_allocator* allocator, lb_data** d,
                           lb_error* err);

// --- targets (target.c) ---

// Where track i should be: its point, and the axes of its body.
typedef struct lb_aim {
  lb_v4 p;
  lb_m3 R;
} lb_aim;

void lb_targets_read(const lb_targets* targets, const lb_retarget* r, int track, double time,
                     lb_aim* aim);

// --- a run (retarget_motion.c) ---

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
  lb_tape tape;
  // Quadratic forms of a curve's square and of its second derivative's times the fourth power of
  // the spacing, [ncontrol][4] by columns (math/linear/band.h).
  double *square, *bend;
  double* off;  // [ncontrol] scratch
  double* sum;  // [nmotor][ncontrol] of gradients
  bool limited; // some motor has a limit of its torque
  double hold;  // weight of torques beyond their limits
  double*
      torque;   // [nmotor + nv + rows] torques at the end of a step, of the motors that may change
  double share; // in the mean over this and its copies
  struct lb_retargeting* next; // copy that is to do as well; NULL: there is none, or no more
  lb_model* own;               // the copy's
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

// Step a model that plays the curves from start to end: the log and the value.
lb_status lb_motion_run(lb_retargeting* r, const lb_curves* curves, lb_retarget_value* value);
// Weight of the objective at the end of a step: h, half of it at the end of the run; 0 of no step.
double lb_motion_weight(const lb_retargeting* r, int step);
// The stepper of runs.
lb_status lb_motion_stepper(const lb_retargeting* r, const lb_model* played, lb_stepper** st);

// One of the copies: its share of deviation and limits.
lb_status lb_motion_run_one(lb_retargeting* r, const lb_curves* curves, lb_retarget_value* value);

// --- limits of torques (torque_limits.c) ---

bool lb_torque_limited(const lb_retarget* what);
// The weight to begin with.
double lb_torque_hold(const lb_retarget* what);
// Torques of the motors that may change, [nmotor] and room for [nv] more, at the end of a step,
// where d is; its accelerations are set.
void lb_torque_read(const lb_retargeting* r, lb_data* d, const lb_step_past* past, double* torque);
// Add the share of a step to a value.
void lb_torque_add(const lb_retargeting* r, const double* torque, double weight,
                   lb_retarget_value* value);

// --- the linearised motion (retarget_linear.c) ---

// How the residuals change with the control points, to first order: a linear recursion over the
// steps, for products with its matrix and the transpose. Its steps are longer than those of the
// simulation where those are short. Single precision: the gradient is exact, and this only says
// where to go.
//
// Of coordinates that no motor drives, with u the angles, rates and accelerations of the motors,
//
//   qh = c1 q1 + c2 q2,  vh = c1 v1 + c2 v2       c of BDF1 if the run is by that, else of BDF2
//   (v, torques) = G (qh, vh, u),     q = qh + dt v,     residuals y = T (q, angles)
//
// where torques are those that have a limit, over it. Beyond it they are residuals too: of a change
// x of the control points those beyond it after the change, see lb_linear_lean.
typedef struct lb_linear {
  const lb_retargeting* r;
  struct lb_linear* next; // of the next copy
  int nfree, nmotor, ntorque, nrow;
  int skip;         // steps of the simulation in one of its own
  int first, nstep; // of its own: it starts from rest behind the first and ends with the last
  int width;        // of G: 2 nfree + 3 nmotor
  int* free;        // [nfree] coordinates
  int* motor;       // [nmotor] driven ones
  double h, dt;     // its own step, and the stage's: 2/3 of it, of BDF1 all
  double c[2];      // weights of the states before
  float* G;         // [nstep][nfree + ntorque][width]
  float* T;         // [nstep][nrow][nfree + nmotor]
  float* y;         // [nstep + 1][nrow]
  float* torque;    // [nstep + 1][ntorque] over their limits
  float* root;      // [nstep + 1][ntorque] of their weights
  float* side;      // [nstep + 1][ntorque] on which they are beyond it: 1 or -1; 0: they are not
  float* change;    // [nstep + 1][ntorque] by the last product
  double* q[3];     // [nfree] states, and adjoints on the way back
  double* v[3];     // [nfree]
  float *in, *out;  // [width + nrow + ntorque] scratch
  int* span;        // [nstep + 1] of the spline at each step ...
  double (*basis)[3][4]; // [nstep + 1] ... and its functions and their derivatives there
} lb_linear;

lb_status lb_linear_create(lb_retargeting* r, lb_linear** out);
// Look only at what happens from step `first` of the simulation on, until its end as it is now.
void lb_linear_window(lb_linear* L, int first);
// Whether a step's matrices are kept, and for which of its own; -1: they are not.
int lb_linear_own_step(const lb_linear* L, int step);
// Keep them. `scratch` has 3 nv^2 numbers, `S` nv motions.
void lb_linear_keep(lb_linear* L, int own, lb_step_derivative* D, const lb_miss* miss,
                    double* scratch, lb_motion* S);
// The row of the torque that is limited `row`th, from lb_step_pull's [3][nv]; and what it is at the
// end of a step, over its limit, with the root of its weight.
void lb_linear_keep_torque(lb_linear* L, int own, int row, const double* pulled, double limit);
void lb_linear_note_torque(lb_linear* L, int step, int row, double torque, double root);
// Choose the torques that count for those beyond their limits after a change x; true when they are
// others than before.
bool lb_linear_lean(lb_linear* L, const double* x);
// What their linear part is more than the gradient knows of it: y -= ...
void lb_linear_lean_right(lb_linear* L, double* y);
// By how much more than g'x + 1/2 x'(J'J)x says the objective falls with a change x.
double lb_linear_lean_gain(lb_linear* L, const double* x);
// y += J'J x, of control points [nmotor][ncontrol].
void lb_linear_product(lb_linear* L, double* y, const double* x);
// Add what J'J would be if nothing bent, as a matrix with few diagonals: see precondition.
void lb_linear_still(const lb_linear* L, double* band, int p);

// --- steps of a run, differentiated (step_tangents.c) ---

// What one of the walk's slots needs.
typedef struct lb_tangent_room {
  double* torque;         // [nmotor + nv + rows] torques
  lb_step_effects single; // of one of them by the step's end ...
  double* pulled;         // [3][nv] ... and by what the step begins with
  lb_motion* motion;      // [nv] scratch
  lb_miss* miss;          // [ntrack]
  double* scratch;        // [3][nv][nv] with `keep`
} lb_tangent_room;

// The walk along a run, and its context: whoever walks has it as its first member.
typedef struct lb_tangents {
  lb_retargeting* r;
  const lb_curves* curves;
  lb_model* played;
  lb_linear* keep;
  lb_walk walk;
  lb_tangent_room room[LB_TANGENTS];
} lb_tangents;

// Close it even when opening failed.
lb_status lb_tangents_open(lb_tangents* T, lb_retargeting* r, const lb_curves* curves,
                           lb_linear* keep);
void lb_tangents_close(lb_tangents* T);
// Changes of the motors at a time, [nmotor][3], by those of the control points that are not fixed;
// and the transpose, which adds, to the fixed ones too.
void lb_tangents_gather(const lb_tangents* T, double time, double* motor, const double* control);
void lb_tangents_spread(const lb_tangents* T, double time, const double* motor, double* control);

// Add the share of torques beyond their limits (torque_limits.c); `keep` gets their rows for its
// own step
// (-1: none), and their weights.
void lb_tangent_add_torques(const lb_tangents* T, lb_tangent* t, int own);

// --- the gradient (retarget_gradient.c) ---

// Of the motion in the log by control points, [nmotor][ncontrol], zero for the fixed ones. `keep`
// (may be NULL) is filled on the way.
lb_status lb_motion_gradient(lb_retargeting* r, const lb_curves* curves, double* gradient,
                             lb_linear* keep);
// Add the share of one of the copies, without regularisers.
lb_status lb_motion_gradient_one(lb_retargeting* r, const lb_curves* curves, double* gradient,
                                 lb_linear* keep);

// --- searches that go on (retarget_search.c) ---

// From curves that are good already, by iterations of the last stage: the value they end with.
// Torques beyond their limits are expensive from the first one on.
lb_status lb_retarget_go_on(const lb_model* model, const lb_retarget* retarget,
                            const lb_curves* input, const lb_targets* targets,
                            const lb_curves* curves, const lb_retarget_options* options,
                            lb_retarget_value* value, lb_error* err);

// --- regularisers (regularisation.c) ---

void lb_regular_fill(lb_retargeting* r);
// Adds their value and gradient.
void lb_regular_add(const lb_retargeting* r, const lb_curves* curves, lb_retarget_value* value,
                    double* gradient);

double lb_regular_lever(const lb_retargeting* r, int motor);
// y += lever (closeness * square + smoothness * bend) x, of all motors
void lb_regular_product(const lb_retargeting* r, double closeness, double smoothness, double* y,
                        const double* x);

// --- the whole (robust.c), and one copy (retarget_motion.c) ---

lb_status lb_retargeting_open_one(lb_retargeting* r, const lb_model* model, const lb_retarget* what,
                                  const lb_curves* input, const lb_targets* targets,
                                  const lb_retarget_options* options, const lb_allocator* allocator,
                                  lb_error* err);
lb_status lb_retargeting_open(lb_retargeting* r, const lb_model* model, const lb_retarget* what,
                              const lb_curves* input, const lb_targets* targets,
                              const lb_retarget_options* options, const lb_allocator* allocator,
                              lb_error* err);
void lb_retargeting_close(lb_retargeting* r);
