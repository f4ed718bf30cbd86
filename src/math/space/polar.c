// Polar decomposition by a one-sided Jacobi SVD: small singular values keep their digits, so
// matrices of rank 2 (interfaces whose points lie in a plane) need no special case.
#include "math/space/polar.h"

// Turn columns p and q of B and V so that those of B are orthogonal; returns false if they were.
static bool turn(lb_vec3* Bp, lb_vec3* Bq, lb_vec3* Vp, lb_vec3* Vq) {
  static const double ORTHOGONAL = 1e-16; // cosine of the angle between the columns
  const double pp = lb_vec3_dot(*Bp, *Bp), qq = lb_vec3_dot(*Bq, *Bq), pq = lb_vec3_dot(*Bp, *Bq);
  if (!(fabs(pq) > ORTHOGONAL * sqrt(pp) * sqrt(qq))) {
    return false;
  }
  // the smaller root t = tan of the angle of t^2 + 2 z t - 1 = 0
  const double z = (qq - pp) / (2 * pq);
  const double t = copysign(1 / (fabs(z) + hypot(1, z)), z);
  const double c = 1 / hypot(1, t), s = c * t;
  const lb_vec3 b = *Bp, v = *Vp;
  *Bp = lb_vec3_sub(lb_vec3_scale(c, b), lb_vec3_scale(s, *Bq));
  *Bq = lb_vec3_add(lb_vec3_scale(s, b), lb_vec3_scale(c, *Bq));
  *Vp = lb_vec3_sub(lb_vec3_scale(c, v), lb_vec3_scale(s, *Vq));
  *Vq = lb_vec3_add(lb_vec3_scale(s, v), lb_vec3_scale(c, *Vq));
  return true;
}

static void order(lb_vec3* Bp, lb_vec3* Bq, lb_vec3* Vp, lb_vec3* Vq) {
  if (lb_vec3_dot(*Bp, *Bp) < lb_vec3_dot(*Bq, *Bq)) {
    const lb_vec3 b = *Bp, v = *Vp;
    *Bp = *Bq, *Bq = b;
    *Vp = *Vq, *Vq = v;
  }
}

// A unit vector at right angles to u.
static lb_vec3 across(lb_vec3 u) {
  const lb_vec3 axis = fabs(u.x) < 0.6 ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0);
  const lb_vec3 a = lb_vec3_cross(u, axis);
  return lb_vec3_scale(1 / lb_vec3_norm(a), a);
}

// The part of b at right angles to the unit vector u, made unit; any such vector if there is none.
static lb_vec3 unit_across(lb_vec3 b, lb_vec3 u) {
  const lb_vec3 part = lb_vec3_sub(b, lb_vec3_scale(lb_vec3_dot(b, u), u));
  const double n = lb_vec3_norm(part);
  return n > 0 ? lb_vec3_scale(1 / n, part) : across(u);
}

// B = A V with orthogonal columns, the longest first.
static void orthogonalise(lb_mat3* B, lb_mat3* V) {
  enum { SWEEPS = 30 }; // quadratic convergence: five or six are used
  bool turned = true;
  for (int i = 0; i < SWEEPS && turned; i++) {
    turned = turn(&B->x, &B->y, &V->x, &V->y);
    turned |= turn(&B->x, &B->z, &V->x, &V->z);
    turned |= turn(&B->y, &B->z, &V->y, &V->z);
  }
  order(&B->x, &B->y, &V->x, &V->y);
  order(&B->x, &B->z, &V->x, &V->z);
  order(&B->y, &B->z, &V->y, &V->z);
}

static double largest(lb_mat3 A) {
  const lb_vec3 c[3] = {A.x, A.y, A.z};
  double most = 0;
  for (int i = 0; i < 3; i++) {
    most = fmax(most, fmax(fabs(c[i].x), fmax(fabs(c[i].y), fabs(c[i].z))));
  }
  return most;
}

// With A = U diag(s) V', R = U diag(1, 1, det U det V) V'. Writing the third vectors as cross
// products gives that sign without asking for it, and never divides by the smallest singular value.
lb_polar lb_polar_decompose(lb_mat3 A) {
  static const double NOTHING = 1e-14; // of the largest singular value
  const double scale = largest(A);
  if (!(scale > 0)) {
    return (lb_polar){.R = lb_mat3_diagonal(1)};
  }
  lb_mat3 B = lb_mat3_scale(1 / scale, A), V = lb_mat3_diagonal(1);
  orthogonalise(&B, &V);
  const double s1 = lb_vec3_norm(B.x), s2 = lb_vec3_norm(B.y);
  const lb_vec3 u1 = lb_vec3_scale(1 / s1, B.x);
  const lb_vec3 u2 = unit_across(B.y, u1), u3 = lb_vec3_cross(u1, u2);
  const lb_vec3 v3 = lb_vec3_cross(V.x, V.y);
  const lb_mat3 R = lb_mat3_add(lb_mat3_add(lb_mat3_outer(u1, V.x), lb_mat3_outer(u2, V.y)),
                                lb_mat3_outer(u3, v3));
  const double s3 = lb_vec3_dot(u3, lb_mat3_apply(A, v3)) / scale; // negative for a mirror image
  const lb_mat3 S = lb_mat3_mul(lb_mat3_transpose(R), A);
  return (lb_polar){.R = R,
                    .S = {.xx = S.x.x,
                          .yy = S.y.y,
                          .zz = S.z.z,
                          .xy = (S.x.y + S.y.x) / 2,
                          .xz = (S.x.z + S.z.x) / 2,
                          .yz = (S.y.z + S.z.y) / 2},
                    .unique = s2 + s3 > NOTHING * s1};
}

// w = 2 (tr(S) I - S)^-1 axial(skew(R' dA))                          physics.md, flat interfaces
//
// The matrix has the eigenvalues s2 + s3, s1 + s3, s1 + s2, so it is regular as long as R is
// unique. From the skew part of R' dA = [w] S + dS.
lb_vec3 lb_polar_derivative(const lb_polar* polar, lb_mat3 dA) {
  const lb_sym3 S = polar->S;
  const lb_mat3 P = {
      {S.yy + S.zz, -S.xy, -S.xz}, {-S.xy, S.xx + S.zz, -S.yz}, {-S.xz, -S.yz, S.xx + S.yy}};
  const lb_vec3 b = lb_vec3_scale(2, lb_mat3_axial(lb_mat3_mul(lb_mat3_transpose(polar->R), dA)));
  // Cramer's rule
  const lb_vec3 yz = lb_vec3_cross(P.y, P.z), zx = lb_vec3_cross(P.z, P.x),
                xy = lb_vec3_cross(P.x, P.y);
  const double d = lb_vec3_dot(P.x, yz);
  return lb_vec3_make(lb_vec3_dot(yz, b) / d, lb_vec3_dot(zx, b) / d, lb_vec3_dot(xy, b) / d);
}
