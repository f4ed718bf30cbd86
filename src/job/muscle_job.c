// What muscles do along a motion: lengths, static optimisation, inertia.
#include <math.h>

#include "job/job_text.h"
#include "job/motion_job.h"
#include "model/use/coordinate_name.h"
#include "output/file/writers.h"
#include "output/report/analysis_peaks.h"

static lb_status load(lb_job* j, lb_error* err) {
  const lb_status status = lb_motion_job_load(j, err);
  return status == LB_OK && j->model->muscle.count == 0
             ? lb_error_add(err, LB_INVALID, (lb_place){j->scene.file, 0, 0},
                            "'%s' has no muscles (see docs/muscle.md)", j->model->name)
             : status;
}

// --- lengths ---

static lb_status load_lengths(lb_job* j, lb_error* err) {
  ((lb_motion_job*)j->own)->unloaded = true;
  return load(j, err);
}

static lb_status run_lengths(lb_job* j, lb_error* err) {
  return lb_motion_job_run(j, 0, err);
}

static void report_lengths(lb_job* j) {
  const lb_motion_job* own = j->own;
  lb_motion_job_warn(j);
  if (j->kept) {
    lb_job_title(j, j->model->name, "lengths and arms of %s at %s",
                 lb_text_count(j->model->muscle.count, "muscle").text,
                 lb_text_count(own->analysis->nframe, "moment").text);
  }
}

// --- static optimisation ---

static lb_status run_static(lb_job* j, lb_error* err) {
  return lb_motion_job_run(j, LB_ANALYSE_STATIC, err);
}

// Muscle with the largest tension, and its frame.
static int strongest(const lb_analysis* a, int* frame) {
  const int n = a->model->muscle.count;
  int best = -1;
  double most = -1;
  for (int i = 0; i < a->nframe * n; i++) {
    if (a->tension[i] > most) {
      most = a->tension[i];
      best = i % n;
      *frame = i / n;
    }
  }
  return best;
}

static void add_reserve(lb_job* j, const lb_analysis* a, const char* name, bool reached) {
  char coordinate[LB_COORDINATE_NAME];
  const lb_analysis_peak p = lb_reserve_peak(a, reached);
  if (p.at >= 0) {
    lb_job_figure(j, name, "%.4g %s at '%s', t = %.4g s%s", p.value,
                  a->model->dof.counts[p.at] == LB_COORDINATE_ANGLE ? "N m" : "N",
                  lb_coordinate_name(a->model, p.at, coordinate), p.time,
                  reached ? "" : ", where no muscle pulls");
  }
}

void lb_motion_job_effort(lb_job* j, const lb_analysis* a) {
  const int n = a->model->muscle.count;
  int frame = 0;
  const int strong = strongest(a, &frame);
  if (strong >= 0) {
    lb_job_figure(j, "strongest", "%.4g N, muscle '%s', t = %.4g s", a->tension[frame * n + strong],
                  a->model->muscle.item[strong].name, a->time[frame]);
  }
  int full = 0;
  for (size_t i = 0; i < (size_t)a->nframe * (size_t)n; i++) {
    full += a->activation[i] > 1 - 1e-9;
  }
  if (full) {
    lb_job_figure(j, "full", "%.3g %% of all activations are at 1",
                  100.0 * full / ((double)a->nframe * n));
  }
  if (a->unsettled) {
    lb_job_warn(j, "activations did not settle at %d of %d moments", a->unsettled, a->nframe);
  }
  add_reserve(j, a, "reserve", true);
  add_reserve(j, a, "others", false);
}

static void report_static(lb_job* j) {
  const lb_motion_job* own = j->own;
  lb_motion_job_warn(j);
  if (j->kept) {
    lb_job_title(j, j->model->name, "activations of %s at %s",
                 lb_text_count(j->model->muscle.count, "muscle").text,
                 lb_text_count(own->analysis->nframe, "moment").text);
    lb_motion_job_effort(j, own->analysis);
  }
}

// --- inertia ---

static const double SMALL = 0.01; // part of an inertia that does not matter

static lb_status load_inertia(lb_job* j, lb_error* err) {
  lb_motion_job* own = j->own;
  own->weigh = own->unloaded = true;
  const lb_status status = load(j, err);
  double mass = 0;
  for (int i = 0; status == LB_OK && i < j->scene.nmuscle; i++) {
    mass += j->scene.muscle[i].mass.amount;
  }
  return status == LB_OK && mass == 0
             ? lb_error_add(err, LB_INVALID, (lb_place){j->scene.file, 0, 0},
                            "no muscle of '%s' has mass (give them `mass`, as by --set "
                            "muscles.%s.mass.amount=0.3kg, or of a model of OpenSim's "
                            "`opensim: {inertia: ...}`)",
                            j->model->name, j->scene.muscle[0].name)
             : status;
}

static lb_status run_inertia(lb_job* j, lb_error* err) {
  return lb_motion_job_run(j, LB_ANALYSE_INERTIA, err);
}

// Largest part of a muscle over frames and coordinates.
static double largest_part(const lb_analysis* a, int muscle, int* at) {
  double most = 0;
  for (int v = 0; v < a->model->nv; v++) {
    const double part = lb_inertia_part(a, muscle, v);
    if (part > most) {
      most = part;
      *at = v;
    }
  }
  return most;
}

void lb_motion_job_inertia(lb_job* j, const lb_analysis* a) {
  const int n = a->model->muscle.count;
  char name[LB_COORDINATE_NAME];
  bool* needed = lb_allocate(j->arena.allocator, (size_t)n * sizeof *needed);
  if (!needed) {
    return;
  }
  const int count = lb_analysis_needed(a, SMALL, needed);
  lb_job_figure(j, "needed", "%d of %s: without the others no inertia changes by 1 %%", count,
                lb_text_count(n, "muscle").text);
  for (int i = 0; i < n; i++) {
    int v = 0;
    const double part = largest_part(a, i, &v);
    if (part > 0) {
      lb_job_row(j, "%-24s %6.2f %% of the inertia at %s%s", a->model->muscle.item[i].name,
                 100 * part, lb_coordinate_name(a->model, v, name), needed[i] ? "  (needed)" : "");
    }
  }
  lb_release(j->arena.allocator, needed);
}

static void tell_masses(lb_job* j, const lb_muscle_masses* m) {
  const lb_muscle_volume how = lb_muscle_volume_default();
  if (m->count == 0) {
    return;
  }
  lb_job_figure(j, "masses",
                "by volume, force / %g MPa x fibre x %g kg/m^3: %s weigh%s %.4g kg, taken from "
                "bodies",
                1e-6 * how.tension, how.density, lb_text_count(m->count, "muscle").text,
                m->count == 1 ? "s" : "", m->mass);
  if (m->bound >= 0) {
    lb_job_warn(j, "muscles of '%s' would be more than 80 %% of it: theirs are %.3g times as heavy",
                j->scene.body[m->bound].name, m->scale);
  }
  if (m->smoothed > 0) {
    lb_job_figure(j, "points",
                  "conditional ones of %s come in over %.3g deg, or 1 mm of what slides",
                  lb_text_count(m->smoothed, "muscle").text, how.over * 180 / M_PI);
  }
  if (m->left > 0) {
    lb_job_warn(j,
                "%s without mass, as '%.64s': a conditional point is next to a wrap (put a point "
                "that always counts between them)",
                lb_text_count(m->left, "muscle").text, j->scene.muscle[m->barred].name);
  }
}

static void report_inertia(lb_job* j) {
  const lb_motion_job* own = j->own;
  lb_motion_job_warn(j);
  if (j->kept) {
    lb_job_title(j, j->model->name, "inertia of %s at %s",
                 lb_text_count(j->model->muscle.count, "muscle").text,
                 lb_text_count(own->analysis->nframe, "moment").text);
    tell_masses(j, &own->masses);
    lb_motion_job_inertia(j, own->analysis);
  }
}

#define MUSCLE_JOB(word, loads, runs, reports)                                                     \
  {                                                                                                \
    .name = "muscle " word, .size = sizeof(lb_motion_job), .load = loads, .run = runs,             \
    .report = reports, .release = lb_motion_job_release, .reduced = true                           \
  }
const lb_job_type lb_job_muscle_lengths =
    MUSCLE_JOB("lengths", load_lengths, run_lengths, report_lengths);
const lb_job_type lb_job_muscle_static = MUSCLE_JOB("static", load, run_static, report_static);
const lb_job_type lb_job_muscle_report =
    MUSCLE_JOB("report", load_inertia, run_inertia, report_inertia);
