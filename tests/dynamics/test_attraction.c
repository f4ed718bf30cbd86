// Attractions by the inverse square: Kepler's ellipse, what is conserved, the softened closed form,
// and derivatives against differences.
#include "dynamics/derivative/dynamics_derivative.h"
#include "forced_world.h"
#include "residual.h"

// --- motion ---

// From the far point r0 of an ellipse with excentricity e: r0 = a (1 + e), v0^2 = k (1 - e)/(m r0),
// and the period is 2 pi sqrt(a^3 m/k).
static void a_planet_comes_back_after_keplers_period(void** state) {
  (void)state;
  world w = start("gravity: [0, 0, 0]\n"
                  "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                  "joints: {j: {type: planar, child: b, axis: x}}\n"
                  "attractions: {sun: {from: {}, to: {body: b}, strength: 5}}\n"
                  "initial: {j: {position: [1.5, 0], velocity: [0, 0.912870929175277]}}\n");
  const double a = 1, period = 2 * 3.14159265358979323846 * sqrt(a * a * a * 2 / 5);
  assert_near(w.d->qd[1] * w.d->qd[1], 5 * (1 - 0.5) / (2 * 1.5), 1e-15);
  const double before = energy(&w);
  assert_near(before, -5 / (2 * a), 1e-14);
  step_to(&w, LB_INTEGRATOR_RK8, period / 800, period / 2);
  assert_near(w.d->q[0], -0.5, 1e-10); // the near point
  assert_near(energy(&w), before, 1e-12);
  step_to(&w, LB_INTEGRATOR_RK8, period / 800, period / 2);
  assert_near(w.d->q[0], 1.5, 1e-9);
  assert_near(w.d->q[1], 0, 1e-9);
  stop(&w);
}

static const char PAIR[] =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.2, 0.4]}\n"
    "  b: {mass: 3, inertia: [0.3, 0.5, 0.4]}\n"
    "attractions: {s: {from: {body: a, at: [0.1, 0.2, 0]}, to: {body: b, at: [0, 0.1, -0.2]},\n"
    "                  strength: 4, softening: 20 cm}}\n"
    "initial:\n"
    "  a: {position: [0, 0, 0], velocity: [0.3, 0, 0.1], spin: [1, 0.4, -0.6]}\n"
    "  b: {position: [0.7, 0.4, 0.2], velocity: [-0.2, 0.9, 0], spin: [-0.5, 2, 0.3]}\n";

static void bodies_that_attract_each_other_keep_energy_and_momentum(void** state) {
  (void)state;
  world w = start(PAIR);
  const double before = energy(&w);
  const lb_momenta p = lb_momentum(w.m, w.d);
  step_to(&w, LB_INTEGRATOR_RK8, 2e-3, 3);
  const lb_momenta now = lb_momentum(w.m, w.d);
  assert_near(energy(&w), before, 1e-11);
  assert_near(lb_vec3_norm(lb_vec3_sub(now.linear, p.linear)), 0, 1e-12);
  assert_near(lb_vec3_norm(lb_vec3_sub(now.angular, p.angular)), 0, 1e-11);
  stop(&w);
}

// Through the middle, where a hard one would be infinite: about it the motion is that of a spring
// of stiffness k/a^3, and from rest at x0 the speed there is that of the energy.
static void a_softened_one_lets_points_meet(void** state) {
  (void)state;
  world w = start("gravity: [0, 0, 0]\n"
                  "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                  "joints: {j: {type: prismatic, child: b, axis: x}}\n"
                  "attractions: {s: {from: {}, to: {body: b}, strength: 4, softening: 0.5}}\n"
                  "initial: {j: {position: 1 mm}}\n");
  const double period = 2 * 3.14159265358979323846 * sqrt(2 * 0.5 * 0.5 * 0.5 / 4);
  step_to(&w, LB_INTEGRATOR_RK8, period / 400, period);
  assert_near(w.d->q[0], 1e-3, 1e-8);
  assert_near(energy(&w), -4 / sqrt(0.25 + 1e-6), 1e-12);
  stop(&w);
}

// --- derivatives ---

static void derivatives_are_those_of_differences(void** state) {
  (void)state;
  enum { NV = 12 };
  world w = start(PAIR);
  double q[NV + 2], v[NV], needed[NV], reference[NV * NV];
  lb_derivatives* D;
  assert_int_equal(lb_derivatives_create(w.m, NULL, &D, NULL), LB_OK);
  memcpy(q, w.d->q, sizeof q);
  memcpy(v, w.d->qd, sizeof v);
  for (int k = 0; k < NV; k++) {
    w.d->qdd[k] = 0.1 * k - 0.5;
  }
  residual(w.d, needed, q, v);
  lb_derive_forced(D, w.d);
  difference(w.m, residual, w.d, NV, q, v, true, 1e-3, reference);
  assert_matrix_near(NV * NV, reference, D->tau_q, 1e-9);
  difference(w.m, residual, w.d, NV, q, v, false, 1e-3, reference);
  assert_matrix_near(NV * NV, reference, D->tau_qd, 1e-9);
  lb_derivatives_release(D);
  stop(&w);
}

// Forces are in proportion to the strength: its power is that of the force over it.
static void forces_grow_with_the_strength(void** state) {
  (void)state;
  enum { NV = 12 };
  world w = start(PAIR);
  double mu[NV], moved = 0, needed[NV];
  lb_derivatives* D;
  assert_int_equal(lb_derivatives_create(w.m, NULL, &D, NULL), LB_OK);
  double q[NV + 2], v[NV] = {0};
  memcpy(q, w.d->q, sizeof q);
  memset(w.d->qdd, 0, sizeof v);
  residual(w.d, needed, q, v); // at rest: minus the forces
  for (int k = 0; k < NV; k++) {
    mu[k] = 0.3 * k - 1;
    moved -= needed[k] * mu[k];
  }
  lb_derive_forced(D, w.d);
  assert_near(lb_force_by_number(D, w.d, 0, LB_SPRING_STIFFNESS, mu), moved / 4, 1e-12);
  lb_derivatives_release(D);
  stop(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_planet_comes_back_after_keplers_period),
      cmocka_unit_test(bodies_that_attract_each_other_keep_energy_and_momentum),
      cmocka_unit_test(a_softened_one_lets_points_meet),
      cmocka_unit_test(derivatives_are_those_of_differences),
      cmocka_unit_test(forces_grow_with_the_strength),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
