// Junctions of surfaces in a row: each lies on the straight piece between two surfaces. The path
// to it, over the one before, and that from it, over the one after, have the same direction there,
// and it is halfway between the feet of both surfaces on that line, which are where it touches:
//
//   (6)  G_k = e_out,k - e_in,k+1 + e_out,k (t_out,k + t_in,k+1)/l = 0
//
// t being where the foot of a surface is from the junction along its own path, and l the length of
// both paths. Directions are unit vectors, so that their difference has nothing along them, to
// first order, and three equations are left. Feet count as on these paths, by a smooth clamp.
// Nothing asks whether surfaces are sharp. A span between points that coincide has no direction: G
// is no number there, which is a singular group (node_group.h), whose nodes rest.
//
// All that a surface has to do with this are nine functions of the ends p and q of its span, in its
// own frame: two directions, a length and two feet. One path with its derivatives by p and q gives
// them. What follows from places and axes is put together by the chain rule, with
//
//   p = F'(x - o),   F = [x_tip - o, y_tip - o, their cross product],   e = F d
#include "geom/path/node_group.h"
#include "math/space/simd.h"

static const double MARGIN = 0.01; // of both paths to a junction, at their ends

// --- series without derivatives ---

typedef struct number {
  double c[LB_TAYLOR_ORDER + 1];
} number;
typedef struct vector {
  lb_v4 c[LB_TAYLOR_ORDER + 1];
} vector;

LB_TAYLOR_INLINE number lane_of(int N, const lb_taylor* a, int lane) {
  number r = {{0}};
  for (int n = 0; n <= N; n++) {
    r.c[n] = lb_taylor_lane(a, n, lane);
  }
  return r;
}

LB_TAYLOR_INLINE number component(int N, const vector* a, int i) {
  number r = {{0}};
  for (int n = 0; n <= N; n++) {
    r.c[n] = a->c[n][i];
  }
  return r;
}

LB_TAYLOR_INLINE vector difference(int N, vector a, vector b) {
  for (int n = 0; n <= N; n++) {
    a.c[n] -= b.c[n];
  }
  return a;
}

// to += a s
LB_TAYLOR_INLINE void add_scaled(int N, vector* to, vector a, number s) {
  for (int n = 0; n <= N; n++) {
    for (int k = 0; k <= n; k++) {
      to->c[n] += a.c[k] * s.c[n - k];
    }
  }
}

LB_TAYLOR_INLINE vector scaled(int N, vector a, number s) {
  vector r = {{lb_v4_zero()}};
  add_scaled(N, &r, a, s);
  return r;
}

LB_TAYLOR_INLINE vector cross(int N, vector a, vector b) {
  vector r = {{lb_v4_zero()}};
  for (int n = 0; n <= N; n++) {
    r.c[n] = lb_v4_cross(a.c[0], b.c[n]);
    for (int k = 1; k <= n; k++) {
      r.c[n] += lb_v4_cross(a.c[k], b.c[n - k]);
    }
  }
  return r;
}

LB_TAYLOR_INLINE number dot(int N, vector a, vector b) {
  number r = {{0}};
  for (int n = 0; n <= N; n++) {
    r.c[n] = lb_v4_dot(a.c[0], b.c[n]);
    for (int k = 1; k <= n; k++) {
      r.c[n] += lb_v4_dot(a.c[k], b.c[n - k]);
    }
  }
  return r;
}

LB_TAYLOR_INLINE vector place_of(const lb_path_end* e) {
  return (vector){{lb_v4_from(e->x), lb_v4_from(e->xd), lb_v4_from(e->xdd) * 0.5}};
}

// A number with a lane of its own.
LB_TAYLOR_INLINE lb_taylor variable(int N, int lane, number a) {
  return lb_taylor_variable(lane, a.c[0], N > 0 ? a.c[1] : 0, N > 1 ? 2 * a.c[2] : 0);
}

// --- spans ---

// Places that a span follows from; its origin has the opposite of all others.
enum { FROM, TO, TIP_X, TIP_Y, GROUPS };

typedef struct gradient {
  vector by[GROUPS];
} gradient;

typedef struct span {
  vector axis[3], a, b; // F, and both ends from its origin
  vector turned[2][2];  // a and b: y_axis x a, a x x_axis
  lb_taylor3 in, out;   // directions, in the frame
  lb_taylor length, t_in, t_out;
} span;

LB_TAYLOR_INLINE lb_taylor3 stretch(int N, lb_taylor3 a, lb_vec3 s) {
  return (lb_taylor3){lb_taylor_scale(N, s.x, a.x), lb_taylor_scale(N, s.y, a.y),
                      lb_taylor_scale(N, s.z, a.z)};
}

// Foot of a surface on the line x + t u.
LB_TAYLOR_INLINE lb_taylor foot(int N, lb_vec3 s, lb_taylor3 x, lb_taylor3 u) {
  const lb_taylor3 r = stretch(N, x, s), v = stretch(N, u, s);
  return lb_taylor_scale(N, -1, lb_taylor_div(N, lb_taylor3_dot(N, r, v), lb_taylor3_dot(N, v, v)));
}

LB_TAYLOR_INLINE lb_taylor3 end_in(int N, const span* f, int lane, vector a) {
  return (lb_taylor3){variable(N, lane, dot(N, f->axis[0], a)),
                      variable(N, lane + 1, dot(N, f->axis[1], a)),
                      variable(N, lane + 2, dot(N, f->axis[2], a))};
}

LB_TAYLOR_INLINE void find_span(int N, const lb_node_group* g, const lb_group_motion* m, int s,
                                span* out) {
  const vector o = place_of(&m->place[2 + 3 * s]);
  lb_wrap_path path;
  out->axis[0] = difference(N, place_of(&m->place[3 + 3 * s]), o);
  out->axis[1] = difference(N, place_of(&m->place[4 + 3 * s]), o);
  out->axis[2] = cross(N, out->axis[0], out->axis[1]);
  out->a = difference(N, place_of(s > 0 ? &m->x[s - 1] : &m->place[0]), o);
  out->b = difference(N, place_of(s < g->n ? &m->x[s] : &m->place[1]), o);
  const lb_taylor3 p = end_in(N, out, LB_TAYLOR_P, out->a), q = end_in(N, out, LB_TAYLOR_Q, out->b);
  lb_wrap_over(N, g->wrap[s], &path, &p, &q);
  const lb_vec3 scales = lb_wrap_scales(g->wrap[s]);
  out->in = path.piece[0].along;
  out->out = path.piece[path.count - 1].along;
  out->length = *lb_wrap_length(&path);
  out->t_in = foot(N, scales, p, out->in);
  out->t_out = foot(N, scales, q, out->out);
}

LB_TAYLOR_INLINE void turn_ends(int N, span* f) {
  f->turned[0][0] = cross(N, f->axis[1], f->a);
  f->turned[0][1] = cross(N, f->a, f->axis[0]);
  f->turned[1][0] = cross(N, f->axis[1], f->b);
  f->turned[1][1] = cross(N, f->b, f->axis[0]);
}

// Gradient of a function of p and q by places.
LB_TAYLOR_INLINE gradient chain(int N, const span* f, const lb_taylor* of, bool axes) {
  gradient r = {{{{lb_v4_zero()}}}};
  for (int e = 0; e < 2; e++) {
    const vector end = e == 0 ? f->a : f->b;
    number by[3];
    for (int i = 0; i < 3; i++) {
      by[i] = lane_of(N, of, (e == 0 ? LB_TAYLOR_P : LB_TAYLOR_Q) + i);
      add_scaled(N, &r.by[e], f->axis[i], by[i]);
    }
    for (int t = 0; t < 2 && axes; t++) {
      add_scaled(N, &r.by[TIP_X + t], end, by[t]);
      add_scaled(N, &r.by[TIP_X + t], f->turned[e][t], by[2]);
    }
  }
  return r;
}

// Gradient of number i of a direction in the world, e = F d.
LB_TAYLOR_INLINE gradient chain_direction(int N, const span* f, const lb_taylor3* d,
                                          const gradient local[3], int i, bool axes) {
  static const lb_v4 UNIT[] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  gradient r = {{{{lb_v4_zero()}}}};
  for (int c = 0; c < 3; c++) {
    const number part = component(N, &f->axis[c], i);
    for (int k = 0; k < (axes ? GROUPS : TIP_X); k++) {
      add_scaled(N, &r.by[k], local[c].by[k], part);
    }
  }
  const number along[] = {lane_of(N, &d->x, 0), lane_of(N, &d->y, 0), lane_of(N, &d->z, 0)};
  for (int t = 0; t < 2 && axes; t++) {
    const vector unit = {{UNIT[i]}},
                 turn = t == 0 ? cross(N, f->axis[1], unit) : cross(N, unit, f->axis[0]);
    add_scaled(N, &r.by[TIP_X + t], unit, along[t]);
    add_scaled(N, &r.by[TIP_X + t], turn, along[2]);
  }
  return r;
}

LB_TAYLOR_INLINE vector direction(int N, const span* f, const lb_taylor3* d) {
  vector r = scaled(N, f->axis[0], lane_of(N, &d->x, 0));
  add_scaled(N, &r, f->axis[1], lane_of(N, &d->y, 0));
  add_scaled(N, &r, f->axis[2], lane_of(N, &d->z, 0));
  return r;
}

// --- feet ---

// The larger of t and low, smooth over w around it.
LB_TAYLOR_INLINE lb_taylor at_least(int N, lb_taylor t, lb_taylor low, lb_taylor w) {
  const lb_taylor x = lb_taylor_div(N, lb_taylor_sub(N, t, low), w);
  double h[5];
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

enum { OFF_T_OUT = 1, OFF_T_IN, OFF_BEFORE, OFF_AFTER }; // lanes

// How far a junction is from the middle of both feet, of the length of both paths.
LB_TAYLOR_INLINE lb_taylor find_off(int N, const span* before, const span* after) {
  const lb_taylor t1 = variable(N, OFF_T_OUT, lane_of(N, &before->t_out, 0)),
                  t2 = variable(N, OFF_T_IN, lane_of(N, &after->t_in, 0)),
                  l1 = variable(N, OFF_BEFORE, lane_of(N, &before->length, 0)),
                  b = variable(N, OFF_AFTER, lane_of(N, &after->length, 0)),
                  a = lb_taylor_scale(N, -1, l1);
  return lb_taylor_div(N, lb_taylor_add(N, clamp(N, t1, a, b), clamp(N, t2, a, b)),
                       lb_taylor_sub(N, b, a));
}

// --- equations ---

// Gradient of number i of G_k by the places of span s.
LB_TAYLOR_INLINE void put(int N, const lb_node_group* g, lb_group_slopes* to, int i, int s,
                          const gradient* by, bool axes) {
  const int size = 3 * g->n, numbers = lb_group_numbers(g);
  const int end[] = {s > 0 ? s - 1 : -1, s < g->n ? s : -1}; // nodes, or places
  for (int n = 0; n <= N; n++) {
    double *x = to->by_x[n] + i * size, *z = to->by_z[n] + i * numbers;
    for (int e = 0; e < 2; e++) {
      double* at = end[e] >= 0 ? x + 3 * end[e] : axes ? z + 3 * e : NULL;
      for (int j = 0; j < 3 && at; j++) {
        at[j] += by->by[e].c[n][j];
      }
    }
    for (int j = 0; j < 3 && axes; j++) {
      const double tip[] = {by->by[TIP_X].c[n][j], by->by[TIP_Y].c[n][j]};
      z[3 * (2 + 3 * s) + j] -= by->by[FROM].c[n][j] + by->by[TO].c[n][j] + tip[0] + tip[1];
      z[3 * (3 + 3 * s) + j] += tip[0];
      z[3 * (4 + 3 * s) + j] += tip[1];
    }
  }
}

// What one span does to the equations of a junction: that before it, or that after it.
LB_TAYLOR_INLINE void put_span(int N, const lb_node_group* g, lb_group_slopes* to, int k, int s,
                               const span* f, const vector* E, const lb_taylor* off, bool axes) {
  const bool before = s == k;
  const lb_taylor3* d = before ? &f->out : &f->in;
  const gradient local[] = {chain(N, f, &d->x, axes), chain(N, f, &d->y, axes),
                            chain(N, f, &d->z, axes)};
  const gradient t = chain(N, f, before ? &f->t_out : &f->t_in, axes),
                 l = chain(N, f, &f->length, axes);
  const number by_t = lane_of(N, off, before ? OFF_T_OUT : OFF_T_IN),
               by_l = lane_of(N, off, before ? OFF_BEFORE : OFF_AFTER);
  number whole = {{-1}}; // of the direction
  if (before) {
    whole = lane_of(N, off, 0);
    whole.c[0] += 1;
  }
  gradient feet = {{{{lb_v4_zero()}}}};
  for (int j = 0; j < (axes ? GROUPS : TIP_X); j++) {
    add_scaled(N, &feet.by[j], t.by[j], by_t);
    add_scaled(N, &feet.by[j], l.by[j], by_l);
  }
  for (int i = 0; i < 3; i++) {
    const gradient e = chain_direction(N, f, d, local, i, axes);
    const number along = component(N, E, i);
    gradient sum = {{{{lb_v4_zero()}}}};
    for (int j = 0; j < (axes ? GROUPS : TIP_X); j++) {
      add_scaled(N, &sum.by[j], e.by[j], whole);
      add_scaled(N, &sum.by[j], feet.by[j], along);
    }
    put(N, g, to, 3 * k + i, s, &sum, axes);
  }
}

LB_TAYLOR_INLINE void linearise(int N, const lb_node_group* g, const lb_group_motion* m, bool by_z,
                                lb_group_slopes* out) {
  span f[LB_ROW_MOST];
  lb_group_slopes_clear(N, g, by_z, out);
  for (int s = 0; s <= g->n; s++) {
    find_span(N, g, m, s, &f[s]);
    if (by_z) {
      turn_ends(N, &f[s]);
    }
  }
  for (int k = 0; k < g->n; k++) {
    const lb_taylor off = find_off(N, &f[k], &f[k + 1]);
    const vector E = direction(N, &f[k], &f[k].out), I = direction(N, &f[k + 1], &f[k + 1].in);
    number whole = lane_of(N, &off, 0);
    whole.c[0] += 1;
    const vector G = difference(N, scaled(N, E, whole), I);
    for (int i = 0; i < 3; i++) {
      for (int n = 0; n <= N; n++) {
        out->G[n][3 * k + i] = G.c[n][i];
      }
    }
    put_span(N, g, out, k, k, &f[k], &E, &off, by_z);
    put_span(N, g, out, k, k + 1, &f[k + 1], &E, &off, by_z);
  }
}

static void row_linearise(int N, const lb_node_group* g, const lb_group_motion* m, bool by_z,
                          lb_group_slopes* out) {
#define LINEARISE(N) linearise(N, g, m, by_z, out)
  LB_TAYLOR_ORDERS(LINEARISE)
}

const lb_group_type lb_group_row = {row_linearise};
