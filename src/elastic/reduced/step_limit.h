// The longest step of semi-implicit Euler for an elastic body in a basis.
//
//   M (v1 - v0)/h + C v0 + K q0 = 0,   q1 = q0 + h v1                                        (1)
//
// With q = x s^n and m, c, k = x*M x, x*C x, x*K x each solution obeys
//
//   m (s - 1)^2 + h c (s - 1) + h^2 k s = 0                                                  (2)
//
// Both s are within the unit circle where 4 m - 2 h c - h^2 k > 0 and h c < 2 m, of which the
// second follows from the first. So all motions are bounded when
//
//   4 M - 2 h C - h^2 K  is positive definite,                                               (3)
//
// and a motion s < -1 grows when it is not. For a shape that vibrates at omega, damped by a share
// zeta of what is critical, this is h omega < 2 (sqrt(1 + zeta^2) - zeta).
//
// The body may hang on others and carry others. Its own kinetic energy is least when its frame
// moves as suits it best, which is what it does when it is free:
//
//   S = M - G' Mr^-1 G,   G the momentum of the frame by the shapes, Mr the rigid mass       (4)
//
// What else moves only adds to that, and joints, constraints and contacts only take motions away.
// So (3) with S in place of M is enough for the whole model, and with nothing but such bodies and
// what is not stiff it is needed for bodies that fly.
#pragma once
#include "elastic/reduced/reduced.h"

typedef struct lb_step_limit {
  double step;      // longest that obeys (3), at rest [s]; infinite without stiffness and damping
  double frequency; // fastest of the free body, undamped [Hz]
} lb_step_limit;

// LB_FAILED: the body has shapes without mass.
lb_status lb_reduced_step_limit(const lb_reduced* b, lb_arena* scratch, lb_step_limit* out);
