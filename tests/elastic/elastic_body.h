// Bodies that the tests of this room share.
#pragma once
#include "elastic/fem/fem.h"
#include "fem_solve.h"
#include "test.h"
#include "tetmesh_measures.h"

typedef struct body {
  lb_arena arena;
  lb_error err;
  lb_tetmesh mesh;
  lb_fem* fem;
} body;

static inline void body_show(const body* b) {
  for (int i = 0; i < b->err.count; i++) {
    print_error("%s\n", b->err.message[i].text);
  }
}

// A body of a definition; the caller releases it.
static inline body body_make(lb_tetmesh_def def, lb_material material) {
  body b = {.err = lb_error_make(NULL)};
  lb_arena_init(&b.arena, NULL);
  lb_status status = lb_tetmesh_make(&def, (lb_place){0}, &b.arena, &b.mesh, &b.err);
  if (status == LB_OK) {
    status = lb_fem_create(NULL, &b.mesh, &material, 2, "body", (lb_place){0}, &b.fem, &b.err);
  }
  body_show(&b);
  assert_int_equal(status, LB_OK);
  return b;
}

static inline void body_release(body* b) {
  lb_fem_release(b->fem);
  lb_error_clear(&b->err);
  lb_arena_release(&b->arena);
}

static inline double* body_vector(body* b) {
  return LB_TAKE(&b->arena, double, b->mesh.nnode * 3);
}

static inline char* body_held(body* b, const char* surface) {
  char* held = LB_TAKE(&b->arena, char, b->mesh.nnode * 3);
  int n = 0, *node = NULL;
  const lb_tetmesh_surface* s = lb_tetmesh_find_surface(&b->mesh, surface);
  assert_non_null(s);
  assert_int_equal(lb_tetmesh_surface_nodes(&b->mesh, s, &b->arena, &n, &node), LB_OK);
  lb_fem_hold(held, n, node);
  return held;
}

// A uniform traction with the given resultant on a surface.
static inline void body_load(body* b, double* f, const char* surface, lb_vec3 force) {
  double* w = LB_TAKE(&b->arena, double, b->mesh.nnode);
  double area = 0;
  lb_tetmesh_surface_load(&b->mesh, lb_tetmesh_find_surface(&b->mesh, surface), w);
  for (int i = 0; i < b->mesh.nnode; i++) {
    area += w[i];
  }
  for (int i = 0; i < b->mesh.nnode; i++) {
    f[3 * i] += w[i] / area * force.x;
    f[3 * i + 1] += w[i] / area * force.y;
    f[3 * i + 2] += w[i] / area * force.z;
  }
}

// The mean of u over a surface, weighted by area.
static inline lb_vec3 body_mean(body* b, const double* u, const char* surface) {
  double* w = LB_TAKE(&b->arena, double, b->mesh.nnode);
  lb_tetmesh_surface_load(&b->mesh, lb_tetmesh_find_surface(&b->mesh, surface), w);
  lb_vec3 sum = {0, 0, 0};
  double area = 0;
  for (int i = 0; i < b->mesh.nnode; i++) {
    sum = lb_vec3_add(sum, lb_vec3_scale(w[i], lb_vec3_make(u[3 * i], u[3 * i + 1], u[3 * i + 2])));
    area += w[i];
  }
  return lb_vec3_scale(1 / area, sum);
}

static inline double body_dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// A beam along x, z up.
static inline lb_tetmesh_def beam_def(double length, double width, double height, int along,
                                      int across, int around, int order) {
  lb_tetmesh_def d = lb_tetmesh_def_default();
  d.kind = LB_TETMESH_BOX;
  d.b = lb_vec3_make(length, 0, 0);
  d.width = width;
  d.height = height;
  d.along = along;
  d.across = across;
  d.around = around;
  d.order = order;
  return d;
}
