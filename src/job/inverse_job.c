// Inverse dynamics of a recorded motion.
#include "job/motion_job.h"

static lb_status run(lb_job* j, lb_error* err) {
  return lb_motion_job_run(j, -1, err);
}

static void report(lb_job* j) {
  lb_motion_job_warn(j);
  if (j->outcome != LB_OK) {
    return;
  }
  lb_job_title(j, j->model->name, "forces at %d moments", j->recording->nframe);
  lb_motion_job_peaks(j);
}

const lb_job_type lb_job_inverse = {.name = "inverse",
                                    .size = sizeof(lb_motion_job),
                                    .load = lb_motion_job_load,
                                    .run = run,
                                    .report = report,
                                    .release = lb_motion_job_release,
                                    .reduced = true};
