// Ellipsoid: a plane section, as in OpenSim, which is near the geodesic. With axes scaled to 1 the
// surface is the unit sphere, inflated to r_e by the distance D of the scaled line. The plane
// contains the line and the normal of the inflated surface, semi-axes b, at its point nearest to
// the middle m of the chord, where
//
//   (2)  sum b_i^2 m_i^2 / (b_i^2 + lambda)^2 = 1,   normal_i = m_i / (b_i^2 + lambda)
//
// In that plane the scaled section is a circle, whose tangents stay tangents when axes are scaled
// back; its arc becomes one of an ellipse.
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
  for (int i = 0; i < 3; i++) {
    lambda = fmax(lambda, -b2[i] + sqrt(b2[i]) * fabs(m[i]));
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
  for (int k = 0; k < N + 2; k++) {
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

// Without an axis, by the side that the middle of the chord is on.
static bool goes_far(const lb_wrap* wrap, const lb_taylor3* p, const lb_taylor3* q,
                     lb_vec3 middle) {
  return lb_vec3_dot(wrap->axis, wrap->axis) > 0
             ? lb_wrap_goes_far(wrap, lb_taylor3_lane(p, 0, 0), lb_taylor3_lane(q, 0, 0))
             : lb_vec3_dot(wrap->side, middle) < 0;
}

LB_TAYLOR_INLINE bool wrap_ellipsoid(int N, const lb_wrap* wrap, lb_wrap_path* out,
                                     const lb_taylor3* p, const lb_taylor3* q) {
  const lb_vec3 a = wrap->size;
  const lb_vec3 inverse = {1 / a.x, 1 / a.y, 1 / a.z};
  const lb_taylor3 P = stretch(N, inverse, *p), Q = stretch(N, inverse, *q);
  const lb_taylor3 way = lb_taylor3_sub(N, Q, P), U = unit(N, way);
  const lb_taylor rho_p = length_of(N, P), rho_q = length_of(N, Q);
  // foot of the perpendicular from the centre: the middle of the chord
  const lb_taylor3 m = lb_taylor3_sub(N, P, lb_taylor3_scale(N, lb_taylor3_dot(N, P, U), U));
  const lb_taylor D2 = lb_taylor3_dot(N, m, m), on_p = lb_taylor3_dot(N, P, U),
                  on_q = lb_taylor3_dot(N, Q, U);
  const bool between = lb_taylor_value(&on_p) < 0 && lb_taylor_value(&on_q) > 0;
  if (!(lb_taylor_value(&rho_p) > 1) || !(lb_taylor_value(&rho_q) > 1) || !between ||
      !(lb_taylor_value(&D2) > 0)) {
    return false;
  }
  const lb_taylor D = lb_taylor_sqrt(N, D2), w = lb_wrap_band(N, wrap->band, 1, &rho_p, &rho_q);
  lb_taylor radius = lb_taylor_constant(1), b2[3];
  const lb_taylor3 middle = stretch(N, a, m);
  const bool wrong = goes_far(wrap, p, q, lb_taylor3_lane(&middle, 0, 0));
  if (!wrong && !lb_wrap_inflate(N, 1, &w, &D, &radius)) {
    return false;
  }
  const lb_taylor r2 = lb_taylor_mul(N, radius, radius);
  for (int i = 0; i < 3; i++) {
    b2[i] = lb_taylor_scale(N, part(&a, i) * part(&a, i), r2);
  }
  const lb_taylor3 out_of = find_normal(N, b2, (lb_taylor[]){middle.x, middle.y, middle.z});
  // from P over the side of the middle to Q, angles rise about U x (the scaled normal), reversed
  const lb_taylor3 across = stretch(N, inverse, out_of);
  const lb_taylor3 normal =
      unit(N, wrong ? lb_taylor3_cross(N, U, across) : lb_taylor3_cross(N, across, U));
  return lay_out(N, out, a, P, Q, radius, normal, p, q);
}

static void find(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_taylor3* p,
                 const lb_taylor3* q) {
  bool wraps = false;
#define ELLIPSOID(N) wraps = wrap_ellipsoid(N, wrap, out, p, q)
  LB_TAYLOR_ORDERS(ELLIPSOID)
  if (!wraps) {
    lb_wrap_straight(N, out, p, q);
  }
}

static lb_vec3 scales(const lb_wrap* wrap) {
  return lb_vec3_make(1 / wrap->size.x, 1 / wrap->size.y, 1 / wrap->size.z);
}

const lb_wrap_type lb_wrap_type_ellipsoid = {find, scales};
