#include "solve/diagnose/diagnose_range.h"

#include <math.h>

// A direction in which the training hardly pulled may be pulled this part as hard as the hardest.
static const double QUIET = 0.1;

static lb_transform at(const lb_track* t, int frame, int body) {
  return t->pose[(size_t)frame * (size_t)t->nbody + (size_t)body];
}

// The turn from a to b as a vector in the world's axes.
static lb_vec3 turn(lb_quat a, lb_quat b) {
  const lb_quat d = lb_quat_mul(b, lb_quat_conjugate(a));
  const lb_vec3 v = {d.x, d.y, d.z};
  const double s = lb_vec3_norm(v), angle = 2 * atan2(s, fabs(d.w));
  return lb_vec3_scale(s > 0 ? copysign(angle / s, d.w) : 0, v);
}

bool lb_track_load(const lb_track* t, int frame, int body, int of, double load[6]) {
  const int before = frame - t->stride, after = frame + t->stride;
  if (before < 0 || after >= t->nframe) {
    return false;
  }
  const double h0 = t->time[frame] - t->time[before], h1 = t->time[after] - t->time[frame];
  const lb_transform a = at(t, before, of), b = at(t, frame, of), c = at(t, after, of);
  const lb_vec3 v0 = lb_vec3_scale(1 / h0, lb_vec3_sub(b.p, a.p));
  const lb_vec3 v1 = lb_vec3_scale(1 / h1, lb_vec3_sub(c.p, b.p));
  const lb_vec3 w0 = lb_vec3_scale(1 / h0, turn(a.q, b.q));
  const lb_vec3 w1 = lb_vec3_scale(1 / h1, turn(b.q, c.q));
  const double rate = 2 / (h0 + h1);
  const lb_quat back = lb_quat_conjugate(at(t, frame, body).q);
  const lb_vec3 linear =
      lb_quat_rotate(back, lb_vec3_sub(lb_vec3_scale(rate, lb_vec3_sub(v1, v0)), t->gravity));
  const lb_vec3 angular = lb_quat_rotate(back, lb_vec3_scale(rate, lb_vec3_sub(w1, w0)));
  const double all[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  for (int k = 0; k < 6; k++) {
    load[k] = all[k];
  }
  return true;
}

void lb_track_most(const lb_track* t, int body, int of, double most[6]) {
  for (int k = 0; k < 6; k++) {
    most[k] = 0;
  }
  for (int f = 0; f < t->nframe; f++) {
    double load[6];
    for (int k = 0; lb_track_load(t, f, body, of, load) && k < 6; k++) {
      most[k] = fmax(most[k], fabs(load[k]));
    }
  }
  for (int half = 0; half < 6; half += 3) {
    const double floor = QUIET * fmax(most[half], fmax(most[half + 1], most[half + 2]));
    for (int k = half; k < half + 3; k++) {
      most[k] = fmax(most[k], floor);
      most[k] = most[k] > 0 ? most[k] : INFINITY; // a training that never moved says nothing
    }
  }
}
