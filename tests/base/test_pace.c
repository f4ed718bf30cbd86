// Time left of a job, from its pace.
#include "base/pace.h"

#include <math.h>

#include "test.h"

static void nothing_is_said_before_it_is_worth_something(void** state) {
  (void)state;
  lb_pace p = {0};
  assert_true(isnan(lb_pace_left(&p)));
  for (int i = 0; i <= 29; i++) { // 1 % in 2.9 s
    lb_pace_follow(&p, 100 + 0.1 * i, 0.01 * i / 29);
    assert_true(isnan(lb_pace_left(&p)));
  }
}

static void time_left_at_a_steady_pace_is_exact(void** state) {
  (void)state;
  lb_pace p = {0};
  for (int i = 0; i <= 500; i++) { // a minute's work
    const double t = 0.1 * i;
    lb_pace_follow(&p, 7 + t, t / 60);
    if (t >= 3) {
      assert_near(lb_pace_left(&p), 60 - t, 1e-9 * 60);
    }
  }
}

// 1 % in the first 10 s, then 1 % every 0.6 s: a mean over all would be off by 15 s at 30 %.
static void a_slow_start_is_forgotten(void** state) {
  (void)state;
  lb_pace p = {0};
  lb_pace_follow(&p, 1, 0);
  lb_pace_follow(&p, 11, 0.01);
  double t = 0;
  for (; t < 30; t += 0.1) {
    lb_pace_follow(&p, 11 + t, 0.01 + t / 60);
  }
  const double left = 60 * (1 - p.reached);
  assert_near(lb_pace_left(&p), left, 0.06 * left);
}

static void another_part_begins_anew(void** state) {
  (void)state;
  lb_pace p = {0};
  for (int i = 0; i <= 100; i++) {
    lb_pace_follow(&p, 1 + 0.1 * i, 0.01 * i);
  }
  lb_pace_follow(&p, 12, 0.001);
  assert_true(isnan(lb_pace_left(&p)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_said_before_it_is_worth_something),
      cmocka_unit_test(time_left_at_a_steady_pace_is_exact),
      cmocka_unit_test(a_slow_start_is_forgotten),
      cmocka_unit_test(another_part_begins_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
