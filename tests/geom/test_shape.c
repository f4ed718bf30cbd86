// The table of shapes and their drawings.
#include "geom.h"
#include "test_arena.h"

static void every_type_has_a_complete_entry(void** state) {
  (void)state;
  for (lb_shape_type type = 0; type < LB_SHAPE_COUNT; type++) {
    const lb_shape_kind* kind = lb_shape_kind_of(type);
    assert_non_null(kind->name);
    assert_true(kind->nsize >= 1 || kind->lack);
    assert_at_most(kind->nsize, 3);
    for (int i = 0; i < kind->nsize; i++) {
      assert_non_null(kind->size[i].name);
    }
    assert_true(kind->integrate && kind->core && kind->distance && kind->tessellate);
  }
}

static void assert_says(lb_shape shape, int count, const char* last) {
  lb_error err = lb_error_make(NULL);
  const lb_status status = lb_shape_check(&shape, (lb_place){"a.yaml", 1, 2}, &err);
  assert_int_equal(status, count ? LB_INVALID : LB_OK);
  assert_int_equal(err.count, count);
  if (count) {
    assert_string_equal(err.message[count - 1].text, last);
  }
  lb_error_clear(&err);
}

static void sizes_out_of_range_are_refused(void** state) {
  (void)state;
  assert_says((lb_shape){LB_SHAPE_SPHERE, {1, 0, 0}, NULL, NULL}, 0, NULL);
  assert_says((lb_shape){LB_SHAPE_SPHERE, {-1, 0, 0}, NULL, NULL}, 1,
              "the sphere's radius must be positive (it is -1)");
  assert_says((lb_shape){LB_SHAPE_BOX, {0, 1, -2}, NULL, NULL}, 2,
              "the box's length along z must be positive (it is -2)");
  assert_says((lb_shape){LB_SHAPE_CAPSULE, {1, 0, 0}, NULL, NULL}, 0, NULL);
  assert_says((lb_shape){LB_SHAPE_CAPSULE, {1, -0.5, 0}, NULL, NULL}, 1,
              "the capsule's length must not be negative (it is -0.5)");
  assert_says((lb_shape){LB_SHAPE_ELLIPSOID, {1, (double)NAN, 1}, NULL, NULL}, 1,
              "the ellipsoid's semi-axis along y is not a finite number");
  assert_says((lb_shape){LB_SHAPE_MESH, {1, -1, 0}, &cube, NULL}, 1,
              "the mesh's scale along z must not be zero (it is 0)");
  assert_says((lb_shape){LB_SHAPE_MESH, {1, -1, 1}, NULL, NULL}, 1, "the shape has no mesh");
}

static lb_mesh draw(const lb_shape* shape, lb_vec3** normal) {
  lb_mesh mesh;
  assert_int_equal(lb_shape_tessellate(shape, LB_TESSELLATE_AROUND, &arena, &mesh, normal), LB_OK);
  return mesh;
}

static lb_vec3 face_normal(const lb_mesh* mesh, int f) {
  const int* v = &mesh->face[3 * f];
  const lb_vec3 a = mesh->vertex[v[0]];
  const lb_vec3 n =
      lb_vec3_cross(lb_vec3_sub(mesh->vertex[v[1]], a), lb_vec3_sub(mesh->vertex[v[2]], a));
  return lb_vec3_scale(1 / lb_vec3_norm(n), n);
}

// Unit, and on the side that the face turns to; within `angle` of it.
static void assert_normals_fit(const lb_mesh* mesh, const lb_vec3* normal, double cosine) {
  for (int f = 0; f < mesh->nface; f++) {
    const lb_vec3 n = face_normal(mesh, f);
    for (int k = 0; k < 3; k++) {
      const int v = mesh->face[3 * f + k];
      assert_at_least(v, 0);
      assert_below(v, mesh->nvertex);
      assert_near(lb_vec3_norm(normal[v]), 1, 1e-14);
      assert_at_least(lb_vec3_dot(normal[v], n), cosine);
    }
  }
}

static void normals_of_round_shapes_follow_the_surface(void** state) {
  (void)state;
  for (lb_shape_type type = 0; type < LB_SHAPE_MESH; type++) {
    const lb_shape shape = {type, {0.3, 0.4, 0.5}, NULL, NULL};
    lb_vec3* normal;
    const lb_mesh mesh = draw(&shape, &normal);
    assert_normals_fit(&mesh, normal, type == LB_SHAPE_BOX ? 1 - 1e-15 : 0.97);
  }
}

static void box_has_four_vertices_a_side(void** state) {
  (void)state;
  const lb_shape shape = {LB_SHAPE_BOX, {1, 2, 3}, NULL, NULL};
  lb_vec3* normal;
  const lb_mesh mesh = draw(&shape, &normal);
  assert_int_equal(mesh.nvertex, 24);
  assert_int_equal(mesh.nface, 12);
}

static void ellipsoid_normals_are_gradients(void** state) {
  (void)state;
  const lb_shape shape = {LB_SHAPE_ELLIPSOID, {0.2, 0.5, 1}, NULL, NULL};
  lb_vec3* normal;
  const lb_mesh mesh = draw(&shape, &normal);
  for (int i = 0; i < mesh.nvertex; i++) {
    const lb_vec3 v = mesh.vertex[i];
    const lb_vec3 g = {v.x / 0.04, v.y / 0.25, v.z / 1};
    assert_near(v.x * g.x + v.y * g.y + v.z * g.z, 1, 1e-14);
    assert_vec3_near(normal[i], lb_vec3_scale(1 / lb_vec3_norm(g), g), 1e-14);
  }
}

static void mesh_of_a_cube_gets_flat_normals(void** state) {
  (void)state;
  const lb_shape shape = {LB_SHAPE_MESH, {1, 1, 1}, &cube, NULL};
  lb_vec3* normal;
  const lb_mesh mesh = draw(&shape, &normal);
  assert_int_equal(mesh.nvertex, 24);
  assert_normals_fit(&mesh, normal, 1 - 1e-15);
}

static void mesh_of_a_ball_gets_smooth_normals(void** state) {
  (void)state;
  const lb_shape ball = {LB_SHAPE_SPHERE, {1, 0, 0}, NULL, NULL};
  lb_vec3* normal;
  const lb_mesh mesh = draw(&ball, &normal);
  const lb_shape shape = {LB_SHAPE_MESH, {1, 1, 1}, &mesh, NULL};
  const lb_mesh drawn = draw(&shape, &normal);
  assert_int_equal(drawn.nvertex, mesh.nvertex);
  for (int i = 0; i < drawn.nvertex; i++) {
    assert_above(lb_vec3_dot(normal[i], drawn.vertex[i]), 0.9999);
  }
}

// A cylinder has a crease between its side and its lids.
static void mesh_of_a_cylinder_has_a_crease_at_its_rims(void** state) {
  (void)state;
  const lb_shape cylinder = {LB_SHAPE_CYLINDER, {0.5, 1, 0}, NULL, NULL};
  lb_vec3* normal;
  const lb_mesh mesh = draw(&cylinder, &normal);
  lb_mesh welded;
  assert_int_equal(lb_mesh_weld(&mesh, &arena, &welded), LB_OK);
  const lb_shape shape = {LB_SHAPE_MESH, {1, 1, 1}, &welded, NULL};
  const lb_mesh drawn = draw(&shape, &normal);
  assert_int_equal(drawn.nvertex, mesh.nvertex);
  for (int i = 0; i < drawn.nvertex; i++) {
    assert_true(fabs(normal[i].z) > 1 - 1e-12 || fabs(normal[i].z) < 1e-12);
  }
}

static void mirrored_mesh_still_points_outwards(void** state) {
  (void)state;
  const lb_vec3 scale[] = {{-1, 1, 1}, {-2, -1, 1}, {-1, -1, -3}};
  for (int i = 0; i < 3; i++) {
    const lb_shape shape = {LB_SHAPE_MESH, scale[i], &tetrahedron, NULL};
    lb_vec3* normal;
    const lb_mesh mesh = draw(&shape, &normal);
    assert_near(lb_mesh_integrate(&mesh).volume, lb_shape_volume(&shape), 1e-15);
    assert_normals_fit(&mesh, normal, 1 - 1e-15);
  }
}

static void without_memory_outputs_are_unchanged(void** state) {
  (void)state;
  for (lb_shape_type type = 0; type < LB_SHAPE_COUNT; type++) {
    static const double height[] = {0, 1, 2, 1};
    const lb_height_grid grid = {2, 2, 1, 1, height};
    const lb_shape shape = {type, {1, 1, 1}, &cube, &grid};
    for (int left = 0, done = 0; !done; left++) {
      lb_stingy s = {.left = left};
      const lb_allocator allocator = {stingy_allocate, stingy_release, &s};
      lb_arena own;
      lb_arena_init(&own, &allocator);
      lb_mesh mesh = {0};
      lb_vec3* normal = NULL;
      const lb_status status = lb_shape_tessellate(&shape, 200, &own, &mesh, &normal);
      done = !s.failed;
      assert_int_equal(status, done ? LB_OK : LB_NO_MEMORY);
      assert_true(done || (!mesh.vertex && !normal && s.held == 0));
      lb_arena_release(&own);
      assert_int_equal(s.held, 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_has_a_complete_entry),
      cmocka_unit_test(sizes_out_of_range_are_refused),
      cmocka_unit_test(normals_of_round_shapes_follow_the_surface),
      cmocka_unit_test(box_has_four_vertices_a_side),
      cmocka_unit_test(ellipsoid_normals_are_gradients),
      cmocka_unit_test(mesh_of_a_cube_gets_flat_normals),
      cmocka_unit_test(mesh_of_a_ball_gets_smooth_normals),
      cmocka_unit_test(mesh_of_a_cylinder_has_a_crease_at_its_rims),
      cmocka_unit_test(mirrored_mesh_still_points_outwards),
      cmocka_unit_test(without_memory_outputs_are_unchanged),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
