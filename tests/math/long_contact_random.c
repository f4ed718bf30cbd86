// Ten thousand random contact problems, and larger ones: fast against reference.
#include "contact_random.h"
#include "test_arena.h"

static void ten_thousand_problems_of_each_friction_have_the_reference_s_velocities(void** state) {
  (void)state;
  // at mu = 1 there need not be a solution
  assert_at_most(lb_contact_compare_many(&arena, 10000, 4, 2, 6), 10);
}

static void jammed_bodies_have_them_where_both_are_solved(void** state) {
  (void)state;
  lb_contact_compare_many(&arena, 200, 10, 5, 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(
          ten_thousand_problems_of_each_friction_have_the_reference_s_velocities, begin, end),
      cmocka_unit_test_setup_teardown(jammed_bodies_have_them_where_both_are_solved, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
