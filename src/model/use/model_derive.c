#include "model/use/model_derive.h"

bool lb_model_derive(lb_model* to, const lb_model* from, lb_arena* arena,
                     const lb_model_array* array, size_t count) {
  if (to != from) {
    *to = *from;
  }
  for (size_t i = 0; i < count; i++) {
    void** at = array[i].array;
    void* own = lb_arena_copy(arena, *at, (size_t)array[i].count, array[i].size);
    if (!own) {
      return false;
    }
    *at = own;
  }
  return true;
}

lb_model* lb_model_derive_apart(const lb_model* from, const lb_allocator* allocator) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_model* m = LB_TAKE(&arena, lb_model, 1);
  lb_arena* kept = LB_TAKE(&arena, lb_arena, 1);
  lb_model_deformable* deformable =
      LB_COPY(&arena, from->particles.deformable, from->particles.ndeformable);
  if (!m || !kept || !deformable) {
    lb_arena_release(&arena);
    return NULL;
  }
  *kept = arena;
  *m = *from;
  m->storage = kept;
  m->variant.full = m->variant.condensed = m->variant.interface = m->variant.assembly = NULL;
  m->elastic.nfem = 0; // meshes stay with the model that owns them
  m->particles.deformable = deformable;
  for (int i = 0; i < m->particles.ndeformable; i++) {
    deformable[i].shared = true;
  }
  return m;
}
