// Drawings of round shapes: surfaces of revolution.
#include "geom/shape/shape_parts.h"

#include "base/assert.h"

static const double PI = 3.14159265358979323846;

lb_status lb_drawing_take(lb_arena* arena, int nvertex, int nface, lb_mesh* mesh,
                          lb_vec3** normal) {
  lb_vec3* vertex = LB_TAKE(arena, lb_vec3, nvertex);
  lb_vec3* n = LB_TAKE(arena, lb_vec3, nvertex);
  int* face = LB_TAKE(arena, int, 3 * nface);
  if (lb_arena_status(arena) == LB_OK) {
    *mesh = (lb_mesh){nvertex, nface, vertex, face};
    *normal = n;
  }
  return lb_arena_status(arena);
}

static int vertices_of(lb_ring a, int around) {
  return a.r == 0 ? 1 : around;
}

static int faces_between(lb_ring a, lb_ring b, int around) {
  if (a.r == b.r && a.z == b.z) {
    return 0;
  }
  return (a.r == 0 ? 0 : around) + (b.r == 0 ? 0 : around);
}

static void put_ring(lb_vec3* vertex, lb_vec3* normal, lb_ring a, int around) {
  for (int i = 0; i < vertices_of(a, around); i++) {
    const double t = 2 * PI * i / around, c = cos(t), s = sin(t);
    vertex[i] = lb_vec3_make(a.r * c, a.r * s, a.z);
    normal[i] = lb_vec3_make(a.nr * c, a.nr * s, a.nz);
  }
}

// Rings whose first vertices are `below` and `above`.
static void join_rings(lb_mesh* mesh, int* f, lb_ring a, int below, lb_ring b, int above,
                       int around) {
  if (faces_between(a, b, around) == 0) {
    return;
  }
  for (int i = 0; i < around; i++) {
    const int next = (i + 1) % around;
    const int a0 = below + (a.r == 0 ? 0 : i), a1 = below + (a.r == 0 ? 0 : next);
    const int b0 = above + (b.r == 0 ? 0 : i), b1 = above + (b.r == 0 ? 0 : next);
    if (a.r != 0) {
      lb_drawing_put(mesh, f, a0, a1, b1);
    }
    if (b.r != 0) {
      lb_drawing_put(mesh, f, a0, b1, b0);
    }
  }
}

lb_status lb_drawing_lathe(const lb_ring* ring, int count, int around, lb_arena* arena,
                           lb_mesh* mesh, lb_vec3** normal) {
  int nvertex = 0, nface = 0;
  for (int i = 0; i < count; i++) {
    nvertex += vertices_of(ring[i], around);
    nface += i ? faces_between(ring[i - 1], ring[i], around) : 0;
  }
  if (lb_drawing_take(arena, nvertex, nface, mesh, normal) != LB_OK) {
    return LB_NO_MEMORY;
  }
  int first = 0, before = 0, f = 0;
  for (int i = 0; i < count; i++) {
    put_ring(&mesh->vertex[first], &(*normal)[first], ring[i], around);
    if (i) {
      join_rings(mesh, &f, ring[i - 1], before, ring[i], first, around);
    }
    before = first;
    first += vertices_of(ring[i], around);
  }
  LB_ASSERT(f == nface);
  return LB_OK;
}

// A quarter circle in `steps`, from the pole or to it: rings of a half ball of radius r around (0,
// z).
static void put_cap(lb_ring* out, int steps, double r, double z, bool top) {
  for (int i = 0; i <= steps; i++) {
    const double t = PI / 2 * (top ? i : i - steps) / steps;
    const double c = (top ? i == steps : i == 0) ? 0 : cos(t), s = sin(t);
    out[i] = (lb_ring){r * c, z + r * s, c, s};
  }
}

// Without a length the equator is one ring, not two.
lb_status lb_drawing_capsule(double r, double length, int around, lb_arena* arena, lb_mesh* mesh,
                             lb_vec3** normal) {
  const int steps = (around + 3) / 4, count = 2 * (steps + 1) - (length > 0 ? 0 : 1);
  lb_ring* ring = LB_TAKE(arena, lb_ring, count);
  if (!ring) {
    return LB_NO_MEMORY;
  }
  put_cap(ring, steps, r, -length / 2, false);
  put_cap(ring + steps + (length > 0), steps, r, length / 2, true);
  return lb_drawing_lathe(ring, count, around, arena, mesh, normal);
}
