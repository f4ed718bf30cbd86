// What forces answer to displacements and changes of velocities: the products with their stiffness
// and damping, which are symmetric, and how these change, against differences.
#include "base/arena.h"
#include "busy.h"
#include "differences.h"
#include "dynamics/derivative.h"
#include "dynamics/force.h"
#include "dynamics/kinematics.h"
#include "dynamics/rnea.h"

enum { MOST = 200 };

static busy B;
static lb_derivatives* D;
static lb_probe probe;
static double reference[MOST * MOST], x[MOST], u[MOST];

// Places and velocities with nothing acting but answers to x and u.
static void put(const lb_model* m, lb_data* d, const double* q, const double* v) {
  memcpy(d->q, q, (size_t)m->nq * sizeof *q);
  memcpy(d->qd, v, (size_t)m->nv * sizeof *v);
  lb_kinematics(m, d, d->q, d->qd);
  lb_move_origins(m, d->work, d->qd);
  lb_derive(D, d, d->q, d->qd, d->qdd, false);
  lb_probe_take(&probe, D, d, x, u);
  memset(d->work->tau, 0, (size_t)m->nv * sizeof *d->work->tau);
  for (int i = 0; i < m->nlink; i++) {
    d->work->state[i].xn = d->work->state[i].xf = lb_v4_zero();
  }
  lb_forces_answer(&probe, D, d);
}

// Inverse dynamics less answers.
static void residual(void* context, double* out, const double* q, const double* v) {
  const assembly* a = context;
  put(a->m, a->d, q, v);
  lb_rnea_forced(a->m, a->d, out, a->d->q, a->d->qd, a->d->qdd);
  for (int k = 0; k < a->m->nv; k++) {
    out[k] -= a->d->work->tau[k];
  }
}

// (1) of probe.h
static void check_products(assembly* a, const double* q, const double* qd) {
  const size_t nv = (size_t)a->m->nv;
  double with[MOST], without[MOST], asked[MOST];
  residual(a, with, q, qd);
  lb_rnea(a->m, a->d, without, a->d->q, a->d->qd, a->d->qdd);
  lb_derive(D, a->d, a->d->q, a->d->qd, a->d->qdd, false);
  lb_forces_stiffen(D, a->d);
  for (size_t i = 0; i < nv; i++) {
    asked[i] = 0;
    with[i] -= without[i];
    for (size_t j = 0; j < nv; j++) {
      asked[i] += D->tau_q[i * nv + j] * x[j] + D->tau_qd[i * nv + j] * u[j];
      reference[i * nv + j] = D->tau_q[j * nv + i];
    }
  }
  assert_matrix_near((int)nv, asked, with, 1e-11);
  assert_matrix_near((int)(nv * nv), reference, D->tau_q, 1e-12);
  for (size_t i = 0; i < nv * nv; i++) {
    reference[i] = D->tau_qd[i % nv * nv + i / nv];
  }
  assert_matrix_near((int)(nv * nv), reference, D->tau_qd, 1e-12);
}

static void check_changes(assembly* a, const double* q, const double* qd) {
  const int n = a->m->nv * a->m->nv;
  put(a->m, a->d, q, qd);
  lb_derive(D, a->d, a->d->q, a->d->qd, a->d->qdd, true);
  lb_forces_differentiate_answer(&probe, D, a->d);
  static double by_q[MOST * MOST], by_qd[MOST * MOST];
  memcpy(by_q, D->tau_q, (size_t)n * sizeof *by_q);
  memcpy(by_qd, D->tau_qd, (size_t)n * sizeof *by_qd);
  difference(a->m, residual, a, a->m->nv, q, qd, true, 1e-4, reference);
  assert_matrix_near(n, reference, by_q, 1e-8);
  difference(a->m, residual, a, a->m->nv, q, qd, false, 1e-3, reference);
  assert_matrix_near(n, reference, by_qd, 1e-8);
}

static void check(uint64_t seed, busy_options options) {
  double q[MOST], qd[MOST];
  lb_random r = {seed};
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  make_busy(&B, seed, options);
  random_motion(&B.a, seed + 7, q, qd);
  for (int k = 0; k < B.a.m->nv; k++) {
    B.a.d->qdd[k] = lb_random_between(&r, -5, 5);
    x[k] = lb_random_between(&r, -0.1, 0.1);
    u[k] = lb_random_between(&r, -1, 1);
  }
  B.a.d->time = 0.33;
  assert_int_equal(lb_derivatives_create(B.a.m, NULL, &D, NULL), LB_OK);
  assert_int_equal(lb_probe_create(&probe, B.a.m, &arena), LB_OK);
  check_products(&B.a, q, qd);
  check_changes(&B.a, q, qd);
  lb_derivatives_release(D);
  lb_arena_release(&arena);
  release_assembly(&B.a);
}

static void answers_on_rigid_trees_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    check(seed, (busy_options){.nbody = 2 + (int)(seed % 10)});
  }
}

static void answers_on_elastic_bodies_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    check(seed, (busy_options){.elastic = true});
  }
}

static void answers_of_joints_that_close_loops_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    check(seed, (busy_options){.loops = true, .nbody = 3 + (int)(seed % 10)});
  }
  check(3, (busy_options){.loops = true, .elastic = true});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_on_rigid_trees_match_differences),
      cmocka_unit_test(answers_on_elastic_bodies_match_differences),
      cmocka_unit_test(answers_of_joints_that_close_loops_match_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
