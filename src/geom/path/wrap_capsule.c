// Capsule: a cylinder about z with round ends. One inflated radius r_e serves all of it, by the
// distance of the line from the segment of its axis. Where one end of the arc lies on the cylinder
// and the other on a cap, a helix and a great circle meet at the seam, in one direction, where the
// path is the shortest. Let the helix rise by dz from p, at alpha to the seam, and q be zeta beyond
// the seam, rho from the axis and dphi around it. With u the angle about the axis from the seam's
// point to q,
//
//   (3)  f(u) = rho sin(u) dz - zeta Lambda = 0,   Lambda = a + r (dphi - alpha - u)
//
// since Lambda/dz and rho sin(u)/zeta are the slopes of both arcs there. Where p lies beyond the
// other seam, rho_1 from the axis and zeta_1 beyond, the helix rises from that seam, and
//
//   (4)  Lambda = r (dphi - u - u_1),   sin(u_1) = k sin(u),   k = zeta_1 rho/(rho_1 zeta) <= 1
//
// solved from q to p if k is larger. f is concave below half a turn: the length is least at its
// first zero, which Newton's method finds from u = 0. Up to dphi = pi there is one path over the
// seam, or one over a cap alone. Beyond, a path keeps its sense as long as f has a zero. Then it
// slips off the end of the capsule, to the way of less than half a turn.
#include "geom/path/wrap_path.h"

// Inflated, and with seams further out.
typedef struct capsule {
  lb_taylor r;
  lb_taylor seam[2]; // heights, the lower one first
} capsule;

// Of (3) and (4): the helix from p, and q.
typedef struct seam_problem {
  lb_taylor r, a, dz, rho, zeta;
  lb_taylor turn; // dphi - alpha
  bool caps;      // p lies beyond the other seam
  lb_taylor k;
} seam_problem;

// u_1, and its cosine.
LB_TAYLOR_INLINE lb_taylor other_angle(int N, const seam_problem* P, lb_taylor u,
                                       lb_taylor* cosine) {
  lb_taylor s, c;
  lb_taylor_sincos(N, u, &s, &c);
  const lb_taylor sine = lb_taylor_mul(N, P->k, s);
  *cosine =
      lb_taylor_sqrt(N, lb_taylor_shift(lb_taylor_scale(N, -1, lb_taylor_mul(N, sine, sine)), 1));
  return lb_taylor_angle(N, sine, *cosine);
}

LB_TAYLOR_INLINE lb_taylor helix_across(int N, const seam_problem* P, lb_taylor u) {
  lb_taylor angle = lb_taylor_sub(N, P->turn, u), cosine;
  if (P->caps) {
    angle = lb_taylor_sub(N, angle, other_angle(N, P, u, &cosine));
  }
  return lb_taylor_add(N, P->a, lb_taylor_mul(N, P->r, angle));
}

// (3), and its slope by u.
LB_TAYLOR_INLINE lb_taylor seam_slope(int N, const seam_problem* P, lb_taylor u, lb_taylor* by) {
  lb_taylor s, c, rate = lb_taylor_constant(1);
  lb_taylor_sincos(N, u, &s, &c);
  if (P->caps) {
    lb_taylor cosine;
    other_angle(N, P, u, &cosine);
    rate = lb_taylor_shift(lb_taylor_div(N, lb_taylor_mul(N, P->k, c), cosine), 1);
  }
  const lb_taylor reach = lb_taylor_mul(N, P->rho, P->dz);
  *by = lb_taylor_add(N, lb_taylor_mul(N, reach, c),
                      lb_taylor_mul(N, lb_taylor_mul(N, P->zeta, P->r), rate));
  return lb_taylor_sub(N, lb_taylor_mul(N, reach, s),
                       lb_taylor_mul(N, P->zeta, helix_across(N, P, u)));
}

// First zero of (3); infinite where it is not on the helix.
static double find_seam(const seam_problem* P) {
  enum { STEPS = 60 };
  static const double DONE = 1e-15, ROUNDING = 1e-12;
  const double most = P->caps ? M_PI + ROUNDING : lb_taylor_value(&P->turn);
  double u = 0, step = 1;
  for (int i = 0; i < STEPS && fabs(step) > DONE; i++) {
    lb_taylor by;
    const lb_taylor f = seam_slope(0, P, lb_taylor_constant(u), &by);
    step = -lb_taylor_value(&f) / lb_taylor_value(&by);
    u += step;
    if (!(lb_taylor_value(&by) > 0) || !(u < most)) {
      return INFINITY;
    }
  }
  const lb_taylor across = helix_across(0, P, lb_taylor_constant(u));
  return lb_taylor_value(&across) > -ROUNDING * lb_taylor_value(&P->r) ? u : (double)INFINITY;
}

// From the point of a seam in the direction s over its cap to Q, from the cap's centre.
typedef struct leg {
  lb_taylor theta, b; // angle of the arc, length of the tangent
  lb_taylor3 A, B;    // of the arc, from the seam
  lb_taylor3 along;   // the tangent
} leg;

LB_TAYLOR_INLINE leg leg_over(int N, lb_taylor r, lb_taylor3 s, lb_taylor3 Q) {
  leg out;
  const lb_taylor rho = lb_taylor_sqrt(N, lb_taylor3_dot(N, Q, Q)), i = lb_taylor_inverse(N, rho);
  const lb_taylor3 cross = lb_taylor3_cross(N, s, Q);
  const lb_taylor sine = lb_taylor_sqrt(N, lb_taylor3_dot(N, cross, cross));
  const lb_taylor3 normal = lb_taylor3_scale(N, lb_taylor_inverse(N, sine), cross);
  const lb_taylor3 out_q = lb_taylor3_scale(N, i, Q), on_q = lb_taylor3_cross(N, normal, out_q);
  out.b = lb_taylor_sqrt(N, lb_taylor_sub(N, lb_taylor_mul(N, rho, rho), lb_taylor_mul(N, r, r)));
  out.theta = lb_taylor_sub(N, lb_taylor_angle(N, sine, lb_taylor3_dot(N, s, Q)),
                            lb_taylor_angle(N, out.b, r));
  out.A = lb_taylor3_scale(N, r, s);
  out.B = lb_taylor3_scale(N, r, lb_taylor3_cross(N, normal, s));
  out.along = lb_taylor3_add(N, lb_taylor3_scale(N, lb_taylor_mul(N, r, i), on_q),
                             lb_taylor3_scale(N, lb_taylor_mul(N, out.b, i), out_q));
  return out;
}

// Direction at an angle from that of a basis.
LB_TAYLOR_INLINE lb_taylor3 direction(int N, const lb_wrap_basis* B, lb_taylor phi) {
  lb_taylor s, c;
  lb_taylor_sincos(N, phi, &s, &c);
  return lb_taylor3_add(N, lb_taylor3_scale(N, c, B->out), lb_taylor3_scale(N, s, B->on));
}

LB_TAYLOR_INLINE lb_taylor3 on_axis(lb_taylor z) {
  return (lb_taylor3){lb_taylor_constant(0), lb_taylor_constant(0), z};
}

// Arc of a leg that is measured from the seam.
LB_TAYLOR_INLINE lb_path_piece leg_piece(int N, const leg* g, lb_taylor r, lb_taylor start,
                                         lb_taylor end, int way, lb_taylor centre) {
  const lb_taylor none = lb_taylor_constant(0);
  return (lb_path_piece){.kind = LB_PIECE_ARC,
                         .start = start,
                         .end = end,
                         .origin = on_axis(centre),
                         .along = {none, none, none},
                         .A = g->A,
                         .B = g->B,
                         .angle = none,
                         .rate = lb_taylor_scale(N, way, lb_taylor_inverse(N, r))};
}

typedef struct helix {
  lb_taylor across, along, length; // the first two per arc length
} helix;

// It turns from an angle on, measured from p, at a height and an arc length.
LB_TAYLOR_INLINE lb_path_piece helix_piece(int N, const helix* h, lb_taylor r, lb_taylor angle,
                                           lb_taylor z, lb_taylor first, lb_taylor last,
                                           const lb_wrap_basis* B) {
  return (lb_path_piece){.kind = LB_PIECE_ARC,
                         .start = first,
                         .end = last,
                         .origin = on_axis(z),
                         .along = on_axis(h->along),
                         .A = lb_taylor3_scale(N, r, B->out),
                         .B = lb_taylor3_scale(N, r, B->on),
                         .angle = angle,
                         .rate = lb_taylor_div(N, h->across, r)};
}

// From p: tangent and helix.
LB_TAYLOR_INLINE void lay_helix(int N, lb_wrap_path* out, const helix* h, const seam_problem* P,
                                const lb_wrap_basis* B, const lb_taylor3* p) {
  const lb_taylor ip = lb_taylor_inverse(N, B->rho);
  const lb_taylor3 t = lb_taylor3_sub(N, lb_taylor3_scale(N, lb_taylor_mul(N, P->r, ip), B->on),
                                      lb_taylor3_scale(N, lb_taylor_mul(N, P->a, ip), B->out));
  const lb_taylor first = lb_taylor_div(N, P->a, h->across);
  const lb_taylor z = lb_taylor_add(N, p->z, lb_taylor_mul(N, h->along, first));
  out->count = 2;
  out->piece[0] = (lb_path_piece){
      .kind = LB_PIECE_LINE,
      .end = first,
      .origin = *p,
      .along = {lb_taylor_mul(N, h->across, t.x), lb_taylor_mul(N, h->across, t.y), h->along}};
  out->piece[1] = helix_piece(N, h, P->r, lb_taylor_angle(N, P->a, P->r), z, first, h->length, B);
}

// From p: tangent, great circle and helix, which turns from u_1 on. False: the helix is touched
// before the circle.
LB_TAYLOR_INLINE bool lay_cap_and_helix(int N, lb_wrap_path* out, const helix* h,
                                        const seam_problem* P, const lb_wrap_basis* B, lb_taylor u1,
                                        lb_taylor centre, const lb_taylor3* p) {
  const lb_taylor3 from = lb_taylor3_sub(N, *p, on_axis(centre));
  const leg g = leg_over(N, P->r, direction(N, B, u1), from);
  const lb_taylor first = lb_taylor_add(N, g.b, lb_taylor_mul(N, P->r, g.theta));
  out->count = 3;
  out->piece[0] = (lb_path_piece){.kind = LB_PIECE_LINE,
                                  .end = g.b,
                                  .origin = *p,
                                  .along = lb_taylor3_scale(N, lb_taylor_constant(-1), g.along)};
  out->piece[1] = leg_piece(N, &g, P->r, first, first, -1, centre);
  out->piece[2] = helix_piece(N, h, P->r, u1, centre, first, lb_taylor_add(N, first, h->length), B);
  return lb_taylor_value(&g.theta) > 0;
}

// Great circle and tangent, behind the helix.
LB_TAYLOR_INLINE void lay_cap(int N, lb_wrap_path* out, const leg* g, lb_taylor r, lb_taylor centre,
                              const lb_taylor3* q) {
  const lb_taylor from = *lb_wrap_length(out);
  const lb_taylor touch = lb_taylor_add(N, from, lb_taylor_mul(N, r, g->theta));
  const lb_taylor all = lb_taylor_add(N, touch, g->b);
  out->piece[out->count++] = leg_piece(N, g, r, from, touch, 1, centre);
  out->piece[out->count++] = (lb_path_piece){
      .kind = LB_PIECE_LINE, .start = all, .end = all, .origin = *q, .along = g->along};
}

// Parts of a capsule that a path touches.
typedef enum touches { CAP_ALONE, CYLINDER_ALONE, SEAM } touches;

// From p on the cylinder, or over the other cap if `caps`, to q, dphi around the axis, over a cap;
// where it touches both.
LB_TAYLOR_INLINE touches seam_path(int N, lb_wrap_path* out, const capsule* C, int sense, int end,
                                   bool caps, lb_taylor dphi, const lb_taylor3* p,
                                   const lb_taylor3* q) {
  const lb_wrap_basis B = lb_wrap_basis_of(N, p, sense);
  const int up = end ? 1 : -1;
  const lb_taylor radius = C->r, centre = C->seam[end], other = C->seam[1 - end];
  const lb_taylor3 Q = lb_taylor3_sub(N, *q, on_axis(centre));
  seam_problem P = {.r = radius,
                    .rho = lb_wrap_basis_of(N, q, sense).rho,
                    .zeta = lb_taylor_scale(N, up, Q.z),
                    .caps = caps};
  if (caps) {
    const lb_taylor beyond = lb_taylor_scale(N, up, lb_taylor_sub(N, other, p->z));
    P.a = lb_taylor_constant(0);
    P.turn = dphi;
    P.dz = lb_taylor_scale(N, up, lb_taylor_sub(N, centre, other));
    P.k = lb_taylor_div(N, lb_taylor_mul(N, beyond, P.rho), lb_taylor_mul(N, B.rho, P.zeta));
  } else {
    P.a = lb_taylor_sqrt(
        N, lb_taylor_sub(N, lb_taylor_mul(N, B.rho, B.rho), lb_taylor_mul(N, radius, radius)));
    P.turn = lb_taylor_sub(N, dphi, lb_taylor_angle(N, P.a, radius));
    P.dz = lb_taylor_scale(N, up, lb_taylor_sub(N, centre, p->z));
  }
  const bool rises = lb_taylor_value(&P.dz) > 0 && lb_taylor_value(&P.zeta) > 0;
  lb_taylor u = lb_taylor_constant(rises ? find_seam(&P) : (double)INFINITY);
  if (!isfinite(lb_taylor_value(&u))) {
    return CAP_ALONE;
  }
  for (int i = 0; i < lb_taylor_newton_steps(N); i++) {
    lb_taylor by;
    const lb_taylor f = seam_slope(N, &P, u, &by);
    u = lb_taylor_sub(N, u, lb_taylor_div(N, f, by));
  }
  const leg g = leg_over(N, radius, direction(N, &B, lb_taylor_sub(N, dphi, u)), Q);
  if (!(lb_taylor_value(&g.theta) > 0)) {
    return CYLINDER_ALONE;
  }
  const lb_taylor across = helix_across(N, &P, u);
  const lb_taylor length = lb_taylor_sqrt(
      N, lb_taylor_add(N, lb_taylor_mul(N, across, across), lb_taylor_mul(N, P.dz, P.dz)));
  const lb_taylor i = lb_taylor_inverse(N, length);
  const helix h = {.across = lb_taylor_mul(N, across, i),
                   .along = lb_taylor_scale(N, up, lb_taylor_mul(N, P.dz, i)),
                   .length = length};
  if (caps) {
    lb_taylor cosine;
    const lb_taylor u1 = other_angle(N, &P, u, &cosine);
    if (!lay_cap_and_helix(N, out, &h, &P, &B, u1, other, p)) {
      return CYLINDER_ALONE;
    }
  } else {
    lay_helix(N, out, &h, &P, &B, p);
  }
  lay_cap(N, out, &g, radius, centre, q);
  return SEAM;
}

static touches over_seam(int N, lb_wrap_path* out, const capsule* C, int sense, int end, bool caps,
                         const lb_taylor* dphi, const lb_taylor3* p, const lb_taylor3* q) {
  touches part = CAP_ALONE;
#define SEAM_PATH(N) part = seam_path(N, out, C, sense, end, caps, *dphi, p, q)
  LB_TAYLOR_ORDERS(SEAM_PATH)
  return part;
}

// The same path from its other end.
LB_TAYLOR_INLINE void turn_round(int N, lb_wrap_path* path) {
  const lb_wrap_path was = *path;
  const lb_taylor L = *lb_wrap_length(&was);
  for (int i = 0; i < was.count; i++) {
    lb_path_piece* c = &path->piece[was.count - 1 - i];
    *c = was.piece[i];
    c->start = lb_taylor_sub(N, L, c->start);
    c->end = i > 0 ? lb_taylor_sub(N, L, was.piece[i - 1].end) : L;
    const lb_taylor back = lb_taylor_constant(-1);
    c->along = lb_taylor3_scale(N, back, c->along);
    c->rate = lb_taylor_mul(N, back, c->rate);
  }
}

static void reverse(int N, lb_wrap_path* path){
#define REVERSE(N) turn_round(N, path)
    LB_TAYLOR_ORDERS(REVERSE)}

// A point from the centre of a cap.
LB_TAYLOR_INLINE lb_taylor3 from_end(int N, const capsule* C, const lb_taylor3* x, int end) {
  return lb_taylor3_sub(N, *x, on_axis(C->seam[end]));
}

// Distance of the line from the segment of the axis, signed by the sense. False: its foot is not
// between p and q.
LB_TAYLOR_INLINE bool segment_distance(int N, const capsule* C, const lb_taylor3* p,
                                       const lb_taylor3* q, int sense, lb_taylor* D) {
  *D = lb_taylor_constant(0); // of a line along the axis
  const bool between = lb_wrap_line_distance(N, p, q, sense, D);
  const lb_vec3 a = lb_taylor3_lane(p, 0, 0), w = lb_vec3_sub(lb_taylor3_lane(q, 0, 0), a);
  const double t = -(a.x * w.x + a.y * w.y) / (w.x * w.x + w.y * w.y), z = a.z + t * w.z;
  const bool above = z > lb_taylor_value(&C->seam[1]);
  if (!above && !(z < lb_taylor_value(&C->seam[0]))) {
    return between;
  }
  const lb_taylor3 P = from_end(N, C, p, above), Q = from_end(N, C, q, above);
  const lb_taylor3 cross = lb_taylor3_cross(N, P, Q), way = lb_taylor3_sub(N, Q, P);
  const lb_taylor pw = lb_taylor3_dot(N, P, way), qw = lb_taylor3_dot(N, Q, way);
  const double sign = lb_taylor_value(D) < 0 ? -1 : 1;
  *D = lb_taylor_scale(N, sign,
                       lb_taylor_sqrt(N, lb_taylor_div(N, lb_taylor3_dot(N, cross, cross),
                                                       lb_taylor3_dot(N, way, way))));
  return lb_taylor_value(&pw) < 0 && lb_taylor_value(&qw) > 0;
}

// Distance of a point from the segment of the axis.
LB_TAYLOR_INLINE lb_taylor point_distance(int N, const capsule* C, const lb_taylor3* x) {
  const bool above = lb_taylor_value(&x->z) > lb_taylor_value(&C->seam[1]);
  const bool below = lb_taylor_value(&x->z) < lb_taylor_value(&C->seam[0]);
  lb_taylor3 from = *x;
  if (above || below) {
    from = from_end(N, C, x, above);
  } else {
    from.z = lb_taylor_constant(0);
  }
  return lb_taylor_sqrt(N, lb_taylor3_dot(N, from, from));
}

LB_TAYLOR_INLINE bool cap_path(int N, lb_wrap_path* out, const capsule* C, int end,
                               const lb_taylor3* p, const lb_taylor3* q) {
  const lb_taylor3 P = from_end(N, C, p, end), Q = from_end(N, C, q, end);
  if (!lb_wrap_over_ball(N, &C->r, out, &P, &Q)) {
    return false;
  }
  for (int i = 0; i < out->count; i++) {
    out->piece[i].origin.z = lb_taylor_add(N, out->piece[i].origin.z, C->seam[end]);
  }
  return true;
}

static bool over_cap(int N, lb_wrap_path* out, const capsule* C, int end, const lb_taylor3* p,
                     const lb_taylor3* q) {
  bool wraps = false;
#define CAP_PATH(N) wraps = cap_path(N, out, C, end, p, q)
  LB_TAYLOR_ORDERS(CAP_PATH)
  return wraps;
}

static double height_at(const lb_path_piece* c, const lb_taylor* sigma) {
  const lb_taylor3 x = lb_wrap_point(0, c, sigma);
  return lb_taylor_value(&x.z);
}

// Whether a path touches a cap alone, which ends at the seam, but for rounding.
static bool is_on_cap(const lb_wrap_path* path, const capsule* C, int end) {
  static const double ROUNDING = 1e-12;
  const lb_path_piece* arc = &path->piece[1];
  const double up = end ? 1 : -1, seam = up * lb_taylor_value(&C->seam[end]);
  return fmin(up * height_at(arc, &arc->start), up * height_at(arc, &arc->end)) >
         seam - ROUNDING * lb_taylor_value(&C->r);
}

// Over a cap: over the seam from the cylinder, or to it, or else, unless the path keeps its sense,
// alone. Whether there is a path over the cap; without, it is straight or, where `cylinder`, over
// that alone.
static bool over_end(int N, lb_wrap_path* out, const capsule* C, int sense, bool keeps, int end,
                     const lb_taylor* dphi, const lb_taylor3* p, const lb_taylor3* q,
                     bool* cylinder) {
  const bool rises = (lb_taylor_value(&p->z) < lb_taylor_value(&q->z)) == (end == 1);
  const touches part = rises ? over_seam(N, out, C, sense, end, false, dphi, p, q)
                             : over_seam(N, out, C, -sense, end, false, dphi, q, p);
  *cylinder = part == CYLINDER_ALONE;
  if (part == SEAM && !rises) {
    reverse(N, out);
  } else if (part == CAP_ALONE && !keeps && over_cap(N, out, C, end, p, q)) {
    *cylinder = !is_on_cap(out, C, end);
    return !*cylinder;
  }
  return part == SEAM;
}

// Over both caps and the cylinder between them.
static bool over_both(int N, lb_wrap_path* out, const capsule* C, int sense, const lb_taylor* dphi,
                      const lb_taylor3* p, const lb_taylor3* q) {
  const int end = lb_taylor_value(&p->z) < lb_taylor_value(&q->z);
  const lb_vec3 a = lb_taylor3_lane(p, 0, 0), b = lb_taylor3_lane(q, 0, 0);
  const double before = fabs(a.z - lb_taylor_value(&C->seam[1 - end])),
               behind = fabs(b.z - lb_taylor_value(&C->seam[end]));
  const bool forwards = before * hypot(b.x, b.y) <= behind * hypot(a.x, a.y); // k <= 1
  const bool found = forwards ? over_seam(N, out, C, sense, end, true, dphi, p, q) == SEAM
                              : over_seam(N, out, C, -sense, 1 - end, true, dphi, q, p) == SEAM;
  if (found && !forwards) {
    reverse(N, out);
  }
  return found;
}

// Whether the helix of a path over one seam begins beyond the other, or ends there.
static bool passes_other(const lb_wrap_path* path, const capsule* C) {
  if (path->count != 4) {
    return false;
  }
  const lb_taylor *first = &path->piece[0].end, *last = &path->piece[2].end;
  const double z[] = {height_at(&path->piece[1], first), height_at(&path->piece[2], last)};
  return fmin(z[0], z[1]) < lb_taylor_value(&C->seam[0]) &&
         fmax(z[0], z[1]) > lb_taylor_value(&C->seam[1]);
}

// Seams that the path over an endless cylinder passes; from ends that are not both beside it, those
// below such an end.
static void find_ends(const capsule* C, const lb_wrap_path* endless, double slack, lb_vec3 p,
                      lb_vec3 q, bool over[2]) {
  const double r = lb_taylor_value(&C->r);
  if (endless) {
    const lb_path_piece* arc = &endless->piece[1];
    const double z1 = lb_taylor_value(&arc->origin.z),
                 z2 = z1 + lb_taylor_value(&arc->along.z) *
                               (lb_taylor_value(&arc->end) - lb_taylor_value(&arc->start));
    over[0] = fmin(z1, z2) < lb_taylor_value(&C->seam[0]) - slack;
    over[1] = fmax(z1, z2) > lb_taylor_value(&C->seam[1]) + slack;
    return;
  }
  over[0] = over[1] = false;
  for (int i = 0; i < 2; i++) {
    const lb_vec3 x = i ? q : p;
    if (!(hypot(x.x, x.y) > r)) {
      over[x.z > 0] = true;
    }
  }
}

// By an angle dphi about the axis, in the sense. A path that keeps its sense is not over a cap
// alone. False: it is straight, or has slipped off.
static bool go_around(int N, lb_wrap_path* out, const capsule* C, int sense, bool keeps,
                      const lb_taylor* dphi, const lb_taylor3* p, const lb_taylor3* q) {
  static const double ROUNDING = 1e-12;
  const double r = lb_taylor_value(&C->r);
  const lb_vec3 a = lb_taylor3_lane(p, 0, 0), b = lb_taylor3_lane(q, 0, 0);
  const bool beside = hypot(a.x, a.y) > r && hypot(b.x, b.y) > r;
  if (beside && !lb_wrap_over_cylinder(N, &C->r, sense, dphi, out, p, q)) {
    return false;
  }
  bool over[2], cylinder = beside, found = false;
  find_ends(C, beside ? out : NULL, keeps ? ROUNDING * r : 0, a, b, over);
  if (beside && !over[0] && !over[1]) {
    return true;
  }
  bool both = over[0] && over[1];
  int end = 1;
  for (int i = 1; i >= 0 && !found; i--) {
    if (over[i]) {
      end = i;
      if (over_end(N, out, C, sense, keeps, i, dphi, p, q, &cylinder)) {
        found = !passes_other(out, C);
        both = both || !found;
      }
    }
  }
  if (!found && both) {
    found = over_both(N, out, C, sense, dphi, p, q);
    cylinder = !found && !keeps && beside;
  }
  if (found || !cylinder) {
    return found;
  }
  return beside ? lb_wrap_over_cylinder(N, &C->r, sense, dphi, out, p, q)
                : !keeps && over_cap(N, out, C, end, p, q);
}

// --- the whole ---

// Distance of a point from the axis' segment.
static double gap(lb_vec3 x, double half) {
  const double z = x.z - fmax(-half, fmin(half, x.z));
  return sqrt(x.x * x.x + x.y * x.y + z * z);
}

// The ways around a capsule from p to q: by its sense, or by less than half a turn.
typedef struct course {
  capsule C;
  lb_taylor dphi;
  int sense;
} course;

LB_TAYLOR_INLINE void find_course(int N, course* c, const lb_wrap* wrap, const lb_taylor3* p,
                                  const lb_taylor3* q) {
  c->sense = wrap->sense;
  c->dphi = lb_wrap_turned(N, p, q, wrap->sense);
  if (lb_taylor_value(&c->dphi) < 0) { // it passes on the other side
    c->sense = -c->sense;
    c->dphi = lb_taylor_scale(N, -1, c->dphi);
  }
  c->C.r = lb_taylor_constant(wrap->size.x);
  lb_capsule_seams(N, wrap, c->C.seam, &c->dphi, p, q);
}

LB_TAYLOR_INLINE void turn_back(int N, course* c, const lb_wrap* wrap, const lb_taylor3* p,
                                const lb_taylor3* q) {
  c->sense = -c->sense;
  c->dphi = lb_taylor_shift(lb_taylor_scale(N, -1, c->dphi), 2 * M_PI);
  lb_capsule_seams(N, wrap, c->C.seam, &c->dphi, p, q);
}

static bool goes_far(const course* c) {
  return lb_taylor_value(&c->dphi) > M_PI;
}

static bool are_outside(const lb_wrap* wrap, const lb_taylor3* p, const lb_taylor3* q) {
  const double r = wrap->size.x, half = wrap->size.y / 2;
  return gap(lb_taylor3_lane(p, 0, 0), half) > r && gap(lb_taylor3_lane(q, 0, 0), half) > r;
}

LB_TAYLOR_INLINE bool wrap_capsule(int N, const lb_wrap* wrap, lb_wrap_path* out,
                                   const lb_taylor3* p, const lb_taylor3* q) {
  const double r = wrap->size.x;
  course c;
  lb_taylor D;
  if (!are_outside(wrap, p, q)) {
    return false;
  }
  find_course(N, &c, wrap, p, q);
  if (goes_far(&c)) {
    if (go_around(N, out, &c.C, c.sense, true, &c.dphi, p, q)) {
      return true;
    }
    turn_back(N, &c, wrap, p, q);
  }
  const lb_taylor gap_p = point_distance(N, &c.C, p), gap_q = point_distance(N, &c.C, q);
  const lb_taylor w = lb_wrap_band(N, wrap->band * r, r, &gap_p, &gap_q);
  return segment_distance(N, &c.C, p, q, c.sense, &D) && lb_wrap_inflate(N, r, &w, &D, &c.C.r) &&
         go_around(N, out, &c.C, c.sense, false, &c.dphi, p, q);
}

lb_wrap_turn lb_capsule_turn(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q) {
  const lb_taylor3 P = lb_taylor3_constant(p), Q = lb_taylor3_constant(q);
  course c;
  lb_wrap_path path;
  if (!are_outside(wrap, &P, &Q)) {
    return LB_TURN_NEAR;
  }
  find_course(0, &c, wrap, &P, &Q);
  return !goes_far(&c)                                               ? LB_TURN_NEAR
         : go_around(0, &path, &c.C, c.sense, true, &c.dphi, &P, &Q) ? LB_TURN_FAR
                                                                     : LB_TURN_SLIPPED;
}

static void find(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_taylor3* p,
                 const lb_taylor3* q) {
  bool wraps = false;
#define CAPSULE(N) wraps = wrap_capsule(N, wrap, out, p, q)
  LB_TAYLOR_ORDERS(CAPSULE)
  if (!wraps) {
    lb_wrap_straight(N, out, p, q);
  }
}

static lb_vec3 scales(const lb_wrap* wrap) {
  (void)wrap;
  return lb_vec3_make(1, 1, 0);
}

const lb_wrap_type lb_wrap_type_capsule = {find, scales};
