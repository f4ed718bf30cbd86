// Bump allocation: many small pieces that live and die together. Descriptions and models are each
// one arena, so releasing them is one call and a failure half-way leaves nothing behind. An arena
// remembers that it ran out and gives nothing from then on, until it is released: take all pieces,
// then ask once.
#pragma once
#include "limber/memory.h"
#include "limber/status.h"

typedef struct lb_arena_block lb_arena_block;

typedef struct lb_arena {
  const lb_allocator* allocator;
  lb_arena_block* top; // newest block; older ones hang below it
  bool failed;         // a piece was refused since the arena was made or released
} lb_arena;

// A place in the arena to come back to.
typedef struct lb_arena_mark {
  lb_arena_block* block;
  size_t used;
} lb_arena_mark;

void lb_arena_init(lb_arena* arena, const lb_allocator* allocator);
void lb_arena_release(lb_arena* arena);

// Zeroed memory aligned to `align` (a power of two, at most LB_ALIGN), or NULL when there is none.
void* lb_arena_take(lb_arena* arena, size_t size, size_t align);

// LB_NO_MEMORY when any piece was refused, so that others are NULL, too; LB_OK otherwise.
lb_status lb_arena_status(const lb_arena* arena);
// lb_arena_status with the message "out of memory for" `what`.
lb_status lb_arena_check(const lb_arena* arena, const char* what, lb_error* err);

// Ownership of an arena by a piece of it: a pointer to give back to lb_arena_release_kept, made
// after the last piece was taken; NULL when there is no memory.
void* lb_arena_keep(lb_arena* arena);
void lb_arena_release_kept(void* kept);

lb_arena_mark lb_arena_here(const lb_arena* arena);
void lb_arena_reset(lb_arena* arena, lb_arena_mark mark);

// A copy of the first `length` bytes of `text`, ended by a NUL; NULL when there is no memory.
char* lb_arena_text(lb_arena* arena, const char* text, size_t length);

// `count` zeroed objects of a type; a count of 0 gives a valid pointer. NULL when there is no
// memory.
#define LB_TAKE(arena, type, count)                                                                \
  ((type*)lb_arena_take_array((arena), (size_t)(count), sizeof(type), _Alignof(type)))
void* lb_arena_take_array(lb_arena* arena, size_t count, size_t size, size_t align);

// A copy of `count` objects, which may be NULL where there are none; NULL when there is no memory.
#define LB_COPY(arena, from, count) lb_arena_copy((arena), (from), (size_t)(count), sizeof *(from))
void* lb_arena_copy(lb_arena* arena, const void* from, size_t count, size_t size);

// Room for one more element at the end of a growing array that lives in the arena: returns the
// (perhaps moved) array or NULL when there is no memory. Outgrown copies stay in the arena until it
// is released.
#define LB_GROW(arena, array, count, capacity)                                                     \
  lb_arena_grow((arena), (array), (count), (capacity), sizeof *(array), LB_ALIGN)
void* lb_arena_grow(lb_arena* arena, void* array, int count, int* capacity, size_t size,
                    size_t align);
