#include "solve/run/maximal_start.h"

#include <string.h>

#include "dynamics/force/force.h"

int lb_maximal_start_joint(const lb_model* tree, const lb_model* m, int joint) {
  for (int j = 0; j < tree->njoint; j++) {
    const int body = m->joint.body[joint];
    if (tree->joint.body[j] == body && tree->joint.kind[j] == m->joint.kind[joint] &&
        (body >= 0 || strcmp(tree->joint.name[j], m->joint.name[joint]) == 0)) {
      return j;
    }
  }
  return -1;
}

lb_force_point lb_maximal_start_body(const lb_model* tree, lb_data* d, int body) {
  const lb_anchor at = {tree->body.link[body], tree->body.in_link[body]};
  return lb_force_point_find(d->work, &at);
}

// State of a free joint: position, quaternion; spin and velocity along the body's axes.
static void lay_loose(const lb_model* tree, lb_data* from, int body, double* q, double* v) {
  const lb_force_point p = lb_maximal_start_body(tree, from, body);
  const lb_m3 in_link = lb_m3_rotation(tree->body.in_link[body].q);
  const lb_m3 R = p.link ? lb_m3_mul(p.link->R, in_link) : in_link;
  const lb_quat r = lb_quat_from_matrix(lb_m3_mat3(R));
  lb_v4_store(q, p.at);
  memcpy(q + 3, (double[]){r.w, r.x, r.y, r.z}, 4 * sizeof *q);
  lb_v4_store(v, p.link ? lb_m3_apply_transposed(R, p.link->w) : lb_v4_zero());
  lb_v4_store(v + 3, p.link ? lb_m3_apply_transposed(R, p.velocity) : lb_v4_zero());
}

void lb_maximal_start_lay_out(const lb_model* tree, lb_data* from, const lb_model* m, lb_data* to) {
  lb_update(tree, from, LB_ORIGINS);
  for (int i = 0; i < m->njoint; i++) {
    double *q = to->q + m->joint.q[i], *v = to->qd + m->joint.v[i];
    const int j = lb_maximal_start_joint(tree, m, i);
    if (j < 0 && m->joint.kind[i] == LB_LINK_FULL) { // from one in a basis: it starts straight
      continue;
    }
    if (j >= 0) {
      memcpy(q, from->q + tree->joint.q[j], (size_t)m->joint.nq[i] * sizeof *q);
      memcpy(v, from->qd + tree->joint.v[j], (size_t)m->joint.nv[i] * sizeof *v);
    } else {
      lay_loose(tree, from, m->joint.body[i], q, v);
    }
  }
  const int particles = 3 * m->particles.nfree; // they come last
  memcpy(to->q + m->nq - particles, from->q + tree->nq - particles,
         (size_t)particles * sizeof *to->q);
  memcpy(to->qd + m->nv - particles, from->qd + tree->nv - particles,
         (size_t)particles * sizeof *to->qd);
}
