// Effectors of a reduced mechanism as links: faces that move by the exponential of a twist,
// xi = sum_k y_k twist_k, whose coordinates y are the mechanism's. As in joint_chart.c, with the
// chart of twists (math/curve/chart_twist.c) behind a linear map.
#include <string.h>

#include "dynamics/joint/joint.h"
#include "dynamics/joint/joint_elastic.h"
#include "math/curve/chart.h"

// State of an effector.
struct lb_effector {
  double xi[6];
  double c[LB_STUMPFF_COUNT];
  lb_chart_at at; // by xi, seen from the link
  lb_motion* S;   // [r] directions of y, in the world's axes
};

static int count(const lb_state* s) {
  return s->elastic->body->r;
}

// x6 = sum_k x_k twist_k
static void combine(const lb_state* s, double* x6, const double* x) {
  const lb_motion* twist = s->elastic->face->twist;
  lb_motion sum = lb_motion_zero();
  for (int k = 0; k < count(s); k++) {
    sum = lb_motion_add(sum, lb_motion_scale(x[k], twist[k]));
  }
  lb_v4_store(x6, sum.w);
  lb_v4_store(x6 + 3, sum.v);
}

// sum_a twist_k[a] of[a]
static lb_motion along(lb_motion twist, const lb_motion* of) {
  lb_motion sum = lb_motion_zero();
  for (int a = 0; a < 3; a++) {
    sum = lb_motion_add(sum, lb_motion_scale(twist.w[a], of[a]));
    sum = lb_motion_add(sum, lb_motion_scale(twist.v[a], of[3 + a]));
  }
  return sum;
}

static void place(lb_state* s, const double* q, const double sc[2]) {
  (void)sc;
  struct lb_effector* e = s->elastic->effector;
  combine(s, e->xi, q);
  lb_chart_twist(&e->at, e->c, e->xi, NULL, LB_CHART_PLACE);
  s->r += lb_m3_apply(s->R, e->at.p);
  s->R = lb_m3_mul(s->R, e->at.R);
  for (int k = 0; k < count(s); k++) {
    e->S[k] = lb_motion_turn(s->R, along(s->elastic->face->twist[k], e->at.S));
  }
}

static void move(lb_state* s, const lb_state* p, const double* qd) {
  struct lb_effector* e = s->elastic->effector;
  double xid[6];
  combine(s, xid, qd);
  lb_chart_twist(&e->at, e->c, e->xi, xid, LB_CHART_MOVE);
  const lb_motion V = lb_motion_turn(s->R, e->at.V);
  const lb_motion b = lb_motion_turn(s->R, e->at.b);
  s->w = p->w + V.w;
  s->c_al = lb_v4_cross(p->w, V.w) + b.w;
  s->c_a = lb_v4_cross(p->w, lb_v4_cross(p->w, s->r) + V.v) + lb_v4_cross(s->w, V.v) + b.v;
}

static lb_motion weigh(const lb_state* s, const double* x) {
  lb_motion sum = lb_motion_zero();
  for (int k = 0; k < count(s); k++) {
    sum = lb_motion_add(sum, lb_motion_scale(x[k], s->elastic->effector->S[k]));
  }
  return sum;
}

static void move_origin(lb_state* s, const lb_state* p, const double* qd) {
  s->v = p->v + lb_v4_cross(p->w, s->r) + weigh(s, qd).v;
}

static void accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  const lb_motion own = weigh(s, qdd);
  *al += own.w;
  *a += own.v;
}

static void project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  for (int k = 0; k < count(s); k++) {
    tau[k] += lb_motion_dot(s->elastic->effector->S[k], (lb_motion){n, f});
  }
}

static void columns(lb_v4* S, const lb_state* s) {
  for (int k = 0; k < count(s); k++) {
    S[2 * k] = s->elastic->effector->S[k].w;
    S[2 * k + 1] = s->elastic->effector->S[k].v;
  }
}

// T is kept for bend_force.
static void bend(lb_motion* rate, lb_motion* curve, const lb_state* s, const double* qd,
                 const double* qdd) {
  struct lb_effector* e = s->elastic->effector;
  double xid[6], xidd[6];
  lb_motion bent[6];
  combine(s, xid, qd);
  combine(s, xidd, qdd);
  lb_chart_twist(&e->at, e->c, e->xi, xid, LB_CHART_BEND);
  for (int b = 0; b < 6; b++) {
    bent[b] = e->at.curve[b];
    for (int a = 0; a < 6; a++) {
      bent[b] = lb_motion_add(bent[b], lb_motion_scale(xidd[a], e->at.T[a][b]));
    }
  }
  for (int k = 0; k < count(s); k++) {
    const lb_motion twist = s->elastic->face->twist[k];
    rate[k] = lb_motion_turn(s->R, along(twist, e->at.rate));
    curve[k] = lb_motion_turn(s->R, along(twist, bent));
  }
}

static double entry(lb_motion twist, const double* g) {
  return lb_v4_dot(twist.w, lb_v4_load(g)) + lb_v4_dot(twist.v, lb_v4_load(g + 3));
}

// K += twist'G twist, G_ab = T_ab.(n, f)
static void bend_force(double* K, int stride, const lb_state* s, lb_v4 n, lb_v4 f) {
  const struct lb_effector* e = s->elastic->effector;
  const lb_motion* twist = s->elastic->face->twist;
  const lb_motion F = lb_motion_turn(lb_m3_transpose(s->R), (lb_motion){n, f});
  double G[6][6];
  for (int a = 0; a < 6; a++) {
    for (int b = 0; b < 6; b++) {
      G[b][a] = lb_motion_dot(e->at.T[a][b], F);
    }
  }
  for (int i = 0; i < count(s); i++) {
    double row[6];
    for (int b = 0; b < 6; b++) {
      row[b] = entry(twist[i], G[b]);
    }
    for (int k = 0; k < count(s); k++) {
      K[i * stride + k] += entry(twist[k], row);
    }
  }
}

const lb_joint lb_joint_effector = {
    .place = place,
    .move = move,
    .move_origin = move_origin,
    .accelerate = accelerate,
    .project = project,
    .columns = columns,
    .integrable = true,
    .bend = bend,
    .bend_force = bend_force,
};

struct lb_effector* lb_effector_lay_out(lb_carver* c, int r) {
  struct lb_effector* e = lb_carve(c, 1, sizeof *e);
  lb_motion* S = lb_carve(c, (size_t)r, sizeof *S);
  if (e) {
    e->S = S;
  }
  return e;
}
