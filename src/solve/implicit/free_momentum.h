// Momentum of mechanisms that nothing but gravity acts on. Linearly implicit Euler has it exact at
// the pose that a step begins with; at the end, where joints and axes have turned, it is off by a
// part of second order, which sums up. What is missing is given back to the mechanism as a whole:
// all its free links get the same rigid motion. With mass m, centre of mass c, momentum P and
// angular momentum L about c, before the step (0) and after it (1),
//
//   (1)  P = P0 + h m g,   L = L0,   c = c0 + h P/m
//   (2)  I d = L0 - L1 about c1,   dv = (P - P1)/m
//
// so that momentum is kept to rounding, and relative motion of the links, where joints, loops and
// motors have their say, stays as it is. Links that touch something in the step have other forces,
// and are left alone.
//
// A body by itself, for which a step solved with the momentum L, is turned by the mean of its
// velocities along its own axes [Simo and Wong 1991],
//
//   (3)  R1 = R0 exp(h (w0 + w1)/2),   I w1 = R1'L,   I w0 = R0'L
//
// with which turning takes and gives no energy. Where its place changes by another velocity than w0
// (contact_set.h), h times the difference is added.
#pragma once
#include "base/arena.h"
#include "limber/dynamics.h"

typedef struct lb_free_momentum lb_free_momentum;

// Mechanisms of the model that fly: all their trees on free joints, and nothing that acts on them
// from outside. Joints, constraints and forces connect their links. NULL: there is no memory.
lb_free_momentum* lb_free_momentum_create(const lb_model* m, lb_arena* arena);

// Their momentum at d's state, at which poses and velocities of origins are in place.
void lb_free_momentum_begin(lb_free_momentum* F, const lb_data* d);
// (1) and (2) at the end of a step of h: d's places and velocities of free joints change.
void lb_free_momentum_keep(lb_free_momentum* F, lb_data* d, double h);
