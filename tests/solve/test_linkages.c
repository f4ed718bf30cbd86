// Linkages stay closed: no drift over a minute. What is prescribed by rates goes where they lead.
#include "compile.h"
#include "limber/limber.h"
#include "test.h"

// What a scene does that runs this long.
typedef struct outcome {
  double gap;  // the worst in any frame
  double rest; // of all seconds the one in which the bodies move least, by as much
} outcome;

// How far the body moves or turns most that does between two frames [m, rad].
static double moved(const lb_recording* r, int from, int to) {
  double most = 0;
  const int n = r->model->nbody;
  for (int b = 0; b < n; b++) {
    const lb_transform way =
        lb_transform_mul(lb_transform_inverse(r->pose[from * n + b]), r->pose[to * n + b]);
    most = fmax(most, fmax(lb_vec3_norm(way.p), lb_vec3_norm(lb_quat_log(way.q))));
  }
  return most;
}

// The largest way of bodies from a frame to any of those of the second after.
static double least_moved(const lb_recording* r) {
  double least = INFINITY;
  for (int f = 0; f < r->nframe && r->time[f] < r->time[r->nframe - 1] - 1;) {
    double most = 0;
    int next = f;
    while (r->time[next] < r->time[f] + 1) {
      most = fmax(most, moved(r, f, ++next));
    }
    least = fmin(least, most);
    f = next;
  }
  return least;
}

static outcome run_scene(const char* name, lb_coordinates coordinates, double duration,
                         double step) {
  char path[4096];
  lb_scene scene;
  lb_model* m = NULL;
  lb_recording* r = NULL;
  lb_summary s;
  lb_error err = lb_error_make(NULL);
  lb_simulate_options o = lb_simulate_default();
  o.duration = duration;
  o.step = step;
  snprintf(path, sizeof path, "%s/scenes/%s", LIMBER_SOURCE_DIR, name);
  assert_int_equal(lb_scene_read(path, NULL, &scene, &err), LB_OK);
  scene.solver.coordinates = coordinates;
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_OK);
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, &err), LB_OK);
  if (lb_simulate(m, &o, r, &s, &err) != LB_OK) {
    fail_msg("%s", err.message[0].text);
  }
  assert_near(r->time[r->nframe - 1], duration, 1e-9);
  const outcome out = {s.constraint_violation, least_moved(r)};
  print_message("%s: gap %.2g m, %.2g m or rad moved in the quietest second\n", name, out.gap,
                out.rest);
  lb_recording_release(r);
  lb_model_release(m);
  lb_scene_release(&scene);
  lb_error_clear(&err);
  return out;
}

static void expect_closed(const char* name, lb_coordinates coordinates, double duration,
                          double step) {
  const outcome o = run_scene(name, coordinates, duration, step);
  assert_below(o.gap, 1e-12);
  assert_above(o.rest, 0.02); // gears begin slowly
}

static void the_four_bar_turns_for_a_minute_and_stays_closed(void** state) {
  (void)state;
  expect_closed("four-bar.yaml", LB_COORDINATES_REDUCED, 60, NAN);
  expect_closed("four-bar.yaml", LB_COORDINATES_MAXIMAL, 60, 4e-3);
}

// In maximal coordinates, with 96 of them and 121 constraints, once down and up.
static void the_scissor_lift_moves_for_a_minute_and_stays_closed(void** state) {
  (void)state;
  expect_closed("scissor.yaml", LB_COORDINATES_REDUCED, 60, NAN);
  expect_closed("scissor.yaml", LB_COORDINATES_MAXIMAL, 4, 10e-3);
}

static void the_hand_and_the_gears_hold(void** state) {
  (void)state;
  expect_closed("hand.yaml", LB_COORDINATES_REDUCED, 4, NAN);
  expect_closed("gear-train.yaml", LB_COORDINATES_REDUCED, 4, NAN);
}

// Two rails of 16 links, 16 rungs between them and balls that close 16 loops, stiff springs in all
// hinges: the mechanism of bench/models.c, whose tip other engines find at -0.002297 m.
static const char LADDER[] =
    "gravity: [0, -9.81, 0]\n"
    "solver: {integrator: bdf2, step: 1 ms}\n"
    "joints:\n"
    "  low-1: {type: revolute, child: low-1, axis: z, spring: {stiffness: 1000}, damping: 1}\n"
    "  up-1: {type: revolute, child: up-1, at: [0, 0.3, 0], axis: z, spring: {stiffness: 1000}, "
    "damping: 1}\n"
    "repeat:\n"
    "  - count: 16\n"
    "    bodies:\n"
    "      low-(n): {mass: 0.04, center: [0.05, 0, 0], inertia: [2.666666666666667e-6,\n"
    "        3.466666666666667e-5, 3.466666666666667e-5]}\n"
    "      up-(n): {mass: 0.04, center: [0.05, 0, 0], inertia: [2.666666666666667e-6,\n"
    "        3.466666666666667e-5, 3.466666666666667e-5]}\n"
    "      rung-(n): {mass: 0.12, center: [0, 0.15, 0], inertia: [9.04e-4, 8e-6, 9.04e-4]}\n"
    "    joints:\n"
    "      rung-(n): {type: revolute, parent: low-(n), child: rung-(n), at: [0.1, 0, 0], axis: z,\n"
    "        spring: {stiffness: 1000}, damping: 1}\n"
    "      ball-(n): {type: spherical, loop: true, parent: rung-(n), child: up-(n),\n"
    "        at: [0, 0.3, 0], in_child: [0.1, 0, 0]}\n"
    "  - count: 15\n"
    "    from: 2\n"
    "    joints:\n"
    "      low-(n): {type: revolute, parent: low-(n-1), child: low-(n), at: [0.1, 0, 0], axis: z,\n"
    "        spring: {stiffness: 1000}, damping: 1}\n"
    "      up-(n): {type: revolute, parent: up-(n-1), child: up-(n), at: [0.1, 0, 0], axis: z,\n"
    "        spring: {stiffness: 1000}, damping: 1}\n";

static void the_ladder_has_the_equilibrium_of_other_engines(void** state) {
  (void)state;
  lb_model* m = compile(LADDER);
  lb_recording* r = NULL;
  lb_summary s;
  lb_simulate_options o = lb_simulate_default();
  o.duration = 5;
  assert_int_equal(m->nv, 48);
  assert_int_equal(m->constraint.nloop, 16);
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &o, r, &s, NULL), LB_OK);
  int tip = 0;
  while (strcmp(m->body.name[tip], "low-16") != 0) {
    tip++;
  }
  const lb_transform X = r->pose[(r->nframe - 1) * m->nbody + tip];
  const double height = lb_transform_point(X, (lb_vec3){0.05, 0, 0}).y;
  print_message("tip at %.6f m, gap %.2g m\n", height, s.constraint_violation);
  assert_below(fabs(height / -0.002297 - 1), 0.005);
  assert_below(s.constraint_violation, 1e-12);
  lb_recording_release(r);
  lb_model_release(m);
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
    scene.joint[j].resistance.damping *= 30;
  }
  assert_int_equal(lb_model_create(&scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  double tau[64], still[64] = {0}, worst = 0, most = 0, height = 0;
  assert_at_most(m->nv, 64);
  for (int i = 1; i <= 3600; i++) {
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    if (i == 2200) { // both have been even for a while
      lb_poses(m, d);
      height = d->pose[0].p.z;
      lb_rnea(m, d, tau, d->q, d->qd, still);
      for (int j = 0; j < m->njoint; j++) {
        for (int k = m->joint.v[j]; m->joint.nv[j] == 2 && k < m->joint.v[j] + 2; k++) {
          worst = fmax(worst, fmax(fabs(tau[k]), fabs(d->qd[k])));
          most = fmax(most, fabs(d->q[m->joint.q[j] + k - m->joint.v[j]]));
        }
      }
    }
  }
  print_message("seats at %.3f rad, %.2g N m and rad/s are left\n", most, worst);
  assert_near(height, 3.6 + way(0.4, 2, 4, 11), 1e-7);
  assert_above(most, 0.5);
  assert_below(worst, 0.05); // of 500 N m: the last of the swing
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
      cmocka_unit_test(the_four_bar_turns_for_a_minute_and_stays_closed),
      cmocka_unit_test(the_scissor_lift_moves_for_a_minute_and_stays_closed),
      cmocka_unit_test(the_hand_and_the_gears_hold),
      cmocka_unit_test(the_ladder_has_the_equilibrium_of_other_engines),
      cmocka_unit_test(a_second_hinge_on_one_axis_says_nothing),
      cmocka_unit_test(the_swing_ride_goes_where_its_rates_lead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
