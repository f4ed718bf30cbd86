// Depth of overlapping convex cores: the expanding polytope algorithm (van den Bergen 2001).
//
// A polytope inside a - b grows at the face nearest to the origin until that face is on the
// boundary. Its faces are triangles in a fixed pool; the bound of their number is a bound of the
// iterations.
#include "geom/collide/facets.h"
#include "geom/collide/gjk.h"

enum { FACES = 320, CORNERS = 160 };
static const double VISIBLE = 1e-15; // of the scale: height at which a facet sees a point

typedef struct polytope {
  const lb_couple* c;
  int ncorner;
  lb_corner corner[CORNERS];
  lb_vec3 x[CORNERS]; // of the corners
  lb_facets s;
  lb_facet f[FACES];
  int unused[FACES], stack[FACES], start[CORNERS];
  lb_rim_edge rim[3 * FACES];
} polytope;

static lb_vec3 at(const polytope* p, int i) {
  return p->x[i];
}

static void add_corner(polytope* p, const lb_corner* c) {
  p->corner[p->ncorner] = *c;
  p->x[p->ncorner++] = c->w;
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
  add_corner(p, &best);
}

// Tetrahedron around the origin, from what GJK left; false: a - b is flat.
static bool begin(polytope* p, const lb_simplex* simplex) {
  p->ncorner = 0;
  p->s = (lb_facets){.x = p->x,
                     .f = p->f,
                     .most = FACES,
                     .unused = p->unused,
                     .stack = p->stack,
                     .start = p->start,
                     .rim = p->rim};
  for (int k = 0; k < simplex->n; k++) {
    add_corner(p, &simplex->corner[k]);
  }
  while (p->ncorner < 4) {
    span(p);
  }
  const lb_vec3 o = at(p, 0);
  const double six = lb_vec3_dot(lb_vec3_cross(lb_vec3_sub(at(p, 1), o), lb_vec3_sub(at(p, 2), o)),
                                 lb_vec3_sub(at(p, 3), o));
  lb_facets_begin(&p->s, (int[]){0, 1, 2, 3});
  return fabs(six) > 0;
}

// The facet nearest to the origin; those without area have no plane to be near with.
static int nearest(const polytope* p) {
  int best = -1;
  for (int i = 0; i < p->s.n; i++) {
    const lb_facet* f = &p->f[i];
    const bool plane = f->live && lb_vec3_dot(f->normal, f->normal) > 0;
    if (plane && (best < 0 || f->offset < p->f[best].offset)) {
      best = i;
    }
  }
  return best;
}

static void barycentric(const polytope* p, const lb_facet* f, double weight[3]) {
  const lb_vec3 a = at(p, f->v[0]), b = at(p, f->v[1]), c = at(p, f->v[2]);
  const lb_vec3 x = lb_vec3_scale(f->offset, f->normal);
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
static void finish(const polytope* p, const lb_facet* f, lb_core_gap* out) {
  double weight[3];
  barycentric(p, f, weight);
  out->normal = lb_vec3_neg(f->normal);
  out->distance = -f->offset;
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
  if (!begin(&p, &io->simplex)) {
    finish_flat(c, io);
    return;
  }
  lb_facet best = p.f[0];
  double least = INFINITY; // upper bound of the depth
  io->bounded = true;
  for (int i = nearest(&p); i >= 0 && p.ncorner < CORNERS; i = nearest(&p)) {
    const lb_corner w = lb_couple_support(c, p.f[i].normal);
    const double reach = lb_vec3_dot(w.w, p.f[i].normal);
    if (reach < least) { // the best normal so far
      least = reach;
      best = p.f[i];
    }
    io->iterations++;
    if (reach - p.f[i].offset <= meet * c->scale) {
      io->bounded = false;
      best = p.f[i];
      break;
    }
    add_corner(&p, &w);
    if (!lb_facets_grow(&p.s, p.ncorner - 1, i, VISIBLE * c->scale)) {
      break;
    }
  }
  finish(&p, &best, io);
}
