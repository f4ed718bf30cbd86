// Capsule: a cylinder about z with round ends. One inflated radius r_e serves all of it, by the
// distance of the line from the segment of its axis. Where one end of the arc lies on the cylinder
// and the other on a cap, a helix and a great circle meet at the seam, in one direction, where the
// path is the shortest. Let the helix rise by dz from p, at alpha to the seam, and q be zeta beyond
// the seam, rho from the axis and dphi around it. With u the angle about the axis from the seam's
// point to q,
//
//   (3)  f(u) = rho sin(u) dz - zeta Lambda = 0,   Lambda = a + r (dphi - alpha - u)
//
// since Lambda/dz and rho sin(u)/zeta are the slopes of both arcs there. f is concave below half a
// turn: the length is least at its first zero, which Newton's method finds from u = 0.
#include "geom/path/wrap_path.h"

// Of (3): the helix from p, and q.
typedef struct seam_problem {
  lb_taylor r, a, dz, rho, zeta;
  lb_taylor alpha, turn; // turn = dphi - alpha
} seam_problem;

LB_TAYLOR_INLINE lb_taylor helix_across(int N, const seam_problem* P, lb_taylor u) {
  return lb_taylor_add(N, P->a, lb_taylor_mul(N, P->r, lb_taylor_sub(N, P->turn, u)));
}

// (3), and its slope by u.
LB_TAYLOR_INLINE lb_taylor seam_slope(int N, const seam_problem* P, lb_taylor u, lb_taylor* by) {
  lb_taylor s, c;
  lb_taylor_sincos(N, u, &s, &c);
  const lb_taylor reach = lb_taylor_mul(N, P->rho, P->dz);
  *by = lb_taylor_add(N, lb_taylor_mul(N, reach, c), lb_taylor_mul(N, P->zeta, P->r));
  return lb_taylor_sub(N, lb_taylor_mul(N, reach, s),
                       lb_taylor_mul(N, P->zeta, helix_across(N, P, u)));
}

// First zero of (3); infinite where it is not on the helix.
static double find_seam(const seam_problem* P) {
  enum { STEPS = 60 };
  static const double DONE = 1e-15;
  const double most = lb_taylor_value(&P->turn);
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
  return u;
}

typedef struct seam {
  lb_taylor3 s;             // direction of the seam's point
  lb_taylor3 Q;             // q from the cap's centre
  lb_taylor rho, b, sine;   // its distance, its tangent, and the sine of its angle to s, times rho
  lb_taylor theta;          // of the arc over the cap
  lb_taylor across, length; // Lambda, L_A
} seam;

LB_TAYLOR_INLINE seam seam_at(int N, const seam_problem* P, lb_taylor u, lb_taylor phi,
                              const lb_wrap_basis* B, lb_taylor3 Q) {
  seam S;
  lb_taylor si, co;
  lb_taylor_sincos(N, phi, &si, &co);
  S.s = lb_taylor3_add(N, lb_taylor3_scale(N, co, B->out), lb_taylor3_scale(N, si, B->on));
  S.Q = Q;
  S.rho = lb_taylor_sqrt(N, lb_taylor3_dot(N, Q, Q));
  S.b = lb_taylor_sqrt(
      N, lb_taylor_sub(N, lb_taylor_mul(N, S.rho, S.rho), lb_taylor_mul(N, P->r, P->r)));
  const lb_taylor3 cross = lb_taylor3_cross(N, S.s, Q);
  S.sine = lb_taylor_sqrt(N, lb_taylor3_dot(N, cross, cross));
  S.theta = lb_taylor_sub(N, lb_taylor_angle(N, S.sine, lb_taylor3_dot(N, S.s, Q)),
                          lb_taylor_angle(N, S.b, P->r));
  S.across = helix_across(N, P, u);
  S.length = lb_taylor_sqrt(
      N, lb_taylor_add(N, lb_taylor_mul(N, S.across, S.across), lb_taylor_mul(N, P->dz, P->dz)));
  return S;
}

// Tangent, helix, great circle and tangent.
LB_TAYLOR_INLINE void lay_out(int N, lb_wrap_path* out, const seam_problem* P, const seam* S,
                              const lb_wrap_basis* B, double centre, const lb_taylor3* p,
                              const lb_taylor3* q) {
  const lb_taylor radius = P->r, none = lb_taylor_constant(0);
  const lb_taylor dz = lb_taylor_scale(N, centre > 0 ? 1 : -1, P->dz);
  const lb_taylor invL = lb_taylor_inverse(N, S->length);
  const lb_taylor across = lb_taylor_mul(N, S->across, invL), along = lb_taylor_mul(N, dz, invL);
  const lb_taylor first = lb_taylor_div(N, P->a, across), ip = lb_taylor_inverse(N, B->rho);
  const lb_taylor3 t1 = lb_taylor3_sub(N, lb_taylor3_scale(N, lb_taylor_mul(N, radius, ip), B->on),
                                       lb_taylor3_scale(N, lb_taylor_mul(N, P->a, ip), B->out));
  const lb_taylor3 normal =
      lb_taylor3_scale(N, lb_taylor_inverse(N, S->sine), lb_taylor3_cross(N, S->s, S->Q));
  const lb_taylor iq = lb_taylor_inverse(N, S->rho);
  const lb_taylor3 out_q = lb_taylor3_scale(N, iq, S->Q), on_q = lb_taylor3_cross(N, normal, out_q);
  const lb_taylor3 t2 = lb_taylor3_add(N, lb_taylor3_scale(N, lb_taylor_mul(N, radius, iq), on_q),
                                       lb_taylor3_scale(N, lb_taylor_mul(N, S->b, iq), out_q));
  const lb_taylor last = lb_taylor_add(N, S->length, lb_taylor_mul(N, radius, S->theta));
  const lb_taylor all = lb_taylor_add(N, last, S->b);
  out->count = 4;
  out->piece[0] = (lb_path_piece){
      .kind = LB_PIECE_LINE,
      .end = first,
      .origin = *p,
      .along = {lb_taylor_mul(N, across, t1.x), lb_taylor_mul(N, across, t1.y), along}};
  out->piece[1] = (lb_path_piece){
      .kind = LB_PIECE_ARC,
      .start = first,
      .end = S->length,
      .origin = {none, none, lb_taylor_add(N, p->z, lb_taylor_mul(N, along, first))},
      .along = {none, none, along},
      .A = lb_taylor3_scale(N, radius, B->out),
      .B = lb_taylor3_scale(N, radius, B->on),
      .angle = P->alpha,
      .rate = lb_taylor_div(N, across, radius)};
  out->piece[2] =
      (lb_path_piece){.kind = LB_PIECE_ARC,
                      .start = S->length,
                      .end = last,
                      .origin = {none, none, lb_taylor_constant(centre)},
                      .along = {none, none, none},
                      .A = lb_taylor3_scale(N, radius, S->s),
                      .B = lb_taylor3_scale(N, radius, lb_taylor3_cross(N, normal, S->s)),
                      .angle = none,
                      .rate = lb_taylor_inverse(N, radius)};
  out->piece[3] =
      (lb_path_piece){.kind = LB_PIECE_LINE, .start = all, .end = all, .origin = *q, .along = t2};
}

// Parts of a capsule that a path touches.
typedef enum touches { CAP_ALONE, CYLINDER_ALONE, BOTH } touches;

// From p on the cylinder to q, dphi around the axis, over the cap about `centre`; where it touches
// both.
LB_TAYLOR_INLINE touches over_seam(int N, lb_wrap_path* out, lb_taylor radius, int sense,
                                   double centre, lb_taylor dphi, const lb_taylor3* p,
                                   const lb_taylor3* q) {
  const lb_wrap_basis B = lb_wrap_basis_of(N, p, sense);
  const double up = centre > 0 ? 1 : -1;
  const lb_taylor3 Q = {q->x, q->y, lb_taylor_shift(q->z, -centre)};
  const lb_taylor a = lb_taylor_sqrt(
      N, lb_taylor_sub(N, lb_taylor_mul(N, B.rho, B.rho), lb_taylor_mul(N, radius, radius)));
  const lb_taylor alpha = lb_taylor_angle(N, a, radius);
  const seam_problem P = {.r = radius,
                          .a = a,
                          .dz = lb_taylor_scale(N, -up, lb_taylor_shift(p->z, -centre)),
                          .rho = lb_wrap_basis_of(N, q, sense).rho,
                          .zeta = lb_taylor_scale(N, up, Q.z),
                          .alpha = alpha,
                          .turn = lb_taylor_sub(N, dphi, alpha)};
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
  const seam S = seam_at(N, &P, u, lb_taylor_sub(N, dphi, u), &B, Q);
  if (!(lb_taylor_value(&S.theta) > 0)) {
    return CYLINDER_ALONE;
  }
  lay_out(N, out, &P, &S, &B, centre, p, q);
  return BOTH;
}

// The same path from its other end.
LB_TAYLOR_INLINE void reverse(int N, lb_wrap_path* path) {
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

// Distance of the line from the segment of the axis, signed by the sense. False: its foot is not
// between p and q.
LB_TAYLOR_INLINE bool segment_distance(int N, double half, const lb_taylor3* p, const lb_taylor3* q,
                                       int sense, lb_taylor* D) {
  *D = lb_taylor_constant(0); // of a line along the axis
  const bool between = lb_wrap_line_distance(N, p, q, sense, D);
  const lb_vec3 a = lb_taylor3_lane(p, 0, 0), w = lb_vec3_sub(lb_taylor3_lane(q, 0, 0), a);
  const double t = -(a.x * w.x + a.y * w.y) / (w.x * w.x + w.y * w.y), z = a.z + t * w.z;
  if (fabs(z) <= half) {
    return between;
  }
  lb_taylor3 P = *p, Q = *q;
  P.z = lb_taylor_shift(P.z, z > 0 ? -half : half);
  Q.z = lb_taylor_shift(Q.z, z > 0 ? -half : half);
  const lb_taylor3 cross = lb_taylor3_cross(N, P, Q), way = lb_taylor3_sub(N, Q, P);
  const lb_taylor pw = lb_taylor3_dot(N, P, way), qw = lb_taylor3_dot(N, Q, way);
  const double sign = lb_taylor_value(D) < 0 ? -1 : 1;
  *D = lb_taylor_scale(N, sign,
                       lb_taylor_sqrt(N, lb_taylor_div(N, lb_taylor3_dot(N, cross, cross),
                                                       lb_taylor3_dot(N, way, way))));
  return lb_taylor_value(&pw) < 0 && lb_taylor_value(&qw) > 0;
}

LB_TAYLOR_INLINE bool over_cap(int N, lb_wrap_path* out, lb_taylor radius, double centre,
                               const lb_taylor3* p, const lb_taylor3* q) {
  lb_taylor3 P = *p, Q = *q;
  P.z = lb_taylor_shift(P.z, -centre);
  Q.z = lb_taylor_shift(Q.z, -centre);
  if (!lb_wrap_over_ball(N, &radius, out, &P, &Q)) {
    return false;
  }
  for (int i = 0; i < out->count; i++) {
    out->piece[i].origin.z = lb_taylor_shift(out->piece[i].origin.z, centre);
  }
  return true;
}

// Distance of a point from the axis' segment.
static double gap(lb_vec3 x, double half) {
  const double z = x.z - fmax(-half, fmin(half, x.z));
  return sqrt(x.x * x.x + x.y * x.y + z * z);
}

// Whether a path touches the cap about `centre` alone, which ends at the seam, but for rounding.
static bool is_on_cap(const lb_wrap_path* path, double r, double centre) {
  static const double ROUNDING = 1e-12;
  const lb_path_piece* arc = &path->piece[1];
  const lb_taylor3 first = lb_wrap_point(0, arc, &arc->start),
                   last = lb_wrap_point(0, arc, &arc->end);
  const double up = centre > 0 ? 1 : -1;
  return fmin(up * lb_taylor_value(&first.z), up * lb_taylor_value(&last.z)) >
         fabs(centre) - ROUNDING * r;
}

// Over the cap about `centre`: over the seam from the cylinder, or to it, or else alone. Whether
// there is a path over the cap; without, it is straight or, where `cylinder`, over that alone.
LB_TAYLOR_INLINE bool over_end(int N, lb_wrap_path* out, lb_taylor radius, int sense, double centre,
                               lb_taylor dphi, const lb_taylor3* p, const lb_taylor3* q,
                               bool* cylinder) {
  const bool rises = (lb_taylor_value(&p->z) < lb_taylor_value(&q->z)) == (centre > 0);
  const touches part = rises ? over_seam(N, out, radius, sense, centre, dphi, p, q)
                             : over_seam(N, out, radius, -sense, centre, dphi, q, p);
  *cylinder = part == CYLINDER_ALONE;
  if (part == BOTH && !rises) {
    reverse(N, out);
  } else if (part == CAP_ALONE && over_cap(N, out, radius, centre, p, q)) {
    *cylinder = !is_on_cap(out, lb_taylor_value(&radius), centre);
    return !*cylinder;
  }
  return part == BOTH;
}

LB_TAYLOR_INLINE bool wrap_capsule(int N, const lb_wrap* wrap, lb_wrap_path* out,
                                   const lb_taylor3* p, const lb_taylor3* q) {
  const double r = wrap->size.x, half = wrap->size.y / 2;
  int sense = wrap->sense;
  const lb_wrap_basis P = lb_wrap_basis_of(N, p, sense), Q = lb_wrap_basis_of(N, q, sense);
  const bool p_beside = lb_taylor_value(&P.rho) > r, q_beside = lb_taylor_value(&Q.rho) > r;
  lb_taylor dphi = lb_wrap_turned(N, p, q, sense), D, radius = lb_taylor_constant(r);
  if (!(gap(lb_taylor3_lane(p, 0, 0), half) > r) || !(gap(lb_taylor3_lane(q, 0, 0), half) > r)) {
    return false;
  }
  if (lb_taylor_value(&dphi) < 0) {
    sense = -sense;
    dphi = lb_taylor_scale(N, -1, dphi);
  }
  if (lb_taylor_value(&dphi) > M_PI && !(p_beside && q_beside)) { // over an end it has no sense
    sense = -sense;
    dphi = lb_taylor_shift(lb_taylor_scale(N, -1, dphi), 2 * M_PI);
  }
  if (lb_taylor_value(&dphi) < M_PI) {
    const lb_taylor w = lb_wrap_band(N, wrap->band * r, r, &P.rho, &Q.rho);
    if (!segment_distance(N, half, p, q, sense, &D) || !lb_wrap_inflate(N, r, &w, &D, &radius)) {
      return false;
    }
  }
  bool cylinder = true;
  if (!(p_beside && q_beside)) {
    const double z = lb_taylor_value(p_beside ? &q->z : &p->z), centre = z > 0 ? half : -half;
    return over_end(N, out, radius, sense, centre, dphi, p, q, &cylinder) ||
           (cylinder && over_cap(N, out, radius, centre, p, q));
  }
  if (!lb_wrap_over_cylinder(N, &radius, sense, &dphi, out, p, q)) {
    return false;
  }
  const lb_path_piece* arc = &out->piece[1];
  const double z1 = lb_taylor_value(&arc->origin.z),
               z2 = z1 + lb_taylor_value(&arc->along.z) *
                             (lb_taylor_value(&arc->end) - lb_taylor_value(&arc->start));
  const bool above = fmax(z1, z2) > half, below = fmin(z1, z2) < -half;
  return above == below ||
         over_end(N, out, radius, sense, above ? half : -half, dphi, p, q, &cylinder) ||
         (cylinder && lb_wrap_over_cylinder(N, &radius, sense, &dphi, out, p, q));
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
