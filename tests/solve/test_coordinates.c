// Reduced against maximal coordinates on two of the elastic characters, one with a loop;
// long_coordinates takes all of them.
#include "coordinates.h"

static pair rod; // making one takes seconds

static int begin(void** state) {
  (void)state;
  rod = make_pair("rod");
  return 0;
}

static int end(void** state) {
  (void)state;
  release_pair(&rod);
  return 0;
}

static void coordinates_agree_with_order_two(void** state) {
  (void)state;
  check_pair(&rod, 0.75, 1e-3, 1);
}

static void coordinates_agree_with_order_two_where_there_are_loops(void** state) {
  (void)state;
  pair rapper = make_pair("rapper");
  check_pair(&rapper, 0.6, 1e-3, 1);
  release_pair(&rapper);
}

static void implicit_steps_of_an_elastic_body_have_order_two(void** state) {
  (void)state;
  static motion run[3];
  for (int i = 0; i < 3; i++) {
    motion_run(&run[i], rod.reduced, ldexp(1e-3, -i), 0.9, 0.06);
  }
  const double coarse = motion_apart(&run[0], &run[1]), fine = motion_apart(&run[1], &run[2]);
  const double order = motion_order(coarse, fine);
  print_message("halving 1 ms changes %.3g m, halving again %.3g m: order %.2f\n", coarse, fine,
                order);
  assert_true(order > 1.9 && order < 2.2);
}

// Steps far too long for the bending that the motor sets off: Newton's method goes astray, starts
// again with better matrices or shorter steps, and arrives.
static void very_long_steps_arrive_too(void** state) {
  (void)state;
  static motion fine, coarse;
  for (int i = 0; i < 2; i++) {
    const lb_model* m = i ? rod.maximal : rod.reduced;
    motion_run(&fine, m, 1e-3, 1.2, 0.12);
    motion_run(&coarse, m, 1e-2, 1.2, 0.12);
    print_message("rod at 10 ms: %.2g m from where 1 ms has it\n", motion_apart(&fine, &coarse));
    assert_true(motion_apart(&fine, &coarse) < 0.05);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinates_agree_with_order_two),
      cmocka_unit_test(coordinates_agree_with_order_two_where_there_are_loops),
      cmocka_unit_test(implicit_steps_of_an_elastic_body_have_order_two),
      cmocka_unit_test(very_long_steps_arrive_too),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
