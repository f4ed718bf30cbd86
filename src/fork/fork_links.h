// Links of a reduced mechanism, several at a time in the lanes of registers (fork_links.c).
#pragma once
#include "fork/fork_inside.h"

typedef struct lb_fork_links_table {
  int nlink, count, batches;
  const int* parent; // [nlink] by joints: on which link each is; NULL: every one on its own
  double* twist;     // [batches][6][count][lanes] twists by y
  double* pose; // [batches][7][lanes] where links are in equilibrium, in their parents or the base
} lb_fork_links_table;

// Tables from twists of links by y [nlink][6][count] along their own axes, and poses [nlink]. By
// joints: twists and poses relative to the parents. false: no memory.
bool lb_fork_links_take(lb_fork_links_table* t, lb_arena* arena, const lb_fork* f,
                        const double* follow, const lb_transform* pose, bool joints);

// Links at y [count]; a chain of them from `base` on.
void lb_fork_links_place(const lb_fork_links_table* t, const double* y, const lb_transform* base,
                         int threads, lb_transform* link);

// Do joints move by constant twists along their links' axes?
bool lb_fork_joints_are_simple(const lb_fork* f);
