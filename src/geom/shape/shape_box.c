// Box with its edges along the axes of its frame.
#include "geom/shape/shape_parts.h"

static lb_solid integrate(const lb_shape* s) {
  const lb_vec3 e = s->size;
  return lb_solid_symmetric(e.x * e.y * e.z, e.x * e.x / 12, e.y * e.y / 12, e.z * e.z / 12);
}

static lb_bounds core(const lb_shape* s) {
  return lb_bounds_half(lb_vec3_scale(0.5, s->size));
}

// Outside: from the nearest point of the box; inside: to the nearest face.
static double distance(const lb_shape* s, lb_vec3 x) {
  const lb_vec3 d = {fabs(x.x) - s->size.x / 2, fabs(x.y) - s->size.y / 2,
                     fabs(x.z) - s->size.z / 2};
  const lb_vec3 out = {fmax(d.x, 0), fmax(d.y, 0), fmax(d.z, 0)};
  return lb_vec3_norm(out) + fmin(fmax(d.x, fmax(d.y, d.z)), 0);
}

static lb_status tessellate(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                            lb_vec3** normal) {
  (void)around;
  if (lb_drawing_take(arena, 24, 12, mesh, normal) != LB_OK) {
    return LB_NO_MEMORY;
  }
  const double size[3] = {shape->size.x, shape->size.y, shape->size.z};
  int f = 0;
  for (int side = 0; side < 6; side++) { // the axis it faces along, and which way
    const int axis = side / 2, next = (axis + 1) % 3, third = (axis + 2) % 3, first = 4 * side;
    const double way = side % 2 ? 1 : -1;
    for (int corner = 0; corner < 4; corner++) {
      // counter-clockwise seen along +axis, so seen from outside when `way` is +1
      double p[3], d[3] = {0};
      p[axis] = way * size[axis] / 2;
      p[next] = (corner == 1 || corner == 2 ? 1 : -1) * size[next] / 2;
      p[third] = (corner >= 2 ? 1 : -1) * size[third] / 2;
      d[axis] = way;
      mesh->vertex[first + corner] = lb_vec3_make(p[0], p[1], p[2]);
      (*normal)[first + corner] = lb_vec3_make(d[0], d[1], d[2]);
    }
    const int b = way > 0 ? 1 : 3, d = way > 0 ? 3 : 1;
    lb_drawing_put(mesh, &f, first, first + b, first + 2);
    lb_drawing_put(mesh, &f, first, first + 2, first + d);
  }
  return LB_OK;
}

const lb_shape_kind lb_shape_box = {.name = "box",
                                    .nsize = 3,
                                    .size = {{"length along x", LB_SIZE_POSITIVE, 0},
                                             {"length along y", LB_SIZE_POSITIVE, 1},
                                             {"length along z", LB_SIZE_POSITIVE, 2}},
                                    .faces = 3,
                                    .integrate = integrate,
                                    .core = core,
                                    .distance = distance,
                                    .tessellate = tessellate};
