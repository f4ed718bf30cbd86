// A thousand boxes that were dropped come to rest without overlap.
#include "geom/collide/collide.h"
#include "limber/dynamics.h"
#include "walk_on_ground.h"

enum { BOXES = 1000 };
static const double HALF = 0.1; // of an edge [m]

// Points that each box bears on.
static void count_points(lb_world* w, int* points) {
  enum { MOST = 20 * BOXES };
  static lb_body_contact at[MOST];
  const int count = lb_body_contacts(lb_world_data(w), at, MOST);
  assert_at_most(count, MOST);
  memset(points, 0, BOXES * sizeof *points);
  for (int i = 0; i < count; i++) {
    for (int side = 0; side < 2; side++) {
      if (at[i].body[side] != LB_WORLD) {
        points[at[i].body[side]]++;
      }
    }
  }
}

typedef struct motion {
  double fastest; // but for those that turn
  int moving;     // of these, faster than something at rest is
  int turning;    // on two points
} motion;

// A box between two points turns about the line through them, and nothing stops it: friction of a
// point has no moment.
static motion look_at_motion(lb_world* w) {
  static const double AT_REST = 1e-4; // [m/s]
  int points[BOXES];
  motion all = {0, 0, 0};
  count_points(w, points);
  for (int i = 0; i < BOXES; i++) {
    const lb_body_velocity v = lb_world_velocity(w, i);
    const double speed = lb_vec3_norm(v.linear) + HALF * lb_vec3_norm(v.angular);
    const bool turns = points[i] <= 2;
    all.fastest = turns ? all.fastest : fmax(all.fastest, speed);
    all.turning += turns && speed > AT_REST;
    all.moving += !turns && speed > AT_REST;
  }
  return all;
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

// Which box ends up where depends on the last digit, and so on the processor.
static void a_pile_of_a_thousand_comes_to_rest_without_overlap(void** state) {
  (void)state;
  lb_test_needs_speed();
  ground_walk w;
  motion is = {0, 0, 0};
  open_scene(&w, "pile-1000", 0, NULL);
  assert_int_equal(lb_world_count(w.world, LB_PART_BODY), BOXES);
  for (int k = 0; k < 7; k++) {
    step_walk(&w, 1000);
    is = look_at_motion(w.world);
    print_message("after %g s: overlap %.2g m, fastest %.2g m/s, %d not at rest, %d turn\n",
                  lb_world_time(w.world), deepest(w.world), is.fastest, is.moving, is.turning);
  }
  assert_below(deepest(w.world), 1e-4);
  assert_below(is.fastest, 5e-3);
  assert_at_most(is.moving, BOXES / 100);
  assert_at_most(is.turning, BOXES / 100);
  close_walk(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pile_of_a_thousand_comes_to_rest_without_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
