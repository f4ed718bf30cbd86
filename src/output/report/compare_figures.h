// Two runs in a few figures, from the tables that they left.
#pragma once
#include "base/arena.h"
#include "limber/recording.h"

// Text of trajectory.csv and forces.csv of a run; the second may be NULL.
typedef struct lb_run_tables {
  const char* trajectory;
  size_t trajectory_size;
  const char* forces;
  size_t forces_size;
} lb_run_tables;

// false: there is no memory.
bool lb_compare_figures(const lb_run_tables run[2], lb_arena* arena, lb_compared* out);
