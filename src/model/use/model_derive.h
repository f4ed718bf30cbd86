// Models with changes. A derived model shares everything with the one it comes from, which must
// outlive it, but for the arrays it gets as its own.
#pragma once
#include "base/arena.h"
#include "limber/model.h"

// An array of the derived model: the address of the pointer to it, how many it has, their size.
typedef struct lb_model_array {
  void* array;
  int count;
  size_t size;
} lb_model_array;
#define LB_MODEL_ARRAY(pointer, n)                                                                 \
  { &(pointer), n, sizeof *(pointer) }

// A copy of `from` at `to`, with `count` arrays of `to` copied into the arena; false: no memory.
bool lb_model_derive(lb_model* to, const lb_model* from, lb_arena* arena,
                     const lb_model_array* array, size_t count);
#define LB_MODEL_DERIVE(to, from, arena, array)                                                    \
  lb_model_derive(to, from, arena, array, sizeof(array) / sizeof *(array))

// A derived model in an arena of its own, its `storage`, without variants (full, condensed,
// interface, assembly); to be released as any other. NULL: no memory.
lb_model* lb_model_derive_apart(const lb_model* from, const lb_allocator* allocator);
