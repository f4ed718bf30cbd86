// Rigid motions: SO(3) and SE(3) with their exponentials, the Jacobians of the exponential of
// rotations and the derivatives of those. Nothing has a singularity at zero. Twists are angular
// first.
#pragma once
#include "math/space/mat3.h"

/// Rates of a frame, or a small motion: angular and linear part.
typedef struct lb_twist {
  lb_vec3 w, v;
} lb_twist;

// --- exponentials ---
lb_mat3 lb_so3_exp(lb_vec3 w);
lb_transform lb_se3_exp(lb_twist x);
/// Inverse of lb_se3_exp, for the rotation angle in [0, pi].
lb_twist lb_se3_log(lb_transform X);

// --- Jacobians of the exponential ---

/// Side of the small motion: exp(x + dx) = exp(J dx) exp(x) for the left one, exp(x) exp(J dx) for
/// the right one (which [red] calls S: the rate in body coordinates is J qd). The inverses are
/// singular at a rotation of 2 pi.
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

// --- the functions underneath ---

/// Stumpff's functions c_n(x) = 1/n! - x/(n+2)! + x^2/(n+4)! - ..., which at x = t^2 are cos t,
/// sin t / t, (1 - cos t) / t^2, (t - sin t) / t^3, ...
enum { LB_STUMPFF_COUNT = 10 };
void lb_stumpff(double x, double c[LB_STUMPFF_COUNT]);
/// Below this x (a rotation of 3 rad) they come from their series, above from sine and cosine.
extern const double LB_STUMPFF_SWITCH;
