// Joints that close loops. One joins frame a on one link to frame b on another and forbids some of
// their relative motion, each direction being a row:
//
//   translation along axis e of a:  c = e.(p_b - p_a)           (1)
//   rotation about axis e of a:     c = e.(rotation vector from a to b)   (2)
//   axes of a universal joint:      c = z_a.x_b
//
// Rows are forces: the row's multiplier pushes b along e (or turns it about e) and a the other way,
// at the same point.
#include <math.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/force/command.h"

// Directions that each kind forbids: x, y, z of translation, then of rotation, z along the joint's
// axis.
static const bool FORBIDDEN[LB_JOINT_COUNT][6] = {
    [LB_JOINT_FIXED] = {true, true, true, true, true, true},
    [LB_JOINT_REVOLUTE] = {true, true, true, true, true, false},
    [LB_JOINT_PRISMATIC] = {true, true, false, true, true, true},
    [LB_JOINT_UNIVERSAL] = {true, true, true, false, false, false}, // and its axes stay square
    [LB_JOINT_SPHERICAL] = {true, true, true, false, false, false},
};

enum { MOST_ROWS = 6 };

// The axes of a universal joint stay at right angles. With c = z_a.x_b,
//   cd = (w_b - w_a).e,  e = x_b x z_a,   cdd = (al_b - al_a).e + (w_b - w_a).ed
static lb_constraint square_row(const lb_frame* fa, const lb_frame* fb, const lb_frame_motion* a,
                                const lb_frame_motion* b) {
  const lb_v4 e = lb_v4_cross(b->R.x, a->R.z);
  const lb_v4 ed = lb_v4_cross(lb_v4_cross(b->w, b->R.x), a->R.z) +
                   lb_v4_cross(b->R.x, lb_v4_cross(a->w, a->R.z));
  const lb_v4 wr = b->w - a->w;
  return (lb_constraint){.a = fa,
                         .b = fb,
                         .coupling = -1,
                         .motor = -1,
                         .turns = true,
                         .kind = LB_GAP_SQUARE,
                         .e = e,
                         .at = b->p,
                         .spin = a->w,
                         .c = lb_v4_dot(a->R.z, b->R.x),
                         .cd = lb_v4_dot(wr, e),
                         .cdd = lb_v4_dot(b->al - a->al, e) + lb_v4_dot(wr, ed)};
}

// The rows of one loop, with their values, rates and accelerations. Components in the turning frame
// a:
//   d/dt (R'x) = R'(xd - w x x)
static void add_rows(lb_constraints* L, const lb_work* work, int i, lb_joint_kind kind, int motor,
                     const double* driven) {
  const lb_frame* fa = &L->frame[2 * i];
  const lb_frame* fb = &L->frame[2 * i + 1];
  const lb_frame_motion a = lb_frame_move(work, fa);
  const lb_frame_motion b = lb_frame_move(work, fb);
  const lb_v4 d = b.p - a.p;
  const lb_v4 dd = b.v - a.v;
  const lb_v4 wr = b.w - a.w;
  const bool turns = FORBIDDEN[kind][3];
  const lb_v4 value[2] = {d,
                          turns ? lb_rotation_between(&a, &b, !FORBIDDEN[kind][5]) : lb_v4_zero()};
  const lb_v4 rate[2] = {dd - lb_v4_cross(a.w, d), wr};
  const lb_v4 acceleration[2] = {b.a - a.a - lb_v4_cross(a.al, d) -
                                     lb_v4_cross(a.w, 2 * dd - lb_v4_cross(a.w, d)),
                                 b.al - a.al - lb_v4_cross(a.w, wr)};
  const lb_v4 axis[3] = {a.R.x, a.R.y, a.R.z};
  if (driven) { // along or about the axis, less what the motor asks for
    const bool hinge = kind == LB_JOINT_REVOLUTE;
    const lb_v4 e = axis[2];
    const double at = hinge ? remainder(lb_hinge_angle(&a, &b) - driven[0], 2 * M_PI)
                            : lb_v4_dot(e, d) - driven[0];
    lb_constraint_add(L, (lb_constraint){.a = fa,
                                         .b = fb,
                                         .coupling = -1,
                                         .turns = hinge,
                                         .motor = motor,
                                         .kind = hinge ? LB_GAP_ANGLE : LB_GAP_SHIFT,
                                         .e = e,
                                         .at = b.p,
                                         .spin = a.w,
                                         .c = at,
                                         .cd = lb_v4_dot(e, rate[hinge]) - driven[1],
                                         .cdd = lb_v4_dot(e, acceleration[hinge]) - driven[2]});
  }
  for (int k = 0; k < 6; k++) {
    if (FORBIDDEN[kind][k]) {
      const lb_v4 e = axis[k % 3];
      lb_constraint_add(L, (lb_constraint){.a = fa,
                                           .b = fb,
                                           .coupling = -1,
                                           .motor = -1,
                                           .turns = k >= 3,
                                           .kind = k < 3                ? LB_GAP_SHIFT
                                                   : FORBIDDEN[kind][5] ? LB_GAP_TURN
                                                                        : LB_GAP_TILT,
                                           .e = e,
                                           .at = b.p,
                                           .spin = a.w,
                                           .c = lb_v4_dot(e, value[k / 3]),
                                           .cd = lb_v4_dot(e, rate[k / 3]),
                                           .cdd = lb_v4_dot(e, acceleration[k / 3])});
    }
  }
  if (kind == LB_JOINT_UNIVERSAL) {
    lb_constraint_add(L, square_row(fa, fb, &a, &b));
  }
}

int lb_loop_rows_of(const lb_model* m, int i) {
  int count = (m->loop_motor[i] >= 0) + (m->loop[i].kind == LB_JOINT_UNIVERSAL);
  for (int k = 0; k < MOST_ROWS; k++) {
    count += FORBIDDEN[m->loop[i].kind][k];
  }
  return count;
}

static int most(const lb_model* m) {
  return MOST_ROWS * m->nloop;
}

static void add(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nloop; i++) {
    const int motor = m->loop_motor[i];
    double value[3];
    if (motor >= 0) {
      lb_motor_evaluate(m, d, motor, value);
    }
    add_rows(d->work->constraints, d->work, i, m->loop[i].kind, motor, motor >= 0 ? value : NULL);
  }
}

const lb_constraint_type lb_constraint_type_loop = {most, add};
