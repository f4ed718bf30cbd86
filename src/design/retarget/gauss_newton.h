// One iteration of Gauss and Newton's method: the change of curves that is best to first order,
// within their limits (gauss_newton.c).
#pragma once
#include "design/retarget/curve_limits.h"

typedef struct lb_newton {
  lb_retargeting r;
  lb_linear* linear;
  lb_limits* limits;
  int n; // control points of all motors
  double *gradient, *p, *residual, *z, *direction, *image, *right;
  double* band; // [n][width + 1] preconditioner, by control point and then motor
  int width;
  double mu, norm; // norm of the gradient
  double sway;     // of accelerations, in the preconditioner
  int trials;      // the most of one iteration
  double came;     // what part of the last prediction came true
  int whole;       // steps of the whole motion
  int free[2];     // control points that may change, of every motor
  double* draft;   // [n]
  double* swapped; // [n] in that order
  lb_curves* trial;
  // of the interior-point method (gauss_newton.c)
  double* before;                    // [n] p at the start of a step
  double level, gap, stride, excess; // m; the sum of all s z; how much of a step is taken; the
                                     // worst excess over a limit, as a part of it
  int sides;                         // of bounds that there are
} lb_newton;

// Zero for control points that may not change.
void lb_newton_clear_fixed(const lb_newton* s, double* x);

// y = H x, with the stiffness of limits.
void lb_newton_multiply(lb_newton* s, double* y, const double* x);

// p = argmin g'p + 1/2 p'Hp within the limits, from the control points x. Limits have no stiffness
// then.
lb_status lb_newton_direction(lb_newton* s, const double* x);
