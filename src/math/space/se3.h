// Rigid motions: SO(3) and SE(3) with their exponentials, adjoints, the Jacobians of the
// exponential and the time derivatives of those. Nothing has a singularity at zero.
//
// Twists are angular first. A 6 x 6 matrix of the form [a 0; b a] is a 3 x 3 matrix a + eps b of
// dual numbers (eps^2 = 0): adjoints and Jacobians all have this form, and products and inverses
// keep it. That is why SE(3) needs no formulas of its own: an SO(3) formula evaluated at the dual
// vector w + eps v is the SE(3) one, and its dual part is a directional derivative.
#pragma once
#include "math/space/mat3.h"

/// Rates of a frame, or a small motion: angular and linear part.
typedef struct lb_twist {
  lb_vec3 w, v;
} lb_twist;

/// Moment and force, dual to a twist: power = w . m + v . f.
typedef struct lb_wrench {
  lb_vec3 m, f;
} lb_wrench;

/// The 6 x 6 matrix [a 0; b a].
typedef struct lb_dual3 {
  lb_mat3 a, b;
} lb_dual3;

// --- 6 x 6 matrices of dual form ---
lb_dual3 lb_dual3_mul(lb_dual3 A, lb_dual3 B);
lb_twist lb_dual3_apply(lb_dual3 A, lb_twist x);
/// A' y
lb_wrench lb_dual3_apply_transpose(lb_dual3 A, lb_wrench y);

// --- adjoints ---

/// Ad(X_ab): takes a twist in b to a.
lb_dual3 lb_se3_Ad(lb_transform X);
/// ad(x) y = x y - y x, the rate of y seen from a frame that moves with x.
lb_dual3 lb_se3_ad(lb_twist x);
/// d/dt Ad(X) when X moves with the twist x given in its own (right) frame: Ad(X) ad(x).
lb_dual3 lb_se3_Ad_dot(lb_transform X, lb_twist x);
/// Ad(X) x, ad(x) y without the matrices.
lb_twist lb_twist_transform(lb_transform X_ab, lb_twist b);
lb_twist lb_twist_cross(lb_twist x, lb_twist y);
/// The coadjoint forms: a wrench in b seen from a, Ad(X_ba)' y, and -ad(x)' y.
lb_wrench lb_wrench_transform(lb_transform X_ab, lb_wrench b);
lb_wrench lb_wrench_cross(lb_twist x, lb_wrench y);

// --- exponentials ---
lb_mat3 lb_so3_exp(lb_vec3 w);
lb_transform lb_se3_exp(lb_twist x);
/// Inverse of lb_se3_exp, for the rotation angle in [0, pi].
lb_twist lb_se3_log(lb_transform X);

// --- Jacobians of the exponential ---

/// Which side the small motion stands on: exp(x + dx) = exp(J dx) exp(x) for the left one,
/// exp(x) exp(J dx) for the right one (which [red] calls S: the rate in body coordinates is J qd).
/// The inverses are singular at a rotation of 2 pi.
typedef enum lb_jacobian {
  LB_LEFT,
  LB_RIGHT,
  LB_LEFT_INVERSE,
  LB_RIGHT_INVERSE,
  LB_JACOBIAN_COUNT
} lb_jacobian;

lb_mat3 lb_so3_jacobian(lb_jacobian kind, lb_vec3 w);
/// Its time derivative when w changes at the rate wd.
lb_mat3 lb_so3_jacobian_dot(lb_jacobian kind, lb_vec3 w, lb_vec3 wd);
/// Its second derivative along u and v.
lb_mat3 lb_so3_jacobian_ddot(lb_jacobian kind, lb_vec3 w, lb_vec3 u, lb_vec3 v);
lb_dual3 lb_se3_jacobian(lb_jacobian kind, lb_twist x);
lb_dual3 lb_se3_jacobian_dot(lb_jacobian kind, lb_twist x, lb_twist xd);

// --- the functions underneath ---

/// Stumpff's functions c_n(x) = 1/n! - x/(n+2)! + x^2/(n+4)! - ..., which at x = t^2 are cos t,
/// sin t / t, (1 - cos t) / t^2, (t - sin t) / t^3, ...
enum { LB_STUMPFF_COUNT = 10 };
void lb_stumpff(double x, double c[LB_STUMPFF_COUNT]);
/// Below this x (a rotation of 3 rad) they come from their series, above from sine and cosine.
extern const double LB_STUMPFF_SWITCH;
