// The table of joints, and what several of them share.
#include "dynamics/joint.h"

#include <string.h>

const lb_joint* const LB_JOINT[LB_LINK_COUNT] = {
    [LB_JOINT_REVOLUTE] = &lb_joint_revolute,
    [LB_JOINT_PRISMATIC] = &lb_joint_prismatic,
    [LB_JOINT_UNIVERSAL] = &lb_joint_universal,
    [LB_JOINT_SPHERICAL] = &lb_joint_spherical,
    [LB_JOINT_FREE] = &lb_joint_free,
    [LB_LINK_ELASTIC] = &lb_joint_elastic,
    [LB_LINK_FACE] = &lb_joint_face,
    [LB_LINK_FULL] = &lb_joint_full,
    [LB_LINK_FULL_FACE] = &lb_joint_full_face,
};

void lb_scalar_spring(double* tau, const double* q, const double* rest, const double* stiffness) {
  *tau -= *stiffness * (*q - *rest);
}

double lb_scalar_energy(const double* q, const double* rest, const double* stiffness) {
  return 0.5 * *stiffness * (*q - *rest) * (*q - *rest);
}

void lb_scalar_rate(double* dq, const double* q, const double* qd) {
  (void)q;
  *dq = *qd;
}

void lb_scalar_advance(double* q, const double* qd, double h) {
  *q += h * *qd;
}

void lb_scalar_reach(double* q, const double* from, const double* qd, double h) {
  *q = *from + h * *qd;
}

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

void lb_reach(const lb_model* m, double* q, const double* from, const double* qd, double h) {
  for (int i = 0; i < m->nlink; i++) {
    const int at = m->link_q[i];
    const int v = m->link_v[i];
    if (lb_link_is_elastic(m->link_kind[i])) {
      for (int k = 0; k < m->link_nv[i]; k++) {
        q[at + k] = from[at + k] + h * qd[v + k];
      }
    } else if (!lb_link_is_face(m->link_kind[i])) {
      LB_JOINT[m->link_kind[i]]->reach(q + at, from + at, qd + v, h);
    }
  }
}

void lb_advance(const lb_model* m, double* q, const double* qd, double h) {
  for (int i = 0; i < m->nlink; i++) {
    const int at = m->link_q[i];
    const int v = m->link_v[i];
    if (lb_link_is_elastic(m->link_kind[i])) {
      for (int k = 0; k < m->link_nv[i]; k++) {
        q[at + k] += h * qd[v + k];
      }
    } else if (!lb_link_is_face(m->link_kind[i])) {
      LB_JOINT[m->link_kind[i]]->advance(q + at, qd + v, h);
    }
  }
}

void lb_rates(const lb_model* m, double* dq, const double* q, const double* qd) {
  for (int i = 0; i < m->nlink; i++) {
    const int at = m->link_q[i];
    const int v = m->link_v[i];
    if (lb_link_is_elastic(m->link_kind[i])) {
      memcpy(dq + at, qd + v, (size_t)m->link_nv[i] * sizeof *dq);
    } else if (!lb_link_is_face(m->link_kind[i])) {
      LB_JOINT[m->link_kind[i]]->rate(dq + at, q + at, qd + v);
    }
  }
}

void lb_normalise(const lb_model* m, double* q) {
  static const double still[LB_JOINT_MOST_V] = {0};
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_kind[i] == LB_JOINT_SPHERICAL || m->link_kind[i] == LB_JOINT_FREE) {
      LB_JOINT[m->link_kind[i]]->advance(q + m->link_q[i], still, 0);
    }
  }
}
