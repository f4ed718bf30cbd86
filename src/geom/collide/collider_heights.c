// Height field over a grid: two triangles a cell, and all below them is filled.
#include "geom/collide/bounds.h"
#include "geom/collide/closest.h"
#include "geom/collide/collider_parts.h"
#include "geom/collide/ray_triangle.h"

static lb_status make(const lb_collider_def* def, lb_arena* arena, lb_collider* c, lb_error* err) {
  const lb_height_grid g = def->grid;
  bool good = g.nx >= 2 && g.ny >= 2 && g.height && g.spacing_x > 0 && g.spacing_y > 0 &&
              isfinite(g.spacing_x * g.spacing_y) && (long)g.nx * g.ny < 1L << 30;
  c->box = lb_bounds_empty();
  for (int i = 0; good && i < g.nx * g.ny; i++) {
    const lb_vec3 p = {g.spacing_x * (i / g.ny), g.spacing_y * (i % g.ny), g.height[i]};
    good = lb_vec3_finite(p);
    c->box = lb_bounds_add(c->box, p);
  }
  if (!good) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "a height field needs 2 x 2 finite heights or more, and positive spacings");
  }
  c->grid = g;
  c->grid.height = LB_COPY(arena, g.height, g.nx * g.ny);
  c->size = fmin(g.spacing_x, g.spacing_y);
  return lb_arena_check(arena, "a height field", err);
}

static lb_vec3 at(const lb_collider* c, int i, int j) {
  const lb_height_grid* g = &c->grid;
  return lb_vec3_make(g->spacing_x * i, g->spacing_y * j, g->height[(long)i * g->ny + j]);
}

// Triangle `half` (0: below the diagonal, 1: above) of cell i, j; counter-clockwise from above.
static void corners(const lb_collider* c, int i, int j, int half, lb_vec3 v[3]) {
  v[0] = at(c, i, j);
  v[1] = half ? at(c, i + 1, j + 1) : at(c, i + 1, j);
  v[2] = half ? at(c, i, j + 1) : at(c, i + 1, j + 1);
}

static lb_vec3 normal_of(const lb_vec3 v[3]) {
  return lb_vec3_unit_or(lb_vec3_cross(lb_vec3_sub(v[1], v[0]), lb_vec3_sub(v[2], v[0])),
                         (lb_vec3){0, 0, 1});
}

static bool inside_grid(const lb_collider* c, int i, int j) {
  return i >= 0 && j >= 0 && i + 1 < c->grid.nx && j + 1 < c->grid.ny;
}

static lb_piece piece_of(const lb_collider* c, int i, int j, int half) {
  // the cell and half across each edge
  static const int across[2][3][3] = {{{0, -1, 1}, {1, 0, 1}, {0, 0, 1}},
                                      {{0, 0, 0}, {0, 1, 0}, {-1, 0, 0}}};
  lb_piece p = {.id = 2 * (i * (c->grid.ny - 1) + j) + half, .solid = true};
  corners(c, i, j, half, p.v);
  p.normal = normal_of(p.v);
  for (int k = 0; k < 3; k++) {
    const int* a = across[half][k];
    if (inside_grid(c, i + a[0], j + a[1])) {
      lb_vec3 w[3];
      corners(c, i + a[0], j + a[1], a[2], w);
      const lb_vec3 middle = lb_vec3_scale(1.0 / 3, lb_vec3_add(w[0], lb_vec3_add(w[1], w[2])));
      p.across[k] = normal_of(w);
      p.convex[k] = lb_vec3_dot(lb_vec3_sub(middle, p.v[k]), p.normal) < 0;
    }
  }
  return p;
}

static int cell_at(double x, double spacing, int n) {
  return (int)lb_clamp(floor(x / spacing), 0, n - 2);
}

static void pieces(const lb_collider* c, const lb_bounds* box, lb_piece_visit visit,
                   void* context) {
  const lb_height_grid* g = &c->grid;
  const lb_bounds b = *box;
  if (b.low.z > c->box.high.z) {
    return;
  }
  for (int i = cell_at(b.low.x, g->spacing_x, g->nx); i <= cell_at(b.high.x, g->spacing_x, g->nx);
       i++) {
    for (int j = cell_at(b.low.y, g->spacing_y, g->ny); j <= cell_at(b.high.y, g->spacing_y, g->ny);
         j++) {
      for (int half = 0; half < 2; half++) {
        lb_vec3 v[3];
        corners(c, i, j, half, v);
        const double top = fmax(v[0].z, fmax(v[1].z, v[2].z));
        if (top >= box->low.z) {
          const lb_piece p = piece_of(c, i, j, half);
          if (!visit(context, &p)) {
            return;
          }
        }
      }
    }
  }
}

typedef struct nearest {
  lb_vec3 x;
  lb_bounds box;
  double least;
  lb_vec3 foot, normal;
} nearest;

static bool look(void* context, const lb_piece* p) {
  nearest* s = context;
  const lb_vec3 foot = lb_closest_on_triangle(s->x, p->v).point;
  const double d = lb_vec3_norm(lb_vec3_sub(s->x, foot));
  if (d < s->least) {
    s->least = d;
    s->foot = foot;
    s->normal = p->normal;
  }
  return true;
}

// Nearest triangle among those within the height above or below the surface at the nearest cell.
static double point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient) {
  const lb_height_grid* g = &c->grid;
  const int i = cell_at(x.x, g->spacing_x, g->nx), j = cell_at(x.y, g->spacing_y, g->ny);
  nearest s = {.x = x, .least = INFINITY};
  double below = 0;
  for (int half = 0; half < 2; half++) {
    const lb_piece p = piece_of(c, i, j, half);
    look(&s, &p);
    // below the triangle whose shadow holds the point
    const double dx = x.x / g->spacing_x - i, dy = x.y / g->spacing_y - j;
    below = (dx >= dy) == (half == 0) ? -lb_vec3_dot(p.normal, lb_vec3_sub(x, p.v[0])) : below;
  }
  s.box = lb_bounds_grow((lb_bounds){x, x}, s.least);
  s.box.low.z = -INFINITY;
  pieces(c, &s.box, look, &s);
  const lb_vec3 n = lb_vec3_unit_or(lb_vec3_sub(x, s.foot), s.normal);
  *gradient = below > 0 ? lb_vec3_neg(n) : n;
  if (s.least == 0) {
    *gradient = s.normal;
  }
  return below > 0 ? -s.least : s.least;
}

typedef struct shot {
  lb_ray left;
  lb_ray_hit* hit;
  bool found;
} shot;

static bool aim(void* context, const lb_piece* p) {
  shot* s = context;
  if (lb_ray_triangle(&s->left, p->v, p->normal, s->hit)) {
    s->hit->piece = p->id;
    s->left.most = s->hit->t;
    s->found = true;
  }
  return true;
}

// Cells along the ray, in stretches of one cell's width.
static bool ray(const lb_collider* c, const lb_ray* r, lb_ray_hit* hit) {
  const lb_height_grid* g = &c->grid;
  const lb_vec3 d = r->direction;
  const lb_bounds around = lb_bounds_grow(c->box, 1e-9 * c->size);
  if (!lb_bounds_ray(&around, r->origin, d, r->most)) {
    return false;
  }
  const double rate = fmax(fabs(d.x) / g->spacing_x, fabs(d.y) / g->spacing_y);
  shot s = {.left = *r, .hit = hit};
  // the stretch of the ray over the grid
  double t0 = 0, t1 = r->most;
  const double o[3] = {r->origin.x, r->origin.y, r->origin.z}, v[3] = {d.x, d.y, d.z};
  const double low[3] = {around.low.x, around.low.y, around.low.z};
  const double high[3] = {around.high.x, around.high.y, around.high.z};
  for (int k = 0; k < 3; k++) {
    if (v[k] != 0) {
      t0 = fmax(t0, fmin((low[k] - o[k]) / v[k], (high[k] - o[k]) / v[k]));
      t1 = fmin(t1, fmax((low[k] - o[k]) / v[k], (high[k] - o[k]) / v[k]));
    }
  }
  const double step = rate > 0 ? 1 / rate : INFINITY;
  for (double t = t0; t <= t1 && !s.found; t += step) {
    const lb_vec3 a = lb_vec3_along(r->origin, t, d);
    const lb_vec3 b = lb_vec3_along(r->origin, fmin(t + step, t1), d);
    lb_bounds box = lb_bounds_add((lb_bounds){a, a}, b);
    box = lb_bounds_grow(box, 1e-6 * c->size);
    pieces(c, &box, aim, &s);
    if (!(step < INFINITY)) {
      break;
    }
  }
  return s.found;
}

const lb_collider_kind lb_collider_heights = {
    .name = "height field", .make = make, .point = point, .ray = ray, .pieces = pieces};
