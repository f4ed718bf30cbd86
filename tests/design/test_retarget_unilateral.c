// Retargeting of characters that run into stops and tap on tables: gradients against differences,
// and the same bits from checkpoints.
#include "retargeting.h"

// A mast on a spring, with a stop on either side, carries a swinging weight that taps on a table.
static const char mast[] =
    "duration: 1 s\n"
    "record: {every: 10 ms}\n"
    "bodies:\n"
    "  hub: {mass: 0.5, inertia: [0.002, 0.002, 0.002]}\n"
    "  mast: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.5]}}, mass: 0.3}\n"
    "  weight: {mass: 0.2, center: [0.1, 0, 0], inertia: [0.001, 0.001, 0.001]}\n"
    "joints:\n"
    "  motor: {type: revolute, child: hub, axis: y}\n"
    "  flex: {type: revolute, parent: hub, child: mast, axis: y, damping: 0.02,\n"
    "         spring: {stiffness: 20}}\n"
    "  nod: {type: revolute, parent: mast, child: weight, axis: y, at: [0, 0, 0.5],\n"
    "        damping: 0.01, spring: {stiffness: 1, rest: -0.2}}\n"
    "motors: {turn: {joint: motor, keys: [[0.02, 0], [0.12, 0.3], [0.2, 0.3], [0.4, 0]]}}\n"
    "constraints:\n"
    "  stop: {couple: [{joint: flex}], at_least: -0.05, at_most: 0.05}\n"
    "  table: {floor: {body: weight, height: 0.44, points: [{at: [0.15, 0, 0]}]}}\n"
    "retarget:\n"
    "  bodies: {weight: {position: 1, orientation: 0.01}}\n"
    "  motors: {turn: {}}\n"
    "  spacing: 20 ms\n";

static void open_mast(problem* p) {
  open_text(p, mast, PIECE);
  p->options.step = LONG_STEP;
  shake_curves(p, 0.01, 5);
}

// What it is without its stops and the table is something else.
static void it_runs_into_them(void** state) {
  (void)state;
  problem p;
  open_mast(&p);
  const double with = evaluate(&p, p.curves, NULL).peak;
  p.scene.nconstraint = 0;
  lb_model* bound = p.model;
  lb_error err = lb_error_make(NULL);
  must(lb_model_create(&p.scene, NULL, &p.model, &err), &err);
  const double without = evaluate(&p, p.curves, NULL).peak;
  print_message("peak %.3g mm, %.3g mm without\n", 1e3 * with, 1e3 * without);
  assert_above(fabs(with - without), 0.1 * with);
  lb_model_release(bound);
  close_problem(&p);
}

static void gradients_go_through_stops(void** state) {
  (void)state;
  problem p;
  open_mast(&p);
  check_gradient_of(&p, "mast", 4, 1e-6);
  compare_both_ways_of(&p, "mast");
  close_problem(&p);
}

// Torques are those before impacts, which take no time.
static void so_do_those_of_torques(void** state) {
  (void)state;
  problem p;
  open_mast(&p);
  p.what->limit[0].torque = 1;
  p.what->limit[0].torque = 0.2 * evaluate(&p, p.curves, NULL).torque;
  const lb_retarget_value v = evaluate(&p, p.curves, NULL);
  assert_near(v.torque, 5, 1e-9);
  assert_above(v.limits, 0.1 * v.objective);
  check_gradient_of(&p, "mast", 4, 1e-6);
  compare_both_ways_of(&p, "mast");
  close_problem(&p);
}

static void little_memory_changes_no_bit(void** state) {
  (void)state;
  enum { MOST = 64 };
  problem p;
  double much[MOST], little[MOST];
  open_mast(&p);
  p.options.step = 2.5e-4;
  assert_at_most(control_count(&p), MOST);
  const lb_retarget_value one = evaluate(&p, p.curves, much);
  p.options.memory = 120000;
  const lb_retarget_value other = evaluate(&p, p.curves, little);
  assert_memory_equal(&one, &other, sizeof one);
  assert_memory_equal(much, little, (size_t)control_count(&p) * sizeof *much);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_runs_into_them),
      cmocka_unit_test(gradients_go_through_stops),
      cmocka_unit_test(so_do_those_of_torques),
      cmocka_unit_test(little_memory_changes_no_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
