// A thousand boxes that were dropped come to rest without overlap.
#include "geom/collide/collide.h"
#include "walk_on_ground.h"

enum { BOXES = 1000 };
static const double HALF = 0.1; // of an edge [m]

// The fastest box, and how many move faster than something at rest does.
static double fastest(lb_world* w, int* moving) {
  static const double AT_REST = 1e-4; // [m/s]
  double most = 0;
  *moving = 0;
  for (int i = 0; i < BOXES; i++) {
    const lb_body_velocity v = lb_world_velocity(w, i);
    const double speed = lb_vec3_norm(v.linear) + HALF * lb_vec3_norm(v.angular);
    most = fmax(most, speed);
    *moving += speed > AT_REST;
  }
  return most;
}

// Deepest overlap with the floor and with each other.
static double deepest(lb_world* w) {
  const double near = 2 * sqrt(3) * HALF;
  const lb_collider_def def = {.type = LB_COLLIDER_BOX, .size = {2 * HALF, 2 * HALF, 2 * HALF}};
  lb_collider* box;
  double depth = 0;
  assert_int_equal(lb_collider_create(&def, NULL, &box, NULL), LB_OK);
  for (int i = 0; i < BOXES; i++) {
    const lb_transform X = lb_world_pose(w, i);
    for (int k = 0; k < 8; k++) {
      const lb_vec3 corner = {k & 1 ? HALF : -HALF, k & 2 ? HALF : -HALF, k & 4 ? HALF : -HALF};
      depth = fmin(depth, lb_transform_point(X, corner).z);
    }
    for (int j = 0; j < i; j++) {
      const lb_transform Y = lb_world_pose(w, j);
      if (lb_vec3_norm(lb_vec3_sub(X.p, Y.p)) < near) {
        depth = fmin(depth, lb_collide_distance(box, X, box, Y).distance);
      }
    }
  }
  lb_collider_release(box);
  return -depth;
}

// Which box ends up where depends on the last digit, and so on the processor. Some boxes are left
// turning by some 1e-3 rad/s. Why is not known: steps also leave 1e-5 to 2e-4 m/s unsolved then.
static void a_pile_of_a_thousand_comes_to_rest_without_overlap(void** state) {
  (void)state;
  lb_test_needs_speed();
  ground_walk w;
  int moving;
  open_scene(&w, "pile-1000", 0, NULL);
  assert_int_equal(lb_world_count(w.world, LB_PART_BODY), BOXES);
  for (int k = 0; k < 7; k++) {
    step_walk(&w, 1000);
    const double speed = fastest(w.world, &moving);
    print_message("after %g s: overlap %.2g m, fastest %.2g m/s, %d not at rest\n",
                  lb_world_time(w.world), deepest(w.world), speed, moving);
  }
  assert_below(deepest(w.world), 1e-4);
  assert_below(fastest(w.world, &moving), 5e-3);
  assert_at_most(moving, BOXES / 100);
  close_walk(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pile_of_a_thousand_comes_to_rest_without_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
