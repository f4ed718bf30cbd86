// Runs with all nodes: simulated, written and read.
#include "solve/full/full_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/npz.h"
#include "geom/mesh/file_load.h"
#include "limber/simulate.h"
#include "solve/run/frames.h"

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "no memory for a run with all nodes");
}

// --- simulating ---

// Collector of a run's states.
typedef struct collector {
  lb_arena* arena;
  int nelastic, most;
  int count;  // frames so far
  double** u; // [nelastic][most][ndof]
  const int* ndof;
} collector;

static bool see(void* context, const lb_data* d) {
  collector* c = context;
  if (c->count == c->most) {
    return false;
  }
  for (int i = 0; i < c->nelastic; i++) {
    const size_t n = (size_t)c->ndof[i];
    memcpy(c->u[i] + n * (size_t)c->count, d->q + d->model->elastic.body[i].q, n * sizeof(double));
  }
  c->count++;
  return true;
}

// Time between frames: not less than the scene's own.
static double frame_time(const lb_scene* scene, const lb_reduce_options* o) {
  const double duration = isnan(o->duration) ? scene->duration : o->duration;
  return fmax(scene->record.every, duration / (o->frames > 2 ? o->frames - 1 : 1));
}

static bool prepare(const lb_model* m, int frames, lb_arena* arena, collector* c) {
  const lb_model* full = lb_model_simulated(m);
  int* ndof = LB_TAKE(arena, int, full->elastic.count);
  *c = (collector){.arena = arena,
                   .nelastic = full->elastic.count,
                   .most = frames,
                   .u = LB_TAKE(arena, double*, full->elastic.count),
                   .ndof = ndof};
  for (int i = 0; ndof && c->u && i < full->elastic.count; i++) {
    ndof[i] = full->elastic.body[i].r;
    c->u[i] = LB_TAKE(arena, double, (size_t)ndof[i] * (size_t)c->most);
  }
  return lb_arena_status(arena) == LB_OK;
}

static lb_status keep(const lb_model* m, const lb_recording* r, const collector* c,
                      const lb_summary* s, lb_arena* arena, lb_full_run* run) {
  const size_t nframe = (size_t)r->nframe, nbody = (size_t)m->nbody;
  double* time = LB_TAKE(arena, double, nframe);
  lb_transform* pose = LB_TAKE(arena, lb_transform, nframe * nbody);
  const char** name = LB_TAKE(arena, const char*, nbody);
  int* elastic = LB_TAKE(arena, int, c->nelastic);
  if (!time || !pose || !name || !elastic) {
    return LB_NO_MEMORY;
  }
  memcpy(time, r->time, nframe * sizeof *time);
  memcpy(pose, r->pose, nframe * nbody * sizeof *pose);
  for (size_t i = 0; i < nbody; i++) {
    name[i] = lb_arena_text(arena, m->body.name[i], strlen(m->body.name[i]));
  }
  for (int i = 0; i < c->nelastic; i++) {
    elastic[i] = m->elastic.body[i].body;
  }
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  *run = (lb_full_run){.nframe = r->nframe,
                       .nbody = m->nbody,
                       .time = time,
                       .body = name,
                       .pose = pose,
                       .nelastic = c->nelastic,
                       .elastic = elastic,
                       .ndof = c->ndof,
                       .u = (const double**)c->u,
                       .wall_seconds = s->wall_seconds,
                       .steps_per_second = (double)s->steps / s->wall_seconds};
  return LB_OK;
}

static lb_status simulate(const lb_model* m, const lb_reduce_options* o, lb_arena* arena,
                          lb_full_run* run, lb_error* err) {
  collector c;
  lb_recording* recording = NULL;
  lb_summary summary;
  lb_simulate_options options = lb_simulate_default();
  options.duration = o->duration;
  options.step = o->step;
  options.threads = o->threads;
  options.progress = o->progress;
  options.watcher = (lb_watcher){see, &c};
  const lb_plan plan = lb_plan_make(m, &options);
  const int frames = (int)(plan.steps / plan.stride) + 2; // the first and the last one
  if (!prepare(m, frames, arena, &c)) {
    return no_memory(err);
  }
  lb_status status = lb_recording_create(m, frames, arena->allocator, &recording, err);
  if (status == LB_OK) {
    status = lb_simulate(m, &options, recording, &summary, err);
  }
  // what was done before it stopped is a run, too
  const bool stopped = status == LB_INTERRUPTED || status == LB_FAILED;
  if ((status == LB_OK || (stopped && recording->nframe > 1)) &&
      keep(m, recording, &c, &summary, arena, run) != LB_OK) {
    status = no_memory(err);
  }
  lb_recording_release(recording);
  return status;
}

lb_status lb_full_run_make(const lb_scene* scene, const lb_reduce_options* options, lb_arena* arena,
                           lb_full_run* run, lb_error* err) {
  lb_scene full = *scene;
  lb_model* model = NULL;
  full.solver.elastic = LB_SPACE_FULL;
  full.record.every = frame_time(scene, options);
  lb_status status = lb_model_create(&full, arena->allocator, &model, err);
  if (status == LB_OK) {
    status = simulate(model, options, arena, run, err);
    lb_model_release(model);
  }
  return status;
}

// --- the file: time, bodies and poses, and u0, u1, ... of the bodies named in `elastic` ---

enum { FIXED = 4 };

lb_status lb_full_run_pack(const lb_full_run* run, lb_arena* arena, char** bytes, size_t* size) {
  lb_npz_array* a = LB_TAKE(arena, lb_npz_array, FIXED + run->nelastic);
  char(*name)[16] = lb_arena_take_array(arena, (size_t)run->nelastic, sizeof *name, 1);
  const char** elastic = LB_TAKE(arena, const char*, run->nelastic);
  if (!a || !name || !elastic) {
    return LB_NO_MEMORY;
  }
  a[0] = (lb_npz_array){"time", LB_NPZ_NUMBER, 1, {run->nframe}, run->time, NULL};
  a[1] = (lb_npz_array){"body", LB_NPZ_TEXT, 1, {run->nbody}, run->body, NULL};
  a[2] = (lb_npz_array){"pose", LB_NPZ_NUMBER, 3, {run->nframe, run->nbody, 7}, run->pose, NULL};
  a[3] = (lb_npz_array){"elastic", LB_NPZ_TEXT, 1, {run->nelastic}, elastic, NULL};
  for (int i = 0; i < run->nelastic; i++) {
    snprintf(name[i], sizeof name[i], "u%d", i);
    elastic[i] = run->body[run->elastic[i]];
    a[FIXED + i] = (lb_npz_array){name[i],   LB_NPZ_NUMBER, 3, {run->nframe, run->ndof[i] / 3, 3},
                                  run->u[i], NULL};
  }
  return lb_npz_pack(a, FIXED + run->nelastic, arena, bytes, size);
}

static int find_body(const lb_full_run* run, const char* name) {
  for (int i = 0; i < run->nbody; i++) {
    if (strcmp(run->body[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

// The bodies must be the scene's, for poses and displacements are matched by their order.
static lb_status check_bodies(const lb_npz* npz, const lb_scene* scene, const lb_full_run* run,
                              lb_error* err) {
  bool same = run->nbody == scene->nbody && run->nframe > 1;
  for (int i = 0; same && i < scene->nbody; i++) {
    same = strcmp(run->body[i], scene->body[i].name) == 0;
  }
  return same ? LB_OK
              : lb_error_add(err, LB_INVALID, (lb_place){.file = npz->name},
                             "it is of another scene: its bodies are not those of '%s'",
                             scene->name);
}

static lb_status take_run(const lb_npz* npz, const lb_scene* scene, lb_arena* arena,
                          lb_full_run* out, lb_error* err) {
  lb_full_run run = {0};
  int frames = -1, bodies = -1, elastic = -1;
  run.time = lb_npz_get(npz, "time", LB_NPZ_NUMBER, 1, &frames, err);
  run.body = lb_npz_get(npz, "body", LB_NPZ_TEXT, 1, &bodies, err);
  run.pose = lb_npz_get(npz, "pose", LB_NPZ_NUMBER, 3, (int[]){frames, bodies, 7}, err);
  const char* const* name = lb_npz_get(npz, "elastic", LB_NPZ_TEXT, 1, &elastic, err);
  if (!run.time || !run.body || !run.pose || !name) {
    return LB_INVALID;
  }
  run.nframe = frames;
  run.nbody = bodies;
  run.nelastic = elastic;
  int* body = LB_TAKE(arena, int, elastic);
  int* ndof = LB_TAKE(arena, int, elastic);
  run.u = LB_TAKE(arena, const double*, elastic);
  if (!body || !ndof || !run.u) {
    return no_memory(err);
  }
  for (int i = 0; i < elastic; i++) {
    char word[16];
    snprintf(word, sizeof word, "u%d", i);
    int shape[3] = {frames, -1, 3};
    run.u[i] = lb_npz_get(npz, word, LB_NPZ_NUMBER, 3, shape, err);
    body[i] = find_body(&run, name[i]);
    ndof[i] = 3 * shape[1];
    if (!run.u[i] || body[i] < 0) {
      return run.u[i] ? lb_error_add(err, LB_INVALID, (lb_place){.file = npz->name},
                                     "'elastic' names '%s', which is not in 'body'", name[i])
                      : LB_INVALID;
    }
  }
  run.elastic = body;
  run.ndof = ndof;
  *out = run;
  return check_bodies(npz, scene, &run, err);
}

lb_status lb_full_run_read(const lb_scene* scene, const char* dir, lb_arena* arena,
                           lb_full_run* run, lb_error* err) {
  static const char NAME[] = "/full.npz";
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  const size_t length = strlen(dir);
  char* path = LB_TAKE(arena, char, length + sizeof NAME);
  char* bytes = NULL;
  size_t size = 0;
  lb_npz npz;
  lb_status status = path ? LB_OK : no_memory(err);
  if (status == LB_OK) {
    memcpy(path, dir, length);
    memcpy(path + length, NAME, sizeof NAME);
    status = lb_load(path, "run", (lb_place){0}, &scratch, &bytes, &size, err);
  }
  if (status == LB_OK) {
    status = lb_npz_parse(bytes, size, path, arena, &npz, err);
  }
  lb_arena_release(&scratch);
  return status == LB_OK ? take_run(&npz, scene, arena, run, err) : status;
}
