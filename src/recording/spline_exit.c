// Did coordinates stay on the splines that they run along?
#include <math.h>

#include "limber/recording.h"
#include "math/curve/chart.h"

// Margin, in segments: a little beyond its end a spline is as good as on it.
static const double MARGIN = 0.01;

lb_spline_exit lb_recording_spline_exit(const lb_recording* r, int joint) {
  const lb_model* m = r->model;
  const lb_chart* c = m->joint.link[joint] >= 0 ? m->link.chart[m->joint.link[joint]] : NULL;
  lb_spline_exit exit = {.left = false};
  for (int k = 0; c && k < c->n && !exit.left; k++) {
    const double end = lb_chart_end(c, k);
    const bool limited = m->dof.limit_stiffness[m->joint.v[joint] + k] > 0;
    for (int f = 0; f < r->nframe && isfinite(end) && !limited; f++) {
      const double q = r->q[(size_t)f * (size_t)m->nq + (size_t)(m->joint.q[joint] + k)];
      const double off = fmax(-q, q - end);
      if (off > MARGIN && !exit.left) {
        exit = (lb_spline_exit){true, k, r->time[f], q, end};
      } else if (exit.left && off > fmax(-exit.farthest, exit.farthest - end)) {
        exit.farthest = q;
      }
    }
  }
  return exit;
}
