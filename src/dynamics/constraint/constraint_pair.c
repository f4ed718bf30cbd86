#include "dynamics/constraint/constraint_pair.h"

#include <math.h>

#include "dynamics/constraint/constraint_loop.h"
#include "math/space/se3.h"

static inline void move_frame(lb_frame_motion* out, const lb_work* work, const lb_frame* f) {
  const lb_state* s = &work->state[f->link];
  const lb_v4 arm = lb_m3_apply(s->R, f->p);
  const lb_v4 spin = lb_v4_cross(s->w, arm);
  out->link = f->link;
  out->R = lb_m3_mul(s->R, f->R);
  out->p = s->p + arm;
  out->v = s->v + spin;
  out->a = s->a + lb_v4_cross(s->al, arm) + lb_v4_cross(s->w, spin);
  out->w = s->w;
  out->al = s->al;
}

// Components in the turning frame a: d/dt (R'x) = R'(xd - w x x).
void lb_pair_move(lb_pair* P) {
  const lb_frame_motion *a = &P->a, *b = &P->b;
  const lb_v4 d = b->p - a->p, dd = b->v - a->v;
  P->rate = (lb_motion){b->w - a->w, dd - lb_v4_cross(a->w, d)};
  P->acceleration = (lb_motion){b->al - a->al - lb_v4_cross(P->spin, P->rate.w),
                                b->a - a->a - lb_v4_cross(a->al, d) -
                                    lb_v4_cross(a->w, 2 * dd - lb_v4_cross(a->w, d))};
}

void lb_pair_open(lb_pair* P, const lb_work* work, const lb_frame* a, const lb_frame* b) {
  P->at_a = a;
  P->at_b = b;
  move_frame(&P->a, work, a);
  move_frame(&P->b, work, b);
  P->spin = P->a.w;
  lb_pair_move(P);
}

// --- values ---

static lb_vec3 rotation(const lb_pair* P) {
  return lb_quat_log(lb_quat_from_matrix(lb_m3_mat3(lb_m3_mul(lb_m3_transpose(P->a.R), P->b.R))));
}

lb_v4 lb_pair_rotation(const lb_pair* P) {
  return lb_m3_apply(P->a.R, lb_v4_from(rotation(P)));
}

lb_v4 lb_pair_tilt(const lb_pair* P) {
  const lb_v4 t = lb_v4_cross(P->a.R.z, P->b.R.z);
  const double square = lb_v4_dot(t, t), cosine = lb_v4_dot(P->a.R.z, P->b.R.z);
  if (square < 1e-8 && cosine > 0) { // nearly always: asin(s)/s to the fourth order
    return t * (1 + square / 6 + 3 * square * square / 40);
  }
  const double sine = sqrt(square), angle = atan2(sine, cosine);
  return sine > 0 ? t * (angle / sine) : P->a.R.x * angle;
}

double lb_pair_angle(const lb_pair* P) {
  return atan2(lb_v4_dot(P->b.R.x, P->a.R.y), lb_v4_dot(P->b.R.x, P->a.R.x));
}

double lb_pair_second_angle(const lb_pair* P) {
  const lb_v4 za = P->a.R.z, zb = P->b.R.z;
  return atan2(lb_v4_dot(lb_v4_cross(za, zb), P->b.R.x), lb_v4_dot(za, zb));
}

// --- their changes ---

// log(exp(t) R) = log R + Jl^-1 t.
void lb_pair_fill_turn(lb_pair* P) {
  const lb_m3 J = lb_m3_from(lb_so3_jacobian(LB_LEFT_INVERSE, rotation(P)));
  P->turn = lb_m3_mul(lb_m3_mul(P->a.R, J), lb_m3_transpose(P->a.R));
}

static double turn_change(const lb_pair* P, const lb_constraint_row* r, lb_motion x) {
  return lb_v4_dot(r->e, lb_m3_apply(P->turn, x.w));
}

// The rotation vector that takes a's z axis to b's is z_a x z_b times g = angle / sine.
static double tilt_change(const lb_pair* P, const lb_constraint_row* r, lb_motion x) {
  const lb_v4 za = P->a.R.z, zb = P->b.R.z, e = r->e;
  const lb_v4 across = lb_v4_cross(za, zb), dacross = lb_v4_cross(za, lb_v4_cross(x.w, zb));
  const double sine = sqrt(lb_v4_dot(across, across)), cosine = lb_v4_dot(za, zb);
  if (!(sine > 1e-7)) { // g = 1 + sine^2 / 6
    return lb_v4_dot(e, dacross);
  }
  const double g = atan2(sine, cosine) / sine;
  const double dcosine = lb_v4_dot(za, lb_v4_cross(x.w, zb));
  const double dsine = lb_v4_dot(across, dacross) / sine;
  const double dangle = cosine * dsine - sine * dcosine;
  return lb_v4_dot(e, dacross) * g + lb_v4_dot(e, across) * (dangle - g * dsine) / sine;
}

static double angle_change(const lb_pair* P, const lb_constraint_row* r, lb_motion x) {
  const lb_v4 at = P->b.R.x, dx = lb_v4_cross(x.w, at);
  const double X = lb_v4_dot(at, P->a.R.x), Y = lb_v4_dot(at, P->a.R.y);
  (void)r;
  return (X * lb_v4_dot(dx, P->a.R.y) - Y * lb_v4_dot(dx, P->a.R.x)) / (X * X + Y * Y);
}

static double second_angle_change(const lb_pair* P, const lb_constraint_row* r, lb_motion x) {
  const lb_v4 za = P->a.R.z, zb = P->b.R.z, xb = P->b.R.x;
  const lb_v4 dz = lb_v4_cross(x.w, zb), dx = lb_v4_cross(x.w, xb);
  const double S = lb_v4_dot(lb_v4_cross(za, zb), xb), C = lb_v4_dot(za, zb);
  const double dS = lb_v4_dot(lb_v4_cross(za, dz), xb) + lb_v4_dot(lb_v4_cross(za, zb), dx);
  (void)r;
  return (C * dS - S * lb_v4_dot(za, dz)) / (S * S + C * C);
}

// An axis of b.
static lb_v4 turn_with_b(const lb_pair* P, const lb_constraint_row* r, lb_motion x) {
  (void)P;
  return lb_v4_cross(x.w, r->e);
}

static lb_v4 turn_with_b_again(const lb_pair* P, const lb_constraint_row* r, lb_motion x,
                               lb_motion y) {
  (void)P;
  return lb_v4_cross(y.w, lb_v4_cross(x.w, r->e));
}

// e = x_b x z_a.
static lb_v4 turn_square(const lb_pair* P, const lb_constraint_row* r, lb_motion x) {
  (void)r;
  return lb_v4_cross(lb_v4_cross(x.w, P->b.R.x), P->a.R.z);
}

static lb_v4 turn_square_again(const lb_pair* P, const lb_constraint_row* r, lb_motion x,
                               lb_motion y) {
  (void)r;
  return lb_v4_cross(lb_v4_cross(y.w, lb_v4_cross(x.w, P->b.R.x)), P->a.R.z);
}

const lb_gap_type lb_gap_shift = {0};
const lb_gap_type lb_gap_turn = {.turns = true, .change = turn_change};
const lb_gap_type lb_gap_tilt = {.turns = true, .change = tilt_change};
const lb_gap_type lb_gap_angle = {.turns = true, .periodic = true, .change = angle_change};
const lb_gap_type lb_gap_second_angle = {.turns = true,
                                         .periodic = true,
                                         .change = second_angle_change,
                                         .turn = turn_with_b,
                                         .turn_again = turn_with_b_again};
const lb_gap_type lb_gap_square = {
    .turns = true, .turn = turn_square, .turn_again = turn_square_again};
const lb_gap_type lb_gap_body_axis = {
    .turns = true, .turn = turn_with_b, .turn_again = turn_with_b_again};
