// Points and frames of bodies that are held or prescribed through the world, and floors under
// points. Frame a of such a pair is the world's own; frame b sits at the point, with the world's
// axes at the start, so rows are those of loops, with c measured from where a profile wants it. A
// floor has one, along its normal. Joints whose rotation is prescribed have their own frames for a
// and b.
#include "dynamics/constraint/constraint_rows.h"
#include "math/curve/rotation_profile.h"

enum { MOST_ROWS = 6 };

static int most(const lb_model* m) {
  return MOST_ROWS * m->nprescribed;
}

static void add_shift(lb_constraints* L, const lb_model_prescribed* g, int k,
                      const lb_frame_motion* a, const lb_frame_motion* b, const double want[3]) {
  const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const lb_v4 e = g->unilateral ? lb_v4_from(g->normal) : lb_v4_load(axis[k]);
  lb_constraint_add(
      L, (lb_constraint){.a = &L->frame[2 * g->loop],
                         .b = &L->frame[2 * g->loop + 1],
                         .coupling = -1,
                         .motor = -1,
                         .unilateral = g->unilateral,
                         .rate_only = g->velocity_level[k],
                         .kind = LB_GAP_SHIFT,
                         .e = e,
                         .at = b->p,
                         .spin = lb_v4_zero(),
                         .c = g->velocity_level[k] ? 0 : lb_v4_dot(e, b->p) - want[0],
                         .cd = lb_v4_dot(e, b->v) - want[1],
                         .cdd = lb_v4_dot(e, b->a - a->a) - want[2]}); // gravity is in both
}

// Turn frame a as it is at this time: about an axis of the world. Seen from it, b turns by w - w_a,
// and its rows are those of loops. Led by a spin, a keeps the world's axes and only has that spin.
static void turn_frame(lb_constraints* L, const lb_model_prescribed* g, double time,
                       lb_frame_motion* a) {
  double angle[3] = {0, 0, 0};
  lb_path_target(g->angle, g->angle_velocity_level, time, angle);
  const lb_v4 about = lb_v4_from(g->about);
  a->R = lb_m3_from(lb_quat_matrix(lb_quat_exp(lb_vec3_scale(angle[0], g->about))));
  a->w = about * angle[1];
  a->al = about * angle[2];
  L->frame[2 * g->loop].R = a->R; // for derivatives
}

// The same of a joint's frame on the parent's link: R turns in it as the motor asks, with w seen
// from R itself, and its own acceleration is d/dt (R w) = (w_a + R w) x R w + R al.
static void turn_joint(lb_constraints* L, const lb_work* work, const lb_model_prescribed* g,
                       lb_turn turn, lb_frame_motion* a) {
  lb_frame* frame = &L->frame[2 * g->loop];
  frame->R = lb_m3_from(lb_quat_matrix(lb_quat_mul(g->from, turn.q)));
  *a = lb_frame_move(work, frame);
  const lb_v4 w = lb_m3_apply(a->R, lb_v4_from(turn.w));
  a->al += lb_v4_cross(a->w, w) + lb_m3_apply(a->R, lb_v4_from(turn.al));
  a->w += w;
}

static void add_turns(lb_constraints* L, const lb_model_prescribed* g, const lb_frame_motion* a,
                      const lb_frame_motion* b) {
  const lb_v4 turn = lb_rotation_between(a, b, false);
  const lb_v4 axis[3] = {a->R.x, a->R.y, a->R.z};
  const lb_v4 rate = b->w - a->w;
  const lb_v4 turning =
      g->angle_velocity_level ? lb_v4_zero() : lb_v4_cross(a->w, rate); // of the axes
  const lb_v4 change = b->al - a->al - turning;
  for (int k = 0; k < 3; k++) {
    lb_constraint_add(L,
                      (lb_constraint){.a = &L->frame[2 * g->loop],
                                      .b = &L->frame[2 * g->loop + 1],
                                      .coupling = -1,
                                      .motor = g->motor[k],
                                      .turns = true,
                                      .rate_only = g->angle_velocity_level,
                                      .kind = LB_GAP_TURN,
                                      .e = axis[k],
                                      .at = b->p,
                                      .spin = g->angle_velocity_level ? lb_v4_zero() : a->w,
                                      .c = g->angle_velocity_level ? 0 : lb_v4_dot(axis[k], turn),
                                      .cd = lb_v4_dot(axis[k], rate),
                                      .cdd = lb_v4_dot(axis[k], change)});
  }
}

static void add(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  for (int i = 0; i < m->nprescribed; i++) {
    const lb_model_prescribed* g = &m->prescribed[i];
    lb_frame_motion a = lb_frame_move(d->work, &L->frame[2 * g->loop]);
    const lb_frame_motion b = lb_frame_move(d->work, &L->frame[2 * g->loop + 1]);
    for (int k = 0; k < 3; k++) {
      double want[3] = {g->held[k], 0, 0};
      lb_path_target(g->path[k], g->velocity_level[k], d->time, want);
      if (g->along[k]) {
        add_shift(L, g, k, &a, &b, want);
      }
    }
    if (g->motor[0] >= 0) {
      turn_joint(L, d->work, g, lb_turning_evaluate(m->motor_turning[g->motor[0]], d->time), &a);
    } else if (g->angle) {
      turn_frame(L, g, d->time, &a);
    }
    if (g->turn) {
      add_turns(L, g, &a, &b);
    }
  }
}

const lb_constraint_type lb_constraint_type_prescribed = {most, add};
