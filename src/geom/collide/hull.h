// Convex hull of points: vertices, faces (coplanar triangles are one polygon) and who is next to
// whom.
#pragma once
#include "base/arena.h"
#include "limber/geometry.h"

typedef struct lb_hull {
  int nvertex, nface;
  lb_vec3* vertex; ///< [nvertex]
  lb_vec3* normal; ///< [nface] unit, outward
  double* offset;  ///< [nface] farthest of all vertices along the normal
  int* first;      ///< [nface + 1] of a face in `loop`
  int* loop;       ///< vertices of the faces, counter-clockwise seen from outside
  int* face_first; ///< [nvertex + 1] of a vertex in `face_at`
  int* face_at;    ///< faces around the vertices
  int* next_first; ///< [nvertex + 1] of a vertex in `next`
  int* next;       ///< neighbours along edges
} lb_hull;

/// LB_INVALID: coordinates that are not finite, or points in a plane, a line or one place.
lb_status lb_hull_make(int n, const lb_vec3* point, lb_arena* arena, lb_hull* out, lb_error* err);

/// Vertex that is farthest along d.
int lb_hull_farthest(const lb_hull* h, lb_vec3 d);
