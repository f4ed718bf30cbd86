// Box with its edges along the axes of its frame.
#include "geom/collide/collider_parts.h"

static lb_status make(const lb_collider_def* def, lb_arena* arena, lb_collider* c, lb_error* err) {
  (void)arena, (void)err;
  c->half = lb_vec3_scale(0.5, def->size);
  c->size = fmin(c->half.x, fmin(c->half.y, c->half.z));
  c->box = lb_bounds_symmetric(c->half.x, c->half.y, c->half.z);
  return LB_OK;
}

static lb_vec3 support(const lb_collider* c, lb_vec3 d) {
  return lb_vec3_make(copysign(c->half.x, d.x), copysign(c->half.y, d.y), copysign(c->half.z, d.z));
}

static int largest(lb_vec3 d) {
  const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

// The face that d points through; corners are numbered by their signs.
static void feature(const lb_collider* c, lb_vec3 d, lb_feature* f) {
  const int axis = largest(d), next = (axis + 1) % 3, third = (axis + 2) % 3;
  const double h[3] = {c->half.x, c->half.y, c->half.z}, u[3] = {d.x, d.y, d.z};
  const double way = u[axis] < 0 ? -1 : 1;
  double n[3] = {0};
  n[axis] = way;
  f->n = 4;
  f->normal = lb_vec3_make(n[0], n[1], n[2]);
  f->id = 2 * axis + (way > 0);
  for (int k = 0; k < 4; k++) {
    double s[3];
    s[axis] = way;
    s[next] = way * (k == 1 || k == 2 ? 1 : -1);
    s[third] = k >= 2 ? 1 : -1;
    f->v[k] = lb_vec3_make(s[0] * h[0], s[1] * h[1], s[2] * h[2]);
    f->vid[k] = (uint16_t)((s[0] > 0) | (s[1] > 0) << 1 | (s[2] > 0) << 2);
  }
}

// Outside: from the nearest point; inside: to the nearest face.
static double point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient) {
  const lb_vec3 d = {fabs(x.x) - c->half.x, fabs(x.y) - c->half.y, fabs(x.z) - c->half.z};
  lb_vec3 out = {fmax(d.x, 0), fmax(d.y, 0), fmax(d.z, 0)};
  const double outside = lb_vec3_norm(out), inside = fmax(d.x, fmax(d.y, d.z));
  if (outside == 0) {
    out = d.x == inside   ? lb_vec3_make(1, 0, 0)
          : d.y == inside ? lb_vec3_make(0, 1, 0)
                          : lb_vec3_make(0, 0, 1);
  }
  *gradient = lb_vec3_unit_or(
      lb_vec3_make(copysign(out.x, x.x), copysign(out.y, x.y), copysign(out.z, x.z)), out);
  return outside > 0 ? outside : inside;
}

// The latest entry into the three slabs.
static bool ray(const lb_collider* c, const lb_ray* r, lb_ray_hit* hit) {
  const double o[3] = {r->origin.x, r->origin.y, r->origin.z};
  const double d[3] = {r->direction.x, r->direction.y, r->direction.z};
  const double h[3] = {c->half.x, c->half.y, c->half.z};
  double enter = -INFINITY, leave = INFINITY, n[3] = {0};
  int axis = 0;
  for (int k = 0; k < 3; k++) {
    if (d[k] == 0 && fabs(o[k]) > h[k]) {
      return false;
    }
    const double way = d[k] > 0 ? -1 : 1; // side of entry
    const double in = d[k] == 0 ? -INFINITY : (way * h[k] - o[k]) / d[k];
    leave = d[k] == 0 ? leave : fmin(leave, (-way * h[k] - o[k]) / d[k]);
    axis = in > enter ? k : axis;
    enter = fmax(enter, in);
  }
  if (enter > leave || leave < 0) {
    return false;
  }
  n[axis] = d[axis] > 0 ? -1 : 1;
  return enter <= 0 ? lb_ray_from_inside(r, hit)
                    : lb_ray_take(r, enter, lb_vec3_make(n[0], n[1], n[2]), hit);
}

const lb_collider_kind lb_collider_box = {.name = "box",
                                          .make = make,
                                          .nsize = 3,
                                          .polygons = true,
                                          .support = support,
                                          .feature = feature,
                                          .point = point,
                                          .ray = ray};
