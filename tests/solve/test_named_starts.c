// What `initial` names stays as it is written, and the others close the loops: against closed forms
// of linkages, in reduced and maximal coordinates. Where not all can stay, the first do.
#include "limber/limber.h"
#include "test.h"

typedef struct start {
  lb_model* m;
  lb_data* d; // of the tree, where joints have coordinates
  lb_moved_start moved;
} start;

// In maximal coordinates bodies must be where those of the tree are.
static void check_maximal(lb_scene* scene, const start* s) {
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_moved_start moved;
  scene->solver.coordinates = LB_COORDINATES_MAXIMAL;
  assert_int_equal(lb_model_create(scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, d, NULL), LB_OK);
  assert_int_equal(lb_find_moved_start(m, NULL, &moved, NULL), LB_OK);
  assert_true((moved.name != NULL) == (s->moved.name != NULL));
  assert_near(moved.by, s->moved.by, 1e-12);
  lb_poses(m, d);
  for (int i = 0; i < scene->nbody; i++) {
    const lb_transform a = s->d->pose[i], b = d->pose[i];
    assert_near(lb_vec3_norm(lb_vec3_sub(a.p, b.p)), 0, 1e-12);
    assert_near(lb_vec3_norm(lb_quat_log(lb_quat_mul(lb_quat_conjugate(a.q), b.q))), 0, 1e-12);
  }
  lb_data_release(d);
  lb_model_release(m);
}

static start open_start(const char* text) {
  start s = {0};
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  lb_status status = lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err);
  assert_int_equal(status, LB_OK);
  status = lb_model_create(&scene, NULL, &s.m, &err);
  status = status != LB_OK ? status : lb_data_create(s.m, NULL, &s.d, &err);
  status = status != LB_OK ? status : lb_assemble(s.m, s.d, &err);
  status = status != LB_OK ? status : lb_find_moved_start(s.m, NULL, &s.moved, &err);
  if (status != LB_OK) {
    print_error("%s\n%s\n", err.message[0].text, text);
    fail();
  }
  assert_below(lb_constraint_gap(s.m, s.d, NULL), 1e-12);
  lb_poses(s.m, s.d);
  check_maximal(&scene, &s);
  lb_scene_release(&scene);
  return s;
}

static void close_start(start* s) {
  lb_data_release(s->d);
  lb_model_release(s->m);
}

static double place(const start* s, const char* joint) {
  return s->d->q[s->m->joint.q[lb_model_joint(s->m, joint)]];
}

static double rate(const start* s, const char* joint) {
  return s->d->qd[s->m->joint.v[lb_model_joint(s->m, joint)]];
}

// --- four-bar ---

// Crank 0.1, rocker 0.3, pivots 0.4 apart; drawn with both upright.
#define BARS                                                                                       \
  "bodies:\n"                                                                                      \
  "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.1]}}, mass: 0.2}\n"     \
  "  coupler: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0.2]}}, mass: 0.5}\n" \
  "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.3]}}, mass: 0.4}\n"    \
  "joints:\n"                                                                                      \
  "  a: {type: revolute, child: crank, axis: y}\n"                                                 \
  "  b: {type: revolute, parent: crank, child: coupler, at: [0, 0, 0.1], axis: y}\n"               \
  "  c: {type: revolute, child: rocker, at: [0.4, 0, 0], axis: y}\n"                               \
  "  d: {type: revolute, loop: true, parent: rocker, child: coupler, at: [0, 0, 0.3], in_child: "  \
  "[0.4, 0, 0.2], axis: y}\n"

typedef struct bars {
  double a, b, c; // angles
  double rate[3]; // for a crank at 1 rad/s
} bars;

// The pins P on the crank and Q on the rocker are the coupler's length apart, and Q is on the left
// of the way from the rocker's pivot to P, as drawn.
static bars solve_bars(double a) {
  const double r = 0.3, l = hypot(0.4, 0.2);
  const double px = 0.1 * sin(a), pz = 0.1 * cos(a);
  const double x = px - 0.4, z = pz, d = hypot(x, z);
  const double along = (d * d + r * r - l * l) / (2 * d), aside = sqrt(r * r - along * along);
  const double qx = (along * x + aside * z) / d, qz = (along * z - aside * x) / d; // from the pivot
  bars s = {.a = a, .c = atan2(qx, qz)};
  const double ux = 0.4 + qx - px, uz = qz - pz; // the coupler
  s.b = remainder(atan2(0.2, 0.4) - atan2(uz, ux) - a, 2 * M_PI);
  // u.(Q' - P') = 0, then the coupler turns as Q - P does
  const double turn = (ux * pz - uz * px) / (ux * qz - uz * qx);
  const double vx = turn * qz - pz, vz = -turn * qx + px;
  s.rate[0] = 1;
  s.rate[1] = (vx * uz - vz * ux) / (l * l) - 1;
  s.rate[2] = turn;
  return s;
}

static void check_bars(const start* s, bars want) {
  assert_near(place(s, "a"), want.a, 1e-12);
  assert_near(remainder(place(s, "b") - want.b, 2 * M_PI), 0, 1e-12);
  assert_near(remainder(place(s, "c") - want.c, 2 * M_PI), 0, 1e-12);
}

static void a_four_bar_follows_its_crank(void** state) {
  (void)state;
  for (int i = -12; i <= 24; i++) {
    char text[2048];
    const double a = 0.4 * i;
    snprintf(text, sizeof text, BARS "initial: {a: {position: %.17g, velocity: 3}}\n", a);
    start s = open_start(text);
    const bars want = solve_bars(a);
    check_bars(&s, want);
    assert_true(place(&s, "a") == a);
    assert_near(rate(&s, "a"), 3, 1e-12);
    assert_near(rate(&s, "b"), 3 * want.rate[1], 1e-12);
    assert_near(rate(&s, "c"), 3 * want.rate[2], 1e-12);
    assert_null(s.moved.name);
    close_start(&s);
  }
}

// The rocker's place, the coupler's velocity.
static void places_and_velocities_are_named_apart(void** state) {
  (void)state;
  const bars want = solve_bars(0.7);
  char text[2048];
  snprintf(text, sizeof text, BARS "initial: {b: {velocity: -2}, c: {position: %.17g}}\n", want.c);
  start s = open_start(text);
  check_bars(&s, want);
  assert_near(rate(&s, "a"), -2 / want.rate[1], 1e-12);
  assert_near(rate(&s, "b"), -2, 1e-12);
  assert_near(rate(&s, "c"), -2 / want.rate[1] * want.rate[2], 1e-12);
  assert_null(s.moved.name);
  close_start(&s);
}

// --- too much is named ---

static void of_too_many_the_first_stay(void** state) {
  (void)state;
  const bars want = solve_bars(2);
  char text[2048], rest[256];
  // the crank's angle, and guesses
  snprintf(rest, sizeof rest, "b: {position: %.3f, velocity: 1}, c: {position: %.3f, velocity: 1}",
           want.b + 0.1, want.c - 0.1);
  snprintf(text, sizeof text, BARS "initial: {a: {position: 2, velocity: 1}, %s}\n", rest);
  start s = open_start(text);
  check_bars(&s, want);
  assert_near(rate(&s, "a"), 1, 1e-12);
  assert_near(rate(&s, "c"), want.rate[2], 1e-12);
  assert_string_equal(s.moved.name, fabs(place(&s, "b") - want.b) > 1 ? "" : "b");
  assert_false(s.moved.rate);
  assert_near(s.moved.by, 0.1, 1e-2);
  assert_int_equal(s.moved.counts, LB_COORDINATE_ANGLE);
  assert_int_equal(s.moved.place.line, 10);
  close_start(&s);
  // the rocker's first
  snprintf(text, sizeof text,
           BARS "initial: {c: {position: %.17g, velocity: 1}, a: {position: 1.9, "
                "velocity: 1}}\n",
           want.c);
  s = open_start(text);
  check_bars(&s, want);
  assert_near(rate(&s, "c"), 1, 1e-12);
  assert_near(rate(&s, "a"), 1 / want.rate[2], 1e-12);
  assert_string_equal(s.moved.name, "a");
  assert_near(s.moved.by, 0.1, 1e-9);
  close_start(&s);
}

static void too_many_velocities_are_reported(void** state) {
  (void)state;
  const bars want = solve_bars(2);
  start s = open_start(BARS "initial: {a: {position: 2, velocity: 1}, c: {velocity: 4}}\n");
  assert_near(rate(&s, "a"), 1, 1e-12);
  assert_near(rate(&s, "c"), want.rate[2], 1e-12);
  assert_string_equal(s.moved.name, "c");
  assert_true(s.moved.rate);
  assert_near(s.moved.by, 4 - want.rate[2], 1e-9);
  close_start(&s);
}

// The rocker cannot lie down: all move to where it fits.
static void what_cannot_be_reached_is_moved_and_reported(void** state) {
  (void)state;
  start s = open_start(BARS "initial: {c: {position: 90 deg}}\n");
  assert_below(place(&s, "c"), M_PI / 2 - 0.1);
  assert_string_equal(s.moved.name, "c");
  assert_near(s.moved.by, M_PI / 2 - place(&s, "c"), 1e-12);
  close_start(&s);
}

// Digits that were not written down are no matter.
static void rounding_is_not_reported(void** state) {
  (void)state;
  const bars want = solve_bars(1);
  char text[2048];
  snprintf(text, sizeof text,
           BARS "initial: {a: {position: 1}, b: {position: %.4f}, c: {position: %.4f}}\n", want.b,
           want.c);
  start s = open_start(text);
  check_bars(&s, want);
  assert_null(s.moved.name);
  close_start(&s);
}

// --- other linkages ---

static void a_piston_follows_its_crank_and_prescribes_it(void** state) {
  (void)state;
  static const char* const LINKAGE =
      "bodies:\n"
      "  wheel: {shape: {cylinder: {radius: 8 cm, length: 2 cm}}, mass: 2}\n"
      "  rod: {shape: {capsule: {radius: 8 mm, from: [0, 0, 0], to: [20 cm, 0, 0]}}, mass: 0.3}\n"
      "  piston: {shape: {box: [4 cm, 4 cm, 4 cm]}, mass: 0.5}\n"
      "joints:\n"
      "  axle: {type: revolute, child: wheel, axis: y}\n"
      "  pin: {type: revolute, parent: wheel, child: rod, at: [5 cm, 0, 0], axis: y}\n"
      "  slide: {type: prismatic, child: piston, at: [25 cm, 0, 0], axis: x}\n"
      "  wrist: {type: revolute, loop: true, parent: piston, child: rod, in_child: [20 cm, 0, 0], "
      "axis: y}\n"
      "initial: {%s: {position: %.17g, velocity: %.17g}}\n";
  for (int i = 1; i < 16; i++) {
    const double a = 0.37 * i, sine = 0.05 * sin(a), root = sqrt(0.04 - sine * sine);
    const double x = 0.05 * cos(a) + root - 0.25, pace = -sine - sine * 0.05 * cos(a) / root;
    char text[2048];
    snprintf(text, sizeof text, LINKAGE, "axle", a, 2.);
    start s = open_start(text);
    assert_near(place(&s, "axle"), a, 1e-14);
    assert_near(place(&s, "slide"), x, 1e-12);
    assert_near(rate(&s, "axle"), 2, 1e-12);
    assert_near(rate(&s, "slide"), 2 * pace, 1e-12);
    close_start(&s);
    if (a < 3) { // drawn at the dead point, it may go either way
      snprintf(text, sizeof text, LINKAGE, "slide", x, 0.1);
      s = open_start(text);
      assert_near(place(&s, "slide"), x, 1e-14);
      assert_near(cos(place(&s, "axle")), cos(a), 1e-9);
      assert_near(fabs(rate(&s, "axle")), fabs(0.1 / pace), 1e-7);
      close_start(&s);
    }
  }
}

// A crank about z, 0.15 up, and a rocker about x, with a rod on balls between their ends:
// P = (0.1 cos a, 0.1 sin a, 0.15), R = (0.3, 0.2 cos c, 0.2 sin c), |P - R| as drawn.
#define SPATIAL(crank)                                                                             \
  "bodies:\n"                                                                                      \
  "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.1, 0, 0]}}, mass: 0.2}\n"     \
  "  rod: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.2, 0.2, -0.15]}}, mass: 0.5}\n" \
  "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0.2, 0]}}, mass: 0.4}\n"    \
  "joints:\n"                                                                                      \
  "  a: {" crank ", child: crank, at: [0, 0, 0.15]}\n"                                             \
  "  b: {type: spherical, parent: crank, child: rod, at: [0.1, 0, 0]}\n"                           \
  "  c: {type: revolute, child: rocker, at: [0.3, 0, 0], axis: x}\n"                               \
  "  d: {type: spherical, loop: true, parent: rocker, child: rod, at: [0, 0.2, 0], in_child: "     \
  "[0.2, 0.2, -0.15]}\n"

static void a_loop_in_space_follows_its_crank(void** state) {
  (void)state;
  for (int i = -5; i <= 5; i++) {
    char text[2048];
    const double a = 0.3 * i, h = 0.15;
    snprintf(text, sizeof text,
             SPATIAL("type: revolute, axis: z") "initial: {a: {position: %.17g, velocity: 1.5}}\n",
             a);
    start s = open_start(text);
    // off^2 + y^2 + h^2 + 0.04 - 0.4 (y cos c + h sin c) = 0.08 + h^2
    const double x = 0.1 * cos(a), y = 0.1 * sin(a), off = 0.3 - x;
    const double c = atan2(h, y) - acos((off * off + y * y - 0.04) / 0.4 / hypot(h, y));
    assert_near(place(&s, "a"), a, 1e-14);
    assert_near(place(&s, "c"), c, 1e-12);
    assert_near(rate(&s, "a"), 1.5, 1e-12);
    // its derivative
    const double by_a = 2 * off * y + 2 * y * x - 0.4 * x * cos(c);
    const double by_c = 0.4 * (y * sin(c) - h * cos(c));
    assert_near(rate(&s, "c"), -1.5 * by_a / by_c, 1e-12);
    close_start(&s);
  }
}

// The rod's rotation on a crank that hangs on a ball, too: that and the rocker make room.
static void a_ball_joint_keeps_its_rotation(void** state) {
  (void)state;
  start s = open_start(
      SPATIAL("type: spherical") "initial: {b: {rotation: {axis: z, angle: 20 deg}, spin: [0, 0, "
                                 "1]}}\n");
  const double* q = s.d->q + s.m->joint.q[lb_model_joint(s.m, "b")];
  const double* v = s.d->qd + s.m->joint.v[lb_model_joint(s.m, "b")];
  assert_near(2 * atan2(q[3], q[0]), M_PI / 9, 1e-12);
  assert_near(hypot(q[1], q[2]), 0, 1e-12);
  assert_near(hypot(v[0], v[1]), 0, 1e-12);
  assert_near(v[2], 1, 1e-12);
  assert_null(s.moved.name);
  close_start(&s);
}

// A body that floats, on a cord of fixed length: its place is named, its rotation follows; or the
// other way round.
#define FLOATING                                                                                   \
  "bodies: {rod: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.5, 0, 0]}}, mass: 1}}\n" \
  "joints: {tip: {type: spherical, loop: true, child: rod, in_child: [0.5, 0, 0]}}\n"

static void the_place_or_the_rotation_of_a_free_body_stays(void** state) {
  (void)state;
  start s = open_start(FLOATING "initial: {rod: {position: [0, 0.3, 0.4]}}\n");
  const double* q = s.d->q;
  assert_near(q[0], 0, 1e-14);
  assert_near(q[1], 0.3, 1e-14);
  assert_near(q[2], 0.4, 1e-14);
  assert_null(s.moved.name);
  close_start(&s);
  s = open_start(FLOATING
                 "initial: {rod: {rotation: {axis: z, angle: 60 deg}, spin: [0, 0, 1]}}\n");
  q = s.d->q;
  assert_near(q[0], -0.5 * cos(M_PI / 3), 1e-12);
  assert_near(q[1], -0.5 * sin(M_PI / 3), 1e-12);
  assert_near(2 * atan2(q[6], q[3]), M_PI / 3, 1e-12);
  assert_near(s.d->qd[2], 1, 1e-12);
  assert_near(s.d->qd[4], -0.5, 1e-12);
  assert_null(s.moved.name);
  close_start(&s);
}

static void a_wheel_follows_its_gear(void** state) {
  (void)state;
  start s = open_start("bodies:\n"
                       "  a: {shape: {cylinder: {radius: 5 cm, length: 1 cm}}, mass: 1}\n"
                       "  b: {shape: {cylinder: {radius: 15 cm, length: 1 cm}}, mass: 9}\n"
                       "joints:\n"
                       "  a: {type: revolute, child: a, axis: z}\n"
                       "  b: {type: revolute, child: b, axis: z, at: [0.2, 0, 0]}\n"
                       "constraints: {teeth: {couple: [{joint: a}, {joint: b, times: 3}], equals: "
                       "0}}\n"
                       "initial: {b: {position: 2, velocity: 4}}\n");
  assert_near(place(&s, "a"), -6, 1e-12);
  assert_near(place(&s, "b"), 2, 1e-12);
  assert_near(rate(&s, "a"), -12, 1e-12);
  assert_near(rate(&s, "b"), 4, 1e-12);
  close_start(&s);
}

// In an impact at the start all take part, named or not: a ball that runs into a stop stops.
static void what_runs_into_a_stop_stops(void** state) {
  (void)state;
  start s = open_start("bodies: {a: {shape: {box: [0.1, 0.1, 0.1]}, mass: 1}}\n"
                       "joints: {j: {type: prismatic, child: a, axis: x}}\n"
                       "constraints: {stop: {couple: [{joint: j}], at_least: 0}}\n"
                       "initial: {j: {position: 0, velocity: -2}}\n");
  assert_near(rate(&s, "j"), 0, 1e-12);
  assert_string_equal(s.moved.name, "j");
  close_start(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_four_bar_follows_its_crank),
      cmocka_unit_test(places_and_velocities_are_named_apart),
      cmocka_unit_test(of_too_many_the_first_stay),
      cmocka_unit_test(too_many_velocities_are_reported),
      cmocka_unit_test(what_cannot_be_reached_is_moved_and_reported),
      cmocka_unit_test(rounding_is_not_reported),
      cmocka_unit_test(a_piston_follows_its_crank_and_prescribes_it),
      cmocka_unit_test(a_loop_in_space_follows_its_crank),
      cmocka_unit_test(a_ball_joint_keeps_its_rotation),
      cmocka_unit_test(the_place_or_the_rotation_of_a_free_body_stays),
      cmocka_unit_test(a_wheel_follows_its_gear),
      cmocka_unit_test(what_runs_into_a_stop_stops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
