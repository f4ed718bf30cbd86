// Capsule: a cylinder about z with round ends. One inflated radius r_e serves all of it, by the
// distance of the line from the segment of its axis. Where one end of the arc lies on the cylinder
// and the other on a cap, a helix and a great circle meet at the angle phi of the seam that makes
// the path shortest. With s(phi) out of the axis, q' seen from the cap's centre,
//
//   (3)  f(phi) = r Lambda/L_A - r s'.q' / (|q'| sin(delta)) = 0,   cos(delta) = s.q'/|q'|
//
// where Lambda = a + r (phi - alpha), L_A^2 = Lambda^2 + dz^2 are those of the helix.
#include "geom/path/wrap_path.h"

typedef struct seam_problem {
  lb_taylor r, a, alpha, dz; // of the helix from p
  lb_taylor3 out, on;        // across z at p
  lb_taylor3 q;              // from the cap's centre
  lb_taylor rho;             // |q'|
} seam_problem;

typedef struct seam {
  lb_taylor3 s, sd; // direction of the seam's point, and of its motion
  lb_taylor sine, cosine;
  lb_taylor delta;
  lb_taylor across, length; // Lambda, L_A
} seam;

LB_TAYLOR_INLINE seam seam_at(int N, const seam_problem* P, lb_taylor phi) {
  seam S;
  lb_taylor si, co;
  lb_taylor_sincos(N, phi, &si, &co);
  S.s = lb_taylor3_add(N, lb_taylor3_scale(N, co, P->out), lb_taylor3_scale(N, si, P->on));
  S.sd = lb_taylor3_sub(N, lb_taylor3_scale(N, co, P->on), lb_taylor3_scale(N, si, P->out));
  const lb_taylor3 cross = lb_taylor3_cross(N, S.s, P->q);
  S.sine = lb_taylor_sqrt(N, lb_taylor3_dot(N, cross, cross)); // times rho
  S.cosine = lb_taylor3_dot(N, S.s, P->q);
  S.delta = lb_taylor_angle(N, S.sine, S.cosine);
  S.across = lb_taylor_add(N, P->a, lb_taylor_mul(N, P->r, lb_taylor_sub(N, phi, P->alpha)));
  S.length = lb_taylor_sqrt(
      N, lb_taylor_add(N, lb_taylor_mul(N, S.across, S.across), lb_taylor_mul(N, P->dz, P->dz)));
  return S;
}

// (3) over r, and its slope by phi.
LB_TAYLOR_INLINE lb_taylor seam_slope(int N, const seam_problem* P, lb_taylor phi, lb_taylor* by) {
  const seam S = seam_at(N, P, phi);
  const lb_taylor along = lb_taylor_div(N, S.across, S.length);
  const lb_taylor turn = lb_taylor_div(N, lb_taylor3_dot(N, S.sd, P->q), S.sine); // -delta'
  // along' = r dz^2/L_A^3, turn' = (-s.q' + turn^2 cos)/sin
  const lb_taylor tilt = lb_taylor_div(N, P->dz, S.length);
  const lb_taylor rise =
      lb_taylor_mul(N, lb_taylor_mul(N, tilt, tilt), lb_taylor_div(N, P->r, S.length));
  const lb_taylor square = lb_taylor_shift(lb_taylor_mul(N, turn, turn), -1);
  const lb_taylor bend = lb_taylor_div(N, lb_taylor_mul(N, S.cosine, square), S.sine);
  *by = lb_taylor_sub(N, rise, bend);
  return lb_taylor_sub(N, along, turn);
}

static double slope_at(const seam_problem* P, double phi, double* by) {
  lb_taylor jet;
  const lb_taylor f = seam_slope(0, P, lb_taylor_constant(phi), &jet);
  *by = lb_taylor_value(&jet);
  return lb_taylor_value(&f);
}

// Angle of the least length, by Newton's method between an angle where the length falls and q's,
// where it rises: beyond a quarter turn on the cap it is not convex. At most alpha: it rises from
// there on.
static double find_seam(const seam_problem* P, double guess, double whole) {
  enum { STEPS = 60 };
  static const double DONE = 1e-15;
  double low = lb_taylor_value(&P->alpha), high = whole, by;
  double phi = guess > low && guess < high ? guess : 0.5 * (low + high);
  if (!(low < high)) {
    return low;
  }
  if (slope_at(P, low, &by) >= 0) {
    if (slope_at(P, phi, &by) >= 0) {
      return low;
    }
    low = phi;
  }
  for (int i = 0; i < STEPS && high - low > DONE; i++) {
    const double f = slope_at(P, phi, &by), next = phi - f / by;
    *(f < 0 ? &low : &high) = phi;
    const double to = next > low && next < high && by > 0 ? next : 0.5 * (low + high);
    if (fabs(to - phi) <= DONE) {
      break;
    }
    phi = to;
  }
  return phi;
}

// Parts of a capsule that a path touches.
typedef enum touches { CAP_ALONE, CYLINDER_ALONE, BOTH } touches;

// From p on the cylinder to q, `whole` around the axis, over the cap about `centre`, from an angle
// that is near; where it touches both.
LB_TAYLOR_INLINE touches over_seam(int N, lb_wrap_path* out, lb_taylor radius, int sense,
                                   double centre, double guess, double whole, const lb_taylor3* p,
                                   const lb_taylor3* q) {
  const lb_wrap_basis B = lb_wrap_basis_of(N, p, sense);
  seam_problem P = {.r = radius, .out = B.out, .on = B.on, .q = *q};
  P.q.z = lb_taylor_shift(P.q.z, -centre);
  P.a = lb_taylor_sqrt(
      N, lb_taylor_sub(N, lb_taylor_mul(N, B.rho, B.rho), lb_taylor_mul(N, radius, radius)));
  P.alpha = lb_taylor_angle(N, P.a, radius);
  P.dz = lb_taylor_shift(lb_taylor_scale(N, -1, p->z), centre);
  P.rho = lb_taylor_sqrt(N, lb_taylor3_dot(N, P.q, P.q));
  lb_taylor phi = lb_taylor_constant(find_seam(&P, guess, whole));
  if (!(lb_taylor_value(&phi) > lb_taylor_value(&P.alpha))) {
    return CAP_ALONE;
  }
  for (int i = 0; i < N + 2; i++) {
    lb_taylor by;
    const lb_taylor f = seam_slope(N, &P, phi, &by);
    phi = lb_taylor_sub(N, phi, lb_taylor_div(N, f, by));
  }
  const seam S = seam_at(N, &P, phi);
  const lb_taylor b = lb_taylor_sqrt(
      N, lb_taylor_sub(N, lb_taylor_mul(N, P.rho, P.rho), lb_taylor_mul(N, radius, radius)));
  const lb_taylor theta = lb_taylor_sub(N, S.delta, lb_taylor_angle(N, b, radius));
  if (!(lb_taylor_value(&theta) > 0)) {
    return CYLINDER_ALONE;
  }
  const lb_taylor none = lb_taylor_constant(0), invL = lb_taylor_inverse(N, S.length);
  const lb_taylor across = lb_taylor_mul(N, S.across, invL), along = lb_taylor_mul(N, P.dz, invL);
  const lb_taylor first = lb_taylor_div(N, P.a, across), ip = lb_taylor_inverse(N, B.rho);
  const lb_taylor3 t1 = lb_taylor3_sub(N, lb_taylor3_scale(N, lb_taylor_mul(N, radius, ip), B.on),
                                       lb_taylor3_scale(N, lb_taylor_mul(N, P.a, ip), B.out));
  const lb_taylor3 normal =
      lb_taylor3_scale(N, lb_taylor_inverse(N, S.sine), lb_taylor3_cross(N, S.s, P.q));
  const lb_taylor iq = lb_taylor_inverse(N, P.rho);
  const lb_taylor3 out_q = lb_taylor3_scale(N, iq, P.q), on_q = lb_taylor3_cross(N, normal, out_q);
  const lb_taylor3 t2 = lb_taylor3_add(N, lb_taylor3_scale(N, lb_taylor_mul(N, radius, iq), on_q),
                                       lb_taylor3_scale(N, lb_taylor_mul(N, b, iq), out_q));
  const lb_taylor last = lb_taylor_add(N, S.length, lb_taylor_mul(N, radius, theta));
  const lb_taylor all = lb_taylor_add(N, last, b);
  out->count = 4;
  out->piece[0] = (lb_path_piece){
      .kind = LB_PIECE_LINE,
      .end = first,
      .origin = *p,
      .along = {lb_taylor_mul(N, across, t1.x), lb_taylor_mul(N, across, t1.y), along}};
  out->piece[1] = (lb_path_piece){
      .kind = LB_PIECE_ARC,
      .start = first,
      .end = S.length,
      .origin = {none, none, lb_taylor_add(N, p->z, lb_taylor_mul(N, along, first))},
      .along = {none, none, along},
      .A = lb_taylor3_scale(N, radius, B.out),
      .B = lb_taylor3_scale(N, radius, B.on),
      .angle = P.alpha,
      .rate = lb_taylor_div(N, across, radius)};
  out->piece[2] =
      (lb_path_piece){.kind = LB_PIECE_ARC,
                      .start = S.length,
                      .end = last,
                      .origin = {none, none, lb_taylor_constant(centre)},
                      .along = {none, none, none},
                      .A = lb_taylor3_scale(N, radius, S.s),
                      .B = lb_taylor3_scale(N, radius, lb_taylor3_cross(N, normal, S.s)),
                      .angle = none,
                      .rate = lb_taylor_inverse(N, radius)};
  out->piece[3] =
      (lb_path_piece){.kind = LB_PIECE_LINE, .start = all, .end = all, .origin = *q, .along = t2};
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

LB_TAYLOR_INLINE bool wrap_capsule(int N, const lb_wrap* wrap, lb_wrap_path* out,
                                   const lb_taylor3* p, const lb_taylor3* q) {
  const double r = wrap->size.x, half = wrap->size.y / 2;
  int sense = wrap->sense;
  const lb_wrap_basis P = lb_wrap_basis_of(N, p, sense), Q = lb_wrap_basis_of(N, q, sense);
  lb_taylor dphi = lb_wrap_turned(N, p, q, sense), D, radius = lb_taylor_constant(r);
  if (!(gap(lb_taylor3_lane(p, 0, 0), half) > r) || !(gap(lb_taylor3_lane(q, 0, 0), half) > r)) {
    return false;
  }
  if (lb_taylor_value(&dphi) < 0) {
    sense = -sense;
    dphi = lb_taylor_scale(N, -1, dphi);
  }
  if (lb_taylor_value(&dphi) < M_PI) {
    const lb_taylor w = lb_wrap_band(N, wrap->band * r, r, &P.rho, &Q.rho);
    const bool room = lb_taylor_value(&w) > 0;
    const lb_taylor sharp = lb_taylor_constant(0);
    if (!segment_distance(N, half, p, q, sense, &D) ||
        !lb_wrap_inflate(N, r, room ? &w : &sharp, &D, &radius)) {
      return false;
    }
  }
  const double re = lb_taylor_value(&radius);
  const bool beside = lb_taylor_value(&P.rho) > re && lb_taylor_value(&Q.rho) > re;
  if (!beside) { // a point is beyond an end
    const double z = lb_taylor_value(&p->z) + lb_taylor_value(&q->z);
    return over_cap(N, out, radius, z > 0 ? half : -half, p, q);
  }
  if (!lb_wrap_over_cylinder(N, &radius, sense, &dphi, out, p, q)) {
    return false;
  }
  const lb_path_piece* arc = &out->piece[1];
  const double from = lb_taylor_value(&arc->start), z1 = lb_taylor_value(&arc->origin.z),
               slope = lb_taylor_value(&arc->along.z), angle = lb_taylor_value(&arc->angle),
               rate = lb_taylor_value(&arc->rate), to = lb_taylor_value(&arc->end),
               z2 = z1 + slope * (to - from);
  const bool in1 = fabs(z1) <= half, in2 = fabs(z2) <= half;
  if (in1 && in2) {
    return true;
  }
  if (!in1 && !in2) {
    return z1 * z2 > 0 ? over_cap(N, out, radius, z1 > 0 ? half : -half, p, q) : true;
  }
  const double centre = (in1 ? z2 : z1) > 0 ? half : -half;
  const double at = angle + rate * (centre - z1) / slope; // where the helix meets the seam
  const double whole = lb_taylor_value(&dphi);
  const touches part = in1 ? over_seam(N, out, radius, sense, centre, at, whole, p, q)
                           : over_seam(N, out, radius, -sense, centre, whole - at, whole, q, p);
  if (part == BOTH && !in1) {
    reverse(N, out);
  }
  return part != CAP_ALONE || over_cap(N, out, radius, centre, p, q);
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
