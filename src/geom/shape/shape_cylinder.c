// Cylinder along z, with flat ends.
#include "geom/shape/shape_parts.h"

static lb_solid integrate(const lb_shape* s) {
  const double r = s->size.x, l = s->size.y;
  return lb_solid_symmetric(M_PI * r * r * l, r * r / 4, r * r / 4, l * l / 12);
}

static lb_bounds core(const lb_shape* s) {
  return lb_bounds_half(lb_vec3_make(s->size.x, s->size.x, s->size.y / 2));
}

static double reach(const lb_shape* s) {
  return hypot(s->size.x, s->size.y / 2);
}

// A box in the plane of the axis and the radius.
static double distance(const lb_shape* s, lb_vec3 x) {
  const double r = hypot(x.x, x.y) - s->size.x, z = fabs(x.z) - s->size.y / 2;
  return hypot(fmax(r, 0), fmax(z, 0)) + fmin(fmax(r, z), 0);
}

static lb_status tessellate(const lb_shape* s, int around, lb_arena* arena, lb_mesh* mesh,
                            lb_vec3** normal) {
  const double r = s->size.x, z = s->size.y / 2;
  const lb_ring ring[] = {{0, -z, 0, -1}, {r, -z, 0, -1}, {r, -z, 1, 0},
                          {r, z, 1, 0},   {r, z, 0, 1},   {0, z, 0, 1}};
  return lb_drawing_lathe(ring, 6, around, arena, mesh, normal);
}

const lb_shape_kind lb_shape_cylinder = {
    .name = "cylinder",
    .nsize = 2,
    .size = {{"radius", LB_SIZE_POSITIVE, LB_SIZE_RADIUS}, {"length", LB_SIZE_POSITIVE, 2}},
    .faces = 7,
    .integrate = integrate,
    .core = core,
    .reach = reach,
    .distance = distance,
    .tessellate = tessellate};
