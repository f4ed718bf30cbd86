// Lengths of muscles: of a gait model along a walk, against those that OpenSim 4.4.1 computed, with
// paths through fixed, moving and conditional points over joints whose functions are splines; over
// surfaces, against closed forms; and moment arms, which are their derivatives.
#include <sys/stat.h>

#include "compile.h"
#include "differences.h"
#include "dynamics/force/force.h"
#include "dynamics/muscle/path.h"
#include "dynamics/tree/kinematics.h"
#include "limber/inverse.h"
#include "scene/table/number_table.h"
#include "test.h"

static const char* shared(char* path, size_t size, const char* rest) {
  const char* root = getenv("LIMBER_SHARED");
  struct stat status;
  snprintf(path, size, "%s/data/osim/opensim-core/OpenSim/%s", root ? root : "", rest);
  return root && stat(path, &status) == 0 ? path : NULL;
}

// The column "/forceset/NAME|length".
static int find_length(const lb_numbers* n, const char* muscle) {
  char name[200];
  snprintf(name, sizeof name, "/forceset/%s|length", muscle);
  return lb_numbers_column(n, name);
}

static void lengths_along_a_walk_are_those_of_opensim(void** state) {
  (void)state;
  char model[1000], motion[1000], lengths[1000];
  if (!shared(model, sizeof model, "Moco/Test/walk_gait1018_subject01.osim") ||
      !shared(motion, sizeof motion, "Moco/Test/walk_gait1018_state_reference.mot") ||
      !shared(lengths, sizeof lengths,
              "Tests/Wrapping/std_testGeometryPathWrapping_walk_gait1018_muscle_lengths.sto")) {
    skip();
  }
  lb_scene s = {0};
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_joint_motion* x = NULL;
  lb_numbers n;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  assert_int_equal(lb_scene_read(model, NULL, &s, NULL), LB_OK);
  assert_int_equal(lb_model_create(&s, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_joint_motion_read(motion, m, NULL, &x, NULL), LB_OK);
  assert_int_equal(lb_numbers_read(lengths, "table", &arena, &n, NULL), LB_OK);
  assert_int_equal(m->muscle.count, 18);
  assert_int_equal(x->nsample, 151);
  assert_int_equal(n.nrow, 151);
  double most = 0;
  lb_path* p = LB_TAKE(&arena, lb_path, 1);
  for (int i = 0; i < x->nsample; i++) {
    memcpy(d->q, x->q + (size_t)i * (size_t)m->nq, (size_t)m->nq * sizeof *d->q);
    lb_update(m, d, LB_ORIGINS);
    for (int k = 0; k < m->muscle.count; k++) {
      const int column = find_length(&n, m->muscle.item[k].name);
      assert_true(column > 0);
      lb_path_find(p, m->muscle.item[k].path, d->work, d->q, d->qd);
      const double off = fabs(p->length - n.value[(size_t)i * (size_t)n.ncolumn + (size_t)column]);
      if (off > 1e-6) {
        print_error("%s at %g s: off by %g m\n", m->muscle.item[k].name, x->time[i], off);
      }
      most = fmax(most, off);
    }
  }
  print_message("largest difference of 18 muscles over 151 rows: %g m\n", most);
  assert_true(most < 1e-6);
  lb_joint_motion_release(x);
  lb_arena_release(&arena);
  lb_data_release(d);
  lb_model_release(m);
  lb_scene_release(&s);
}

// --- moment arms ---

enum { MOST = 64 };

typedef struct muscle {
  const lb_model* m;
  lb_data* d;
  int i;
  lb_path p;
} muscle;

static void find_length_at(void* context, double* out, const double* q, const double* v) {
  muscle* x = context;
  memcpy(x->d->q, q, (size_t)x->m->nq * sizeof *q);
  memcpy(x->d->qd, v, (size_t)x->m->nv * sizeof *v);
  lb_update(x->m, x->d, LB_ORIGINS);
  lb_path_find(&x->p, x->m->muscle.item[x->i].path, x->d->work, x->d->q, x->d->qd);
  *out = x->p.length;
}

// Length and arms at a state.
static double find_arms(muscle* x, const double* q, double* arm) {
  const double still[MOST] = {0};
  double length;
  find_length_at(x, &length, q, still);
  lb_fill_columns(x->m, x->d->work);
  lb_path_arms(x->m, x->d->work, &x->p, arm);
  return length;
}

// The most that an arm is off from -dL/dq, every coordinate in 11 places about the start.
static double worst_arm(const lb_model* m, int* counted) {
  static muscle x;
  lb_data* d;
  double worst = 0, start[MOST];
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_true(m->nq <= MOST);
  memcpy(start, d->q, (size_t)m->nq * sizeof *start);
  for (int k = 0; k < 11 * m->muscle.count; k++) {
    double q[MOST], v[MOST] = {0}, arm[MOST], slope[MOST];
    lb_random r = {(uint64_t)k + 1};
    x = (muscle){.m = m, .d = d, .i = k / 11};
    memcpy(q, start, (size_t)m->nq * sizeof *q);
    for (int j = 0; j < m->nv; j++) {
      v[j] = lb_random_between(&r, -1.2, 0.3);
    }
    lb_advance(m, q, v, 1);
    memset(v, 0, sizeof v);
    find_arms(&x, q, arm);
    difference(m, find_length_at, &x, 1, q, v, true, 1e-4, slope);
    for (int j = 0; j < m->nv; j++) {
      worst = fmax(worst, fabs(arm[j] + slope[j]));
      *counted += fabs(arm[j]) > 1e-3;
    }
  }
  lb_data_release(d);
  return worst;
}

static void arms_of_models_are_derivatives_of_lengths(void** state) {
  (void)state;
  static const char* const name[] = {"MovingPathPoint", "WrapPathCustomJoint", "P2PBallJoint",
                                     "P2PBallCustomJoint", "CoupledCoordinatesMPPs"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    char path[1000], rest[100];
    lb_scene s = {0};
    lb_model* m = NULL;
    int counted = 0;
    snprintf(rest, sizeof rest, "Simulation/Test/%sMomentArmTest.osim", name[i]);
    if (!shared(path, sizeof path, rest)) {
      skip();
    }
    assert_int_equal(lb_scene_read(path, NULL, &s, NULL), LB_OK);
    assert_int_equal(lb_model_create(&s, NULL, &m, NULL), LB_OK);
    const double off = worst_arm(m, &counted);
    print_message("%s: %d muscles, %d arms of more than 1 mm, off by %.2g m\n", name[i],
                  m->muscle.count, counted, off);
    assert_true(counted > 0);
    assert_below(off, 1e-6);
    lb_model_release(m);
    lb_scene_release(&s);
  }
}

// --- closed forms ---

#define PIN                                                                                        \
  "bodies: {arm: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"                              \
  "joints: {pin: {type: revolute, child: arm, axis: z}}\n"

// 2 r - 0.1 + r q, and r for the arm: from (r - 0.1, r) over the top and down to what was at (-r,
// r).
static void arms_over_surfaces_have_their_closed_forms(void** state) {
  (void)state;
  static const char* const surface[] = {"cylinder: {radius: 0.5}", "sphere: {radius: 0.5}"};
  static muscle x;
  const double r = 0.5;
  for (int k = 0; k < 2; k++) {
    char text[600];
    snprintf(text, sizeof text,
             PIN "wraps: {w: {%s, smooth: 0, side: [-1, 1, 0]}}\n"
                 "muscles: {m: {through: [{at: [0.4, 0.5, 0]}, {wrap: w}, {body: arm, at: [-0.5, "
                 "0.5, 0]}], tension: 1}}\n",
             surface[k]);
    lb_model* m = compile(text);
    lb_data* d;
    double off = 0, arm_off = 0;
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    x = (muscle){.m = m, .d = d};
    for (double q = 0.01; q < M_PI / 2; q += 0.1) {
      double arm;
      off = fmax(off, fabs(find_arms(&x, &q, &arm) - (2 * r - 0.1 + r * q)));
      arm_off = fmax(arm_off, fabs(arm + r));
    }
    print_message("%s: length off by %.2g m, arm by %.2g m\n", surface[k], off, arm_off);
    assert_below(off, 1e-12);
    assert_below(arm_off, 1e-12);
    lb_data_release(d);
    lb_model_release(m);
  }
}

// The arc over a quarter of an ellipse, by Ramanujan's formula.
static void an_ellipsoid_has_its_quarter(void** state) {
  (void)state;
  static muscle x;
  const double a = 0.3, b = 0.5, h = (a - b) * (a - b) / ((a + b) * (a + b)), q = 0;
  const double quarter = M_PI / 4 * (a + b) * (1 + 3 * h / (10 + sqrt(4 - 3 * h)));
  lb_model* m = compile(PIN "wraps: {w: {ellipsoid: {radii: [0.3, 0.5, 1]}, smooth: 0, side: -x}}\n"
                            "muscles: {m: {through: [{at: [0.4, 0.5, 0]}, {wrap: w}, {body: arm, "
                            "at: [-0.3, -0.5, 0]}], tension: 1}}\n");
  lb_data* d;
  double arm;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  x = (muscle){.m = m, .d = d};
  const double off = fabs(find_arms(&x, &q, &arm) - (2 * b - 0.1 + quarter));
  print_message("ellipsoid: length off by %.2g m, arm by %.2g m\n", off, fabs(arm + a));
  assert_below(off, 1e-4);
  assert_below(fabs(arm + a), 1e-4);
  lb_data_release(d);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_along_a_walk_are_those_of_opensim),
      cmocka_unit_test(arms_of_models_are_derivatives_of_lengths),
      cmocka_unit_test(arms_over_surfaces_have_their_closed_forms),
      cmocka_unit_test(an_ellipsoid_has_its_quarter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
