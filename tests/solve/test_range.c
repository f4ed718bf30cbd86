// solve: loads seen from a body, by differences of recorded poses.
#include "solve/diagnose/diagnose_range.h"
#include "test.h"

enum { FRAMES = 41 };

static double time_of[FRAMES];
static lb_transform pose[FRAMES][2];

// Body 0 turns about z with the angle t^2 and body 1 sits a metre from it along x.
static lb_track spin(void) {
  for (int f = 0; f < FRAMES; f++) {
    const double t = 0.01 * f, a = t * t;
    const lb_quat q = {cos(a / 2), 0, 0, sin(a / 2)};
    time_of[f] = t;
    pose[f][0] = (lb_transform){q, {0, 0, 0}};
    pose[f][1] = (lb_transform){q, {cos(a), sin(a), 0}};
  }
  return (lb_track){FRAMES, 2, time_of, &pose[0][0], {0, 0, -10}, 1};
}

static void loads_are_those_of_the_motion(void** state) {
  (void)state;
  const lb_track t = spin();
  for (int f = 1; f < FRAMES - 1; f++) {
    const double w = 2 * time_of[f]; // angular acceleration 2
    double load[6];
    assert_true(lb_track_load(&t, f, 0, 1, load));
    assert_near(load[0], -w * w, 1e-3); // centripetal
    assert_near(load[1], 2, 1e-3);      // tangential
    assert_near(load[2], 10, 1e-9);     // against gravity
    assert_near(load[3], 0, 1e-9);
    assert_near(load[4], 0, 1e-9);
    assert_near(load[5], 2, 1e-9);
  }
  double load[6];
  assert_false(lb_track_load(&t, 0, 0, 1, load));
  assert_false(lb_track_load(&t, FRAMES - 1, 0, 1, load));
}

static void a_quiet_direction_gets_a_part_of_the_loudest(void** state) {
  (void)state;
  const lb_track t = spin();
  double most[6];
  lb_track_most(&t, 0, 1, most);
  assert_near(most[2], 10, 1e-9);
  assert_near(most[1], 2, 1e-3);
  assert_near(most[0], 1, 1e-9); // 0.6 in the motion
  assert_near(most[5], 2, 1e-9);
  assert_near(most[3], 0.2, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_are_those_of_the_motion),
      cmocka_unit_test(a_quiet_direction_gets_a_part_of_the_loudest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
