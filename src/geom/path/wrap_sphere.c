// Sphere: around a circle in the plane of p, q and the centre, by the shorter way. Where it is held
// on a side, and near the centre or by the longer way in a plane that is kept, the plane is that of
// an ellipsoid.
#include "geom/path/wrap_path.h"

LB_TAYLOR_INLINE bool over_ball(int N, lb_taylor radius, lb_wrap_path* out, const lb_taylor3* p,
                                const lb_taylor3* q) {
  const lb_taylor rho_p = lb_taylor_sqrt(N, lb_taylor3_dot(N, *p, *p));
  const lb_taylor rho_q = lb_taylor_sqrt(N, lb_taylor3_dot(N, *q, *q));
  const lb_taylor3 cross = lb_taylor3_cross(N, *p, *q);
  const lb_taylor area = lb_taylor_sqrt(N, lb_taylor3_dot(N, cross, cross));
  const lb_taylor dphi = lb_taylor_angle(N, area, lb_taylor3_dot(N, *p, *q));
  lb_planar c;
  if (!lb_planar_find(N, &c, &radius, &rho_p, &rho_q, &dphi)) {
    return false;
  }
  const lb_taylor ip = lb_taylor_inverse(N, rho_p), iq = lb_taylor_inverse(N, rho_q);
  const lb_taylor3 normal = lb_taylor3_scale(N, lb_taylor_inverse(N, area), cross);
  const lb_taylor3 out_p = lb_taylor3_scale(N, ip, *p), on_p = lb_taylor3_cross(N, normal, out_p);
  const lb_taylor3 out_q = lb_taylor3_scale(N, iq, *q), on_q = lb_taylor3_cross(N, normal, out_q);
  const lb_taylor3 t1 = lb_taylor3_sub(N, lb_taylor3_scale(N, lb_taylor_mul(N, radius, ip), on_p),
                                       lb_taylor3_scale(N, lb_taylor_mul(N, c.a, ip), out_p));
  const lb_taylor3 t2 = lb_taylor3_add(N, lb_taylor3_scale(N, lb_taylor_mul(N, radius, iq), on_q),
                                       lb_taylor3_scale(N, lb_taylor_mul(N, c.b, iq), out_q));
  const lb_taylor3 none = lb_taylor3_constant(lb_vec3_make(0, 0, 0));
  out->count = 3;
  out->piece[0] = (lb_path_piece){.kind = LB_PIECE_LINE, .end = c.a, .origin = *p, .along = t1};
  out->piece[1] = (lb_path_piece){.kind = LB_PIECE_ARC,
                                  .start = c.a,
                                  .end = lb_taylor_sub(N, c.length, c.b),
                                  .origin = none,
                                  .along = none,
                                  .A = lb_taylor3_scale(N, radius, out_p),
                                  .B = lb_taylor3_scale(N, radius, on_p),
                                  .angle = c.alpha,
                                  .rate = lb_taylor_inverse(N, radius)};
  out->piece[2] = (lb_path_piece){
      .kind = LB_PIECE_LINE, .start = c.length, .end = c.length, .origin = *q, .along = t2};
  return true;
}

bool lb_wrap_over_ball(int N, const lb_taylor* radius, lb_wrap_path* out, const lb_taylor3* p,
                       const lb_taylor3* q) {
  bool wraps = false;
#define OVER(N) wraps = over_ball(N, *radius, out, p, q)
  LB_TAYLOR_ORDERS(OVER)
  return wraps;
}

LB_TAYLOR_INLINE bool wrap_sphere(int N, const lb_wrap* wrap, lb_wrap_path* out,
                                  const lb_taylor3* p, const lb_taylor3* q) {
  const double r = wrap->size.x, band = wrap->band * r;
  const lb_taylor pp = lb_taylor3_dot(N, *p, *p), qq = lb_taylor3_dot(N, *q, *q);
  const lb_taylor3 cross = lb_taylor3_cross(N, *p, *q), way = lb_taylor3_sub(N, *q, *p);
  const lb_taylor square = lb_taylor3_dot(N, cross, cross), dot = lb_taylor3_dot(N, *p, *q);
  // the foot of the line lies between p and q
  const bool between =
      lb_taylor_value(&dot) < lb_taylor_value(&pp) && lb_taylor_value(&dot) < lb_taylor_value(&qq);
  if (!(lb_taylor_value(&pp) > r * r) || !(lb_taylor_value(&qq) > r * r) || !between ||
      !(lb_taylor_value(&square) > 0)) {
    return false;
  }
  const lb_taylor D = lb_taylor_sqrt(N, lb_taylor_div(N, square, lb_taylor3_dot(N, way, way)));
  const lb_taylor rho_p = lb_taylor_sqrt(N, pp), rho_q = lb_taylor_sqrt(N, qq);
  const lb_taylor w = lb_wrap_band(N, band, r, &rho_p, &rho_q);
  lb_taylor radius;
  return lb_wrap_inflate(N, r, &w, &D, &radius) && over_ball(N, radius, out, p, q);
}

// Whether the plane of both ends and the centre is not the path's, or is badly known.
static bool has_own_plane(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q) {
  const double near = LB_WRAP_HOLD * wrap->size.x;
  if (lb_wrap_has_plane(wrap)) {
    const double area = lb_vec3_norm(lb_vec3_cross(p, q)), way = lb_vec3_norm(lb_vec3_sub(q, p));
    return lb_wrap_goes_far(wrap, p, q) || area < near * way;
  }
  return lb_wrap_side_distance(wrap, p, q) < near;
}

static void find(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_taylor3* p,
                 const lb_taylor3* q) {
  const double r = wrap->size.x;
  bool wraps = false;
#define SPHERE(N) wraps = wrap_sphere(N, wrap, out, p, q)
  if (has_own_plane(wrap, lb_taylor3_lane(p, 0, 0), lb_taylor3_lane(q, 0, 0))) {
    wraps = lb_wrap_over_ellipsoid(N, wrap, lb_vec3_make(r, r, r), out, p, q);
  } else {
    LB_TAYLOR_ORDERS(SPHERE)
  }
  if (!wraps) {
    lb_wrap_straight(N, out, p, q);
  }
}

static lb_vec3 scales(const lb_wrap* wrap) {
  (void)wrap;
  return lb_vec3_make(1, 1, 1);
}

const lb_wrap_type lb_wrap_type_sphere = {find, scales};
