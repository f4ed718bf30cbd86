// Random colliders at random poses, and their distance by methods that share nothing with the
// library's: all features of polyhedra, and a search over directions for round shapes.
#pragma once
#include "geom/collide/collide.h"
#include "test.h"

enum { CASE_POINTS = 24 };

// A collider with its definition; `point` are the vertices of a hull.
typedef struct lb_case {
  lb_collider_def def;
  lb_collider c;
  lb_transform X;
  lb_placed placed;
  lb_vec3 point[CASE_POINTS];
  lb_mesh mesh;
} lb_case;

static inline lb_vec3 random_vec3(lb_random* r, double size) {
  const double x = lb_random_between(r, -size, size), y = lb_random_between(r, -size, size);
  return lb_vec3_make(x, y, lb_random_between(r, -size, size));
}

static inline lb_transform random_pose(lb_random* r, double distance) {
  const lb_quat q = {lb_random_between(r, -1, 1), lb_random_between(r, -1, 1),
                     lb_random_between(r, -1, 1), lb_random_between(r, -1, 1)};
  return (lb_transform){lb_quat_normalise(q), random_vec3(r, distance)};
}

static inline void place_case(lb_case* x, lb_transform X) {
  x->X = X;
  x->placed = lb_placed_make(&x->c, X);
}

static inline void random_case(lb_random* r, lb_collider_type type, lb_arena* arena, lb_case* x) {
  *x = (lb_case){.def = {.type = type}};
  x->def.size = lb_vec3_make(lb_random_between(r, 0.2, 1), lb_random_between(r, 0.2, 1),
                             lb_random_between(r, 0.2, 1));
  if (type == LB_COLLIDER_CONVEX) {
    const int n = 4 + (int)(lb_random_unit(r) * (CASE_POINTS - 4));
    for (int i = 0; i < n; i++) {
      x->point[i] = random_vec3(r, 1);
    }
    x->mesh = (lb_mesh){.nvertex = n, .vertex = x->point};
    x->def.mesh = &x->mesh;
  }
  lb_error err = lb_error_make(NULL);
  if (lb_collider_make(&x->def, arena, &x->c, &err) != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
}

// --- polyhedra by their features ---

enum { POLY_VERTICES = 32, POLY_EDGES = 128, POLY_FACES = 64 };
typedef struct lb_poly {
  int nv, ne, nf;
  lb_vec3 v[POLY_VERTICES];
  int e[POLY_EDGES][2];
  int f[POLY_FACES][3];
  double radius;
} lb_poly;

// Triangles of the hull of few points: all triples with everything on one side.
static inline void poly_hull(lb_poly* p) {
  p->nf = p->ne = 0;
  for (int i = 0; i < p->nv; i++) {
    for (int j = i + 1; j < p->nv; j++) {
      bool edge = false;
      for (int k = 0; k < p->nv; k++) {
        if (k == i || k == j) {
          continue;
        }
        const lb_vec3 n =
            lb_vec3_cross(lb_vec3_sub(p->v[j], p->v[i]), lb_vec3_sub(p->v[k], p->v[i]));
        int above = 0, below = 0;
        for (int m = 0; m < p->nv; m++) {
          const double h = lb_vec3_dot(n, lb_vec3_sub(p->v[m], p->v[i]));
          above += h > 1e-12;
          below += h < -1e-12;
        }
        if (above == 0 || below == 0) {
          edge = true;
          if (k > j && p->nf < POLY_FACES) {
            p->f[p->nf][0] = i, p->f[p->nf][1] = j, p->f[p->nf++][2] = k;
          }
        }
      }
      if (edge && p->ne < POLY_EDGES) {
        p->e[p->ne][0] = i, p->e[p->ne++][1] = j;
      }
    }
  }
}

static inline bool poly_of(const lb_case* x, lb_poly* p) {
  *p = (lb_poly){0};
  const lb_vec3 h = lb_vec3_scale(0.5, x->def.size);
  switch (x->def.type) {
  case LB_COLLIDER_SPHERE:
    p->nv = 1;
    p->radius = x->def.size.x;
    break;
  case LB_COLLIDER_CAPSULE:
    p->nv = 2;
    p->v[0].z = -h.y, p->v[1].z = h.y;
    p->ne = 1;
    p->e[0][1] = 1;
    p->radius = x->def.size.x;
    break;
  case LB_COLLIDER_BOX:
    p->nv = 8;
    for (int i = 0; i < 8; i++) {
      p->v[i] = lb_vec3_make(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
    }
    poly_hull(p);
    break;
  case LB_COLLIDER_CONVEX:
    p->nv = x->mesh.nvertex;
    for (int i = 0; i < p->nv; i++) {
      const lb_vec3 v = x->point[i], s = x->def.size;
      p->v[i] = lb_vec3_make(s.x * v.x, s.y * v.y, s.z * v.z);
    }
    poly_hull(p);
    break;
  default:
    return false;
  }
  for (int i = 0; i < p->nv; i++) {
    p->v[i] = lb_transform_point(x->X, p->v[i]);
  }
  return true;
}

static inline double segment_distance(lb_vec3 a, lb_vec3 b, lb_vec3 c, lb_vec3 d) {
  // the unconstrained minimum, or the best of the four ends against the other segment
  const lb_vec3 u = lb_vec3_sub(b, a), v = lb_vec3_sub(d, c), r = lb_vec3_sub(a, c);
  const lb_vec3 n = lb_vec3_cross(u, v);
  const double n2 = lb_vec3_dot(n, n);
  if (n2 > 1e-20) {
    const double s = lb_vec3_dot(lb_vec3_cross(v, r), n) / n2;
    const double t = lb_vec3_dot(lb_vec3_cross(u, r), n) / n2;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
      return fabs(lb_vec3_dot(r, n)) / sqrt(n2);
    }
  }
  double least = INFINITY;
  const lb_vec3 x[4] = {a, b, c, d}, from[4] = {c, c, a, a}, way[4] = {v, v, u, u};
  for (int k = 0; k < 4; k++) {
    const lb_vec3 w = lb_vec3_sub(x[k], from[k]);
    const double l = lb_vec3_dot(way[k], way[k]);
    const double t = l > 0 ? fmax(0, fmin(1, lb_vec3_dot(w, way[k]) / l)) : 0;
    least = fmin(least, lb_vec3_norm(lb_vec3_sub(w, lb_vec3_scale(t, way[k]))));
  }
  return least;
}

// Height over a triangle where the foot is inside, else infinite: the edges know the rest.
static inline double over_triangle(lb_vec3 x, lb_vec3 a, lb_vec3 b, lb_vec3 c) {
  const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(b, a), lb_vec3_sub(c, a));
  const lb_vec3 v[3] = {a, b, c};
  for (int k = 0; k < 3; k++) {
    const lb_vec3 e = lb_vec3_sub(v[(k + 1) % 3], v[k]);
    if (lb_vec3_dot(lb_vec3_cross(n, e), lb_vec3_sub(x, v[k])) < 0) {
      return INFINITY;
    }
  }
  return fabs(lb_vec3_dot(n, lb_vec3_sub(x, a))) / lb_vec3_norm(n);
}

static inline double separation_along(const lb_poly* a, const lb_poly* b, lb_vec3 n) {
  double low_a = INFINITY, high_a = -INFINITY, low_b = INFINITY, high_b = -INFINITY;
  for (int i = 0; i < a->nv; i++) {
    low_a = fmin(low_a, lb_vec3_dot(n, a->v[i]));
    high_a = fmax(high_a, lb_vec3_dot(n, a->v[i]));
  }
  for (int i = 0; i < b->nv; i++) {
    low_b = fmin(low_b, lb_vec3_dot(n, b->v[i]));
    high_b = fmax(high_b, lb_vec3_dot(n, b->v[i]));
  }
  return fmax(low_a - high_b, low_b - high_a);
}

static inline double try_axis(const lb_poly* a, const lb_poly* b, lb_vec3 n) {
  const double size = lb_vec3_norm(n);
  return size > 1e-9 ? separation_along(a, b, lb_vec3_scale(1 / size, n)) : -INFINITY;
}

// Largest separation over all normals of faces and pairs of edges.
static inline double poly_axes(const lb_poly* a, const lb_poly* b) {
  double most = -INFINITY;
  const lb_poly* x[2] = {a, b};
  for (int s = 0; s < 2; s++) {
    for (int k = 0; k < x[s]->nf; k++) {
      const int* f = x[s]->f[k];
      const lb_vec3* v = x[s]->v;
      most = fmax(most, try_axis(a, b,
                                 lb_vec3_cross(lb_vec3_sub(v[f[1]], v[f[0]]),
                                               lb_vec3_sub(v[f[2]], v[f[0]]))));
    }
  }
  for (int i = 0; i < a->ne; i++) {
    for (int j = 0; j < b->ne; j++) {
      const lb_vec3 u = lb_vec3_sub(a->v[a->e[i][1]], a->v[a->e[i][0]]);
      const lb_vec3 w = lb_vec3_sub(b->v[b->e[j][1]], b->v[b->e[j][0]]);
      most = fmax(most, try_axis(a, b, lb_vec3_cross(u, w)));
    }
  }
  return most;
}

static inline double poly_apart(const lb_poly* a, const lb_poly* b) {
  double least = INFINITY;
  const lb_poly* x[2] = {a, b};
  for (int s = 0; s < 2; s++) {
    const lb_poly *p = x[s], *q = x[!s];
    for (int i = 0; i < p->nv; i++) {
      for (int k = 0; k < q->nf; k++) {
        const int* f = q->f[k];
        least = fmin(least, over_triangle(p->v[i], q->v[f[0]], q->v[f[1]], q->v[f[2]]));
      }
      for (int k = 0; k < q->nv; k++) {
        least = fmin(least, lb_vec3_norm(lb_vec3_sub(p->v[i], q->v[k])));
      }
      for (int k = 0; k < q->ne; k++) {
        least = fmin(least, segment_distance(p->v[i], p->v[i], q->v[q->e[k][0]], q->v[q->e[k][1]]));
      }
    }
  }
  for (int i = 0; i < a->ne; i++) {
    for (int j = 0; j < b->ne; j++) {
      least = fmin(least, segment_distance(a->v[a->e[i][0]], a->v[a->e[i][1]], b->v[b->e[j][0]],
                                           b->v[b->e[j][1]]));
    }
  }
  return least;
}

static inline double poly_distance(const lb_poly* a, const lb_poly* b) {
  const double axes = poly_axes(a, b);
  // points and lines without a common axis are apart, or cross where nothing is enclosed
  const double d = axes > 0 || axes == -INFINITY ? poly_apart(a, b) : axes;
  return d - a->radius - b->radius;
}

// --- any convex shape by a search over directions ---

// Largest n.x over a shape, written anew for the search.
static inline double extent(const lb_case* s, lb_vec3 n) {
  const lb_vec3 d = lb_quat_rotate(lb_quat_conjugate(s->X.q), n), z = s->def.size;
  double h = 0;
  switch (s->def.type) {
  case LB_COLLIDER_SPHERE:
    h = z.x;
    break;
  case LB_COLLIDER_CAPSULE:
    h = z.x + z.y / 2 * fabs(d.z);
    break;
  case LB_COLLIDER_BOX:
    h = (z.x * fabs(d.x) + z.y * fabs(d.y) + z.z * fabs(d.z)) / 2;
    break;
  case LB_COLLIDER_CYLINDER:
    h = z.x * sqrt(d.x * d.x + d.y * d.y) + z.y / 2 * fabs(d.z);
    break;
  case LB_COLLIDER_ELLIPSOID:
    h = sqrt(z.x * z.x * d.x * d.x + z.y * z.y * d.y * d.y + z.z * z.z * d.z * d.z);
    break;
  default:
    h = -INFINITY;
    for (int i = 0; i < s->mesh.nvertex; i++) {
      const lb_vec3 v = s->point[i];
      h = fmax(h, z.x * v.x * d.x + z.y * v.y * d.y + z.z * v.z * d.z);
    }
  }
  return h + lb_vec3_dot(n, s->X.p);
}

static inline double gap_along(const lb_case* a, const lb_case* b, lb_vec3 n) {
  return -extent(a, lb_vec3_scale(-1, n)) - extent(b, n);
}

// Climb from n by ever smaller steps in eight directions.
static inline double climb_from(const lb_case* a, const lb_case* b, lb_vec3 n, double step,
                                double smallest) {
  double best = gap_along(a, b, n);
  for (int round = 0; round < 200 && step > smallest; round++) {
    const lb_vec3 e = fabs(n.x) < 0.6 ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0);
    lb_vec3 u = lb_vec3_cross(n, e);
    u = lb_vec3_scale(1 / lb_vec3_norm(u), u);
    const lb_vec3 v = lb_vec3_cross(n, u);
    bool better = false;
    for (int k = 0; k < 8; k++) {
      const double angle = 2 * M_PI * k / 8 + step * 1e3;
      lb_vec3 m = lb_vec3_add(
          n, lb_vec3_add(lb_vec3_scale(step * cos(angle), u), lb_vec3_scale(step * sin(angle), v)));
      m = lb_vec3_scale(1 / lb_vec3_norm(m), m);
      const double g = gap_along(a, b, m);
      if (g > best) {
        best = g;
        n = m;
        better = true;
        break;
      }
    }
    step = better ? step : step / 2;
  }
  return best;
}

static inline double searched_distance(const lb_case* a, const lb_case* b) {
  enum { GRID = 400, STARTS = 4 };
  lb_vec3 top[STARTS];
  double value[STARTS] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  for (int k = 0; k < GRID; k++) { // a spiral over the sphere
    const double z = 1 - (2 * k + 1.0) / GRID, r = sqrt(1 - z * z), t = k * 2.39996322972865332;
    const lb_vec3 n = {r * cos(t), r * sin(t), z};
    const double g = gap_along(a, b, n);
    int worst = 0;
    for (int i = 1; i < STARTS; i++) {
      worst = value[i] < value[worst] ? i : worst;
    }
    if (g > value[worst]) {
      value[worst] = g;
      top[worst] = n;
    }
  }
  double best = -INFINITY;
  for (int i = 0; i < STARTS; i++) {
    best = fmax(best, climb_from(a, b, top[i], 0.05, 1e-11));
  }
  return best;
}
