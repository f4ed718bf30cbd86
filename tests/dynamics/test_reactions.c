// What passes through joints: a closed form, and OpenSim's numbers for a pendulum of two rods (from
// $LIMBER_SHARED/data; left out when they are not there).
#include "compile.h"
#include "math/linear/dense.h"

// Where OpenSim's model of this name is rebuilt: y is up, and so is gravity.
static const char TWO_RODS[] =
    "gravity: [0, -9.80665, 0]\n"
    "bodies:\n"
    "  rod1: {mass: 0.75, center: [0, 0, 0], inertia: [0.025, 0.025, 0.025]}\n"
    "  rod2: {mass: 1.25, center: [0, 0, 0], inertia: [0.025, 0.025, 0.025]}\n"
    "joints:\n"
    "  pin1: {type: revolute, child: rod1, in_child: [0, 0.5, 0], axis: z}\n"
    "  pin2: {type: revolute, parent: rod1, child: rod2, in_child: [0, 0.5, 0], axis: x}\n";

static FILE* open_data(const char* name) {
  const char* shared = getenv("LIMBER_SHARED");
  char path[4096];
  snprintf(path, sizeof path, "%s/data/osim/opensim-core/Applications/Analyze/tests/resources/%s",
           shared ? shared : LIMBER_SOURCE_DIR "/../shared", name);
  FILE* f = fopen(path, "r");
  char line[4096];
  while (f && fgets(line, sizeof line, f) && strncmp(line, "endheader", 9) != 0) {
  }
  return f && fgets(line, sizeof line, f) ? f : NULL; // the headings
}

static int read_row(FILE* f, double* x, int count) {
  for (int i = 0; i < count; i++) {
    if (fscanf(f, "%lf", &x[i]) != 1) {
      return 0;
    }
  }
  return 1;
}

enum { ROWS = 302, EVEN = ROWS - 1 }; // the last two have the same time, up to rounding

typedef struct pendulum_rows {
  double states[ROWS][5], loads[ROWS][19];
} pendulum_rows;

static bool read_pendulum(pendulum_rows* x) {
  FILE* states = open_data("DoublePendulum3D_states_degrees.mot");
  FILE* loads = open_data("std_DoublePendulum3D_JointReaction_ReactionLoads.sto");
  if (!states || !loads) {
    return false;
  }
  int rows = 0;
  while (rows < ROWS && read_row(states, x->states[rows], 5) &&
         read_row(loads, x->loads[rows], 19)) {
    assert_near(x->states[rows][0], x->loads[rows][0], 1e-9);
    rows++;
  }
  assert_int_equal(rows, ROWS);
  fclose(states);
  fclose(loads);
  return true;
}

// Slopes of the natural spline of degree five through even samples, as OpenSim has speeds. Slopes d
// and curvatures e at the samples, in steps, are such that the third and fourth derivatives (see
// math/curve/signal_opensim.c) are continuous, and zero at the ends.
static void spline_slopes(const double* x, int stride, double step, double* slope) {
  enum { N = 2 * EVEN };
  static const double END[2][2][4] = {{{-36, -24, -9, 3}, {192, 168, 36, -24}},
                                      {{-24, -36, -3, 9}, {-168, -192, -24, 36}}};
  static const double BY_D[2][2] = {{60, -360}, {60, 360}};
  static double A[N * N], r[N];
  static int pivot[N];
  memset(A, 0, sizeof A);
  memset(r, 0, sizeof r);
  for (int i = 0; i < EVEN; i++) {
    for (int e = 0; e < 2; e++) { // pieces that begin and end here
      const int a = e ? i - 1 : i;
      for (int k = 0; k < 2 && a >= 0 && a + 1 < EVEN; k++) {
        const double sign = e ? -1 : 1,
                     at[4] = {END[e][k][0], END[e][k][1], END[e][k][2], END[e][k][3]};
        const int column[4] = {2 * a, 2 * a + 2, 2 * a + 1, 2 * a + 3};
        for (int c = 0; c < 4; c++) {
          A[(2 * i + k) + column[c] * N] += sign * at[c];
        }
        r[2 * i + k] -= sign * BY_D[e][k] * (x[(a + 1) * stride] - x[a * stride]);
      }
    }
  }
  assert_int_equal(lb_lu(N, A, N, pivot), LB_OK);
  lb_lu_solve(N, A, N, pivot, 1, r, N);
  for (int i = 0; i < ROWS; i++) {
    slope[i * stride] = r[2 * (i < EVEN ? i : EVEN - 1)] / step;
  }
}

// Largest rms of a force or moment.
static double compare_reactions(const pendulum_rows* x) {
  lb_model* m = compile(TWO_RODS);
  lb_data* d;
  double square[12] = {0}, worst = 0;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  for (int i = 0; i < ROWS; i++) {
    for (int k = 0; k < 2; k++) {
      d->q[k] = x->states[i][1 + k] * M_PI / 180;
      d->qd[k] = x->states[i][3 + k] * M_PI / 180;
    }
    lb_reaction r[2];
    lb_forward(m, d);
    lb_reactions(m, d, r);
    for (int j = 0; j < 2; j++) {
      const double mine[6] = {r[j].force.x,  r[j].force.y,  r[j].force.z,
                              r[j].moment.x, r[j].moment.y, r[j].moment.z};
      for (int k = 0; k < 6; k++) {
        square[6 * j + k] += pow(mine[k] - x->loads[i][1 + 9 * j + k], 2);
      }
    }
  }
  for (int k = 0; k < 12; k++) {
    worst = fmax(worst, sqrt(square[k] / ROWS));
  }
  lb_data_release(d);
  lb_model_release(m);
  return worst;
}

static void reactions_of_two_rods_are_opensims(void** state) {
  (void)state;
  static pendulum_rows x;
  if (!read_pendulum(&x)) {
    skip();
  }
  const double recorded = compare_reactions(&x);
  for (int k = 0; k < 2; k++) {
    spline_slopes(&x.states[0][1 + k], 5, 0.01, &x.states[0][3 + k]);
  }
  const double splines = compare_reactions(&x);
  print_message("rms with the speeds recorded %.2g, by splines %.2g\n", recorded, splines);
  assert_below(recorded, 1e-4);
  assert_below(splines, 1e-5);
}

// Two rods that swing as one, straight down: nothing speeds up, and a joint holds what hangs on it
// against gravity g and on its circle, sum m (g + w^2 r).
static void a_joint_carries_the_weight_and_the_circle_of_what_hangs_on_it(void** state) {
  (void)state;
  static const char TEXT[] =
      "gravity: [0, 0, -10]\n"
      "bodies:\n"
      "  upper: {mass: 2, center: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}\n"
      "  lower: {mass: 1, center: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n"
      "  shoulder: {type: revolute, child: upper, axis: y}\n"
      "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -1], axis: y}\n";
  const double w = 3, lower = 1 * (10 + w * w * 1.5), all = lower + 2 * (10 + w * w * 0.5);
  lb_model* m = compile(TEXT);
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  d->qd[0] = w;
  lb_reaction r[2];
  lb_forward(m, d);
  lb_reactions(m, d, r);
  for (int j = 0; j < 2; j++) {
    assert_near(r[j].force.z, j == 0 ? all : lower, 1e-12);
    assert_near(hypot(r[j].force.x, r[j].force.y), 0, 1e-12);
    assert_near(lb_vec3_norm(r[j].moment), 0, 1e-12);
  }
  lb_data_release(d);
  lb_model_release(m);
}

// A stand, an arm fixed on it and a load fixed on that: each fixed joint carries what is beyond,
// also while the stand turns, and the motion is the same as with all of them in one link.
static void fixed_joints_have_reactions(void** state) {
  (void)state;
  static const char TEXT[] =
      "gravity: [0, 0, -10]\n"
      "%s"
      "bodies:\n"
      "  base: {mass: 5, center: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "  stand: {mass: 2, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "  arm: {mass: 1, center: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "  load: {mass: 3, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n"
      "  floor: {type: fixed, child: base}\n"
      "  turn: {type: revolute, parent: base, child: stand, axis: z}\n"
      "  bolt: {type: fixed, parent: stand, child: arm}\n"
      "  clamp: {type: fixed, parent: arm, child: load, at: [1, 0, 0]}\n"
      "springs: {s: {from: {at: [1, 5, 0]}, to: {body: load}, stiffness: 2, length: 4}}\n"
      "initial: {turn: {velocity: 2}}\n";
  char text[2000];
  snprintf(text, sizeof text, TEXT, "record: {reactions: true}\n");
  lb_model* m = compile(text);
  snprintf(text, sizeof text, TEXT, "");
  lb_model* merged = compile(text);
  lb_data *d, *e;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_data_create(merged, NULL, &e, NULL), LB_OK);
  lb_forward(m, d);
  lb_forward(merged, e);
  assert_int_equal(merged->njoint, 1);
  assert_int_equal(m->njoint, 4);
  assert_int_equal(m->nv, 1);
  assert_near(d->qdd[0], e->qdd[0], 1e-12);
  lb_reaction r[4];
  lb_reactions(m, d, r);
  // along x on their circles, along y by the spring and what it speeds up, along z the weights
  const double w2 = 4, al = d->qdd[0];
  const lb_reaction* clamp = &r[lb_model_joint(m, "clamp")];
  assert_near(clamp->force.x, -3 * w2 * 1, 1e-12);
  assert_near(clamp->force.y, 3 * al * 1 - 2 * 1, 1e-12);
  assert_near(clamp->force.z, 30, 1e-12);
  assert_near(clamp->moment.z, 0.1 * al, 1e-12);
  const lb_reaction* bolt = &r[lb_model_joint(m, "bolt")];
  assert_near(bolt->force.x, -3 * w2 * 1 - 1 * w2 * 0.5, 1e-12);
  assert_near(bolt->force.z, 40, 1e-12);
  assert_near(bolt->moment.y, -(30 * 1 + 10 * 0.5), 1e-12);
  assert_near(r[lb_model_joint(m, "floor")].force.z, 110, 1e-12);
  lb_data_release(d);
  lb_data_release(e);
  lb_model_release(m);
  lb_model_release(merged);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_joint_carries_the_weight_and_the_circle_of_what_hangs_on_it),
      cmocka_unit_test(fixed_joints_have_reactions),
      cmocka_unit_test(reactions_of_two_rods_are_opensims),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
