// Anderson acceleration: earlier corrections improve a matrix that is not exact.
//
// Newton's method with a matrix W that is kept corrects v by g = W^-1 r(v). From one correction to
// the next v changed by dv and g by dg, so along dv the exact step is known: a change of dv changes
// g by dg. With a few such pairs, of this step and of those before it with the same W, the part of
// g that they explain is taken away exactly and the rest as it is,
//
//   v - sum_j c_j dv_j - (g - sum_j c_j dg_j),   c = argmin |g - sum_j c_j dg_j|
//
// in the norm of W (Anderson 1965; in the linear case the same as GMRES). Matrices can then be kept
// for much longer.
#pragma once
#include "base/arena.h"
#include "limber/status.h"

enum { LB_ANDERSON_MOST = 6 };

typedef struct lb_anderson {
  int n;
  int count, next;
  bool first;                                         // the next correction is the first of a step
  double* more;                                       // [LB_ANDERSON_MOST][n] dg - dv
  double *dg, *dr;                                    // [LB_ANDERSON_MOST][n] dr = W dg
  double product[LB_ANDERSON_MOST][LB_ANDERSON_MOST]; // dg_i.dr_j
  double *step, *g, *r; // [n] last change of v, and the correction that it came from
} lb_anderson;

lb_status lb_anderson_create(lb_anderson* s, int n, lb_arena* arena);
// Forgets all pairs, for a new matrix.
void lb_anderson_forget(lb_anderson* s);
// A new step begins, or the same one from elsewhere.
void lb_anderson_restart(lb_anderson* s);
// Correct v, given g and r = W g. Returns the part of g, by its size, that no pair explains.
double lb_anderson_correct(lb_anderson* s, double* v, const double* g, const double* r);
