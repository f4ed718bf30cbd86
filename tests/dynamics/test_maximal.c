// The same scene in reduced and in maximal coordinates: two formulations that share little must
// agree.
#include "cloud.h"

typedef struct scene {
  random_tree tree;
  cloud arm;
  lb_scene_motor motor[2];
  double time[2], angle[2], push[2];
} scene;

static scene S;

// A part that starts moving.
static void add(random_tree* t, lb_random* r, lb_joint_kind kind, int parent, int face,
                const lb_reduced* reduced) {
  lb_scene_joint* j = cloud_part(t, r, kind, parent, face, reduced);
  j->qd[0] = kind == LB_JOINT_FIXED ? 0 : lb_random_between(r, -1, 1);
  if (kind == LB_JOINT_SPHERICAL || kind == LB_JOINT_UNIVERSAL) {
    j->resistance.stiffness = 2;
    j->resistance.damping = 0.1;
  }
}

// A motor, a slide on a spring, a ball, a universal joint; with or without an elastic arm between
// them.
static void make_scene(uint64_t seed, bool elastic) {
  lb_random r = {seed};
  random_tree* t = &S.tree;
  t->scene = lb_scene_default();
  t->scene.name = t->scene.about = t->scene.file = "";
  t->scene.body = t->body;
  t->scene.joint = t->joint;
  make_cloud(&S.arm, &r, 300);
  S.arm.body.beta = 1e-4;
  add(t, &r, LB_JOINT_REVOLUTE, LB_WORLD, 0, NULL);
  add(t, &r, LB_JOINT_FIXED, 0, 0, elastic ? &S.arm.body : NULL);
  add(t, &r, LB_JOINT_PRISMATIC, 1, 0, NULL);
  t->joint[2].resistance.stiffness = 30;
  t->joint[2].resistance.damping = 0.3;
  t->joint[2].rest[0] = 0.1;
  add(t, &r, LB_JOINT_SPHERICAL, 1, 1, NULL);
  add(t, &r, LB_JOINT_REVOLUTE, 3, 0, NULL);
  add(t, &r, LB_JOINT_UNIVERSAL, 1, 0, NULL);
  t->joint[5].q[0] = 0.4;
  t->joint[5].q[1] = -0.3;
  t->joint[5].qd[1] = 1;
  S.time[1] = 0.3;
  S.angle[1] = 0.5;
  S.push[0] = S.push[1] = 0.7;
  S.motor[0] = (lb_scene_motor){
      .name = "turns",
      .joint = 0,
      .drive = LB_DRIVE_POSITION,
      .profile = {
          .kind = LB_PROFILE_SMOOTH, .degree = 3, .count = 2, .time = S.time, .value = S.angle}};
  S.motor[1] = (lb_scene_motor){
      .name = "pushes",
      .joint = 4,
      .drive = LB_DRIVE_FORCE,
      .profile = {
          .kind = LB_PROFILE_LINEAR, .degree = 3, .count = 2, .time = S.time, .value = S.push}};
  t->joint[0].qd[0] = 0;
  t->scene.motor = S.motor;
  t->scene.nmotor = 2;
}

static double run(lb_coordinates coordinates, double h, lb_integrator integrator, lb_vec3* p,
                  double* torque) {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  lb_error err = lb_error_make(NULL);
  const lb_scene_solver solver = {.integrator = integrator, .step = h};
  S.tree.scene.solver.coordinates = coordinates;
  if (lb_model_create(&S.tree.scene, NULL, &m, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  lb_project(m, d);
  const double gap = lb_constraint_gap(m, d, NULL);
  for (int i = 0; i < lround(0.2 / h); i++) {
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
  }
  lb_forward(m, d);
  lb_poses(m, d);
  for (int i = 0; i < m->nbody; i++) {
    p[i] = d->pose[i].p;
  }
  *torque = d->motor_force[0];
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return gap;
}

static double difference(int n, const lb_vec3* a, const lb_vec3* b) {
  double worst = 0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, lb_vec3_norm(lb_vec3_sub(a[i], b[i])));
  }
  return worst;
}

static void rigid_scene_moves_the_same_in_maximal_coordinates(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    make_scene(seed, false);
    lb_vec3 a[8], b[8];
    double ta, tb;
    run(LB_COORDINATES_REDUCED, 1e-3, LB_INTEGRATOR_RK8, a, &ta);
    assert_near(run(LB_COORDINATES_MAXIMAL, 1e-3, LB_INTEGRATOR_RK8, b, &tb), 0, 1e-12);
    assert_near(difference(6, a, b), 0, 1e-9);
    assert_near(ta, tb, 1e-7);
    lb_arena_release(&S.arm.arena);
  }
}

// Both are off by the error of the steps, so they come together with its order.
static void assert_agreement(lb_integrator integrator, double order, double most) {
  double apart[2], ta, tb;
  for (int i = 0; i < 2; i++) {
    lb_vec3 a[8], b[8];
    const double h = i ? 2.5e-4 : 5e-4;
    run(LB_COORDINATES_REDUCED, h, integrator, a, &ta);
    run(LB_COORDINATES_MAXIMAL, h, integrator, b, &tb);
    apart[i] = difference(6, a, b);
  }
  print_message("%s: apart by %.3g m, then %.3g m: order %.2f; torque %.6g and %.6g\n",
                lb_integrator_name(integrator), apart[0], apart[1], log2(apart[0] / apart[1]), ta,
                tb);
  assert_below(apart[1], most);
  assert_above(log2(apart[0] / apart[1]), order - 0.3);
  assert_below(fabs(ta - tb), (order > 1 ? 1e-2 : 5e-2) * fabs(ta));
}

static void elastic_scene_agrees_with_the_order_of_the_steps(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    make_scene(seed, true);
    assert_agreement(LB_INTEGRATOR_BDF2, 2, 1e-5);
    assert_agreement(LB_INTEGRATOR_SDIRK2, 2, 1e-5);
    assert_agreement(LB_INTEGRATOR_BDF1, 1, 2e-3);
    assert_agreement(LB_INTEGRATOR_LINEAR_EULER, 1, 2e-3);
    lb_arena_release(&S.arm.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rigid_scene_moves_the_same_in_maximal_coordinates),
      cmocka_unit_test(elastic_scene_agrees_with_the_order_of_the_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
