// Lemke's method for contacts: exact where the pyramid is, so without friction and in one
// direction.
#include "contact_random.h"
#include "math/contact/contact_lemke.h"
#include "test_arena.h"

// A contact with `sets` friction sets of one row.
static void add_pyramid(lb_contact_world* w, lb_random* r, int a, int b, int sets, double mu) {
  double n[3], t[2][3], ra[3], rb[3];
  lb_random_direction(r, n);
  lb_across(n, t[0], t[1]);
  lb_random_vector(r, 0.5, ra, 3);
  lb_random_vector(r, 0.5, rb, 3);
  const int normal = lb_add_row(w, LB_CONTACT_UNILATERAL, a, b, n, ra, rb);
  for (int i = 0; i < sets; i++) {
    const int at = lb_add_row(w, LB_CONTACT_SET_1, a, b, t[i], ra, rb);
    w->row[at].normal = normal;
    w->row[at].mu = mu;
  }
  lb_end_block(w);
}

static void random_pyramids(lb_contact_world* w, lb_random* r, int sets, double mu) {
  lb_random_world(w, r, 4, 1, 0, 0);
  for (int i = 0; i < 6; i++) {
    const int a = (int)(lb_random_unit(r) * 4), b = (int)(lb_random_unit(r) * 4);
    add_pyramid(w, r, a, a == b ? -1 : b, sets, mu);
  }
}

static void pyramids_are_solved_by_pivots_alone(void** state) {
  (void)state;
  lb_contact_world w = lb_contact_world_make(RANDOM_BODIES, RANDOM_ROWS);
  int rays = 0;
  for (int i = 0; i < 120; i++) {
    lb_random r = {(uint64_t)i * 419 + 23};
    random_pyramids(&w, &r, i % 3, LB_RANDOM_MU[i % 4]);
    const lb_contact_problem* p = &w.problem;
    lb_contact_dense d;
    lb_carver measure = {NULL, 0};
    lb_contact_dense_carve(&d, &measure, p->nrow, p->ngroup);
    lb_carver c = {lb_arena_take(&arena, measure.used, LB_ALIGN), 0};
    assert_non_null(c.base);
    lb_contact_dense_carve(&d, &c, p->nrow, p->ngroup);
    int block[RANDOM_ROWS];
    for (int k = 0; k < p->nblock; k++) {
      block[k] = k;
    }
    lb_contact_dense_assemble(&d, p, p->nblock, block);
    double x[RANDOM_ROWS], lambda[RANDOM_ROWS], u[RANDOM_BODIES * WORLD_WIDTH];
    if (!lb_contact_lemke(&d, &arena, x)) {
      rays++;
      continue;
    }
    for (int k = 0; k < p->nrow; k++) {
      lambda[k] = x[k] * d.system.D[k];
    }
    const lb_contact_measure m = lb_contact_residual(p, lambda, u);
    assert_at_most(m.residual, 1e-6 * m.scale);
  }
  print_message("%d of 120 ended on a ray\n", rays);
  assert_at_most(rays, 3);
  lb_contact_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(pyramids_are_solved_by_pivots_alone, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
