// Cylinder along z. A cap is a polygon whose corners turn with the cylinder, so that a patch at
// rest does not move; the corner nearest to the lowest point of a tilted cap is moved onto it.
#include "geom/collide/collider_parts.h"

static lb_status make(const lb_collider_def* def, lb_arena* arena, lb_collider* c, lb_error* err) {
  (void)arena, (void)err;
  c->half = lb_vec3_make(def->size.x, def->size.x, def->size.y / 2);
  c->size = fmin(c->half.x, c->half.z);
  c->box = lb_bounds_symmetric(c->half.x, c->half.y, c->half.z);
  return LB_OK;
}

static lb_vec3 support(const lb_collider* c, lb_vec3 d) {
  const double rho = sqrt(d.x * d.x + d.y * d.y), s = rho > 0 ? c->half.x / rho : 0;
  return lb_vec3_make(rho > 0 ? s * d.x : c->half.x, s * d.y, d.z < 0 ? -c->half.z : c->half.z);
}

// r/rho t t', t the tangent of the rim
static lb_sym3 curvature(const lb_collider* c, lb_vec3 d) {
  const double rho2 = d.x * d.x + d.y * d.y;
  const double k = rho2 > 0 ? c->half.x / (rho2 * sqrt(rho2)) : 0;
  return (lb_sym3){.xx = k * d.y * d.y, .yy = k * d.x * d.x, .xy = -k * d.x * d.y};
}

// Angle of the corner next to the azimuth of d moves there as the tilt grows to this much [rad].
static const double TILT = 1e-3;
// Caps face directions up to 45 degrees from the axis.
static const double CAP = 0.70710678118654752;

static void cap(const lb_collider* c, lb_vec3 d, lb_feature* f) {
  const double way = d.z < 0 ? -1 : 1, tilt = sqrt(d.x * d.x + d.y * d.y);
  const double step = 2 * M_PI / LB_CAP_CORNERS;
  const double azimuth = tilt > 1e-12 ? atan2(d.y, d.x) : 0;
  const int nearest = (int)lround(azimuth / step);
  const double part = fmin(tilt / TILT, 1), shift = part * part * (azimuth - nearest * step);
  f->n = LB_CAP_CORNERS;
  f->id = way > 0;
  f->normal = lb_vec3_make(0, 0, way);
  for (int k = 0; k < f->n; k++) {
    const int i = way > 0 ? k : f->n - 1 - k;
    const double angle = step * i + (i == (nearest + f->n) % f->n ? shift : 0);
    f->v[k] = lb_vec3_make(c->half.x * cos(angle), c->half.x * sin(angle), way * c->half.z);
    f->vid[k] = (uint16_t)(i + (way > 0 ? f->n : 0));
  }
}

static void feature(const lb_collider* c, lb_vec3 d, lb_feature* f) {
  if (fabs(d.z) > CAP) {
    cap(c, d, f);
    return;
  }
  // the line of the side that faces d
  const lb_vec3 s = support(c, d);
  f->n = 2;
  f->id = 2;
  for (int k = 0; k < 2; k++) {
    f->v[k] = lb_vec3_make(s.x, s.y, k ? -c->half.z : c->half.z);
    f->vid[k] = (uint16_t)(2 * LB_CAP_CORNERS + k);
  }
}

static double point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient) {
  const double rho = sqrt(x.x * x.x + x.y * x.y);
  const lb_vec3 radial = rho > 0 ? lb_vec3_make(x.x / rho, x.y / rho, 0) : lb_vec3_make(1, 0, 0);
  const double dr = rho - c->half.x, dz = fabs(x.z) - c->half.z, way = x.z < 0 ? -1 : 1;
  const double gr = fmax(dr, 0), gz = fmax(dz, 0), out = sqrt(gr * gr + gz * gz);
  const double a = out > 0 ? gr / out : dr >= dz, b = out > 0 ? gz / out : dr < dz;
  *gradient = lb_vec3_along(lb_vec3_scale(a, radial), b * way, lb_vec3_make(0, 0, 1));
  return out > 0 ? out : fmax(dr, dz);
}

// The later entry, into the slab or the round side.
static bool ray(const lb_collider* c, const lb_ray* r, lb_ray_hit* hit) {
  const lb_vec3 o = r->origin, d = r->direction;
  lb_vec3 gradient;
  if (point(c, o, &gradient) <= 0) {
    return lb_ray_from_inside(r, hit);
  }
  double t;
  if (lb_lower_root(d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y,
                    o.x * o.x + o.y * o.y - c->half.x * c->half.x, &t)) {
    const lb_vec3 at = lb_vec3_along(o, t, d);
    if (fabs(at.z) <= c->half.z && lb_ray_take(r, t, lb_vec3_make(at.x, at.y, 0), hit)) {
      return true;
    }
  }
  if (d.z == 0) {
    return false;
  }
  const double way = d.z > 0 ? -1 : 1;
  t = (way * c->half.z - o.z) / d.z;
  const lb_vec3 at = lb_vec3_along(o, t, d);
  return at.x * at.x + at.y * at.y <= c->half.x * c->half.x &&
         lb_ray_take(r, t, lb_vec3_make(0, 0, way), hit);
}

const lb_collider_kind lb_collider_cylinder = {.name = "cylinder",
                                               .make = make,
                                               .nsize = 2,
                                               .support = support,
                                               .curvature = curvature,
                                               .feature = feature,
                                               .point = point,
                                               .ray = ray};
