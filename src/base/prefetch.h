// Memory that will be read or written soon, where what comes is known and the processor cannot
// guess it.
#pragma once
#include <stddef.h>

enum { LB_LINE = 64 }; // bytes of a cache line

static inline void lb_prefetch(const void* from, size_t size) {
  for (size_t k = 0; k < size; k += LB_LINE) {
    __builtin_prefetch((const char*)from + k);
  }
}
