// One triangle of a mesh or height field, as a convex piece that is seen from both sides.
#include "geom/collide/closest.h"
#include "geom/collide/collider_kind.h"

static lb_vec3 support(const lb_collider* c, lb_vec3 d) {
  const lb_vec3* v = c->corner;
  const double s0 = lb_vec3_dot(v[0], d), s1 = lb_vec3_dot(v[1], d), s2 = lb_vec3_dot(v[2], d);
  return s0 >= s1 && s0 >= s2 ? v[0] : s1 >= s2 ? v[1] : v[2];
}

static void feature(const lb_collider* c, lb_vec3 d, lb_feature* f) {
  const lb_vec3* v = c->corner;
  const lb_vec3 n = lb_vec3_unit_or(lb_vec3_cross(lb_vec3_sub(v[1], v[0]), lb_vec3_sub(v[2], v[0])),
                                    (lb_vec3){0, 0, 0});
  const bool front = lb_vec3_dot(n, d) >= 0;
  f->n = 3;
  f->id = 0;
  f->normal = front ? n : lb_vec3_neg(n);
  for (int k = 0; k < 3; k++) {
    const int i = front || k == 0 ? k : 3 - k;
    f->v[k] = v[i];
    f->vid[k] = (uint16_t)i;
  }
}

static double point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient) {
  const lb_vec3 out = lb_vec3_sub(x, lb_closest_on_triangle(x, c->corner).point);
  *gradient = lb_vec3_unit_or(out, (lb_vec3){0, 0, 1});
  return lb_vec3_norm(out);
}

const lb_collider_kind lb_collider_triangle = {
    .name = "triangle", .polygons = true, .support = support, .feature = feature, .point = point};
