// Depth of overlapping convex cores: the expanding polytope algorithm (van den Bergen 2001).
//
// A polytope inside a - b grows at the face nearest to the origin until that face is on the
// boundary. Its faces are triangles in a fixed pool; the bound of their number is a bound of the
// iterations.
#include "geom/collide/gjk.h"

enum { FACES = 320, CORNERS = 160 };

typedef struct face {
  int v[3];
  lb_vec3 normal;
  double distance;
  bool live;
} face;

typedef struct edge {
  int from, to;
} edge;

typedef struct polytope {
  const lb_couple* c;
  lb_corner corner[CORNERS];
  face f[FACES];
  int ncorner, nface;
} polytope;

static lb_vec3 at(const polytope* p, int i) {
  return p->corner[i].w;
}

// A face whose normal leads away from the polytope's inner point; one without area has none and is
// never the nearest.
static bool add_face(polytope* p, int a, int b, int c) {
  int i = 0;
  while (i < p->nface && p->f[i].live) {
    i++;
  }
  if (i == FACES) {
    return false;
  }
  p->nface = i == p->nface ? i + 1 : p->nface;
  face* f = &p->f[i];
  *f = (face){.v = {a, b, c}, .live = true};
  const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(at(p, b), at(p, a)), lb_vec3_sub(at(p, c), at(p, a)));
  const double size = lb_vec3_norm(n);
  f->normal = size > 0 ? lb_vec3_scale(1 / size, n) : n;
  f->distance = size > 0 ? lb_vec3_dot(f->normal, at(p, a)) : INFINITY;
  return true;
}

static double volume(const polytope* p, int d) {
  const lb_vec3 o = at(p, 0);
  return lb_vec3_dot(lb_vec3_cross(lb_vec3_sub(at(p, 1), o), lb_vec3_sub(at(p, 2), o)),
                     lb_vec3_sub(at(p, d), o));
}

// Next corner of the first simplex: the support point that spans it best, among some directions.
static void span(polytope* p) {
  const lb_vec3 o = at(p, 0);
  const lb_vec3 e = p->ncorner > 1 ? lb_vec3_sub(at(p, 1), o) : (lb_vec3){0, 0, 0};
  const lb_vec3 n =
      p->ncorner > 2 ? lb_vec3_cross(e, lb_vec3_sub(at(p, 2), o)) : (lb_vec3){0, 0, 0};
  double most = -1;
  lb_corner best = p->corner[0];
  for (int k = 0; k < 14; k++) {
    static const double axis[7][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 1},
                                      {1, -1, 1}, {1, 1, -1}, {-1, 1, 1}};
    const double way = k % 2 ? -1 : 1;
    lb_vec3 d = {way * axis[k / 2][0], way * axis[k / 2][1], way * axis[k / 2][2]};
    d = p->ncorner == 2 ? lb_vec3_cross(e, d) : d;
    d = p->ncorner == 3 ? lb_vec3_scale(way, n) : d;
    const lb_corner s = lb_couple_support(p->c, d);
    const lb_vec3 x = lb_vec3_sub(s.w, o);
    const double m = p->ncorner == 1   ? lb_vec3_norm(x)
                     : p->ncorner == 2 ? lb_vec3_norm(lb_vec3_cross(e, x))
                                       : fabs(lb_vec3_dot(n, x));
    best = m > most ? s : best;
    most = m > most ? m : most;
  }
  p->corner[p->ncorner++] = best;
}

// Tetrahedron around the origin, from what GJK left; false: a - b is flat.
static bool begin(polytope* p, const lb_simplex* s) {
  for (p->ncorner = 0; p->ncorner < s->n; p->ncorner++) {
    p->corner[p->ncorner] = s->corner[p->ncorner];
  }
  while (p->ncorner < 4) {
    span(p);
  }
  const double six = volume(p, 3);
  if (!(fabs(six) > 0)) {
    return false;
  }
  static const int side[2][4][3] = {{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}},
                                    {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}};
  for (int k = 0; k < 4; k++) {
    const int* v = side[six < 0][k];
    add_face(p, v[0], v[1], v[2]);
  }
  return true;
}

static int nearest(const polytope* p) {
  int best = -1;
  for (int i = 0; i < p->nface; i++) {
    if (p->f[i].live && (best < 0 || p->f[i].distance < p->f[best].distance)) {
      best = i;
    }
  }
  return best;
}

// Edge of a removed face: two of opposite sense are inside the hole.
static void toggle(edge* rim, int* n, int from, int to) {
  for (int i = 0; i < *n; i++) {
    if (rim[i].from == to && rim[i].to == from) {
      rim[i] = rim[--*n];
      return;
    }
  }
  rim[(*n)++] = (edge){from, to};
}

// The polytope with one more corner; false: no room.
static bool grow(polytope* p, const lb_corner* w) {
  edge rim[3 * FACES];
  int n = 0;
  const double least = 1e-16 * p->c->scale;
  const int corner = p->ncorner++;
  p->corner[corner] = *w;
  for (int i = 0; i < p->nface; i++) {
    face* f = &p->f[i];
    if (f->live && lb_vec3_dot(f->normal, lb_vec3_sub(w->w, at(p, f->v[0]))) > least) {
      f->live = false;
      for (int e = 0; e < 3; e++) {
        toggle(rim, &n, f->v[e], f->v[(e + 1) % 3]);
      }
    }
  }
  bool fits = true;
  for (int i = 0; i < n; i++) {
    fits = fits && add_face(p, rim[i].from, rim[i].to, corner);
  }
  return fits;
}

static void barycentric(const polytope* p, const face* f, double weight[3]) {
  const lb_vec3 a = at(p, f->v[0]), b = at(p, f->v[1]), c = at(p, f->v[2]);
  const lb_vec3 x = lb_vec3_scale(f->distance, f->normal);
  const lb_vec3 u = lb_vec3_sub(a, x), v = lb_vec3_sub(b, x), w = lb_vec3_sub(c, x);
  const double part[3] = {lb_vec3_dot(f->normal, lb_vec3_cross(v, w)),
                          lb_vec3_dot(f->normal, lb_vec3_cross(w, u)),
                          lb_vec3_dot(f->normal, lb_vec3_cross(u, v))};
  const double sum = part[0] + part[1] + part[2];
  for (int k = 0; k < 3; k++) {
    weight[k] = sum > 0 ? part[k] / sum : 1.0 / 3;
  }
}

// The overlap ends when a moves against the face's outward normal until a - b no longer holds the
// origin, so the normal from b to a is minus that one.
static void finish(const polytope* p, const face* f, lb_core_gap* out) {
  double weight[3];
  barycentric(p, f, weight);
  out->normal = lb_vec3_neg(f->normal);
  out->distance = -f->distance;
  out->point_a = out->point_b = (lb_vec3){0, 0, 0};
  out->simplex.n = 3;
  for (int k = 0; k < 3; k++) {
    const lb_corner* c = &p->corner[f->v[k]];
    out->simplex.corner[k] = *c;
    out->simplex.weight[k] = weight[k];
    out->point_a = lb_vec3_along(out->point_a, weight[k], c->a);
    out->point_b = lb_vec3_along(out->point_b, weight[k], c->b);
  }
}

// Without volume: the normal of what there is of a simplex, and no depth.
static void finish_flat(const lb_couple* c, lb_core_gap* io) {
  const lb_simplex* s = &io->simplex;
  lb_vec3 n = {0, 0, 1};
  if (s->n > 2) {
    n = lb_vec3_cross(lb_vec3_sub(s->corner[1].w, s->corner[0].w),
                      lb_vec3_sub(s->corner[2].w, s->corner[0].w));
  }
  io->normal = lb_vec3_unit_or(n, (lb_vec3){0, 0, 1});
  io->distance = lb_couple_gap(c, io->normal);
  io->point_a = s->corner[0].a;
  io->point_b = s->corner[0].b;
}

void lb_epa(const lb_couple* c, double meet, lb_core_gap* io) {
  polytope p;
  p.c = c;
  p.nface = 0;
  if (!begin(&p, &io->simplex)) {
    finish_flat(c, io);
    return;
  }
  face best = p.f[nearest(&p)];
  io->bounded = true;
  while (p.ncorner < CORNERS) {
    const int i = nearest(&p);
    if (i < 0 || p.f[i].distance == INFINITY) {
      break;
    }
    best = p.f[i];
    const lb_corner w = lb_couple_support(c, best.normal);
    io->iterations++;
    if (lb_vec3_dot(w.w, best.normal) - best.distance <= meet * c->scale) {
      io->bounded = false;
      break;
    }
    if (!grow(&p, &w)) {
      break;
    }
  }
  finish(&p, &best, io);
}
