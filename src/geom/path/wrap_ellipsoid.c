// Ellipsoid: a plane section, as in OpenSim, which is near the geodesic. With axes scaled to 1 the
// surface is the unit sphere, inflated to r_e by the distance D of the scaled line. The plane
// contains the line and the normal of the inflated surface, semi-axes b, at its point nearest to
// the middle m of the chord, where
//
//   (2)  sum b_i^2 m_i^2 / (b_i^2 + lambda)^2 = 1,   normal_i = m_i / (b_i^2 + lambda)
//
// In that plane the scaled section is a circle, whose tangents stay tangents when axes are scaled
// back; its arc becomes one of an ellipse.
//
// A path that is held on a side goes there whatever plane the line and the centre make: the plane
// contains the line and v, with the side s across the line and x = m.s, in scaled axes,
//
//   (3)  v = k n + (1 - k) H s,   k = h'(2 x/H - 1)
//
// with the normal n at the length of m. From x = H on that is the plane above, and for x < 0 the
// side's; between them v.s > 0, so that the way over the side never jumps to the other one.
#include "geom/path/wrap_path.h"

static double part(const lb_vec3* v, int i) {
  return (&v->x)[i];
}

LB_TAYLOR_INLINE lb_taylor3 stretch(int N, lb_vec3 s, lb_taylor3 a) {
  return (lb_taylor3){lb_taylor_scale(N, s.x, a.x), lb_taylor_scale(N, s.y, a.y),
                      lb_taylor_scale(N, s.z, a.z)};
}

// lambda of (2) by Newton's method from below, where the sum is at least 1 and convex.
static double find_lambda(const double b2[3], const double m[3]) {
  double lambda = -INFINITY;
  for (int i = 0; i < 3; i++) { // terms that are zero have no pole
    lambda = fmax(lambda, m[i] != 0 ? -b2[i] + sqrt(b2[i]) * fabs(m[i]) : (double)-INFINITY);
  }
  for (int n = 0; n < 60; n++) {
    double sum = -1, slope = 0;
    for (int i = 0; i < 3; i++) {
      const double s = b2[i] + lambda;
      if (m[i] != 0) {
        sum += b2[i] * m[i] * m[i] / (s * s);
        slope -= 2 * b2[i] * m[i] * m[i] / (s * s * s);
      }
    }
    const double step = slope < 0 ? -sum / slope : 0;
    lambda += step;
    if (fabs(step) <= 1e-15 * (b2[0] + b2[1] + b2[2])) {
      break;
    }
  }
  return lambda;
}

// Normal of the inflated ellipsoid at its point nearest to m.
LB_TAYLOR_INLINE lb_taylor3 find_normal(int N, const lb_taylor b2[3], const lb_taylor m[3]) {
  const double b[] = {lb_taylor_value(&b2[0]), lb_taylor_value(&b2[1]), lb_taylor_value(&b2[2])};
  const double x[] = {lb_taylor_value(&m[0]), lb_taylor_value(&m[1]), lb_taylor_value(&m[2])};
  lb_taylor lambda = lb_taylor_constant(find_lambda(b, x)), n[3];
  for (int k = 0; k < lb_taylor_newton_steps(N); k++) {
    lb_taylor sum = lb_taylor_constant(-1), slope = lb_taylor_constant(0);
    for (int i = 0; i < 3; i++) {
      const lb_taylor over = lb_taylor_inverse(N, lb_taylor_add(N, b2[i], lambda));
      n[i] = lb_taylor_mul(N, m[i], over);
      const lb_taylor square = lb_taylor_mul(N, b2[i], lb_taylor_mul(N, n[i], n[i]));
      sum = lb_taylor_add(N, sum, square);
      slope = lb_taylor_add(N, slope, lb_taylor_scale(N, -2, lb_taylor_mul(N, square, over)));
    }
    lambda = lb_taylor_sub(N, lambda, lb_taylor_div(N, sum, slope));
  }
  for (int i = 0; i < 3; i++) {
    n[i] = lb_taylor_div(N, m[i], lb_taylor_add(N, b2[i], lambda));
  }
  return (lb_taylor3){n[0], n[1], n[2]};
}

LB_TAYLOR_INLINE lb_taylor3 unit(int N, lb_taylor3 a) {
  return lb_taylor3_scale(N, lb_taylor_inverse(N, lb_taylor_sqrt(N, lb_taylor3_dot(N, a, a))), a);
}

LB_TAYLOR_INLINE lb_taylor length_of(int N, lb_taylor3 a) {
  return lb_taylor_sqrt(N, lb_taylor3_dot(N, a, a));
}

// Tangents and arc about the centre of the section, from its first tangent point on: an oval by
// arc length.
LB_TAYLOR_INLINE bool lay_out(int N, lb_wrap_path* out, lb_vec3 a, lb_taylor3 P, lb_taylor3 Q,
                              lb_taylor radius, lb_taylor3 normal, const lb_taylor3* p,
                              const lb_taylor3* q) {
  const lb_taylor d = lb_taylor3_dot(N, normal, P);
  const lb_taylor inside =
      lb_taylor_sub(N, lb_taylor_mul(N, radius, radius), lb_taylor_mul(N, d, d));
  if (!(lb_taylor_value(&inside) > 0)) {
    return false;
  }
  const lb_taylor r = lb_taylor_sqrt(N, inside);
  const lb_taylor3 centre = lb_taylor3_scale(N, d, normal);
  const lb_taylor3 Pc = lb_taylor3_sub(N, P, centre), Qc = lb_taylor3_sub(N, Q, centre);
  const lb_taylor rho_p = length_of(N, Pc), rho_q = length_of(N, Qc);
  const lb_taylor3 first = lb_taylor3_scale(N, lb_taylor_inverse(N, rho_p), Pc);
  const lb_taylor3 second = lb_taylor3_cross(N, normal, first);
  lb_taylor dphi = lb_taylor_angle(N, lb_taylor3_dot(N, Qc, second), lb_taylor3_dot(N, Qc, first));
  if (lb_taylor_value(&dphi) < 0) { // by the longer way
    dphi = lb_taylor_shift(dphi, 2 * M_PI);
  }
  lb_planar c;
  if (!(lb_taylor_value(&rho_p) > lb_taylor_value(&r)) ||
      !(lb_taylor_value(&rho_q) > lb_taylor_value(&r)) ||
      !lb_planar_find(N, &c, &r, &rho_p, &rho_q, &dphi)) {
    return false;
  }
  const lb_taylor3 none = lb_taylor3_constant(lb_vec3_make(0, 0, 0));
  lb_path_piece* arc = &out->piece[1];
  *arc = (lb_path_piece){.kind = LB_PIECE_OVAL,
                         .origin = stretch(N, a, centre),
                         .along = none,
                         .A = stretch(N, a, lb_taylor3_scale(N, r, first)),
                         .B = stretch(N, a, lb_taylor3_scale(N, r, second)),
                         .angle = c.alpha};
  lb_taylor s1, k1, s2, k2;
  const lb_taylor end = lb_taylor_sub(N, dphi, c.gamma);
  lb_taylor_sincos(N, c.alpha, &s1, &k1);
  lb_taylor_sincos(N, end, &s2, &k2);
#define AT(s, k)                                                                                   \
  lb_taylor3_add(                                                                                  \
      N, arc->origin,                                                                              \
      lb_taylor3_add(N, lb_taylor3_scale(N, k, arc->A), lb_taylor3_scale(N, s, arc->B)))
  const lb_taylor3 to = lb_taylor3_sub(N, AT(s1, k1), *p), from = lb_taylor3_sub(N, *q, AT(s2, k2));
#undef AT
  const lb_taylor la = length_of(N, to), lb = length_of(N, from);
  arc->start = la;
  arc->end = lb_taylor_add(N, la, lb_oval_length(N, arc, &end));
  const lb_taylor whole = lb_taylor_add(N, arc->end, lb);
  out->count = 3;
  out->piece[0] =
      (lb_path_piece){.kind = LB_PIECE_LINE, .end = la, .origin = *p, .along = unit(N, to)};
  out->piece[2] = (lb_path_piece){
      .kind = LB_PIECE_LINE, .start = whole, .end = whole, .origin = *q, .along = unit(N, from)};
  return true;
}

// The part of a direction that is across the line.
LB_TAYLOR_INLINE lb_taylor3 part_across(int N, lb_taylor3 a, lb_taylor3 U) {
  return lb_taylor3_sub(N, a, lb_taylor3_scale(N, lb_taylor3_dot(N, a, U), U));
}

// v of (3), for the normal's direction n.
LB_TAYLOR_INLINE lb_taylor3 hold(int N, lb_taylor3 s, lb_taylor x, lb_taylor3 m, lb_taylor3 n) {
  const lb_taylor X = lb_taylor_shift(lb_taylor_scale(N, 2 / LB_WRAP_HOLD, x), -1);
  double h[5];
  lb_wrap_swelling(lb_taylor_value(&X), h);
  if (h[1] == 0) {
    return s;
  }
  const lb_taylor k = lb_taylor_apply(N, X, h + 1);
  const lb_taylor rest = lb_taylor_scale(N, -LB_WRAP_HOLD, lb_taylor_shift(k, -1));
  const lb_taylor size = lb_taylor_div(N, length_of(N, m), length_of(N, n));
  return lb_taylor3_add(N, lb_taylor3_scale(N, lb_taylor_mul(N, k, size), n),
                        lb_taylor3_scale(N, rest, s));
}

// A line and what it passes, in axes in which the surface is the unit sphere.
typedef struct chord {
  lb_taylor3 P, Q, U; // ends, direction
  lb_taylor3 m;       // its middle: the foot of the perpendicular from the centre
  lb_taylor rho_p, rho_q;
} chord;

LB_TAYLOR_INLINE bool find_chord(int N, lb_vec3 inverse, const lb_taylor3* p, const lb_taylor3* q,
                                 chord* out) {
  out->P = stretch(N, inverse, *p);
  out->Q = stretch(N, inverse, *q);
  out->U = unit(N, lb_taylor3_sub(N, out->Q, out->P));
  out->m = part_across(N, out->P, out->U);
  out->rho_p = length_of(N, out->P);
  out->rho_q = length_of(N, out->Q);
  const lb_taylor on_p = lb_taylor3_dot(N, out->P, out->U);
  const lb_taylor on_q = lb_taylor3_dot(N, out->Q, out->U);
  return lb_taylor_value(&on_p) < 0 && lb_taylor_value(&on_q) > 0 &&
         lb_taylor_value(&out->rho_p) > 1 && lb_taylor_value(&out->rho_q) > 1;
}

// Radius over which a path goes: inflated, or the surface's own where it goes by the longer way.
LB_TAYLOR_INLINE bool find_radius(int N, const lb_wrap* wrap, const chord* c, bool longer,
                                  lb_taylor* radius) {
  *radius = lb_taylor_constant(1);
  if (longer) {
    return true;
  }
  const lb_taylor D = length_of(N, c->m);
  const lb_taylor w = lb_wrap_band(N, wrap->band, 1, &c->rho_p, &c->rho_q);
  return lb_wrap_inflate(N, 1, &w, &D, radius);
}

// Direction of the normal at the point nearest to the middle, in scaled axes.
LB_TAYLOR_INLINE lb_taylor3 normal_direction(int N, lb_vec3 a, lb_vec3 inverse, const chord* c,
                                             lb_taylor radius) {
  const lb_taylor r2 = lb_taylor_mul(N, radius, radius);
  lb_taylor b2[3];
  for (int i = 0; i < 3; i++) {
    b2[i] = lb_taylor_scale(N, part(&a, i) * part(&a, i), r2);
  }
  const lb_taylor3 middle = stretch(N, a, c->m);
  return stretch(N, inverse, find_normal(N, b2, (lb_taylor[]){middle.x, middle.y, middle.z}));
}

LB_TAYLOR_INLINE bool wrap_held(int N, const lb_wrap* wrap, lb_vec3 a, lb_vec3 inverse,
                                const chord* c, lb_wrap_path* out, const lb_taylor3* p,
                                const lb_taylor3* q) {
  const lb_taylor3 side = stretch(N, inverse, lb_taylor3_constant(wrap->side));
  const lb_taylor3 s = unit(N, part_across(N, side, c->U));
  const lb_taylor x = lb_taylor3_dot(N, c->m, s);
  const bool longer = lb_taylor_value(&x) < 0;
  lb_taylor radius;
  if (!find_radius(N, wrap, c, longer, &radius)) {
    return false;
  }
  lb_taylor3 v = s;
  if (!longer) {
    const lb_taylor3 n = normal_direction(N, a, inverse, c, radius);
    v = hold(N, s, x, c->m, part_across(N, n, c->U));
  }
  return lay_out(N, out, a, c->P, c->Q, radius, unit(N, lb_taylor3_cross(N, v, c->U)), p, q);
}

// In a plane that a mechanism keeps, also where the nearest point of the surface is beside it, and
// where the line meets the centre.
LB_TAYLOR_INLINE bool wrap_in_plane(int N, const lb_wrap* wrap, lb_vec3 a, const chord* c,
                                    lb_wrap_path* out, const lb_taylor3* p, const lb_taylor3* q) {
  const lb_vec3 P = lb_taylor3_lane(p, 0, 0), Q = lb_taylor3_lane(q, 0, 0);
  const bool longer = lb_wrap_goes_far(wrap, P, Q);
  const bool other = !longer && lb_vec3_dot(wrap->axis, lb_vec3_cross(P, Q)) < 0; // side
  lb_taylor radius;
  if (!find_radius(N, wrap, c, longer, &radius)) {
    return false;
  }
  const lb_taylor3 axis =
      stretch(N, a, lb_taylor3_constant(lb_vec3_scale(other ? -1 : 1, wrap->axis)));
  return lay_out(N, out, a, c->P, c->Q, radius, unit(N, part_across(N, axis, c->U)), p, q);
}

LB_TAYLOR_INLINE bool wrap_ellipsoid(int N, const lb_wrap* wrap, lb_vec3 a, lb_wrap_path* out,
                                     const lb_taylor3* p, const lb_taylor3* q) {
  const lb_vec3 inverse = {1 / a.x, 1 / a.y, 1 / a.z};
  chord c;
  if (!find_chord(N, inverse, p, q, &c)) {
    return false;
  }
  if (lb_wrap_is_held(wrap)) {
    return wrap_held(N, wrap, a, inverse, &c, out, p, q);
  }
  if (lb_wrap_has_plane(wrap)) {
    return wrap_in_plane(N, wrap, a, &c, out, p, q);
  }
  const lb_taylor D2 = lb_taylor3_dot(N, c.m, c.m);
  lb_taylor radius;
  if (!(lb_taylor_value(&D2) > 0) || !find_radius(N, wrap, &c, false, &radius)) {
    return false;
  }
  // from P over the side of the middle to Q, angles rise about U x (the scaled normal), reversed
  const lb_taylor3 n = normal_direction(N, a, inverse, &c, radius);
  return lay_out(N, out, a, c.P, c.Q, radius, unit(N, lb_taylor3_cross(N, n, c.U)), p, q);
}

bool lb_wrap_over_ellipsoid(int N, const lb_wrap* wrap, lb_vec3 radii, lb_wrap_path* out,
                            const lb_taylor3* p, const lb_taylor3* q) {
  bool wraps = false;
#define ELLIPSOID(N) wraps = wrap_ellipsoid(N, wrap, radii, out, p, q)
  LB_TAYLOR_ORDERS(ELLIPSOID)
  return wraps;
}

static void find(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_taylor3* p,
                 const lb_taylor3* q) {
  if (!lb_wrap_over_ellipsoid(N, wrap, wrap->size, out, p, q)) {
    lb_wrap_straight(N, out, p, q);
  }
}

static lb_vec3 scales(const lb_wrap* wrap) {
  return lb_vec3_make(1 / wrap->size.x, 1 / wrap->size.y, 1 / wrap->size.z);
}

const lb_wrap_type lb_wrap_type_ellipsoid = {find, scales};
