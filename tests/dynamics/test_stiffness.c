// Stiffness and damping that linearly implicit steps take of forces: both are symmetric.
#include "busy.h"
#include "differences.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"

enum { MOST = 200 };

static void check_symmetric(size_t nv, const double* K) {
  static double transposed[MOST * MOST];
  for (size_t i = 0; i < nv * nv; i++) {
    transposed[i] = K[i % nv * nv + i / nv];
  }
  assert_matrix_near((int)(nv * nv), transposed, K, 1e-12);
}

static void check(uint64_t seed, busy_options options) {
  static busy B;
  double q[MOST], qd[MOST];
  lb_derivatives* D = NULL;
  make_busy(&B, seed, options);
  const lb_model* m = B.a.m;
  lb_data* d = B.a.d;
  random_motion(&B.a, seed + 7, q, qd);
  memcpy(d->q, q, (size_t)m->nq * sizeof *q);
  memcpy(d->qd, qd, (size_t)m->nv * sizeof *qd);
  d->time = 0.33;
  assert_int_equal(lb_derivatives_create(m, NULL, &D, NULL), LB_OK);
  lb_kinematics(m, d, d->q, d->qd);
  lb_move_origins(m, d->work, d->qd);
  lb_derive(D, d, d->q, d->qd, d->qdd, false);
  lb_forces_stiffen(D, d);
  check_symmetric((size_t)m->nv, D->tau_q);
  check_symmetric((size_t)m->nv, D->tau_qd);
  lb_derivatives_release(D);
  release_assembly(&B.a);
}

static void those_on_rigid_trees_are_symmetric(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    check(seed, (busy_options){.nbody = 2 + (int)(seed % 10)});
  }
}

static void those_on_elastic_bodies_are_symmetric(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    check(seed, (busy_options){.elastic = true});
  }
}

static void those_of_joints_that_close_loops_are_symmetric(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    check(seed, (busy_options){.loops = true, .nbody = 3 + (int)(seed % 10)});
  }
  check(3, (busy_options){.loops = true, .elastic = true});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(those_on_rigid_trees_are_symmetric),
      cmocka_unit_test(those_on_elastic_bodies_are_symmetric),
      cmocka_unit_test(those_of_joints_that_close_loops_are_symmetric),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
