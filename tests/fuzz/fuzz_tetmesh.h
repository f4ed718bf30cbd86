// What the readers of tetrahedral meshes are fuzzed with: read, check, measure, look at the
// surfaces. Broken promises abort.
#pragma once
#include <stdint.h>
#include <stdlib.h>

#include "../tetmesh_measures.h"
#include "geom/tet/tetmesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static inline void fuzz_expect(bool holds) {
  if (!holds) {
    abort();
  }
}

static inline void fuzz_tetmesh_use(const lb_tetmesh* mesh, lb_arena* arena, lb_error* err) {
  for (int k = 0; k < mesh->nelem * lb_tetmesh_elem_nodes(mesh); k++) {
    fuzz_expect(mesh->elem[k] >= 0 && mesh->elem[k] < mesh->nnode);
  }
  for (int i = 0; i < mesh->nsurface; i++) {
    int n, *node;
    double* weight;
    if (mesh->surface[i].nface == 0) { // named, but inside
      continue;
    }
    fuzz_expect(lb_tetmesh_surface_weights(mesh, &mesh->surface[i], arena, &n, &node, &weight) ==
                LB_OK);
    fuzz_expect(n >= 1); // elements may be degenerate: the check below says so
  }
  double worst, mean;
  lb_tetmesh_quality(mesh, &worst, &mean);
  if (lb_tetmesh_check(mesh, "fuzz", (lb_place){0}, arena, err) == LB_OK) {
    fuzz_expect(worst > 0);
  }
}

static inline void fuzz_tetmesh(lb_status (*parse)(const char*, size_t, const char*, lb_arena*,
                                                   lb_tetmesh*, lb_error*),
                                const uint8_t* data, size_t size) {
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_error err = lb_error_make(NULL);
  lb_tetmesh mesh;
  const lb_status status = parse((const char*)data, size, "fuzz", &arena, &mesh, &err);
  fuzz_expect((status == LB_OK) == (err.count == 0));
  if (status == LB_OK) {
    fuzz_expect(mesh.nelem > 0 && mesh.nregion > 0);
    fuzz_tetmesh_use(&mesh, &arena, &err);
  }
  lb_error_clear(&err);
  lb_arena_release(&arena);
}
