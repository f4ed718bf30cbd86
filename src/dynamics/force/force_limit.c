// Limits of joints. Beyond a limit by x > 0, going on at the rate v, a joint is pushed back by
//
//   (1)  max(0, k x + d v r(x)),   r = 3 t^2 - 2 t^3, t = min(1, x/w)
//
// The damper comes in over the first w, so that the force has no jump at the limit, and never
// pulls. Where it may pull (`pulls`), there is no maximum: what returns is held back. With w = 0 it
// comes in with a jump.
//
// Coordinates that are numbers are limited themselves. Rotations that are quaternions are limited
// in swing and twist, Q = swing times twist: the child's axis a swings away from where the parent
// has it, by s, and the child twists about it, by t. With u = Q'a, the parent's axis seen from the
// child, and q = (w, v) the quaternion,
//
//   (2)  s = atan2(|u x a|, a.u),   t = 2 atan2(v.a, w)
//
// Turning along w_r changes u by u x w_r, and from that and (2)
//
//   (3)  ds = n.w_r, n = (u x a)/|u x a|,   dt = g.w_r, g = (a + u)/(1 + a.u)
//   (4)  dn = (1 - n n') ((a.u) 1 - u a') w_r / |u x a|
//   (5)  dg = (u x w_r - g (a x u).w_r)/(1 + a.u)
//
// (for g: with |q| = 1, u = (w^2 - |v|^2) a + 2 (v.a) v + 2 w a x v, so a + u = 2 (w^2 a + (v.a) v
// + w a x v) and 1 + a.u = 2 (w^2 + (v.a)^2)). The first setting of the joint is the swing's, the
// second the twist's. Where the axis points back, a.u = -1, twist has no meaning and swing no
// direction: nothing acts there.
//
// A free joint's place p has limits along the parent's axes e, while its velocity is counted along
// the child's: p.e changes along n = Q'e, and n by n x w_r. The last three settings are theirs.
#include <math.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_resistance.h"
#include "dynamics/joint/joint.h"

enum { SWING, TWIST, SHIFT = 3 }; // settings of rotations that are quaternions, and of places

// The force (1), with its derivatives by x and v, and the stiffness in it.
typedef struct push {
  double force, by_x, by_v;
  double stiffness; // k beyond the limit
} push;

// A limited quantity: where it is, the direction n in which it is measured, and how n changes with
// the angular velocity w_r, N by columns.
typedef struct bound {
  int v;          // of its settings
  int at, n;      // velocities that it is along, 1 or 3
  int turn;       // w_r
  double value;   // coordinate, swing, twist or place
  double x, side; // violation and its side; side 0: within
  double rate;    // of the value
  lb_v4 along;    // n
  lb_m3 along_by; // N
  push push;
} bound;

// r of (1), and its slope.
static double damped_share(double w, double x, double* slope) {
  const double t = x < w ? x / w : 1;
  *slope = t < 1 ? 6 * t * (1 - t) / w : 0;
  return t * t * (3 - 2 * t);
}

static push find_push(const lb_model* m, int k, double x, double v) {
  const double stiffness = m->dof.limit_stiffness[k], damping = m->dof.limit_damping[k];
  double slope;
  const double r = damped_share(m->dof.limit_transition[k], x, &slope);
  const double force = stiffness * x + damping * v * r;
  if (!(force > 0) && !m->dof.limit_pulls[k]) {
    return (push){0};
  }
  return (push){force, stiffness + damping * v * slope, damping * r, stiffness};
}

// --- directions ---

static void aim_swing(bound* b, lb_v4 a, lb_v4 u) {
  const lb_v4 across = lb_v4_cross(u, a);
  const double size = sqrt(lb_v4_dot(across, across)), along = lb_v4_dot(a, u);
  b->along = across / size;
  b->along_by = (lb_m3){{along, 0, 0, 0}, {0, along, 0, 0}, {0, 0, along, 0}};
  lb_m3_add_outer(&b->along_by, -1, u, a);
  lb_m3_add_outer(&b->along_by, -1, b->along, lb_m3_apply_transposed(b->along_by, b->along));
  b->along_by = (lb_m3){b->along_by.x / size, b->along_by.y / size, b->along_by.z / size};
}

static void aim_twist(bound* b, lb_v4 a, lb_v4 u) {
  const double all = 1 + lb_v4_dot(a, u);
  b->along = (a + u) / all;
  b->along_by = lb_m3_cross_mul(u, lb_m3_identity());
  lb_m3_add_outer(&b->along_by, -1, b->along, lb_v4_cross(a, u));
  b->along_by = (lb_m3){b->along_by.x / all, b->along_by.y / all, b->along_by.z / all};
}

// Violation of the range by a value.
static void measure(const lb_model* m, bound* b, double value) {
  const double x = fmax(0, value - m->dof.upper[b->v]) + fmin(0, value - m->dof.lower[b->v]);
  b->value = value;
  b->side = x > 0 ? 1 : x < 0 ? -1 : 0;
  b->x = fabs(x);
}

static void find_turn(const lb_model* m, bound* b, int link, bool swing, lb_quat Q) {
  static const double BACK = 1e-12; // that near to pointing back
  const lb_v4 a = lb_v4_from(m->link.axis[link]);
  const lb_v4 u = lb_m3_apply_transposed(lb_m3_rotation(Q), a);
  const lb_v4 across = lb_v4_cross(u, a);
  const double twist = lb_v4_dot(a, lb_v4_make(Q.x, Q.y, Q.z)) * (Q.w < 0 ? -1 : 1);
  b->n = 3;
  b->at = m->link.v[link];
  if (1 + lb_v4_dot(a, u) < BACK) {
    return;
  }
  measure(m, b,
          swing ? atan2(sqrt(lb_v4_dot(across, across)), lb_v4_dot(a, u))
                : 2 * atan2(twist, fabs(Q.w)));
  if (b->side != 0) {
    (swing ? aim_swing : aim_twist)(b, a, u);
  }
}

static void find_shift(const lb_model* m, bound* b, int link, int axis, const double* q,
                       lb_quat Q) {
  const lb_m3 R = lb_m3_transpose(lb_m3_rotation(Q));
  b->n = 3;
  b->at = m->link.v[link] + SHIFT;
  measure(m, b, q[axis]);
  b->along = axis == 0 ? R.x : axis == 1 ? R.y : R.z;
  b->along_by = lb_m3_cross_mul(b->along, lb_m3_identity());
}

static bound find(const lb_model* m, const lb_data* d, int link, int k) {
  const double* q = d->q + m->link.q[link];
  bound b;
  b.v = m->link.v[link] + k;
  b.turn = m->link.v[link];
  b.value = b.x = b.side = b.rate = 0;
  b.push = (push){0};
  if (lb_joint_together(m, link) == 1) {
    b.n = 1;
    b.at = b.v;
    b.along = lb_v4_make(1, 0, 0);
    measure(m, &b, q[k]);
    b.rate = d->qd[b.v];
  } else { // the quaternion comes last
    const double* turn = q + m->link.nv[link] - 3;
    const lb_quat Q = {turn[0], turn[1], turn[2], turn[3]};
    if (k < SHIFT) {
      find_turn(m, &b, link, k == SWING, Q);
    } else {
      find_shift(m, &b, link, k - SHIFT, q, Q);
    }
    b.rate = b.side != 0 ? lb_v4_dot(b.along, lb_v4_load(d->qd + b.at)) : 0;
  }
  b.push = b.side != 0 ? find_push(m, b.v, b.x, b.side * b.rate) : b.push;
  return b;
}

// --- all of them ---

// A walk over the limits of all links.
typedef struct walk {
  int link, k;
} walk;

// The next limit; false: there is none.
static bool next(const lb_model* m, walk* w) {
  for (w->k++; w->link < m->nlink; w->link++, w->k = 0) {
    const int nv = m->link.packed[w->link].reduced ? 0 : m->link.nv[w->link];
    for (; w->k < nv; w->k++) {
      if (m->dof.limit_stiffness[m->link.v[w->link] + w->k] > 0 &&
          (w->k != TWIST + 1 || lb_joint_together(m, w->link) == 1)) {
        return true;
      }
    }
  }
  return false;
}

static int count(const lb_model* m) {
  return m->dof.nlimit;
}

static void apply(const lb_model* m, lb_data* d) {
  for (walk w = {0, -1}; next(m, &w);) {
    const bound b = find(m, d, w.link, w.k);
    for (int k = 0; k < b.n && b.side != 0; k++) {
      d->work->tau[b.at + k] -= b.side * b.push.force * b.along[k];
    }
  }
}

static double energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (walk w = {0, -1}; next(m, &w);) {
    const bound b = find(m, d, w.link, w.k);
    sum += 0.5 * m->dof.limit_stiffness[b.v] * b.x * b.x;
  }
  return sum;
}

static bool is_limited(const lb_model* m, int v) {
  return m->dof.limit_stiffness[v] > 0;
}

static void measure_limits(lb_channel_walk* w) {
  lb_channel_put_joints(w, &lb_force_limit, "limit", is_limited);
}

// The quantity itself, and beyond the limit the force of one that never pulls.
static void bound_switching(const lb_model* m, const bound* b, lb_switching out[2]) {
  const int k = b->v;
  const double w = m->dof.limit_damping[k] > 0 ? m->dof.limit_transition[k] : 0;
  const double kink[4] = {m->dof.lower[k] - w, m->dof.lower[k], m->dof.upper[k],
                          m->dof.upper[k] + w};
  double slope;
  out[0] = lb_switching_smooth(b->value);
  out[1] = lb_switching_smooth(0);
  for (int i = 0; i < 4; i++) {
    lb_switching_kink(&out[0], kink[i]);
  }
  if (b->side != 0 && !m->dof.limit_pulls[k]) {
    const double r = damped_share(w, b->x, &slope);
    out[1] = lb_switching_sign(m->dof.limit_stiffness[k] * b->x +
                               m->dof.limit_damping[k] * b->side * b->rate * r);
  }
}

static int switching(const lb_model* m, lb_data* d, lb_switching* out) {
  int n = 0;
  for (walk w = {0, -1}; next(m, &w); n += 2) {
    if (out) {
      const bound b = find(m, d, w.link, w.k);
      bound_switching(m, &b, out + n);
    }
  }
  return n;
}

// --- derivatives ---

// s a b' of n velocities by as many, from these on, added to K of all.
static void add_outer(double* K, int nv, int row, int from, int n, double s, lb_v4 a, lb_v4 b) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      K[(row + i) * nv + from + k] += s * a[i] * b[k];
    }
  }
}

// Beyond the spring and damper along n: of side f(x, v) n, with dv = side w_r'N'u, where u are the
// velocities that n is along, f_v n (N'u)' + side f N by w_r.
static void add_turning(double* K, int nv, const bound* b, const double* qd) {
  const lb_v4 by = lb_m3_apply_transposed(b->along_by, lb_v4_load(qd + b->at));
  add_outer(K, nv, b->at, b->turn, 3, b->push.by_v, b->along, by);
  lb_m3_add_to(K + b->at * nv + b->turn, nv, b->side * b->push.force, b->along_by);
}

// The symmetric part is the spring along n, and the damper as far as it has come in.
static void add_slopes(const lb_model* m, const lb_data* d, double weight, bool symmetric,
                       double* by_q, double* by_qd) {
  for (walk w = {0, -1}; next(m, &w);) {
    const bound b = find(m, d, w.link, w.k);
    const double stiffness = symmetric ? b.push.stiffness : b.push.by_x;
    if (b.side != 0) {
      add_outer(by_q, m->nv, b.at, b.at, b.n, weight * stiffness, b.along, b.along);
      add_outer(by_qd, m->nv, b.at, b.at, b.n, b.push.by_v, b.along, b.along);
    }
    if (b.side != 0 && b.n == 3 && !symmetric) {
      add_turning(by_q, m->nv, &b, d->qd);
    }
  }
}

static void differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  add_slopes(D->model, d, 1, symmetric, D->tau_q, D->tau_qd);
}

void lb_limits_stiffen(const lb_model* m, const lb_data* d, double* W, double dt) {
  add_slopes(m, d, dt, true, W, W);
}

void lb_limits_diagonals(const lb_model* m, const lb_data* d, double* K, double* C) {
  for (walk w = {0, -1}; next(m, &w);) {
    const bound b = find(m, d, w.link, w.k);
    K[b.v] += b.push.stiffness;
    C[b.v] += b.push.by_v;
  }
}

const lb_force lb_force_limit = {.name = "joint limit",
                                 .count = count,
                                 .apply = apply,
                                 .energy = energy,
                                 .differentiate = differentiate,
                                 .switching = switching,
                                 .measure = measure_limits,
                                 .stiff = true,
                                 .on_joints = true};
