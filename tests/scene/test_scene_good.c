// scene: what good scenes become.
#include <dirent.h>

#include "limber/dynamics.h"
#include "limber/scene.h"
#include "scene/yaml/yaml_number.h"
#include "test.h"

// Read a text that must be good; the messages are shown when it is not.
static lb_scene parse(const char* text) {
  lb_scene scene = {0};
  lb_error err = lb_error_make(NULL);
  const lb_status status = lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err);
  for (int i = 0; i < err.count; i++) {
    char message[700];
    lb_error_format(&err, i, message, sizeof message);
    print_error("%s\n", message);
  }
  lb_error_clear(&err);
  assert_int_equal(status, LB_OK);
  return scene;
}

#define BALL "bodies: {ball: {shape: {sphere: {radius: 0.1}}}}\n"
#define ARM                                                                                        \
  "bodies: {upper: {shape: {box: [0.1, 0.1, 0.5]}}, lower: {shape: {box: [0.1, 0.1, 0.5]}}}\n"     \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: upper, at: [0, 0, 1], axis: y}\n"                           \
  "  elbow: {type: prismatic, parent: upper, child: lower, in_child: [0, 0, 0.25], axis: -z}\n"

static void what_is_not_said_has_its_default(void** state) {
  (void)state;
  lb_scene s = parse(BALL);
  const lb_scene standard = lb_scene_default();
  assert_string_equal(s.name, "test");
  assert_string_equal(s.about, "");
  assert_near(s.gravity.z, -9.81, 0);
  assert_near(s.duration, standard.duration, 0);
  assert_int_equal(s.solver.integrator, LB_INTEGRATOR_RK4);
  assert_near(s.solver.step, 1e-3, 0);
  assert_near(s.record.every, 0.02, 0);
  assert_int_equal(s.nbody, 1);
  assert_int_equal(s.nshape, 1);
  assert_near(s.material[s.shape[0].material].density, 1000, 0);
  assert_near(s.body[0].pose.q.w, 1, 0);
  lb_scene_release(&s);
}

// What is infinitely stiff does not yield, as where nothing is said.
static void a_stiffness_may_be_infinite(void** state) {
  (void)state;
  static const char* const WORDS[] = {"infinite", ".inf", "infinity", "+.Inf"};
  for (int i = 0; i < 4; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             ARM
             "  pin: {type: fixed, parent: upper, child: lower, loop: true, compliance: "
             "{stiffness: %s, turn_stiffness: %s}}\n"
             "motors: {m: {joint: shoulder, drive: servo, keys: [[0, 0]], stiffness: %s, limit: "
             "%s}}\n"
             "constraints: {c: {couple: [{joint: elbow}], at_least: 0 m, stiffness: %s}}\n"
             "solver: {integrator: linear-euler}\n",
             WORDS[i], WORDS[i], WORDS[i], WORDS[i], WORDS[i]);
    lb_scene s = parse(text);
    assert_near(s.joint[2].compliance[0].stiffness, 0, 0);
    assert_near(s.joint[2].compliance[1].stiffness, 0, 0);
    assert_near(s.motor[0].stiffness, 0, 0);
    assert_near(s.motor[0].limit, 0, 0);
    assert_near(s.constraint[0].compliance[0].stiffness, 0, 0);
    lb_scene_release(&s);
  }
}

static void every_unit_is_the_si_value_it_names(void** state) {
  (void)state;
  const struct {
    const char* text;
    lb_dimension dimension;
    double value;
  } cases[] = {
      {"40 mm", LB_LENGTH, 0.04},
      {"4cm", LB_LENGTH, 0.04},
      {"250 g", LB_MASS, 0.25},
      {"1 t", LB_MASS, 1000},
      {"5 ms", LB_TIME, 0.005},
      {"2 min", LB_TIME, 120},
      {"180 deg", LB_ANGLE, 3.14159265358979323846},
      {"1 turn", LB_ANGLE, 2 * 3.14159265358979323846},
      {"36 km/h", LB_SPEED, 10},
      {"30 rpm", LB_TURN_RATE, 3.14159265358979323846},
      {"9.81 m/s^2", LB_ACCELERATION, 9.81},
      {"3 N m", LB_TORQUE, 3},
      {"3 Nm", LB_TORQUE, 3},
      {"7.85 g/cm^3", LB_DENSITY, 7850},
      {"2 N/mm", LB_STIFFNESS, 2000},
      {"-1.5e-3", LB_LENGTH, -0.0015},
      {"  +.5  ", LB_PURE, 0.5},
      {"1e3", LB_PURE, 1000},
      {"2 in", LB_LENGTH, 0.0508},
      {"1 lb", LB_MASS, 0.45359237},
      {"30°", LB_ANGLE, 0.52359877559829887},
      {"-90 °/s", LB_TURN_RATE, -1.5707963267948966},
      {"5 g", LB_MASS, 0.005},
      {"2 g", LB_ACCELERATION, 19.6133},
      {"1.5 kN/m", LB_STIFFNESS, 1500},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double value = NAN;
    const char* unit;
    assert_int_equal(lb_number_read(cases[i].text, cases[i].dimension, &value, &unit),
                     LB_NUMBER_OK);
    assert_near(value, cases[i].value, 1e-15);
  }
}

static void numbers_survive_being_written_and_read_again(void** state) {
  (void)state;
  lb_random random = {.state = 20240607};
  for (int i = 0; i < 20000; i++) {
    const double x =
        ldexp(lb_random_between(&random, -1, 1), (int)lb_random_between(&random, -1000, 1000));
    char text[64];
    double y = NAN;
    const char* unit;
    snprintf(text, sizeof text, "%.17g", x);
    assert_int_equal(lb_number_read(text, LB_PURE, &y, &unit), LB_NUMBER_OK);
    assert_memory_equal(&x, &y, sizeof x);
  }
}

static void what_is_no_decimal_number_is_refused(void** state) {
  (void)state;
  static const char* const texts[] = {"",    "-",   ".",   "e5",  "1.2.3", "1,5",  "--1",
                                      "1-2", "0x1", "1e+", "one", "+ 1",   "1_000"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double value = 7;
    const char* unit;
    assert_int_not_equal(lb_number_read(texts[i], LB_PURE, &value, &unit), LB_NUMBER_OK);
    assert_near(value, 7, 0);
  }
}

static void joints_keep_frames_axes_and_springs(void** state) {
  (void)state;
  lb_scene s = parse("bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                     "joints:\n"
                     "  j:\n"
                     "    type: revolute\n"
                     "    child: a\n"
                     "    at: {position: [1, 2, 3], rotation: [0, 0, 90 deg]}\n"
                     "    in_child: [4, 5, 6]\n"
                     "    axis: [0, 3, 4]\n"
                     "    spring: {stiffness: 10, rest: 90 deg}\n"
                     "    damping: 2\n"
                     "    armature: 0.5\n");
  const lb_scene_joint* j = &s.joint[0];
  assert_int_equal(j->parent, LB_WORLD);
  assert_int_equal(j->child, 0);
  assert_near(j->in_parent.p.y, 2, 0);
  assert_near(j->in_parent.q.w, sqrt(0.5), 1e-15);
  assert_near(j->in_parent.q.z, sqrt(0.5), 1e-15);
  assert_near(j->in_child.p.z, 6, 0);
  assert_near(j->axis.y, 0.6, 1e-15);
  assert_near(j->axis.z, 0.8, 1e-15);
  assert_near(j->resistance.stiffness, 10, 0);
  assert_near(j->rest[0], 3.14159265358979323846 / 2, 1e-15);
  assert_near(j->resistance.damping, 2, 0);
  assert_near(j->resistance.armature, 0.5, 0);
  lb_scene_release(&s);
}

static void joints_of_every_kind_keep_what_makes_them(void** state) {
  (void)state;
  lb_scene s = parse(
      "bodies: {a: &b {mass: 1, inertia: [1, 1, 1]}, b: *b, c: *b, d: *b, e: *b, f: *b, g: *b}\n"
      "joints:\n"
      "  a: {type: helical, child: a, axis: x, pitch: 2 cm, friction: 3, friction_speed: 0.5,\n"
      "      limits: {upper: 90 deg, stiffness: 4, damping: 5, transition: 1 deg, pulls: true}}\n"
      "  b: {type: euler, child: b, order: zxz, spring: {stiffness: 1, rest: [1, 2, 3]}}\n"
      "  c: {type: free-3d, child: c, order: zyx, first: rotation, damping: 2, turn_damping: 3}\n"
      "  d: {type: planar, child: d, axis: y}\n"
      "  e: {type: spline-curve, child: e, cyclic: true,\n"
      "      frames: [[0, 0, 0], [1, 0, 0], {rotation: [0, 0, 90 deg]}, [3, 0, 0]]}\n"
      "  f: {type: spline-surface, child: f, surface: {rx: [[1 deg, 2, 3, 4], [1, 2, 3, 4],\n"
      "      [1, 2, 3, 4], [1, 2, 3, 4], [5, 6, 7, 8]]}}\n"
      "  g: {type: composite, child: g, parts: [{type: prismatic, axis: z, damping: 7},\n"
      "      {type: exponential, at: [0, 0, 1]}]}\n"
      "initial:\n"
      "  b: {position: [1, 1, 1]}\n"
      "  c: {position: [30 deg, 1, 0, 2 cm, 0, 0], velocity: [0, 0, 0, 0, 0, 5]}\n"
      "  g: {position: [20 cm, 0, 90 deg, 0]}\n");
  assert_near(s.joint[0].pitch, 0.02, 1e-17);
  assert_near(s.joint[0].resistance.friction, 3, 0);
  assert_near(s.joint[0].resistance.friction_speed, 0.5, 0);
  assert_true(isinf(s.joint[0].lower[0]));
  assert_below(s.joint[0].lower[0], 0);
  assert_near(s.joint[0].upper[0], 3.14159265358979323846 / 2, 1e-15);
  assert_near(s.joint[0].resistance.limit_stiffness, 4, 0);
  assert_near(s.joint[0].resistance.limit_damping, 5, 0);
  assert_near(s.joint[0].resistance.limit_transition, 3.14159265358979323846 / 180, 1e-17);
  assert_true(s.joint[0].resistance.limit_pulls);
  assert_near(s.joint[1].resistance.limit_transition, 1e-3, 0);
  assert_near(s.joint[2].turn.limit_transition, 1e-3, 0);
  assert_int_equal(s.joint[1].order, LB_TURN_ZXZ);
  assert_near(s.joint[1].rest[2], 3, 0);
  assert_int_equal(s.joint[2].order, LB_TURN_ZYX);
  assert_true(s.joint[2].rotation_first);
  assert_near(s.joint[2].resistance.damping, 2, 0);
  assert_near(s.joint[2].turn.damping, 3, 0);
  assert_near(s.joint[2].q[0], 3.14159265358979323846 / 6, 1e-15);
  assert_near(s.joint[2].q[3], 0.02, 1e-17);
  assert_near(s.joint[2].qd[5], 5, 0);
  assert_near(s.joint[3].axis.y, 1, 0);
  assert_near(s.joint[3].axis2.z, 1, 0);
  assert_int_equal(s.joint[4].spline.nframe, 4);
  assert_true(s.joint[4].spline.cyclic);
  assert_near(s.joint[4].spline.frame[2].q.z, sqrt(0.5), 1e-15);
  assert_int_equal(s.joint[5].spline.rows, 5);
  assert_int_equal(s.joint[5].spline.columns, 4);
  assert_null(s.joint[5].spline.control[0]);
  assert_near(s.joint[5].spline.control[3][0], 3.14159265358979323846 / 180, 1e-17);
  assert_near(s.joint[5].spline.control[3][19], 8, 0);
  assert_int_equal(s.joint[6].npart, 2);
  assert_int_equal(lb_joint_count_v(&s.joint[6]), 4);
  assert_near(s.joint[6].part[0].resistance.damping, 7, 0);
  assert_near(s.joint[6].part[1].in_parent.p.z, 1, 0);
  assert_near(s.joint[6].q[2], 3.14159265358979323846 / 2, 1e-15);
  lb_scene_release(&s);
}

// Turns about the fixed axes, x first: z ends where turning by hand puts it.
static void three_angles_turn_about_fixed_axes_x_first(void** state) {
  (void)state;
  lb_scene s = parse("bodies:\n"
                     "  a: {shape: {box: [1, 1, 1]}, rotation: [90 deg, 0, 90 deg]}\n"
                     "  b: {shape: {box: [1, 1, 1]}, rotation: {axis: z, angle: 90 deg}}\n"
                     "  c: {shape: {box: [1, 1, 1]}, rotation: {quaternion: [2, 0, 0, 2]}}\n");
  // about x: z becomes -y; then about z: -y becomes x
  const lb_vec3 z = lb_quat_rotate(s.body[0].pose.q, lb_vec3_make(0, 0, 1));
  assert_near(z.x, 1, 1e-15);
  assert_near(z.y, 0, 1e-15);
  assert_near(z.z, 0, 1e-15);
  assert_near(s.body[1].pose.q.w, s.body[2].pose.q.w, 1e-15);
  assert_near(s.body[1].pose.q.z, s.body[2].pose.q.z, 1e-15);
  lb_scene_release(&s);
}

static void starts_reach_joints_and_free_bodies(void** state) {
  (void)state;
  lb_scene s = parse(
      "bodies: {a: {shape: {box: [1, 1, 1]}}, b: {shape: {box: [1, 1, 1]}},\n"
      "         c: {shape: {box: [1, 1, 1]}, position: [1, 1, 1]}, d: {shape: {box: [1, 1, 1]}}}\n"
      "joints:\n"
      "  hinge: {type: revolute, child: a, axis: x}\n"
      "  ball: {type: spherical, parent: a, child: b}\n"
      "  float: {type: free, child: d}\n"
      "initial:\n"
      "  hinge: {position: 90 deg, velocity: 30 rpm}\n"
      "  ball: {rotation: {axis: z, angle: 180 deg}, spin: [1, 2, 3]}\n"
      "  c: {velocity: [4, 5, 6], spin: [7, 8, 9]}\n"
      "  float: {position: [1, 2, 3], rotation: [0, 0, 90 deg], velocity: [1, 0, 0]}\n");
  const double pi = 3.14159265358979323846;
  assert_near(s.joint[0].q[0], pi / 2, 1e-15);
  assert_near(s.joint[0].qd[0], pi, 1e-15);
  assert_near(s.joint[1].q[3], 1, 1e-15);
  assert_near(s.joint[1].qd[2], 3, 0);
  assert_near(s.body[2].pose.p.x, 1, 0);
  assert_near(s.body[2].velocity.y, 5, 0);
  assert_near(s.body[2].spin.z, 9, 0);
  // along the child's axes the velocity [1, 0, 0] is [0, -1, 0] after a quarter turn about z
  assert_near(s.joint[2].q[1], 2, 0);
  assert_near(s.joint[2].q[6], sqrt(0.5), 1e-15);
  assert_near(s.joint[2].qd[3], 0, 1e-15);
  assert_near(s.joint[2].qd[4], -1, 1e-15);
  lb_scene_release(&s);
}

static void a_joint_of_one_coordinate_starts_at_a_number_or_a_list_of_one(void** state) {
  (void)state;
  static const char* const START[] = {"{position: 3 cm, velocity: 1 m/s}",
                                      "{position: [3 cm], velocity: [1 m/s]}"};
  for (int i = 0; i < 2; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "bodies: {a: {shape: {box: [1, 1, 1]}}}\n"
             "joints: {j: {type: composite, child: a, parts: [{type: fixed, at: [1, 0, 0]}, {type: "
             "prismatic, axis: x}]}}\n"
             "initial: {j: %s}\n",
             START[i]);
    lb_scene s = parse(text);
    assert_near(s.joint[0].q[0], 0.03, 1e-15);
    assert_near(s.joint[0].qd[0], 1, 0);
    lb_scene_release(&s);
  }
}

static void bounds_of_couplings_measure_what_their_coordinates_do(void** state) {
  (void)state;
  lb_scene s = parse(
      "bodies: {a: {shape: {box: [1, 1, 1]}}, b: {shape: {box: [1, 1, 1]}},\n"
      "         c: {shape: {box: [1, 1, 1]}}, d: {shape: {box: [1, 1, 1]}}}\n"
      "joints:\n"
      "  glide: {type: planar, child: a}\n"
      "  roam: {type: free-2d, child: b}\n"
      "  link: {type: composite, child: c, parts: [{type: revolute, axis: x}, {type: prismatic, "
      "axis: z}]}\n"
      "  hinge: {type: revolute, child: d, axis: x}\n"
      "constraints:\n"
      "  slide: {couple: [{joint: glide}, {joint: roam}], at_most: 5 cm}\n"
      "  spin: {couple: [{joint: roam, coordinate: 2}, {joint: hinge}], at_least: -90 deg}\n"
      "  part: {couple: [{joint: link, coordinate: 1}], path: {keys: [[0, 1 mm]]}}\n"
      "  rack: {couple: [{joint: hinge, times: 0.1}, {joint: glide, coordinate: 1}], equals: "
      "0.2}\n");
  assert_near(s.constraint[0].most, 0.05, 1e-15);
  assert_near(s.constraint[1].least, -1.57079632679489662, 1e-15);
  assert_near(s.constraint[2].path[0].value[0], 0.001, 1e-15);
  assert_near(s.constraint[3].least, 0.2, 0);
  assert_near(s.constraint[3].most, 0.2, 0);
  lb_scene_release(&s);
}

static void universal_joints_have_two_axes_at_right_angles(void** state) {
  (void)state;
  lb_scene s = parse("bodies: {a: {shape: {box: [1, 1, 1]}}, b: {shape: {box: [1, 1, 1]}}}\n"
                     "joints:\n"
                     "  plain: {type: universal, child: a}\n"
                     "  turned: {type: universal, parent: a, child: b, axis: [0, 2, 1],\n"
                     "           spring: {stiffness: 3 N m/rad}, armature: 0.1 kg m^2}\n"
                     "initial:\n"
                     "  turned: {position: [90 deg, -90 deg], velocity: [1, 2]}\n");
  assert_near(s.joint[0].axis.x, 1, 0);
  assert_near(s.joint[0].axis2.y, 1, 0);
  assert_near(lb_vec3_dot(s.joint[1].axis, s.joint[1].axis2), 0, 1e-15);
  assert_near(s.joint[1].axis2.z, 2 / sqrt(5), 1e-15);
  assert_near(s.joint[1].q[1], -3.14159265358979323846 / 2, 1e-15);
  assert_near(s.joint[1].qd[1], 2, 0);
  assert_near(s.joint[1].resistance.stiffness, 3, 0);
  assert_near(s.joint[1].resistance.armature, 0.1, 0);
  lb_scene_release(&s);
}

static void motors_springs_and_loads_are_kept(void** state) {
  (void)state;
  lb_scene s =
      parse(ARM "motors:\n"
                "  m: {joint: shoulder, keys: [[0 s, 0 deg], [500 ms, 90 deg]], repeat: 1 s}\n"
                "  n: {joint: elbow, drive: force, spline: {to: 2 s, points: [1, 2, 3, 4, 5]}}\n"
                "springs:\n"
                "  s: {from: {body: upper, at: [0, 0, 1]}, to: {}, stiffness: 3 N/mm}\n"
                "loads:\n"
                "  l: {body: lower, force: [1 N, 0, 0], frame: body}\n");
  assert_int_equal(s.nmotor, 2);
  assert_int_equal(s.motor[0].profile.kind, LB_PROFILE_SMOOTH);
  assert_int_equal(s.motor[0].profile.count, 2);
  assert_near(s.motor[0].profile.time[1], 0.5, 0);
  assert_near(s.motor[0].profile.value[1], 3.14159265358979323846 / 2, 1e-15);
  assert_near(s.motor[0].profile.period, 1, 0);
  assert_int_equal(s.motor[1].drive, LB_DRIVE_FORCE);
  assert_int_equal(s.motor[1].profile.kind, LB_PROFILE_BSPLINE);
  assert_int_equal(s.motor[1].profile.degree, 3);
  assert_near(s.motor[1].profile.time[1], 2, 0);
  assert_near(s.force[0].stiffness, 3000, 0);
  assert_int_equal(s.force[0].point[1].body, LB_WORLD);
  assert_true(isnan(s.force[0].length));
  assert_true(s.load[0].follows);
  lb_scene_release(&s);
}

static void colours_are_kept_in_linear_light(void** state) {
  (void)state;
  lb_scene s = parse("materials: {a: {color: \"#ff8000\"}, b: {color: [1, 0.5, 0, 0.25]}}\n" BALL);
  assert_near(s.material[0].color[0], 1, 1e-15);
  assert_near(s.material[0].color[1], 0.21586, 1e-5); // 128/255 on a screen
  assert_near(s.material[0].color[3], 1, 0);
  assert_near(s.material[1].color[1], 0.21404, 1e-5);
  assert_near(s.material[1].color[3], 0.25, 0);
  lb_scene_release(&s);
}

static void json_is_a_scene_too(void** state) {
  (void)state;
  lb_scene s = parse("{\"bodies\": {\"ball\": {\"shape\": {\"sphere\": {\"radius\": \"10 cm\"}},"
                     " \"mass\": 2}}, \"duration\": 1.5}");
  assert_near(s.shape[0].shape.size.x, 0.1, 1e-15);
  assert_near(s.body[0].mass.mass, 2, 0);
  assert_near(s.duration, 1.5, 0);
  lb_scene_release(&s);
}

static void an_alias_stands_for_its_anchor(void** state) {
  (void)state;
  lb_scene s = parse("bodies:\n  a: &one {shape: {box: [1, 2, 3]}}\n  b: *one\n");
  assert_int_equal(s.nbody, 2);
  assert_int_equal(s.nshape, 2);
  assert_int_equal(s.shape[1].body, 1);
  assert_near(s.shape[1].shape.size.z, 3, 0);
  lb_scene_release(&s);
}

static void a_rod_between_two_points_is_a_rod_of_that_length(void** state) {
  (void)state;
  lb_scene s = parse("bodies:\n"
                     "  a: {shape: {cylinder: {radius: 0.1, from: [1, 0, 0], to: [3, 0, 0]}}}\n"
                     "  b: {shape: {cylinder: {radius: 0.1, length: 2}, position: [2, 0, 0],\n"
                     "              rotation: [0, 90 deg, 0]}}\n");
  for (int i = 0; i < 2; i++) {
    const lb_mass m = lb_mass_transform(s.shape[i].pose, lb_shape_mass(&s.shape[i].shape, 1));
    assert_near(m.mass, 0.02 * 3.14159265358979323846, 1e-14);
    assert_near(m.com.x, 2, 1e-15);
    assert_near(m.inertia.xx, 0.5 * 0.01 * m.mass, 1e-15);
    assert_near(m.inertia.yy, m.inertia.zz, 1e-15);
  }
  lb_scene_release(&s);
}

static void a_repetition_counts_and_calculates(void** state) {
  (void)state;
  lb_scene s =
      parse("bodies: {link-0: {mass: 1, inertia: [1, 1, 1]}}\n"
            "repeat:\n"
            "  - count: 3\n"
            "    from: 2\n"
            "    bodies:\n"
            "      link-(2n): {shape: {box: [(0.5n), (n + 1) cm, 1]}}\n"
            "    joints:\n"
            "      j(n): {type: fixed, parent: link-0, child: link-(2n), at: [(-n+3), 0, 0]}\n");
  assert_int_equal(s.nbody, 4);
  assert_string_equal(s.body[1].name, "link-4");
  assert_string_equal(s.body[3].name, "link-8");
  assert_string_equal(s.joint[2].name, "j4");
  assert_int_equal(s.joint[2].child, 3);
  assert_near(s.shape[2].shape.size.x, 2, 0);
  assert_near(s.shape[2].shape.size.y, 0.05, 0);
  assert_near(s.joint[0].in_parent.p.x, 1, 0);
  assert_near(s.joint[2].in_parent.p.x, -1, 0);
  lb_scene_release(&s);
}

static void an_included_file_gives_parts_and_settings_but_no_title(void** state) {
  (void)state;
  lb_scene s = {0};
  lb_error err = lb_error_make(NULL);
  const char* path = LIMBER_SOURCE_DIR "/tests/scene/good/outer.yaml";
  assert_int_equal(lb_scene_read(path, NULL, &s, &err), LB_OK);
  assert_string_equal(s.name, "outer");
  assert_near(s.gravity.z, -1.62, 0); // the included file's
  assert_near(s.duration, 3, 0);      // the outer file's, which the included one gives as 7 s
  assert_int_equal(s.nbody, 2);
  assert_int_equal(s.njoint, 1);
  assert_near(s.joint[0].q[0], 2, 0); // the outer file's start replaces the inner one's
  assert_int_equal(s.shape[0].shape.type, LB_SHAPE_MESH);
  assert_int_equal(s.shape[0].shape.mesh->nface, 4);
  lb_scene_release(&s);
  lb_error_clear(&err);
}

static void a_scene_made_by_hand_is_checked_alike(void** state) {
  (void)state;
  lb_scene_body body[2] = {lb_scene_body_default(), lb_scene_body_default()};
  lb_scene_joint joint = lb_scene_joint_default();
  body[0].name = "a";
  body[1].name = "b";
  joint.name = "j";
  joint.child = 1;
  lb_scene s = lb_scene_default();
  s.nbody = 2;
  s.body = body;
  s.njoint = 1;
  s.joint = &joint;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_check(&s, &err), LB_OK);
  body[1].name = "a";
  joint.parent = 5;
  body[0].has_mass = true;
  body[0].mass.mass = NAN;
  assert_int_equal(lb_scene_check(&s, &err), LB_INVALID);
  assert_int_equal(err.count, 3);
  lb_error_clear(&err);
}

// What numbers of an optimisation leave in a scene is checked as well.
static void what_was_made_elsewhere_is_checked(void** state) {
  (void)state;
  static const char text[] =
      "solver: {integrator: bdf2}\n"
      "bodies: {ball: {shape: {sphere: {radius: 0.1}}}}\n"
      "constraints: {lead: {follow: {body: ball, rotation: true}}}\n"
      "ropes: {rope: {through: [{body: ball}, {at: [0, 0, 1]}, {free: true, at: [0, 0, 2]}],\n"
      "                 segments: 4, mass: 1 kg, stiffness: 1 N}}\n";
  lb_scene s;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(text, sizeof text - 1, "test.yaml", NULL, &s, &err), LB_OK);
  const int good[] = {1, 3}, bad[] = {1, 2};
  const double length[] = {1, 0.3, 0.3, 0.3}, none[] = {1, 0, 1, 1};
  s.rope[0].share = good;
  s.rope[0].length = length;
  s.constraint[0].has_from = true;
  s.constraint[0].from = lb_quat_identity();
  assert_int_equal(lb_scene_check(&s, &err), LB_OK);
  s.rope[0].share = bad;
  s.constraint[0].from.x = 1;
  assert_int_equal(lb_scene_check(&s, &err), LB_INVALID);
  assert_int_equal(err.count, 2);
  s.rope[0].share = good;
  s.rope[0].length = none;
  s.constraint[0].has_from = false;
  assert_int_equal(lb_scene_check(&s, &err), LB_INVALID);
  assert_int_equal(err.count, 3);
  lb_error_clear(&err);
  lb_scene_release(&s);
}

// --- the scenes that users copy from ---

// Over the hinges.
static double sum_of_accelerations(const char* file) {
  lb_scene s = {0};
  lb_model* m = NULL;
  lb_data* d = NULL;
  char path[300];
  snprintf(path, sizeof path, LIMBER_SOURCE_DIR "/scenes/%s", file);
  assert_int_equal(lb_scene_read(path, NULL, &s, NULL), LB_OK);
  assert_int_equal(lb_model_create(&s, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  // the test state of the reference: hinge of link i has q = 0.5 sin(1.3 i), qd = cos(0.7 i), tau =
  // 0.2 sin(2.1 i); a free base is link 0, at rest
  double* tau = calloc((size_t)m->nv, sizeof *tau);
  double* qdd = calloc((size_t)m->nv, sizeof *qdd);
  memset(d->qd, 0, (size_t)m->nv * sizeof *d->qd);
  int i = 0;
  for (int j = -1; j < s.njoint; j++) {
    const int joint = j < 0 ? lb_model_joint(m, "pelvis") : lb_model_joint(m, s.joint[j].name);
    if (joint >= 0 && m->joint.kind[joint] == LB_JOINT_REVOLUTE) {
      d->q[m->joint.q[joint]] = 0.5 * sin(1.3 * i);
      d->qd[m->joint.v[joint]] = cos(0.7 * i);
      tau[m->joint.v[joint]] = 0.2 * sin(2.1 * i);
    }
    i += joint >= 0;
  }
  lb_aba(m, d, qdd, d->q, d->qd, tau);
  double sum = 0;
  for (int j = 0; j < m->njoint; j++) {
    sum += m->joint.kind[j] == LB_JOINT_REVOLUTE ? fabs(qdd[m->joint.v[j]]) : 0;
  }
  free(tau);
  free(qdd);
  lb_data_release(d);
  lb_model_release(m);
  lb_scene_release(&s);
  return sum;
}

static void chains_and_humanoid_accelerate_as_other_engines_say(void** state) {
  (void)state;
  assert_near(sum_of_accelerations("chain-10.yaml"), 6224.3, 1e-5);
  assert_near(sum_of_accelerations("chain-100.yaml"), 84920.5, 1e-5);
  assert_near(sum_of_accelerations("chain-400.yaml"), 340162, 1e-5);
  assert_near(sum_of_accelerations("humanoid.yaml"), 199.386, 1e-5);
}

// Under the sanitizers elastic models take minutes to make; one of them will do.
static bool takes_long(const lb_scene* s, const char* file) {
  bool elastic = false;
  for (int i = 0; i < s->nbody; i++) {
    elastic |= s->body[i].elastic != NULL;
  }
  return elastic && getenv("LIMBER_SANITIZED") && strcmp(file, "rod.yaml") != 0;
}

static void every_scene_compiles(void** state) {
  (void)state;
  DIR* folder = opendir(LIMBER_SOURCE_DIR "/scenes");
  assert_non_null(folder);
  int count = 0;
  for (struct dirent* e; (e = readdir(folder));) {
    if (!strstr(e->d_name, ".yaml")) {
      continue;
    }
    char path[600];
    snprintf(path, sizeof path, LIMBER_SOURCE_DIR "/scenes/%s", e->d_name);
    lb_scene s = {0};
    lb_model* m = NULL;
    lb_error err = lb_error_make(NULL);
    if (lb_scene_read(path, NULL, &s, &err) != LB_OK ||
        (!takes_long(&s, e->d_name) && lb_model_create(&s, NULL, &m, &err) != LB_OK)) {
      lb_error_format(&err, 0, path, sizeof path);
      fail_msg("%s", path);
    }
    assert_true(*s.about);
    lb_model_release(m);
    lb_scene_release(&s);
    lb_error_clear(&err);
    count++;
  }
  closedir(folder);
  assert_at_least(count, 14);
}

// Former names in the file, in a repetition and in a part: the same scene, and a note for each.
static void keys_by_their_former_names_are_read_and_reported(void** state) {
  (void)state;
  lb_scene s = parse("materials: {gel: {young: 1 MPa, law: corotated}}\n"
                     "bodies: {ball: {shape: {sphere: {radius: 0.1}}}}\n"
                     "soft: {flesh: {form: {box: {to: [1, 0, 0], width: 0.1, height: 0.1},\n"
                     "                      material: gel}}}\n"
                     "repeat:\n"
                     "  - count: 2\n"
                     "    strands: {r(n): {through: [{body: ball}, {at: [0, 0, (n)]}], mass: 1,\n"
                     "                     stiffness: 1}}\n");
  assert_string_equal(s.material[0].model, "corotated");
  assert_int_equal(s.ndeformable, 1);
  assert_int_equal(s.nrope, 2);
  static const struct {
    int line;
    const char* text;
  } expected[] = {
      {3, "'soft' is now called 'deformables' (the old name still works)"},
      {7, "repeat: 'strands' is now called 'ropes' (the old name still works)"},
      {1, "material 'gel': 'law' is now called 'model' (the old name still works)"},
  };
  assert_int_equal(s.nnote, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(s.note[i].place.line, expected[i].line);
    assert_string_equal(s.note[i].text, expected[i].text);
  }
  lb_scene_release(&s);
  s = parse("bodies: {ball: {shape: {sphere: {radius: 0.1}}}}\n");
  assert_int_equal(s.nnote, 0);
  lb_scene_release(&s);
}

static void a_muscle_has_a_path_a_mass_and_an_excitation(void** state) {
  (void)state;
  lb_scene s = parse(
      ARM
      "wraps:\n"
      "  round: {body: upper, cylinder: {radius: 2 cm}, side: -y}\n"
      "  ring: {body: lower, torus: {ring: 3 cm, radius: 1 cm}, smooth: 0}\n"
      "muscles:\n"
      "  long:\n"
      "    through:\n"
      "      - {at: [0, 0, 1]}\n"
      "      - {wrap: round}\n"
      "      - {body: upper, at: [1 cm, 0, 0], while: {joint: shoulder, at_least: -90 deg, over: "
      "2 deg}}\n"
      "      - {wrap: ring}\n"
      "      - {body: lower, follows: {joint: elbow, x: {spline: [[0, 1 cm], [1 cm, 2 cm]]}, y: 4 "
      "mm}}\n"
      "    mass: {amount: 300 g, from: lower, belly: [0.1, 0.6], tendon: even}\n"
      "    hill: {model: millard, force: 100 N, fiber: 6 cm, slack: 20 cm, pennation: 17 deg}\n"
      "    excitation: {follow: {joint: shoulder, to: 90 deg, gain: 2}}\n");
  assert_int_equal(s.nwrap, 2);
  assert_int_equal(s.wrap[0].kind, LB_WRAP_CYLINDER);
  assert_near(s.wrap[0].side.y, -1, 0);
  assert_near(s.wrap[0].smooth, 0.15, 0);
  assert_near(s.wrap[1].size.y, 0.01, 0);
  const lb_scene_muscle* m = &s.muscle[0];
  assert_int_equal(m->npoint, 5);
  assert_int_equal(m->point[1].wrap, 0);
  assert_int_equal(m->point[2].condition, 0);
  assert_near(m->point[2].at_least, -M_PI / 2, 1e-15);
  assert_true(isinf(m->point[2].at_most));
  assert_int_equal(m->point[4].follows, 1);
  assert_int_equal(m->point[4].along[0].kind, LB_FUNCTION_SPLINE);
  assert_near(m->point[4].along[0].y[1], 0.02, 0);
  assert_near(m->point[4].along[1].value, 0.004, 0);
  assert_near(m->mass.amount, 0.3, 0);
  assert_int_equal(m->mass.from, 1);
  assert_near(m->mass.belly[1], 0.6, 0);
  assert_int_equal(m->mass.tendon, LB_TENDON_EVEN);
  assert_int_equal(m->hill.model, LB_HILL_MILLARD);
  assert_near(m->hill.speed, 10, 0);
  assert_int_equal(m->excitation.joint, 0);
  assert_near(m->excitation.to, M_PI / 2, 1e-15);
  lb_scene_release(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_by_their_former_names_are_read_and_reported),
      cmocka_unit_test(what_is_not_said_has_its_default),
      cmocka_unit_test(a_muscle_has_a_path_a_mass_and_an_excitation),
      cmocka_unit_test(a_stiffness_may_be_infinite),
      cmocka_unit_test(every_unit_is_the_si_value_it_names),
      cmocka_unit_test(numbers_survive_being_written_and_read_again),
      cmocka_unit_test(what_is_no_decimal_number_is_refused),
      cmocka_unit_test(joints_keep_frames_axes_and_springs),
      cmocka_unit_test(joints_of_every_kind_keep_what_makes_them),
      cmocka_unit_test(three_angles_turn_about_fixed_axes_x_first),
      cmocka_unit_test(starts_reach_joints_and_free_bodies),
      cmocka_unit_test(a_joint_of_one_coordinate_starts_at_a_number_or_a_list_of_one),
      cmocka_unit_test(bounds_of_couplings_measure_what_their_coordinates_do),
      cmocka_unit_test(universal_joints_have_two_axes_at_right_angles),
      cmocka_unit_test(motors_springs_and_loads_are_kept),
      cmocka_unit_test(colours_are_kept_in_linear_light),
      cmocka_unit_test(json_is_a_scene_too),
      cmocka_unit_test(an_alias_stands_for_its_anchor),
      cmocka_unit_test(a_rod_between_two_points_is_a_rod_of_that_length),
      cmocka_unit_test(a_repetition_counts_and_calculates),
      cmocka_unit_test(an_included_file_gives_parts_and_settings_but_no_title),
      cmocka_unit_test(a_scene_made_by_hand_is_checked_alike),
      cmocka_unit_test(what_was_made_elsewhere_is_checked),
      cmocka_unit_test(chains_and_humanoid_accelerate_as_other_engines_say),
      cmocka_unit_test(every_scene_compiles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
