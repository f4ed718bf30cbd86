// The gradient on every scene that has a `retarget`: against differences in 20 random directions,
// and against forward sensitivities.
#include "retargeting.h"

static const char* const SCENES[] = {"rod",    "two-rods", "dancer", "bartender",
                                     "rapper", "drummer",  "boxer"};
enum { SCENES_COUNT = sizeof SCENES / sizeof *SCENES };

static void the_gradient_matches_differences_on_every_scene(void** state) {
  (void)state;
  for (int i = 0; i < SCENES_COUNT; i++) {
    check_gradient(SCENES[i], 20);
  }
}

static void going_on_and_going_back_agree_on_every_scene(void** state) {
  (void)state;
  for (int i = 0; i < SCENES_COUNT; i++) {
    compare_both_ways(SCENES[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gradient_matches_differences_on_every_scene),
      cmocka_unit_test(going_on_and_going_back_agree_on_every_scene),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
