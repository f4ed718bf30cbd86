// Tapes of runs by every integrator that can be differentiated: stretches that are stepped again
// from checkpoints hold the same bits as a tape that has room for all.
#include "design/tape/tape.h"
#include "dynamics/constraint/constraint_loop.h"
#include "limber/limber.h"
#include "test.h"

// A four-bar that swings, beside a box that falls onto a floor.
static const char WORLD[] =
    "duration: 0.5 s\n"
    "solver: {integrator: %s, step: 1 ms}\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "  box: {shape: {box: [0.1, 0.1, 0.1]}, position: [0, 2, 0.4]}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y}\n"
    "  d: {type: revolute, loop: true, parent: coupler, child: rocker, at: [0.5, 0, 0],\n"
    "      in_child: [0.4, 0, 0], axis: y}\n"
    "constraints: {ground: {floor: {body: box, points: [{at: [0, 0, -0.05]}]}}}\n"
    "initial: {a: {position: -60 deg}, b: {position: 50 deg}, c: {position: -90 deg}}\n";

enum { STEPS = 500 };

static lb_stepper* begin(const lb_model* m, lb_data** d) {
  lb_stepper* st = NULL;
  assert_int_equal(lb_data_create(m, NULL, d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, *d, NULL), LB_OK);
  return st;
}

static void run(lb_tape* T, const lb_model* m, size_t memory) {
  lb_data* d = NULL;
  lb_stepper* st = begin(m, &d);
  assert_int_equal(
      lb_tape_open(T, m, m->solver.integrator, m->duration / STEPS, STEPS, memory, NULL, NULL),
      LB_OK);
  lb_tape_begin(T, st, d, STEPS);
  for (int i = 1; i <= STEPS; i++) {
    assert_int_equal(lb_tape_step(T, st, d, i, NULL), LB_OK);
  }
  lb_stepper_release(st);
  lb_data_release(d);
}

// The records of the stretch that `some` holds, as `all` has them; how many.
static int compare(const lb_tape* some, const lb_tape* all) {
  for (int i = lb_tape_first(some); i < some->count; i++) {
    const lb_record *a = lb_tape_record(some, i), *b = lb_tape_record(all, i);
    assert_int_equal(a->step, b->step);
    assert_int_equal(a->effort, b->effort);
    assert_int_equal(a->before[0], b->before[0]);
    assert_memory_equal(a, b, sizeof a->time + sizeof a->dt);
    assert_memory_equal(lb_tape_q(some, i), lb_tape_q(all, i),
                        (size_t)(some->m->nq + some->m->nv + some->rows) * sizeof(double));
  }
  return some->count - lb_tape_first(some);
}

static void check(const char* by) {
  char text[sizeof WORLD + 20];
  lb_scene scene;
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_tape all, some;
  snprintf(text, sizeof text, WORLD, by);
  assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, NULL), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, NULL), LB_OK);
  run(&all, m, 0);
  run(&some, m, 220000);
  assert_int_equal(lb_tape_stretches(&all), 1);
  assert_above(lb_tape_stretches(&some), 1);
  lb_stepper* st = begin(m, &d);
  int records = 1;
  for (int i = lb_tape_stretches(&some) - 1; i >= 0; i--) {
    if (some.stretch != i) {
      assert_int_equal(lb_tape_hold(&some, st, d, i, NULL), LB_OK);
    }
    records += compare(&some, &all);
  }
  print_message("%s: %d records in %d stretches\n", by, records, lb_tape_stretches(&some));
  assert_int_equal(records, all.count);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_tape_close(&all);
  lb_tape_close(&some);
  lb_model_release(m);
  lb_scene_release(&scene);
}

static void stretches_from_checkpoints_are_the_same_to_the_last_bit(void** state) {
  (void)state;
  static const char* const all[] = {"bdf1", "bdf2", "sdirk2", "euler", "rk4", "rk8"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    check(all[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stretches_from_checkpoints_are_the_same_to_the_last_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
