// A whole search for the gait of a walker, by gradients through its contacts.
#include "walker_search.h"

static void a_walker_gets_twice_as_fast(void** state) {
  (void)state;
  (void)open_problem, (void)check_gradient, (void)check_applied;
  check_walker(20, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_walker_gets_twice_as_fast)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
