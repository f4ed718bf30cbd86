// The same character with everything a little softer, stiffer, lighter or heavier.
#include "design/retarget/retarget_search.h"

static lb_status vary(const lb_model* m, const lb_factors* f, lb_arena* arena, lb_model** out,
                      lb_error* err) {
  lb_material_change* material = LB_TAKE(arena, lb_material_change, m->look.nmaterial);
  lb_mass_change* mass = LB_TAKE(arena, lb_mass_change, m->nbody);
  lb_variation v = {.material = material, .mass = mass};
  if (!material || !mass) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a variation");
  }
  const bool elastic = f->stiffness != 1 || f->damping != 1;
  for (int k = 0; k < m->look.nmaterial && elastic; k++) {
    bool used = false;
    for (int e = 0; e < m->elastic.count; e++) {
      used = used || (m->elastic.body[e].material == k && m->elastic.body[e].nregion == 0);
    }
    if (used) {
      const lb_scene_material* s = &m->look.material[k];
      material[v.nmaterial++] =
          (lb_material_change){k, s->young * f->stiffness, s->damping_mass * f->damping,
                               s->damping_stiffness * f->damping};
    }
  }
  for (int b = 0; b < m->nbody && f->mass != 1; b++) {
    mass[v.nmass++] = (lb_mass_change){b, f->mass};
  }
  return lb_model_vary(m, &v, arena->allocator, out, err);
}

lb_status lb_vary(const lb_model* m, const lb_factors* factors, const lb_allocator* allocator,
                  lb_model** out, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  const lb_status status = vary(m, factors, &arena, out, err);
  lb_arena_release(&arena);
  return status;
}
