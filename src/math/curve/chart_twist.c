// Exponential of a twist, Q = exp(xi), as a chart of six coordinates.
//
// What holds for rotation vectors holds for twists in dual numbers: with cross and dot
// products of motions (w, v) = w + e v, e^2 = 0, and x = xi.xi,
//
//   (1)  S u  = u + f xi x u + g xi x (xi x u),     f = -c2(x),  g = c3(x)
//   (2)  S_a u = f a x u + g {xi, a} u + 2 xi.a (f' xi x u + g' xi x (xi x u))
//   (3)  S_ab u = g {a, b} u + 2 xi.a (f' b x u + g' {xi, b} u) + 2 xi.b (f' a x u + g' {xi, a} u)
//               + 2 a.b (f' xi x u + g' xi x (xi x u))
//               + 4 xi.a xi.b (f'' xi x u + g'' xi x (xi x u))
//
// where {a, b} u = a x (b x u) + b x (a x u), c_n are Stumpff's functions and
// 2 c_n' = n c_n+2 - c_n+1 (math/space/se3.h).
#include <string.h>

#include "math/curve/chart.h"
#include "math/space/se3.h"

typedef struct dual {
  double r, d;
} dual;

static dual multiply(dual a, dual b) {
  return (dual){a.r * b.r, a.r * b.d + a.d * b.r};
}
static dual twice(dual a) {
  return (dual){2 * a.r, 2 * a.d};
}
static dual dot(lb_motion a, lb_motion b) {
  return (dual){lb_v4_dot(a.w, b.w), lb_v4_dot(a.w, b.v) + lb_v4_dot(a.v, b.w)};
}
static lb_motion scale(dual s, lb_motion a) {
  return (lb_motion){a.w * s.r, a.v * s.r + a.w * s.d};
}

// f, g and their first two derivatives at a twist.
typedef struct rule {
  lb_motion xi;
  dual f[3], g[3];
  double c1, c2;
} rule;

// `most` derivatives of f and g; c are Stumpff's functions of xi.xi.
static rule rule_at(lb_motion xi, const double* c, int most) {
  enum { DERIVATIVES = 4 };
  const dual x = dot(xi, xi);
  double d[DERIVATIVES][LB_STUMPFF_COUNT];
  rule r = {.xi = xi, .c1 = c[1], .c2 = c[2]};
  memcpy(d[0], c, sizeof d[0]);
  for (int k = 1; k <= most + 1; k++) {
    for (int n = 2; n <= 3 + 2 * (most + 1 - k); n++) {
      d[k][n] = 0.5 * (n * d[k - 1][n + 2] - d[k - 1][n + 1]);
    }
  }
  for (int k = 0; k <= most; k++) {
    r.f[k] = (dual){-d[k][2], -d[k + 1][2] * x.d};
    r.g[k] = (dual){d[k][3], d[k + 1][3] * x.d};
  }
  return r;
}

// s a x u + t {xi, b} u
static lb_motion term(dual s, lb_motion a, dual t, lb_motion xi, lb_motion b, lb_motion u) {
  const lb_motion both = lb_motion_add(lb_motion_cross(xi, lb_motion_cross(b, u)),
                                       lb_motion_cross(b, lb_motion_cross(xi, u)));
  return lb_motion_add(scale(s, lb_motion_cross(a, u)), scale(t, both));
}

// f^(k) xi x u + g^(k) xi x (xi x u)
static lb_motion along(const rule* r, int k, lb_motion u) {
  const lb_motion once = lb_motion_cross(r->xi, u);
  return lb_motion_add(scale(r->f[k], once), scale(r->g[k], lb_motion_cross(r->xi, once)));
}

// (1)
static lb_motion value(const rule* r, lb_motion u) {
  return lb_motion_add(u, along(r, 0, u));
}

// (2)
static lb_motion first(const rule* r, lb_motion a, lb_motion u) {
  return lb_motion_add(term(r->f[0], a, r->g[0], r->xi, a, u),
                       scale(twice(dot(r->xi, a)), along(r, 1, u)));
}

// (3)
static lb_motion second(const rule* r, lb_motion a, lb_motion b, lb_motion u) {
  const dual by_a = dot(r->xi, a), by_b = dot(r->xi, b), none = {0, 0};
  lb_motion sum = term(none, a, r->g[0], a, b, u);
  sum = lb_motion_add(sum, scale(twice(by_a), term(r->f[1], b, r->g[1], r->xi, b, u)));
  sum = lb_motion_add(sum, scale(twice(by_b), term(r->f[1], a, r->g[1], r->xi, a, u)));
  sum = lb_motion_add(sum, scale(twice(dot(a, b)), along(r, 1, u)));
  return lb_motion_add(sum, scale(twice(twice(multiply(by_a, by_b))), along(r, 2, u)));
}

static lb_motion unit(int i) {
  const lb_v4 e = lb_v4_unit(i % 3);
  return i < 3 ? (lb_motion){e, lb_v4_zero()} : (lb_motion){lb_v4_zero(), e};
}

static lb_motion motion_of(const double* x) {
  return (lb_motion){lb_v4_load(x), lb_v4_load(x + 3)};
}

// R x = x + c1 w x x + c2 w x (w x x) and p by c2 and c3, as in se3.c.
static lb_v4 turned(lb_v4 w, lb_v4 x, double a, double b) {
  const lb_v4 once = lb_v4_cross(w, x);
  return x + a * once + b * lb_v4_cross(w, once);
}

static void place(lb_chart_at* at, const rule* r) {
  const lb_v4 w = r->xi.w;
  at->R = (lb_m3){turned(w, lb_v4_unit(0), r->c1, r->c2), turned(w, lb_v4_unit(1), r->c1, r->c2),
                  turned(w, lb_v4_unit(2), r->c1, r->c2)};
  at->p = turned(w, r->xi.v, r->c2, r->g[0].r);
  for (int i = 0; i < 6; i++) {
    at->S[i] = value(r, unit(i));
  }
}

static void move(lb_chart_at* at, const rule* r, const double* xid) {
  const lb_motion rate = motion_of(xid);
  at->V = lb_motion_zero();
  for (int i = 0; i < 6; i++) {
    at->V = lb_motion_add(at->V, lb_motion_scale(xid[i], at->S[i]));
  }
  at->b = first(r, rate, rate);
}

// S does not depend on translations but by turns, and S_i changes along k as S_k along i, but for
// the bracket: T_ik - T_ki = S_i x S_k.
static void bend(lb_chart_at* at, const rule* r, const double* xid) {
  const lb_motion rate = motion_of(xid);
  for (int k = 0; k < 6; k++) {
    for (int i = k; i < 6; i++) {
      at->T[i][k] = k >= 3 ? lb_motion_zero() : first(r, unit(k), unit(i));
      if (i > k) {
        at->T[k][i] = lb_motion_add(at->T[i][k], lb_motion_cross(at->S[k], at->S[i]));
      }
    }
  }
  for (int k = 0; k < 6; k++) {
    at->rate[k] = lb_motion_zero();
    for (int i = 0; i < 6; i++) {
      at->rate[k] = lb_motion_add(at->rate[k], lb_motion_scale(xid[i], at->T[i][k]));
    }
    at->curve[k] = second(r, rate, unit(k), rate);
  }
}

void lb_chart_twist(lb_chart_at* at, double c[LB_STUMPFF_COUNT], const double xi[6],
                    const double xid[6], lb_chart_order order) {
  const lb_motion twist = motion_of(xi);
  if (order == LB_CHART_PLACE) {
    lb_stumpff(lb_v4_dot(twist.w, twist.w), c);
  }
  const rule r = rule_at(twist, c, (int)order);
  if (order == LB_CHART_PLACE) {
    place(at, &r);
  } else if (order == LB_CHART_MOVE) {
    move(at, &r, xid);
  } else {
    bend(at, &r, xid);
  }
}
