// The three recursions against each other and against first principles, on random trees of random
// joints.
#include "dynamics/joint/joint.h"
#include "dynamics/tree/state.h"
#include "model/use/initial_pose.h"
#include "random_tree.h"

enum { MOST = LB_JOINT_MOST_Q * TREE_MOST };

typedef struct setup {
  random_tree tree;
  lb_model* m;
  lb_data* d;
  lb_random random;
  double q[MOST], qd[MOST], qdd[MOST], tau[MOST];
} setup;

static void open_setup(setup* s, uint64_t seed, int nbody, const lb_joint_kind* kinds, int nkind) {
  s->random = (lb_random){seed};
  random_tree_make(&s->tree, &s->random, nbody, kinds, nkind);
  assert_int_equal(lb_model_create(&s->tree.scene, NULL, &s->m, NULL), LB_OK);
  assert_int_equal(lb_data_create(s->m, NULL, &s->d, NULL), LB_OK);
  random_state(s->m, &s->random, s->q, s->qd);
  for (int i = 0; i < s->m->nv; i++) {
    s->qdd[i] = lb_random_between(&s->random, -5, 5);
    s->tau[i] = lb_random_between(&s->random, -5, 5);
  }
}

static void close_setup(setup* s) {
  lb_data_release(s->d);
  lb_model_release(s->m);
}

static double norm_difference(int n, const double* a, const double* b, double* norm) {
  double d = 0, s = 0;
  for (int i = 0; i < n; i++) {
    d = fmax(d, fabs(a[i] - b[i]));
    s = fmax(s, fmax(fabs(a[i]), fabs(b[i])));
  }
  *norm = s;
  return d;
}

#define assert_vectors_near(n, a, b, tolerance, seed)                                              \
  do {                                                                                             \
    double norm_;                                                                                  \
    const double d_ = norm_difference((n), (a), (b), &norm_);                                      \
    if (!(d_ <= (tolerance)*fmax(1, norm_))) {                                                     \
      print_error("seed %llu: differ by %.3g of %.3g\n", (unsigned long long)(seed), d_, norm_);   \
      fail();                                                                                      \
    }                                                                                              \
  } while (0)

static setup S;

// Size of the terms that add up to the torques: the scale against which rounding is measured.
static double force_scale(const double* M, const double* bias, const double* qdd, int nv) {
  double scale = 1;
  for (int i = 0; i < nv; i++) {
    scale = fmax(scale, fabs(bias[i]));
    for (int j = 0; j < nv; j++) {
      scale = fmax(scale, fabs(M[i * nv + j] * qdd[j]));
    }
  }
  return scale;
}

static void rnea_gives_back_the_torques_of_aba_on_a_thousand_random_trees(void** state) {
  (void)state;
  static double M[MOST * MOST];
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    open_setup(&S, seed, 1 + (int)(seed % 30), NULL, 0);
    double qdd[MOST], back[MOST], bias[MOST];
    const double zero[MOST] = {0};
    lb_aba(S.m, S.d, qdd, S.q, S.qd, S.tau);
    lb_rnea(S.m, S.d, back, S.q, S.qd, qdd);
    lb_rnea(S.m, S.d, bias, S.q, S.qd, zero);
    lb_crba(S.m, S.d, M, S.q);
    const double scale = force_scale(M, bias, qdd, S.m->nv);
    for (int i = 0; i < S.m->nv; i++) {
      assert_near(S.tau[i] / scale, back[i] / scale, 1e-12);
    }
    close_setup(&S);
  }
}

// rnea(qdd) - rnea(0) = M qdd
static void rnea_equals_mass_matrix_times_acceleration_plus_bias(void** state) {
  (void)state;
  static double M[MOST * MOST];
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    open_setup(&S, seed, 1 + (int)(seed % 30), NULL, 0);
    const int nv = S.m->nv;
    double full[MOST], bias[MOST], product[MOST];
    const double zero[MOST] = {0};
    lb_rnea(S.m, S.d, full, S.q, S.qd, S.qdd);
    lb_rnea(S.m, S.d, bias, S.q, S.qd, zero);
    lb_crba(S.m, S.d, M, S.q);
    for (int i = 0; i < nv; i++) {
      product[i] = bias[i];
      for (int j = 0; j < nv; j++) {
        product[i] += M[i * nv + j] * S.qdd[j];
        assert_true(M[i * nv + j] == M[j * nv + i]);
      }
    }
    assert_vectors_near(nv, full, product, 1e-12, seed);
    close_setup(&S);
  }
}

// M aba(tau) + bias = tau
static void aba_solves_the_equations_of_the_mass_matrix(void** state) {
  (void)state;
  static double M[MOST * MOST];
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    open_setup(&S, seed, 1 + (int)(seed % 30), NULL, 0);
    const int nv = S.m->nv;
    double qdd[MOST], left[MOST];
    const double zero[MOST] = {0};
    lb_aba(S.m, S.d, qdd, S.q, S.qd, S.tau);
    lb_rnea(S.m, S.d, left, S.q, S.qd, zero);
    lb_crba(S.m, S.d, M, S.q);
    const double scale = force_scale(M, left, qdd, nv);
    for (int i = 0; i < nv; i++) {
      for (int j = 0; j < nv; j++) {
        left[i] += M[i * nv + j] * qdd[j];
      }
      left[i] -= S.tau[i];
    }
    for (int i = 0; i < nv; i++) {
      assert_near(left[i] / scale, 0, 1e-12);
    }
    close_setup(&S);
  }
}

// The recursions' poses against one transform at a time.
static void poses_equal_products_of_transforms(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    open_setup(&S, seed, 1 + (int)(seed % 40), NULL, 0);
    lb_transform pose[TREE_MOST];
    lb_link_poses(S.m, pose, S.q);
    memcpy(S.d->q, S.q, (size_t)S.m->nq * sizeof *S.q);
    lb_poses(S.m, S.d);
    for (int i = 0; i < S.m->nbody; i++) {
      const lb_transform X = lb_body_pose(S.m, i, pose);
      const lb_vec3 off = lb_vec3_sub(X.p, S.d->pose[i].p);
      const lb_vec3 turn = lb_quat_log(lb_quat_mul(lb_quat_conjugate(X.q), S.d->pose[i].q));
      assert_near(lb_vec3_norm(off), 0, 1e-12);
      assert_near(lb_vec3_norm(turn), 0, 1e-12);
    }
    close_setup(&S);
  }
}

static double kinetic(setup* s, const double* q, const double* qd) {
  memcpy(s->d->q, q, (size_t)s->m->nq * sizeof *q);
  memcpy(s->d->qd, qd, (size_t)s->m->nv * sizeof *qd);
  return lb_kinetic_energy(s->m, s->d);
}

static void kinetic_energy_is_half_of_velocity_mass_velocity(void** state) {
  (void)state;
  static double M[MOST * MOST];
  for (uint64_t seed = 1; seed <= 200; seed++) {
    open_setup(&S, seed, 1 + (int)(seed % 30), NULL, 0);
    const int nv = S.m->nv;
    lb_crba(S.m, S.d, M, S.q);
    double sum = 0;
    for (int i = 0; i < nv; i++) {
      for (int j = 0; j < nv; j++) {
        sum += 0.5 * S.qd[i] * M[i * nv + j] * S.qd[j];
      }
    }
    assert_near(kinetic(&S, S.q, S.qd), sum, 1e-12);
    close_setup(&S);
  }
}

// The power of gravity and of the torques is the rate of the energy: with qdd from aba,
// d/dt (T + V) = tau . qd. A missing velocity term would break it.
static void energy_changes_at_the_power_of_the_torques(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    open_setup(&S, seed, 1 + (int)(seed % 12), NULL, 0);
    const lb_model* m = S.m;
    double qdd[MOST];
    lb_aba(m, S.d, qdd, S.q, S.qd, S.tau);
    double power = 0;
    for (int i = 0; i < m->nv; i++) {
      power += S.tau[i] * S.qd[i];
    }
    double energy[4];
    const double h = 1e-5;
    const double at[4] = {-2 * h, -h, h, 2 * h};
    for (int e = 0; e < 4; e++) {
      double qd[MOST];
      for (int i = 0; i < m->nv; i++) {
        qd[i] = S.qd[i] + at[e] * qdd[i];
      }
      memcpy(S.d->q, S.q, (size_t)m->nq * sizeof *S.q);
      // second order in time along the motion is enough: the difference below is of fourth order in
      // h
      double half[MOST];
      for (int i = 0; i < m->nv; i++) {
        half[i] = S.qd[i] + 0.5 * at[e] * qdd[i];
      }
      lb_advance(m, S.d->q, half, at[e]);
      memcpy(S.d->qd, qd, (size_t)m->nv * sizeof *qd);
      energy[e] = lb_kinetic_energy(m, S.d) + lb_potential_energy(m, S.d);
    }
    const double rate = (8 * (energy[2] - energy[1]) - (energy[3] - energy[0])) / (12 * h);
    double scale = fabs(power);
    for (int e = 0; e < 4; e++) {
      scale = fmax(scale, fabs(energy[e]));
    }
    if (!(fabs(rate - power) <= 1e-7 * scale)) {
      print_error("seed %llu: rate %.10g power %.10g\n", (unsigned long long)seed, rate, power);
      fail();
    }
    close_setup(&S);
  }
}

static void time_and_space_do_not_matter(void** state) {
  (void)state;
  // the same tree hung up somewhere else, turned about the vertical: same accelerations
  for (uint64_t seed = 1; seed <= 100; seed++) {
    open_setup(&S, seed, 1 + (int)(seed % 20), NULL, 0);
    double here[MOST], there[MOST];
    lb_aba(S.m, S.d, here, S.q, S.qd, S.tau);
    const lb_transform move = {lb_quat_exp(lb_vec3_make(0, 0, 2.1)), {30, -40, 25}};
    for (int j = 0; j < S.tree.scene.njoint; j++) {
      if (S.tree.joint[j].parent == LB_WORLD) {
        S.tree.joint[j].in_parent = lb_transform_mul(move, S.tree.joint[j].in_parent);
      }
    }
    close_setup(&S);
    assert_int_equal(lb_model_create(&S.tree.scene, NULL, &S.m, NULL), LB_OK);
    assert_int_equal(lb_data_create(S.m, NULL, &S.d, NULL), LB_OK);
    lb_aba(S.m, S.d, there, S.q, S.qd, S.tau);
    assert_vectors_near(S.m->nv, here, there, 1e-11, seed);
    close_setup(&S);
  }
}

// A universal joint is two hinges with next to nothing between them.
static void universal_joint_is_two_hinges_with_a_tiny_body_between(void** state) {
  (void)state;
  static const lb_joint_kind kind[] = {LB_JOINT_UNIVERSAL};
  const double tiny = 1e-9;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    const int n = 1 + (int)(seed % 10);
    open_setup(&S, seed, n, kind, 1);
    double once[MOST], twice[MOST];
    lb_aba(S.m, S.d, once, S.q, S.qd, S.tau);
    random_tree* t = &S.tree;
    for (int i = n - 1; i >= 0; i--) { // body i becomes 2i + 1, the cross before it is 2i
      lb_scene_joint second = t->joint[i], first = second;
      first.kind = second.kind = LB_JOINT_REVOLUTE;
      first.parent = first.parent == LB_WORLD ? LB_WORLD : 2 * first.parent + 1;
      first.child = second.parent = 2 * i;
      second.child = 2 * i + 1;
      second.axis = second.axis2;
      first.in_child = second.in_parent = lb_transform_identity();
      t->joint[2 * i] = first;
      t->joint[2 * i + 1] = second;
      t->body[2 * i + 1] = t->body[i];
      t->body[2 * i] = lb_scene_body_default();
      t->body[2 * i].mass = (lb_mass){tiny, {0, 0, 0}, {tiny, tiny, tiny, 0, 0, 0}};
      t->body[2 * i].has_mass = t->body[2 * i].has_com = t->body[2 * i].has_inertia = true;
    }
    t->scene.nbody = t->scene.njoint = 2 * n;
    for (int i = 0; i < 2 * n; i++) {
      snprintf(t->name[i], sizeof t->name[i], "b%d", i);
      t->body[i].name = t->joint[i].name = t->name[i];
    }
    // the same coordinates, but perhaps not in the same order
    double q[MOST], qd[MOST], tau[MOST];
    lb_model* whole = S.m;
    lb_data_release(S.d);
    assert_int_equal(lb_model_create(&t->scene, NULL, &S.m, NULL), LB_OK);
    assert_int_equal(lb_data_create(S.m, NULL, &S.d, NULL), LB_OK);
    for (int j = 0; j < 2 * n; j++) {
      const int to = S.m->joint.v[j], from = whole->joint.v[j / 2] + j % 2;
      q[to] = S.q[from];
      qd[to] = S.qd[from];
      tau[to] = S.tau[from];
    }
    lb_aba(S.m, S.d, twice, q, qd, tau);
    double again[MOST];
    for (int j = 0; j < 2 * n; j++) {
      again[whole->joint.v[j / 2] + j % 2] = twice[S.m->joint.v[j]];
    }
    assert_vectors_near(2 * n, once, again, 1e-5, seed);
    lb_model_release(whole);
    close_setup(&S);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rnea_gives_back_the_torques_of_aba_on_a_thousand_random_trees),
      cmocka_unit_test(rnea_equals_mass_matrix_times_acceleration_plus_bias),
      cmocka_unit_test(aba_solves_the_equations_of_the_mass_matrix),
      cmocka_unit_test(poses_equal_products_of_transforms),
      cmocka_unit_test(kinetic_energy_is_half_of_velocity_mass_velocity),
      cmocka_unit_test(energy_changes_at_the_power_of_the_torques),
      cmocka_unit_test(time_and_space_do_not_matter),
      cmocka_unit_test(universal_joint_is_two_hinges_with_a_tiny_body_between),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
