// Extent of worlds: what moves counts, wherever it is; where nothing does, all bodies.
#include "model/use/model_extent.h"

#include "compile.h"

static lb_extent extent_of(const char* text) {
  lb_model* m = compile(text);
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  lb_poses(m, d);
  const lb_extent e = lb_model_extent(m, d->pose, d->q);
  lb_data_release(d);
  lb_model_release(m);
  return e;
}

static void what_stands_still_does_not_count(void** state) {
  (void)state;
  const lb_extent e =
      extent_of("bodies:\n"
                "  hall: {shape: {box: [50, 50, 50]}}\n"
                "  ball: {shape: {sphere: {radius: 0.5}}, mass: 1}\n"
                "joints:\n"
                "  stand: {type: fixed, child: hall}\n"
                "  slide: {type: prismatic, child: ball, at: [2, 0, 1], axis: z}\n");
  assert_near(e.centre.x, 2, 1e-12);
  assert_near(e.centre.z, 1, 1e-12);
  assert_near(e.size, 0.5 * sqrt(3), 1e-12);
}

static void where_nothing_moves_all_counts(void** state) {
  (void)state;
  const lb_extent e = extent_of("bodies: {hall: {shape: {sphere: {radius: 3}}, mass: 1}}\n"
                                "joints: {stand: {type: fixed, child: hall, at: [1, 0, 0]}}\n");
  assert_near(e.centre.x, 1, 1e-12);
  assert_near(e.size, 3 * sqrt(3), 1e-12);
}

static void ropes_and_elastic_bodies_count(void** state) {
  (void)state;
  const lb_extent rope = extent_of("bodies: {post: {mass: 1, inertia: [1, 1, 1]}}\n"
                                   "joints: {stand: {type: fixed, child: post, at: [9, 0, 0]}}\n"
                                   "ropes: {line: {through: [{at: [0, 0, 4]}, {at: [0, 0, 0], "
                                   "free: true}], segments: 4, mass: 1, stiffness: 1e4}}\n");
  assert_near(rope.size, 1.5, 1e-9); // from the free end to the last node below the fastened one
  assert_near(rope.centre.z, 1.5, 1e-9);
  const lb_extent rod = extent_of(
      "bodies: {rod: {elastic: {rod: {radius: 1 mm, to: [0, 0, 2]}, material: steel, elements: "
      "{along: 4, across: 1}}}}\n"
      "joints: {clamp: {type: fixed, child: rod, child_face: start}}\n");
  assert_near(rod.centre.z, 1, 1e-9);
  assert_near(rod.size, 1, 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_stands_still_does_not_count),
      cmocka_unit_test(where_nothing_moves_all_counts),
      cmocka_unit_test(ropes_and_elastic_bodies_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
