// Motions along one screw by a function of a coordinate, Q = exp(screw f(q)): one of the axes of a
// joint whose coordinate does several things at once, as a knee rolls, slides and turns. All of its
// derivatives are those of f, along the screw:
//
//   S = f' screw,   dS/dq = f'' screw,   b = f'' qd^2 screw,   db/dq = f''' qd^2 screw
#include <math.h>

#include "math/curve/chart.h"
#include "math/curve/time_profile.h"

static void multiply(lb_chart_at* at, const lb_factor* f, int n, const double* q, const double* qd,
                     lb_chart_order order) {
  const double x = q[f->first];
  double v[3] = {x, 1, 0}, third = 0;
  if (f->profile) {
    lb_profile_evaluate(f->profile, x, v);
  }
  if (f->profile && order >= LB_CHART_BEND) {
    third = lb_profile_third(f->profile, x) * qd[f->first] * qd[f->first];
  }
  const lb_jet jet = {.f = v[0], .g = {v[1]}, .h = {{v[2]}}, .c = {third}};
  lb_chart_multiply_screw(at, n, f->first, 1, f->screw, &jet, qd, order);
}

// Places over the keys of a function, or over a turn. Nothing comes again: others may share the
// coordinate.
static void grid(const lb_factor* f, lb_chart_grid* grid) {
  enum { TRIES = 9 };
  const lb_profile* p = f->profile;
  const bool keys = p && !p->endless, turns = lb_v4_dot(f->screw.w, f->screw.w) > 0;
  const double from = keys ? p->time[0] : -M_PI, to = keys ? p->time[p->npiece] : M_PI;
  const int tries = keys || turns ? TRIES : 1;
  if (!f->follows) {
    lb_chart_grid_set(grid, f->first, tries, tries > 1 ? from : 0, (to - from) / (TRIES - 1), 0);
  }
}

const lb_factor_type lb_factor_function = {.multiply = multiply, .grid = grid};
