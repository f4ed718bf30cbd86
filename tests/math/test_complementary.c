// Linear complementarity with equations.
#include "math/linear/complementary.h"

#include "test.h"

enum { MOST = 24 };

// A = B B' of this rank, and b in its range plus something that unilateral constraints can bear.
static void make(lb_random* r, int n, int rank, double* A, double* b, bool* unilateral) {
  double B[MOST * MOST], y[MOST];
  for (int i = 0; i < n * rank; i++) {
    B[i] = lb_random_between(r, -1, 1);
  }
  for (int k = 0; k < rank; k++) {
    y[k] = lb_random_between(r, -1, 1);
  }
  for (int i = 0; i < n; i++) {
    unilateral[i] = lb_random_unit(r) < 0.6;
    b[i] = unilateral[i] ? lb_random_between(r, 0, 0.3) * (lb_random_unit(r) < 0.5) : 0;
    for (int k = 0; k < rank; k++) {
      b[i] += B[i * rank + k] * y[k];
    }
    for (int j = 0; j < n; j++) {
      A[i + j * n] = 0;
      for (int k = 0; k < rank; k++) {
        A[i + j * n] += B[i * rank + k] * B[j * rank + k];
      }
    }
  }
}

static void solutions_meet_the_conditions_also_with_redundant_rows(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    lb_random r = {seed * 97};
    const int n = 1 + (int)(seed % MOST);
    const int rank = seed % 3 ? n : (n + 1) / 2;
    double A[MOST * MOST], b[MOST], w[MOST], x[MOST], part[MOST * MOST], work[4 * MOST];
    int pivot[2 * MOST];
    bool unilateral[MOST];
    make(&r, n, rank, A, b, unilateral);
    memcpy(w, b, sizeof w);
    lb_complementary_solve(n, A, w, unilateral, 1e-12, x, part, work, pivot);
    for (int i = 0; i < n; i++) {
      double sum = b[i];
      for (int j = 0; j < n; j++) {
        sum += A[i + j * n] * x[j];
      }
      assert_near(w[i], sum, 1e-9);
      if (unilateral[i]) {
        assert_at_least(x[i], 0);
        assert_at_least(w[i], -1e-9);
        assert_near(x[i] * w[i], 0, 1e-9);
      } else {
        assert_near(w[i], 0, 1e-9);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_meet_the_conditions_also_with_redundant_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
