// Scenes of [red] 6.2.2 and 6.2.3: the knee of a rat, and pendulums that share a network.
#include "compile.h"
#include "dynamics/force/force.h"
#include "model/use/model_path.h"
#include "solve/step/stepper.h"

static lb_model* open_model(const char* path) {
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  lb_model* m = NULL;
  assert_int_equal(lb_scene_read(path, NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_OK);
  lb_scene_release(&scene);
  lb_error_clear(&err);
  return m;
}

// I = m (r^2/3 + b^3/(3 L)) over a cylinder about the hinge, b being the free part on the shank.
static void muscle_is_45_percent_of_the_inertia_of_a_rat_s_knee(void** state) {
  (void)state;
  lb_model* m = open_model(LIMBER_SOURCE_DIR "/scenes/muscle-rat-knee.yaml");
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  const double r = 4e-3, p = hypot(20e-3, 14e-3), q = hypot(3e-3, 36e-3), mass = 14.7e-3;
  const double a = sqrt(p * p - r * r), b = sqrt(q * q - r * r);
  for (double at = -0.3; at < 0.45; at += 0.15) {
    const double both[2] = {at, at};
    double M[4];
    const double turned = 2 * M_PI + atan2(-36e-3, 3e-3) + at - atan2(14e-3, -20e-3); // in front
    const double theta = 2 * M_PI - turned - acos(r / p) - acos(r / q), L = a + r * theta + b;
    lb_crba(m, d, M, both);
    const double share = (M[0] - M[3]) / M[0];
    assert_near((M[0] - M[3]) / (mass * (r * r / 3 + b * b * b / (3 * L))), 1, 1e-10);
    assert_near(share, 0.45, 0.01);
  }
  lb_data_release(d);
  lb_model_release(m);
}

enum { PENDULUMS = 4 };

static void pendulums_with_one_network_keep_their_energy(void** state) {
  (void)state;
  lb_model* m = open_model(LIMBER_SOURCE_DIR "/scenes/muscle-pendulums.yaml");
  lb_data* d;
  lb_stepper* st;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  assert_int_equal(m->muscle.count, PENDULUMS);
  for (int i = 0; i < PENDULUMS; i++) {
    const lb_model_path* path = m->muscle.item[i].path;
    assert_non_null(path->item[1].wrap.network);
    assert_near(path->mass.mass, 1, 0);
  }
  const double start = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
  double error = 0;
  for (int i = 0; i < 500; i++) {
    assert_int_equal(lb_stepper_step(st, d, 2e-3, NULL), LB_OK);
    error = fmax(error, fabs(lb_kinetic_energy(m, d) + lb_potential_energy(m, d) - start));
  }
  const double scale = 3 * 9.81 * 0.4; // of one of them
  print_message("energy off by %.3g of m g l; elbows %.3g and, lumped, %.3g rad\n", error / scale,
                d->q[1], d->q[2 * PENDULUMS + 1]);
  assert_below(error, 1e-4 * scale);
  assert_above(fabs(d->q[1] - d->q[2 * PENDULUMS + 1]), 0.1);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(muscle_is_45_percent_of_the_inertia_of_a_rat_s_knee),
      cmocka_unit_test(pendulums_with_one_network_keep_their_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
