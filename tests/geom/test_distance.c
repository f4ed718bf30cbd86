// Distances from shapes: closed forms, and every shape against the triangles it is drawn with.
#include "geom/shape/shape.h"
#include "test.h"

static void boxes_and_rods_have_corners_edges_and_faces(void** state) {
  (void)state;
  const lb_shape box = {.type = LB_SHAPE_BOX, .size = {2, 4, 6}};
  assert_near(lb_shape_distance(&box, (lb_vec3){0, 0, 0}), -1, 1e-15);
  assert_near(lb_shape_distance(&box, (lb_vec3){0, 0, 5}), 2, 1e-15);
  assert_near(lb_shape_distance(&box, (lb_vec3){4, 6, 0}), 5, 1e-15);
  assert_near(lb_shape_distance(&box, (lb_vec3){0.5, -1.9, 0}), -0.1, 1e-14);
  const lb_shape capsule = {.type = LB_SHAPE_CAPSULE, .size = {0.5, 2, 0}};
  assert_near(lb_shape_distance(&capsule, (lb_vec3){3, 0, 0.9}), 2.5, 1e-15);
  assert_near(lb_shape_distance(&capsule, (lb_vec3){3, 0, -5}), 4.5, 1e-15);
  const lb_shape cylinder = {.type = LB_SHAPE_CYLINDER, .size = {1, 2, 0}};
  assert_near(lb_shape_distance(&cylinder, (lb_vec3){4, 0, 5}), 5, 1e-15);
  assert_near(lb_shape_distance(&cylinder, (lb_vec3){0, 0.2, 0.7}), -0.3, 1e-14);
}

// A mesh made of the triangles that a shape is drawn with is as far away, as nearly as it is round.
static void every_shape_is_as_far_as_its_triangles(void** state) {
  (void)state;
  enum { AROUND = 96 };
  const lb_shape shape[] = {{.type = LB_SHAPE_SPHERE, .size = {0.7, 0, 0}},
                            {.type = LB_SHAPE_BOX, .size = {0.5, 1, 1.5}},
                            {.type = LB_SHAPE_CAPSULE, .size = {0.3, 1, 0}},
                            {.type = LB_SHAPE_CYLINDER, .size = {0.4, 1.2, 0}},
                            {.type = LB_SHAPE_ELLIPSOID, .size = {0.5, 0.7, 0.6}}};
  lb_random random = {1};
  for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
    lb_arena arena;
    lb_arena_init(&arena, NULL);
    lb_mesh mesh;
    lb_vec3* normal;
    assert_int_equal(lb_shape_tessellate(&shape[i], AROUND, &arena, &mesh, &normal), LB_OK);
    const lb_shape drawn = {.type = LB_SHAPE_MESH, .size = {1, 1, 1}, .mesh = &mesh};
    for (int k = 0; k < 60; k++) {
      const lb_vec3 x = {lb_random_between(&random, -1, 1), lb_random_between(&random, -1, 1),
                         lb_random_between(&random, -1, 1)};
      const double found = lb_shape_distance(&shape[i], x), want = lb_shape_distance(&drawn, x);
      const bool round = shape[i].type == LB_SHAPE_ELLIPSOID;
      assert_near(found, want, round ? 0.15 * fabs(want) + 2e-3 : 2e-3);
      assert_true(fabs(want) < 2e-3 || (found < 0) == (want < 0));
    }
    lb_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_and_rods_have_corners_edges_and_faces),
      cmocka_unit_test(every_shape_is_as_far_as_its_triangles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
