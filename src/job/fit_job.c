// Fit of materials to measured markers.
#include "limber/fit.h"

#include <math.h>
#include <stdio.h>

#include "job/job_inside.h"
#include "job/job_text.h"

typedef struct fit_job {
  lb_markers* markers;
  lb_fit* fit;
} fit_job;

// Mistakes in the table are reported before the model is made.
static lb_status load(lb_job* j, lb_error* err) {
  fit_job* own = j->own;
  const lb_status status = lb_job_read_markers(j, j->o.table, true, &own->markers, err);
  return status == LB_OK ? lb_job_make_model(j, err) : status;
}

// Motion of the fitted model, from its start to the last sample, for the files that show it. It
// runs to its end even when the search was interrupted.
static lb_status play(lb_job* j, const lb_fit* fit, lb_error* err) {
  lb_simulate_options o = lb_job_runs(j);
  o.duration = fit->markers->time[fit->nsample - 1];
  o.progress = (lb_progress){0};
  const lb_status status = lb_job_play(j, fit->model, &o, err);
  j->summary.steps = fit->steps;
  j->summary.fit = fit;
  j->kept = j->recording != NULL; // the numbers, however far the motion came
  return status;
}

static lb_status run(lb_job* j, lb_error* err) {
  fit_job* own = j->own;
  lb_fit_options o = lb_fit_default();
  o.duration = j->o.duration;
  o.step = j->o.step;
  o.threads = j->o.threads;
  o.progress = lb_job_progress(j);
  lb_status status =
      lb_fit_run(j->model, &j->scene.fit, own->markers, &o, j->arena.allocator, &own->fit, err);
  if (own->fit) {
    const lb_status played = play(j, own->fit, err);
    status = played == LB_OK ? status : played;
  }
  if (status == LB_OK && lb_fit_determined(own->fit) == 0) {
    status = lb_error_add(err, LB_FAILED, (lb_place){0}, "the markers do not tell: %s",
                          lb_fit_doubt_text(own->fit->value[0].doubt));
  }
  return status;
}

// "spring-steel young      199.987 GPa   199 GPa to 201 GPa (95 %)"
static void add_value(lb_job* j, const lb_fit* fit, const lb_fit_value* v) {
  char name[120], value[LB_FIT_TEXT], low[LB_FIT_TEXT], high[LB_FIT_TEXT], range[100] = "";
  const bool known = isfinite(v->low) && isfinite(v->high), sure = v->doubt == LB_FIT_SURE;
  snprintf(name, sizeof name, "%s%s%s",
           v->material >= 0 ? fit->model->look.material[v->material].name : "",
           v->material >= 0 ? " " : "", lb_fit_quantity_name(v->quantity));
  if (known) {
    snprintf(range, sizeof range, "  %s to %s (95 %%)",
             lb_fit_number_text(v->quantity, v->low, low),
             lb_fit_number_text(v->quantity, v->high, high));
  }
  lb_job_row(j, "%-32s %-12s%s%s%s", name, lb_fit_number_text(v->quantity, v->value, value), range,
             sure ? "" : "; ", sure ? "" : lb_fit_doubt_text(v->doubt));
}

static void report(lb_job* j) {
  const lb_fit* fit = ((fit_job*)j->own)->fit;
  if (j->outcome == LB_INTERRUPTED) {
    lb_job_note(j, "Interrupted. The best numbers so far are kept in %s.", j->o.out);
  }
  if (!j->kept || j->outcome == LB_INTERRUPTED) {
    return;
  }
  lb_job_title(j, fit->model->name, "%d of %d numbers determined, from %d samples of %d %s, in %s",
               lb_fit_determined(fit), fit->nvalue, fit->nsample, fit->markers->nmarker,
               fit->markers->nmarker == 1 ? "marker" : "markers",
               lb_text_duration(j->summary.wall_seconds).text);
  for (int i = 0; i < fit->nvalue; i++) {
    add_value(j, fit, &fit->value[i]);
  }
  lb_job_figure(j, "distance",
                "%.3g mm rms from the markers (%.3g mm with the scene's numbers); %ld runs",
                1e3 * fit->rms, 1e3 * fit->rms_start, fit->runs);
  if (lb_fit_errs_alike(fit)) {
    lb_job_figure(j, "note",
                  "the residual is no noise, %.0f neighbouring samples err alike: the scene misses "
                  "something, or the camera smooths; the intervals are widened for it",
                  fit->correlation);
  }
}

static void release(lb_job* j) {
  const fit_job* own = j->own;
  lb_fit_release(own->fit);
  lb_markers_release(own->markers);
}

const lb_job_type lb_job_fit = {.name = "fit",
                                .size = sizeof(fit_job),
                                .load = load,
                                .run = run,
                                .report = report,
                                .release = release,
                                .reduced = true};
