// Closed surfaces of triangles that grow by a point: hulls and the polytopes of EPA.
#pragma once
#include <stdbool.h>

#include "limber/math.h"

typedef struct lb_facet {
  int v[3];
  int across[3];  ///< neighbour at the edge v[k] - v[k+1]
  lb_vec3 normal; ///< unit, outward; zero where there is no area
  double offset;  ///< of the plane along the normal
  bool live, seen;
} lb_facet;

typedef struct lb_rim_edge {
  int from, to, outside; ///< the facet behind the edge
} lb_rim_edge;

/// Triangles over points x. Arrays are the caller's: `most` facets, and as many of `unused` and
/// `stack`; 3 * most of `rim`; `start` for each point.
typedef struct lb_facets {
  const lb_vec3* x;
  lb_facet* f;
  int most, n; ///< facets, of which some are given up
  int *unused, nunused;
  int *stack, *start;
  lb_rim_edge* rim;
} lb_facets;

/// The tetrahedron of points v, whichever way round they are.
void lb_facets_begin(lb_facets* s, const int v[4]);

/// Height of a point over a facet's plane.
static inline double lb_facet_height(const lb_facet* f, lb_vec3 x) {
  return lb_vec3_dot(f->normal, x) - f->offset;
}

/// Point i outside of facet `seed`: the facets that see it, higher than `above`, make way for a
/// fan. They are found by going from one to the next, so that the rim is one loop also where
/// rounding has dented the surface. False: the rim touches itself or there is no room, and the
/// surface is broken.
bool lb_facets_grow(lb_facets* s, int i, int seed, double above);

/// Corner of a facet at a vertex.
static inline int lb_facet_corner(const lb_facet* f, int vertex) {
  return f->v[0] == vertex ? 0 : f->v[1] == vertex ? 1 : 2;
}
