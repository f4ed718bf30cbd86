#include <math.h>
#include <stdio.h>

#include "job/retarget_job.h"

lb_status lb_comparison_create(lb_job* j, lb_comparison* c, const lb_model* reduced, int deviations,
                               lb_error* err) {
  const lb_allocator* allocator = j->arena.allocator;
  lb_status status = lb_retarget_create(reduced, &j->scene.retarget, allocator, &c->what, err);
  status = status == LB_OK ? lb_curves_fit(reduced, c->what, allocator, &c->input, err) : status;
  status = status == LB_OK ? lb_job_record(j, reduced, &c->target, err) : status;
  status = status == LB_OK ? lb_job_record(j, j->model, &c->before, err) : status;
  status = status == LB_OK ? lb_job_record(j, j->model, &j->recording, err) : status;
  if (status != LB_OK) {
    return status;
  }
  lb_deviation* d = LB_TAKE(&j->arena, lb_deviation, deviations * c->what->ntrack);
  c->was = (lb_replay){.name = "before", .track = d};
  c->is = (lb_replay){.name = "after", .track = d + c->what->ntrack};
  return d ? LB_OK : lb_job_no_memory(err);
}

void lb_comparison_release(lb_comparison* c) {
  lb_recording_release(c->target);
  lb_recording_release(c->before);
  lb_curves_release(c->input);
  lb_retarget_release(c->what);
}

// All three motions are shown as far as all of them go.
void lb_comparison_conclude(lb_job* j, lb_comparison* c, const lb_curves* curves, bool done) {
  const lb_recording* const all[] = {c->target, c->before, j->recording};
  int n = c->target->nframe;
  for (int i = 0; i < 3; i++) {
    c->shown[i] = *all[i];
    n = all[i]->nframe < n ? all[i]->nframe : n;
  }
  for (int i = 0; i < 3; i++) {
    c->shown[i].nframe = n;
  }
  c->result = (lb_retarget_result){.model = j->model,
                                   .what = c->what,
                                   .input = c->input,
                                   .curves = curves,
                                   .target = &c->shown[0],
                                   .before = &c->shown[1],
                                   .after = &c->shown[2],
                                   .was = c->was,
                                   .is = c->is,
                                   .rate = j->o.rate,
                                   .done = done};
  j->summary.retarget = n > 0 ? &c->result : NULL;
  j->kept = j->recording->nframe > 0;
}

const char* lb_comparison_text(const lb_comparison* c, char* out, size_t size) {
  const double is = c->is.all.peak, was = c->was.all.peak, basis = c->result.is.basis;
  char error[48] = "";
  if (basis > 0) {
    snprintf(error, sizeof error, " (basis: ± %.2g mm)", 1e3 * basis);
  }
  if (c->result.unchanged) {
    snprintf(out, size, "peak deviation %.3g mm%s, as it was; ", 1e3 * is, error);
  } else {
    snprintf(out, size, "peak deviation %.3g mm%s, was %.3g mm: %.1f times less; ", 1e3 * is, error,
             1e3 * was, was / is);
  }
  return out;
}
