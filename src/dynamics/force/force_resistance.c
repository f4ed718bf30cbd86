// What resists along joints' own coordinates beyond springs and dampers: friction and limits.
//
// Friction of size F is F v / sqrt(v^2 + s^2) against the velocity v: within 1 % of F from seven
// times the speed s on, and without the jump at rest that no step could follow. A ball's velocity
// is a vector, and friction acts along it.
//
// Beyond a limit by x > 0, going on at the rate v, the coordinate is pushed back by
//
//   (1)  max(0, k x + d v r(x)),   r = 3 t^2 - 2 t^3, t = min(1, x/w)
//
// The damper comes in over the first w, so that the force has no jump at the limit, and never
// pulls. Where it may pull (`pulls`), there is no maximum: what returns is held back. With w = 0 it
// comes in with a jump.
#include <math.h>
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_resistance.h"
#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"

// --- friction ---

static int friction_count(const lb_model* m) {
  return m->nfriction;
}

static double group_speed(const lb_model* m, const double* qd, int v, int n) {
  double sum = m->friction_speed[v] * m->friction_speed[v];
  for (int k = v; k < v + n; k++) {
    sum += qd[k] * qd[k];
  }
  return sqrt(sum);
}

static void friction_apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nlink; i++) {
    const int n = lb_joint_together(m, i), end = m->link_v[i] + m->link_nv[i];
    for (int v = m->link_v[i]; v < end && !m->link[i].reduced; v += n) {
      const double size = m->friction[v] > 0 ? m->friction[v] / group_speed(m, d->qd, v, n) : 0;
      for (int k = v; k < v + n; k++) {
        d->work->tau[k] -= size * d->qd[k];
      }
    }
  }
}

// Friction is smooth, but turns over so fast that it is a kink to steps that are longer than that
// takes: a step across octaves of the velocity is looked at, up to where next to nothing changes.
static lb_switching turn_over(double v, double speed) {
  enum { OCTAVES = 8 };
  lb_switching out = lb_switching_sign(v);
  for (int i = 0; i < OCTAVES; i++) {
    lb_switching_kink(&out, ldexp(speed, i - 1));
    lb_switching_kink(&out, -ldexp(speed, i - 1));
  }
  return out;
}

static int friction_switching(const lb_model* m, lb_data* d, lb_switching* out) {
  int n = 0;
  for (int v = 0; v < m->nv; v++) {
    if (m->friction[v] > 0) {
      if (out) {
        out[n] = turn_over(d->qd[v], m->friction_speed[v]);
      }
      n++;
    }
  }
  return n;
}

// d/dv (F v / u) = F (1/u - v v'/u^3)
static void friction_slopes(const lb_model* m, const lb_data* d, double* by_qd) {
  const size_t nv = (size_t)m->nv;
  for (int i = 0; i < m->nlink; i++) {
    const int n = lb_joint_together(m, i), end = m->link_v[i] + m->link_nv[i];
    for (int v = m->link_v[i]; v < end && !m->link[i].reduced; v += n) {
      const double u = m->friction[v] > 0 ? group_speed(m, d->qd, v, n) : 1;
      for (int a = v; a < v + n; a++) {
        for (int b = v; b < v + n; b++) {
          by_qd[(size_t)a * nv + (size_t)b] +=
              m->friction[v] * ((a == b) / u - d->qd[a] * d->qd[b] / (u * u * u));
        }
      }
    }
  }
}

static void friction_differentiate(lb_derivatives* D, lb_data* d) {
  friction_slopes(D->model, d, D->tau_qd);
}

static void friction_stiffen(lb_derivatives* D, lb_data* d) {
  friction_slopes(D->model, d, D->tau_qd);
}

const lb_force lb_force_friction = {.name = "joint friction",
                                    .count = friction_count,
                                    .apply = friction_apply,
                                    .differentiate = friction_differentiate,
                                    .switching = friction_switching,
                                    .stiffen = friction_stiffen};

// --- limits ---

static int limit_count(const lb_model* m) {
  return m->nlimit;
}

// Balls and free joints have no numbers along velocities (force_ball_limit.c).
static bool has_limit(const lb_model* m, int link, int k) {
  const int kind = m->link_kind[link];
  return !m->link[link].reduced && m->limit_stiffness[m->link_v[link] + k] > 0 &&
         kind != LB_JOINT_SPHERICAL && kind != LB_JOINT_FREE;
}

// How far coordinate k of a link is beyond its range: positive beyond the upper end, negative
// beyond the lower one.
static double beyond(const lb_model* m, int link, int k, const double* q) {
  const int v = m->link_v[link] + k;
  if (!has_limit(m, link, k)) {
    return 0;
  }
  const double at = q[m->link_q[link] + k];
  return fmax(0, at - m->upper[v]) + fmin(0, at - m->lower[v]);
}

// r of (1), and its slope.
static double damped_share(double w, double x, double* slope) {
  const double t = x < w ? x / w : 1;
  *slope = t < 1 ? 6 * t * (1 - t) / w : 0;
  return t * t * (3 - 2 * t);
}

lb_limit_force lb_limit_force_of(const lb_model* m, int k, double x, double v) {
  const double stiffness = m->limit_stiffness[k], damping = m->limit_damping[k];
  double slope;
  const double r = damped_share(m->limit_transition[k], x, &slope);
  const double force = stiffness * x + damping * v * r;
  if (!(force > 0) && !m->limit_pulls[k]) {
    return (lb_limit_force){0};
  }
  return (lb_limit_force){force, stiffness + damping * v * slope, damping * r, stiffness};
}

void lb_limit_switching(const lb_model* m, int k, double at, double rate, lb_switching* out) {
  const double w = m->limit_damping[k] > 0 ? m->limit_transition[k] : 0;
  const double over = at - m->upper[k], under = m->lower[k] - at, x = fmax(over, under);
  double slope;
  out[0] = lb_switching_smooth(at);
  out[1] = lb_switching_smooth(0);
  const double kink[4] = {m->lower[k] - w, m->lower[k], m->upper[k], m->upper[k] + w};
  for (int i = 0; i < 4; i++) {
    lb_switching_kink(&out[0], kink[i]);
  }
  if (x > 0 && !m->limit_pulls[k]) {
    const double v = over > 0 ? rate : -rate, r = damped_share(w, x, &slope);
    out[1] = lb_switching_sign(m->limit_stiffness[k] * x + m->limit_damping[k] * v * r);
  }
}

// What pushes back coordinate k of a link, and from which side: 0 where it is within its range.
static lb_limit_force find_push(const lb_model* m, const lb_data* d, int link, int k,
                                double* side) {
  const int v = m->link_v[link] + k;
  const double x = beyond(m, link, k, d->q);
  *side = x > 0 ? 1 : x < 0 ? -1 : 0;
  return x != 0 ? lb_limit_force_of(m, v, fabs(x), *side * d->qd[v]) : (lb_limit_force){0};
}

static void limit_apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link_nv[i]; k++) {
      double side;
      const lb_limit_force p = find_push(m, d, i, k, &side);
      d->work->tau[m->link_v[i] + k] -= side * p.force;
    }
  }
}

// The derivative by q goes to `by_q` with a weight.
static void limit_slopes(const lb_model* m, const lb_data* d, double weight, double* by_q,
                         double* by_qd) {
  const size_t nv = (size_t)m->nv;
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link_nv[i]; k++) {
      const size_t at = (size_t)(m->link_v[i] + k) * (nv + 1);
      double side;
      const lb_limit_force p = find_push(m, d, i, k, &side);
      by_q[at] += weight * p.by_x;
      by_qd[at] += p.by_v;
    }
  }
}

static void limit_differentiate(lb_derivatives* D, lb_data* d) {
  limit_slopes(D->model, d, 1, D->tau_q, D->tau_qd);
}

static double limit_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link_nv[i]; k++) {
      const double x = beyond(m, i, k, d->q);
      sum += 0.5 * m->limit_stiffness[m->link_v[i] + k] * x * x;
    }
  }
  return sum;
}

static int limit_switching(const lb_model* m, lb_data* d, lb_switching* out) {
  int n = 0;
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link_nv[i]; k++) {
      const int v = m->link_v[i] + k;
      if (has_limit(m, i, k)) {
        if (out) {
          lb_limit_switching(m, v, d->q[m->link_q[i] + k], d->qd[v], out + n);
        }
        n += LB_LIMIT_SWITCHING;
      }
    }
  }
  return n;
}

// The spring, and the damper as far as it has come in.
static void limit_stiffen(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link_nv[i]; k++) {
      const size_t at = (size_t)(m->link_v[i] + k) * ((size_t)m->nv + 1);
      double side;
      const lb_limit_force p = find_push(m, d, i, k, &side);
      D->tau_q[at] += p.stiffness;
      D->tau_qd[at] += p.by_v;
    }
  }
}

const lb_force lb_force_limit = {.name = "joint limit",
                                 .count = limit_count,
                                 .apply = limit_apply,
                                 .energy = limit_energy,
                                 .differentiate = limit_differentiate,
                                 .switching = limit_switching,
                                 .stiffen = limit_stiffen};

void lb_resistance_stiffen(const lb_model* m, const lb_data* d, double* W, double dt) {
  lb_joint_springs_stiffen(m, d->q, W, dt);
  if (friction_count(m) > 0) {
    friction_slopes(m, d, W);
  }
  if (limit_count(m) > 0) {
    limit_slopes(m, d, dt, W, W);
    lb_ball_limits_stiffen(m, d, W, dt);
  }
}

void lb_resistance_diagonals(const lb_model* m, const lb_data* d, double* K, double* C) {
  lb_joint_springs_slopes(m, d->q, K);
  memcpy(C, m->damping, (size_t)m->nv * sizeof *C);
  for (int i = 0; i < m->nlink && m->nfriction + m->nlimit > 0; i++) {
    for (int k = 0; k < m->link_nv[i]; k++) {
      const int v = m->link_v[i] + k;
      const double s = m->friction_speed[v], u = sqrt(s * s + d->qd[v] * d->qd[v]);
      double side;
      const lb_limit_force p = find_push(m, d, i, k, &side);
      C[v] += p.by_v + (m->friction[v] > 0 ? m->friction[v] * s * s / (u * u * u) : 0);
      K[v] += p.stiffness;
    }
  }
}
