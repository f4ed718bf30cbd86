// Friction of joints. Of size F it is F v / sqrt(v^2 + s^2) against the velocity v: within 1 % of F
// from seven times the speed s on, and without the jump at rest that no step could follow. A ball's
// velocity is a vector, and friction acts along it.
#include <math.h>
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_resistance.h"
#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"

// --- friction ---

static int friction_count(const lb_model* m) {
  return m->dof.nfriction;
}

static double group_speed(const lb_model* m, const double* qd, int v, int n) {
  double sum = m->dof.friction_speed[v] * m->dof.friction_speed[v];
  for (int k = v; k < v + n; k++) {
    sum += qd[k] * qd[k];
  }
  return sqrt(sum);
}

static void friction_apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nlink; i++) {
    const int n = lb_joint_together(m, i), end = m->link.v[i] + m->link.nv[i];
    for (int v = m->link.v[i]; v < end && !m->link.packed[i].reduced; v += n) {
      const double size =
          m->dof.friction[v] > 0 ? m->dof.friction[v] / group_speed(m, d->qd, v, n) : 0;
      for (int k = v; k < v + n; k++) {
        d->work->tau[k] -= size * d->qd[k];
      }
    }
  }
}

static bool rubs(const lb_model* m, int v) {
  return m->dof.friction[v] > 0;
}

static void friction_measure(lb_channel_walk* w) {
  lb_channel_put_joints(w, &lb_force_friction, "friction", rubs);
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
    if (m->dof.friction[v] > 0) {
      if (out) {
        out[n] = turn_over(d->qd[v], m->dof.friction_speed[v]);
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
    const int n = lb_joint_together(m, i), end = m->link.v[i] + m->link.nv[i];
    for (int v = m->link.v[i]; v < end && !m->link.packed[i].reduced; v += n) {
      const double u = m->dof.friction[v] > 0 ? group_speed(m, d->qd, v, n) : 1;
      for (int a = v; a < v + n; a++) {
        for (int b = v; b < v + n; b++) {
          by_qd[(size_t)a * nv + (size_t)b] +=
              m->dof.friction[v] * ((a == b) / u - d->qd[a] * d->qd[b] / (u * u * u));
        }
      }
    }
  }
}

static void friction_differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  (void)symmetric;
  friction_slopes(D->model, d, D->tau_qd);
}

const lb_force lb_force_friction = {.name = "joint friction",
                                    .count = friction_count,
                                    .apply = friction_apply,
                                    .differentiate = friction_differentiate,
                                    .switching = friction_switching,
                                    .measure = friction_measure,
                                    .stiff = true,
                                    .on_joints = true};

// --- matrices of implicit steps ---

void lb_resistance_stiffen(const lb_model* m, const lb_data* d, double* W, double dt) {
  lb_joint_springs_stiffen(m, d->q, W, dt);
  if (m->dof.nfriction > 0) {
    friction_slopes(m, d, W);
  }
  lb_limits_stiffen(m, d, W, dt);
  lb_servos_stiffen(m, d, W, dt);
}

void lb_resistance_diagonals(const lb_model* m, const lb_data* d, double* K, double* C) {
  lb_joint_springs_slopes(m, d->q, K);
  memcpy(C, m->dof.damping, (size_t)m->nv * sizeof *C);
  for (int v = 0; v < m->nv && m->dof.nfriction > 0; v++) {
    const double s = m->dof.friction_speed[v], u = sqrt(s * s + d->qd[v] * d->qd[v]);
    C[v] += m->dof.friction[v] > 0 ? m->dof.friction[v] * s * s / (u * u * u) : 0;
  }
  if (m->dof.nlimit > 0) {
    lb_limits_diagonals(m, d, K, C);
  }
  lb_servos_diagonals(m, d, K, C);
}
