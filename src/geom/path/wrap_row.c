// Junctions of surfaces in a row: each lies on the straight piece between two surfaces. The path
// to it, over the one before, and that from it, over the one after, have the same direction there,
// and it is halfway between the feet of both surfaces on that line, which are where it touches:
//
//   (6)  G_k = e_out,k - e_in,k+1 + e_out,k (t_k + t_k+1)/l = 0
//
// t being where a foot is from the junction along the line, and l the length of both paths.
// Directions are unit vectors, so that their difference has nothing along them, to first order, and
// three equations are left. Feet count as on these paths, by a smooth clamp. Nothing asks whether
// surfaces are sharp.
#include "geom/path/node_group.h"

static const double MARGIN = 0.01; // of both paths to a junction, at their ends

typedef struct frame {
  lb_taylor3 o, x, y, z;
} frame;

LB_TAYLOR_INLINE frame frame_of(int N, const lb_taylor3* tips) {
  frame f = {.o = tips[0],
             .x = lb_taylor3_sub(N, tips[1], tips[0]),
             .y = lb_taylor3_sub(N, tips[2], tips[0])};
  f.z = lb_taylor3_cross(N, f.x, f.y);
  return f;
}

LB_TAYLOR_INLINE lb_taylor3 turn_into(int N, const frame* f, lb_taylor3 a) {
  return (lb_taylor3){lb_taylor3_dot(N, f->x, a), lb_taylor3_dot(N, f->y, a),
                      lb_taylor3_dot(N, f->z, a)};
}

LB_TAYLOR_INLINE lb_taylor3 turn_out(int N, const frame* f, lb_taylor3 a) {
  return lb_taylor3_add(
      N, lb_taylor3_scale(N, a.x, f->x),
      lb_taylor3_add(N, lb_taylor3_scale(N, a.y, f->y), lb_taylor3_scale(N, a.z, f->z)));
}

LB_TAYLOR_INLINE lb_taylor3 stretch(int N, lb_taylor3 a, lb_vec3 s) {
  return (lb_taylor3){lb_taylor_scale(N, s.x, a.x), lb_taylor_scale(N, s.y, a.y),
                      lb_taylor_scale(N, s.z, a.z)};
}

// Foot of a surface on the line x + t u.
LB_TAYLOR_INLINE lb_taylor foot(int N, const lb_wrap* w, const frame* f, lb_taylor3 x,
                                lb_taylor3 u) {
  const lb_vec3 s = lb_wrap_scales(w);
  const lb_taylor3 r = stretch(N, turn_into(N, f, lb_taylor3_sub(N, x, f->o)), s);
  const lb_taylor3 v = stretch(N, turn_into(N, f, u), s);
  return lb_taylor_scale(N, -1, lb_taylor_div(N, lb_taylor3_dot(N, r, v), lb_taylor3_dot(N, v, v)));
}

// The larger of t and low, smooth over w around it.
LB_TAYLOR_INLINE lb_taylor at_least(int N, lb_taylor t, lb_taylor low, lb_taylor w) {
  const lb_taylor x = lb_taylor_div(N, lb_taylor_sub(N, t, low), w);
  double h[4];
  lb_wrap_swelling(lb_taylor_value(&x), h);
  return lb_taylor_add(N, low, lb_taylor_mul(N, w, lb_taylor_apply(N, x, h)));
}

// t between a and b, less a margin.
LB_TAYLOR_INLINE lb_taylor clamp(int N, lb_taylor t, lb_taylor a, lb_taylor b) {
  const lb_taylor w = lb_taylor_scale(N, MARGIN, lb_taylor_sub(N, b, a));
  const double at = lb_taylor_value(&t), margin = 2 * lb_taylor_value(&w);
  if (at > lb_taylor_value(&a) + margin && at < lb_taylor_value(&b) - margin) {
    return t;
  }
  const lb_taylor low = at_least(N, t, lb_taylor_add(N, a, w), w);
  const lb_taylor high = lb_taylor_sub(N, b, w);
  return lb_taylor_scale(N, -1,
                         at_least(N, lb_taylor_scale(N, -1, low), lb_taylor_scale(N, -1, high), w));
}

LB_TAYLOR_INLINE lb_taylor3 direction(int N, const frame* f, const lb_path_piece* piece) {
  return turn_out(N, f, piece->along);
}

LB_TAYLOR_INLINE void residual(int N, const lb_node_group* g, lb_taylor3* G,
                               const lb_taylor3* place, const lb_taylor3* x) {
  frame f[LB_ROW_MOST];
  lb_taylor3 in[LB_ROW_MOST], out[LB_ROW_MOST];
  lb_taylor length[LB_ROW_MOST];
  for (int s = 0; s <= g->n; s++) {
    const lb_taylor3 from = s > 0 ? x[s - 1] : place[0], to = s < g->n ? x[s] : place[1];
    lb_wrap_path path;
    f[s] = frame_of(N, place + 2 + 3 * s);
    const lb_taylor3 p = turn_into(N, &f[s], lb_taylor3_sub(N, from, f[s].o));
    const lb_taylor3 q = turn_into(N, &f[s], lb_taylor3_sub(N, to, f[s].o));
    lb_wrap_over(N, g->wrap[s], &path, &p, &q);
    in[s] = direction(N, &f[s], &path.piece[0]);
    out[s] = direction(N, &f[s], &path.piece[path.count - 1]);
    length[s] = *lb_wrap_length(&path);
  }
  for (int k = 0; k < g->n; k++) {
    const lb_taylor3 u = out[k];
    const lb_taylor a = lb_taylor_scale(N, -1, length[k]), b = length[k + 1];
    const lb_taylor t1 = clamp(N, foot(N, g->wrap[k], &f[k], x[k], u), a, b);
    const lb_taylor t2 = clamp(N, foot(N, g->wrap[k + 1], &f[k + 1], x[k], u), a, b);
    const lb_taylor off = lb_taylor_div(N, lb_taylor_add(N, t1, t2), lb_taylor_sub(N, b, a));
    G[k] = lb_taylor3_add(N, lb_taylor3_sub(N, u, in[k + 1]), lb_taylor3_scale(N, off, u));
  }
}

static void row_residual(int N, const lb_node_group* g, lb_taylor3* G, const lb_taylor3* place,
                         const lb_taylor* coordinate, const lb_taylor3* x) {
  (void)coordinate;
#define RESIDUAL(N) residual(N, g, G, place, x)
  LB_TAYLOR_ORDERS(RESIDUAL)
}

const lb_group_type lb_group_row = {row_residual};
