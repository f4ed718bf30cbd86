// Reduced against maximal coordinates on two of the elastic characters, one with a loop;
// long_coordinates takes all of them.
#include "coordinates.h"

static void coordinates_agree_with_order_two(void** state) {
  (void)state;
  check_coordinates((coordinates_case){"rod", 0.75, 1e-3}, 1);
  check_coordinates((coordinates_case){"rapper", 0.6, 1e-3}, 1);
}

static void implicit_steps_of_an_elastic_body_have_order_two(void** state) {
  (void)state;
  check_order((coordinates_case){"rod", 0.9, 1e-3});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinates_agree_with_order_two),
      cmocka_unit_test(implicit_steps_of_an_elastic_body_have_order_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
