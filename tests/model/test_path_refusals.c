// model: paths that cannot be simulated are refused, with the reason.
#include "limber/limber.h"
#include "test.h"

// %s: points between the ends, more of the muscle.
#define SCENE                                                                                      \
  "bodies: {arm: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"                              \
  "joints: {hinge: {type: revolute, child: arm, axis: z}}\n"                                       \
  "wraps: {round: {cylinder: {radius: 5 cm}}}\n"                                                   \
  "muscles: {m: {through: [{at: [0.3, 0.4, 0]}, %s, {body: arm, at: [0.3, 0, 0]}]%s}}\n"
#define AT_ONCE "{at: [0.3, 0.2, 0], while: {joint: hinge, at_least: 0}}"
#define OVER "{at: [0.3, 0.2, 0], while: {joint: hinge, at_least: 0, over: 2 deg}}"
#define THREE "{wrap: round}, {wrap: round}, {wrap: round}"

static void paths_say_why_they_cannot_be(void** state) {
  (void)state;
  static const struct {
    const char *points, *more, *why;
  } cases[] = {
      {AT_ONCE, ", mass: {amount: 1}", "say 'over' what part of the coordinate it comes in"},
      {OVER, ", mass: {amount: 1}", NULL},
      {OVER ", {wrap: round}", "", "put a point that always counts between them"},
      {"{wrap: round}, " OVER, "", "put a point that always counts between them"},
      {AT_ONCE ", " OVER, "", "put a point that always counts between them"},
      {OVER ", " OVER ", " OVER ", " OVER ", " OVER, "", NULL},
      {OVER ", " OVER ", " OVER ", " OVER ", " OVER ", " OVER, "", "more than five points"},
      {THREE ", " THREE, ", mass: {amount: 1}", NULL},
      {THREE ", " THREE ", {wrap: round}", "", "more than six surfaces in a row"},
      {THREE ", " AT_ONCE ", " THREE ", {wrap: round}", "", "more than six surfaces in a row"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2000];
    lb_scene scene;
    lb_model* m = NULL;
    lb_error err = lb_error_make(NULL);
    snprintf(text, sizeof text, SCENE, cases[i].points, cases[i].more);
    assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err), LB_OK);
    const lb_status status = lb_model_create(&scene, NULL, &m, &err);
    const char* said = err.count ? err.message[0].text : "";
    if (cases[i].why ? status == LB_OK || !strstr(said, cases[i].why) || !strstr(said, "'m'")
                     : status != LB_OK) {
      fail_msg("case %d: %s", (int)i, said);
    }
    lb_model_release(m);
    lb_scene_release(&scene);
    lb_error_clear(&err);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_say_why_they_cannot_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
