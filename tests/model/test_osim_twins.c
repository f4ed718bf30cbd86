// Models of OpenSim that have files in several formats: masses, joints and paths are the same, and
// so are lengths of muscles wherever joints go, but for digits that a file leaves out.
#include <sys/stat.h>

#include "dynamics/force/force.h"
#include "dynamics/muscle/path.h"
#include "dynamics/tree/kinematics.h"
#include "limber/dynamics.h"
#include "same_scene.h"

enum { MOST = 16, STEPS = 25 };
static const double TOLERANCE = 1e-9; // [kg, m, rad]

static const char* shared(char* path, size_t size, const char* rest) {
  const char* root = getenv("LIMBER_SHARED");
  struct stat status;
  snprintf(path, size, "%s/data/osim/opensim-core/%s", root ? root : "", rest);
  return root && stat(path, &status) == 0 ? path : NULL;
}

typedef struct model {
  lb_model* m;
  lb_data* d;
} model;

static model make(const lb_scene* s) {
  model x;
  assert_int_equal(lb_model_create(s, NULL, &x.m, NULL), LB_OK);
  assert_int_equal(lb_data_create(x.m, NULL, &x.d, NULL), LB_OK);
  return x;
}

static void drop(model* x) {
  lb_data_release(x->d);
  lb_model_release(x->m);
}

static double length_at(model* x, int muscle, const double* q) {
  static lb_path p;
  memcpy(x->d->q, q, (size_t)x->m->nq * sizeof *q);
  lb_update(x->m, x->d, LB_ORIGINS);
  lb_path_find(&p, x->m->muscle.item[muscle].path, x->d->work, x->d->q, x->d->qd);
  return p.length;
}

static const lb_scene_joint* hinge(const lb_scene* s, const char* coordinate) {
  for (int i = 0; i < s->njoint; i++) {
    const char* name = s->joint[i].coordinate_name[0];
    if (name && strcmp(name, coordinate) == 0) {
      return &s->joint[i];
    }
  }
  fail();
  return NULL;
}

// The most that lengths differ over a grid of the ranges of two hinges, by muscle.
static void compare_lengths(const lb_scene* a, const lb_scene* b, double* off) {
  model x = make(a), y = make(b);
  assert_int_equal(x.m->nq, 2);
  for (int i = 0; i < x.m->muscle.count; i++) {
    off[i] = 0;
    for (int k = 0; k < STEPS * STEPS; k++) {
      const int at[] = {k / STEPS, k % STEPS};
      double q[2];
      for (int j = 0; j < 2; j++) {
        const lb_scene_joint* joint = hinge(a, x.m->dof.name[j]);
        q[j] = joint->lower[0] + (joint->upper[0] - joint->lower[0]) * at[j] / (STEPS - 1);
      }
      off[i] = fmax(off[i], fabs(length_at(&x, i, q) - length_at(&y, i, q)));
    }
  }
  drop(&x);
  drop(&y);
}

static void read_both(const char* const* file, lb_scene* s) {
  for (int k = 0; k < 2; k++) {
    char path[1000];
    if (!shared(path, sizeof path, file[k])) {
      skip();
    }
    s[k] = (lb_scene){0};
    assert_int_equal(lb_scene_read(path, NULL, &s[k], NULL), LB_OK);
  }
  assert_same_scene(&s[0], &s[1], TOLERANCE);
  assert_same_muscles(&s[0], &s[1], TOLERANCE);
  assert_same_wraps(&s[0], &s[1], TOLERANCE);
}

static void both_pendulums_are_the_same(void** state) {
  (void)state;
  static const char* const file[] = {"OpenSim/Tools/Test/Pendulum.osim",
                                     "OpenSim/Tools/Test/std_Pendulum_latest.osim"};
  lb_scene s[2];
  read_both(file, s);
  lb_scene_release(&s[0]);
  lb_scene_release(&s[1]);
}

// Three of the five files write rotations of surfaces with six digits in place of nine.
static void five_files_of_an_arm_are_the_same_but_for_their_digits(void** state) {
  (void)state;
  static const char first[] = "Applications/ID/tests/resources/arm26.osim";
  static const char* const other[] = {
      "Applications/Forward/tests/resources/arm26.osim", "OpenSim/Tools/Test/std_arm26_latest.osim",
      "OpenSim/Tools/Test/arm26.osim", "Applications/Analyze/tests/resources/arm26.osim"};
  for (int i = 0; i < 4; i++) {
    lb_scene s[2];
    double written[MOST], rotated[MOST], turned = 0;
    read_both((const char*[]){first, other[i]}, s);
    compare_lengths(&s[0], &s[1], written);
    for (int k = 0; k < s[0].nwrap; k++) {
      turned = fmax(turned, angle_between(s[0].wrap[k].pose.q, s[1].wrap[k].pose.q));
      s[1].wrap[k].pose.q = s[0].wrap[k].pose.q;
    }
    compare_lengths(&s[0], &s[1], rotated);
    print_message("%s: surfaces turned by %.1e rad\n", other[i], turned);
    assert_below(turned, 1e-5); // half of the sixth digit of three angles up to 3.1
    for (int k = 0; k < s[0].nmuscle; k++) {
      print_message("  %s: %.1e m, with the same rotations %.1e m\n", s[0].muscle[k].name,
                    written[k], rotated[k]);
      assert_true(written[k] < TOLERANCE || strcmp(s[0].muscle[k].name, "BIClong") == 0);
      assert_below(rotated[k], TOLERANCE);
    }
    lb_scene_release(&s[0]);
    lb_scene_release(&s[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_pendulums_are_the_same),
      cmocka_unit_test(five_files_of_an_arm_are_the_same_but_for_their_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
