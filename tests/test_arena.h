// An arena for each test of a program: give `begin` and `end` as setup and teardown.
#pragma once
#include "base/arena.h"
#include "test.h"

static lb_arena arena;

static inline int begin(void** state) {
  (void)state;
  lb_arena_init(&arena, NULL);
  return 0;
}

static inline int end(void** state) {
  (void)state;
  lb_arena_release(&arena);
  return 0;
}
