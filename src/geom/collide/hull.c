// Incremental hull of points, then polygons of its coplanar triangles.
#include "geom/collide/hull.h"

#include <stdbool.h>
#include <stdlib.h>

#include "geom/collide/collider_kind.h"
#include "geom/collide/facets.h"
#include "geom/mesh/disjoint_sets.h"

static const double FLAT = 1e-12; // of the extent: a point as near as this to a face is on it
static const double MERGE = 1e-9; // of the extent: faces as flat as this are one

typedef struct builder {
  int n;
  const lb_vec3* x;
  double scale;
  lb_facets s;
} builder;

static int farthest_by(const builder* b, double (*measure)(const builder*, const int*, int),
                       const int* given) {
  int best = 0;
  double most = -1;
  for (int i = 0; i < b->n; i++) {
    const double m = measure(b, given, i);
    best = m > most ? i : best;
    most = m > most ? m : most;
  }
  return best;
}

static double from_point(const builder* b, const int* v, int i) {
  return lb_vec3_norm(lb_vec3_sub(b->x[i], b->x[v[0]]));
}
static double from_line(const builder* b, const int* v, int i) {
  return lb_vec3_norm(
      lb_vec3_cross(lb_vec3_sub(b->x[i], b->x[v[0]]), lb_vec3_sub(b->x[v[1]], b->x[v[0]])));
}
static double from_plane(const builder* b, const int* v, int i) {
  const lb_vec3 n =
      lb_vec3_cross(lb_vec3_sub(b->x[v[1]], b->x[v[0]]), lb_vec3_sub(b->x[v[2]], b->x[v[0]]));
  const lb_vec3 unit = lb_vec3_unit_or(n, (lb_vec3){0, 0, 0});
  return fabs(lb_vec3_dot(unit, lb_vec3_sub(b->x[i], b->x[v[0]])));
}

// Four points that span a volume; false: there are none.
static bool begin(builder* b) {
  int v[4] = {0};
  const int zero[1] = {0};
  v[0] = farthest_by(b, from_point, zero);
  v[1] = farthest_by(b, from_point, v);
  b->scale = from_point(b, v, v[1]);
  v[2] = farthest_by(b, from_line, v);
  v[3] = farthest_by(b, from_plane, v);
  if (!(from_plane(b, v, v[3]) > 100 * FLAT * b->scale)) {
    return false;
  }
  lb_facets_begin(&b->s, v);
  return true;
}

static int best_seen(const builder* b, int i) {
  int best = -1;
  double most = FLAT * b->scale;
  for (int f = 0; f < b->s.n; f++) {
    const double h = b->s.f[f].live ? lb_facet_height(&b->s.f[f], b->x[i]) : -1;
    best = h > most ? f : best;
    most = h > most ? h : most;
  }
  return best;
}

// --- from facets to polygons ---

static bool is_flat(const builder* b, const lb_facet* f, const lb_facet* g) {
  double most = 0;
  for (int k = 0; k < 3; k++) {
    most = fmax(most, fmax(fabs(lb_facet_height(f, b->x[g->v[k]])),
                           fabs(lb_facet_height(g, b->x[f->v[k]]))));
  }
  return most < MERGE * b->scale && lb_vec3_dot(f->normal, g->normal) > 0;
}

static void join_flat(const builder* b, int* parent) {
  lb_sets_begin(b->s.n, parent);
  for (int i = 0; i < b->s.n; i++) {
    for (int e = 0; b->s.f[i].live && e < 3; e++) {
      const int j = b->s.f[i].across[e];
      if (j > i && is_flat(b, &b->s.f[lb_sets_root(parent, i)], &b->s.f[j]) &&
          is_flat(b, &b->s.f[i], &b->s.f[j])) {
        lb_sets_join(parent, i, j);
      }
    }
  }
}

// The loop around one group of facets: from a border edge on, turning about each end. Returns its
// length; 0: the group has no single border.
static int walk_loop(const builder* b, int* parent, int group, int nedge, int* loop) {
  int f = -1, e = 0, n = 0;
  for (int i = group; f < 0 && i < b->s.n; i++) {
    for (int k = 0; b->s.f[i].live && lb_sets_root(parent, i) == group && f < 0 && k < 3; k++) {
      if (lb_sets_root(parent, b->s.f[i].across[k]) != group) {
        f = i, e = k;
      }
    }
  }
  const int f0 = f, e0 = e;
  for (int step = 0; f >= 0 && step < 6 * nedge; step++) {
    if (lb_sets_root(parent, b->s.f[f].across[e]) != group) {
      loop[n++] = b->s.f[f].v[e];
      e = (e + 1) % 3;
    } else { // across the inner edge, to the edge that leaves the same vertex
      const int from = b->s.f[f].v[e];
      f = b->s.f[f].across[e];
      e = lb_facet_corner(&b->s.f[f], from);
    }
    if (f == f0 && e == e0) {
      return n;
    }
  }
  return 0;
}

static lb_vec3 loop_normal(const lb_vec3* x, const int* loop, int n) {
  lb_vec3 sum = {0, 0, 0};
  for (int k = 1; k + 1 < n; k++) {
    sum = lb_vec3_add(sum, lb_vec3_cross(lb_vec3_sub(x[loop[k]], x[loop[0]]),
                                         lb_vec3_sub(x[loop[k + 1]], x[loop[0]])));
  }
  return lb_vec3_unit_or(sum, (lb_vec3){0, 0, 1});
}

static void write_faces(const builder* b, int* parent, int live, lb_hull* h) {
  int used = 0;
  for (int i = 0; i < b->s.n; i++) {
    if (!b->s.f[i].live || lb_sets_root(parent, i) != i) {
      continue;
    }
    const int n = walk_loop(b, parent, i, 3 * live, &h->loop[used]);
    if (n < 3) {
      continue;
    }
    h->normal[h->nface] = loop_normal(b->x, &h->loop[used], n);
    h->first[h->nface++] = used;
    used += n;
    h->first[h->nface] = used;
  }
}

// Vertices that faces use, renumbered in the order of the points.
static void write_vertices(const builder* b, int* number, lb_hull* h) {
  const int used = h->first[h->nface];
  for (int i = 0; i < b->n; i++) {
    number[i] = -1;
  }
  for (int k = 0; k < used; k++) {
    number[h->loop[k]] = 0;
  }
  for (int i = 0; i < b->n; i++) {
    if (number[i] == 0) {
      h->vertex[h->nvertex] = b->x[i];
      number[i] = h->nvertex++;
    }
  }
  for (int k = 0; k < used; k++) {
    h->loop[k] = number[h->loop[k]];
  }
  for (int f = 0; f < h->nface; f++) {
    h->offset[f] = -INFINITY;
    for (int i = 0; i < h->nvertex; i++) {
      h->offset[f] = fmax(h->offset[f], lb_vec3_dot(h->normal[f], h->vertex[i]));
    }
  }
}

// Faces around each vertex, and the vertices that follow it there: all of its neighbours, since
// each edge runs once each way.
static void write_adjacency(lb_hull* h) {
  const int used = h->first[h->nface];
  for (int k = 0; k < used; k++) {
    h->face_first[h->loop[k] + 1]++;
  }
  for (int i = 0; i < h->nvertex; i++) {
    h->face_first[i + 1] += h->face_first[i];
  }
  for (int i = 0; i <= h->nvertex; i++) {
    h->next_first[i] = h->face_first[i];
  }
  for (int f = h->nface - 1; f >= 0; f--) {
    for (int k = h->first[f]; k < h->first[f + 1]; k++) {
      const int at = --h->next_first[h->loop[k] + 1]; // filled from the end
      h->face_at[at] = f;
      h->next[at] = h->loop[k + 1 < h->first[f + 1] ? k + 1 : h->first[f]];
    }
  }
  for (int i = 0; i <= h->nvertex; i++) {
    h->next_first[i] = h->face_first[i];
  }
}

static lb_status polygons(const builder* b, lb_arena* arena, lb_hull* out) {
  int live = 0;
  for (int i = 0; i < b->s.n; i++) {
    live += b->s.f[i].live;
  }
  int* parent = LB_TAKE(arena, int, b->s.n);
  int* number = LB_TAKE(arena, int, b->n);
  lb_hull h = {.vertex = LB_TAKE(arena, lb_vec3, b->n),
               .normal = LB_TAKE(arena, lb_vec3, live),
               .offset = LB_TAKE(arena, double, live),
               .first = LB_TAKE(arena, int, live + 1),
               .loop = LB_TAKE(arena, int, 6 * live),
               .face_first = LB_TAKE(arena, int, b->n + 1),
               .face_at = LB_TAKE(arena, int, 3 * live),
               .next_first = LB_TAKE(arena, int, b->n + 1),
               .next = LB_TAKE(arena, int, 3 * live)};
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  join_flat(b, parent);
  write_faces(b, parent, live, &h);
  write_vertices(b, number, &h);
  write_adjacency(&h);
  *out = h;
  return h.nface >= 4 ? LB_OK : LB_INVALID;
}

lb_status lb_hull_make(int n, const lb_vec3* point, lb_arena* arena, lb_hull* out, lb_error* err) {
  for (int i = 0; i < n; i++) {
    if (!lb_vec3_finite(point[i])) {
      return lb_error_add(err, LB_INVALID, (lb_place){0},
                          "a convex collider's point is not finite");
    }
  }
  const size_t most = 2 * (size_t)n + 8; // facets of a closed surface of n vertices, and some
  builder b = {.n = n,
               .x = point,
               .s = {.x = point,
                     .f = LB_TAKE(arena, lb_facet, most),
                     .most = (int)most,
                     .unused = LB_TAKE(arena, int, most),
                     .stack = LB_TAKE(arena, int, most),
                     .start = LB_TAKE(arena, int, n),
                     .rim = LB_TAKE(arena, lb_rim_edge, 3 * most)}};
  if (lb_arena_status(arena) != LB_OK) {
    return lb_arena_check(arena, "a convex hull", err);
  }
  if (n < 4 || !begin(&b)) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "a convex collider's points lie in a plane");
  }
  bool closed = true;
  for (int i = 0; i < n && closed; i++) {
    const int seed = best_seen(&b, i);
    closed = closed && (seed < 0 || lb_facets_grow(&b.s, i, seed, FLAT * b.scale));
  }
  const lb_status status = closed ? polygons(&b, arena, out) : LB_INVALID;
  return status == LB_INVALID ? lb_error_add(err, LB_INVALID, (lb_place){0},
                                             "a convex collider's points are too flat")
         : status != LB_OK    ? lb_arena_check(arena, "a convex hull", err)
                              : LB_OK;
}

// Small hulls by looking at every vertex, large ones by climbing along edges.
int lb_hull_farthest(const lb_hull* h, lb_vec3 d) {
  enum { FEW = 32 };
  int best = 0;
  double most = lb_vec3_dot(h->vertex[0], d);
  if (h->nvertex <= FEW) {
    for (int i = 1; i < h->nvertex; i++) {
      const double s = lb_vec3_dot(h->vertex[i], d);
      best = s > most ? i : best;
      most = s > most ? s : most;
    }
    return best;
  }
  for (int from = -1; from != best;) {
    from = best;
    for (int k = h->next_first[from]; k < h->next_first[from + 1]; k++) {
      const double s = lb_vec3_dot(h->vertex[h->next[k]], d);
      best = s > most ? h->next[k] : best;
      most = s > most ? s : most;
    }
  }
  return best;
}
