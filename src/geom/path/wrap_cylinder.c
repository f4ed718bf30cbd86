// Cylinder about z. In the plane across it the path goes around a circle; z is in proportion to the
// planar arc length, Lambda in all: L = sqrt(Lambda^2 + dz^2).
#include "geom/path/wrap_path.h"

typedef lb_wrap_basis basis;

LB_JET_INLINE basis basis_of(int N, const lb_jet3* p, int sense) {
  const lb_jet none = lb_jet_constant(0);
  basis b;
  b.rho = lb_jet_sqrt(N, lb_jet_add(N, lb_jet_mul(N, p->x, p->x), lb_jet_mul(N, p->y, p->y)));
  const lb_jet i = lb_jet_inverse(N, b.rho);
  b.out = (lb_jet3){lb_jet_mul(N, i, p->x), lb_jet_mul(N, i, p->y), none};
  b.on = (lb_jet3){lb_jet_scale(N, -sense, b.out.y), lb_jet_scale(N, sense, b.out.x), none};
  return b;
}

// Signed distance of the line, by the sense: rho_p rho_q sin(dphi) / |q - p|, and whether its foot
// lies between the points.
LB_JET_INLINE bool line_distance(int N, const lb_jet3* p, const lb_jet3* q, int sense, lb_jet* D) {
  const lb_jet dx = lb_jet_sub(N, q->x, p->x), dy = lb_jet_sub(N, q->y, p->y);
  const lb_jet way = lb_jet_add(N, lb_jet_mul(N, dx, dx), lb_jet_mul(N, dy, dy));
  const lb_jet cross = lb_jet_sub(N, lb_jet_mul(N, p->x, q->y), lb_jet_mul(N, p->y, q->x));
  const double px = lb_jet_value(&p->x), py = lb_jet_value(&p->y), qx = lb_jet_value(&q->x),
               qy = lb_jet_value(&q->y);
  if (!(lb_jet_value(&way) > 0)) {
    return false;
  }
  *D = lb_jet_scale(N, sense, lb_jet_div(N, cross, lb_jet_sqrt(N, way)));
  return px * (qx - px) + py * (qy - py) < 0 && qx * (qx - px) + qy * (qy - py) > 0;
}

// A direction across z and along it, per arc length of the path.
LB_JET_INLINE lb_jet3 incline(int N, lb_jet across, lb_jet3 u, lb_jet along) {
  return (lb_jet3){lb_jet_mul(N, across, u.x), lb_jet_mul(N, across, u.y), along};
}

LB_JET_INLINE lb_jet3 combine(int N, lb_jet a, lb_jet3 u, lb_jet b, lb_jet3 v) {
  return lb_jet3_add(N, lb_jet3_scale(N, a, u), lb_jet3_scale(N, b, v));
}

LB_JET_INLINE void lay_out(int N, lb_wrap_path* out, const lb_planar* c, const basis* P,
                           const basis* Q, const lb_jet3* p, const lb_jet3* q) {
  const lb_jet none = lb_jet_constant(0), dz = lb_jet_sub(N, q->z, p->z);
  const lb_jet L =
      lb_jet_sqrt(N, lb_jet_add(N, lb_jet_mul(N, c->length, c->length), lb_jet_mul(N, dz, dz)));
  const lb_jet invL = lb_jet_inverse(N, L), across = lb_jet_mul(N, c->length, invL),
               along = lb_jet_mul(N, dz, invL), stretch = lb_jet_inverse(N, across);
  const lb_jet first = lb_jet_mul(N, c->a, stretch);
  const lb_jet last = lb_jet_sub(N, L, lb_jet_mul(N, c->b, stretch));
  const lb_jet ip = lb_jet_inverse(N, P->rho), iq = lb_jet_inverse(N, Q->rho);
  // tangents: sin(alpha) = a/rho_p, cos(alpha) = r/rho_p
  const lb_jet3 t1 = combine(N, lb_jet_scale(N, -1, lb_jet_mul(N, c->a, ip)), P->out,
                             lb_jet_mul(N, c->radius, ip), P->on);
  const lb_jet3 t2 =
      combine(N, lb_jet_mul(N, c->b, iq), Q->out, lb_jet_mul(N, c->radius, iq), Q->on);
  out->count = 3;
  out->piece[0] = (lb_path_piece){
      .kind = LB_PIECE_LINE, .end = first, .origin = *p, .along = incline(N, across, t1, along)};
  out->piece[1] =
      (lb_path_piece){.kind = LB_PIECE_ARC,
                      .start = first,
                      .end = last,
                      .origin = {none, none, lb_jet_add(N, p->z, lb_jet_mul(N, along, first))},
                      .along = {none, none, along},
                      .A = lb_jet3_scale(N, c->radius, P->out),
                      .B = lb_jet3_scale(N, c->radius, P->on),
                      .angle = c->alpha,
                      .rate = lb_jet_div(N, across, c->radius)};
  out->piece[2] = (lb_path_piece){.kind = LB_PIECE_LINE,
                                  .start = L,
                                  .end = L,
                                  .origin = *q,
                                  .along = incline(N, across, t2, along)};
}

// Angle from p to q in the sense, between -pi/2 and 3 pi/2.
LB_JET_INLINE lb_jet turned(int N, const lb_jet3* p, const lb_jet3* q, int sense) {
  const lb_jet cross = lb_jet_sub(N, lb_jet_mul(N, p->x, q->y), lb_jet_mul(N, p->y, q->x));
  const lb_jet dot = lb_jet_add(N, lb_jet_mul(N, p->x, q->x), lb_jet_mul(N, p->y, q->y));
  const lb_jet dphi = lb_jet_angle(N, lb_jet_scale(N, sense, cross), dot);
  return lb_jet_value(&dphi) < -M_PI / 2 ? lb_jet_shift(dphi, 2 * M_PI) : dphi;
}

lb_wrap_basis lb_wrap_basis_of(int N, const lb_jet3* p, int sense) {
  lb_wrap_basis b;
#define BASIS(N) b = basis_of(N, p, sense)
  LB_JET_ORDERS(BASIS)
  return b;
}

lb_jet lb_wrap_turned(int N, const lb_jet3* p, const lb_jet3* q, int sense) {
  lb_jet dphi;
#define TURNED(N) dphi = turned(N, p, q, sense)
  LB_JET_ORDERS(TURNED)
  return dphi;
}

bool lb_wrap_line_distance(int N, const lb_jet3* p, const lb_jet3* q, int sense, lb_jet* D) {
  bool between = false;
#define DISTANCE(N) between = line_distance(N, p, q, sense, D)
  LB_JET_ORDERS(DISTANCE)
  return between;
}

LB_JET_INLINE bool over_cylinder(int N, const lb_jet* radius, int sense, const lb_jet* dphi,
                                 lb_wrap_path* out, const lb_jet3* p, const lb_jet3* q) {
  const basis P = basis_of(N, p, sense), Q = basis_of(N, q, sense);
  lb_planar c;
  if (!lb_planar_find(N, &c, radius, &P.rho, &Q.rho, dphi)) {
    return false;
  }
  lay_out(N, out, &c, &P, &Q, p, q);
  return true;
}

bool lb_wrap_over_cylinder(int N, const lb_jet* radius, int sense, const lb_jet* dphi,
                           lb_wrap_path* out, const lb_jet3* p, const lb_jet3* q) {
  bool wraps = false;
#define OVER(N) wraps = over_cylinder(N, radius, sense, dphi, out, p, q)
  LB_JET_ORDERS(OVER)
  return wraps;
}

LB_JET_INLINE bool wrap_round(int N, double r, double band, int sense, lb_wrap_path* out,
                              const lb_jet3* p, const lb_jet3* q) {
  const double rp = hypot(lb_jet_value(&p->x), lb_jet_value(&p->y));
  const double rq = hypot(lb_jet_value(&q->x), lb_jet_value(&q->y));
  if (!(rp > r) || !(rq > r)) {
    return false;
  }
  lb_jet dphi = turned(N, p, q, sense), D, radius = lb_jet_constant(r);
  if (lb_jet_value(&dphi) < 0) { // it passes on the other side
    sense = -sense;
    dphi = lb_jet_scale(N, -1, dphi);
  }
  if (lb_jet_value(&dphi) < M_PI) {
    const basis P = basis_of(N, p, sense), Q = basis_of(N, q, sense);
    const lb_jet w = lb_wrap_band(N, band, r, &P.rho, &Q.rho);
    if (!line_distance(N, p, q, sense, &D) || !lb_wrap_inflate(N, r, &w, &D, &radius)) {
      return false;
    }
  }
  return over_cylinder(N, &radius, sense, &dphi, out, p, q);
}

bool lb_wrap_round(int N, double r, double band, int sense, lb_wrap_path* out, const lb_jet3* p,
                   const lb_jet3* q) {
  bool wraps = false;
#define ROUND(N) wraps = wrap_round(N, r, band, sense, out, p, q)
  LB_JET_ORDERS(ROUND)
  return wraps;
}

// Both ends of the arc lie beyond the same end of the cylinder.
static bool misses(const lb_wrap_path* path, double half) {
  const lb_path_piece* arc = &path->piece[1];
  const double z1 = lb_jet_value(&arc->origin.z);
  const double z2 =
      z1 + lb_jet_value(&arc->along.z) * (lb_jet_value(&arc->end) - lb_jet_value(&arc->start));
  return fmin(z1, z2) > half || fmax(z1, z2) < -half;
}

static void find(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_jet3* p,
                 const lb_jet3* q) {
  const double r = wrap->size.x, length = wrap->size.y;
  if (!lb_wrap_round(N, r, wrap->band * r, wrap->sense, out, p, q) ||
      (length > 0 && misses(out, length / 2))) {
    lb_wrap_straight(N, out, p, q);
  }
}

const lb_wrap_type lb_wrap_type_cylinder = {find};
