// Optimisations by the modulus of elastic bodies: gradients against differences of whole runs, and
// what numbers do in a scene.
#include "design/optimizing_schemes.h"
#include "limber/reduce.h"

// Two arms of one material, one on the other, with deformables of it as well, and a tip.
static const char arms[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s%s}\n"
    "materials:\n"
    "  rubber: {density: 1100, young: 200 kPa, poisson: 0.4,\n"
    "           damping: {mass: 0.1, stiffness: 1 ms}}\n"
    "  steel: {density: 7800, young: 20 MPa, poisson: 0.3, damping: {stiffness: 0.1 ms}}\n"
    "bodies:\n"
    "  base: {shape: {box: [0.1, 0.1, 0.1]}}\n"
    "  arm: {elastic: {rod: {radius: 1 cm, from: [0, 0, 0], to: [0.3, 0, 0]},\n"
    "                  material: rubber, accuracy: 0.2, basis: {modes: 2, derivatives: 1}}}\n"
    "  elbow: {shape: {box: [0.05, 0.05, 0.05]}}\n"
    "  blade: {elastic: {box: {from: [0, 0, 0], to: [0.2, 0, 0], width: 2 cm, height: 1 cm},\n"
    "                    material: steel, accuracy: 0.3, basis: {modes: 2, derivatives: 1}}}\n"
    "  fore: {elastic: {rod: {radius: 1 cm, from: [0, 0, 0], to: [0.2, 0, 0]},\n"
    "                   material: rubber, accuracy: 0.2, basis: {modes: 2, derivatives: 1}}}\n"
    "joints:\n"
    "  turn: {type: revolute, child: base, axis: z}\n"
    "  hold: {type: fixed, parent: base, child: arm, at: [0.05, 0, 0], child_face: start}\n"
    "  carry: {type: revolute, parent: arm, face: end, child: elbow, axis: y,\n"
    "          spring: {stiffness: 0.5}}\n"
    "  clamp: {type: fixed, parent: elbow, child: fore, at: [0.025, 0, 0], child_face: start}\n"
    "  stick: {type: fixed, parent: base, child: blade, at: [0, 0, 0.05], child_face: start}\n"
    "springs:\n"
    "  pull: {from: {body: blade, face: end}, to: {body: fore, face: end}, stiffness: 20,\n"
    "         length: 0.2}\n"
    "%s"
    "motors: {push: {joint: turn, drive: force, keys: [[0, 0.1]]}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    stiff: {young: rubber}\n"
    "    hard: {young: steel}\n"
    "    push: {motor: push}\n"
    "    spring: {stiffness: carry}\n"
    "  goals:\n"
    "    there: {point: elbow, at: [0.03, 0, 0], position: [0.4, 0.1, 0], weight: 1000}\n"
    "    calm: {point: elbow, velocity: [0, 0, 0], time: [20 ms, 60 ms], weight: 100}\n"
    "    turn: {joint: turn, position: 0, weight: 100}\n";

static const char deformable[] =
    "deformables:\n"
    "  lump:\n"
    "    form: {box: {from: [-0.1, 0, 0], to: [0.1, 0, 0], width: 0.1, height: 0.1},\n"
    "      elements: {along: 3, across: 1, around: 1}, material: rubber}\n"
    "    attach: [base]\n"
    "    within: 3 cm\n";

static void moduli_of_elastic_bodies(void** state) {
  (void)state;
  check_schemes(SCHEMES, arms, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, arms, true, "", 1e-3, 1e-7);
}

static void moduli_of_elastic_bodies_and_deformable(void** state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    char text[8000];
    problem p;
    snprintf(text, sizeof text, arms, schemes[i], ", step: 2 ms", deformable);
    open_problem(&p, text);
    check_both(&p, 5e-4, 1e-8);
    check_applied(&p);
    close_problem(&p);
  }
}

// An arm of rubber and steel with a tip, and a blade of steel alone. Its shapes stay those that it
// has with the scene's moduli.
static const char mixed[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s%s}\n"
    "materials:\n"
    "  rubber: {density: 1100, young: 2 MPa, poisson: 0.4,\n"
    "           damping: {mass: 0.1, stiffness: 1 ms}}\n"
    "  steel: {density: 7800, young: 20 MPa, poisson: 0.3, damping: {stiffness: 0.1 ms}}\n"
    "bodies:\n"
    "  base: {shape: {box: [0.1, 0.1, 0.1]}}\n"
    "  arm: {elastic: {rod: {radius: 2 cm, from: [0, 0, 0], to: [0.3, 0, 0]},\n"
    "                  parts: [{until: 10 cm, material: rubber}, {until: 20 cm, material: steel},\n"
    "                          {material: rubber}],\n"
    "                  elements: {along: 3, across: 1}, basis: {modes: 2, derivatives: 2}}}\n"
    "  tip: {shape: {box: [0.05, 0.05, 0.05]}}\n"
    "  blade: {elastic: {box: {from: [0, 0, 0], to: [0.2, 0, 0], width: 2 cm, height: 1 cm},\n"
    "                    material: steel, elements: {along: 3, across: 1},\n"
    "                    basis: {modes: 2, derivatives: 1}}}\n"
    "joints:\n"
    "  turn: {type: revolute, child: base, axis: y}\n"
    "  hold: {type: fixed, parent: base, child: arm, at: [0.05, 0, 0], child_face: start}\n"
    "  end: {type: fixed, parent: arm, face: end, child: tip}\n"
    "  stick: {type: fixed, parent: base, child: blade, at: [0, 0, 0.05], child_face: start}\n"
    "springs:\n"
    "  pull: {from: {body: blade, face: end}, to: {body: tip, at: [0, 0, 0.02]}, stiffness: 200,\n"
    "         length: 0.1}\n"
    "motors: {push: {joint: turn, drive: force, keys: [[0, 3]]}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    stiff: {young: rubber}\n"
    "    hard: {young: steel}\n"
    "    push: {motor: push}\n"
    "  goals:\n"
    "    there: {point: tip, at: [0.03, 0, 0], position: [0.4, 0.1, 0], weight: 1000}\n"
    "    calm: {point: tip, velocity: [0, 0, 0], time: [20 ms, 60 ms], weight: 100}\n"
    "%s";

static void moduli_of_bodies_of_several_materials(void** state) {
  (void)state;
  check_schemes(SCHEMES, mixed, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, mixed, true, "", 1e-3, 1e-7);
}

// With all nodes each region has its own, and shapes are not asked for.
static void moduli_of_several_materials_with_all_nodes(void** state) {
  (void)state;
  lb_test_needs_speed();
  for (int i = 0; i < SCHEMES; i++) {
    char text[8000];
    problem p;
    snprintf(text, sizeof text, mixed, schemes[i], ", step: 4 ms, elastic: full", "");
    open_problem(&p, text);
    check_both(&p, 1e-3, 1e-8);
    check_applied(&p);
    close_problem(&p);
  }
}

// The same with the arm and the blade from files of reduced bodies.
static void open_stored(problem* p, const char* by, const char* solver, lb_scene_elastic own[2],
                        const lb_reduction* r) {
  char text[8000];
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, mixed, by, solver, "");
  if (lb_scene_parse(text, strlen(text), "test.yaml", NULL, &p->scene, &err) != LB_OK) {
    complain(&err);
  }
  for (int i = 0; i < r->nbody; i++) {
    lb_scene_body* b = &p->scene.body[strcmp(r->body[i].name[0], "arm") == 0 ? 1 : 3];
    own[i] = *b->elastic;
    own[i].stored = r->body[i].stored;
    b->elastic = &own[i];
  }
  if (lb_scene_check(&p->scene, &err) != LB_OK ||
      lb_optimization_create(&p->scene, NULL, &p->o, &err) != LB_OK) {
    complain(&err);
  }
}

static lb_reduction* reduce_arm(void) {
  char text[8000];
  lb_scene scene;
  lb_reduction* r = NULL;
  lb_error err = lb_error_make(NULL);
  lb_reduce_options options = lb_reduce_default();
  options.modes = 5;
  snprintf(text, sizeof text, mixed, "bdf2", ", step: 4 ms", "");
  if (lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err) != LB_OK ||
      lb_reduce(&scene, &options, NULL, &r, &err) != LB_OK) {
    complain(&err);
  }
  lb_scene_release(&scene);
  assert_int_equal(r->nbody, 2);
  return r;
}

static void moduli_of_bodies_from_files(void** state) {
  (void)state;
  lb_reduction* r = reduce_arm();
  for (int i = 0; i < 2 * SCHEMES; i++) {
    problem p;
    lb_scene_elastic own[2];
    open_stored(&p, schemes[i / 2], i % 2 ? maximal : reduced, own, r);
    check_both(&p, 1e-3, i % 2 ? 1e-7 : 1e-8);
    check_applied(&p);
    close_problem(&p);
  }
  lb_reduction_release(r);
}

// A scene with the numbers written into it is a good one, has the shapes that the other had, and
// moves as it did in the search, to the last digit.
static void shapes_stay(void** state) {
  (void)state;
  lb_reduction* r = reduce_arm();
  for (int i = 0; i < 2; i++) {
    problem p, again;
    lb_scene_elastic own[2];
    lb_model *was = NULL, *is = NULL;
    lb_error err = lb_error_make(NULL);
    const double x[] = {3e6, 11e6, 2.5};
    char text[8000];
    if (i == 0) {
      snprintf(text, sizeof text, mixed, "bdf2", ", step: 4 ms", "");
      open_problem(&p, text);
    } else {
      open_stored(&p, "bdf2", ", step: 4 ms", own, r);
    }
    const double value = evaluate(&p, x, NULL);
    assert_int_equal(lb_model_create(&p.scene, NULL, &was, &err), LB_OK);
    assert_int_equal(lb_optimization_apply(p.o, x, &p.scene, &err), LB_OK);
    assert_int_equal(lb_scene_check(&p.scene, &err), LB_OK);
    assert_int_equal(lb_model_create(&p.scene, NULL, &is, &err), LB_OK);
    const lb_model_elastic *a = &was->elastic.body[0], *b = &is->elastic.body[0];
    assert_int_equal(a->r, b->r);
    assert_memory_equal(a->Phi, b->Phi, (size_t)(3 * a->r * a->surface.nvertex) * sizeof *a->Phi);
    assert_above(b->frequency[0], 0.8 * a->frequency[0]);
    assert_true(b->frequency[0] != a->frequency[0]);
    again.scene = p.scene;
    assert_int_equal(lb_optimization_create(&again.scene, NULL, &again.o, &err), LB_OK);
    // but for the blade, of one material, which is made anew where it is not from a file
    assert_near(evaluate(&again, again.o->start, NULL), value, i == 0 ? 1e-12 : 0);
    lb_optimization_release(again.o);
    lb_model_release(was);
    lb_model_release(is);
    close_problem(&p);
  }
  lb_reduction_release(r);
}

static void shapes_are_made_with_moduli_above_zero(void** state) {
  (void)state;
  char text[8000];
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  static const double none[] = {1e6, 0, 1e6};
  snprintf(text, sizeof text, mixed, "bdf2", "", "");
  assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err), LB_OK);
  lb_scene_elastic arm = *scene.body[1].elastic;
  arm.basis_young = none;
  scene.body[1].elastic = &arm;
  assert_int_equal(lb_scene_check(&scene, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "moduli that its shapes are made with"));
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

// Both moduli of an arm are found again from how its end moved with them.
static void moduli_are_found_from_a_motion(void** state) {
  (void)state;
  static const char goal[] =
      "    then: {point: tip, position: [%.17g, %.17g, %.17g], time: 36 ms, weight: 1e4}\n"
      "    last: {point: tip, position: [%.17g, %.17g, %.17g], weight: 1e4}\n";
  static const double truth[] = {2.6e6, 15e6, 3};
  char text[8000], more[400];
  lb_vec3 at[2];
  problem p;
  lb_error err = lb_error_make(NULL);
  lb_model* m = NULL;
  lb_recording* r = NULL;
  lb_summary summary;
  const lb_simulate_options options = lb_simulate_default();
  snprintf(text, sizeof text, mixed, "bdf2", ", step: 4 ms", "");
  open_problem(&p, text);
  assert_int_equal(lb_optimization_apply(p.o, truth, &p.scene, &err), LB_OK);
  p.scene.record.every = 12e-3;
  assert_int_equal(lb_model_create(&p.scene, NULL, &m, &err), LB_OK);
  assert_int_equal(lb_recording_create(m, 6, NULL, &r, &err), LB_OK);
  assert_int_equal(lb_simulate(m, &options, r, &summary, &err), LB_OK);
  at[0] = r->pose[3 * m->nbody + 2].p;
  at[1] = r->pose[5 * m->nbody + 2].p;
  lb_recording_release(r);
  lb_model_release(m);
  close_problem(&p);

  snprintf(more, sizeof more, goal, at[0].x, at[0].y, at[0].z, at[1].x, at[1].y, at[1].z);
  snprintf(text, sizeof text, mixed, "bdf2", ", step: 4 ms", more);
  char* other = strstr(text, "    there:"); // no other goals
  memmove(other, strstr(text, "    then:"), strlen(strstr(text, "    then:")) + 1);
  char* push = strstr(text, "    push: {motor");
  memmove(push, strstr(push, "  goals:"), strlen(strstr(push, "  goals:")) + 1);
  open_problem(&p, text);
  double x[2] = {p.o->start[0], p.o->start[1]}, value = 0;
  p.scene.optimize.tolerance = 1e-14;
  const lb_optimize_options search = {0};
  assert_int_equal(lb_optimize_run(p.o, &search, x, &value, &err), LB_OK);
  assert_near(x[0], truth[0], 1e-3);
  assert_near(x[1], truth[1], 1e-3);
  close_problem(&p);
}

// Where a loop has joints to close with, elastic bodies in it start as straight as in the scene
// that the numbers are written into.
static void loops_close_without_bending(void** state) {
  (void)state;
  problem p;
  open_problem(
      &p, "duration: 50 ms\n"
          "solver: {integrator: bdf2, step: 5 ms}\n"
          "materials: {soft: {density: 1100, young: 20 MPa, damping: {stiffness: 1 ms}}}\n"
          "bodies:\n"
          "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.1]}}}\n"
          "  coupler: {material: soft, elastic: {rod: {radius: 1 cm, to: [0.4, 0, 0.2]},\n"
          "    elements: {along: 5, across: 1}, basis: {modes: 2, derivatives: 2}}}\n"
          "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.3]}}}\n"
          "joints:\n"
          "  shaft: {type: revolute, child: crank, axis: y}\n"
          "  pin: {type: revolute, parent: crank, child: coupler, face: start, at: [0, 0, 0.1],\n"
          "    axis: y}\n"
          "  pivot: {type: revolute, child: rocker, at: [0.4, 0, 0], axis: y}\n"
          "  close: {type: revolute, loop: true, parent: coupler, child: rocker, face: end,\n"
          "    in_child: [0, 0, 0.3], axis: y}\n"
          "optimize:\n"
          "  parameters: {long: {length: rocker, along: z}, weight: {mass: rocker}}\n"
          "  goals: {g: {point: rocker, at: [0, 0, 0.3], position: [0.4, 0, 0.2], time: [0, 50 "
          "ms]}}\n");
  check_gradient(&p, p.o->start, 1e-3, 1e-7);
  check_applied(&p);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moduli_of_elastic_bodies),
      cmocka_unit_test(moduli_of_elastic_bodies_and_deformable),
      cmocka_unit_test(moduli_of_bodies_of_several_materials),
      cmocka_unit_test(moduli_of_several_materials_with_all_nodes),
      cmocka_unit_test(moduli_of_bodies_from_files),
      cmocka_unit_test(shapes_stay),
      cmocka_unit_test(shapes_are_made_with_moduli_above_zero),
      cmocka_unit_test(moduli_are_found_from_a_motion),
      cmocka_unit_test(loops_close_without_bending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
