// Ray against one triangle, seen from both sides.
#pragma once
#include "geom/collide/collider_parts.h"

/// The side of an edge a - b, from o along d: twice a volume. The ends are taken in the same order
/// for both triangles at the edge, so that no ray slips between them.
static inline double lb_edge_side(lb_vec3 a, lb_vec3 b, lb_vec3 d) {
  const bool swap = a.x > b.x || (a.x == b.x && (a.y > b.y || (a.y == b.y && a.z > b.z)));
  const double s = lb_vec3_dot(d, swap ? lb_vec3_cross(b, a) : lb_vec3_cross(a, b));
  return swap ? -s : s;
}

/// A hit no farther than ray->most, with the normal turned against the ray.
static inline bool lb_ray_triangle(const lb_ray* ray, const lb_vec3 v[3], lb_vec3 normal,
                                   lb_ray_hit* hit) {
  const lb_vec3 d = ray->direction;
  const lb_vec3 p[3] = {lb_vec3_sub(v[0], ray->origin), lb_vec3_sub(v[1], ray->origin),
                        lb_vec3_sub(v[2], ray->origin)};
  const double a = lb_edge_side(p[1], p[2], d), b = lb_edge_side(p[2], p[0], d),
               c = lb_edge_side(p[0], p[1], d), sum = a + b + c;
  const bool all = (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
  if (!all || sum == 0) {
    return false;
  }
  const double along = lb_vec3_dot(normal, d);
  const double t = along != 0 ? lb_vec3_dot(normal, p[0]) / along : -1;
  return lb_ray_take(ray, t, along > 0 ? lb_vec3_neg(normal) : normal, hit);
}
