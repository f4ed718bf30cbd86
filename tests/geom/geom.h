// Meshes and allocators that the tests of this room share.
#pragma once
#include "geom/mesh/triangle_mesh.h"
#include "geom/shape/shape.h"
#include "test.h"

static inline void assert_vec3_near(lb_vec3 a, lb_vec3 b, double tolerance) {
  assert_near(a.x, b.x, tolerance);
  assert_near(a.y, b.y, tolerance);
  assert_near(a.z, b.z, tolerance);
}

static inline void assert_sym3_near(lb_sym3 a, lb_sym3 b, double tolerance) {
  assert_near(a.xx, b.xx, tolerance);
  assert_near(a.yy, b.yy, tolerance);
  assert_near(a.zz, b.zz, tolerance);
  assert_near(a.xy, b.xy, tolerance);
  assert_near(a.xz, b.xz, tolerance);
  assert_near(a.yz, b.yz, tolerance);
}

static inline void assert_mass_near(lb_mass a, lb_mass b, double tolerance) {
  assert_near(a.mass, b.mass, tolerance);
  assert_vec3_near(a.com, b.com, tolerance);
  assert_sym3_near(a.inertia, b.inertia, tolerance);
}

// The tetrahedron of the origin and the unit points, outward faces.
static lb_vec3 tetrahedron_vertex[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static int tetrahedron_face[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
static const lb_mesh tetrahedron = {4, 4, tetrahedron_vertex, tetrahedron_face};

// The cube from 0 to 1; vertex i has the bits of i as coordinates.
static lb_vec3 cube_vertex[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static int cube_face[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const lb_mesh cube = {8, 12, cube_vertex, cube_face};

// An allocator that fails from its n-th block on, and counts the blocks that are held.
typedef struct lb_stingy {
  int left, held;
  bool failed;
} lb_stingy;

static inline void* stingy_allocate(void* context, size_t size) {
  lb_stingy* s = context;
  if (s->left-- <= 0) {
    s->failed = true;
    return NULL;
  }
  s->held++;
  return lb_allocate(NULL, size);
}

static inline void stingy_release(void* context, void* block) {
  ((lb_stingy*)context)->held--;
  lb_release(NULL, block);
}
