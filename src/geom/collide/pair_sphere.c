// A sphere with any collider that knows its distance from a point.
#include "geom/collide/pair.h"

int lb_pair_sphere(lb_pair_query* q) {
  const lb_vec3 x = lb_placed_inverse(q->b, q->a->p);
  lb_vec3 gradient;
  const double d = lb_collider_point(q->b->c, x, &gradient) - q->a->c->radius;
  if (!(d <= q->margin)) {
    return 0;
  }
  const lb_vec3 n = lb_mat3_apply(q->b->R, gradient);
  const lb_manifold m = {.normal = n,
                         .distance = d,
                         .npoint = 1,
                         .point = {{lb_vec3_along(q->a->p, -(q->a->c->radius + d / 2), n), d, 1}}};
  return lb_pair_put(q, &m);
}
