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
    lb_world* w = open_scene("grasp", NULL, 0);
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
  lb_world *a = open_scene("grasp", NULL, 0), *b = open_scene("grasp", whole, 1);
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

// With a second model of each finger, closed by a force, the hand is much nearer to the whole, and
// holds as well.
static void several_models_grasp(void** state) {
  (void)state;
  const char* const whole[] = {"fork.hand.simulate=whole"};
  const char* const models[] = {"fork.hand.models=[{}, {loads: {tip-1: [-6, 0, 0], tip-2: [3, "
                                "-5.2, 0], tip-3: [3, 5.2, 0]}}]"};
  lb_world *a = open_scene("grasp", models, 1), *b = open_scene("grasp", whole, 1);
  run_until(a, 2.5, 2e-3);
  run_until(b, 2.5, 2e-3);
  const double off = distance_between(pose_of(a, "can"), pose_of(b, "can"));
  const double tip = distance_between(pose_of(a, "tip-1"), pose_of(b, "tip-1"));
  const double inner = distance_between(pose_of(a, "middle-1"), pose_of(b, "middle-1"));
  print_message("can off by %.2g m, fingertip by %.2g m, link by %.2g m\n", off, tip, inner);
  assert_below(off, 1.5e-4);
  assert_below(tip, 3e-4);
  assert_below(inner, 2e-4);
  run_until(a, 3, 2e-3);
  const lb_transform before = pose_in(a, "can", "palm");
  run_until(a, 13, 2e-3);
  const lb_transform after = pose_in(a, "can", "palm");
  print_message("slips by %.2g m in 10 s\n", distance_between(before, after));
  assert_below(distance_between(before, after), 1e-6);
  lb_world_close(a);
  lb_world_close(b);
}

// The hexapod walks more than five metres over rough ground, upright.
static void the_hexapod_walks_five_metres(void** state) {
  (void)state;
  lb_world* w = open_scene("hexapod", NULL, 0);
  run_until(w, 15, 2e-3);
  const lb_transform torso = pose_of(w, "torso");
  print_message("it walks %.3f m, and %.3f m aside\n", torso.p.x, torso.p.y);
  assert_above(torso.p.x, 5);
  assert_above(lb_quat_rotate(torso.q, lb_vec3_make(0, 0, 1)).z, 0.95);
  assert_near(torso.p.z, 0.16, 0.03);
  lb_world_close(w);
}

// Over the bump, the chassis goes as it does on whole wishbones.
static void the_buggy_rides_as_on_whole_wishbones(void** state) {
  (void)state;
  const char* const whole[] = {"fork.wishbones.simulate=whole"};
  lb_world *a = open_scene("suspension", NULL, 0), *b = open_scene("suspension", whole, 1);
  double most = 0;
  for (int i = 1; i <= 30; i++) {
    run_until(a, 0.1 * i, 2e-3);
    run_until(b, 0.1 * i, 2e-3);
    most = fmax(most, distance_between(pose_of(a, "chassis"), pose_of(b, "chassis")));
  }
  print_message("chassis off by up to %.3g m\n", most);
  assert_below(most, 0.03);
  lb_world_close(a);
  lb_world_close(b);
}

// A caller commands servos inside: as their profiles it changes nothing, and it can let go.
static void servos_inside_take_commands(void** state) {
  (void)state;
  lb_world *a = open_scene("grasp", NULL, 0), *b = open_scene("grasp", NULL, 0);
  int base[3];
  run_until(a, 2, 2e-3);
  run_until(b, 2, 2e-3);
  for (int i = 0; i < 3; i++) {
    base[i] =
        lb_world_find(b, LB_PART_MOTOR, (const char* const[]){"base-1", "base-2", "base-3"}[i]);
    lb_world_set_motor(b, base[i], -12 * M_PI / 180);
  }
  run_until(a, 2.4, 2e-3);
  run_until(b, 2.4, 2e-3);
  assert_near(distance_between(pose_of(a, "can"), pose_of(b, "can")), 0, 1e-12);
  assert_near(lb_world_motor_force(a, base[0]), lb_world_motor_force(b, base[0]), 1e-10);
  assert_near(lb_world_motor_force(a, base[0]), 0.54, 0.02);
  for (int i = 0; i < 3; i++) {
    lb_world_set_motor(b, base[i], -30 * M_PI / 180);
  }
  run_until(b, 3.2, 2e-3);
  assert_below(pose_of(b, "can").p.z, 0.1);
  assert_int_equal(lb_world_status(b), LB_OK);
  lb_world_close(a);
  lb_world_close(b);
}

// All implicit integrators lift the can to the same place.
static void every_implicit_integrator_grasps(void** state) {
  (void)state;
  static const char* const integrators[] = {"solver.integrator=linear-euler",
                                            "solver.integrator=bdf1", "solver.integrator=bdf2",
                                            "solver.integrator=sdirk2"};
  double first = 0;
  for (int i = 0; i < 4; i++) {
    lb_world* w = open_scene("grasp", &integrators[i], 1);
    run_until(w, 2.5, 2e-3);
    const double z = pose_of(w, "can").p.z;
    first = i == 0 ? z : first;
    print_message("%s: %.9f m\n", integrators[i], z);
    assert_near(z, first, 1e-5);
    lb_world_close(w);
  }
}

// Projected Gauss-Seidel as printed, a hundred sweeps of it, lifts the can as well.
static void gauss_seidel_as_printed_comes_near(void** state) {
  (void)state;
  const char* const printed[] = {"contacts.solver=gauss-seidel", "contacts.cone=pyramid"};
  const char* const pyramid[] = {"contacts.cone=pyramid"};
  lb_world *a = open_scene("grasp", printed, 2), *b = open_scene("grasp", pyramid, 1);
  run_until(a, 2.5, 2e-3);
  run_until(b, 2.5, 2e-3);
  const double off = distance_between(pose_of(a, "can"), pose_of(b, "can"));
  const lb_transform before = pose_in(a, "can", "palm");
  run_until(a, 12.5, 2e-3);
  const double slip = distance_between(before, pose_in(a, "can", "palm"));
  print_message("can off by %.2g m, and slips by %.2g m in 10 s\n", off, slip);
  assert_below(off, 1e-5);
  assert_below(slip, 1e-6);
  lb_world_close(a);
  lb_world_close(b);
}

// The peg goes in, as it does with whole fingers.
static void the_peg_finds_its_hole(void** state) {
  (void)state;
  const char* const whole[] = {"fork.fingers.simulate=whole"};
  lb_world *a = open_scene("peg-in-hole", NULL, 0), *b = open_scene("peg-in-hole", whole, 1);
  run_until(a, 3, 2e-3);
  run_until(b, 3, 2e-3);
  const lb_transform peg = pose_of(a, "peg");
  const double off = distance_between(peg, pose_of(b, "peg"));
  print_message("peg at %.4f, %.4f m, off by %.2g m\n", peg.p.x, peg.p.z, off);
  assert_below(peg.p.z, 0.157);
  assert_below(fabs(peg.p.x), 4e-3);
  assert_below(off, 3e-4);
  lb_world_close(a);
  lb_world_close(b);
}

// The rabbit comes to rest on the trampoline.
static void the_rabbit_is_caught(void** state) {
  (void)state;
  lb_world* w = open_scene("firefighters", NULL, 0);
  double highest = 0;
  run_until(w, 0.7, 2e-3);
  for (int i = 1; i <= 33; i++) {
    run_until(w, 0.7 + 0.1 * i, 2e-3);
    highest = fmax(highest, pose_of(w, "rabbit").p.z);
  }
  const double above = pose_in(w, "rabbit", "trampoline").p.z;
  print_message("the rabbit jumps to %.2f m, and ends %.3f m above the trampoline\n", highest,
                above);
  assert_above(highest, 1.6);
  assert_near(above, 0.145, 5e-3);
  lb_world_close(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_grasp_holds_for_a_minute),
      cmocka_unit_test(the_whole_hand_does_the_same),
      cmocka_unit_test(several_models_grasp),
      cmocka_unit_test(the_hexapod_walks_five_metres),
      cmocka_unit_test(the_buggy_rides_as_on_whole_wishbones),
      cmocka_unit_test(servos_inside_take_commands),
      cmocka_unit_test(every_implicit_integrator_grasps),
      cmocka_unit_test(gauss_seidel_as_printed_comes_near),
      cmocka_unit_test(the_peg_finds_its_hole),
      cmocka_unit_test(the_rabbit_is_caught),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
