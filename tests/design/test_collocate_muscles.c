// Where searches by muscles begin: at activations that a motion needs, or at a motion by torques.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "design/collocating.h"

#define BODY                                                                                       \
  "limber: 1\nduration: 0.6 s\n"                                                                   \
  "bodies: {rod: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}, mass: 1 "   \
  "kg}}\n"                                                                                         \
  "joints: {pin: {type: revolute, child: rod, at: [0, 0, 1], axis: -y, damping: 0.1}}\n"           \
  "muscles:\n"                                                                                     \
  "  front:\n"                                                                                     \
  "    through: [{body: world, at: [4 cm, 0, 1.2]}, {body: rod, at: [3 cm, 0, -8 cm]}]\n"          \
  "    hill: {model: millard, force: 300 N, fiber: 12 cm, slack: 15 cm, elastic: false}\n"         \
  "  back:\n"                                                                                      \
  "    through: [{body: world, at: [-4 cm, 0, 1.2]}, {body: rod, at: [-3 cm, 0, -8 cm]}]\n"        \
  "    hill: {model: millard, force: 300 N, fiber: 12 cm, slack: 15 cm, elastic: false}\n"

static double reserve_at(const collocated* x, int node) {
  for (int k = 0; k < lb_collocation_width(x->c); k++) {
    if (strcmp(lb_collocation_heading(x->c, k).text, "pin.control") == 0) {
      return lb_collocation_number(x->c, node, k);
    }
  }
  fail();
  return 0;
}

// A swing that needs up to 1 N m, which muscles can give.
static void a_guess_on_a_motion_has_the_activations_that_it_needs(void** state) {
  (void)state;
  enum { N = 61 };
  double time[N], q[N], rates[N] = {0};
  bool none[2] = {false};
  for (int i = 0; i < N; i++) {
    time[i] = 0.01 * i;
    q[i] = 0.3 * sin(8 * time[i]);
  }
  const lb_joint_motion motion = {.file = "made",
                                  .nsample = N,
                                  .time = time,
                                  .q = q,
                                  .qd = rates,
                                  .qdd = rates,
                                  .has_qd = none,
                                  .has_qdd = none};
  lb_collocate_inputs in = lb_collocate_default();
  in.motion = &motion;
  collocated x = make_collocation(BODY "collocate: {intervals: 20, reserves: 100}\n", &in);
  double worst = 0;
  for (int i = 0; i < x.c->nnode; i++) {
    worst = fmax(worst, fabs(reserve_at(&x, i)));
  }
  print_message("reserves of at most %.2g N m\n", worst);
  assert_true(worst < 0.2); // of 1.7 N m
  forget_collocation(&x);
}

// A table of a search without muscles: what its motor does stays, and muscles do the rest.
static void forces_of_a_guess_balance_with_motors_of_a_table(void** state) {
  (void)state;
  collocated x = make_collocation(BODY "motors: {turn: {joint: pin, drive: force, keys: [[0 s, 0 N "
                                       "m]]}}\ncollocate: {intervals: 2, reserves: 100}\n",
                                  NULL);
  char path[] = "/tmp/limber_collocate_XXXXXX";
  const int file = mkstemp(path);
  FILE* f = fdopen(file, "w");
  fprintf(f, "time,pin.q,pin.qd,pin.qdd,turn.control\n0,0.3,0,0,0.4\n0.6,0.3,0,0,0.4\n");
  fclose(f);
  assert_int_equal(lb_collocation_resume(x.c, path, NULL), LB_OK);
  unlink(path);
  double r[100];
  for (int i = 0; i < x.c->nnode; i++) {
    lb_node_residual(x.c->work, i, lb_node_of(x.c->work, x.c->work->Z, i), 0, r);
    assert_near(r[0], 0, 1e-9);
  }
  forget_collocation(&x);
}

#define UP                                                                                         \
  "collocate:\n  intervals: 20\n"                                                                  \
  "  must: {up: {joint: pin, position: 40 deg}, still: {joint: pin, velocity: 0 rad/s}}\n"

static void muscles_begin_at_a_motion_by_torques(void** state) {
  (void)state;
  collocated x = solve_collocation(BODY UP "  goals: {calm: {muscle: back, weight: 0.1}}\n", NULL);
  print_message("%d iterations, %d by torques before\n", x.c->iterations, x.c->before);
  assert_true(x.c->before > 0 && x.c->before < 50);
  assert_true(x.c->iterations < 50);
  assert_near(x.c->q[x.c->nnode - 1], 40 * 3.14159265358979 / 180, 1e-6);
  forget_collocation(&x);
}

static bool stop_soon(void* context, double fraction, const char* what) {
  (void)fraction, (void)what;
  int* calls = context;
  return ++*calls < 2;
}

static void what_torques_found_is_kept_where_a_search_is_stopped(void** state) {
  (void)state;
  int calls = 0;
  lb_collocate_inputs in = lb_collocate_default();
  in.progress = (lb_progress){stop_soon, &calls};
  collocated x = make_collocation(BODY UP, &in);
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_collocation_solve(x.c, &err), LB_INTERRUPTED);
  assert_int_equal(x.c->end, LB_COLLOCATE_INTERRUPTED);
  assert_non_null(strstr(err.message[0].text, "by torques"));
  lb_error_clear(&err);
  calls = -10000;
  assert_int_equal(lb_collocation_solve(x.c, NULL), LB_OK);
  assert_int_equal(x.c->end, LB_COLLOCATE_CONVERGED);
  assert_true(x.c->before > 0); // it went on by torques
  forget_collocation(&x);
}

static void write_solution(const lb_collocation* c, char* path) {
  FILE* f = fdopen(mkstemp(path), "w");
  for (int i = -1; i < c->nnode; i++) {
    i < 0 ? fprintf(f, "time") : fprintf(f, "%.17g", c->time[i]);
    for (int k = 0; k < lb_collocation_width(c); k++) {
      i < 0 ? fprintf(f, ",%s", lb_collocation_heading(c, k).text)
            : fprintf(f, ",%.17g", lb_collocation_number(c, i, k));
    }
    fprintf(f, "\n");
  }
  fclose(f);
}

static void one_that_was_stopped_early_goes_on_by_torques_and_a_solved_one_does_not(void** state) {
  (void)state;
  for (int solved = 0; solved < 2; solved++) {
    int calls = solved ? -10000 : 0;
    char path[] = "/tmp/limber_collocate_XXXXXX";
    lb_collocate_inputs in = lb_collocate_default();
    in.progress = (lb_progress){stop_soon, &calls};
    collocated x = make_collocation(BODY UP, &in), y = make_collocation(BODY UP, NULL);
    assert_int_equal(lb_collocation_solve(x.c, NULL), solved ? LB_OK : LB_INTERRUPTED);
    write_solution(x.c, path);
    assert_int_equal(lb_collocation_resume(y.c, path, NULL), LB_OK);
    unlink(path);
    assert_int_equal(lb_collocation_solve(y.c, NULL), LB_OK);
    print_message("%d iterations, %d by torques before\n", y.c->iterations, y.c->before);
    assert_int_equal(y.c->end, LB_COLLOCATE_CONVERGED);
    assert_true(solved ? y.c->before == 0 : y.c->before > 0);
    forget_collocation(&x);
    forget_collocation(&y);
  }
}

// Nothing holds it there, but what it weighs is little in newton metres.
static void a_light_body_at_rest_in_the_air_is_no_solution(void** state) {
  (void)state;
  collocated x = make_collocation(
      "limber: 1\nduration: 0.6 s\nbodies: {rod: {mass: 0.1 g, center: [0, 0, -0.2], inertia: "
      "[1e-6, 1e-6, 1e-6]}}\n"
      "joints: {pin: {type: revolute, child: rod, axis: -y}}\n"
      "motors: {turn: {joint: pin, drive: force, keys: [[0 s, 0 N m]]}}\n"
      "collocate: {intervals: 5, goals: {up: {joint: pin, position: 40 deg}}}\n",
      NULL);
  char path[] = "/tmp/limber_collocate_XXXXXX";
  FILE* f = fdopen(mkstemp(path), "w");
  fprintf(f, "time,pin.q,pin.qd,pin.qdd,turn.control\n");
  for (int i = 0; i < x.c->nnode; i++) {
    fprintf(f, "%g,0.3,0,0,0\n", 0.06 * i);
  }
  fclose(f);
  assert_int_equal(lb_collocation_resume(x.c, path, NULL), LB_OK);
  assert_false(x.c->work->warm);
  assert_int_equal(lb_collocation_solve(x.c, NULL), LB_OK);
  assert_int_equal(x.c->end, LB_COLLOCATE_CONVERGED);
  unlink(path);
  char solution[] = "/tmp/limber_collocate_XXXXXX";
  write_solution(x.c, solution);
  assert_int_equal(lb_collocation_resume(x.c, solution, NULL), LB_OK);
  unlink(solution);
  assert_true(x.c->work->warm);
  forget_collocation(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_guess_on_a_motion_has_the_activations_that_it_needs),
      cmocka_unit_test(forces_of_a_guess_balance_with_motors_of_a_table),
      cmocka_unit_test(muscles_begin_at_a_motion_by_torques),
      cmocka_unit_test(what_torques_found_is_kept_where_a_search_is_stopped),
      cmocka_unit_test(one_that_was_stopped_early_goes_on_by_torques_and_a_solved_one_does_not),
      cmocka_unit_test(a_light_body_at_rest_in_the_air_is_no_solution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
