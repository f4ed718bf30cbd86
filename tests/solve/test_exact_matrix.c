// Newton's matrix of maximal coordinates is the whole derivative: with one that left
// something out, corrections would shrink by a factor; with this one they shrink as their squares.
// And steps with exact matrices end where those with kept ones do: where the equations hold.
#include <math.h>

#include "compile.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/tree/kinematics.h"
#include "solve/implicit/implicit.h"
#include "test.h"

// Two arms on the world joined by a plate, by a hinge and a ball: a loop with redundant
// constraints. On the plate hangs an elastic arm with a bob on a cross, and beside it two wheels in
// gear. A spring, a cable over four bodies, a load, a motor that applies a force and one that
// leads.
static const char WORLD[] =
    "materials:\n"
    "  rubber: {density: 1000, young: 2 MPa, poisson: 0.4, damping: "
    "{mass: 0.2, stiffness: 1e-3 s}}\n"
    "bodies:\n"
    "  left: {shape: {box: [4 cm, 4 cm, 30 cm], position: [0, 0, -15 cm]}}\n"
    "  right: {shape: {box: [4 cm, 4 cm, 30 cm], position: [0, 0, -15 cm]}}\n"
    "  plate: {shape: {box: [20 cm, 4 cm, 4 cm], position: [10 cm, 0, 0]}}\n"
    "  arm:\n"
    "    elastic:\n"
    "      box: {width: 2 cm, height: 2 cm, from: [0, 0, 0], to: [20 cm, 0, 0]}\n"
    "      material: rubber\n"
    "      elements: {along: 4, across: 1, around: 1}\n"
    "      order: 1\n"
    "      basis: {modes: 3}\n"
    "  bob: {shape: {sphere: {radius: 3 cm}, position: [3 cm, 0, 0]}}\n"
    "  wheel: {shape: {cylinder: {radius: 5 cm, length: 2 cm}}}\n"
    "  pinion: {shape: {cylinder: {radius: 2 cm, length: 2 cm}}}\n"
    "joints:\n"
    "  a: {type: revolute, child: left, axis: y}\n"
    "  b: {type: revolute, child: right, at: [20 cm, 0, 0], axis: y}\n"
    "  c: {type: revolute, parent: left, child: plate, at: [0, 0, -30 cm], axis: y}\n"
    "  d: {type: revolute, parent: right, child: plate, at: [0, 0, -30 cm], loop: true, in_child: "
    "[20 cm, 0, "
    "0], axis: y}\n"
    "  clamp: {type: fixed, parent: plate, child: arm, face: start, at: [10 cm, 0, -2 cm]}\n"
    "  e: {type: universal, parent: arm, face: end, child: bob, at: [20 cm, 0, 0], axis: y, "
    "second_axis: z}\n"
    "  f: {type: revolute, child: wheel, at: [0, 0, 50 cm], axis: z}\n"
    "  g: {type: revolute, child: pinion, at: [7 cm, 0, 50 cm], axis: z}\n"
    "springs:\n"
    "  across: {from: {body: left, at: [0, 0, -10 cm]}, to: {body: bob}, stiffness: 200, damping: "
    "1}\n"
    "cables:\n"
    "  rope: {through: [{body: wheel, at: [5 cm, 0, 0]}, {body: right, at: [0, 0, -5 cm]}, {body: "
    "plate}, {body: pinion, at: [0, 2 cm, 0]}], stiffness: 30, damping: 0.2, length: 120 cm}\n"
    "loads:\n"
    "  wind: {body: bob, force: [0.3, 0.2, 0]}\n"
    "motors:\n"
    "  push: {joint: a, drive: force, keys: [[0, 0.5]]}\n"
    "constraints:\n"
    "  gear: {couple: [{joint: f, times: 5}, {joint: g, times: 2}], equals: 0}\n"
    "solver: {integrator: %s, step: 10 ms, coordinates: maximal, newton: exact}\n";

// Corrections from a bad guess, each with a new matrix.
static int correct(lb_stepper* st, lb_data* d, double h, double* size, int most) {
  int n = 0;
  do {
    assert_true(lb_implicit_make_exact(st, d, h));
    lb_implicit_residual(st, d, h);
    size[n] = lb_implicit_correct(st, d, h);
  } while (size[n++] > 1e-7 && n < most);
  return n;
}

static void corrections_shrink_as_their_squares(void** state) {
  (void)state;
  static const char* const integrators[] = {"bdf1", "bdf2", "sdirk2"};
  for (int k = 0; k < 3; k++) {
    char text[4096];
    snprintf(text, sizeof text, WORLD, integrators[k]);
    lb_model* m = compile(text);
    lb_data* d;
    lb_stepper* st;
    lb_error err = lb_error_make(NULL);
    assert_int_equal(lb_data_create(m, NULL, &d, &err), LB_OK);
    assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, &err), LB_OK);
    assert_ptr_equal(((lb_implicit*)st->own)->algebra, &lb_implicit_dense);
    for (int i = 0; i < 30; i++) {
      assert_int_equal(lb_stepper_step(st, d, 1e-2, &err), LB_OK);
    }
    lb_random random = {5};
    for (int i = 0; i < m->nv; i++) { // the end of the last step, badly guessed
      d->qd[i] += lb_random_between(&random, -1e-3, 1e-3);
    }
    double size[12];
    const int n = correct(st, d, 1e-2, size, 12);
    const double order = log(size[n - 1] / size[n - 2]) / log(size[n - 2] / size[n - 3]);
    print_message("%s: corrections", integrators[k]);
    for (int i = 0; i < n; i++) {
      print_message(" %.2g", size[i]);
    }
    print_message(", order %.2f\n", order);
    assert_at_most(n, 7);
    assert_above(order, 1.5);
    lb_stepper_release(st);
    lb_data_release(d);
    lb_model_release(m);
    lb_error_clear(&err);
  }
}

// What is left of a stage's equations at the end of a step, over the forces in them.
static const char CHAIN[] =
    "bodies:\n"
    "  a: {shape: {box: [4 cm, 4 cm, 30 cm], position: [0, 0, -15 cm]}}\n"
    "  b: {shape: {box: [4 cm, 4 cm, 30 cm], position: [0, 0, -15 cm]}}\n"
    "  c: {shape: {box: [4 cm, 4 cm, 30 cm], position: [0, 0, -15 cm]}}\n"
    "joints:\n"
    "  a: {type: revolute, child: a, axis: y, damping: 0.01}\n"
    "  b: {type: revolute, parent: a, child: b, at: [0, 0, -30 cm], axis: y, spring: {stiffness: "
    "5}}\n"
    "  c: {type: universal, parent: b, child: c, at: [0, 0, -30 cm], axis: y, second_axis: x}\n"
    "initial: {a: {position: -2}, b: {position: 1}, c: {position: [0.4, 0.3]}}\n"
    "solver: {integrator: %s, step: 10 ms, newton: %s}\n";

static void steps_of_trees_end_where_their_equations_hold(void** state) {
  (void)state;
  static const char* const integrators[] = {"bdf1", "bdf2", "sdirk2"};
  static const char* const matrices[] = {"exact", "kept"};
  for (int k = 0; k < 6; k++) {
    char text[2048];
    snprintf(text, sizeof text, CHAIN, integrators[k / 2], matrices[k % 2]);
    lb_model* m = compile(text);
    lb_data* d;
    lb_stepper* st;
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
    const lb_implicit* own = st->own;
    assert_ptr_equal(own->algebra, &lb_implicit_tree);
    double worst = 0;
    for (int i = 0; i < 100; i++) {
      assert_int_equal(lb_stepper_step(st, d, 1e-2, NULL), LB_OK);
      lb_implicit_residual(st, d, own->newton.dt);
      for (int j = 0; j < m->nv; j++) {
        worst = fmax(worst, fabs(own->r[j]));
      }
    }
    print_message("%s, %s: %.2g N m are left\n", integrators[k / 2], matrices[k % 2], worst);
    assert_below(worst, 1e-6); // of a few
    lb_stepper_release(st);
    lb_data_release(d);
    lb_model_release(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corrections_shrink_as_their_squares),
      cmocka_unit_test(steps_of_trees_end_where_their_equations_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
