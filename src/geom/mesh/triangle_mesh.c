// Integrals over a triangle mesh: volume, centre and second moment; and the table of its edges.
#include "geom/mesh/triangle_mesh.h"

#include <string.h>

// Signed tetrahedra. Every face (a, b, c) spans with an origin o a tetrahedron whose volume has the
// sign of d = a . (b x c), the vertices taken relative to o. For a closed surface the signed pieces
// add up to the solid. The map x = a u + b v + c w takes the unit tetrahedron, where
// int 1 = 1/6, int u = 1/24, int u^2 = 1/60, int u v = 1/120, to the piece with Jacobian d, so with
// s = a + b + c
//
//   int 1    = d / 6
//   int x    = d / 24 s
//   int x x' = d / 120 (a a' + b b' + c c' + s s')
//
// The origin is the middle of the box around the vertices: a mesh far from its frame's origin loses
// no digits. The sum runs in the order of the faces.
typedef struct sums {
  double one;
  lb_vec3 first;
  lb_sym3 second;
} sums;

static void add_outer(lb_sym3* A, double w, lb_vec3 v) {
  A->xx += w * v.x * v.x;
  A->yy += w * v.y * v.y;
  A->zz += w * v.z * v.z;
  A->xy += w * v.x * v.y;
  A->xz += w * v.x * v.z;
  A->yz += w * v.y * v.z;
}

static void add_face(sums* total, lb_vec3 a, lb_vec3 b, lb_vec3 c) {
  const double d = lb_vec3_dot(a, lb_vec3_cross(b, c));
  const lb_vec3 s = lb_vec3_add(a, lb_vec3_add(b, c));
  total->one += d;
  total->first = lb_vec3_add(total->first, lb_vec3_scale(d, s));
  add_outer(&total->second, d, a);
  add_outer(&total->second, d, b);
  add_outer(&total->second, d, c);
  add_outer(&total->second, d, s);
}

void lb_mesh_bounds(const lb_mesh* mesh, lb_vec3* low, lb_vec3* high) {
  *low = *high = mesh->nvertex ? mesh->vertex[0] : lb_vec3_make(0, 0, 0);
  for (int i = 1; i < mesh->nvertex; i++) {
    const lb_vec3 v = mesh->vertex[i];
    *low = lb_vec3_make(fmin(low->x, v.x), fmin(low->y, v.y), fmin(low->z, v.z));
    *high = lb_vec3_make(fmax(high->x, v.x), fmax(high->y, v.y), fmax(high->z, v.z));
  }
}

lb_solid lb_mesh_integrate(const lb_mesh* mesh) {
  lb_vec3 low, high;
  lb_mesh_bounds(mesh, &low, &high);
  const lb_vec3 o = lb_vec3_scale(0.5, lb_vec3_add(low, high));
  sums total = {0};
  for (int f = 0; f < mesh->nface; f++) {
    const int* v = &mesh->face[3 * f];
    add_face(&total, lb_vec3_sub(mesh->vertex[v[0]], o), lb_vec3_sub(mesh->vertex[v[1]], o),
             lb_vec3_sub(mesh->vertex[v[2]], o));
  }
  lb_solid r = {.volume = total.one / 6, .com = o};
  if (r.volume == 0) {
    return r;
  }
  const lb_vec3 c = lb_vec3_scale(1 / (4 * total.one), total.first);
  const lb_sym3 s = total.second;
  r.com = lb_vec3_add(o, c);
  r.second = (lb_sym3){s.xx / 120, s.yy / 120, s.zz / 120, s.xy / 120, s.xz / 120, s.yz / 120};
  add_outer(&r.second, -r.volume, c);
  return r;
}

// Put the edges in the order of one of their two ends (a counting sort, which keeps the order of
// equals). `start` has nvertex + 1 entries.
static void sort_by(lb_half_edge* to, const lb_half_edge* from, int count, int nvertex, bool by_low,
                    int* start) {
  memset(start, 0, ((size_t)nvertex + 1) * sizeof *start);
  for (int i = 0; i < count; i++) {
    start[(by_low ? from[i].low : from[i].high) + 1]++;
  }
  for (int v = 0; v < nvertex; v++) {
    start[v + 1] += start[v];
  }
  for (int i = 0; i < count; i++) {
    to[start[by_low ? from[i].low : from[i].high]++] = from[i];
  }
}

lb_status lb_mesh_edges(const lb_mesh* mesh, lb_arena* arena, lb_half_edge** edges) {
  const int count = 3 * mesh->nface;
  lb_half_edge* sorted = LB_TAKE(arena, lb_half_edge, count);
  const lb_arena_mark mark = lb_arena_here(arena);
  lb_half_edge* other = LB_TAKE(arena, lb_half_edge, count);
  int* start = LB_TAKE(arena, int, mesh->nvertex + 1);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    const int a = mesh->face[i], b = mesh->face[i % 3 == 2 ? i - 2 : i + 1];
    const bool forward = a < b;
    sorted[i] = (lb_half_edge){forward ? a : b, forward ? b : a, i / 3, forward};
  }
  sort_by(other, sorted, count, mesh->nvertex, false, start);
  sort_by(sorted, other, count, mesh->nvertex, true, start);
  lb_arena_reset(arena, mark);
  *edges = sorted;
  return LB_OK;
}
