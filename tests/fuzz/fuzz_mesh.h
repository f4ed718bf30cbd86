// What the mesh readers are fuzzed with: read, check, measure, draw. Broken promises abort.
#pragma once
#include <stdint.h>
#include <stdlib.h>

#include "geom/mesh/triangle_mesh.h"
#include "geom/shape/shape.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static inline void fuzz_expect(bool holds) {
  if (!holds) {
    abort();
  }
}

static inline void fuzz_use(const lb_mesh* mesh, lb_arena* arena, lb_error* err) {
  for (int i = 0; i < 3 * mesh->nface; i++) {
    fuzz_expect(mesh->face[i] >= 0 && mesh->face[i] < mesh->nvertex);
  }
  if (lb_mesh_check(mesh, "fuzz", (lb_place){0}, arena, err) == LB_OK) {
    fuzz_expect(lb_mesh_integrate(mesh).volume > 0);
  }
  const lb_shape shape = {LB_SHAPE_MESH, {1, -2, 3}, mesh, NULL};
  lb_mesh drawn;
  lb_vec3* normal;
  fuzz_expect(lb_shape_tessellate(&shape, 8, arena, &drawn, &normal) == LB_OK);
  fuzz_expect(drawn.nface == mesh->nface);
}

static inline void fuzz_mesh(lb_status (*parse)(const char*, size_t, const char*, lb_arena*,
                                                lb_mesh*, lb_error*),
                             const uint8_t* data, size_t size) {
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_error err = lb_error_make(NULL);
  lb_mesh mesh;
  const lb_status status = parse((const char*)data, size, "fuzz", &arena, &mesh, &err);
  fuzz_expect((status == LB_OK) == (err.count == 0));
  if (status == LB_OK) {
    fuzz_expect(mesh.nface > 0);
    fuzz_use(&mesh, &arena, &err);
  }
  lb_error_clear(&err);
  lb_arena_release(&arena);
}
