// Volume, centre and second moment of the solid that a triangle mesh encloses.
#include "geom/mesh.h"

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

static lb_vec3 middle(const lb_mesh* mesh) {
  if (!mesh->nvertex) {
    return lb_vec3_make(0, 0, 0);
  }
  lb_vec3 low = mesh->vertex[0], high = low;
  for (int i = 1; i < mesh->nvertex; i++) {
    const lb_vec3 v = mesh->vertex[i];
    low = lb_vec3_make(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
    high = lb_vec3_make(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
  }
  return lb_vec3_scale(0.5, lb_vec3_add(low, high));
}

lb_mesh_integral lb_mesh_integrate(const lb_mesh* mesh) {
  const lb_vec3 o = middle(mesh);
  sums total = {0};
  for (int f = 0; f < mesh->nface; f++) {
    const int* v = &mesh->face[3 * f];
    add_face(&total, lb_vec3_sub(mesh->vertex[v[0]], o), lb_vec3_sub(mesh->vertex[v[1]], o),
             lb_vec3_sub(mesh->vertex[v[2]], o));
  }
  lb_mesh_integral r = {.volume = total.one / 6, .com = o};
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
