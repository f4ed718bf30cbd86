// Loop joints: a joint as a constraint between free bodies must move as the same joint in the tree.
#include "limber/limber.h"
#include "random_tree.h"

enum { MOST = LB_JOINT_MOST_Q * TREE_MOST };

static lb_model* compile(const lb_scene* scene) {
  lb_model* m = NULL;
  lb_error err = lb_error_make(NULL);
  if (lb_model_create(scene, NULL, &m, &err) != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
  return m;
}

static lb_data* state_of(const lb_model* m) {
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  return d;
}

static void put_start(lb_scene_joint* j, lb_random* r) {
  if (j->kind == LB_JOINT_SPHERICAL) {
    const lb_quat u = random_quat(r);
    memcpy(j->q, (double[]){u.w, u.x, u.y, u.z}, 4 * sizeof(double));
  } else {
    j->q[0] = lb_random_between(r, -1, 1);
    j->q[1] = lb_random_between(r, -1, 1);
  }
  for (int k = 0; k < 3; k++) {
    j->qd[k] = lb_random_between(r, -2, 2);
  }
}

// Each body of a tree made free, with its tree joint as a loop instead, in the same state.
static void loosen(random_tree* loose, const random_tree* tree, const lb_model* m, lb_data* d) {
  *loose = *tree;
  loose->scene.body = loose->body;
  loose->scene.joint = loose->joint;
  lb_poses(m, d);
  for (int i = 0; i < tree->scene.nbody; i++) {
    loose->joint[i].loop = true;
    loose->joint[i].resistance.armature = 0;
    loose->body[i].pose = d->pose[i];
  }
}

// Body velocities by moving a little along the motion.
static void read_velocities(random_tree* loose, const lb_model* m, const double* qd) {
  lb_data* a = state_of(m);
  lb_data* b = state_of(m);
  const double h = 1e-5;
  lb_scene_solver solver = {.integrator = LB_INTEGRATOR_RK8, .step = h};
  lb_stepper* st;
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  memcpy(a->qd, qd, (size_t)m->nv * sizeof *qd);
  memcpy(b->qd, qd, (size_t)m->nv * sizeof *qd);
  assert_int_equal(lb_stepper_step(st, a, h, NULL), LB_OK);
  assert_int_equal(lb_stepper_step(st, b, -h, NULL), LB_OK);
  lb_poses(m, a);
  lb_poses(m, b);
  for (int i = 0; i < m->nbody; i++) {
    loose->body[i].velocity = lb_vec3_scale(0.5 / h, lb_vec3_sub(a->pose[i].p, b->pose[i].p));
    loose->body[i].spin = lb_vec3_scale(
        0.5 / h, lb_quat_log(lb_quat_mul(lb_quat_conjugate(b->pose[i].q), a->pose[i].q)));
  }
  lb_stepper_release(st);
  lb_data_release(a);
  lb_data_release(b);
}

static void free_bodies_with_loops_move_as_the_tree(void** state) {
  (void)state;
  static random_tree tree, loose;
  static const lb_joint_kind kinds[] = {LB_JOINT_REVOLUTE, LB_JOINT_PRISMATIC, LB_JOINT_SPHERICAL,
                                        LB_JOINT_UNIVERSAL};
  for (uint64_t seed = 1; seed <= 16; seed++) {
    lb_random r = {seed * 77};
    random_tree_make(&tree, &r, 2 + (int)(seed % 4), kinds, 4);
    for (int i = 0; i < tree.scene.nbody; i++) {
      tree.joint[i].resistance.armature = 0;
      put_start(&tree.joint[i], &r);
    }
    lb_model* m = compile(&tree.scene);
    lb_data* d = state_of(m);
    loosen(&loose, &tree, m, d);
    read_velocities(&loose, m, m->start.qd);
    lb_model* lm = compile(&loose.scene);
    lb_data* ld = state_of(lm);
    assert_int_equal(lm->nv, 6 * lm->nbody);
    lb_project(lm, ld);
    assert_near(lb_constraint_gap(lm, ld, NULL), 0, 1e-12);

    lb_scene_solver solver = {.integrator = LB_INTEGRATOR_RK8, .step = 1e-3};
    lb_stepper *st, *lst;
    assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
    assert_int_equal(lb_stepper_create(lm, &solver, NULL, &lst, NULL), LB_OK);
    for (int i = 0; i < 300; i++) {
      assert_int_equal(lb_stepper_step(st, d, 1e-3, NULL), LB_OK);
      assert_int_equal(lb_stepper_step(lst, ld, 1e-3, NULL), LB_OK);
    }
    lb_poses(m, d);
    lb_poses(lm, ld);
    for (int i = 0; i < m->nbody; i++) {
      assert_near(lb_vec3_norm(lb_vec3_sub(d->pose[i].p, ld->pose[i].p)), 0, 1e-7);
    }
    assert_near(lb_constraint_gap(lm, ld, NULL), 0, 1e-12);
    lb_stepper_release(st);
    lb_stepper_release(lst);
    lb_data_release(d);
    lb_data_release(ld);
    lb_model_release(m);
    lb_model_release(lm);
  }
}

// A parallelogram of three rods closed by a hinge: planar, so three of the five constraints are
// redundant.
static void make_four_bar(random_tree* t, double angle, double gap) {
  t->scene = lb_scene_default();
  t->scene.name = t->scene.about = t->scene.file = "";
  t->scene.body = t->body;
  t->scene.joint = t->joint;
  t->scene.nbody = 3;
  t->scene.njoint = 4;
  static const char* const names[4] = {"crank", "coupler", "rocker", "closing"};
  const lb_vec3 at[4] = {{0, 0, 0}, {0, 0, 0.5}, {1 + gap, 0, 0}, {1, 0, 0}};
  const int parent[4] = {LB_WORLD, 0, LB_WORLD, 1};
  const int child[4] = {0, 1, 2, 2};
  for (int i = 0; i < 4; i++) {
    if (i < 3) {
      t->body[i] = lb_scene_body_default();
      t->body[i].name = names[i];
      t->body[i].has_mass = t->body[i].has_com = t->body[i].has_inertia = true;
      t->body[i].mass = (lb_mass){1, {0, 0, 0.25}, {0.02, 0.02, 0.001, 0, 0, 0}};
    }
    lb_scene_joint* j = &t->joint[i];
    *j = lb_scene_joint_default();
    j->name = names[i];
    j->kind = LB_JOINT_REVOLUTE;
    j->axis = (lb_vec3){0, 1, 0};
    j->parent = parent[i];
    j->child = child[i];
    j->in_parent.p = at[i];
    j->loop = i == 3;
  }
  t->body[1].mass = (lb_mass){2, {0.5, 0, 0}, {0.001, 0.2, 0.2, 0, 0, 0}};
  t->joint[3].in_child.p = (lb_vec3){0, 0, 0.5};
  t->joint[0].q[0] = angle;
  t->joint[1].q[0] = -angle;
  t->joint[2].q[0] = angle;
}

// The parallelogram's coupler only translates, so the whole is one pendulum of angle a:
//   (I_crank + I_rocker + m_coupler l^2) a'' = (m_crank c + m_rocker c + m_coupler l) g sin a
static void four_bar_falls_as_the_pendulum_it_is(void** state) {
  (void)state;
  static random_tree t;
  make_four_bar(&t, 2.7, 0); // swings below: stretched out flat it could also fold the other way
  lb_model* m = compile(&t.scene);
  lb_data* d = state_of(m);
  lb_project(m, d);
  lb_forward(m, d);
  const double inertia = 2 * (0.02 + 0.0625) + 2 * 0.25;
  const double torque = (0.25 + 0.25 + 2 * 0.5) * 9.81 * sin(2.7);
  assert_near(d->qdd[0], torque / inertia, 1e-12);
  assert_near(d->qdd[1], -torque / inertia, 1e-12);
  const double energy = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
  lb_scene_solver solver = {.integrator = LB_INTEGRATOR_RK8, .step = 1e-2};
  lb_stepper* st;
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  for (int i = 0; i < 500; i++) {
    assert_int_equal(lb_stepper_step(st, d, 1e-2, NULL), LB_OK);
  }
  assert_near(lb_constraint_gap(m, d, NULL), 0, 1e-12);
  assert_near(lb_kinetic_energy(m, d) + lb_potential_energy(m, d), energy, 1e-11);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
}

static double angle_after_a_second(const lb_model* m, lb_integrator integrator, double h,
                                   double gap) {
  lb_data* d = state_of(m);
  lb_stepper* st;
  const lb_scene_solver solver = {.integrator = integrator, .step = h};
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  for (int k = 0; k < lround(1 / h); k++) {
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
  }
  const double angle = d->q[0];
  assert_near(lb_constraint_gap(m, d, NULL), 0, gap);
  lb_stepper_release(st);
  lb_data_release(d);
  return angle;
}

// The implicit steppers on the same linkage: their orders against the explicit one.
static void four_bar_moves_the_same_with_implicit_steps(void** state) {
  (void)state;
  static const struct {
    lb_integrator integrator;
    double order, gap;
  } schemes[] = {{LB_INTEGRATOR_LINEAR_EULER, 1, 1e-3},
                 {LB_INTEGRATOR_BDF1, 1, 1e-3},
                 {LB_INTEGRATOR_BDF2, 2, 1e-6},
                 {LB_INTEGRATOR_SDIRK2, 2, 1e-6}};
  static random_tree t;
  make_four_bar(&t, 2.7, 0);
  lb_model* m = compile(&t.scene);
  const double exact = angle_after_a_second(m, LB_INTEGRATOR_RK8, 1e-3, 1e-12);
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    const lb_integrator scheme = schemes[i].integrator;
    const double h = schemes[i].order > 1 ? 4e-3 : 5e-4;
    const double coarse = angle_after_a_second(m, scheme, h, schemes[i].gap) - exact;
    const double fine = angle_after_a_second(m, scheme, h / 2, schemes[i].gap) - exact;
    const double order = log2(fabs(coarse) / fabs(fine));
    print_message("%s with a loop: off by %.3g then %.3g, order %.2f\n", lb_integrator_name(scheme),
                  coarse, fine, order);
    assert_below(fabs(order - schemes[i].order), 0.2);
  }
  lb_model_release(m);
}

static void a_start_that_is_a_little_off_is_pulled_together(void** state) {
  (void)state;
  static random_tree t;
  make_four_bar(&t, 0.4, 0);
  t.joint[1].q[0] = -0.2;
  t.joint[2].q[0] = 0.1;
  lb_model* m = compile(&t.scene);
  lb_data* d = state_of(m);
  assert_above(lb_constraint_gap(m, d, NULL), 0.05);
  lb_project(m, d);
  assert_near(lb_constraint_gap(m, d, NULL), 0, 1e-12);
  lb_data_release(d);
  lb_model_release(m);
}

// A tree that is taken apart and thrown about can always be put together again.
static void parts_that_lie_about_are_put_together(void** state) {
  (void)state;
  static random_tree tree, loose;
  static const lb_joint_kind kinds[] = {LB_JOINT_REVOLUTE, LB_JOINT_PRISMATIC, LB_JOINT_SPHERICAL,
                                        LB_JOINT_UNIVERSAL, LB_JOINT_FIXED};
  enum { SCENES = 200 };
  int open = 0;
  for (uint64_t seed = 1; seed <= SCENES; seed++) {
    lb_random r = {seed * 131};
    random_tree_make(&tree, &r, 2 + (int)(seed % 6), kinds, 5);
    for (int i = 0; i < tree.scene.nbody; i++) {
      tree.joint[i].resistance.armature = 0;
      put_start(&tree.joint[i], &r);
    }
    lb_model* m = compile(&tree.scene);
    lb_data* d = state_of(m);
    loosen(&loose, &tree, m, d);
    lb_model* lm = compile(&loose.scene);
    lb_data* ld = state_of(lm);
    for (int i = 0; i < lm->nq; i++) {
      ld->q[i] += lb_random_between(&r, -1, 1);
    }
    lb_project(lm, ld);
    open += !(lb_constraint_gap(lm, ld, NULL) < 1e-9);
    lb_data_release(d);
    lb_data_release(ld);
    lb_model_release(m);
    lb_model_release(lm);
  }
  print_message("%d of %d stay open\n", open, SCENES);
  assert_int_equal(open, 0);
}

static void a_four_bar_closes_from_any_start(void** state) {
  (void)state;
  static random_tree t;
  make_four_bar(&t, 0.4, 0);
  lb_model* m = compile(&t.scene);
  lb_random r = {5};
  for (int i = 0; i < 100; i++) {
    lb_data* d = state_of(m);
    for (int k = 0; k < m->nq; k++) {
      d->q[k] = lb_random_between(&r, -3.1, 3.1);
    }
    lb_project(m, d);
    assert_near(lb_constraint_gap(m, d, NULL), 0, 1e-12);
    lb_data_release(d);
  }
  lb_model_release(m);
}

// A coupler of 1 m cannot reach a rocker that stands 5 m away.
static void a_loop_that_cannot_close_keeps_its_gap(void** state) {
  (void)state;
  static random_tree t;
  make_four_bar(&t, 0.4, 4);
  lb_model* m = compile(&t.scene);
  lb_data* d = state_of(m);
  lb_project(m, d);
  int loop = -1;
  assert_above(lb_constraint_gap(m, d, &loop), 0.1);
  assert_int_equal(loop, 0);
  lb_data_release(d);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_bodies_with_loops_move_as_the_tree),
      cmocka_unit_test(four_bar_falls_as_the_pendulum_it_is),
      cmocka_unit_test(four_bar_moves_the_same_with_implicit_steps),
      cmocka_unit_test(a_start_that_is_a_little_off_is_pulled_together),
      cmocka_unit_test(a_loop_that_cannot_close_keeps_its_gap),
      cmocka_unit_test(parts_that_lie_about_are_put_together),
      cmocka_unit_test(a_four_bar_closes_from_any_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
