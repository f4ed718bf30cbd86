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
  // twice a cycle the trunk rises, and the foot that is in the air twice as far
  const double lift = 2 * G * (TRUNK * RISE + FOOT * 2 * RISE);
  assert_near(g->energy, lift, 0.05 * lift);
  assert_near(g->transport, g->energy / ((TRUNK + 2 * FOOT) * G * g->stride), 1e-12);
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
