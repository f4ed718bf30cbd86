// Arena of chained blocks. A block's header and payload are one allocation; the payload starts on a
// cache line.
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/assert.h"

struct lb_arena_block {
  lb_arena_block* below;
  size_t size; // payload bytes
  size_t used;
  char pad[LB_ALIGN - sizeof(void*) - 2 * sizeof(size_t)]; // keeps the payload on a cache line
  char payload[];
};

#ifndef LB_ARENA_BLOCK // a test has a block for each piece
#define LB_ARENA_BLOCK (32 * 1024)
#endif
static const size_t BLOCK_SIZE = LB_ARENA_BLOCK;

void lb_arena_init(lb_arena* arena, const lb_allocator* allocator) {
  arena->allocator = allocator ? allocator : lb_allocator_default();
  arena->top = NULL;
  arena->failed = false;
}

void lb_arena_release(lb_arena* arena) {
  lb_arena_reset(arena, (lb_arena_mark){NULL, 0});
  arena->failed = false;
}

lb_status lb_arena_status(const lb_arena* arena) {
  return arena->failed ? LB_NO_MEMORY : LB_OK;
}

lb_status lb_arena_check(const lb_arena* arena, const char* what, lb_error* err) {
  return arena->failed
             ? lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for %s", what)
             : LB_OK;
}

void* lb_arena_keep(lb_arena* arena) {
  lb_arena* kept = LB_TAKE(arena, lb_arena, 1);
  if (kept) {
    *kept = *arena;
  }
  return kept;
}

void lb_arena_release_kept(void* kept) {
  if (kept) {
    lb_arena arena = *(lb_arena*)kept;
    lb_arena_release(&arena);
  }
}

lb_arena_mark lb_arena_here(const lb_arena* arena) {
  return (lb_arena_mark){arena->top, arena->top ? arena->top->used : 0};
}

void lb_arena_reset(lb_arena* arena, lb_arena_mark mark) {
  while (arena->top != mark.block) {
    lb_arena_block* gone = arena->top;
    arena->top = gone->below;
    lb_release(arena->allocator, gone);
  }
  if (arena->top) {
    arena->top->used = mark.used;
  }
}

static lb_arena_block* add_block(lb_arena* arena, size_t size) {
  lb_arena_block* block = NULL;
  if (!arena->failed && size <= SIZE_MAX - sizeof *block) {
    block = lb_allocate(arena->allocator, sizeof *block + size);
  }
  arena->failed = !block;
  if (block) {
    *block = (lb_arena_block){.below = arena->top, .size = size};
    arena->top = block;
  }
  return block;
}

void* lb_arena_take(lb_arena* arena, size_t size, size_t align) {
  LB_ASSERT(align <= LB_ALIGN && (align & (align - 1)) == 0);
  lb_arena_block* block = arena->top;
  size_t start = block ? (block->used + align - 1) & ~(align - 1) : 0;
  if (arena->failed || !block || start > block->size || size > block->size - start) {
    block = add_block(arena, size > BLOCK_SIZE ? size : BLOCK_SIZE);
    if (!block) {
      return NULL;
    }
    start = 0;
  }
  block->used = start + size;
  return memset(block->payload + start, 0, size);
}

void* lb_arena_take_array(lb_arena* arena, size_t count, size_t size, size_t align) {
  const bool too_many = size && count > SIZE_MAX / size;
  return lb_arena_take(arena, too_many ? SIZE_MAX : count * size, align);
}

char* lb_arena_text(lb_arena* arena, const char* text, size_t length) {
  char* copy = lb_arena_take(arena, length + 1, 1);
  if (copy && length) {
    memcpy(copy, text, length);
  }
  return copy;
}

void* lb_arena_copy(lb_arena* arena, const void* from, size_t count, size_t size) {
  void* to = lb_arena_take_array(arena, count, size, LB_ALIGN);
  if (to && count > 0) {
    memcpy(to, from, count * size);
  }
  return to;
}

void* lb_arena_grow(lb_arena* arena, void* array, int count, int* capacity, size_t size,
                    size_t align) {
  if (count < *capacity) {
    return array;
  }
  const int wanted = *capacity ? 2 * *capacity : 8;
  void* moved = lb_arena_take_array(arena, (size_t)wanted, size, align);
  if (!moved) {
    return NULL;
  }
  if (count) {
    memcpy(moved, array, (size_t)count * size);
  }
  *capacity = wanted;
  return moved;
}
