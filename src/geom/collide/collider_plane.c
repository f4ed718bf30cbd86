// Half space: all below z = 0.
#include "geom/collide/collider_parts.h"

static lb_status make(const lb_collider_def* def, lb_arena* arena, lb_collider* c, lb_error* err) {
  (void)def, (void)arena, (void)err;
  c->size = LB_COLLIDE_FAR;
  c->box = lb_bounds_symmetric(LB_COLLIDE_FAR, LB_COLLIDE_FAR, LB_COLLIDE_FAR);
  return LB_OK;
}

static double point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient) {
  (void)c;
  *gradient = lb_vec3_make(0, 0, 1);
  return x.z;
}

static bool ray(const lb_collider* c, const lb_ray* r, lb_ray_hit* hit) {
  (void)c;
  if (r->origin.z <= 0) {
    return lb_ray_from_inside(r, hit);
  }
  return r->direction.z < 0 &&
         lb_ray_take(r, -r->origin.z / r->direction.z, (lb_vec3){0, 0, 1}, hit);
}

const lb_collider_kind lb_collider_plane = {
    .name = "plane", .make = make, .point = point, .ray = ray};
