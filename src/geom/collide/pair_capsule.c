// Two capsules: closest points of two segments, and two points where they lie side by side.
#include "geom/collide/closest.h"
#include "geom/collide/pair.h"

int lb_pair_capsule_capsule(lb_pair_query* q) {
  const lb_couple c = lb_couple_make(q->a, q->b);
  const lb_vec3 a0 = {0, 0, -c.a->half.z}, a1 = {0, 0, c.a->half.z};
  const lb_vec3 b0 = lb_vec3_along(c.p, -c.b->half.z, c.R.z);
  const lb_vec3 b1 = lb_vec3_along(c.p, c.b->half.z, c.R.z);
  const lb_feet t = lb_closest_on_segments(a0, a1, b0, b1);
  lb_core_gap gap = {.point_a = lb_vec3_along(a0, t.s, lb_vec3_sub(a1, a0)),
                     .point_b = lb_vec3_along(b0, t.t, lb_vec3_sub(b1, b0))};
  const lb_vec3 v = lb_vec3_sub(gap.point_a, gap.point_b);
  gap.distance = lb_vec3_norm(v);
  if (!(gap.distance - c.a->radius - c.b->radius <= q->margin)) {
    return 0;
  }
  // segments that cross: apart along their common normal
  const lb_vec3 across = lb_vec3_unit_or(lb_vec3_make(-c.R.z.y, c.R.z.x, 0), (lb_vec3){1, 0, 0});
  gap.normal = lb_vec3_unit_or(v, across);
  lb_manifold m;
  lb_patch_convex(&c, &gap, NULL, q->margin, q->cache, &m);
  lb_manifold_to_world(q->a, &m);
  return lb_pair_put(q, &m);
}
