#include "geom/mesh/distance.h"

#include <math.h>

static double sphere(const lb_shape* s, lb_vec3 x) {
  return lb_vec3_norm(x) - s->size.x;
}

// Outside: from the nearest point of the box; inside: to the nearest face.
static double box(const lb_shape* s, lb_vec3 x) {
  const lb_vec3 d = {fabs(x.x) - s->size.x / 2, fabs(x.y) - s->size.y / 2,
                     fabs(x.z) - s->size.z / 2};
  const lb_vec3 out = {fmax(d.x, 0), fmax(d.y, 0), fmax(d.z, 0)};
  return lb_vec3_norm(out) + fmin(fmax(d.x, fmax(d.y, d.z)), 0);
}

static double capsule(const lb_shape* s, lb_vec3 x) {
  const double half = s->size.y / 2;
  const double z = x.z - fmax(-half, fmin(half, x.z));
  return lb_vec3_norm(lb_vec3_make(x.x, x.y, z)) - s->size.x;
}

// A box in the plane of the axis and the radius.
static double cylinder(const lb_shape* s, lb_vec3 x) {
  const double r = hypot(x.x, x.y) - s->size.x, z = fabs(x.z) - s->size.y / 2;
  return hypot(fmax(r, 0), fmax(z, 0)) + fmin(fmax(r, z), 0);
}

// With k = |x / a|, the distance is k (k - 1) / |x / a^2| to first order.
static double ellipsoid(const lb_shape* s, lb_vec3 x) {
  const lb_vec3 a = s->size;
  const lb_vec3 u = {x.x / a.x, x.y / a.y, x.z / a.z};
  const double k = lb_vec3_norm(u);
  const double slope = lb_vec3_norm(lb_vec3_make(u.x / a.x, u.y / a.y, u.z / a.z));
  return slope > 0 ? k * (k - 1) / slope : -fmin(a.x, fmin(a.y, a.z));
}

static double clamp(double x) {
  return fmax(0, fmin(1, x));
}

static lb_vec3 along(lb_vec3 a, lb_vec3 b, double t) {
  return lb_vec3_add(a, lb_vec3_scale(t, lb_vec3_sub(b, a)));
}

static double to_segment(lb_vec3 x, lb_vec3 a, lb_vec3 b) {
  const lb_vec3 e = lb_vec3_sub(b, a);
  const double length = lb_vec3_dot(e, e);
  const double t = length > 0 ? clamp(lb_vec3_dot(lb_vec3_sub(x, a), e) / length) : 0;
  return lb_vec3_norm(lb_vec3_sub(x, along(a, b, t)));
}

// To the triangle's plane where the foot is inside it, else to its nearest edge.
static double to_triangle(lb_vec3 x, const lb_vec3 v[3]) {
  const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(v[1], v[0]), lb_vec3_sub(v[2], v[0]));
  bool inside = true;
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    const lb_vec3 a = v[k], b = v[(k + 1) % 3];
    const lb_vec3 in = lb_vec3_cross(n, lb_vec3_sub(b, a));
    inside = inside && lb_vec3_dot(in, lb_vec3_sub(x, a)) >= 0;
    least = fmin(least, to_segment(x, a, b));
  }
  const double size = lb_vec3_norm(n);
  return inside && size > 0 ? fabs(lb_vec3_dot(n, lb_vec3_sub(x, v[0]))) / size : least;
}

// The triangle's solid angle from x, by van Oosterom and Strackee's formula.
static double solid_angle(lb_vec3 x, const lb_vec3 v[3]) {
  const lb_vec3 a = lb_vec3_sub(v[0], x), b = lb_vec3_sub(v[1], x), c = lb_vec3_sub(v[2], x);
  const double la = lb_vec3_norm(a), lb = lb_vec3_norm(b), lc = lb_vec3_norm(c);
  return 2 * atan2(lb_vec3_dot(a, lb_vec3_cross(b, c)), la * lb * lc + lb_vec3_dot(a, b) * lc +
                                                            lb_vec3_dot(b, c) * la +
                                                            lb_vec3_dot(c, a) * lb);
}

// A closed surface is seen from inside under 4 pi. One that is mirrored is seen under -4 pi.
static double mesh(const lb_shape* s, lb_vec3 x) {
  double least = INFINITY, seen = 0;
  for (int f = 0; f < s->mesh->nface; f++) {
    lb_vec3 v[3];
    for (int k = 0; k < 3; k++) {
      const lb_vec3 p = s->mesh->vertex[s->mesh->face[3 * f + k]];
      v[k] = lb_vec3_make(s->size.x * p.x, s->size.y * p.y, s->size.z * p.z);
    }
    least = fmin(least, to_triangle(x, v));
    seen += solid_angle(x, v);
  }
  return fabs(seen) > 6.283185307179586 ? -least : least;
}

double lb_shape_distance(const lb_shape* shape, lb_vec3 x) {
  static double (*const distance[LB_SHAPE_COUNT])(const lb_shape*, lb_vec3) = {
      [LB_SHAPE_SPHERE] = sphere,       [LB_SHAPE_BOX] = box,
      [LB_SHAPE_CAPSULE] = capsule,     [LB_SHAPE_CYLINDER] = cylinder,
      [LB_SHAPE_ELLIPSOID] = ellipsoid, [LB_SHAPE_MESH] = mesh,
  };
  return distance[shape->type](shape, x);
}
