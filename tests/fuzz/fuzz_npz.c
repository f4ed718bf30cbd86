// Fuzzing of the reader of NumPy's files, and of reduced bodies in them: what is accepted must make
// a body whose forces can be evaluated.
#include <stdint.h>
#include <stdlib.h>

#include "elastic/reduced/stored.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void expect(bool holds) {
  if (!holds) {
    abort();
  }
}

static void use(const lb_stored* s, lb_arena* arena) {
  lb_reduced* b = NULL;
  lb_tetmesh mesh;
  expect(lb_stored_build(s, arena, &b) == LB_OK);
  expect(lb_stored_mesh(s, arena, &mesh) == LB_OK);
  for (int f = 0; f < s->nface; f++) {
    const lb_basis_face face = lb_stored_face(s, f);
    for (int i = 0; i < face.count; i++) {
      expect(face.node[i] >= 0 && face.node[i] < mesh.nnode);
    }
  }
  double* f = LB_TAKE(arena, double, b->r);
  double* eta = LB_TAKE(arena, double, b->r);
  double* scratch = LB_TAKE(arena, double, b->internal.scratch);
  expect(f && eta && scratch);
  b->internal.force(b->internal.context, f, NULL, eta, NULL, scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_error err = lb_error_make(NULL);
  lb_stored stored;
  const lb_status status = lb_stored_unpack((const char*)data, size, "fuzz", &arena, &stored, &err);
  expect((status == LB_OK) == (err.count == 0));
  if (status == LB_OK) {
    use(&stored, &arena);
  }
  lb_error_clear(&err);
  lb_arena_release(&arena);
  return 0;
}
