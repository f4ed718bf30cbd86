// An allocator that counts what is out and can refuse the n-th request.
#pragma once
#include "limber/memory.h"

typedef struct lb_counting {
  long requests;
  long live;
  long refuse; // the request that fails, counted from 1; 0: none
} lb_counting;

static inline void* lb_counting_allocate(void* context, size_t size) {
  lb_counting* c = context;
  if (++c->requests == c->refuse) {
    return NULL;
  }
  void* block = lb_allocate(NULL, size);
  c->live += block != NULL;
  return block;
}

static inline void lb_counting_release(void* context, void* block) {
  ((lb_counting*)context)->live--;
  lb_release(NULL, block);
}

static inline lb_allocator lb_counting_allocator(lb_counting* c) {
  return (lb_allocator){lb_counting_allocate, lb_counting_release, c};
}
