// Activations and fibres as states: by all integrators, saved and restored, in free bodies and in
// maximal coordinates, with derivatives.
#include "compile.h"
#include "differences.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "solve/step/stepper.h"

// An arm with two muscles: %s are the integrator, more of the solver, and the joint of the upper
// bone; %g the step.
#define ARM                                                                                        \
  "solver: {integrator: %s, step: %g%s}\nduration: 1\n"                                            \
  "bodies:\n"                                                                                      \
  "  upper: {mass: 2, center: [0, 0, -0.15], inertia: [0.02, 0.02, 0.002]}\n"                      \
  "  fore: {mass: 1.5, center: [0, 0, -0.15], inertia: [0.012, 0.012, 0.001]}\n"                   \
  "joints:\n  shoulder: {type: %s, child: upper, at: [0, 0, 1]}\n"                                 \
  "  elbow: {type: revolute, parent: upper, child: fore, at: [0, 0, -0.3], axis: -y}\n"            \
  "initial: {elbow: {position: 0.4}}\n"                                                            \
  "muscles:\n"                                                                                     \
  "  biceps:\n    through: [{body: upper, at: [0.03, 0.01, 0]}, {body: fore, at: [0.02, 0, "       \
  "-0.05]}]\n"                                                                                     \
  "    hill: {model: millard, force: 700, fiber: 0.13, slack: 0.21, pennation: 0.1%s}\n"           \
  "    excitation: {keys: [[0, 0.05], [0.1, 0.3], [0.3, 0.1]], ease: smooth}\n"                    \
  "  triceps:\n    through: [{body: upper, at: [-0.03, 0, -0.02]}, {body: upper, at: [-0.025, 0, " \
  "-0.29]}, {body: fore, at: [-0.02, 0.005, 0.01]}]\n"                                             \
  "    hill: {model: thelen, force: 900, fiber: 0.1, slack: 0.19, pennation: 0.15%s}\n"            \
  "    excitation: {%s}\n"
#define FEEDBACK "follow: {joint: elbow, to: 0.3, gain: -0.4, rate_gain: -0.1}"
#define STEADY "keys: [[0, 0.1]]"

typedef struct arm {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
} arm;

static arm make(const char* by, double h, const char* solver, const char* shoulder,
                const char* hill, const char* excitation) {
  char text[4096];
  assert_in_range(snprintf(text, sizeof text, ARM, by, h, solver, shoulder, hill, hill, excitation),
                  0, sizeof text - 1);
  arm a = {.m = compile(text)};
  assert_int_equal(lb_data_create(a.m, NULL, &a.d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(a.m, NULL, NULL, &a.st, NULL), LB_OK);
  return a;
}

static void drop(arm* a) {
  lb_stepper_release(a->st);
  lb_data_release(a->d);
  lb_model_release(a->m);
}

static void run(arm* a, double until, double h) {
  const int n = (int)lround(until / h);
  for (int i = 0; i < n; i++) {
    assert_int_equal(lb_stepper_step(a->st, a->d, h, NULL), LB_OK);
  }
}

// Elbow, its rate, activations and fibres at the end.
enum { NSEEN = 6 };
static void see(const char* by, double h, const char* hill, double out[NSEEN]) {
  arm a = make(by, h, "", "fixed", hill, FEEDBACK);
  run(&a, 0.4, h);
  lb_forward(a.m, a.d); // fibres of rigid tendons follow
  const double all[NSEEN] = {a.d->q[0], a.d->qd[0], a.d->x[0], a.d->x[1], a.d->x[2], a.d->x[3]};
  memcpy(out, all, sizeof all);
  drop(&a);
}

static double off(const double* a, const double* b) {
  double worst = 0;
  for (int i = 0; i < NSEEN; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
  }
  return worst;
}

static void all_integrators_find_the_same_motion(void** state) {
  (void)state;
  const struct {
    const char* by;
    double order, error;
  } all[] = {{"euler", 1, 1e-3},  {"linear-euler", 1, 2e-3}, {"bdf1", 1, 2e-3}, {"bdf2", 2, 1e-4},
             {"sdirk2", 2, 3e-5}, {"midpoint", 0, 1e-4},     {"rk4", 0, 1e-6},  {"rk8", 0, 1e-6}};
  double exact[NSEEN], coarse[NSEEN], fine[NSEEN];
  see("adaptive", 1e-2, "", exact);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    see(all[i].by, 5e-4, "", coarse);
    see(all[i].by, 2.5e-4, "", fine);
    const double error = off(fine, exact);
    print_message("%s: %.3g -> %.3g\n", all[i].by, off(coarse, exact), error);
    assert_below(error, all[i].error);
    if (all[i].order > 0) {
      assert_near(log2(off(coarse, exact) / error), all[i].order, 0.3);
    }
  }
}

static void implicit_and_explicit_steps_agree_on_rigid_tendons(void** state) {
  (void)state;
  double one[NSEEN], other[NSEEN];
  see("sdirk2", 5e-4, ", elastic: false", one);
  see("rk8", 5e-4, ", elastic: false", other);
  assert_below(off(one, other), 1e-4);
}

static void states_start_in_equilibrium(void** state) {
  (void)state;
  arm a = make("rk4", 1e-3, "", "fixed", "", STEADY);
  double slope[16];
  lb_slopes(a.m, a.d, slope, slope + a.m->nq);
  const double* dx = slope + a.m->nq + a.m->nv;
  for (int i = 0; i < a.m->nx; i++) {
    assert_below(fabs(dx[i]), 1e-8);
  }
  assert_near(a.d->x[0], 0.05, 1e-15);
  assert_near(a.d->x[2], 0.1, 1e-15);
  drop(&a);
}

// What `initial` gives is so; the fibre is in equilibrium at the given activation, or as given.
static void starts_are_as_given(void** state) {
  (void)state;
  char text[4096];
  snprintf(text, sizeof text, ARM, "rk4", 1e-3, "", "fixed", "", "", STEADY);
  char* at = strstr(text, "initial: {elbow: {position: 0.4}}");
  const char* given = "initial: {elbow: {position: 0.4}, biceps: {activation: 0.3}, triceps: "
                      "{activation: 0.5, fiber: 0.11}}";
  const size_t tail = strlen(at) - strlen("initial: {elbow: {position: 0.4}}");
  memmove(at + strlen(given), at + strlen(at) - tail, tail + 1);
  memcpy(at, given, strlen(given));
  lb_model* m = compile(text);
  lb_data* d;
  double slope[16];
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  lb_slopes(m, d, slope, slope + m->nq);
  const double* dx = slope + m->nq + m->nv;
  assert_near(d->x[0], 0.3, 0);
  assert_below(fabs(dx[1]), 1e-8);
  assert_above(fabs(dx[0]), 1); // the excitation is 0.05: it falls at once
  assert_near(d->x[2], 0.5, 0);
  assert_near(d->x[3], 0.11, 0);
  assert_above(fabs(dx[3]), 1e-3); // not in equilibrium
  lb_data_release(d);
  lb_model_release(m);
}

// From a state that was saved the run is the same to the last bit.
static void saved_states_go_on_alike(void** state) {
  (void)state;
  const char* const all[] = {"euler", "linear-euler", "bdf1", "bdf2", "sdirk2", "rk4", "adaptive"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    arm a = make(all[i], 1e-3, "", "fixed", "", FEEDBACK);
    arm b = make(all[i], 1e-3, "", "fixed", "", FEEDBACK);
    double* saved = calloc(lb_stepper_state_size(a.st), sizeof *saved);
    run(&a, 0.05, 1e-3);
    lb_stepper_save(a.st, a.d, saved);
    lb_stepper_load(b.st, b.d, saved);
    run(&a, 0.05, 1e-3);
    run(&b, 0.05, 1e-3);
    assert_memory_equal(a.d->q, b.d->q, (size_t)a.m->nq * sizeof(double));
    assert_memory_equal(a.d->qd, b.d->qd, (size_t)a.m->nv * sizeof(double));
    assert_memory_equal(a.d->x, b.d->x, (size_t)a.m->nx * sizeof(double));
    free(saved);
    drop(&a);
    drop(&b);
  }
}

// Muscles are inside: a free arm keeps its momentum, with mass along them or without.
static void check_momentum(const char* more, double mass) {
  arm a = make("rk8", 5e-4, "", "free", more, FEEDBACK);
  a.d->qd[1] = 1.5;
  const lb_momenta start = lb_momentum(a.m, a.d);
  run(&a, 0.3, 5e-4);
  const lb_momenta end = lb_momentum(a.m, a.d);
  lb_vec3 fallen = lb_vec3_sub(end.linear, start.linear);
  fallen.z += mass * 9.81 * 0.3;
  assert_below(lb_vec3_norm(fallen), 1e-11);
  // about the centre of mass, which falls
  assert_near(end.angular.z, start.angular.z, 1e-11);
  drop(&a);
}

static void free_arm_keeps_its_momentum(void** state) {
  (void)state;
  check_momentum("", 3.5);
  check_momentum("}\n    mass: {amount: 0.4, belly: [0.1, 0.8]", 4.3);
}

// Most that activations and fibres differ between reduced and maximal coordinates after 0.2 s.
static double apart(const char* by, double h) {
  arm a = make(by, h, "", "spherical", "", STEADY);
  arm b = make(by, h, ", coordinates: maximal", "spherical", "", STEADY);
  double worst = 0;
  run(&a, 0.2, h);
  run(&b, 0.2, h);
  for (int i = 0; i < a.m->nx; i++) {
    worst = fmax(worst, fabs(a.d->x[i] - b.d->x[i]));
  }
  drop(&a);
  drop(&b);
  return worst;
}

// Schemes step other numbers in maximal coordinates, and differ by their own errors, which fall
// with their order.
static void maximal_coordinates_agree(void** state) {
  (void)state;
  const double exact = apart("rk8", 1e-3), coarse = apart("bdf2", 1e-3), fine = apart("bdf2", 5e-4);
  print_message("rk8 %.3g, bdf2 %.3g %.3g\n", exact, coarse, fine);
  assert_below(exact, 1e-10);
  assert_below(coarse, 1e-6);
  assert_near(log2(coarse / fine), 2, 0.2);
}

// --- derivatives ---

static double x0[8], stage_dt;

static void put(const arm* a, const double* q, const double* v) {
  memcpy(a->d->q, q, (size_t)a->m->nq * sizeof *q);
  memcpy(a->d->qd, v, (size_t)a->m->nv * sizeof *v);
  memcpy(a->d->x, x0, (size_t)a->m->nx * sizeof *x0);
  lb_muscles_begin(a->d, stage_dt, x0);
  lb_kinematics(a->m, a->d, a->d->q, a->d->qd);
  lb_forces_apply(a->m, a->d);
}

static void residual(void* context, double* out, const double* q, const double* v) {
  const arm* a = context;
  put(a, q, v);
  lb_rnea_forced(a->m, a->d, out, a->d->q, a->d->qd, a->d->qdd);
  for (int k = 0; k < a->m->nv; k++) {
    out[k] -= a->d->work->tau[k];
  }
}

// Of the forces as they are, and of those at the end of a step, whose states are eliminated.
static void derivatives_match_differences(void** state) {
  (void)state;
  static double reference[64];
  const double dt[] = {0, 1e-3, 1e-2, INFINITY};
  const char* const hill[] = {"", ", elastic: false"};
  lb_random r = {3};
  for (int i = 0; i < 40; i++) {
    arm a = make("bdf1", 1e-3, "", "spherical", hill[i % 2], FEEDBACK);
    lb_derivatives* D;
    assert_int_equal(lb_derivatives_create(a.m, NULL, &D, NULL), LB_OK);
    double q[5], v[4], e[4];
    for (int k = 0; k < 4; k++) {
      v[k] = lb_random_between(&r, -1, 1);
      e[k] = lb_random_between(&r, -0.5, 0.5);
    }
    memcpy(q, a.d->q, sizeof q);
    lb_advance(a.m, q, e, 1);
    lb_muscles_settle(a.m, a.d);
    for (int k = 0; k < 4; k++) {
      x0[k] = a.d->x[k] * lb_random_between(&r, 0.95, 1.05) + (k % 2 ? 0 : 0.2);
    }
    stage_dt = dt[i / 2 % 4];
    put(&a, q, v);
    lb_derive_forced(D, a.d);
    difference(a.m, residual, &a, a.m->nv, q, v, true, 2e-5, reference);
    assert_matrix_near(a.m->nv * a.m->nv, reference, D->tau_q, 2e-8);
    difference(a.m, residual, &a, a.m->nv, q, v, false, 1e-4, reference);
    assert_matrix_near(a.m->nv * a.m->nv, reference, D->tau_qd, 2e-8);
    lb_derivatives_release(D);
    drop(&a);
  }
}

// Equilibrium, looked for from elsewhere, is where a long motion comes to rest, fibres included.
static void equilibrium_is_where_motions_end(void** state) {
  (void)state;
  static const char* const hill[] = {"", ", elastic: false"};
  for (int i = 0; i < 2; i++) {
    arm a = make("bdf1", 1e-2, "", "fixed", hill[i], STEADY);
    run(&a, 60, 1e-2);
    const double q = a.d->q[0], x[4] = {a.d->x[0], a.d->x[1], a.d->x[2], a.d->x[3]};
    a.d->q[0] += 0.1;
    a.d->x[1] = NAN; // not known
    assert_int_equal(lb_equilibrium(a.m, a.d, NULL), LB_OK);
    assert_near(a.d->q[0], q, 1e-7);
    for (int k = 0; k < 4; k++) {
      assert_near(a.d->x[k], x[k], 1e-7);
    }
    drop(&a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_integrators_find_the_same_motion),
      cmocka_unit_test(implicit_and_explicit_steps_agree_on_rigid_tendons),
      cmocka_unit_test(states_start_in_equilibrium),
      cmocka_unit_test(starts_are_as_given),
      cmocka_unit_test(saved_states_go_on_alike),
      cmocka_unit_test(equilibrium_is_where_motions_end),
      cmocka_unit_test(free_arm_keeps_its_momentum),
      cmocka_unit_test(maximal_coordinates_agree),
      cmocka_unit_test(derivatives_match_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
