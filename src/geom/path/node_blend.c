// Points that come in over a part of a coordinate. Where point i counts by c_i, it lies between the
// place y_i that it has and the middle of its neighbours, which is on the path without it:
//
//   (7)  G_i = x_i - c_i y_i - (1 - c_i) (x_(i-1) + x_(i+1))/2 = 0
//
// Several of them in a row that do not count are thus spread evenly along the straight line between
// the points before and after, and change nothing.
#include <string.h>

#include "geom/path/node_group.h"

// From 0 at -1 to 1 at 1, with derivatives: h' of (1).
static void step(double x, double s[4]) {
  double h[5];
  lb_wrap_swelling(x, h);
  memcpy(s, h + 1, 4 * sizeof *s);
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

// Derivative of G_i by a place, the same along each axis.
static void put(const lb_node_group* g, lb_group_slopes* to, int n, int i, int node, int place,
                double by) {
  const int size = 3 * g->n, numbers = lb_group_numbers(g);
  for (int k = 0; k < 3; k++) {
    if (node >= 0) {
      to->by_x[n][(3 * i + k) * size + 3 * node + k] += by;
    } else {
      to->by_z[n][(3 * i + k) * numbers + 3 * place + k] += by;
    }
  }
}

// Point of G_i before (0) and after (1) it: a node, or a place.
static const lb_path_end* neighbour(const lb_node_group* g, const lb_group_motion* m, int i,
                                    int side, int* node) {
  *node = side == 0 ? i - 1 : i + 1 < g->n ? i + 1 : -1;
  return *node >= 0 ? &m->x[*node] : &m->place[side];
}

// Coefficient n of a number of a place.
static double part(const lb_path_end* e, int n, int k) {
  const lb_vec3* v = n == 0 ? &e->x : n == 1 ? &e->xd : &e->xdd;
  return (n == 2 ? 0.5 : 1) * (&v->x)[k];
}

// With the coefficients of c_i, of its slope by the coordinate and of the way from the middle.
LB_TAYLOR_INLINE void linearise(int N, const lb_node_group* g, const lb_group_motion* m,
                                lb_group_slopes* out) {
  const int numbers = lb_group_numbers(g);
  lb_group_slopes_clear(N, g, true, out);
  for (int i = 0; i < g->n; i++) {
    double w[4];
    int node[2];
    const double* q = m->coordinate[i];
    lb_node_range_weight(&g->range[i], q[0], w);
    const double c[] = {w[0], w[1] * q[1], 0.5 * (w[2] * q[1] * q[1] + w[1] * q[2])};
    const double slope[] = {w[1], w[2] * q[1], 0.5 * (w[3] * q[1] * q[1] + w[2] * q[2])};
    const lb_path_end *a = neighbour(g, m, i, 0, &node[0]), *b = neighbour(g, m, i, 1, &node[1]);
    double way[3][3], off[3][3]; // from the middle: of the point, of the node
    for (int n = 0; n <= N; n++) {
      for (int k = 0; k < 3; k++) {
        const double middle = 0.5 * (part(a, n, k) + part(b, n, k));
        way[n][k] = part(&m->place[2 + i], n, k) - middle;
        off[n][k] = part(&m->x[i], n, k) - middle;
      }
      const double left = 0.5 * ((n == 0) - c[n]);
      put(g, out, n, i, i, 0, n == 0);
      put(g, out, n, i, node[0], 0, -left);
      put(g, out, n, i, node[1], 1, -left);
      put(g, out, n, i, -1, 2 + i, -c[n]);
    }
    for (int n = 0; n <= N; n++) {
      for (int k = 0; k < 3; k++) {
        double* by = &out->by_z[n][(3 * i + k) * numbers + 3 * g->nplace + i];
        out->G[n][3 * i + k] = off[n][k];
        for (int j = 0; j <= n; j++) {
          out->G[n][3 * i + k] -= c[j] * way[n - j][k];
          *by -= slope[j] * way[n - j][k];
        }
      }
    }
  }
}

static void blend_linearise(int N, const lb_node_group* g, const lb_group_motion* m, bool by_z,
                            lb_group_slopes* out) {
  (void)by_z; // it costs nothing
#define LINEARISE(N) linearise(N, g, m, out)
  LB_TAYLOR_ORDERS(LINEARISE)
}

const lb_group_type lb_group_blend = {blend_linearise};
