// Rods that carry nearly and just more than they can: Euler's load of a cantilever, pi^2 E I / (4
// L^2).
#include "retargeting.h"

static const double LENGTH = 0.3, RADIUS = 1e-3, YOUNG = 200e9, DENSITY = 7850, GRAVITY = 9.81;

// A share of the load at the end; a rod's own weight counts as three tenths of it there.
static bool buckles(double share) {
  const double pi = M_PI, I = pi * pow(RADIUS, 4) / 4;
  const double load = pi * pi * YOUNG * I / (4 * LENGTH * LENGTH);
  const double own = 0.3 * DENSITY * pi * RADIUS * RADIUS * LENGTH;
  char text[2000];
  snprintf(text, sizeof text,
           "duration: 0.4 s\nrecord: {every: 50 ms}\n"
           "materials: {steel: {density: %g, young: %g, poisson: 0.3}}\n"
           "bodies:\n"
           "  hub: {shape: {sphere: {radius: 2 cm}}}\n"
           "  rod: {material: steel, elastic: {rod: {radius: %g, to: [0, 0, %g]},\n"
           "    elements: {along: 10, across: 1}}}\n"
           "  weight: {shape: {sphere: {radius: 1 cm}}, mass: %.17g}\n"
           "joints:\n"
           "  motor: {type: revolute, child: hub, axis: y}\n"
           "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"
           "  tip: {type: fixed, parent: rod, child: weight, face: end}\n"
           "motors: {motor: {joint: motor, keys: [[0, 2 deg], [0.3 s, 3 deg]]}}\n"
           "retarget: {bodies: {weight: {position: 1}}, spacing: 20 ms}\n",
           DENSITY, YOUNG, RADIUS, LENGTH, share * load / GRAVITY - own);
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  lb_model* model;
  lb_recording* rest;
  bool found = false;
  const lb_simulate_options slow = lb_simulate_default();
  must(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err), &err);
  must(lb_model_create(&scene, NULL, &model, &err), &err);
  must(lb_recording_create(model, 20, NULL, &rest, &err), &err);
  must(lb_quasistatic_motion(model, &slow, rest, &err), &err);
  must(lb_target_buckles(rest, &found, &err), &err);
  lb_recording_release(rest);
  lb_model_release(model);
  lb_scene_release(&scene);
  return found;
}

static void a_rod_buckles_beyond_eulers_load(void** state) {
  (void)state;
  assert_false(buckles(0.95));
  assert_true(buckles(1.05));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rod_buckles_beyond_eulers_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
