// Elastic bodies in loops start as they are made: the rigid freedoms close the loops. Then nothing
// rings, and steps have the order they should have, in reduced and in maximal coordinates.
#include "compile.h"

// A four-bar with an elastic coupler; only the crank's angle is named.
static const char BARS[] =
    "gravity: [0, 0, -9.81]\n"
    "solver: {integrator: bdf2, step: 1 ms, tolerance: 1e-12%s}\n"
    "materials: {soft: {density: 1200, young: 0.5 GPa, poisson: 0.35, damping: {stiffness: 1 "
    "ms}}}\n"
    "bodies:\n"
    "  crank: {shape: {box: [2 cm, 2 cm, 10 cm], position: [0, 0, 5 cm]}, mass: 0.2}\n"
    "  coupler: {elastic: {beam: {width: 2 cm, height: 1 cm, to: [0.4, 0, 0]}, material: soft,\n"
    "    elements: {along: 8, across: 1, around: 1}, basis: {modes: 2, derivatives: 2}}}\n"
    "  rocker: {shape: {box: [2 cm, 2 cm, 20 cm], position: [0, 0, 10 cm]}, mass: 0.3}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, child_face: start, axis: y,\n"
    "    at: [0, 0, 10 cm]}\n"
    "  c: {type: revolute, child: rocker, axis: y, at: [0.4, 0, -10 cm]}\n"
    "  d: {type: revolute, loop: true, parent: coupler, face: end, child: rocker, axis: y,\n"
    "    in_child: [0, 0, 20 cm]}\n"
    "initial: {a: {position: %g deg, velocity: %g}}\n";

static lb_model* make(double angle, double speed, const char* more) {
  char text[4000];
  snprintf(text, sizeof text, BARS, more, angle, speed);
  return compile(text);
}

static lb_data* start(const lb_model* m) {
  lb_data* d;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  const lb_status status = lb_assemble(m, d, &err);
  if (status != LB_OK) {
    print_error("%s\n", err.message[0].text);
  }
  assert_int_equal(status, LB_OK);
  lb_error_clear(&err);
  return d;
}

// Energy of bending: what the elastic coordinates have of the potential energy.
static double bent(const lb_model* m, lb_data* d) {
  lb_model still = *m;
  still.gravity = lb_vec3_make(0, 0, 0);
  return lb_potential_energy(&still, d);
}

static void closing_a_loop_bends_nothing(void** state) {
  (void)state;
  static const double angle[] = {0, 0.5, 1, 2, 5, 10, 40, -30};
  static const char* const more[] = {"", ", coordinates: maximal"};
  for (int i = 0; i < 16; i++) {
    lb_model* m = make(angle[i / 2], 2, more[i % 2]);
    lb_data* d = start(m);
    print_message("%g deg%s: %.2g J\n", angle[i / 2], more[i % 2], bent(m, d));
    assert_near(bent(m, d), 0, 1e-12);
    assert_near(lb_constraint_gap(m, d, NULL), 0, 1e-12);
    lb_data_release(d);
    lb_model_release(m);
  }
}

static lb_vec3 run(double angle, const char* more, int steps) {
  lb_model* m = make(angle, 0, more);
  lb_data* d = start(m);
  lb_stepper* st;
  const double duration = 0.064;
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  for (int i = 0; i < steps; i++) {
    assert_int_equal(lb_stepper_step(st, d, duration / steps, NULL), LB_OK);
  }
  lb_poses(m, d);
  const lb_transform X = d->pose[lb_model_body(m, "rocker")];
  const lb_vec3 at = lb_vec3_add(X.p, lb_quat_rotate(X.q, lb_vec3_make(0, 0, 0.2)));
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return at;
}

static void steps_from_there_have_order_two(void** state) {
  (void)state;
  static const char* const more[] = {"", ", coordinates: maximal"};
  for (int i = 0; i < 2; i++) {
    lb_vec3 at[4];
    for (int k = 0; k < 4; k++) {
      at[k] = run(5, more[i], 64 << k);
    }
    const double coarse = lb_vec3_norm(lb_vec3_sub(at[1], at[2]));
    const double fine = lb_vec3_norm(lb_vec3_sub(at[2], at[3]));
    print_message("%s: %.2g m, %.2g m, order %.2f\n", more[i], coarse, fine, log2(coarse / fine));
    assert_near(log2(coarse / fine), 2, 0.3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closing_a_loop_bends_nothing),
      cmocka_unit_test(steps_from_there_have_order_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
