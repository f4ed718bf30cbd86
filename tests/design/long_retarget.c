// The gradient against differences on every scene that has a `retarget`, in 20 random directions.
#include "retargeting.h"

static void the_gradient_matches_differences_on_every_scene(void** state) {
  (void)state;
  const char* const scenes[] = {"rod",    "two-rods", "dancer", "bartender",
                                "rapper", "drummer",  "boxer"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    check_gradient(scenes[i], 0.7, 20);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gradient_matches_differences_on_every_scene),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
