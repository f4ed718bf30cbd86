// Pieces of a contact problem that are solved exactly by themselves, all others held: what a sweep
// of block Gauss-Seidel does. Nothing here allocates.
//
// A piece is a run of equality rows, a unilateral row with the first friction set that hangs on it
// (or without one), or a friction set whose radius is given meanwhile.
#pragma once
#include <math.h>

#include "math/contact/contact_problem.h"

typedef enum lb_contact_piece_kind {
  LB_PIECE_EQUALITY,
  LB_PIECE_POINT, // a unilateral row, and up to two tangents of its first set
  LB_PIECE_SET
} lb_contact_piece_kind;

typedef struct lb_contact_piece {
  lb_contact_piece_kind kind;
  int row, nrow;
} lb_contact_piece;

// The piece that starts at a row, of a block that ends before row `end`.
lb_contact_piece lb_contact_piece_at(const lb_contact_problem* p, int row, int end);

// Constants of points and sets. With tangents t and normal n, the normal eliminated,
//
//   (1)  S = A_tt - A_tn A_nt / A_nn = Q diag(s) Q'
typedef struct lb_contact_local {
  double n, t1, t2;     // A_nn, A_tn
  double t11, t12, t22; // A_tt
  double inverse;       // 1 / A_nn, or 0
  double k1, k2;        // A_tn / A_nn
  double i1, i2;        // 1 / s1, 1 / s2; eigenvalues of S are floored
  double cosine, sine;  // first eigenvector
  double mu;            // of the set that hangs on the normal
  double slip;          // last multiplier s: where the next search starts
} lb_contact_local;

// Constants from A of the rows of a piece, nrow x nrow by columns. Sets have no normal (n = 0).
void lb_contact_local_prepare(lb_contact_local* L, lb_contact_piece piece, const double* A,
                              double mu);

// Tangential impulses by one root: with r the velocity that they find,                  (2)
//
//   (S + s) l = -r,  |l| <= alpha - beta.l,  s >= 0 and zero where the bound is not met
//
// In principal axes l_i = -r_i / (s_i + s), and R(s) / |l(s)| - 1 is linear in s for s1 = s2, so
// Newton's method needs few steps; bisection guards it. alpha > 0 gives a root: R > |l| for large
// s. The last step is left to the next sweep, which starts from it.
static inline void lb_contact_disc_root(lb_contact_local* L, double alpha, const double* beta,
                                        const double* r, double* l) {
  static const int MOST = 60;
  static const double CLOSE = 1e-7, SAME = 1e-14;
  double low = 0, high = (double)INFINITY, s = L->slip;
  for (int i = 0; i < MOST; i++) {
    const double m1 = 1 + s * L->i1, m2 = 1 + s * L->i2, both = 1 / (m1 * m2);
    const double d1 = L->i1 * m2 * both, d2 = L->i2 * m1 * both; // 1 / (s1 + s), 1 / (s2 + s)
    l[0] = -r[0] * d1;
    l[1] = -r[1] * d2;
    const double square = l[0] * l[0] + l[1] * l[1], length = sqrt(square);
    const double R = alpha - beta[0] * l[0] - beta[1] * l[1];
    const double miss = R - length;
    if ((i == 0 && s == 0 && miss >= 0) || miss == 0) {
      break;
    }
    *(miss < 0 ? &low : &high) = s;
    // slope of R / |l| times |l|^3
    const double dR = beta[0] * l[0] * d1 + beta[1] * l[1] * d2;
    const double slope = dR * square + R * (l[0] * l[0] * d1 + l[1] * l[1] * d2);
    double next = s - miss * square / slope;
    if (!(next > low && next < high)) {
      next = high < (double)INFINITY ? (low + high) / 2 : 2 * low + 1 / L->i1 + 1 / L->i2;
    }
    const bool done = fabs(miss) <= CLOSE * alpha || fabs(next - s) <= SAME * s;
    s = next;
    if (done) {
      break;
    }
  }
  L->slip = s;
}

// l of (2) in the axes of the rows; beta likewise.
static inline void lb_contact_disc(lb_contact_local* L, double alpha, const double* beta,
                                   const double* r, double* l) {
  const double c = L->cosine, s = L->sine;
  const double R[2] = {c * r[0] + s * r[1], c * r[1] - s * r[0]};
  const double B[2] = {c * beta[0] + s * beta[1], c * beta[1] - s * beta[0]};
  double p[2] = {-R[0] * L->i1, -R[1] * L->i2};
  const double radius = alpha - B[0] * p[0] - B[1] * p[1];
  if (!(radius >= 0 && p[0] * p[0] + p[1] * p[1] <= radius * radius)) {
    lb_contact_disc_root(L, alpha, B, R, p);
  }
  l[0] = c * p[0] - s * p[1];
  l[1] = s * p[0] + c * p[1];
}

// Tangents cut to the radius, against what the root left.
static inline void lb_contact_cut(double R, double* l) {
  const double square = l[0] * l[0] + l[1] * l[1];
  if (square > R * R) {
    const double f = R / sqrt(square);
    l[0] *= f;
    l[1] *= f;
  }
}

// A unilateral row with its set: l becomes the solution for w = A l + q, w as it is with the old l.
static inline void lb_contact_point_solve(lb_contact_local* L, const double* w, double* l) {
  const double qn = w[0] - L->n * l[0] - L->t1 * l[1] - L->t2 * l[2];
  if (!(qn < 0) || L->inverse == 0) {
    l[0] = l[1] = l[2] = 0;
    return;
  }
  const double free = -qn * L->inverse; // lambda_n without friction
  if (L->mu == 0) {
    l[0] = free;
    l[1] = l[2] = 0;
    return;
  }
  const double q1 = w[1] - L->t1 * l[0] - L->t11 * l[1] - L->t12 * l[2];
  const double q2 = w[2] - L->t2 * l[0] - L->t12 * l[1] - L->t22 * l[2];
  const double r[2] = {q1 - L->k1 * qn, q2 - L->k2 * qn};
  const double beta[2] = {L->mu * L->k1, L->mu * L->k2};
  lb_contact_disc(L, L->mu * free, beta, r, l + 1);
  const double normal = free - L->k1 * l[1] - L->k2 * l[2];
  l[0] = normal > 0 ? normal : 0;
  lb_contact_cut(L->mu * l[0], l + 1);
}

// A set of a given radius, with l of two rows (the second zero for a set of one).
static inline void lb_contact_set_solve(lb_contact_local* L, double R, const double* w, double* l) {
  if (!(R > 0)) {
    l[0] = l[1] = 0;
    return;
  }
  const double zero[2] = {0, 0};
  const double r[2] = {w[0] - L->t11 * l[0] - L->t12 * l[1], w[1] - L->t12 * l[0] - L->t22 * l[1]};
  lb_contact_disc(L, R, zero, r, l);
  lb_contact_cut(R, l);
}
