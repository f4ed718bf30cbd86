// Elastic bodies with all their nodes: the same motion as in a basis that spans all there is, for
// trees, loops and bodies that float.
#include "twins.h"

typedef struct runner {
  const lb_model* m;
  lb_data* d;
  lb_stepper* st;
} runner;

static runner start(const lb_model* m) {
  runner r = {.m = m};
  assert_int_equal(lb_data_create(m, NULL, &r.d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &r.st, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, r.d, NULL), LB_OK);
  return r;
}

static void stop(runner* r) {
  lb_stepper_release(r->st);
  lb_data_release(r->d);
}

// The worst distance between bodies of the two over a run.
static double compare(const lb_model* a, const lb_model* b, int steps, double h) {
  runner ra = start(a), rb = start(b);
  double worst = 0;
  for (int i = 0; i < steps; i++) {
    assert_int_equal(lb_stepper_step(ra.st, ra.d, h, NULL), LB_OK);
    assert_int_equal(lb_stepper_step(rb.st, rb.d, h, NULL), LB_OK);
    lb_poses(a, ra.d);
    lb_poses(b, rb.d);
    for (int k = 0; k < a->nbody; k++) {
      worst = fmax(worst, lb_vec3_norm(lb_vec3_sub(ra.d->pose[k].p, rb.d->pose[k].p)));
    }
    assert_near(lb_kinetic_energy(a, ra.d), lb_kinetic_energy(b, rb.d), 1e-9);
    assert_near(lb_potential_energy(a, ra.d), lb_potential_energy(b, rb.d), 1e-9);
  }
  stop(&ra);
  stop(&rb);
  return worst;
}

// All nodes against the complete basis.
static double difference(const char* root, const char* more) {
  twins t;
  make_twins(&t, root, more);
  const double worst = compare(lb_model_simulated(t.shown), t.reduced, 100, 2e-3);
  drop_twins(&t);
  return worst;
}

static void all_nodes_move_as_a_complete_basis_does(void** state) {
  (void)state;
  static const char* const carried[] = {"type: fixed", "type: revolute, axis: y", "type: free"};
  for (int i = 0; i < 3; i++) {
    const double worst = difference(carried[i], "");
    print_message("%s: %.1e m\n", carried[i], worst);
    assert_near(worst, 0, 5e-9);
  }
}

static void loops_hold_bodies_with_all_nodes_as_they_hold_others(void** state) {
  (void)state;
  const double worst =
      difference("type: fixed", "  tie: {type: spherical, loop: true, child: flap, "
                                "at: [16 cm, 0, 1 cm], in_child: [4 cm, 0, 1 cm]}\n");
  print_message("loop: %.1e m\n", worst);
  assert_near(worst, 0, 5e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_hold_bodies_with_all_nodes_as_they_hold_others),
      cmocka_unit_test(all_nodes_move_as_a_complete_basis_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
