// Cutting one block into aligned pieces. Lay things out twice with the same code: first with base
// NULL to measure, then with the block to hand out.
#pragma once
#include "limber/memory.h"

typedef struct lb_carver {
  char* base; // NULL while measuring
  size_t used;
} lb_carver;

static inline void* lb_carve(lb_carver* c, size_t count, size_t size) {
  void* piece = c->base ? c->base + c->used : NULL;
  c->used += (count * size + LB_ALIGN - 1) / LB_ALIGN * LB_ALIGN;
  return piece;
}
