// Corrections with a matrix that is not exact.
#include "math/linear/dense.h"
#include "solve/implicit/anderson.h"
#include "test.h"

enum { N = 6 };

// A x - b, with A symmetric and far from the identity, which is the matrix at hand.
typedef struct linear {
  double A[N][N], x[N];
} linear;

static linear make_linear(uint64_t seed) {
  lb_random random = {seed};
  linear p = {0};
  for (int i = 0; i < N; i++) {
    p.x[i] = lb_random_between(&random, -1, 1);
    for (int j = 0; j <= i; j++) {
      p.A[i][j] = p.A[j][i] = (i == j) + 0.2 * lb_random_between(&random, -1, 1);
    }
  }
  return p;
}

static double residual(const linear* p, const double* v, double* r) {
  double square = 0;
  for (int i = 0; i < N; i++) {
    r[i] = 0;
    for (int j = 0; j < N; j++) {
      r[i] += p->A[i][j] * (v[j] - p->x[j]);
    }
    square += r[i] * r[i];
  }
  return sqrt(square);
}

// How large the residual is after so many corrections from zero.
static double after(lb_anderson* s, const linear* p, int corrections) {
  double v[N] = {0}, r[N];
  lb_anderson_restart(s);
  for (int i = 0; i < corrections; i++) {
    residual(p, v, r);
    lb_anderson_correct(s, v, r, r);
  }
  return residual(p, v, r);
}

static void corrections_of_a_linear_system_converge_faster_than_any_rate(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  for (uint64_t seed = 1; seed < 20; seed++) {
    const linear p = make_linear(seed);
    lb_anderson s;
    assert_int_equal(lb_anderson_create(&s, N, &arena), LB_OK);
    double left[3];
    for (int i = 0; i < 3; i++) {
      lb_anderson_forget(&s);
      left[i] = after(&s, &p, 1 + i * N);
    }
    assert_above(left[0], 1e-2);
    assert_below(left[1], 1e-3);
    assert_below(left[2], 1e-8);
  }
  lb_arena_release(&arena);
}

static void what_one_step_learned_serves_the_next(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  linear p = make_linear(3);
  lb_anderson s;
  assert_int_equal(lb_anderson_create(&s, N, &arena), LB_OK);
  after(&s, &p, N + 1);
  for (int i = 0; i < N; i++) {
    p.x[i] = cos(i); // the same matrix, elsewhere
  }
  const double knowing = after(&s, &p, 1);
  lb_anderson_forget(&s);
  const double forgetting = after(&s, &p, 1);
  assert_below(knowing, 1e-2 * forgetting);
  lb_arena_release(&arena);
}

// Of g1 + g2, orthogonal and of which one is known, the other is new: the smaller, the smaller a
// part.
static void what_is_new_is_what_pairs_do_not_explain(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  static const double known[N] = {1, -2, 0, 1, 0, 0}, other[N] = {0, 0, 2, 0, -1, 1};
  for (double part = 1; part > 0.03; part /= 2) {
    lb_anderson s;
    double v[N] = {0}, g[N];
    assert_int_equal(lb_anderson_create(&s, N, &arena), LB_OK);
    assert_true(lb_anderson_correct(&s, v, known, known) == 1); // the first is all new
    memset(g, 0, sizeof g);
    lb_anderson_correct(&s, v, g, g); // dg = -known
    for (int i = 0; i < N; i++) {
      g[i] = known[i] + part * other[i];
    }
    lb_anderson_restart(&s);
    assert_near(lb_anderson_correct(&s, v, g, g), part / sqrt(1 + part * part), 5e-3);
  }
  lb_arena_release(&arena);
}

static void without_pairs_it_is_the_plain_correction(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_anderson s;
  assert_int_equal(lb_anderson_create(&s, N, &arena), LB_OK);
  double v[N] = {1, 2, 3, 4, 5, 6};
  const double g[N] = {1, 1, 2, 2, 3, 3};
  lb_anderson_correct(&s, v, g, g);
  for (int i = 0; i < N; i++) {
    assert_true(v[i] == i + 1 - g[i]);
  }
  lb_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corrections_of_a_linear_system_converge_faster_than_any_rate),
      cmocka_unit_test(what_one_step_learned_serves_the_next),
      cmocka_unit_test(what_is_new_is_what_pairs_do_not_explain),
      cmocka_unit_test(without_pairs_it_is_the_plain_correction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
