// Two frames of a constraint, and the gaps between them.
//
// Frame a is on one link and b on another. All motion of b is seen from a at b's origin P: b less
// the point of a's link there, in a's axes. A gap c(a, b) has a direction e with
//
//   cd = e.r,   cdd = e.rd + ed.r                                                        (1)
//
// r the velocity of b as seen from a, rd its rate and ed that of e, both in a's axes. The
// multiplier exerts e times itself on b at P, and the opposite on a at the same point.
#pragma once
#include "dynamics/tree/state.h"
#include "limber/dynamics.h"

// A frame on a link.
typedef struct lb_frame {
  int link; // or LB_WORLD
  lb_m3 R;
  lb_v4 p;
} lb_frame;

// Pose, velocity and acceleration of a frame, in the world.
typedef struct lb_frame_motion {
  int link; // or LB_WORLD
  lb_m3 R;
  lb_v4 p, v, a, w, al;
} lb_frame_motion;

typedef struct lb_pair {
  const lb_frame *at_a, *at_b;
  lb_frame_motion a, b;
  lb_v4 spin;             // of the axes that gaps are measured in: a's, unless they stay
  lb_motion rate;         // r of (1)
  lb_motion acceleration; // rd
  lb_m3 turn;             // by lb_pair_fill_turn, for changes of gaps
} lb_pair;

// Relative pose and velocity of the frames at the present state.
void lb_pair_open(lb_pair* P, const lb_work* work, const lb_frame* a, const lb_frame* b);
// r and rd again, after a's motion or the axes' spin was changed.
void lb_pair_move(lb_pair* P);
// Derivative of the rotation vector from a to b, in the world, beyond turning with a: turn t when b
// turns by t as seen from a.
void lb_pair_fill_turn(lb_pair* P);

struct lb_constraint_row;

// A kind of gap. x and y are small motions of b as seen from a.
typedef struct lb_gap_type {
  bool turns;    // e is an axis, not a line
  bool periodic; // an angle: whole turns are none
  // dc for x; NULL: e.x
  double (*change)(const lb_pair* P, const struct lb_constraint_row* r, lb_motion x);
  // de for x, in a's axes; NULL: e is fixed in them
  lb_v4 (*turn)(const lb_pair* P, const struct lb_constraint_row* r, lb_motion x);
  // how that, for y, changes with x
  lb_v4 (*turn_again)(const lb_pair* P, const struct lb_constraint_row* r, lb_motion x,
                      lb_motion y);
} lb_gap_type;

extern const lb_gap_type lb_gap_shift, // e.(p_b - p_a), e fixed in a
    lb_gap_turn,                       // e.(rotation vector from a to b)
    lb_gap_tilt,                       // e.(rotation vector from a's z to b's)
    lb_gap_angle,                      // from a to b about a's z
    lb_gap_second_angle, // the other one of a universal joint, about b's x: from a's z to b's
    lb_gap_square,       // z_a.x_b: the axes of a universal joint, e = x_b x z_a
    lb_gap_body_axis;    // no gap: velocities about an axis of b

// Rotation vector from frame a to b, in the world. When only the axes must agree (turns about z are
// free), the rotation that takes one axis to the other.
lb_v4 lb_pair_rotation(const lb_pair* P);
lb_v4 lb_pair_tilt(const lb_pair* P);
// Angle from a to b about a's z axis; that from a's z to b's about b's x.
double lb_pair_angle(const lb_pair* P);
double lb_pair_second_angle(const lb_pair* P);

static inline lb_v4 lb_gap_part(const lb_gap_type* type, lb_motion x) {
  return type->turns ? x.w : x.v;
}
