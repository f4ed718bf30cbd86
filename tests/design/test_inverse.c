// Inverse dynamics of whole motions: it undoes forward dynamics.
#include <unistd.h>

#include "compile.h"
#include "counting.h"

static lb_recording* simulate(const lb_model* m) {
  lb_recording* r;
  lb_summary s;
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &o, r, &s, NULL), LB_OK);
  return r;
}

// A recording through its file, as a motion.
static lb_joint_motion* through_file(const lb_recording* r) {
  char dir[] = "/tmp/limber_inverse_XXXXXX";
  char path[128];
  assert_non_null(mkdtemp(dir));
  const lb_summary s = {.job = "simulate"};
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_recording_write(r, &s, dir, &err), LB_OK);
  snprintf(path, sizeof path, "%s/trajectory.csv", dir);
  lb_joint_motion* motion = NULL;
  if (lb_joint_motion_read(path, r->model, NULL, &motion, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  char command[160];
  snprintf(command, sizeof command, "rm -r %s", dir);
  assert_int_equal(system(command), 0);
  lb_error_clear(&err);
  return motion;
}

static lb_recording* invert(const lb_model* m, const lb_joint_motion* motion,
                            const lb_inverse_options* o, lb_summary* s) {
  lb_recording* r;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
  if (lb_inverse(m, motion, o, r, s, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
  return r;
}

// The worst difference of the motors' forces, over the largest force.
static double worst_motor(const lb_recording* put_in, const lb_recording* found) {
  const int n = put_in->model->nmotor;
  double worst = 0, most = 0;
  assert_int_equal(put_in->nframe, found->nframe);
  for (int i = 0; i < n * put_in->nframe; i++) {
    worst = fmax(worst, fabs(put_in->motor[i] - found->motor[i]));
    most = fmax(most, fabs(put_in->motor[i]));
  }
  assert_above(most, 0.1);
  return worst / most;
}

// Forward, through the file and back: motors' forces to `motors`, and nothing is left on
// coordinates that none drives. The largest force of a coupling or limit.
static double round_trip(const char* scene, double motors, double left) {
  lb_model* m = compile(scene);
  lb_recording* forward = simulate(m);
  lb_joint_motion* motion = through_file(forward);
  const lb_inverse_options o = lb_inverse_default();
  lb_summary s;
  lb_recording* back = invert(m, motion, &o, &s);
  assert_near(worst_motor(forward, back), 0, motors);
  assert_near(s.residual.joint < 0 ? 0 : s.residual.value, 0, left);
  double most = 0;
  for (int i = 0; i < m->constraint.ncoupling * back->nframe; i++) {
    most = fmax(most, fabs(back->coupling[i]));
  }
  lb_joint_motion_release(motion);
  lb_recording_release(forward);
  lb_recording_release(back);
  lb_model_release(m);
  return most;
}

#define ARM_WITH_REST(REST)                                                                        \
  "duration: 0.5 s\n"                                                                              \
  "record: {every: 10 ms, rates: true}\n"                                                          \
  "bodies:\n"                                                                                      \
  "  upper: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}\n"               \
  "  lower: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0.1, 0, -0.3]}}}\n"             \
  "  hand: {shape: {box: [0.1, 0.05, 0.02], position: [0, 0, -0.05]}}\n"                           \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: upper, axis: y, damping: 0.1}\n"                            \
  "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.4], axis: [1, 1, 0],\n"    \
  "          spring: {stiffness: 3, rest: " REST "}, armature: 0.02}\n"                            \
  "  wrist: {type: spherical, parent: lower, child: hand, at: [0.1, 0, -0.3], damping: 0.05}\n"

#define ARM ARM_WITH_REST("0.2")

static void forces_of_motors_come_back_from_a_file(void** state) {
  (void)state;
  round_trip(ARM "motors:\n"
                 "  a: {joint: shoulder, drive: force, keys: [[0, 0], [0.2, 3], [0.5, -4]]}\n"
                 "  b: {joint: elbow, drive: force, keys: [[0, 1], [0.3, -2], [0.5, 0]]}\n",
             1e-9, 1e-9);
}

static void prescribed_joints_come_back_as_torques(void** state) {
  (void)state;
  round_trip(ARM "motors:\n"
                 "  a: {joint: shoulder, keys: [[0, 0], [0.2, 30 deg], [0.5, -20 deg]]}\n"
                 "  b: {joint: elbow, drive: force, keys: [[0, 1], [0.3, -2], [0.5, 0]]}\n",
             1e-9, 1e-9);
}

// Of joints with several coordinates: some prescribed, some under a force, some free.
#define BRANCH                                                                                     \
  "duration: 0.4 s\n"                                                                              \
  "record: {every: 10 ms, rates: true}\n"                                                          \
  "bodies:\n"                                                                                      \
  "  upper: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}\n"               \
  "  lower: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0.1, 0, -0.3]}}}\n"             \
  "  hand: {shape: {box: [0.1, 0.05, 0.02], position: [0, 0, -0.05]}}\n"                           \
  "  bird: {shape: {box: [0.1, 0.05, 0.02], position: [0, 0, -0.05]}}\n"                           \
  "joints:\n"                                                                                      \
  "  shoulder: {type: euler, order: yxz, child: upper, damping: 0.1}\n"                            \
  "  elbow: {type: universal, parent: upper, child: lower, at: [0, 0, -0.4], axis: y,\n"           \
  "          second_axis: z, spring: {stiffness: 3, rest: [0.2, 0]}, armature: 0.02}\n"            \
  "  wrist: {type: spherical, parent: lower, child: hand, at: [0.1, 0, -0.3], damping: 0.05}\n"    \
  "  air: {type: free, child: bird}\n"                                                             \
  "motors:\n"                                                                                      \
  "  b: {joint: elbow, coordinate: 1, drive: force, keys: [[0, 0], [0.2, 0.1], [0.4, 0]]}\n"       \
  "  c: {joint: wrist, coordinate: 1, drive: force, keys: [[0, 0], [0.2, 0.1], [0.4, -0.2]]}\n"    \
  "  d: {joint: air, coordinate: 3, drive: force, keys: [[0, 1], [0.2, 3], [0.4, -1]]}\n"

static void motors_on_one_coordinate_of_several_come_back(void** state) {
  (void)state;
  round_trip(BRANCH, 1e-9, 1e-9);
  round_trip(BRANCH
             "  a: {joint: shoulder, coordinate: 1, keys: [[0, 0.1], [0.2, 0.5], [0.4, 0]]}\n"
             "  e: {joint: elbow, keys: [[0, 0.1], [0.2, 0.5], [0.4, 0]]}\n",
             1e-9, 1e-9);
  round_trip(BRANCH
             "  a: {joint: shoulder, coordinate: 1, keys: [[0, 0.1], [0.2, 0.5], [0.4, 0]]}\n"
             "solver: {coordinates: maximal}\n",
             1e-9, 1e-9);
}

// Rotations that are prescribed, of a ball and of a body that flies, beside what is pushed and
// free.
#define TURNED                                                                                     \
  "duration: 0.4 s\n"                                                                              \
  "record: {every: 10 ms, rates: true}\n"                                                          \
  "bodies:\n"                                                                                      \
  "  upper: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}\n"               \
  "  lower: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0.1, 0, -0.3]}}}\n"             \
  "  bird: {shape: {box: [0.1, 0.05, 0.02], position: [0, 0, -0.05]}}\n"                           \
  "joints:\n"                                                                                      \
  "  shoulder: {type: spherical, child: upper, damping: 0.1}\n"                                    \
  "  elbow: {type: universal, parent: upper, child: lower, at: [0, 0, -0.4], axis: y,\n"           \
  "          second_axis: z, spring: {stiffness: 3, rest: [0.2, 0]}}\n"                            \
  "  air: {type: free, child: bird}\n"                                                             \
  "motors:\n"                                                                                      \
  "  a: {joint: shoulder, keys: [[0, [0, 0, 0]], [0.2, [1, 0.2, 0.4]], [0.4, [0, 0.3, 0]]]}\n"     \
  "  b: {joint: elbow, coordinate: 1, drive: force, keys: [[0, 0], [0.2, 0.1], [0.4, 0]]}\n"       \
  "  c: {joint: air, keys: [[-0.1, [0, 0, 0]], [0.4, [1, 0, 0.3]]]}\n"                             \
  "  d: {joint: air, coordinate: 4, drive: force, keys: [[0, 1], [0.2, 3], [0.4, -1]]}\n"

static void motors_that_lead_rotations_come_back(void** state) {
  (void)state;
  round_trip(TURNED, 1e-9, 1e-9);
  round_trip(TURNED "solver: {coordinates: maximal}\n", 1e-9, 1e-9);
}

static void free_bodies_and_loads_leave_nothing(void** state) {
  (void)state;
  round_trip(
      "duration: 0.5 s\n"
      "record: {every: 10 ms, rates: true}\n"
      "bodies:\n"
      "  base: {shape: {box: [0.3, 0.2, 0.1]}}\n"
      "  wheel: {shape: {cylinder: {radius: 0.1, length: 0.05}}}\n"
      "joints: {axle: {type: revolute, parent: base, child: wheel, axis: z, at: [0, 0.1, 0]}}\n"
      "motors: {m: {joint: axle, drive: force, keys: [[0, 0], [0.2, 2], [0.5, -1]]}}\n"
      "loads: {push: {body: base, at: [0.1, 0, 0], force: [3, 1, 2]}}\n"
      "initial: {base: {spin: [1, 2, 3], velocity: [1, 0, 0]}}\n",
      1e-9, 1e-9);
}

#define FOUR_BAR                                                                                   \
  "duration: 1 s\n"                                                                                \
  "record: {every: 10 ms, rates: true}\n"                                                          \
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

static void motors_of_linkages_come_back(void** state) {
  (void)state;
  round_trip(FOUR_BAR "motors: {m: {joint: shaft, drive: force, keys: [[0, 0.2], [0.4, 0.6], "
                      "[0.9, -0.3]]}}\n",
             1e-9, 1e-9);
  round_trip(FOUR_BAR "motors: {m: {joint: shaft, keys: [[0, 0], [1, 300 deg]]}}\n", 1e-9, 1e-9);
  round_trip(FOUR_BAR "motors: {m: {joint: close, drive: force, keys: [[0, 0.2], [0.4, 0.6], "
                      "[0.9, -0.3]]}}\n",
             1e-9, 1e-9);
  round_trip(FOUR_BAR "solver: {coordinates: maximal}\n"
                      "motors: {m: {joint: shaft, drive: force, keys: [[0, 0.2], [0.4, 0.6], "
                      "[0.9, -0.3]]}}\n",
             1e-9, 1e-9);
}

static void elastic_bodies_need_nothing_inside(void** state) {
  (void)state;
  round_trip("materials: {rubber: {density: 1200, young: 20 MPa, poisson: 0.4}}\n"
             "bodies:\n"
             "  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}}\n"
             "  beam:\n"
             "    elastic:\n"
             "      rod: {radius: 8 mm, from: [0, 0, 2 cm], to: [0, 0, 22 cm]}\n"
             "      material: rubber\n"
             "      elements: {along: 4, across: 1}\n"
             "      basis: {modes: 4, derivatives: 1}\n"
             "joints:\n"
             "  turn: {type: revolute, child: hub, axis: y}\n"
             "  clamp: {type: fixed, parent: hub, child: beam, face: start, at: [0, 0, 2 cm]}\n"
             "motors: {drive: {joint: turn, keys: [[0, 0 deg], [0.2, 50 deg]]}}\n"
             "solver: {step: 1 ms}\n"
             "record: {every: 10 ms, rates: true}\n"
             "duration: 0.3\n",
             1e-9, 1e-9);
}

// A box at rest on its corners, with a wheel on it that a motor turns.
static void floors_carry_what_lies_on_them(void** state) {
  (void)state;
#define CART                                                                                       \
  "duration: 0.3 s\n"                                                                              \
  "record: {every: 10 ms, rates: true}\n"                                                          \
  "bodies:\n"                                                                                      \
  "  box: {shape: {box: [0.4, 0.3, 0.2]}, mass: 2, position: [0, 0, 0.1]}\n"                       \
  "  wheel: {shape: {cylinder: {radius: 0.05, length: 0.02}}, mass: 0.5}\n"                        \
  "joints: {axle: {type: revolute, parent: box, child: wheel, at: [0.05, 0, 0.1], axis: y}}\n"     \
  "motors: {m: {joint: axle, drive: force, keys: [[0, 0], [0.1, 0.2], [0.3, -0.1]]}}\n"            \
  "constraints:\n"                                                                                 \
  "  floor:\n"                                                                                     \
  "    floor:\n"                                                                                   \
  "      body: box\n"                                                                              \
  "      points: [{at: [0.2, 0.15, -0.1]}, {at: [-0.2, 0.15, -0.1]},\n"                            \
  "               {at: [0.2, -0.15, -0.1]}, {at: [-0.2, -0.15, -0.1]}]\n"
  round_trip(CART, 1e-9, 1e-9);
  round_trip(CART "solver: {integrator: bdf2}\n", 1e-9, 1e-9);
}

// The elbow is pushed against its stop, from the start or after it fell on it; a motor at the
// shoulder pushes, too.
#define STOPPED(START)                                                                             \
  ARM_WITH_REST("2")                                                                               \
  "motors: {a: {joint: shoulder, drive: force, keys: [[0, 0], [0.2, 3], [0.5, -4]]}}\n"            \
  "initial: {elbow: {position: " START "}}\n"                                                      \
  "constraints: {stop: {couple: [{joint: elbow}], at_most: 0.3}}\n"

static void stops_hold_what_leans_on_them(void** state) {
  (void)state;
  static const char* const START[] = {STOPPED("0.3"), STOPPED("0.1")};
  static const char* const SOLVER[] = {"", "solver: {coordinates: maximal}\n",
                                       "solver: {integrator: sdirk2}\n",
                                       "solver: {integrator: linear-euler}\n"};
  for (int i = 0; i < 8; i++) {
    char scene[2000];
    snprintf(scene, sizeof scene, "%s%s", START[i % 2], SOLVER[i / 2]);
    assert_above(round_trip(scene, 1e-9, 1e-9), 1);
  }
}

// A motor lifts a slider off its stop: it is all the motor's from the first moment on.
static void separating_contacts_exert_nothing(void** state) {
  (void)state;
  round_trip("duration: 0.1 s\n"
             "record: {every: 10 ms, rates: true}\n"
             "bodies: {cart: {shape: {box: [0.1, 0.1, 0.1]}, mass: 2}}\n"
             "joints: {rail: {type: prismatic, child: cart, axis: z}}\n"
             "motors: {lift: {joint: rail, drive: force, keys: [[0, 19.7], [0.1, 25]]}}\n"
             "constraints: {low: {couple: [{joint: rail}], at_least: 0}}\n",
             1e-9, 1e-9);
}

// Nothing but coordinates: the floor carries the box, all corners alike.
static void corners_share_a_weight_alike(void** state) {
  (void)state;
  lb_model* m =
      compile("duration: 0.1 s\n"
              "record: {every: 10 ms}\n"
              "bodies: {box: {shape: {box: [0.4, 0.3, 0.2]}, mass: 2, position: [0, 0, 0.1]}}\n"
              "constraints:\n"
              "  floor:\n"
              "    floor:\n"
              "      body: box\n"
              "      points: [{at: [0.2, 0.15, -0.1]}, {at: [-0.2, 0.15, -0.1]},\n"
              "               {at: [0.2, -0.15, -0.1]}, {at: [-0.2, -0.15, -0.1]}]\n");
  lb_recording* forward = simulate(m);
  lb_joint_motion* motion = through_file(forward);
  const lb_inverse_options o = lb_inverse_default();
  lb_summary s;
  lb_recording* back = invert(m, motion, &o, &s);
  const int count = m->njoint + m->constraint.npair;
  assert_near(s.residual.joint < 0 ? s.torque.value : s.residual.value, 0, 1e-9);
  for (int f = 0; f < back->nframe; f++) {
    for (int i = 0; i < 4; i++) {
      assert_near(back->reaction[f * count + m->njoint + i].force.z, 2 * 9.81 / 4, 1e-9);
    }
  }
  lb_joint_motion_release(motion);
  lb_recording_release(forward);
  lb_recording_release(back);
  lb_model_release(m);
}

// Motors push two rods, sampled at this rate, without rates in the table.
static double error_without_rates(double every) {
  char scene[1000];
  snprintf(scene, sizeof scene,
           "duration: 0.8 s\n"
           "solver: {integrator: rk8}\n"
           "record: {every: %g}\n"
           "bodies:\n"
           "  upper: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}\n"
           "  lower: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}\n"
           "joints:\n"
           "  shoulder: {type: spherical, child: upper}\n"
           "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.4], axis: x}\n"
           "initial: {shoulder: {rotation: {axis: y, angle: 1}, spin: [1, 0, 2]}}\n"
           "motors: {a: {joint: elbow, drive: force, keys: [[0, 0], [0.8, 1]]}}\n",
           every);
  lb_model* m = compile(scene);
  lb_recording* forward = simulate(m);
  lb_joint_motion* motion = through_file(forward);
  const lb_inverse_options o = lb_inverse_default();
  lb_summary s;
  lb_recording* back = invert(m, motion, &o, &s);
  double worst = 0;
  for (int i = 6; i < back->nframe - 6; i++) { // ends are of lower order
    worst = fmax(worst, fabs(back->motor[i] - forward->motor[i]));
  }
  lb_joint_motion_release(motion);
  lb_recording_release(forward);
  lb_recording_release(back);
  lb_model_release(m);
  return worst;
}

static void without_rates_the_error_falls_with_the_sixth_power(void** state) {
  (void)state;
  const double order = log2(error_without_rates(0.01) / error_without_rates(0.005));
  assert_above(order, 5.5);
  assert_below(order, 6.5);
}

// A motion of this scene through its file and back; frames are dense enough to be differentiated.
static lb_recording* there_and_back(const char* scene, double cutoff, lb_model** m) {
  *m = compile(scene);
  lb_recording* forward = simulate(*m);
  lb_joint_motion* motion = through_file(forward);
  lb_inverse_options o = lb_inverse_default();
  o.cutoff = cutoff;
  lb_summary s;
  lb_recording* back = invert(*m, motion, &o, &s);
  lb_joint_motion_release(motion);
  lb_recording_release(forward);
  return back;
}

#define TUMBLING(JOINT)                                                                            \
  "duration: 0.5 s\n"                                                                              \
  "solver: {integrator: rk8}\n"                                                                    \
  "record: {every: 1 ms}\n"                                                                        \
  "bodies: {bob: {mass: 2, center: [0.1, 0.02, -0.2], inertia: [0.03, 0.02, 0.01]}}\n"             \
  "joints: {j: {child: bob, " JOINT "}}\n"

#define FLOATING "gravity: [0, 0, 0]\n"

// The largest change of a coordinate from frame to frame.
static double widest_jump(const lb_recording* r) {
  double most = 0;
  for (int i = r->model->nq; i < r->nframe * r->model->nq; i++) {
    most = fmax(most, fabs(r->q[i] - r->q[i - r->model->nq]));
  }
  return most;
}

// Rotation vectors jump to the other way round, and nothing of that is left in the torques.
static void vectors_that_jump_need_no_torques(void** state) {
  (void)state;
  static const char* const SCENE[] = {
      TUMBLING("type: exponential") "initial: {j: {velocity: [14, 5, 8]}}\n",
      TUMBLING("type: free-3d") FLOATING "initial: {j: {velocity: [0, 1, 0, 14, 5, 8]}}\n",
      TUMBLING("type: free-3d, first: rotation") FLOATING
      "initial: {j: {velocity: [14, 5, 8, 0, 1, 0]}}\n",
      TUMBLING("type: composite, parts: [{type: prismatic, axis: x, armature: 9}, {type: "
               "exponential}]") "initial: {j: {velocity: [1, 14, 5, 8]}}\n"};
  for (size_t i = 0; i < sizeof SCENE / sizeof *SCENE; i++) {
    lb_model* m;
    lb_recording* r = there_and_back(SCENE[i], NAN, &m);
    assert_above(widest_jump(r), 2);
    for (int k = 8 * m->nv; k < (r->nframe - 8) * m->nv; k++) { // ends are of lower order
      assert_near(r->torque[k], 0, 1e-6);
    }
    lb_recording_release(r);
    lb_model_release(m);
  }
}

// The same motion by vectors and by quaternions: filtered or not, the same passes through the
// joint.
static void vectors_are_filtered_as_quaternions_are(void** state) {
  (void)state;
  static const double CUTOFF[] = {NAN, 30};
  for (int c = 0; c < 2; c++) {
    lb_model *vectors, *quaternions;
    lb_recording* a =
        there_and_back(TUMBLING("type: exponential") "initial: {j: {velocity: [14, 5, 8]}}\n",
                       CUTOFF[c], &vectors);
    lb_recording* b = there_and_back(
        TUMBLING("type: spherical") "initial: {j: {spin: [14, 5, 8]}}\n", CUTOFF[c], &quaternions);
    assert_above(widest_jump(a), 2);
    for (int i = 8; i < a->nframe - 8; i++) { // ends are of lower order
      assert_near(lb_vec3_norm(lb_vec3_sub(a->reaction[i].force, b->reaction[i].force)), 0, 1e-5);
      assert_near(lb_vec3_norm(lb_vec3_sub(a->reaction[i].moment, b->reaction[i].moment)), 0, 1e-5);
    }
    lb_recording_release(a);
    lb_recording_release(b);
    lb_model_release(vectors);
    lb_model_release(quaternions);
  }
}

#define SWINGING(JOINT)                                                                            \
  "duration: 2 s\n"                                                                                \
  "solver: {integrator: rk4}\n"                                                                    \
  "record: {every: 10 ms}\n"                                                                       \
  "bodies: {bob: {mass: 5, center: [0, 0, -0.25], inertia: [0.11, 0.11, 0.01]}}\n"                 \
  "joints: {j: {child: bob, " JOINT "}}\n"

// What swings freely needs no torque, at the ends of a filtered motion neither: they are within a
// hundredth of the weight's there, which is 6 N m, by angles, rotation vectors and quaternions.
static void filtered_ends_need_no_torques(void** state) {
  (void)state;
  static const char* const SCENE[] = {
      SWINGING("type: revolute, axis: y") "initial: {j: {position: 0.5}}\n",
      SWINGING(
          "type: exponential") "initial: {j: {position: [0.5, 0, 0], velocity: [0, 0.5, 0]}}\n",
      SWINGING("type: spherical") "initial: {j: {rotation: [0.5, 0, 0], spin: [0, 0.5, 0]}}\n"};
  for (size_t i = 0; i < sizeof SCENE / sizeof *SCENE; i++) {
    lb_model* m;
    lb_recording* r = there_and_back(SCENE[i], 6, &m);
    for (int k = 0; k < r->nframe * m->nv; k++) {
      assert_near(r->torque[k], 0, 0.1);
    }
    lb_recording_release(r);
    lb_model_release(m);
  }
}

// A force plate under a standing block carries its weight: then nothing is left on its free joint.
static void measured_forces_carry_a_block(void** state) {
  (void)state;
  lb_model* m = compile("bodies: {block: {shape: {box: [0.2, 0.2, 0.2]}, mass: 5}}\n"
                        "duration: 1\n");
  char dir[] = "/tmp/limber_inverse_XXXXXX";
  char path[128];
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/motion.csv", dir);
  FILE* f = fopen(path, "w");
  fprintf(f, "time,block.q0,block.q1,block.q2,block.q3,block.q4,block.q5,block.q6\n");
  for (int i = 0; i < 20; i++) {
    fprintf(f, "%g,0.3,0,0.1,1,0,0,0\n", 0.05 * i);
  }
  fclose(f);
  lb_joint_motion* motion;
  assert_int_equal(lb_joint_motion_read(path, m, NULL, &motion, NULL), LB_OK);
  snprintf(path, sizeof path, "%s/forces.csv", dir);
  f = fopen(path, "w");
  fprintf(f, "time,block.fx,block.fy,block.fz,block.px,block.py,block.pz,block.my\n");
  fprintf(f, "0,0,0,49.05,0.5,0,0,9.81\n2,0,0,49.05,0.5,0,0,9.81\n"); // off centre, and a moment
  fclose(f);
  lb_outer_forces* forces;
  assert_int_equal(lb_outer_forces_read(path, m, NULL, &forces, NULL), LB_OK);
  lb_inverse_options o = lb_inverse_default();
  o.forces = forces;
  lb_summary s;
  lb_recording* r = invert(m, motion, &o, &s);
  for (int i = 0; i < 6 * r->nframe; i++) {
    assert_near(r->torque[i], 0, 1e-12);
  }
  char command[160];
  snprintf(command, sizeof command, "rm -r %s", dir);
  assert_int_equal(system(command), 0);
  lb_recording_release(r);
  lb_joint_motion_release(motion);
  lb_outer_forces_release(forces);
  lb_model_release(m);
}

static const char SMALL[] =
    "bodies: {rod: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, -0.5]}}}}\n"
    "joints: {hinge: {type: spherical, child: rod}}\n"
    "record: {every: 20 ms}\n"
    "duration: 0.3\n";

// Reading and solving, with every request for memory refused in turn.
static void memory_that_runs_out_is_reported_and_given_back(void** state) {
  (void)state;
  lb_model* m = compile(SMALL);
  lb_recording* forward = simulate(m);
  char dir[] = "/tmp/limber_inverse_XXXXXX", motion_path[64], forces_path[64], command[80];
  assert_non_null(mkdtemp(dir));
  assert_int_equal(lb_recording_write(forward, &(lb_summary){.job = "simulate"}, dir, NULL), LB_OK);
  snprintf(motion_path, sizeof motion_path, "%s/trajectory.csv", dir);
  snprintf(forces_path, sizeof forces_path, "%s/forces.csv", dir);
  FILE* f = fopen(forces_path, "w");
  fprintf(f, "time,rod.fx,rod.fy,rod.fz\n0,0,0,1\n0.1,0,0,2\n0.2,0,0,1\n0.3,0,0,0\n");
  fclose(f);
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    lb_counting count = {.refuse = refuse};
    const lb_allocator allocator = lb_counting_allocator(&count);
    lb_joint_motion* motion = NULL;
    lb_outer_forces* forces = NULL;
    lb_recording* r = NULL;
    lb_summary s;
    lb_inverse_options o = lb_inverse_default();
    o.cutoff = 10;
    o.force_cutoff = 2;
    status = lb_joint_motion_read(motion_path, m, &allocator, &motion, NULL);
    status = status ? status : lb_outer_forces_read(forces_path, m, &allocator, &forces, NULL);
    status = status ? status : lb_recording_create(m, 0, &allocator, &r, NULL);
    o.forces = forces;
    status = status ? status : lb_inverse(m, motion, &o, r, &s, NULL);
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    lb_recording_release(r);
    lb_outer_forces_release(forces);
    lb_joint_motion_release(motion);
    assert_int_equal(count.live, 0);
  }
  snprintf(command, sizeof command, "rm -r %s", dir);
  assert_int_equal(system(command), 0);
  lb_recording_release(forward);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_motors_come_back_from_a_file),
      cmocka_unit_test(prescribed_joints_come_back_as_torques),
      cmocka_unit_test(motors_on_one_coordinate_of_several_come_back),
      cmocka_unit_test(motors_that_lead_rotations_come_back),
      cmocka_unit_test(free_bodies_and_loads_leave_nothing),
      cmocka_unit_test(motors_of_linkages_come_back),
      cmocka_unit_test(elastic_bodies_need_nothing_inside),
      cmocka_unit_test(floors_carry_what_lies_on_them),
      cmocka_unit_test(stops_hold_what_leans_on_them),
      cmocka_unit_test(separating_contacts_exert_nothing),
      cmocka_unit_test(corners_share_a_weight_alike),
      cmocka_unit_test(without_rates_the_error_falls_with_the_sixth_power),
      cmocka_unit_test(vectors_that_jump_need_no_torques),
      cmocka_unit_test(vectors_are_filtered_as_quaternions_are),
      cmocka_unit_test(filtered_ends_need_no_torques),
      cmocka_unit_test(measured_forces_carry_a_block),
      cmocka_unit_test(memory_that_runs_out_is_reported_and_given_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
