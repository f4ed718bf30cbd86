// Reduction of elastic bodies, from a run with all their nodes.
#include "limber/reduce.h"

#include <math.h>
#include <stdio.h>

#include "job/job_inside.h"
#include "job/job_text.h"
#include "solve/full/full_run.h"

typedef struct reduce_job {
  lb_reduction* reduction;
  lb_error* err;    // of the run
  lb_status status; // of writing the full run
  double until;     // time that is kept of it [s]
} reduce_job;

static lb_status load(lb_job* j, lb_error* err) {
  (void)j;
  (void)err; // the models are made by the reduction
  return LB_OK;
}

// The full run may have taken hours.
static void keep(void* context, const lb_full_run* run) {
  lb_job* j = context;
  reduce_job* own = j->own;
  own->status = lb_full_run_write(run, j->o.out, j->arena.allocator, own->err);
  own->until = own->status == LB_OK ? run->time[run->nframe - 1] : 0;
}

// A number of modes alone is just that; an accuracy alone takes as many as it needs.
static lb_reduce_options options_of(lb_job* j) {
  lb_reduce_options o = lb_reduce_default();
  o.missed = !isnan(j->o.missed) ? j->o.missed : j->o.modes ? 0 : o.missed;
  o.modes = j->o.modes ? j->o.modes : o.modes;
  o.attachments = j->o.attachments;
  o.frames = j->o.frames;
  o.duration = j->o.duration;
  o.step = j->o.step;
  o.threads = j->o.threads;
  o.from = j->o.from;
  o.progress = lb_job_progress(j);
  o.ran = j->o.keep && j->o.out ? keep : NULL;
  o.context = j;
  return o;
}

static lb_status run(lb_job* j, lb_error* err) {
  reduce_job* own = j->own;
  const lb_reduce_options o = options_of(j);
  own->err = err;
  const lb_status status = lb_reduce(&j->scene, &o, j->arena.allocator, &own->reduction, err);
  j->kept = status == LB_OK;
  return status == LB_OK ? own->status : status;
}

static lb_status write(lb_job* j, lb_error* err) {
  return lb_reduction_write(((reduce_job*)j->own)->reduction, j->o.out, err);
}

// --- the report ---

static void add_body(lb_job* j, const lb_reduce_body* b) {
  char others[400] = "";
  int n = 0;
  for (int k = 1; k < b->nbody && n < (int)sizeof others; k++) {
    n += snprintf(others + n, sizeof others - (size_t)n, "%s%s", k > 1 ? ", " : "; also for ",
                  b->name[k]);
  }
  lb_job_row(j,
             "%s/%s.npz  %d of %d coordinates, %d points; %d snapshots, of which %.2g is outside "
             "its shapes (%.2g of motion not seen)%s",
             j->o.out ? j->o.out : ".", b->name[0], b->r, 3 * b->nodes, b->points, b->samples,
             b->missed, b->unseen, others);
}

static void add_replays(lb_job* j, const lb_reduction* r) {
  lb_job_row(j, "%-42s %11s %11s %11s %12s %9s", "", "coordinates", "face error", "rms", "bodies",
             "steps/s");
  if (r->full_seconds > 0) {
    lb_job_row(j, "%-42s %11d %47.0f", "all nodes", r->degrees, r->full_steps_per_second);
  }
  for (int i = 0; i < LB_REPLAY_COUNT; i++) {
    const lb_reduce_replay* p = &r->replay[i];
    if (p->failed) {
      lb_job_row(j, "%-42s it did not come to its end", p->name);
    } else {
      lb_job_row(j, "%-42s %11d %9.3g %% %9.3g %% %9.3g mm %9.0f", p->name, p->coordinates,
                 100 * p->face_error, 100 * p->face_rms, 1e3 * p->body_error, p->steps_per_second);
    }
  }
  lb_job_row(j, "Face errors are over the amplitude of the face's vibration; bodies: farthest from "
                "their place in the full run.");
}

static void report(lb_job* j) {
  const reduce_job* own = j->own;
  const lb_reduction* r = own->reduction;
  if (j->outcome != LB_OK) {
    if (own->until > 0) {
      lb_job_note(j, "The first %s of the full run are kept in %s; '--from %s' uses them.",
                  lb_text_duration(own->until).text, j->o.out, j->o.out);
    }
    return;
  }
  if (r->full_seconds > 0) {
    lb_job_title(j, r->scene, "a run with %d displacements took %s", r->degrees,
                 lb_text_duration(r->full_seconds).text);
  } else {
    lb_job_title(j, r->scene, "%d displacements, read", r->degrees);
  }
  for (int i = 0; i < r->nbody; i++) {
    add_body(j, &r->body[i]);
  }
  add_replays(j, r);
}

static void release(lb_job* j) {
  lb_reduction_release(((reduce_job*)j->own)->reduction);
}

const lb_job_type lb_job_reduce = {.name = "reduce",
                                   .size = sizeof(reduce_job),
                                   .load = load,
                                   .run = run,
                                   .write = write,
                                   .report = report,
                                   .release = release};
