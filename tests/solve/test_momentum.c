// Momentum of the free flyer over a beat of its wings; long_momentum takes all of its flight.
#include "momentum.h"

static void a_machine_adrift_keeps_its_momentum(void** state) {
  (void)state;
  check_momentum(1.6, 5e-4, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_machine_adrift_keeps_its_momentum)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
