// Contacts between the steps of a world, and queries on its solid shapes.
#include "worlds.h"

#define BOXES                                                                                      \
  "contacts: {tolerance: 1e-10}\n"                                                                 \
  "solver: {integrator: %s, step: 1 ms}\n"                                                         \
  "scenery: [{box: [4, 4, 1], position: [0, 0, -0.5], solid: true}]\n"                             \
  "bodies:\n"                                                                                      \
  "  low: {shape: {box: [0.2, 0.2, 0.2]}, mass: 3, position: [0, 0, 0.1]}\n"                       \
  "  high: {shape: {box: [0.2, 0.2, 0.2]}, mass: 1, position: [1, 0, 0.6]}\n"

static void forces_on_a_box_at_rest_sum_to_its_weight(void** state) {
  (void)state;
  lb_world* w = open_world(BOXES, LB_INTEGRATOR_LINEAR_EULER);
  lb_body_contact c[16];
  const int low = lb_world_find(w, LB_PART_BODY, "low");
  assert_int_equal(lb_world_contacts(w, c, 16), 0); // no step yet
  for (int i = 0; i < 100; i++) {
    must_step(w, 0);
  }
  const int n = lb_world_contacts(w, c, 16);
  lb_vec3 sum = {0, 0, 0};
  assert_int_equal(n, 4);
  for (int i = 0; i < n; i++) {
    const bool first = c[i].body[0] == low;
    assert_int_equal(c[i].body[!first ? 1 : 0], low);
    assert_int_equal(c[i].body[first ? 1 : 0], LB_WORLD);
    assert_within(c[i].point.z, 0, 1e-6);
    assert_within(lb_vec3_norm(c[i].slip), 0, 1e-9);
    sum = lb_vec3_add(sum, lb_vec3_scale(first ? 1 : -1, c[i].force));
  }
  assert_within(sum.z, 3 * 9.81, 1e-6);
  assert_within(hypot(sum.x, sum.y), 0, 1e-6);
  assert_int_equal(lb_world_contacts(w, NULL, 0), 4);
  lb_world_close(w);
}

static void a_ray_hits_what_is_nearest(void** state) {
  (void)state;
  lb_world* w = open_world(BOXES, LB_INTEGRATOR_LINEAR_EULER);
  lb_world_hit hit;
  const lb_ray down = {{0.03, 0.02, 2}, {0, 0, -1}, 10};
  assert_true(lb_world_ray(w, &down, &hit));
  assert_int_equal(hit.body, lb_world_find(w, LB_PART_BODY, "low"));
  assert_within(hit.t, 1.8, 1e-12);
  assert_within(hit.point.z, 0.2, 1e-12);
  assert_within(hit.normal.z, 1, 1e-12);
  const lb_ray aside = {{0.5, 0, 2}, {0, 0, -1}, 10}, away = {{0, 0, 2}, {0, 0, 1}, 10};
  assert_true(lb_world_ray(w, &aside, &hit));
  assert_int_equal(hit.body, LB_WORLD);
  assert_within(hit.t, 2, 1e-12);
  assert_false(lb_world_ray(w, &away, &hit));
  lb_world_close(w);
}

static void distance_and_overlap_follow_the_bodies(void** state) {
  (void)state;
  lb_world* w = open_world(BOXES, LB_INTEGRATOR_LINEAR_EULER);
  const int low = lb_world_find(w, LB_PART_BODY, "low"),
            high = lb_world_find(w, LB_PART_BODY, "high");
  const lb_separation s = lb_world_distance(w, high, low);
  assert_within(s.distance, hypot(0.8, 0.3), 1e-9);
  assert_within(s.normal.x, 0.8 / s.distance, 1e-9);
  assert_within(lb_world_distance(w, high, LB_WORLD).distance, 0.5, 1e-9);
  assert_false(lb_world_overlap(w, high, low));
  const double q[7] = {0.15, 0, 0.25, 1, 0, 0, 0};
  lb_world_place(w, lb_world_find(w, LB_PART_JOINT, "high"), q, NULL);
  assert_true(lb_world_overlap(w, high, low));
  assert_within(lb_world_distance(w, high, low).distance, -0.05, 1e-9);
  assert_true(isinf(lb_world_distance(w, high, high).distance));
  lb_world_close(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_on_a_box_at_rest_sum_to_its_weight),
      cmocka_unit_test(a_ray_hits_what_is_nearest),
      cmocka_unit_test(distance_and_overlap_follow_the_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
