// What all kinds of jobs have in common.
#include "job/job_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const lb_job_type* const TYPES[] = {&lb_job_simulate};
enum { NTYPE = sizeof TYPES / sizeof *TYPES };

lb_job_options lb_job_default(void) {
  return (lb_job_options){.kind = "simulate", .duration = NAN, .step = NAN, .threads = 1};
}

// --- making and releasing ---

static bool copy(lb_arena* arena, const char** text) {
  *text = *text ? lb_arena_text(arena, *text, strlen(*text)) : NULL;
  return *text != NULL;
}

static bool copy_texts(lb_job* j) {
  const char** const text[] = {&j->o.kind,  &j->o.scene,      &j->o.text,
                               &j->o.basis, &j->o.parameters, &j->o.out};
  bool ok = true;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    ok = (!*text[i] || copy(&j->arena, text[i])) && ok;
  }
  return ok;
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
  bool ok = j != NULL;
  if (ok) {
    *j = (lb_job){.arena = arena, .type = type, .o = *options};
    ok = copy_texts(j);
    arena = j->arena;
  }
  if (!ok) {
    lb_arena_release(&arena);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a job");
  }
  *job = j;
  return LB_OK;
}

void lb_job_release(lb_job* j) {
  if (j) {
    lb_results_drop(j->results);
    lb_recording_release(j->recording);
    lb_model_release(j->model);
    if (j->read) {
      lb_scene_release(&j->scene);
    }
    lb_arena arena = j->arena;
    lb_arena_release(&arena);
  }
}

// --- stages ---

static lb_status read_scene(lb_job* j, lb_error* err) {
  const char* name = j->o.scene ? j->o.scene : "scene";
  return j->o.text ? lb_scene_parse(j->o.text, strlen(j->o.text), name, j->arena.allocator,
                                    &j->scene, err)
                   : lb_scene_read(name, j->arena.allocator, &j->scene, err);
}

lb_status lb_job_load(lb_job* j, lb_error* err) {
  const lb_status status = read_scene(j, err);
  j->read = status == LB_OK;
  return j->read ? j->type->load(j, err) : status;
}

static lb_status open_results(lb_job* j, lb_error* err) {
  return j->o.out ? lb_results_open(j->o.out, j->arena.allocator, &j->results, err) : LB_OK;
}

lb_status lb_job_run(lb_job* j, lb_error* err) {
  lb_status status = lb_recording_create(j->model, 0, j->arena.allocator, &j->recording, err);
  if (status == LB_OK) {
    status = open_results(j, err);
  }
  if (status == LB_OK) {
    j->summary = (lb_summary){.job = j->type->name};
    status = j->type->run(j, err);
    j->ran = true;
  }
  return status;
}

lb_status lb_job_write(lb_job* j, lb_error* err) {
  lb_results* results = j->results;
  j->results = NULL;
  return results ? lb_results_close(results, j->recording, &j->summary, err) : LB_OK;
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
  atomic_store(&j->done, (int)(1e6 * fmin(fmax(fraction, 0), 1)));
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

// --- the report ---

void lb_job_add(lb_job* j, lb_section_kind kind, const char* name, const char* format, ...) {
  char text[1200];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  char* kept = *text ? lb_arena_text(&j->arena, text, strlen(text)) : NULL;
  if (kept && j->nsection < LB_JOB_SECTIONS) {
    j->section[j->nsection++] = (lb_section){kind, name, kept};
  }
}

const lb_section* lb_job_sections(lb_job* j, int* count) {
  if (j->ran && !j->section) {
    j->section = LB_TAKE(&j->arena, lb_section, LB_JOB_SECTIONS);
    if (j->section) {
      j->type->report(j);
    }
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
