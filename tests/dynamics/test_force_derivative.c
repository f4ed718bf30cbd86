// Derivatives of forces and loops against differences, on trees with one of everything.
#include "busy.h"
#include "differences.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"

enum { MOST = 200 };

static busy B;
static double reference[MOST * MOST], gap_q[MOST * MOST], rate_q[MOST * MOST], J[MOST * MOST];
static double lambda[MOST], needed[MOST];
static double acceleration_q[MOST * MOST], acceleration_v[MOST * MOST];

// State q and v under all forces; the loop constraints.
static lb_constraint_rows put(const lb_model* m, lb_data* d, const double* q, const double* v) {
  memcpy(d->q, q, (size_t)m->nq * sizeof *q);
  memcpy(d->qd, v, (size_t)m->nv * sizeof *v);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  return lb_constraints_linearise(m, d, LB_SET_ACTIVE);
}

// Inverse dynamics less forces less J'lambda.
static void residual(void* context, double* out, const double* q, const double* v) {
  const assembly* a = context;
  const lb_constraint_rows rows = put(a->m, a->d, q, v);
  lb_rnea_forced(a->m, a->d, out, a->d->q, a->d->qd, a->d->qdd);
  for (int k = 0; k < a->m->nv; k++) {
    out[k] -= a->d->work->tau[k];
    for (int i = 0; i < rows.count; i++) {
      out[k] -= rows.J[i * a->m->nv + k] * lambda[i];
    }
  }
}

static void gaps(void* context, double* out, const double* q, const double* v) {
  const assembly* a = context;
  const lb_constraint_rows rows = put(a->m, a->d, q, v);
  memcpy(out, rows.gap, (size_t)rows.count * sizeof *out);
}

static void rates(void* context, double* out, const double* q, const double* v) {
  const assembly* a = context;
  const lb_constraint_rows rows = put(a->m, a->d, q, v);
  memcpy(out, rows.rate, (size_t)rows.count * sizeof *out);
}

static void accelerations(void* context, double* out, const double* q, const double* v) {
  const assembly* a = context;
  put(a->m, a->d, q, v);
  lb_rnea_forced(a->m, a->d, needed, a->d->q, a->d->qd, a->d->qdd);
  lb_constraints_linearise(a->m, a->d, LB_SET_ACTIVE);
  for (int i = 0; i < lb_constraints_count(a->d); i++) {
    out[i] = lb_constraints_row(a->d, i)->acceleration;
  }
}

static void check_residual(assembly* a, const double* q, const double* qd) {
  const int n = a->m->nv * a->m->nv;
  lb_derivatives* D;
  assert_int_equal(lb_derivatives_create(a->m, NULL, &D, NULL), LB_OK);
  const lb_constraint_rows rows = put(a->m, a->d, q, qd);
  if (rows.count > 0) {
    lb_constraints_apply_multipliers(a->m, a->d, LB_SET_ACTIVE, lambda);
  }
  lb_derive_forced(D, a->d);
  lb_constraints_differentiate(D, a->d, lambda);
  if (rows.count > 0) {
    lb_constraints_differentiate_rows(D, a->d, gap_q, rate_q, J);
    lb_constraints_differentiate_accelerations(D, a->d, acceleration_q, acceleration_v, J);
  }
  difference(a->m, residual, a, a->m->nv, q, qd, true, 3e-5, reference);
  assert_matrix_near(n, reference, D->tau_q, 1e-8);
  difference(a->m, residual, a, a->m->nv, q, qd, false, 1e-3, reference);
  assert_matrix_near(n, reference, D->tau_qd, 1e-9);
  if (rows.count > 0) {
    difference(a->m, gaps, a, rows.count, q, qd, true, 1e-4, reference);
    assert_matrix_near(rows.count * a->m->nv, reference, gap_q, 1e-8);
    difference(a->m, rates, a, rows.count, q, qd, true, 1e-4, reference);
    assert_matrix_near(rows.count * a->m->nv, reference, rate_q, 1e-8);
    difference(a->m, rates, a, rows.count, q, qd, false, 1e-2, reference);
    assert_matrix_near(rows.count * a->m->nv, reference, J, 1e-10);
    difference(a->m, accelerations, a, rows.count, q, qd, true, 1e-4, reference);
    assert_matrix_near(rows.count * a->m->nv, reference, acceleration_q, 1e-8);
    difference(a->m, accelerations, a, rows.count, q, qd, false, 1e-2, reference);
    assert_matrix_near(rows.count * a->m->nv, reference, acceleration_v, 1e-9);
  }
  lb_derivatives_release(D);
}

// Rods from the first body to the last, and from that to the world: open, but of some length.
static void add_rods(assembly* a) {
  static lb_vec3 point[2] = {{0.3, -0.2, 0.5}, {-0.1, 0.4, 0.2}};
  static lb_scene_point other[2];
  static lb_scene_constraint rod[2];
  const int last = a->tree.scene.nbody - 1;
  other[0] = (lb_scene_point){.body = 0, .at = {0.2, 0.7, -0.4}, .face = -1};
  other[1] = (lb_scene_point){.body = LB_WORLD, .at = {1, -2, 0.5}, .face = -1};
  for (int i = 0; i < 2; i++) {
    rod[i] = (lb_scene_constraint){.name = i ? "rope" : "rod",
                                   .kind = LB_CONSTRAINT_DISTANCE,
                                   .body = last,
                                   .npoint = 1,
                                   .point = &point[i],
                                   .other = &other[i],
                                   .length = 1.5};
  }
  a->tree.scene.constraint = rod;
  a->tree.scene.nconstraint = 2;
  lb_data_release(a->d);
  lb_model_release(a->m);
  assert_int_equal(lb_model_create(&a->tree.scene, NULL, &a->m, NULL), LB_OK);
  assert_int_equal(lb_data_create(a->m, NULL, &a->d, NULL), LB_OK);
}

static bool with_rods;

static void check(uint64_t seed, busy_options options) {
  double q[MOST], qd[MOST];
  lb_random r = {seed};
  make_busy(&B, seed, options);
  if (with_rods) {
    add_rods(&B.a);
  }
  random_motion(&B.a, seed + 7, q, qd);
  for (int k = 0; k < B.a.m->nv; k++) {
    B.a.d->qdd[k] = lb_random_between(&r, -5, 5);
  }
  for (int k = 0; k < lb_constraints_most(B.a.m); k++) {
    lambda[k] = lb_random_between(&r, -5, 5);
  }
  B.a.d->time = 0.33;
  check_residual(&B.a, q, qd);
  release_assembly(&B.a);
}

static void forces_on_rigid_trees_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    check(seed, (busy_options){.nbody = 2 + (int)(seed % 10)});
  }
}

static void forces_on_elastic_bodies_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    check(seed, (busy_options){.elastic = true});
  }
}

static void loops_match_differences_even_when_open(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    check(seed, (busy_options){.loops = true, .nbody = 3 + (int)(seed % 10)});
  }
  check(3, (busy_options){.loops = true, .elastic = true});
}

static void rods_match_differences_even_when_open(void** state) {
  (void)state;
  with_rods = true;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    check(seed, (busy_options){.loops = seed % 2 == 0, .nbody = 3 + (int)(seed % 10)});
  }
  with_rods = false;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_on_rigid_trees_match_differences),
      cmocka_unit_test(forces_on_elastic_bodies_match_differences),
      cmocka_unit_test(loops_match_differences_even_when_open),
      cmocka_unit_test(rods_match_differences_even_when_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
