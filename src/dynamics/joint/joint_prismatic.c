// Slide along the link's z axis: S = (0, z).
#include "dynamics/joint/joint.h"
#include "dynamics/tree/articulated.h"

static void place(lb_state* s, const double* q, const double sc[2]) {
  (void)sc;
  s->r += s->R.z * q[0];
}

static void move(lb_state* s, const lb_state* p, const double* qd) {
  s->w = p->w;
  s->c_al = lb_v4_zero();
  s->c_a = lb_v4_cross(p->w, lb_v4_cross(p->w, s->r) + s->R.z * (2 * qd[0]));
}

static void move_origin(lb_state* s, const lb_state* p, const double* qd) {
  s->v = p->v + lb_v4_cross(p->w, s->r) + s->R.z * qd[0];
}

static void accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  (void)al;
  *a += s->R.z * qdd[0];
}

static void articulate(lb_articulated* out, lb_state* s, const double* tau,
                       const double* armature) {
  const lb_articulated* in = &s->IA;
  const lb_v4 z = s->R.z;
  s->Un = lb_m3_apply_transposed(in->G, z);
  s->Uf = lb_m3_apply(in->C, z);
  s->d = 1 / (lb_v4_dot(z, s->Uf) + *armature);
  s->u = *tau - lb_v4_dot(z, in->f);
  lb_articulated_project(out, in, s);
}

static void solve(lb_state* s, double* qdd) {
  *qdd = s->d * (s->u - lb_v4_sum(s->Un * s->al + s->Uf * s->a));
  s->a += s->R.z * *qdd;
}

static void project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  (void)n;
  *tau += lb_v4_dot(s->R.z, f);
}

static void columns(lb_v4* S, const lb_state* s) {
  S[0] = lb_v4_zero();
  S[1] = s->R.z;
}

const lb_joint lb_joint_prismatic = {
    .place = place,
    .move = move,
    .move_origin = move_origin,
    .accelerate = accelerate,
    .articulate = articulate,
    .solve = solve,
    .project = project,
    .columns = columns,
    .integrable = true,
};
