// Cylinder about z. In the plane across it the path goes around a circle; z is in proportion to the
// planar arc length, Lambda in all: L = sqrt(Lambda^2 + dz^2).
#include "geom/path/wrap_path.h"

typedef lb_wrap_basis basis;

LB_TAYLOR_INLINE basis basis_of(int N, const lb_taylor3* p, int sense) {
  const lb_taylor none = lb_taylor_constant(0);
  basis b;
  b.rho = lb_taylor_sqrt(
      N, lb_taylor_add(N, lb_taylor_mul(N, p->x, p->x), lb_taylor_mul(N, p->y, p->y)));
  const lb_taylor i = lb_taylor_inverse(N, b.rho);
  b.out = (lb_taylor3){lb_taylor_mul(N, i, p->x), lb_taylor_mul(N, i, p->y), none};
  b.on =
      (lb_taylor3){lb_taylor_scale(N, -sense, b.out.y), lb_taylor_scale(N, sense, b.out.x), none};
  return b;
}

// Signed distance of the line, by the sense: rho_p rho_q sin(dphi) / |q - p|, and whether its foot
// lies between the points.
LB_TAYLOR_INLINE bool line_distance(int N, const lb_taylor3* p, const lb_taylor3* q, int sense,
                                    lb_taylor* D) {
  const lb_taylor dx = lb_taylor_sub(N, q->x, p->x), dy = lb_taylor_sub(N, q->y, p->y);
  const lb_taylor way = lb_taylor_add(N, lb_taylor_mul(N, dx, dx), lb_taylor_mul(N, dy, dy));
  const lb_taylor cross =
      lb_taylor_sub(N, lb_taylor_mul(N, p->x, q->y), lb_taylor_mul(N, p->y, q->x));
  const double px = lb_taylor_value(&p->x), py = lb_taylor_value(&p->y),
               qx = lb_taylor_value(&q->x), qy = lb_taylor_value(&q->y);
  if (!(lb_taylor_value(&way) > 0)) {
    return false;
  }
  *D = lb_taylor_scale(N, sense, lb_taylor_div(N, cross, lb_taylor_sqrt(N, way)));
  return px * (qx - px) + py * (qy - py) < 0 && qx * (qx - px) + qy * (qy - py) > 0;
}

// A direction across z and along it, per arc length of the path.
LB_TAYLOR_INLINE lb_taylor3 incline(int N, lb_taylor across, lb_taylor3 u, lb_taylor along) {
  return (lb_taylor3){lb_taylor_mul(N, across, u.x), lb_taylor_mul(N, across, u.y), along};
}

LB_TAYLOR_INLINE lb_taylor3 combine(int N, lb_taylor a, lb_taylor3 u, lb_taylor b, lb_taylor3 v) {
  return lb_taylor3_add(N, lb_taylor3_scale(N, a, u), lb_taylor3_scale(N, b, v));
}

LB_TAYLOR_INLINE void lay_out(int N, lb_wrap_path* out, const lb_planar* c, const basis* P,
                              const basis* Q, const lb_taylor3* p, const lb_taylor3* q) {
  const lb_taylor none = lb_taylor_constant(0), dz = lb_taylor_sub(N, q->z, p->z);
  const lb_taylor L = lb_taylor_sqrt(
      N, lb_taylor_add(N, lb_taylor_mul(N, c->length, c->length), lb_taylor_mul(N, dz, dz)));
  const lb_taylor invL = lb_taylor_inverse(N, L), across = lb_taylor_mul(N, c->length, invL),
                  along = lb_taylor_mul(N, dz, invL), stretch = lb_taylor_inverse(N, across);
  const lb_taylor first = lb_taylor_mul(N, c->a, stretch);
  const lb_taylor last = lb_taylor_sub(N, L, lb_taylor_mul(N, c->b, stretch));
  const lb_taylor ip = lb_taylor_inverse(N, P->rho), iq = lb_taylor_inverse(N, Q->rho);
  // tangents: sin(alpha) = a/rho_p, cos(alpha) = r/rho_p
  const lb_taylor3 t1 = combine(N, lb_taylor_scale(N, -1, lb_taylor_mul(N, c->a, ip)), P->out,
                                lb_taylor_mul(N, c->radius, ip), P->on);
  const lb_taylor3 t2 =
      combine(N, lb_taylor_mul(N, c->b, iq), Q->out, lb_taylor_mul(N, c->radius, iq), Q->on);
  out->count = 3;
  // member by member: what lines do not have is not cleared, which would take as long as all else
  lb_path_piece *from = &out->piece[0], *arc = &out->piece[1], *to = &out->piece[2];
  from->kind = to->kind = LB_PIECE_LINE;
  from->start = none;
  from->end = first;
  from->origin = *p;
  from->along = incline(N, across, t1, along);
  arc->kind = LB_PIECE_ARC;
  arc->start = first;
  arc->end = last;
  arc->origin = (lb_taylor3){none, none, lb_taylor_add(N, p->z, lb_taylor_mul(N, along, first))};
  arc->along = (lb_taylor3){none, none, along};
  arc->A = lb_taylor3_scale(N, c->radius, P->out);
  arc->B = lb_taylor3_scale(N, c->radius, P->on);
  arc->angle = c->alpha;
  arc->rate = lb_taylor_div(N, across, c->radius);
  to->start = to->end = L;
  to->origin = *q;
  to->along = incline(N, across, t2, along);
}

// Angle from p to q in the sense, between -pi/2 and 3 pi/2.
LB_TAYLOR_INLINE lb_taylor turned(int N, const lb_taylor3* p, const lb_taylor3* q, int sense) {
  const lb_taylor cross =
      lb_taylor_sub(N, lb_taylor_mul(N, p->x, q->y), lb_taylor_mul(N, p->y, q->x));
  const lb_taylor dot =
      lb_taylor_add(N, lb_taylor_mul(N, p->x, q->x), lb_taylor_mul(N, p->y, q->y));
  const lb_taylor dphi = lb_taylor_angle(N, lb_taylor_scale(N, sense, cross), dot);
  return lb_taylor_value(&dphi) < -M_PI / 2 ? lb_taylor_shift(dphi, 2 * M_PI) : dphi;
}

lb_wrap_basis lb_wrap_basis_of(int N, const lb_taylor3* p, int sense) {
  lb_wrap_basis b;
#define BASIS(N) b = basis_of(N, p, sense)
  LB_TAYLOR_ORDERS(BASIS)
  return b;
}

lb_taylor lb_wrap_turned(int N, const lb_taylor3* p, const lb_taylor3* q, int sense) {
  lb_taylor dphi;
#define TURNED(N) dphi = turned(N, p, q, sense)
  LB_TAYLOR_ORDERS(TURNED)
  return dphi;
}

bool lb_wrap_line_distance(int N, const lb_taylor3* p, const lb_taylor3* q, int sense,
                           lb_taylor* D) {
  bool between = false;
#define DISTANCE(N) between = line_distance(N, p, q, sense, D)
  LB_TAYLOR_ORDERS(DISTANCE)
  return between;
}

LB_TAYLOR_INLINE bool over_cylinder(int N, const lb_taylor* radius, int sense,
                                    const lb_taylor* dphi, lb_wrap_path* out, const lb_taylor3* p,
                                    const lb_taylor3* q) {
  const basis P = basis_of(N, p, sense), Q = basis_of(N, q, sense);
  lb_planar c;
  if (!lb_planar_find(N, &c, radius, &P.rho, &Q.rho, dphi)) {
    return false;
  }
  lay_out(N, out, &c, &P, &Q, p, q);
  return true;
}

bool lb_wrap_over_cylinder(int N, const lb_taylor* radius, int sense, const lb_taylor* dphi,
                           lb_wrap_path* out, const lb_taylor3* p, const lb_taylor3* q) {
  bool wraps = false;
#define OVER(N) wraps = over_cylinder(N, radius, sense, dphi, out, p, q)
  LB_TAYLOR_ORDERS(OVER)
  return wraps;
}

// Straight by values alone, which most paths are: the line is beyond the band, or its foot is not
// between the points.
static bool stays_away(double r, double band, int sense, const lb_taylor3* p, const lb_taylor3* q) {
  const double px = lb_taylor_value(&p->x), py = lb_taylor_value(&p->y),
               qx = lb_taylor_value(&q->x), qy = lb_taylor_value(&q->y);
  const double cross = sense * (px * qy - py * qx), dx = qx - px, dy = qy - py;
  const bool far_around = cross < 0 && px * qx + py * qy < 0; // more than half a turn
  if (far_around) {
    return false;
  }
  const double way = dx * dx + dy * dy, beyond = r + band;
  const bool between = px * dx + py * dy < 0 && qx * dx + qy * dy > 0;
  return !between || cross * cross >= beyond * beyond * way;
}

LB_TAYLOR_INLINE bool wrap_round(int N, double r, double band, int sense, lb_wrap_path* out,
                                 const lb_taylor3* p, const lb_taylor3* q) {
  const double rp = hypot(lb_taylor_value(&p->x), lb_taylor_value(&p->y));
  const double rq = hypot(lb_taylor_value(&q->x), lb_taylor_value(&q->y));
  if (!(rp > r) || !(rq > r) || stays_away(r, band, sense, p, q)) {
    return false;
  }
  lb_taylor dphi = turned(N, p, q, sense), D, radius = lb_taylor_constant(r);
  if (lb_taylor_value(&dphi) < 0) { // it passes on the other side
    sense = -sense;
    dphi = lb_taylor_scale(N, -1, dphi);
  }
  if (lb_taylor_value(&dphi) < M_PI) {
    const basis P = basis_of(N, p, sense), Q = basis_of(N, q, sense);
    const lb_taylor w = lb_wrap_band(N, band, r, &P.rho, &Q.rho);
    if (!line_distance(N, p, q, sense, &D) || !lb_wrap_inflate(N, r, &w, &D, &radius)) {
      return false;
    }
  }
  return over_cylinder(N, &radius, sense, &dphi, out, p, q);
}

bool lb_wrap_round(int N, double r, double band, int sense, lb_wrap_path* out, const lb_taylor3* p,
                   const lb_taylor3* q) {
  bool wraps = false;
#define ROUND(N) wraps = wrap_round(N, r, band, sense, out, p, q)
  LB_TAYLOR_ORDERS(ROUND)
  return wraps;
}

// Both ends of the arc lie beyond the same end of the cylinder.
static bool misses(const lb_wrap_path* path, double half) {
  const lb_path_piece* arc = &path->piece[1];
  const double z1 = lb_taylor_value(&arc->origin.z);
  const double z2 = z1 + lb_taylor_value(&arc->along.z) *
                             (lb_taylor_value(&arc->end) - lb_taylor_value(&arc->start));
  return fmin(z1, z2) > half || fmax(z1, z2) < -half;
}

static void find(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_taylor3* p,
                 const lb_taylor3* q) {
  const double r = wrap->size.x, length = wrap->size.y;
  if (!lb_wrap_round(N, r, wrap->band * r, wrap->sense, out, p, q) ||
      (length > 0 && misses(out, length / 2))) {
    lb_wrap_straight(N, out, p, q);
  }
}

static lb_vec3 scales(const lb_wrap* wrap) {
  (void)wrap;
  return lb_vec3_make(1, 1, 0);
}

const lb_wrap_type lb_wrap_type_cylinder = {find, scales};
