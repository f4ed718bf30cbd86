// A job: a scene, what is done with it, and what came out, for programs that run them for people.
// The command line is one: its verbs are the kinds of jobs, and it prints the sections of their
// reports. A server may run jobs in threads of its own, ask how far they are, cancel them, and
// stream their frames.
//
//   create -> load (mistakes of the input) -> run (progress, frames) -> write, sections -> release
#pragma once
#include "limber/recording.h"
#include "limber/retarget.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kind of a section of the report.
typedef enum lb_section_kind {
  LB_SECTION_TITLE,   ///< title, in a sentence
  LB_SECTION_FIGURE,  ///< a line of figures
  LB_SECTION_ROW,     ///< a line of a table, its columns filled up with spaces
  LB_SECTION_FILE,    ///< a file in the folder, and what it is for
  LB_SECTION_WARNING, ///< warning to the author, even when all else is well
  LB_SECTION_NOTE,    ///< results of a job that did not come to its end
} lb_section_kind;

typedef struct lb_section {
  lb_section_kind kind;
  const char* name; ///< of the scene, the figure or the file; else NULL
  const char* text; ///< without a newline
  lb_place place;   ///< of a warning that is about a place of the scene, else all zero
} lb_section;

/// Options of a job. Start from lb_job_default() and change what differs; texts are copied. A kind
/// of job reads the fields it needs.
typedef struct lb_job_options {
  const char*
      kind; ///< "simulate", "reduce", "fit", "inverse", "retarget", "replay",
            ///< "optimize", "sweep", "fork", "ik", "track", "analyse", "muscle lengths",
            ///< "muscle static", "muscle report", or "check", which looks at the scene alone
  const char* scene;      ///< a file, or "-" for standard input
  const char* text;       ///< the scene itself, which `scene` is then the name of; NULL: it is read
  int nset;               ///< values from outside, "PATH=VALUE", as of lb_scene_origin
  const char* const* set; ///< [nset]
  int nover;              ///< sweeps: ranges of values, "PATH=FROM:TO:COUNT" or "PATH=A,B,C"
  const char* const* over; ///< [nover]
  int runs;                ///< sweeps: how many at a time; 0: one on each processor
  const char* table;       ///< a file: the markers of a fit or of inverse kinematics, the motion of
                           ///< inverse dynamics
  const char* out;         ///< a folder for results, written while the job runs; NULL: none
  double duration, step;   ///< [s]; NAN: as the scene says
  int threads;             ///< >= 1
  bool full;               ///< every node of elastic bodies moves
  bool whole;              ///< all joints of mechanisms under `fork` move
  const char* cache;       ///< folder of elastic bodies, as of lb_making, or NULL
  bool models;             ///< check: make the shapes of elastic bodies, too
  bool linkage;            ///< check: say how the scene can move, and its linkages
  const char* basis;       ///< a folder of a reduction to take elastic bodies from, or NULL
  const char* parameters;  ///< a parameters.csv of an optimisation, or NULL
  const char* from;     ///< a folder: of the curves to replay, or of a full run to reduce, or NULL
  const char* forces;   ///< a file of measured forces, or NULL
  const char* states;   ///< simulation: a table whose row is the start, or NULL
  const char* controls; ///< simulation: a ControlSet of OpenSim's or a table, or NULL
  const char* tasks;    ///< inverse kinematics: an IKTaskSet of OpenSim's, or NULL
  const char* scale;    ///< analysis: a ScaleTool of OpenSim's, or NULL
  const char* still; ///< analysis: markers of a standing trial that says how large bodies are, or
                     ///< NULL
  double cutoff, force_cutoff; ///< inverse dynamics: of low-pass filters [Hz]; NAN: none
  const char* filter;          ///< inverse dynamics: "opensim", or NULL: Limber's own
  bool stepwise;               ///< collocation: a simulation that follows, step by step, instead
  bool stiff;                  ///< collocation: tendons do not stretch
  double touch;                ///< inverse dynamics: as of lb_inverse_options [m or rad]
  double begin, end;           ///< part of the motion, as of lb_inverse_options [s]
  int power;                   ///< static optimisation: as of lb_muscle_static_options
  bool passive, elastic;       ///< static optimisation: as of lb_muscle_static_options
  int modes, frames;           ///< reduction: as of lb_reduce_options; 0 modes: as `missed` asks
  double missed;               ///< reduction: as of lb_reduce_options; NAN: as `modes` ask
  bool attachments;            ///< reduction: as of lb_reduce_options
  bool keep;                   ///< reduction: write the full run, too; sweeps: every run
  lb_retarget_method method;
  size_t memory;    ///< retargeting: as of lb_retarget_options
  double picture;   ///< time that picture.png is to show [s]; NAN: there is none
  const char* film; ///< "mp4" or "webm": film.mp4 or film.webm is made, by ffmpeg; NULL: none
  double rate;      ///< retargeting: samples a second of profiles.csv [Hz]
  bool baseline;    ///< retargeting: compare with filters and shapers
  bool perturb;     ///< retargeting: compare with robots that differ
  bool verify;      ///< retargeting: play the result with every node
  bool no_estimate; ///< retargeting: leave out the estimate of the bases' error
  bool resume;      ///< searches: go on from what is in `out`
  lb_progress
      progress; ///< told and asked in the thread that runs the job. Of work whose end is not
                ///< known the fraction is NAN, and the words, where not NULL, say how it is
  lb_sink sink; ///< of frames, in that thread
  void (*told)(void* context, const lb_section* section); ///< of sections as soon as they are added
  void* context;                                          ///< of `told`
} lb_job_options;

lb_job_options lb_job_default(void);

typedef struct lb_job lb_job;

lb_status lb_job_create(const lb_job_options* options, const lb_allocator* allocator, lb_job** job,
                        lb_error* err);
/// NULL is ignored. Results that were not kept with lb_job_write() are gone.
void lb_job_release(lb_job* job);

/// Read the scene and make its model, then make the folder `out` and keep other jobs out of it
/// until results are written, or this one is released. LB_INVALID and LB_IO: a mistake in it, or in
/// another file; another job writes there.
lb_status lb_job_load(lb_job* job, lb_error* err);
/// Runs the job. LB_INTERRUPTED and LB_FAILED leave what was done so far.
lb_status lb_job_run(lb_job* job, lb_error* err);
/// Keep the results in the folder `out`.
lb_status lb_job_write(lb_job* job, lb_error* err);

/// From any thread: have the job end soon, with LB_INTERRUPTED; how much is done, 0 to 1.
void lb_job_cancel(lb_job* job);
double lb_job_fraction(const lb_job* job);

/// The report of a job that ran, [count]; NULL when there is no memory for it. It lives as long as
/// the job does.
const lb_section* lb_job_sections(lb_job* job, int* count);

/// Results; NULL before lb_job_load() and lb_job_run().
const lb_model* lb_job_model(const lb_job* job);
const lb_recording* lb_job_recording(const lb_job* job);
const lb_summary* lb_job_summary(const lb_job* job);

#ifdef __cplusplus
}
#endif
