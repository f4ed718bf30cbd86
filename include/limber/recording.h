// Recordings: frames of motion, the figures of the run, and the files people open.
#pragma once
#include "limber/dynamics.h"
#include "limber/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Quantities kept of every frame besides those that always are.
typedef enum lb_keep {
  LB_KEEP_RATES = 1,     ///< accelerations; trajectory.csv then has them and the velocities
  LB_KEEP_REACTIONS = 2, ///< joint reactions
  LB_KEEP_TORQUES = 4,   ///< of inverse dynamics
} lb_keep;

/// Frames at increasing times. Arrays are [nframe][width], frame by frame.
typedef struct lb_recording {
  const lb_model* model;
  int nframe;
  int capacity;
  double* time;       ///< [nframe]
  lb_transform* pose; ///< [nframe][nbody] world
  double* q;          ///< [nframe][nq]
  double* qd;         ///< [nframe][nv]
  double* motor;      ///< [nframe][nmotor] force or torque of each motor
  int nchannel;
  lb_channel* channel;                ///< [nchannel] of forces and motors
  double* force;                      ///< [nframe][nchannel] their values
  struct lb_contact_frames* contacts; ///< where bodies touch; lb_recording_contacts() reads it
  struct lb_stress_peaks* stress;     ///< [elastic bodies] the largest of every element so far
  struct lb_drawn_paths* drawn;       ///< lines of muscles, once they are drawn
  double* kinetic;                    ///< [nframe] energy [J]
  double* potential;                  ///< [nframe] of gravity and springs [J]
  double (*work)[2]; ///< [nframe] of motors that repeat, since the start, in scenes with contacts:
                     ///< what they put in, and that less what they brake [J]; else 0
  int keeps;         ///< lb_keep's, added: which of the next are there
  double* qdd;       ///< [nframe][nv]
  double* torque;    ///< [nframe][nv] generalised forces needed besides the scene's
  lb_reaction* reaction; ///< [nframe][njoint + npair]
  double* coupling;      ///< [nframe][ncoupling] multipliers, kept with the reactions
  const lb_allocator* allocator;
} lb_recording;

/// An empty recording with room for `capacity` frames; it grows when that is passed. It keeps what
/// the model's scene asks for.
lb_status lb_recording_create(const lb_model* model, int capacity, const lb_allocator* allocator,
                              lb_recording** recording, lb_error* err);
void lb_recording_release(lb_recording* recording);
/// Keep these as well, from the first frame on.
lb_status lb_recording_keep(lb_recording* recording, int keeps, lb_error* err);
/// Make room for one more frame and return its index, or -1 when there is no memory. The caller
/// fills it in.
int lb_recording_add(lb_recording* recording);

/// Somebody who gets every frame as soon as it is recorded. Anything but LB_OK ends the run, which
/// keeps what it has. Frames may be taken back at the end of a run that blew up.
typedef struct lb_sink {
  lb_status (*put)(void* context, const lb_recording* recording, int frame, lb_error* err);
  void* context;
} lb_sink;

/// True where all numbers of a frame are finite.
bool lb_recording_is_finite(const lb_recording* recording, int frame);

/// Points where bodies touched since the frame before, and how many there are. Forces are means
/// over that time, of all steps; the rest is of the last step in which a point bore something.
int lb_recording_contacts(const lb_recording* recording, int frame, const lb_body_contact** points);
/// Points of all frames together.
long lb_recording_ncontact(const lb_recording* recording);
/// Time from which on points are left out, since there are more than LB_CONTACTS_KEPT; NAN: never.
double lb_recording_contacts_end(const lb_recording* recording);
enum { LB_CONTACTS_KEPT = 500000 };
/// Add the impulses of the last step to the frame that comes next; false: there is no memory.
bool lb_recording_add_contacts(lb_recording* recording, const lb_data* data);
/// Give the last frame what was added since the one before; false: there is no memory.
bool lb_recording_put_contacts(lb_recording* recording);

/// A channel over the frames: its largest size, when that was, and its root mean square over time.
typedef struct lb_channel_figures {
  double peak, time, rms;
} lb_channel_figures;
lb_channel_figures lb_recording_figures(const lb_recording* recording, int channel);
/// The largest von Mises stress in an elastic body over the frames that count, where and when.
typedef struct lb_stress_peak {
  int element;  ///< of the mesh, from 0; -1: the body's mesh is not known
  lb_vec3 at;   ///< its middle, undeformed, in the body's frame
  double value; ///< [Pa]
  double time;  ///< [s]
} lb_stress_peak;
lb_stress_peak lb_recording_stress(const lb_recording* recording, int elastic);
/// True where some body's is known.
bool lb_recording_has_stress(const lb_recording* recording);
/// Count the last frame's stress among the peaks; the first frame's starts them anew.
void lb_recording_count_stress(lb_recording* recording);
/// The largest force and moment that pass through a joint or constraint of frames, of a recording
/// that keeps reactions, and when the force was largest.
typedef struct lb_reaction_peak {
  double force, time, moment;
} lb_reaction_peak;
lb_reaction_peak lb_recording_reaction(const lb_recording* recording, int which);
/// What a motor has to do: its channels, and their figures. Power has two peaks: what a motor
/// drives with, force and speed the same way, and what it brakes with.
typedef struct lb_motor_figures {
  const lb_channel *force_channel, *speed_channel;
  lb_channel_figures force, speed;
  double driving, braking; ///< peak powers, both >= 0 [W]
  double rms_power;        ///< [W]
} lb_motor_figures;
lb_motor_figures lb_recording_motor(const lb_recording* recording, int motor);
/// The first channel that is no motor's.
int lb_recording_first_force(const lb_recording* recording);
const char* lb_channel_unit(lb_channel_kind kind);

/// Why a run ended before it was done, though nobody stopped it.
typedef struct lb_failure {
  bool failed;
  double time;       ///< time reached [s]
  char reason[1000]; ///< the message, cut to fit
} lb_failure;

/// A coordinate without limits that ran beyond the end of an open spline, where its polynomials go
/// on to nowhere in particular.
typedef struct lb_spline_exit {
  bool left;       ///< there is one; else the rest says nothing
  int coordinate;  ///< of the joint's
  double time;     ///< of the first frame beyond [s]
  double farthest; ///< farthest coordinate beyond it
  double end;      ///< the spline is made for 0 to this
} lb_spline_exit;

/// The first of a joint's coordinates that did so, in any frame.
lb_spline_exit lb_recording_spline_exit(const lb_recording* recording, int joint);

/// The first frame at which a part of an elastic body was turned inside out.
typedef struct lb_inversion {
  int frames;    ///< inverted frames; 0: none, and the rest says nothing
  double time;   ///< [s]
  int body;      ///< body of the scene
  double volume; ///< det F, where it is least
  lb_vec3 at;    ///< its reference position, in the body's frame
} lb_inversion;

/// The largest of what coordinates need, by inverse dynamics.
typedef struct lb_torque_peak {
  int joint;    ///< or -1: there is none
  double value; ///< [N m] or [N]
  double time;  ///< [s]
} lb_torque_peak;

/// Friction in joints that explicit steps are too long for: it grows to its size within a small
/// speed, and around zero these steps overshoot, so that a joint that should stick chatters and
/// creeps.
typedef struct lb_steep_friction {
  int joint;   ///< that matters most, where there is any
  double step; ///< the longest that would do [s]; 0: there is none
} lb_steep_friction;

/// A start that `initial` names and that had to be moved, or was given another velocity, for loops
/// to close: the one that was farthest.
typedef struct lb_moved_start {
  const char* name;     ///< of the joint or free body, in the model; NULL: all stayed
  lb_place place;       ///< of the entry
  lb_coordinate counts; ///< unit of the moved coordinate
  double by;            ///< [m, rad or 1], of velocities in these per second
  bool rate;            ///< it is the velocity
} lb_moved_start;

/// Contact problems of a run's steps.
typedef struct lb_contact_figures {
  long steps;      ///< steps with points of contact
  long unsolved;   ///< of these, steps that were not solved to the tolerance
  double residual; ///< largest velocity that was left of a condition [m/s]
  int points;      ///< most at once
  double impulse;  ///< largest of a point in a step [N s]
  double force;    ///< that over the step [N]
  double time;     ///< end of that step [s]
  int body[2];     ///< that touch there, as of lb_body_contact
  long deep;       ///< steps in which two overlap by a tenth of the smaller size, or more
  double sunk;     ///< deepest overlap over that size
  double depth;    ///< that overlap [m]
  double sunk_at;  ///< time of it [s]
  int sunk_in[2];  ///< bodies that overlap, as of lb_body_contact
} lb_contact_figures;

/// Two bodies that overlap.
typedef struct lb_overlap {
  int body[2];  ///< or LB_WORLD: scenery
  double depth; ///< [m]
} lb_overlap;

enum { LB_OVERLAPS_SHOWN = 5 };
/// Bodies that overlap at the start.
typedef struct lb_overlaps {
  int count;                             ///< of places where two shapes do
  int nshown;                            ///< pairs of bodies below
  lb_overlap deepest[LB_OVERLAPS_SHOWN]; ///< deepest first
} lb_overlaps;

/// The figures of a run, as in summary.json.
typedef struct lb_summary {
  const char* job;     ///< kind of job, as "simulate"
  double wall_seconds; ///< of the computation
  long steps;
  long iterations,
      matrices; ///< of Newton's method in implicit steps: corrections, factored matrices
  double energy_start, energy_end; ///< [J]
  double energy_drift;         ///< worst |E - E0| over the frames, over the largest kinetic energy
  lb_vec3 linear_momentum[2];  ///< at the start and at the end [kg m/s]
  lb_vec3 angular_momentum[2]; ///< about the world's origin [kg m^2/s]
  double linear_drift;         ///< worst change over the frames, over the most that the links have
  double angular_drift;
  double constraint_violation; ///< worst, [m] or [rad]
  double compliant_gap;        ///< worst of constraints that yield, [m] or [rad]
  lb_inversion inversion;      ///< of elastic bodies
  lb_steep_friction steep;     ///< at the start
  lb_moved_start moved;        ///< there, too
  lb_overlaps overlaps;        ///< there, too
  lb_contact_figures contact;  ///< of scenes with contacts
  bool conservative;           ///< no motor, damper or load: the energy should not change
  bool interrupted;
  lb_failure failure;
  int threads;
  const char* scene_text;                    ///< the scene as it was read, or NULL
  int nset;                                  ///< values that were set from outside
  const char* const* set;                    ///< [nset] these, as of lb_scene_origin
  double step;                               ///< as used [s]
  lb_torque_peak torque;                     ///< of inverse dynamics, largest of all; elsewhere 0
  lb_torque_peak residual;                   ///< largest where no motor can exert it; elsewhere 0
  const struct lb_fit* fit;                  ///< of a fit, else NULL
  const struct lb_ik* ik;                    ///< of inverse kinematics, else NULL
  const struct lb_analysis* analysis;        ///< of muscles along a motion, else NULL
  const struct lb_retarget_result* retarget; ///< of retargeting, else NULL
  const struct lb_optimize_result* optimize; ///< of an optimisation, else NULL
  const struct lb_collocation* collocation;  ///< of a collocation, else NULL
  const struct lb_fork_result* fork;         ///< of mechanisms that were reduced, else NULL
  const struct lb_mechanism* mechanism;      ///< of scenes with linkages, else NULL
  const struct lb_gait* gait;                ///< of what walks, else NULL
  /// Use of the trained range by elastic bodies from files: the largest coordinate over its range,
  /// of the body that went farthest. Beyond LB_RANGE_LEFT the motion is not to be trusted.
  double range_used;
  const char* range_body; ///< body with the largest, or NULL: no body has a range
  double range_left;      ///< when it first went beyond [s]; NAN: never
} lb_summary;

/// Up to here, times the range of the training, shapes and cubature still serve.
#define LB_RANGE_LEFT 2

/// Write summary.json, trajectory.csv, scene.glb and report.html into the folder `dir`, made if it
/// is missing; of a fit also fitted.yaml and markers.csv, of retargeting
/// profiles.csv, profiles.yaml, target.csv, before.csv and after.csv, of an optimisation
/// parameters.csv. Each is written aside and
/// renamed, so a reader never sees half a file. A file that fails does not keep the others from
/// being written; `err` names each that failed and why.
lb_status lb_recording_write(const lb_recording* recording, const lb_summary* summary,
                             const char* dir, lb_error* err);

/// Results written while a run goes on: a sink that writes trajectory.csv frame by frame, beside
/// its final name, and at the end the other files.
typedef struct lb_results lb_results;
lb_status lb_results_open(const char* dir, const lb_allocator* allocator, lb_results** results,
                          lb_error* err);
lb_sink lb_results_sink(lb_results* results);
/// `progress` is asked while scene.glb is made, which may take long. Where it says to stop, that
/// file is left out, and the others are written; lb_results_close() is LB_INTERRUPTED then. It must
/// live until then.
void lb_results_watch(lb_results* results, const lb_progress* progress);
/// Write all that is missing, and release.
lb_status lb_results_close(lb_results* results, const lb_recording* recording,
                           const lb_summary* summary, lb_error* err);
/// Release, and keep nothing; NULL is ignored.
void lb_results_drop(lb_results* results);

enum { LB_COMPARED_MOST = 5, LB_COMPARED_NAME = 80 };
/// The largest distance between places of a body's frame in two runs at one time, the largest angle
/// between its orientations, and when these were.
typedef struct lb_compared_body {
  char name[LB_COMPARED_NAME];
  double distance, time; ///< [m], [s]
  double angle, turned;  ///< [rad], [s]
} lb_compared_body;
/// The largest force or torque of a motor in each of two runs.
typedef struct lb_compared_motor {
  char name[LB_COMPARED_NAME];
  double peak[2]; ///< [N] or [N m]
} lb_compared_motor;
/// Two runs in a few figures.
typedef struct lb_compared {
  int nbody;                               ///< bodies in common
  lb_compared_body body[LB_COMPARED_MOST]; ///< up to so many of these, the farthest apart first,
                                           ///< then the most turned
  int nmotor;                              ///< motors in common
  lb_compared_motor
      motor[LB_COMPARED_MOST]; ///< up to so many of these, those that differ most first
  int nalone[2];               ///< bodies that only one of them has
  char alone[2][LB_COMPARED_MOST][LB_COMPARED_NAME];
} lb_compared;

/// Two runs on one page: DIR/compare.html, from the files that they left in the folders `a` and
/// `b`. `figures` and `allocator` may be NULL.
lb_status lb_comparison_write(const char* a, const char* b, const char* dir, lb_compared* figures,
                              const lb_allocator* allocator, lb_error* err);

/// The file parameters.csv alone, for a search that is under way.
lb_status lb_parameters_write(const struct lb_optimize_result* result, const char* dir,
                              const lb_allocator* allocator, lb_error* err);

#ifdef __cplusplus
}
#endif
