// Ball joint: the coordinate is a unit quaternion, the velocity w_r the relative angular velocity
// in the link's frame, S = (R, 0). Any basis of the same motions gives the same projection, so the
// recursion uses the world's axes, S = (1, 0), and turns the results at the end.
#include "dynamics/joint/joint.h"
#include "dynamics/tree/articulated.h"

static void place(lb_state* s, const double* q, const double sc[2]) {
  (void)sc;
  s->R = lb_m3_mul(s->R, lb_m3_rotation((lb_quat){q[0], q[1], q[2], q[3]}));
}

static void move(lb_state* s, const lb_state* p, const double* qd) {
  const lb_v4 joint = lb_m3_apply(s->R, lb_v4_load(qd));
  s->w = p->w + joint;
  s->c_al = lb_v4_cross(p->w, joint);
  s->c_a = lb_v4_cross(p->w, lb_v4_cross(p->w, s->r));
}

static void accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  (void)a;
  *al += lb_m3_apply(s->R, lb_v4_load(qdd));
}

static lb_m3 inverse(lb_m3 A) {
  const lb_m3 cofactor = {lb_v4_cross(A.y, A.z), lb_v4_cross(A.z, A.x), lb_v4_cross(A.x, A.y)};
  const double d = 1 / lb_v4_dot(A.x, cofactor.x);
  const lb_m3 T = lb_m3_transpose(cofactor);
  return (lb_m3){T.x * d, T.y * d, T.z * d};
}

static void articulate(lb_articulated* out, lb_state* s, const double* tau,
                       const double* armature) {
  const lb_articulated* in = &s->IA;
  lb_m3 D = in->A;
  D.x[0] += armature[0];
  D.y[1] += armature[0];
  D.z[2] += armature[0];
  s->Dinv = inverse(D);
  s->Un = lb_m3_apply(s->R, lb_v4_load(tau)) - in->n; // u
  lb_articulated_project_turn(out, in, s);
}

static void solve(lb_state* s, double* qdd) {
  const lb_v4 joint = lb_articulated_turn(s);
  s->al += joint;
  lb_v4_store(qdd, lb_m3_apply_transposed(s->R, joint));
}

static void project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  (void)f;
  lb_v4_add_to(tau, lb_m3_apply_transposed(s->R, n));
}

static void columns(lb_v4* S, const lb_state* s) {
  S[0] = s->R.x;
  S[2] = s->R.y;
  S[4] = s->R.z;
  S[1] = S[3] = S[5] = lb_v4_zero();
}

// The spring pulls along the rotation vector from where it rests: V = k/2 |log r'q|^2, whose
// gradient in the body's frame is k log r'q.
static void stretch_by(double* X, const double* q, const double* rest) {
  lb_quat_stretch_by(X, 3, q, rest);
}

static void reach_by_rate(double* Q, const double* qd, double h) {
  lb_m3_store(Q, 3, lb_quat_advance_by_rate(qd, h));
}

static void reach_by_past(double* H, const double* q, lb_past past, const double* qd, double h) {
  (void)q;
  lb_m3_store(H, 3, lb_quat_advance_by_past(past, qd, h));
}

const lb_joint lb_joint_spherical = {
    .place = place,
    .move = move,
    .move_origin = lb_joint_move_origin,
    .accelerate = accelerate,
    .articulate = articulate,
    .solve = solve,
    .project = project,
    .columns = columns,
    .stretch = lb_quat_stretch,
    .flow = {lb_quat_rate, lb_quat_advance, lb_quat_advance},
    .stretch_by = stretch_by,
    .reach_by_rate = reach_by_rate,
    .reach_by_past = reach_by_past,
};
