// Mechanisms with several models inside of a scene: one body whose shapes change with its
// coordinates. Identities of its dynamics, models reproduced, the whole mechanism and the blended
// stepper beside it, momentum, stability, states and refusals.
#include "counting.h"
#include "differences.h"
#include "fork/fork_jet.h"
#include "fork_scene_world.h"

#define MODELS                                                                                     \
  ", models: [{}, {loads: {coupler: [9, 0, 2], tip: [1, 2, 4]}}, {loads: {coupler: [-7, 0, 1], "   \
  "tip: [1, -3, 2]}}]"
#define SEVERAL(integrator, gravity, drag, more)                                                   \
  ROVER_OF(integrator, gravity, drag, more, MODELS)

// --- dynamics ---

static void inverse_dynamics_is_the_mass_matrix_times_acceleration(void** state) {
  (void)state;
  lb_model* m = make(SEVERAL("bdf2", "[0, 0, -9.81]", "0.3", ""));
  lb_data* d = state_of(m);
  lb_random r = {5};
  enum { MOST = 40 };
  static double M[MOST * MOST], full[MOST], bias[MOST];
  const double none[MOST] = {0};
  assert_int_equal(m->nv, 6 + 4 + 1);
  for (int trial = 0; trial < 20; trial++) {
    random_state(m, d, &r, 0.4);
    lb_rnea(m, d, full, d->q, d->qd, d->qdd);
    lb_rnea(m, d, bias, d->q, d->qd, none);
    lb_crba(m, d, M, d->q);
    double half = 0;
    for (int i = 0; i < m->nv; i++) {
      double sum = bias[i];
      for (int j = 0; j < m->nv; j++) {
        sum += M[i * m->nv + j] * d->qdd[j];
        half += 0.5 * d->qd[i] * M[i * m->nv + j] * d->qd[j];
      }
      assert_near(sum, full[i], 1e-11);
    }
    assert_near(lb_kinetic_energy(m, d), half, 1e-12);
  }
  lb_data_release(d);
  lb_model_release(m);
}

static void derivatives_are_differences(void** state) {
  (void)state;
  lb_model* m = make(SEVERAL("bdf2", "[0, 0, -9.81]", "0.3",
                             "loads: {push: {body: tip, at: [0.2, 0, 0], force: [1, 2, "
                             "3], torque: [0.1, 0.2, 0]}}\n"));
  lb_data *d = state_of(m), *other = state_of(m);
  lb_derivatives* D = NULL;
  assert_int_equal(lb_derivatives_create(m, NULL, &D, NULL), LB_OK);
  lb_random r = {11};
  enum { MOST = 20 };
  static double by_q[MOST * MOST], by_v[MOST * MOST];
  for (int trial = 0; trial < 10; trial++) {
    random_state(m, d, &r, 0.3);
    d->time = other->time = 0.4;
    lb_update(m, d, LB_ORIGINS | LB_FORCED);
    lb_derive_forced(D, d);
    residual_of c = {m, other, d->qdd};
    difference(m, residual, &c, m->nv, d->q, d->qd, true, 1e-4, by_q);
    difference(m, residual, &c, m->nv, d->q, d->qd, false, 1e-3, by_v);
    assert_matrix_near(m->nv * m->nv, D->tau_q, by_q, 1e-6);
    assert_matrix_near(m->nv * m->nv, D->tau_qd, by_v, 1e-8);
  }
  lb_derivatives_release(D);
  lb_data_release(d);
  lb_data_release(other);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_is_the_mass_matrix_times_acceleration),
      cmocka_unit_test(derivatives_are_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
