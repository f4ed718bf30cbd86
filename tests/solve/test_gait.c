// Figures of walking, of something whose walk is known: a trunk on two feet of four pads each,
// which rise and sink in turn, on a conveyor.
#include "limber/gait.h"
#include "solve/recorded.h"

static const double G = 9.81, BELT = 0.1, RISE = 0.02, TRUNK = 10, FOOT = 1;

#define PAD(x, y) "{box: [0.1, 0.1, 0.1], position: [" #x ", " #y ", -0.05]}"
#define WALKER(contacts)                                                                           \
  "duration: 3 s\n"                                                                                \
  "solver: {step: 1 ms}\n"                                                                         \
  "record: {every: 5 ms}\n" contacts                                                               \
  "scenery: [{box: [40, 40, 1], position: [0, 0, -0.5], solid: true, belt: [0.1, 0, 0]}]\n"        \
  "bodies:\n"                                                                                      \
  "  trunk: {shape: {box: [1, 1, 0.1], solid: false}, mass: 10}\n"                                 \
  "  a: {mass: 1, shapes: [" PAD(0.6, 0.3) ", " PAD(0.6, -0.3) ", " PAD(-0.6, 0.3) ", " PAD(       \
      -0.6, -0.3) "]}\n"                                                                           \
                  "  b: {mass: 1, shapes: [" PAD(0.3, 0.6) ", " PAD(0.3, -0.6) ", " PAD(           \
                      -0.3, 0.6) ", " PAD(-0.3, -0.6) "]}\n"                                       \
                                                      "joints:\n"                                  \
                                                      "  whole: {type: free, child: trunk}\n"      \
                                                      "  first: {type: prismatic, parent: trunk, " \
                                                      "child: a, axis: z}\n"                       \
                                                      "  second: {type: prismatic, parent: "       \
                                                      "trunk, child: b, axis: z}\n"                \
                                                      "initial: {whole: {position: [0, 0, 0.1], "  \
                                                      "velocity: [0.1, 0, 0]}}\n"                  \
                                                      "motors:\n"                                  \
                                                      "  down: {joint: first, repeat: 1 s, keys: " \
                                                      "[[0, 0], [0.25, -2 cm], [0.75, 2 cm]]}\n"   \
                                                      "  up: {joint: second, repeat: 1 s, keys: "  \
                                                      "[[0, 0], [0.25, 2 cm], [0.75, -2 cm]]}\n"

static void a_walk_that_is_known_has_its_figures(void** state) {
  (void)state;
  lb_recording* r = run(WALKER("contacts: {}\n"));
  lb_gait* g = NULL;
  assert_int_equal(lb_gait_create(r, &g, NULL), LB_OK);
  assert_non_null(g);
  assert_int_equal(g->nfoot, 2);
  assert_string_equal(r->model->body.name[g->trunk], "trunk");
  assert_near(g->period, 1, 0);
  assert_int_equal(g->cycles, 2);
  print_message("speed %g m/s, stride %g m, heave %g m, slip %g m, energy %g J\n", g->speed,
                g->stride, g->heave, g->slip, g->energy);
  assert_near(g->speed, BELT, 1e-3 * BELT);
  assert_near(g->stride, BELT, 1e-3 * BELT);
  assert_near(g->distance, 3 * BELT, 1e-3 * BELT);
  assert_near(g->heave, RISE, 1e-2 * RISE);
  assert_near(g->slip, 0, 1e-5);
  assert_near(g->pitch, 0, 1e-3);
  assert_near(g->roll, 0, 1e-3);
  for (int i = 0; i < 2; i++) {
    assert_near(g->foot[i].duty, 0.5, 0.02);
  }
  // Twice a cycle the trunk rises by RISE, and the foot in the air twice as far. Once, at the speed
  // v of legs in the middle of a key, feet change without a rest: motors turn the trunk from -v to
  // v and the other foot from 0 to 2v, while they extend and draw in at v. That is in the rise.
  const double v = 15.0 / 8 * 2 * RISE / 0.5;
  const double lift = 2 * G * (TRUNK * RISE + FOOT * 2 * RISE);
  const double turn = 2 * v * v * (TRUNK + 2 * FOOT), moving = (TRUNK / 2 + 2 * FOOT) * v * v;
  print_message("of which %g J by theory\n", lift + turn - moving);
  assert_near(g->energy / (lift + turn - moving), 1, 0.01);
  assert_near(g->transport, g->energy / ((TRUNK + 2 * FOOT) * G * g->stride), 1e-12);
  // curves of the last second: the leg at the bottom carries all but itself, at rest
  assert_int_equal(g->nmotor, 2);
  assert_string_equal(r->model->motor.name[g->motor[0]], "down");
  assert_int_equal(g->nsample, 201);
  assert_near(g->phase[200], 1, 1e-9);
  for (int s = 1; s < g->nsample; s++) {
    assert_at_most(fabs(g->torque[s]), g->torque_peak);
    assert_at_most(g->power[s], g->power_peak);
  }
  assert_near(g->power[50], 0, 0.05);
  assert_near(g->torque[50], -(TRUNK + FOOT) * G, 0.01 * TRUNK * G);
  assert_near(g->torque[g->nsample + 150], -(TRUNK + FOOT) * G, 0.01 * TRUNK * G);
  lb_gait_release(g);
  end(r);
}

// The same above a floor that is not solid for it: nothing touches, and nothing walks.
static void without_contact_there_is_no_gait(void** state) {
  (void)state;
  lb_recording* r = run(WALKER(""));
  lb_gait* g = NULL;
  assert_int_equal(lb_gait_create(r, &g, NULL), LB_OK);
  assert_null(g);
  lb_gait_release(g);
  end(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_walk_that_is_known_has_its_figures),
      cmocka_unit_test(without_contact_there_is_no_gait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
