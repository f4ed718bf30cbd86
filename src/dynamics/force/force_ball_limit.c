// Limits of joints whose rotation is a quaternion: balls and free joints. Q = swing times twist:
// the child's axis a swings away from where the parent has it, by s, and the child twists about it,
// by t. With u = Q'a, the parent's axis seen from the child, and q = (w, v) the quaternion,
//
//   (1)  s = atan2(|u x a|, a.u),   t = 2 atan2(v.a, w)
//
// Turning along w_r changes u by u x w_r, and from that and (1)
//
//   (2)  ds = n.w_r, n = (u x a)/|u x a|,   dt = g.w_r, g = (a + u)/(1 + a.u)
//   (3)  dn = (1 - n n') ((a.u) 1 - u a') w_r / |u x a|
//   (4)  dg = (u x w_r - g (a x u).w_r)/(1 + a.u)
//
// (for g: with |q| = 1, u = (w^2 - |v|^2) a + 2 (v.a) v + 2 w a x v, so a + u = 2 (w^2 a + (v.a) v
// + w a x v) and 1 + a.u = 2 (w^2 + (v.a)^2)). Both are pushed back as numbers are
// (force_resistance.c). The first setting of the joint is the swing's, the second the twist's.
// Where the axis points back, a.u = -1, twist has no meaning and swing no direction: nothing acts
// there.
//
// A free joint's place p has limits along the parent's axes e, while its velocity is counted along
// the child's: p.e changes along n = Q'e, and n by n x w_r. The last three settings are theirs.
#include <math.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_resistance.h"

enum { SWING, TWIST, SHIFT, SORTS = SHIFT + 3 };

// One limit that is passed: how far, to which side, the direction n in which it is measured, and
// how that changes with w_r, N by columns.
typedef struct bound {
  int v;        // of its settings
  int at;       // of the velocities that n is along, from the joint's first on
  double value; // swing, twist or place
  double beyond, side;
  lb_v4 n;
  lb_m3 N;
  lb_limit_force push;
} bound;

// The setting of a sort, among those of the joint.
static int setting(int sort) {
  return sort < SHIFT ? sort : 3 + sort - SHIFT;
}

static bool has_limit(const lb_model* m, int link, int sort) {
  const int kind = m->link_kind[link];
  return (kind == LB_JOINT_FREE || (kind == LB_JOINT_SPHERICAL && sort < SHIFT)) &&
         m->limit_stiffness[m->link_v[link] + setting(sort)] > 0;
}

static int count(const lb_model* m) {
  int sum = 0;
  for (int i = 0; i < m->nlink && m->nlimit > 0; i++) {
    sum += has_limit(m, i, SWING) || has_limit(m, i, SHIFT);
  }
  return sum;
}

static void aim_swing(bound* b, lb_v4 a, lb_v4 u) {
  const lb_v4 across = lb_v4_cross(u, a);
  const double size = sqrt(lb_v4_dot(across, across)), along = lb_v4_dot(a, u);
  b->n = across / size;
  b->N = (lb_m3){{along, 0, 0, 0}, {0, along, 0, 0}, {0, 0, along, 0}};
  lb_m3_add_outer(&b->N, -1, u, a);
  lb_m3_add_outer(&b->N, -1, b->n, lb_m3_apply_transposed(b->N, b->n));
  b->N = (lb_m3){b->N.x / size, b->N.y / size, b->N.z / size};
}

static void aim_twist(bound* b, lb_v4 a, lb_v4 u) {
  const double all = 1 + lb_v4_dot(a, u);
  b->n = (a + u) / all;
  b->N = lb_m3_cross_mul(u, lb_m3_identity());
  lb_m3_add_outer(&b->N, -1, b->n, lb_v4_cross(a, u));
  b->N = (lb_m3){b->N.x / all, b->N.y / all, b->N.z / all};
}

// A bound of which the direction is still to be told: where it is, against its range.
static bound measure(const lb_model* m, int link, int sort, double at) {
  bound b = {.v = m->link_v[link] + setting(sort), .at = sort < SHIFT ? 0 : 3, .value = at};
  const double x = fmax(0, at - m->upper[b.v]) + fmin(0, at - m->lower[b.v]);
  b.side = x > 0 ? 1 : x < 0 ? -1 : 0;
  b.beyond = fabs(x);
  return b;
}

// How far the swing or twist is beyond its range, and to which side.
static bound find_turn(const lb_model* m, int link, int sort, lb_quat Q) {
  static const double BACK = 1e-12; // that near to pointing back
  const lb_v4 a = lb_v4_from(m->link_axis[link]);
  const lb_v4 u = lb_m3_apply_transposed(lb_m3_from(lb_quat_matrix(Q)), a);
  const lb_v4 across = lb_v4_cross(u, a);
  if (1 + lb_v4_dot(a, u) < BACK) {
    return (bound){.v = m->link_v[link] + setting(sort)};
  }
  const double along = lb_v4_dot(a, lb_v4_make(Q.x, Q.y, Q.z)) * (Q.w < 0 ? -1 : 1);
  bound b = measure(m, link, sort,
                    sort == SWING ? atan2(sqrt(lb_v4_dot(across, across)), lb_v4_dot(a, u))
                                  : 2 * atan2(along, fabs(Q.w)));
  if (b.side != 0) {
    (sort == SWING ? aim_swing : aim_twist)(&b, a, u);
  }
  return b;
}

static bound find_shift(const lb_model* m, int link, int sort, const double* q, lb_quat Q) {
  const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int k = sort - SHIFT;
  bound b = measure(m, link, sort, q[k]);
  b.n = lb_m3_apply_transposed(lb_m3_from(lb_quat_matrix(Q)), lb_v4_load(axis[k]));
  b.N = lb_m3_cross_mul(b.n, lb_m3_identity());
  return b;
}

static bound find(const lb_model* m, const lb_data* d, int link, int sort) {
  const double *q = d->q + m->link_q[link], *qd = d->qd + m->link_v[link];
  const double* turn = m->link_kind[link] == LB_JOINT_FREE ? q + 3 : q;
  const lb_quat Q = {turn[0], turn[1], turn[2], turn[3]};
  bound b = sort < SHIFT ? find_turn(m, link, sort, Q) : find_shift(m, link, sort, q, Q);
  if (b.side != 0) {
    b.push = lb_limit_force_of(m, b.v, b.beyond, b.side * lb_v4_dot(b.n, lb_v4_load(qd + b.at)));
  }
  return b;
}

// Does something with every limit that is passed; `link_v` is the first velocity of its joint.
typedef void (*visit)(const bound* b, int link_v, void* context);

static void visit_all(const lb_model* m, const lb_data* d, visit f, void* context) {
  for (int i = 0; i < m->nlink; i++) {
    for (int sort = 0; sort < SORTS; sort++) {
      const bound b = has_limit(m, i, sort) ? find(m, d, i, sort) : (bound){0};
      if (b.side != 0) {
        f(&b, m->link_v[i], context);
      }
    }
  }
}

// --- force and energy ---

static void push(const bound* b, int v, void* tau) {
  lb_v4_add_to((double*)tau + v + b->at, b->n * (-b->side * b->push.force));
}

static void apply(const lb_model* m, lb_data* d) {
  visit_all(m, d, push, d->work->tau);
}

typedef struct sum {
  const lb_model* m;
  double energy;
} sum;

static void add_energy(const bound* b, int v, void* context) {
  sum* s = context;
  (void)v;
  s->energy += 0.5 * s->m->limit_stiffness[b->v] * b->beyond * b->beyond;
}

static double energy(const lb_model* m, lb_data* d) {
  sum s = {m, 0};
  visit_all(m, d, add_energy, &s);
  return s.energy;
}

static int switching(const lb_model* m, lb_data* d, lb_switching* out) {
  int n = 0;
  for (int i = 0; i < m->nlink; i++) {
    for (int sort = 0; sort < SORTS; sort++) {
      if (has_limit(m, i, sort)) {
        if (out) {
          const bound b = find(m, d, i, sort);
          const double rate =
              b.side != 0 ? lb_v4_dot(b.n, lb_v4_load(d->qd + m->link_v[i] + b.at)) : 0;
          lb_limit_switching(m, b.v, b.value, rate, out + n);
        }
        n += LB_LIMIT_SWITCHING;
      }
    }
  }
  return n;
}

// --- derivatives ---

// A matrix of three velocities by three, from these on, added to one of all.
static void add_block(double* to, int nv, int row, int from, double scale, lb_m3 A) {
  const lb_v4 column[3] = {A.x, A.y, A.z};
  for (int k = 0; k < 9; k++) {
    to[(row + k / 3) * nv + from + k % 3] += scale * column[k % 3][k / 3];
  }
}

static lb_m3 outer(lb_v4 a, lb_v4 b) {
  lb_m3 A = {lb_v4_zero(), lb_v4_zero(), lb_v4_zero()};
  lb_m3_add_outer(&A, 1, a, b);
  return A;
}

typedef struct matrices {
  const lb_data* d;
  int nv;
  double *by_q, *by_qd;
  double weight; // of what goes to by_q
} matrices;

// Of side f(x, v) n, with dx = side n.y and dv = side w_r'N'u, where u are the velocities that n is
// along and y displacements along them: f_x n n' by these, f_v n (N'u)' + side f N by w_r.
static void add_slopes(const bound* b, int v, void* context) {
  const matrices* M = context;
  const int at = v + b->at;
  const lb_v4 along = lb_m3_apply_transposed(b->N, lb_v4_load(M->d->qd + at));
  add_block(M->by_q, M->nv, at, at, b->push.by_x, outer(b->n, b->n));
  add_block(M->by_q, M->nv, at, v, b->push.by_v, outer(b->n, along));
  add_block(M->by_q, M->nv, at, v, b->side * b->push.force, b->N);
  add_block(M->by_qd, M->nv, at, at, b->push.by_v, outer(b->n, b->n));
}

static void differentiate(lb_derivatives* D, lb_data* d) {
  matrices M = {.d = d, .nv = D->model->nv, .by_q = D->tau_q, .by_qd = D->tau_qd};
  visit_all(D->model, d, add_slopes, &M);
}

// The spring along n, and the damper as far as it has come in.
static void add_stiffness(const bound* b, int v, void* context) {
  const matrices* M = context;
  const int at = v + b->at;
  add_block(M->by_q, M->nv, at, at, M->weight * b->push.stiffness, outer(b->n, b->n));
  add_block(M->by_qd, M->nv, at, at, b->push.by_v, outer(b->n, b->n));
}

static void stiffen(lb_derivatives* D, lb_data* d) {
  matrices M = {.d = d, .nv = D->model->nv, .by_q = D->tau_q, .by_qd = D->tau_qd, .weight = 1};
  visit_all(D->model, d, add_stiffness, &M);
}

void lb_ball_limits_stiffen(const lb_model* m, const lb_data* d, double* W, double dt) {
  matrices M = {.d = d, .nv = m->nv, .by_q = W, .by_qd = W, .weight = dt};
  visit_all(m, d, add_stiffness, &M);
}

const lb_force lb_force_ball_limit = {.name = "limit of a ball or free joint",
                                      .count = count,
                                      .apply = apply,
                                      .energy = energy,
                                      .differentiate = differentiate,
                                      .switching = switching,
                                      .stiffen = stiffen};
