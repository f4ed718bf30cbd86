// Rotations of spherical and free joints that motors prescribe: where they go, and what it takes.
#include "limber/limber.h"
#include "math/curve/rotation_profile.h"
#include "recorded.h"

#define RUN(solver)                                                                                \
  "duration: 0.4 s\n"                                                                              \
  "record: {every: 20 ms}\n"                                                                       \
  "solver: {" solver "}\n"
#define ARM "  arm: {shape: {box: [0.3, 0.1, 0.05], position: [0.15, 0.02, -0.1]}, mass: 2}\n"

static lb_quat turn_of(const double* q) {
  return (lb_quat){q[0], q[1], q[2], q[3]};
}

static double turned(lb_quat a, lb_quat b) {
  return lb_vec3_norm(lb_quat_log(lb_quat_mul(lb_quat_conjugate(a), b)));
}

// How far a body of one is from a body of the other, at worst.
static double apart(const lb_recording* a, const lb_recording* b, const char* body) {
  const int i = lb_model_body(a->model, body), j = lb_model_body(b->model, body);
  double worst = 0;
  assert_int_equal(a->nframe, b->nframe);
  for (int f = 0; f < a->nframe; f++) {
    const lb_transform x = a->pose[f * a->model->nbody + i], y = b->pose[f * b->model->nbody + j];
    worst = fmax(worst, fmax(lb_vec3_norm(lb_vec3_sub(x.p, y.p)), turned(x.q, y.q)));
  }
  return worst;
}

// The same of what motors exert, over the most of it.
static double forces_apart(const lb_recording* a, const lb_recording* b) {
  const int n = a->model->nmotor;
  double worst = 0, most = 0;
  assert_int_equal(n, b->model->nmotor);
  for (int i = 0; i < n * a->nframe; i++) {
    worst = fmax(worst, fabs(a->motor[i] - b->motor[i]));
    most = fmax(most, fabs(a->motor[i]));
  }
  assert_above(most, 0.1);
  return worst / most;
}

// --- closed forms ---

// Held turned, the weight's moment about the joint in the body's axes is known.
static void in_equilibrium_a_motor_holds_the_weight(void** state) {
  (void)state;
  lb_model* m = compile("gravity: [0, 0, -9.8]\n"
                        "bodies: {arm: {mass: 2, center: [0.1, 0.2, -0.5], inertia: [1, 1, 1]}}\n"
                        "joints: {j: {type: spherical, child: arm, at: {rotation: [1, 0, 0]}}}\n"
                        "motors: {a: {joint: j, keys: [[0, {axis: [1, 2, 3], angle: 0.7}]]}}\n");
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  const lb_quat base = lb_quat_exp(lb_vec3_make(1, 0, 0));
  const lb_quat turn = lb_quat_exp(lb_vec3_scale(0.7 / sqrt(14), lb_vec3_make(1, 2, 3)));
  const lb_quat q = lb_quat_mul(base, turn);
  const lb_vec3 weight = lb_quat_rotate(lb_quat_conjugate(q), lb_vec3_make(0, 0, -2 * 9.8));
  const lb_vec3 n = lb_vec3_cross(lb_vec3_make(0.1, 0.2, -0.5), weight);
  assert_int_equal(m->nmotor, 3);
  assert_string_equal(m->motor.name[1], "a.y");
  assert_near(turned(turn_of(m->start.q), turn), 0, 1e-14);
  for (int way = 0; way < 2; way++) {
    if (way == 0) {
      lb_forward(m, d);
    } else {
      assert_int_equal(lb_equilibrium(m, d, NULL), LB_OK);
    }
    assert_near(d->motor_force[0], -n.x, 1e-9);
    assert_near(d->motor_force[1], -n.y, 1e-9);
    assert_near(d->motor_force[2], -n.z, 1e-9);
  }
  lb_data_release(d);
  lb_model_release(m);
}

// A body with a prescribed rotation about its centre of mass obeys Euler's equations, n = I al + w
// x I w, while it falls. Its path through the air is that of a body thrown, along the parent's
// axes.
static void a_flying_body_takes_what_euler_says(void** state) {
  (void)state;
  lb_recording* r = run(RUN(
      "integrator: rk8, step: 2 ms") "bodies: {bird: {mass: 2, inertia: [0.1, 0.2, 0.25]}}\n"
                                     "joints: {air: {type: free, child: bird}}\n"
                                     "motors: {a: {joint: air, ease: cubic, repeat: 0.3, keys: [\n"
                                     "  [0, [0, 0, 2]], [0.1, {axis: [1, 2, 3], angle: 100 deg}],\n"
                                     "  [0.25, {quaternion: [1, -1, 0, 0.4]}]]}}\n"
                                     "initial: {air: {position: [1, 2, 3], velocity: [0.3, -1, "
                                     "2]}}\n");
  const lb_model* m = r->model;
  const lb_vec3 I = {0.1, 0.2, 0.25};
  for (int f = 0; f < r->nframe; f++) {
    const double t = r->time[f], *force = r->motor + 3 * (size_t)f;
    const lb_turn want = lb_turning_evaluate(m->motor.turning[0], t);
    const lb_vec3 w = want.w, al = want.al;
    const lb_vec3 spin = {I.x * w.x, I.y * w.y, I.z * w.z}, gain = lb_vec3_cross(w, spin);
    const double* q = r->q + (size_t)f * (size_t)m->nq;
    assert_near(turned(turn_of(q + 3), want.q), 0, 1e-12);
    assert_near(force[0], I.x * al.x + gain.x, 1e-9);
    assert_near(force[1], I.y * al.y + gain.y, 1e-9);
    assert_near(force[2], I.z * al.z + gain.z, 1e-9);
    assert_near(q[0], 1 + 0.3 * t, 1e-9);
    assert_near(q[1], 2 - t, 1e-9);
    assert_near(q[2], 3 + 2 * t - 9.81 / 2 * t * t, 1e-8);
  }
  end(r);
}

// --- other ways to compute it ---

#define HANGS                                                                                      \
  "  tail: {type: revolute, parent: arm, child: tail, at: [0.3, 0, 0], axis: [0, 1, 1],\n"         \
  "         damping: 0.01}\n"
#define TAIL "  tail: {shape: {box: [0.2, 0.04, 0.04], position: [0.1, 0, 0.03]}, mass: 0.5}\n"

// About the axis of a hinge it is the hinge, and what the hinge does not feel is its reaction.
static void about_one_axis_a_ball_is_prescribed_as_a_hinge(void** state) {
  (void)state;
  lb_recording* a =
      run(RUN("integrator: rk8, step: 2 ms") "bodies:\n" ARM TAIL "joints:\n" HANGS
                                             "  j: {type: spherical, child: arm, damping: 0.03}\n"
                                             "motors: {m: {joint: j, keys: [[0, [0, 0.2, 0]], "
                                             "[0.2, [0, 0.9, 0]],\n"
                                             "  [0.4, [0, -0.3, 0]]]}}\n");
  lb_recording* b = run(RUN(
      "integrator: rk8, step: 2 ms") "bodies:\n" ARM TAIL "joints:\n" HANGS
                                     "  j: {type: revolute, child: arm, axis: y, damping: 0.03}\n"
                                     "motors: {m: {joint: j, keys: [[0, 0.2], [0.2, 0.9], [0.4, "
                                     "-0.3]]}}\n");
  print_message("%.1e apart\n", apart(a, b, "tail"));
  assert_near(apart(a, b, "tail"), 0, 1e-9);
  for (int f = 0; f < a->nframe; f++) {
    assert_near(a->motor[3 * f + 1], b->motor[f], 1e-8);
  }
  end(a);
  end(b);
}

// A ball, and a body that flies, are prescribed on an arm that swings by itself; a tail hangs on
// the ball.
#define SCENE                                                                                      \
  RUN("%s")                                                                                        \
  "bodies:\n" ARM TAIL                                                                             \
  "  root: {shape: {box: [0.1, 0.05, 0.04], position: [0.05, 0, -0.2]}, mass: 1}\n"                \
  "  bird: {shape: {box: [0.1, 0.05, 0.04], position: [0.05, 0, 0.02]}, mass: 0.3}\n"              \
  "joints:\n" HANGS                                                                                \
  "  root: {type: universal, child: root, axis: y, second_axis: x, damping: 0.02}\n"               \
  "  j: {type: spherical, parent: root, child: arm, at: {position: [0.1, 0, -0.3],\n"              \
  "      rotation: [20 deg, 0, 30 deg]}, in_child: [0.01, 0, 0.02], damping: 0.02}\n"              \
  "  air: {type: free, parent: root, child: bird, at: [0.1, 0.1, 0], damping: 1,\n"                \
  "        spring: {stiffness: 30 N/m}}\n"                                                         \
  "motors:\n"                                                                                      \
  "  b: {joint: root, coordinate: 1, drive: force, keys: [[0, 0], [0.2, 0.2], [0.4, -0.1]]}\n"     \
  "  a: {joint: j, spline: {to: 0.4, points: [[0.1, 0, 0], [0.2, 0.1, 0], [1, 0.7, 0.2],\n"        \
  "      {axis: [1, 1, 1], angle: 80 deg}, [0, 1, 1], [0.2, -0.2, 0.1], [0, 0, 0]]}}\n"            \
  "  c: {joint: air, ease: cubic, keys: [[-0.1, [0, 0, 0]], [0.2, [1, 0, 1]],\n"                   \
  "      [0.5, [0, 1, 1]]]}\n"                                                                     \
  "initial: {root: {position: [0.3, 0.1]}, air: {velocity: [0.1, 0.2, 0.3]}}\n"

static lb_recording* run_with(const char* solver) {
  char text[4000];
  snprintf(text, sizeof text, SCENE, solver);
  return run(text);
}

static void maximal_coordinates_prescribe_the_same(void** state) {
  (void)state;
  lb_recording* a = run_with("integrator: rk8, step: 1 ms");
  lb_recording* b = run_with("integrator: rk8, step: 1 ms, coordinates: maximal");
  lb_recording* c = run_with("integrator: adaptive, step: 1 ms, tolerance: 1e-11");
  assert_above(b->model->constraint.nloop, a->model->constraint.nloop);
  print_message("%.1e apart, forces %.1e; adaptive %.1e, %.1e\n", apart(a, b, "tail"),
                forces_apart(a, b), apart(a, c, "tail"), forces_apart(a, c));
  assert_near(apart(a, b, "tail"), 0, 1e-9);
  assert_near(apart(a, b, "bird"), 0, 1e-9);
  assert_near(forces_apart(a, b), 0, 1e-8);
  assert_near(apart(a, c, "tail"), 0, 1e-8);
  assert_near(forces_apart(a, c), 0, 1e-7);
  end(a);
  end(b);
  end(c);
}

// How far the ball is from where its motor wants it, at worst.
static double gap(const lb_recording* r) {
  const lb_model* m = r->model;
  double worst = 0;
  int joint = 0;
  while (strcmp(m->joint.name[joint], "j") != 0) {
    joint++;
  }
  for (int f = 0; f < r->nframe; f++) {
    const double* q = r->q + (size_t)f * (size_t)m->nq + m->joint.q[joint];
    worst = fmax(worst, turned(turn_of(q), lb_turning_evaluate(m->motor.turning[1], r->time[f]).q));
  }
  return worst;
}

static void every_integrator_prescribes_and_converges(void** state) {
  (void)state;
  static const struct {
    const char* name;
    double order;
  } with[] = {{"euler", 1}, {"rk4", 4},  {"linear-euler", 1},
              {"bdf1", 1},  {"bdf2", 2}, {"sdirk2", 2}};
  lb_recording* exact = run_with("integrator: rk8, step: 1 ms");
  for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
    double off[2], force[2], open[2];
    for (int k = 0; k < 2; k++) {
      char solver[100];
      snprintf(solver, sizeof solver, "integrator: %s, step: %s", with[i].name,
               k ? "1 ms" : "2 ms");
      lb_recording* r = run_with(solver);
      off[k] = apart(exact, r, "tail");
      force[k] = forces_apart(exact, r);
      open[k] = gap(r);
      end(r);
    }
    print_message("%s: motion off by %.1e, %.1e, forces by %.1e, %.1e, gaps %.1e, %.1e\n",
                  with[i].name, off[0], off[1], force[0], force[1], open[0], open[1]);
    assert_above(log2(off[0] / off[1]), with[i].order - 0.4);
    assert_true(force[1] < 0.8 * force[0] || force[0] < 1e-9);
    assert_true(log2(open[0] / open[1]) > with[i].order - 0.2 || open[0] < 1e-14);
  }
  end(exact);
}

// A ball that closes a loop is prescribed as one of the tree: the same mechanism, cut elsewhere.
static void a_ball_that_closes_a_loop_is_prescribed_as_well(void** state) {
  (void)state;
#define CUT(at_ball, at_cross)                                                                     \
  RUN("integrator: rk8, step: 2 ms")                                                               \
  "bodies:\n" ARM "  rod: {shape: {box: [0.4, 0.05, 0.05], position: [0.2, 0, 0]}, mass: 1}\n"     \
  "joints:\n"                                                                                      \
  "  a: {type: free-3d, child: rod, spring: {stiffness: 30 N/m, turn_stiffness: 1 N m/rad}}\n"     \
  "  b: {type: spherical, parent: rod, child: arm, at: [0.4, 0, 0], in_child: [0.2, 0, "           \
  "0.3]" at_ball "}\n"                                                                             \
  "  c: {type: universal, child: arm, at: [0.2, 0, -0.3], axis: y, second_axis: z" at_cross "}\n"  \
  "motors: {m: {joint: b, spline: {to: 0.4, points: [[0, 0, 0], [0, 0, 0], [0.1, 0.3, 0.2],\n"     \
  "  [0, 0.5, -0.2], [0.2, 0, 0.5], [0, 0, 0], [0, 0, 0]]}}}\n"
  lb_recording *a = run(CUT("", ", loop: true")), *b = run(CUT(", loop: true", ""));
  print_message("%.1e apart, forces %.1e\n", apart(a, b, "arm"), forces_apart(a, b));
  assert_near(apart(a, b, "arm"), 0, 1e-8);
  assert_near(forces_apart(a, b), 0, 1e-7);
  end(a);
  end(b);
}

// The force through the joint is the same, whichever way the motion comes about.
static void what_prescribes_a_joint_passes_through_it(void** state) {
  (void)state;
  static const char* const texts[] = {
      "bodies: {arm: {mass: 2, center: [0.1, 0.2, -0.5], inertia: [1, 1.5, 2]}}\n"
      "joints: {j: {type: spherical, child: arm}}\n"
      "motors: {m: {joint: j, keys: [[-1, [0, 0, 0]], [1, [0, 0, 1]]]}}\n",
      "bodies: {arm: {mass: 2, center: [0.1, 0.2, -0.5], inertia: [1, 1.5, 2]}}\n"
      "joints: {j: {type: revolute, axis: z, child: arm}}\n"
      "motors: {m: {joint: j, keys: [[-1, 0], [1, 1]]}}\n",
      "solver: {coordinates: maximal}\n"
      "bodies: {arm: {mass: 2, center: [0.1, 0.2, -0.5], inertia: [1, 1.5, 2]}}\n"
      "joints: {j: {type: spherical, child: arm}}\n"
      "motors: {m: {joint: j, keys: [[-1, [0, 0, 0]], [1, [0, 0, 1]]]}}\n"};
  lb_reaction want = {0};
  for (int i = 2; i >= 0; i--) {
    lb_model* m = compile(texts[(i + 2) % 3]);
    lb_data* d;
    lb_reaction is[3];
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    lb_forward(m, d);
    lb_reactions(m, d, is);
    const lb_reaction* through = &is[m->solver.coordinates == LB_COORDINATES_MAXIMAL ? 1 : 0];
    want = i == 2 ? *through : want;
    assert_near(lb_vec3_norm(lb_vec3_sub(through->force, want.force)), 0, 1e-9);
    assert_near(lb_vec3_norm(lb_vec3_sub(through->moment, want.moment)), 0, 1e-9);
    assert_above(lb_vec3_norm(want.moment), 1);
    lb_data_release(d);
    lb_model_release(m);
  }
}

// --- what cannot be ---

static void check_refused(const char* text, const char* word) {
  lb_scene scene;
  lb_model* m = NULL;
  lb_error err = lb_error_make(NULL);
  lb_status status = lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err);
  assert_int_equal(status, LB_OK);
  status = lb_model_create(&scene, NULL, &m, &err);
  if (status == LB_OK) {
    lb_recording* r;
    lb_summary s;
    const lb_simulate_options o = lb_simulate_default();
    assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
    status = lb_simulate(m, &o, r, &s, &err);
    lb_recording_release(r);
    lb_model_release(m);
  }
  assert_true(status != LB_OK);
  assert_above(err.count, 0);
  print_message("%s\n", err.message[0].text);
  assert_non_null(strstr(err.message[0].text, word));
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

static void contradictions_are_reported(void** state) {
  (void)state;
#define LEADS(more)                                                                                \
  "duration: 1 s\nsolver: {integrator: rk4}\nbodies:\n" ARM                                        \
  "joints: {j: {type: spherical, child: arm}}\n" more
  check_refused(LEADS("motors: {m: {joint: j, keys: [[0, [0, 0, 0]], [0.5, [1, 0, 0]]]}}\n"
                      "constraints: {hold: {follow: {body: arm, rotation: true}}}\n"),
                "m");
  check_refused(LEADS("motors: {m: {joint: j, ease: linear, keys: [[0, [0, 0, 0]],\n"
                      "  [0.5, [1, 0, 0]]]}}\n"),
                "motor 'm' jumps at t = 0.5 s");
  check_refused(LEADS("motors: {m: {joint: j, repeat: 0.5, keys: [[0, [0, 0, 0]],\n"
                      "  [0.5, [1, 0, 0]]]}}\n"),
                "motor 'm' jumps at t = 0.5 s");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_equilibrium_a_motor_holds_the_weight),
      cmocka_unit_test(a_flying_body_takes_what_euler_says),
      cmocka_unit_test(about_one_axis_a_ball_is_prescribed_as_a_hinge),
      cmocka_unit_test(maximal_coordinates_prescribe_the_same),
      cmocka_unit_test(every_integrator_prescribes_and_converges),
      cmocka_unit_test(a_ball_that_closes_a_loop_is_prescribed_as_well),
      cmocka_unit_test(what_prescribes_a_joint_passes_through_it),
      cmocka_unit_test(contradictions_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
