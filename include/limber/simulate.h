// Stepping a model through time.
#pragma once
#include "limber/dynamics.h"
#include "limber/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bring a state at the model's start into a valid one: motors where they begin, loops closed. In
/// maximal coordinates they are closed with the joints in trees, so that a scene starts alike. What
/// the scene names (lb_scene_named) stays as far as it can.
/// LB_INVALID when a loop cannot be closed; the message has the place of its joint in the scene.
lb_status lb_assemble(const lb_model* model, lb_data* data, lb_error* err);

/// Named initial values that lb_assemble moves.
lb_status lb_find_moved_start(const lb_model* model, const lb_allocator* allocator,
                              lb_moved_start* moved, lb_error* err);

/// Bodies that overlap where `data` is, by more than a thousandth of the smaller one.
lb_status lb_find_overlaps(const lb_model* model, lb_data* data, const lb_allocator* allocator,
                           lb_overlaps* overlaps, lb_error* err);

/// Joint friction that is too steep for steps of this length by the model's integrator, where
/// `data` is: a start that lb_assemble made. Explicit integrators of fixed steps alone have any.
lb_status lb_find_steep_friction(const lb_model* model, lb_data* data, double step,
                                 const lb_allocator* allocator, lb_steep_friction* steep,
                                 lb_error* err);

/// Put a state the equilibrium with the motors at their profiles' angles at data->time: no
/// velocities, no accelerations, all forces in balance, loops closed. Of several such poses it is a
/// stable one downhill from the given one. Sets q, qd (zero) and motor_force. LB_FAILED when there
/// is none within reach (a body that nothing holds, a loop that cannot close), with `data` as it
/// was. Of a model that shows one with all nodes of its elastic bodies, `model->full` is the one to
/// ask about, LB_INVALID otherwise.
lb_status lb_equilibrium(const lb_model* model, lb_data* data, lb_error* err);

/// Advances a lb_data by time steps; one for each thread of work.
typedef struct lb_stepper lb_stepper;

/// `solver` may be NULL for what the model's scene says.
lb_status lb_stepper_create(const lb_model* model, const lb_scene_solver* solver,
                            const lb_allocator* allocator, lb_stepper** stepper, lb_error* err);
void lb_stepper_release(lb_stepper* stepper);

/// Advance by h seconds; adaptive steppers take as many inner steps as they need. LB_FAILED when
/// the state stops being finite or no step is small enough; LB_INVALID when the scene's integrator
/// is euler and an elastic body cannot follow so long a step. `data` then keeps the last good
/// state.
lb_status lb_stepper_step(lb_stepper* stepper, lb_data* data, double h, lb_error* err);

/// State of a stepper and its data between two steps, as so many numbers, to restore with this
/// stepper or another of the same model. From there on all steps are the same to the last bit, with
/// the same inputs. (Matrices that a stepper keeps are not saved: it makes new ones after both.)
size_t lb_stepper_state_size(const lb_stepper* stepper);
void lb_stepper_save(lb_stepper* stepper, const lb_data* data, double* state);
void lb_stepper_load(lb_stepper* stepper, lb_data* data, const double* state);

/// Steps taken so far, inner ones included.
long lb_stepper_count(const lb_stepper* stepper);

/// Somebody who wants to see each frame's state as it is simulated: with all the nodes of elastic
/// bodies where these move, of which a recording has only some shapes. Return false when there is
/// no memory for it.
typedef struct lb_watcher {
  bool (*see)(void* context, const lb_data* data);
  void* context;
} lb_watcher;

typedef struct lb_simulate_options {
  double duration; ///< [s]; NAN: as the scene says
  double step;     ///< [s]; NAN: as the scene says
  int threads;     ///< >= 1
  lb_progress progress;
  lb_watcher watcher; ///< see NULL: nobody
  lb_sink sink;       ///< of recorded frames; put NULL: none
} lb_simulate_options;

lb_simulate_options lb_simulate_default(void);

/// Run a model from its start and record it. LB_INTERRUPTED and LB_FAILED leave the frames done so
/// far in `recording`.
lb_status lb_simulate(const lb_model* model, const lb_simulate_options* options,
                      lb_recording* recording, lb_summary* summary, lb_error* err);

/// Quasistatic motion: a frame for each that lb_simulate records, in equilibrium (lb_equilibrium).
/// This is what an author of motor curves has in mind.
lb_status lb_quasistatic_motion(const lb_model* model, const lb_simulate_options* options,
                                lb_recording* recording, lb_error* err);

#ifdef __cplusplus
}
#endif
