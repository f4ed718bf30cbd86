// Boxes with edges along the axes: unions, overlap, rays.
#pragma once
#include <stdbool.h>

#include "geom/shape/shape.h"

static inline lb_bounds lb_bounds_empty(void) {
  return (lb_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}
static inline lb_bounds lb_bounds_union(lb_bounds a, lb_bounds b) {
  return (lb_bounds){{a.low.x < b.low.x ? a.low.x : b.low.x, a.low.y < b.low.y ? a.low.y : b.low.y,
                      a.low.z < b.low.z ? a.low.z : b.low.z},
                     {a.high.x > b.high.x ? a.high.x : b.high.x,
                      a.high.y > b.high.y ? a.high.y : b.high.y,
                      a.high.z > b.high.z ? a.high.z : b.high.z}};
}
static inline lb_bounds lb_bounds_add(lb_bounds a, lb_vec3 x) {
  return lb_bounds_union(a, (lb_bounds){x, x});
}
static inline lb_bounds lb_bounds_grow(lb_bounds a, double by) {
  return (lb_bounds){{a.low.x - by, a.low.y - by, a.low.z - by},
                     {a.high.x + by, a.high.y + by, a.high.z + by}};
}
static inline bool lb_bounds_meet(const lb_bounds* a, const lb_bounds* b) {
  return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
         b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}
static inline bool lb_bounds_hold(const lb_bounds* a, const lb_bounds* inner) {
  return a->low.x <= inner->low.x && a->low.y <= inner->low.y && a->low.z <= inner->low.z &&
         a->high.x >= inner->high.x && a->high.y >= inner->high.y && a->high.z >= inner->high.z;
}
static inline bool lb_bounds_equal(const lb_bounds* a, const lb_bounds* b) {
  return lb_bounds_hold(a, b) && lb_bounds_hold(b, a);
}
/// Half of the surface.
static inline double lb_bounds_area(const lb_bounds* a) {
  const double x = a->high.x - a->low.x, y = a->high.y - a->low.y, z = a->high.z - a->low.z;
  return x * y + y * z + z * x;
}
/// Distance of a point, 0 inside, squared.
static inline double lb_bounds_square(const lb_bounds* a, lb_vec3 p) {
  const lb_vec3 d = {fmax(0, fmax(a->low.x - p.x, p.x - a->high.x)),
                     fmax(0, fmax(a->low.y - p.y, p.y - a->high.y)),
                     fmax(0, fmax(a->low.z - p.z, p.z - a->high.z))};
  return d.x * d.x + d.y * d.y + d.z * d.z;
}
/// Whether the line from o along d meets the box for t in [0, most].
static inline bool lb_bounds_ray(const lb_bounds* a, lb_vec3 o, lb_vec3 d, double most) {
  const double low[3] = {a->low.x - o.x, a->low.y - o.y, a->low.z - o.z};
  const double high[3] = {a->high.x - o.x, a->high.y - o.y, a->high.z - o.z};
  const double v[3] = {d.x, d.y, d.z};
  double enter = 0, leave = most;
  for (int k = 0; k < 3; k++) {
    if (v[k] == 0) {
      if (low[k] > 0 || high[k] < 0) {
        return false;
      }
      continue;
    }
    const double s = low[k] / v[k], t = high[k] / v[k];
    enter = fmax(enter, fmin(s, t));
    leave = fmin(leave, fmax(s, t));
  }
  return enter <= leave * (1 + 1e-15) + 1e-300;
}
