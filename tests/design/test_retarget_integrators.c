// Retargeting by every implicit integrator that iterates: gradients, sensitivities, checkpoints,
// and a search that ends where that of BDF2 does.
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

// How far the weight is from where it should be at most, before and after.
typedef struct outcome {
  double before, after;
} outcome;

static outcome search(int i) {
  problem p;
  open_rod(&p, i, 1);
  lb_error err = lb_error_make(NULL);
  lb_retarget_state* s;
  lb_retarget_value after;
  const double before = evaluate(&p, p.input, NULL).peak;
  must(lb_retarget_state_create(p.input, NULL, &s, &err), &err);
  must(lb_retarget_run(p.model, p.what, p.input, p.targets, &p.options, s, &after, &err), &err);
  print_message("%s: peak %.2f mm, then %.3f mm in %d iterations\n", BY[i], 1e3 * before,
                1e3 * after.peak, s->iteration);
  lb_retarget_state_release(s);
  close_problem(&p);
  return (outcome){before, after.peak};
}

static void searches_leave_as_little_of_the_vibration(void** state) {
  (void)state;
  lb_test_needs_speed();
  outcome found[COUNT];
  for (int i = 0; i < COUNT; i++) {
    found[i] = search(i);
    assert_below(found[i].after, found[i].before / 10);
  }
  const double left = found[1].after / found[1].before;
  assert_below(left, 0.025);
  for (int i = 0; i < COUNT; i++) { // BDF1 damps vibrations a little, before and after
    assert_near(found[i].after / found[i].before, left, 0.0024); // both are parts of one
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_match_differences_and_sensitivities),
      cmocka_unit_test(little_memory_changes_no_bit),
      cmocka_unit_test(searches_leave_as_little_of_the_vibration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
