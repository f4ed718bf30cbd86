// Forces, motors and masses against closed forms: what a scene's numbers mean.
#include "limber/limber.h"
#include "test.h"

// A model from the text of a scene.
static lb_model* model_of(const char* text) {
  lb_scene scene;
  lb_model* m = NULL;
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err) != LB_OK ||
      lb_model_create(&scene, NULL, &m, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_scene_release(&scene);
  lb_error_clear(&err);
  return m;
}

static lb_data* data_of(const lb_model* m) {
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  return d;
}

static void step_to(const lb_model* m, lb_data* d, double end) {
  const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_RK8, .step = 1e-3};
  lb_stepper* st;
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  for (int i = 0; i < lround(end / 1e-3); i++) {
    assert_int_equal(lb_stepper_step(st, d, 1e-3, NULL), LB_OK);
  }
  lb_stepper_release(st);
}

static void release(lb_model* m, lb_data* d) {
  lb_data_release(d);
  lb_model_release(m);
}

// x'' + 2 z w x' + w^2 x = 0 from x = x0 at rest
static double damped(double x0, double mass, double stiffness, double damping, double t) {
  const double w = sqrt(stiffness / mass), z = damping / (2 * mass * w);
  const double wd = w * sqrt(1 - z * z);
  return x0 * exp(-z * w * t) * (cos(wd * t) + z * w / wd * sin(wd * t));
}

static void slide_on_a_spring_is_a_damped_oscillator(void** state) {
  (void)state;
  lb_model* m = model_of("gravity: [0, 0, 0]\n"
                         "bodies: {b: {mass: 2, shape: {sphere: {radius: 0.1}}}}\n"
                         "joints: {j: {type: prismatic, child: b, axis: x, damping: 3,\n"
                         "             spring: {stiffness: 50, rest: 0.4}}}\n"
                         "initial: {j: {position: 0.7}}\n");
  lb_data* d = data_of(m);
  assert_near(lb_potential_energy(m, d), 0.5 * 50 * 0.3 * 0.3, 1e-14);
  step_to(m, d, 1);
  assert_near(d->q[0], 0.4 + damped(0.3, 2, 50, 3, 1), 1e-12);
  release(m, d);
}

static void weight_on_a_spring_between_points_is_a_damped_oscillator(void** state) {
  (void)state;
  lb_model* m = model_of("gravity: [0, 0, 0]\n"
                         "bodies: {b: {mass: 2, shape: {sphere: {radius: 0.1}}}}\n"
                         "joints: {j: {type: prismatic, child: b, axis: x}}\n"
                         "springs: {s: {from: {body: world, at: [-1, 0, 0]}, to: {body: b},\n"
                         "              stiffness: 50, damping: 3, length: 1.4}}\n"
                         "initial: {j: {position: 0.7}}\n");
  lb_data* d = data_of(m);
  assert_near(lb_potential_energy(m, d), 0.5 * 50 * 0.3 * 0.3, 1e-14);
  step_to(m, d, 1);
  assert_near(d->q[0], 0.4 + damped(0.3, 2, 50, 3, 1), 1e-12);
  release(m, d);
}

static void hinge_under_a_torque_turns_by_newtons_law(void** state) {
  (void)state;
  // a load with a torque about y that grows as t/2, and a motor that applies a force with 0.3 N m
  lb_model* m = model_of("gravity: [0, 0, 0]\n"
                         "bodies: {b: {mass: 2, inertia: [0.2, 0.25, 0.2]}}\n"
                         "joints: {j: {type: revolute, child: b, axis: y}}\n"
                         "loads: {l: {body: b, torque: [0, 1, 0], ease: linear,\n"
                         "            keys: [[0 s, 0], [2 s, 1]]}}\n"
                         "motors: {m: {joint: j, drive: force, ease: linear,\n"
                         "             keys: [[0 s, 0.3], [2 s, 0.3]]}}\n");
  lb_data* d = data_of(m);
  step_to(m, d, 2);
  assert_near(d->q[0], (8.0 / 12 + 0.3 * 2) / 0.25, 1e-12);
  assert_near(d->qd[0], (1 + 0.6) / 0.25, 1e-12);
  lb_forward(m, d);
  assert_near(d->motor_force[0], 0.3, 1e-15);
  release(m, d);
}

// A force that turns with a spinning body averages out; one in the world's axes does not.
static void loads_follow_the_body_only_when_asked_to(void** state) {
  (void)state;
  for (int follows = 0; follows < 2; follows++) {
    char text[500];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}}\n"
             "loads: {l: {body: b, force: [3, 0, 0], torque: [0.2, 0, 0], frame: %s}}\n"
             "initial: {b: {spin: [0, 0, 90 deg/s]}}\n",
             follows ? "body" : "world");
    lb_model* m = model_of(text);
    lb_data* d = data_of(m);
    // after a quarter turn the body's x axis is the world's y
    d->q[3] = d->q[6] = sqrt(0.5);
    lb_forward(m, d);
    // the joint's velocities are in the body's axes: a force along its own x, or along its -y
    const double w = acos(-1.0) / 2;
    const double torque[2] = {0, 0.2};
    assert_near(d->qdd[3], follows ? 1.5 : 0, 1e-12);
    assert_near(d->qdd[4], follows ? 0 : -1.5, 1e-12);
    assert_near(d->qdd[0], torque[follows] / 0.1, 1e-12);
    assert_near(d->qdd[1], follows ? 0 : -0.2 / 0.1, 1e-12);
    assert_near(d->qd[2], w, 1e-15);
    release(m, d);
  }
}

static void force_off_the_centre_also_turns(void** state) {
  (void)state;
  lb_model* m = model_of("gravity: [0, 0, 0]\n"
                         "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}}\n"
                         "loads: {l: {body: b, at: [0, 0.5, 0], force: [3, 0, 0]}}\n");
  lb_data* d = data_of(m);
  lb_forward(m, d);
  assert_near(d->qdd[2], -0.5 * 3 / 0.1, 1e-13);
  assert_near(d->qdd[3], 1.5, 1e-13);
  release(m, d);
}

// Holding an arm level takes m g l; speeding it up takes I alpha more, and a rotor its own inertia.
static void position_motor_exerts_what_the_motion_needs(void** state) {
  (void)state;
  lb_model* m =
      model_of("bodies: {b: {mass: 2, center: [0.5, 0, 0], inertia: [0.1, 0.3, 0.3]}}\n"
               "joints: {j: {type: revolute, child: b, axis: -y, armature: 0.2, damping: 0.7}}\n"
               "motors: {m: {joint: j, keys: [[0 s, 0], [1 s, 0], [2 s, 1], [3 s, 1]]}}\n");
  lb_data* d = data_of(m);
  d->time = 0.5;
  lb_forward(m, d);
  assert_near(d->motor_force[0], 2 * 9.81 * 0.5, 1e-12);
  // minimum jerk from 1 s to 2 s: 10 s^3 - 15 s^4 + 6 s^5 at s = 0.25
  const double s = 0.25;
  const double q = 10 * s * s * s - 15 * pow(s, 4) + 6 * pow(s, 5);
  const double qd = 30 * s * s - 60 * s * s * s + 30 * pow(s, 4);
  const double qdd = 60 * s - 180 * s * s + 120 * s * s * s;
  d->time = 1.25;
  lb_forward(m, d);
  assert_near(d->q[0], q, 1e-14);
  assert_near(d->motor_force[0], 2 * 9.81 * 0.5 * cos(q) + (0.3 + 2 * 0.25 + 0.2) * qdd + 0.7 * qd,
              1e-12);
  release(m, d);
}

// A lift of 3 kg and what hangs on it, speeding up: the motor carries both.
static void lift_carries_everything_that_hangs_on_it(void** state) {
  (void)state;
  lb_model* m =
      model_of("bodies:\n"
               "  car: {mass: 3, shape: {box: [1, 1, 1]}}\n"
               "  bob: {mass: 2, shape: {sphere: {radius: 0.1}}}\n"
               "joints:\n"
               "  lift: {type: prismatic, child: car, axis: z}\n"
               "  rope: {type: revolute, parent: car, child: bob, axis: y, in_child: [0, 0, 0.5]}\n"
               "motors: {m: {joint: lift, keys: [[0 s, 0], [2 s, 1]]}}\n");
  lb_data* d = data_of(m);
  d->time = 0.5;
  lb_forward(m, d);
  const double s = 0.25, qdd = (60 * s - 180 * s * s + 120 * s * s * s) / 4;
  assert_near(d->motor_force[0], 5 * (9.81 + qdd), 1e-12);
  assert_near(d->qdd[1], 0, 1e-12);
  release(m, d);
}

static void a_given_mass_scales_what_the_shapes_say(void** state) {
  (void)state;
  lb_model* m = model_of("bodies: {b: {mass: 6, shape: {box: [1, 2, 3]}}}\n");
  assert_near(m->body.mass[0].mass, 6, 1e-15);
  assert_near(m->body.mass[0].inertia.xx, 6.0 * (4 + 9) / 12, 1e-13);
  assert_near(m->body.mass[0].inertia.zz, 6.0 * (1 + 4) / 12, 1e-13);
  lb_model_release(m);
}

// Free fall and a thrown body: the summary's drift is the worst, not the last.
static void thrown_body_follows_the_parabola(void** state) {
  (void)state;
  lb_model* m = model_of("bodies: {b: {shape: {box: [0.1, 0.2, 0.3]}, position: [1, 2, 3]}}\n"
                         "initial: {b: {velocity: [1, -2, 5], spin: [1, 0, 0]}}\n");
  lb_data* d = data_of(m);
  step_to(m, d, 1);
  assert_near(d->q[0], 2, 1e-12);
  assert_near(d->q[1], 0, 1e-12);
  assert_near(d->q[2], 3 + 5 - 9.81 / 2, 1e-12);
  release(m, d);
}

// A ball joint's damper slows a round body by exp(-d t / I).
static void ball_joint_damper_slows_exponentially(void** state) {
  (void)state;
  lb_model* m = model_of("gravity: [0, 0, 0]\n"
                         "bodies: {b: {mass: 1, inertia: [0.5, 0.5, 0.5]}}\n"
                         "joints: {j: {type: spherical, child: b, damping: 0.3}}\n"
                         "initial: {j: {spin: [1, 2, -1]}}\n");
  lb_data* d = data_of(m);
  step_to(m, d, 2);
  const double factor = exp(-0.3 * 2 / 0.5);
  assert_near(d->qd[0], factor, 1e-12);
  assert_near(d->qd[1], 2 * factor, 1e-12);
  assert_near(d->qd[2], -factor, 1e-12);
  release(m, d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slide_on_a_spring_is_a_damped_oscillator),
      cmocka_unit_test(weight_on_a_spring_between_points_is_a_damped_oscillator),
      cmocka_unit_test(hinge_under_a_torque_turns_by_newtons_law),
      cmocka_unit_test(loads_follow_the_body_only_when_asked_to),
      cmocka_unit_test(force_off_the_centre_also_turns),
      cmocka_unit_test(position_motor_exerts_what_the_motion_needs),
      cmocka_unit_test(lift_carries_everything_that_hangs_on_it),
      cmocka_unit_test(a_given_mass_scales_what_the_shapes_say),
      cmocka_unit_test(thrown_body_follows_the_parabola),
      cmocka_unit_test(ball_joint_damper_slows_exponentially),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
