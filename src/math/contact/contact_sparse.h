// Newton's method of contact_newton.h in the velocities of groups, for islands of many rows: the
// rows of each block are eliminated first, and what is left couples groups that share blocks.
//
//   (1)  blocks:  (1 - P - N + P (c + eps)) dx = -F - P J du,   so  dx = f - K J du
//   (2)  groups:  (1 + sum Z K J) du = sum Z f
//
// J, Z and c scaled as in contact_newton.h. (2) has square blocks as wide as the groups, and is
// factored without exchanging groups, in an order of small fill (minimum degree): by a change of
// coordinates it is positive definite where nothing slips. Nothing here allocates.
#pragma once
#include <stdint.h>

#include "math/contact/contact_islands.h"
#include "math/contact/contact_newton.h"

// Couplings of an eliminated group with later ones.
typedef struct lb_contact_coupling_block {
  int to;           // place of the later group
  int lower, upper; // of the blocks (to, from) and (from, to)
} lb_contact_coupling_block;

typedef struct lb_contact_sparse {
  lb_contact_scaled system;
  const lb_contact_problem* problem;
  // --- groups in the order of elimination
  int ngroup;
  int* group;                          // [ngroup] of the problem
  int* place;                          // [all groups] in this order
  int* width;                          // [ngroup]
  int* offset;                         // [ngroup + 1] of velocities
  int* diagonal;                       // [ngroup] of its block in `value`
  int* first;                          // [ngroup + 1] couplings of each
  lb_contact_coupling_block* coupling; // [capacity]
  int most_couplings;
  double* value; // [capacity] blocks by columns; then factors
  size_t most_values, nvalue;
  int* pivot;         // [velocities]
  double *du, *right; // [velocities]
  double* f;          // [n]
  double* K;          // [n * 6] of each block, by columns of its rows
  uint64_t* bits;     // [most_groups^2 / 64] adjacency, while the order is found
  int* degree;        // [ngroup]
  int most_groups;
} lb_contact_sparse;

// Room for rows and groups of one island, and for this many numbers of factors.
void lb_contact_sparse_carve(lb_contact_sparse* s, lb_carver* c, int rows, int groups,
                             int velocities, size_t values);
// Order and pattern of an island. False: there is no room for its factors.
bool lb_contact_sparse_lay(lb_contact_sparse* s, const lb_contact_problem* p,
                           const lb_contact_islands* islands, int island);
