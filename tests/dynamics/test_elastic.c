// Elastic bodies as links: identities on trees of rigid and elastic parts. The bodies here are made
// up (a cloud of masses, random basis), since no identity below depends on where basis and
// stiffness come from.
#include "assembly.h"
#include "dynamics/joint/joint.h"

enum { MOST = 200 };

static assembly A;

static void inverse_dynamics_equals_mass_matrix_times_acceleration(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    make_assembly(&A, seed, 10, (lb_vec3){0, 0, -9.81});
    const int nv = A.m->nv;
    double q[MOST], qd[MOST], qdd[MOST], full[MOST], bias[MOST];
    static double M[MOST * MOST];
    const double zero[MOST] = {0};
    random_motion(&A, seed + 7, q, qd);
    lb_random r = {seed};
    for (int i = 0; i < nv; i++) {
      qdd[i] = lb_random_between(&r, -5, 5);
    }
    lb_rnea(A.m, A.d, full, q, qd, qdd);
    lb_rnea(A.m, A.d, bias, q, qd, zero);
    lb_crba(A.m, A.d, M, q);
    for (int i = 0; i < nv; i++) {
      double sum = bias[i];
      for (int j = 0; j < nv; j++) {
        sum += M[i * nv + j] * qdd[j];
        assert_near(M[i * nv + j], M[j * nv + i], 1e-13);
      }
      assert_near(sum, full[i], 1e-11);
    }
    // forward dynamics undoes inverse dynamics
    double back[MOST], size = 1;
    lb_aba(A.m, A.d, back, q, qd, full);
    for (int i = 0; i < nv; i++) {
      size = fmax(size, fabs(bias[i]));
    }
    for (int i = 0; i < nv; i++) {
      assert_near(back[i] / size, qdd[i] / size, 1e-8);
    }
    // and the kinetic energy is that of the matrix
    double half = 0;
    for (int i = 0; i < nv; i++) {
      for (int j = 0; j < nv; j++) {
        half += 0.5 * qd[i] * M[i * nv + j] * qd[j];
      }
    }
    memcpy(A.d->q, q, (size_t)A.m->nq * sizeof *q);
    memcpy(A.d->qd, qd, (size_t)nv * sizeof *qd);
    assert_near(lb_kinetic_energy(A.m, A.d), half, 1e-12);
    release_assembly(&A);
  }
}

// d/dt (T + V) = 0 along the motion that forward dynamics gives. Any missing velocity term would
// show.
static void energy_is_conserved_at_every_instant(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    make_assembly(&A, seed, 10, (lb_vec3){1, 2, -9.81});
    lb_data* d = A.d;
    double q[MOST], qd[MOST], qdd[MOST], half[MOST], e[4];
    random_motion(&A, seed + 7, q, qd);
    memcpy(d->q, q, (size_t)A.m->nq * sizeof *q);
    memcpy(d->qd, qd, (size_t)A.m->nv * sizeof *qd);
    lb_forward(A.m, d);
    memcpy(qdd, d->qdd, (size_t)A.m->nv * sizeof *qdd);
    const double h = 1e-5;
    const double at[4] = {-2 * h, -h, h, 2 * h};
    for (int s = 0; s < 4; s++) {
      memcpy(d->q, q, (size_t)A.m->nq * sizeof *q);
      for (int i = 0; i < A.m->nv; i++) {
        half[i] = qd[i] + 0.5 * at[s] * qdd[i];
        d->qd[i] = qd[i] + at[s] * qdd[i];
      }
      lb_advance(A.m, d->q, half, at[s]);
      e[s] = lb_kinetic_energy(A.m, d) + lb_potential_energy(A.m, d);
    }
    const double rate = (8 * (e[2] - e[1]) - (e[3] - e[0])) / (12 * h);
    assert_near(rate / fmax(1, fabs(e[0])), 0, 1e-7);
    release_assembly(&A);
  }
}

// Linear and angular momentum of all the mass, by moving a little along the motion: nodes of the
// clouds and rigid parts.
static void positions(assembly* a, lb_vec3* point, double* mass, int* count) {
  lb_poses(a->m, a->d);
  *count = 0;
  for (int b = 0; b < a->m->nbody; b++) {
    const lb_transform X = a->d->pose[b];
    const int link = a->m->body.link[b];
    if (a->m->link.kind[link] == LB_LINK_ELASTIC) {
      const cloud* c = b == 1 ? &a->arm[0] : &a->arm[1];
      const double* eta = a->d->q + a->m->link.q[link];
      for (int i = 0; i < NODES; i++) {
        lb_vec3 x = {c->X[3 * i], c->X[3 * i + 1], c->X[3 * i + 2]};
        for (int k = 0; k < R; k++) {
          x = lb_vec3_add(x, lb_vec3_scale(eta[k], (lb_vec3){c->Phi[k][3 * i], c->Phi[k][3 * i + 1],
                                                             c->Phi[k][3 * i + 2]}));
        }
        point[*count] = lb_transform_point(X, x);
        mass[(*count)++] = c->mass[i];
      }
    }
  }
}

static void total_momentum(assembly* a, lb_vec3* linear, lb_vec3* angular) {
  enum { POINTS = 2 * NODES };
  static double q[MOST];
  lb_vec3 p[2][POINTS];
  lb_transform pose[2][TREE_MOST];
  double mass[POINTS];
  int count = 0;
  const double h = 3e-6;
  lb_data* d = a->d;
  memcpy(q, d->q, (size_t)a->m->nq * sizeof *q);
  for (int s = 0; s < 2; s++) {
    memcpy(d->q, q, (size_t)a->m->nq * sizeof *q);
    lb_advance(a->m, d->q, d->qd, s ? h : -h);
    positions(a, p[s], mass, &count);
    memcpy(pose[s], d->pose, (size_t)a->m->nbody * sizeof *d->pose);
  }
  memcpy(d->q, q, (size_t)a->m->nq * sizeof *q);
  *linear = *angular = (lb_vec3){0, 0, 0};
  for (int i = 0; i < count; i++) {
    const lb_vec3 v = lb_vec3_scale(mass[i] * 0.5 / h, lb_vec3_sub(p[1][i], p[0][i]));
    const lb_vec3 x = lb_vec3_scale(0.5, lb_vec3_add(p[0][i], p[1][i]));
    *linear = lb_vec3_add(*linear, v);
    *angular = lb_vec3_add(*angular, lb_vec3_cross(x, v));
  }
  for (int b = 0; b < a->m->nbody; b++) {
    if (a->m->link.kind[a->m->body.link[b]] == LB_LINK_ELASTIC) {
      continue;
    }
    const lb_mass mb = a->tree.body[b].mass;
    const lb_vec3 c0 = lb_transform_point(pose[0][b], mb.com);
    const lb_vec3 c1 = lb_transform_point(pose[1][b], mb.com);
    const lb_vec3 v = lb_vec3_scale(mb.mass * 0.5 / h, lb_vec3_sub(c1, c0));
    const lb_vec3 w = lb_vec3_scale(
        0.5 / h, lb_quat_log(lb_quat_mul(lb_quat_conjugate(pose[0][b].q), pose[1][b].q)));
    const lb_vec3 x = lb_vec3_scale(0.5, lb_vec3_add(c0, c1));
    const lb_quat mid = lb_quat_mul(pose[0][b].q, lb_quat_exp(lb_vec3_scale(h, w)));
    *linear = lb_vec3_add(*linear, v);
    *angular = lb_vec3_add(*angular, lb_vec3_cross(x, v));
    *angular = lb_vec3_add(*angular, lb_quat_rotate(mid, lb_sym3_apply(mb.inertia, w)));
  }
}

// The same, exactly, from the mass matrix: the rows of the free base hold the momentum of
// everything.
static void base_momentum(assembly* a, lb_vec3 out[2]) {
  static double M[MOST * MOST];
  const int nv = a->m->nv;
  double p[6] = {0};
  lb_crba(a->m, a->d, M, a->d->q);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < nv; j++) {
      p[i] += M[i * nv + j] * a->d->qd[j];
    }
  }
  const lb_transform X = lb_transform_mul(
      a->m->link.in_parent[0], (lb_transform){{a->d->q[3], a->d->q[4], a->d->q[5], a->d->q[6]},
                                              {a->d->q[0], a->d->q[1], a->d->q[2]}});
  out[0] = lb_quat_rotate(X.q, (lb_vec3){p[3], p[4], p[5]});
  out[1] =
      lb_vec3_add(lb_quat_rotate(X.q, (lb_vec3){p[0], p[1], p[2]}), lb_vec3_cross(X.p, out[0]));
}

static void floating_assembly_keeps_its_momentum(void** state) {
  (void)state;
  make_assembly(&A, 5, 300, (lb_vec3){0, 0, 0});
  random_motion(&A, 3, A.d->q, A.d->qd);
  lb_vec3 p0, l0, p1, l1, e0[2], e1[2];
  total_momentum(&A, &p0, &l0);
  base_momentum(&A, e0);
  const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_RK8, .step = 5e-4};
  lb_stepper* st;
  assert_int_equal(lb_stepper_create(A.m, &solver, NULL, &st, NULL), LB_OK);
  const double start = lb_kinetic_energy(A.m, A.d) + lb_potential_energy(A.m, A.d);
  for (int i = 0; i < 2000; i++) {
    assert_int_equal(lb_stepper_step(st, A.d, 5e-4, NULL), LB_OK);
  }
  total_momentum(&A, &p1, &l1);
  base_momentum(&A, e1);
  for (int i = 0; i < 2; i++) {
    assert_near(lb_vec3_norm(lb_vec3_sub(e0[i], e1[i])), 0, 1e-9);
  }
  // three ways to the same: links one by one, the mass matrix, and points that move a little
  const lb_momenta sum = lb_momentum(A.m, A.d);
  assert_near(lb_vec3_norm(lb_vec3_sub(sum.linear, e1[0])), 0, 1e-12);
  assert_near(lb_vec3_norm(lb_vec3_sub(sum.angular, e1[1])), 0, 1e-12);
  assert_at_least(sum.linear_sum, lb_vec3_norm(sum.linear));
  assert_at_least(sum.angular_sum, lb_vec3_norm(sum.angular));
  assert_near(lb_vec3_norm(lb_vec3_sub(p0, e0[0])), 0, 1e-6);
  assert_near(lb_vec3_norm(lb_vec3_sub(l0, e0[1])), 0, 1e-6);
  assert_near(lb_vec3_norm(lb_vec3_sub(p0, p1)), 0, 1e-6);
  assert_near(lb_vec3_norm(lb_vec3_sub(l0, l1)), 0, 1e-6);
  assert_near(lb_kinetic_energy(A.m, A.d) + lb_potential_energy(A.m, A.d), start, 1e-9);
  lb_stepper_release(st);
  release_assembly(&A);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_equals_mass_matrix_times_acceleration),
      cmocka_unit_test(energy_is_conserved_at_every_instant),
      cmocka_unit_test(floating_assembly_keeps_its_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
