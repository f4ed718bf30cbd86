// Ellipsoid with its axes along those of its frame.
#include "geom/collide/collider_parts.h"

static lb_status make(const lb_collider_def* def, lb_arena* arena, lb_collider* c, lb_error* err) {
  (void)arena, (void)err;
  c->half = def->size;
  c->size = fmin(c->half.x, fmin(c->half.y, c->half.z));
  c->box = lb_bounds_symmetric(c->half.x, c->half.y, c->half.z);
  return LB_OK;
}

// E E d / |E d|
static lb_vec3 support(const lb_collider* c, lb_vec3 d) {
  const lb_vec3 e = c->half, u = {e.x * d.x, e.y * d.y, e.z * d.z};
  const double n = lb_vec3_norm(u);
  return n > 0 ? lb_vec3_make(e.x * u.x / n, e.y * u.y / n, e.z * u.z / n)
               : lb_vec3_make(e.x, 0, 0);
}

// E E / h - s s' / h, with s the support point
static lb_sym3 curvature(const lb_collider* c, lb_vec3 d) {
  const lb_vec3 e = c->half, s = support(c, d);
  const double k = 1 / lb_vec3_dot(s, d);
  return (lb_sym3){.xx = k * (e.x * e.x - s.x * s.x),
                   .yy = k * (e.y * e.y - s.y * s.y),
                   .zz = k * (e.z * e.z - s.z * s.z),
                   .xy = -k * s.x * s.y,
                   .xz = -k * s.x * s.z,
                   .yz = -k * s.y * s.z};
}

// Nearest point of the surface to y >= 0, with the least semi-axis at index `least`.
//
//   x_i = r_i y_i / (u + r_i - 1),  r_i = (e_i / e_least)^2,  sum (x_i / e_i)^2 = 1
//
// One unknown u > 0 (the multiplier, shifted so that nothing cancels near its pole), found by
// Newton's method on 1 / |x / e|, which is nearly straight and converges from the left.
static void nearest(const double e[3], const double y[3], int least, double x[3]) {
  double r[3], z[3], u;
  for (int i = 0; i < 3; i++) {
    r[i] = (e[i] / e[least]) * (e[i] / e[least]);
    z[i] = y[i] / e[i];
  }
  z[least] = fmax(z[least], 1e-100); // the centre: along the least axis
  u = z[least];
  for (int iteration = 0; iteration < 100; iteration++) {
    double G = 0, dG = 0; // sum of squares, half of its derivative
    for (int i = 0; i < 3; i++) {
      const double q = r[i] * z[i] / (u + (r[i] - 1));
      G += q * q;
      dG -= q * q / (u + (r[i] - 1));
    }
    const double next = u + (1 - sqrt(G)) * G / dG;
    if (!(next > u * (1 + 1e-16))) {
      break;
    }
    u = next;
  }
  double norm = 0;
  for (int i = 0; i < 3; i++) {
    x[i] = r[i] * z[i] / (u + (r[i] - 1));
    norm += x[i] * x[i];
  }
  for (int i = 0; i < 3; i++) { // onto the surface, against what is left of the residual
    x[i] *= e[i] / sqrt(norm);
  }
}

static double point(const lb_collider* c, lb_vec3 p, lb_vec3* gradient) {
  const double e[3] = {c->half.x, c->half.y, c->half.z};
  const double y[3] = {fabs(p.x), fabs(p.y), fabs(p.z)};
  const int least = e[0] <= e[1] && e[0] <= e[2] ? 0 : e[1] <= e[2] ? 1 : 2;
  double x[3];
  nearest(e, y, least, x);
  const lb_vec3 s = {copysign(x[0], p.x), copysign(x[1], p.y), copysign(x[2], p.z)};
  *gradient =
      lb_vec3_unit_or(lb_vec3_make(s.x / (e[0] * e[0]), s.y / (e[1] * e[1]), s.z / (e[2] * e[2])),
                      (lb_vec3){0, 0, 1});
  return lb_vec3_dot(*gradient, lb_vec3_sub(p, s));
}

// A ball of radius 1 in coordinates divided by the semi-axes.
static bool ray(const lb_collider* c, const lb_ray* r, lb_ray_hit* hit) {
  const lb_vec3 e = c->half, o = r->origin, d = r->direction;
  const lb_ray scaled = {
      {o.x / e.x, o.y / e.y, o.z / e.z}, {d.x / e.x, d.y / e.y, d.z / e.z}, r->most};
  lb_ray_hit h;
  if (!lb_ray_ball(&scaled, (lb_vec3){0, 0, 0}, 1, &h)) {
    return false;
  }
  const lb_vec3 n = {h.normal.x / e.x, h.normal.y / e.y, h.normal.z / e.z};
  return h.t > 0 ? lb_ray_take(r, h.t, n, hit) : lb_ray_from_inside(r, hit);
}

const lb_collider_kind lb_collider_ellipsoid = {.name = "ellipsoid",
                                                .make = make,
                                                .nsize = 3,
                                                .support = support,
                                                .curvature = curvature,
                                                .point = point,
                                                .ray = ray};
