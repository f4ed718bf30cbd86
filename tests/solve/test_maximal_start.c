// Scenes taken apart (`coordinates: maximal`), where it once showed: floors that nothing touches,
// and joints in any order.
#include <math.h>

#include "compile.h"

typedef struct result {
  int steps;
  lb_vec3 place[8]; // of the bodies
} result;

static result play(const char* text, int steps, double h) {
  result r = {0};
  lb_model* m = compile(text);
  lb_data* d;
  lb_stepper* st;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_data_create(m, NULL, &d, &err), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, &err), LB_OK);
  assert_int_equal(lb_assemble(m, d, &err), LB_OK);
  for (int i = 0; i < steps; i++) {
    assert_int_equal(lb_stepper_step(st, d, h, &err), LB_OK);
  }
  lb_poses(m, d);
  for (int i = 0; i < m->nbody; i++) {
    r.place[i] = d->pose[i].p;
  }
  r.steps = (int)lb_stepper_count(st);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  lb_error_clear(&err);
  return r;
}

static double apart(const result* a, const result* b, int bodies) {
  double most = 0;
  for (int i = 0; i < bodies; i++) {
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(a->place[i], b->place[i])));
  }
  return most;
}

// Inactive constraints do not affect those that hold, however indefinite forces make the matrix.
static void a_floor_far_below_changes_nothing(void** state) {
  (void)state;
  static const char chain[] =
      "solver: {integrator: bdf2, step: 5 ms, coordinates: maximal, newton: exact}\n"
      "bodies:\n"
      "  a: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.2, 0, 0]}}, mass: 0.5}\n"
      "  b: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.2, 0, 0]}}, mass: 0.5}\n"
      "  c: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.2, 0, 0]}}, mass: 0.5}\n"
      "  d: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.2, 0, 0]}}, mass: 0.5}\n"
      "joints:\n"
      "  ja: {type: revolute, child: a, axis: y}\n"
      "  jb: {type: revolute, parent: a, child: b, axis: y, at: [0.2, 0, 0]}\n"
      "  jc: {type: revolute, parent: b, child: c, axis: y, at: [0.2, 0, 0]}\n"
      "  jd: {type: revolute, parent: c, child: d, axis: y, at: [0.2, 0, 0]}\n"
      "initial: {ja: {velocity: 10}, jd: {position: 1, velocity: 8}}\n";
  char with[2000];
  snprintf(with, sizeof with, "%sconstraints: {f: {floor: {body: a, height: -50}}}\n", chain);
  const result plain = play(chain, 60, 5e-3), floor = play(with, 60, 5e-3);
  print_message("%d and %d steps, %.2g m apart\n", plain.steps, floor.steps,
                apart(&plain, &floor, 4));
  assert_int_equal(plain.steps, 60);
  assert_int_equal(floor.steps, 60);
  assert_below(apart(&plain, &floor, 4), 1e-7);
}

// An elastic body is seen from the face that carries it, wherever the joint that does so is listed.
static void joints_of_an_elastic_body_come_in_any_order(void** state) {
  (void)state;
  static const char world[] =
      "solver: {integrator: bdf2, step: 1 ms, coordinates: %s}\n"
      "materials: {rubber: {density: 1100, young: 20 MPa, poisson: 0.4, damping: {stiffness: 2 "
      "ms}}}\n"
      "bodies:\n"
      "  tip: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 0.5}\n"
      "  beam:\n"
      "    elastic:\n"
      "      box: {from: [0, 0, 0], to: [0.3, 0, 0], width: 2 cm, height: 1 cm}\n"
      "      material: rubber\n"
      "      elements: {along: 6, across: 1, around: 1}\n"
      "  base: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.3, 0, 0]}}, mass: 0.5}\n"
      "joints:\n"
      "  far: {type: revolute, parent: beam, face: end, child: tip, axis: y}\n"
      "  near: {type: fixed, parent: base, child: beam, child_face: start, at: [0.3, 0, 0]}\n"
      "  root: {type: revolute, child: base, axis: y}\n";
  char text[2][2000];
  snprintf(text[0], sizeof text[0], world, "reduced");
  snprintf(text[1], sizeof text[1], world, "maximal");
  const result reduced = play(text[0], 100, 1e-3), maximal = play(text[1], 100, 1e-3);
  print_message("%.2g m apart\n", apart(&reduced, &maximal, 3));
  assert_below(apart(&reduced, &maximal, 3), 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_floor_far_below_changes_nothing),
      cmocka_unit_test(joints_of_an_elastic_body_come_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
