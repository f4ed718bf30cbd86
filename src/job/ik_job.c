// Inverse kinematics of measured markers.
#include "limber/ik.h"

#include <limits.h>
#include <math.h>

#include "job/job_inside.h"
#include "model/use/coordinate_name.h"

typedef struct ik_job {
  lb_markers* markers;
  lb_ik* ik;
} ik_job;

static lb_status load(lb_job* j, lb_error* err) {
  ik_job* own = j->own;
  lb_status status = lb_job_need_table(j, "markers", err);
  status = status == LB_OK ? lb_job_scale(j, err) : status;
  status = status == LB_OK ? lb_job_read_tasks(j, err) : status;
  if (status != LB_OK) {
    return status;
  }
  status = lb_job_make_model(j, err);
  const lb_status one = lb_job_read_markers(j, j->o.table, false, &own->markers, err);
  status = status == LB_OK ? one : status;
  return status == LB_OK ? lb_job_trim(j, own->markers, 0, 1, err) : status;
}

static lb_status run(lb_job* j, lb_error* err) {
  ik_job* own = j->own;
  lb_ik_options o = lb_ik_default();
  o.progress = lb_job_progress(j);
  lb_status status =
      lb_inverse_kinematics(j->model, own->markers, &o, j->arena.allocator, &own->ik, err);
  if (!own->ik) {
    return status;
  }
  j->summary.ik = own->ik;
  lb_status one = lb_job_record(j, j->model, &j->recording, err);
  one = one == LB_OK ? lb_ik_record(own->ik, j->recording, err) : one;
  j->kept = one == LB_OK;
  return one == LB_OK ? status : one;
}

// The coordinate that is longest at a limit, of those that are there for less than `below` samples,
// or for as long and come after `last`; -1: there is none.
static int next_at_limit(const lb_ik* ik, int below, int last) {
  int best = -1;
  for (int v = 0; v < ik->model->nv; v++) {
    const int n = ik->at_limit[v];
    const bool left = n > 0 && (n < below || (n == below && v > last));
    best = left && (best < 0 || n > ik->at_limit[best]) ? v : best;
  }
  return best;
}

// Which coordinates were at a limit and for how long, the longest first.
static void tell_limits(lb_job* j, const lb_ik* ik) {
  enum { SHOWN = 5 };
  char name[LB_COORDINATE_NAME];
  const lb_markers* m = ik->markers;
  const double every =
      ik->nsample > 1 ? (m->time[ik->nsample - 1] - m->time[0]) / (ik->nsample - 1) : (double)NAN;
  int all = 0;
  for (int v = 0; v < ik->model->nv; v++) {
    all += ik->at_limit[v] > 0;
  }
  int v = next_at_limit(ik, INT_MAX, -1);
  for (int k = 0; k < SHOWN && v >= 0; k++, v = next_at_limit(ik, ik->at_limit[v], v)) {
    const int n = ik->at_limit[v];
    lb_coordinate_name(ik->model, v, name);
    if (isfinite(every)) {
      lb_job_figure(j, k ? "" : "limits", "'%s' was at its limit for %.3g s, %d of %d samples",
                    name, n * every, n, ik->nsample);
    } else {
      lb_job_figure(j, k ? "" : "limits", "'%s' was at its limit", name);
    }
  }
  if (all > SHOWN) {
    lb_job_figure(j, "", "and so were %d others, for no longer", all - SHOWN);
  }
}

static void warn_poses(lb_job* j, const lb_ik* ik) {
  if (ik->blind > 0) {
    lb_job_warn(j, "%d of %d samples show no marker: the pose before is kept there", ik->blind,
                ik->nsample);
  }
  if (ik->unfinished > 0) {
    lb_job_warn(j, "the poses of %d of %d samples were still getting nearer when the search ended",
                ik->unfinished, ik->nsample);
  }
  if (ik->jump >= 0) {
    char name[LB_COORDINATE_NAME];
    lb_job_warn(j,
                "'%s' jumps by more than a quarter turn at t = %.4g s: its markers there may be "
                "too few, swapped or too far apart in time, and rates and moments are wrong",
                lb_coordinate_name(j->model, ik->jump, name), ik->markers->time[ik->jump_sample]);
  }
}

void lb_job_tell_poses(lb_job* j, const lb_ik* ik) {
  lb_job_figure(j, "markers", "off by %.3g mm (rms), at most %.3g mm: '%s' at t = %.4g s",
                1e3 * ik->total, 1e3 * ik->worst, ik->markers->marker[ik->worst_marker].name,
                ik->markers->time[ik->worst_sample]);
  tell_limits(j, ik);
  warn_poses(j, ik);
}

static void report(lb_job* j) {
  const ik_job* own = j->own;
  const lb_ik* ik = own->ik;
  if (!j->kept) {
    return;
  }
  lb_job_title(j, j->model->name, "poses at %d moments by %d markers", ik->nsample,
               ik->markers->nmarker);
  lb_job_tell_poses(j, ik);
  if (j->model->constraint.count) {
    lb_job_figure(j, "gaps", "up to %.2g (m or rad) in loops and constraints", ik->gap);
  }
  if (j->outcome != LB_OK) {
    lb_job_add_rest(j);
  }
}

static void release(lb_job* j) {
  const ik_job* own = j->own;
  lb_ik_release(own->ik);
  lb_markers_release(own->markers);
}

const lb_job_type lb_job_ik = {.name = "ik",
                               .size = sizeof(ik_job),
                               .load = load,
                               .run = run,
                               .report = report,
                               .release = release,
                               .reduced = true};
