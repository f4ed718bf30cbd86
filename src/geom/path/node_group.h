// Nodes of paths that depend on several links: x = x(z), where z are places on links and
// coordinates, by as many equations as there are numbers in x,
//
//   (5)  G(x, z) = 0
//
// Rows of surfaces have junctions between them, whose equations say that the path is straight
// there; points that come in over a part of a coordinate lie between that point and the path
// without it. All that the library knows of a kind is its residual G, written for Taylor series.
// Newton's method finds x. With z as series, x - A^-1 G(x, z), where A = dG/dx, gains an order each
// time: rates of x and derivatives by z, and their rates, need nothing else.
// docs/theory-muscle.md derives both kinds.
#pragma once
#include "geom/path/wrap_path.h"

enum {
  LB_ROW_MOST = 6, // surfaces of a row
  LB_GROUP_NODES = LB_ROW_MOST - 1,
  LB_GROUP_UNKNOWNS = 3 * LB_GROUP_NODES,
  LB_GROUP_PLACES = 2 + 3 * LB_ROW_MOST,
  LB_GROUP_NUMBERS = 3 * LB_GROUP_PLACES,
  LB_GROUP_LANES = LB_TAYLOR_LANES - 1 // numbers of z whose derivatives come at once
};

// Range of a coordinate in which a point counts; it comes in over a part `over` about each bound.
typedef struct lb_node_range {
  double at_least, at_most, over;
} lb_node_range;

typedef struct lb_node_group {
  const struct lb_group_type* type;
  int n;                            // nodes
  int nplace, ncoordinate;          // of z
  const lb_wrap* wrap[LB_ROW_MOST]; // of a row, n + 1
  lb_node_range range[LB_GROUP_NODES];
} lb_node_group;

typedef struct lb_group_type {
  void (*residual)(int N, const lb_node_group* g, lb_taylor3* G, const lb_taylor3* place,
                   const lb_taylor* coordinate, const lb_taylor3* x);
} lb_group_type;

// Surfaces one after the other: z are both ends, and of each surface the origin and the tips of
// its x and y axes.
extern const lb_group_type lb_group_row;
// Points that come and go: z are the points before and after, then the points themselves; their
// coordinates.
extern const lb_group_type lb_group_blend;

typedef struct lb_group_solution {
  lb_vec3 x[LB_GROUP_NODES];
  double A[LB_GROUP_UNKNOWNS * LB_GROUP_UNKNOWNS]; // dG/dx, factored
  int pivot[LB_GROUP_UNKNOWNS];
  bool regular;
  double residual;
} lb_group_solution;

// Nodes of a group, from those in `s` on. False: they were not found to rounding.
bool lb_group_solve(const lb_node_group* g, lb_group_solution* s, const lb_vec3* place,
                    const double* coordinate);
// Series of the nodes of a solved group, their lanes by the numbers of z from `first` on:
// coordinates come after the places. Nodes of a singular one rest.
void lb_group_series(int N, const lb_node_group* g, const lb_group_solution* s,
                     const lb_path_end* place, const double (*coordinate)[3], int first,
                     lb_taylor3* x);

static inline int lb_group_numbers(const lb_node_group* g) {
  return 3 * g->nplace + g->ncoordinate;
}
// Part by which a point counts, with derivatives: from 0 to 1 with four of them.
void lb_node_range_weight(const lb_node_range* b, double q, double c[4]);
