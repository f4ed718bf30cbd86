// Distance of convex cores: Gilbert, Johnson and Keerthi's iteration (1988).
//
// v is the point of a simplex in a - b that is nearest to the origin. The support point w along -v
// bounds the distance from below by v.w / |v|; it is done when the bounds meet.
#include "geom/collide/gjk.h"

enum { GJK_MOST = 128 };
static const double ROUNDING = 4e-16; // of the scale
static const double MEET = 1e-14;     // of v.v
static const double TOUCH = 1e-12;    // of the scale: nearer than that is touching

lb_couple lb_couple_make(const lb_placed* a, const lb_placed* b) {
  const lb_mat3 T = lb_mat3_transpose(a->R);
  const lb_vec3 p = lb_mat3_apply(T, lb_vec3_sub(b->p, a->p));
  const lb_bounds x = a->c->box, y = b->c->box;
  const double scale = fabs(p.x) + fabs(p.y) + fabs(p.z) +
                       lb_vec3_norm(lb_vec3_sub(x.high, x.low)) +
                       lb_vec3_norm(lb_vec3_sub(y.high, y.low));
  return (lb_couple){.a = a->c,
                     .b = b->c,
                     .ka = lb_collider_kind_of(a->c),
                     .kb = lb_collider_kind_of(b->c),
                     .R = lb_mat3_mul(T, b->R),
                     .p = p,
                     .scale = scale};
}

lb_corner lb_couple_support(const lb_couple* c, lb_vec3 d) {
  lb_corner s;
  const lb_vec3 e = lb_mat3_apply_transposed(c->R, d);
  s.a = c->ka->support(c->a, d);
  s.b = lb_vec3_add(c->p, lb_mat3_apply(c->R, c->kb->support(c->b, lb_vec3_neg(e))));
  s.w = lb_vec3_sub(s.a, s.b);
  return s;
}

// --- nearest point of a simplex to the origin ---

static void keep(lb_simplex* s, int n, const int index[], const double weight[]) {
  lb_simplex out = {.n = n};
  for (int k = 0; k < n; k++) {
    out.corner[k] = s->corner[index[k]];
    out.weight[k] = weight[k];
  }
  *s = out;
}

static lb_vec3 nearest_of(const lb_simplex* s) {
  lb_vec3 v = {0, 0, 0};
  for (int k = 0; k < s->n; k++) {
    v = lb_vec3_along(v, s->weight[k], s->corner[k].w);
  }
  return v;
}

static void reduce_segment(lb_simplex* s, int i, int j) {
  const lb_vec3 a = s->corner[i].w, e = lb_vec3_sub(s->corner[j].w, a);
  const double length = lb_vec3_dot(e, e), t = length > 0 ? -lb_vec3_dot(a, e) / length : 0;
  if (t <= 0 || t >= 1) {
    keep(s, 1, (int[]){t <= 0 ? i : j}, (double[]){1});
  } else {
    keep(s, 2, (int[]){i, j}, (double[]){1 - t, t});
  }
}

// Simplices of the edges of triangle i, j, k, whichever is nearest.
static void reduce_edges(lb_simplex* s, const int v[3]) {
  lb_simplex best = *s;
  double least = INFINITY;
  for (int e = 0; e < 3; e++) {
    lb_simplex trial = *s;
    reduce_segment(&trial, v[e], v[(e + 1) % 3]);
    const lb_vec3 x = nearest_of(&trial);
    const double d = lb_vec3_dot(x, x);
    best = d < least ? trial : best;
    least = d < least ? d : least;
  }
  *s = best;
}

static void reduce_triangle(lb_simplex* s, int i, int j, int k) {
  const int v[3] = {i, j, k};
  const lb_vec3 a = s->corner[i].w, b = s->corner[j].w, c = s->corner[k].w;
  const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(b, a), lb_vec3_sub(c, a));
  const double area = lb_vec3_dot(n, n);
  const double w0 = lb_vec3_dot(n, lb_vec3_cross(b, c)), w1 = lb_vec3_dot(n, lb_vec3_cross(c, a)),
               w2 = lb_vec3_dot(n, lb_vec3_cross(a, b));
  if (area > 0 && w0 > 0 && w1 > 0 && w2 > 0) {
    const double sum = w0 + w1 + w2;
    keep(s, 3, v, (double[]){w0 / sum, w1 / sum, w2 / sum});
  } else {
    reduce_edges(s, v);
  }
}

// The nearest of the faces that the origin lies outside of; false: inside all four.
static bool reduce_tetrahedron(lb_simplex* s) {
  static const int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  lb_simplex best = *s;
  double least = INFINITY;
  for (int f = 0; f < 4; f++) {
    const int* v = face[f];
    const lb_vec3 a = s->corner[v[0]].w;
    const lb_vec3 n =
        lb_vec3_cross(lb_vec3_sub(s->corner[v[1]].w, a), lb_vec3_sub(s->corner[v[2]].w, a));
    const double inner = lb_vec3_dot(n, lb_vec3_sub(s->corner[v[3]].w, a));
    const double here = -lb_vec3_dot(n, a);
    if (inner != 0 && here * inner > 0) {
      continue; // on the inner side of this face
    }
    lb_simplex trial = *s;
    reduce_triangle(&trial, v[0], v[1], v[2]);
    const lb_vec3 x = nearest_of(&trial);
    const double d = lb_vec3_dot(x, x);
    best = d < least ? trial : best;
    least = d < least ? d : least;
  }
  *s = best;
  return least < INFINITY;
}

static bool reduce(lb_simplex* s) {
  switch (s->n) {
  case 1:
    s->weight[0] = 1;
    return true;
  case 2:
    reduce_segment(s, 0, 1);
    return true;
  case 3:
    reduce_triangle(s, 0, 1, 2);
    return true;
  default:
    return reduce_tetrahedron(s);
  }
}

static bool holds(const lb_simplex* s, lb_vec3 w) {
  bool found = false;
  for (int k = 0; k < s->n; k++) {
    const lb_vec3 x = s->corner[k].w;
    found = found || (x.x == w.x && x.y == w.y && x.z == w.z);
  }
  return found;
}

static void finish(lb_core_gap* out, lb_vec3 v) {
  const lb_simplex* s = &out->simplex;
  out->distance = lb_vec3_norm(v);
  out->normal = lb_vec3_unit_or(v, (lb_vec3){0, 0, 1});
  out->point_a = out->point_b = (lb_vec3){0, 0, 0};
  for (int k = 0; k < s->n; k++) {
    out->point_a = lb_vec3_along(out->point_a, s->weight[k], s->corner[k].a);
    out->point_b = lb_vec3_along(out->point_b, s->weight[k], s->corner[k].b);
  }
}

bool lb_gjk(const lb_couple* c, lb_vec3 start, double most, lb_core_gap* out) {
  const double touch = TOUCH * c->scale;
  const bool guess = lb_vec3_dot(start, start) > 0;
  const lb_vec3 first = guess                         ? start
                        : lb_vec3_dot(c->p, c->p) > 0 ? lb_vec3_neg(c->p)
                                                      : lb_vec3_make(1, 0, 0);
  *out = (lb_core_gap){.simplex = {.n = 1, .weight = {1}}};
  lb_simplex* s = &out->simplex;
  s->corner[0] = lb_couple_support(c, lb_vec3_neg(first));
  lb_vec3 v = s->corner[0].w;
  for (out->iterations = 1; out->iterations < GJK_MOST; out->iterations++) {
    const double v2 = lb_vec3_dot(v, v), length = sqrt(v2);
    if (!(length > touch)) {
      return false;
    }
    const lb_corner w = lb_couple_support(c, lb_vec3_neg(v));
    const double bound = lb_vec3_dot(v, w.w);
    if (bound > most * length && bound > 0) { // apart by more than is asked for
      finish(out, v);
      out->distance = bound / length;
      return true;
    }
    if (v2 - bound <= MEET * v2 + ROUNDING * c->scale * length || holds(s, w.w)) {
      finish(out, v);
      return true;
    }
    const lb_simplex before = *s;
    s->corner[s->n++] = w;
    if (!reduce(s)) {
      return false;
    }
    const lb_vec3 next = nearest_of(s);
    if (!(lb_vec3_dot(next, next) < v2)) { // rounding: no nearer than before
      *s = before;
      finish(out, v);
      return true;
    }
    v = next;
  }
  out->bounded = true;
  finish(out, v);
  return true;
}
