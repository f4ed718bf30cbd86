// Linkages stay closed: no drift over a minute.
#include "limber/limber.h"
#include "test.h"

// The worst gap in any frame of a scene that runs this long.
static double worst_gap(const char* name, double duration) {
  char path[4096];
  lb_scene scene;
  lb_model* m = NULL;
  lb_recording* r = NULL;
  lb_summary s;
  lb_error err = lb_error_make(NULL);
  lb_simulate_options o = lb_simulate_default();
  o.duration = duration;
  snprintf(path, sizeof path, "%s/scenes/%s", LIMBER_SOURCE_DIR, name);
  assert_int_equal(lb_scene_read(path, NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_OK);
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, &err), LB_OK);
  if (lb_simulate(m, &o, r, &s, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_recording_release(r);
  lb_model_release(m);
  lb_scene_release(&scene);
  lb_error_clear(&err);
  return s.constraint_violation;
}

static void the_four_bar_stays_closed_for_a_minute(void** state) {
  (void)state;
  assert_near(worst_gap("four-bar.yaml", 60), 0, 1e-12);
}

static void the_scissor_lift_stays_closed_for_a_minute(void** state) {
  (void)state;
  assert_near(worst_gap("scissor.yaml", 60), 0, 1e-12);
}

static void the_hand_and_the_gears_hold(void** state) {
  (void)state;
  assert_near(worst_gap("hand.yaml", 4), 0, 1e-12);
  assert_near(worst_gap("gear-train.yaml", 4), 0, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_four_bar_stays_closed_for_a_minute),
      cmocka_unit_test(the_scissor_lift_stays_closed_for_a_minute),
      cmocka_unit_test(the_hand_and_the_gears_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
