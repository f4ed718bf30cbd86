// Parts for entries of colliders: rays against quadrics and slabs.
#pragma once
#include "geom/collide/collider_kind.h"

static inline lb_bounds lb_bounds_symmetric(double x, double y, double z) {
  return (lb_bounds){{-x, -y, -z}, {x, y, z}};
}

/// Where a ray starts inside: at once, against its own direction.
static inline bool lb_ray_from_inside(const lb_ray* ray, lb_ray_hit* hit) {
  *hit = (lb_ray_hit){.normal = lb_vec3_unit_or(lb_vec3_neg(ray->direction), (lb_vec3){0, 0, 1})};
  return true;
}

/// A hit at t with an outward normal of any length, when it lies within the ray.
static inline bool lb_ray_take(const lb_ray* ray, double t, lb_vec3 normal, lb_ray_hit* hit) {
  if (!(t >= 0 && t <= ray->most)) {
    return false;
  }
  *hit = (lb_ray_hit){.t = t, .normal = lb_vec3_unit_or(normal, (lb_vec3){0, 0, 1})};
  return true;
}

/// Lower root of a t^2 + 2 b t + c = 0 for a > 0; false: none.
static inline bool lb_lower_root(double a, double b, double c, double* t) {
  const double disc = b * b - a * c;
  if (!(disc >= 0) || !(a > 0)) {
    return false;
  }
  const double s = sqrt(disc);
  *t = b < 0 ? c / (-b + s) : (-b - s) / a; // without cancellation
  return true;
}

/// Ball of radius r about the centre.
static inline bool lb_ray_ball(const lb_ray* ray, lb_vec3 centre, double r, lb_ray_hit* hit) {
  const lb_vec3 o = lb_vec3_sub(ray->origin, centre), d = ray->direction;
  const double c = lb_vec3_dot(o, o) - r * r;
  double t;
  if (c <= 0) {
    return lb_ray_from_inside(ray, hit);
  }
  return lb_lower_root(lb_vec3_dot(d, d), lb_vec3_dot(o, d), c, &t) &&
         lb_ray_take(ray, t, lb_vec3_along(o, t, d), hit);
}
