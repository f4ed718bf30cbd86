#include "math/contact/contact_local.h"

#include <float.h>

lb_contact_piece lb_contact_piece_at(const lb_contact_problem* p, int row, int end) {
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

// Eigenvalues of the symmetric S and its first eigenvector, by one rotation of Jacobi's.
static void principal_axes(lb_contact_local* L, double s11, double s12, double s22, double* s) {
  double t = 0;
  if (s12 != 0) {
    const double theta = (s22 - s11) / (2 * s12);
    t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(1 + theta * theta));
  }
  L->cosine = 1 / sqrt(1 + t * t);
  L->sine = -t * L->cosine;
  s[0] = s11 - t * s12;
  s[1] = s22 + t * s12;
}

void lb_contact_local_prepare(lb_contact_local* L, lb_contact_piece piece, const double* A,
                              double mu) {
  const bool point = piece.kind == LB_PIECE_POINT;
  const int n = piece.nrow, t = point ? 1 : 0;
  *L = (lb_contact_local){.mu = mu};
  if (point) {
    L->n = A[0];
    L->inverse = A[0] > 0 ? 1 / A[0] : 0;
    L->t1 = n > 1 ? A[1] : 0;
    L->t2 = n > 2 ? A[2] : 0;
  }
  L->k1 = L->t1 * L->inverse;
  L->k2 = L->t2 * L->inverse;
  L->t11 = n > t ? A[t + t * n] : 1; // a tangent that is not there finds nothing and does nothing
  L->t22 = n > t + 1 ? A[t + 1 + (t + 1) * n] : L->t11;
  L->t12 = n > t + 1 ? A[t + 1 + t * n] : 0;
  double s[2];
  principal_axes(L, L->t11 - L->k1 * L->t1, L->t12 - L->k1 * L->t2, L->t22 - L->k2 * L->t2, s);
  // A floor for rows that are zero or that the normal repeats.
  const double most = L->t11 > L->t22 ? L->t11 : L->t22, tiny = DBL_MIN * 1e20;
  const double least = 1e-13 * (most > tiny ? most : tiny);
  L->i1 = 1 / (s[0] > least ? s[0] : least);
  L->i2 = 1 / (s[1] > least ? s[1] : least);
}
