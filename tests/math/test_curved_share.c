// Force sharing with curved tensions: the program of straight ones, the conditions of a minimum,
// and tendons that swing where plain rounds of tangents do not settle.
#include "math/muscle/curved_share.h"

#include "math/muscle/hill.h"
#include "math/muscle/muscle_share.h"
#include "test.h"

enum { MUSCLES = 12, JOINTS = 4 };
static double scratch[4000];
static lb_hill_curves MILLARD;

// Muscles with elastic tendons at the end of a step of 1/pace.
typedef struct problem {
  lb_hill h[MUSCLES];
  double from[MUSCLES], length[MUSCLES], pace;
  bool straight;
  double arm[JOINTS * MUSCLES], wanted[JOINTS], price[JOINTS], lower[MUSCLES], upper[MUSCLES];
  lb_curved_share s;
} problem;

static lb_share_tension pull(const void* context, int i, double a) {
  const problem* P = context;
  if (P->straight) {
    return (lb_share_tension){10 + 500 * a, 500};
  }
  const lb_hill_force f =
      lb_hill_force_ahead(&P->h[i], a, P->from[i], P->pace, P->length[i], 0, P->from[i]);
  return (lb_share_tension){f.force, f.by_a};
}

static void make_problem(problem* P, lb_random* x, int k) {
  *P = (problem){.pace = k % 3 == 0 ? 500 : k % 3 == 1 ? 50 : 0, .straight = k % 10 == 9};
  for (int i = 0; i < MUSCLES; i++) {
    const double fiber = lb_random_between(x, 0.03, 0.12), slack = lb_random_between(x, 0.03, 0.4);
    P->h[i] = lb_hill_default(LB_HILL_MILLARD, lb_random_between(x, 200, 3000), fiber, slack);
    P->h[i].curves = &MILLARD;
    P->from[i] = fiber * lb_random_between(x, 0.6, 1.3);
    P->length[i] = P->from[i] + slack * lb_random_between(x, 1, 1.03);
    P->lower[i] = lb_random_between(x, 0, 0.1);
    P->upper[i] = P->lower[i] + lb_random_between(x, 0.05, 0.9);
  }
  for (int j = 0; j < JOINTS; j++) {
    P->wanted[j] = lb_random_between(x, -60, 60);
    P->price[j] = pow(10, lb_random_between(x, -1, 3));
    for (int i = 0; i < MUSCLES; i++) {
      P->arm[j * MUSCLES + i] = lb_random_unit(x) < 0.4 ? 0 : lb_random_between(x, -0.06, 0.06);
    }
  }
  P->s = (lb_curved_share){MUSCLES,  JOINTS,   P->arm, P->wanted, P->price, 2 + k % 2,
                           P->lower, P->upper, pull,   P,         100};
}

// f of curved_share.h, and how far one activation alone may go to where f has no slope: nowhere,
// but beyond a bound.
static double judge(const problem* P, const double* a, const double* r, double* off) {
  double f = 0;
  *off = 0;
  for (int j = 0; j < JOINTS; j++) {
    f += P->price[j] * r[j] * r[j];
  }
  for (int i = 0; i < MUSCLES; i++) {
    const int p = P->s.power;
    const double T = pull(P, i, a[i]).slope;
    double slope = p == 3 ? 3 * a[i] * a[i] : 2 * a[i], stiff = p == 3 ? 6 * a[i] : 2;
    for (int j = 0; j < JOINTS; j++) {
      const double by = P->arm[j * MUSCLES + i] * T;
      slope -= 2 * P->price[j] * r[j] * by;
      stiff += 2 * P->price[j] * by * by;
    }
    f += p == 3 ? a[i] * a[i] * a[i] : a[i] * a[i];
    const bool held =
        (a[i] <= P->lower[i] + 1e-12 && slope >= 0) || (a[i] >= P->upper[i] - 1e-12 && slope <= 0);
    *off = fmax(*off, held ? 0 : fabs(slope) / stiff);
  }
  return f;
}

static void start(const problem* P, double* a) {
  for (int i = 0; i < MUSCLES; i++) {
    a[i] = fmin(fmax(0.2, P->lower[i]), P->upper[i]);
  }
}

static void straight_tensions_are_shared_by_one_program(void** state) {
  (void)state;
  lb_random x = {5};
  for (int k = 0; k < 50; k++) {
    problem P;
    double a[MUSCLES], b[MUSCLES], r[JOINTS], q[JOINTS], B[JOINTS * MUSCLES], wanted[JOINTS];
    make_problem(&P, &x, 10 * (2 * k) + 9);
    P.s.power = 2;
    assert_true(lb_curved_share_scratch(MUSCLES, JOINTS) <= sizeof scratch / sizeof *scratch);
    start(&P, a);
    const lb_curved_result out = lb_curved_share_solve(&P.s, a, r, scratch);
    assert_true(out.settled && out.rounds == 1);
    for (int j = 0; j < JOINTS; j++) {
      wanted[j] = P.wanted[j];
      for (int i = 0; i < MUSCLES; i++) {
        B[j * MUSCLES + i] = 500 * P.arm[j * MUSCLES + i];
        wanted[j] -= 10 * P.arm[j * MUSCLES + i];
      }
    }
    const lb_muscle_share s = {MUSCLES, JOINTS, B, wanted, P.price, 2, 0};
    lb_muscle_share_within(&s, P.lower, P.upper, b, q, scratch);
    for (int i = 0; i < MUSCLES; i++) {
      assert_near(a[i], b[i], 1e-9);
    }
  }
}

static void elastic_tendons_settle_at_a_minimum(void** state) {
  (void)state;
  lb_random x = {11};
  int rounds = 0, most = 0, bad = 0;
  double worst = 0;
  for (int k = 0; k < 2000; k++) {
    problem P;
    double a[MUSCLES], r[JOINTS], off;
    make_problem(&P, &x, k);
    start(&P, a);
    const lb_curved_result out = lb_curved_share_solve(&P.s, a, r, scratch);
    const double f = judge(&P, a, r, &off);
    if (!out.settled) {
      print_error("problem %d did not settle: power %d, pace %g\n", k, P.s.power, P.pace);
    }
    bad += !(out.settled && isfinite(f));
    rounds += out.rounds;
    most = out.rounds > most ? out.rounds : most;
    worst = fmax(worst, off);
  }
  assert_int_equal(bad, 0);
  print_message("%.1f rounds, %d at most; conditions off by %.1e\n", rounds / 2000., most, worst);
  assert_below(worst, 1e-7);
}

// Plain rounds of tangents go on for ever in some of them: reserves are what is left in any case.
static void reserves_are_what_muscles_leave_after_any_round(void** state) {
  (void)state;
  lb_random x = {3};
  for (int k = 0; k < 200; k++) {
    problem P;
    double a[MUSCLES], r[JOINTS], off, before = INFINITY;
    make_problem(&P, &x, k);
    for (int rounds = 1; rounds < 6; rounds++) {
      start(&P, a);
      P.s.rounds = rounds;
      lb_curved_share_solve(&P.s, a, r, scratch);
      for (int j = 0; j < JOINTS; j++) {
        double left = P.wanted[j];
        for (int i = 0; i < MUSCLES; i++) {
          left -= P.arm[j * MUSCLES + i] * pull(&P, i, a[i]).force;
        }
        assert_near(r[j], left, 1e-10 * (1 + fabs(left)));
      }
      const double f = judge(&P, a, r, &off);
      assert_true(f <= before * (1 + 1e-12));
      before = f;
    }
  }
}

int main(void) {
  const lb_millard_shape shape = lb_millard_shape_default(false);
  lb_millard_curves(&MILLARD, &shape, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(straight_tensions_are_shared_by_one_program),
      cmocka_unit_test(elastic_tendons_settle_at_a_minimum),
      cmocka_unit_test(reserves_are_what_muscles_leave_after_any_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
