// Height field: heights over a grid, two triangles a cell, and all below is filled.
#include "geom/collide/bounds.h"
#include "geom/collide/collide.h"
#include "geom/shape/shape_parts.h"

static lb_vec3 at(const lb_height_grid* g, int k) {
  return lb_vec3_make(g->spacing_x * (k / g->ny), g->spacing_y * (k % g->ny), g->height[k]);
}

static const char* lack(const lb_shape* s) {
  const lb_height_grid* g = s->grid;
  bool good = g && g->nx >= 2 && g->ny >= 2 && g->height && g->spacing_x > 0 && g->spacing_y > 0 &&
              (long)g->nx * g->ny < 1L << 28;
  for (int k = 0; good && k < g->nx * g->ny; k++) {
    const lb_vec3 p = at(g, k);
    good = isfinite(p.x + p.y + p.z);
  }
  return good ? NULL : "heights must be 2 x 2 or more, finite, at positive spacings";
}

static lb_solid integrate(const lb_shape* s) {
  (void)s;
  return (lb_solid){0};
}

static lb_bounds core(const lb_shape* s) {
  lb_bounds box = lb_bounds_empty();
  for (int k = 0; s->grid && k < s->grid->nx * s->grid->ny; k++) {
    box = lb_bounds_add(box, at(s->grid, k));
  }
  return s->grid ? box : lb_bounds_half(lb_vec3_make(0, 0, 0));
}

static double distance(const lb_shape* s, lb_vec3 x) {
  const lb_collider c = {.type = LB_COLLIDER_HEIGHTS, .grid = *s->grid, .box = core(s)};
  lb_vec3 gradient;
  return lb_collider_point(&c, x, &gradient);
}

// The same triangles as those that collide, smooth where they are not steep.
static lb_status tessellate(const lb_shape* s, int around, lb_arena* arena, lb_mesh* mesh,
                            lb_vec3** normal) {
  const lb_height_grid* g = s->grid;
  const int cells = (g->nx - 1) * (g->ny - 1);
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  lb_mesh grid;
  lb_vec3* none;
  lb_status status = lb_drawing_take(&scratch, g->nx * g->ny, 2 * cells, &grid, &none);
  for (int k = 0; status == LB_OK && k < grid.nvertex; k++) {
    grid.vertex[k] = at(g, k);
  }
  for (int k = 0, f = 0; status == LB_OK && k < cells; k++) {
    const int a = k / (g->ny - 1) * g->ny + k % (g->ny - 1), b = a + g->ny;
    lb_drawing_put(&grid, &f, a, b, b + 1);
    lb_drawing_put(&grid, &f, a, b + 1, a + 1);
  }
  const lb_shape drawn = {.type = LB_SHAPE_MESH, .size = {1, 1, 1}, .mesh = &grid};
  status = status == LB_OK ? lb_shape_mesh.tessellate(&drawn, around, arena, mesh, normal) : status;
  lb_arena_release(&scratch);
  return status;
}

const lb_shape_kind lb_shape_heights = {.name = "heights",
                                        .endless = true,
                                        .faces = 500,
                                        .lack = lack,
                                        .integrate = integrate,
                                        .core = core,
                                        .distance = distance,
                                        .tessellate = tessellate};
