// A job: a scene, what is done with it, and what came out, for programs that run them for people.
// The command line is one; it prints the sections of the report. A server may run jobs in threads
// of its own, ask how far they are, cancel them, and stream their frames.
//
//   create -> load (mistakes of the scene) -> run (progress, frames) -> sections, write -> release
#pragma once
#include "limber/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What to do. Start from lb_job_default() and change what differs; texts are copied.
typedef struct lb_job_options {
  const char* kind;       ///< "simulate"
  const char* scene;      ///< a file, or "-" for standard input
  const char* text;       ///< the scene itself, which `scene` is then the name of; NULL: it is read
  const char* basis;      ///< a folder of `limber reduce` to take elastic bodies from, or NULL
  const char* parameters; ///< a parameters.csv of `limber optimize`, or NULL
  const char* out;        ///< a folder for results, written while the job runs; NULL: none
  bool full;              ///< every node of elastic bodies moves
  double duration, step;  ///< [s]; NAN: as the scene says
  int threads;            ///< >= 1
  lb_progress progress;   ///< told and asked in the thread that runs the job
  lb_sink sink;           ///< of frames, in that thread
} lb_job_options;

lb_job_options lb_job_default(void);

typedef struct lb_job lb_job;

lb_status lb_job_create(const lb_job_options* options, const lb_allocator* allocator, lb_job** job,
                        lb_error* err);
/// NULL is ignored. Results that were not kept with lb_job_write() are gone.
void lb_job_release(lb_job* job);

/// Read the scene and make its model. LB_INVALID: a mistake in it.
lb_status lb_job_load(lb_job* job, lb_error* err);
/// Do the work. LB_INTERRUPTED and LB_FAILED leave what was done so far.
lb_status lb_job_run(lb_job* job, lb_error* err);
/// Keep the results in the folder `out`.
lb_status lb_job_write(lb_job* job, lb_error* err);

/// From any thread: have the job end soon, with LB_INTERRUPTED; how much is done, 0 to 1.
void lb_job_cancel(lb_job* job);
double lb_job_fraction(const lb_job* job);

/// What a section of the report is.
typedef enum lb_section_kind {
  LB_SECTION_TITLE,   ///< what was done, in a sentence
  LB_SECTION_FIGURE,  ///< a line of figures
  LB_SECTION_FILE,    ///< a file in the folder, and what it is for
  LB_SECTION_WARNING, ///< what an author should know even when all else is well
} lb_section_kind;

typedef struct lb_section {
  lb_section_kind kind;
  const char* name; ///< of the scene, the figure or the file; NULL of warnings
  const char* text; ///< without a newline
} lb_section;

/// The report of a job that ran, [count]; NULL when there is no memory for it. It lives as long as
/// the job does.
const lb_section* lb_job_sections(lb_job* job, int* count);

/// What came out; NULL before lb_job_load() and lb_job_run().
const lb_model* lb_job_model(const lb_job* job);
const lb_recording* lb_job_recording(const lb_job* job);
const lb_summary* lb_job_summary(const lb_job* job);

#ifdef __cplusplus
}
#endif
