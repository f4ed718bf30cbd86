// Dense Jacobians against the recursions, which know nothing of them.
#include "assembly.h"
#include "dynamics/tree/kinematics.h"
#include "limber/limber.h"

enum { MOST = 120, MOST_LINKS = 40 };

static random_tree T;
static double J[MOST_LINKS * 6 * MOST], Jdot[MOST_LINKS * 6 * MOST];

// A link's own momentum, and what velocities alone need: (moment, force) of one column or motion.
static lb_motion push(const lb_link* l, lb_motion a) {
  return (lb_motion){lb_m3_apply(l->I0, a.w) + lb_v4_cross(l->h, a.v),
                     a.v * l->m - lb_v4_cross(l->h, a.w)};
}

static lb_motion column(const double* A, int nv, int link, int k) {
  const double* a = A + 6 * nv * link + k;
  return (lb_motion){lb_v4_make(a[0], a[nv], a[2 * nv]),
                     lb_v4_make(a[3 * nv], a[4 * nv], a[5 * nv])};
}

static lb_motion product(const double* A, int nv, int link, const double* x) {
  lb_motion sum = {lb_v4_zero(), lb_v4_zero()};
  for (int k = 0; k < nv; k++) {
    sum = lb_motion_add(sum, lb_motion_scale(x[k], column(A, nv, link, k)));
  }
  return sum;
}

// M = sum J'I J and c = sum J'(I Jdot qd - ad(V)' I V - m g).
static void recursions_give_what_dense_jacobians_give(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    lb_random r = {seed};
    lb_model* m;
    lb_data* d;
    lb_derivatives* D;
    double q[MOST], qd[MOST], c[MOST], bias[MOST] = {0};
    static double M[MOST * MOST], sum[MOST * MOST];
    const double still[MOST] = {0};
    random_tree_make(&T, &r, 1 + (int)(seed % 15), NULL, 0);
    assert_int_equal(lb_model_create(&T.scene, NULL, &m, NULL), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    assert_int_equal(lb_derivatives_create(m, NULL, &D, NULL), LB_OK);
    random_state(m, &r, q, qd);
    const int nv = m->nv;
    lb_jacobians(D, d, J, Jdot, q, qd);
    memset(sum, 0, sizeof sum);
    for (int i = 0; i < m->nlink; i++) {
      const lb_link* l = &m->link.packed[i];
      const lb_motion V = product(J, nv, i, qd);
      const lb_motion p = push(l, V);
      lb_motion f = push(l, product(Jdot, nv, i, qd));
      f.w += lb_v4_cross(V.w, p.w) + lb_v4_cross(V.v, p.v);
      f.v += lb_v4_cross(V.w, p.v);
      const lb_v4 up = lb_m3_apply_transposed(d->work->state[i].R, -lb_v4_from(m->gravity));
      f = lb_motion_add(f, push(l, (lb_motion){lb_v4_zero(), up}));
      for (int a = 0; a < nv; a++) {
        const lb_motion Ja = column(J, nv, i, a);
        bias[a] += lb_motion_dot(Ja, f);
        for (int b = 0; b < nv; b++) {
          sum[a * nv + b] += lb_motion_dot(Ja, push(l, column(J, nv, i, b)));
        }
      }
    }
    for (int a = 0; a < nv; a++) {
      sum[a * nv + a] += m->dof.armature[a];
    }
    lb_crba(m, d, M, q);
    lb_rnea(m, d, c, q, qd, still);
    double size = 1, most = 1;
    for (int a = 0; a < nv; a++) {
      most = fmax(most, fabs(c[a]));
      for (int b = 0; b < nv; b++) {
        size = fmax(size, fabs(M[a * nv + b]));
      }
    }
    for (int a = 0; a < nv; a++) {
      assert_near(c[a] / most, bias[a] / most, 1e-12);
      for (int b = 0; b < nv; b++) {
        assert_near(M[a * nv + b] / size, sum[a * nv + b] / size, 1e-12);
      }
    }
    lb_derivatives_release(D);
    lb_data_release(d);
    lb_model_release(m);
  }
}

static assembly A;

// Of faces, too: J qd and its rate are what the links' states say.
static void links_move_as_their_jacobians_say(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    double q[MOST], qd[MOST];
    lb_derivatives* D;
    make_assembly(&A, seed, 10, (lb_vec3){0, 0, 0});
    random_motion(&A, seed + 7, q, qd);
    const int nv = A.m->nv;
    const double still[MOST] = {0};
    double tau[MOST];
    assert_at_most(A.m->nlink, MOST_LINKS);
    assert_at_most(nv, MOST);
    assert_int_equal(lb_derivatives_create(A.m, NULL, &D, NULL), LB_OK);
    lb_jacobians(D, A.d, J, Jdot, q, qd);
    lb_rnea(A.m, A.d, tau, q, qd, still);
    lb_move_origins(A.m, A.d->work, qd);
    for (int i = 0; i < A.m->nlink; i++) {
      const lb_state* s = &A.d->work->state[i];
      const lb_motion V = lb_motion_turn(s->R, product(J, nv, i, qd));
      const lb_motion a = lb_motion_turn(s->R, product(Jdot, nv, i, qd));
      const lb_v4 ordinary = a.v + lb_v4_cross(s->w, s->v);
      for (int c = 0; c < 3; c++) {
        assert_near(V.w[c], s->w[c], 1e-12);
        assert_near(V.v[c], s->v[c], 1e-12);
        assert_near(a.w[c], s->al[c], 1e-11);
        assert_near(ordinary[c], s->a[c], 1e-11);
      }
    }
    lb_derivatives_release(D);
    release_assembly(&A);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recursions_give_what_dense_jacobians_give),
      cmocka_unit_test(links_move_as_their_jacobians_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
