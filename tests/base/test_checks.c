// The checks of tests themselves: what is not a number passes none of them.
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

typedef enum check { BELOW, ABOVE, AT_MOST, AT_LEAST, NEAR, CHECKS } check;

static void make_check(check which, double a, double b) {
  switch (which) {
  case BELOW:
    assert_below(a, b);
    break;
  case ABOVE:
    assert_above(a, b);
    break;
  case AT_MOST:
    assert_at_most(a, b);
    break;
  case AT_LEAST:
    assert_at_least(a, b);
    break;
  default:
    assert_near(a, b, 1e-3);
    break;
  }
}

// In a process of its own, which a check that fails aborts.
static bool passes(check which, double a, double b) {
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    make_check(which, a, b);
    _exit(0);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void comparisons_are_those_of_their_names(void** state) {
  (void)state;
  static const bool expected[CHECKS][3] = {[BELOW] = {true, false, false},
                                           [ABOVE] = {false, false, true},
                                           [AT_MOST] = {true, true, false},
                                           [AT_LEAST] = {false, true, true},
                                           [NEAR] = {false, true, false}};
  for (int i = 0; i < 3 * CHECKS; i++) {
    const check which = (check)(i / 3);
    assert_int_equal(passes(which, 1 + i % 3, 2), expected[which][i % 3]);
  }
}

static void what_is_not_a_number_passes_no_check(void** state) {
  (void)state;
  const double none = (double)NAN;
  for (int i = 0; i < CHECKS; i++) {
    assert_false(passes((check)i, none, 1));
    assert_false(passes((check)i, 1, none));
    assert_false(passes((check)i, none, none));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comparisons_are_those_of_their_names),
      cmocka_unit_test(what_is_not_a_number_passes_no_check),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
