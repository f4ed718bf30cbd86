// Models with changes, and the models of one scene. A derived model shares everything with the one
// it comes from, which must outlive it, but for the arrays it gets as its own.
#pragma once
#include "base/arena.h"
#include "limber/model.h"

// Models of one scene, by what they are for. All that serve the same purpose are one.
typedef struct lb_variants {
  lb_model* shown;     // as written, elastic bodies in a basis: recorded and drawn
  lb_model* simulated; // moves: `shown`, or with all nodes of elastic bodies
  lb_model* assembly;  // closes loops at the start: `simulated`, or, where that is in maximal
                       // coordinates, with its joints in trees
  lb_model* condensed; // of all nodes: with the few coordinates its steps solve for; else NULL
  lb_model* interface; // of all nodes: with what faces feel of them, for derivatives; else NULL
  lb_model* owned[4];  // released with `shown`
  int nowned;
} lb_variants;

// The variants of a model that moves; of any other model it is alone.
static inline lb_variants lb_model_variants(const lb_model* m) {
  lb_model* self = (lb_model*)m;
  return m->variants && m->variants->simulated == m
             ? *m->variants
             : (lb_variants){.shown = self, .simulated = self, .assembly = self};
}

// A model that closes loops at the start in place of m, or NULL: m does so itself.
static inline const lb_model* lb_model_assembly(const lb_model* m) {
  const lb_model* closes = lb_model_variants(m).assembly;
  return closes == m ? NULL : closes;
}

// Condensed and interface model of a model with all nodes; NULL of others.
static inline const lb_model* lb_model_condensed(const lb_model* m) {
  return lb_model_variants(m).condensed;
}
static inline const lb_model* lb_model_interface(const lb_model* m) {
  return lb_model_variants(m).interface;
}

// A copy of `from` in the arena, which takes its place among the variants of the scene. NULL: no
// memory.
lb_model* lb_model_derive(const lb_model* from, lb_arena* arena);

// A derived model in an arena of its own, its `storage`; to be released as any other.
lb_model* lb_model_derive_apart(const lb_model* from, const lb_allocator* allocator);

// The model without particles: m itself where it has none. NULL: no memory.
const lb_model* lb_model_without_particles(const lb_model* m, lb_arena* arena);

// An array of a derived model: the address of the pointer to it, how many it has, their size.
typedef struct lb_model_array {
  void* array;
  int count;
  size_t size;
} lb_model_array;
#define LB_MODEL_ARRAY(pointer, n)                                                                 \
  { &(pointer), n, sizeof *(pointer) }

// Copies of `count` arrays of a derived model in the arena, for it to own; false: no memory.
bool lb_model_own(lb_arena* arena, const lb_model_array* array, size_t count);
// Its links.
bool lb_model_own_links(lb_model* m, lb_arena* arena);
#define LB_MODEL_OWN(arena, array) lb_model_own(arena, array, sizeof(array) / sizeof *(array))
