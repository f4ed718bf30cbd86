// Islands of a contact problem, which do not act on each other, and colours of the blocks in each:
// blocks of one colour share no group, so they may be solved at the same time. The order depends on
// the problem alone. Nothing here allocates.
#pragma once
#include <stdint.h>

#include "base/carve.h"
#include "math/contact/contact_problem.h"

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
  // --- scratch
  int *parent, *count, *sorted; // [ngroup + 1], [nblock + 66], [nblock]
  int (*sides)[2];              // [nblock] groups of each
  uint64_t* used;               // [ngroup] colours of a group's blocks
  unsigned char* colour_of;     // [nblock]
} lb_contact_islands;

void lb_contact_islands_carve(lb_contact_islands* s, lb_carver* c, int nblock, int ngroup);
void lb_contact_islands_find(lb_contact_islands* s, const lb_contact_problem* p);
