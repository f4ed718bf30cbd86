// What passes through joints: a closed form, and OpenSim's numbers for a pendulum of two rods (from
// $LIMBER_SHARED/data; left out when they are not there).
#include "compile.h"

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

static void reactions_of_two_rods_are_opensims(void** state) {
  (void)state;
  FILE* states = open_data("DoublePendulum3D_states_degrees.mot");
  FILE* loads = open_data("std_DoublePendulum3D_JointReaction_ReactionLoads.sto");
  if (!states || !loads) {
    skip();
  }
  lb_model* m = compile(TWO_RODS);
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  double at[5], expected[19], square[12] = {0};
  int rows = 0;
  while (read_row(states, at, 5) && read_row(loads, expected, 19)) {
    assert_near(at[0], expected[0], 1e-9);
    for (int k = 0; k < 2; k++) {
      d->q[k] = at[1 + k] * M_PI / 180;
      d->qd[k] = at[3 + k] * M_PI / 180;
    }
    lb_reaction r[2];
    lb_forward(m, d);
    lb_reactions(m, d, r);
    for (int j = 0; j < 2; j++) {
      const double mine[6] = {r[j].force.x,  r[j].force.y,  r[j].force.z,
                              r[j].moment.x, r[j].moment.y, r[j].moment.z};
      for (int k = 0; k < 6; k++) {
        square[6 * j + k] += pow(mine[k] - expected[1 + 9 * j + k], 2);
      }
    }
    rows++;
  }
  assert_int_equal(rows, 302);
  for (int k = 0; k < 12; k++) {
    assert_near(sqrt(square[k] / rows), 0, 1e-4);
  }
  fclose(states);
  fclose(loads);
  lb_data_release(d);
  lb_model_release(m);
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
