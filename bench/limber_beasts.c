// Limber behind the interface of beasts: the scene itself, its parts so many times over in one
// world.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "beasts.h"
#include "limber/limber.h"

typedef struct engine {
  const bench_machine* machine;
  lb_scene one;
  lb_scene many; // arrays of its own, which point into `one`
  char (*name)[64];
  lb_world* world;
} engine;

static int shifted(int index, int by) {
  return index < 0 ? index : index + by;
}

static const char* name_of(engine* e, int* used, const char* name, int copy) {
  char* own = e->name[(*used)++];
  snprintf(own, sizeof *e->name, "%s-%d", name, copy);
  return own;
}

// Bodies and joints of one copy; those that hang on the world are put aside.
static void copy_tree(engine* e, int copy, int* used) {
  const lb_scene* a = &e->one;
  const int body = copy * a->nbody, joint = copy * a->njoint;
  for (int i = 0; i < a->nbody; i++) {
    e->many.body[body + i] = a->body[i];
    e->many.body[body + i].name = name_of(e, used, a->body[i].name, copy);
  }
  for (int i = 0; i < a->njoint; i++) {
    lb_scene_joint* j = &e->many.joint[joint + i];
    *j = a->joint[i];
    j->name = name_of(e, used, j->name, copy);
    j->in_parent.p.y += j->parent == LB_WORLD ? copy * e->machine->apart : 0;
    j->parent = shifted(j->parent, body);
    j->child = shifted(j->child, body);
  }
}

static void copy_rest(engine* e, int copy, int* used) {
  const lb_scene* a = &e->one;
  for (int i = 0; i < a->nmotor; i++) {
    lb_scene_motor* m = &e->many.motor[copy * a->nmotor + i];
    *m = a->motor[i];
    m->name = name_of(e, used, m->name, copy);
    m->joint += copy * a->njoint;
  }
  for (int i = 0; i < a->nshape; i++) {
    lb_scene_shape* s = &e->many.shape[e->many.nshape];
    *s = a->shape[i];
    if (s->body != LB_WORLD || copy == 0) { // the ground is there once, and wide
      e->many.nshape++;
      s->body = shifted(s->body, copy * a->nbody);
      s->shape.size.y *= s->body == LB_WORLD ? 20 : 1;
    }
  }
}

static bool make_many(engine* e) {
  const lb_scene* a = &e->one;
  const size_t n = (size_t)e->machine->copies;
  int used = 0;
  e->many = *a;
  e->many.body = calloc(n * (size_t)a->nbody, sizeof *a->body);
  e->many.joint = calloc(n * (size_t)a->njoint, sizeof *a->joint);
  e->many.motor = calloc(n * (size_t)a->nmotor, sizeof *a->motor);
  e->many.shape = calloc(n * (size_t)a->nshape, sizeof *a->shape);
  e->name = calloc(n * (size_t)(a->nbody + a->njoint + a->nmotor), sizeof *e->name);
  if (!e->many.body || !e->many.joint || !e->many.motor || !e->many.shape || !e->name) {
    return false;
  }
  e->many.nshape = 0;
  for (int k = 0; k < e->machine->copies; k++) {
    copy_tree(e, k, &used);
    copy_rest(e, k, &used);
  }
  e->many.nbody *= e->machine->copies;
  e->many.njoint *= e->machine->copies;
  e->many.nmotor *= e->machine->copies;
  e->many.nlinkage = 0; // what its bars were made from
  return true;
}

static void release(void* context) {
  engine* e = context;
  lb_world_close(e->world);
  free(e->many.body);
  free(e->many.joint);
  free(e->many.motor);
  free(e->many.shape);
  free(e->name);
  lb_scene_release(&e->one);
  free(e);
}

static void* create(const bench_machine* machine) {
  engine* e = calloc(1, sizeof *e);
  lb_error err = lb_error_make(NULL);
  if (!e) {
    return NULL;
  }
  e->machine = machine;
  const bool read = lb_scene_read(machine->scene, NULL, &e->one, &err) == LB_OK;
  e->world = read && make_many(e) ? lb_world_create(&e->many, NULL, &err) : NULL;
  for (int i = 0; i < err.count; i++) {
    fprintf(stderr, "%s\n", err.message[i].text);
  }
  lb_error_clear(&err);
  if (!e->world) {
    release(e);
    return NULL;
  }
  return e;
}

static bool step(void* context) {
  const engine* e = context;
  return lb_world_step(e->world, e->machine->h) == LB_OK;
}

static lb_transform transform_of(const bench_pose* b) {
  const double *p = b->position, *q = b->quaternion;
  return (lb_transform){{q[0], q[1], q[2], q[3]}, {p[0], p[1], p[2]}};
}

static void get(void* context, int copy, int part, bench_pose* pose) {
  engine* e = context;
  const lb_transform X = lb_world_pose(e->world, copy * e->machine->npart + part);
  const lb_transform Y = lb_transform_mul(X, transform_of(&e->machine->part[part].in_body));
  *pose = (bench_pose){{Y.p.x, Y.p.y, Y.p.z}, {Y.q.w, Y.q.x, Y.q.y, Y.q.z}};
}

const bench_beast_engine bench_limber_beasts = {
    "limber", "Limber, the scene as it is", create, release, step, get};
