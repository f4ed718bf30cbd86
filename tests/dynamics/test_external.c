// Measured forces: a weight that is given as one, and derivatives against differences.
#include <unistd.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "forced_world.h"
#include "residual.h"

// A world whose text has the name of a table for %s.
static world start_with(const char* text, const char* table) {
  char path[] = "/tmp/limber_external_XXXXXX", whole[2000];
  const int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, table, strlen(table)), (long)strlen(table));
  close(file);
  snprintf(whole, sizeof whole, text, path);
  const world w = start(whole);
  unlink(path);
  return w;
}

// The weight of a pendulum, at its centre of mass, is as good as gravity.
static void a_weight_that_was_measured_swings_a_pendulum(void** state) {
  (void)state;
  static const char ROD[] =
      "bodies: {rod: {mass: 2, center: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {j: {type: revolute, child: rod, axis: -y}}\n";
  char with[1000], without[1000];
  snprintf(with, sizeof with, "gravity: [0, 0, -9.81]\n%s", ROD);
  snprintf(without, sizeof without,
           "gravity: [0, 0, 0]\n%sexternal: {weight: {body: rod, file: %%s, force: f, point: p, "
           "point_in: rod}}\n",
           ROD);
  world a = start(with);
  world b = start_with(without, "time,fx,fy,fz,px,py,pz\n0,0,0,-19.62,0.3,0,0\n"
                                "5,0,0,-19.62,0.3,0,0\n");
  step_to(&a, LB_INTEGRATOR_RK8, 1e-2, 1);
  step_to(&b, LB_INTEGRATOR_RK8, 1e-2, 1);
  assert_true(fabs(a.d->q[0]) > 0.5);
  assert_near(b.d->q[0], a.d->q[0], 1e-13);
  stop(&a);
  stop(&b);
}

// Straight lines between samples, and nothing outside: the push that a slide got is its momentum.
static void pushes_end_with_their_samples(void** state) {
  (void)state;
  world w = start_with("gravity: [0, 0, 0]\n"
                       "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                       "joints: {j: {type: prismatic, child: b, axis: x}}\n"
                       "external: {push: {body: b, file: %s, force: f}}\n",
                       "time,fx,fy,fz\n0,0,0,0\n0.5,8,0,0\n1,0,0,0\n");
  step_to(&w, LB_INTEGRATOR_RK4, 1e-2, 2);
  assert_near(w.d->qd[0], 0.5 * 8 / 2, 1e-12);
  stop(&w);
}

// Forces that jump at their first and last sample, in the midst of a long step: steps of their own
// choice end there. By the closed form, momentum and way.
static void adaptive_steps_end_where_forces_jump(void** state) {
  (void)state;
  const double from = 0.3, to = 0.7, pull = 4, end = 2; // F/m
  world w = start_with("gravity: [0, 0, 0]\n"
                       "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                       "joints: {j: {type: prismatic, child: b, axis: x}}\n"
                       "external: {push: {body: b, file: %s, force: f}}\n",
                       "time,fx,fy,fz\n0.3,8,0,0\n0.7,8,0,0\n");
  step_to(&w, LB_INTEGRATOR_ADAPTIVE, 1, end);
  const double speed = pull * (to - from);
  assert_near(w.d->qd[0], speed, 1e-12);
  assert_near(w.d->q[0], speed * (end - (from + to) / 2), 1e-12);
  stop(&w);
}

// Force and twist along the axes of the world or a body, at a point of the world or a body.
static void derivatives_are_those_of_differences(void** state) {
  (void)state;
  enum { NV = 4 };
  static const char* const FRAME[] = {"force_in: world, point_in: world", "force_in: a",
                                      "point_in: a", "force_in: c, point_in: b",
                                      "force_in: b, point_in: b"};
  for (int i = 0; i < 5; i++) {
    char text[1500];
    snprintf(text, sizeof text,
             "bodies:\n"
             "  a: {mass: 2, inertia: [0.3, 0.2, 0.4], center: [0.1, 0, 0.2]}\n"
             "  b: {mass: 3, inertia: [0.3, 0.5, 0.4]}\n"
             "  c: {mass: 1, inertia: [0.1, 0.2, 0.2]}\n"
             "joints:\n"
             "  i: {type: revolute, child: a, axis: [1, 2, 0]}\n"
             "  j: {type: universal, parent: a, child: b, at: [0.3, 0.1, 0]}\n"
             "  k: {type: prismatic, parent: b, child: c, axis: [1, 0, 1], at: [0.1, 0.2, 0]}\n"
             "external: {e: {body: %s, file: '%%s', force: f, torque: t, point: p, %s}}\n"
             "initial: {i: {position: 0.4}, j: {position: [0.3, -0.6]}, k: {position: 0.2}}\n",
             i == 3 ? "a" : "c", FRAME[i]);
    world w = start_with(text, "time,fx,fy,fz,tx,ty,tz,px,py,pz\n0,3,-2,5,1,2,-1,0.4,0.3,-0.2\n"
                               "1,3,-2,5,1,2,-1,0.4,0.3,-0.2\n");
    double q[NV], v[NV] = {0.2, -0.5, 0.7, 0.3}, needed[NV], reference[NV * NV];
    lb_derivatives* D;
    assert_int_equal(w.m->nv, NV);
    assert_int_equal(lb_derivatives_create(w.m, NULL, &D, NULL), LB_OK);
    memcpy(q, w.d->q, sizeof q);
    memset(w.d->qdd, 0, sizeof v);
    residual(w.d, needed, q, v);
    lb_derive_forced(D, w.d);
    difference(w.m, residual, w.d, NV, q, v, true, 1e-3, reference);
    assert_matrix_near(NV * NV, reference, D->tau_q, 1e-9);
    lb_derivatives_release(D);
    stop(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_weight_that_was_measured_swings_a_pendulum),
      cmocka_unit_test(pushes_end_with_their_samples),
      cmocka_unit_test(adaptive_steps_end_where_forces_jump),
      cmocka_unit_test(derivatives_are_those_of_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
