// Collocation: a motion that is followed, or found.
#include "limber/collocate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "design/inverse/inverse_dynamics.h"
#include "job/job_inside.h"
#include "job/job_text.h"
#include "limber/follow.h"
#include "limber/ik.h"
#include "scene/table/number_table.h"

typedef struct track_job {
  lb_joint_motion* motion; // or NULL
  lb_markers* markers;     // or NULL
  lb_ik* ik;               // of these
  lb_outer_forces* forces; // or NULL
  lb_collocation* c;
} track_job;

// --- loading ---

// A scene that says nothing has reserves on all coordinates. Where it has muscles, these are dear.
static void choose_defaults(lb_job* j) {
  lb_scene_collocate* set = &j->scene.collocate;
  if (set->place.line > 0) {
    return;
  }
  set->reserve = 1e5;
  set->effort.reserves = j->scene.nmuscle > 0 ? 1 : 1e-2;
  set->effort.motors = 1e-2;
  set->effort.muscles = 100;
}

// Markers are told by their form, or by the scene's names: NAME.x.
static bool has_markers(lb_job* j) {
  enum { START = 1 << 16 };
  char* text = LB_TAKE(&j->arena, char, START);
  FILE* f = text ? fopen(j->o.table, "rb") : NULL;
  const size_t size = f ? fread(text, 1, START - 1, f) : 0;
  if (f) {
    fclose(f);
  }
  bool any = size > 0 && lb_table_kind_of(text, size) == LB_TABLE_MARKERS;
  for (int i = 0; i < j->scene.nmarker && size > 0; i++) {
    char column[200];
    snprintf(column, sizeof column, "%s.x", j->scene.marker[i].name);
    any |= strstr(text, column) != NULL;
  }
  return any;
}

// Poses by inverse kinematics are where the search begins.
static lb_status read_markers(lb_job* j, lb_error* err) {
  track_job* own = j->own;
  lb_status status = lb_job_read_markers(j, j->o.table, false, &own->markers, err);
  if (status != LB_OK) {
    return status;
  }
  const lb_ik_options o = lb_ik_default();
  status = lb_inverse_kinematics(j->model, own->markers, &o, j->arena.allocator, &own->ik, err);
  return status;
}

// Searches of many muscles take long: most need some tens of iterations.
static void warn_of_time(lb_job* j) {
  static const double LONG = 1; // [s] of an iteration
  const double pace = lb_collocation_pace(((track_job*)j->own)->c);
  if (pace > LONG) {
    lb_job_warn(j,
                "an iteration will take about %s, and a search some tens of them, with elastic "
                "tendons a hundred and more (--stepwise is faster; so are --stiff, 'instant: true' "
                "and fewer 'intervals')",
                lb_text_duration(pace).text);
  }
}

static lb_status make(lb_job* j, lb_error* err) {
  track_job* own = j->own;
  lb_collocate_inputs in = lb_collocate_default();
  in.motion = own->ik ? &own->ik->motion : own->motion;
  in.markers = own->markers;
  in.cutoff = j->o.cutoff;
  in.opensim = j->o.filter && strcmp(j->o.filter, "opensim") == 0;
  in.from = isfinite(j->o.begin) ? j->o.begin : in.from;
  in.to = isfinite(j->o.end) ? j->o.end : in.to;
  in.threads = j->o.threads;
  in.progress = lb_job_progress(j);
  const lb_status status =
      lb_collocation_create(j->model, &j->scene, &in, j->arena.allocator, &own->c, err);
  if (status == LB_OK) {
    warn_of_time(j);
  }
  return status;
}

// Begin where an earlier search ended.
static lb_status resume(lb_job* j, lb_error* err) {
  const track_job* own = j->own;
  const char* path = lb_job_path(j, j->o.out ? j->o.out : ".", "solution.csv");
  if (!path) {
    return lb_job_no_memory(err);
  }
  if (access(path, R_OK) != 0) {
    lb_job_warn(j, "there is no search to go on with in %s: it begins anew", lb_job_place(j));
    return LB_OK;
  }
  return lb_collocation_resume(own->c, path, err);
}

static lb_status load(lb_job* j, lb_error* err) {
  track_job* own = j->own;
  choose_defaults(j);
  for (int i = 0; i < j->scene.nmuscle && j->o.stiff; i++) {
    j->scene.muscle[i].hill.elastic = false;
  }
  lb_status status = lb_job_make_model(j, err);
  if (status == LB_OK && j->o.forces) {
    status = lb_job_take_forces(j, 0, &own->forces, err);
  }
  if (status == LB_OK && j->o.table && !j->o.stepwise && has_markers(j)) {
    status = read_markers(j, err);
  } else if (status == LB_OK && j->o.table) {
    status = lb_joint_motion_read(j->o.table, j->model, j->arena.allocator, &own->motion, err);
  }
  if (status == LB_OK && !j->o.table && j->scene.collocate.place.line == 0) {
    return lb_error_add(err, LB_INVALID, (lb_place){j->scene.file, 0, 0},
                        "there is nothing to follow or to find: name a table with a motion, or "
                        "give the scene a section 'collocate'");
  }
  if (status == LB_OK && j->o.stepwise) {
    return own->motion ? LB_OK
                       : lb_error_add(err, LB_INVALID, (lb_place){j->scene.file, 0, 0},
                                      "--stepwise follows a motion: name a table with one");
  }
  status = status == LB_OK ? make(j, err) : status;
  return status == LB_OK && j->o.resume ? resume(j, err) : status;
}

// --- running ---

// Step by step, in a simulation.
static lb_status follow(lb_job* j, lb_error* err) {
  track_job* own = j->own;
  lb_follow_options o = lb_follow_default();
  o.price = j->scene.collocate.effort.reserves;
  o.cutoff = j->o.cutoff;
  o.opensim = j->o.filter && strcmp(j->o.filter, "opensim") == 0;
  o.step = isfinite(j->o.step) ? j->o.step : o.step;
  o.from = isfinite(j->o.begin) ? j->o.begin : o.from;
  o.to = isfinite(j->o.end) ? j->o.end : o.to;
  o.progress = lb_job_progress(j);
  lb_status status = lb_job_record(j, j->model, &j->recording, err);
  status = status == LB_OK ? lb_follow_motion(j->model, own->motion, &o, j->recording, &own->c, err)
                           : status;
  j->kept = own->c && j->recording->nframe > 0;
  j->summary.collocation = own->c;
  return status;
}

static lb_status run(lb_job* j, lb_error* err) {
  const track_job* own = j->own;
  if (j->o.stepwise) {
    return follow(j, err);
  }
  const lb_status outcome = lb_collocation_solve(own->c, err);
  if (outcome != LB_OK && outcome != LB_INTERRUPTED) {
    return outcome;
  }
  j->summary.collocation = own->c;
  lb_status status = lb_job_record(j, j->model, &j->recording, err);
  status = status == LB_OK ? lb_collocation_record(own->c, j->recording, err) : status;
  j->kept = status == LB_OK;
  const bool bad = own->c->end == LB_COLLOCATE_INFEASIBLE || own->c->end == LB_COLLOCATE_FAILED;
  if (status == LB_OK && outcome == LB_OK && bad) {
    return lb_error_add(err, LB_FAILED, j->scene.collocate.place,
                        "no motion was found: %s; equations are off by up to %.2g (let limits be "
                        "wider, give 'reserves', more 'intervals', or another start)",
                        lb_collocate_end_name(own->c->end), own->c->residual);
  }
  return status == LB_OK ? outcome : status;
}

// --- the report ---

// Reserves that do something, the largest first.
static void add_reserves(lb_job* j, const lb_collocation* c) {
  enum { SHOWN = 8 };
  static const double LITTLE = 1e-3; // of the largest
  double most = 0, below = INFINITY;
  int which = -1;
  for (int k = 0; k < SHOWN; k++, below = most) {
    most = 0;
    for (int i = 0; i < c->ncontrol; i++) {
      const double peak = fabs(lb_collocation_use(c, i).peak);
      if (c->control[i].kind == LB_CONTROL_RESERVE && peak < below && peak > most) {
        most = peak;
        which = i;
      }
    }
    if (most <= 0 || (k > 0 && most < LITTLE * below)) {
      return;
    }
    const lb_control_use u = lb_collocation_use(c, which);
    lb_job_figure(j, "reserve", "'%s' %.4g N m or N at t = %.4g s, %.3g rms",
                  c->control[which].name, u.peak, u.time, u.rms);
  }
}

static void report(lb_job* j) {
  const track_job* own = j->own;
  const lb_collocation* c = own->c;
  lb_job_warn_of_tables(j, own->motion, own->forces);
  if (!j->kept) {
    return;
  }
  lb_job_title(j, j->model->name,
               c->work ? "%.4g s of motion at %d moments; %d iterations in %s"
                       : "%.4g s of motion, followed in %d steps with %d programs in %s",
               c->duration, c->nnode, c->iterations,
               lb_text_duration(j->summary.wall_seconds).text);
  if (c->before > 0) {
    lb_job_figure(j, "before", "%d iterations of easier searches, for a motion to begin at",
                  c->before);
  }
  if (c->work) {
    lb_job_figure(j, "objective", "%.6g, of which effort %.6g", c->objective, c->effort);
  }
  if (c->q_ref) {
    lb_job_figure(j, "off", "%.3g rad or m (rms) from the %s", c->rms,
                  own->markers ? "poses that come nearest to the markers"
                               : "motion that was followed");
  }
  if (c->work) {
    lb_job_figure(j, "equations", "%d for %d numbers, off by %.2g at most", c->equations,
                  c->variables, c->residual);
  }
  if (c->unsettled) {
    lb_job_warn(j,
                "activations did not settle in %d of %d programs: forces there are not those of "
                "least effort",
                c->unsettled, c->iterations);
  }
  add_reserves(j, c);
  lb_job_figure(j, "stopped", "%s%s", lb_collocate_end_name(c->end),
                c->end == LB_COLLOCATE_LIMIT ? ": --resume goes on" : "");
  if (j->outcome == LB_INTERRUPTED) {
    lb_job_add_stopped(j, c->iterations);
  }
}

static void release(lb_job* j) {
  const track_job* own = j->own;
  lb_collocation_release(own->c);
  lb_joint_motion_release(own->motion);
  lb_ik_release(own->ik);
  lb_markers_release(own->markers);
  lb_outer_forces_release(own->forces);
}

const lb_job_type lb_job_track = {.name = "track",
                                  .size = sizeof(track_job),
                                  .load = load,
                                  .run = run,
                                  .report = report,
                                  .release = release};
