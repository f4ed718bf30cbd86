// Capsule: a segment along z, swept by a ball.
#include "geom/shape/shape_parts.h"

// A cylinder and two half balls. About its flat side a half ball has its centre at 3/8 r and the
// same z z moment per volume as the ball, r^2 / 5, so moved out by l/2:
// int (z + l/2)^2 = V (r^2 / 5 + 2 (3/8 r) (l/2) + (l/2)^2).
static lb_solid integrate(const lb_shape* s) {
  const double r = s->size.x, l = s->size.y;
  const double tube = M_PI * r * r * l, ball = 4 * M_PI / 3 * r * r * r, V = tube + ball;
  const double across = tube * r * r / 4 + ball * r * r / 5;
  const double along = tube * l * l / 12 + ball * (r * r / 5 + 3 * r * l / 8 + l * l / 4);
  return (lb_solid){.volume = V, .second = {.xx = across, .yy = across, .zz = along}};
}

static lb_bounds core(const lb_shape* s) {
  return lb_bounds_half(lb_vec3_make(0, 0, s->size.y / 2));
}

static double distance(const lb_shape* s, lb_vec3 x) {
  const double half = s->size.y / 2;
  const double z = x.z - fmax(-half, fmin(half, x.z));
  return lb_vec3_norm(lb_vec3_make(x.x, x.y, z)) - s->size.x;
}

static lb_status tessellate(const lb_shape* s, int around, lb_arena* arena, lb_mesh* mesh,
                            lb_vec3** normal) {
  return lb_drawing_capsule(s->size.x, s->size.y, around, arena, mesh, normal);
}

const lb_shape_kind lb_shape_capsule = {
    .name = "capsule",
    .nsize = 2,
    .size = {{"radius", LB_SIZE_POSITIVE, LB_SIZE_RADIUS}, {"length", LB_SIZE_NOT_NEGATIVE, 2}},
    .rounded = true,
    .faces = 5,
    .integrate = integrate,
    .core = core,
    .distance = distance,
    .tessellate = tessellate};
