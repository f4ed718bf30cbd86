// What all kinds of jobs have in common.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "job/job_inside.h"
#include "job/job_text.h"
#include "limber/analysis.h"
#include "limber/fork.h"
#include "limber/inverse.h"
#include "limber/reduce.h"
#include "math/linear/blas_thread.h"
#include "output/file/whole_file.h"
#include "output/file/writers.h"
#include "output/film/film.h"

static const lb_job_type* const TYPES[] = {
    &lb_job_check,  &lb_job_convert,        &lb_job_fit,           &lb_job_fork,
    &lb_job_ik,     &lb_job_inverse,        &lb_job_optimize,      &lb_job_reduce,
    &lb_job_replay, &lb_job_retarget,       &lb_job_simulate,      &lb_job_sweep,
    &lb_job_track,  &lb_job_muscle_lengths, &lb_job_muscle_static, &lb_job_muscle_report,
    &lb_job_analyse};
enum { NTYPE = sizeof TYPES / sizeof *TYPES };

lb_job_options lb_job_default(void) {
  return (lb_job_options){.kind = "simulate",
                          .duration = NAN,
                          .step = NAN,
                          .threads = 1,
                          .cutoff = NAN,
                          .force_cutoff = NAN,
                          .touch = lb_inverse_default().touch,
                          .begin = lb_inverse_default().begin,
                          .end = lb_inverse_default().end,
                          .power = lb_muscle_static_default().power,
                          .frames = lb_reduce_default().frames,
                          .missed = NAN,
                          .picture = NAN,
                          .rate = 1000};
}

lb_status lb_job_no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a job");
}

// --- making and releasing ---

static const char* const* copy_list(lb_job* j, const char* const* from, int count) {
  const char** to = LB_TAKE(&j->arena, const char*, count);
  for (int i = 0; to && i < count; i++) {
    to[i] = lb_arena_text(&j->arena, from[i], strlen(from[i]));
  }
  return to;
}

static void copy_texts(lb_job* j) {
  const char** const text[] = {
      &j->o.kind,       &j->o.scene, &j->o.text,   &j->o.table, &j->o.out,     &j->o.basis,
      &j->o.parameters, &j->o.from,  &j->o.forces, &j->o.cache, &j->o.film,    &j->o.filter,
      &j->o.tasks,      &j->o.scale, &j->o.states, &j->o.still, &j->o.controls};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    *text[i] = *text[i] ? lb_arena_text(&j->arena, *text[i], strlen(*text[i])) : NULL;
  }
  j->o.set = copy_list(j, j->o.set, j->o.nset);
  j->o.over = copy_list(j, j->o.over, j->o.nover);
}

static const lb_job_type* find_type(const char* kind) {
  for (int i = 0; i < NTYPE; i++) {
    if (kind && strcmp(TYPES[i]->name, kind) == 0) {
      return TYPES[i];
    }
  }
  return NULL;
}

lb_status lb_job_create(const lb_job_options* options, const lb_allocator* allocator, lb_job** job,
                        lb_error* err) {
  const lb_job_type* type = find_type(options->kind);
  if (!type) {
    return lb_error_add(err, LB_INVALID, (lb_place){0}, "there are no jobs of kind '%s'",
                        options->kind ? options->kind : "");
  }
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_job* j = LB_TAKE(&arena, lb_job, 1);
  if (j) {
    *j = (lb_job){.arena = arena, .type = type, .o = *options, .lock = -1};
    j->own = lb_arena_take(&j->arena, type->size + 1, LB_ALIGN);
    copy_texts(j);
    arena = j->arena;
  }
  if (lb_arena_status(&arena) != LB_OK) {
    lb_arena_release(&arena);
    return lb_job_no_memory(err);
  }
  *job = j;
  return LB_OK;
}

static void leave_folder(lb_job* j) {
  lb_folder_release(j->lock);
  j->lock = -1;
}

void lb_job_release(lb_job* j) {
  if (j) {
    lb_results_drop(j->results);
    leave_folder(j);
    lb_recording_release(j->recording);
    if (j->type->release) {
      j->type->release(j);
    }
    lb_model_release(j->model);
    if (j->read) {
      lb_scene_release(&j->scene);
    }
    lb_arena arena = j->arena;
    lb_arena_release(&arena);
  }
}

// --- stages ---

lb_status lb_job_make_model(lb_job* j, lb_error* err) {
  const bool forks = j->type->forks && !j->o.whole;
  const lb_status status = (forks ? lb_fork_model_create
                                  : lb_model_create)(&j->scene, j->arena.allocator, &j->model, err);
  return status == LB_OK || status == LB_NO_MEMORY || status == LB_INTERRUPTED ? status
                                                                               : LB_INVALID;
}

lb_status lb_job_record(lb_job* j, const lb_model* model, lb_recording** recording, lb_error* err) {
  return lb_recording_create(model, 0, j->arena.allocator, recording, err);
}

lb_status lb_job_play(lb_job* j, const lb_model* model, const lb_simulate_options* o,
                      lb_error* err) {
  lb_status status = lb_job_record(j, model, &j->recording, err);
  status = status == LB_OK ? lb_simulate(model, o, j->recording, &j->summary, err) : status;
  j->kept = j->recording && j->recording->nframe > 0;
  return status;
}

lb_scene_origin lb_job_origin(const lb_job* j) {
  return (lb_scene_origin){.name = j->o.scene ? j->o.scene : "scene",
                           .text = j->o.text,
                           .length = j->o.text ? strlen(j->o.text) : 0,
                           .nset = j->o.nset,
                           .set = j->o.set};
}

static lb_status read_scene(lb_job* j, lb_error* err) {
  const char* name = j->o.scene ? j->o.scene : "scene";
  if (j->type->rereads && (j->o.text || strcmp(name, "-") == 0)) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "the scene is read twice, which standard input cannot be: name a file");
  }
  const lb_scene_origin from = lb_job_origin(j);
  return lb_scene_open(&from, j->arena.allocator, &j->scene, err);
}

// Bodies heavier than any machine: lengths in millimetres, mostly.
static void ask_of_masses(lb_job* j) {
  static const double HEAVY = 1e6; // [kg]
  int count = 0, first = -1;
  for (int i = 0; j->model && i < j->scene.nbody; i++) {
    if (j->model->body.mass[i].mass > HEAVY) {
      first = count++ ? first : i;
    }
  }
  if (count) {
    char others[40] = "";
    snprintf(others, sizeof others, ", and %d more are as heavy", count - 1);
    lb_job_warn_at(j, j->scene.body[first].place,
                   "body '%s' weighs %.3g kg%s; is that meant? (numbers without a unit are metres, "
                   "kilograms and kg/m^3)",
                   j->scene.body[first].name, j->model->body.mass[first].mass,
                   count > 1 ? others : "");
  }
}

// While models are made; how much of the job is done is another matter.
static bool show_making(void* context, double fraction, const char* what) {
  lb_job* j = context;
  return lb_progress_report(&j->o.progress, fraction, what) && !atomic_load(&j->cancelled);
}

static lb_status check_times(const lb_job* j, lb_error* err) {
  return j->o.end < j->o.begin
             ? lb_error_add(err, LB_INVALID, (lb_place){0},
                            "the end, %g s, is before the begin, %g s", j->o.end, j->o.begin)
             : LB_OK;
}

lb_status lb_job_load(lb_job* j, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  lb_status status = lb_job_read_setup(j, err);
  status = status == LB_OK ? check_times(j, err) : status;
  status = status == LB_OK ? read_scene(j, err) : status;
  j->read = status == LB_OK;
  if (j->read) {
    j->scene.making = (lb_making){.cache = j->o.cache, .progress = {show_making, j}};
  }
  if (j->read && j->type->reduced) {
    j->scene.solver.elastic = LB_SPACE_REDUCED; // many runs want a fast model
  }
  for (int i = 0; j->read && i < j->scene.nnote; i++) {
    lb_job_warn_at(j, j->scene.note[i].place, "%s", j->scene.note[i].text);
  }
  if (!j->read) {
    return status;
  }
  const lb_status loaded = j->type->load(j, err);
  if (loaded != LB_OK) {
    return loaded;
  }
  ask_of_masses(j);
  return j->o.out ? lb_folder_lock(j->o.out, j->arena.allocator, &j->lock, err) : LB_OK;
}

lb_status lb_job_run(lb_job* j, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  lb_status status = LB_OK;
  j->start = lb_clock();
  if (j->o.out && j->type->streams) {
    status = lb_results_open(j->o.out, j->arena.allocator, &j->results, err);
  }
  if (status == LB_OK && j->type->run) {
    status = j->type->run(j, err);
  }
  j->summary.job = j->type->name;
  j->summary.wall_seconds = lb_clock() - j->start;
  j->summary.interrupted = status == LB_INTERRUPTED;
  j->summary.threads = j->o.threads;
  j->summary.scene_text = j->scene.converted ? j->scene.converted : j->scene.text;
  j->summary.nset = j->o.nset;
  j->summary.set = j->o.set;
  j->outcome = status;
  j->ran = true;
  return status;
}

static lb_status write_images(lb_job* j, lb_error* err) {
  lb_status status = LB_OK;
  if (isfinite(j->o.picture)) {
    status = lb_film_picture(j->recording, j->o.picture, j->o.out, err);
  }
  if (j->o.film) {
    const lb_progress progress = lb_job_progress(j);
    const lb_status film = lb_film_write(j->recording, j->o.film, j->o.out, &progress, err);
    status = status == LB_OK ? film : status;
  }
  return status;
}

// A run that was interrupted is written as a whole.
static lb_status write_files(lb_job* j, lb_error* err) {
  const lb_progress progress = lb_job_progress(j);
  const lb_allocator* allocator = j->arena.allocator;
  lb_status status = j->results ? LB_OK : lb_results_open(j->o.out, allocator, &j->results, err);
  if (status == LB_OK) {
    lb_results_watch(j->results, j->summary.interrupted ? NULL : &progress);
    status = lb_results_close(j->results, j->recording, &j->summary, err);
  }
  j->results = NULL;
  return status;
}

static lb_status write_results(lb_job* j, lb_error* err) {
  const lb_status status = j->type->write ? j->type->write(j, err) : write_files(j, err);
  const lb_status images = j->recording ? write_images(j, err) : LB_OK;
  return status == LB_OK ? images : status;
}

lb_status lb_job_write(lb_job* j, lb_error* err) {
  const lb_status status = j->kept && j->o.out ? write_results(j, err) : LB_OK;
  leave_folder(j);
  return status;
}

const char* lb_job_path(lb_job* j, const char* dir, const char* name) {
  const size_t size = strlen(dir) + strlen(name) + 2;
  char* path = LB_TAKE(&j->arena, char, size);
  if (path) {
    snprintf(path, size, "%s/%s", dir, name);
  }
  return path;
}

const char* lb_job_place(const lb_job* j) {
  return j->o.out ? j->o.out : "memory";
}

// --- while it runs ---

void lb_job_cancel(lb_job* j) {
  atomic_store(&j->cancelled, true);
}

double lb_job_fraction(const lb_job* j) {
  return 1e-6 * atomic_load(&j->done);
}

static bool report(void* context, double fraction, const char* what) {
  lb_job* j = context;
  if (!isnan(fraction)) {
    atomic_store(&j->done, (int)(1e6 * fmin(fmax(fraction, 0), 1)));
  }
  return lb_progress_report(&j->o.progress, fraction, what) && !atomic_load(&j->cancelled);
}

lb_progress lb_job_progress(lb_job* j) {
  return (lb_progress){report, j};
}

// To the files first, then to the caller.
static lb_status put(void* context, const lb_recording* r, int frame, lb_error* err) {
  lb_job* j = context;
  const lb_sink to[] = {j->results ? lb_results_sink(j->results) : (lb_sink){0}, j->o.sink};
  lb_status status = LB_OK;
  for (int i = 0; i < 2 && status == LB_OK; i++) {
    status = to[i].put ? to[i].put(to[i].context, r, frame, err) : LB_OK;
  }
  return status;
}

lb_sink lb_job_sink(lb_job* j) {
  return (lb_sink){put, j};
}

lb_simulate_options lb_job_runs(lb_job* j) {
  lb_simulate_options o = lb_simulate_default();
  o.duration = j->o.duration;
  o.step = j->o.step;
  o.threads = j->o.threads;
  o.progress = lb_job_progress(j);
  return o;
}

// --- the report ---

// A section's text and the name of its file are kept: what they are of may be gone before the job
// is. Empty texts add none.
static void add(lb_job* j, lb_section s) {
  s.text = *s.text ? lb_arena_text(&j->arena, s.text, strlen(s.text)) : NULL;
  s.place.file = s.place.file ? lb_arena_text(&j->arena, s.place.file, strlen(s.place.file)) : NULL;
  lb_section* more = s.text ? LB_GROW(&j->arena, j->section, j->nsection, &j->capacity) : NULL;
  if (more) {
    j->section = more;
    j->section[j->nsection++] = s;
    if (j->o.told) {
      j->o.told(j->o.context, &j->section[j->nsection - 1]);
    }
  }
}

void lb_job_add(lb_job* j, lb_section_kind kind, const char* name, const char* format, ...) {
  char text[1200];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  add(j, (lb_section){.kind = kind, .name = name, .text = text});
}

void lb_job_warn_at(lb_job* j, lb_place place, const char* format, ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  place.file = place.file ? place.file : j->scene.file;
  add(j, (lb_section){.kind = LB_SECTION_WARNING, .text = text, .place = place});
}

void lb_job_add_rest(lb_job* j) {
  const char* lead = j->outcome == LB_INTERRUPTED ? "Interrupted. " : "";
  const int n = j->recording ? j->recording->nframe : 0;
  if (n == 0) {
    lb_job_note(j, "Nothing was kept: it ended before the first frame.");
  } else if (n == 1) {
    lb_job_note(j, "%sOnly the start is kept in %s.", lead, lb_job_place(j));
  } else {
    lb_job_note(j, "%sThe first %s are kept in %s.", lead,
                lb_text_duration(j->recording->time[n - 1]).text, lb_job_place(j));
  }
}

void lb_job_add_stopped(lb_job* j, int iterations) {
  lb_job_note(j,
              "Interrupted after %d iterations. The best so far is in %s; --resume goes on from "
              "there.",
              iterations, lb_job_place(j));
}

// Files that other jobs left in the folder would be taken for this one's.
static void warn_of_others(lb_job* j) {
  char names[200] = "";
  size_t at = 0;
  const char* name = NULL;
  for (int i = 0; (name = lb_results_left(j->o.out, j->recording, &j->summary, i)); i++) {
    const int n = snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", name);
    at = n < (int)(sizeof names - at) ? at + (size_t)n : at;
    names[at] = 0;
  }
  if (*names) {
    lb_job_warn(j, "these files in %s are of an earlier job, not of this one: %s", j->o.out, names);
  }
}

static void add_files(lb_job* j) {
  const bool some = j->kept && j->recording && j->outcome == LB_OK;
  const lb_result_file* file = NULL;
  for (int i = 0; some && (file = lb_results_file(j->recording, &j->summary, i)); i++) {
    lb_job_add(j, LB_SECTION_FILE, file->name, "%s", file->words);
  }
  if (some && j->o.out && !j->type->write) {
    warn_of_others(j);
  }
  if (some && isfinite(j->o.picture)) {
    lb_job_add(j, LB_SECTION_FILE, "picture.png", "the motion at %s",
               lb_text_duration(j->o.picture).text);
  }
  if (some && j->o.film) {
    lb_job_add(j, LB_SECTION_FILE, strcmp(j->o.film, "mp4") == 0 ? "film.mp4" : "film.webm",
               "the motion in real time");
  }
}

const lb_section* lb_job_sections(lb_job* j, int* count) {
  if (j->ran && !j->reported) {
    j->reported = true;
    j->type->report(j);
    add_files(j);
  }
  *count = j->nsection;
  return j->section;
}

const lb_model* lb_job_model(const lb_job* j) {
  return j->model;
}

const lb_recording* lb_job_recording(const lb_job* j) {
  return j->recording;
}

const lb_summary* lb_job_summary(const lb_job* j) {
  return j->ran ? &j->summary : NULL;
}
