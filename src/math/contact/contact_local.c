#include "math/contact/contact_local.h"

void lb_contact_local_prepare(lb_contact_local* L, lb_contact_piece piece, const double* A,
                              double mu) {
  // What S has more on its diagonal, for rows that are zero or that the normal repeats.
  static const double MORE = 1e-13, TINY = 1e-100;
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
  // a tangent that is not there finds nothing and does nothing
  const double t11 = n > t ? A[t + t * n] : 1, t22 = n > t + 1 ? A[t + 1 + (t + 1) * n] : t11;
  const double most = t11 > t22 ? t11 : t22, more = MORE * (most > TINY ? most : TINY);
  L->s11 = t11 - L->k1 * L->t1 + more;
  L->s12 = (n > t + 1 ? A[t + 1 + t * n] : 0) - L->k1 * L->t2;
  L->s22 = t22 - L->k2 * L->t2 + more;
  const double over = 1 / (L->s11 * L->s22 - L->s12 * L->s12);
  L->v11 = L->s22 * over;
  L->v12 = -L->s12 * over;
  L->v22 = L->s11 * over;
}
