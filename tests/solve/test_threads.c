// The same motion, to the last bit, on any number of threads.
#include "limber/limber.h"
#include "random_tree.h"

enum { TREES = 420, LINKS = 10, BODIES = TREES * LINKS };

static lb_scene_body body[BODIES];
static lb_scene_joint joint[BODIES];
static char name[BODIES][16];

// Enough chains that the recursions share them out.
static lb_model* many_chains(void) {
  lb_scene s = lb_scene_default();
  s.name = s.about = s.file = "";
  s.body = body;
  s.joint = joint;
  s.nbody = s.njoint = BODIES;
  lb_random r = {99};
  for (int i = 0; i < BODIES; i++) {
    snprintf(name[i], sizeof name[i], "b%d", i);
    body[i] = lb_scene_body_default();
    body[i].name = name[i];
    body[i].has_mass = body[i].has_com = body[i].has_inertia = true;
    body[i].mass = random_mass(&r);
    joint[i] = lb_scene_joint_default();
    joint[i].name = name[i];
    joint[i].child = i;
    joint[i].parent = i % LINKS ? i - 1 : LB_WORLD;
    joint[i].kind = LB_JOINT_REVOLUTE;
    joint[i].in_parent = random_transform(&r, 0.5);
    joint[i].q[0] = lb_random_between(&r, -1, 1);
  }
  lb_model* m = NULL;
  assert_int_equal(lb_model_create(&s, NULL, &m, NULL), LB_OK);
  return m;
}

static void run(const lb_model* m, int threads, double* q) {
  lb_data* d;
  lb_stepper* st;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  d->threads = threads;
  for (int i = 0; i < 5; i++) {
    assert_int_equal(lb_stepper_step(st, d, 1e-3, NULL), LB_OK);
  }
  memcpy(q, d->q, (size_t)m->nq * sizeof *q);
  lb_stepper_release(st);
  lb_data_release(d);
}

static void motion_is_the_same_for_any_number_of_threads(void** state) {
  (void)state;
  static double one[BODIES], many[BODIES];
  lb_model* m = many_chains();
  assert_int_equal(m->link.ntree, TREES);
  run(m, 1, one);
  for (int threads = 2; threads <= 4; threads++) {
    run(m, threads, many);
    assert_memory_equal(one, many, sizeof one);
  }
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motion_is_the_same_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
