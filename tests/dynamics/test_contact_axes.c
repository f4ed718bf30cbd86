// Tangents of contacts: across the normal, and continuous but at one normal.
#include <math.h>

#include "dynamics/contact/contact_inside.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static lb_touch touch_of(lb_v4 n) {
  lb_touch t = {0};
  lb_touch_set_axes(&t, n);
  return t;
}

static lb_v4 unit(lb_v4 n) {
  return n / sqrt(lb_v4_dot(n, n));
}

static double length(lb_v4 x) {
  return sqrt(lb_v4_dot(x, x));
}

static lb_v4 random_normal(lb_random* r) {
  const double z = lb_random_between(r, -1, 1), a = lb_random_between(r, 0, 2 * PI);
  return lb_v4_make(sqrt(1 - z * z) * cos(a), sqrt(1 - z * z) * sin(a), z);
}

static void axes_are_a_right_handed_frame(void** state) {
  (void)state;
  lb_random r = {3};
  for (int i = 0; i < 10000; i++) {
    const lb_v4 n = random_normal(&r);
    const lb_touch t = touch_of(n);
    for (int k = 0; k < 3; k++) {
      const lb_v4 next = t.axis[(k + 1) % 3], last = t.axis[(k + 2) % 3];
      assert_below(length(lb_v4_cross(next, last) - t.axis[k]), 1e-12);
    }
  }
}

// Normals that are near each other have tangents that are: walls, floors and slopes alike. Around
// the one direction that cannot be combed they turn faster, as 2 / distance.
static void tangents_do_not_jump(void** state) {
  (void)state;
  const lb_v4 opposite = lb_v4_make(2, 2, -1) / 3;
  lb_random r = {4};
  for (int i = 0; i < 100000; i++) {
    lb_v4 n = random_normal(&r);
    n[i % 3] *= i % 2 ? 1 : 0; // planes of the axes, where formulas with a choice jump
    n = unit(n);
    const lb_v4 m = unit(n + random_normal(&r) * 1e-6);
    const lb_touch a = touch_of(n), b = touch_of(m);
    const double far = length(n - opposite), most = 1e-6 * (2 + 2 / far);
    for (int k = 1; k < 3 && far > 1e-3; k++) {
      assert_below(length(a.axis[k] - b.axis[k]), most);
    }
  }
}

static void tangents_of_floors_and_ceilings_lie_along_x_and_y(void** state) {
  (void)state;
  const lb_touch up = touch_of(lb_v4_make(0, 0, 1)), down = touch_of(lb_v4_make(0, 0, -1));
  assert_below(length(up.axis[1] - lb_v4_make(1, 0, 0)), 1e-15);
  assert_below(length(up.axis[2] - lb_v4_make(0, 1, 0)), 1e-15);
  assert_below(length(down.axis[1] - lb_v4_make(0, -1, 0)), 1e-15);
  assert_below(length(down.axis[2] - lb_v4_make(-1, 0, 0)), 1e-15);
}

static void the_direction_that_cannot_be_combed_has_tangents(void** state) {
  (void)state;
  const lb_touch t = touch_of(lb_v4_make(2, 2, -1) / 3);
  assert_below(length(lb_v4_cross(t.axis[1], t.axis[2]) - t.axis[0]), 1e-12);
}

static void slopes_agree_with_differences(void** state) {
  (void)state;
  static const double STEP = 1e-5;
  lb_random r = {5};
  for (int i = 0; i < 1000; i++) {
    const lb_v4 n = random_normal(&r), across = lb_v4_cross(n, random_normal(&r));
    const lb_touch a = touch_of(unit(n + across * STEP)), b = touch_of(unit(n - across * STEP));
    lb_v4 slope[2];
    lb_touch_axes_slopes(n, across, &slope[0], &slope[1]);
    const double far = length(n - lb_v4_make(2, 2, -1) / 3);
    for (int k = 0; k < 2 && far > 0.1; k++) {
      assert_below(length((a.axis[k + 1] - b.axis[k + 1]) / (2 * STEP) - slope[k]), 1e-6);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axes_are_a_right_handed_frame),
      cmocka_unit_test(tangents_do_not_jump),
      cmocka_unit_test(tangents_of_floors_and_ceilings_lie_along_x_and_y),
      cmocka_unit_test(the_direction_that_cannot_be_combed_has_tangents),
      cmocka_unit_test(slopes_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
