// SO(3) and SE(3), on top of Stumpff's functions.
#include "math/space/se3.h"

// --- Stumpff's functions ---
//
//   (1)  c_n = 1/n! - x c_n+2
//   (2)  dc_n/dx = (n c_n+2 - c_n+1) / 2
//
// Going down with (1) from the series of the two highest loses nothing while x is small; going up
// from sine and cosine divides the rounding error by x each time, so it serves large x. At the
// switch both give all of c_0 ... c_9 to 1e-14 of their size.

const double LB_STUMPFF_SWITCH = 9;

static const double INVERSE_FACTORIAL[LB_STUMPFF_COUNT] = {
    1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};

// c_n by Horner's scheme: 1/n! (1 - x/((n+1)(n+2)) (1 - x/((n+3)(n+4)) (1 - ...))).
static double series(int n, double x) {
  enum { TERMS = 13 }; // the next one is below 1e-20 of the first at the switch
  double sum = 1;
  for (int k = TERMS - 1; k > 0; k--) {
    sum = 1 - x / ((n + 2 * k - 1) * (n + 2 * k)) * sum;
  }
  return INVERSE_FACTORIAL[n] * sum;
}

void lb_stumpff(double x, double c[LB_STUMPFF_COUNT]) {
  enum { LAST = LB_STUMPFF_COUNT - 1 };
  if (x < LB_STUMPFF_SWITCH) {
    c[LAST] = series(LAST, x);
    c[LAST - 1] = series(LAST - 1, x);
    for (int n = LAST - 2; n >= 0; n--) {
      c[n] = INVERSE_FACTORIAL[n] - x * c[n + 2];
    }
    return;
  }
  const double t = sqrt(x);
  c[0] = cos(t);
  c[1] = sin(t) / t;
  for (int n = 2; n <= LAST; n++) {
    c[n] = (INVERSE_FACTORIAL[n - 2] - c[n - 2]) / x;
  }
}

// --- matrix functions of [w] ---
//
// The exponential and all Jacobians are F(w) = I + f(x) [w] + g(x) [w]^2, x = w . w. Their first
// two directional derivatives, with {a, b} = [a][b] + [b][a] = a b' + b a' - 2 a.b I:
//
//   F_u  = f [u] + g {w, u} + 2 w.u (f' [w] + g' [w]^2)
//   F_uv = g {u, v} + 2 w.u (f' [v] + g' {w, v}) + 2 w.v (f' [u] + g' {w, u})
//        + 2 u.v (f' [w] + g' [w]^2) + 4 w.u w.v (f'' [w] + g'' [w]^2)
typedef struct rule {
  double f[3], g[3]; // value, first and second derivative by x
} rule;

static lb_mat3 anticommutator(lb_vec3 a, lb_vec3 b) {
  return lb_mat3_add(lb_mat3_add(lb_mat3_outer(a, b), lb_mat3_outer(b, a)),
                     lb_mat3_diagonal(-2 * lb_vec3_dot(a, b)));
}

// s [u] + t {w, v}
static lb_mat3 term(double s, lb_vec3 u, double t, lb_vec3 w, lb_vec3 v) {
  return lb_mat3_add(lb_mat3_skew(lb_vec3_scale(s, u)), lb_mat3_scale(t, anticommutator(w, v)));
}

static lb_mat3 value(const rule* r, lb_vec3 w) {
  return lb_mat3_add(lb_mat3_diagonal(1), term(r->f[0], w, r->g[0] / 2, w, w));
}

static lb_mat3 first(const rule* r, lb_vec3 w, lb_vec3 u) {
  const double wu = 2 * lb_vec3_dot(w, u);
  return lb_mat3_add(term(r->f[0], u, r->g[0], w, u),
                     term(wu * r->f[1], w, wu * r->g[1] / 2, w, w));
}

static lb_mat3 second(const rule* r, lb_vec3 w, lb_vec3 u, lb_vec3 v) {
  const double wu = 2 * lb_vec3_dot(w, u), wv = 2 * lb_vec3_dot(w, v), uv = 2 * lb_vec3_dot(u, v);
  const double f = uv * r->f[1] + wu * wv * r->f[2];
  const double g = uv * r->g[1] + wu * wv * r->g[2];
  lb_mat3 sum = lb_mat3_scale(r->g[0], anticommutator(u, v));
  sum = lb_mat3_add(sum, term(wu * r->f[1], v, wu * r->g[1], w, v));
  sum = lb_mat3_add(sum, term(wv * r->f[1], u, wv * r->g[1], w, u));
  return lb_mat3_add(sum, term(f, w, g / 2, w, w));
}

// First derivatives of c_2 ... c_6 and second ones of c_2 ... c_4 by (2), given c.
static void stumpff_derivatives(const double* c, double* d, double* dd) {
  for (int n = 2; n <= 6; n++) {
    d[n] = (n * c[n + 2] - c[n + 1]) / 2;
  }
  for (int n = 2; n <= 4; n++) {
    dd[n] = (n * d[n + 2] - d[n + 1]) / 2;
  }
}

// The left Jacobian has f = c_2, g = c_3, its inverse f = -1/2, g = e with
//
//   e = 1/x (1 - c_1 / (2 c_2)) = (c_3 - 2 c_4) / (2 c_2)
//
// and the right ones are those of -w: f changes its sign.
static rule jacobian_rule(lb_jacobian kind, lb_vec3 w) {
  double c[LB_STUMPFF_COUNT], d[7], dd[5];
  lb_stumpff(lb_vec3_dot(w, w), c);
  stumpff_derivatives(c, d, dd);
  rule r = {{c[2], d[2], dd[2]}, {c[3], d[3], dd[3]}};
  if (kind == LB_LEFT_INVERSE || kind == LB_RIGHT_INVERSE) {
    const double e = (c[3] - 2 * c[4]) / (2 * c[2]);
    const double e1 = (d[3] - 2 * d[4] - 2 * e * d[2]) / (2 * c[2]);
    const double e2 = (dd[3] - 2 * dd[4] - 4 * e1 * d[2] - 2 * e * dd[2]) / (2 * c[2]);
    r = (rule){{-0.5, 0, 0}, {e, e1, e2}};
  }
  if (kind == LB_RIGHT || kind == LB_RIGHT_INVERSE) {
    for (int i = 0; i < 3; i++) {
      r.f[i] = -r.f[i];
    }
  }
  return r;
}

lb_mat3 lb_so3_jacobian(lb_jacobian kind, lb_vec3 w) {
  const rule r = jacobian_rule(kind, w);
  return value(&r, w);
}

lb_mat3 lb_so3_jacobian_dot(lb_jacobian kind, lb_vec3 w, lb_vec3 wd) {
  const rule r = jacobian_rule(kind, w);
  return first(&r, w, wd);
}

lb_mat3 lb_so3_jacobian_ddot(lb_jacobian kind, lb_vec3 w, lb_vec3 u, lb_vec3 v) {
  const rule r = jacobian_rule(kind, w);
  return second(&r, w, u, v);
}

// --- exponentials ---

lb_mat3 lb_so3_exp(lb_vec3 w) {
  double c[LB_STUMPFF_COUNT];
  lb_stumpff(lb_vec3_dot(w, w), c);
  const rule r = {{c[1]}, {c[2]}};
  return value(&r, w);
}

lb_transform lb_se3_exp(lb_twist x) {
  return (lb_transform){lb_quat_exp(x.w), lb_mat3_apply(lb_so3_jacobian(LB_LEFT, x.w), x.v)};
}

lb_twist lb_se3_log(lb_transform X) {
  const lb_vec3 w = lb_quat_log(X.q);
  return (lb_twist){w, lb_mat3_apply(lb_so3_jacobian(LB_LEFT_INVERSE, w), X.p)};
}
