// What the files of a job share.
#pragma once
#include <stdatomic.h>

#include "base/arena.h"
#include "limber/job.h"

enum { LB_JOB_SECTIONS = 64 }; // at most; more warnings would tell nobody more

// A kind of job.
typedef struct lb_job_type {
  const char* name;
  lb_status (*load)(lb_job* job, lb_error* err); // from the scene, which is read
  lb_status (*run)(lb_job* job, lb_error* err);
  void (*report)(lb_job* job); // add its sections
} lb_job_type;

extern const lb_job_type lb_job_simulate;

struct lb_job {
  lb_arena arena; // of texts and sections
  const lb_job_type* type;
  lb_job_options o;
  lb_scene scene;
  bool read; // the scene is there
  lb_model* model;
  lb_recording* recording;
  lb_results* results; // under way
  lb_summary summary;
  bool ran;
  lb_section* section; // [nsection]
  int nsection;
  atomic_bool cancelled;
  atomic_int done; // in millionths
};

// The progress and the sink that a job's work is to use.
lb_progress lb_job_progress(lb_job* job);
lb_sink lb_job_sink(lb_job* job);

// A section; `name` is not copied. Empty texts add none.
void lb_job_add(lb_job* job, lb_section_kind kind, const char* name, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
