// What moves at a given rate: closed forms, and the same motion said in two ways.
#include "random_world.h"

static const char* const INTEGRATORS[] = {"euler", "rk4",  "rk8",    "linear-euler",
                                          "bdf1",  "bdf2", "sdirk2", "adaptive"};
enum { NINTEGRATOR = sizeof INTEGRATORS / sizeof *INTEGRATORS };

// Orders of their errors in place, where the rate is what it should be.
static double allowed(const char* integrator) {
  const bool first = strstr(integrator, "euler") || strcmp(integrator, "bdf1") == 0;
  const bool second = strcmp(integrator, "bdf2") == 0 || strcmp(integrator, "sdirk2") == 0;
  return first ? 2e-3 : second ? 5e-6 : 1e-9;
}

// A rod on a hinge whose rate rises, rate = 3 t until 0.5 s, and stays: it turns by 3 t^2/2, then
// by 3/8 + 1.5 (t - 0.5), and takes I qdd + m g l/2 sin q.
static void a_hinge_turns_at_its_rate(void** state) {
  (void)state;
  for (int i = 0; i < NINTEGRATOR; i++) {
    char scene[1000];
    snprintf(scene, sizeof scene,
             "bodies:\n  " ROD("rod", "0.4") //
             "joints: {hinge: {type: revolute, child: rod, axis: y}}\n"
             "initial: {hinge: {position: 20 deg}}\n"
             "constraints: {drive: {couple: [{joint: hinge}],\n"
             "              path: {rates: [[0, 0], [0.5, 1.5 rad/s]], ease: linear}}}\n"
             "solver: {integrator: %s}\n",
             INTEGRATORS[i]);
    world w = open_world(scene);
    const double start = 20 * M_PI / 180, arm = w.m->link.mass[0].mass * 9.81 * 0.2;
    double still[1] = {0}, unit[1] = {1}, weight[1], inertia[1];
    for (int k = 1; k <= 2; k++) { // at 0.4 s and 0.8 s
      run(&w, 400, 1e-3);
      const double t = 0.4 * k, rate = k == 1 ? 3 * t : 1.5, qdd = k == 1 ? 3 : 0;
      const double turned = k == 1 ? 1.5 * t * t : 0.375 + 1.5 * (t - 0.5);
      const double q = start + turned;
      assert_near(w.d->qd[0], rate, 1e-11);
      assert_near(w.d->q[0], q, allowed(INTEGRATORS[i]));
      lb_forward(w.m, w.d);
      const double force = w.d->coupling_force[0], here = w.d->q[0];
      assert_near(w.d->qdd[0], qdd, 1e-9);
      lb_rnea(w.m, w.d, weight, w.d->q, still, still);
      lb_rnea(w.m, w.d, inertia, w.d->q, still, unit);
      assert_near(weight[0], arm * sin(here), 1e-12);
      assert_near(force, (inertia[0] - weight[0]) * qdd + weight[0], 1e-9);
    }
    close_world(&w);
  }
}

// A free body that keeps a velocity and a spin about a slanted axis: it flies straight, is turned
// by the spin, and takes its weight and the moment w x I w.
static void a_body_keeps_its_twist(void** state) {
  (void)state;
  const lb_vec3 axis = {2.0 / 3, -1.0 / 3, 2.0 / 3}, I = {0.1, 0.3, 0.35};
  for (int i = 0; i < NINTEGRATOR; i++) {
    char scene[1000];
    snprintf(scene, sizeof scene,
             "bodies: {box: {mass: 2, inertia: [0.1, 0.3, 0.35]}}\n"
             "initial: {box: {rotation: {axis: x, angle: 40 deg}}}\n"
             "constraints: {lead: {follow: {body: box, x: {rates: [[0, 0.3 m/s]]},\n"
             "    y: {rates: [[0, -0.1]]}, z: {rates: [[0, 0]]},\n"
             "    turn: {about: [2, -1, 2], rates: [[0, 100 deg/s]]}}}}\n"
             "solver: {integrator: %s}\n",
             INTEGRATORS[i]);
    world w = open_world(scene);
    run(&w, 500, 1e-3);
    lb_forward(w.m, w.d);
    lb_reaction r[2];
    lb_reactions(w.m, w.d, r);
    lb_poses(w.m, w.d);
    const double spin = 100 * M_PI / 180;
    const lb_quat start = lb_quat_exp((lb_vec3){40 * M_PI / 180, 0, 0});
    const lb_quat want = lb_quat_mul(lb_quat_exp(lb_vec3_scale(0.5 * spin, axis)), start);
    const lb_quat R = w.d->pose[0].q, off = lb_quat_mul(lb_quat_conjugate(want), R);
    const double bound = allowed(INTEGRATORS[i]);
    print_message("%s: turned %.1e off\n", INTEGRATORS[i], lb_vec3_norm(lb_quat_log(off)));
    assert_near(lb_vec3_norm(lb_quat_log(off)), 0, bound);
    assert_near(w.d->pose[0].p.x, 0.15, bound);
    assert_near(w.d->pose[0].p.y, -0.05, bound);
    assert_near(w.d->pose[0].p.z, 0, bound);
    // along the body's axes, as it is turned
    const lb_vec3 a = lb_vec3_scale(spin, lb_quat_rotate(lb_quat_conjugate(R), axis));
    const lb_vec3 moment = lb_vec3_cross(a, (lb_vec3){I.x * a.x, I.y * a.y, I.z * a.z});
    const lb_vec3 weight = lb_quat_rotate(lb_quat_conjugate(R), (lb_vec3){0, 0, 2 * 9.81});
    assert_near(lb_vec3_norm(lb_vec3_sub(r[1].moment, moment)), 0, 1e-9);
    assert_near(lb_vec3_norm(lb_vec3_sub(r[1].force, weight)), 0, 1e-9);
    close_world(&w);
  }
}

#define FOUR_BAR                                                                                   \
  "bodies:\n"                                                                                      \
  "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.1]}}}\n"                \
  "  coupler: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0.2]}}}\n"            \
  "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.3]}}}\n"               \
  "joints:\n"                                                                                      \
  "  shaft: {type: revolute, child: crank, axis: y}\n"                                             \
  "  pin: {type: revolute, parent: crank, child: coupler, at: [0, 0, 0.1], axis: y}\n"             \
  "  pivot: {type: revolute, child: rocker, at: [0.4, 0, 0], axis: y}\n"                           \
  "  close: {type: revolute, loop: true, parent: rocker, child: coupler, at: [0, 0, 0.3],\n"       \
  "          in_child: [0.4, 0, 0.2], axis: y}\n"

#define AT_RATE "constraints: {drive: {couple: [{joint: shaft}], path: {rates: [[0, 60 rpm]]}}}\n"

// A four-bar driven by a motor whose angle rises, at a rate, and at a rate in maximal coordinates
// with matrices that are kept and exact ones.
static void a_crank_at_a_rate_is_one_under_a_motor(void** state) {
  (void)state;
  static const char* const integrators[] = {"rk8", "bdf2", "sdirk2", "linear-euler"};
  static const double near[] = {1e-11, 1e-8, 2e-8, 2e-7}, alike[] = {1e-11, 1e-4, 1e-4, 0.1};
  for (int i = 0; i < 4; i++) {
    char scene[4][2000];
    snprintf(scene[0], sizeof *scene, "%ssolver: {integrator: %s}\n",
             FOUR_BAR "motors: {m: {joint: shaft, keys: [[0, 0], [10, 10 turn]], ease: linear}}\n",
             integrators[i]);
    snprintf(scene[1], sizeof *scene, "%ssolver: {integrator: %s}\n", FOUR_BAR AT_RATE,
             integrators[i]);
    snprintf(scene[2], sizeof *scene, "%ssolver: {integrator: %s, coordinates: maximal}\n",
             FOUR_BAR AT_RATE, integrators[i]);
    snprintf(scene[3], sizeof *scene,
             "%ssolver: {integrator: %s, coordinates: maximal, newton: exact}\n", FOUR_BAR AT_RATE,
             integrators[i]);
    double torque[4], angle[4];
    for (int k = 0; k < 4; k++) {
      world w = open_world(scene[k]);
      run(&w, 300, 1e-3);
      lb_forward(w.m, w.d);
      torque[k] = k ? w.d->coupling_force[0] : w.d->motor_force[0];
      const lb_quat q = (lb_poses(w.m, w.d), w.d->pose[2].q);
      angle[k] = 2 * atan2(q.y, q.w);
      assert_near(lb_constraint_gap(w.m, w.d, NULL), 0, 1e-4);
      close_world(&w);
    }
    for (int k = 1; k < 4; k++) {
      print_message("%s: rocker %.1e rad off, torque %.1e N m\n", integrators[i],
                    fabs(angle[k] - angle[0]), fabs(torque[k] - torque[0]));
      assert_near(angle[k], angle[0], near[i]);
      assert_near(torque[k], torque[0], alike[i] * fabs(torque[0]));
    }
  }
}

// A crank that is driven holds its angle while the rest of the linkage closes at the start.
static void the_start_closes_around_what_moves_at_a_rate(void** state) {
  (void)state;
  world w = open_world(FOUR_BAR AT_RATE "initial: {shaft: {position: 70 deg}}\n");
  assert_near(w.d->q[0], 70 * M_PI / 180, 1e-12);
  assert_near(w.d->qd[0], 2 * M_PI, 1e-12);
  close_world(&w);
}

// The torque at a motor, or of a constraint, and where the last body is after a while.
static void run_recorded(const lb_model* m, double* torque, lb_vec3* at) {
  lb_recording* r;
  lb_summary summary;
  const lb_simulate_options options = lb_simulate_default();
  assert_int_equal(lb_recording_create(m, 1, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_recording_keep(r, LB_KEEP_REACTIONS, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &options, r, &summary, NULL), LB_OK);
  const size_t last = (size_t)r->nframe - 1;
  *torque = m->nmotor ? r->motor[last] : r->coupling[last];
  *at = r->pose[last * (size_t)m->nbody + 2].p;
  lb_recording_release(r);
}

// A hub that carries an elastic beam, in a basis and with all its nodes: the turn is the same at a
// rate and under a motor, and so are the torque, which has the beam's weight and vibration in it,
// and the way the beam bends.
static void rates_go_with_elastic_bodies(void** state) {
  (void)state;
  static const char BEAM[] =
      "materials: {soft: {density: 1000, young: 5 MPa, poisson: 0.4}}\n"
      "bodies:\n"
      "  hub: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "  beam: {elastic: {box: {to: [0.4, 0, 0], width: 0.04, height: 0.04}, material: soft,\n"
      "         elements: {along: 4, across: 1, around: 1}}}\n"
      "  ball: {shape: {sphere: {radius: 2 cm}}}\n"
      "joints:\n"
      "  hinge: {type: revolute, child: hub, axis: y}\n"
      "  grip: {type: fixed, parent: hub, child: beam, face: start}\n"
      "  tip: {type: fixed, parent: beam, face: end, child: ball}\n"
      "duration: 0.1\n";
  static const char* const spaces[] = {"reduced", "full"};
  for (int s = 0; s < 2; s++) {
    double torque[2];
    lb_vec3 tip[2];
    for (int k = 0; k < 2; k++) {
      char scene[2000];
      snprintf(scene, sizeof scene, "%s%ssolver: {step: 1 ms, elastic: %s}\n", BEAM,
               k ? "constraints: {drive: {couple: [{joint: hinge}], path: {rates: [[0, 2]]}}}\n"
                   "initial: {hinge: {velocity: 2}}\n" // the beam turns along from the start
                 : "motors: {m: {joint: hinge, keys: [[0, 0], [1, 2 rad]], ease: linear}}\n",
               spaces[s]);
      lb_scene read;
      lb_model* m;
      assert_int_equal(lb_scene_parse(scene, strlen(scene), "test.yaml", NULL, &read, NULL), LB_OK);
      assert_int_equal(lb_model_create(&read, NULL, &m, NULL), LB_OK);
      run_recorded(m, &torque[k], &tip[k]);
      lb_model_release(m);
      lb_scene_release(&read);
    }
    print_message("%s: tip %.1e m apart, torque %.3g and %.3g N m\n", spaces[s],
                  lb_vec3_norm(lb_vec3_sub(tip[0], tip[1])), torque[0], torque[1]);
    assert_near(lb_vec3_norm(lb_vec3_sub(tip[0], tip[1])), 0, 1e-9);
    assert_near(torque[1], torque[0], s ? 1e-5 : 1e-9); // with all nodes Newton stops sooner
  }
}

static void rates_that_cannot_be_are_reported(void** state) {
  (void)state;
  static const char TWICE[] = "bodies:\n  " ROD("rod", "0.4") //
      "joints: {hinge: {type: revolute, child: rod, axis: y}}\n"
      "constraints:\n"
      "  one: {follow: {body: rod, along: none, turn: {about: y, rates: [[0, 2]]}}}\n"
      "  two: {couple: [{joint: hinge}], path: {rates: [[0, 1]]}}\n";
  lb_scene scene;
  lb_model* m;
  lb_data* d;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(TWICE, strlen(TWICE), "test.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, &err), LB_OK);
  assert_int_equal(lb_assemble(m, d, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "cannot hold at the start"));
  assert_int_equal(err.message[0].place.line, 6);
  lb_error_clear(&err);
  lb_data_release(d);
  lb_model_release(m);
  lb_scene_release(&scene);
}

// A rate that starts over with another value would need an infinite force.
static void rates_that_jump_are_reported(void** state) {
  (void)state;
  static const char SAW[] = "bodies:\n  " ROD("rod", "0.4") //
      "joints: {hinge: {type: revolute, child: rod, axis: y}}\n"
      "constraints: {saw: {couple: [{joint: hinge}], path: {rates: [[0, 0], [1, 1]], repeat: "
      "1}}}\n";
  lb_scene scene;
  lb_model* m;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(SAW, strlen(SAW), "test.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "jumps at t = 1 s"));
  assert_int_equal(err.message[0].place.line, 4);
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

// Nothing says where it is when all is slow.
static void velocity_level_motions_have_no_equilibrium(void** state) {
  (void)state;
  world w = open_world(FOUR_BAR AT_RATE);
  lb_recording* r;
  lb_error err = lb_error_make(NULL);
  const lb_simulate_options options = lb_simulate_default();
  assert_int_equal(lb_recording_create(w.m, 1, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_quasistatic_motion(w.m, &options, r, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "constraint 'drive' gives a rate"));
  lb_error_clear(&err);
  lb_recording_release(r);
  close_world(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hinge_turns_at_its_rate),
      cmocka_unit_test(a_body_keeps_its_twist),
      cmocka_unit_test(a_crank_at_a_rate_is_one_under_a_motor),
      cmocka_unit_test(the_start_closes_around_what_moves_at_a_rate),
      cmocka_unit_test(rates_go_with_elastic_bodies),
      cmocka_unit_test(rates_that_cannot_be_are_reported),
      cmocka_unit_test(rates_that_jump_are_reported),
      cmocka_unit_test(velocity_level_motions_have_no_equilibrium),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
