// Motions along one screw: Q = exp(screw f(q)). A turn, a shift, a helix where f is a coordinate.
// The screw is the same before and after, so that all derivatives are those of the number f, along
// it.
#include <math.h>

#include "math/curve/chart.h"
#include "math/space/se3.h"

static void place(lb_chart_at* E, lb_motion screw, double f) {
  const lb_vec3 w = lb_v4_vec3(screw.w * f);
  E->R = lb_m3_identity();
  E->p = screw.v * f;
  if (w.x != 0 || w.y != 0 || w.z != 0) {
    E->R = lb_m3_from(lb_so3_exp(w));
    E->p = lb_m3_apply(lb_m3_from(lb_so3_jacobian(LB_LEFT, w)), E->p);
  }
}

void lb_chart_multiply_screw(lb_chart_at* at, int n, int first, int count, lb_motion screw,
                             const lb_jet* f, const double* qd, lb_chart_order order) {
  lb_chart_at E;
  place(&E, screw, f->f);
  double speed = 0, bias = 0;
  for (int i = 0; i < count; i++) {
    E.S[i] = lb_motion_scale(f->g[i], screw);
    if (order >= LB_CHART_MOVE) {
      double along = 0; // d(f's rate)/dq_i
      for (int k = 0; k < count; k++) {
        E.T[i][k] = lb_motion_scale(f->h[i][k], screw);
        along += f->h[i][k] * qd[first + k];
      }
      E.rate[i] = lb_motion_scale(along, screw);
      E.curve[i] = lb_motion_scale(f->c[i], screw);
      speed += f->g[i] * qd[first + i];
      bias += along * qd[first + i];
    }
  }
  E.V = lb_motion_scale(speed, screw);
  E.b = lb_motion_scale(bias, screw);
  lb_chart_multiply(at, &E, n, first, count, order);
}

static void multiply(lb_chart_at* at, const lb_factor* f, int n, const double* q, const double* qd,
                     lb_chart_order order) {
  const lb_jet jet = {.f = q[f->first], .g = {1}};
  lb_chart_multiply_screw(at, n, f->first, 1, f->screw, &jet, qd, order);
}

// Three angles of a turn, and of a thread some turns each way.
static void grid(const lb_factor* f, lb_chart_grid* grid) {
  enum { THREADS = 8 };
  const double turn = sqrt(lb_v4_dot(f->screw.w, f->screw.w));
  const bool shifts = lb_v4_dot(f->screw.v, f->screw.v) > 0;
  const double whole = turn > 0 ? 2 * M_PI / turn : 0;
  const int around = turn == 0 ? 0 : shifts ? 3 * THREADS + 1 : 1;
  lb_chart_grid_set(grid, f->first, 2 * around + 1, -around * whole / 3, whole / 3,
                    shifts ? 0 : whole);
}

const lb_factor_type lb_factor_screw = {.multiply = multiply, .grid = grid};
