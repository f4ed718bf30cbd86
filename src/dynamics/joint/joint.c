// The table of joints, and what several of them share.
#include "dynamics/joint/joint.h"

#include "math/curve/chart.h"
#include "math/space/se3.h"

const lb_joint* const LB_JOINT[LB_LINK_COUNT] = {
    [LB_JOINT_FIXED] = &lb_joint_general,
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
    [LB_JOINT_ELLIPSOID] = &lb_joint_general,
    [LB_JOINT_COMPOSITE] = &lb_joint_general,
    [LB_LINK_ELASTIC] = &lb_joint_elastic,
    [LB_LINK_FACE] = &lb_joint_face,
    [LB_LINK_FULL] = &lb_joint_full,
    [LB_LINK_FULL_FACE] = &lb_joint_full_face,
    [LB_LINK_EFFECTOR] = &lb_joint_effector,
    [LB_LINK_TENDON] = &lb_joint_tendon,
};

// --- springs, friction ---

int lb_joint_together(const lb_model* m, int i) {
  return LB_JOINT[m->link.kind[i]]->flow[LB_FLOW_RATE] ? 3 : 1;
}

void lb_joint_move_origin(lb_state* s, const lb_state* p, const double* qd) {
  (void)qd;
  s->v = p->v + lb_v4_cross(p->w, s->r);
}

// --- quaternions ---

static lb_quat load(const double* q) {
  return (lb_quat){q[0], q[1], q[2], q[3]};
}

static void store(double* q, double s, lb_quat r) {
  q[0] = s * r.w;
  q[1] = s * r.x;
  q[2] = s * r.y;
  q[3] = s * r.z;
}

// d/dt q = 1/2 q (0, w). It is orthogonal to q, so that the exact flow keeps the length.
void lb_quat_rate(double* dq, const double* q, const double* w, double h) {
  (void)h;
  store(dq, 1, lb_quat_mul(load(q), (lb_quat){0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]}));
}

void lb_quat_advance(double* q, const double* from, const double* w, double h) {
  const lb_quat step = lb_quat_exp(lb_vec3_make(h * w[0], h * w[1], h * w[2]));
  store(q, 1, lb_quat_normalise(lb_quat_mul(load(from), step)));
}

// q - h/2 q (0, w) = from, so q = from (1, -h/2 w)^-1.
void lb_quat_reach(double* q, const double* from, const double* w, double h) {
  const lb_quat turn = {1, 0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
  const double size = 1 + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
  store(q, 1 / size, lb_quat_mul(load(from), turn));
}

static lb_vec3 turn_from(const double* rest, const double* q) {
  return lb_quat_log(lb_quat_mul(lb_quat_conjugate(load(rest)), load(q)));
}

void lb_quat_stretch(double* x, const double* q, const double* rest) {
  lb_v4_store(x, lb_v4_from(turn_from(rest, q)));
}

// log(r'q exp(d)) = log r'q + Jr^-1(log r'q) d
void lb_quat_stretch_by(double* X, int stride, const double* q, const double* rest) {
  lb_m3_store(X, stride, lb_m3_from(lb_so3_jacobian(LB_RIGHT_INVERSE, turn_from(rest, q))));
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
  const lb_quat f = load(from);
  const double size = f.w * f.w + f.x * f.x + f.y * f.y + f.z * f.z;
  const lb_quat a = lb_quat_mul(lb_quat_conjugate(f), load(past));
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

// Numbers, q = base + h qd; base NULL: nothing.
static void add_numbers(int n, double* q, const double* base, const double* qd, double h) {
  for (int k = 0; k < n; k++) {
    q[k] = (base ? base[k] : 0) + h * qd[k];
  }
}

// Faces have their bodies' coordinates.
static void flow_links(const lb_model* m, int first, int last, lb_flow which, double* q,
                       const double* from, const double* qd, double h) {
  const bool adds = which != LB_FLOW_RATE;
  for (int i = first; i < last; i++) {
    const int at = m->link.q[i], v = m->link.v[i];
    if (LB_JOINT[m->link.kind[i]]->flow[which]) {
      LB_JOINT[m->link.kind[i]]->flow[which](q + at, from + at, qd + v, h);
    } else if (!lb_link_is_face(m->link.kind[i])) {
      add_numbers(m->link.nv[i], q + at, adds ? from + at : NULL, qd + v, h);
    }
  }
}

// Coordinates of free particles come last.
static void flow_particles(const lb_model* m, lb_flow which, double* q, const double* from,
                           const double* qd, double h) {
  const bool adds = which != LB_FLOW_RATE;
  const int at = m->nq - 3 * m->particles.nfree, v = m->nv - 3 * m->particles.nfree;
  add_numbers(3 * m->particles.nfree, q + at, adds ? from + at : NULL, qd + v, h);
}

static void flow(const lb_model* m, lb_flow which, double* q, const double* from, const double* qd,
                 double h) {
  flow_links(m, 0, m->nlink, which, q, from, qd, h);
  flow_particles(m, which, q, from, qd, h);
}

void lb_reach(const lb_model* m, double* q, const double* from, const double* qd, double h) {
  flow(m, LB_FLOW_REACH, q, from, qd, h);
}

void lb_advance(const lb_model* m, double* q, const double* qd, double h) {
  flow(m, LB_FLOW_ADVANCE, q, q, qd, h);
}

void lb_advance_links(const lb_model* m, int first, int last, double* q, const double* qd,
                      double h) {
  flow_links(m, first, last, LB_FLOW_ADVANCE, q, q, qd, h);
}

void lb_advance_particles(const lb_model* m, double* q, const double* qd, double h) {
  flow_particles(m, LB_FLOW_ADVANCE, q, q, qd, h);
}

void lb_rates(const lb_model* m, double* dq, const double* q, const double* qd) {
  flow(m, LB_FLOW_RATE, dq, q, qd, 1);
}

void lb_normalise_links(const lb_model* m, int first, int last, double* q) {
  static const double still[LB_JOINT_MOST_V] = {0};
  for (int i = first; i < last; i++) {
    double* own = q + m->link.q[i];
    if (LB_JOINT[m->link.kind[i]]->flow[LB_FLOW_ADVANCE]) {
      LB_JOINT[m->link.kind[i]]->flow[LB_FLOW_ADVANCE](own, own, still, 0);
    }
  }
}

void lb_normalise(const lb_model* m, double* q) {
  lb_normalise_links(m, 0, m->nlink, q);
}

// True where something acts on this number, whatever it means.
static bool is_acted_on(const lb_model* m, int v) {
  bool any = m->dof.armature[v] > 0 || lb_spring_acts(m, v) || m->dof.limit_stiffness[v] > 0;
  for (int i = 0; i < m->constraint.nterm; i++) {
    any = any || m->constraint.term[i].v == v;
  }
  for (int i = 0; i < m->nmotor; i++) {
    const int j = m->motor.joint[i];
    any = any || (j >= 0 && m->joint.v[j] <= v && v < m->joint.v[j] + m->joint.nv[j]);
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
    const lb_link* l = &m->link.packed[i];
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
    const lb_link* l = &m->link.packed[i];
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
    const lb_link* l = &m->link.packed[i];
    if (is_strained(l, q)) {
      find_kept(m, keeps, l, kept);
      if (lb_chart_is_singular(l->chart, from + l->q, q + l->q, kept, near)) {
        return m->link.joint[i];
      }
    }
  }
  return -1;
}
