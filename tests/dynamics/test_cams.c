// Cams, ratchets, points on lines and planes: closed forms, what is conserved, one motion in
// several ways to write it, derivatives against differences.
#include "differences.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/curve/time_profile.h"
#include "random_world.h"
#include "solve/step/stepper.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
static const char* const INTEGRATORS[] = {"euler", "rk4", "linear-euler", "bdf1", "bdf2", "sdirk2"};

static world open_by(const char* text, const char* integrator) {
  static char whole[8000];
  snprintf(whole, sizeof whole, "%ssolver: {integrator: %s}\n", text, integrator);
  return open_world(whole);
}

// --- cams ---

// A follower of 0.5 kg that rises by 3 cm over 2 rad, by a 3-4-5 polynomial, and a wheel.
#define CAM                                                                                        \
  "bodies:\n"                                                                                      \
  "  wheel: {mass: 1 kg, shape: {cylinder: {radius: 0.1, length: 0.02}}}\n"                        \
  "  rod: {mass: 0.5 kg, shape: {sphere: {radius: 0.02}}}\n"                                       \
  "joints:\n"                                                                                      \
  "  turn: {type: revolute, child: wheel, axis: z}\n"                                              \
  "  slide: {type: prismatic, child: rod, axis: z}\n"                                              \
  "constraints:\n"                                                                                 \
  "  cam: {couple: [{joint: slide}, {joint: turn, times: -1, profile: {keys: [[0, 1 cm], [2, 4 "   \
  "cm], [5, 1 cm]], repeat: 5}}], equals: 0}\n"                                                    \
  "initial: {turn: {position: 0.6, velocity: 7 rad/s}}\n"

// Height, slope and curvature of the rise, and its third derivative.
static void rise(double q, double f[4]) {
  const double s = q / 2, L = 0.03;
  f[0] = 0.01 + L * s * s * s * (10 - 15 * s + 6 * s * s);
  f[1] = L * s * s * (30 - 60 * s + 30 * s * s) / 2;
  f[2] = L * s * (60 - 180 * s + 120 * s * s) / 4;
  f[3] = L * (60 - 360 * s + 360 * s * s) / 8;
}

static void a_follower_accelerates_as_the_closed_form_says(void** state) {
  (void)state;
  world w = open_by(CAM, "rk4");
  const double m = 0.5, g = 9.81, I = 0.5 * 1 * 0.1 * 0.1;
  for (int i = 0; i < 5; i++) {
    double f[4];
    w.d->q[0] = 0.3 + 0.3 * i;
    w.d->qd[0] = 5 - 3 * i;
    rise(w.d->q[0], f);
    w.d->q[1] = f[0];
    w.d->qd[1] = f[1] * w.d->qd[0];
    lb_forward(w.m, w.d);
    const double omega = w.d->qd[0], a = w.d->qdd[0];
    assert_near(w.d->qdd[1], f[2] * omega * omega + f[1] * a, 1e-11);
    // I a = -f' lambda, m qdd = lambda - m g
    const double lambda = m * (w.d->qdd[1] + g);
    assert_near(I * a, -f[1] * lambda, 1e-11);
    assert_near(w.d->coupling_force[0], lambda, 1e-11);
    assert_near(lb_profile_third(w.m->constraint.term[1].curve, w.d->q[0]), f[3], 1e-12);
  }
  close_world(&w);
}

static double energy_of(const world* w) {
  lb_update(w->m, w->d, LB_ORIGINS);
  return lb_kinetic_energy(w->m, w->d) + lb_potential_energy(w->m, w->d);
}

static void a_cam_does_no_work(void** state) {
  (void)state;
  world w = open_by(CAM, "rk4");
  const double start = energy_of(&w);
  run(&w, 4000, 2.5e-4);
  print_message("energy off by %.3g of %.3g J after %.1f rad\n", energy_of(&w) - start, start,
                w.d->q[0]);
  assert_near(energy_of(&w), start, 1e-8);
  assert_above(fabs(w.d->q[0]), 2.5);
  close_world(&w);
}

// Wheels with cams, each on the same motion as one: small and large systems.
static void many_cams_move_as_one(void** state) {
  (void)state;
  enum { MANY = 13 };
  static const char* const integrators[] = {"rk4", "linear-euler", "bdf2"};
  for (size_t k = 0; k < COUNT_OF(integrators); k++) {
    static char text[16000];
    size_t n =
        (size_t)snprintf(text, sizeof text, "solver: {integrator: %s}\nbodies:\n", integrators[k]);
    for (int i = 0; i < MANY; i++) {
      n += (size_t)snprintf(
          text + n, sizeof text - n,
          "  wheel%d: {mass: 1 kg, shape: {cylinder: {radius: 0.1, length: 0.02}}}\n"
          "  rod%d: {mass: 0.5 kg, shape: {sphere: {radius: 0.02}}}\n",
          i, i);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "joints:\n");
    for (int i = 0; i < MANY; i++) {
      n += (size_t)snprintf(text + n, sizeof text - n,
                            "  turn%d: {type: revolute, child: wheel%d, axis: z}\n"
                            "  slide%d: {type: prismatic, child: rod%d, axis: z}\n",
                            i, i, i, i);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "constraints:\n");
    for (int i = 0; i < MANY; i++) {
      n += (size_t)snprintf(
          text + n, sizeof text - n,
          "  cam%d: {couple: [{joint: slide%d}, {joint: turn%d, times: -1, profile: "
          "{keys: [[0, 1 cm], [2, 4 cm], [5, 1 cm]], repeat: 5}}], equals: 0}\n",
          i, i, i);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "initial:\n");
    for (int i = 0; i < MANY; i++) {
      n += (size_t)snprintf(text + n, sizeof text - n,
                            "  turn%d: {position: 0.6, velocity: 7 rad/s}\n", i);
    }
    world many = open_world(text), one = open_by(CAM, integrators[k]);
    run(&many, 300, 1e-3);
    run(&one, 300, 1e-3);
    const double off = fabs(many.d->q[0] - one.d->q[0]) + fabs(many.d->q[25] - one.d->q[1]);
    print_message("%s: %.3g off\n", integrators[k], off);
    assert_below(off, 1e-8);
    close_world(&many);
    close_world(&one);
  }
}

static void profiles_with_kinks_are_refused(void** state) {
  (void)state;
  lb_scene scene;
  lb_model* m = NULL;
  lb_error err = lb_error_make(NULL);
  static const char text[] =
      "bodies: {a: {mass: 1, shape: {sphere: {radius: 0.1}}}, b: {mass: 1, shape: {sphere: "
      "{radius: 0.1}}}}\n"
      "joints: {turn: {type: revolute, child: a, axis: z}, slide: {type: prismatic, child: b, "
      "axis: "
      "z}}\n"
      "constraints: {cam: {couple: [{joint: slide}, {joint: turn, times: -1, profile: {ease: "
      "linear, keys: [[0 deg, 0 cm], [90 deg, 3 cm], [180 deg, 0 cm]]}}], equals: 0}}\n";
  lb_status status = lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err);
  assert_int_equal(status, LB_OK);
  status = lb_model_create(&scene, NULL, &m, &err);
  if (status == LB_OK) {
    lb_data* d;
    lb_recording* r;
    lb_summary s;
    lb_simulate_options o = lb_simulate_default();
    assert_int_equal(lb_data_create(m, NULL, &d, &err), LB_OK);
    assert_int_equal(lb_recording_create(m, 0, NULL, &r, &err), LB_OK);
    status = lb_simulate(m, &o, r, &s, &err);
    lb_recording_release(r);
    lb_data_release(d);
  }
  assert_int_equal(status, LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "has a kink or jump at"));
  lb_model_release(m);
  lb_scene_release(&scene);
  lb_error_clear(&err);
}

// --- ratchets ---

// A wheel under a torque to and fro, and its ratchet.
#define WHEEL                                                                                      \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {wheel: {mass: 1 kg, shape: {cylinder: {radius: 0.1, length: 0.02}}}}\n"                \
  "joints: {turn: {type: revolute, child: wheel, axis: z}}\n"
#define RATCHET "constraints: {pawl: {couple: [{joint: turn}], ratchet: 0.3}}\n"
#define CLUTCH "constraints: {pawl: {couple: [{joint: turn}], ratchet: 0}}\n"
#define PUSH(torque)                                                                               \
  "motors: {push: {joint: turn, drive: force, keys: [[0, " torque "], [1, " torque "]]}}\n"

static void a_ratchet_turns_freely_one_way(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(INTEGRATORS); i++) {
    world w = open_by(WHEEL RATCHET PUSH("0.02"), INTEGRATORS[i]);
    world free = open_by(WHEEL PUSH("0.02"), INTEGRATORS[i]);
    run(&w, 1000, 1e-3);
    run(&free, 1000, 1e-3);
    assert_near(w.d->q[0], free.d->q[0], 1e-9);
    assert_above(w.d->q[0], 1);
    close_world(&w);
    close_world(&free);
  }
}

// Turned to 1 rad it holds at 0.9, the third tooth; without teeth where it was turned to.
static void a_ratchet_holds_the_other_way(void** state) {
  (void)state;
  static const char* const kind[] = {RATCHET, CLUTCH};
  static const double rest[] = {0.9, 1};
  for (size_t i = 0; i < 2 * COUNT_OF(INTEGRATORS); i++) {
    char text[2000];
    snprintf(text, sizeof text, "%s%sinitial: {turn: {position: 1}}\n%s", WHEEL, kind[i % 2],
             PUSH("-0.02"));
    world w = open_by(text, INTEGRATORS[i / 2]);
    run(&w, 1000, 1e-3);
    lb_forward(w.m, w.d);
    assert_near(w.d->q[0], rest[i % 2], 1e-8);
    assert_near(w.d->qd[0], 0, 1e-9);
    assert_near(w.d->coupling_force[0], 0.02, 1e-9);
    close_world(&w);
  }
}

static void a_ratchet_remembers_with_the_state(void** state) {
  (void)state;
  world w = open_by(WHEEL RATCHET PUSH("-0.02") "initial: {turn: {position: 1}}\n", "linear-euler");
  run(&w, 100, 1e-3);
  double* saved = calloc(lb_stepper_state_size(w.st), sizeof *saved);
  lb_stepper_save(w.st, w.d, saved);
  run(&w, 400, 1e-3);
  const double there = w.d->q[0];
  lb_stepper_load(w.st, w.d, saved);
  run(&w, 400, 1e-3);
  assert_true(w.d->q[0] == there);
  free(saved);
  close_world(&w);
}

// --- lines and planes ---

// A bead on a line 30 degrees down, and on a plane with that slope: g sin.
static void beads_slide_as_gravity_lets_them(void** state) {
  (void)state;
  static const char* const kind[] = {
      "line: {body: bead, through: {at: [0, 0, 0]}, along: [0.8660254037844387, 0, -0.5]}",
      "plane: {body: bead, normal: [0.5, 0, 0.8660254037844387]}"};
  for (size_t i = 0; i < 2 * COUNT_OF(INTEGRATORS); i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "bodies: {bead: {mass: 0.3 kg, shape: {sphere: {radius: 0.02}}}}\n"
             "constraints: {on: {%s}}\n",
             kind[i % 2]);
    world w = open_by(text, INTEGRATORS[i / 2]);
    run(&w, 1000, 1e-3);
    lb_poses(w.m, w.d);
    const lb_vec3 p = w.d->pose[0].p;
    const bool first =
        strstr(INTEGRATORS[i / 2], "euler") || strcmp(INTEGRATORS[i / 2], "bdf1") == 0;
    assert_near(lb_vec3_norm(p), 0.5 * 9.81 * 0.5, first ? 3e-3 : 1e-5);
    assert_near(0.5 * p.x + 0.8660254037844387 * p.z, 0, 1e-9);
    close_world(&w);
  }
}

// Where a body's axis stays along a line, too, that is a cylindrical joint; along a plane's normal,
// one in which it slides and turns.
static void aligned_ones_are_joints(void** state) {
  (void)state;
  static const char* const twin[][2] = {
      {"constraints: {on: {line: {body: bar, at: [-0.1, 0, 0], along: x, axis: x}}}\n",
       "joints: {on: {type: composite, child: bar, in_child: [-0.1, 0, 0], parts: [{type: "
       "prismatic, "
       "axis: x}, {type: revolute, axis: x}]}}\n"},
      {"constraints: {on: {plane: {body: bar, at: [-0.1, 0, 0], normal: y, axis: y}}}\n",
       "joints: {on: {type: free-2d, child: bar, in_child: [-0.1, 0, 0], axis: z, second_axis: "
       "x}}\n"}};
  for (int i = 0; i < 2; i++) {
    world w[2];
    for (int k = 0; k < 2; k++) {
      char text[1500];
      snprintf(text, sizeof text,
               "gravity: [1, -2, -9]\n"
               "bodies: {bar: {mass: 1 kg, shape: {box: [0.2, 0.05, 0.02], position: [0.03, 0.04, "
               "0.02]}%s}}\n%s",
               k ? "" : ", position: [0.1, 0, 0]", twin[i][k]);
      w[k] = open_by(text, "rk4");
      run(&w[k], 500, 1e-3);
      lb_poses(w[k].m, w[k].d);
    }
    const lb_transform way =
        lb_transform_mul(lb_transform_inverse(w[0].d->pose[0]), w[1].d->pose[0]);
    print_message("%.3g m, %.3g rad apart\n", lb_vec3_norm(way.p),
                  lb_vec3_norm(lb_quat_log(way.q)));
    assert_below(lb_vec3_norm(way.p), 1e-8);
    assert_below(lb_vec3_norm(lb_quat_log(way.q)), 1e-8);
    close_world(&w[0]);
    close_world(&w[1]);
  }
}

// --- derivatives ---

enum { MOST = 40 };
static double lambda[MOST], reference[MOST * MOST], gap_q[MOST * MOST], rate_q[MOST * MOST],
    J[MOST * MOST], by_q[MOST * MOST], by_v[MOST * MOST];

static lb_constraint_rows put(const world* w, const double* q, const double* v) {
  memcpy(w->d->q, q, (size_t)w->m->nq * sizeof *q);
  memcpy(w->d->qd, v, (size_t)w->m->nv * sizeof *v);
  lb_update(w->m, w->d, LB_FORCED);
  return lb_constraints_linearise(w->m, w->d, LB_SET_INACTIVE);
}

static void residual(void* context, double* out, const double* q, const double* v) {
  const world* w = context;
  const lb_constraint_rows rows = put(w, q, v);
  lb_rnea_forced(w->m, w->d, out, w->d->q, w->d->qd, w->d->qdd);
  for (int k = 0; k < w->m->nv; k++) {
    out[k] -= w->d->work->tau[k];
    for (int i = 0; i < rows.count; i++) {
      out[k] -= rows.J[i * w->m->nv + k] * lambda[i];
    }
  }
}

static void gaps(void* context, double* out, const double* q, const double* v) {
  const lb_constraint_rows rows = put(context, q, v);
  memcpy(out, rows.gap, (size_t)rows.count * sizeof *out);
}

static void rates(void* context, double* out, const double* q, const double* v) {
  const lb_constraint_rows rows = put(context, q, v);
  memcpy(out, rows.rate, (size_t)rows.count * sizeof *out);
}

static void accelerations(void* context, double* out, const double* q, const double* v) {
  const world* w = context;
  static double needed[MOST];
  put(w, q, v);
  lb_rnea_forced(w->m, w->d, needed, w->d->q, w->d->qd, w->d->qdd);
  lb_constraints_linearise(w->m, w->d, LB_SET_INACTIVE);
  for (int i = 0; i < lb_constraints_count(w->d); i++) {
    out[i] = lb_constraints_row(w->d, i)->acceleration;
  }
}

// One of each kind between bodies that lie about.
static const char ZOO[] =
    "bodies:\n"
    "  a: {mass: 1, shape: {box: [0.2, 0.3, 0.4]}}\n"
    "  b: {mass: 3, shape: {box: [0.5, 0.1, 0.2]}}\n"
    "  c: {mass: 2, shape: {box: [0.3, 0.3, 0.2]}}\n"
    "joints:\n"
    "  one: {type: revolute, child: a, axis: y}\n"
    "  two: {type: prismatic, parent: a, child: b, axis: x, at: [0.3, 0, 0]}\n"
    "constraints:\n"
    "  cam: {couple: [{joint: two}, {joint: one, times: -1.3, profile: {ease: smooth, keys: [[-2, "
    "1 "
    "cm], [1, 40 cm], [3, -20 cm]], repeat: 6}}], equals: 0.1%s}\n"
    "  pawl: {couple: [{joint: one, times: -1}], ratchet: 0.3}\n"
    "  line: {line: {body: c, at: [0.1, 0.2, 0], through: {body: b, at: [0, 0.1, 0]}, along: [0.6, "
    "0, "
    "0.8], axis: [0, 0.6, 0.8]}%s}\n"
    "  plane: {plane: {body: c, at: [0, 0.2, 0.3], through: {body: a, at: [0, 0.1, 0]}, normal: "
    "[0.6, "
    "0.8, 0], axis: [0.8, 0.6, 0]}%s}\n"
    "solver: {integrator: rk4}\n";

static void check_derivatives(const char* coupling, const char* pair) {
  static char text[3000];
  static double q[MOST], v[MOST];
  snprintf(text, sizeof text, ZOO, coupling, pair, pair);
  world w = open_world(text);
  lb_random random = {5};
  lb_derivatives* D;
  assert_int_equal(lb_derivatives_create(w.m, NULL, &D, NULL), LB_OK);
  lb_constraints_latch(w.m, w.d);
  for (int trial = 0; trial < 5; trial++) {
    const int nv = w.m->nv;
    double by[MOST];
    for (int k = 0; k < nv; k++) {
      by[k] = lb_random_between(&random, -0.3, 0.3);
      w.d->qd[k] = lb_random_between(&random, -2, 2);
      w.d->qdd[k] = lb_random_between(&random, -2, 2);
    }
    lb_advance(w.m, w.d->q, by, 1);
    memcpy(q, w.d->q, (size_t)w.m->nq * sizeof *q);
    memcpy(v, w.d->qd, (size_t)nv * sizeof *v);
    for (int k = 0; k < MOST; k++) {
      lambda[k] = lb_random_between(&random, -3, 3);
    }
    const int n = put(&w, q, v).count;
    lb_constraints_apply_multipliers(w.m, w.d, LB_SET_INACTIVE, lambda);
    lb_derive_forced(D, w.d);
    lb_constraints_differentiate(D, w.d, lambda);
    lb_constraints_differentiate_rows(D, w.d, gap_q, rate_q, J);
    lb_constraints_differentiate_accelerations(D, w.d, by_q, by_v, J);
    difference(w.m, residual, &w, nv, q, v, true, 3e-5, reference);
    assert_matrix_near(nv * nv, reference, D->tau_q, 1e-8);
    difference(w.m, residual, &w, nv, q, v, false, 1e-3, reference);
    assert_matrix_near(nv * nv, reference, D->tau_qd, 1e-9);
    difference(w.m, gaps, &w, n, q, v, true, 1e-4, reference);
    assert_matrix_near(n * nv, reference, gap_q, 1e-8);
    difference(w.m, rates, &w, n, q, v, true, 1e-4, reference);
    assert_matrix_near(n * nv, reference, rate_q, 1e-8);
    difference(w.m, rates, &w, n, q, v, false, 1e-2, reference);
    assert_matrix_near(n * nv, reference, J, 1e-10);
    difference(w.m, accelerations, &w, n, q, v, true, 1e-4, reference);
    assert_matrix_near(n * nv, reference, by_q, 1e-8);
    difference(w.m, accelerations, &w, n, q, v, false, 1e-2, reference);
    assert_matrix_near(n * nv, reference, by_v, 1e-9);
    memcpy(w.d->q, q, (size_t)w.m->nq * sizeof *q);
  }
  lb_derivatives_release(D);
  close_world(&w);
}

static void constraints_change_as_their_derivatives_say(void** state) {
  (void)state;
  check_derivatives("", "");
  check_derivatives(", stiffness: 40, damping: 3",
                    ", stiffness: 50, damping: 2, turn_stiffness: 9, turn_damping: 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_follower_accelerates_as_the_closed_form_says),
      cmocka_unit_test(a_cam_does_no_work),
      cmocka_unit_test(many_cams_move_as_one),
      cmocka_unit_test(profiles_with_kinks_are_refused),
      cmocka_unit_test(a_ratchet_turns_freely_one_way),
      cmocka_unit_test(a_ratchet_holds_the_other_way),
      cmocka_unit_test(a_ratchet_remembers_with_the_state),
      cmocka_unit_test(beads_slide_as_gravity_lets_them),
      cmocka_unit_test(aligned_ones_are_joints),
      cmocka_unit_test(constraints_change_as_their_derivatives_say)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
