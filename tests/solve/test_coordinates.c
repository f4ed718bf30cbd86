// Reduced against maximal coordinates on two of the elastic characters, one with a loop;
// long_coordinates takes all of them.
#include "coordinates.h"

static pair rod; // making one takes seconds

static int begin(void** state) {
  (void)state;
  rod = make_pair("rod");
  return 0;
}

static int end(void** state) {
  (void)state;
  release_pair(&rod);
  return 0;
}

static void coordinates_agree_with_order_two(void** state) {
  (void)state;
  check_pair(&rod, 0.75, 1e-3, 1);
}

static void coordinates_agree_with_order_two_where_there_are_loops(void** state) {
  (void)state;
  pair rapper = make_pair("rapper");
  check_pair(&rapper, 0.6, 1e-3, 1);
  release_pair(&rapper);
}

static void implicit_steps_of_an_elastic_body_have_order_two(void** state) {
  (void)state;
  static motion run[3];
  for (int i = 0; i < 3; i++) {
    motion_run(&run[i], rod.reduced, ldexp(1e-3, -i), 0.9, 0.06);
  }
  const double coarse = motion_apart(&run[0], &run[1]), fine = motion_apart(&run[1], &run[2]);
  const double order = motion_order(coarse, fine);
  print_message("halving 1 ms changes %.3g m, halving again %.3g m: order %.2f\n", coarse, fine,
                order);
  assert_above(order, 1.9);
  assert_below(order, 2.2);
}

// Steps far too long for the bending that the motor sets off: Newton's method goes astray, starts
// again with better matrices or shorter steps, and arrives.
static void very_long_steps_arrive_too(void** state) {
  (void)state;
  static motion fine, coarse;
  for (int i = 0; i < 2; i++) {
    const lb_model* m = i ? rod.maximal : rod.reduced;
    motion_run(&fine, m, 1e-3, 1.2, 0.12);
    motion_run(&coarse, m, 1e-2, 1.2, 0.12);
    print_message("rod at 10 ms: %.2g m from where 1 ms has it\n", motion_apart(&fine, &coarse));
    assert_below(motion_apart(&fine, &coarse), 0.05);
  }
}

// The matrix of Newton's method decides how soon it arrives, not where. In maximal coordinates
// forces of constraints make the exact one indefinite, and constraints of the loop are redundant.
static void exact_matrices_lead_to_the_same_motion(void** state) {
  (void)state;
  lb_test_needs_speed();
  for (int k = 0; k < 2; k++) {
    static motion run[LB_NEWTON_COUNT];
    for (int i = 0; i < LB_NEWTON_COUNT; i++) {
      lb_scene scene = motion_scene("rapper");
      scene.solver.coordinates = (lb_coordinates)k;
      scene.solver.newton = (lb_newton_matrix)i;
      lb_model* m = motion_model(&scene);
      motion_run(&run[i], m, 1e-3, 0.56, 0.04);
      lb_model_release(m);
      lb_scene_release(&scene);
    }
    const double apart = motion_apart(&run[LB_NEWTON_KEPT], &run[LB_NEWTON_EXACT]);
    print_message("%s coordinates: %.2g m apart; exact matrices take %.1f times the time\n",
                  k ? "maximal" : "reduced", apart,
                  run[LB_NEWTON_EXACT].seconds / run[LB_NEWTON_KEPT].seconds);
    assert_below(apart, 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinates_agree_with_order_two),
      cmocka_unit_test(coordinates_agree_with_order_two_where_there_are_loops),
      cmocka_unit_test(implicit_steps_of_an_elastic_body_have_order_two),
      cmocka_unit_test(very_long_steps_arrive_too),
      cmocka_unit_test(exact_matrices_lead_to_the_same_motion),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
