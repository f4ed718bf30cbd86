// Changes of states, counted along velocities, and their products.
#pragma once
#include "limber/limber.h"
#include "test.h"

static inline double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// Change of coordinates from one state to another, counted along velocities.
static inline void between(const lb_model* m, double* out, const double* from, const double* to) {
  for (int i = 0; i < m->nlink; i++) {
    const int q = m->link.q[i], v = m->link.v[i], kind = m->link.kind[i];
    const bool freely = kind == LB_JOINT_FREE, ball = kind == LB_JOINT_SPHERICAL;
    if (!freely && !ball) {
      for (int k = 0; k < m->link.nv[i]; k++) {
        out[v + k] = to[q + k] - from[q + k];
      }
      continue;
    }
    const double *a = from + q + 3 * freely, *b = to + q + 3 * freely;
    const lb_quat r = {a[0], a[1], a[2], a[3]};
    const lb_vec3 w =
        lb_quat_log(lb_quat_mul(lb_quat_conjugate(r), (lb_quat){b[0], b[1], b[2], b[3]}));
    memcpy(out + v, (double[]){w.x, w.y, w.z}, 3 * sizeof *out);
    if (freely) {
      const lb_vec3 p = lb_quat_rotate(
          lb_quat_conjugate(r),
          lb_vec3_make(to[q] - from[q], to[q + 1] - from[q + 1], to[q + 2] - from[q + 2]));
      memcpy(out + v + 3, (double[]){p.x, p.y, p.z}, 3 * sizeof *out);
    }
  }
  for (int k = 1; k <= 3 * m->particles.nfree; k++) { // nodes
    out[m->nv - k] = to[m->nq - k] - from[m->nq - k];
  }
}
