// The table of joints, and what several of them share.
#include "dynamics/joint.h"

#include <string.h>

#include "math/chart.h"

const lb_joint* const LB_JOINT[LB_LINK_COUNT] = {
    [LB_JOINT_REVOLUTE] = &lb_joint_revolute,
    [LB_JOINT_PRISMATIC] = &lb_joint_prismatic,
    [LB_JOINT_UNIVERSAL] = &lb_joint_universal,
    [LB_JOINT_SPHERICAL] = &lb_joint_spherical,
    [LB_JOINT_FREE] = &lb_joint_free,
    [LB_JOINT_PLANAR] = &lb_joint_general,
    [LB_JOINT_TRANSLATIONAL] = &lb_joint_general,
    [LB_JOINT_HELICAL] = &lb_joint_general,
    [LB_JOINT_EULER] = &lb_joint_general,
    [LB_JOINT_EXPONENTIAL] = &lb_joint_general,
    [LB_JOINT_FREE_2D] = &lb_joint_general,
    [LB_JOINT_FREE_3D] = &lb_joint_general,
    [LB_JOINT_CURVE] = &lb_joint_general,
    [LB_JOINT_SURFACE] = &lb_joint_general,
    [LB_JOINT_COMPOSITE] = &lb_joint_general,
    [LB_LINK_ELASTIC] = &lb_joint_elastic,
    [LB_LINK_FACE] = &lb_joint_face,
    [LB_LINK_FULL] = &lb_joint_full,
    [LB_LINK_FULL_FACE] = &lb_joint_full_face,
};

// --- springs ---

// Springs of elastic bodies are their internal forces, a law of their own.
static bool has_spring(const lb_model* m, int i) {
  return !m->link[i].reduced;
}

void lb_joint_spring(const lb_model* m, int i, double* tau, const double* q) {
  const lb_joint* joint = LB_JOINT[m->link_kind[i]];
  const int at = m->link_q[i], v = m->link_v[i];
  if (joint->spring) {
    if (m->stiffness[v] > 0) {
      joint->spring(tau + v, q + at, m->stiffness + v);
    }
    return;
  }
  for (int k = 0; k < m->link_nv[i] && has_spring(m, i); k++) {
    tau[v + k] -= m->stiffness[v + k] * (q[at + k] - m->rest[at + k]);
  }
}

double lb_joint_energy(const lb_model* m, int i, const double* q) {
  const lb_joint* joint = LB_JOINT[m->link_kind[i]];
  const int at = m->link_q[i], v = m->link_v[i];
  if (joint->energy) {
    return joint->energy(q + at, m->stiffness + v);
  }
  double sum = 0;
  for (int k = 0; k < m->link_nv[i] && has_spring(m, i); k++) {
    const double x = q[at + k] - m->rest[at + k];
    sum += 0.5 * m->stiffness[v + k] * x * x;
  }
  return sum;
}

void lb_joint_stiffen(const lb_model* m, int i, double* K, const double* q) {
  const lb_joint* joint = LB_JOINT[m->link_kind[i]];
  const size_t v = (size_t)m->link_v[i], nv = (size_t)m->nv;
  double* block = K + v * (nv + 1);
  if (joint->stiffen) {
    if (m->stiffness[v] > 0) {
      joint->stiffen(block, m->nv, q + m->link_q[i], m->stiffness + v);
    }
    return;
  }
  for (size_t k = 0; k < (size_t)m->link_nv[i] && has_spring(m, i); k++) {
    block[k * (nv + 1)] += m->stiffness[v + k];
  }
}

// --- quaternions ---

// d/dt q = 1/2 q (0, w). It is orthogonal to q, so that the exact flow keeps the length.
void lb_quat_rate(double* dq, const double* q, const double* w) {
  const lb_quat r = lb_quat_mul((lb_quat){q[0], q[1], q[2], q[3]},
                                (lb_quat){0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]});
  dq[0] = r.w;
  dq[1] = r.x;
  dq[2] = r.y;
  dq[3] = r.z;
}

void lb_quat_advance(double* q, const double* w, double h) {
  const lb_quat step = lb_quat_exp(lb_vec3_make(h * w[0], h * w[1], h * w[2]));
  const lb_quat r = lb_quat_normalise(lb_quat_mul((lb_quat){q[0], q[1], q[2], q[3]}, step));
  q[0] = r.w;
  q[1] = r.x;
  q[2] = r.y;
  q[3] = r.z;
}

// q - h/2 q (0, w) = from, so q = from (1, -h/2 w)^-1.
void lb_quat_reach(double* q, const double* from, const double* w, double h) {
  const lb_quat turn = {1, 0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
  const double size = 1 + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
  const lb_quat r = lb_quat_mul((lb_quat){from[0], from[1], from[2], from[3]}, turn);
  q[0] = r.w / size;
  q[1] = r.x / size;
  q[2] = r.y / size;
  q[3] = r.z / size;
}

// With t = (1, x), x = h/2 w, a small dx turns by 2 (t^-1 (0, dx)) = 2 (dx - x x dx) / |t|^2.
lb_m3 lb_quat_reach_by_rate(const double* w, double h) {
  const lb_v4 x = lb_v4_load(w) * (0.5 * h);
  const double s = h / (1 + lb_v4_dot(x, x));
  lb_m3 Q = lb_m3_cross_mul(x * -s, lb_m3_identity());
  Q.x[0] += s;
  Q.y[1] += s;
  Q.z[2] += s;
  return Q;
}

// Turning the past by d turns `from` by the vector part of a (0, d) with a = from^-1 past, and the
// quaternion reached, from t, by that seen through t.
lb_m3 lb_quat_reach_by_past(const double* from, const double* past, const double* w, double h) {
  const lb_quat f = {from[0], from[1], from[2], from[3]};
  const double size = f.w * f.w + f.x * f.x + f.y * f.y + f.z * f.z;
  const lb_quat a =
      lb_quat_mul(lb_quat_conjugate(f), (lb_quat){past[0], past[1], past[2], past[3]});
  const lb_v4 u = lb_v4_make(a.x, a.y, a.z) / size;
  lb_m3 turned = lb_m3_cross_mul(u, lb_m3_identity());
  turned.x[0] += a.w / size;
  turned.y[1] += a.w / size;
  turned.z[2] += a.w / size;
  const lb_m3 through =
      lb_m3_from(lb_quat_matrix((lb_quat){1, 0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]}));
  return lb_m3_mul(lb_m3_transpose(through), turned);
}

// --- all coordinates ---

// The first coordinate of free nodes; their velocities are its rates.
static int first_node_q(const lb_model* m) {
  return m->nq - 3 * m->nfree;
}
static int first_node_v(const lb_model* m) {
  return m->nv - 3 * m->nfree;
}

// A face has its body's coordinates.
static bool is_own(const lb_model* m, int i) {
  return !lb_link_is_face(m->link_kind[i]);
}

void lb_reach(const lb_model* m, double* q, const double* from, const double* qd, double h) {
  for (int i = 0; i < m->nlink; i++) {
    const int at = m->link_q[i];
    const int v = m->link_v[i];
    if (LB_JOINT[m->link_kind[i]]->reach) {
      LB_JOINT[m->link_kind[i]]->reach(q + at, from + at, qd + v, h);
      continue;
    }
    for (int k = 0; k < m->link_nv[i] && is_own(m, i); k++) {
      q[at + k] = from[at + k] + h * qd[v + k];
    }
  }
  for (int at = first_node_q(m), v = first_node_v(m); v < m->nv; at++, v++) {
    q[at] = from[at] + h * qd[v];
  }
}

void lb_advance(const lb_model* m, double* q, const double* qd, double h) {
  for (int i = 0; i < m->nlink; i++) {
    const int at = m->link_q[i];
    const int v = m->link_v[i];
    if (LB_JOINT[m->link_kind[i]]->advance) {
      LB_JOINT[m->link_kind[i]]->advance(q + at, qd + v, h);
      continue;
    }
    for (int k = 0; k < m->link_nv[i] && is_own(m, i); k++) {
      q[at + k] += h * qd[v + k];
    }
  }
  for (int at = first_node_q(m), v = first_node_v(m); v < m->nv; at++, v++) {
    q[at] += h * qd[v];
  }
}

void lb_rates(const lb_model* m, double* dq, const double* q, const double* qd) {
  for (int i = 0; i < m->nlink; i++) {
    const int at = m->link_q[i];
    const int v = m->link_v[i];
    if (LB_JOINT[m->link_kind[i]]->rate) {
      LB_JOINT[m->link_kind[i]]->rate(dq + at, q + at, qd + v);
    } else if (is_own(m, i)) {
      memcpy(dq + at, qd + v, (size_t)m->link_nv[i] * sizeof *dq);
    }
  }
  memcpy(dq + first_node_q(m), qd + first_node_v(m), 3 * (size_t)m->nfree * sizeof *dq);
}

void lb_normalise(const lb_model* m, double* q) {
  static const double still[LB_JOINT_MOST_V] = {0};
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_kind[i] == LB_JOINT_SPHERICAL || m->link_kind[i] == LB_JOINT_FREE) {
      LB_JOINT[m->link_kind[i]]->advance(q + m->link_q[i], still, 0);
    }
  }
}

bool lb_rechart(const lb_model* m, double* q, double* qd) {
  bool changed = false;
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link[i];
    changed |= l->chart && lb_chart_rechart(l->chart, q + l->q, qd + l->v);
  }
  return changed;
}
