// Distances of convex colliders: against all features of polyhedra, against a search over
// directions for round ones; symmetry and invariance.
#include "collide_compare.h"

static void polyhedra_agree_with_all_their_features(void** state) {
  (void)state;
  random_pairs(8000, 11, true);
}

static void round_shapes_agree_with_a_search(void** state) {
  (void)state;
  random_pairs(3000, 12, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polyhedra_agree_with_all_their_features),
      cmocka_unit_test(round_shapes_agree_with_a_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
