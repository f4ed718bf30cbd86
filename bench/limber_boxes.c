// Limber behind the interface of boxes: a scene as a user would write it.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "boxes.h"
#include "dynamics/contact/contact_set.h"
#include "limber/world.h"

static void write_scene(FILE* f, const bench_boxes* b) {
  fprintf(f,
          "limber: 1\ngravity: [0, 0, %.17g]\ncontacts: {}\nsolver: {step: %.17g s}\n"
          "materials: {m: {friction: %.17g}}\n"
          "scenery: [{box: [80, 80, 1], position: [0, 0, -0.5], solid: true, material: m}]\n"
          "bodies:\n",
          -b->gravity, b->h, b->friction);
  for (int i = 0; i < b->n; i++) {
    const double *p = b->box[i].position, *q = b->box[i].quaternion;
    fprintf(f,
            "  b%d: {shape: {box: [%g, %g, %g]}, mass: %g, material: m, position: [%.17g, %.17g, "
            "%.17g], rotation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}}\n",
            i, b->size[0], b->size[1], b->size[2], b->mass, p[0], p[1], p[2], q[0], q[1], q[2],
            q[3]);
  }
}

static void* create(const bench_boxes* boxes) {
  char* text = NULL;
  size_t size = 0;
  FILE* f = open_memstream(&text, &size);
  if (!f) {
    return NULL;
  }
  write_scene(f, boxes);
  fclose(f);
  lb_error err = lb_error_make(NULL);
  lb_world* w = lb_world_parse(text, boxes->name, &err);
  if (!w && err.count > 0) {
    fprintf(stderr, "%s\n", err.message[0].text);
  }
  lb_error_clear(&err);
  free(text);
  return w;
}

static void release(void* engine) {
  lb_world_close(engine);
}

static void step(void* engine) {
  lb_world_step(engine, 0);
}

static void get(void* engine, int i, bench_box* box) {
  const lb_transform X = lb_world_pose(engine, i);
  *box = (bench_box){{X.p.x, X.p.y, X.p.z}, {X.q.w, X.q.x, X.q.y, X.q.z}};
}

int bench_limber_points(const void* engine) {
  const lb_touch* touch;
  return lb_contacts_points(lb_world_data((lb_world*)engine)->work->contacts, &touch);
}

int bench_limber_bearing(const void* engine) {
  return lb_body_contacts(lb_world_data((lb_world*)engine), NULL, 0);
}

void bench_limber_threads(void* engine, int threads) {
  ((lb_data*)lb_world_data(engine))->threads = threads;
}

const bench_contact_engine bench_limber_boxes = {"limber", "Limber", create, release, step, get};
