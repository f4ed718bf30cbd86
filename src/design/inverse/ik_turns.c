#include "design/inverse/ik_turns.h"

#include <math.h>

#include "design/inverse/ik_limits.h"
#include "math/curve/chart.h"

static const double JUMP = M_PI / 2; // between samples [rad]

// A hinge, alone or in a row with others: a whole turn brings back the same pose.
static bool chart_turns(const lb_chart* c, int k) {
  for (int i = 0; c && i < c->nfactor; i++) {
    const lb_factor* f = &c->factor[i];
    if (f->type == &lb_factor_screw && f->first == k) {
      return f->screw.v[0] == 0 && f->screw.v[1] == 0 && f->screw.v[2] == 0;
    }
  }
  return false;
}

static bool turns(const lb_model* m, int joint, int k) {
  const int kind = m->joint.kind[joint];
  return kind == LB_JOINT_REVOLUTE || kind == LB_JOINT_UNIVERSAL ||
         chart_turns(m->link.chart[m->joint.link[joint]], k);
}

static bool is_coupled(const lb_model* m, int q) {
  for (int i = 0; i < m->constraint.nterm; i++) {
    if (m->constraint.term[i].q == q) {
      return true;
    }
  }
  return false;
}

static bool is_within(const lb_model* m, int v, double q) {
  return !lb_ik_has_limit(m, v) || (q >= m->dof.lower[v] && q <= m->dof.upper[v]);
}

void lb_ik_unwind(const lb_model* m, const double* before, double* q) {
  for (int j = 0; j < m->njoint; j++) {
    const bool plain = m->joint.nq[j] == m->joint.nv[j];
    for (int k = 0; k < m->joint.nv[j] && plain; k++) {
      const int at = m->joint.q[j] + k, v = m->joint.v[j] + k;
      const double back = 2 * M_PI * round((q[at] - before[at]) / (2 * M_PI));
      if (back != 0 && turns(m, j, k) && !is_coupled(m, at) && is_within(m, v, q[at] - back)) {
        q[at] -= back;
      }
    }
  }
}

static bool jumps(const lb_ik* ik, int sample, int joint, int k) {
  const lb_model* m = ik->model;
  const double* q = ik->motion.q + (size_t)sample * (size_t)m->nq + (size_t)(m->joint.q[joint] + k);
  return m->dof.counts[m->joint.v[joint] + k] == LB_COORDINATE_ANGLE &&
         fabs(q[0] - q[-m->nq]) > JUMP;
}

void lb_ik_note_jump(lb_ik* ik, double begin, double end) {
  const lb_model* m = ik->model;
  for (int i = 1; i < ik->nsample; i++) {
    if (ik->motion.time[i - 1] < begin || ik->motion.time[i] > end) {
      continue;
    }
    for (int j = 0; j < m->njoint; j++) {
      for (int k = 0; k < m->joint.nv[j] && m->joint.nq[j] == m->joint.nv[j]; k++) {
        if (jumps(ik, i, j, k)) {
          ik->jump = m->joint.v[j] + k;
          ik->jump_sample = i;
          return;
        }
      }
    }
  }
}
