// With a quaternion q and a rotation vector t in the link's frame: a turn is dq = q (0, t) / 2, and
// t = 2 (q^-1 dq), its vector part. The transpose of a product with a quaternion from one side is
// the product with its conjugate. A free body's place changes by R s, s in the link's frame.
#include "solve/explicit/explicit_changes.h"

#include "dynamics/joint/joint.h"
#include "math/space/se3.h"
#include "model/use/link.h"

// --- quaternions ---

static lb_quat load(const double* q) {
  return (lb_quat){q[0], q[1], q[2], q[3]};
}

static lb_vec3 load3(const double* x) {
  return lb_vec3_make(x[0], x[1], x[2]);
}

static void add(double* to, lb_quat x, double s) {
  to[0] += s * x.w;
  to[1] += s * x.x;
  to[2] += s * x.y;
  to[3] += s * x.z;
}

static void add3(double* to, lb_vec3 x, double s) {
  to[0] += s * x.x;
  to[1] += s * x.y;
  to[2] += s * x.z;
}

static lb_quat pure(lb_vec3 v) {
  return (lb_quat){0, v.x, v.y, v.z};
}

static lb_vec3 vector(lb_quat q) {
  return lb_vec3_make(q.x, q.y, q.z);
}

static double square(lb_quat q) {
  return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}

// t of dq, and its transpose.
static lb_vec3 turn_of(lb_quat q, lb_quat dq) {
  return lb_vec3_scale(2 / square(q), vector(lb_quat_mul(lb_quat_conjugate(q), dq)));
}
static lb_quat turn_back(lb_quat q, lb_vec3 t) {
  return lb_quat_mul(q, pure(lb_vec3_scale(2 / square(q), t)));
}

// --- joints ---

// Where a joint's quaternion is among its coordinates, or -1: they are numbers. A free body has its
// place before it, and its place's velocity after the turns.
static int quaternion_at(const lb_model* m, int i) {
  return m->link_kind[i] == LB_JOINT_SPHERICAL ? 0 : m->link_kind[i] == LB_JOINT_FREE ? 3 : -1;
}

static lb_mat3 rotation(const double* q) {
  return lb_quat_matrix(load(q + 3));
}

typedef struct part { // one link's share
  int q, v, n;
  int turn; // quaternion_at
} part;

static part part_of(const lb_model* m, int i) {
  const int n = lb_link_is_face(m->link_kind[i]) ? 0 : m->link_nv[i]; // a face has its body's
  return (part){m->link_q[i], m->link_v[i], n, quaternion_at(m, i)};
}

// Free particles come last, and their coordinates are numbers: y += s x of theirs, from `x` on to
// `y`.
static void add_nodes(const lb_model* m, double* y, double s, const double* x) {
  for (int k = 0; k < 3 * m->nfree; k++) {
    y[k] += s * x[k];
  }
}
static void set_nodes(const lb_model* m, double* y, const double* x) {
  for (int k = 0; k < 3 * m->nfree; k++) {
    y[k] = x[k];
  }
}
static int particles_q(const lb_model* m) {
  return m->nq - 3 * m->nfree;
}
static int particles_v(const lb_model* m) {
  return m->nv - 3 * m->nfree;
}

void lb_changes_lift(const lb_model* m, const double* q, double* dq, const double* xi) {
  for (int i = 0; i < m->nlink; i++) {
    const part p = part_of(m, i);
    double* to = dq + p.q;
    for (int k = 0; k < p.n && p.turn < 0; k++) {
      to[k] = xi[p.v + k];
    }
    if (p.turn >= 0) {
      for (int k = 0; k < p.turn + 4; k++) {
        to[k] = 0;
      }
      add(to + p.turn, lb_quat_mul(load(q + p.q + p.turn), pure(load3(xi + p.v))), 0.5);
    }
    if (p.turn > 0) {
      add3(to, lb_mat3_apply(rotation(q + p.q), load3(xi + p.v + 3)), 1);
    }
  }
  set_nodes(m, dq + particles_q(m), xi + particles_v(m));
}

void lb_changes_lift_back(const lb_model* m, const double* q, double* xi, const double* dq) {
  for (int i = 0; i < m->nlink; i++) {
    const part p = part_of(m, i);
    for (int k = 0; k < p.n && p.turn < 0; k++) {
      xi[p.v + k] += dq[p.q + k];
    }
    if (p.turn >= 0) {
      const lb_quat r = lb_quat_conjugate(load(q + p.q + p.turn));
      add3(xi + p.v, vector(lb_quat_mul(r, load(dq + p.q + p.turn))), 0.5);
    }
    if (p.turn > 0) {
      const lb_mat3 Rt = lb_mat3_transpose(rotation(q + p.q));
      add3(xi + p.v + 3, lb_mat3_apply(Rt, load3(dq + p.q)), 1);
    }
  }
  add_nodes(m, xi + particles_v(m), 1, dq + particles_q(m));
}

void lb_changes_settle(const lb_model* m, const double* q, double* xi, const double* dq) {
  for (int i = 0; i < m->nlink; i++) {
    const part p = part_of(m, i);
    for (int k = 0; k < p.n; k++) {
      xi[p.v + k] = p.turn < 0 ? dq[p.q + k] : 0;
    }
    if (p.turn >= 0) {
      add3(xi + p.v, turn_of(load(q + p.q + p.turn), load(dq + p.q + p.turn)), 1);
    }
    if (p.turn > 0) {
      const lb_mat3 Rt = lb_mat3_transpose(rotation(q + p.q));
      add3(xi + p.v + 3, lb_mat3_apply(Rt, load3(dq + p.q)), 1);
    }
  }
  set_nodes(m, xi + particles_v(m), dq + particles_q(m));
}

void lb_changes_settle_back(const lb_model* m, const double* q, double* dq, const double* xi) {
  for (int i = 0; i < m->nlink; i++) {
    const part p = part_of(m, i);
    for (int k = 0; k < p.n && p.turn < 0; k++) {
      dq[p.q + k] += xi[p.v + k];
    }
    if (p.turn >= 0) {
      add(dq + p.q + p.turn, turn_back(load(q + p.q + p.turn), load3(xi + p.v)), 1);
    }
    if (p.turn > 0) {
      add3(dq + p.q, lb_mat3_apply(rotation(q + p.q), load3(xi + p.v + 3)), 1);
    }
  }
  add_nodes(m, dq + particles_q(m), 1, xi + particles_v(m));
}

// d(q (0, w) / 2) and, of a free body, d(R v) = R (t x v + dv).
void lb_changes_rate(const lb_model* m, const double* q, const double* v, double* out,
                     const double* dq, const double* dv) {
  for (int i = 0; i < m->nlink; i++) {
    const part p = part_of(m, i);
    const double *w = v + p.v, *dw = dv + p.v;
    double* to = out + p.q;
    for (int k = 0; k < p.n && p.turn < 0; k++) {
      to[k] = dw[k];
    }
    if (p.turn < 0) {
      continue;
    }
    const lb_quat r = load(q + p.q + p.turn), dr = load(dq + p.q + p.turn);
    for (int k = 0; k < p.turn + 4; k++) {
      to[k] = 0;
    }
    add(to + p.turn, lb_quat_mul(dr, pure(load3(w))), 0.5);
    add(to + p.turn, lb_quat_mul(r, pure(load3(dw))), 0.5);
    if (p.turn > 0) {
      const lb_vec3 turned = lb_vec3_cross(turn_of(r, dr), load3(w + 3));
      add3(to, lb_mat3_apply(rotation(q + p.q), lb_vec3_add(turned, load3(dw + 3))), 1);
    }
  }
  set_nodes(m, out + particles_q(m), dv + particles_v(m));
}

void lb_changes_rate_back(const lb_model* m, const double* q, const double* v, double* dq,
                          double* dv, const double* by) {
  for (int i = 0; i < m->nlink; i++) {
    const part p = part_of(m, i);
    const double* w = v + p.v;
    for (int k = 0; k < p.n && p.turn < 0; k++) {
      dv[p.v + k] += by[p.q + k];
    }
    if (p.turn < 0) {
      continue;
    }
    const lb_quat r = load(q + p.q + p.turn), b = load(by + p.q + p.turn);
    add(dq + p.q + p.turn, lb_quat_mul(b, pure(load3(w))), -0.5);
    add3(dv + p.v, vector(lb_quat_mul(lb_quat_conjugate(r), b)), 0.5);
    if (p.turn > 0) {
      const lb_mat3 Rt = lb_mat3_transpose(rotation(q + p.q));
      const lb_vec3 u = lb_mat3_apply(Rt, load3(by + p.q));
      add3(dv + p.v + 3, u, 1);
      add(dq + p.q + p.turn, turn_back(r, lb_vec3_cross(load3(w + 3), u)), 1);
    }
  }
  add_nodes(m, dv + particles_v(m), 1, by + particles_q(m));
}

// --- Euler's ---

// q exp(h w): seen from its end a turn before it is turned back by the step, and a change of w
// turns by h Jr(h w) dw. The place goes along R v, R before the step.
typedef struct stride {
  lb_mat3 back, along;
} stride;

static stride stride_of(const double* w, double h) {
  const lb_vec3 step = lb_vec3_scale(h, load3(w));
  return (stride){lb_mat3_transpose(lb_quat_matrix(lb_quat_exp(step))),
                  lb_so3_jacobian(LB_RIGHT, step)};
}

void lb_changes_advance(const lb_model* m, const double* v, double h, double* out, const double* xi,
                        const double* dv) {
  for (int i = 0; i < m->nlink; i++) {
    const part p = part_of(m, i);
    const double *t = xi + p.v, *w = v + p.v, *dw = dv + p.v;
    double* to = out + p.v;
    for (int k = 0; k < p.n; k++) {
      to[k] = p.turn < 0 ? t[k] + h * dw[k] : 0;
    }
    if (p.turn < 0) {
      continue;
    }
    const stride s = stride_of(w, h);
    add3(to, lb_mat3_apply(s.back, load3(t)), 1);
    add3(to, lb_mat3_apply(s.along, load3(dw)), h);
    if (p.turn > 0) {
      const lb_vec3 turned = lb_vec3_cross(load3(t), load3(w + 3));
      add3(to + 3, lb_mat3_apply(s.back, load3(t + 3)), 1);
      add3(to + 3, lb_mat3_apply(s.back, lb_vec3_add(turned, load3(dw + 3))), h);
    }
  }
  set_nodes(m, out + particles_v(m), xi + particles_v(m));
  add_nodes(m, out + particles_v(m), h, dv + particles_v(m));
}

void lb_changes_advance_back(const lb_model* m, const double* v, double h, double* xi, double* dv,
                             const double* by) {
  for (int i = 0; i < m->nlink; i++) {
    const part p = part_of(m, i);
    const double *b = by + p.v, *w = v + p.v;
    for (int k = 0; k < p.n && p.turn < 0; k++) {
      xi[p.v + k] += b[k];
      dv[p.v + k] += h * b[k];
    }
    if (p.turn < 0) {
      continue;
    }
    const stride s = stride_of(w, h);
    const lb_mat3 on = lb_mat3_transpose(s.back);
    add3(xi + p.v, lb_mat3_apply(on, load3(b)), 1);
    add3(dv + p.v, lb_mat3_apply(lb_mat3_transpose(s.along), load3(b)), h);
    if (p.turn > 0) {
      const lb_vec3 u = lb_mat3_apply(on, load3(b + 3));
      add3(xi + p.v + 3, u, 1);
      add3(dv + p.v + 3, u, h);
      add3(xi + p.v, lb_vec3_cross(load3(w + 3), u), h);
    }
  }
  add_nodes(m, xi + particles_v(m), 1, by + particles_v(m));
  add_nodes(m, dv + particles_v(m), h, by + particles_v(m));
}
