// Ropes and deformables beside motors, loops, elastic bodies, in maximal coordinates, and what is
// refused.
#include "limber/derivative.h"
#include "particle_world.h"

// Worlds in which ropes and deformables meet what else there is.
static const char MOTOR[] =
    "limber: 1\n"
    "materials: {gel: {density: 500, young: 3e4, model: corotated, damping: {stiffness: 5 ms}}}\n"
    "bodies:\n"
    "  arm: {shape: {box: [0.4, 0.06, 0.06], position: [0.2, 0, 0]}, mass: 1}\n"
    "  hand: {shape: {box: [0.3, 0.06, 0.06], position: [0.15, 0, 0]}, mass: 0.5}\n"
    "joints:\n"
    "  shoulder: {type: revolute, child: arm, axis: y}\n"
    "  elbow: {type: revolute, parent: arm, at: [0.4, 0, 0], child: hand, axis: z, damping: 0.01}\n"
    "motors: {lead: {joint: shoulder, keys: [[0 s, 0 deg], [0.1 s, 12 deg]]}}\n"
    "ropes:\n"
    "  string: {through: [{at: [0.5, 0.3, 0.4]}, {body: arm, at: [0.3, 0, 0.03]},\n"
    "    {body: hand, at: [0.2, 0, 0.03]}], segments: 6, mass: 0.2, stiffness: 100 N, damping: 5 "
    "ms}\n"
    "deformables:\n"
    "  flesh:\n"
    "    form: {box: {from: [0.2, 0, 0], to: [0.6, 0, 0], width: 0.1, height: 0.1},\n"
    "      elements: {along: 6, across: 2, around: 2}, material: gel}\n"
    "    attach: [arm, hand]\n";

static const char LOOP[] =
    "limber: 1\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.02, 0.02, 0.5], position: [0, 0, 0.25]}}\n"
    "  coupler: {shape: {box: [1, 0.02, 0.02], position: [0.5, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.02, 0.02, 0.5], position: [0, 0, 0.25]}}\n"
    "joints:\n"
    "  j1: {type: revolute, child: crank, axis: y}\n"
    "  j2: {type: revolute, parent: crank, child: coupler, axis: y, at: [0, 0, 0.5]}\n"
    "  j3: {type: revolute, child: rocker, axis: y, at: [1, 0, 0]}\n"
    "  closing: {type: revolute, loop: true, parent: coupler, child: rocker, axis: y,\n"
    "            at: [1, 0, 0], in_child: [0, 0, 0.5]}\n"
    "initial: {j1: {velocity: 2 rad/s}, j2: {velocity: -2 rad/s}, j3: {velocity: 2 rad/s}}\n"
    "ropes:\n"
    "  string: {through: [{body: coupler, at: [0.2, 0, 0]}, {body: coupler, at: [0.8, 0, 0]},\n"
    "    {body: rocker, at: [0, 0, 0.1]}], segments: 9, mass: 0.2, stiffness: 40 N, slack: 0.98}\n";

static const char ELASTIC[] =
    "limber: 1\n"
    "materials: {rubber: {density: 1000, young: 2e6, damping: {stiffness: 2 ms}}}\n"
    "bodies:\n"
    "  rod: {elastic: {box: {to: [0.4, 0, 0], width: 0.04, height: 0.04},\n"
    "    elements: {along: 4, across: 1, around: 1}, basis: {modes: 0, derivatives: 0}, material: "
    "rubber}}\n"
    "  tip: {shape: {sphere: {radius: 3 cm}}}\n"
    "joints:\n"
    "  clamp: {type: fixed, child: rod, face: start}\n"
    "  glue: {type: fixed, parent: rod, face: end, child: tip}\n"
    "ropes:\n"
    "  string: {through: [{body: tip, at: [0, 0, -0.03]}, {free: true, at: [0.5, 0, -0.3]}],\n"
    "    segments: 5, mass: 0.05, stiffness: 30 N, damping: 1 ms}\n";

// Halving the step of an implicit method quarters its distance from what a finer one finds.
static void check_order(const char* text, lb_integrator integrator, lb_integrator fine, double h,
                        int steps, int order) {
  lb_model* m = compile(text);
  assert_above(m->particles.nfree, 0);
  lb_data* exact = data_of(m);
  run(m, exact, fine, h / 16, 16 * steps);
  double off[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    lb_data* d = data_of(m);
    run(m, d, integrator, h / (1 << i), steps << i);
    for (int j = 0; j < m->nq; j++) {
      off[i] = fmax(off[i], fabs(d->q[j] - exact->q[j]));
    }
    lb_data_release(d);
  }
  print_message("%s: off by %.2g and %.2g m\n", lb_integrator_name(integrator), off[0], off[1]);
  assert_above(off[0] / off[1], 0.75 * (1 << order));
  assert_below(off[0] / off[1], 1.5 * (1 << order));
  lb_data_release(exact);
  lb_model_release(m);
}

static void motors_prescribe_what_is_fastened(void** state) {
  (void)state;
  check_order(MOTOR, LB_INTEGRATOR_LINEAR_EULER, LB_INTEGRATOR_RK4, 1e-3, 100, 1);
  check_order(MOTOR, LB_INTEGRATOR_BDF2, LB_INTEGRATOR_RK4, 1e-3, 100, 2);
}

static void loops_close_beside_ropes(void** state) {
  (void)state;
  check_order(LOOP, LB_INTEGRATOR_BDF2, LB_INTEGRATOR_RK4, 1e-3, 100, 2);
  check_order(LOOP, LB_INTEGRATOR_SDIRK2, LB_INTEGRATOR_RK4, 1e-3, 100, 2);
}

static void ropes_hang_on_what_an_elastic_body_carries(void** state) {
  (void)state;
  check_order(ELASTIC, LB_INTEGRATOR_BDF2, LB_INTEGRATOR_SDIRK2, 1e-3, 100, 2);
}

// Every body by itself, every joint a constraint: nodes do the same.
static void maximal_coordinates_move_nodes_alike(void** state) {
  (void)state;
  char text[4000];
  const char* const how[] = {"reduced", "maximal"};
  double x[2][400];
  int count[2];
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof text, "%ssolver: {integrator: rk8, step: 1 ms, coordinates: %s}\n", LOOP,
             how[i]);
    lb_model* m = compile(text);
    lb_data* d = data_of(m);
    run(m, d, LB_INTEGRATOR_RK8, 1e-3, 100);
    count[i] = 3 * m->particles.nfree;
    memcpy(x[i], d->q + m->nq - count[i], (size_t)count[i] * sizeof(double));
    lb_data_release(d);
    lb_model_release(m);
  }
  assert_int_equal(count[0], count[1]);
  for (int k = 0; k < count[0]; k++) {
    assert_near(x[0][k], x[1][k], 1e-9);
  }
}

static void derivatives_are_refused(void** state) {
  (void)state;
  lb_model* m = compile(LOOP);
  lb_derivatives* D = NULL;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_derivatives_create(m, NULL, &D, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "ropes or deformables"));
  lb_error_clear(&err);
  lb_model_release(m);
}

// What only a compiled scene shows.
static void ropes_without_length_and_deformables_without_bodies_are_refused(void** state) {
  (void)state;
  static const struct {
    const char *text, *expected;
    int line;
  } bad[] = {{"limber: 1\nbodies: {a: {shape: {sphere: {radius: 0.1}}, position: [1, 0, 0]}}\n"
              "ropes:\n"
              "  point: {through: [{body: a}, {at: [1, 0, 0]}], mass: 1, stiffness: 10 N}\n",
              "rope 'point': two of its points are at the same place", 4},
             {"limber: 1\nmaterials: {gel: {young: 1e4}}\n"
              "bodies: {a: {shape: {sphere: {radius: 0.1}}, position: [0, 0, 3]}}\n"
              "deformables:\n"
              "  flesh: {form: {box: {to: [1, 0, 0], width: 0.1, height: 0.1}, material: gel,\n"
              "    elements: {along: 4, across: 1, around: 1}}, attach: [a]}\n",
              "deformable 'flesh' has no node inside body 'a'", 5}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    lb_scene scene;
    lb_model* m = NULL;
    lb_error err = lb_error_make(NULL);
    const char* text = bad[i].text;
    assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, NULL), LB_OK);
    assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_INVALID);
    assert_null(m);
    assert_non_null(strstr(err.message[0].text, bad[i].expected));
    assert_int_equal(err.message[0].place.line, bad[i].line);
    lb_error_clear(&err);
    lb_scene_release(&scene);
  }
}

static void running_out_of_memory_leaves_nothing_behind(void** state) {
  (void)state;
  lb_scene scene;
  assert_int_equal(lb_scene_parse(MOTOR, strlen(MOTOR), "test.yaml", NULL, &scene, NULL), LB_OK);
  lb_status status = LB_NO_MEMORY;
  for (long n = 1; status != LB_OK; n++) {
    lb_counting counting = {.refuse = n};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    lb_model* m = NULL;
    lb_data* d = NULL;
    lb_stepper* st = NULL;
    lb_error err = lb_error_make(&allocator);
    status = lb_model_create(&scene, &allocator, &m, &err);
    status = status == LB_OK ? lb_data_create(m, &allocator, &d, &err) : status;
    status = status == LB_OK ? lb_stepper_create(m, NULL, &allocator, &st, &err) : status;
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    lb_stepper_release(st);
    lb_data_release(d);
    lb_model_release(m);
    lb_error_clear(&err);
    assert_int_equal(counting.live, 0);
  }
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motors_prescribe_what_is_fastened),
      cmocka_unit_test(loops_close_beside_ropes),
      cmocka_unit_test(ropes_hang_on_what_an_elastic_body_carries),
      cmocka_unit_test(maximal_coordinates_move_nodes_alike),
      cmocka_unit_test(derivatives_are_refused),
      cmocka_unit_test(ropes_without_length_and_deformables_without_bodies_are_refused),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
