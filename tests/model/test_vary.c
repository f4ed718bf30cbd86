// model: a variation is what the scene would have made with other numbers.
#include "counting.h"
#include "elastic/reduced/reduced.h"
#include "limber/simulate.h"
#include "model/use/link.h"
#include "solve/implicit/implicit.h"
#include "test.h"

// Two rods alike on a motor, which share one reduced body; the second is fixed on a ball that the
// first carries. Young's modulus, both dampings and the ball's mass are left open.
static const char* const TEXT =
    "materials:\n"
    "  steel: {density: 7850, young: %.17g, damping: {mass: %.17g, stiffness: %.17g}}\n"
    "bodies:\n"
    "  hub: {shape: {box: [0.05, 0.05, 0.05]}}\n"
    "  lower: {elastic: {rod: {radius: 0.003, to: [0, 0, 0.3]}, material: steel, elements: {along: "
    "4, across: 1}, basis: {modes: 2, derivatives: 2}}}\n"
    "  ball: {shape: {sphere: {radius: 0.02}}, mass: %.17g}\n"
    "  cap: {shape: {sphere: {radius: 0.01}}, mass: 0.01}\n"
    "  upper: {elastic: {rod: {radius: 0.003, to: [0, 0, 0.3]}, material: steel, elements: {along: "
    "4, across: 1}, basis: {modes: 2, derivatives: 2}}}\n"
    "  tip: {shape: {sphere: {radius: 0.02}}}\n"
    "joints:\n"
    "  motor: {type: revolute, child: hub, axis: y}\n"
    "  clamp: {type: fixed, parent: hub, child: lower, face: start}\n"
    "  middle: {type: fixed, parent: lower, face: end, child: ball}\n"
    "  glue: {type: fixed, parent: ball, child: cap, at: [0.02, 0, 0]}\n"
    "  next: {type: fixed, parent: ball, child: upper, face: start}\n"
    "  top: {type: fixed, parent: upper, face: end, child: tip}\n"
    "motors:\n"
    "  turn: {joint: motor, keys: [[0, 0], [0.2, 0.3]]}\n"
    "duration: 0.3\n"
    "solver: {step: 1 ms}\n";

typedef struct numbers {
  double young, damping_mass, damping_stiffness, ball;
} numbers;

static const numbers FIRST = {2e11, 0.1, 1e-4, 0.1}, SECOND = {1.3e11, 0.7, 4e-4, 0.2};

static lb_model* model_of(numbers n) {
  char text[4000];
  snprintf(text, sizeof text, TEXT, n.young, n.damping_mass, n.damping_stiffness, n.ball);
  lb_scene scene;
  lb_model* model = NULL;
  lb_error err = lb_error_make(NULL);
  lb_status status = lb_scene_parse(text, strlen(text), "v.yaml", NULL, &scene, &err);
  if (status == LB_OK) {
    status = lb_model_create(&scene, NULL, &model, &err);
    lb_scene_release(&scene);
  }
  for (int i = 0; i < err.count; i++) {
    print_error("%s\n", err.message[i].text);
  }
  assert_int_equal(status, LB_OK);
  lb_error_clear(&err);
  return model;
}

static int steel(const lb_model* m) {
  for (int i = 0; i < m->look.nmaterial; i++) {
    if (strcmp(m->look.material[i].name, "steel") == 0) {
      return i;
    }
  }
  fail();
  return -1;
}

static lb_status vary(const lb_model* from, numbers n, const lb_allocator* allocator,
                      lb_model** to) {
  const lb_material_change material = {steel(from), n.young, n.damping_mass, n.damping_stiffness};
  const lb_mass_change mass = {lb_model_body(from, "ball"), n.ball / FIRST.ball};
  const lb_variation v = {1, 1, &material, &mass};
  return lb_model_vary(from, &v, allocator, to, NULL);
}

static lb_recording* run(const lb_model* m) {
  lb_recording* r = NULL;
  lb_summary s;
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &o, r, &s, NULL), LB_OK);
  return r;
}

// Where the tip goes, with Newton's method taken to the last digits: how many corrections a step
// takes may turn on rounding, and would be seen otherwise.
enum { STEPS = 300 };
static void tip_path(const lb_model* m, lb_vec3* path) {
  lb_data* d;
  lb_stepper* st;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  ((lb_implicit*)st->own)->newton.tolerance = 1e-12;
  for (int i = 0; i < STEPS; i++) {
    assert_int_equal(lb_stepper_step(st, d, 1e-3, NULL), LB_OK);
    lb_poses(m, d);
    path[i] = d->pose[lb_model_body(m, "tip")].p;
  }
  assert_int_equal(lb_stepper_count(st), STEPS);
  lb_stepper_release(st);
  lb_data_release(d);
}

static void a_varied_model_moves_as_one_made_with_those_numbers(void** state) {
  (void)state;
  static lb_vec3 want[STEPS], got[STEPS];
  lb_model *first = model_of(FIRST), *second = model_of(SECOND), *varied = NULL;
  assert_int_equal(vary(first, SECOND, NULL, &varied), LB_OK);
  tip_path(second, want);
  tip_path(varied, got);
  double most = 0;
  for (int i = 0; i < STEPS; i++) {
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(want[i], got[i])));
  }
  // Both have the same shapes and points, whatever the modulus; what is left is rounding.
  print_message("apart by %.2g m\n", most);
  assert_below(most, 1e-12);
  for (int k = 0; k < second->elastic.body[0].r; k++) {
    assert_near(varied->elastic.body[0].frequency[k] / second->elastic.body[0].frequency[k], 1,
                1e-6);
  }
  assert_near(varied->body.mass[lb_model_body(first, "ball")].mass, SECOND.ball, 1e-14);
  lb_model_release(varied);
  lb_model_release(second);
  lb_model_release(first);
}

static void a_variation_leaves_the_first_model_as_it_was(void** state) {
  (void)state;
  lb_model *first = model_of(FIRST), *varied = NULL;
  lb_recording* before = run(first);
  assert_int_equal(vary(first, SECOND, NULL, &varied), LB_OK);
  lb_recording* after = run(first);
  assert_memory_equal(before->q, after->q,
                      (size_t)before->nframe * (size_t)first->nq * sizeof *before->q);
  lb_recording_release(before);
  lb_recording_release(after);
  lb_model_release(varied);
  lb_model_release(first);
}

// NAN and factors of one change nothing, to the last bit.
static void what_is_not_named_stays(void** state) {
  (void)state;
  lb_model *first = model_of(FIRST), *same = NULL;
  const lb_material_change material = {steel(first), NAN, NAN, NAN};
  const lb_variation v = {.nmaterial = 1, .material = &material};
  assert_int_equal(lb_model_vary(first, &v, NULL, &same, NULL), LB_OK);
  lb_recording *a = run(first), *b = run(same);
  assert_memory_equal(a->q, b->q, (size_t)a->nframe * (size_t)first->nq * sizeof *a->q);
  lb_recording_release(a);
  lb_recording_release(b);
  lb_model_release(same);
  lb_model_release(first);
}

// An elastic body that weighs twice as much and is twice as stiff keeps its frequencies; bodies
// that shared what they are made of part when only one of them is changed.
static void a_heavier_twin_parts_from_the_other(void** state) {
  (void)state;
  lb_model *first = model_of(FIRST), *varied = NULL;
  const int lower = lb_model_body(first, "lower"), upper = lb_model_body(first, "upper");
  const lb_mass_change mass = {lower, 2};
  const lb_variation v = {.nmass = 1, .mass = &mass};
  assert_ptr_equal(first->link.packed[first->body.link[lower]].reduced,
                   first->link.packed[first->body.link[upper]].reduced);
  assert_int_equal(lb_model_vary(first, &v, NULL, &varied, NULL), LB_OK);
  const lb_reduced* a = varied->link.packed[varied->body.link[lower]].reduced;
  const lb_reduced* b = varied->link.packed[varied->body.link[upper]].reduced;
  assert_near(a->m, 2 * b->m, 1e-15);
  assert_near(a->M[0], 2 * b->M[0], 1e-15);
  assert_near(a->B1[0].x[0], 2 * b->B1[0].x[0], 1e-15);
  assert_near(varied->elastic.body[0].frequency[0] * sqrt(2), varied->elastic.body[1].frequency[0],
              1e-12);
  lb_model_release(varied);
  lb_model_release(first);
}

// Half steel, half brass: the shapes would change.
static void one_of_several_materials_of_a_body_cannot_be_varied(void** state) {
  (void)state;
  static const char* const text =
      "bodies:\n"
      "  rod: {elastic: {rod: {radius: 4 mm, to: [0, 0, 0.3]}, parts: [{until: 0.1, material: "
      "steel}, "
      "{material: brass}], elements: {along: 4, across: 1}, basis: {modes: 1, derivatives: 1}}}\n"
      "joints:\n"
      "  clamp: {type: fixed, child: rod, face: start}\n";
  lb_scene scene;
  lb_model *model = NULL, *varied = NULL;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(text, strlen(text), "v.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &model, &err), LB_OK);
  const lb_material_change change = {steel(model), 1e11, NAN, NAN};
  const lb_variation v = {.nmaterial = 1, .material = &change};
  assert_int_equal(lb_model_vary(model, &v, NULL, &varied, &err), LB_INVALID);
  assert_string_equal(err.message[0].text,
                      "material 'steel' is one of several of body 'rod', and cannot be varied");
  assert_null(varied);
  lb_error_clear(&err);
  lb_model_release(model);
  lb_scene_release(&scene);
}

// Deformables between two bodies and a rope; both numbers of the material and a mass are left open.
static lb_model* deformable_world(double young, double damping, double drag, double mass) {
  static const char* const text =
      "materials:\n"
      "  gel: {density: 500, young: %.17g, model: corotated,\n"
      "    damping: {mass: %.17g, stiffness: %.17g}}\n"
      "bodies:\n"
      "  arm: {shape: {box: [0.4, 0.06, 0.06], position: [0.2, 0, 0]}, mass: 1}\n"
      "  tip: {shape: {box: [0.3, 0.06, 0.06], position: [0.15, 0, 0]}, mass: %.17g}\n"
      "joints:\n"
      "  shoulder: {type: revolute, child: arm, axis: y}\n"
      "  elbow: {type: spherical, parent: arm, at: [0.4, 0, 0], child: tip}\n"
      "ropes:\n"
      "  string: {through: [{at: [0.5, 0.3, 0.4]}, {body: tip, at: [0.2, 0, 0.03]}], mass: 0.1,\n"
      "    segments: 5, stiffness: 50 N}\n"
      "deformables:\n"
      "  flesh:\n"
      "    form: {box: {from: [0.2, 0, 0], to: [0.6, 0, 0], width: 0.1, height: 0.1},\n"
      "      elements: {along: 4, across: 2, around: 2}, material: gel}\n"
      "    attach: [arm, tip]\n";
  char made[2000];
  lb_scene scene;
  lb_model* model = NULL;
  lb_error err = lb_error_make(NULL);
  snprintf(made, sizeof made, text, young, drag, damping, mass);
  assert_int_equal(lb_scene_parse(made, strlen(made), "v.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &model, &err), LB_OK);
  lb_scene_release(&scene);
  return model;
}

static void deformable_is_varied_with_its_material_and_beside_masses(void** state) {
  (void)state;
  static lb_vec3 want[STEPS], got[STEPS];
  lb_model *first = deformable_world(3e4, 2e-3, 0.2, 0.5),
           *second = deformable_world(5e4, 5e-3, 0.7, 0.8);
  lb_model* varied = NULL;
  const int gel = first->particles.deformable[0].material;
  const lb_material_change material = {gel, 5e4, 0.7, 5e-3};
  const lb_mass_change mass = {lb_model_body(first, "tip"), 0.8 / 0.5};
  const lb_variation v = {1, 1, &material, &mass};
  assert_int_equal(lb_model_vary(first, &v, NULL, &varied, NULL), LB_OK);
  tip_path(second, want);
  tip_path(varied, got);
  double most = 0;
  for (int i = 0; i < STEPS; i++) {
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(want[i], got[i])));
  }
  print_message("apart by %.2g m\n", most);
  assert_below(most, 1e-9);
  lb_model_release(varied);
  // what has no damping cannot get some
  lb_model* bare = deformable_world(3e4, 0, 0, 0.5);
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_model_vary(bare, &v, NULL, &varied, &err), LB_INVALID);
  assert_string_equal(
      err.message[0].text,
      "damping of material 'gel' cannot be varied: deformable 'flesh' has none of it");
  lb_error_clear(&err);
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    lb_counting counting = {.refuse = refuse};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    status = lb_model_vary(first, &v, &allocator, &varied, NULL);
    if (status == LB_OK) {
      lb_model_release(varied);
    }
    assert_int_equal(counting.live, 0);
  }
  lb_model_release(bare);
  lb_model_release(second);
  lb_model_release(first);
}

static void without_memory_there_is_no_variation_and_no_leak(void** state) {
  (void)state;
  lb_model* first = model_of(FIRST);
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    lb_counting counting = {.refuse = refuse};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    lb_model* varied = NULL;
    status = vary(first, SECOND, &allocator, &varied);
    if (status == LB_OK) {
      lb_model_release(varied);
    } else {
      assert_null(varied);
    }
    assert_int_equal(counting.live, 0);
  }
  lb_model_release(first);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_varied_model_moves_as_one_made_with_those_numbers),
      cmocka_unit_test(a_variation_leaves_the_first_model_as_it_was),
      cmocka_unit_test(what_is_not_named_stays),
      cmocka_unit_test(a_heavier_twin_parts_from_the_other),
      cmocka_unit_test(one_of_several_materials_of_a_body_cannot_be_varied),
      cmocka_unit_test(deformable_is_varied_with_its_material_and_beside_masses),
      cmocka_unit_test(without_memory_there_is_no_variation_and_no_leak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
