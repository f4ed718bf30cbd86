// Points that come in over a part of a coordinate. Where point i counts by c_i, it lies between the
// place y_i that it has and the middle of its neighbours, which is on the path without it:
//
//   (7)  G_i = x_i - c_i y_i - (1 - c_i) (x_(i-1) + x_(i+1))/2 = 0
//
// Several of them in a row that do not count are thus spread evenly along the straight line between
// the points before and after, and change nothing.
#include "geom/path/node_group.h"

// From 0 at -1 to 1 at 1, with derivatives: h' of (1).
static void step(double x, double s[4]) {
  static const double C = 315. / 256;
  double h[4];
  lb_wrap_swelling(x, h);
  const double u = 1 - x * x, inside = u > 0 && x > -1 ? 1 : 0;
  s[0] = h[1];
  s[1] = h[2];
  s[2] = h[3];
  s[3] = inside * C * 8 * u * u * (7 * x * x - 1);
}

// Factor of a bound: 1 where there is none.
static void bound(double at, double over, double way, double q, double s[4]) {
  if (!isfinite(at)) {
    s[0] = 1;
    s[1] = s[2] = s[3] = 0;
    return;
  }
  const double scale = way * 2 / over;
  step(scale * (q - at), s);
  s[1] *= scale;
  s[2] *= scale * scale;
  s[3] *= scale * scale * scale;
}

void lb_node_range_weight(const lb_node_range* b, double q, double c[4]) {
  double f[4], g[4];
  bound(b->at_least, b->over, 1, q, f);
  bound(b->at_most, b->over, -1, q, g);
  c[0] = f[0] * g[0];
  c[1] = f[1] * g[0] + f[0] * g[1];
  c[2] = f[2] * g[0] + 2 * f[1] * g[1] + f[0] * g[2];
  c[3] = f[3] * g[0] + 3 * f[2] * g[1] + 3 * f[1] * g[2] + f[0] * g[3];
}

LB_TAYLOR_INLINE void residual(int N, const lb_node_group* g, lb_taylor3* G,
                               const lb_taylor3* place, const lb_taylor* coordinate,
                               const lb_taylor3* x) {
  const lb_taylor half = lb_taylor_constant(0.5);
  for (int i = 0; i < g->n; i++) {
    double w[4];
    lb_node_range_weight(&g->range[i], lb_taylor_value(&coordinate[i]), w);
    const lb_taylor c = lb_taylor_apply(N, coordinate[i], w);
    const lb_taylor3 before = i > 0 ? x[i - 1] : place[0],
                     after = i + 1 < g->n ? x[i + 1] : place[1];
    const lb_taylor3 middle = lb_taylor3_scale(N, half, lb_taylor3_add(N, before, after));
    const lb_taylor3 way = lb_taylor3_sub(N, place[2 + i], middle);
    G[i] = lb_taylor3_sub(N, lb_taylor3_sub(N, x[i], middle), lb_taylor3_scale(N, c, way));
  }
}

static void blend_residual(int N, const lb_node_group* g, lb_taylor3* G, const lb_taylor3* place,
                           const lb_taylor* coordinate, const lb_taylor3* x) {
#define RESIDUAL(N) residual(N, g, G, place, coordinate, x)
  LB_TAYLOR_ORDERS(RESIDUAL)
}

const lb_group_type lb_group_blend = {blend_residual};
