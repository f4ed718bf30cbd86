// Stiffness at effectors as a goal: gradients against differences and closed forms, springs found
// again from the stiffness that they make, and what is refused.
#include "counting.h"
#include "optimizing.h"

// A finger on two bars: a loop with unsprung pins, gravity, a rubber band, a load that bends it,
// and a ball at its tip.
#define FINGER                                                                                     \
  "solver: {integrator: bdf2}\n"                                                                   \
  "bodies:\n"                                                                                      \
  "  front: {mass: 0.4, inertia: [1e-3, 1e-3, 1e-3]}\n"                                            \
  "  back: {mass: 0.4, inertia: [1e-3, 1e-3, 1e-3]}\n"                                             \
  "  knuckle: {mass: 0.3, inertia: [1e-3, 1e-3, 1e-3], center: [-0.02, 0, 0]}\n"                   \
  "  bone: {mass: 0.2, inertia: [1e-3, 1e-3, 1e-3], center: [0.04, 0, 0.01]}\n"                    \
  "  tip: {mass: 0.1, inertia: [1e-3, 1e-3, 1e-3], center: [-0.02, 0, 0.01]}\n"                    \
  "joints:\n"                                                                                      \
  "  front: {type: revolute, child: front, axis: y, spring: {stiffness: 3}}\n"                     \
  "  back: {type: revolute, child: back, at: [-0.03, 0, 0], axis: y}\n"                            \
  "  pin: {type: revolute, parent: front, child: knuckle, at: [0, 0, 0.04], axis: y}\n"            \
  "  back pin: {type: revolute, loop: true, parent: back, child: knuckle, at: [0, 0, 0.04], "      \
  "in_child: [-0.03, 0, 0], axis: y, spring: {stiffness: 0.5, rest: 5 deg}}\n"                     \
  "  knuckle: {type: revolute, parent: knuckle, child: bone, at: [0, 0, 0.01], axis: y, spring: "  \
  "{stiffness: 4, rest: 3 deg}}\n"                                                                 \
  "  ball: {type: spherical, parent: bone, child: tip, at: [0.08, 0, 0.02], spring: {stiffness: "  \
  "2}}\n"                                                                                          \
  "springs:\n"                                                                                     \
  "  band: {from: {body: knuckle, at: [-0.02, 0.01, 0.02]}, to: {body: bone, at: [0.05, 0, "       \
  "0.03]}, stiffness: 40, length: 0.04}\n"                                                         \
  "markers: {pad: {body: tip, at: [-0.03, 0, 0.03]}}\n"                                            \
  "fork:\n"                                                                                        \
  "  finger: {effectors: [pad, bone], models: [{}, {loads: {pad: [5 N, 3 N, 2 N]}}]}\n"

#define ALL_NUMBERS                                                                                \
  "  parameters:\n"                                                                                \
  "    a: {stiffness: front}\n"                                                                    \
  "    b: {stiffness: back pin}\n"                                                                 \
  "    c: {stiffness: knuckle}\n"                                                                  \
  "    d: {stiffness: ball}\n"                                                                     \
  "    e: {stiffness: band}\n"                                                                     \
  "    f: {rest: band}\n"                                                                          \
  "    g: {rest: knuckle}\n"                                                                       \
  "    h: {rest: back pin}\n"                                                                      \
  "    i: {rest: ball}\n"                                                                          \
  "    j: {mass: tip}\n"

#define ALL_GOALS                                                                                  \
  "  goals:\n"                                                                                     \
  "    soft: {effector: pad, force: x, stiffness: 300, model: 2}\n"                                \
  "    turns: {effector: bone, moment: y, stiffness: 7, model: 2}\n"                               \
  "    rolls: {effector: pad, moment: [0.6, 0, 0.8], stiffness: 1.5, model: 2}\n"                  \
  "    straight: {effector: pad, force: z, aside: [0.6, 0.8, 0], model: 2}\n"                      \
  "    principal: {effector: pad, stiffness: [200, 700, null], weight: 0.3}\n"                     \
  "    twisting: {effector: pad, stiffness: [1, 2, 5], turns: true, model: 2, weight: 0.1}\n"

static void gradients_are_those_of_differences(void** state) {
  (void)state;
  problem p;
  open_problem(&p, FINGER "optimize:\n" ALL_NUMBERS ALL_GOALS);
  check_gradient(&p, p.o->start, 1e-3, 1e-7);
  close_problem(&p);
}

// Lengths, places and loads as the text has them: the effector moves, and loops close elsewhere.
static void gradients_by_numbers_of_the_text(void** state) {
  (void)state;
  problem p;
  open_problem(&p, FINGER "optimize:\n"
                          "  parameters:\n"
                          "    a: {number: joints.knuckle.at.2}\n"
                          "    b: {number: joints.back.at.0}\n"
                          "    c: {number: joints.pin.at.2}\n"
                          "    d: {number: springs.band.to.at.0}\n"
                          "    e: {stiffness: knuckle}\n" ALL_GOALS);
  check_gradient(&p, p.o->start, 1e-3, 1e-7);
  close_problem(&p);
}

// Targets of servos, one of which is exact and holds its joint where it is.
static void gradients_by_targets_of_servos(void** state) {
  (void)state;
  problem p;
  open_problem(&p,
               "bodies:\n"
               "  a: {mass: 0.4, inertia: [1e-3, 1e-3, 1e-3]}\n"
               "  b: {mass: 0.4, inertia: [1e-3, 1e-3, 1e-3]}\n"
               "  c: {mass: 0.4, inertia: [1e-3, 1e-3, 1e-3]}\n"
               "joints:\n"
               "  a: {type: revolute, child: a, axis: y}\n"
               "  b: {type: revolute, parent: a, child: b, at: [0, 0, 0.3], axis: y, spring: "
               "{stiffness: 50}}\n"
               "  c: {type: revolute, parent: b, child: c, at: [0, 0, 0.3], axis: y}\n"
               "motors:\n"
               "  one: {joint: a, drive: servo, stiffness: 100, keys: [[0 s, 0.3], [1 s, 0.5]]}\n"
               "  two: {joint: c, drive: position, keys: [[0 s, 0.4], [1 s, 0.5]]}\n"
               "solver: {integrator: euler}\n"
               "markers: {end: {body: c, at: [0, 0, 0.2]}}\n"
               "fork: {arm: {effectors: [end]}}\n"
               "optimize:\n"
               "  parameters: {one: {motor: one}, two: {motor: two}, k: {stiffness: b}}\n"
               "  goals: {g: {effector: end, force: x, stiffness: 300}}\n");
  check_gradient(&p, p.o->start, 1e-3, 1e-7);
  close_problem(&p);
}

// Goals on a run beside it.
static void goals_on_runs_go_along(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "duration: 0.1 s\n" FINGER "optimize:\n"
                   "  parameters: {a: {stiffness: front}, c: {stiffness: knuckle}}\n"
                   "  goals:\n"
                   "    soft: {effector: pad, force: x, stiffness: 300}\n"
                   "    place: {point: tip, position: [0.06, 0, 0.1], weight: 100}\n");
  check_gradient(&p, p.o->start, 1e-3, 1e-7);
  assert_above(p.o->goal[0], 0);
  assert_above(p.o->goal[1], 0);
  close_problem(&p);
}

static void numbers_in_the_scene_do_the_same(void** state) {
  (void)state;
  problem p;
  open_problem(&p, FINGER "optimize:\n" ALL_NUMBERS ALL_GOALS);
  check_applied(&p);
  close_problem(&p);
}

// --- closed forms ---

// Four hinges of a parallelogram with bars of length L: K = (k1 + k2 + k3 + k4) / L^2, fork.md 3.1.
#define PARALLELOGRAM                                                                              \
  "gravity: [0, 0, 0]\nsolver: {integrator: bdf2}\n"                                               \
  "bodies:\n"                                                                                      \
  "  left: {mass: 1, inertia: [1, 1, 1]}\n  right: {mass: 1, inertia: [1, 1, 1]}\n"                \
  "  top: {mass: 1, inertia: [1, 1, 1]}\n"                                                         \
  "joints:\n"                                                                                      \
  "  a: {type: revolute, child: left, axis: y, spring: {stiffness: 1000}}\n"                       \
  "  b: {type: revolute, child: right, at: [1, 0, 0], axis: y, spring: {stiffness: 1000}}\n"       \
  "  c: {type: revolute, parent: left, child: top, at: [0, 0, 1], axis: y, spring: {stiffness: "   \
  "1000}}\n"                                                                                       \
  "  d: {type: revolute, loop: true, parent: right, child: top, at: [0, 0, 1], in_child: [1, 0, "  \
  "0], axis: y, spring: {stiffness: 1000}}\n"                                                      \
  "fork: {f: {effectors: [top]}}\n"

static void parallelogram_has_the_closed_form(void** state) {
  (void)state;
  problem p;
  double g[4];
  open_problem(&p, PARALLELOGRAM
               "optimize:\n"
               "  parameters: {a: {stiffness: a}, b: {stiffness: b}, c: {stiffness: c}, d: "
               "{stiffness: d}}\n"
               "  goals: {k: {effector: top, force: x, stiffness: 5000}}\n");
  const double x[4] = {1000, 1200, 700, 400}, off = log(3300. / 5000);
  assert_near(evaluate(&p, x, g), off * off, 1e-12);
  for (int i = 0; i < 4; i++) {
    assert_near(g[i], 2 * off / 3300, 1e-10 * fabs(2 * off / 3300));
  }
  close_problem(&p);
}

static void search(problem* p, double* x) {
  lb_error err = lb_error_make(NULL);
  const lb_optimize_options options = {0};
  double objective = NAN;
  memcpy(x, p->o->start, (size_t)p->o->nvalue * sizeof *x);
  if (lb_optimize_run(p->o, &options, x, &objective, &err) != LB_OK) {
    complain(&err);
  }
}

// Springs found again from stiffnesses by the closed form of a chain, C = sum of r r' / k.
static void springs_of_a_chain_are_found_again(void** state) {
  (void)state;
  problem p;
  double x[3], text[3];
  static const double k[3] = {100, 40, 25};
  static const double r[3][2] = {{0.3, -0.3}, {0.2, 0.1}, {-0.1, 0.2}}; // motions (x, z)
  char scene[2000];
  double C[3] = {0}; // xx, zz, along (x + z)
  for (int i = 0; i < 3; i++) {
    C[0] += r[i][0] * r[i][0] / k[i];
    C[1] += r[i][1] * r[i][1] / k[i];
    C[2] += (r[i][0] + r[i][1]) * (r[i][0] + r[i][1]) / 2 / k[i];
  }
  for (int i = 0; i < 3; i++) {
    text[i] = 1 / C[i];
  }
  // y x (dx, dz) = (dz, -dx): hinges at the end less (-r_z, r_x)
  snprintf(scene, sizeof scene,
           "gravity: [0, 0, 0]\nsolver: {integrator: bdf2}\n"
           "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: "
           "{mass: 1, inertia: [1, 1, 1]}}\n"
           "joints:\n"
           "  a: {type: revolute, child: a, axis: y, spring: {stiffness: 200}}\n"
           "  b: {type: revolute, parent: a, child: b, at: [0.4, 0, 0.1], axis: y, spring: "
           "{stiffness: 70}}\n"
           "  c: {type: revolute, parent: b, child: c, at: [0.1, 0, 0.3], axis: y, spring: "
           "{stiffness: 10}}\n"
           "markers: {end: {body: c, at: [-0.2, 0, -0.1]}}\n"
           "fork: {f: {effectors: [end]}}\n"
           "optimize:\n"
           "  tolerance: 1e-14\n"
           "  parameters: {a: {stiffness: a}, b: {stiffness: b}, c: {stiffness: c}}\n"
           "  goals:\n"
           "    x: {effector: end, force: x, stiffness: %.17g}\n"
           "    z: {effector: end, force: z, stiffness: %.17g}\n"
           "    both: {effector: end, force: [1, 0, 1], stiffness: %.17g}\n",
           text[0], text[1], text[2]);
  open_problem(&p, scene);
  search(&p, x);
  for (int i = 0; i < 3; i++) {
    assert_near(x[i], k[i], 1e-6 * k[i]);
  }
  close_problem(&p);
}

// Those of the finger, under its load, from principal stiffnesses and others.
static void springs_under_a_load_are_found_again(void** state) {
  (void)state;
  static const double k[4] = {2.2, 0.8, 5.5, 1.4};
  static const char* const goals = "  goals:\n"
                                   "    one: {effector: pad, stiffness: [%.17g, %.17g, %.17g], "
                                   "model: 2}\n"
                                   "    two: {effector: pad, turns: true, stiffness: [%.17g, "
                                   "%.17g, %.17g], model: 2}\n";
  static const char* const numbers =
      FINGER "optimize:\n"
             "  tolerance: 1e-14\n"
             "  iterations: 500\n"
             "  parameters: {a: {stiffness: front}, b: {stiffness: back pin}, c: {stiffness: "
             "knuckle}, d: {stiffness: ball}}\n";
  char text[4000];
  problem p;
  lb_error err = lb_error_make(NULL);
  int at = snprintf(text, sizeof text, "%s", numbers);
  snprintf(text + at, sizeof text - (size_t)at, goals, 1., 1., 1., 1., 1., 1.);
  open_problem(&p, text);
  lb_model* m = NULL;
  lb_fork* f = NULL;
  assert_int_equal(lb_optimization_apply(p.o, k, &p.scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&p.scene, NULL, &m, &err), LB_OK);
  assert_int_equal(lb_fork_create(m, &p.scene.fork[0], 1, NULL, &f, &err), LB_OK);
  const lb_fork_axes s = lb_fork_principal(f, 0, false), t = lb_fork_principal(f, 0, true);
  at = snprintf(text, sizeof text, "%s", numbers);
  snprintf(text + at, sizeof text - (size_t)at, goals, 1 / s.compliance[0], 1 / s.compliance[1],
           1 / s.compliance[2], 1 / t.compliance[0], 1 / t.compliance[1], 1 / t.compliance[2]);
  lb_fork_release(f);
  lb_model_release(m);
  close_problem(&p);
  double x[4];
  open_problem(&p, text);
  search(&p, x);
  for (int i = 0; i < 4; i++) {
    assert_near(x[i], k[i], 1e-6 * k[i]);
  }
  close_problem(&p);
}

static void memory_may_run_out_at_any_request(void** state) {
  (void)state;
  problem p;
  open_problem(&p, FINGER "optimize:\n"
                          "  parameters: {a: {stiffness: front}}\n"
                          "  goals: {soft: {effector: pad, force: x, stiffness: 300, model: 2}}\n");
  lb_status status = LB_NO_MEMORY;
  for (long n = 1; status != LB_OK; n++) {
    lb_counting c = {.refuse = n};
    const lb_allocator allocator = lb_counting_allocator(&c);
    lb_optimization* o = NULL;
    double value = 0, gradient = 0;
    status = lb_optimization_create(&p.scene, &allocator, &o, NULL);
    status =
        status == LB_OK ? lb_optimization_evaluate(o, o->start, &value, &gradient, NULL) : status;
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    lb_optimization_release(o);
    assert_int_equal(c.live, 0);
  }
  close_problem(&p);
}

// --- what is refused ---

static void check_refused(const char* text, const char* words, bool read) {
  lb_scene scene;
  lb_optimization* o = NULL;
  lb_error err = lb_error_make(NULL);
  const bool good = lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err) == LB_OK;
  assert_int_equal(good, read);
  if (good) {
    double value;
    lb_status status = lb_optimization_create(&scene, NULL, &o, &err);
    status = status == LB_OK ? lb_optimization_evaluate(o, o->start, &value, NULL, &err) : status;
    assert_int_not_equal(status, LB_OK);
    lb_optimization_release(o);
    lb_scene_release(&scene);
  }
  assert_above(err.count, 0);
  if (!strstr(err.message[0].text, words)) {
    fail_msg("'%s' is not in: %s", words, err.message[0].text);
  }
  assert_above(err.message[0].place.line, 0);
  lb_error_clear(&err);
}

#define ASK(goal)                                                                                  \
  PARALLELOGRAM "optimize:\n  parameters: {a: {stiffness: a}}\n  goals: {g: " goal "}\n"

static void goals_that_make_no_sense_are_refused(void** state) {
  (void)state;
  check_refused(ASK("{effector: tpo, force: x, stiffness: 1}"), "top", false);
  check_refused(ASK("{effector: top, force: x}"), "'stiffness' or 'aside' is missing", false);
  check_refused(ASK("{effector: top, stiffness: 5}"), "needs a direction", false);
  check_refused(ASK("{effector: top, stiffness: 5, force: x, moment: x}"), "cannot both", false);
  check_refused(ASK("{effector: top, stiffness: 5, force: x, aside: y}"), "cannot both", false);
  check_refused(ASK("{effector: top, aside: y}"), "needs a 'force'", false);
  check_refused(ASK("{effector: top, stiffness: -5, force: x}"), "stiffness", false);
  check_refused(ASK("{effector: top, stiffness: 5, force: x, model: 2}"), "has 1 of them", false);
  check_refused(ASK("{effector: top, stiffness: 5, force: x, time: 1}"), "no meaning", false);
  check_refused(ASK("{effector: top, stiffness: [1, 2, 3], force: x}"), "stiffness", false);
  check_refused(ASK("{effector: top, stiffness: 5, force: x, turns: true}"), "'turns'", false);
  check_refused(ASK("{joint: a, stiffness: 5, position: 0}"), "no meaning", false);
}

static void mechanisms_without_such_a_stiffness_are_refused(void** state) {
  (void)state;
  check_refused(ASK("{effector: top, force: y, stiffness: 5}"), "does not give way", true);
  check_refused(ASK("{effector: top, stiffness: [5, 5, 5]}"), "principal direction 2", true);
}

static void beside_other_things_it_is_refused(void** state) {
  (void)state;
  static const char start[] = "bodies:\n"
                              "  arm: {mass: 1, inertia: [1, 1, 1]}\n"
                              "  other: {mass: 1, inertia: [1, 1, 1]}\n"
                              "joints: {a: {type: revolute, child: arm, axis: y, spring: "
                              "{stiffness: 100}}, b: {type: revolute, child: other, axis: y, at: "
                              "[0, 1, 0]}}\n"
                              "solver: {integrator: bdf2%s}\n"
                              "markers: {end: {body: arm, at: [0, 0, 0.5]}}\n"
                              "fork: {f: {effectors: [end]}}\n"
                              "optimize:\n"
                              "  parameters: {a: {%s}}\n"
                              "  goals: {g: {effector: end, force: x, stiffness: 300}}\n";
  char text[sizeof start + 60];
  snprintf(text, sizeof text, start, "", "stiffness: a");
  check_refused(text, "something moves beside the mechanism", true);
  snprintf(text, sizeof text, start, ", coordinates: maximal", "stiffness: a");
  check_refused(text, "needs 'coordinates: reduced'", true);
  snprintf(text, sizeof text, start, "", "length: arm, along: z");
  check_refused(text, "'length'", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_are_those_of_differences),
      cmocka_unit_test(gradients_by_numbers_of_the_text),
      cmocka_unit_test(gradients_by_targets_of_servos),
      cmocka_unit_test(goals_on_runs_go_along),
      cmocka_unit_test(numbers_in_the_scene_do_the_same),
      cmocka_unit_test(parallelogram_has_the_closed_form),
      cmocka_unit_test(springs_of_a_chain_are_found_again),
      cmocka_unit_test(springs_under_a_load_are_found_again),
      cmocka_unit_test(memory_may_run_out_at_any_request),
      cmocka_unit_test(goals_that_make_no_sense_are_refused),
      cmocka_unit_test(mechanisms_without_such_a_stiffness_are_refused),
      cmocka_unit_test(beside_other_things_it_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
