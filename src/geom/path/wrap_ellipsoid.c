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

LB_JET_INLINE lb_jet3 stretch(int N, lb_vec3 s, lb_jet3 a) {
  return (lb_jet3){lb_jet_scale(N, s.x, a.x), lb_jet_scale(N, s.y, a.y), lb_jet_scale(N, s.z, a.z)};
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
LB_JET_INLINE lb_jet3 find_normal(int N, const lb_jet b2[3], const lb_jet m[3]) {
  const double b[] = {lb_jet_value(&b2[0]), lb_jet_value(&b2[1]), lb_jet_value(&b2[2])};
  const double x[] = {lb_jet_value(&m[0]), lb_jet_value(&m[1]), lb_jet_value(&m[2])};
  lb_jet lambda = lb_jet_constant(find_lambda(b, x)), n[3];
  for (int k = 0; k < N + 2; k++) {
    lb_jet sum = lb_jet_constant(-1), slope = lb_jet_constant(0);
    for (int i = 0; i < 3; i++) {
      const lb_jet over = lb_jet_inverse(N, lb_jet_add(N, b2[i], lambda));
      n[i] = lb_jet_mul(N, m[i], over);
      const lb_jet square = lb_jet_mul(N, b2[i], lb_jet_mul(N, n[i], n[i]));
      sum = lb_jet_add(N, sum, square);
      slope = lb_jet_add(N, slope, lb_jet_scale(N, -2, lb_jet_mul(N, square, over)));
    }
    lambda = lb_jet_sub(N, lambda, lb_jet_div(N, sum, slope));
  }
  for (int i = 0; i < 3; i++) {
    n[i] = lb_jet_div(N, m[i], lb_jet_add(N, b2[i], lambda));
  }
  return (lb_jet3){n[0], n[1], n[2]};
}

LB_JET_INLINE lb_jet3 unit(int N, lb_jet3 a) {
  return lb_jet3_scale(N, lb_jet_inverse(N, lb_jet_sqrt(N, lb_jet3_dot(N, a, a))), a);
}

LB_JET_INLINE lb_jet length_of(int N, lb_jet3 a) {
  return lb_jet_sqrt(N, lb_jet3_dot(N, a, a));
}

// Tangents and arc about the centre of the section, from its first tangent point on: an oval by
// arc length.
LB_JET_INLINE bool lay_out(int N, lb_wrap_path* out, lb_vec3 a, lb_jet3 P, lb_jet3 Q, lb_jet radius,
                           lb_jet3 normal, const lb_jet3* p, const lb_jet3* q) {
  const lb_jet d = lb_jet3_dot(N, normal, P);
  const lb_jet inside = lb_jet_sub(N, lb_jet_mul(N, radius, radius), lb_jet_mul(N, d, d));
  if (!(lb_jet_value(&inside) > 0)) {
    return false;
  }
  const lb_jet r = lb_jet_sqrt(N, inside);
  const lb_jet3 centre = lb_jet3_scale(N, d, normal);
  const lb_jet3 Pc = lb_jet3_sub(N, P, centre), Qc = lb_jet3_sub(N, Q, centre);
  const lb_jet rho_p = length_of(N, Pc), rho_q = length_of(N, Qc);
  const lb_jet3 first = lb_jet3_scale(N, lb_jet_inverse(N, rho_p), Pc);
  const lb_jet3 second = lb_jet3_cross(N, normal, first);
  lb_jet dphi = lb_jet_angle(N, lb_jet3_dot(N, Qc, second), lb_jet3_dot(N, Qc, first));
  if (lb_jet_value(&dphi) < 0) { // by the longer way
    dphi = lb_jet_shift(dphi, 2 * M_PI);
  }
  lb_planar c;
  if (!(lb_jet_value(&rho_p) > lb_jet_value(&r)) || !(lb_jet_value(&rho_q) > lb_jet_value(&r)) ||
      !lb_planar_find(N, &c, &r, &rho_p, &rho_q, &dphi)) {
    return false;
  }
  const lb_jet3 none = lb_jet3_constant(lb_vec3_make(0, 0, 0));
  lb_path_piece* arc = &out->piece[1];
  *arc = (lb_path_piece){.kind = LB_PIECE_OVAL,
                         .origin = stretch(N, a, centre),
                         .along = none,
                         .A = stretch(N, a, lb_jet3_scale(N, r, first)),
                         .B = stretch(N, a, lb_jet3_scale(N, r, second)),
                         .angle = c.alpha};
  lb_jet s1, k1, s2, k2;
  const lb_jet end = lb_jet_sub(N, dphi, c.gamma);
  lb_jet_sincos(N, c.alpha, &s1, &k1);
  lb_jet_sincos(N, end, &s2, &k2);
#define AT(s, k)                                                                                   \
  lb_jet3_add(N, arc->origin,                                                                      \
              lb_jet3_add(N, lb_jet3_scale(N, k, arc->A), lb_jet3_scale(N, s, arc->B)))
  const lb_jet3 to = lb_jet3_sub(N, AT(s1, k1), *p), from = lb_jet3_sub(N, *q, AT(s2, k2));
#undef AT
  const lb_jet la = length_of(N, to), lb = length_of(N, from);
  arc->start = la;
  arc->end = lb_jet_add(N, la, lb_oval_length(N, arc, &end));
  const lb_jet whole = lb_jet_add(N, arc->end, lb);
  out->count = 3;
  out->piece[0] =
      (lb_path_piece){.kind = LB_PIECE_LINE, .end = la, .origin = *p, .along = unit(N, to)};
  out->piece[2] = (lb_path_piece){
      .kind = LB_PIECE_LINE, .start = whole, .end = whole, .origin = *q, .along = unit(N, from)};
  return true;
}

LB_JET_INLINE bool wrap_ellipsoid(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_jet3* p,
                                  const lb_jet3* q) {
  const lb_vec3 a = wrap->size;
  const lb_vec3 inverse = {1 / a.x, 1 / a.y, 1 / a.z};
  const lb_jet3 P = stretch(N, inverse, *p), Q = stretch(N, inverse, *q);
  const lb_jet3 way = lb_jet3_sub(N, Q, P), U = unit(N, way);
  const lb_jet rho_p = length_of(N, P), rho_q = length_of(N, Q);
  // foot of the perpendicular from the centre: the middle of the chord
  const lb_jet3 m = lb_jet3_sub(N, P, lb_jet3_scale(N, lb_jet3_dot(N, P, U), U));
  const lb_jet D2 = lb_jet3_dot(N, m, m), on_p = lb_jet3_dot(N, P, U), on_q = lb_jet3_dot(N, Q, U);
  const bool between = lb_jet_value(&on_p) < 0 && lb_jet_value(&on_q) > 0;
  if (!(lb_jet_value(&rho_p) > 1) || !(lb_jet_value(&rho_q) > 1) || !between ||
      !(lb_jet_value(&D2) > 0)) {
    return false;
  }
  const lb_jet D = lb_jet_sqrt(N, D2), w = lb_wrap_band(N, wrap->band, 1, &rho_p, &rho_q);
  lb_jet radius = lb_jet_constant(1), b2[3];
  const lb_jet3 middle = stretch(N, a, m);
  const bool wrong = lb_vec3_dot(wrap->side, lb_jet3_lane(&middle, 0, 0)) < 0;
  if (!wrong && !lb_wrap_inflate(N, 1, &w, &D, &radius)) {
    return false;
  }
  const lb_jet r2 = lb_jet_mul(N, radius, radius);
  for (int i = 0; i < 3; i++) {
    b2[i] = lb_jet_scale(N, part(&a, i) * part(&a, i), r2);
  }
  const lb_jet3 out_of = find_normal(N, b2, (lb_jet[]){middle.x, middle.y, middle.z});
  // from P over the side of the middle to Q, angles rise about U x (the scaled normal), reversed
  const lb_jet3 across = stretch(N, inverse, out_of);
  const lb_jet3 normal = unit(N, wrong ? lb_jet3_cross(N, U, across) : lb_jet3_cross(N, across, U));
  return lay_out(N, out, a, P, Q, radius, normal, p, q);
}

static void find(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_jet3* p,
                 const lb_jet3* q) {
  bool wraps = false;
#define ELLIPSOID(N) wraps = wrap_ellipsoid(N, wrap, out, p, q)
  LB_JET_ORDERS(ELLIPSOID)
  if (!wraps) {
    lb_wrap_straight(N, out, p, q);
  }
}

const lb_wrap_type lb_wrap_type_ellipsoid = {find};
