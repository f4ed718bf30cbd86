// Eight elements side by side, and what they need to be evaluated.
#pragma once
#include "elastic/fem/fem.h"
#include "geom/tet/tet.h"

enum {
  LB_FEM_CHUNK = 8, // batches that a thread takes at a time
  LB_FEM_PAIRS = LB_TET_MOST_NODES * (LB_TET_MOST_NODES + 1) / 2
};

// Lanes beyond `count` repeat the last element with weights of 0.
struct lb_fem_batch {
  lb_lanes inverse[LB_TET_STIFFNESS_MOST][9]; // dx/dX at each point, by columns
  lb_lanes weight[LB_TET_STIFFNESS_MOST];     // of the point times the Jacobian's determinant
  int node[LB_TET_MOST_NODES][LB_LANES];
  int entry[LB_FEM_PAIRS][LB_LANES]; // index of a pair of nodes in the pattern of nodes
  int elem[LB_LANES];                // number in the mesh
  int count, region;
};

// Pairs of an element's nodes (a, b), b <= a, in the order of `entry`.
static inline int lb_fem_pair(int a, int b) {
  return a * (a + 1) / 2 + b;
}

// F = I + du/dX at point q, and the same without I.
void lb_fem_batch_gather(const lb_fem* fem, const lb_fem_batch* b, lb_lanes U[30], const double* u);
void lb_fem_batch_slope(const lb_fem* fem, const lb_fem_batch* b, int q, lb_lanes G[9],
                        const lb_lanes U[30]);
