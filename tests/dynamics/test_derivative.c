// Analytic derivatives of inverse and forward dynamics against differences.
#include "assembly.h"
#include "differences.h"
#include "limber/limber.h"

enum { MOST = 200 };

typedef struct setup {
  const lb_model* m;
  lb_data* d;
  const double* qdd;
} setup;

static double reference[MOST * MOST], M[MOST * MOST];
static random_tree T;
static assembly A;

static void inverse(void* context, double* out, const double* q, const double* v) {
  const setup* s = context;
  lb_rnea(s->m, s->d, out, q, v, s->qdd);
}

// Every derivative of inverse dynamics at a random state.
static void check_inverse(const lb_model* m, lb_data* d, const double* q, const double* qd,
                          const double* qdd) {
  lb_derivatives* D;
  double tau[MOST];
  const setup s = {m, d, qdd};
  const int n = m->nv * m->nv;
  assert_int_equal(lb_derivatives_create(m, NULL, &D, NULL), LB_OK);
  lb_rnea_derivatives(D, d, q, qd, qdd);
  lb_rnea(m, d, tau, q, qd, qdd);
  assert_memory_equal(tau, D->tau, (size_t)m->nv * sizeof *tau);
  lb_crba(m, d, M, q);
  assert_matrix_near(n, M, D->M, 1e-13);
  difference(m, inverse, (void*)&s, m->nv, q, qd, true, 3e-5, reference);
  assert_matrix_near(n, reference, D->tau_q, 1e-9);
  difference(m, inverse, (void*)&s, m->nv, q, qd, false, 1e-2, reference);
  assert_matrix_near(n, reference, D->tau_qd, 1e-11);
  lb_derivatives_release(D);
}

static void forward(void* context, double* out, const double* q, const double* v) {
  const setup* s = context;
  lb_aba(s->m, s->d, out, q, v, s->qdd);
}

// Every derivative of forward dynamics; differences lose what the mass matrix is badly conditioned
// by.
static void check_forward(const lb_model* m, lb_data* d, const double* q, const double* qd,
                          const double* tau) {
  lb_derivatives* D;
  const setup s = {m, d, tau};
  const int n = m->nv * m->nv;
  assert_int_equal(lb_derivatives_create(m, NULL, &D, NULL), LB_OK);
  assert_int_equal(lb_aba_derivatives(D, d, q, qd, tau), LB_OK);
  difference(m, forward, (void*)&s, m->nv, q, qd, true, 3e-5, reference);
  assert_matrix_near(n, reference, D->qdd_q, 1e-6);
  difference(m, forward, (void*)&s, m->nv, q, qd, false, 1e-2, reference);
  assert_matrix_near(n, reference, D->qdd_qd, 1e-8);
  // M M^-1 = 1
  for (int i = 0; i < m->nv; i++) {
    for (int j = 0; j < m->nv; j++) {
      double sum = 0;
      for (int k = 0; k < m->nv; k++) {
        sum += D->M[i * m->nv + k] * D->qdd_tau[k * m->nv + j];
      }
      assert_near(sum, i == j, 1e-8);
    }
  }
  lb_derivatives_release(D);
}

static void derivatives_of_random_trees_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    lb_random r = {seed};
    lb_model* m;
    lb_data* d;
    double q[MOST], qd[MOST], qdd[MOST];
    random_tree_make(&T, &r, 1 + (int)(seed % 15), NULL, 0);
    assert_int_equal(lb_model_create(&T.scene, NULL, &m, NULL), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    random_state(m, &r, q, qd);
    for (int k = 0; k < m->nv; k++) {
      qdd[k] = lb_random_between(&r, -5, 5);
    }
    check_inverse(m, d, q, qd, qdd);
    check_forward(m, d, q, qd, qdd);
    lb_data_release(d);
    lb_model_release(m);
  }
}

static void derivatives_with_elastic_bodies_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    double q[MOST], qd[MOST], qdd[MOST];
    make_assembly(&A, seed, 10, (lb_vec3){1, 2, -9.81});
    random_motion(&A, seed + 7, q, qd);
    lb_random r = {seed};
    for (int k = 0; k < A.m->nv; k++) {
      qdd[k] = lb_random_between(&r, -5, 5);
    }
    check_inverse(A.m, A.d, q, qd, qdd);
    check_forward(A.m, A.d, q, qd, qdd);
    release_assembly(&A);
  }
}

// Charts on faces of elastic bodies, and carrying one.
static void derivatives_with_charts_on_elastic_bodies_match_differences(void** state) {
  (void)state;
  static const lb_joint_kind KINDS[] = {LB_JOINT_EXPONENTIAL, LB_JOINT_HELICAL, LB_JOINT_FREE_2D,
                                        LB_JOINT_EULER};
  for (uint64_t seed = 1; seed <= 4; seed++) {
    double q[MOST], qd[MOST], qdd[MOST], there[MOST], back[MOST];
    lb_random r = {seed};
    fill_assembly(&A, &r, 10, (lb_vec3){1, 2, -9.81});
    for (int i = 3; i < 7; i++) {
      A.tree.joint[i].kind = KINDS[i - 3];
      A.tree.joint[i].pitch = 0.3;
      for (int k = 0; k < LB_JOINT_MOST_Q; k++) {
        A.tree.joint[i].q[k] = 0;
      }
    }
    assert_int_equal(lb_model_create(&A.tree.scene, NULL, &A.m, NULL), LB_OK);
    assert_int_equal(lb_data_create(A.m, NULL, &A.d, NULL), LB_OK);
    random_motion(&A, seed + 7, q, qd);
    for (int k = 0; k < A.m->nv; k++) {
      qdd[k] = lb_random_between(&r, -5, 5);
    }
    check_inverse(A.m, A.d, q, qd, qdd);
    check_forward(A.m, A.d, q, qd, qdd);
    lb_rnea(A.m, A.d, there, q, qd, qdd);
    lb_aba(A.m, A.d, back, q, qd, there);
    for (int k = 0; k < A.m->nv; k++) {
      assert_near(back[k], qdd[k], 1e-8);
    }
    release_assembly(&A);
  }
}

// c(q, qd) less c(q, 0) is a quadratic form in qd: (dc/dqd) qd is twice its value.
static void velocity_forces_are_quadratic(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    double q[MOST], qd[MOST], moving[MOST], still[MOST];
    const double zero[MOST] = {0};
    lb_derivatives* D;
    make_assembly(&A, seed, 10, (lb_vec3){1, 2, -9.81});
    random_motion(&A, seed + 7, q, qd);
    assert_int_equal(lb_derivatives_create(A.m, NULL, &D, NULL), LB_OK);
    lb_rnea_derivatives(D, A.d, q, qd, zero);
    lb_rnea(A.m, A.d, moving, q, qd, zero);
    lb_rnea(A.m, A.d, still, q, zero, zero);
    for (int i = 0; i < A.m->nv; i++) {
      double twice = 0, size = 1;
      for (int j = 0; j < A.m->nv; j++) {
        twice += D->tau_qd[i * A.m->nv + j] * qd[j];
        size += fabs(D->tau_qd[i * A.m->nv + j] * qd[j]);
      }
      assert_near(twice / size, 2 * (moving[i] - still[i]) / size, 1e-11);
    }
    lb_derivatives_release(D);
    release_assembly(&A);
  }
}

// Chain of boxes on hinges about y and z in turn.
static lb_scene make_chain(lb_random* r, int n) {
  static lb_scene_body body[MOST];
  static lb_scene_joint joint[MOST];
  static char name[MOST][16];
  lb_scene scene = lb_scene_default();
  for (int i = 0; i < n; i++) {
    snprintf(name[i], sizeof name[i], "b%d", i);
    body[i] = lb_scene_body_default();
    body[i].has_mass = body[i].has_com = body[i].has_inertia = true;
    body[i].mass = random_mass(r);
    joint[i] = lb_scene_joint_default();
    body[i].name = joint[i].name = name[i];
    joint[i].kind = LB_JOINT_REVOLUTE;
    joint[i].parent = i - 1;
    joint[i].child = i;
    joint[i].axis = i % 2 == 0 ? lb_vec3_make(0, 1, 0) : lb_vec3_make(0, 0, 1);
    joint[i].in_parent.p.x = 0.4;
  }
  scene.name = scene.file = "chain";
  scene.about = "";
  scene.body = body;
  scene.joint = joint;
  scene.nbody = scene.njoint = n;
  return scene;
}

// What is left of H X + s B = 0, over the largest sum of sizes, or 1.
static double left_over(int n, const double* H, const double* X, double s, const double* B) {
  double most = 0, size = 1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = s * B[i * n + j], sizes = fabs(sum);
      for (int k = 0; k < n; k++) {
        sum += H[i * n + k] * X[k * n + j];
        sizes += fabs(H[i * n + k] * X[k * n + j]);
      }
      most = fmax(most, fabs(sum));
      size = fmax(size, sizes);
    }
  }
  return most / size;
}

// Accelerations by forces without gravity and velocities, one by one.
static void linearised_forces(const lb_model* m, lb_data* d, const double* q, double* out) {
  const double zero[MOST] = {0};
  for (int k = 0; k < m->nv; k++) {
    double e[MOST] = {0}, qdd[MOST];
    e[k] = 1;
    lb_aba(m, d, qdd, q, zero, e);
    for (int i = 0; i < m->nv; i++) {
      out[i * m->nv + k] = qdd[i];
    }
  }
}

// Forward derivatives put into the equations of motion by the mass matrix of lb_crba, and the
// inverse of that against lb_aba.
static void check_solved(lb_scene* scene, lb_random* r, double tolerance) {
  static double one[MOST * MOST];
  lb_model* m;
  lb_data* d;
  lb_derivatives* D;
  double q[MOST], qd[MOST], tau[MOST];
  scene->gravity = lb_vec3_make(0, 0, 0);
  assert_int_equal(lb_model_create(scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_derivatives_create(m, NULL, &D, NULL), LB_OK);
  assert_at_most(m->nv, MOST);
  random_state(m, r, q, qd);
  for (int k = 0; k < m->nv; k++) {
    tau[k] = lb_random_between(r, -5, 5);
  }
  assert_int_equal(lb_aba_derivatives(D, d, q, qd, tau), LB_OK);
  lb_crba(m, d, M, q);
  for (int k = 0; k < m->nv * m->nv; k++) {
    one[k] = k % (m->nv + 1) == 0;
  }
  assert_near(left_over(m->nv, M, D->qdd_q, 1, D->tau_q), 0, 1e-14);
  assert_near(left_over(m->nv, M, D->qdd_qd, 1, D->tau_qd), 0, 1e-14);
  assert_near(left_over(m->nv, M, D->qdd_tau, -1, one), 0, 1e-14);
  linearised_forces(m, d, q, reference);
  assert_matrix_near(m->nv * m->nv, reference, D->qdd_tau, tolerance);
  lb_derivatives_release(D);
  lb_data_release(d);
  lb_model_release(m);
}

static void forward_derivatives_of_random_trees_solve_the_inverse_ones(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 80; seed++) {
    lb_random r = {seed};
    random_tree_make(&T, &r, 1 + (int)(seed % 40), NULL, 0);
    check_solved(&T.scene, &r, 1e-11);
  }
}

static void forward_derivatives_of_long_chains_solve_the_inverse_ones(void** state) {
  (void)state;
  for (int n = 1; n <= MOST; n += n < 20 ? 1 : 60) {
    lb_random r = {(uint64_t)n};
    lb_scene chain = make_chain(&r, n);
    check_solved(&chain, &r, 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_random_trees_match_differences),
      cmocka_unit_test(derivatives_with_elastic_bodies_match_differences),
      cmocka_unit_test(derivatives_with_charts_on_elastic_bodies_match_differences),
      cmocka_unit_test(velocity_forces_are_quadratic),
      cmocka_unit_test(forward_derivatives_of_random_trees_solve_the_inverse_ones),
      cmocka_unit_test(forward_derivatives_of_long_chains_solve_the_inverse_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
