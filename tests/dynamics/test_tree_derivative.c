// Derivatives of trees as products, and the matrix of an implicit step factored in time linear in
// the links, against the matrices themselves.
#include "dynamics/derivative/tree_derivative.h"

#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "random_tree.h"
#include "solve/step/step_derivative.h"
#include "solve/step/step_matrix.h"

enum { MOST = 400 };

typedef struct tree {
  lb_model* m;
  lb_data* d;
  lb_derivatives* D;
  lb_tree_slopes* T;
  lb_arena arena;
} tree;

static void fill(lb_random* r, int n, double* x, double size) {
  for (int k = 0; k < n; k++) {
    x[k] = lb_random_between(r, -size, size);
  }
}

static tree open_tree(const lb_scene* scene) {
  tree t = {0};
  assert_int_equal(lb_model_create(scene, NULL, &t.m, NULL), LB_OK);
  assert_int_equal(lb_data_create(t.m, NULL, &t.d, NULL), LB_OK);
  assert_int_equal(lb_derivatives_create(t.m, NULL, &t.D, NULL), LB_OK);
  lb_arena_init(&t.arena, NULL);
  assert_true(lb_tree_slopes_serve(t.m));
  t.T = lb_tree_slopes_create(t.m, &t.arena);
  assert_non_null(t.T);
  assert_at_most(t.m->nv, MOST);
  return t;
}

// With the matrices in D as well.
static void differentiate(tree* t) {
  lb_kinematics(t->m, t->d, t->d->q, t->d->qd);
  lb_forces_apply(t->m, t->d);
  lb_tree_slopes_take(t->T, t->D, t->d);
  lb_derive_forced(t->D, t->d);
}

static void close_tree(tree* t) {
  lb_arena_release(&t->arena);
  lb_derivatives_release(t->D);
  lb_data_release(t->d);
  lb_model_release(t->m);
}

// A tree of all kinds of joints with springs and dampers where they can be, and with loads of which
// every other one turns along.
static tree open_random(uint64_t seed, int most) {
  static random_tree made;
  lb_random r = {seed};
  random_tree_make(&made, &r, 1 + (int)(seed % (uint64_t)most), NULL, 0);
  for (int i = 0; i < made.scene.njoint; i++) {
    lb_scene_joint* j = &made.joint[i];
    if (j->kind != LB_JOINT_FREE) {
      j->resistance.stiffness = lb_random_between(&r, 0, 20);
      j->resistance.damping = lb_random_between(&r, 0, 2);
    }
  }
  enum { LOADS = 4 };
  static lb_scene_load load[LOADS];
  for (int i = 0; i < LOADS; i++) {
    load[i] = (lb_scene_load){.name = "load",
                              .body = (int)(lb_random_unit(&r) * made.scene.nbody),
                              .point = random_vec3(&r, 0.3),
                              .force = random_vec3(&r, 10),
                              .torque = random_vec3(&r, 3),
                              .follows = i % 2};
  }
  made.scene.load = load;
  made.scene.nload = LOADS;
  tree t = open_tree(&made.scene);
  fill(&r, t.m->nv, t.d->qd, 2);
  fill(&r, t.m->nv, t.d->qdd, 10);
  for (int i = 0; i < t.m->nlink; i++) { // away from where they start
    lb_advance(t.m, t.d->q, t.d->qd, 0.05);
  }
  differentiate(&t);
  return t;
}

static double largest(int n, const double* x) {
  double most = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(x[k]));
  }
  return most;
}

static void compare(int n, const double* a, const double* b, double relative) {
  const double scale = fmax(1e-300, largest(n, b));
  for (int k = 0; k < n; k++) {
    assert_near(a[k] / scale, b[k] / scale, relative);
  }
}

static void products_are_those_of_the_matrices(void** state) {
  (void)state;
  static double x[3][MOST], y[MOST], expected[MOST], back[3][MOST];
  for (uint64_t seed = 1; seed <= 60; seed++) {
    tree t = open_random(seed, 30);
    lb_random r = {seed + 1000};
    const size_t nv = (size_t)t.m->nv;
    const double* const A[] = {t.D->tau_q, t.D->tau_qd, t.D->M};
    memset(expected, 0, sizeof expected);
    memset(y, 0, sizeof y);
    memset(back, 0, sizeof back);
    for (int p = 0; p < 3; p++) {
      fill(&r, t.m->nv, x[p], 1);
      for (size_t i = 0; i < nv; i++) {
        expected[i] += 2 * lb_dot(t.m->nv, A[p] + i * nv, x[p]);
      }
    }
    lb_tree_slopes_add(t.T, y, 2, x[0], x[1], x[2]);
    compare(t.m->nv, y, expected, 1e-12);
    lb_tree_slopes_add_back(t.T, back[0], back[1], back[2], -3, x[0]);
    for (int p = 0; p < 3; p++) {
      memset(expected, 0, sizeof expected);
      for (size_t i = 0; i < nv; i++) {
        lb_add(t.m->nv, expected, -3 * x[0][i], A[p] + i * nv);
      }
      compare(t.m->nv, back[p], expected, 1e-12);
    }
    close_tree(&t);
  }
}

static void factors_solve_with_the_matrix_of_a_step(void** state) {
  (void)state;
  static double W[MOST * MOST], made[MOST * MOST], b[MOST], x[MOST];
  static int pivot[MOST];
  static const double steps[] = {1e-3, 1e-2, 5e-2};
  for (uint64_t seed = 1; seed <= 60; seed++) {
    tree t = open_random(seed, 30);
    lb_random r = {seed + 2000};
    const int nv = t.m->nv;
    const double dt = steps[seed % 3];
    for (int i = 0; i < t.m->nlink; i++) { // some are prescribed
      t.m->link.packed[i].driven = t.m->link.driven[i] = t.m->link.packed[i].nv == 1 && i % 4 == 3;
    }
    lb_step_matrix(W, t.D, t.d, dt);
    assert_true(lb_tree_slopes_factor(t.T, t.d->qd, dt));
    lb_tree_slopes_matrix(t.T, made);
    compare(nv * nv, made, W, 1e-12);
    assert_int_equal(lb_lu(nv, W, nv, pivot), LB_OK);
    for (int transposed = 0; transposed < 2; transposed++) {
      fill(&r, nv, b, 1);
      lb_step_clear_driven(t.m, b);
      memcpy(x, b, sizeof x);
      assert_true(lb_tree_slopes_solve(t.T, transposed, x));
      (transposed ? lb_lu_solve : lb_lu_solve_transposed)(nv, W, nv, pivot, 1, b, nv);
      compare(nv, x, b, 1e-8);
    }
    close_tree(&t);
  }
}

// Hinges one after the other, each a tenth of a metre long.
static tree open_chain(int links) {
  static lb_scene_body body[MOST];
  static lb_scene_joint joint[MOST];
  lb_scene s = lb_scene_default();
  s.body = body;
  s.joint = joint;
  s.nbody = s.njoint = links;
  for (int i = 0; i < links; i++) {
    body[i] = lb_scene_body_default();
    body[i].name = "b";
    body[i].has_mass = body[i].has_com = body[i].has_inertia = true;
    body[i].mass = (lb_mass){0.1, {0.05, 0, 0}, {1e-5, 3e-4, 3e-4, 0, 0, 0}};
    joint[i] = lb_scene_joint_default();
    joint[i].name = "j";
    joint[i].kind = LB_JOINT_REVOLUTE;
    joint[i].child = i;
    joint[i].parent = i - 1;
    joint[i].resistance.damping = 0.01;
    joint[i].axis = i % 2 ? (lb_vec3){0, 0, 1} : (lb_vec3){0, 1, 0};
    joint[i].in_parent.p.x = i > 0 ? 0.1 : 0;
  }
  tree t = open_tree(&s);
  lb_random r = {77};
  fill(&r, t.m->nq, t.d->q, 0.2);
  fill(&r, t.m->nv, t.d->qd, 2);
  fill(&r, t.m->nv, t.d->qdd, 10);
  return t;
}

static void long_chains_are_solved_as_well(void** state) {
  (void)state;
  static double b[MOST], x[MOST], y[MOST], z[MOST];
  tree t = open_chain(MOST);
  lb_random r = {5};
  lb_kinematics(t.m, t.d, t.d->q, t.d->qd);
  lb_forces_apply(t.m, t.d);
  lb_tree_slopes_take(t.T, t.D, t.d);
  assert_true(lb_tree_slopes_factor(t.T, t.d->qd, 2e-3));
  fill(&r, MOST, b, 1);
  fill(&r, MOST, y, 1);
  memcpy(x, b, sizeof x);
  memcpy(z, y, sizeof z);
  assert_true(lb_tree_slopes_solve(t.T, false, x));
  assert_true(lb_tree_slopes_solve(t.T, true, z));
  // y'W^-1 b = (W'^-1 y)'b
  assert_near(lb_dot(MOST, y, x) / lb_dot(MOST, z, b), 1, 1e-8);
  close_tree(&t);
}

// A damper that pushes as much as the last link's inertia needs: there are no factors without
// exchanges of rows, but there is a derivative.
static void steps_without_such_factors_have_derivatives(void** state) {
  (void)state;
  enum { LINKS = 3 };
  const double dt = 1e-2;
  double W[LINKS * LINKS], left[LINKS] = {0};
  double dq[LINKS] = {0.3, -1, 0.7}, none[LINKS] = {0}, q[LINKS], v[LINKS], a[LINKS];
  tree t = open_chain(LINKS);
  memset(t.d->qd, 0, LINKS * sizeof(double));
  memset(t.d->qdd, 0, LINKS * sizeof(double));
  differentiate(&t);
  t.m->dof.damping[LINKS - 1] = 0;
  differentiate(&t);
  lb_step_matrix(W, t.D, t.d, dt);
  t.m->dof.damping[LINKS - 1] = -W[LINKS * LINKS - 1];
  differentiate(&t);
  assert_false(lb_tree_slopes_factor(t.T, t.d->qd, dt));
  lb_step_matrix(W, t.D, t.d, dt);
  lb_step_derivative* S;
  assert_int_equal(lb_step_derivative_create(t.m, NULL, &S, NULL), LB_OK);
  const lb_step_past past = {.dt = dt, .count = 1, .weight = {1}, .q = {t.d->q}, .v = {t.d->qd}};
  assert_true(lb_step_differentiate(S, t.d, &past));
  lb_step_forward(S, &(lb_step_effects){.q = q, .v = v, .a = a, .lambda = NULL},
                  &(lb_step_causes){.q = {dq}, .v = {none}, .motor = NULL}, NULL);
  for (int i = 0; i < LINKS; i++) { // W dv = -K dq
    left[i] = lb_dot(LINKS, W + i * LINKS, v) + lb_dot(LINKS, t.D->tau_q + i * LINKS, dq);
  }
  assert_near(largest(LINKS, left), 0, 1e-12);
  double by_q[LINKS] = {0}, by_v[LINKS] = {0}, wish[LINKS] = {1, 2, -0.5};
  lb_step_back(S, &(lb_step_causes){.q = {by_q}, .v = {by_v}, .motor = NULL},
               &(lb_step_effects){.q = none, .v = wish, .a = none, .lambda = NULL});
  assert_near(lb_dot(LINKS, by_q, dq), lb_dot(LINKS, wish, v), 1e-10);
  lb_step_derivative_release(S);
  close_tree(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_those_of_the_matrices),
      cmocka_unit_test(factors_solve_with_the_matrix_of_a_step),
      cmocka_unit_test(long_chains_are_solved_as_well),
      cmocka_unit_test(steps_without_such_factors_have_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
