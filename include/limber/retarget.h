// Retargeting: motor curves with which a flexible character does what an animator meant. Tracked
// bodies are to follow a target, where they would be if the character moved infinitely slowly; the
// motors' curves are changed until they do.
//
// In the order of use: what to do (lb_retarget, from a scene), curves of the input
// (lb_curves_fit), targets (lb_targets), curves that are better (lb_retarget_run), and a model that
// plays them (lb_model_play).
#pragma once
#include "limber/model.h"
#include "limber/progress.h"
#include "limber/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- what to do ---

/// A body whose pose should follow the target.
typedef struct lb_retarget_track {
  int body;
  lb_vec3 point;      ///< in the body's frame
  double position;    ///< weight of the squared distance [1/m^2]
  double orientation; ///< weight of the squared sine of the angle
  lb_profile* weight; ///< factor on both over time; NULL: 1
} lb_retarget_track;

/// Limits of a motor's curve; INFINITY: none.
typedef struct lb_retarget_limit {
  double angle[2];     ///< least and most [rad] or [m]
  double speed;        ///< [rad/s] or [m/s]
  double acceleration; ///< [rad/s^2] or [m/s^2]
  double torque;       ///< [N m] or [N]: of the motion, which the input need not keep to
} lb_retarget_limit;

/// The `retarget` of a scene, for its model.
typedef struct lb_retarget {
  int ntrack;
  lb_retarget_track* track; ///< [ntrack]
  int nmotor;
  int* motor;               ///< [nmotor] of the model; all of them drive positions
  lb_retarget_limit* limit; ///< [nmotor]
  lb_place* limit_place;    ///< [nmotor] place in the scene's file
  double spacing;           ///< of control points [s]
  lb_place spacing_place;
  double period;     ///< of the slowest vibration that matters [s]; 0: there is none
  double closeness;  ///< weight of a curve's change, over the deviation it would bring at rest
  double smoothness; ///< the same of the change's acceleration times the square of `spacing`
  double tolerance;  ///< stop when the objective's relative change is below
  int iterations;    ///< most of them
  double robust;     ///< part by which stiffness and masses may be off; 0: not at all
  void* storage;
} lb_retarget;

/// Compile. LB_INVALID with places in the scene's file when nothing is tracked, weights are all
/// zero, or no motor can be changed.
lb_status lb_retarget_create(const lb_model* model, const lb_scene_retarget* what,
                             const lb_allocator* allocator, lb_retarget** retarget, lb_error* err);
void lb_retarget_release(lb_retarget* retarget);

// --- curves ---

/// Curves of the motors of a lb_retarget over a model's duration: cubic B-splines, twice
/// continuously differentiable, clamped at both ends.
typedef struct lb_curves {
  int nmotor, ncontrol;
  double start, spacing; ///< [s]; there are ncontrol - 3 spans
  double* control;       ///< [nmotor][ncontrol]
  const lb_allocator* allocator;
} lb_curves;

lb_status lb_curves_create(int nmotor, int ncontrol, double start, double spacing,
                           const lb_allocator* allocator, lb_curves** curves, lb_error* err);
void lb_curves_release(lb_curves* curves);

/// The curves nearest to what the model's motors play, in the sense of least squares, with the same
/// value, speed and acceleration at both ends. LB_INVALID when the motion is shorter than a spline.
lb_status lb_curves_fit(const lb_model* model, const lb_retarget* retarget,
                        const lb_allocator* allocator, lb_curves** curves, lb_error* err);

/// The curves that a scene's motors play, where they are cubic splines with as many points each and
/// the same ends, as retargeting leaves them (`motors` of lb_scene_origin). LB_INVALID when they
/// are not, with the motor's place.
lb_status lb_curves_of_scene(const lb_scene* scene, const lb_retarget* retarget,
                             const lb_allocator* allocator, lb_curves** curves, lb_error* err);

/// Value, first and second derivative of curve i; beyond its ends it is constant.
void lb_curves_evaluate(const lb_curves* curves, int i, double t, double value[3]);

/// A variant of a model with motors that play other curves (NULL: its own) and another start (NULL:
/// its own; [nq] of what is simulated: of `full` where it has one). It shares what it can with
/// `model`, which must outlive it; release it as any other.
lb_status lb_model_play(const lb_model* model, const lb_retarget* retarget, const lb_curves* curves,
                        const double* q0, const lb_allocator* allocator, lb_model** played,
                        lb_error* err);

// --- targets ---

/// Target trajectory: poses of the bodies' frames in the world at frames `every` seconds apart from
/// time 0, interpolated by cubics between them. Any source may fill it.
typedef struct lb_targets {
  int ntrack, nframe;
  double every;       ///< [s]
  lb_transform* pose; ///< [nframe][ntrack]
  double* q0;         ///< [nq] the start of runs: equilibrium under its weight
  double* lever;      ///< [nmotor] mean weighted square of how far a motor takes tracked bodies
                      ///< when nothing swings; NULL: all one
  void* storage;
} lb_targets;

/// Targets from a recording of the wanted motion, with frames that are evenly spaced
/// (lb_quasistatic_motion makes one); runs start where it does.
lb_status lb_targets_create(const lb_recording* rest, const lb_retarget* retarget,
                            const lb_allocator* allocator, lb_targets** targets, lb_error* err);
void lb_targets_release(lb_targets* targets);

// --- the search ---

/// Quality of curves.
typedef struct lb_retarget_value {
  double objective;  ///< all of it
  double deviation;  ///< the part of the tracked bodies
  double closeness;  ///< the part of the distance to the input
  double smoothness; ///< the part of accelerations of the change
  double limits;     ///< the part of torques beyond their limits
  double peak;       ///< largest distance of a tracked point from its target [m]
  double angle;      ///< largest angle of a tracked body from its target's [rad]
  double torque;     ///< largest torque of a motor over its limit; 0: there are no limits
} lb_retarget_value;

/// Torques up to this many times their limits count as kept.
#define LB_TORQUE_KEPT 1.01

/// Told of the input, as iteration 0, and after every iteration.
typedef struct lb_retarget_news {
  int iteration;
  lb_retarget_value value;
  double gradient; ///< norm over that at the start
  double left;     ///< [s] an estimate of the time left; NAN: unknown
  int runs;        ///< simulations of this call so far
  int gradients;   ///< and ways back
} lb_retarget_news;

/// code, name, words
#define LB_RETARGET_METHOD_LIST(X)                                                                 \
  X(LB_RETARGET_GAUSS_NEWTON, "gauss-newton", "knows the linearised motion, and limits")           \
  X(LB_RETARGET_LBFGS, "lbfgs", "gradients of the last iterations, preconditioned")                \
  X(LB_RETARGET_BFGS, "bfgs", "gradients of all iterations")

/// Search methods. All but the first are for comparison: they are slower, and fail where a curve
/// would have to follow its limits.
typedef enum lb_retarget_method {
#define LB_RETARGET_METHOD_CODE(code, name, words) code,
  LB_RETARGET_METHOD_LIST(LB_RETARGET_METHOD_CODE)
#undef LB_RETARGET_METHOD_CODE
      LB_RETARGET_METHOD_COUNT
} lb_retarget_method;

const char* lb_retarget_method_name(lb_retarget_method method);

/// Everything the search needs to go on: saved and restored, it ends with the same bits.
typedef struct lb_retarget_state {
  lb_retarget_method method; ///< that is at work, from the first iteration on
  int iteration;
  bool done;
  lb_curves* curves; ///< the best so far
  int nmemory;
  double* memory; ///< [nmemory] of the method
  const lb_allocator* allocator;
} lb_retarget_state;

typedef struct lb_retarget_options {
  lb_retarget_method method;
  double step;   ///< [s] of the simulation; NAN: as the scene says
  int threads;   ///< >= 1
  size_t memory; ///< [bytes] that trajectories may take; 0: a gigabyte
  /// At the start of a search and after every iteration, with the state as it may be saved; false
  /// stops.
  bool (*news)(void* context, const lb_retarget_news* news, const lb_retarget_state* state);
  void* context;
  lb_progress progress; ///< within an iteration
} lb_retarget_options;

lb_retarget_options lb_retarget_default(void);

/// A state at the input's curves.
lb_status lb_retarget_state_create(const lb_curves* input, const lb_allocator* allocator,
                                   lb_retarget_state** state, lb_error* err);
void lb_retarget_state_release(lb_retarget_state* state);

/// Make room for so many numbers of the method's, keeping what is there.
lb_status lb_retarget_state_reserve(lb_retarget_state* state, int nmemory, lb_error* err);

/// Admissibility of curves as the start of a search: LB_INVALID when they exceed their limits, or
/// when the steps are longer than the time between control points.
lb_status lb_retarget_check(const lb_model* model, const lb_retarget* retarget,
                            const lb_curves* curves, const lb_retarget_options* options,
                            lb_error* err);

/// Find better curves, from where the state is. LB_INVALID when it was brought there by another
/// method. LB_INTERRUPTED leaves the state as it was after the
/// last whole iteration; calling again goes on from there.
lb_status lb_retarget_run(const lb_model* model, const lb_retarget* retarget,
                          const lb_curves* input, const lb_targets* targets,
                          const lb_retarget_options* options, lb_retarget_state* state,
                          lb_retarget_value* value, lb_error* err);

/// What may keep curves from coming nearer to their target. code, name, words
#define LB_LIMITING_LIST(X)                                                                        \
  X(LB_LIMITING_REACH, "reach", "what the motors can do at all")                                   \
  X(LB_LIMITING_ITERATIONS, "iterations", "with more of them")                                     \
  X(LB_LIMITING_SPACING, "spacing", "with control points half as far apart")                       \
  X(LB_LIMITING_SMOOTHNESS, "smoothness", "with a hundredth of the smoothness")                    \
  X(LB_LIMITING_MOTORS, "limits", "without limits of angles, speeds and accelerations")            \
  X(LB_LIMITING_TORQUE, "torque", "without limits of torques")                                     \
  X(LB_LIMITING_SEVERAL, "several", "without all of these at once")                                \
  X(LB_LIMITING_BASIS, "basis", "were the basis as good as every node")                            \
  X(LB_LIMITING_WEIGHT, "weight", "elastic bodies buckle under it")

typedef enum lb_limiting_factor {
#define LB_LIMITING_CODE(code, name, words) code,
  LB_LIMITING_LIST(LB_LIMITING_CODE)
#undef LB_LIMITING_CODE
      LB_LIMITING_COUNT
} lb_limiting_factor;

const char* lb_limiting_name(lb_limiting_factor factor);
const char* lb_limiting_words(lb_limiting_factor factor);

typedef struct lb_limiting {
  lb_limiting_factor factor; ///< that limits most
  /// Part of the root mean square deviation that is left when the search goes on without it; NAN:
  /// not looked at, or not there.
  double left[LB_LIMITING_COUNT];
} lb_limiting;

/// Reach, as long as nothing was looked at.
lb_limiting lb_limiting_none(void);

/// Note what would be left without a factor: the one with the least limits most, or reach where
/// none of them helps. Where more iterations help, others have to help as much again.
void lb_limiting_note(lb_limiting* limiting, lb_limiting_factor factor, double left);

/// What limits the curves that a search ended with. The basis is not looked at, which takes other
/// runs, nor the weight (lb_target_buckles).
lb_status lb_limiting_find(const lb_model* model, const lb_retarget* retarget,
                           const lb_targets* targets, const lb_curves* curves,
                           const lb_retarget_options* options, lb_limiting* limiting,
                           lb_error* err);

/// Objective of curves and, unless NULL, its gradient by the control points, [nmotor][ncontrol],
/// exact for the steps taken.
lb_status lb_retarget_evaluate(const lb_model* model, const lb_retarget* retarget,
                               const lb_curves* input, const lb_targets* targets,
                               const lb_curves* curves, const lb_retarget_options* options,
                               lb_retarget_value* value, double* gradient, lb_error* err);

/// Forward sensitivities, for checks: how the objective, `slope` [ndirection], and the coordinates
/// at the ends of the steps, `motion` [ndirection][steps + 1][nv] (NULL: not wanted), change along
/// directions of the control points, [ndirection][nmotor][ncontrol]. Exact for the steps taken. The
/// first and last three control points of a curve are fixed, and what a direction says of them does
/// not count. Changes of coordinates are counted along the velocities (limber/derivative.h).
lb_status lb_retarget_sensitivity(const lb_model* model, const lb_retarget* retarget,
                                  const lb_curves* input, const lb_targets* targets,
                                  const lb_curves* curves, const lb_retarget_options* options,
                                  int ndirection, const double* direction, double* slope,
                                  double* motion, lb_error* err);

/// Number of steps of a run.
int lb_retarget_steps(const lb_model* model, const lb_retarget_options* options);

#ifdef __cplusplus
}
#endif
