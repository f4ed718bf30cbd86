// Least squares some of whose unknowns may not be negative.
#include "math/linear/nonnegative.h"

#include "math/linear/dense.h"
#include "test.h"

enum { MOST = 14, ROWS = 9 };

// m x n of this rank.
static void make(lb_random* r, int m, int n, int rank, double* A, double* b) {
  double left[ROWS * ROWS], right[ROWS * MOST];
  for (int i = 0; i < m * rank; i++) {
    left[i] = lb_random_between(r, -1, 1);
  }
  for (int i = 0; i < rank * n; i++) {
    right[i] = lb_random_between(r, -1, 1);
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      A[i + j * m] = 0;
      for (int k = 0; k < rank; k++) {
        A[i + j * m] += left[i * rank + k] * right[k * n + j];
      }
    }
  }
  for (int i = 0; i < m; i++) {
    b[i] = lb_random_between(r, -1, 1);
  }
}

// Of A x - b: what each unknown would still gain.
static void gains(int m, int n, const double* A, const double* b, const double* x, double* g) {
  double left[ROWS];
  memcpy(left, b, sizeof left);
  for (int j = 0; j < n; j++) {
    lb_add(m, left, -x[j], A + j * m);
  }
  for (int j = 0; j < n; j++) {
    g[j] = lb_dot(m, A + j * m, left);
  }
}

static void nothing_can_be_gained(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  for (uint64_t seed = 1; seed <= 300; seed++) {
    lb_random r = {seed * 31};
    const int n = 1 + (int)(seed % MOST), m = 1 + (int)(seed % ROWS);
    const int least = m < n ? m : n, rank = seed % 3 ? least : (least + 1) / 2;
    double A[ROWS * MOST], b[ROWS], x[MOST], g[MOST];
    bool unilateral[MOST];
    make(&r, m, n, rank, A, b);
    for (int i = 0; i < n; i++) {
      unilateral[i] = lb_random_unit(&r) < 0.7;
    }
    assert_int_equal(lb_nonnegative_least_squares(&arena, m, n, A, b, unilateral, 1e-10, x), LB_OK);
    gains(m, n, A, b, x, g);
    for (int i = 0; i < n; i++) {
      if (unilateral[i]) {
        assert_at_least(x[i], 0);
        assert_at_most(g[i], 1e-9);
        assert_near(x[i] * g[i], 0, 1e-9);
      } else {
        assert_near(g[i], 0, 1e-9);
      }
    }
  }
  lb_arena_release(&arena);
}

// Four legs of a table under a load off its centre. Of all sets that carry it the shortest is
// linear in the places of the legs, until one of them would pull.
static void legs_share_a_load(void** state) {
  (void)state;
  const double A[] = {1, 1, 1, 1, -1, 1, 1, 1, -1, 1, -1, -1}; // force, moments; legs at +-1
  const bool unilateral[] = {true, true, true, true};
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  double x[4];
  const double near[] = {4, 0.8, 0.4};
  assert_int_equal(lb_nonnegative_least_squares(&arena, 3, 4, A, near, unilateral, 1e-10, x),
                   LB_OK);
  const double shares[] = {1.3, 0.9, 1.1, 0.7};
  for (int i = 0; i < 4; i++) {
    assert_near(x[i], shares[i], 1e-14);
  }
  // without signs: 2.2, 0.6, 1.4, -0.2
  const double far[] = {4, 3.2, 1.6};
  assert_int_equal(lb_nonnegative_least_squares(&arena, 3, 4, A, far, unilateral, 1e-10, x), LB_OK);
  const double three[] = {2.4, 0.4, 1.2, 0};
  for (int i = 0; i < 4; i++) {
    assert_near(x[i], three[i], 1e-14);
  }
  lb_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_can_be_gained),
      cmocka_unit_test(legs_share_a_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
