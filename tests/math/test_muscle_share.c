// Force sharing: closed forms, the conditions of a minimum, and requests that no muscle can meet.
#include "math/muscle/muscle_share.h"

#include "test.h"

enum { MOST = 40 };
static double scratch[MOST * MOST + 6 * MOST];

// One joint, muscles within their bounds: a_i is in proportion to B_i, or to its root.
static void one_joint_is_shared_as_the_closed_form_says(void** state) {
  (void)state;
  const double B[] = {30, 20, 5}, wanted = 12, price = 1e8;
  for (int p = 2; p <= 3; p++) {
    double a[] = {0.5, 0.5, 0.5}, r, sum = 0;
    const lb_muscle_share s = {3, 1, B, &wanted, &price, p, 0};
    const lb_share_result out = lb_muscle_share_solve(&s, a, &r, scratch);
    for (int i = 0; i < 3; i++) {
      sum += B[i] * (p == 2 ? B[i] : sqrt(B[i]));
    }
    for (int i = 0; i < 3; i++) {
      assert_near(a[i], wanted * (p == 2 ? B[i] : sqrt(B[i])) / sum, 1e-8);
    }
    assert_below(fabs(r), 1e-8);
    assert_below(out.residual, 1e-10);
  }
}

static void reserves_take_what_muscles_cannot(void** state) {
  (void)state;
  const double B[] = {30, 20, -5, 0}, wanted = 80, price = 1;
  double a[4] = {0}, r;
  const lb_muscle_share s = {4, 1, B, &wanted, &price, 2, 0.01};
  lb_muscle_share_solve(&s, a, &r, scratch);
  assert_near(a[0], 1, 0);
  assert_near(a[1], 1, 0);
  assert_near(a[2], 0.01, 0);
  assert_near(a[3], 0.01, 0);
  assert_near(r, 30.05, 1e-12);
}

// Random arms of any signs, from 1 to `largest`, prices over eight orders.
typedef struct problem {
  double B[8 * MOST], wanted[8], price[8];
  lb_muscle_share s;
} problem;

static void make_problem(problem* P, lb_random* x, int k, double largest) {
  const int n = 1 + k % MOST, m = 1 + k / 7 % 8;
  for (int j = 0; j < m; j++) {
    P->wanted[j] = lb_random_between(x, -100, 100);
    P->price[j] = pow(10, lb_random_between(x, -4, 4));
    for (int i = 0; i < n; i++) {
      const double size = pow(largest, lb_random_unit(x));
      P->B[j * n + i] = lb_random_unit(x) < 0.3 ? 0 : lb_random_between(x, -size, size);
    }
  }
  P->s = (lb_muscle_share){n, m, P->B, P->wanted, P->price, 2 + k % 2, k % 5 ? 0.01 : 0};
}

// At a minimum of a convex cost no activation can be moved to gain anything: p a^(p-1) = B'(2 price
// r), or it is at a bound. How far the worst is off, over what is added up.
static double most_gain(const lb_muscle_share* s, const double* a, const double* r) {
  double off = 0;
  for (int i = 0; i < s->muscles; i++) {
    double gain = -s->power * pow(a[i], s->power - 1), size = 1;
    for (int j = 0; j < s->joints; j++) {
      const double part = 2 * s->price[j] * r[j] * s->B[j * s->muscles + i];
      gain += part;
      size += fabs(part);
    }
    assert_true(a[i] >= s->least && a[i] <= 1);
    const bool held = (a[i] == s->least && gain <= 0) || (a[i] == 1 && gain >= 0);
    off = held ? off : fmax(off, fabs(gain) / size);
  }
  return off;
}

static void every_request_has_an_answer(void** state) {
  (void)state;
  for (double largest = 1; largest < 2e5; largest *= 10) {
    lb_random x = {5};
    int most = 0;
    double worst = 0, off = 0;
    for (int k = 0; k < 3000; k++) {
      problem P;
      double a[MOST], r[8];
      make_problem(&P, &x, k, largest);
      const lb_share_result out = lb_muscle_share_solve(&P.s, a, r, scratch);
      off = fmax(off, most_gain(&P.s, a, r));
      worst = fmax(worst, out.residual);
      most = out.iterations > most ? out.iterations : most;
    }
    print_message(
        "arms to %g: joint forces off by %.2g, gradients by %.2g, at most %d iterations\n", largest,
        worst, off, most);
    assert_below(worst, 1e-9);
    assert_below(off, 1e-14);
    assert_below(most, 100);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_joint_is_shared_as_the_closed_form_says),
      cmocka_unit_test(reserves_take_what_muscles_cannot),
      cmocka_unit_test(every_request_has_an_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
