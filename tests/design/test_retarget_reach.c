// How far a search comes: as far as its motors reach, and where they reach no farther it says so.
#include "retargeting.h"

// The wings of a flamingo hardly move its head at rest, and shake it by their accelerations. To
// first order they could do so by turns of several radians, of which nothing comes true.
static void motors_without_levers_do_not_stall_a_search(void** state) {
  (void)state;
  lb_test_needs_speed();
  problem p;
  open_problem(&p, "flamingo", 1e3);
  assert_below(search_curves(&p), 0.02);
  close_problem(&p);
}

// One motor for six freedoms of a tray: no curve of it does better, however free.
static void a_bracket_is_limited_by_reach(void** state) {
  (void)state;
  lb_test_needs_speed();
  problem p, free;
  open_problem(&p, "../tests/design/bracket", 1e3);
  const double left = search_curves(&p);
  const lb_limiting found = limiting_of(&p);
  assert_int_equal(found.factor, LB_LIMITING_REACH);
  assert_above(found.left[LB_LIMITING_SEVERAL], 0.95);
  open_problem(&free, "../tests/design/bracket", 1e3);
  free.what->smoothness *= 1e-3;
  free.what->closeness *= 1e-3;
  assert_near(search_curves(&free) / left, 1, 0.05);
  close_problem(&free);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motors_without_levers_do_not_stall_a_search),
      cmocka_unit_test(a_bracket_is_limited_by_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
