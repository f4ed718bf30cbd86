// Triangles that stand for a shape when it is drawn.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "limber/geometry.h"

typedef struct lb_surface {
  int nvertex;
  int nface;
  lb_vec3* vertex; // [nvertex]
  lb_vec3* normal; // [nvertex] unit, outward
  int* face;       // [3 * nface]
} lb_surface;

// A shape's surface with `segments` edges around round parts, kept in the arena; false when there
// is no memory.
bool lb_shape_tessellate(const lb_shape* shape, int segments, lb_arena* arena, lb_surface* surface);
