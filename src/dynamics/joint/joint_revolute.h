// Hinge about the link's z axis: S = (z, 0), the origin being on the axis. Inline, since most links
// of most characters hang on one and the recursions take it without a call.
#pragma once
#include "dynamics/tree/articulated.h"
#include "dynamics/tree/state.h"

static inline void revolute_place(lb_state* s, const double* q, const double sc[2]) {
  (void)q;
  const lb_v4 x = s->R.x;
  const lb_v4 y = s->R.y;
  s->R.x = x * sc[1] + y * sc[0];
  s->R.y = y * sc[1] - x * sc[0];
}

static inline void revolute_move(lb_state* s, const lb_state* p, const double* qd) {
  const lb_v4 joint = s->R.z * qd[0];
  s->w = p->w + joint;
  s->c_al = lb_v4_cross(p->w, joint);
  s->c_a = lb_v4_cross(p->w, lb_v4_cross(p->w, s->r));
}

static inline void revolute_accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  (void)a;
  *al += s->R.z * qdd[0];
}

static inline void revolute_articulate(lb_articulated* out, lb_state* s, const double* tau,
                                       const double* armature) {
  const lb_articulated* in = &s->IA;
  const lb_v4 z = s->R.z;
  s->Un = lb_m3_apply(in->A, z);
  s->Uf = lb_m3_apply(in->G, z);
  s->d = 1 / (lb_v4_dot(z, s->Un) + *armature);
  s->u = *tau - lb_v4_dot(z, in->n);
  lb_articulated_project(out, in, s);
}

static inline void revolute_solve(lb_state* s, double* qdd) {
  *qdd = s->d * (s->u - lb_v4_sum(s->Un * s->al + s->Uf * s->a));
  s->al += s->R.z * *qdd;
}

static inline void revolute_project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  (void)f;
  *tau += lb_v4_dot(s->R.z, n);
}

static inline void revolute_columns(lb_v4* S, const lb_state* s) {
  S[0] = s->R.z;
  S[1] = lb_v4_zero();
}
