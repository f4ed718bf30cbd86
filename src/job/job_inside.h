// What the files of jobs share.
#pragma once
#include <stdatomic.h>

#include "base/arena.h"
#include "limber/fit.h"
#include "limber/job.h"
#include "limber/simulate.h"

// A kind of job. Its own data is `size` zeroed bytes at job->own.
typedef struct lb_job_type {
  const char* name;
  size_t size;
  lb_status (*load)(lb_job* job, lb_error* err);  // from the scene, which is read
  lb_status (*run)(lb_job* job, lb_error* err);   // sets `kept`; NULL: there is nothing to do
  lb_status (*write)(lb_job* job, lb_error* err); // NULL: the recording
  void (*report)(lb_job* job);                    // add its sections
  void (*release)(lb_job* job);                   // of its own; NULL: nothing
  bool reduced;                                   // elastic bodies move in their bases
  bool rereads;                                   // the scene must be a file
  bool streams;                                   // frames go to the results as they come
  bool forks;                                     // mechanisms under `fork` move by effectors
} lb_job_type;

extern const lb_job_type lb_job_check, lb_job_convert, lb_job_fit, lb_job_fork, lb_job_ik,
    lb_job_inverse, lb_job_optimize, lb_job_reduce, lb_job_replay, lb_job_retarget, lb_job_simulate,
    lb_job_sweep, lb_job_track, lb_job_muscle_lengths, lb_job_muscle_static, lb_job_muscle_report,
    lb_job_analyse;

struct lb_job {
  lb_arena arena; // of texts, sections and its own data
  const lb_job_type* type;
  lb_job_options o;
  lb_scene scene;
  bool read; // the scene is there
  lb_model* model;
  lb_recording* recording;
  int lock;            // on the folder of results, or -1
  lb_results* results; // under way
  lb_summary summary;
  double tolerance;  // of the integrator, by a setup; 0: it says none
  bool equilibrium;  // fibres start in equilibrium, by a setup
  void* own;         // of its kind
  double start;      // of the run, by the clock [s]
  lb_status outcome; // of the run
  bool ran, kept;    // kept: there is something to write
  bool reported;
  int nsection, capacity;
  lb_section* section; // [nsection]
  atomic_bool cancelled;
  atomic_int done; // in millionths
};

// The progress and the sink that a job's work is to use, and options of runs with the first.
lb_progress lb_job_progress(lb_job* job);
lb_sink lb_job_sink(lb_job* job);
lb_simulate_options lb_job_runs(lb_job* job);

// A setup of OpenSim's in place of the scene: the options become what it says.
lb_status lb_job_read_setup(lb_job* job, lb_error* err);
struct lb_outer_forces;
// Warnings of what a file of OpenSim's has and was not read.
void lb_job_pass_on(lb_job* job, int count, const lb_message* note);
// Markers of a table, with warnings of what is odd in it (lb_markers_read).
lb_status lb_job_read_markers(lb_job* job, const char* path, bool all, lb_markers** markers,
                              lb_error* err);
// Warnings of what a motion lacks, or has and was not read, and of forces; each may be NULL.
struct lb_joint_motion;
void lb_job_warn_of_tables(lb_job* job, const struct lb_joint_motion* motion,
                           const struct lb_outer_forces* forces);
// Start, controls and measured forces of a simulation into the scene, where there are any. `forces`
// must be kept with the scene.
lb_status lb_job_forward(lb_job* job, struct lb_outer_forces** forces, lb_error* err);
// Measured forces become those of the scene, filtered, and the model is made anew. Their times
// count from `start` on.
lb_status lb_job_take_forces(lb_job* job, double start, struct lb_outer_forces** forces,
                             lb_error* err);
// Weights of the scene's markers: those that tasks name, and 0. How many count.
struct lb_osim_file;
struct lb_osim_task;
int lb_job_weigh(lb_job* job, int ntask, const struct lb_osim_task* task);
// Markers of the scene that are not fixed go where a standing trial has them, in the pose that
// comes nearest to it.
struct lb_osim_placing;
lb_status lb_job_place_markers(lb_job* job, const struct lb_osim_placing* how, lb_error* err);
// Weights of the scene's markers by an IKTaskSet, where there is one.
lb_status lb_job_read_tasks(lb_job* job, lb_error* err);
// A file that a setup names must be there; none is all right.
lb_status lb_job_check_file(const struct lb_osim_file* file, const char* what, lb_error* err);
// The scene in the size of a subject, by a ScaleTool, where there is one.
lb_status lb_job_scale(lb_job* job, lb_error* err);
// Leave out samples of markers that are more than `more` [s] outside the times asked for; so many
// must be inside.
lb_status lb_job_trim(const lb_job* job, lb_markers* markers, double more, int least,
                      lb_error* err);
// A table of `what` must be named.
lb_status lb_job_need_table(const lb_job* job, const char* what, lb_error* err);

// Where the scene comes from.
lb_scene_origin lb_job_origin(const lb_job* job);
// The model of the scene; what is wrong with it is a mistake there.
lb_status lb_job_make_model(lb_job* job, lb_error* err);
// An empty recording of a model.
lb_status lb_job_record(lb_job* job, const lb_model* model, lb_recording** recording,
                        lb_error* err);

// The motion of a model, to a recording of its own.
lb_status lb_job_play(lb_job* job, const lb_model* model, const lb_simulate_options* options,
                      lb_error* err);

lb_status lb_job_no_memory(lb_error* err);
// Where results are kept, for messages.
const char* lb_job_place(const lb_job* job);
// DIR/NAME in the job's arena, or NULL.
const char* lb_job_path(lb_job* job, const char* dir, const char* name);

// A section; `name` is not copied. Empty texts add none.
void lb_job_add(lb_job* job, lb_section_kind kind, const char* name, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
#define lb_job_title(job, name, ...) lb_job_add(job, LB_SECTION_TITLE, name, __VA_ARGS__)
#define lb_job_figure(job, name, ...) lb_job_add(job, LB_SECTION_FIGURE, name, __VA_ARGS__)
#define lb_job_row(job, ...) lb_job_add(job, LB_SECTION_ROW, NULL, __VA_ARGS__)
#define lb_job_warn(job, ...) lb_job_add(job, LB_SECTION_WARNING, NULL, __VA_ARGS__)
#define lb_job_note(job, ...) lb_job_add(job, LB_SECTION_NOTE, NULL, __VA_ARGS__)
// A warning of what is written at a place of the scene.
void lb_job_warn_at(lb_job* job, lb_place place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// How near poses of inverse kinematics come to markers, what was at a limit, and what is doubtful.
void lb_job_tell_poses(lb_job* job, const struct lb_ik* ik);
// "the first 1.5 s are kept in DIR", or what else there is.
void lb_job_add_rest(lb_job* job);
// The same of a search that was stopped after so many iterations.
void lb_job_add_stopped(lb_job* job, int iterations);
