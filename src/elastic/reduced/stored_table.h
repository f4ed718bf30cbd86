// The arrays of a reduced body's file, in one table: the writer, the reader and the file's own
// readme go by it.
#pragma once
#include <stddef.h>

#include "base/npz.h"
#include "elastic/reduced/stored.h"

typedef struct lb_stored_field {
  const char* name;
  lb_npz_type type;
  size_t offset;                // of the pointer in lb_stored
  int ndim;                     // 0: a single value
  size_t size[LB_NPZ_MOST_DIM]; // offsets of its lengths in lb_stored
  const char* shape;            // shape, in words
  const char* about;
} lb_stored_field;

extern const lb_stored_field lb_stored_fields[];
extern const int lb_stored_nfield;

static inline void** lb_stored_data(lb_stored* s, const lb_stored_field* f) {
  return (void**)((char*)s + f->offset);
}
static inline int* lb_stored_size(lb_stored* s, const lb_stored_field* f, int i) {
  return (int*)((char*)s + f->size[i]);
}

// Material of a region, without its damping; of an unknown model, LB_MATERIAL_MODEL_COUNT.
lb_material lb_stored_material(const lb_stored* s, int region);

// Number of numbers or texts it holds.
size_t lb_stored_count(const lb_stored* s, const lb_stored_field* f);

// Lengths that never change, the others 0; and zeroed arrays of the lengths that are set.
lb_stored lb_stored_begin(void);
lb_status lb_stored_take(lb_stored* s, lb_arena* arena);

// Description in the file, in `arena`; NULL without memory.
const char* lb_stored_readme(lb_arena* arena);

// Values of state i of check_eta.
typedef struct lb_stored_state {
  double* force; // [r]
  double energy, kinetic;
} lb_stored_state;
// False without memory; what it takes stays in `arena`.
bool lb_stored_evaluate(const lb_reduced* b, const lb_stored* s, int i, lb_arena* arena,
                        lb_stored_state* e);
