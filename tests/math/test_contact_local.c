// One point contact by itself: its root is as near as was asked, whatever the last step is.
#include <math.h>

#include "contact_worlds.h"
#include "math/contact/contact_local.h"

// A = B B' of a random B, as three rows of a point have it.
static lb_contact_local random_point(lb_random* r, double mu) {
  double B[9], A[9];
  lb_random_vector(r, 1, B, 9);
  for (int k = 0; k < 9; k++) {
    const int i = k % 3, j = k / 3;
    A[k] = 0.3 * (i == j);
    for (int m = 0; m < 3; m++) {
      A[k] += B[i + 3 * m] * B[j + 3 * m];
    }
  }
  lb_contact_local L;
  lb_contact_local_prepare(&L, (lb_contact_piece){LB_PIECE_POINT, 0, 3}, A, mu);
  return L;
}

static void roots_are_as_near_as_asked(void** state) {
  static const double ROOTS[] = {1e-2, 1e-3, 1e-7};
  lb_random r = {4711};
  int slips = 0;
  (void)state;
  for (int k = 0; k < 2000; k++) {
    double w[3];
    const lb_contact_local L = random_point(&r, 0.3);
    lb_random_vector(&r, 1, w, 3);
    w[0] = -fabs(w[0]);
    lb_contact_local fine = L;
    double exact[3] = {0, 0, 0};
    lb_contact_point_solve(&fine, w, 1e-26, exact);
    slips += fine.slip > 0;
    for (int i = 0; i < 3; i++) {
      lb_contact_local rough = L;
      double l[3] = {0, 0, 0}, off = 0;
      lb_contact_point_solve(&rough, w, ROOTS[i], l);
      for (int m = 0; m < 3; m++) {
        off = fmax(off, fabs(l[m] - exact[m]));
      }
      assert_at_most(off, 4 * ROOTS[i] * exact[0] + 1e-13);
    }
  }
  print_message("%d of 2000 slip\n", slips);
  assert_true(slips > 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roots_are_as_near_as_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
