// Walkers over 5 m of flat ground, a slope of 5 degrees and dunes; and how near they come to their
// kinematics where they are slow and their feet small.
#include "math/curve/time_profile.h"
#include "scene/part/linkage.h"
#include "walk_on_ground.h"

static const char* const WALKERS[] = {"jansen", "klann", "dog", "giraffe"};

// Lean of something that stands [rad]: as its ground leans, and 3 degrees of rocking.
static double most_lean(int ground) {
  const double slope[] = {0, 5 * M_PI / 180, atan(0.04 * M_PI / 1.6)}; // flat, slope, dunes
  return slope[ground] + 3 * M_PI / 180;
}

// Dog and giraffe: whether the crank of a copy is beyond the arc on which its foot stands
// [degrees].
static bool is_swinging(const ground_walk* w, int copy, int ground) {
  const double from = ground < 2 ? 6.4 : 9.9, to = ground < 2 ? 173.3 : 165.1;
  lb_arena arena;
  lb_profile* gait;
  double v[3];
  lb_arena_init(&arena, NULL);
  assert_int_equal(lb_profile_create(&arena, &w->scene.motor[copy].profile, &gait), LB_OK);
  lb_profile_evaluate(gait, lb_world_time(w->world), v);
  lb_arena_release(&arena);
  const double angle = v[0] * 180 / M_PI - 360 * floor(v[0] / (2 * M_PI));
  return angle < from || angle > to;
}

static int foot_of(const lb_scene_linkage* k, int copy) {
  int b = 0;
  while (strcmp(k->bar[b].name, "foot") != 0) {
    b++;
  }
  return k->copy[copy].body[b];
}

// Forces that the ground exerts upward: on all feet, and on those that swing, added to `load`.
static void add_loads(const ground_walk* w, int ground, double load[2]) {
  enum { MOST_TOUCHES = 64 };
  const lb_scene_linkage* k = &w->scene.linkage[0];
  lb_body_contact touch[MOST_TOUCHES];
  const int n = lb_world_contacts(w->world, touch, MOST_TOUCHES);
  assert_true(n <= MOST_TOUCHES);
  for (int c = 0; c < k->ncopy; c++) {
    const int foot = foot_of(k, c);
    const bool swings = is_swinging(w, c, ground);
    for (int i = 0; i < n; i++) {
      const int side = touch[i].body[0] == foot ? 1 : touch[i].body[1] == foot ? -1 : 0;
      load[0] += side * touch[i].force.z;
      load[1] += swings ? side * touch[i].force.z : 0;
    }
  }
}

// Dog and giraffe are statically stable if feet that swing bear nothing. On dunes the fourth foot
// is above or below the plane of the three others, by 2.4 cm at most. So a chassis comes down with
// a foot that leaves, for an instant, until the other one has the ground.
static double most_on_swinging(int ground) {
  return ground < 2 ? 1e-3 : 0.05;
}

static void walkers_go_five_metres_and_stay_upright(void** state) {
  (void)state;
  static const char* const ground[] = {"", "-slope", "-dunes"};
  for (int i = 0; i < 12; i++) {
    char scene[40];
    ground_walk w;
    snprintf(scene, sizeof scene, "%s%s", WALKERS[i % 4], ground[i / 4]);
    open_walk(&w, scene, 0, NULL);
    const lb_vec3 from = lb_world_pose(w.world, w.chassis).p;
    double far = 0, load[2] = {0};
    while (far < 5 && lb_world_time(w.world) < 60) {
      step_walk(&w, 10);
      look_at_walk(&w);
      if (i % 4 >= 2) {
        add_loads(&w, i / 4, load);
      }
      far = lb_vec3_norm(lb_vec3_sub(lb_world_pose(w.world, w.chassis).p, from));
    }
    const double swinging = load[1] / fmax(load[0], 1);
    print_message(
        "%s: 5 m in %.1f s, tilt up to %.2f degrees, %.2f %% on swinging feet, pins %.2g m\n",
        scene, lb_world_time(w.world), acos(w.upright) * 180 / M_PI, 100 * swinging, w.gap);
    assert_at_least(far, 5);
    assert_above(w.upright, cos(most_lean(i / 4)));
    assert_below(swinging, most_on_swinging(i / 4));
    assert_below(w.gap, 1e-6);
    close_walk(&w);
  }
}

// A ball rolls on while its leg turns, so feet of 3 cm go farther than points do.
static void slow_walkers_on_points_go_by_kinematics(void** state) {
  (void)state;
  static const char* const jansen[] = {"profiles.walk.repeat=8 s", "linkages.leg.feet.F=1 mm",
                                       "joints.stand.at=[0, 0, 92 cm]"};
  static const char* const klann[] = {"profiles.walk.repeat=8 s", "linkages.leg.feet.P33=1 mm",
                                      "joints.stand.at=[0, 0, 40.1 cm]"};
  ground_walk w;
  open_walk(&w, "jansen", 3, jansen);
  walk_cycles(&w, 8, 2);
  print_message("jansen: %.2f cm, heave %.3f cm, pitch %.3f\n", 100 * w.along, 100 * w.heave,
                w.pitch);
  assert_true(w.along > 1.379 && w.along < 1.433);
  assert_within(100 * w.heave, 0.20, 0.01);
  assert_within(w.pitch, 0.17, 0.01);
  close_walk(&w);
  open_walk(&w, "klann", 3, klann);
  walk_cycles(&w, 8, 2);
  print_message("klann: %.4f, heave %.4f, pitch %.3f\n", 2 * w.along, 2 * w.heave, w.pitch);
  assert_true(2 * w.along > 0.97 * 2.00 && 2 * w.along < 1.03 * 2.01);
  assert_within(2 * w.heave, 0.049, 0.001);
  assert_within(w.pitch, 0.58, 0.01);
  close_walk(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walkers_go_five_metres_and_stay_upright),
      cmocka_unit_test(slow_walkers_on_points_go_by_kinematics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
