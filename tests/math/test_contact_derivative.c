// Derivatives of contact solutions against finite differences, forward and transposed, and Newton
// steps by groups against dense ones.
#include "contact_random.h"
#include "math/contact/contact_dense.h"
#include "math/contact/contact_derivative.h"
#include "math/contact/contact_sparse.h"
#include "test_arena.h"

enum { VELOCITIES = RANDOM_BODIES * WORLD_WIDTH };

static bool solve(const lb_contact_world* w, double* lambda, double* u) {
  lb_contact_report report;
  assert_int_equal(lb_contact_reference(&w->problem, &arena, lambda, u, &report), LB_OK);
  return report.status == LB_CONTACT_SOLVED;
}

// Solutions keep away from switches by this much, relative to velocities of one.
static bool far_from_switches(const lb_contact_world* w, const double* lambda, const double* u) {
  static const double FAR = 1e-3;
  const lb_contact_problem* p = &w->problem;
  for (int r = 0; r < p->nrow; r++) {
    const lb_contact_row* row = &p->row[r];
    double v[2];
    for (int i = 0; i < 1 + (row->kind == LB_CONTACT_SET_2); i++) {
      v[i] = lb_contact_row_velocity(p, r + i, u) + row[i].c * lambda[r + i] + row[i].b;
    }
    if (row->kind == LB_CONTACT_UNILATERAL && lambda[r] < FAR && v[0] < FAR) {
      return false;
    }
    if (row->kind == LB_CONTACT_SET_2 && lambda[row->normal] > 0) {
      const double slip = hypot(v[0], v[1]), size = hypot(lambda[r], lambda[r + 1]);
      if (slip < FAR && row->mu * lambda[row->normal] - size < FAR) {
        return false;
      }
    }
  }
  return true;
}

typedef struct direction {
  double w0[RANDOM_ROWS], mu[RANDOM_ROWS], c[RANDOM_ROWS];
} direction;

// The world moved along a direction.
static void move(lb_contact_world* w, const direction* d, double step) {
  for (int r = 0; r < w->problem.nrow; r++) {
    w->row[r].b += step * d->w0[r];
    w->row[r].mu += step * d->mu[r];
    w->row[r].c += step * d->c[r];
  }
}

static direction random_direction(const lb_contact_world* w, lb_random* r) {
  direction d;
  memset(&d, 0, sizeof d);
  for (int i = 0; i < w->problem.nrow; i++) {
    d.w0[i] = lb_random_between(r, -1, 1);
    d.mu[i] = w->row[i].kind == LB_CONTACT_SET_2 ? lb_random_between(r, -1, 1) : 0;
    d.c[i] = lb_random_between(r, -0.1, 0.1);
  }
  return d;
}

static void derivatives_equal_finite_differences_both_ways(void** state) {
  (void)state;
  static const double STEP = 1e-5;
  lb_contact_world w = lb_contact_world_make(RANDOM_BODIES, RANDOM_ROWS);
  int compared = 0;
  for (int i = 0; i < 120; i++) {
    lb_random r = {(uint64_t)i * 613 + 11};
    double lambda[RANDOM_ROWS] = {0}, u[VELOCITIES], low[VELOCITIES], high[VELOCITIES];
    double dlambda[RANDOM_ROWS], du[VELOCITIES], la[RANDOM_ROWS], lb[RANDOM_ROWS];
    lb_random_world(&w, &r, 4, 1, 4, LB_RANDOM_MU[1 + i % 3]);
    for (int k = 0; k < w.problem.nrow; k++) {
      w.row[k].c = 0.05; // so that impulses are unique
    }
    if (!solve(&w, lambda, u) || !far_from_switches(&w, lambda, u)) {
      continue;
    }
    direction d = random_direction(&w, &r);
    const lb_contact_change change = {d.w0, d.mu, d.c};
    assert_int_equal(lb_contact_tangent(&w.problem, &arena, lambda, &change, dlambda, du), LB_OK);
    memcpy(la, lambda, sizeof la);
    memcpy(lb, lambda, sizeof lb);
    move(&w, &d, STEP);
    const bool above = solve(&w, la, high);
    move(&w, &d, -2 * STEP);
    const bool below = solve(&w, lb, low);
    move(&w, &d, STEP);
    assert_true(above && below);
    for (int k = 0; k < w.problem.nrow; k++) {
      assert_within(dlambda[k], (la[k] - lb[k]) / (2 * STEP), 1e-6);
    }
    for (int k = 0; k < lb_contact_nvelocity(&w.problem); k++) {
      assert_within(du[k], (high[k] - low[k]) / (2 * STEP), 1e-6);
    }
    // <g, derivative of d> both ways
    double g[RANDOM_ROWS], h[VELOCITIES], one = 0, other = 0;
    lb_random_vector(&r, 1, g, w.problem.nrow);
    lb_random_vector(&r, 1, h, lb_contact_nvelocity(&w.problem));
    direction gradient;
    lb_contact_change out = {gradient.w0, gradient.mu, gradient.c};
    assert_int_equal(lb_contact_adjoint(&w.problem, &arena, lambda, g, h, &out), LB_OK);
    for (int k = 0; k < w.problem.nrow; k++) {
      one += g[k] * dlambda[k];
      other += gradient.w0[k] * d.w0[k] + gradient.mu[k] * d.mu[k] + gradient.c[k] * d.c[k];
    }
    for (int k = 0; k < lb_contact_nvelocity(&w.problem); k++) {
      one += h[k] * du[k];
    }
    assert_within(one, other, 1e-7);
    compared++;
  }
  print_message("%d of 120 were far from switches\n", compared);
  assert_at_least(compared, 40);
  lb_contact_world_free(&w);
}

// At mu = 0 a sliding point has d(speed)/dmu = -lambda_n / m.
static void friction_begins_with_the_slope_of_the_normal_force(void** state) {
  (void)state;
  const double up[3] = {0, 0, 1}, centre[3] = {0, 0, 0};
  lb_contact_world w = lb_contact_world_make(1, 3);
  double lambda[3] = {0}, u[WORLD_WIDTH], dlambda[3], du[WORLD_WIDTH], by_u[WORLD_WIDTH] = {0};
  lb_add_body(&w, 2, 1, (const double[]){0, 0, 0, 3, 0, -1});
  lb_add_contact(&w, 0, -1, up, centre, centre, 0);
  assert_true(solve(&w, lambda, u));
  double mu[3] = {0, 1, 0}, gradient[3];
  const lb_contact_change change = {NULL, mu, NULL};
  assert_int_equal(lb_contact_tangent(&w.problem, &arena, lambda, &change, dlambda, du), LB_OK);
  assert_within(du[3], -1, 1e-7);
  by_u[3] = 1;
  lb_contact_change out = {NULL, gradient, NULL};
  assert_int_equal(lb_contact_adjoint(&w.problem, &arena, lambda, NULL, by_u, &out), LB_OK);
  assert_within(gradient[1], -1, 1e-7);
  lb_contact_world_free(&w);
}

// --- Newton steps ---

static void* carved(lb_carver measure) {
  void* block = lb_arena_take(&arena, measure.used, LB_ALIGN);
  assert_non_null(block);
  return block;
}

static void steps_by_groups_equal_dense_ones(void** state) {
  (void)state;
  lb_contact_world w = lb_contact_world_make(RANDOM_BODIES, RANDOM_ROWS);
  for (int i = 0; i < 30; i++) {
    lb_random r = {(uint64_t)i * 37 + 19};
    lb_random_world(&w, &r, 12, 3, 24, 0.5);
    const lb_contact_problem* p = &w.problem;
    for (int k = 0; k < p->nrow; k++) {
      w.row[k].c = 0.1;
    }
    lb_contact_islands islands;
    lb_contact_sparse sparse;
    lb_contact_dense dense;
    lb_carver m = {NULL, 0};
    lb_contact_islands_carve(&islands, &m, p->nblock, p->ngroup);
    lb_contact_sparse_carve(&sparse, &m, p->nrow, p->ngroup, lb_contact_nvelocity(p), 40000);
    lb_contact_dense_carve(&dense, &m, p->nrow, p->ngroup);
    lb_carver c = {carved(m), 0};
    lb_contact_islands_carve(&islands, &c, p->nblock, p->ngroup);
    lb_contact_sparse_carve(&sparse, &c, p->nrow, p->ngroup, lb_contact_nvelocity(p), 40000);
    lb_contact_dense_carve(&dense, &c, p->nrow, p->ngroup);
    lb_contact_islands_find(&islands, p);
    for (int island = 0; island < islands.nisland; island++) {
      const int first = islands.first[island];
      assert_true(lb_contact_sparse_lay(&sparse, p, &islands, island));
      lb_contact_dense_assemble(&dense, p, islands.first[island + 1] - first,
                                islands.block + first);
      lb_contact_scaled* both[2] = {&sparse.system, &dense.system};
      double x[RANDOM_ROWS];
      lb_random_vector(&r, 1, x, both[0]->n);
      for (int k = 0; k < 2; k++) {
        lb_contact_scaled* s = both[k];
        s->op->apply(s->matrix, s, x, s->y);
        lb_contact_natural_map(s, x, s->y, s->F);
        lb_contact_slopes(s, x, s->y);
        assert_true(s->op->step(s->matrix, s));
      }
      for (int k = 0; k < both[0]->n; k++) {
        assert_within(both[0]->y[k], both[1]->y[k], 1e-12);
        assert_within(both[0]->dx[k], both[1]->dx[k], 1e-6);
        assert_within(both[0]->dy[k], both[1]->dy[k], 1e-6);
      }
    }
  }
  lb_contact_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(derivatives_equal_finite_differences_both_ways, begin, end),
      cmocka_unit_test_setup_teardown(friction_begins_with_the_slope_of_the_normal_force, begin,
                                      end),
      cmocka_unit_test_setup_teardown(steps_by_groups_equal_dense_ones, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
