// Co-rotated linear elasticity: linear in the stretch S of F = R S.
//
//   psi = mu |F - R|^2 + la/2 tr(S - I)^2,   P = 2 mu (F - R) + la t R,   t = tr(S) - 3
//
// The rotation turns by dR = R [w] with G w = 2 axial(R' dF), G = tr(S) I - S, and dt = R : dF, for
// S : [w] = 0. So
//
//   dP  = 2 mu dF + (la t - 2 mu) dR + la (R : dF) R
//   d2P = (la t - 2 mu) d2R + la ((R : dF1) dR2 + (R : dF2) dR1 + (dR2 : dF1) R)
//   d2R = R ([w2] [w1] + [w12]),  G w12 = 2 axial(-[w2] R' dF1) - dG2 w1,
//   dG2 = tr(D) I - D,  D = dS2 = R' dF2 - [w2] S
//
// Rotations are found by Newton's method in all lanes at once where the gradients are far from
// singular, which is nearly always; what follows has branches and is computed one lane at a time.
#include <math.h>
#include <string.h>

#include "elastic/fem/material.h"
#include "math/space/mat3.h"
#include "math/space/polar.h"

static lb_mat3 lane(const lb_lanes A[9], int l) {
  return (lb_mat3){
      {A[0][l], A[1][l], A[2][l]}, {A[3][l], A[4][l], A[5][l]}, {A[6][l], A[7][l], A[8][l]}};
}

static void set_lane(lb_lanes A[9], int l, lb_mat3 m) {
  const double x[9] = {m.x.x, m.x.y, m.x.z, m.y.x, m.y.y, m.y.z, m.z.x, m.z.y, m.z.z};
  for (int k = 0; k < 9; k++) {
    A[k][l] = x[k];
  }
}

static double dot(lb_mat3 A, lb_mat3 B) {
  return lb_vec3_dot(A.x, B.x) + lb_vec3_dot(A.y, B.y) + lb_vec3_dot(A.z, B.z);
}

static lb_mat3 sym_matrix(lb_sym3 S) {
  return (lb_mat3){{S.xx, S.xy, S.xz}, {S.xy, S.yy, S.yz}, {S.xz, S.yz, S.zz}};
}

// Convergence: R is a rotation to rounding, and R'F symmetric.
static bool is_found(lb_mat3 R, lb_mat3 S) {
  static const double ROUNDING = 1e-14;
  const lb_mat3 one = lb_mat3_mul(lb_mat3_transpose(R), R);
  const double off = fabs(one.x.x - 1) + fabs(one.y.y - 1) + fabs(one.z.z - 1) + fabs(one.x.y) +
                     fabs(one.x.z) + fabs(one.y.z);
  const double skew = fabs(S.x.y - S.y.x) + fabs(S.x.z - S.z.x) + fabs(S.y.z - S.z.y);
  return off < ROUNDING && skew < ROUNDING * (fabs(S.x.x) + fabs(S.y.y) + fabs(S.z.z));
}

static void decompose(lb_polar p[LB_LANES], const lb_lanes F[9]) {
  enum { STEPS = 7 };
  lb_lanes X[9];
  memcpy(X, F, sizeof X);
  lb_lanes_rotate(X, STEPS);
  for (int l = 0; l < LB_LANES; l++) {
    const lb_mat3 R = lane(X, l), S = lb_mat3_mul(lb_mat3_transpose(R), lane(F, l));
    if (S.x.x + S.y.y + S.z.z > 0 && is_found(R, S)) {
      p[l] = (lb_polar){
          R,
          {S.x.x, S.y.y, S.z.z, (S.x.y + S.y.x) / 2, (S.x.z + S.z.x) / 2, (S.y.z + S.z.y) / 2},
          true};
    } else {
      p[l] = lb_polar_decompose(lane(F, l));
    }
  }
}

static double stretch(const lb_polar* p) { // t
  return p->S.xx + p->S.yy + p->S.zz - 3;
}

static lb_mat3 turn(const lb_polar* p, lb_vec3 w) { // R [w]
  return lb_mat3_mul(p->R, lb_mat3_skew(w));
}

static void energy(const lb_material_constants* c, lb_lanes* psi, const lb_lanes F[9]) {
  lb_polar p[LB_LANES];
  decompose(p, F);
  for (int l = 0; l < LB_LANES; l++) {
    const lb_mat3 d = lb_mat3_sub(lane(F, l), p[l].R);
    const double t = stretch(&p[l]);
    (*psi)[l] = c->mu * dot(d, d) + 0.5 * c->la * t * t;
  }
}

static void stress(const lb_material_constants* c, lb_lanes P[9], const lb_lanes F[9]) {
  lb_polar p[LB_LANES];
  decompose(p, F);
  for (int l = 0; l < LB_LANES; l++) {
    const double r = c->la * stretch(&p[l]) - 2 * c->mu;
    set_lane(P, l, lb_mat3_add(lb_mat3_scale(2 * c->mu, lane(F, l)), lb_mat3_scale(r, p[l].R)));
  }
}

// dP with a decomposition at hand.
static lb_mat3 change(const lb_material_constants* c, const lb_polar* p, lb_mat3 dF) {
  const lb_vec3 w = p->unique ? lb_polar_derivative(p, dF) : lb_vec3_make(0, 0, 0);
  const double r = c->la * stretch(p) - 2 * c->mu;
  const lb_mat3 dR = lb_mat3_scale(r, turn(p, w));
  const lb_mat3 volume = lb_mat3_scale(c->la * dot(p->R, dF), p->R);
  return lb_mat3_add(lb_mat3_scale(2 * c->mu, dF), lb_mat3_add(dR, volume));
}

static void differential(const lb_material_constants* c, lb_lanes dP[9], const lb_lanes F[9],
                         const lb_lanes dF[9]) {
  lb_polar p[LB_LANES];
  decompose(p, F);
  for (int l = 0; l < LB_LANES; l++) {
    set_lane(dP, l, change(c, &p[l], lane(dF, l)));
  }
}

static void tangent(const lb_material_constants* c, lb_lanes A[81], const lb_lanes F[9]) {
  lb_polar p[LB_LANES];
  decompose(p, F);
  for (int l = 0; l < LB_LANES; l++) {
    for (int j = 0; j < 9; j++) {
      lb_lanes unit[9] = {0};
      unit[j][l] = 1;
      set_lane(&A[9 * j], l, change(c, &p[l], lane(unit, l)));
    }
  }
}

// The derivative of lb_polar_derivative(p, dF1) along dF2. It solves with G, whose inverse the
// first derivative applies to 2 axial(R'X): hand it the X with that axial vector.
static lb_vec3 second_turn(const lb_polar* p, lb_mat3 dF1, lb_vec3 w1, lb_mat3 dF2, lb_vec3 w2) {
  const lb_mat3 Rt = lb_mat3_transpose(p->R), W2 = lb_mat3_skew(w2);
  const lb_mat3 D = lb_mat3_sub(lb_mat3_mul(Rt, dF2), lb_mat3_mul(W2, sym_matrix(p->S)));
  const double trace = D.x.x + D.y.y + D.z.z;
  const lb_vec3 g = lb_vec3_sub(lb_vec3_scale(trace, w1), lb_mat3_apply(D, w1));
  const lb_vec3 a = lb_mat3_axial(lb_mat3_mul(W2, lb_mat3_mul(Rt, dF1)));
  const lb_vec3 rhs = lb_vec3_scale(-1, lb_vec3_add(lb_vec3_scale(2, a), g));
  const lb_mat3 X = lb_mat3_mul(p->R, lb_mat3_skew(lb_vec3_scale(0.5, rhs)));
  return lb_polar_derivative(p, X);
}

static lb_mat3 second_change(const lb_material_constants* c, const lb_polar* p, lb_mat3 dF1,
                             lb_mat3 dF2) {
  const lb_vec3 w1 = lb_polar_derivative(p, dF1), w2 = lb_polar_derivative(p, dF2);
  const lb_vec3 w12 = second_turn(p, dF1, w1, dF2, w2);
  const lb_mat3 twice = lb_mat3_mul(lb_mat3_skew(w2), lb_mat3_skew(w1));
  const lb_mat3 d2R = lb_mat3_mul(p->R, lb_mat3_add(twice, lb_mat3_skew(w12)));
  const lb_mat3 dR1 = turn(p, w1), dR2 = turn(p, w2);
  lb_mat3 sum = lb_mat3_scale(c->la * stretch(p) - 2 * c->mu, d2R);
  sum = lb_mat3_add(sum, lb_mat3_scale(c->la * dot(p->R, dF1), dR2));
  sum = lb_mat3_add(sum, lb_mat3_scale(c->la * dot(p->R, dF2), dR1));
  return lb_mat3_add(sum, lb_mat3_scale(c->la * dot(dR2, dF1), p->R));
}

static void second(const lb_material_constants* c, lb_lanes d2P[9], const lb_lanes F[9],
                   const lb_lanes dF1[9], const lb_lanes dF2[9]) {
  lb_polar p[LB_LANES];
  decompose(p, F);
  for (int l = 0; l < LB_LANES; l++) {
    const lb_mat3 none = lb_mat3_diagonal(0);
    set_lane(d2P, l, p[l].unique ? second_change(c, &p[l], lane(dF1, l), lane(dF2, l)) : none);
  }
}

const lb_material_functions lb_corotated = {.name = "corotated",
                                            .energy = energy,
                                            .stress = stress,
                                            .differential = differential,
                                            .tangent = tangent,
                                            .second = second};
