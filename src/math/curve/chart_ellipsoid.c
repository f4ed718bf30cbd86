// A place on an ellipsoid under the tip of a turned axis: p = (a n_x, b n_y, c n_z), where n is the
// z axis after turns q0 about x and q1 about the turned y,
//
//   n = (sin q1, -sin q0 cos q1, cos q0 cos q1)
//
// so that n is normal to the surface at p. Each coordinate of p is a product of functions of one
// angle, whose derivatives go in a circle.
#include <math.h>

#include "math/curve/chart.h"

// A function of one angle and its first three derivatives.
typedef struct circle {
  double d[4];
} circle;

static circle circle_make(double sine, double cosine, int turns) {
  const double of[4] = {sine, cosine, -sine, -cosine}; // d^k sin
  circle c;
  for (int k = 0; k < 4; k++) {
    c.d[k] = of[(k + turns) % 4];
  }
  return c;
}

// size u(q0) w(q1) and its derivatives.
static lb_jet product(double size, circle U, circle W, double v0, double v1) {
  const double *u = U.d, *w = W.d;
  return (lb_jet){
      .f = size * u[0] * w[0],
      .g = {size * u[1] * w[0], size * u[0] * w[1]},
      .h = {{size * u[2] * w[0], size * u[1] * w[1]}, {size * u[1] * w[1], size * u[0] * w[2]}},
      .c = {size * (u[3] * w[0] * v0 * v0 + 2 * u[2] * w[1] * v0 * v1 + u[1] * w[2] * v1 * v1),
            size * (u[2] * w[1] * v0 * v0 + 2 * u[1] * w[2] * v0 * v1 + u[0] * w[3] * v1 * v1)}};
}

static void multiply(lb_chart_at* at, const lb_factor* f, int n, const double* q, const double* qd,
                     lb_chart_order order) {
  const double x = q[f->first], y = q[f->first + 1];
  const bool moves = order >= LB_CHART_MOVE;
  const double v0 = moves ? qd[f->first] : 0, v1 = moves ? qd[f->first + 1] : 0;
  const circle one = {{1, 0, 0, 0}}, sy = circle_make(sin(y), cos(y), 0),
               cy = circle_make(sin(y), cos(y), 1), less_sx = circle_make(sin(x), cos(x), 2),
               cx = circle_make(sin(x), cos(x), 1);
  const lb_jet jet[3] = {product(f->p[0], one, sy, v0, v1), product(f->p[1], less_sx, cy, v0, v1),
                         product(f->p[2], cx, cy, v0, v1)};
  for (int k = 0; k < 3; k++) {
    const lb_motion along = {lb_v4_zero(), lb_v4_make(k == 0, k == 1, k == 2)};
    lb_chart_multiply_screw(at, n, f->first, 2, along, &jet[k], qd, order);
  }
}

const lb_factor_type lb_factor_ellipsoid = {.multiply = multiply};
