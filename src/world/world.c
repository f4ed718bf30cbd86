// Making a world, its errors and its names.
#include "world/world_inside.h"

#include <string.h>

#include "dynamics/tree/mechanism_pose.h"
#include "limber/fork.h"
#include "math/linear/blas_thread.h"
#include "model/use/motor_use.h"
#include "scene/yaml/names.h"
#include "solve/run/frames.h"

// --- making and releasing ---

// Names of all parts; those of markers are the scene's, which may go away.
static void list_names(lb_world* w, const lb_scene* scene) {
  const lb_model* m = w->m;
  const lb_model_constraints* c = &m->constraint;
  const int count[LB_PART_COUNT] = {[LB_PART_BODY] = m->nbody,
                                    [LB_PART_JOINT] = m->njoint + c->nloop,
                                    [LB_PART_MOTOR] = m->nmotor + m->mechanism.nmotor,
                                    [LB_PART_POINT] = scene->nmarker,
                                    [LB_PART_CONSTRAINT] = c->count - c->nloop};
  const char* const* const from[LB_PART_COUNT] = {[LB_PART_BODY] = m->body.name,
                                                  [LB_PART_JOINT] = m->joint.name,
                                                  [LB_PART_MOTOR] = m->motor.name};
  for (int part = 0; part < LB_PART_COUNT; part++) {
    w->count[part] = count[part];
    w->name[part] = LB_TAKE(&w->arena, const char*, count[part]);
    for (int i = 0; i < count[part] && w->name[part]; i++) {
      const bool loop = part == LB_PART_JOINT && i >= m->njoint;
      w->name[part][i] = part == LB_PART_POINT                     ? scene->marker[i].name
                         : part == LB_PART_MOTOR && i >= m->nmotor ? lb_motor_inside(m, i)->name
                         : part == LB_PART_CONSTRAINT              ? c->item[c->nloop + i].name
                         : loop                                    ? c->loop[i - m->njoint].name
                                                                   : from[part][i];
    }
  }
}

static bool take_arrays(lb_world* w, const lb_scene* scene) {
  const lb_model *m = w->m, *shown = w->shown;
  const int nmotor = m->nmotor + m->mechanism.nmotor;
  w->wish = LB_TAKE(&w->arena, lb_wish, nmotor);
  w->command = LB_TAKE(&w->arena, lb_command, nmotor);
  w->reaction = LB_TAKE(&w->arena, lb_reaction, m->njoint + m->constraint.npair);
  w->velocity = LB_TAKE(&w->arena, lb_body_velocity, m->nbody);
  w->at = LB_TAKE(&w->arena, lb_vec3, scene->nmarker);
  w->q = LB_TAKE(&w->arena, double, shown->nq);
  w->qd = LB_TAKE(&w->arena, double, shown->nv);
  w->point = LB_TAKE(&w->arena, lb_track_point, scene->nmarker);
  list_names(w, scene);
  for (int i = 0; i < scene->nmarker && lb_arena_status(&w->arena) == LB_OK; i++) {
    const char** name = &w->name[LB_PART_POINT][i];
    lb_track_find(shown, &scene->marker[i], &w->point[i]);
    *name = lb_arena_text(&w->arena, *name, strlen(*name));
  }
  return lb_arena_status(&w->arena) == LB_OK;
}

static lb_status make_parts(lb_world* w, const lb_scene* scene, lb_error* err) {
  const lb_allocator* allocator = w->arena.allocator;
  lb_status status = lb_fork_model_create(scene, allocator, &w->shown, err);
  w->m = status == LB_OK ? lb_model_simulated(w->shown) : NULL;
  if (status == LB_OK) {
    status = lb_data_create(w->m, allocator, &w->d, err);
  }
  if (status == LB_OK) {
    status = lb_stepper_create(w->m, NULL, allocator, &w->stepper, err);
  }
  if (status == LB_OK && !take_arrays(w, scene)) {
    status = lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a world");
  }
  return status;
}

// Its start is kept, to come back to.
static lb_status start(lb_world* w, lb_error* err) {
  w->d->command = w->command;
  lb_status status = lb_run_begin(w->m, w->d, err);
  w->start = status == LB_OK ? LB_TAKE(&w->arena, double, lb_world_state_size(w)) : NULL;
  if (w->start) {
    lb_world_save(w, w->start);
  } else if (status == LB_OK) {
    status = lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a world");
  }
  return status;
}

lb_world* lb_world_create(const lb_scene* scene, const lb_allocator* allocator, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_world* w = LB_TAKE(&arena, lb_world, 1);
  if (!w) {
    lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a world");
    return NULL;
  }
  w->arena = arena;
  w->err = lb_error_make(allocator);
  if (make_parts(w, scene, err) != LB_OK || start(w, err) != LB_OK) {
    lb_world_close(w);
    return NULL;
  }
  return w;
}

static lb_world* create_and_release(lb_status read, lb_scene* scene, lb_error* err) {
  lb_world* w = read == LB_OK ? lb_world_create(scene, NULL, err) : NULL;
  if (read == LB_OK) {
    lb_scene_release(scene);
  }
  return w;
}

lb_world* lb_world_open(const char* path, lb_error* err) {
  lb_scene scene;
  return create_and_release(lb_scene_read(path, NULL, &scene, err), &scene, err);
}

lb_world* lb_world_parse(const char* text, const char* name, lb_error* err) {
  lb_scene scene;
  return create_and_release(lb_scene_parse(text, strlen(text), name, NULL, &scene, err), &scene,
                            err);
}

void lb_world_close(lb_world* w) {
  if (w) {
    lb_release(w->arena.allocator, w->external);
    lb_stepper_release(w->stepper);
    lb_data_release(w->d);
    lb_model_release(w->shown);
    lb_error_clear(&w->err);
    lb_arena arena = w->arena;
    lb_arena_release(&arena);
  }
}

void lb_world_reset(lb_world* w) {
  lb_world_restore(w, w->start);
}

// --- errors ---

lb_status lb_world_status(const lb_world* w) {
  return w->err.status;
}

lb_status lb_world_check(lb_world* w, lb_error* err) {
  const lb_status status = lb_error_append(err, &w->err);
  lb_error_clear(&w->err);
  return status;
}

// --- names ---

static const char* const WORD[LB_PART_COUNT] = {[LB_PART_BODY] = "body",
                                                [LB_PART_JOINT] = "joint",
                                                [LB_PART_MOTOR] = "motor",
                                                [LB_PART_POINT] = "marker",
                                                [LB_PART_CONSTRAINT] = "constraint"};

int lb_world_count(const lb_world* w, lb_part part) {
  return part < LB_PART_COUNT ? w->count[part] : 0;
}

const char* lb_world_name(const lb_world* w, lb_part part, int i) {
  return i >= 0 && i < lb_world_count(w, part) ? w->name[part][i] : NULL;
}

static int no_such_name(lb_world* w, lb_part part, const char* name) {
  lb_nearest near = lb_nearest_to(name);
  for (int i = 0; i < lb_world_count(w, part); i++) {
    const char* other = lb_world_name(w, part, i);
    if (other) {
      lb_nearest_offer(&near, other);
    }
  }
  lb_error_add(&w->err, LB_INVALID, (lb_place){.file = w->m->file},
               near.best ? "there is no %s '%s' (did you mean '%s'?)" : "there is no %s '%s'",
               WORD[part], name, near.best);
  return -1;
}

int lb_world_find(lb_world* w, lb_part part, const char* name) {
  for (int i = 0; i < lb_world_count(w, part); i++) {
    const char* other = lb_world_name(w, part, i);
    if (other && strcmp(other, name) == 0) {
      return i;
    }
  }
  return part < LB_PART_COUNT ? no_such_name(w, part, name) : -1;
}

bool lb_world_has(lb_world* w, lb_part part, int i) {
  if (w->err.status != LB_OK) {
    return false;
  }
  const int count = lb_world_count(w, part);
  if (i < 0 || i >= count) {
    lb_error_add(&w->err, LB_INVALID, (lb_place){.file = w->m->file},
                 "there is no %s of number %d: they count from 0, and there are %d", WORD[part], i,
                 count);
    return false;
  }
  return true;
}

bool lb_world_follows(lb_world* w, int body) {
  const int i = lb_mechanism_of(w->m, body);
  if (i >= 0) {
    lb_error_add(&w->err, LB_INVALID, w->m->mechanism.item[i].place,
                 "body '%s' is inside of mechanism '%s', which is simulated by its effectors, and "
                 "nothing can act on it (name it under 'effectors', or say 'simulate: whole')",
                 w->m->body.name[body], w->m->mechanism.item[i].name);
  }
  return i >= 0;
}

const lb_model* lb_world_model(const lb_world* w) {
  return w->m;
}

lb_data* lb_world_data(lb_world* w) {
  lb_world_touch(w);
  return w->d;
}

int lb_world_nv(const lb_world* w) {
  return w->m->nv;
}

double lb_world_time(const lb_world* w) {
  return w->d->time;
}
