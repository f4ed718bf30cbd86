// The default allocator: the C library's, on cache lines.
#include "limber/memory.h"

#include <stdint.h>
#include <stdlib.h>

static void* default_allocate(void* context, size_t size) {
  (void)context;
  if (size > SIZE_MAX - LB_ALIGN) {
    return NULL;
  }
  const size_t rounded = (size + LB_ALIGN - 1) / LB_ALIGN * LB_ALIGN;
  return aligned_alloc(LB_ALIGN, rounded ? rounded : LB_ALIGN);
}

static void default_release(void* context, void* block) {
  (void)context;
  free(block);
}

const lb_allocator* lb_allocator_default(void) {
  static const lb_allocator standard = {default_allocate, default_release, NULL};
  return &standard;
}

void* lb_allocate(const lb_allocator* allocator, size_t size) {
  const lb_allocator* from = allocator ? allocator : lb_allocator_default();
  return from->allocate(from->context, size);
}

void lb_release(const lb_allocator* allocator, void* block) {
  const lb_allocator* from = allocator ? allocator : lb_allocator_default();
  if (block) {
    from->release(from->context, block);
  }
}
