// Motors on joints of several coordinates: what they exert, what they prescribe, and what it takes.
#include "compile.h"
#include "limber/limber.h"
#include "random_tree.h"
#include "recorded.h"

static random_tree T;
static const lb_joint_kind KINDS[] = {
    LB_JOINT_REVOLUTE, LB_JOINT_PRISMATIC,   LB_JOINT_UNIVERSAL,     LB_JOINT_SPHERICAL,
    LB_JOINT_FREE,     LB_JOINT_PLANAR,      LB_JOINT_TRANSLATIONAL, LB_JOINT_HELICAL,
    LB_JOINT_EULER,    LB_JOINT_EXPONENTIAL, LB_JOINT_FREE_2D,       LB_JOINT_FREE_3D,
    LB_JOINT_CURVE,    LB_JOINT_SURFACE,     LB_JOINT_COMPOSITE};
enum { NKIND = sizeof KINDS / sizeof *KINDS, MOST = 40 };

// --- forces ---

// Two joints of a kind, one on the other, somewhere.
static void make_tree(lb_joint_kind kind) {
  lb_random r = {11};
  random_tree_make(&T, &r, 2, &kind, 1);
  for (int i = 0; i < 2; i++) {
    lb_scene_joint* j = &T.joint[i];
    j->parent = i - 1;
    for (int k = 0; k < LB_JOINT_MOST_V; k++) {
      j->q[k] = lb_random_between(&r, 0.4, 0.6);
      j->qd[k] = lb_random_between(&r, -1, 1);
    }
    if (kind == LB_JOINT_SPHERICAL || kind == LB_JOINT_FREE) {
      const lb_quat turn = random_quat(&r);
      memcpy(j->q + (kind == LB_JOINT_FREE ? 3 : 0), (double[]){turn.w, turn.x, turn.y, turn.z},
             4 * sizeof(double));
    }
  }
}

static lb_model* make_model(void) {
  lb_model* m = NULL;
  lb_error err = lb_error_make(NULL);
  if (lb_model_create(&T.scene, NULL, &m, &err) != LB_OK) {
    fail_msg("%s", err.message[0].text);
  }
  return m;
}

// Accelerations with this much on velocity k of the second joint, by a motor or by hand.
static void accelerate(double* qdd, int k, double force, bool motor) {
  double time = 0;
  lb_scene_motor by = {.name = "by",
                       .joint = 1,
                       .coordinate = k,
                       .drive = LB_DRIVE_FORCE,
                       .profile = {.count = 1, .time = &time, .value = &force}};
  T.scene.motor = &by;
  T.scene.nmotor = motor ? 1 : 0;
  lb_model* m = make_model();
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_at_most(m->nv, MOST);
  if (!motor) {
    d->tau[m->joint.v[1] + k] = force;
  }
  lb_forward(m, d);
  memcpy(qdd, d->qdd, (size_t)m->nv * sizeof *qdd);
  if (motor) {
    assert_near(d->motor_force[0], force, 0);
  }
  lb_data_release(d);
  lb_model_release(m);
}

static void a_motor_force_is_a_generalised_force_along_any_velocity(void** state) {
  (void)state;
  for (int i = 0; i < NKIND; i++) {
    make_tree(KINDS[i]);
    const int n = lb_joint_count_v(&T.joint[1]);
    for (int k = 0; k < n; k++) {
      double a[MOST] = {0}, b[MOST] = {0};
      accelerate(a, k, 1.7, true);
      accelerate(b, k, 1.7, false);
      for (int v = 0; v < 2 * n; v++) {
        assert_near(a[v], b[v], 1e-12 * fmax(1, fabs(b[v])));
      }
    }
  }
}

// --- runs ---

// How far a body of one is from a body of the other, at worst.
static double apart(const lb_recording* a, const lb_recording* b, const char* body) {
  const int i = lb_model_body(a->model, body), j = lb_model_body(b->model, body);
  double worst = 0;
  assert_int_equal(a->nframe, b->nframe);
  for (int f = 0; f < a->nframe; f++) {
    const lb_transform x = a->pose[f * a->model->nbody + i], y = b->pose[f * b->model->nbody + j];
    const lb_vec3 turn = lb_quat_log(lb_quat_mul(lb_quat_conjugate(x.q), y.q));
    worst = fmax(worst, fmax(lb_vec3_norm(lb_vec3_sub(x.p, y.p)), lb_vec3_norm(turn)));
  }
  return worst;
}

// The same of what motors exert, over the most of it.
static double forces_apart(const lb_recording* a, const lb_recording* b) {
  const int n = a->model->nmotor;
  double worst = 0, most = 0;
  for (int i = 0; i < n * a->nframe; i++) {
    worst = fmax(worst, fabs(a->motor[i] - b->motor[i]));
    most = fmax(most, fabs(a->motor[i]));
  }
  assert_above(most, 0.1);
  return worst / most;
}

static void check_alike(const char* one, const char* other, double motion, double force) {
  lb_recording *a = run(one), *b = run(other);
  print_message("%.1e apart, forces %.1e\n", apart(a, b, "arm"), forces_apart(a, b));
  assert_near(apart(a, b, "arm"), 0, motion);
  assert_near(forces_apart(a, b), 0, force);
  end(a);
  end(b);
}

#define RUN(solver)                                                                                \
  "duration: 0.4 s\n"                                                                              \
  "record: {every: 20 ms}\n"                                                                       \
  "solver: {" solver "}\n"
#define ARM "  arm: {shape: {box: [0.3, 0.1, 0.05], position: [0.15, 0.02, -0.1]}, mass: 2}\n"
#define BIT "{mass: 1e-9, inertia: [1e-9, 1e-9, 1e-9]}"

// A torque about the body's own axis, and a force along it, are those of a load that turns along.
static void forces_on_balls_and_free_bodies_are_about_their_own_axes(void** state) {
  (void)state;
#define BALL                                                                                       \
  RUN("integrator: rk8, step: 2 ms")                                                               \
  "bodies:\n" ARM "joints: {j: {type: spherical, child: arm, at: [1, 2, 3]}}\n"                    \
  "initial: {j: {rotation: {axis: [1, 2, 3], angle: 40 deg}, spin: [1, -2, 0.5]}}\n"               \
  "motors: {m: {joint: j, coordinate: 1, drive: force, keys: [[0, %s], [1, %s]]}}\n"               \
  "loads: {l: {body: arm, torque: [0, %s, 0], frame: body, keys: [[0, 1], [1, 3]]}}\n"
#define FREE                                                                                       \
  RUN("integrator: rk8, step: 2 ms")                                                               \
  "bodies:\n" ARM "joints: {j: {type: free, child: arm}}\n"                                        \
  "initial: {j: {rotation: {axis: [1, 2, 3], angle: 40 deg}, spin: [1, -2, 0.5]}}\n"               \
  "motors: {m: {joint: j, coordinate: 5, drive: force, keys: [[0, %s], [1, %s]]}}\n"               \
  "loads: {l: {body: arm, force: [0, 0, %s], frame: body, keys: [[0, 1], [1, 3]]}}\n"
  static const char* const scenes[] = {BALL, FREE};
  for (int i = 0; i < 2; i++) {
    char by_motor[2000], by_load[2000];
    snprintf(by_motor, sizeof by_motor, scenes[i], "2", "6", "0");
    snprintf(by_load, sizeof by_load, scenes[i], "0", "0", "2");
    lb_recording *a = run(by_motor), *b = run(by_load);
    print_message("%.1e apart\n", apart(a, b, "arm"));
    assert_near(apart(a, b, "arm"), 0, 1e-11);
    end(a);
    end(b);
  }
}

#define EULER(solver, motors)                                                                      \
  RUN(solver)                                                                                      \
  "bodies:\n" ARM "joints: {j: {type: euler, order: zyx, child: arm, damping: 0.02}}\n" motors
#define HINGES(solver, motors)                                                                     \
  RUN(solver)                                                                                      \
  "bodies:\n  first: " BIT "\n  second: " BIT "\n" ARM "joints:\n"                                 \
  "  j0: {type: revolute, child: first, axis: z, damping: 0.02}\n"                                 \
  "  j1: {type: revolute, parent: first, child: second, axis: y, damping: 0.02}\n"                 \
  "  j2: {type: revolute, parent: second, child: arm, axis: x, damping: 0.02}\n" motors
#define LED "keys: [[0, 0.2], [0.2, 0.9], [0.4, -0.3]]"
#define PUSHED "drive: force, keys: [[0, 0], [0.2, 2], [0.4, -1]]"

static void one_angle_of_three_is_prescribed_as_one_hinge_of_three(void** state) {
  (void)state;
  check_alike(EULER("integrator: rk8, step: 2 ms",
                    "motors: {a: {joint: j, coordinate: 1, " LED "},\n"
                    "         b: {joint: j, coordinate: 2, " PUSHED "}}\n"
                    "initial: {j: {position: [0.3, 0, 0.1]}}\n"),
              HINGES("integrator: rk8, step: 2 ms",
                     "motors: {a: {joint: j1, " LED "}, b: {joint: j2, " PUSHED "}}\n"
                     "initial: {j0: {position: 0.3}, j2: {position: 0.1}}\n"),
              1e-7, 1e-6);
}

static void all_angles_of_three_are_prescribed_as_three_hinges(void** state) {
  (void)state;
  check_alike(EULER("integrator: rk8, step: 2 ms",
                    "motors: {a: {joint: j, " LED "}, b: {joint: j, coordinate: 1, " LED "},\n"
                    "         c: {joint: j, coordinate: 2, " LED "}}\n"),
              HINGES("integrator: rk8, step: 2 ms",
                     "motors: {a: {joint: j0, " LED "}, b: {joint: j1, " LED "},\n"
                     "         c: {joint: j2, " LED "}}\n"),
              1e-7, 1e-6);
}

// --- other ways to compute it ---

#define SCENE                                                                                      \
  RUN("%s")                                                                                        \
  "bodies:\n" ARM                                                                                  \
  "  hand: {shape: {box: [0.1, 0.05, 0.02], position: [0.05, 0, 0.1]}, mass: 0.5}\n"               \
  "  ball: {shape: {box: [0.1, 0.05, 0.04], position: [0.05, 0, 0.02]}, mass: 0.3}\n"              \
  "  tail: {shape: {box: [0.2, 0.05, 0.04], position: [0.1, 0, 0.02]}, mass: 0.3}\n"               \
  "joints:\n"                                                                                      \
  "  t: {type: revolute, parent: arm, child: tail, axis: [1, 1, 0], at: [0.1, 0, 0]}\n"            \
  "  j: {type: universal, child: arm, axis: y, second_axis: x, damping: 0.02}\n"                   \
  "  k: {type: free-3d, parent: arm, child: hand, at: [0.3, 0, 0], damping: 1,\n"                  \
  "      turn_damping: 0.02, spring: {stiffness: 30 N/m, turn_stiffness: 0.2 N m/rad}}\n"          \
  "  s: {type: spherical, parent: arm, child: ball, at: [0.1, 0.1, 0], damping: 0.01}\n"           \
  "motors:\n"                                                                                      \
  "  a: {joint: j, coordinate: 1, spline: {to: 0.4, points: [0.1, 0.2, 0.6, 0.4, -0.2, 0]}}\n"     \
  "  b: {joint: k, coordinate: 2, spline: {to: 0.4, points: [0, 0, 0.1, 0.1, -0.2, 0]}}\n"         \
  "  c: {joint: k, coordinate: 4, drive: force, keys: [[0, 0], [0.2, 0.2], [0.4, -0.1]]}\n"        \
  "  d: {joint: s, coordinate: 2, drive: force, keys: [[0, 0], [0.2, 0.004], [0.4, 0]]}\n"         \
  "initial: {k: {position: [0, 0.01, 0, 0.1, 0, 0.2]}}\n"

static lb_recording* run_with(const char* solver) {
  char text[4000];
  snprintf(text, sizeof text, SCENE, solver);
  return run(text);
}

static void maximal_coordinates_have_the_same_motors(void** state) {
  (void)state;
  lb_recording* a = run_with("integrator: rk8, step: 1 ms");
  lb_recording* b = run_with("integrator: rk8, step: 1 ms, coordinates: maximal");
  print_message("%.1e apart, forces %.1e\n", apart(a, b, "hand"), forces_apart(a, b));
  assert_near(apart(a, b, "hand"), 0, 1e-9);
  assert_near(apart(a, b, "tail"), 0, 1e-9);
  assert_near(forces_apart(a, b), 0, 1e-8);
  end(a);
  end(b);
}

// The curves are smooth to the second derivative, and prescribed coordinates stay so.
static void every_integrator_prescribes_and_converges(void** state) {
  (void)state;
  static const struct {
    const char* name;
    double order, gap; // at 2 ms
  } with[] = {{"euler", 1, 1e-12}, {"rk4", 4, 1e-12}, {"linear-euler", 1, 1e-3},
              {"bdf1", 1, 1e-3},   {"bdf2", 2, 1e-4}, {"sdirk2", 2, 1e-4}};
  lb_recording* exact = run_with("integrator: rk8, step: 1 ms");
  for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
    double off[2], force[2], gap = 0;
    for (int k = 0; k < 2; k++) {
      char solver[100];
      snprintf(solver, sizeof solver, "integrator: %s, step: %s", with[i].name,
               k ? "1 ms" : "2 ms");
      lb_recording* r = run_with(solver);
      off[k] = apart(exact, r, "hand");
      force[k] = forces_apart(exact, r);
      for (int f = 0; f < r->nframe && k == 0; f++) {
        double want[3];
        lb_profile_evaluate(r->model->motor.profile[0], r->time[f], want);
        gap = fmax(gap, fabs(r->q[f * r->model->nq + 1] - want[0]));
      }
      end(r);
    }
    print_message("%s: motion off by %.1e, %.1e, forces by %.1e, %.1e, gap %.1e\n", with[i].name,
                  off[0], off[1], force[0], force[1], gap);
    assert_above(log2(off[0] / off[1]), with[i].order - 0.4);
    assert_true(force[1] < 0.8 * force[0] || force[0] < 1e-9);
    assert_below(gap, with[i].gap);
  }
  end(exact);
}

// Angle about z of a body's pose.
static double angle_of(const lb_recording* r, int frame, const char* body) {
  const lb_quat q = r->pose[frame * r->model->nbody + lb_model_body(r->model, body)].q;
  return 2 * atan2(q.z, q.w);
}

// An arm that a motor turns carries another: in maximal coordinates bodies turn as their speeds
// say, so that angles hold together with these.
static void even_turns_are_prescribed_in_maximal_coordinates(void** state) {
  (void)state;
  static const char* const integrators[] = {"euler", "linear-euler", "bdf1", "bdf2", "sdirk2"};
  static const double speed[][2] = {{2 * M_PI, 0}, {2 * M_PI, -4 * M_PI}, {0.3, 1}, {-20, 7}};
  for (size_t i = 0; i < 5 * 4; i++) {
    const char* by = integrators[i / 4];
    const double* w = speed[i % 4];
    double worst = 0;
    char text[2000];
    snprintf(text, sizeof text,
             "duration: 0.4 s\nrecord: {every: 10 ms}\n"
             "solver: {integrator: %s, step: 1 ms, coordinates: maximal}\n"
             "bodies:\n" ARM "  hand: {shape: {box: [0.1, 0.05, 0.02]}, mass: 0.5}\n"
             "joints:\n  j: {type: revolute, child: arm, axis: z}\n"
             "  k: {type: revolute, parent: arm, child: hand, at: [0.3, 0, 0], axis: z}\n"
             "motors: {a: {joint: j, ease: linear, keys: [[0, 0], [1, %.17g]]},\n"
             "         b: {joint: k, ease: linear, keys: [[0, 0], [1, %.17g]]}}\n",
             by, w[0], w[1]);
    lb_recording* r = run(text);
    for (int f = 0; f < r->nframe; f++) {
      const double first = angle_of(r, f, "arm") - w[0] * r->time[f];
      const double both = angle_of(r, f, "hand") - (w[0] + w[1]) * r->time[f];
      worst = fmax(worst, fmax(fabs(remainder(first, 2 * M_PI)), fabs(remainder(both, 2 * M_PI))));
    }
    print_message("%s at %g and %g rad/s: off by %.1e rad\n", by, w[0], w[1], worst);
    assert_below(worst, 1e-9);
    end(r);
  }
}

// --- closed forms ---

// Held at angles a and b, the weight's moment about each axis is known.
static void in_equilibrium_a_motor_holds_the_weight(void** state) {
  (void)state;
  lb_model* m = compile("gravity: [0, 0, -9.8]\n"
                        "bodies: {arm: {mass: 2, center: [0, 0, -0.5], inertia: [1, 1, 1]}}\n"
                        "joints: {j: {type: universal, child: arm, axis: y, second_axis: x}}\n"
                        "motors: {a: {joint: j, keys: [[0, 0.3]]},\n"
                        "         b: {joint: j, coordinate: 1, keys: [[0, 0.2]]}}\n");
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  const double weight = 2 * 9.8 * 0.5; // z = -0.5 cos a cos b
  for (int way = 0; way < 2; way++) {
    if (way == 0) {
      lb_forward(m, d);
    } else {
      assert_int_equal(lb_equilibrium(m, d, NULL), LB_OK);
    }
    assert_near(d->motor_force[0], weight * sin(0.3) * cos(0.2), 1e-9);
    assert_near(d->motor_force[1], weight * cos(0.3) * sin(0.2), 1e-9);
  }
  lb_data_release(d);
  lb_model_release(m);
}

// A joint that closes a loop has motors on its coordinates, too: the same mechanism, cut elsewhere.
static void a_loop_joint_takes_motors_on_its_coordinates(void** state) {
  (void)state;
#define CUT(at_ball, at_cross, motor)                                                              \
  RUN("integrator: rk8, step: 2 ms")                                                               \
  "bodies:\n" ARM "  rod: {shape: {box: [0.4, 0.05, 0.05], position: [0.2, 0, 0]}, mass: 1}\n"     \
  "joints:\n"                                                                                      \
  "  a: {type: universal, child: rod, axis: y, second_axis: z}\n"                                  \
  "  b: {type: spherical, parent: rod, child: arm, at: [0.4, 0, 0], in_child: [0.2, 0, "           \
  "0.3]" at_ball "}\n"                                                                             \
  "  c: {type: universal, child: arm, at: [0.2, 0, -0.3], axis: y, second_axis: z" at_cross "}\n"  \
  "motors: {m: {joint: a, " PUSHED "}, n: {joint: c, coordinate: 1, " motor "}}\n"
#define WAY "spline: {to: 0.4, points: [0, 0, 0.3, 0.1, 0, 0]}"
  check_alike(CUT("", ", loop: true", PUSHED), CUT(", loop: true", "", PUSHED), 1e-8, 1e-12);
  check_alike(CUT("", ", loop: true", WAY), CUT(", loop: true", "", WAY), 1e-8, 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motor_force_is_a_generalised_force_along_any_velocity),
      cmocka_unit_test(forces_on_balls_and_free_bodies_are_about_their_own_axes),
      cmocka_unit_test(one_angle_of_three_is_prescribed_as_one_hinge_of_three),
      cmocka_unit_test(all_angles_of_three_are_prescribed_as_three_hinges),
      cmocka_unit_test(maximal_coordinates_have_the_same_motors),
      cmocka_unit_test(every_integrator_prescribes_and_converges),
      cmocka_unit_test(even_turns_are_prescribed_in_maximal_coordinates),
      cmocka_unit_test(in_equilibrium_a_motor_holds_the_weight),
      cmocka_unit_test(a_loop_joint_takes_motors_on_its_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
