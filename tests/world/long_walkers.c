// Walkers over 5 m of flat ground, a slope of 5 degrees and dunes; and how near they come to their
// kinematics where they are slow and their feet small.
#include "walk_on_ground.h"

static const char* const WALKERS[] = {"jansen", "klann", "dog", "giraffe"};

// Lean of something that stands [rad]. Jansen's and Klann's walkers have feet on all sides and lean
// as their ground does, but for 3 degrees of rocking. Dog and giraffe stand on three of four feet;
// they rock by 6 degrees as feet land, on the flat and on the slope. Where their weight lies beyond
// the three, as on dunes, they lean on the fourth: about the line between the feet beside it, until
// it is down, from 31.27 units above the ground at most, the lift of their linkage. Its hips are
// 180 by 100 units apart. What leans farther falls.
static double most_lean(int walker, int ground) {
  static const double lift = 31.27, along = 180, across = 100;
  const double slope[] = {0, 5 * M_PI / 180, atan(0.04 * M_PI / 1.6)}; // flat, slope, dunes
  const double from_line = along * across / hypot(along, across);
  const double own = walker < 2   ? 3 * M_PI / 180
                     : ground < 2 ? 6 * M_PI / 180
                                  : atan(lift / from_line);
  return slope[ground] + own;
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
    double far = 0;
    while (far < 5 && lb_world_time(w.world) < 60) {
      step_walk(&w, 50);
      look_at_walk(&w);
      far = lb_vec3_norm(lb_vec3_sub(lb_world_pose(w.world, w.chassis).p, from));
    }
    print_message("%s: 5 m in %.1f s, tilt up to %.2f degrees, pins %.2g m\n", scene,
                  lb_world_time(w.world), acos(w.upright) * 180 / M_PI, w.gap);
    assert_at_least(far, 5);
    assert_above(w.upright, cos(most_lean(i % 4, i / 4)));
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
