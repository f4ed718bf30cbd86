// What all surfaces share: straight paths, the way around a circle, inflation, points on pieces.
#include "geom/path/wrap_network.h"

static const lb_wrap_type* const WRAP[LB_WRAP_COUNT] = {
    [LB_WRAP_CYLINDER] = &lb_wrap_type_cylinder, [LB_WRAP_SPHERE] = &lb_wrap_type_sphere,
    [LB_WRAP_CAPSULE] = &lb_wrap_type_capsule,   [LB_WRAP_ELLIPSOID] = &lb_wrap_type_ellipsoid,
    [LB_WRAP_TORUS] = &lb_wrap_type_torus,
};

// --- paths ---

// Squares of lengths below this have powers of their inverse that overflow.
static const double NOWHERE = 1e-60;

// Points that coincide have neither a length nor a direction between them.
LB_TAYLOR_INLINE void straight(int N, lb_wrap_path* out, const lb_taylor3* p, const lb_taylor3* q) {
  const lb_taylor3 way = lb_taylor3_sub(N, *q, *p);
  const lb_taylor square = lb_taylor3_dot(N, way, way);
  out->count = 1;
  out->piece[0] = (lb_path_piece){.kind = LB_PIECE_LINE, .origin = *p};
  if (lb_taylor_value(&square) > NOWHERE) {
    const lb_taylor length = lb_taylor_sqrt(N, square);
    out->piece[0].end = length;
    out->piece[0].along = lb_taylor3_scale(N, lb_taylor_inverse(N, length), way);
  }
}

void lb_wrap_straight(int N, lb_wrap_path* out, const lb_taylor3* p, const lb_taylor3* q) {
#define STRAIGHT(N) straight(N, out, p, q)
  LB_TAYLOR_ORDERS(STRAIGHT)
}

// The length is that of the path itself; its points are the network's.
static void hand_over(const lb_wrap* wrap, lb_wrap_path* path, const lb_taylor3* p,
                      const lb_taylor3* q) {
  const lb_taylor length = *lb_wrap_length(path);
  path->count = 1;
  path->piece[0] =
      (lb_path_piece){.kind = LB_PIECE_NETWORK, .end = length, .A = *p, .B = *q, .wrap = wrap};
}

void lb_wrap_over(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_taylor3* p,
                  const lb_taylor3* q) {
  WRAP[wrap->kind]->find(N, wrap, out, p, q);
}

lb_vec3 lb_wrap_scales(const lb_wrap* wrap) {
  return WRAP[wrap->kind]->scales(wrap);
}

void lb_wrap_find(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_path_end* p,
                  const lb_path_end* q) {
  const lb_taylor3 P = lb_taylor3_variable(LB_TAYLOR_P, p->x, p->xd, p->xdd);
  const lb_taylor3 Q = lb_taylor3_variable(LB_TAYLOR_Q, q->x, q->xd, q->xdd);
  if (wrap) {
    lb_wrap_over(N, wrap, out, &P, &Q);
    if (wrap->network) {
      hand_over(wrap, out, &P, &Q);
    }
  } else {
    lb_wrap_straight(N, out, &P, &Q);
  }
}

// Bisectors of the angle from p to q by either way are opposite.
int lb_wrap_sense(lb_vec3 side, lb_vec3 p, lb_vec3 q) {
  const double cross = p.x * q.y - p.y * q.x;
  const double rp = hypot(p.x, p.y), rq = hypot(q.x, q.y);
  const int shorter = cross >= 0 ? 1 : -1;
  if (side.x == 0 && side.y == 0) {
    return shorter;
  }
  const double x = p.x * rq + q.x * rp, y = p.y * rq + q.y * rp;
  const double scale = rp * rq;
  // opposite points: either way is half a turn, on the side of p turned by a quarter
  const bool opposite = hypot(x, y) < 1e-9 * scale;
  const double on = opposite ? side.y * p.x - side.x * p.y : side.x * x + side.y * y;
  return opposite ? (on >= 0 ? 1 : -1) : (on >= 0 ? shorter : -shorter);
}

// Foot of the perpendicular from the origin to the line.
static lb_vec3 foot(lb_vec3 p, lb_vec3 q) {
  const lb_vec3 way = lb_vec3_sub(q, p);
  const double t = -lb_vec3_dot(p, way) / lb_vec3_dot(way, way);
  return lb_vec3_add(p, lb_vec3_scale(t, way));
}

static lb_vec3 times(lb_vec3 a, lb_vec3 b) {
  return lb_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

lb_vec3 lb_wrap_axis(lb_vec3 side, lb_vec3 p, lb_vec3 q) {
  const lb_vec3 n = lb_vec3_cross(p, q);
  const double size = lb_vec3_norm(n);
  if (!(size > 1e-9 * lb_vec3_norm(p) * lb_vec3_norm(q))) {
    return lb_vec3_make(0, 0, 0);
  }
  return lb_vec3_scale((lb_vec3_dot(side, foot(p, q)) < 0 ? -1 : 1) / size, n);
}

// About an axis the angle from p to q is between -pi/2 and 3 pi/2, as about a cylinder; in axes
// that scale an ellipsoid to a sphere.
bool lb_wrap_goes_far(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q) {
  const lb_vec3 k = lb_wrap_scales(wrap);
  return lb_vec3_dot(wrap->axis, lb_vec3_cross(p, q)) < 0 &&
         lb_vec3_dot(times(k, p), times(k, q)) < 0;
}

bool lb_wrap_has_plane(const lb_wrap* wrap) {
  return lb_vec3_dot(wrap->axis, wrap->axis) > 0;
}

bool lb_wrap_is_held(const lb_wrap* wrap) {
  const bool ball = wrap->kind == LB_WRAP_SPHERE || wrap->kind == LB_WRAP_ELLIPSOID;
  return ball && !lb_wrap_has_plane(wrap) && lb_vec3_dot(wrap->side, wrap->side) > 0;
}

double lb_wrap_side_distance(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q) {
  if (!lb_wrap_is_held(wrap)) {
    return INFINITY;
  }
  const lb_vec3 k = lb_wrap_scales(wrap);
  const lb_vec3 P = times(k, p), Q = times(k, q), s = times(k, wrap->side);
  const lb_vec3 along = lb_vec3_cross(lb_vec3_sub(Q, P), s); // normal of the plane of both
  const lb_vec3 across = lb_vec3_cross(along, lb_vec3_sub(Q, P));
  const double size = lb_vec3_norm(across); // 0 where they coincide, or lie along the side
  return size > 0 ? lb_vec3_dot(across, foot(P, Q)) / size : (double)INFINITY;
}

double lb_wrap_side_sine(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q) {
  const lb_vec3 k = lb_wrap_scales(wrap);
  const lb_vec3 P = times(k, p), Q = times(k, q), s = times(k, wrap->side);
  const lb_vec3 way = lb_vec3_sub(Q, P);
  const double radius = k.x * wrap->size.x;
  if (!lb_wrap_is_held(wrap) || !(lb_vec3_dot(P, way) < 0) || !(lb_vec3_dot(Q, way) > 0) ||
      !(lb_vec3_norm(foot(P, Q)) < radius) || !(lb_vec3_norm(P) > radius) ||
      !(lb_vec3_norm(Q) > radius)) {
    return 1;
  }
  return lb_vec3_norm(lb_vec3_cross(way, s)) / (lb_vec3_norm(way) * lb_vec3_norm(s));
}

// --- circles ---

// h and its derivatives: h'' = 315/256 (1 - x^2)^4, so that h meets 0 and x with five derivatives.
static void band_function(double x, double h[5]) {
  static const double C = 315. / 256;
  const double x2 = x * x, u = 1 - x2;
  const double bend = 1. / 2 - x2 * (1. / 3 - x2 * (1. / 5 - x2 * (1. / 14 - x2 / 90)));
  h[0] = x / 2 + C * x2 * bend + 63. / 512;
  h[1] = 1. / 2 + C * x * (1 - x2 * (4. / 3 - x2 * (6. / 5 - x2 * (4. / 7 - x2 / 9))));
  h[2] = C * u * u * u * u;
  h[3] = -8 * C * x * u * u * u;
  h[4] = -8 * C * u * u * (u - 6 * x2);
}

void lb_wrap_swelling(double x, double h[5]) {
  if (x > -1 && x < 1) {
    band_function(x, h);
    return;
  }
  h[0] = x > 0 ? x : 0;
  h[1] = x > 0 ? 1 : 0;
  h[2] = h[3] = h[4] = 0;
}

// What an end leaves of the band w, by y = (rho - r)/(2 w): 1/s, where s is y below a
// half, 1 from one and a half on, and at most both between them.
static const double SOFT = 0.5;

LB_TAYLOR_INLINE lb_taylor narrowing(int N, double w, double r, lb_taylor rho) {
  const lb_taylor room = lb_taylor_scale(N, 0.5 / w, lb_taylor_shift(rho, -r));
  const lb_taylor X = lb_taylor_scale(N, -1 / SOFT, lb_taylor_shift(room, -1));
  double h[5];
  lb_wrap_swelling(lb_taylor_value(&X), h);
  const lb_taylor less = lb_taylor_scale(N, -SOFT, lb_taylor_apply(N, X, h));
  return lb_taylor_inverse(N, lb_taylor_shift(less, 1));
}

lb_taylor lb_wrap_band(int N, double w, double r, const lb_taylor* rho_p, const lb_taylor* rho_q) {
  const double room = fmin(lb_taylor_value(rho_p), lb_taylor_value(rho_q)) - r;
  lb_taylor narrowed = lb_taylor_constant(0);
  if (room >= 2 * w * (1 + SOFT)) {
    return lb_taylor_constant(w);
  }
  if (w > 0 && room > 0) { // w/(1/s_p + 1/s_q - 1)
#define NARROW(N)                                                                                  \
  narrowed = lb_taylor_scale(                                                                      \
      N, w,                                                                                        \
      lb_taylor_inverse(                                                                           \
          N, lb_taylor_shift(                                                                      \
                 lb_taylor_add(N, narrowing(N, w, r, *rho_p), narrowing(N, w, r, *rho_q)), -1)))
    LB_TAYLOR_ORDERS(NARROW)
  }
  return narrowed;
}

LB_TAYLOR_INLINE lb_taylor swell(int N, double r, lb_taylor w, lb_taylor D) {
  const lb_taylor X = lb_taylor_div(N, lb_taylor_shift(D, -r), w);
  double h[5];
  band_function(lb_taylor_value(&X), h);
  return lb_taylor_shift(lb_taylor_mul(N, w, lb_taylor_apply(N, X, h)), r);
}

bool lb_wrap_inflate(int N, double r, const lb_taylor* w, const lb_taylor* D, lb_taylor* radius) {
  const double gap = lb_taylor_value(D) - r, band = lb_taylor_value(w);
  if (gap >= band) {
    return false;
  }
  *radius = lb_taylor_constant(r);
  if (gap > -band) {
#define SWELL(N) *radius = swell(N, r, *w, *D)
    LB_TAYLOR_ORDERS(SWELL)
  }
  return true;
}

LB_TAYLOR_INLINE lb_taylor tangent(int N, lb_taylor rho, lb_taylor r) {
  return lb_taylor_sqrt(N, lb_taylor_sub(N, lb_taylor_mul(N, rho, rho), lb_taylor_mul(N, r, r)));
}

// Arcs of paths that lift off shrink as (1 - x)^6, and are lost in the rounding of angles from
// 1 - x = 3e-3 on. Accelerations of such paths are still 1e-7 off those of straight ones: an arc
// that is there by its sign alone would come and go with rounding, and they would jump with it.
static const double NO_ANGLE = 1e-12;

LB_TAYLOR_INLINE bool planar(int N, lb_planar* out, const lb_taylor* radius, const lb_taylor* rho_p,
                             const lb_taylor* rho_q, const lb_taylor* dphi) {
  out->radius = *radius;
  out->a = tangent(N, *rho_p, *radius);
  out->b = tangent(N, *rho_q, *radius);
  out->alpha = lb_taylor_angle(N, out->a, *radius);
  out->gamma = lb_taylor_angle(N, out->b, *radius);
  out->theta = lb_taylor_sub(N, *dphi, lb_taylor_add(N, out->alpha, out->gamma));
  out->length =
      lb_taylor_add(N, lb_taylor_add(N, out->a, out->b), lb_taylor_mul(N, *radius, out->theta));
  return lb_taylor_value(&out->theta) > -NO_ANGLE;
}

bool lb_planar_find(int N, lb_planar* out, const lb_taylor* radius, const lb_taylor* rho_p,
                    const lb_taylor* rho_q, const lb_taylor* dphi) {
  bool arc = false;
#define PLANAR(N) arc = planar(N, out, radius, rho_p, rho_q, dphi)
  LB_TAYLOR_ORDERS(PLANAR)
  return arc;
}

// --- points ---

// Angle of an oval at an arc length from its first: Newton's method, for its value and then for the
// jet.
LB_TAYLOR_INLINE lb_taylor oval_speed(int N, const lb_path_piece* c, lb_taylor psi) {
  lb_taylor s, k;
  lb_taylor_sincos(N, psi, &s, &k);
  const lb_taylor3 t =
      lb_taylor3_sub(N, lb_taylor3_scale(N, k, c->B), lb_taylor3_scale(N, s, c->A));
  return lb_taylor_sqrt(N, lb_taylor3_dot(N, t, t));
}

LB_TAYLOR_INLINE lb_taylor oval_length(int N, const lb_path_piece* c, lb_taylor psi) {
  static const double x[] = {0.1252334085114689, 0.3678314989981802, 0.5873179542866175,
                             0.7699026741943047, 0.9041172563704749, 0.9815606342467193};
  static const double w[] = {0.2491470458134028, 0.2334925365383548, 0.2031674267230659,
                             0.1600783285433462, 0.1069393259953184, 0.0471753363865118};
  const lb_taylor half = lb_taylor_scale(N, 0.5, lb_taylor_sub(N, psi, c->angle));
  const lb_taylor middle = lb_taylor_add(N, c->angle, half);
  lb_taylor sum = lb_taylor_constant(0);
  for (int i = 0; i < 12; i++) {
    const lb_taylor at =
        lb_taylor_add(N, middle, lb_taylor_scale(N, i % 2 ? x[i / 2] : -x[i / 2], half));
    sum = lb_taylor_add(N, sum, lb_taylor_scale(N, w[i / 2], oval_speed(N, c, at)));
  }
  return lb_taylor_mul(N, sum, half);
}

lb_taylor lb_oval_length(int N, const lb_path_piece* c, const lb_taylor* psi) {
  lb_taylor length;
#define OVAL(N) length = oval_length(N, c, *psi)
  LB_TAYLOR_ORDERS(OVAL)
  return length;
}

LB_TAYLOR_INLINE lb_taylor oval_angle(int N, const lb_path_piece* c, lb_taylor from) {
  lb_taylor psi = c->angle;
  lb_taylor wanted = from;
  enum { VALUES = 12 };
  static const double NEAR = 1e-8; // what is left of it is its square
  double step = 1;
  for (int i = 0; i < VALUES && fabs(step) > NEAR; i++) {
    psi = lb_taylor_constant(lb_taylor_value(&psi));
    const lb_taylor length = oval_length(0, c, psi), speed = oval_speed(0, c, psi);
    step = (lb_taylor_value(&wanted) - lb_taylor_value(&length)) / lb_taylor_value(&speed);
    psi = lb_taylor_shift(psi, step);
  }
  psi = lb_taylor_constant(lb_taylor_value(&psi));
  const lb_taylor slope = oval_speed(0, c, psi);
  for (int i = 0; i < lb_taylor_newton_steps(N); i++) {
    const lb_taylor gap = lb_taylor_sub(N, from, oval_length(N, c, psi));
    psi = lb_taylor_add(N, psi,
                        lb_taylor_div(N, gap,
                                      i == 0 ? lb_taylor_constant(lb_taylor_value(&slope))
                                             : oval_speed(N, c, psi)));
  }
  return psi;
}

LB_TAYLOR_INLINE lb_taylor3 point(int N, const lb_path_piece* c, const lb_taylor* sigma) {
  const lb_taylor from = lb_taylor_sub(N, *sigma, c->start);
  lb_taylor3 x = c->origin;
  if (c->kind != LB_PIECE_OVAL) {
    x = lb_taylor3_add(N, x, lb_taylor3_scale(N, from, c->along));
  }
  if (c->kind != LB_PIECE_LINE) {
    lb_taylor s, k;
    const lb_taylor psi = c->kind == LB_PIECE_ARC
                              ? lb_taylor_add(N, c->angle, lb_taylor_mul(N, c->rate, from))
                              : oval_angle(N, c, from);
    lb_taylor_sincos(N, psi, &s, &k);
    x = lb_taylor3_add(
        N, x, lb_taylor3_add(N, lb_taylor3_scale(N, k, c->A), lb_taylor3_scale(N, s, c->B)));
  }
  return x;
}

// A path between points that coincide has no parts.
static lb_taylor3 network_point(int N, const lb_path_piece* c, const lb_taylor* sigma) {
  lb_taylor alpha;
  if (!(lb_taylor_value(&c->end) > 0)) {
    return c->A;
  }
#define PART(N) alpha = lb_taylor_div(N, *sigma, c->end)
  LB_TAYLOR_ORDERS(PART)
  return lb_wrap_network_point(N, c->wrap->network, c->wrap->size.x, c->wrap->sense, &c->A, &c->B,
                               &alpha);
}

lb_taylor3 lb_wrap_point(int N, const lb_path_piece* c, const lb_taylor* sigma) {
  lb_taylor3 x;
  if (c->kind == LB_PIECE_NETWORK) {
    return network_point(N, c, sigma);
  }
#define POINT(N) x = point(N, c, sigma)
  LB_TAYLOR_ORDERS(POINT)
  return x;
}
