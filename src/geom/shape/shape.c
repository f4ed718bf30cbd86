// The table of shapes, and what is asked of any of them.
#include "geom/shape/shape.h"

#include "base/assert.h"

#define ENTRY(type, name) [type] = &lb_shape_##name,
static const lb_shape_kind* const TABLE[LB_SHAPE_COUNT] = {LB_SHAPE_LIST(ENTRY)};

const lb_shape_kind* lb_shape_kind_of(lb_shape_type type) {
  LB_ASSERT(type < LB_SHAPE_COUNT);
  return TABLE[type];
}

lb_status lb_shape_check(const lb_shape* shape, lb_place place, lb_error* err) {
  static const char* const must[] = {[LB_SIZE_POSITIVE] = "must be positive",
                                     [LB_SIZE_NOT_NEGATIVE] = "must not be negative",
                                     [LB_SIZE_NOT_ZERO] = "must not be zero"};
  const lb_shape_kind* kind = lb_shape_kind_of(shape->type);
  const double size[3] = {shape->size.x, shape->size.y, shape->size.z};
  lb_status status = LB_OK;
  for (int i = 0; i < kind->nsize; i++) {
    const lb_size_rule rule = kind->size[i].rule;
    if (!isfinite(size[i])) {
      status = lb_error_add(err, LB_INVALID, place, "the %s's %s is not a finite number",
                            kind->name, kind->size[i].name);
    } else if ((size[i] < 0 && rule != LB_SIZE_NOT_ZERO) ||
               (size[i] == 0 && rule != LB_SIZE_NOT_NEGATIVE)) {
      status = lb_error_add(err, LB_INVALID, place, "the %s's %s %s (it is %g)", kind->name,
                            kind->size[i].name, must[rule], size[i]);
    }
  }
  const char* lack = kind->lack ? kind->lack(shape) : NULL;
  if (lack) {
    status = lb_error_add(err, LB_INVALID, place, "%s", lack);
  }
  return status;
}

lb_ball lb_shape_ball(const lb_shape* shape) {
  const lb_shape_kind* kind = lb_shape_kind_of(shape->type);
  const lb_bounds b = kind->core(shape);
  const double reach =
      kind->reach ? kind->reach(shape) : lb_vec3_norm(lb_vec3_sub(b.high, b.low)) / 2;
  return (lb_ball){lb_vec3_scale(0.5, lb_vec3_add(b.low, b.high)),
                   reach + (kind->rounded ? shape->size.x : 0)};
}

double lb_shape_distance(const lb_shape* shape, lb_vec3 x) {
  return lb_shape_kind_of(shape->type)->distance(shape, x);
}

lb_status lb_shape_tessellate(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                              lb_vec3** normal) {
  LB_ASSERT(around >= 3);
  const lb_arena_mark mark = lb_arena_here(arena);
  const lb_status status =
      lb_shape_kind_of(shape->type)->tessellate(shape, around, arena, mesh, normal);
  if (status != LB_OK) {
    lb_arena_reset(arena, mark);
  }
  return status;
}

static lb_solid integrate(const lb_shape* shape) {
  return lb_shape_kind_of(shape->type)->integrate(shape);
}

double lb_shape_volume(const lb_shape* shape) {
  return integrate(shape).volume;
}

lb_mass lb_shape_mass(const lb_shape* shape, double density) {
  const lb_solid s = integrate(shape);
  const lb_sym3 C = s.second;
  return (lb_mass){.mass = density * s.volume,
                   .com = s.com,
                   .inertia = {.xx = density * (C.yy + C.zz),
                               .yy = density * (C.xx + C.zz),
                               .zz = density * (C.xx + C.yy),
                               .xy = -density * C.xy,
                               .xz = -density * C.xz,
                               .yz = -density * C.yz}};
}
