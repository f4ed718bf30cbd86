// Momentum of the free flyer over the ten seconds of its scene.
#include "momentum.h"

static void a_machine_adrift_keeps_its_momentum_for_ten_seconds(void** state) {
  (void)state;
  check_momentum(10, 1e-3, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_machine_adrift_keeps_its_momentum_for_ten_seconds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
