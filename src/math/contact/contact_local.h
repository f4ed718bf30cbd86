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
static inline lb_contact_piece lb_contact_piece_at(const lb_contact_problem* p, int row, int end) {
  const lb_contact_row* r = p->row;
  lb_contact_piece piece = {LB_PIECE_SET, row, 1 + (r[row].kind == LB_CONTACT_SET_2)};
  if (r[row].kind == LB_CONTACT_EQUALITY) {
    piece.kind = LB_PIECE_EQUALITY;
    while (row + piece.nrow < end && r[row + piece.nrow].kind == LB_CONTACT_EQUALITY) {
      piece.nrow++;
    }
  } else if (r[row].kind == LB_CONTACT_UNILATERAL) {
    piece.kind = LB_PIECE_POINT;
    const int next = row + 1;
    if (next < end && r[next].normal == row &&
        (r[next].kind == LB_CONTACT_SET_1 || r[next].kind == LB_CONTACT_SET_2)) {
      piece.nrow = r[next].kind == LB_CONTACT_SET_1 ? 2 : 3;
    }
  }
  return piece;
}

// Constants of points and sets. With tangents t and normal n, the normal eliminated,
//
//   (1)  S = A_tt - A_tn A_nt / A_nn
typedef struct lb_contact_local {
  double n, t1, t2;     // A_nn, A_tn
  double inverse;       // 1 / A_nn, or 0
  double k1, k2;        // A_tn / A_nn
  double s11, s12, s22; // S, with a little more on its diagonal
  double v11, v12, v22; // S^-1
  double mu;            // of the set that hangs on the normal
  double slip;          // last multiplier s: where the next search starts
} lb_contact_local;

#define LB_CONTACT_CLOSE 1e-7 // of roots, over the bound

// Constants from A of the rows of a piece, nrow x nrow by columns. Sets have no normal (n = 0).
void lb_contact_local_prepare(lb_contact_local* L, lb_contact_piece piece, const double* A,
                              double mu);

// Tangential impulses by one root: with r the velocity that they find,                  (2)
//
//   (S + s) l = -r,  |l| <= alpha - beta.l,  s >= 0 and zero where the bound is not met
//
// R(s) / |l(s)| - 1 is linear in s where S is a multiple of one, so Newton's method needs few
// steps, with dl/ds = -(S + s)^-1 l; bisection guards it. alpha > 0 gives a root: R > |l| for large
// s. The last step is taken by that derivative, which leaves the square of what it was off: `close`
// of the bound. The next sweep starts from its end.
static inline void lb_contact_disc_root(lb_contact_local* L, double alpha, const double* beta,
                                        const double* r, double close, double* l) {
  static const int MOST = 60;
  static const double SAME = 1e-14;
  double low = 0, high = (double)INFINITY, s = L->slip;
  for (int i = 0; i < MOST; i++) {
    const double a = L->s11 + s, b = L->s12, c = L->s22 + s, over = 1 / (a * c - b * b);
    l[0] = (b * r[1] - c * r[0]) * over;
    l[1] = (b * r[0] - a * r[1]) * over;
    const double square = l[0] * l[0] + l[1] * l[1], length = sqrt(square);
    const double R = alpha - beta[0] * l[0] - beta[1] * l[1];
    const double miss = R - length;
    if ((i == 0 && s == 0 && miss >= 0) || miss == 0) {
      break;
    }
    *(miss < 0 ? &low : &high) = s;
    const double d0 = (c * l[0] - b * l[1]) * over, d1 = (a * l[1] - b * l[0]) * over; // -dl/ds
    const double dR = beta[0] * d0 + beta[1] * d1;
    const double slope = dR * square + R * (l[0] * d0 + l[1] * d1); // of R / |l|, times |l|^3
    double next = s - miss * square / slope;
    const bool near = miss * miss <= close * alpha * alpha || fabs(next - s) <= SAME * s;
    if (near && next >= 0) {
      l[0] -= d0 * (next - s);
      l[1] -= d1 * (next - s);
      s = next;
      break;
    }
    if (!(next > low && next < high)) {
      next = high < (double)INFINITY ? (low + high) / 2 : 2 * low + L->s11 + L->s22;
    }
    s = next;
  }
  L->slip = s;
}

// l of (2).
static inline void lb_contact_disc(lb_contact_local* L, double alpha, const double* beta,
                                   const double* r, double close, double* l) {
  l[0] = -L->v11 * r[0] - L->v12 * r[1];
  l[1] = -L->v12 * r[0] - L->v22 * r[1];
  const double radius = alpha - beta[0] * l[0] - beta[1] * l[1];
  if (!(radius >= 0 && l[0] * l[0] + l[1] * l[1] <= radius * radius)) {
    lb_contact_disc_root(L, alpha, beta, r, close, l);
  }
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
static inline void lb_contact_point_solve(lb_contact_local* L, const double* w, double close,
                                          double* l) {
  const double qn = w[0] - (L->n * l[0] + L->t1 * l[1] + L->t2 * l[2]);
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
  const double r[2] = {(w[1] - L->k1 * w[0]) - (L->s11 * l[1] + L->s12 * l[2]),
                       (w[2] - L->k2 * w[0]) - (L->s12 * l[1] + L->s22 * l[2])};
  const double beta[2] = {L->mu * L->k1, L->mu * L->k2};
  lb_contact_disc(L, L->mu * free, beta, r, close, l + 1);
  const double normal = free - L->k1 * l[1] - L->k2 * l[2];
  l[0] = normal > 0 ? normal : 0;
  lb_contact_cut(L->mu * l[0], l + 1);
}

// Largest change of a row's own velocity, A_rr |dlambda_r|, of a point or of a set in the places of
// its tangents.
static inline double lb_contact_own_change(const lb_contact_local* L, const double* change) {
  const double n = L->n * fabs(change[0]);
  const double t1 = (L->s11 + L->k1 * L->t1) * fabs(change[1]);
  const double t2 = (L->s22 + L->k2 * L->t2) * fabs(change[2]), t = t1 > t2 ? t1 : t2;
  return n > t ? n : t;
}

// A set of a given radius, with l of two rows (the second zero for a set of one).
static inline void lb_contact_set_solve(lb_contact_local* L, double R, const double* w,
                                        double close, double* l) {
  if (!(R > 0)) {
    l[0] = l[1] = 0;
    return;
  }
  const double zero[2] = {0, 0};
  const double r[2] = {w[0] - L->s11 * l[0] - L->s12 * l[1], w[1] - L->s12 * l[0] - L->s22 * l[1]};
  lb_contact_disc(L, R, zero, r, close, l);
  lb_contact_cut(R, l);
}
