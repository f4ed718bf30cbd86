// Parts for entries of shapes: boxes about the origin, solids with three planes of symmetry, and
// surfaces of revolution.
#pragma once
#include "geom/shape/shape.h"

static inline lb_bounds lb_bounds_half(lb_vec3 half) {
  return (lb_bounds){lb_vec3_scale(-1, half), half};
}

/// Solid symmetric about its frame's planes: volume V, and mean squares of x, y, z.
static inline lb_solid lb_solid_symmetric(double V, double xx, double yy, double zz) {
  return (lb_solid){.volume = V, .second = {.xx = V * xx, .yy = V * yy, .zz = V * zz}};
}

/// Room for a drawing; LB_NO_MEMORY, with the outputs unchanged.
lb_status lb_drawing_take(lb_arena* arena, int nvertex, int nface, lb_mesh* mesh, lb_vec3** normal);
/// Face *f of it, and the next.
static inline void lb_drawing_put(lb_mesh* mesh, int* f, int a, int b, int c) {
  int* v = &mesh->face[3 * (*f)++];
  v[0] = a, v[1] = b, v[2] = c;
}

/// A circle about z: its radius and height, and the normal there. A radius of 0 is a single point.
typedef struct lb_ring {
  double r, z, nr, nz;
} lb_ring;

/// The surface through rings from the bottom up. Rings at the same place are two sides of a crease.
lb_status lb_drawing_lathe(const lb_ring* ring, int count, int around, lb_arena* arena,
                           lb_mesh* mesh, lb_vec3** normal);
/// Two half balls of radius r, drawn apart by `length`.
lb_status lb_drawing_capsule(double r, double length, int around, lb_arena* arena, lb_mesh* mesh,
                             lb_vec3** normal);
