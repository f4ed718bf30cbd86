// Bodies that lie wholly within a solid of triangles.
#include "geom/collide/inside.h"

#include "geom/collide/collider_kind.h"
#include "geom/collide/trimesh.h"

bool lb_inside(const lb_placed* a, const lb_placed* b, lb_separation* out) {
  const bool solid = b->c->type == LB_COLLIDER_HEIGHTS || (b->c->mesh && b->c->mesh->closed);
  if (!solid) {
    return false;
  }
  const lb_bounds box = a->c->box;
  const lb_vec3 middle = lb_placed_point(a, lb_vec3_scale(0.5, lb_vec3_add(box.low, box.high)));
  lb_vec3 gradient;
  const double d = lb_collider_point(b->c, lb_placed_inverse(b, middle), &gradient);
  if (!(d < 0)) {
    return false;
  }
  // out along the gradient until the last point of a is
  const lb_vec3 n = lb_mat3_apply(b->R, gradient);
  const lb_vec3 down = lb_vec3_neg(lb_mat3_apply_transposed(a->R, n));
  const lb_vec3 last = lb_placed_point(a, lb_collider_kind_of(a->c)->support(a->c, down));
  const double depth = d + lb_vec3_dot(n, lb_vec3_sub(last, middle)) - a->c->radius;
  const lb_vec3 point = lb_vec3_along(last, -a->c->radius, n);
  *out = (lb_separation){
      .distance = depth, .normal = n, .point_a = point, .point_b = lb_vec3_along(point, -depth, n)};
  return true;
}
