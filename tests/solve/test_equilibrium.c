// Where everything rests: beam theory, nothing accelerates, slow runs go the same way.
#include "limber/limber.h"
#include "test.h"

typedef struct world {
  lb_model* m;
  lb_data* d;
} world;

static world make(lb_scene* scene) {
  world w = {0};
  lb_error err = lb_error_make(NULL);
  if (lb_model_create(scene, NULL, &w.m, &err) != LB_OK ||
      lb_data_create(w.m, NULL, &w.d, &err) != LB_OK || lb_assemble(w.m, w.d, &err) != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_scene_release(scene);
  lb_error_clear(&err);
  return w;
}

static world parse(const char* text) {
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "rest.yaml", NULL, &scene, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
  return make(&scene);
}

static world read_scene(const char* file) {
  lb_scene scene;
  assert_int_equal(lb_scene_read(file, NULL, &scene, NULL), LB_OK);
  return make(&scene);
}

static void drop(world* w) {
  lb_data_release(w->d);
  lb_model_release(w->m);
}

static void rest(world* w) {
  lb_error err = lb_error_make(NULL);
  if (lb_equilibrium(w->m, w->d, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
}

static lb_vec3 place(world* w, const char* body) {
  lb_poses(w->m, w->d);
  return w->d->pose[lb_model_body(w->m, body)].p;
}

// F L^3 / (3 EI) for the weight on a level rod, and the motor holds the moment of all that weighs.
static void a_rod_bends_as_beam_theory_says(void** state) {
  (void)state;
  world w = parse("materials: {s: {density: 0.01, young: 200 GPa, poisson: 0.3}}\n"
                  "bodies:\n"
                  "  hub: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}}\n"
                  "  rod: {elastic: {rod: {radius: 5 mm, to: [0.4, 0, 0]}, material: s,\n"
                  "        elements: {across: 1}}}\n"
                  "  weight: {mass: 0.2 kg, shape: {sphere: {radius: 1 cm}}}\n"
                  "joints:\n"
                  "  motor: {type: revolute, child: hub, axis: y}\n"
                  "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"
                  "  tip: {type: fixed, parent: rod, face: end, child: weight}\n"
                  "motors: {turn: {joint: motor, keys: [[0, 0]]}}\n"
                  "duration: 1\n");
  rest(&w);
  const double theory = -0.2 * 9.81 * 0.4 * 0.4 * 0.4 / (3 * 200e9 * M_PI * 625e-12 / 4);
  const double sag = place(&w, "weight").z;
  print_message("sag %.6g m, beam theory %.6g m\n", sag, theory);
  assert_near(sag / theory, 1, 0.01);
  assert_near(w.d->motor_force[0], -0.2 * 9.81 * 0.4, 1e-3);
  drop(&w);
}

#define CHAIN                                                                                      \
  "bodies:\n"                                                                                      \
  "  a: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}}\n"                                           \
  "  b: {mass: 2 kg, shape: {sphere: {radius: 1 cm}}}\n"                                           \
  "  c: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}}\n"                                           \
  "joints:\n"                                                                                      \
  "  one: {type: spherical, child: a, in_child: [%s]}\n"                                           \
  "  two: {type: universal, parent: a, child: b, in_child: [%s], axis: y, second_axis: x}\n"       \
  "  three: {type: revolute, parent: b, child: c, in_child: [%s], axis: y}\n"                      \
  "duration: 1\n"

// From the side, and from standing on its tip, where every force is in balance too.
static void a_chain_comes_to_hang(void** state) {
  (void)state;
  static const char* const from[] = {"0.3, 0.1, 0.1", "0, 0, -0.3"};
  for (int i = 0; i < 2; i++) {
    char text[1000];
    snprintf(text, sizeof text, CHAIN, from[i], from[i], from[i]);
    world w = parse(text);
    rest(&w);
    const double link = i == 0 ? sqrt(0.11) : 0.3;
    const lb_vec3 end = place(&w, "c");
    // the last hinge turns about y only: its link cannot come down all the way from the side
    assert_near(place(&w, "b").z, -2 * link, i == 0 ? 0.03 : 1e-9);
    assert_below(end.z, -2.5 * link);
    lb_forward(w.m, w.d);
    for (int k = 0; k < w.m->nv; k++) {
      assert_near(w.d->qdd[k], 0, 1e-8);
    }
    drop(&w);
  }
}

// Whatever the scene: released from rest, nothing accelerates.
static void in_equilibrium_nothing_accelerates(void** state) {
  (void)state;
  static const char* const scenes[] = {"rod", "dancer", "rapper", "mobile", "coupled-pendulums"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    char file[300];
    snprintf(file, sizeof file, LIMBER_SOURCE_DIR "/scenes/%s.yaml", scenes[i]);
    world w = read_scene(file);
    rest(&w);
    lb_forward(w.m, w.d);
    double most = 0;
    for (int k = 0; k < w.m->nv; k++) {
      most = fmax(most, fabs(w.d->qdd[k]));
    }
    print_message("%s: %.2g\n", scenes[i], most);
    assert_below(lb_constraint_gap(w.m, w.d, NULL), 1e-9);
    assert_below(most, 1e-4);
    drop(&w);
  }
}

static void a_body_that_nothing_holds_has_no_equilibrium(void** state) {
  (void)state;
  world w = parse("bodies: {stone: {mass: 1 kg, position: [0, 0, 2], shape: {sphere: {radius: 1 "
                  "cm}}}}\nduration: 1\n");
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_equilibrium(w.m, w.d, &err), LB_FAILED);
  assert_non_null(strstr(err.message[0].text, "'stone'"));
  assert_near(place(&w, "stone").z, 2, 0);
  lb_error_clear(&err);
  drop(&w);
}

// A motion, and the same hundred times slower in time.
#define SWING(times)                                                                               \
  "materials: {s: {density: 7850, young: 200 GPa, poisson: 0.3, damping: {mass: 20}}}\n"           \
  "bodies:\n"                                                                                      \
  "  hub: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}}\n"                                         \
  "  rod: {elastic: {rod: {radius: 2 mm, to: [0.5, 0, 0]}, material: s,\n"                         \
  "        elements: {along: 6, across: 1}, basis: {modes: 2, derivatives: 2}}}\n"                 \
  "  weight: {mass: 0.1 kg, shape: {sphere: {radius: 1 cm}}}\n"                                    \
  "joints:\n"                                                                                      \
  "  motor: {type: revolute, child: hub, axis: -y}\n"                                              \
  "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"                                 \
  "  tip: {type: fixed, parent: rod, face: end, child: weight}\n"                                  \
  "motors: {turn: {joint: motor, keys: " times "}}\n"

static void a_slow_run_follows_the_equilibria(void** state) {
  (void)state;
  world fast = parse(SWING("[[0.2, 0], [0.6, 90 deg]]") "duration: 1\nrecord: {every: 0.1}\n");
  world slow = parse(SWING("[[20, 0], [60, 90 deg]]") "duration: 100\nrecord: {every: 10}\n"
                                                      "solver: {step: 10 ms}\n");
  lb_recording *target = NULL, *ran = NULL;
  lb_summary summary;
  const lb_simulate_options options = lb_simulate_default();
  assert_int_equal(lb_recording_create(fast.m, 0, NULL, &target, NULL), LB_OK);
  assert_int_equal(lb_recording_create(slow.m, 0, NULL, &ran, NULL), LB_OK);
  assert_int_equal(lb_quasistatic_motion(fast.m, &options, target, NULL), LB_OK);
  assert_int_equal(lb_simulate(slow.m, &options, ran, &summary, NULL), LB_OK);
  assert_int_equal(target->nframe, ran->nframe);
  const int body = lb_model_body(fast.m, "weight"), nbody = fast.m->nbody;
  for (int f = 2; f < target->nframe; f++) { // the run starts with a straight rod
    const lb_vec3 a = target->pose[f * nbody + body].p, b = ran->pose[f * nbody + body].p;
    assert_near(a.x, b.x, 1e-5);
    assert_near(a.z, b.z, 1e-5);
    if (f > 6) { // while it moves, damping adds its share
      assert_near(target->motor[f], ran->motor[f], 1e-5);
    }
  }
  lb_recording_release(target);
  lb_recording_release(ran);
  drop(&fast);
  drop(&slow);
}

// --- what is unilateral ---

#define PENDULUM(START, LIMITS)                                                                    \
  "bodies: {bob: {mass: 2, center: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}}\n"                     \
  "joints: {hinge: {type: revolute, child: bob, axis: y, at: [0, 0, 1]}}\n"                        \
  "initial: {hinge: {position: " START "}}\n"                                                      \
  "constraints: {stop: {couple: [{joint: hinge}], " LIMITS "}}\n"

// It lies on the stop that is in its way, which carries m g l sin(angle), and leaves one that would
// have to hold it.
static void a_pendulum_rests_on_a_stop_or_hangs(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double angle;
  } CASES[] = {{PENDULUM("1.2", "at_least: 0.4, at_most: 2"), 0.4},
               {PENDULUM("0.4", "at_least: 0.4, at_most: 2"), 0.4},
               {PENDULUM("2", "at_least: -1, at_most: 2"), 0},
               {PENDULUM("-1.5", "at_most: -0.3"), -0.3},
               {PENDULUM("-2", "at_least: -2, at_most: -0.3"), -0.3}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    world w = parse(CASES[i].text);
    rest(&w);
    assert_near(w.d->q[0], CASES[i].angle, 1e-9);
    lb_forward(w.m, w.d);
    assert_near(w.d->qdd[0], 0, 1e-7);
    double force = 0;
    for (int k = 0; k < w.m->constraint.ncoupling; k++) {
      force += w.d->coupling_force[k];
    }
    assert_near(force, 2 * 9.81 * 0.5 * sin(CASES[i].angle), 1e-7);
    drop(&w);
  }
}

// A box is let down on four corners, one of which is not needed.
static void a_box_rests_on_the_floor(void** state) {
  (void)state;
  world w = parse("bodies: {box: {shape: {box: [0.4, 0.3, 0.2]}, mass: 3}}\n"
                  "initial: {box: {position: [0.1, 0.2, 0.4],\n"
                  "                rotation: {axis: [1, 2, 0], angle: 10 deg}}}\n"
                  "constraints:\n"
                  "  ground:\n"
                  "    floor:\n"
                  "      body: box\n"
                  "      height: 0.05\n"
                  "      points: [{at: [0.2, 0.15, -0.1]}, {at: [-0.2, 0.15, -0.1]},\n"
                  "               {at: [0.2, -0.15, -0.1]}, {at: [-0.2, -0.15, -0.1]}]\n");
  rest(&w);
  lb_reaction r[5];
  double up = 0;
  assert_near(place(&w, "box").z, 0.15, 1e-9);
  lb_forward(w.m, w.d);
  lb_reactions(w.m, w.d, r);
  for (int k = 1; k <= 4; k++) {
    up += r[k].force.z;
  }
  assert_near(up, 3 * 9.81, 1e-6);
  drop(&w);
}

// What nothing holds stays where it is: a level box goes down, not aside.
static void a_level_box_does_not_go_aside(void** state) {
  (void)state;
  world w = parse("bodies: {box: {shape: {box: [0.4, 0.3, 0.2]}, mass: 3}}\n"
                  "initial: {box: {position: [0.1, 0.2, 0.4]}}\n"
                  "constraints:\n"
                  "  ground:\n"
                  "    floor:\n"
                  "      body: box\n"
                  "      points: [{at: [0.2, 0.15, -0.1]}, {at: [-0.2, 0.15, -0.1]},\n"
                  "               {at: [0, -0.15, -0.1]}]\n");
  rest(&w);
  assert_near(place(&w, "box").x, 0.1, 1e-9);
  assert_near(place(&w, "box").y, 0.2, 1e-9);
  assert_near(place(&w, "box").z, 0.1, 1e-9);
  drop(&w);
}

// A rod with a weight at its end, propped up by a floor that is half as far below as the weight
// would sink: half of it rests on the floor.
static void a_propped_rod_rests_on_its_prop(void** state) {
  (void)state;
  const double sag = 0.2 * 9.81 * 0.4 * 0.4 * 0.4 / (3 * 200e9 * M_PI * 625e-12 / 4);
  double least = 0;
  for (int i = 0; i < 2; i++) {
    char text[1200];
    snprintf(text, sizeof text,
             "materials: {s: {density: 0.01, young: 200 GPa, poisson: 0.3}}\n"
             "bodies:\n"
             "  hub: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}}\n"
             "  rod: {elastic: {rod: {radius: 5 mm, to: [0.4, 0, 0]}, material: s,\n"
             "        elements: {across: 1}}}\n"
             "  weight: {mass: 0.2 kg, shape: {sphere: {radius: 1 cm}}}\n"
             "joints:\n"
             "  motor: {type: revolute, child: hub, axis: y}\n"
             "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"
             "  tip: {type: fixed, parent: rod, face: end, child: weight}\n"
             "motors: {turn: {joint: motor, keys: [[0, 0]]}}\n"
             "constraints: {prop: {floor: {body: weight, points: [{at: [0, 0, 0]}], height: "
             "%.17g}}}\n",
             i == 0 ? -1 : 0.5 * least);
    world w = parse(text);
    rest(&w);
    if (i == 0) { // the floor is far below
      least = place(&w, "weight").z;
      assert_near(least / -sag, 1, 0.01);
    } else {
      assert_near(place(&w, "weight").z, 0.5 * least, 1e-10);
      assert_near(w.d->motor_force[0], -0.1 * 9.81 * 0.4, 1e-3);
    }
    drop(&w);
  }
}

// Lowered slowly, it stays on the floor while the motor goes on.
static void a_slow_run_follows_the_floor(void** state) {
  (void)state;
  world w = parse("duration: 1 s\n"
                  "record: {every: 50 ms}\n"
                  "bodies:\n"
                  "  arm: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0.5, 0, 0]}}}\n"
                  "  hand: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0.3, 0, 0]}}}\n"
                  "joints:\n"
                  "  shoulder: {type: revolute, child: arm, axis: y, at: [0, 0, 0.1]}\n"
                  "  wrist: {type: revolute, parent: arm, child: hand, axis: y, at: [0.5, 0, 0],\n"
                  "          spring: {stiffness: 200}}\n"
                  "motors: {lower: {joint: shoulder, keys: [[0, 0], [1, 0.25]]}}\n"
                  "constraints: {ground: {floor: {body: hand, points: [{at: [0.3, 0, 0]}]}}}\n");
  lb_recording* r = NULL;
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_recording_create(w.m, 21, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_quasistatic_motion(w.m, &o, r, NULL), LB_OK);
  int lying = 0;
  for (int f = 0; f < r->nframe; f++) {
    const double* q = r->q + (size_t)f * (size_t)w.m->nq;
    const double tip = 0.1 - 0.5 * sin(q[0]) - 0.3 * sin(q[0] + q[1]);
    assert_above(tip, -1e-9);
    lying += tip < 1e-9;
  }
  assert_above(lying, 3);
  assert_below(lying, 18);
  lb_recording_release(r);
  drop(&w);
}

// An arm of 1 kg, 0.5 m long, on a servo of 100 N m/rad that carries it as a spring would,
//
//   100 q = 0.5 g cos q
//
// until a stop of 200 N m/rad at 0.03 rad carries the rest, whatever steps make of both.
static void servos_and_stops_that_yield_are_springs(void** state) {
  (void)state;
  static const char* const BY[] = {"linear-euler", "bdf2", "rk4"};
  static const char* const COORDINATES[] = {"reduced", "maximal"};
  for (int i = 0; i < 6; i++) {
    for (int stopped = 0; stopped < 2; stopped++) {
      char text[1000];
      snprintf(
          text, sizeof text,
          "solver: {integrator: %s, coordinates: %s}\nbodies: {arm: {mass: 1, center: [0.5, 0, "
          "0], inertia: [0.01, 0.01, 0.01]}}\njoints: {j: {type: revolute, child: arm, axis: "
          "y}}\nmotors: {m: {joint: j, drive: servo, keys: [[0, 0]], stiffness: 100, limit: 9 N "
          "m}}\n%s",
          BY[i % 3], COORDINATES[i / 3],
          stopped ? "constraints: {c: {couple: [{joint: j}], at_most: 0.03, stiffness: 200}}" : "");
      world w = parse(text);
      rest(&w);
      lb_poses(w.m, w.d);
      const lb_quat r = w.d->pose[lb_model_body(w.m, "arm")].q;
      const double q = 2 * atan2(r.y, r.w);
      assert_near(100 * q + (stopped ? 200 * (q - 0.03) : 0), 0.5 * 9.81 * cos(q), 1e-7);
      drop(&w);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rod_bends_as_beam_theory_says),
      cmocka_unit_test(a_chain_comes_to_hang),
      cmocka_unit_test(in_equilibrium_nothing_accelerates),
      cmocka_unit_test(a_body_that_nothing_holds_has_no_equilibrium),
      cmocka_unit_test(a_slow_run_follows_the_equilibria),
      cmocka_unit_test(a_pendulum_rests_on_a_stop_or_hangs),
      cmocka_unit_test(a_box_rests_on_the_floor),
      cmocka_unit_test(a_level_box_does_not_go_aside),
      cmocka_unit_test(a_propped_rod_rests_on_its_prop),
      cmocka_unit_test(a_slow_run_follows_the_floor),
      cmocka_unit_test(servos_and_stops_that_yield_are_springs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
