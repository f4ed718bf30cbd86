// Which friction is too steep for explicit steps, and that it is.
#include "compile.h"
#include "limber/simulate.h"

// What is found at the start of a scene.
static lb_steep_friction find(const char* scene, const char* integrator, double step) {
  char text[2000];
  snprintf(text, sizeof text, "%ssolver: {integrator: %s}\n", scene, integrator);
  lb_model* m = compile(text);
  lb_data* d;
  lb_steep_friction steep;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, d, NULL), LB_OK);
  assert_int_equal(lb_find_steep_friction(m, d, step, NULL, &steep, NULL), LB_OK);
  lb_data_release(d);
  lb_model_release(m);
  return steep;
}

#define SLIDES(JOINT)                                                                              \
  "bodies: {a: {mass: 2}, b: {mass: 18}}\n"                                                        \
  "joints: {one: {type: prismatic, child: a, axis: x" JOINT "}, two: {type: prismatic, child: "    \
  "b, axis: x}}\n"

// On a mass of 2 kg, friction of 5 N that fades below 0.01 m/s decays at 250 1/s.
static void limits_are_those_of_the_methods(void** state) {
  (void)state;
  static const char SCENE[] = SLIDES(", friction: 5");
  const struct {
    const char* name;
    double reach; // where the method's polynomial leaves -1 ... 1
  } method[] = {{"euler", 2}, {"rk4", 2.785294}};
  for (int i = 0; i < 2; i++) {
    const lb_steep_friction steep = find(SCENE, method[i].name, 1);
    assert_int_equal(steep.joint, 0);
    assert_near(steep.step, method[i].reach / 250, 1e-3 * method[i].reach / 250);
    assert_above(find(SCENE, method[i].name, 1.01 * steep.step).step, 0);
    assert_true(find(SCENE, method[i].name, 0.99 * steep.step).step == 0);
  }
  assert_above(find(SCENE, "rk8", 1).step, find(SCENE, "rk4", 1).step);
  static const char* const IMPLICIT[] = {"bdf1", "bdf2", "sdirk2", "linear-euler", "adaptive"};
  for (int i = 0; i < 5; i++) {
    assert_true(find(SCENE, IMPLICIT[i], 1).step == 0);
  }
  assert_true(find(SLIDES(""), "rk4", 1).step == 0);
}

// A gear makes the slide as heavy as both; a motor leaves it no way to chatter.
static void constraints_and_motors_count(void** state) {
  (void)state;
  const lb_steep_friction both =
      find(SLIDES(", friction: 5") "constraints: {c: {couple: [{joint: one}, {joint: two, times: "
                                   "-1}], equals: 0}}\n",
           "euler", 1);
  assert_near(both.step, 2 * 20 * 0.01 / 5, 1e-4);
  assert_true(find(SLIDES(", friction: 5") "motors: {m: {joint: one, keys: [[0, 0], [1, 1]]}}\n",
                   "euler", 1)
                  .step == 0);
}

// Two hinges in a row decay faster together than the second by itself.
static void chains_decay_together(void** state) {
  (void)state;
#define CHAIN                                                                                      \
  "bodies:\n"                                                                                      \
  "  a: {shape: {capsule: {radius: 5 mm, from: [0, 0, 0], to: [6 cm, 0, 0]}}, mass: 20 g}\n"       \
  "  b: {shape: {capsule: {radius: 5 mm, from: [0, 0, 0], to: [6 cm, 0, 0]}}, mass: 20 g}\n"       \
  "joints:\n"                                                                                      \
  "  one: {type: revolute, child: a, axis: y, friction: 0.01}\n"                                   \
  "  two: {type: revolute, parent: a, child: b, at: [6 cm, 0, 0], axis: y, friction: 0.01}\n"
  const lb_steep_friction chain = find(CHAIN, "rk4", 1);
  assert_int_equal(chain.joint, 1);
  const lb_steep_friction alone =
      find("bodies: {b: {shape: {capsule: {radius: 5 mm, from: [0, 0, 0], to: [6 cm, 0, 0]}}, "
           "mass: 20 g}}\n"
           "joints: {two: {type: revolute, child: b, axis: y, friction: 0.01}}\n",
           "rk4", 1);
  assert_above(chain.step, 0);
  assert_below(chain.step, alone.step);
}

// How far a hinge with more friction than its weight asks for turns in a second.
static double creep(double step) {
  lb_model* m = compile("bodies: {a: {shape: {capsule: {radius: 5 mm, from: [0, 0, 0], to: [0, 0, "
                        "-6 cm]}}, mass: 20 g}}\n"
                        "joints: {j: {type: revolute, axis: y, child: a, friction: 0.01}}\n"
                        "initial: {j: {position: 1.2}}\n"
                        "duration: 1\n");
  lb_recording* r;
  lb_summary s;
  lb_simulate_options o = lb_simulate_default();
  o.step = step;
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &o, r, &s, NULL), LB_OK);
  const double way = fabs(r->q[r->nframe - 1] - r->q[0]);
  assert_int_equal(s.steep.step > 0, step > 72e-6);
  lb_recording_release(r);
  lb_model_release(m);
  return way;
}

// With steps that are called good it creeps as it should, and with others farther.
static void steps_that_are_called_good_are(void** state) {
  (void)state;
  const double should = creep(20e-6);
  assert_near(creep(70e-6), should, 1e-6);
  assert_above(creep(150e-6), 1.05 * should);
  assert_above(creep(1e-3), 5 * should);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_are_those_of_the_methods),
      cmocka_unit_test(constraints_and_motors_count),
      cmocka_unit_test(chains_decay_together),
      cmocka_unit_test(steps_that_are_called_good_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
