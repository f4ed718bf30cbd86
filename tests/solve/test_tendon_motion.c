// Muscles with mass between elastic tendons in motion: the limits of stiff tendons and of no mass,
// all integrators, starts, saved states, and scenes that are refused.
#include "compile.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "model/use/model_path.h"
#include "solve/step/stepper.h"

// %s are the integrator, the mass, more of the Hill-type muscle and more of the start; %g the step.
#define ARM                                                                                        \
  "solver: {integrator: %s, step: %g}\nduration: 1\n"                                              \
  "bodies:\n"                                                                                      \
  "  fore: {mass: 1.6, center: [0, 0, -0.15], inertia: [0.012, 0.012, 0.001]}\n"                   \
  "joints:\n  elbow: {type: revolute, child: fore, at: [0, 0, 0.9], axis: -y}\n"                   \
  "initial: {elbow: {position: 15 deg}%s}\n"                                                       \
  "muscles:\n  biceps:\n"                                                                          \
  "    through: [{at: [0.03, 0, 1.2]}, {body: fore, at: [0.02, 0, -0.05]}]\n"                      \
  "    mass: {%s}\n"                                                                               \
  "    hill: {model: millard, force: 700, fiber: 0.13, slack: 0.21, pennation: 5 deg%s}\n"         \
  "    excitation: {keys: [[0, 0.05], [0.1, 0.3]], ease: smooth}\n"

typedef struct arm {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
} arm;

static arm make(const char* by, double h, const char* start, const char* mass, const char* hill) {
  char text[4096];
  snprintf(text, sizeof text, ARM, by, h, start, mass, hill);
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

#define BELLY "belly: [0.2, 0.6], amount: "
#define ELASTIC "tendon: elastic, " BELLY

// Elbow and its rate after a run.
static void see(const char* by, double h, const char* mass, const char* hill, double out[2]) {
  arm a = make(by, h, "", mass, hill);
  run(&a, 0.15, h);
  out[0] = a.d->q[0];
  out[1] = a.d->qd[0];
  drop(&a);
}

// Stretch goes with the strain at the largest force, and so does what differs.
static void stiffer_tendons_come_near_stiff_ones(void** state) {
  (void)state;
  double stiff[2], now[2], before = 0;
  see("rk4", 1e-5, BELLY "0.3", ", elastic: false", stiff);
  for (int i = 0; i < 4; i++) {
    char hill[100];
    const double strain = 0.02 / pow(4, i);
    snprintf(hill, sizeof hill, ", shape: {tendon_strain: %g}", strain);
    see("rk4", 1e-5, ELASTIC "0.3", hill, now);
    const double off = fabs(now[0] - stiff[0]);
    print_message("strain %.3g: elbow off by %.3g rad, rate by %.3g\n", strain, off,
                  fabs(now[1] - stiff[1]));
    if (i > 1) {
      assert_near(log2(before / off) / 2, 1, 0.15);
    }
    before = off;
  }
}

// Implicit steps, since fibres that resist are stiff where nothing is heavy.
static void lighter_muscles_come_near_massless_ones(void** state) {
  (void)state;
  double massless[2], now[2], before = 0;
  see("sdirk2", 1e-4, "amount: 0", "", massless);
  for (int i = 0; i < 4; i++) {
    char mass[100];
    const double amount = 0.08 / pow(4, i);
    snprintf(mass, sizeof mass, ELASTIC "%g", amount);
    see("sdirk2", 1e-4, mass, "", now);
    const double off = fabs(now[0] - massless[0]);
    print_message("%.3g kg: elbow off by %.3g rad\n", amount, off);
    if (i > 0) {
      assert_near(log2(before / off) / 2, 1, 0.15);
    }
    before = off;
  }
}

static void all_integrators_find_the_same_motion(void** state) {
  (void)state;
  static const struct {
    const char* by;
    double h, order, error;
  } all[] = {{"linear-euler", 1e-3, 1, 2e-2}, {"bdf1", 1e-3, 1, 2e-2},
             {"bdf2", 1e-3, 2, 1e-4},         {"sdirk2", 1e-3, 0, 1e-5},
             {"euler", 2e-5, 1, 1e-2},        {"midpoint", 2e-5, 0, 1e-4},
             {"rk4", 1e-4, 0, 1e-5},          {"adaptive", 1e-2, 0, 1e-5}};
  double exact[2], coarse[2], fine[2];
  see("rk8", 1e-4, ELASTIC "0.3", "", exact);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    see(all[i].by, all[i].h, ELASTIC "0.3", "", coarse);
    see(all[i].by, all[i].h / 4, ELASTIC "0.3", "", fine);
    const double error = fabs(coarse[0] - exact[0]), less = fabs(fine[0] - exact[0]);
    print_message("%s: elbow off by %.3g, %.3g: order %.3g\n", all[i].by, error, less,
                  log2(error / less) / 2);
    assert_below(error, all[i].error);
    if (all[i].order > 0) {
      assert_near(log2(error / less) / 2, all[i].order, 0.4);
    }
  }
}

// Steps of a millisecond, of tendons that are ten times as stiff and a belly of 10 g: 60000 /s.
static void implicit_steps_stand_stiff_tendons(void** state) {
  (void)state;
  static const char* const by[] = {"bdf1", "bdf2", "sdirk2", "linear-euler"};
  double soft[2], stiff[2];
  see("sdirk2", 1e-3, BELLY "0.01", ", elastic: false", stiff);
  for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
    see(by[i], 1e-3, ELASTIC "0.01", ", shape: {tendon_strain: 0.0049}", soft);
    print_message("%s: %.6g, stiff %.6g\n", by[i], soft[0], stiff[0]);
    assert_near(soft[0], stiff[0], 0.03);
  }
}

// Fibre, tendons and their accelerations at the start.
static void starts_are_in_equilibrium(void** state) {
  (void)state;
  arm a = make("rk4", 1e-4, ", biceps: {activation: 0.05}", ELASTIC "0.3", "");
  a.m->gravity = (lb_vec3){0, 0, 0};
  lb_data_reset(a.d);
  lb_forward(a.m, a.d);
  const lb_model_muscle* mu = &a.m->muscle.item[0];
  const lb_muscle_now* now = &a.d->work->muscles->now[0];
  const lb_hill_force F = lb_hill_force_ahead(mu->series, 0.05, 0.13, 0, now->length, 0, 0.13);
  assert_near(a.d->x[0], 0.05, 0);
  assert_near(a.d->x[1], F.fiber, 1e-9);
  assert_near(now->tension.force, F.force, 1e-6);
  for (int i = 0; i < 2; i++) {
    const lb_path_tendon* t = &mu->path->tendon[i];
    assert_near(lb_hill_tendon_at(mu->series, t->slack, a.d->q[t->q]).y, F.force, 1e-6);
    assert_near(a.d->qd[t->v], 0, 0);
  }
  drop(&a);
  arm b = make("rk4", 1e-4, ", biceps: {activation: 0.05, fiber: 0.12}", ELASTIC "0.3", "");
  lb_forward(b.m, b.d);
  assert_near(b.d->x[1], 0.12, 1e-12);
  drop(&b);
}

static void saved_states_go_on_alike(void** state) {
  (void)state;
  static const char* const by[] = {"rk4", "bdf2", "adaptive", "linear-euler"};
  for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
    arm a = make(by[i], 2e-4, "", ELASTIC "0.3", ""), b = make(by[i], 2e-4, "", ELASTIC "0.3", "");
    double* saved = calloc(lb_stepper_state_size(a.st), sizeof *saved);
    run(&a, 0.02, 2e-4);
    lb_stepper_save(a.st, a.d, saved);
    lb_stepper_load(b.st, b.d, saved);
    run(&a, 0.02, 2e-4);
    run(&b, 0.02, 2e-4);
    assert_memory_equal(a.d->q, b.d->q, (size_t)a.m->nq * sizeof *a.d->q);
    assert_memory_equal(a.d->qd, b.d->qd, (size_t)a.m->nv * sizeof *a.d->qd);
    assert_memory_equal(a.d->x, b.d->x, (size_t)a.m->nx * sizeof *a.d->x);
    free(saved);
    drop(&a);
    drop(&b);
  }
}

static void what_has_no_tendon_is_refused(void** state) {
  (void)state;
  static const struct {
    const char *mass, *hill, *why;
  } cases[] = {
      {"amount: 0.3, tendon: elastic", "", "leaves room for a tendon"},
      {ELASTIC "0.3", ", elastic: false", "needs the tendon of a 'hill'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[4096];
    lb_scene scene;
    lb_error err = lb_error_make(NULL);
    snprintf(text, sizeof text, ARM, "rk4", 1e-3, "", cases[i].mass, cases[i].hill);
    assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err),
                     LB_INVALID);
    assert_non_null(strstr(err.message[0].text, cases[i].why));
    assert_int_equal(err.message[0].place.line, 9);
    lb_error_clear(&err);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stiffer_tendons_come_near_stiff_ones),
      cmocka_unit_test(lighter_muscles_come_near_massless_ones),
      cmocka_unit_test(all_integrators_find_the_same_motion),
      cmocka_unit_test(implicit_steps_stand_stiff_tendons),
      cmocka_unit_test(starts_are_in_equilibrium),
      cmocka_unit_test(saved_states_go_on_alike),
      cmocka_unit_test(what_has_no_tendon_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
