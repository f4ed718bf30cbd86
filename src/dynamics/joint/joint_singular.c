// Steps that angles do not come through.
//
// A body whose third axis turns at a speed w past the first, at a distance b, turns on as smoothly
// as ever, with any spin about its axis. Its angles do not: with s the way past the place,
//
//   distance = sqrt(b^2 + s^2),   first angle = -third angle = atan(s/b),   s = w t
//
// so that within a time b/w two of them turn by about half a turn, against each other, and the
// middle one is reflected. Of this a step of h sees r = h w/b at a time. For r = 1/3 the energy
// that rk4 gains or loses in passing is up to 3e-4 of all, for r = 1/5 5e-5, and for r > 2 it is
// anything (tests/solve/test_singular_angles.c). Far beyond, r > 1e5, the place is come through in
// one step with hardly a turn of the others, which is right.
//
// So a step cannot be followed where
//
//   (1)  the place is nearer than `reach` steps: volume < reach h w       (chart_volume.c)
//   (2)  angles turned against each other in it, by more than IDLE
//
// (2) alone is true of many a good step, and (1) of a hinge that swings through the place in a
// plane, as it should. Neither asks for what kind of joint it is. Steps in which bodies turn far,
// as where gaps close all at once, have every place within their reach; those that are not NEAR in
// any case do not count.
#include <math.h>

#include "dynamics/joint/joint.h"
#include "math/curve/chart.h"

static const double IDLE = 0.01; // [rad] beyond which energy is off by more than a thousandth

static const double NEAR = 0.3; // the volume

static bool moved_far(const double* dq, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += dq[k] * dq[k];
  }
  return sum > IDLE * IDLE;
}

// Inertia of rotors; at least, since the link may carry others.
static void weigh_rotors(const lb_model* m, const lb_link* l, double* own) {
  const double inertia = fmax(l->I0.x[0], fmax(l->I0.y[1], l->I0.z[2]));
  for (int k = 0; k < l->chart->n; k++) {
    const double rotor = m->dof.armature[l->v + k];
    own[k] = rotor > 0 && inertia > 0 ? sqrt(rotor / inertia) : rotor > 0;
  }
}

static bool is_unfollowed(const lb_model* m, const lb_link* l, const double* from,
                          const double* rates, const double* q, double h, double reach) {
  const int n = l->chart->n;
  double dq[LB_CHART_MOST], own[LB_CHART_MOST];
  lb_chart_at before, after;
  for (int k = 0; k < n; k++) {
    dq[k] = q[l->q + k] - from[l->q + k];
  }
  if (n < 2 || !moved_far(dq, n)) { // as most are
    return false;
  }
  lb_chart_evaluate(l->chart, &before, from + l->q, rates + l->v, LB_CHART_MOVE);
  if (lb_chart_idle_turn(&before, n, dq) <= IDLE) {
    return false;
  }
  lb_chart_evaluate(l->chart, &after, q + l->q, NULL, LB_CHART_PLACE);
  weigh_rotors(m, l, own);
  const double volume = fmin(lb_chart_volume(&before, n, own), lb_chart_volume(&after, n, own));
  return volume < fmin(NEAR, reach * h * lb_chart_pace(&before, n, dq));
}

int lb_unfollowed_joint(const lb_model* m, const double* from, const double* rates, const double* q,
                        double h, double reach) {
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    if (l->chart && is_unfollowed(m, l, from, rates, q, h, reach)) {
      return m->link.joint[i];
    }
  }
  return -1;
}
