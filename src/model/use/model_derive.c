#include "model/use/model_derive.h"

#include "model/use/link.h"

const lb_model* lb_model_simulated(const lb_model* model) {
  return model->variants ? model->variants->simulated : model;
}

bool lb_model_own(lb_arena* arena, const lb_model_array* array, size_t count) {
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

bool lb_model_own_links(lb_model* m, lb_arena* arena) {
  const lb_model_array own[] = {LB_MODEL_ARRAY(m->link.packed, m->nlink)};
  return LB_MODEL_OWN(arena, own);
}

static lb_model* replace(lb_model* in, const lb_model* from, lb_model* to) {
  return in == from ? to : in;
}

lb_model* lb_model_derive(const lb_model* from, lb_arena* arena) {
  lb_model* m = LB_TAKE(arena, lb_model, 1);
  lb_variants* v = LB_TAKE(arena, lb_variants, 1);
  if (!m || !v) {
    return NULL;
  }
  *m = *from;
  if (from->variants) {
    *v = *from->variants;
    v->shown = replace(v->shown, from, m);
    v->simulated = replace(v->simulated, from, m);
    v->assembly = replace(v->assembly, from, m);
    v->nowned = 0;
    m->variants = v;
  }
  return m;
}

lb_model* lb_model_derive_apart(const lb_model* from, const lb_allocator* allocator) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_model* m = lb_model_derive(from, &arena);
  lb_arena* kept = LB_TAKE(&arena, lb_arena, 1);
  lb_model_deformable* deformable =
      LB_COPY(&arena, from->particles.deformable, from->particles.ndeformable);
  if (!m || !kept || !deformable) {
    lb_arena_release(&arena);
    return NULL;
  }
  *kept = arena;
  m->storage = kept;
  m->elastic.nfem = 0; // meshes stay with the model that owns them
  m->mechanism.owned = false;
  m->particles.deformable = deformable;
  for (int i = 0; i < m->particles.ndeformable; i++) {
    deformable[i].shared = true;
  }
  return m;
}

const lb_model* lb_model_without_particles(const lb_model* m, lb_arena* arena) {
  if (m->particles.nparticle == 0) {
    return m;
  }
  lb_model* tree = lb_model_derive(m, arena);
  if (tree) {
    tree->nq -= 3 * m->particles.nfree;
    tree->nv -= 3 * m->particles.nfree;
    tree->particles = (lb_model_particles){0};
  }
  return tree;
}
