// Quasistatic motion: equilibrium after equilibrium, each from the one before.
#include <string.h>

#include "limber/simulate.h"
#include "solve/equilibrium/equilibrium.h"
#include "solve/run/frames.h"

enum { MOST_PARTS = 64 }; // of the way from one frame to the next, when it is too far for one solve

// From equilibrium at `from` to that at `to`.
static lb_status follow(lb_equilibrium_solver* R, lb_data* d, double from, double to,
                        lb_error* err) {
  lb_status status = LB_FAILED;
  lb_error last = lb_error_make(err ? err->allocator : NULL);
  for (int parts = 1; parts <= MOST_PARTS && status == LB_FAILED; parts *= 4) {
    lb_error_clear(&last);
    status = LB_OK;
    for (int i = 1; i <= parts && status == LB_OK; i++) {
      d->time = i == parts ? to : from + (to - from) * i / parts;
      status = lb_equilibrium_solver_solve(R, d, &last);
    }
  }
  if (status != LB_OK && last.count > 0) {
    lb_error_add(err, status, last.message[0].place, "%s", last.message[0].text);
  }
  lb_error_clear(&last);
  return status;
}

static lb_status put_frame(lb_recording* r, lb_data* d, lb_error* err) {
  const lb_status status = lb_frame_put(r, d, err);
  if (status == LB_OK) {
    lb_recording_count_stress(r);
  }
  return status;
}

static lb_status run(lb_equilibrium_solver* R, lb_data* d, const lb_plan* p,
                     const lb_progress* progress, lb_recording* r, lb_error* err) {
  lb_status status = lb_equilibrium_solver_solve(R, d, err);
  status = status == LB_OK ? put_frame(r, d, err) : status;
  for (long i = 0; i < p->steps && status == LB_OK;) {
    const double from = (double)i * p->step;
    i = i + p->stride < p->steps ? i + p->stride : p->steps;
    status = follow(R, d, from, (double)i * p->step, err);
    status = status == LB_OK ? put_frame(r, d, err) : status;
    const double fraction = (double)i / (double)p->steps;
    if (status == LB_OK && !lb_progress_report(progress, fraction, "finding the target")) {
      status = lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted at t = %g s", d->time);
    }
  }
  return status;
}

lb_status lb_quasistatic_motion(const lb_model* model, const lb_simulate_options* options,
                                lb_recording* r, lb_error* err) {
  const lb_model* m = lb_model_simulated(model);
  lb_equilibrium_solver* R = NULL;
  lb_data* d = NULL;
  lb_status status = lb_plan_check(model, options, err);
  if (status == LB_OK) {
    status = lb_equilibrium_solver_create(m, r->allocator, &R, err);
  }
  if (status == LB_OK) {
    status = lb_data_create(m, r->allocator, &d, err);
  }
  if (status == LB_OK) {
    status = lb_assemble(m, d, err);
  }
  if (status == LB_OK) {
    const lb_plan p = lb_plan_make(model, options);
    status = run(R, d, &p, &options->progress, r, err);
  }
  lb_data_release(d);
  lb_equilibrium_solver_release(R);
  return status;
}
