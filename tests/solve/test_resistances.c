// What resists in joints that turn any way, or slide and turn: balls, free-2d, free-3d, free.
#include "compile.h"
#include "limber/limber.h"
#include "recorded.h"

// How far a body of one is from that of the other, at worst, and how far it moves.
static double apart(const lb_recording* a, const lb_recording* b, const char* body) {
  const int i = lb_model_body(a->model, body), j = lb_model_body(b->model, body);
  double worst = 0, moved = 0;
  assert_int_equal(a->nframe, b->nframe);
  for (int f = 0; f < a->nframe; f++) {
    const lb_transform x = a->pose[f * a->model->nbody + i], y = b->pose[f * b->model->nbody + j];
    const lb_vec3 turn = lb_quat_log(lb_quat_mul(lb_quat_conjugate(x.q), y.q));
    const lb_vec3 way = lb_quat_log(lb_quat_mul(lb_quat_conjugate(x.q), a->pose[i].q));
    worst = fmax(worst, fmax(lb_vec3_norm(lb_vec3_sub(x.p, y.p)), lb_vec3_norm(turn)));
    moved = fmax(moved, lb_vec3_norm(way));
  }
  assert_above(moved, 0.1);
  return worst;
}

static void check_alike(const char* one, const char* other, double tolerance) {
  lb_recording *a = run(one), *b = run(other);
  print_message("%.1e apart\n", apart(a, b, "arm"));
  assert_near(apart(a, b, "arm"), 0, tolerance);
  end(a);
  end(b);
}

// The same scene with a step and half of it.
typedef struct halving {
  const char *name[2], *integrator;
  double order;
} halving;

static void check_orders(const char* exactly, const halving* with, size_t count) {
  lb_recording* exact = run(exactly);
  for (size_t i = 0; i < count; i++) {
    double off[2];
    for (int k = 0; k < 2; k++) {
      lb_recording* r = run(with[i].name[k]);
      off[k] = apart(exact, r, "arm");
      end(r);
    }
    print_message("%s: off by %.1e, %.1e\n", with[i].integrator, off[0], off[1]);
    assert_above(log2(off[0] / off[1]), with[i].order - 0.4);
  }
  end(exact);
}

#define RUN(solver)                                                                                \
  "duration: 1 s\n"                                                                                \
  "gravity: [0, 0, 0]\n"                                                                           \
  "record: {every: 20 ms}\n"                                                                       \
  "solver: {" solver "}\n"
#define ARM "bodies: {arm: {mass: 2, center: [0, 0, 0.3], inertia: [0.3, 0.2, 0.1]}}\n"
#define FINE "integrator: rk4, step: 0.5 ms"

// --- balls ---

// Turning about one axis, a ball is a hinge: swing against both its limits, twist against each, the
// spring to a rest, and the rotor.
static void a_ball_in_a_plane_is_a_hinge(void** state) {
  (void)state;
#define BALL(what, spin)                                                                           \
  RUN(FINE)                                                                                        \
  ARM "joints: {j: {type: spherical, child: arm, " what "}}\n"                                     \
      "initial: {j: {spin: " spin "}}\n"
#define HINGE(axis, what, rate)                                                                    \
  RUN(FINE)                                                                                        \
  ARM "joints: {j: {type: revolute, child: arm, axis: " axis ", " what "}}\n"                      \
      "initial: {j: {velocity: " rate "}}\n"
#define STOP "stiffness: 30, damping: 1"
  check_alike(BALL("limits: {swing: 0.4, " STOP "}", "[0, 5, 0]"),
              HINGE("y", "limits: {lower: -0.4, upper: 0.4, " STOP "}", "5"), 1e-10);
  check_alike(BALL("limits: {axis: y, swing: 0.3, twist: [-0.2, 0.5], " STOP "}", "[0, 5, 0]"),
              HINGE("y", "limits: {lower: -0.2, upper: 0.5, " STOP "}", "5"), 1e-10);
  check_alike(
      BALL("spring: {stiffness: 20, rest: {axis: y, angle: 0.6}}, armature: 0.3", "[0, 3, 0]"),
      HINGE("y", "spring: {stiffness: 20, rest: 0.6}, armature: 0.3", "3"), 1e-10);
}

// Bounced about within a cone and a range of twist: all that is taken comes back.
static void limits_of_a_ball_keep_energy(void** state) {
  (void)state;
  lb_recording* r = run("duration: 2 s\n"
                        "record: {every: 10 ms}\n"
                        "solver: {integrator: rk8, step: 0.2 ms}\n" ARM
                        "joints: {j: {type: spherical, child: arm, spring: {stiffness: 3, rest: "
                        "{axis: [1, 2, 3], angle: 0.4}}, armature: 0.05,\n"
                        "             limits: {axis: [1, 0, 2], swing: 0.5, twist: [-0.3, 0.4], "
                        "stiffness: 200}}}\n"
                        "initial: {j: {spin: [2, 3, -4]}}\n");
  double worst = 0, most = 0, swing = 0, twist = 0;
  const lb_vec3 a = lb_vec3_scale(1 / sqrt(5), lb_vec3_make(1, 0, 2));
  for (int f = 0; f < r->nframe; f++) {
    const double* q = r->q + 4 * (size_t)f;
    const double all = r->kinetic[f] + r->potential[f];
    worst = fmax(worst, fabs(all - r->kinetic[0] - r->potential[0]));
    most = fmax(most, r->kinetic[f]);
    const lb_quat Q = {q[0], q[1], q[2], q[3]};
    swing = fmax(swing, acos(lb_vec3_dot(a, lb_quat_rotate(Q, a))));
    twist = fmax(twist, fabs(2 * atan2(lb_vec3_dot(a, lb_vec3_make(q[1], q[2], q[3])), q[0])));
  }
  print_message("energy off by %.1e of %.1f J, swing %.2f, twist %.2f\n", worst, most, swing,
                twist);
  assert_above(swing, 0.5);
  assert_below(swing, 0.9);
  assert_above(twist, 0.4);
  assert_below(twist, 0.7);
  assert_near(worst / most, 0, 1e-6);
  end(r);
}

// In maximal coordinates, and with implicit steps of second order.
static void limits_of_a_ball_are_the_same_any_way(void** state) {
  (void)state;
#define HIP(solver)                                                                                \
  "duration: 0.5 s\nrecord: {every: 20 ms}\nsolver: {" solver "}\n"                                \
  "bodies:\n"                                                                                      \
  "  base: {mass: 3, inertia: [0.3, 0.2, 0.2]}\n"                                                  \
  "  arm: {mass: 2, center: [0, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"                              \
  "joints:\n"                                                                                      \
  "  b: {type: revolute, child: base, axis: x}\n"                                                  \
  "  j: {type: spherical, parent: base, child: arm, armature: 0.05, friction: 0.1,\n"              \
  "      friction_speed: 1, spring: {stiffness: 3, rest: {axis: [1, 2, 3], angle: 0.4}},\n"        \
  "      limits: {axis: [1, 0, 2], swing: 0.5, twist: [-0.3, 0.4], stiffness: 50, damping: 1,\n"   \
  "               transition: 0.1}}\n"                                                             \
  "initial: {j: {spin: [2, 3, -4]}}\n"
  check_alike(HIP("integrator: rk8, step: 0.5 ms"),
              HIP("integrator: rk8, step: 0.5 ms, coordinates: maximal"), 1e-9);
  static const halving with[] = {
      {{HIP("integrator: bdf2, step: 2 ms"), HIP("integrator: bdf2, step: 1 ms")}, "bdf2", 2},
      {{HIP("integrator: sdirk2, step: 2 ms"), HIP("integrator: sdirk2, step: 1 ms")}, "sdirk2", 2},
      {{HIP("integrator: linear-euler, step: 2 ms"), HIP("integrator: linear-euler, step: 1 ms")},
       "linear-euler",
       1}};
  check_orders(HIP("integrator: rk8, step: 0.5 ms"), with, sizeof with / sizeof *with);
}

// --- joints that slide and turn ---

// The energy of a spring to a pose is the same by quaternions and by numbers, and so is damping of
// distances.
static void a_free_spring_is_that_of_a_free_3d_joint(void** state) {
  (void)state;
#define FREE(type, order, more)                                                                    \
  RUN(FINE)                                                                                        \
  ARM "joints: {j: {type: " type ", child: arm, at: [1, 2, 3]" order ", damping: 4,\n"             \
      "  spring: {stiffness: 90, turn_stiffness: 6, rest: [0.1, 0.2, -0.3]}}}\n" more
  check_alike(FREE("free", "", "initial: {j: {rotation: {axis: [1, 2, 2], angle: 0.9}}}\n"),
              FREE("free-3d", ", order: exponential",
                   "initial: {j: {position: [0, 0, 0, 0.3, 0.6, 0.6]}}\n"),
              1e-9);
}

// A spring and a damper to a pose come to rest there, whatever the way.
static void springs_with_a_rest_pose_come_to_it(void** state) {
  (void)state;
#define AT_EQUILIBRIUM(type, spring)                                                               \
  "duration: 6 s\ngravity: [0, 0, 0]\nsolver: {integrator: bdf2, step: 5 ms}\n" ARM                \
  "joints: {j: {type: " type ", child: arm, damping: 20, turn_damping: 4, spring: {stiffness: "    \
  "90, turn_stiffness: 30, " spring "}}}\n"
  static const char* const scene[] = {
      AT_EQUILIBRIUM("free", "rest: [0.1, 0.2, -0.3], turn_rest: {axis: [0, 0, 1], angle: 0.8}"),
      AT_EQUILIBRIUM("free-3d, order: zyx", "rest: [0.1, 0.2, -0.3], turn_rest: [0.8, 0, 0]"),
      AT_EQUILIBRIUM("free-3d, order: exponential, first: rotation",
                     "rest: [0.21306, 0.06760, -0.3], turn_rest: [0, 0, 0.8]"),
      AT_EQUILIBRIUM("free-2d", "rest: [0.1, 0.2], turn_rest: 0.8")};
  for (int i = 0; i < 4; i++) {
    lb_recording* r = run(scene[i]);
    const lb_transform X = r->pose[r->nframe - 1];
    assert_near(X.p.x, 0.1, 1e-4);
    assert_near(X.p.y, 0.2, 1e-4);
    assert_near(X.p.z, i == 3 ? 0 : -0.3, 1e-4);
    assert_near(2 * atan2(X.q.z, X.q.w), 0.8, 1e-4);
    end(r);
  }
}

// Sliding and turning at once, each comes to rest by its own friction: after m v^2/2F and I w^2/2T,
// but for what fades out near rest. Where friction is of each number, the numbers slide one by one.
static void friction_stops_what_slides_and_turns(void** state) {
  (void)state;
#define RUBBED(type, start)                                                                        \
  "duration: 2 s\ngravity: [0, 0, 0]\nsolver: {integrator: bdf2, step: 0.5 ms}\n"                  \
  "bodies: {arm: {mass: 2, inertia: [0.3, 0.3, 0.3]}}\n"                                           \
  "joints: {j: {type: " type ", child: arm, friction: 3, friction_speed: 1e-4, turn_friction: "    \
  "0.4, turn_friction_speed: 1e-4}}\n"                                                             \
  "initial: {j: {" start "}}\n"
  static const struct {
    const char* scene;
    double x, y;
  } with[] = {
      {RUBBED("free", "velocity: [0.6, 0.8, 0], spin: [0, 0, 1]"), 0.6 / 3, 0.8 / 3},
      {RUBBED("free-2d", "velocity: [0.6, 0.8, 1]"), 0.36 / 3, 0.64 / 3},
      {RUBBED("free-3d", "velocity: [0.6, 0.8, 0, 0, 0, 1]"), 0.36 / 3, 0.64 / 3},
  };
  for (int i = 0; i < 3; i++) {
    lb_recording* r = run(with[i].scene);
    const lb_transform X = r->pose[r->nframe - 1];
    assert_near(X.p.x, with[i].x, 1e-3);
    assert_near(X.p.y, with[i].y, 1e-3);
    assert_near(2 * atan2(X.q.z, X.q.w), 0.3 / 0.8, 1e-3);
    end(r);
  }
}

// A rotor on a coordinate is inertia there and nowhere else.
static void rotors_of_free_2d_and_free_3d_joints_are_inertia(void** state) {
  (void)state;
  static const char* const scene[] = {
      "bodies: {arm: {mass: 2, inertia: [0.3, 0.3, 0.3]}}\ngravity: [0, 0, 0]\n"
      "joints: {j: {type: free-2d, child: arm, armature: 3, turn_armature: 0.2}}\n"
      "loads: {l: {body: arm, force: [1, 2, 0], torque: [0, 0, 1]}}\n",
      "bodies: {arm: {mass: 2, inertia: [0.3, 0.3, 0.3]}}\ngravity: [0, 0, 0]\n"
      "joints: {j: {type: free-3d, child: arm, armature: 3, turn_armature: 0.2}}\n"
      "loads: {l: {body: arm, force: [1, 2, 0], torque: [0, 0, 1]}}\n"};
  for (int i = 0; i < 2; i++) {
    lb_model* m = compile(scene[i]);
    lb_data* d;
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    lb_forward(m, d);
    assert_near(d->qdd[0], 1. / 5, 1e-12);
    assert_near(d->qdd[1], 2. / 5, 1e-12);
    assert_near(d->qdd[i == 0 ? 2 : 5], 1 / 0.5, 1e-12);
    lb_data_release(d);
    lb_model_release(m);
  }
}

// --- free joints with limits and rotors ---

#define STOPS                                                                                      \
  "limits: {lower: [-0.1, -0.2, -0.3], upper: [0.2, 0.1, 0.1], stiffness: 900, damping: 5,\n"      \
  "         transition: 0.05}"
#define TURN_STOPS                                                                                 \
  "limits: {axis: [1, 0, 2], swing: 0.5, twist: [-0.3, 0.4], stiffness: 50, damping: 1,\n"         \
  "         transition: 0.1}"

// A mass that is felt at distances alone, and their limits, are those along the parent's axes,
// however the body is turned.
static void a_free_body_between_stops_is_one_by_numbers(void** state) {
  (void)state;
#define CARRIED(type, start)                                                                       \
  RUN("integrator: rk8, step: 0.5 ms")                                                             \
  "bodies:\n"                                                                                      \
  "  base: {mass: 3, inertia: [0.3, 0.2, 0.2]}\n"                                                  \
  "  arm: {mass: 2, center: [0, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"                              \
  "joints:\n"                                                                                      \
  "  b: {type: revolute, child: base, axis: [1, 0, 1]}\n"                                          \
  "  j: {type: " type ", parent: base, child: arm, at: {rotation: [0.2, 0.3, 0.4]},\n"             \
  "      armature: 3, " STOPS "}\n"                                                                \
  "initial: {b: {velocity: 2}, j: {" start "}}\n"
  check_alike(CARRIED("free", "velocity: [1, -1, 1.5], spin: [2, 0, 0]"),
              CARRIED("free-3d, order: exponential", "velocity: [1, -1, 1.5, 2, 0, 0]"), 1e-9);
}

// All of it: slides along three axes, one on the other, that carry a ball.
static void a_free_joint_is_slides_and_a_ball(void** state) {
  (void)state;
#define APART(solver)                                                                              \
  RUN(solver)                                                                                      \
  "bodies:\n"                                                                                      \
  "  base: {mass: 3, inertia: [0.3, 0.2, 0.2]}\n"                                                  \
  "  bit: {mass: 1e-9, inertia: [1e-9, 1e-9, 1e-9]}\n"                                             \
  "  arm: {mass: 2, center: [0, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"                              \
  "joints:\n"                                                                                      \
  "  b: {type: revolute, child: base, axis: [1, 0, 1]}\n"                                          \
  "  i: {type: translational, parent: base, child: bit, at: {rotation: [0.2, 0.3, 0.4]},\n"        \
  "      armature: 0.7, " STOPS "}\n"                                                              \
  "  j: {type: spherical, parent: bit, child: arm, armature: 0.05, " TURN_STOPS "}\n"              \
  "initial: {b: {velocity: 2}, i: {velocity: [1, -1, 1.5]}, j: {spin: [2, 3, -4]}}\n"
#define TOGETHER(solver)                                                                           \
  RUN(solver)                                                                                      \
  "bodies:\n"                                                                                      \
  "  base: {mass: 3, inertia: [0.3, 0.2, 0.2]}\n"                                                  \
  "  arm: {mass: 2, center: [0, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"                              \
  "joints:\n"                                                                                      \
  "  b: {type: revolute, child: base, axis: [1, 0, 1]}\n"                                          \
  "  j: {type: free, parent: base, child: arm, at: {rotation: [0.2, 0.3, 0.4]},\n"                 \
  "      armature: 0.7, turn_armature: 0.05, " STOPS ", turn_" TURN_STOPS "}\n"                    \
  "initial: {b: {velocity: 2}, j: {velocity: [1, -1, 1.5], spin: [2, 3, -4]}}\n"
  check_alike(TOGETHER("integrator: rk8, step: 0.5 ms"), APART("integrator: rk8, step: 0.5 ms"),
              1e-7);
  check_alike(TOGETHER("integrator: rk8, step: 0.5 ms"),
              TOGETHER("integrator: rk8, step: 0.5 ms, coordinates: maximal"), 1e-9);
  static const halving with[] = {
      {{TOGETHER("integrator: bdf2, step: 1 ms"), TOGETHER("integrator: bdf2, step: 0.5 ms")},
       "bdf2",
       2},
      {{TOGETHER("integrator: sdirk2, step: 1 ms"), TOGETHER("integrator: sdirk2, step: 0.5 ms")},
       "sdirk2",
       2},
      {{TOGETHER("integrator: linear-euler, step: 1 ms"),
        TOGETHER("integrator: linear-euler, step: 0.5 ms")},
       "linear-euler",
       1}};
  check_orders(TOGETHER("integrator: rk8, step: 0.5 ms"), with, sizeof with / sizeof *with);
}

static void limits_and_rotors_of_a_free_joint_keep_energy(void** state) {
  (void)state;
  lb_recording* r = run("duration: 2 s\n"
                        "record: {every: 10 ms}\n"
                        "solver: {integrator: rk8, step: 0.2 ms}\n" ARM
                        "joints: {j: {type: free, child: arm, armature: 0.7, turn_armature: 0.05,\n"
                        "  limits: {lower: [-0.1, -0.2, -0.3], upper: [0.2, 0.1, 0.1], stiffness: "
                        "900},\n"
                        "  turn_limits: {axis: [1, 0, 2], swing: 0.5, twist: [-0.3, 0.4], "
                        "stiffness: 200}}}\n"
                        "initial: {j: {spin: [2, 3, -4], velocity: [1, -1, 1.5]}}\n");
  double worst = 0, most = 0, reach[3] = {0};
  for (int f = 0; f < r->nframe; f++) {
    const double all = r->kinetic[f] + r->potential[f];
    worst = fmax(worst, fabs(all - r->kinetic[0] - r->potential[0]));
    most = fmax(most, r->kinetic[f]);
    for (int k = 0; k < 3; k++) {
      reach[k] = fmax(reach[k], fabs(r->q[7 * (size_t)f + (size_t)k]));
    }
  }
  print_message("energy off by %.1e of %.1f J, reaches %.2f, %.2f, %.2f\n", worst, most, reach[0],
                reach[1], reach[2]);
  assert_above(reach[0], 0.2);
  assert_above(reach[1], 0.2);
  assert_above(reach[2], 0.3);
  assert_near(worst / most, 0, 1e-6);
  end(r);
}

// Forward and inverse dynamics of a free joint with rotors in the middle of a chain.
static void forward_dynamics_with_rotors_are_the_inverse_of_inverse_dynamics(void** state) {
  (void)state;
  lb_model* m =
      compile("bodies:\n"
              "  base: {mass: 3, center: [0.1, 0, 0], inertia: [0.3, 0.2, 0.2]}\n"
              "  arm: {mass: 2, center: [0, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"
              "  tail: {mass: 1, center: [0.2, 0, 0.3], inertia: [0.1, 0.2, 0.1]}\n"
              "joints:\n"
              "  b: {type: spherical, child: base}\n"
              "  j: {type: free, parent: base, child: arm, at: [0.2, 0.3, 0.4],\n"
              "      armature: 0.7, turn_armature: 0.05}\n"
              "  t: {type: revolute, parent: arm, child: tail, axis: [0, 1, 1]}\n"
              "initial: {b: {rotation: [1, 0.3, 0], spin: [1, 2, -1]}, t: {velocity: 2},\n"
              "  j: {position: [0.1, 0.2, 0.4], rotation: [0.3, 0.7, 0.2],\n"
              "      spin: [2, 3, -4], velocity: [1, -1, 1.5]}}\n");
  lb_data* d;
  lb_random r = {4};
  double tau[10], back[10], qdd[10];
  assert_int_equal(m->nv, 10);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  for (int k = 0; k < 10; k++) {
    tau[k] = lb_random_between(&r, -3, 3);
  }
  lb_aba(m, d, qdd, d->q, d->qd, tau);
  lb_rnea(m, d, back, d->q, d->qd, qdd);
  for (int k = 0; k < 10; k++) {
    assert_near(back[k], tau[k], 1e-12);
  }
  lb_data_release(d);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_in_a_plane_is_a_hinge),
      cmocka_unit_test(limits_of_a_ball_keep_energy),
      cmocka_unit_test(limits_of_a_ball_are_the_same_any_way),
      cmocka_unit_test(a_free_spring_is_that_of_a_free_3d_joint),
      cmocka_unit_test(springs_with_a_rest_pose_come_to_it),
      cmocka_unit_test(friction_stops_what_slides_and_turns),
      cmocka_unit_test(rotors_of_free_2d_and_free_3d_joints_are_inertia),
      cmocka_unit_test(a_free_body_between_stops_is_one_by_numbers),
      cmocka_unit_test(a_free_joint_is_slides_and_a_ball),
      cmocka_unit_test(limits_and_rotors_of_a_free_joint_keep_energy),
      cmocka_unit_test(forward_dynamics_with_rotors_are_the_inverse_of_inverse_dynamics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
