// Sphere: a point, swept by a ball.
#include "geom/shape/shape_parts.h"

static lb_solid integrate(const lb_shape* s) {
  const double r = s->size.x, square = r * r / 5;
  return lb_solid_symmetric(4 * M_PI / 3 * r * r * r, square, square, square);
}

static lb_bounds core(const lb_shape* s) {
  (void)s;
  return lb_bounds_half(lb_vec3_make(0, 0, 0));
}

static double distance(const lb_shape* s, lb_vec3 x) {
  return lb_vec3_norm(x) - s->size.x;
}

static lb_status tessellate(const lb_shape* s, int around, lb_arena* arena, lb_mesh* mesh,
                            lb_vec3** normal) {
  return lb_drawing_capsule(s->size.x, 0, around, arena, mesh, normal);
}

const lb_shape_kind lb_shape_sphere = {.name = "sphere",
                                       .nsize = 1,
                                       .size = {{"radius", LB_SIZE_POSITIVE, LB_SIZE_RADIUS}},
                                       .rounded = true,
                                       .faces = 5,
                                       .integrate = integrate,
                                       .core = core,
                                       .distance = distance,
                                       .tessellate = tessellate};
