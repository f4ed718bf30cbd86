// Retargeting by every implicit integrator that iterates: gradients, sensitivities, checkpoints,
// and motions and searches that differ by the errors of the steps alone.
#include "retargeting.h"

// A rod with a weight on it, turned by 20 degrees in 0.2 s.
static const char ROD[] =
    "duration: 0.9 s\n"
    "solver: {integrator: %s, step: 1 ms}\n"
    "materials: {steel: {density: 7850, young: 200 GPa, damping: {mass: 0.1, stiffness: 5e-5 s}}}\n"
    "bodies:\n"
    "  hub: {shape: {sphere: {radius: 2 cm}}}\n"
    "  rod: {material: steel, elastic: {rod: {radius: 2 mm, from: [0, 0, 0], to: [0, 0, 0.7]},\n"
    "    elements: {along: 6, across: 1}, basis: {modes: 4, derivatives: 4}}}\n"
    "  weight: {shape: {sphere: {radius: 1 cm}}, mass: 100 g}\n"
    "joints:\n"
    "  motor: {type: revolute, child: hub, axis: y}\n"
    "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"
    "  tip: {type: fixed, parent: rod, child: weight, face: end}\n"
    "motors: {motor: {joint: motor, keys: [[0, 0], [0.1 s, 0], [0.3 s, 20 deg]]}}\n"
    "retarget: {bodies: {weight: {position: 1}}, spacing: 20 ms}\n";

static const char* const BY[] = {"bdf1", "bdf2", "sdirk2"};
enum { COUNT = sizeof BY / sizeof *BY };

static void open_rod(problem* p, int i, double duration) {
  char text[sizeof ROD + 20];
  snprintf(text, sizeof text, ROD, BY[i]);
  open_text(p, text, duration);
}

static void gradients_match_differences_and_sensitivities(void** state) {
  (void)state;
  for (int i = 0; i < COUNT; i++) {
    problem p;
    open_rod(&p, i, PIECE);
    p.options.step = LONG_STEP;
    shake_curves(&p, 0.02, 5);
    check_gradient_of(&p, BY[i], 2, 1e-4);
    compare_both_ways_of(&p, BY[i]);
    close_problem(&p);
  }
}

static void little_memory_changes_no_bit(void** state) {
  (void)state;
  enum { MOST = 200 };
  for (int i = 0; i < COUNT; i++) {
    problem p;
    double much[MOST] = {0}, little[MOST] = {0};
    open_rod(&p, i, 0.9);
    assert_at_most(control_count(&p), MOST);
    shake_curves(&p, 0.02, 5);
    evaluate(&p, p.curves, much);
    p.options.memory = 250000; // for 900 records of 0.3 kB and as many to spare
    evaluate(&p, p.curves, little);
    assert_memory_equal(much, little, sizeof much);
    close_problem(&p);
  }
}

// Deviation of shaken curves by an integrator with steps of h.
static double deviation_by(problem* p, double h) {
  p->options.step = h;
  return evaluate(p, p->curves, NULL).deviation;
}

// Each comes to the same motion with its own order, and so they differ by their errors alone.
static void integrators_converge_to_one_motion_with_their_orders(void** state) {
  (void)state;
  lb_test_needs_speed();
  static const double ORDER[COUNT] = {1, 2, 2};
  double first[COUNT], limit[COUNT];
  for (int i = 0; i < COUNT; i++) {
    problem p;
    double v[3];
    open_rod(&p, i, 1);
    shake_curves(&p, 0.02, 5);
    for (int k = 0; k < 3; k++) {
      v[k] = deviation_by(&p, ldexp(1e-3, -k));
    }
    const double order = log2((v[1] - v[0]) / (v[2] - v[1]));
    first[i] = v[0];
    limit[i] = v[2] + (v[2] - v[1]) / (exp2(ORDER[i]) - 1);
    print_message("%s: %.6g with 1 ms, %.6g in the limit: order %.2f\n", BY[i], v[0], limit[i],
                  order);
    assert_at_least(order, ORDER[i] - 0.1);
    close_problem(&p);
  }
  for (int i = 0; i < COUNT; i++) { // a tenth of what BDF1 is off by
    assert_near(limit[i], limit[1], 0.1 * fabs(first[0] - limit[0]));
  }
}

// Objective that a search ends with. It leaves a fortieth of the deviation at most.
static double search(int i, double h) {
  problem p;
  open_rod(&p, i, 1);
  lb_error err = lb_error_make(NULL);
  lb_retarget_state* s;
  lb_retarget_value after;
  p.options.step = h;
  const lb_retarget_value before = evaluate(&p, p.input, NULL);
  must(lb_retarget_state_create(p.input, NULL, &s, &err), &err);
  must(lb_retarget_run(p.model, p.what, p.input, p.targets, &p.options, s, &after, &err), &err);
  print_message("%s, %g ms: peak %.2f mm, then %.3f mm in %d iterations, objective %.4g\n", BY[i],
                1e3 * h, 1e3 * before.peak, 1e3 * after.peak, s->iteration, after.objective);
  assert_below(after.peak, before.peak / 40);
  lb_retarget_state_release(s);
  close_problem(&p);
  return after.objective;
}

// The least objective differs from integrator to integrator as the objective itself does: with the
// order of the worse one.
static void searches_come_together_with_shorter_steps(void** state) {
  (void)state;
  lb_test_needs_speed();
  double off[2], by[2];
  for (int k = 0; k < 2; k++) {
    const double h = ldexp(2e-3, -k);
    by[0] = search(0, h);
    by[1] = search(1, h);
    off[k] = fabs(by[0] - by[1]);
  }
  print_message("bdf1 and bdf2 differ by %.3g, then %.3g: order %.2f\n", off[0], off[1],
                log2(off[0] / off[1]));
  assert_at_least(log2(off[0] / off[1]), 0.9);
  assert_below(fabs(search(2, 1e-3) - by[1]), off[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_match_differences_and_sensitivities),
      cmocka_unit_test(little_memory_changes_no_bit),
      cmocka_unit_test(integrators_converge_to_one_motion_with_their_orders),
      cmocka_unit_test(searches_come_together_with_shorter_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
