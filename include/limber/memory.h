// Allocators. Pass NULL wherever an allocator is asked for to use the C library's.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Memory by callbacks. Blocks must be aligned to LB_ALIGN bytes; NULL means there is none left.
typedef struct lb_allocator {
  void* (*allocate)(void* context, size_t size);
  void (*release)(void* context, void* block); ///< `block` is never NULL
  void* context;
} lb_allocator;

/// Every block starts on a cache line, so vector loads never straddle one.
enum { LB_ALIGN = 64 };

/// The C library's allocator.
const lb_allocator* lb_allocator_default(void);

/// A block of `size` bytes, or NULL. `allocator` may be NULL.
void* lb_allocate(const lb_allocator* allocator, size_t size);

/// Give a block back; NULL is ignored. `allocator` is the one it came from.
void lb_release(const lb_allocator* allocator, void* block);

#ifdef __cplusplus
}
#endif
