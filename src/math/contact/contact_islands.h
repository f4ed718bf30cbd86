// Islands of a contact problem, which do not act on each other, and colours of the blocks in each:
// blocks of one colour share no group, so they may be solved at the same time. In large islands
// blocks that follow each other on the same groups, as the points of two bodies do, are a run of
// one colour for one thread: so there are fewer colours, between which threads meet. The order
// depends on the problem alone. Nothing here allocates.
#pragma once
#include <stdint.h>

#include "base/carve.h"
#include "math/contact/contact_problem.h"

enum { LB_ISLAND_TEAM = 512 }; // blocks from which all threads work on one island

typedef struct lb_contact_islands {
  int nisland;
  int* first;        // [nisland + 1] first place of each island in `block`
  int* block;        // [nblock] blocks by island, then colour, then number
  int* first_colour; // [nisland + 1] first colour of each island in `colour`
  int* colour;       // [all colours + 1] first place of each colour in `block`
  bool* serial;      // [all colours] its blocks share groups, and come one after the other
  int* first_group;  // [nisland + 1] first place of each island in `group`
  int* group;        // [groups that blocks act on] by island, rising
  int* island_of;    // [nblock]
  int* parent;       // [ngroup + 1] -1 - island of a group that a block acts on
  // --- scratch
  int *count, *sorted;      // [nblock + 66], [nblock]
  int (*sides)[2];          // [nblock] groups of each
  uint64_t* used;           // [ngroup] colours of a group's blocks
  unsigned char* colour_of; // [nblock]
} lb_contact_islands;

void lb_contact_islands_carve(lb_contact_islands* s, lb_carver* c, int nblock, int ngroup);
void lb_contact_islands_find(lb_contact_islands* s, const lb_contact_problem* p);
// The first place from k > 0 on, up to `end`, where a run of a large island begins.
int lb_contact_islands_run(const lb_contact_islands* s, int k, int end);
// Whether a block acts on group g.
static inline bool lb_contact_islands_has(const lb_contact_islands* s, int g) {
  return s->parent[g] < 0;
}
