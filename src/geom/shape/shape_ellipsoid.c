// Ellipsoid with its axes along those of its frame.
#include "geom/shape/shape_parts.h"

static lb_solid integrate(const lb_shape* s) {
  const lb_vec3 a = s->size;
  return lb_solid_symmetric(4 * M_PI / 3 * a.x * a.y * a.z, a.x * a.x / 5, a.y * a.y / 5,
                            a.z * a.z / 5);
}

static lb_bounds core(const lb_shape* s) {
  return lb_bounds_half(s->size);
}

static double reach(const lb_shape* s) {
  return fmax(s->size.x, fmax(s->size.y, s->size.z));
}

// With k = |x / a|, the distance is k (k - 1) / |x / a^2| to first order.
static double distance(const lb_shape* s, lb_vec3 x) {
  const lb_vec3 a = s->size;
  const lb_vec3 u = {x.x / a.x, x.y / a.y, x.z / a.z};
  const double k = lb_vec3_norm(u);
  const double slope = lb_vec3_norm(lb_vec3_make(u.x / a.x, u.y / a.y, u.z / a.z));
  return slope > 0 ? k * (k - 1) / slope : -fmin(a.x, fmin(a.y, a.z));
}

// A ball of radius 1, stretched; its normals shrink where it grows.
static lb_status tessellate(const lb_shape* s, int around, lb_arena* arena, lb_mesh* mesh,
                            lb_vec3** normal) {
  const lb_vec3 a = s->size;
  const lb_status status = lb_drawing_capsule(1, 0, around, arena, mesh, normal);
  for (int i = 0; status == LB_OK && i < mesh->nvertex; i++) {
    lb_vec3 *v = &mesh->vertex[i], *n = &(*normal)[i];
    *v = lb_vec3_make(a.x * v->x, a.y * v->y, a.z * v->z);
    *n = lb_vec3_make(n->x / a.x, n->y / a.y, n->z / a.z);
    *n = lb_vec3_scale(1 / lb_vec3_norm(*n), *n);
  }
  return status;
}

const lb_shape_kind lb_shape_ellipsoid = {.name = "ellipsoid",
                                          .nsize = 3,
                                          .size = {{"semi-axis along x", LB_SIZE_POSITIVE, 0},
                                                   {"semi-axis along y", LB_SIZE_POSITIVE, 1},
                                                   {"semi-axis along z", LB_SIZE_POSITIVE, 2}},
                                          .faces = 5,
                                          .integrate = integrate,
                                          .core = core,
                                          .reach = reach,
                                          .distance = distance,
                                          .tessellate = tessellate};
