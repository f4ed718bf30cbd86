// Static optimisation: an arm whose answer is a closed form, and OpenSim's arm26.
#include "design/inverse/muscle_static.h"

#include "compile.h"
#include "limber/inverse.h"
#include "limber/limber.h"
#include "math/muscle/hill.h"

// Two cords on the same side of a hinge hold a weight: their effort is shared by arm and tension.
static void cords_share_a_weight_as_the_closed_form_says(void** state) {
  (void)state;
  lb_model* m =
      compile("bodies: {arm: {mass: 2, center: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}}\n"
              "joints: {j: {type: revolute, child: arm, axis: -y}}\n"
              "muscles:\n"
              "  a: {through: [{at: [0, 0, 0.4]}, {body: arm, at: [0.1, 0, 0]}], tension: 300}\n"
              "  b: {through: [{at: [0, 0, 0.4]}, {body: arm, at: [0.2, 0, 0]}], tension: 100}\n");
  double time = 0, q = 0, qd = 0, torque = 2 * 9.81 * 0.3;
  lb_recording r = {.model = m, .nframe = 1, .time = &time, .q = &q, .qd = &qd, .torque = &torque};
  double a[2], F[2], reserve, residual;
  lb_muscle_static_options o = lb_muscle_static_default();
  o.price = 1e8;
  assert_int_equal(lb_muscle_static(&r, &o, a, F, &reserve, &residual, NULL), LB_OK);
  const double B[] = {300 * 0.4 * 0.1 / hypot(0.4, 0.1), 100 * 0.4 * 0.2 / hypot(0.4, 0.2)};
  const double sum = B[0] * B[0] + B[1] * B[1];
  for (int i = 0; i < 2; i++) {
    assert_near(a[i], torque * B[i] / sum, 1e-8);
    assert_near(F[i], a[i] * (i ? 100 : 300), 1e-12);
  }
  assert_below(fabs(reserve), 1e-6);
  lb_model_release(m);
}

#define HELD                                                                                       \
  "bodies: {arm: {mass: 2, center: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}}\n"                   \
  "joints: {j: {type: revolute, child: arm, axis: -y}}\n"                                          \
  "muscles:\n"                                                                                     \
  "  a: {through: [{at: [0, 0, 0.4]}, {body: arm, at: [0.1, 0, 0]}],\n"                            \
  "      hill: {model: millard, force: 400, fiber: 0.1, slack: 0.3, damping: 0.1}}\n"

// A weight that is held by a muscle with an elastic tendon: its tension is what statics asks for,
// and the activation that which has this tension when fibre and tendon are in equilibrium.
static void an_elastic_tendon_holds_a_weight_in_equilibrium(void** state) {
  (void)state;
  lb_model* m = compile(HELD);
  double time[3] = {0, 0.1, 0.2}, q[3] = {0}, qd[3] = {0};
  double torque[3] = {2 * 9.81 * 0.3, 2 * 9.81 * 0.3, 2 * 9.81 * 0.3};
  lb_recording r = {.model = m, .nframe = 3, .time = time, .q = q, .qd = qd, .torque = torque};
  double a[3], F[3], reserve[3], residual;
  lb_muscle_static_options o = lb_muscle_static_default();
  o.elastic = true;
  o.price = 1e8;
  assert_int_equal(lb_muscle_static(&r, &o, a, F, reserve, &residual, NULL), LB_OK);
  const double L = hypot(0.4, 0.1), wanted = torque[0] / (0.4 * 0.1 / L);
  const lb_hill* h = m->muscle.item[0].hill;
  for (int i = 0; i < 3; i++) {
    const lb_hill_force f = lb_hill_force_ahead(h, a[i], h->fiber, 0, L, 0, h->fiber);
    print_message("activation %.6f, tension %.6f N\n", a[i], F[i]);
    assert_true(a[i] > 0.1 && a[i] < 0.9);
    assert_near(F[i], wanted, 1e-4);
    assert_near(f.force, F[i], 1e-3);
    assert_below(fabs(reserve[i]), 1e-5);
  }
  lb_model_release(m);
}

// The same with too few rounds for the tendon, which is told; a stiff one needs one.
static void moments_that_do_not_settle_are_counted(void** state) {
  (void)state;
  lb_model* m = compile(HELD);
  const double length = hypot(0.4, 0.1), rate = 0, arm = 0.4 * 0.1 / length,
               wanted = 2 * 9.81 * 0.3;
  const lb_static_moment at = {&length, &rate, &arm, &wanted, 0};
  const struct {
    bool elastic;
    int rounds, unsettled;
  } trial[] = {{true, 1, 2}, {true, lb_muscle_static_default().rounds, 0}, {false, 1, 0}};
  for (int k = 0; k < 3; k++) {
    lb_arena arena;
    lb_arena_init(&arena, NULL);
    lb_muscle_static_options o = lb_muscle_static_default();
    o.elastic = trial[k].elastic;
    o.rounds = trial[k].rounds;
    lb_static* s = lb_static_create(&arena, m, &o);
    assert_non_null(s);
    for (int i = 0; i < 2; i++) {
      double a, F, reserve;
      lb_static_solve(s, &at, &a, &F, &reserve);
    }
    assert_int_equal(lb_static_unsettled(s), trial[k].unsettled);
    lb_arena_release(&arena);
  }
  lb_model_release(m);
}

// --- arm26 ---

enum { MUSCLES = 6, MOST_ROWS = 200 };
#define FOLDER "/data/osim/opensim-core/Applications/Analyze/tests/resources/"

static const char* path_of(const char* name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s" FOLDER "%s", getenv("LIMBER_SHARED"), name);
  return path;
}

static int read_rows(const char* name, double rows[][MUSCLES + 1]) {
  char line[4096];
  FILE* f = fopen(path_of(name), "r");
  assert_non_null(f);
  int n = 0;
  bool body = false;
  while (fgets(line, sizeof line, f)) {
    char* at = line;
    if (body && line[0] != 't') {
      for (int k = 0; k <= MUSCLES; k++) {
        rows[n][k] = strtod(at, &at);
      }
      n++;
    }
    body = body || strncmp(line, "endheader", 9) == 0;
  }
  fclose(f);
  return n;
}

// Root mean squares against a reference, of the worst muscle, from 0.25 to 0.75 s.
static double off(const char* name, const lb_recording* r, const double* found) {
  static double rows[MOST_ROWS][MUSCLES + 1];
  const int n = read_rows(name, rows);
  double sum[MUSCLES] = {0}, worst = 0;
  int count = 0;
  for (int i = 0; i < n; i++) {
    int near = 0;
    for (int f = 0; f < r->nframe; f++) {
      near = fabs(r->time[f] - rows[i][0]) < fabs(r->time[near] - rows[i][0]) ? f : near;
    }
    if (rows[i][0] < 0.25 || rows[i][0] > 0.75) {
      continue;
    }
    count++;
    for (int k = 0; k < MUSCLES; k++) {
      const double e = found[near * MUSCLES + k] - rows[i][k + 1];
      sum[k] += e * e;
    }
  }
  for (int k = 0; k < MUSCLES; k++) {
    print_message("  %.4g", sqrt(sum[k] / count));
    worst = fmax(worst, sqrt(sum[k] / count));
  }
  print_message("\n");
  return worst;
}

// The arm with Thelen's muscles, as its file has them; or Millard's, which are active up to a
// length of `end`.
static lb_model* read_arm(double end, lb_error* err) {
  lb_scene scene;
  lb_model* m = NULL;
  assert_int_equal(lb_scene_read(path_of("arm26.osim"), NULL, &scene, err), LB_OK);
  assert_int_equal(scene.nmuscle, MUSCLES);
  assert_near(scene.muscle[0].hill.shape.active_width, 0.5, 0);
  assert_near(scene.muscle[0].hill.shape.tendon_strain, 0.033, 0);
  for (int i = 0; i < MUSCLES && end > 0; i++) {
    lb_scene_hill* h = &scene.muscle[i].hill;
    h->model = LB_HILL_MILLARD;
    h->shape = (lb_scene_hill_shape){.active_to = end};
  }
  assert_int_equal(lb_model_create(&scene, NULL, &m, err), LB_OK);
  lb_scene_release(&scene);
  return m;
}

static void arm26_is_shared_as_opensim_does(void** state) {
  (void)state;
  if (!getenv("LIMBER_SHARED")) {
    skip();
  }
  // the curve that OpenSim has now, and the one that its stored results fit far better
  const double end[] = {0, 1.8123, 1.5957}, a_off[] = {0.005, 0.04, 0.012}, F_off[] = {1.5, 5, 1.6};
  const char* const stored[] = {"std_Thelen2003Muscle", "std_Millard2012EquilibriumMuscle",
                                "std_Millard2012EquilibriumMuscle"};
  static double a[MOST_ROWS * MUSCLES], F[MOST_ROWS * MUSCLES], reserve[MOST_ROWS * 2];
  for (int i = 0; i < 3; i++) {
    lb_error err = lb_error_make(NULL);
    lb_model* m = read_arm(end[i], &err);
    lb_joint_motion* motion = NULL;
    assert_int_equal(
        lb_joint_motion_read(path_of("arm26_InverseKinematics.mot"), m, NULL, &motion, &err),
        LB_OK);
    lb_recording* r = NULL;
    lb_summary s;
    lb_inverse_options o = lb_inverse_default();
    o.cutoff = 6;
    o.opensim = true;
    assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
    assert_int_equal(lb_inverse(m, motion, &o, r, &s, &err), LB_OK);
    double residual;
    lb_muscle_static_options how = lb_muscle_static_default();
    how.price = 1e6;
    assert_int_equal(lb_muscle_static(r, &how, a, F, reserve, &residual, &err), LB_OK);
    char name[200];
    snprintf(name, sizeof name, "%s_arm26_StaticOptimization_activation.sto", stored[i]);
    const double by_activation = off(name, r, a);
    snprintf(name, sizeof name, "%s_arm26_StaticOptimization_force.sto", stored[i]);
    const double by_force = off(name, r, F);
    print_message("%s: %.4g, %.4g N; residual %.2g\n", end[i] > 0 ? "millard" : "thelen",
                  by_activation, by_force, residual);
    assert_below(by_activation, a_off[i]);
    assert_below(by_force, F_off[i]);
    lb_error_clear(&err);
    lb_recording_release(r);
    lb_joint_motion_release(motion);
    lb_model_release(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cords_share_a_weight_as_the_closed_form_says),
      cmocka_unit_test(an_elastic_tendon_holds_a_weight_in_equilibrium),
      cmocka_unit_test(moments_that_do_not_settle_are_counted),
      cmocka_unit_test(arm26_is_shared_as_opensim_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
