// Shapes: closed forms of their mass properties.
#include "base/assert.h"
#include "geom/mesh.h"

static const double PI = 3.14159265358979323846;

// A solid symmetric about its frame's planes: volume, and the second moments x x, y y, z z.
static lb_mesh_integral symmetric(double volume, double xx, double yy, double zz) {
  return (lb_mesh_integral){.volume = volume, .second = {.xx = xx, .yy = yy, .zz = zz}};
}

static lb_mesh_integral ellipsoid(lb_vec3 a) {
  const double V = 4 * PI / 3 * a.x * a.y * a.z;
  return symmetric(V, V * a.x * a.x / 5, V * a.y * a.y / 5, V * a.z * a.z / 5);
}

static lb_mesh_integral of_sphere(const lb_shape* s) {
  return ellipsoid(lb_vec3_make(s->size.x, s->size.x, s->size.x));
}

static lb_mesh_integral of_ellipsoid(const lb_shape* s) {
  return ellipsoid(s->size);
}

static lb_mesh_integral of_box(const lb_shape* s) {
  const lb_vec3 e = s->size;
  const double V = e.x * e.y * e.z;
  return symmetric(V, V * e.x * e.x / 12, V * e.y * e.y / 12, V * e.z * e.z / 12);
}

static lb_mesh_integral of_cylinder(const lb_shape* s) {
  const double r = s->size.x, l = s->size.y;
  const double V = PI * r * r * l;
  return symmetric(V, V * r * r / 4, V * r * r / 4, V * l * l / 12);
}

// A cylinder and two half balls. About its flat side a half ball has its centre at 3/8 r and the
// same z z moment per volume as the ball, r^2 / 5, so moved out by l/2:
// int (z + l/2)^2 = V (r^2 / 5 + 2 (3/8 r) (l/2) + (l/2)^2).
static lb_mesh_integral of_capsule(const lb_shape* s) {
  const double r = s->size.x, l = s->size.y;
  const lb_mesh_integral tube = of_cylinder(s), ball = of_sphere(s);
  const double across = tube.second.xx + ball.second.xx;
  const double along = tube.second.zz + ball.volume * (r * r / 5 + 3 * r * l / 8 + l * l / 4);
  return symmetric(tube.volume + ball.volume, across, across, along);
}

// Scaling by S = diag(size) maps volumes by |det S|, points by S and second moments by S . S. A
// negative scale mirrors the solid, whose volume stays positive.
static lb_mesh_integral of_mesh(const lb_shape* s) {
  const lb_mesh_integral m = lb_mesh_integrate(s->mesh);
  const double x = s->size.x, y = s->size.y, z = s->size.z, d = fabs(x * y * z);
  return (lb_mesh_integral){.volume = d * m.volume,
                            .com = {x * m.com.x, y * m.com.y, z * m.com.z},
                            .second = {.xx = d * x * x * m.second.xx,
                                       .yy = d * y * y * m.second.yy,
                                       .zz = d * z * z * m.second.zz,
                                       .xy = d * x * y * m.second.xy,
                                       .xz = d * x * z * m.second.xz,
                                       .yz = d * y * z * m.second.yz}};
}

static lb_mesh_integral integrate(const lb_shape* shape) {
  static lb_mesh_integral (*const of[LB_SHAPE_COUNT])(const lb_shape*) = {
      of_sphere, of_box, of_capsule, of_cylinder, of_ellipsoid, of_mesh};
  LB_ASSERT(shape->type < LB_SHAPE_COUNT);
  return of[shape->type](shape);
}

double lb_shape_volume(const lb_shape* shape) {
  return integrate(shape).volume;
}

lb_mass lb_shape_mass(const lb_shape* shape, double density) {
  const lb_mesh_integral s = integrate(shape);
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
