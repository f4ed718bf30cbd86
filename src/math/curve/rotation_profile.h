// Rotations as functions of time, compiled: through keys, or by control rotations of a B-spline.
#pragma once
#include "limber/math.h"
#include "math/curve/time_profile.h"

/// At a time: the rotation, and its angular velocity and acceleration, both seen from what it has
/// turned.
typedef struct lb_turn {
  lb_quat q;
  lb_vec3 w, al;
} lb_turn;

typedef struct lb_turning {
  int nkey;
  lb_quat* key;      ///< [nkey] control rotations, of a repeated one with copies on both sides
  lb_vec3* turn;     ///< [nkey - 1] from each to the next, in its own frame
  lb_profile* clock; ///< piece and time within it
  int before, after; ///< turns that are on their way in a piece, beside the one of its number
  /// [nkey - 1][before + after + 1] how much of a turn is done, by pieces as of a profile
  double (*share)[LB_PROFILE_COEFFICIENTS];
} lb_turning;

/// Compile a valid definition, whose values are these unit quaternions [count], into the arena.
/// Fails with LB_NO_MEMORY only.
lb_status lb_turning_create(lb_arena* arena, const lb_profile_definition* definition,
                            const lb_quat* rotation, lb_turning** turning);

lb_turn lb_turning_evaluate(const lb_turning* turning, double t);

/// The first time in (0, until) at which the rotation or its angular velocity jumps, or NAN. A
/// start at speed, at time 0, is no jump.
double lb_turning_jump(const lb_turning* turning, double until);
