// Trees factored in time linear in their links, against the mass matrix itself.
#include "dynamics/system/tree_system.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "random_tree.h"

// |(M + diag) x - b| over |b| for a random b, driven coordinates held.
static double residual(const lb_model* m, lb_data* d, lb_tree_factor* F, lb_random* r) {
  static double M[400 * 400], more[400], b[400], x[400];
  const int nv = m->nv;
  for (int k = 0; k < nv; k++) {
    more[k] = lb_random_unit(r) < 0.5 ? 0 : lb_random_between(r, 0, 50);
    b[k] = x[k] = lb_random_between(r, -1, 1);
  }
  lb_crba(m, d, M, d->q);
  lb_kinematics(m, d, d->q, d->qd);
  assert_true(lb_tree_factor_make(F, d, more));
  lb_tree_factor_solve(F, x);
  double worst = 0;
  for (int i = 0; i < m->nlink; i++) {
    for (int k = m->link.v[i]; k < m->link.v[i] + m->link.nv[i]; k++) {
      const double off = lb_dot(nv, M + (size_t)k * (size_t)nv, x) + more[k] * x[k] - b[k];
      worst = fmax(worst, fabs(m->link.driven[i] ? x[k] : off));
    }
  }
  return worst;
}

static void the_factor_solves_with_the_mass_matrix_and_its_diagonal(void** state) {
  (void)state;
  static random_tree t;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    lb_random r = {seed};
    lb_model* m;
    lb_data* d;
    lb_arena arena;
    random_tree_make(&t, &r, 1 + (int)(seed % 40), NULL, 0);
    assert_int_equal(lb_model_create(&t.scene, NULL, &m, NULL), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    lb_arena_init(&arena, NULL);
    lb_tree_factor* F = lb_tree_factor_create(m, &arena);
    assert_non_null(F);
    const double off = residual(m, d, F, &r);
    if (!(off < 1e-9)) {
      print_error("seed %d: off by %g\n", (int)seed, off);
      fail();
    }
    lb_arena_release(&arena);
    lb_data_release(d);
    lb_model_release(m);
  }
}

static void coordinates_under_a_motor_are_held(void** state) {
  (void)state;
  static random_tree t;
  static const lb_joint_kind kinds[] = {LB_JOINT_REVOLUTE, LB_JOINT_PRISMATIC};
  static double time[2] = {0, 1}, angle[2] = {0, 1};
  lb_random r = {7};
  lb_model* m;
  lb_data* d;
  lb_arena arena;
  random_tree_make(&t, &r, 12, kinds, 2);
  static lb_scene_motor motor;
  motor = (lb_scene_motor){
      .name = "m",
      .joint = 4,
      .profile = {
          .kind = LB_PROFILE_SMOOTH, .degree = 3, .count = 2, .time = time, .value = angle}};
  t.scene.motor = &motor;
  t.scene.nmotor = 1;
  assert_int_equal(lb_model_create(&t.scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  lb_arena_init(&arena, NULL);
  lb_tree_factor* F = lb_tree_factor_create(m, &arena);
  assert_non_null(F);
  assert_near(residual(m, d, F, &r), 0, 1e-10);
  lb_arena_release(&arena);
  lb_data_release(d);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_factor_solves_with_the_mass_matrix_and_its_diagonal),
      cmocka_unit_test(coordinates_under_a_motor_are_held),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
