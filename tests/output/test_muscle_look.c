// Muscles and surfaces as they are drawn.
#include "compile.h"
#include "output/report/deformed.h"

static const char ARM[] =
    "duration: 0.2 s\ngravity: [0, 0, 0]\nsolver: {integrator: rk4, step: 1 ms}\n"
    "materials: {glass: {color: \"#88aacc\"}, red: {color: \"#b3404a\"}}\n"
    "bodies: {arm: {mass: 1000, center: [0, 0, 0], inertia: [1000, 1000, 1000]}}\n"
    "joints: {hinge: {type: revolute, child: arm, axis: y}}\n"
    "wraps: {head: {sphere: {radius: 2 cm}, position: [0, 1, 0], material: glass},\n"
    "  bare: {cylinder: {radius: 2 cm}, position: [0, 2, 0]}}\n"
    "muscles: {pull: {through: [{at: [0, 0, 1]}, {body: arm, at: [0.2, 0, 0]}], radius: 2 cm, "
    "material: red, mass: {amount: 1, belly: [0.2, 0.7]}, tension: 1, excitation: {keys: [[0, 0], "
    "[0.2, 1]], ease: linear}}}\n";

static void muscles_swell_and_surfaces_are_seen_on_request(void** state) {
  (void)state;
  lb_model* m = compile(ARM);
  lb_recording* r = NULL;
  lb_summary summary;
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_recording_create(m, 16, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &o, r, &summary, NULL), LB_OK);
  assert_int_equal(m->look.nshape, 1); // the one with a material
  const int last = r->nframe - 1, lines = lb_bent_lines(m), middle = 4 * lines / 10;
  assert_near(lb_bent_radius(r, 0, 0, 1), 0.35 * 0.02, 1e-12); // tendons at both ends
  assert_near(lb_bent_radius(r, 0, lines - 1, 1), 0.35 * 0.02, 1e-12);
  assert_above(lb_bent_radius(r, 0, middle, 1), 0.9 * 0.02);
  assert_near(lb_bent_activation(r, last, middle), 1, 1e-6);
  assert_above(lb_bent_radius(r, last, middle, 1), 1.15 * lb_bent_radius(r, 0, middle, 1));
  const double own[4] = {0.4, 0.1, 0.1, 1};
  double idle[4], active[4];
  lb_bent_color(r, 0, middle, own, idle);
  lb_bent_color(r, last, middle, own, active);
  assert_above(active[0], 2 * idle[0]);
  lb_recording_release(r);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(muscles_swell_and_surfaces_are_seen_on_request),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
