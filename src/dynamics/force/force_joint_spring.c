// Springs and dampers of joints, on the joints' own coordinates.
//
// A coordinate that is stretched by s is pulled back by the force f(s) of its force curve. Three
// velocities of a ball, or of a body that flies, are pulled together: x is the rotation vector from
// where the spring rests, or the way from there seen from the child, and with s = |x|, e = x/s
//
//   (1)  tau = -f(s) e
//
// That is minus the slope of the energy E(s), since a small turn d changes the vector by
// dx = Jr^-1(x) d and s by e'dx = e'd, and a way seen from what turns by dx = d - turn x x, of
// which e sees d alone. With g = f/s, and so g' = (f' - g)/s, the force changes along with x by
//
//   (2)  B = d(f e)/dx = g 1 + (f' - g) e e'
//
// A coordinate by itself has e = 1, where it is f' whatever g is. A spring in proportion has g =
// f'.
#include <math.h>
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_curve.h"
#include "dynamics/force/force_resistance.h"
#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"

enum { MOST = 3 }; // velocities that are pulled together

bool lb_spring_acts(const lb_model* m, int v) {
  return m->dof.stiffness[v] > 0 || m->dof.force_curve[v].count > 0;
}

// --- one spring ---

typedef struct spring {
  int v, n;       // its velocities
  double s;       // extension
  double e[MOST]; // unit vector of the extension
  lb_pull f;
  double g; // of (2)
} spring;

static spring find_spring(const lb_force_curve* force_curve, double stiffness, int v, int n,
                          const double* x) {
  spring p = {.v = v, .n = n, .s = n > 1 ? sqrt(lb_dot(n, x, x)) : x[0], .e = {1}};
  for (int k = 0; k < n && n > 1; k++) {
    p.e[k] = p.s > 0 ? x[k] / p.s : 0;
  }
  p.f = lb_force_curve_pull(force_curve, stiffness, p.s);
  const bool together = n > 1 && p.s > 0 && lb_force_curve_bends(force_curve);
  p.g = together ? p.f.force / p.s : p.f.slope;
  return p;
}

// (2), [n][n]
static void find_stiffness(const spring* p, double B[MOST * MOST]) {
  for (int a = 0; a < p->n; a++) {
    for (int b = 0; b < p->n; b++) {
      B[a * p->n + b] = (a == b) * p->g + (p->f.slope - p->g) * p->e[a] * p->e[b];
    }
  }
}

// `times` B x, added to `to`.
static void add_change(const spring* p, double times, const double* x, double* to) {
  lb_add(p->n, to, times * p->g, x);
  lb_add(p->n, to, times * (p->f.slope - p->g) * lb_dot(p->n, p->e, x), p->e);
}

// --- those of a joint ---

typedef struct springs {
  int count;
  spring spring[LB_JOINT_MOST_V];
} springs;

// Springs of elastic bodies are their internal forces, a kind of their own.
static bool has_spring(const lb_model* m, int i) {
  bool any = false;
  for (int k = 0; k < m->link.nv[i] && !m->link.packed[i].reduced; k++) {
    any |= lb_spring_acts(m, m->link.v[i] + k);
  }
  return any;
}

void lb_joint_stretch(const lb_model* m, int i, double* x, const double* q) {
  const lb_joint* joint = LB_JOINT[m->link.kind[i]];
  const int at = m->link.q[i];
  if (joint->stretch) {
    joint->stretch(x, q + at, m->dof.rest + at);
    return;
  }
  for (int k = 0; k < m->link.nv[i]; k++) {
    x[k] = q[at + k] - m->dof.rest[at + k];
  }
}

static void find_springs(const lb_model* m, int i, const double* q, springs* to) {
  double x[LB_JOINT_MOST_V];
  to->count = 0;
  if (!has_spring(m, i)) {
    return;
  }
  const int n = lb_joint_together(m, i);
  lb_joint_stretch(m, i, x, q);
  for (int k = 0; k < m->link.nv[i]; k += n) {
    const int v = m->link.v[i] + k;
    if (lb_spring_acts(m, v)) {
      to->spring[to->count++] =
          find_spring(&m->dof.force_curve[v], m->dof.stiffness[v], v, n, x + k);
    }
  }
}

// Add a block of a spring as seen along the velocities, with dx = X d, to rows `stride` apart; the
// first of them has the joint's own columns at `rows`.
static void add_rows(const lb_model* m, int i, const spring* p, const double* block,
                     const double* X, double* rows, size_t stride) {
  const int count = m->link.nv[i], off = p->v - m->link.v[i];
  for (int a = 0; a < p->n; a++) {
    double* row = rows + (size_t)a * stride;
    for (int b = 0; b < p->n; b++) {
      if (X) {
        lb_add(count, row, block[a * p->n + b], X + (off + b) * count);
      } else {
        row[off + b] += block[a * p->n + b];
      }
    }
  }
}

// Derivative of a joint's stretch by its velocities, or NULL: the identity.
static const double* stretch_by(const lb_model* m, int i, const double* q,
                                double X[LB_JOINT_MOST_V * LB_JOINT_MOST_V]) {
  const lb_joint* joint = LB_JOINT[m->link.kind[i]];
  if (!joint->stretch_by) {
    return NULL;
  }
  joint->stretch_by(X, q + m->link.q[i], m->dof.rest + m->link.q[i]);
  return X;
}

// --- the force ---

static int joint_count(const lb_model* m) {
  return m->njoint;
}

static void pull(const lb_model* m, int i, const double* q, double* tau) {
  springs all;
  find_springs(m, i, q, &all);
  for (const spring* p = all.spring; p < all.spring + all.count; p++) {
    lb_add(p->n, tau + p->v, -p->f.force, p->e);
  }
}

// Most are of numbers and in proportion, and there may be many.
static bool is_plain(const lb_model* m, int i) {
  bool plain = !LB_JOINT[m->link.kind[i]]->stretch && !m->link.packed[i].reduced;
  for (int v = m->link.v[i]; v < m->link.v[i] + m->link.nv[i] && m->dof.nbent > 0; v++) {
    plain &= !lb_force_curve_bends(&m->dof.force_curve[v]);
  }
  return plain;
}

static void joint_apply(const lb_model* m, lb_data* d) {
  double* tau = d->work->tau;
  for (int i = 0; i < m->nlink && m->dof.nstiff > 0; i++) {
    const int v = m->link.v[i], at = m->link.q[i];
    if (!is_plain(m, i)) {
      pull(m, i, d->q, tau);
      continue;
    }
    for (int k = 0; k < m->link.nv[i]; k++) {
      tau[v + k] -= m->dof.stiffness[v + k] * (d->q[at + k] - m->dof.rest[at + k]);
    }
  }
  for (int k = 0; k < m->nv; k++) {
    tau[k] -= m->dof.damping[k] * d->qd[k];
  }
}

static double joint_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  springs all;
  for (int i = 0; i < m->nlink && m->dof.nstiff > 0; i++) {
    find_springs(m, i, d->q, &all);
    for (const spring* p = all.spring; p < all.spring + all.count; p++) {
      sum += lb_force_curve_energy(&m->dof.force_curve[p->v], m->dof.stiffness[p->v], p->s);
    }
  }
  return sum;
}

static int joint_switching(const lb_model* m, lb_data* d, lb_switching* out) {
  int n = 0;
  springs all;
  for (int i = 0; i < m->nlink && m->dof.nbent > 0; i++) {
    find_springs(m, i, out ? d->q : m->dof.rest, &all);
    for (const spring* p = all.spring; p < all.spring + all.count; p++) {
      if (lb_force_curve_has_kinks(&m->dof.force_curve[p->v])) {
        if (out) {
          out[n] = lb_force_curve_switching(&m->dof.force_curve[p->v], p->s);
        }
        n++;
      }
    }
  }
  return n;
}

// Parts of the derivative: WHOLE or SYMMETRIC to K [nv][nv], or whole to columns of each joint
// alone, BY_JOINT to K [nv][LB_JOINT_MOST_V]. The symmetric part is B: a ball's spring in
// proportion counts as one of the same stiffness about every axis, which it is at zero stretch and
// at most. NEWTON is that, but where a table falls, what it pulls less is no stiffness.
typedef enum part { WHOLE, SYMMETRIC, NEWTON, BY_JOINT } part;

static void differentiate_springs(const lb_model* m, const double* q, double weight, double* K,
                                  part which) {
  const bool alone = which == BY_JOINT, whole = which == WHOLE || alone;
  const size_t stride = alone ? LB_JOINT_MOST_V : (size_t)m->nv;
  const double least = which == NEWTON ? 0 : -INFINITY;
  double X[LB_JOINT_MOST_V * LB_JOINT_MOST_V], B[MOST * MOST];
  springs all;
  for (int i = 0; i < m->nlink && m->dof.nstiff > 0; i++) {
    find_springs(m, i, q, &all);
    const double* by = all.count > 0 && whole ? stretch_by(m, i, q, X) : NULL;
    const size_t column = alone ? 0 : (size_t)m->link.v[i];
    for (spring* p = all.spring; p < all.spring + all.count; p++) {
      p->g = weight * fmax(least, p->g);
      p->f.slope = weight * fmax(least, p->f.slope);
      find_stiffness(p, B);
      add_rows(m, i, p, B, by, K + (size_t)p->v * stride + column, stride);
    }
  }
}

static void add_dampers(const lb_model* m, double* C) {
  for (int k = 0; k < m->nv; k++) {
    C[(size_t)k * ((size_t)m->nv + 1)] += m->dof.damping[k];
  }
}

static void joint_differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  differentiate_springs(D->model, d->q, 1, D->tau_q, symmetric ? SYMMETRIC : WHOLE);
  add_dampers(D->model, D->tau_qd);
}

void lb_joint_springs_blocks(const lb_model* m, const double* q, double* K) {
  differentiate_springs(m, q, 1, K, BY_JOINT);
}

void lb_joint_springs_stiffen(const lb_model* m, const double* q, double* W, double dt) {
  differentiate_springs(m, q, dt, W, NEWTON);
  add_dampers(m, W);
}

static bool resists(const lb_model* m, int v) {
  return lb_spring_acts(m, v) || m->dof.damping[v] > 0;
}

static void joint_measure(lb_channel_walk* w) {
  lb_channel_put_joints(w, &lb_force_joint, "spring", resists);
}

const lb_force lb_force_joint = {.name = "joint spring and damper",
                                 .count = joint_count,
                                 .apply = joint_apply,
                                 .energy = joint_energy,
                                 .differentiate = joint_differentiate,
                                 .switching = joint_switching,
                                 .measure = joint_measure,
                                 .stiff = true,
                                 .on_joints = true,
                                 .on_diagonal = true,
                                 .in_tree = true};

// --- matrices of implicit steps ---

void lb_joint_springs_slopes(const lb_model* m, const double* q, double* slope) {
  memcpy(slope, m->dof.stiffness, (size_t)m->nv * sizeof *slope);
  springs all;
  for (int i = 0; i < m->nlink && m->dof.nbent > 0; i++) {
    find_springs(m, i, q, &all);
    for (const spring* p = all.spring; p < all.spring + all.count; p++) {
      for (int k = 0; k < p->n; k++) {
        slope[p->v + k] = p->f.slope;
      }
    }
  }
}

// --- by the numbers of a spring ---

// Forces by a power are linear in the stiffness.
void lb_joint_springs_by_stiffness(const lb_model* m, int i, const double* q, double* out) {
  double x[LB_JOINT_MOST_V];
  const int n = lb_joint_together(m, i), first = m->link.v[i];
  lb_joint_stretch(m, i, x, q);
  memset(out, 0, (size_t)m->link.nv[i] * sizeof *out);
  for (int k = 0; k < m->link.nv[i]; k += n) {
    const spring p = find_spring(&m->dof.force_curve[first + k], 1, first + k, n, x + k);
    lb_add(n, out + k, -p.f.force, p.e);
  }
}

// (2), which is symmetric
void lb_joint_springs_by_stretch(const lb_model* m, int i, const double* q, const double* mu,
                                 double* out) {
  springs all;
  find_springs(m, i, q, &all);
  memset(out, 0, (size_t)m->link.nv[i] * sizeof *out);
  for (const spring* p = all.spring; p < all.spring + all.count; p++) {
    add_change(p, 1, mu + p->v, out + p->v - m->link.v[i]);
  }
}
