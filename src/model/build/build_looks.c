// Shapes and materials, for those who draw the model. Meshes and heights are copied: the scene may
// go away.
#include "model/build/build.h"

#include <stdint.h>
#include <string.h>

static const lb_mesh* copy_mesh(lb_arena* arena, const lb_mesh* mesh) {
  lb_mesh* copy = LB_COPY(arena, mesh, 1);
  if (copy) {
    copy->vertex = LB_COPY(arena, mesh->vertex, mesh->nvertex);
    copy->face = LB_COPY(arena, mesh->face, 3 * mesh->nface);
  }
  return lb_arena_status(arena) == LB_OK ? copy : NULL;
}

static const lb_height_grid* copy_grid(lb_arena* arena, const lb_height_grid* grid) {
  lb_height_grid* copy = LB_COPY(arena, grid, 1);
  if (copy) {
    copy->height = LB_COPY(arena, grid->height, grid->nx * grid->ny);
  }
  return lb_arena_status(arena) == LB_OK ? copy : NULL;
}

// Meshes met so far and their copies, by address: open addressing, at most half full.
typedef struct copies {
  lb_arena arena;
  size_t mask;
  struct {
    const lb_mesh *from, *to;
  } * slot; // [mask + 1]
} copies;

static bool copies_make(copies* c, const lb_build* b) {
  lb_arena_init(&c->arena, b->arena->allocator);
  c->mask = 15;
  while (c->mask < 2 * (size_t)b->scene->nshape) {
    c->mask = 2 * c->mask + 1;
  }
  c->slot = lb_arena_take_array(&c->arena, c->mask + 1, sizeof *c->slot, _Alignof(void*));
  return c->slot;
}

// A mesh that several shapes share is copied once.
static const lb_mesh* model_mesh(lb_build* b, copies* c, const lb_mesh* mesh) {
  size_t i = ((uint64_t)(uintptr_t)mesh * 0x9E3779B97F4A7C15u) >> 32 & c->mask; // by Fibonacci
  while (c->slot[i].from && c->slot[i].from != mesh) {
    i = (i + 1) & c->mask;
  }
  if (!c->slot[i].from) {
    c->slot[i].from = mesh;
    c->slot[i].to = copy_mesh(b->arena, mesh);
  }
  return c->slot[i].to;
}

static bool copy_shapes(lb_build* b) {
  const lb_scene* s = b->scene;
  copies c;
  bool done = copies_make(&c, b);
  for (int i = 0; i < s->nshape && done; i++) {
    const lb_scene_shape* shape = &s->shape[i];
    lb_model_shape* to = &b->m->look.shape[i];
    *to = (lb_model_shape){shape->body, shape->shape, shape->pose, shape->material};
    if (shape->shape.mesh) {
      to->shape.mesh = model_mesh(b, &c, shape->shape.mesh);
      done = to->shape.mesh;
    }
    if (shape->shape.grid) {
      to->shape.grid = copy_grid(b->arena, shape->shape.grid);
      done = to->shape.grid;
    }
  }
  lb_arena_release(&c.arena);
  return done;
}

// Surfaces that paths wrap over, where they have a look. One without an end is drawn six radii
// long.
static void add_wraps(lb_build* b) {
  static const lb_shape_type type[LB_WRAP_COUNT] = {[LB_WRAP_CYLINDER] = LB_SHAPE_CYLINDER,
                                                    [LB_WRAP_SPHERE] = LB_SHAPE_SPHERE,
                                                    [LB_WRAP_CAPSULE] = LB_SHAPE_CAPSULE,
                                                    [LB_WRAP_ELLIPSOID] = LB_SHAPE_ELLIPSOID};
  for (int i = 0; i < b->scene->nwrap; i++) {
    const lb_scene_wrap* w = &b->scene->wrap[i];
    lb_shape shape = {.type = type[w->kind], .size = w->size};
    if (w->kind == LB_WRAP_CYLINDER && !(w->size.y > 0)) {
      shape.size.y = 6 * w->size.x;
    }
    if (w->material >= 0) {
      b->m->look.shape[b->m->look.nshape++] =
          (lb_model_shape){w->body, shape, w->pose, w->material};
    }
  }
}

lb_status lb_build_looks(lb_build* b) {
  const lb_scene* s = b->scene;
  lb_model* m = b->m;
  m->look.nshape = s->nshape;
  if (!copy_shapes(b)) {
    return LB_NO_MEMORY;
  }
  add_wraps(b);
  m->look.nmaterial = s->nmaterial;
  for (int i = 0; i < s->nmaterial; i++) {
    m->look.material[i] = s->material[i];
    m->look.material[i].place = (lb_place){0};
    m->look.material[i].name = lb_build_text(b, s->material[i].name);
  }
  return LB_OK;
}
