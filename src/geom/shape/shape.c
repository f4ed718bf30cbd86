// The table of shapes, and the closed forms of their mass properties.
#include "geom/shape/shape.h"

#include "base/assert.h"

static const double PI = 3.14159265358979323846;

// A solid symmetric about its frame's planes: volume, and the second moments x x, y y, z z.
static lb_solid symmetric(double volume, double xx, double yy, double zz) {
  return (lb_solid){.volume = volume, .second = {.xx = xx, .yy = yy, .zz = zz}};
}

static lb_solid ellipsoid(lb_vec3 a) {
  const double V = 4 * PI / 3 * a.x * a.y * a.z;
  return symmetric(V, V * a.x * a.x / 5, V * a.y * a.y / 5, V * a.z * a.z / 5);
}

static lb_solid of_sphere(const lb_shape* s) {
  return ellipsoid(lb_vec3_make(s->size.x, s->size.x, s->size.x));
}

static lb_solid of_ellipsoid(const lb_shape* s) {
  return ellipsoid(s->size);
}

static lb_solid of_box(const lb_shape* s) {
  const lb_vec3 e = s->size;
  const double V = e.x * e.y * e.z;
  return symmetric(V, V * e.x * e.x / 12, V * e.y * e.y / 12, V * e.z * e.z / 12);
}

static lb_solid of_cylinder(const lb_shape* s) {
  const double r = s->size.x, l = s->size.y;
  const double V = PI * r * r * l;
  return symmetric(V, V * r * r / 4, V * r * r / 4, V * l * l / 12);
}

// A cylinder and two half balls. About its flat side a half ball has its centre at 3/8 r and the
// same z z moment per volume as the ball, r^2 / 5, so moved out by l/2:
// int (z + l/2)^2 = V (r^2 / 5 + 2 (3/8 r) (l/2) + (l/2)^2).
static lb_solid of_capsule(const lb_shape* s) {
  const double r = s->size.x, l = s->size.y;
  const lb_solid tube = of_cylinder(s), ball = of_sphere(s);
  const double across = tube.second.xx + ball.second.xx;
  const double along = tube.second.zz + ball.volume * (r * r / 5 + 3 * r * l / 8 + l * l / 4);
  return symmetric(tube.volume + ball.volume, across, across, along);
}

// Scaling by S = diag(size) maps volumes by |det S|, points by S and second moments by S . S. A
// negative scale mirrors the solid, whose volume stays positive.
static lb_solid of_mesh(const lb_shape* s) {
  const lb_solid m = lb_mesh_integrate(s->mesh);
  const double x = s->size.x, y = s->size.y, z = s->size.z, d = fabs(x * y * z);
  return (lb_solid){.volume = d * m.volume,
                    .com = {x * m.com.x, y * m.com.y, z * m.com.z},
                    .second = {.xx = d * x * x * m.second.xx,
                               .yy = d * y * y * m.second.yy,
                               .zz = d * z * z * m.second.zz,
                               .xy = d * x * y * m.second.xy,
                               .xz = d * x * z * m.second.xz,
                               .yz = d * y * z * m.second.yz}};
}

#define POSITIVE(name)                                                                             \
  { name, LB_SIZE_POSITIVE }
#define SCALE(name)                                                                                \
  { name, LB_SIZE_NOT_ZERO }

static const lb_shape_kind TABLE[LB_SHAPE_COUNT] = {
    [LB_SHAPE_SPHERE] = {"sphere", 1, {POSITIVE("radius")}, of_sphere, lb_tessellate_sphere},
    [LB_SHAPE_BOX] = {"box",
                      3,
                      {POSITIVE("length along x"), POSITIVE("length along y"),
                       POSITIVE("length along z")},
                      of_box,
                      lb_tessellate_box},
    [LB_SHAPE_CAPSULE] = {"capsule",
                          2,
                          {POSITIVE("radius"), {"length", LB_SIZE_NOT_NEGATIVE}},
                          of_capsule,
                          lb_tessellate_capsule},
    [LB_SHAPE_CYLINDER] = {"cylinder",
                           2,
                           {POSITIVE("radius"), POSITIVE("length")},
                           of_cylinder,
                           lb_tessellate_cylinder},
    [LB_SHAPE_ELLIPSOID] = {"ellipsoid",
                            3,
                            {POSITIVE("semi-axis along x"), POSITIVE("semi-axis along y"),
                             POSITIVE("semi-axis along z")},
                            of_ellipsoid,
                            lb_tessellate_ellipsoid},
    [LB_SHAPE_MESH] = {"mesh",
                       3,
                       {SCALE("scale along x"), SCALE("scale along y"), SCALE("scale along z")},
                       of_mesh,
                       lb_tessellate_mesh},
};

const lb_shape_kind* lb_shape_kind_of(lb_shape_type type) {
  LB_ASSERT(type < LB_SHAPE_COUNT);
  return &TABLE[type];
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
  if (shape->type == LB_SHAPE_MESH && !shape->mesh) {
    status = lb_error_add(err, LB_INVALID, place, "the shape has no mesh");
  }
  return status;
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
