// Two convex colliders by their support functions.
#include "geom/collide/pair.h"

int lb_pair_convex(lb_pair_query* q) {
  const lb_couple c = lb_couple_make(q->a, q->b);
  const double radii = c.a->radius + c.b->radius;
  lb_core_gap gap;
  const bool near = lb_core_separate(&c, q->cache->normal, q->margin + radii, &gap);
  q->cache->normal = gap.normal;
  q->outcome = gap.bounded ? LB_COLLIDE_BOUNDED : LB_COLLIDE_DONE;
  if (!near || !(gap.distance - radii <= q->margin)) {
    return 0;
  }
  lb_manifold m;
  lb_patch_convex(&c, &gap, NULL, q->margin, q->cache, &m);
  lb_manifold_to_world(q->a, &m);
  return lb_pair_put(q, &m);
}
