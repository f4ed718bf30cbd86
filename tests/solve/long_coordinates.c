// Reduced against maximal coordinates on all the elastic characters.
#include "coordinates.h"

static void coordinates_agree_with_order_two_on_every_character(void** state) {
  (void)state;
  static const struct {
    const char* scene;
    double duration, step;
  } all[] = {
      {"rod", 0.9, 1e-3},       {"two-rods", 0.9, 1e-3}, {"dancer", 0.6, 1e-3},
      {"bartender", 0.9, 1e-3}, {"rapper", 0.75, 1e-3},  {"drummer", 0.6, 5e-4},
      {"boxer", 0.6, 5e-4},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    pair p = make_pair(all[i].scene);
    check_pair(&p, all[i].duration, all[i].step, 2);
    release_pair(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinates_agree_with_order_two_on_every_character)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
