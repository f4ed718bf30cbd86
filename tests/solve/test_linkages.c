// Linkages stay closed: no drift over a minute. What is led by rates goes where they lead.
#include "compile.h"
#include "limber/limber.h"
#include "test.h"

// The worst gap in any frame of a scene that runs this long.
static double worst_gap(const char* name, double duration) {
  char path[4096];
  lb_scene scene;
  lb_model* m = NULL;
  lb_recording* r = NULL;
  lb_summary s;
  lb_error err = lb_error_make(NULL);
  lb_simulate_options o = lb_simulate_default();
  o.duration = duration;
  snprintf(path, sizeof path, "%s/scenes/%s", LIMBER_SOURCE_DIR, name);
  assert_int_equal(lb_scene_read(path, NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_OK);
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, &err), LB_OK);
  if (lb_simulate(m, &o, r, &s, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_recording_release(r);
  lb_model_release(m);
  lb_scene_release(&scene);
  lb_error_clear(&err);
  return s.constraint_violation;
}

static void the_four_bar_stays_closed_for_a_minute(void** state) {
  (void)state;
  assert_near(worst_gap("four-bar.yaml", 60), 0, 1e-12);
}

static void the_scissor_lift_stays_closed_for_a_minute(void** state) {
  (void)state;
  assert_near(worst_gap("scissor.yaml", 60), 0, 1e-12);
}

static void the_hand_and_the_gears_hold(void** state) {
  (void)state;
  assert_near(worst_gap("hand.yaml", 4), 0, 1e-12);
  assert_near(worst_gap("gear-train.yaml", 4), 0, 1e-12);
}

// A rate that goes up to `top` within `ramp`, stays, and goes down as fast leads as far as its
// mean.
static double way(double top, double ramp, double from, double to) {
  return top * (to - from - ramp);
}

// The crown climbs and comes back, and turns as often as its spin says; with chains that lose their
// swing, the seats hang where weight and spin balance, that is, where staying needs no torque.
static void the_swing_ride_goes_where_its_rates_lead(void** state) {
  (void)state;
  lb_scene scene;
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  const double spin = 13 * M_PI / 30, h = 0.01;
  assert_int_equal(lb_scene_read(LIMBER_SOURCE_DIR "/scenes/swing-ride.yaml", NULL, &scene, NULL),
                   LB_OK);
  for (int j = 0; j < scene.njoint; j++) {
    scene.joint[j].damping *= 30;
  }
  assert_int_equal(lb_model_create(&scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  double tau[64], still[64] = {0}, worst = 0, most = 0, height = 0;
  assert_true(m->nv <= 64);
  for (int i = 1; i <= 3600; i++) {
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    if (i == 2200) { // both have been even for a while
      lb_poses(m, d);
      height = d->pose[0].p.z;
      lb_rnea(m, d, tau, d->q, d->qd, still);
      for (int j = 0; j < m->njoint; j++) {
        for (int k = m->joint_v[j]; m->joint_nv[j] == 2 && k < m->joint_v[j] + 2; k++) {
          worst = fmax(worst, fmax(fabs(tau[k]), fabs(d->qd[k])));
          most = fmax(most, fabs(d->q[m->joint_q[j] + k - m->joint_v[j]]));
        }
      }
    }
  }
  print_message("seats at %.3f rad, %.2g N m and rad/s are left\n", most, worst);
  assert_near(height, 3.6 + way(0.4, 2, 4, 11), 1e-7);
  assert_true(most > 0.5 && worst < 0.05); // of 500 N m: the last of the swing
  lb_poses(m, d);
  const lb_quat turn = d->pose[0].q;
  const double angle = remainder(way(spin, 11, 1, 34), 2 * M_PI);
  assert_near(remainder(2 * atan2(turn.z, turn.w) - angle, 2 * M_PI), 0, 1e-4);
  assert_near(d->pose[0].p.z, 3.6, 1e-7);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  lb_scene_release(&scene);
}

// A flap on two hinges with one axis moves as on one of them: the second says nothing new.
static double flap_after(lb_integrator integrator, const char* second) {
  char text[1000];
  lb_stepper* st = NULL;
  lb_data* d = NULL;
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text,
           "bodies:\n"
           "  arm: {shape: {box: [0.2, 0.1, 0.05], position: [0.1, 0, 0]}}\n"
           "  flap: {shape: {box: [0.2, 0.1, 0.05], position: [0.1, 0, 0]}}\n"
           "joints:\n"
           "  shaft: {type: revolute, child: arm, axis: [0, 0.2, 1]}\n"
           "  hinge: {type: revolute, parent: arm, child: flap, at: [0.2, 0.05, 0],\n"
           "    in_child: [0, 0.05, 0], axis: y}\n"
           "%s"
           "initial: {shaft: {velocity: 3}, hinge: {velocity: 4}}\n",
           second);
  lb_model* m = compile(text);
  lb_scene_solver solver = {.integrator = integrator, .step = 2e-3};
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, d, &err), LB_OK);
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  for (int i = 0; i < 150; i++) {
    assert_int_equal(lb_stepper_step(st, d, 2e-3, &err), LB_OK);
  }
  const double angle = d->q[1];
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return angle;
}

static void a_second_hinge_on_one_axis_says_nothing(void** state) {
  (void)state;
  static const lb_integrator by[] = {LB_INTEGRATOR_RK4, LB_INTEGRATOR_LINEAR_EULER,
                                     LB_INTEGRATOR_BDF2};
  static const char second[] =
      "  second: {type: revolute, loop: true, parent: arm, child: flap, at: [0.2, -0.05, 0],\n"
      "    in_child: [0, -0.05, 0], axis: y}\n";
  for (int i = 0; i < 3; i++) {
    assert_near(flap_after(by[i], second), flap_after(by[i], ""), 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_four_bar_stays_closed_for_a_minute),
      cmocka_unit_test(the_scissor_lift_stays_closed_for_a_minute),
      cmocka_unit_test(the_hand_and_the_gears_hold),
      cmocka_unit_test(a_second_hinge_on_one_axis_says_nothing),
      cmocka_unit_test(the_swing_ride_goes_where_its_rates_lead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
