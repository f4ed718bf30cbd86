// Sphere: a point, swept by a ball.
#include "geom/collide/collider_parts.h"

static lb_status make(const lb_collider_def* def, lb_arena* arena, lb_collider* c, lb_error* err) {
  (void)arena, (void)err;
  c->radius = c->size = def->size.x;
  c->box = lb_bounds_symmetric(c->radius, c->radius, c->radius);
  return LB_OK;
}

static lb_vec3 support(const lb_collider* c, lb_vec3 d) {
  (void)c, (void)d;
  return (lb_vec3){0, 0, 0};
}

static double point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient) {
  *gradient = lb_vec3_unit_or(x, (lb_vec3){0, 0, 1});
  return lb_vec3_norm(x) - c->radius;
}

static bool ray(const lb_collider* c, const lb_ray* r, lb_ray_hit* hit) {
  return lb_ray_ball(r, (lb_vec3){0, 0, 0}, c->radius, hit);
}

const lb_collider_kind lb_collider_sphere = {.name = "sphere",
                                             .make = make,
                                             .nsize = 1,
                                             .polygons = true,
                                             .support = support,
                                             .point = point,
                                             .ray = ray};
