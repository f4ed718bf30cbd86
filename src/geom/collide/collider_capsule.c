// Capsule: a segment along z, swept by a ball.
#include "geom/collide/collider_parts.h"

static lb_status make(const lb_collider_def* def, lb_arena* arena, lb_collider* c, lb_error* err) {
  (void)arena, (void)err;
  c->radius = c->size = def->size.x;
  c->half.z = def->size.y / 2;
  c->box = lb_bounds_symmetric(c->radius, c->radius, c->half.z + c->radius);
  return LB_OK;
}

static lb_vec3 support(const lb_collider* c, lb_vec3 d) {
  return lb_vec3_make(0, 0, d.z < 0 ? -c->half.z : c->half.z);
}

static void feature(const lb_collider* c, lb_vec3 d, lb_feature* f) {
  (void)d;
  f->n = c->half.z > 0 ? 2 : 1;
  f->id = 0;
  for (int k = 0; k < f->n; k++) {
    f->v[k] = lb_vec3_make(0, 0, k ? -c->half.z : c->half.z);
    f->vid[k] = (uint16_t)k;
  }
}

static double point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient) {
  const lb_vec3 out = {x.x, x.y, x.z - lb_clamp(x.z, -c->half.z, c->half.z)};
  *gradient = lb_vec3_unit_or(out, (lb_vec3){1, 0, 0});
  return lb_vec3_norm(out) - c->radius;
}

static bool side(const lb_collider* c, const lb_ray* r, lb_ray_hit* hit) {
  const lb_vec3 o = r->origin, d = r->direction;
  double t;
  const double k = o.x * o.x + o.y * o.y - c->radius * c->radius;
  if (!lb_lower_root(d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, k, &t)) {
    return false;
  }
  const lb_vec3 at = lb_vec3_along(o, t, d);
  return fabs(at.z) <= c->half.z && lb_ray_take(r, t, lb_vec3_make(at.x, at.y, 0), hit);
}

// The first of the side and the two balls at its ends.
static bool ray(const lb_collider* c, const lb_ray* r, lb_ray_hit* hit) {
  lb_vec3 gradient;
  if (point(c, r->origin, &gradient) <= 0) {
    return lb_ray_from_inside(r, hit);
  }
  lb_ray_hit h;
  lb_ray left = *r; // up to the closest hit so far
  bool found = false;
  for (int k = 0; k < 3; k++) {
    const lb_vec3 end = {0, 0, k == 1 ? c->half.z : -c->half.z};
    if (k ? lb_ray_ball(&left, end, c->radius, &h) : side(c, &left, &h)) {
      left.most = h.t;
      *hit = h;
      found = true;
    }
  }
  return found;
}

const lb_collider_kind lb_collider_capsule = {.name = "capsule",
                                              .make = make,
                                              .nsize = 2,
                                              .zero = true,
                                              .polygons = true,
                                              .support = support,
                                              .feature = feature,
                                              .point = point,
                                              .ray = ray};
