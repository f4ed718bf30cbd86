// One step of the search for curves: the change that is best to first order, within limits
// (curve_step.c), and the guess of the second derivative that L-BFGS begins with
// (curve_precondition.c).
#pragma once
#include "design/retarget/curve_limits.h"
#include "design/search/search.h"

typedef struct lb_newton {
  lb_retargeting r;
  lb_linear* linear;
  lb_limits* limits;
  int n;                  // control points of all motors
  const double* gradient; // [n] of the search
  double* p;              // [n] likewise: the change
  double *residual, *z, *direction, *image, *right;
  double* band; // [n][width + 1] preconditioner, by control point and then motor
  int width;
  double mu;       // damping: a weight as `smoothness` is, and a part of it as `closeness` is
  double sway;     // of accelerations, in the preconditioner
  int whole;       // steps of the whole motion
  int free[2];     // control points that may change, of every motor
  double* swapped; // [n] in the band's order
  lb_curves* trial;
  // of the interior-point method (curve_step.c)
  double* before;                    // [n] p at the start of a step
  double level, gap, stride, excess; // m; the sum of all s z; how much of a step is taken; the
                                     // worst excess over a limit, as a part of it
  int sides;                         // of bounds that there are
} lb_newton;

// Room in the arena of s->r, which is open; the whole motion is looked at.
lb_status lb_newton_open(lb_newton* s);

// Zero for control points that may not change.
void lb_newton_clear_fixed(const lb_newton* s, double* x);

// The step of lb_objective, with a lb_newton as its context, for control points x. Limits have no
// stiffness then.
lb_status lb_newton_step(void* context, const double* x, const double* g, double* damping,
                         double* p, double* gain, lb_error* err);

// How much tracked bodies move with each motor, at the linearised motion: sigma [nmotor].
void lb_curves_weigh(const lb_newton* s, double* sigma);
// The preconditioner of lb_objective: P = (sigma + closeness) square + smoothness bend of each
// motor, factored in s->band [nmotor][ncontrol][4]; and p = P^-1 p.
lb_status lb_curves_precondition(lb_newton* s, const double* sigma, lb_error* err);
void lb_curves_apply(const void* context, double* p);
