// Distances of 100,000 random convex pairs: see test_collide_distance.c.
#include "collide_compare.h"

static void polyhedra_agree_with_all_their_features(void** state) {
  (void)state;
  random_pairs(100000, 21, true);
}

static void round_shapes_agree_with_a_search(void** state) {
  (void)state;
  random_pairs(100000, 22, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polyhedra_agree_with_all_their_features),
      cmocka_unit_test(round_shapes_agree_with_a_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
