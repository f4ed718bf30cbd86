// The table of joints, and what several of them share.
#include "dynamics/joint/joint.h"

#include <string.h>

#include "math/curve/chart.h"
#include "math/space/se3.h"

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

// --- springs, friction ---

int lb_joint_together(const lb_model* m, int i) {
  const int kind = m->link_kind[i];
  return kind == LB_JOINT_SPHERICAL || kind == LB_JOINT_FREE ? 3 : 1;
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

static lb_vec3 turn_from(const double* rest, const double* q) {
  const lb_quat r = {rest[0], rest[1], rest[2], rest[3]};
  return lb_quat_log(lb_quat_mul(lb_quat_conjugate(r), (lb_quat){q[0], q[1], q[2], q[3]}));
}

void lb_quat_stretch(double* x, const double* q, const double* rest) {
  lb_v4_store(x, lb_v4_from(turn_from(rest, q)));
}

// log(r'q exp(d)) = log r'q + Jr^-1(log r'q) d
void lb_quat_stretch_by(double* X, int stride, const double* q, const double* rest) {
  const lb_m3 J = lb_m3_from(lb_so3_jacobian(LB_RIGHT_INVERSE, turn_from(rest, q)));
  const lb_v4 column[3] = {J.x, J.y, J.z};
  for (int k = 0; k < 9; k++) {
    X[k / 3 * stride + k % 3] = column[k % 3][k / 3];
  }
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

// The first coordinate of free particles; their velocities are its rates.
static int first_particle_q(const lb_model* m) {
  return m->nq - 3 * m->nfree;
}
static int first_particle_v(const lb_model* m) {
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
  for (int at = first_particle_q(m), v = first_particle_v(m); v < m->nv; at++, v++) {
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
  for (int at = first_particle_q(m), v = first_particle_v(m); v < m->nv; at++, v++) {
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
  memcpy(dq + first_particle_q(m), qd + first_particle_v(m), 3 * (size_t)m->nfree * sizeof *dq);
}

void lb_normalise(const lb_model* m, double* q) {
  static const double still[LB_JOINT_MOST_V] = {0};
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_kind[i] == LB_JOINT_SPHERICAL || m->link_kind[i] == LB_JOINT_FREE) {
      LB_JOINT[m->link_kind[i]]->advance(q + m->link_q[i], still, 0);
    }
  }
}

// Does something act on this number, whatever it means?
static bool is_acted_on(const lb_model* m, int v) {
  bool any = m->armature[v] > 0 || lb_spring_acts(m, v) || m->limit_stiffness[v] > 0;
  for (int i = 0; i < m->nterm; i++) {
    any = any || m->term[i].v == v;
  }
  for (int i = 0; i < m->nmotor; i++) {
    const int j = m->motor_joint[i];
    any = any || (j >= 0 && m->joint_v[j] <= v && v < m->joint_v[j] + m->joint_nv[j]);
  }
  return any;
}

// Numbers that stay as they are.
static void find_kept(const lb_model* m, const bool* keeps, const lb_link* l,
                      bool kept[LB_CHART_MOST]) {
  for (int k = 0; k < l->chart->n; k++) {
    kept[k] = is_acted_on(m, l->v + k) || (keeps && keeps[l->v + k]);
  }
}

static bool is_strained(const lb_link* l, const double* q) {
  return l->chart && lb_chart_strain(l->chart, q + l->q) > LB_CHART_STRAINED;
}

bool lb_rechart(const lb_model* m, const bool* keeps, double* q, double* qd) {
  bool changed = false, kept[LB_CHART_MOST];
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link[i];
    if (is_strained(l, q)) {
      find_kept(m, keeps, l, kept);
      changed |= lb_chart_rechart(l->chart, q + l->q, qd + l->v, kept);
    }
  }
  return changed;
}

void lb_rechart_back(const lb_model* m, const bool* keeps, const double* q, const double* qd,
                     double* by_q, double* by_v) {
  bool kept[LB_CHART_MOST];
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link[i];
    if (is_strained(l, q)) {
      find_kept(m, keeps, l, kept);
      lb_chart_rechart_back(l->chart, q + l->q, qd + l->v, kept, by_q + l->v, by_v + l->v);
    }
  }
}

int lb_singular_joint(const lb_model* m, const bool* keeps, const double* from, const double* q,
                      double near) {
  bool kept[LB_CHART_MOST];
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link[i];
    if (is_strained(l, q)) {
      find_kept(m, keeps, l, kept);
      if (lb_chart_is_singular(l->chart, from + l->q, q + l->q, kept, near)) {
        return m->link_joint[i];
      }
    }
  }
  return -1;
}
