// Cutting one block into aligned pieces. Lay things out twice with the same code: first with base
// NULL to measure, then with the block to hand out. Sizes that no number holds measure as the
// largest, of which no allocator has a block: that is all there is to check.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "limber/memory.h"

typedef struct lb_carver {
  char* base; // NULL while measuring
  size_t used;
} lb_carver;

static inline void* lb_carve(lb_carver* c, size_t count, size_t size) {
  void* piece = c->base ? c->base + c->used : NULL;
  const size_t left = SIZE_MAX - c->used, most = left < LB_ALIGN ? 0 : left - LB_ALIGN;
  const bool fits = size == 0 || count <= most / size;
  c->used = fits ? c->used + (count * size + LB_ALIGN - 1) / LB_ALIGN * LB_ALIGN : SIZE_MAX;
  return piece;
}
