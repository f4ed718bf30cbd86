// Nodes of paths that depend on several links: x = x(z), where z are places on links and
// coordinates, by as many equations as there are numbers in x,
//
//   (5)  G(x, z) = 0
//
// Rows of surfaces have junctions between them, whose equations say that the path is straight
// there; points that come in over a part of a coordinate lie between that point and the path
// without it. All that the library knows of a kind are G and its derivatives A = dG/dx and
// B = dG/dz, as series along a motion of z and x. Newton's method finds x; and with the
// coefficients n of A, B and of c = dx/dz,
//
//   A_0 c_n = -(B_n + sum_(k > 0) A_k c_(n-k)),   A_0 xdd = -(A_1 xd + B_1 zd + B_0 zdd)
//
// gives its rates and derivatives with the inverse of A_0 alone. docs/theory-muscle.md derives both
// kinds.
#pragma once
#include "geom/path/wrap_path.h"

enum {
  LB_ROW_MOST = 6, // surfaces of a row
  LB_GROUP_NODES = LB_ROW_MOST - 1,
  LB_GROUP_UNKNOWNS = 3 * LB_GROUP_NODES,
  LB_GROUP_PLACES = 2 + 3 * LB_ROW_MOST,
  LB_GROUP_NUMBERS = 3 * LB_GROUP_PLACES
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

// z and x with their rates.
typedef struct lb_group_motion {
  lb_path_end place[LB_GROUP_PLACES], x[LB_GROUP_NODES];
  double coordinate[LB_GROUP_NODES][3];
} lb_group_motion;

// G, A and B as series; a row of each for each number of G. Coordinates come after places.
typedef struct lb_group_slopes {
  double G[LB_TAYLOR_ORDER + 1][LB_GROUP_UNKNOWNS];
  double by_x[LB_TAYLOR_ORDER + 1][LB_GROUP_UNKNOWNS * LB_GROUP_UNKNOWNS];
  double by_z[LB_TAYLOR_ORDER + 1][LB_GROUP_UNKNOWNS * LB_GROUP_NUMBERS];
} lb_group_slopes;

typedef struct lb_group_type {
  // To order N; B where it is asked for.
  void (*linearise)(int N, const lb_node_group* g, const lb_group_motion* m, bool by_z,
                    lb_group_slopes* out);
} lb_group_type;

// Surfaces one after the other: z are both ends, and of each surface the origin and the tips of
// its x and y axes.
extern const lb_group_type lb_group_row;
// Points that come and go: z are the points before and after, then the points themselves; their
// coordinates.
extern const lb_group_type lb_group_blend;

typedef struct lb_group_solution {
  lb_vec3 x[LB_GROUP_NODES];
  double inverse[LB_GROUP_UNKNOWNS * LB_GROUP_UNKNOWNS]; // of A, by rows
  bool regular;
  double residual;
} lb_group_solution;

// Nodes of a group, from those in `s` on. False: they were not found to rounding.
bool lb_group_solve(const lb_node_group* g, lb_group_solution* s, const lb_vec3* place,
                    const double* coordinate);
// Rates of the nodes of a solved group, to order N, from those of z; and dx/dz with its rates to
// order M, at most N: c [M + 1][numbers of x][numbers of z]. Nodes of a singular one rest.
void lb_group_follow(int N, int M, const lb_node_group* g, const lb_group_solution* s,
                     lb_group_motion* m, double* c);
// f.d2x/dz2 dz of a solved group, whose places and coordinates are in m, for forces f on its nodes
// and changes dz: out [numbers of z]. c is dx/dz.
void lb_group_curve(const lb_node_group* g, const lb_group_solution* s, const lb_group_motion* m,
                    const double* c, const double* f, const double* dz, double* out);

static inline int lb_group_numbers(const lb_node_group* g) {
  return 3 * g->nplace + g->ncoordinate;
}
// Part by which a point counts, with derivatives: from 0 to 1 with four of them.
void lb_node_range_weight(const lb_node_range* b, double q, double c[4]);
// A and B, where it is asked for, of zeros.
void lb_group_slopes_clear(int N, const lb_node_group* g, bool by_z, lb_group_slopes* out);
