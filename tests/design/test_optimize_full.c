// Optimisations with all nodes of elastic bodies: gradients against differences of whole runs, what
// numbers do in a scene, and known solutions.
#include "design/optimizing.h"

static const char* const SCHEMES[] = {"bdf1", "bdf2", "sdirk2"};

#define WORLD                                                                                      \
  "duration: 20 ms\n"                                                                              \
  "solver: {integrator: %s, step: 2 ms, elastic: full%s}\n"                                        \
  "materials:\n"                                                                                   \
  "  rubber: {density: 1000, young: 0.5 MPa, poisson: 0.4,\n"                                      \
  "           damping: {mass: 0.3, stiffness: 2 ms}}\n"                                            \
  "bodies:\n"                                                                                      \
  "  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}, mass: 0.1}\n"                                         \
  "  bar: {elastic: {box: {width: 1 cm, height: 1.5 cm, from: [0, 0, 0], to: [10 cm, 0, 0]},\n"    \
  "    material: rubber, elements: {along: 3, across: 1, around: 1}, order: 1,\n"                  \
  "    basis: {modes: 2, derivatives: 0}}}\n"                                                      \
  "  flap: {shape: {box: [4 cm, 1 cm, 2 cm], position: [2 cm, 0, 1 cm]}, mass: 20 g}\n"            \
  "  tip: {shape: {box: [2 cm, 1 cm, 1 cm], position: [1 cm, 0, 0]}, mass: 5 g}\n"

static const char TREE[] = WORLD
    "joints:\n"
    "  root: {type: revolute, axis: y, child: hub}\n"
    "  clamp: {type: fixed, parent: hub, child: bar, child_face: start, at: [2 cm, 0, 0]}\n"
    "  wrist: {type: revolute, parent: bar, face: end, child: flap, axis: z}\n"
    "  knuckle: {type: revolute, parent: flap, child: tip, at: [4 cm, 0, 1 cm], axis: y,\n"
    "    spring: {stiffness: 0.02}, damping: 3e-3}\n"
    "initial: {root: {velocity: 2 rad/s}}\n"
    "motors:\n"
    "  turn: {joint: wrist, keys: [[0, 0.1 rad], [10 ms, 0.15 rad], [20 ms, 0.1 rad]]}\n"
    "  push: {joint: knuckle, drive: force, keys: [[0, 0], [20 ms, 0.02]]}\n"
    "springs:\n"
    "  pull: {stiffness: 20, damping: 0.1, length: 5 cm, from: {at: [0.2, 0.1, 0]},\n"
    "    to: {body: tip, at: [1 cm, 0, 0]}}\n"
    "  prop: {stiffness: 30, length: 5 cm, from: {at: [0, 0, 0.1]}, to: {body: bar, face: end}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    stiff: {young: rubber}\n"
    "    turn: {motor: turn}\n"
    "    push: {motor: push}\n"
    "    heavy: {mass: flap}\n"
    "    hub: {mass: hub}\n"
    "    long: {length: flap, along: [1, 0, 0]}\n"
    "    pull: {stiffness: pull}\n"
    "    prop: {stiffness: prop}\n"
    "    slack: {rest: pull}\n"
    "    knuckle: {stiffness: knuckle}\n"
    "    loss: {damping: knuckle}\n"
    "    root: {position: root}\n"
    "    spin: {velocity: root}\n"
    "  goals:\n"
    "    there: {point: tip, at: [1 cm, 0, 0], position: [0.15, 0.01, 0], weight: 1000}\n"
    "    calm: {point: flap, velocity: [0, 0, 0], time: [10 ms, 20 ms], weight: 100}\n"
    "    bent: {point: hub, at: [2 cm, 0, 0], position: [0, 0, 0], weight: 10}\n"
    "    turned: {joint: knuckle, position: 0.1}\n"
    "    effort: {motor: turn, weight: 1e3}\n";

// A four-bar whose coupler bends; the joint that closes it is driven and sprung.
static const char LINKAGE[] =
    "duration: 20 ms\n"
    "solver: {integrator: %s, step: 2 ms, elastic: full%s}\n"
    "materials: {rubber: {density: 1000, young: 2 MPa, poisson: 0.4, damping: {stiffness: 1 ms}}}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.02, 0.02, 0.1], position: [0, 0, 0.05]}, mass: 0.1}\n"
    "  coupler: {elastic: {box: {width: 1 cm, height: 1.5 cm, from: [0, 0, 0], to: [20 cm, 0, "
    "0]},\n"
    "    material: rubber, elements: {along: 4, across: 1, around: 1}, order: 1,\n"
    "    basis: {modes: 2, derivatives: 0}}}\n"
    "  end: {shape: {box: [0.02, 0.02, 0.02]}, mass: 20 g}\n"
    "  rocker: {shape: {box: [0.02, 0.02, 0.1], position: [0, 0, 0.05]}, mass: 0.1}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y, damping: 0.01}\n"
    "  b: {type: revolute, parent: crank, child: coupler, child_face: start, axis: y,\n"
    "    at: [0, 0, 0.1]}\n"
    "  glue: {type: fixed, parent: coupler, face: end, child: end}\n"
    "  c: {type: revolute, child: rocker, axis: y, at: [0.2, 0, 0]}\n"
    "  d: {type: revolute, loop: true, parent: end, child: rocker, axis: y, in_child: [0, 0, "
    "0.1],\n"
    "    spring: {stiffness: 0.1}}\n"
    "initial: {a: {position: 0.2 rad, velocity: 3 rad/s}}\n"
    "motors:\n"
    "  push: {joint: d, drive: force, keys: [[0, 0.01], [20 ms, 0.02]]}\n"
    "optimize:\n"
    "  parameters:\n"
    "    start: {position: a}\n"
    "    speed: {velocity: a}\n"
    "    stiff: {young: rubber}\n"
    "    heavy: {mass: rocker}\n"
    "    end: {mass: end}\n"
    "    push: {motor: push}\n"
    "    loss: {damping: a}\n"
    "    spring: {stiffness: d}\n"
    "  goals:\n"
    "    there: {point: end, position: [0.25, 0, 0.1], weight: 100}\n"
    "    turned: {joint: d, position: 0.1, weight: 10}\n"
    "    calm: {joint: c, velocity: 0}\n";

static void check_text(const char* text, const char* more, double tolerance) {
  for (int i = 0; i < 3; i++) {
    char whole[8000];
    problem p;
    snprintf(whole, sizeof whole, text, SCHEMES[i], more);
    open_problem(&p, whole);
    check_gradient(&p, p.o->start, 1e-3, tolerance);
    check_applied(&p);
    close_problem(&p);
  }
}

static void trees(void** state) {
  (void)state;
  check_text(TREE, "", 1e-8);
}

static void linkages(void** state) {
  (void)state;
  check_text(LINKAGE, "", 1e-8);
}

static void maximal_coordinates(void** state) {
  (void)state;
  check_text(TREE, ", coordinates: maximal", 1e-7);
  check_text(LINKAGE, ", coordinates: maximal", 1e-7);
}

// --- known solutions ---

// A bar that is let go bends in 60 ms as far as one of another modulus did: which, is found.
static const char BEAM[] =
    "duration: 60 ms\n"
    "solver: {integrator: bdf2, step: 3 ms, elastic: full}\n"
    "materials: {rubber: {density: 1000, young: %g, poisson: 0.4, damping: {stiffness: 2 ms}}}\n"
    "bodies:\n"
    "  bar: {elastic: {box: {width: 1 cm, height: 1.5 cm, from: [0, 0, 0], to: [15 cm, 0, 0]},\n"
    "    material: rubber, elements: {along: 4, across: 1, around: 1}, order: 2,\n"
    "    basis: {modes: 2, derivatives: 0}}}\n"
    "  tip: {shape: {box: [1 cm, 1 cm, 1 cm]}, mass: 5 g}\n"
    "joints:\n"
    "  clamp: {type: fixed, child: bar, child_face: start}\n"
    "  glue: {type: fixed, parent: bar, face: end, child: tip}\n"
    "optimize:\n"
    "  parameters: {stiff: {young: rubber}}\n"
    "  goals: {sag: {point: tip, position: [%.17g, %.17g, %.17g], weight: 1e4}}\n";

static lb_vec3 where_tip_ends(double young) {
  char text[4000];
  snprintf(text, sizeof text, BEAM, young, 0., 0., 0.);
  lb_scene scene;
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  assert_int_equal(lb_scene_parse(text, strlen(text), "beam.yaml", NULL, &scene, NULL), LB_OK);
  scene.solver.tolerance = 1e-11;
  scene.solver.newton = LB_NEWTON_EXACT;
  assert_int_equal(lb_model_create(&scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(lb_model_simulated(m), NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(lb_model_simulated(m), NULL, NULL, &st, NULL), LB_OK);
  for (int i = 0; i < 20; i++) {
    assert_int_equal(lb_stepper_step(st, d, 3e-3, NULL), LB_OK);
  }
  lb_poses(lb_model_simulated(m), d);
  const lb_vec3 at = d->pose[lb_model_body(m, "tip")].p;
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  lb_scene_release(&scene);
  return at;
}

static double search(problem* p, double* x) {
  lb_error err = lb_error_make(NULL);
  double value = NAN;
  const lb_optimize_options options = {0};
  memcpy(x, p->o->start, (size_t)p->o->nvalue * sizeof *x);
  if (lb_optimize_run(p->o, &options, x, &value, &err) != LB_OK) {
    complain(&err);
  }
  return value;
}

static void a_modulus_is_found_again(void** state) {
  (void)state;
  const lb_vec3 at = where_tip_ends(1.3e6);
  char text[4000];
  double x[MOST];
  problem p;
  snprintf(text, sizeof text, BEAM, 0.8e6, at.x, at.y, at.z);
  open_problem(&p, text);
  const double value = search(&p, x);
  print_message("modulus off by %.2g of it, objective %.2g\n", x[0] / 1.3e6 - 1, value);
  assert_near(x[0] / 1.3e6, 1, 1e-6);
  close_problem(&p);
}

// A motor turns a bar with a load on its end so that the load arrives, and rests there.
static const char CARRY[] =
    "duration: 0.4 s\n"
    "solver: {integrator: bdf2, step: 10 ms, elastic: full}\n"
    "gravity: [0, 0, 0]\n"
    "materials: {rubber: {density: 1000, young: 1 MPa, poisson: 0.4, damping: {stiffness: 5 ms}}}\n"
    "bodies:\n"
    "  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}, mass: 0.1}\n"
    "  bar: {elastic: {box: {width: 1 cm, height: 1.5 cm, from: [0, 0, 0], to: [15 cm, 0, 0]},\n"
    "    material: rubber, elements: {along: 3, across: 1, around: 1}, order: 1,\n"
    "    basis: {modes: 2, derivatives: 0}}}\n"
    "  load: {shape: {box: [1 cm, 1 cm, 1 cm]}, mass: 20 g}\n"
    "joints:\n"
    "  turn: {type: revolute, child: hub, axis: z}\n"
    "  clamp: {type: fixed, parent: hub, child: bar, at: [2 cm, 0, 0], child_face: start}\n"
    "  glue: {type: fixed, parent: bar, face: end, child: load}\n"
    "motors: {turn: {joint: turn, drive: force, keys: [[0, 0], [0.4 s, 0]]}}\n"
    "optimize:\n"
    "  parameters: {turn: {motor: turn, knots: 9}}\n"
    "  goals:\n"
    "    there: {point: load, position: [0, 0.17, 0], weight: 1e3}\n"
    "    still: {point: load, velocity: [0, 0, 0], weight: 10}\n"
    "    effort: {motor: turn, weight: 1e-4}\n";

static void a_load_on_a_bar_arrives_and_rests(void** state) {
  (void)state;
  problem p;
  double x[MOST];
  open_problem(&p, CARRY);
  const double value = search(&p, x);
  evaluate(&p, x, NULL);
  print_message("objective %.2g: off by %.2g m, at %.2g m/s\n", value, sqrt(p.o->goal[0] / 1e3),
                sqrt(p.o->goal[1] / 10));
  assert_below(sqrt(p.o->goal[0] / 1e3), 1e-4);
  assert_below(sqrt(p.o->goal[1] / 10), 1e-3);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees),
      cmocka_unit_test(linkages),
      cmocka_unit_test(maximal_coordinates),
      cmocka_unit_test(a_modulus_is_found_again),
      cmocka_unit_test(a_load_on_a_bar_arrives_and_rests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
