// Motions prescribed by constraints: points and frames of bodies that are held or prescribed
// through the world, floors under points, and rotations of joints that motors prescribe. Frame a of
// a point is the world's own; frame b sits at the point, with the world's axes at the start. Gaps
// are measured from where a profile wants them. Joints whose rotation is prescribed have their own
// frames for a and b.
#include "dynamics/constraint/constraint_rows.h"
#include "math/curve/rotation_profile.h"

static void add_shift(lb_data* d, const lb_pair* P, const lb_model_prescribed* g, int k) {
  const lb_v4 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, e = axis[k];
  double want[3] = {g->held[k], 0, 0};
  lb_path_target(g->path[k], g->velocity_level[k], d->time, want);
  lb_constraint_row row = lb_pair_row(P, &lb_gap_shift, e, lb_v4_dot(e, P->b.p));
  lb_constraint_ask(&row, want);
  row.velocity_level = g->velocity_level[k];
  row.gap = row.velocity_level ? 0 : row.gap;
  lb_constraint_add(d->work->constraints, &row);
}

static void add_turns(lb_constraints* L, const lb_model_prescribed* g, const lb_pair* P) {
  const lb_v4 turn = g->angle_velocity_level ? lb_v4_zero() : lb_pair_rotation(P);
  const lb_v4 axis[3] = {P->a.R.x, P->a.R.y, P->a.R.z};
  for (int k = 0; k < 3; k++) {
    lb_constraint_row row = lb_pair_row(P, &lb_gap_turn, axis[k], lb_v4_dot(axis[k], turn));
    row.asked = lb_v4_dot(axis[k], P->a.w); // where a is the world's, and turns as it is asked to
    row.motor = g->motor[k];
    row.velocity_level = g->angle_velocity_level;
    lb_constraint_add(L, &row);
  }
}

// --- points and frames ---

// Frame a turns about an axis of the world as it is prescribed. With a prescribed spin, it keeps
// the world's axes and only has that spin.
static void turn_frame(lb_constraints* L, const lb_model_prescribed* g, double time, lb_pair* P) {
  double angle[3] = {0, 0, 0};
  lb_path_target(g->angle, g->angle_velocity_level, time, angle);
  const lb_v4 about = lb_v4_from(g->about);
  P->a.R = lb_m3_rotation(lb_quat_exp(lb_vec3_scale(angle[0], g->about)));
  P->a.w = about * angle[1];
  P->a.al = about * angle[2];
  P->spin = g->angle_velocity_level ? lb_v4_zero() : P->a.w;
  L->frame[2 * g->constraint].R = P->a.R; // for derivatives
  lb_pair_move(P);
}

static void add_followed(const lb_model* m, lb_data* d, const lb_model_constraint* c) {
  const lb_model_prescribed* g = &m->constraint.prescribed[c->part];
  lb_pair P;
  lb_constraint_pair(&P, d, g->constraint);
  for (int k = 0; k < 3; k++) {
    if (g->along[k]) {
      add_shift(d, &P, g, k);
    }
  }
  if (g->angle) {
    turn_frame(d->work->constraints, g, d->time, &P);
  }
  if (g->turn) {
    add_turns(d->work->constraints, g, &P);
  }
}

static int rows_of_followed(const lb_model* m, const lb_model_constraint* c) {
  const lb_model_prescribed* g = &m->constraint.prescribed[c->part];
  return g->along[0] + g->along[1] + g->along[2] + 3 * g->turn;
}

const lb_constraint_type lb_constraint_type_follow = {rows_of_followed, add_followed};

// --- floors ---

static void add_floor(const lb_model* m, lb_data* d, const lb_model_constraint* c) {
  lb_pair P;
  lb_constraint_pair(&P, d, (int)(c - m->constraint.item));
  const lb_v4 e = lb_v4_from(c->normal);
  lb_constraint_row row = lb_pair_row(&P, &lb_gap_shift, e, lb_v4_dot(e, P.b.p) - c->value);
  row.unilateral = true;
  lb_constraint_add(d->work->constraints, &row);
}

const lb_constraint_type lb_constraint_type_floor = {lb_constraint_one_row, add_floor};

// --- rotations of joints ---

// The joint's frame on the parent's link: R turns in it as the motor asks, with w seen from R
// itself, and its own acceleration is d/dt (R w) = (w_a + R w) x R w + R al.
static void add_turned(const lb_model* m, lb_data* d, const lb_model_constraint* c) {
  lb_constraints* L = d->work->constraints;
  const lb_model_prescribed* g = &m->constraint.prescribed[c->part];
  const lb_turn turn = lb_turning_evaluate(m->motor.turning[g->motor[0]], d->time);
  L->frame[2 * g->constraint].R = lb_m3_rotation(lb_quat_mul(g->from, turn.q));
  lb_pair P;
  lb_constraint_pair(&P, d, g->constraint);
  const lb_v4 w = lb_m3_apply(P.a.R, lb_v4_from(turn.w));
  P.a.al += lb_v4_cross(P.a.w, w) + lb_m3_apply(P.a.R, lb_v4_from(turn.al));
  P.a.w += w;
  P.spin = P.a.w;
  lb_pair_move(&P);
  add_turns(L, g, &P);
}

static int rows_of_turned(const lb_model* m, const lb_model_constraint* c) {
  (void)m;
  (void)c;
  return 3;
}

const lb_constraint_type lb_constraint_type_turn = {rows_of_turned, add_turned};
