// Mechanisms reduced to their effectors.
#include "limber/fork.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "job/job_inside.h"

typedef struct fork_job {
  lb_model** model;    // [nfork] of each mechanism by itself; the first is the job's
  lb_scene_fork* what; // [nfork]
  lb_fork** fork;      // of all forks of the scene, and all their models
  lb_fork_result result;
  lb_recording* whole;
  int times, nplace, capacity; // room for times; places that were seen, and room for them
  double *time, *place;        // of what was seen
  lb_fork_map** map;
} fork_job;

static int models_of(const lb_scene_fork* what) {
  return what->nmodel > 0 ? what->nmodel : 1;
}

static lb_status load(lb_job* j, lb_error* err) {
  fork_job* own = j->own;
  int count = 0;
  if (j->scene.nfork == 0) {
    return lb_error_add(err, LB_INVALID, (lb_place){.file = j->scene.file},
                        "the scene names no mechanism to reduce (add 'fork: {NAME: {effectors: "
                        "[BODY]}}')");
  }
  for (int i = 0; i < j->scene.nfork; i++) {
    count += models_of(&j->scene.fork[i]) + j->scene.fork[i].grow.most;
  }
  own->fork = LB_TAKE(&j->arena, lb_fork*, count);
  own->what = LB_TAKE(&j->arena, lb_scene_fork, j->scene.nfork);
  own->model = LB_TAKE(&j->arena, lb_model*, j->scene.nfork);
  lb_status status = own->fork && own->what && own->model ? LB_OK : lb_job_no_memory(err);
  for (int i = 0; i < j->scene.nfork && status == LB_OK; i++) {
    status =
        lb_fork_alone_create(&j->scene, i, j->arena.allocator, &own->model[i], &own->what[i], err);
  }
  j->model = own->model ? own->model[0] : NULL;
  return status == LB_OK || status == LB_NO_MEMORY || status == LB_INTERRUPTED ? status
                                                                               : LB_INVALID;
}

static lb_status make(lb_job* j, int i, int number, lb_error* err) {
  fork_job* own = j->own;
  const lb_scene_fork* what = &own->what[i];
  const lb_progress progress = lb_job_progress(j);
  char text[120];
  lb_fork* f = NULL;
  snprintf(text, sizeof text, "reducing %.64s", what->name);
  if (!lb_progress_report(&progress, NAN, text)) {
    return lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
  }
  lb_status status = lb_fork_create(own->model[i], what, number, j->arena.allocator, &f, err);
  if (status == LB_OK) {
    own->fork[own->result.count++] = f;
  }
  return status;
}

// --- both motions ---

static bool keep(lb_job* j, double x) {
  fork_job* own = j->own;
  double* more = LB_GROW(&j->arena, own->place, own->nplace, &own->capacity);
  own->place = more ? more : own->place;
  if (more) {
    own->place[own->nplace++] = x;
  }
  return more;
}

static bool seen(void* context, double time, const lb_transform* reduced,
                 const lb_transform* whole) {
  lb_job* j = context;
  fork_job* own = j->own;
  double* more = LB_GROW(&j->arena, own->time, own->result.nframe, &own->times);
  bool ok = more;
  if (ok) {
    own->time = more;
    own->time[own->result.nframe++] = time;
  }
  for (int e = 0; e < own->fork[0]->neffector; e++) {
    const lb_vec3 p[] = {reduced[e].p, whole[e].p};
    for (int k = 0; k < 2; k++) {
      ok = ok && keep(j, p[k].x) && keep(j, p[k].y) && keep(j, p[k].z);
    }
  }
  return ok;
}

static lb_status simulate(lb_job* j, lb_error* err) {
  fork_job* own = j->own;
  const lb_simulate_options o = lb_job_runs(j);
  lb_status status = lb_job_record(j, j->model, &own->whole, err);
  const lb_fork_watch watch = {own->whole, j, seen};
  status = status == LB_OK ? lb_fork_simulate(own->fork, &own->result.count, &o, j->recording,
                                              &watch, &own->result.motion, err)
                           : status;
  own->result.whole = own->whole;
  own->result.time = own->time;
  own->result.place = own->place;
  return status;
}

// --- maps of errors ---

// Forces along a side of a map: equilibria of large mechanisms take their time.
static int side_for(const lb_fork* f) {
  return f->base > 0 ? 0 : f->nv <= 120 ? 11 : f->nv <= 300 ? 7 : f->nv <= 600 ? 5 : 0;
}

static lb_status map_effectors(lb_job* j, int first, int count, lb_error* err) {
  enum { MOST = 4 }; // of a mechanism
  fork_job* own = j->own;
  const lb_progress progress = lb_job_progress(j);
  const int side = side_for(own->fork[first]);
  lb_status status = LB_OK;
  for (int e = 0; side > 0 && e < own->fork[first]->neffector && e < MOST && status == LB_OK; e++) {
    if (!lb_progress_report(&progress, NAN, "a map of errors")) {
      return lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
    }
    lb_fork_map* map = NULL;
    status = lb_fork_map_create(own->fork + first, count, e, side, j->arena.allocator, &map, err);
    if (status == LB_OK) {
      own->map[own->result.nmap++] = map;
    }
  }
  return status;
}

static lb_status make_maps(lb_job* j, lb_error* err) {
  fork_job* own = j->own;
  const lb_fork_result* t = &own->result;
  int most = 0;
  for (int i = 0; i < t->count; i++) {
    most += own->fork[i]->neffector;
  }
  own->map = LB_TAKE(&j->arena, lb_fork_map*, most);
  own->result.map = own->map;
  lb_status status = own->map ? LB_OK : lb_job_no_memory(err);
  for (int i = 0; i < t->count && status == LB_OK;) {
    int next = i + 1;
    while (next < t->count && own->fork[next]->what == own->fork[i]->what) {
      next++;
    }
    status = map_effectors(j, i, next - i, err);
    i = next;
  }
  return status;
}

static lb_status run(lb_job* j, lb_error* err) {
  fork_job* own = j->own;
  own->result.fork = own->fork;
  lb_status status = lb_job_record(j, j->model, &j->recording, err);
  for (int i = 0; i < j->scene.nfork && status == LB_OK; i++) {
    for (int k = 0; k < models_of(&j->scene.fork[i]) && status == LB_OK; k++) {
      status = make(j, i, k, err);
    }
    if (i == 0 && status == LB_OK) { // models that are added follow those of the scene
      status = simulate(j, err);
    }
  }
  status = status == LB_OK ? make_maps(j, err) : status;
  j->summary.fork = &own->result;
  j->kept = status == LB_OK;
  return status;
}

static lb_status write(lb_job* j, lb_error* err) {
  const fork_job* own = j->own;
  lb_status first = lb_recording_write(j->recording, &j->summary, j->o.out, err);
  for (int i = 0; i < own->result.count; i++) {
    const lb_status status = lb_fork_write(own->fork[i], j->o.out, j->arena.allocator, err);
    first = first == LB_OK ? status : first;
  }
  return first;
}

// --- the report ---

static void add_effector(lb_job* j, const lb_fork* f, int e) {
  const lb_fork_axes a = lb_fork_principal(f, e, false);
  char stiff[3][40];
  for (int i = 0; i < 3; i++) {
    if (a.compliance[i] > 0) {
      snprintf(stiff[i], sizeof stiff[i], "%.4g N/m", 1 / a.compliance[i]);
    } else {
      snprintf(stiff[i], sizeof stiff[i], "rigid");
    }
  }
  lb_job_row(j, "  %-24s %14s %14s %14s  softest along (%.2f, %.2f, %.2f)",
             f->what->effector[e].name, stiff[0], stiff[1], stiff[2], a.axis[0].x, a.axis[0].y,
             a.axis[0].z);
}

static void add_model(lb_job* j, const lb_fork* f) {
  double* frequency = LB_TAKE(&j->arena, double, f->count);
  const bool known = frequency && lb_fork_frequencies(f, frequency, NULL) == LB_OK;
  char first[60] = "";
  if (known) {
    snprintf(first, sizeof first, ", first frequency %.4g Hz", frequency[f->base]);
  }
  lb_job_row(j, "%s, model %d: %d of %d coordinates%s", f->what->name, f->number + 1, f->count,
             f->nv, first);
  for (int e = 0; e < f->neffector; e++) {
    add_effector(j, f, e);
  }
  if (f->fell) {
    const bool listed = f->number < f->what->nmodel;
    lb_job_warn_at(j, listed ? f->what->model[f->number].place : f->what->place,
                   "fork '%s', model %d: the pose is past buckling, so that the mechanism leaves "
                   "it; the model is of the pose it comes to (lessen the load to reduce it before)",
                   f->what->name, f->number + 1);
  }
}

// Does a motor of the scene move in the time of the run?
static bool motors_move(const lb_job* j) {
  enum { TIMES = 16 };
  const lb_model* m = j->model;
  bool any = false;
  for (int i = 0; i < m->nmotor; i++) {
    double at[2][3] = {{0}, {0}};
    for (int k = 0; m->motor.profile[i] && k <= TIMES; k++) {
      lb_profile_evaluate(m->motor.profile[i], m->duration * k / TIMES, at[k > 0]);
      any |= k > 0 && at[1][0] != at[0][0];
    }
  }
  return any;
}

static void add_motion(lb_job* j, const lb_fork_motion* m) {
  const double each = m->seconds / (double)(m->steps ? m->steps : 1);
  static const double STILL = 1e-12; // [m] else nothing acts on them
  if (m->moved > STILL) {
    lb_job_figure(j, "motion",
                  "effectors go up to %.3g m; reduced, they are off by up to %.2g m (%.2g %%)",
                  m->moved, m->off, 100 * m->off / m->moved);
  }
  if (!isnan(m->estimate)) {
    lb_job_figure(j, "estimate", "effectors are up to %.2g %% of the mechanism's size off%s",
                  100 * m->estimate, m->grown ? ", before models were added there" : "");
  }
  lb_job_figure(j, "steps", "%ld, of %.3g us each; the whole takes %.3g times as long", m->steps,
                1e6 * each, m->whole / (m->seconds > 0 ? m->seconds : 1));
  if (motors_move(j)) {
    lb_job_warn(j, "motors of the scene move, and the reduced motion above leaves them where they "
                   "start ('limber simulate' follows them)");
  }
  if (m->left_out) {
    lb_job_warn(j,
                "%d load%s of the scene act%s on bodies that are no effectors, and do not act on "
                "the reduced mechanism (name the bodies under 'effectors')",
                m->left_out, m->left_out == 1 ? "" : "s", m->left_out == 1 ? "s" : "");
  }
}

static void report(lb_job* j) {
  const fork_job* own = j->own;
  if (j->outcome != LB_OK) {
    return;
  }
  lb_job_title(j, j->model->name, "%d reduced model%s", own->result.count,
               own->result.count == 1 ? "" : "s");
  for (int i = 0; i < own->result.count; i++) {
    add_model(j, own->fork[i]);
  }
  add_motion(j, &own->result.motion);
  for (int i = 0; i < own->result.count; i++) {
    const lb_fork_file file = lb_fork_file_of(own->fork[i]);
    const char* name = lb_arena_text(&j->arena, file.name, strlen(file.name));
    if (name) {
      lb_job_add(j, LB_SECTION_FILE, name, "the model, for numpy.load and programs");
    }
  }
}

static void release(lb_job* j) {
  const fork_job* own = j->own;
  for (int i = 0; i < own->result.nmap; i++) {
    lb_fork_map_release(own->map[i]);
  }
  lb_recording_release(own->whole);
  for (int i = 0; i < own->result.count; i++) {
    lb_fork_release(own->fork[i]);
  }
  for (int i = 1; own->model && i < j->scene.nfork; i++) {
    lb_model_release(own->model[i]);
  }
}

const lb_job_type lb_job_fork = {.name = "fork",
                                 .size = sizeof(fork_job),
                                 .load = load,
                                 .run = run,
                                 .write = write,
                                 .report = report,
                                 .release = release,
                                 .reduced = true};
