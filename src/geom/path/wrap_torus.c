// Torus about z that the path runs through: a cylinder of its tube's radius along the ring, where
// the ring c(psi) comes nearest to the line pq, on the side of the hole. With u the direction of
// the line, psi is where (c - p).(1 - u u').c' = 0.
#include "geom/path/wrap_path.h"

static double distance(double psi, double ring, lb_vec3 p, lb_vec3 u) {
  const lb_vec3 r = lb_vec3_sub(lb_vec3_make(ring * cos(psi), ring * sin(psi), 0), p);
  return lb_vec3_norm(lb_vec3_cross(r, u));
}

// Ring angle of the least distance, by a coarse search: Newton's method goes on from there.
static double nearest(double ring, lb_vec3 p, lb_vec3 u) {
  enum { STEPS = 64 };
  double best = 0, least = INFINITY;
  for (int i = 0; i < STEPS; i++) {
    const double psi = 2 * M_PI * i / STEPS, d = distance(psi, ring, p, u);
    best = d < least ? psi : best;
    least = fmin(least, d);
  }
  return best;
}

typedef struct ring_frame {
  lb_taylor3 origin, out, on; // point of the ring, from the middle, along the ring
} ring_frame;

LB_TAYLOR_INLINE ring_frame frame_at(int N, double ring, lb_taylor psi) {
  lb_taylor s, k;
  const lb_taylor none = lb_taylor_constant(0);
  lb_taylor_sincos(N, psi, &s, &k);
  return (ring_frame){.origin = {lb_taylor_scale(N, ring, k), lb_taylor_scale(N, ring, s), none},
                      .out = {k, s, none},
                      .on = {lb_taylor_scale(N, -1, s), k, none}};
}

LB_TAYLOR_INLINE lb_taylor3 without(int N, lb_taylor3 a, lb_taylor3 u) {
  return lb_taylor3_sub(N, a, lb_taylor3_scale(N, lb_taylor3_dot(N, a, u), u));
}

// A step of Newton's method: f = (c - p)_u . t and f' = R t_u . t - (c - p)_u . out, over R.
LB_TAYLOR_INLINE lb_taylor newton(int N, double ring, lb_taylor psi, lb_taylor3 p, lb_taylor3 u) {
  const ring_frame F = frame_at(N, ring, psi);
  const lb_taylor3 r = without(N, lb_taylor3_sub(N, F.origin, p), u), t = without(N, F.on, u);
  const lb_taylor f = lb_taylor3_dot(N, r, F.on);
  const lb_taylor slope = lb_taylor_sub(N, lb_taylor_scale(N, ring, lb_taylor3_dot(N, t, F.on)),
                                        lb_taylor3_dot(N, r, F.out));
  return lb_taylor_sub(N, psi, lb_taylor_div(N, f, slope));
}

LB_TAYLOR_INLINE lb_taylor find_ring(int N, double ring, lb_taylor3 p, lb_taylor3 u) {
  enum { VALUES = 8 };
  lb_taylor psi =
      lb_taylor_constant(nearest(ring, lb_taylor3_lane(&p, 0, 0), lb_taylor3_lane(&u, 0, 0)));
  for (int i = 0; i < VALUES; i++) {
    psi = newton(0, ring, psi, p, u);
    psi = lb_taylor_constant(lb_taylor_value(&psi));
  }
  for (int i = 0; i < lb_taylor_newton_steps(N); i++) {
    psi = newton(N, ring, psi, p, u);
  }
  return psi;
}

// In the frame of the ring's point: x from the middle, y along the torus' axis, z along the ring.
LB_TAYLOR_INLINE lb_taylor3 localise(int N, const ring_frame* F, lb_taylor3 x) {
  const lb_taylor3 r = lb_taylor3_sub(N, x, F->origin);
  return (lb_taylor3){lb_taylor3_dot(N, r, F->out), r.z,
                      lb_taylor_scale(N, -1, lb_taylor3_dot(N, r, F->on))};
}

LB_TAYLOR_INLINE lb_taylor3 turn_back(int N, const ring_frame* F, lb_taylor3 a) {
  lb_taylor3 x =
      lb_taylor3_sub(N, lb_taylor3_scale(N, a.x, F->out), lb_taylor3_scale(N, a.z, F->on));
  x.z = lb_taylor_add(N, x.z, a.y);
  return x;
}

LB_TAYLOR_INLINE bool wrap_torus(int N, double ring, double r, double band, lb_wrap_path* out,
                                 const lb_taylor3* p, const lb_taylor3* q) {
  const lb_taylor3 way = lb_taylor3_sub(N, *q, *p);
  const lb_taylor length = lb_taylor_sqrt(N, lb_taylor3_dot(N, way, way));
  const lb_taylor3 u = lb_taylor3_scale(N, lb_taylor_inverse(N, length), way);
  const ring_frame F = frame_at(N, ring, find_ring(N, ring, *p, u));
  const lb_taylor3 P = localise(N, &F, *p), Q = localise(N, &F, *q);
  // from above to below by the side of the hole, which is -x, angles about z rise
  const int sense = lb_taylor_value(&P.y) > lb_taylor_value(&Q.y) ? 1 : -1;
  if (!lb_wrap_round(N, r, band, sense, out, &P, &Q)) {
    return false;
  }
  for (int i = 0; i < out->count; i++) {
    lb_path_piece* c = &out->piece[i];
    c->origin = lb_taylor3_add(N, F.origin, turn_back(N, &F, c->origin));
    c->along = turn_back(N, &F, c->along);
    c->A = turn_back(N, &F, c->A);
    c->B = turn_back(N, &F, c->B);
  }
  return true;
}

static void find(int N, const lb_wrap* wrap, lb_wrap_path* out, const lb_taylor3* p,
                 const lb_taylor3* q) {
  const double ring = wrap->size.x, r = wrap->size.y;
  bool wraps = false;
#define TORUS(N) wraps = wrap_torus(N, ring, r, wrap->band * r, out, p, q)
  LB_TAYLOR_ORDERS(TORUS)
  if (!wraps) {
    lb_wrap_straight(N, out, p, q);
  }
}

// The foot is in the plane of the ring.
static lb_vec3 scales(const lb_wrap* wrap) {
  (void)wrap;
  return lb_vec3_make(0, 0, 1);
}

const lb_wrap_type lb_wrap_type_torus = {find, scales};
