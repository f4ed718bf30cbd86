// Sections of the bodies that Limber meshes: a table of kinds, each with its grid of triangles.
#include "geom/shape/section.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static bool positive(double x) {
  return x > 0 && isfinite(x);
}

// --- putting triangles together ---

// A section under construction: room for all was taken before.
typedef struct lb_section_builder {
  lb_section* s;
  int ntriangle, nboundary;
} builder;

static void add_triangle(builder* b, int p, int q, int r) {
  int* t = &b->s->triangle[3 * b->ntriangle++];
  t[0] = p;
  t[1] = q;
  t[2] = r;
}

// A quadrilateral p q r s, counterclockwise, cut from p to r or from q to s.
static void add_quad(builder* b, const int v[4], bool from_p) {
  add_triangle(b, v[0], v[1], from_p ? v[2] : v[3]);
  add_triangle(b, from_p ? v[0] : v[1], v[2], v[3]);
}

static void add_side(builder* b, int p, int q, int side) {
  b->s->boundary[b->nboundary++] = (lb_section_side){p, q, side};
}

// A polygon's radius for the circle's radius r. The second moment of a regular n-gon is
// n R^4 / 24 sin t (2 + cos t), t = 2 pi / n, that of the circle pi r^4 / 4.
static double corner_radius(const lb_tetmesh_def* d, int n, double r) {
  const double t = 2 * PI / n;
  const double ratio = 6 * PI / (n * sin(t) * (2 + cos(t)));
  return d->sides == LB_TETMESH_STRAIGHT ? r * sqrt(sqrt(ratio)) : r;
}

static lb_section_point polar(double r, double angle) {
  const double y = r * cos(angle), z = r * sin(angle);
  return (lb_section_point){y, z};
}

// --- box: a grid ---

enum { LEFT, RIGHT, BOTTOM, TOP };

typedef struct grid {
  int ny, nz;
} grid;

static grid box_grid(const lb_tetmesh_def* d) {
  return d->width <= d->height ? (grid){d->across, d->around} : (grid){d->around, d->across};
}

static void box_counts(const lb_tetmesh_def* d, lb_section* s) {
  const grid g = box_grid(d);
  s->nvertex = (g.ny + 1) * (g.nz + 1);
  s->ntriangle = 2 * g.ny * g.nz;
  s->nboundary = 2 * (g.ny + g.nz);
}

static void box_fill(const lb_tetmesh_def* d, builder* b) {
  const grid g = box_grid(d);
  const int row = g.ny + 1;
  for (int j = 0; j <= g.nz; j++) {
    for (int i = 0; i <= g.ny; i++) {
      b->s->point[i + row * j] = (lb_section_point){d->width * ((double)i / g.ny - 0.5),
                                                    d->height * ((double)j / g.nz - 0.5)};
    }
  }
  for (int j = 0; j < g.nz; j++) {
    for (int i = 0; i < g.ny; i++) {
      const int p = i + row * j;
      // diagonals alternate, so that the section has no preferred direction
      add_quad(b, (int[]){p, p + 1, p + 1 + row, p + row}, (i + j) % 2 == 0);
    }
  }
  for (int i = 0; i < g.ny; i++) {
    add_side(b, i, i + 1, BOTTOM);
    add_side(b, i + 1 + row * g.nz, i + row * g.nz, TOP);
  }
  for (int j = 0; j < g.nz; j++) {
    add_side(b, row * (j + 1), row * j, LEFT);
    add_side(b, g.ny + row * j, g.ny + row * (j + 1), RIGHT);
  }
}

static const char* box_refuse(const lb_tetmesh_def* d) {
  return positive(d->width) && positive(d->height) ? NULL : "width and height must be positive";
}

static void box_measure(const lb_tetmesh_def* d, double* thin, double* wide) {
  *thin = fmin(d->width, d->height);
  *wide = fmax(d->width, d->height);
}

static double grid_vertices(double across, double around) {
  return (across + 1) * (around + 1);
}

// --- rod: rings of 6, 12, 18 ... vertices around the middle ---

static int ring_vertex(int ring, int k) {
  return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + k % (6 * ring);
}

static void rod_counts(const lb_tetmesh_def* d, lb_section* s) {
  const int n = d->across;
  s->nvertex = 1 + 3 * n * (n + 1);
  s->ntriangle = 6 * n * n;
  s->nboundary = 6 * n;
}

static void rod_fill(const lb_tetmesh_def* d, builder* b) {
  const int n = d->across;
  const double radius = corner_radius(d, 6 * n, d->radius);
  for (int ring = 0; ring <= n; ring++) {
    for (int k = 0; k < (ring ? 6 * ring : 1); k++) {
      b->s->point[ring_vertex(ring, k)] =
          polar(radius * ring / n, ring ? 2 * PI * k / (6 * ring) : 0);
    }
  }
  for (int ring = 1; ring <= n; ring++) {
    for (int sector = 0; sector < 6; sector++) {
      const int out = sector * ring, in = sector * (ring - 1);
      for (int k = 0; k < ring; k++) {
        add_triangle(b, ring_vertex(ring - 1, in + k), ring_vertex(ring, out + k),
                     ring_vertex(ring, out + k + 1));
        if (k + 1 < ring) {
          add_triangle(b, ring_vertex(ring - 1, in + k), ring_vertex(ring, out + k + 1),
                       ring_vertex(ring - 1, in + k + 1));
        }
      }
    }
  }
  for (int k = 0; k < 6 * n; k++) {
    add_side(b, ring_vertex(n, k), ring_vertex(n, k + 1), 0);
  }
}

// Just the outer edges: what is inside stays straight.
static bool rod_curved(const lb_tetmesh_def* d, lb_section_point p, lb_section_point q) {
  const double inside = (1 - 0.5 / d->across) * d->radius;
  return d->sides != LB_TETMESH_STRAIGHT && hypot(p.y, p.z) > inside && hypot(q.y, q.z) > inside;
}

static const char* rod_refuse(const lb_tetmesh_def* d) {
  return positive(d->radius) ? NULL : "the radius must be positive";
}

static void round_measure(const lb_tetmesh_def* d, double* thin, double* wide) {
  *thin = *wide = 2 * d->radius;
}

static double rod_vertices(double across, double around) {
  (void)around;
  return 3 * across * (across + 1);
}

// --- tube: a grid of angles and radii ---

enum { OUTER, INNER };

static void tube_counts(const lb_tetmesh_def* d, lb_section* s) {
  s->nvertex = (d->across + 1) * d->around;
  s->ntriangle = 2 * d->across * d->around;
  s->nboundary = 2 * d->around;
}

static void tube_fill(const lb_tetmesh_def* d, builder* b) {
  const int na = d->around, nr = d->across;
  const double outer = corner_radius(d, na, d->radius), inner = corner_radius(d, na, d->inner);
  for (int i = 0; i <= nr; i++) {
    for (int k = 0; k < na; k++) {
      b->s->point[k + na * i] = polar(inner + (outer - inner) * i / nr, 2 * PI * k / na);
    }
  }
  for (int i = 0; i < nr; i++) {
    for (int k = 0; k < na; k++) {
      const int next = (k + 1) % na;
      add_quad(b, (int[]){k + na * i, k + na * (i + 1), next + na * (i + 1), next + na * i},
               (i + k) % 2 == 0);
    }
  }
  for (int k = 0; k < na; k++) {
    const int next = (k + 1) % na;
    add_side(b, k + na * nr, next + na * nr, OUTER);
    add_side(b, next, k, INNER);
  }
}

// All edges: inside they follow the walls, however thin these are.
static bool tube_curved(const lb_tetmesh_def* d, lb_section_point p, lb_section_point q) {
  (void)p, (void)q;
  return d->sides != LB_TETMESH_STRAIGHT;
}

static const char* tube_refuse(const lb_tetmesh_def* d) {
  if (d->around > 0 && d->around < 4) {
    return "a tube needs at least 4 elements around";
  }
  return rod_refuse(d) ? rod_refuse(d)
         : positive(d->inner) && d->inner < d->radius
             ? NULL
             : "the inner radius must be positive and less than the outer one";
}

// --- the kinds ---

static const lb_section_kind kinds[LB_TETMESH_KIND_COUNT] = {
    [LB_TETMESH_BOX] = {.refuse = box_refuse,
                        .measure = box_measure,
                        .corners = 0.3,
                        .vertices = grid_vertices,
                        .counts = box_counts,
                        .fill = box_fill,
                        .nname = 5,
                        .name = {{"left", 1u << LEFT},
                                 {"right", 1u << RIGHT},
                                 {"bottom", 1u << BOTTOM},
                                 {"top", 1u << TOP},
                                 {"side", 15}}},
    [LB_TETMESH_ROD] = {.refuse = rod_refuse,
                        .measure = round_measure,
                        .round = true,
                        .rings = true,
                        .corners = 1,
                        .vertices = rod_vertices,
                        .counts = rod_counts,
                        .fill = rod_fill,
                        .curved = rod_curved,
                        .nname = 1,
                        .name = {{"side", 1}}},
    [LB_TETMESH_TUBE] = {.refuse = tube_refuse,
                         .measure = round_measure,
                         .round = true,
                         .least_around = 8,
                         .corners = 0.3,
                         .vertices = grid_vertices,
                         .counts = tube_counts,
                         .fill = tube_fill,
                         .curved = tube_curved,
                         .nname = 3,
                         .name = {{"outer", 1u << OUTER}, {"inner", 1u << INNER}, {"side", 3}}},
};

const lb_section_kind* lb_section_kind_of(const lb_tetmesh_def* def) {
  return &kinds[def->kind];
}

double lb_section_estimate(const lb_tetmesh_def* def) {
  // a grid of v vertices has nearly 3 v edges; counts in doubles, for they may be absurd
  const double v = kinds[def->kind].vertices(def->across, def->around);
  return def->order == 1 ? v * (def->along + 1.0) : 4 * v * (2.0 * def->along + 1);
}

// --- edges ---

int lb_section_edge(const lb_section* section, int p, int q) {
  const int low = p < q ? p : q, high = p < q ? q : p;
  int e = section->first[low];
  while (section->other[e] != high) {
    e++;
  }
  return e;
}

// Number the edges: each is seen from two triangles, or one at the boundary.
static lb_status find_edges(lb_arena* arena, lb_section* s) {
  s->nedge = (3 * s->ntriangle + s->nboundary) / 2;
  s->first = LB_TAKE(arena, int, s->nvertex + 1);
  s->other = LB_TAKE(arena, int, s->nedge);
  int* last = LB_TAKE(arena, int, s->nvertex + 1); // end of each vertex's list so far
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  // An edge runs upwards in one triangle at most; the boundary's run downwards in theirs are added.
  for (int pass = 0; pass < 2; pass++) {
    for (int t = 0; t < s->ntriangle + s->nboundary; t++) {
      const bool side = t >= s->ntriangle;
      const lb_section_side* b = side ? &s->boundary[t - s->ntriangle] : NULL;
      for (int k = 0; k < (side ? 1 : 3); k++) {
        const int p = side ? b->q : s->triangle[3 * t + k];
        const int q = side ? b->p : s->triangle[3 * t + (k + 1) % 3];
        if (p < q && pass == 0) {
          s->first[p + 1]++;
        } else if (p < q) {
          s->other[last[p]++] = q;
        }
      }
    }
    for (int v = 0; pass == 0 && v < s->nvertex; v++) {
      s->first[v + 1] += s->first[v];
      last[v + 1] = s->first[v + 1];
    }
  }
  return LB_OK;
}

static void place_middles(const lb_tetmesh_def* def, lb_section* s) {
  for (int p = 0; p < s->nvertex; p++) {
    for (int e = s->first[p]; e < s->first[p + 1]; e++) {
      const lb_section_point a = s->point[p], b = s->point[s->other[e]];
      lb_section_point m = {(a.y + b.y) / 2, (a.z + b.z) / 2};
      const lb_section_kind* kind = &kinds[def->kind];
      if (kind->curved && kind->curved(def, a, b)) { // half-way in angle and in radius
        const double ra = hypot(a.y, a.z), rb = hypot(b.y, b.z);
        const lb_section_point d = {a.y / ra + b.y / rb, a.z / ra + b.z / rb};
        const double scale = (ra + rb) / 2 / hypot(d.y, d.z);
        m = (lb_section_point){scale * d.y, scale * d.z};
      }
      s->point[s->nvertex + e] = m;
    }
  }
}

lb_status lb_section_make(const lb_tetmesh_def* def, lb_arena* arena, lb_section* section) {
  const lb_section_kind* k = &kinds[def->kind];
  lb_section s = {.nname = k->nname, .name = k->name};
  k->counts(def, &s);
  s.nedge = (3 * s.ntriangle + s.nboundary) / 2;
  s.point = LB_TAKE(arena, lb_section_point, s.nvertex + s.nedge);
  s.triangle = LB_TAKE(arena, int, 3 * s.ntriangle);
  s.boundary = LB_TAKE(arena, lb_section_side, s.nboundary);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  builder b = {&s, 0, 0};
  k->fill(def, &b);
  const lb_status status = find_edges(arena, &s);
  if (status == LB_OK) {
    place_middles(def, &s);
    *section = s;
  }
  return status;
}
