// The table of joints, and what several of them share.
#include "dynamics/joint/joint.h"

#include <math.h>

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

// Rotation vector from a to b, of up to a whole turn: neighbouring steps do not change sides
// between a quaternion and its negative.
static lb_vec3 turn_along(const double* a, const double* b) {
  const lb_quat r = lb_quat_mul(lb_quat_conjugate(load(a)), load(b));
  const lb_vec3 u = {r.x, r.y, r.z};
  const double s = lb_vec3_norm(u);
  return lb_vec3_scale(s > 0 ? 2 * atan2(s, r.w) / s : 0, u);
}

// a exp(w x), x = log(a^-1 b). With 1 - w from b it is the same.
static void turn_between(double* q, const double* a, const double* b, double w) {
  const lb_vec3 x = turn_along(a, b);
  lb_quat_advance(q, a, (double[]){x.x, x.y, x.z}, w);
}

static lb_m3 jacobian(lb_jacobian kind, lb_vec3 x) {
  return lb_m3_from(lb_so3_jacobian(kind, x));
}

// exp(h (w + dw)) = exp(h w) exp(h Jr(h w) dw)
lb_m3 lb_quat_advance_by_rate(const double* w, double h) {
  const lb_m3 J = jacobian(LB_RIGHT, lb_vec3_make(h * w[0], h * w[1], h * w[2]));
  return (lb_m3){J.x * h, J.y * h, J.z * h};
}

// Turning the past by d changes x = log(other^-1 past) by Jr^-1(x) d, and turns `from`, which is
// other exp(s x), by s Jr(s x) times that; what is reached is turned by that seen through exp(h w).
lb_m3 lb_quat_advance_by_past(lb_past past, const double* w, double h) {
  const double s = past.weight;
  const lb_m3 through = lb_m3_from(lb_so3_exp(lb_vec3_make(-h * w[0], -h * w[1], -h * w[2])));
  if (!past.other) {
    return through;
  }
  const lb_vec3 x = turn_along(past.other, past.q);
  const lb_m3 J = lb_m3_mul(jacobian(LB_RIGHT, lb_vec3_scale(s, x)), jacobian(LB_RIGHT_INVERSE, x));
  return lb_m3_mul(through, (lb_m3){J.x * s, J.y * s, J.z * s});
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

// Place of a link's quaternion among all coordinates; -1: it has none.
static int quaternion_of(const lb_model* m, int link) {
  const int n = m->link.nv[link];
  const bool turns = LB_JOINT[m->link.kind[link]]->flow[LB_FLOW_ADVANCE] != NULL;
  return turns ? m->link.q[link] + lb_quaternion_at(n + 1, n) : -1;
}

void lb_turn_between(const lb_model* m, double* q, const double* a, const double* b, double w) {
  for (int i = 0; i < m->nlink; i++) {
    const int at = quaternion_of(m, i);
    if (at >= 0) {
      turn_between(q + at, a + at, b + at, w);
    }
  }
}

void lb_rates(const lb_model* m, double* dq, const double* q, const double* qd) {
  flow(m, LB_FLOW_RATE, dq, q, qd, 1);
}

void lb_normalise_links(const lb_model* m, int first, int last, double* q) {
  for (int i = first; i < last; i++) {
    const int at = quaternion_of(m, i);
    if (at >= 0) {
      store(q + at, 1, lb_quat_normalise(load(q + at)));
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
