// Half space: all below z = 0. A square of it is drawn.
#include "geom/shape/shape_parts.h"

static lb_solid integrate(const lb_shape* s) {
  (void)s;
  return (lb_solid){0};
}

static lb_bounds core(const lb_shape* s) {
  return lb_bounds_half(lb_vec3_make(s->size.x / 2, s->size.x / 2, 0));
}

static double distance(const lb_shape* s, lb_vec3 x) {
  (void)s;
  return x.z;
}

static lb_status tessellate(const lb_shape* s, int around, lb_arena* arena, lb_mesh* mesh,
                            lb_vec3** normal) {
  (void)around;
  if (lb_drawing_take(arena, 4, 2, mesh, normal) != LB_OK) {
    return LB_NO_MEMORY;
  }
  int f = 0;
  for (int i = 0; i < 4; i++) { // counter-clockwise from above
    const double x = i == 1 || i == 2 ? 0.5 : -0.5, y = i >= 2 ? 0.5 : -0.5;
    mesh->vertex[i] = lb_vec3_make(s->size.x * x, s->size.x * y, 0);
    (*normal)[i] = lb_vec3_make(0, 0, 1);
  }
  lb_drawing_put(mesh, &f, 0, 1, 2);
  lb_drawing_put(mesh, &f, 0, 2, 3);
  return LB_OK;
}

const lb_shape_kind lb_shape_plane = {.name = "plane",
                                      .nsize = 1,
                                      .size = {{"drawn width", LB_SIZE_NOT_NEGATIVE, 0}},
                                      .endless = true,
                                      .faces = 2,
                                      .integrate = integrate,
                                      .core = core,
                                      .distance = distance,
                                      .tessellate = tessellate};
