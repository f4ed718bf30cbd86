// design: between two steps a marker is where the motion has it, to fourth order.
#include "design/fit/marker_track.h"

#include "test.h"

enum { MOST = 400 };

static double X[3 * MOST];

static lb_track sampled(double h, double end) {
  lb_track t = {.npoint = 1, .h = h, .capacity = MOST, .x = X};
  for (; t.count * h <= end + 1e-9; t.count++) {
    const double at = t.count * h;
    X[3 * t.count] = sin(3 * at);
    X[3 * t.count + 1] = cos(2 * at);
    X[3 * t.count + 2] = at * at * at;
  }
  return t;
}

static double worst(double h, bool rate) {
  const lb_track t = sampled(h, 2);
  double most = 0;
  for (int i = 0; i <= 997; i++) {
    const double at = 2.0 * i / 997;
    double x[3], v[3];
    lb_track_read(&t, at, x, v);
    most = fmax(most, rate ? fabs(v[0] - 3 * cos(3 * at)) : fabs(x[0] - sin(3 * at)));
  }
  return most;
}

static void places_have_order_four_and_velocities_three(void** state) {
  (void)state;
  const double order = log2(worst(0.02, false) / worst(0.01, false));
  const double rate = log2(worst(0.02, true) / worst(0.01, true));
  print_message("orders %.3f and %.3f\n", order, rate);
  assert_near(order, 4, 0.05);
  assert_near(rate, 3, 0.05);
}

static void cubics_are_exact_and_steps_are_met(void** state) {
  (void)state;
  const lb_track t = sampled(0.1, 2);
  for (int i = 0; i <= 2000; i++) {
    double x[3], v[3];
    const double at = 1e-3 * i;
    lb_track_read(&t, at, x, v);
    assert_near(x[2], at * at * at, 1e-13);
    assert_near(v[2], 3 * at * at, 1e-11);
  }
}

static void before_and_after_all_steps_markers_stand_still(void** state) {
  (void)state;
  const lb_track t = sampled(0.1, 2);
  const double time[] = {-1, 2.5}, at[] = {0, 2};
  for (int i = 0; i < 2; i++) {
    double x[3], v[3];
    lb_track_read(&t, time[i], x, v);
    assert_near(x[2], at[i] * at[i] * at[i], 1e-13);
    assert_near(v[2], 0, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_have_order_four_and_velocities_three),
      cmocka_unit_test(cubics_are_exact_and_steps_are_met),
      cmocka_unit_test(before_and_after_all_steps_markers_stand_still),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
