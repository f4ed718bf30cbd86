// Reading targets between their frames: cubics through the four frames around a moment. Between
// frames 5 ms apart that is right to a micrometre for anything a motor can do.
#include <math.h>

#include "design/retarget/retarget_search.h"

// Weights of the four frames around x in [0, 1] by Lagrange's formula, at -1, 0, 1 and 2.
static void cubic_weights(double x, double w[4]) {
  w[0] = -x * (x - 1) * (x - 2) / 6;
  w[1] = (x + 1) * (x - 1) * (x - 2) / 2;
  w[2] = -(x + 1) * x * (x - 2) / 2;
  w[3] = (x + 1) * x * (x - 1) / 6;
}

static lb_transform pose_at(const lb_targets* g, int track, double time) {
  const double at = fmin(fmax(time / g->every, 0), g->nframe - 1);
  const int first = g->nframe < 4 ? 0 : (int)fmin(fmax(floor(at) - 1, 0), g->nframe - 4);
  double w[4] = {1, 0, 0, 0};
  if (g->nframe >= 4) {
    cubic_weights(at - first - 1, w);
  }
  lb_transform sum = {{0, 0, 0, 0}, {0, 0, 0}};
  const lb_quat reference = g->pose[(size_t)first * (size_t)g->ntrack + (size_t)track].q;
  for (int k = 0; k < 4 && first + k < g->nframe; k++) {
    const lb_transform X = g->pose[(size_t)(first + k) * (size_t)g->ntrack + (size_t)track];
    // a quaternion and its negative are the same rotation: keep to one side
    const double side =
        X.q.w * reference.w + X.q.x * reference.x + X.q.y * reference.y + X.q.z * reference.z;
    const double s = side < 0 ? -w[k] : w[k];
    sum.p = lb_vec3_add(sum.p, lb_vec3_scale(w[k], X.p));
    sum.q = (lb_quat){sum.q.w + s * X.q.w, sum.q.x + s * X.q.x, sum.q.y + s * X.q.y,
                      sum.q.z + s * X.q.z};
  }
  sum.q = lb_quat_normalise(sum.q);
  return sum;
}

void lb_targets_read(const lb_targets* targets, const lb_retarget* r, int track, double time,
                     lb_aim* aim) {
  const lb_transform X = pose_at(targets, track, time);
  aim->p = lb_v4_from(lb_transform_point(X, r->track[track].point));
  aim->R = lb_m3_rotation(X.q);
}
