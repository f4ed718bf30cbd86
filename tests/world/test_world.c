// Worlds that a caller drives: what is set, pushed, saved and read is what the rest of the library
// says of the same scene.
#include <cblas.h>

#include "counting.h"
#include "worlds.h"

// Where bits of two worlds are compared, adaptive steps are left out: their lengths depend on what
// came before. A state that is saved has that.

// --- inputs ---

static void a_torque_that_is_set_equals_a_profile_to_the_last_bit(void** state) {
  (void)state;
  for (lb_integrator by = 0; by < LB_INTEGRATOR_COUNT; by++) {
    lb_world* a = open_world(LINKAGE("keys: [[0, 0.3]]", ""), by);
    lb_world* b = open_world(LINKAGE("keys: [[0, 0]]", ""), by);
    const int motor = lb_world_find(b, LB_PART_MOTOR, "crank");
    for (int i = 0; i < 100; i++) {
      lb_world_set_motor(b, motor, 0.3);
      must_step(a, 1e-3);
      must_step(b, 1e-3);
    }
    assert_same_state(a, b);
    assert_true(lb_world_motor_force(a, motor) == lb_world_motor_force(b, motor));
    lb_world_close(a);
    lb_world_close(b);
  }
}

// Semi-implicit Euler asks for forces at the start of its steps alone.
static void torques_set_from_step_to_step_equal_a_profile_that_changes(void** state) {
  (void)state;
  lb_world* a = open_world(LINKAGE("ease: linear, keys: [[0, 0.3], [0.1, -0.5]]", ""), 0);
  lb_world* b = open_world(LINKAGE("keys: [[0, 0]]", ""), 0);
  const lb_model* m = lb_world_model(a);
  for (int i = 0; i < 150; i++) {
    double value[3];
    lb_profile_evaluate(m->motor.profile[0], lb_world_time(b), value);
    lb_world_set_motor(b, 0, value[0]);
    must_step(a, 1e-3);
    must_step(b, 1e-3);
  }
  assert_same_state(a, b);
  lb_world_close(a);
  lb_world_close(b);
}

static void a_force_equals_a_load_to_the_last_bit(void** state) {
  (void)state;
  for (lb_integrator by = 0; by < LB_INTEGRATOR_COUNT; by++) {
    lb_world* a = open_world(
        LINKAGE("keys: [[0, 0]]", "loads: {l: {body: rocker, at: [0, 0.01, 0.2], force: [1, 0.2, "
                                  "0.5]}, n: {body: bob, torque: [0.02, 0, 0.05]}}\n"),
        by);
    lb_world* b = open_world(LINKAGE("keys: [[0, 0]]", ""), by);
    const int rocker = lb_world_find(b, LB_PART_BODY, "rocker");
    const int bob = lb_world_find(b, LB_PART_BODY, "bob");
    for (int i = 0; i < 100; i++) {
      lb_world_push(b, rocker, lb_vec3_make(1, 0.2, 0.5), lb_vec3_make(0, 0.01, 0.2));
      lb_world_twist(b, bob, lb_vec3_make(0.02, 0, 0.05));
      must_step(a, 1e-3);
      must_step(b, 1e-3);
    }
    assert_same_state(a, b);
    lb_world_close(a);
    lb_world_close(b);
  }
}

// How far the hand is off after 0.4 s when the arm's profile is given by its values at the ends of
// steps, with or without its rates.
static double follow(lb_integrator by, double h, bool rates) {
  lb_world* a = open_world(LINKAGE("keys: [[0, 0]]", ""), by);
  lb_world* b = open_world(LINKAGE("keys: [[0, 0]]", ""), LB_INTEGRATOR_RK8);
  const int arm = lb_world_find(a, LB_PART_MOTOR, "arm");
  const int elbow = lb_world_find(a, LB_PART_JOINT, "elbow");
  const int shoulder = lb_world_find(a, LB_PART_JOINT, "shoulder");
  const int steps = (int)lround(0.4 / h);
  for (int i = 0; i < steps; i++) {
    double value[3];
    lb_profile_evaluate(lb_world_model(a)->motor.profile[arm], lb_world_time(a) + h, value);
    if (rates) {
      lb_world_set_motion(a, arm, value[0], value[1]);
    } else {
      lb_world_set_motor(a, arm, value[0]);
    }
    must_step(a, h);
    assert_true(lb_world_q(a, shoulder)[0] == value[0]);
    must_step(b, h);
  }
  const double off = fabs(lb_world_q(a, elbow)[0] - lb_world_q(b, elbow)[0]);
  lb_world_close(a);
  lb_world_close(b);
  return off;
}

// The trajectory of what hangs on a prescribed motion converges to that of the profile.
static void targets_set_from_step_to_step_converge_to_the_motion_they_are_taken_from(void** state) {
  (void)state;
  for (lb_integrator by = 0; by < LB_INTEGRATOR_COUNT; by++) {
    for (int rates = 0; rates < 2; rates++) {
      const double coarse = follow(by, 2e-3, rates), fine = follow(by, 1e-3, rates);
      if (!(fine < 0.6 * coarse && fine < 2e-3)) {
        fail_msg("%s, rates %d: off by %g with 2 ms, by %g with 1 ms", lb_integrator_name(by),
                 rates, coarse, fine);
      }
    }
  }
}

static void a_motor_that_is_freed_goes_on_by_its_profile(void** state) {
  (void)state;
  lb_world* a = open_world(LINKAGE("keys: [[0, 0]]", ""), LB_INTEGRATOR_RK4);
  const int arm = lb_world_find(a, LB_PART_MOTOR, "arm");
  lb_world_set_motor(a, arm, 0.2);
  must_step(a, 1e-3);
  must_step(a, 1e-3);
  assert_true(lb_world_q(a, lb_world_find(a, LB_PART_JOINT, "shoulder"))[0] == 0.2);
  assert_true(lb_world_qd(a, lb_world_find(a, LB_PART_JOINT, "shoulder"))[0] == 0);
  lb_world_free_motor(a, arm);
  must_step(a, 1e-3);
  double value[3];
  lb_profile_evaluate(lb_world_model(a)->motor.profile[arm], lb_world_time(a), value);
  assert_true(lb_world_q(a, lb_world_find(a, LB_PART_JOINT, "shoulder"))[0] == value[0]);
  lb_world_close(a);
}

static void generalised_forces_equal_a_motor(void** state) {
  (void)state;
  lb_world* a = open_world(LINKAGE("keys: [[0, 0.3]]", ""), LB_INTEGRATOR_BDF2);
  lb_world* b = open_world(LINKAGE("keys: [[0, 0]]", ""), LB_INTEGRATOR_BDF2);
  lb_world_set_tau(b, lb_world_find(b, LB_PART_JOINT, "shaft"), (double[]){0.3});
  for (int i = 0; i < 100; i++) {
    must_step(a, 1e-3);
    must_step(b, 1e-3);
  }
  assert_same_state(a, b);
  lb_world_close(a);
  lb_world_close(b);
}

// --- the host ---

// A deformable, whose matrices are large enough for BLAS to share among threads.
static void results_do_not_depend_on_the_hosts_threads_of_blas(void** state) {
  (void)state;
  lb_world* w[3];
  for (int i = 0; i < 3; i++) {
    openblas_set_num_threads(1 << i);
    w[i] = lb_world_open(LIMBER_SOURCE_DIR "/scenes/starfish.yaml", NULL);
    assert_non_null(w[i]);
    for (int k = 0; k < 5; k++) {
      must_step(w[i], 0);
    }
    assert_same_state(w[0], w[i]);
    assert_int_equal(openblas_get_num_threads(), 1 << i); // which are the host's own affair
  }
  openblas_set_num_threads(1);
  for (int i = 0; i < 3; i++) {
    lb_world_close(w[i]);
  }
}

// --- states ---

// A few steps with inputs that change.
static void run(lb_world* w, double h, int from, int steps) {
  for (int i = from; i < from + steps; i++) {
    for (int k = 0; k < lb_world_count(w, LB_PART_MOTOR); k++) {
      const double value = 0.1 * sin(0.05 * i * (k + 1));
      lb_world_set_motor(w, k, value);
    }
    lb_world_push(w, 2, lb_vec3_make(0.1 * cos(0.1 * i), 0, 0.1), lb_vec3_make(0, 0, 0.01));
    must_step(w, h);
  }
}

static void check_states(const char* scene, lb_integrator by, double h) {
  lb_world *a = open_world(scene, by), *b = open_world(scene, by), *c = open_world(scene, by);
  double* saved = calloc(lb_world_state_size(a), sizeof *saved);
  run(a, h, 0, 20);
  lb_world_save(a, saved);
  run(a, h, 20, 30);
  // in another world, which has been elsewhere
  run(b, h, 7, 5);
  lb_world_restore(b, saved);
  run(b, h, 20, 30);
  assert_same_state(a, b);
  // in one that has not moved yet
  lb_world_restore(c, saved);
  run(c, h, 20, 30);
  assert_same_state(a, c);
  // and back again
  lb_world_restore(a, saved);
  run(a, h, 20, 30);
  assert_same_state(a, b);
  free(saved);
  lb_world_close(a);
  lb_world_close(b);
  lb_world_close(c);
}

static void a_restored_state_goes_on_the_same_to_the_last_bit(void** state) {
  (void)state;
  for (lb_integrator by = 0; by < LB_INTEGRATOR_COUNT; by++) {
    check_states(LINKAGE("keys: [[0, 0]]", ""), by, 1e-3);
  }
  for (lb_integrator by = 0; by < LB_INTEGRATOR_COUNT; by++) { // which refuses stops
    check_states(
        LINKAGE("keys: [[0, 0]]", "") "constraints:\n"
                                      "  stop: {couple: [{joint: pivot}], at_most: 0.05}\n",
        by == LB_INTEGRATOR_ADAPTIVE ? LB_INTEGRATOR_RK4 : by, 1e-3);
  }
}

static void so_does_one_with_elastic_bodies(void** state) {
  (void)state;
  for (lb_integrator by = LB_INTEGRATOR_LINEAR_EULER; by <= LB_INTEGRATOR_SDIRK2; by++) {
    check_states(RUBBER, by, 2e-3);
  }
}

static void reading_does_not_change_a_run(void** state) {
  (void)state;
  for (lb_integrator by = 0; by < LB_INTEGRATOR_COUNT; by++) {
    lb_world *a = open_world(LINKAGE("keys: [[0, 0.3]]", ""), by),
             *b = open_world(LINKAGE("keys: [[0, 0.3]]", ""), by);
    double* J = calloc((size_t)(6 * lb_world_nv(a)), sizeof *J);
    for (int i = 0; i < 50; i++) {
      must_step(a, 1e-3);
      must_step(b, 1e-3);
      lb_world_motor_force(b, 0);
      lb_world_reaction(b, 0);
      lb_world_velocity(b, 0);
      assert_int_equal(lb_world_jacobian(b, 3, lb_vec3_make(0, 0, 1), J), LB_OK);
    }
    assert_same_state(a, b);
    free(J);
    lb_world_close(a);
    lb_world_close(b);
  }
}

static void a_world_that_is_reset_runs_the_same_again(void** state) {
  (void)state;
  for (lb_integrator by = 0; by < LB_INTEGRATOR_COUNT; by++) {
    lb_world *a = open_world(LINKAGE("keys: [[0, 0.3]]", ""), by),
             *b = open_world(LINKAGE("keys: [[0, 0.3]]", ""), by);
    run(a, 1e-3, 0, 20);
    lb_world_reset(a);
    run(a, 1e-3, 3, 20);
    run(b, 1e-3, 3, 20);
    assert_same_state(a, b);
    lb_world_close(a);
    lb_world_close(b);
  }
}

// --- outputs ---

// A small change of the configuration along velocity k.
static void displace(lb_world* w, const double* q0, int k, double by) {
  lb_data* d = lb_world_data(w);
  const lb_model* m = d->model;
  memcpy(d->q, q0, (size_t)m->nq * sizeof *q0);
  for (int j = 0; j < m->njoint; j++) {
    const int at = k - m->joint.v[j];
    if (at < 0 || at >= m->joint.nv[j]) {
      continue;
    }
    if (m->joint.kind[j] == LB_JOINT_SPHERICAL) {
      double* q = d->q + m->joint.q[j];
      const double turn[3] = {at == 0 ? by : 0, at == 1 ? by : 0, at == 2 ? by : 0};
      const lb_quat r = lb_quat_mul((lb_quat){q[0], q[1], q[2], q[3]},
                                    lb_quat_exp(lb_vec3_make(turn[0], turn[1], turn[2])));
      q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
    } else {
      d->q[m->joint.q[j] + at] += by;
    }
  }
}

static void check_jacobian(lb_world* w, int body, lb_vec3 point) {
  const int nv = lb_world_nv(w), nq = lb_world_model(w)->nq;
  double* J = calloc((size_t)(6 * nv), sizeof *J);
  double* q0 = calloc((size_t)nq, sizeof *q0);
  memcpy(q0, lb_world_data(w)->q, (size_t)nq * sizeof *q0);
  assert_int_equal(lb_world_jacobian(w, body, point, J), LB_OK);
  // J qd is the velocity that the world gives
  const lb_body_velocity v = lb_world_velocity(w, body);
  const lb_vec3 arm = lb_quat_rotate(lb_world_pose(w, body).q, point);
  const lb_vec3 at = lb_vec3_add(v.linear, lb_vec3_cross(v.angular, arm));
  const double seen[6] = {v.angular.x, v.angular.y, v.angular.z, at.x, at.y, at.z};
  for (int c = 0; c < 6; c++) {
    double sum = 0;
    for (int k = 0; k < nv; k++) {
      sum += J[c * nv + k] * lb_world_data(w)->qd[k];
    }
    assert_near(sum, seen[c], 1e-12);
  }
  for (int k = 0; k < nv; k++) {
    // differences of order 4
    static const double place[4] = {-2, -1, 1, 2},
                        weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    double size = 1; // of what a unit of the coordinate does: it is much of elastic bodies' shapes
    for (int c = 0; c < 6; c++) {
      size = fmax(size, fabs(J[c * nv + k]));
    }
    const double e = 2e-4 / size;
    const lb_quat back = lb_quat_conjugate(lb_world_pose(w, body).q);
    lb_vec3 dp = {0, 0, 0}, dw = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
      displace(w, q0, k, e * place[i]);
      const lb_transform X = lb_world_pose(w, body);
      const lb_vec3 turn = lb_quat_log(lb_quat_mul(X.q, back));
      dp = lb_vec3_add(dp, lb_vec3_scale(weight[i] / e, lb_transform_point(X, point)));
      dw = lb_vec3_add(dw, lb_vec3_scale(weight[i] / e, turn));
    }
    displace(w, q0, k, 0);
    const double want[6] = {dw.x, dw.y, dw.z, dp.x, dp.y, dp.z};
    for (int c = 0; c < 6; c++) {
      assert_near(J[c * nv + k] / size, want[c] / size, 1e-8);
    }
  }
  memcpy(lb_world_data(w)->q, q0, (size_t)nq * sizeof *q0);
  free(J);
  free(q0);
}

static void jacobians_agree_with_finite_differences(void** state) {
  (void)state;
  lb_world* w = open_world(LINKAGE("keys: [[0, 0.3]]", ""), LB_INTEGRATOR_RK4);
  run(w, 1e-3, 0, 50);
  for (int body = 0; body < lb_world_count(w, LB_PART_BODY); body++) {
    check_jacobian(w, body, lb_vec3_make(0.1, -0.2, 0.3));
  }
  lb_world_close(w);
  w = open_world(RUBBER, LB_INTEGRATOR_BDF2);
  run(w, 2e-3, 0, 50);
  for (int body = 0; body < lb_world_count(w, LB_PART_BODY); body++) {
    check_jacobian(w, body, lb_vec3_make(0.1, -0.2, 0.3));
  }
  lb_world_close(w);
}

static void named_points_move_with_their_bodies(void** state) {
  (void)state;
  lb_world* w = open_world(LINKAGE("keys: [[0, 0]]", ""), LB_INTEGRATOR_RK4);
  run(w, 1e-3, 0, 50);
  const lb_vec3 p = lb_world_point(w, lb_world_find(w, LB_PART_POINT, "tip"));
  const lb_transform hand = lb_world_pose(w, lb_world_find(w, LB_PART_BODY, "hand"));
  const lb_vec3 q = lb_transform_point(hand, lb_vec3_make(0, 0, -0.2));
  assert_near(lb_vec3_norm(lb_vec3_sub(p, q)), 0, 1e-15);
  lb_world_close(w);
  w = open_world(RUBBER, LB_INTEGRATOR_BDF2);
  for (int i = 0; i < 200; i++) {
    must_step(w, 1e-3);
  }
  // the bob hangs on the middle of the face that the point is on
  const lb_vec3 end = lb_world_point(w, lb_world_find(w, LB_PART_POINT, "end"));
  const lb_vec3 bob = lb_world_pose(w, lb_world_find(w, LB_PART_BODY, "bob")).p;
  assert_near(lb_vec3_norm(lb_vec3_sub(end, bob)), 0, 0.011); // the radius: nearest is an edge
  assert_below(bob.z, -0.02);
  lb_world_close(w);
}

// A weight of 2 kg that hangs 0.5 m beside a hinge and rests there.
static void forces_of_joints_and_constraints_are_those_of_statics(void** state) {
  (void)state;
  lb_world* w =
      open_world("solver: {integrator: %s}\ngravity: [0, 0, -10]\n"
                 "bodies:\n"
                 "  beam: {mass: 2, inertia: [1, 1, 1], center: [0.5, 0, 0]}\n"
                 "  block: {mass: 3, inertia: [1, 1, 1]}\n"
                 "joints:\n"
                 "  hinge: {type: revolute, child: beam, axis: y}\n"
                 "  slide: {type: prismatic, child: block, axis: z, at: [3, 0, 0]}\n"
                 "motors: {hold: {joint: hinge, keys: [[0, 0]]}}\n"
                 "constraints: {ground: {floor: {body: block, points: [{at: [0, 0, 0]}]}}}\n",
                 LB_INTEGRATOR_BDF1);
  for (int i = 0; i < 10; i++) {
    must_step(w, 1e-3);
  }
  const lb_reaction hinge = lb_world_reaction(w, lb_world_find(w, LB_PART_JOINT, "hinge"));
  assert_near(hinge.force.z, 20, 1e-9);
  assert_near(lb_world_motor_force(w, 0), -10, 1e-9);
  const lb_reaction floor =
      lb_world_constraint_force(w, lb_world_find(w, LB_PART_CONSTRAINT, "ground"));
  assert_near(floor.force.z, 30, 1e-9);
  lb_world_close(w);
}

// --- control ---

// Torque of a pendulum of 0.5 m and 1 kg that stands on its head.
static void check_arrays(lb_world* w, lb_world_arrays a) {
  assert_int_equal(a.nbody, lb_world_count(w, LB_PART_BODY));
  assert_int_equal(a.njoint, lb_world_count(w, LB_PART_JOINT));
  for (int i = 0; i < a.nbody; i++) {
    const lb_transform pose = lb_world_pose(w, i);
    const lb_body_velocity velocity = lb_world_velocity(w, i);
    assert_memory_equal(&a.pose[i], &pose, sizeof pose);
    assert_memory_equal(&a.velocity[i], &velocity, sizeof velocity);
  }
  for (int i = 0; i < a.njoint; i++) {
    const lb_reaction reaction = lb_world_reaction(w, i);
    assert_memory_equal(&a.reaction[i], &reaction, sizeof reaction);
  }
  const lb_vec3 tip = lb_world_point(w, 0);
  assert_memory_equal(a.point, &tip, sizeof tip);
  assert_true(a.q == lb_world_q(w, 0) && a.qd == lb_world_qd(w, 0));
  for (int i = 0; i < a.nmotor; i++) {
    assert_true(a.motor_force[i] == lb_world_motor_force(w, i));
  }
}

static void arrays_stay_and_hold_what_single_calls_say(void** state) {
  (void)state;
  lb_world* w = open_world(LINKAGE("keys: [[0, 0.2]]", ""), LB_INTEGRATOR_RK4);
  const lb_world_arrays first = lb_world_read(w, LB_READ_MOTION | LB_READ_FORCES);
  check_arrays(w, first);
  for (int i = 0; i < 20; i++) {
    must_step(w, 1e-3);
    const lb_world_arrays a = lb_world_read(w, LB_READ_MOTION | LB_READ_FORCES);
    assert_memory_equal(&a, &first, sizeof a);
    check_arrays(w, a);
  }
  lb_world_close(w);
}

static void a_controller_at_1_kHz_holds_an_inverted_pendulum(void** state) {
  (void)state;
  for (lb_integrator by = 0; by < LB_INTEGRATOR_COUNT; by++) {
    lb_world* w = open_world("solver: {integrator: %s}\n"
                             "bodies: {pole: {mass: 1, center: [0, 0, 0.5], inertia: [0.02, 0.02, "
                             "0.001]}}\n"
                             "joints: {pivot: {type: revolute, child: pole, axis: y}}\n"
                             "motors: {torque: {joint: pivot, drive: force, keys: [[0, 0]]}}\n"
                             "initial: {pivot: {position: 10 deg}}\n",
                             by);
    const int pivot = lb_world_find(w, LB_PART_JOINT, "pivot");
    const int motor = lb_world_find(w, LB_PART_MOTOR, "torque");
    for (int i = 0; i < 3000; i++) {
      lb_world_set_motor(w, motor, -20 * lb_world_q(w, pivot)[0] - 4 * lb_world_qd(w, pivot)[0]);
      must_step(w, 1e-3);
    }
    assert_near(lb_world_q(w, pivot)[0], 0, 1e-6);
    lb_world_close(w);
  }
}

// --- errors and memory ---

static void errors_stick_until_they_are_asked_for(void** state) {
  (void)state;
  lb_world* w = open_world(LINKAGE("keys: [[0, 0]]", ""), LB_INTEGRATOR_RK4);
  lb_error err = lb_error_make(NULL);
  const int motor = lb_world_find(w, LB_PART_MOTOR, "cranc");
  assert_int_equal(motor, -1);
  lb_world_set_motor(w, motor, 3);
  assert_int_equal(lb_world_step(w, 1e-3), LB_INVALID);
  assert_true(lb_world_time(w) == 0);
  assert_int_equal(lb_world_check(w, &err), LB_INVALID);
  assert_int_equal(err.count, 1);
  assert_string_equal(err.message[0].text, "there is no motor 'cranc' (did you mean 'crank'?)");
  assert_int_equal(lb_world_status(w), LB_OK);
  must_step(w, 1e-3);
  lb_error_clear(&err);
  lb_world_set_motor(w, 7, 3);
  lb_world_set_motor(w, 8, 3);
  assert_int_equal(lb_world_check(w, &err), LB_INVALID);
  assert_int_equal(err.count, 1);
  lb_error_clear(&err);
  lb_world_set_motor(w, 0, NAN);
  assert_int_equal(lb_world_step(w, 1e-3), LB_INVALID);
  assert_int_equal(lb_world_check(w, NULL), LB_INVALID);
  assert_int_equal(lb_world_step(w, -1), LB_INVALID);
  lb_world_check(w, NULL);
  must_step(w, 1e-3);
  lb_world_close(w);
}

static void a_scene_with_a_mistake_opens_no_world(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  assert_null(lb_world_parse("bodies: {a: {mas: 1}}", "here.yaml", &err));
  assert_string_equal(err.message[0].place.file, "here.yaml");
  lb_error_clear(&err);
  assert_null(lb_world_open("not/there.yaml", &err));
  assert_int_equal(err.status, LB_IO);
  lb_error_clear(&err);
}

static void steps_allocate_nothing_and_refused_memory_leaves_nothing_behind(void** state) {
  (void)state;
  char text[4000];
  lb_scene scene;
  snprintf(text, sizeof text, LINKAGE("keys: [[0, 0]]", ""), "bdf2");
  assert_int_equal(lb_scene_parse(text, strlen(text), "a.yaml", NULL, &scene, NULL), LB_OK);
  lb_counting count = {0};
  lb_allocator allocator = lb_counting_allocator(&count);
  lb_world* w = lb_world_create(&scene, &allocator, NULL);
  assert_non_null(w);
  run(w, 1e-3, 0, 5);
  const long before = count.requests;
  run(w, 1e-3, 5, 50);
  assert_int_equal(count.requests, before);
  lb_world_close(w);
  assert_int_equal(count.live, 0);
  const long all = count.requests;
  for (long i = 1; i <= all; i++) {
    count = (lb_counting){.refuse = i};
    w = lb_world_create(&scene, &allocator, NULL);
    if (w) {
      lb_world_push(w, 0, lb_vec3_make(1, 0, 0), lb_vec3_make(0, 0, 0));
      lb_world_close(w);
    }
    assert_int_equal(count.live, 0);
  }
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_torque_that_is_set_equals_a_profile_to_the_last_bit),
      cmocka_unit_test(torques_set_from_step_to_step_equal_a_profile_that_changes),
      cmocka_unit_test(a_force_equals_a_load_to_the_last_bit),
      cmocka_unit_test(targets_set_from_step_to_step_converge_to_the_motion_they_are_taken_from),
      cmocka_unit_test(a_motor_that_is_freed_goes_on_by_its_profile),
      cmocka_unit_test(generalised_forces_equal_a_motor),
      cmocka_unit_test(results_do_not_depend_on_the_hosts_threads_of_blas),
      cmocka_unit_test(a_restored_state_goes_on_the_same_to_the_last_bit),
      cmocka_unit_test(so_does_one_with_elastic_bodies),
      cmocka_unit_test(reading_does_not_change_a_run),
      cmocka_unit_test(a_world_that_is_reset_runs_the_same_again),
      cmocka_unit_test(jacobians_agree_with_finite_differences),
      cmocka_unit_test(named_points_move_with_their_bodies),
      cmocka_unit_test(forces_of_joints_and_constraints_are_those_of_statics),
      cmocka_unit_test(arrays_stay_and_hold_what_single_calls_say),
      cmocka_unit_test(a_controller_at_1_kHz_holds_an_inverted_pendulum),
      cmocka_unit_test(errors_stick_until_they_are_asked_for),
      cmocka_unit_test(a_scene_with_a_mistake_opens_no_world),
      cmocka_unit_test(steps_allocate_nothing_and_refused_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
