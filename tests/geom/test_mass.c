// Mass properties: shapes against each other and closed forms, meshes against shapes.
#include "geom.h"
#include "test_arena.h"

static const double PI = 3.14159265358979323846;

static lb_shape shape_of(lb_shape_type type, double x, double y, double z) {
  return (lb_shape){.type = type, .size = {x, y, z}};
}

static lb_shape mesh_of(const lb_shape* shape, int around, lb_mesh* mesh) {
  lb_vec3* normal;
  assert_int_equal(lb_shape_tessellate(shape, around, &arena, mesh, &normal), LB_OK);
  return (lb_shape){LB_SHAPE_MESH, {1, 1, 1}, mesh, NULL};
}

static lb_transform some_transform(lb_random* r) {
  return (lb_transform){
      lb_quat_exp(lb_vec3_make(lb_random_between(r, -2, 2), lb_random_between(r, -2, 2),
                               lb_random_between(r, -2, 2))),
      {lb_random_between(r, -2, 2), lb_random_between(r, -2, 2), lb_random_between(r, -2, 2)}};
}

static void sphere_has_its_textbook_inertia(void** state) {
  (void)state;
  const lb_shape s = shape_of(LB_SHAPE_SPHERE, 0.3, 0, 0);
  const lb_mass m = lb_shape_mass(&s, 700);
  assert_near(m.mass, 700 * 4 * PI / 3 * 0.027, 1e-15);
  assert_near(m.inertia.yy, 0.4 * m.mass * 0.09, 1e-15);
  assert_near(lb_shape_volume(&s), 4 * PI / 3 * 0.027, 1e-15);
}

static void cylinder_has_its_textbook_inertia(void** state) {
  (void)state;
  const lb_shape s = shape_of(LB_SHAPE_CYLINDER, 0.3, 2, 0);
  const lb_mass m = lb_shape_mass(&s, 700);
  assert_near(m.inertia.zz, m.mass * 0.09 / 2, 1e-14);
  assert_near(m.inertia.xx, m.mass * (3 * 0.09 + 4) / 12, 1e-14);
}

// The same rod cut into eight boxes.
static void box_is_the_sum_of_its_pieces(void** state) {
  (void)state;
  const lb_shape whole = shape_of(LB_SHAPE_BOX, 0.8, 0.3, 0.5);
  const lb_shape piece = shape_of(LB_SHAPE_BOX, 0.4, 0.15, 0.25);
  lb_mass sum = {0};
  for (int i = 0; i < 8; i++) {
    const lb_transform X = {{1, 0, 0, 0},
                            {i & 1 ? 0.2 : -0.2, i & 2 ? 0.075 : -0.075, i & 4 ? 0.125 : -0.125}};
    sum = lb_mass_add(sum, lb_mass_transform(X, lb_shape_mass(&piece, 1000)));
  }
  assert_mass_near(sum, lb_shape_mass(&whole, 1000), 1e-14);
}

static void capsule_is_a_cylinder_and_two_half_balls(void** state) {
  (void)state;
  const double r = 0.2, l = 0.7;
  const lb_shape capsule = shape_of(LB_SHAPE_CAPSULE, r, l, 0);
  const lb_shape tube = shape_of(LB_SHAPE_CYLINDER, r, l, 0);
  const lb_shape ball = shape_of(LB_SHAPE_SPHERE, r, 0, 0);
  // half a ball: half the mass; about the ball's centre half its inertia
  const lb_mass b = lb_shape_mass(&ball, 1);
  const double m = b.mass / 2, d = 3 * r / 8;
  lb_mass half = {
      m,
      {0, 0, d},
      {b.inertia.xx / 2 - m * d * d, b.inertia.xx / 2 - m * d * d, b.inertia.zz / 2, 0, 0, 0}};
  const lb_mass top = lb_mass_transform((lb_transform){{1, 0, 0, 0}, {0, 0, l / 2}}, half);
  const lb_mass bottom = lb_mass_transform((lb_transform){{0, 1, 0, 0}, {0, 0, -l / 2}}, half);
  const lb_mass sum = lb_mass_add(lb_shape_mass(&tube, 1), lb_mass_add(top, bottom));
  assert_mass_near(sum, lb_shape_mass(&capsule, 1), 1e-15);
}

static void capsule_without_length_is_a_sphere(void** state) {
  (void)state;
  const lb_shape capsule = shape_of(LB_SHAPE_CAPSULE, 0.2, 0, 0);
  const lb_shape sphere = shape_of(LB_SHAPE_SPHERE, 0.2, 0, 0);
  assert_mass_near(lb_shape_mass(&capsule, 3), lb_shape_mass(&sphere, 3), 1e-16);
}

static void ellipsoid_with_equal_axes_is_a_sphere(void** state) {
  (void)state;
  const lb_shape ellipsoid = shape_of(LB_SHAPE_ELLIPSOID, 0.2, 0.2, 0.2);
  const lb_shape sphere = shape_of(LB_SHAPE_SPHERE, 0.2, 0, 0);
  assert_mass_near(lb_shape_mass(&ellipsoid, 3), lb_shape_mass(&sphere, 3), 1e-16);
}

static void addition_does_not_depend_on_order(void** state) {
  (void)state;
  lb_random r = {1};
  const lb_shape s = shape_of(LB_SHAPE_BOX, 0.1, 0.2, 0.3);
  const lb_mass a = lb_mass_transform(some_transform(&r), lb_shape_mass(&s, 1000));
  const lb_mass b = lb_mass_transform(some_transform(&r), lb_shape_mass(&s, 500));
  const lb_mass c = lb_mass_transform(some_transform(&r), lb_shape_mass(&s, 200));
  assert_mass_near(lb_mass_add(a, lb_mass_add(b, c)), lb_mass_add(lb_mass_add(c, b), a), 1e-14);
}

static void adding_nothing_changes_nothing(void** state) {
  (void)state;
  const lb_mass a = {2, {1, 2, 3}, {4, 5, 6, 0.1, 0.2, 0.3}};
  assert_mass_near(lb_mass_add(a, (lb_mass){0}), a, 0);
  assert_mass_near(lb_mass_add((lb_mass){0}, a), a, 0);
  assert_near(lb_mass_add((lb_mass){0}, (lb_mass){0}).mass, 0, 0);
}

// The inertia of moved masses about the origin is found from kinetic energy too: T = w.I.w / 2.
static void transform_keeps_kinetic_energy(void** state) {
  (void)state;
  lb_random r = {2};
  const lb_shape s = shape_of(LB_SHAPE_ELLIPSOID, 0.1, 0.5, 0.3);
  for (int i = 0; i < 50; i++) {
    const lb_transform X = some_transform(&r);
    const lb_mass b = lb_shape_mass(&s, 10), a = lb_mass_transform(X, b);
    const lb_vec3 w = some_transform(&r).p;
    const lb_vec3 wa = lb_quat_rotate(X.q, w);
    assert_near(lb_vec3_dot(wa, lb_sym3_apply(a.inertia, wa)),
                lb_vec3_dot(w, lb_sym3_apply(b.inertia, w)), 1e-13);
  }
}

static void tessellated_box_is_exact(void** state) {
  (void)state;
  const lb_shape box = shape_of(LB_SHAPE_BOX, 0.7, 0.2, 1.1);
  lb_mesh mesh;
  const lb_shape s = mesh_of(&box, 3, &mesh);
  assert_mass_near(lb_shape_mass(&s, 1000), lb_shape_mass(&box, 1000), 1e-14);
}

// Volume 1/6, centre 1/4; int x^2 = 1/60, int x y = 1/120 about the origin.
static void tetrahedron_has_its_closed_form(void** state) {
  (void)state;
  const lb_shape s = {LB_SHAPE_MESH, {1, 1, 1}, &tetrahedron, NULL};
  const lb_mass m = lb_shape_mass(&s, 6);
  const double xx = 6 * (1.0 / 60 - 1.0 / 96), xy = 6 * (1.0 / 120 - 1.0 / 96);
  assert_near(m.mass, 1, 1e-15);
  assert_vec3_near(m.com, lb_vec3_make(0.25, 0.25, 0.25), 1e-15);
  assert_sym3_near(m.inertia, (lb_sym3){2 * xx, 2 * xx, 2 * xx, -xy, -xy, -xy}, 1e-15);
}

static void round_meshes_converge_with_order_two(void** state) {
  (void)state;
  const lb_shape shape[] = {
      shape_of(LB_SHAPE_SPHERE, 0.4, 0, 0), shape_of(LB_SHAPE_CAPSULE, 0.2, 0.5, 0),
      shape_of(LB_SHAPE_CYLINDER, 0.3, 0.8, 0), shape_of(LB_SHAPE_ELLIPSOID, 0.2, 0.3, 0.5)};
  for (int i = 0; i < 4; i++) {
    double error[2][3];
    for (int k = 0; k < 2; k++) {
      lb_mesh mesh;
      const lb_shape s = mesh_of(&shape[i], 32 << k, &mesh);
      const lb_mass a = lb_shape_mass(&shape[i], 1000), b = lb_shape_mass(&s, 1000);
      error[k][0] = a.mass - b.mass;
      error[k][1] = a.inertia.xx - b.inertia.xx;
      error[k][2] = a.inertia.zz - b.inertia.zz;
      assert_vec3_near(b.com, lb_vec3_make(0, 0, 0), 1e-14);
      assert_above(error[k][0], 0); // inscribed
    }
    for (int j = 0; j < 3; j++) {
      assert_near(log2(error[0][j] / error[1][j]), 2, 0.02);
    }
  }
}

static void moving_a_mesh_moves_its_mass(void** state) {
  (void)state;
  lb_random r = {3};
  const lb_shape at_home = {LB_SHAPE_MESH, {1, 1, 1}, &tetrahedron, NULL};
  for (int i = 0; i < 50; i++) {
    const lb_transform X = some_transform(&r);
    lb_vec3 vertex[4];
    for (int k = 0; k < 4; k++) {
      vertex[k] = lb_transform_point(X, tetrahedron_vertex[k]);
    }
    const lb_mesh moved = {4, 4, vertex, tetrahedron_face};
    const lb_shape s = {LB_SHAPE_MESH, {1, 1, 1}, &moved, NULL};
    assert_mass_near(lb_shape_mass(&s, 6), lb_mass_transform(X, lb_shape_mass(&at_home, 6)), 1e-13);
  }
}

static void a_mesh_far_away_keeps_its_digits(void** state) {
  (void)state;
  lb_vec3 vertex[8];
  for (int i = 0; i < 8; i++) {
    vertex[i] = lb_vec3_add(cube_vertex[i], lb_vec3_make(1 << 20, -(1 << 21), 1 << 20));
  }
  const lb_mesh far = {8, 12, vertex, cube_face};
  const lb_shape s = {LB_SHAPE_MESH, {1, 1, 1}, &far, NULL};
  const lb_mass m = lb_shape_mass(&s, 1);
  assert_near(m.mass, 1, 1e-14);
  assert_sym3_near(m.inertia, (lb_sym3){1. / 6, 1. / 6, 1. / 6, 0, 0, 0}, 1e-14);
}

// Scaling the shape and scaling the vertices (and turning the faces when mirrored) are the same.
static void scale_may_differ_by_axis_and_mirror(void** state) {
  (void)state;
  static const lb_vec3 scale[] = {{2, 2, 2}, {1, 2, 3}, {-1, 1, 1}, {-2, 3, -0.5}, {-1, -1, -1}};
  for (int i = 0; i < 5; i++) {
    const lb_vec3 s = scale[i];
    lb_vec3 vertex[4];
    int face[12];
    for (int k = 0; k < 4; k++) {
      const lb_vec3 v = tetrahedron_vertex[k];
      vertex[k] = lb_vec3_make(s.x * v.x, s.y * v.y, s.z * v.z);
    }
    for (int k = 0; k < 12; k++) {
      face[k] = tetrahedron_face[s.x * s.y * s.z < 0 ? 11 - k : k];
    }
    const lb_mesh by_hand = {4, 4, vertex, face};
    const lb_shape a = {LB_SHAPE_MESH, s, &tetrahedron, NULL},
                   b = {LB_SHAPE_MESH, {1, 1, 1}, &by_hand, NULL};
    assert_above(lb_shape_volume(&a), 0);
    assert_mass_near(lb_shape_mass(&a, 7), lb_shape_mass(&b, 7), 1e-14);
  }
}

static void inertia_is_physical_for_every_shape(void** state) {
  (void)state;
  lb_random r = {4};
  for (int i = 0; i < 500; i++) {
    const lb_shape s = {(lb_shape_type)(i % LB_SHAPE_MESH),
                        {lb_random_between(&r, 0.01, 1), lb_random_between(&r, 0.01, 1),
                         lb_random_between(&r, 0.01, 1)},
                        NULL,
                        NULL};
    const lb_sym3 I = lb_shape_mass(&s, 1000).inertia;
    assert_above(I.xx, 0);
    assert_above(I.yy, 0);
    assert_above(I.zz, 0);
    assert_at_most(I.xx, I.yy + I.zz);
    assert_at_most(I.yy, I.xx + I.zz);
    assert_at_most(I.zz, I.xx + I.yy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sphere_has_its_textbook_inertia),
      cmocka_unit_test(cylinder_has_its_textbook_inertia),
      cmocka_unit_test(box_is_the_sum_of_its_pieces),
      cmocka_unit_test(capsule_is_a_cylinder_and_two_half_balls),
      cmocka_unit_test(capsule_without_length_is_a_sphere),
      cmocka_unit_test(ellipsoid_with_equal_axes_is_a_sphere),
      cmocka_unit_test(addition_does_not_depend_on_order),
      cmocka_unit_test(adding_nothing_changes_nothing),
      cmocka_unit_test(transform_keeps_kinetic_energy),
      cmocka_unit_test(tessellated_box_is_exact),
      cmocka_unit_test(tetrahedron_has_its_closed_form),
      cmocka_unit_test(round_meshes_converge_with_order_two),
      cmocka_unit_test(moving_a_mesh_moves_its_mass),
      cmocka_unit_test(a_mesh_far_away_keeps_its_digits),
      cmocka_unit_test(scale_may_differ_by_axis_and_mirror),
      cmocka_unit_test(inertia_is_physical_for_every_shape),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
