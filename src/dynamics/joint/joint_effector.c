// Effectors of a reduced mechanism as links: faces that move by the exponential of a twist,
// xi = sum_k y_k twist_k, whose coordinates y are the mechanism's. As in joint_chart.c, with the
// chart of twists (math/curve/chart_twist.c) behind a linear map. Of a curved body (curved.h) the
// map is of its amplitudes, xi = X(y) with
//
//   xid = X'yd,   b = b(xi, xid) + sum_a c_a S_a,   c = X''yd yd
//
// and derivatives have terms of X'' and X''', too.
#include <string.h>

#include "dynamics/joint/joint.h"
#include "dynamics/joint/joint_elastic.h"
#include "math/curve/chart.h"

// State of an effector.
struct lb_effector {
  double xi[6];
  double c[LB_STUMPFF_COUNT];
  lb_chart_at at;         // by xi, seen from the link
  lb_motion* S;           // [r] directions of y, in the world's axes
  const lb_motion* twist; // [r] of y
  lb_motion* own;         // [r] those of a curved body, at its state; else NULL
};

static int count(const lb_state* s) {
  return s->elastic->body->r;
}

// State of the body where it is curved, else NULL.
static lb_curved_state* curved(const lb_state* s) {
  return s->elastic->base->elastic->curved;
}

// sum of x_k twist_k, x with a stride
static lb_motion sum_twists(int n, const lb_motion* twist, const double* x, int stride) {
  lb_motion sum = lb_motion_zero();
  for (int k = 0; k < n; k++) {
    sum = lb_motion_add(sum, lb_motion_scale(x[k * stride], twist[k]));
  }
  return sum;
}

static void store(double* x6, lb_motion x) {
  lb_v4_store(x6, x.w);
  lb_v4_store(x6 + 3, x.v);
}

// x6 = sum_k x_k twist_k
static void combine(const lb_state* s, double* x6, const double* x) {
  store(x6, sum_twists(count(s), s->elastic->effector->twist, x, 1));
}

// The same of amplitudes [n], and of column k of a matrix [n][r] of them.
static lb_motion combine_amplitudes(const lb_state* s, const double* z) {
  return sum_twists(curved(s)->of->n, s->elastic->face->twist, z, 1);
}
static lb_motion combine_column(const lb_state* s, const double* J, int k) {
  return sum_twists(curved(s)->of->n, s->elastic->face->twist, J + k, count(s));
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
  e->twist = e->own ? e->own : s->elastic->face->twist;
  if (e->own) {
    store(e->xi, combine_amplitudes(s, curved(s)->z));
  } else {
    combine(s, e->xi, q);
  }
  for (int k = 0; e->own && k < count(s); k++) {
    e->own[k] = combine_column(s, curved(s)->J, k);
  }
  lb_chart_twist(&e->at, e->c, e->xi, NULL, LB_CHART_PLACE);
  s->r += lb_m3_apply(s->R, e->at.p);
  s->R = lb_m3_mul(s->R, e->at.R);
  for (int k = 0; k < count(s); k++) {
    e->S[k] = lb_motion_turn(s->R, along(e->twist[k], e->at.S));
  }
}

static void move(lb_state* s, const lb_state* p, const double* qd) {
  struct lb_effector* e = s->elastic->effector;
  double xid[6];
  combine(s, xid, qd);
  lb_chart_twist(&e->at, e->c, e->xi, xid, LB_CHART_MOVE);
  if (e->own) {
    e->at.b = lb_motion_add(e->at.b, along(combine_amplitudes(s, curved(s)->bias), e->at.S));
  }
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

// What X'' and X''' bring, with d = X''yd and e = X''ydd + X'''yd yd along k:
//
//   rate_k += sum_a d_a S_a,   curve_k += sum_a e_a S_a + sum_ab T_ab (d_a xid_b + xid_a d_b)
static void bend_curved(lb_motion* rate, lb_motion* curve, const lb_state* s, const double* xid) {
  const struct lb_effector* e = s->elastic->effector;
  lb_motion by_rate[6];
  for (int a = 0; a < 6; a++) {
    by_rate[a] = e->at.rate[a];
    for (int b = 0; b < 6; b++) {
      by_rate[a] = lb_motion_add(by_rate[a], lb_motion_scale(xid[b], e->at.T[a][b]));
    }
  }
  for (int k = 0; k < count(s); k++) {
    const lb_motion d = combine_column(s, curved(s)->Jd, k);
    const lb_motion more = combine_column(s, curved(s)->Jdd, k);
    const lb_motion turn = lb_motion_add(along(more, e->at.S), along(d, by_rate));
    rate[k] = lb_motion_add(rate[k], lb_motion_turn(s->R, along(d, e->at.S)));
    curve[k] = lb_motion_add(curve[k], lb_motion_turn(s->R, turn));
  }
}

// sum of xi'', c included: rates and Jacobians of a curved body are for the velocities asked about.
static void accelerate_chart(const lb_state* s, double* xidd, const double* qd, const double* qdd) {
  combine(s, xidd, qdd);
  if (s->elastic->effector->own) {
    double bias[6];
    lb_curved_move(curved(s), qd);
    lb_curved_bend(curved(s), s->elastic->base->elastic->eta, qd, qdd);
    store(bias, combine_amplitudes(s, curved(s)->bias));
    for (int a = 0; a < 6; a++) {
      xidd[a] += bias[a];
    }
  }
}

// T is kept for bend_force.
static void bend(lb_motion* rate, lb_motion* curve, const lb_state* s, const double* qd,
                 const double* qdd) {
  struct lb_effector* e = s->elastic->effector;
  double xid[6], xidd[6];
  lb_motion bent[6];
  combine(s, xid, qd);
  accelerate_chart(s, xidd, qd, qdd);
  lb_chart_twist(&e->at, e->c, e->xi, xid, LB_CHART_BEND);
  for (int b = 0; b < 6; b++) {
    bent[b] = e->at.curve[b];
    for (int a = 0; a < 6; a++) {
      bent[b] = lb_motion_add(bent[b], lb_motion_scale(xidd[a], e->at.T[a][b]));
    }
  }
  for (int k = 0; k < count(s); k++) {
    rate[k] = lb_motion_turn(s->R, along(e->twist[k], e->at.rate));
    curve[k] = lb_motion_turn(s->R, along(e->twist[k], bent));
  }
  if (e->own) {
    bend_curved(rate, curve, s, xid);
  }
}

static double entry(lb_motion twist, const double* g) {
  return lb_v4_dot(twist.w, lb_v4_load(g)) + lb_v4_dot(twist.v, lb_v4_load(g + 3));
}

// K += sum of X''_a S_a.(n, f)
static void bend_force_curved(double* K, int stride, const lb_state* s, lb_motion F) {
  const struct lb_effector* e = s->elastic->effector;
  lb_curved_state* c = curved(s);
  for (int i = 0; i < c->of->n; i++) {
    c->Q[i] = lb_motion_dot(along(s->elastic->face->twist[i], e->at.S), F);
  }
  lb_curved_bend_force(c, c->Q, K, stride);
}

// K += twist'G twist, G_ab = T_ab.(n, f)
static void bend_force(double* K, int stride, const lb_state* s, lb_v4 n, lb_v4 f) {
  const struct lb_effector* e = s->elastic->effector;
  const lb_motion* twist = e->twist;
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
  if (e->own) {
    bend_force_curved(K, stride, s, F);
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

struct lb_effector* lb_effector_lay_out(lb_carver* c, const lb_reduced* body) {
  const size_t r = (size_t)body->r;
  struct lb_effector* e = lb_carve(c, 1, sizeof *e);
  lb_motion* S = lb_carve(c, r, sizeof *S);
  lb_motion* own = lb_carve(c, body->curved ? r : 0, sizeof *own);
  if (e) {
    e->S = S;
    e->own = body->curved ? own : NULL;
  }
  return e;
}
