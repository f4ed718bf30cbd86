// Effectors that touch: a hand that holds, and the whole hand beside it.
#include "fork_world.h"

static lb_world* open_scene(const char* name, const char* const* set, int nset) {
  char path[400];
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", LIMBER_SOURCE_DIR, name);
  const lb_scene_origin from = {.name = path, .nset = nset, .set = set};
  lb_world* w = NULL;
  if (lb_scene_open(&from, NULL, &scene, &err) == LB_OK) {
    w = lb_world_create(&scene, NULL, &err);
    lb_scene_release(&scene);
  }
  if (!w) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
  return w;
}

static void run_until(lb_world* w, double time, double h) {
  while (lb_world_time(w) < time - h / 2) {
    assert_int_equal(lb_world_step(w, h), LB_OK);
  }
}

static lb_transform pose_of(lb_world* w, const char* body) {
  return lb_world_pose(w, lb_world_find(w, LB_PART_BODY, body));
}

static lb_transform pose_in(lb_world* w, const char* body, const char* frame) {
  return lb_transform_mul(lb_transform_inverse(pose_of(w, frame)), pose_of(w, body));
}

static double distance_between(lb_transform a, lb_transform b) {
  return lb_vec3_norm(lb_vec3_sub(a.p, b.p));
}

// The can is lifted, and a minute later is where it was in the hand.
static void a_grasp_holds_for_a_minute(void** state) {
  (void)state;
  static const double steps[] = {2e-3, 1. / 60};
  for (int i = 0; i < 2; i++) {
    lb_world* w = open_scene("hand", NULL, 0);
    run_until(w, 3, steps[i]);
    const lb_transform before = pose_in(w, "can", "palm");
    assert_above(pose_of(w, "can").p.z, 0.17);
    double most = 0;
    for (int n = 1; n <= 60; n++) {
      run_until(w, 3 + n, steps[i]);
      const lb_transform now = pose_in(w, "can", "palm");
      const lb_vec3 turn = lb_quat_log(lb_quat_mul(lb_quat_conjugate(before.q), now.q));
      most = fmax(most, distance_between(before, now) + 0.07 * lb_vec3_norm(turn));
    }
    print_message("steps of %.3g s: the can slips by %.2g m in 60 s\n", steps[i], most);
    assert_below(most, 1e-6);
    lb_world_close(w);
  }
}

// The whole hand lifts it as far; the fingers' turns of 8 degrees are finite.
static void the_whole_hand_does_the_same(void** state) {
  (void)state;
  const char* const whole[] = {"fork.hand.simulate=whole"};
  lb_world *a = open_scene("hand", NULL, 0), *b = open_scene("hand", whole, 1);
  run_until(a, 2.5, 2e-3);
  run_until(b, 2.5, 2e-3);
  const double off = distance_between(pose_of(a, "can"), pose_of(b, "can"));
  const double tip = distance_between(pose_of(a, "tip-1"), pose_of(b, "tip-1"));
  print_message("can off by %.2g m, fingertip by %.2g m\n", off, tip);
  assert_below(off, 1e-3);
  assert_below(tip, 1e-3);
  lb_world_close(a);
  lb_world_close(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_grasp_holds_for_a_minute),
      cmocka_unit_test(the_whole_hand_does_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
