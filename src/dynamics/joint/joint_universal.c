// Universal joint: q0 turns the cross about the axis z fixed in the parent, q1 turns the link about
// the axis x fixed in the cross, R = R0 Rz(q0) Rx(q1). The axes z1 (s->axis) and z2 = R.x stay at
// right angles, so S = (z1, 0; z2, 0) is orthonormal:
//
//   w_joint = z1 q0d + z2 q1d
//   d/dt z1 = w_p x z1,   d/dt z2 = (w_p + z1 q0d) x z2
//   al_joint = S qdd + w_p x w_joint + (z1 x z2) q0d q1d
#include "dynamics/joint/joint.h"
#include "dynamics/joint/joint_revolute.h"
#include "dynamics/tree/articulated.h"

static void place(lb_state* s, const double* q, const double sc[2]) {
  (void)sc;
  s->axis = s->R.z;
  revolute_place(s, NULL, (double[]){sin(q[0]), cos(q[0])});
  const lb_v4 y = s->R.y;
  const lb_v4 z = s->R.z;
  s->R.y = y * cos(q[1]) + z * sin(q[1]);
  s->R.z = z * cos(q[1]) - y * sin(q[1]);
}

static void move(lb_state* s, const lb_state* p, const double* qd) {
  const lb_v4 joint = s->axis * qd[0] + s->R.x * qd[1];
  s->w = p->w + joint;
  s->c_al = lb_v4_cross(p->w, joint) + lb_v4_cross(s->axis, s->R.x) * (qd[0] * qd[1]);
  s->c_a = lb_v4_cross(p->w, lb_v4_cross(p->w, s->r));
}

static void accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  (void)a;
  *al += s->axis * qdd[0] + s->R.x * qdd[1];
}

// D = S'A S + armature is 2 x 2. In the world's axes its inverse is S D^-1 S', and tau is S tau: S
// being orthonormal, S'(S tau) = tau.
static void articulate(lb_articulated* out, lb_state* s, const double* tau,
                       const double* armature) {
  const lb_v4 z1 = s->axis;
  const lb_v4 z2 = s->R.x;
  const lb_v4 Az1 = lb_m3_apply(s->IA.A, z1);
  const double a = lb_v4_dot(z1, Az1) + armature[0];
  const double b = lb_v4_dot(z2, Az1);
  const double c = lb_v4_dot(z2, lb_m3_apply(s->IA.A, z2)) + armature[1];
  const double det = 1 / (a * c - b * b);
  s->Dinv = (lb_m3){lb_v4_zero(), lb_v4_zero(), lb_v4_zero()};
  lb_m3_add_outer(&s->Dinv, c * det, z1, z1);
  lb_m3_add_outer(&s->Dinv, a * det, z2, z2);
  lb_m3_add_outer(&s->Dinv, -b * det, z1, z2);
  lb_m3_add_outer(&s->Dinv, -b * det, z2, z1);
  s->Un = z1 * tau[0] + z2 * tau[1] - s->IA.n;
  lb_articulated_project_turn(out, &s->IA, s);
}

static void solve(lb_state* s, double* qdd) {
  const lb_v4 joint = lb_articulated_turn(s);
  s->al += joint;
  qdd[0] = lb_v4_dot(s->axis, joint);
  qdd[1] = lb_v4_dot(s->R.x, joint);
}

static void project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  (void)f;
  tau[0] += lb_v4_dot(s->axis, n);
  tau[1] += lb_v4_dot(s->R.x, n);
}

static void columns(lb_v4* S, const lb_state* s) {
  S[0] = s->axis;
  S[2] = s->R.x;
  S[1] = S[3] = lb_v4_zero();
}

// z1 does not turn with q1: T_01 = z1 x z2, which does not change with q1 but would turn with the
// link.
static void bend(lb_motion* rate, lb_motion* curve, const lb_state* s, const double* qd,
                 const double* qdd) {
  const lb_v4 across = lb_v4_cross(s->axis, s->R.x);
  rate[0] = curve[0] = (lb_motion){lb_v4_zero(), lb_v4_zero()};
  rate[1] = (lb_motion){across * qd[0], lb_v4_zero()};
  curve[1] = (lb_motion){across * qdd[0] - s->axis * (qd[0] * qd[1]), lb_v4_zero()};
}

static void bend_force(double* K, int stride, const lb_state* s, lb_v4 n, lb_v4 f) {
  (void)stride, (void)f;
  K[1] += lb_v4_dot(lb_v4_cross(s->axis, s->R.x), n);
}

const lb_joint lb_joint_universal = {
    .place = place,
    .move = move,
    .move_origin = lb_joint_move_origin,
    .accelerate = accelerate,
    .articulate = articulate,
    .solve = solve,
    .project = project,
    .columns = columns,
    .integrable = true,
    .bend = bend,
    .bend_force = bend_force,
};
