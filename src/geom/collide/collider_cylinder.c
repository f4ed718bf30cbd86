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

// The corner next to the azimuth of a cap's lowest place, and by how much it moves there.
typedef struct lowest {
  double step, tilt, azimuth, part;
  int nearest;
} lowest;

static lowest lowest_of(lb_vec3 d) {
  lowest l = {.step = 2 * M_PI / LB_CAP_CORNERS, .tilt = sqrt(d.x * d.x + d.y * d.y)};
  l.azimuth = l.tilt > 1e-12 ? atan2(d.y, d.x) : 0;
  l.nearest = (int)lround(l.azimuth / l.step);
  l.part = fmin(l.tilt / TILT, 1);
  return l;
}

static void cap(const lb_collider* c, lb_vec3 d, lb_feature* f) {
  const lowest l = lowest_of(d);
  const double way = d.z < 0 ? -1 : 1, step = l.step;
  const int nearest = l.nearest;
  const double shift = l.part * l.part * (l.azimuth - nearest * step);
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

// r t (t'dd/rho) of the side's line, and of a cap's corner that is at the azimuth of d: its angle
// goes with the square of a small tilt. Of edges of caps it is not known.
static bool slides(const lb_collider* c, lb_vec3 d, int k, bool edge, lb_mat3* by_d) {
  const lowest l = lowest_of(d);
  const bool side = fabs(d.z) <= CAP;
  const int turn = d.z < 0 ? LB_CAP_CORNERS - 1 - k : k; // corners of both caps turn alike
  const bool moves = side || turn == (l.nearest + LB_CAP_CORNERS) % LB_CAP_CORNERS;
  *by_d = (lb_mat3){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  if (edge && !side) {
    return false;
  }
  if (!moves || l.tilt < 1e-12) {
    return true;
  }
  const lb_vec3 e = {d.x / l.tilt, d.y / l.tilt, 0};
  const double off = side ? 0 : l.azimuth - l.nearest * l.step, share = side ? 1 : l.part * l.part;
  const double at = l.azimuth - (1 - share) * off;
  const double grows = share < 1 ? 2 * l.tilt / (TILT * TILT) * off : 0;
  const lb_vec3 angle = // derivative of the corner's by d
      lb_vec3_along(lb_vec3_scale(grows, e), share / l.tilt, lb_vec3_make(-e.y, e.x, 0));
  const lb_vec3 way = lb_vec3_make(-c->half.x * sin(at), c->half.x * cos(at), 0);
  by_d->x = lb_vec3_scale(angle.x, way);
  by_d->y = lb_vec3_scale(angle.y, way);
  return true;
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
                                               .slides = slides,
                                               .point = point,
                                               .ray = ray};
