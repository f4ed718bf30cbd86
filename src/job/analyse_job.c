// From markers and measured forces to muscles: inverse kinematics, inverse dynamics, static
// optimisation, joint loads.
#include <math.h>
#include <string.h>

#include "job/job_text.h"
#include "job/motion_job.h"
#include "limber/ik.h"
#include "model/use/coordinate_name.h"
#include "output/report/analysis_peaks.h"

enum {
  LEAST = 7,  // samples, for rates of sixth order
  MOMENTS = 3 // that are told
};
static const double MISSING = 0.2;  // part of the weight that should have been measured
static const double CALM = 0.9;     // part of that, below which a time is good
static const double REACH = 3;      // periods of the cut-off that the filter sees beyond an end
static const double CUTOFF = 6;     // of the motion, where none is asked for [Hz]
static const double TOUCHES = 20;   // force under a foot that stands [N]
static const double SHORTEST = 0.2; // cycle [s]

typedef struct analyse_job {
  lb_motion_job along; // first: shared with other jobs along a motion
  lb_markers* markers;
  lb_ik* ik;
} analyse_job;

// --- loading ---

static lb_status load(lb_job* j, lb_error* err) {
  analyse_job* own = j->own;
  j->scene.record.reactions = true; // fixed joints are links then
  lb_status status = lb_job_need_table(j, "markers", err);
  status = status == LB_OK ? lb_job_scale(j, err) : status;
  status = status == LB_OK ? lb_job_read_tasks(j, err) : status;
  status = status == LB_OK ? lb_job_make_model(j, err) : status;
  if (status != LB_OK) {
    return status;
  }
  status = lb_job_read_markers(j, j->o.table, false, &own->markers, err);
  if (j->o.forces) {
    const lb_status one =
        lb_outer_forces_read(j->o.forces, j->model, j->arena.allocator, &own->along.forces, err);
    status = status == LB_OK ? one : status;
  }
  // with what the filter needs beyond the ends: results inside are as of the whole motion
  j->o.cutoff = isnan(j->o.cutoff) ? CUTOFF : j->o.cutoff;
  return status == LB_OK ? lb_job_trim(j, own->markers, REACH / j->o.cutoff, LEAST, err) : status;
}

// --- running ---

static double size_at(const lb_scene_external* e, int i) {
  const double* f = e->value + 9 * (size_t)i;
  return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
}

// From one time that a foot comes down to the next, inside the motion; false: there are no two.
static bool find_cycle(const lb_scene_external* e, double from, double to, double cycle[2]) {
  int count = 0;
  for (int i = 1; i < e->nsample && count < 2; i++) {
    const double t = e->time[i];
    const bool down = size_at(e, i - 1) < TOUCHES && size_at(e, i) >= TOUCHES;
    if (down && t >= from && t <= to && (count == 0 || t - cycle[0] > SHORTEST)) {
      cycle[count++] = t;
    }
  }
  return count == 2;
}

static void note_cycle(lb_analysis* a, const lb_outer_forces* F) {
  for (int i = 0; F && i < F->count; i++) {
    double cycle[2];
    if (find_cycle(&F->item[i], a->time[0], a->time[a->nframe - 1], cycle)) {
      memcpy(a->cycle, cycle, sizeof cycle);
      return;
    }
  }
}

// Poses beyond the ends have done what they were for.
static void leave_ends(lb_job* j) {
  analyse_job* own = j->own;
  lb_ik* ik = own->ik;
  const double* before = own->markers->time;
  if (lb_job_trim(j, own->markers, 0, 1, NULL) != LB_OK) {
    return;
  }
  const size_t first = (size_t)(own->markers->time - before), n = (size_t)own->markers->nmarker;
  ik->motion.time = own->markers->time;
  ik->motion.q += first * (size_t)j->model->nq;
  ik->motion.qd += first * (size_t)j->model->nv;
  ik->motion.qdd += first * (size_t)j->model->nv;
  ik->placed += 3 * first * n;
  ik->rms += first;
  ik->worst_sample -= (int)first;
  ik->jump_sample -= (int)first;
  ik->nsample = ik->motion.nsample = own->markers->nsample;
}

static lb_status run(lb_job* j, lb_error* err) {
  analyse_job* own = j->own;
  lb_ik_options o = lb_ik_default();
  o.progress = lb_job_progress(j);
  o.begin = j->o.begin;
  o.end = j->o.end;
  lb_status status =
      lb_inverse_kinematics(j->model, own->markers, &o, j->arena.allocator, &own->ik, err);
  if (status != LB_OK) {
    return status;
  }
  own->along.motion = &own->ik->motion;
  const int parts = j->model->muscle.count ? LB_ANALYSE_STATIC : 0;
  status = lb_motion_job_run(j, parts, err);
  own->along.motion = NULL;
  leave_ends(j);
  j->summary.ik = own->ik;
  if (j->kept) {
    note_cycle(own->along.analysis, own->along.forces);
  }
  return status;
}

// --- the report ---

static void tell_moments(lb_job* j, const lb_analysis* a) {
  static const char* const WORD[MOMENTS] = {"moments", "", ""};
  lb_analysis_peak peak[MOMENTS];
  char name[LB_COORDINATE_NAME];
  const int n = lb_moment_peaks(a, MOMENTS, peak);
  for (int i = 0; i < n; i++) {
    lb_job_figure(j, WORD[i], "up to %.4g N m about '%s', t = %.4g s", fabs(peak[i].value),
                  lb_coordinate_name(j->model, peak[i].at, name), peak[i].time);
  }
}

static void tell_load(lb_job* j, const lb_analysis* a) {
  const lb_analysis_peak p = lb_load_peak(j->recording, a);
  const double weight = lb_body_weight(j->model);
  if (p.at >= 0 && weight > 0) {
    lb_job_figure(j, "load", "up to %.4g N (%.3g body weights) at joint '%s', t = %.4g s", p.value,
                  p.value / weight, j->model->joint.name[p.at], p.time);
  } else if (p.at >= 0) {
    lb_job_figure(j, "load", "up to %.4g N at joint '%s', t = %.4g s", p.value,
                  j->model->joint.name[p.at], p.time);
  }
}

// Forces that hold up what floats come from the ground, and should have been measured.
static void warn_root(lb_job* j, const lb_analysis* a) {
  char name[LB_COORDINATE_NAME];
  double below[2];
  const double weight = lb_body_weight(j->model);
  const lb_analysis_peak p = lb_root_peak(a, CALM * MISSING * weight, below);
  if (p.at < 0 || !(fabs(p.value) > MISSING * weight)) {
    return;
  }
  lb_coordinate_name(j->model, p.at, name);
  if (below[1] > below[0]) {
    lb_job_warn(j,
                "%.4g N are missing at '%s', t = %.4g s: a foot probably stands where nothing was "
                "measured (leave that time out, as with --begin %.6g --end %.6g)",
                fabs(p.value), name, p.time, below[0], below[1]);
  } else {
    lb_job_warn(j,
                "%.4g N are missing at '%s', t = %.4g s: a foot probably stands where nothing was "
                "measured (leave such times out by --begin and --end)",
                fabs(p.value), name, p.time);
  }
}

static void report(lb_job* j) {
  const analyse_job* own = j->own;
  lb_motion_job_warn(j);
  if (!j->kept) {
    return;
  }
  const lb_ik* ik = own->ik;
  lb_job_title(j, j->model->name, "a motion of %.3g s, from %s at %d moments to %s",
               ik->markers->time[ik->nsample - 1] - ik->markers->time[0],
               lb_text_count(ik->markers->nmarker, "marker").text, ik->nsample,
               lb_text_count(j->model->muscle.count, "muscle").text);
  lb_job_tell_poses(j, ik);
  tell_moments(j, own->along.analysis);
  tell_load(j, own->along.analysis);
  lb_motion_job_gaps(j);
  if (own->along.analysis->tension) {
    lb_motion_job_effort(j, own->along.analysis);
  }
  if (!own->along.forces && j->model->force.nexternal == 0) {
    lb_job_warn(j, "no forces were given: what the ground exerts is missing in the moments");
  } else {
    warn_root(j, own->along.analysis);
  }
}

static void release(lb_job* j) {
  analyse_job* own = j->own;
  lb_motion_job_release(j);
  lb_ik_release(own->ik);
  lb_markers_release(own->markers);
}

const lb_job_type lb_job_analyse = {.name = "analyse",
                                    .size = sizeof(analyse_job),
                                    .load = load,
                                    .run = run,
                                    .report = report,
                                    .release = release,
                                    .reduced = true};
