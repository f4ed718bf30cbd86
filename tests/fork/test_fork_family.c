// Mechanisms with several models inside of a scene: one body whose shapes change with its
// coordinates. Identities of its dynamics, models reproduced, the whole mechanism and the blended
// stepper beside it, momentum, stability, states and refusals.
#include "counting.h"
#include "differences.h"
#include "fork/fork_jet.h"
#include "fork_scene_world.h"

#define MODELS                                                                                     \
  ", models: [{}, {loads: {coupler: [9, 0, 2], tip: [1, 2, 4]}}, {loads: {coupler: [-7, 0, 1], "   \
  "tip: [1, -3, 2]}}]"
#define SEVERAL(integrator, gravity, drag, more) ROVER_OF(integrator, gravity, drag, more, MODELS)

// --- dynamics ---

static void inverse_dynamics_is_the_mass_matrix_times_acceleration(void** state) {
  (void)state;
  lb_model* m = make(SEVERAL("bdf2", "[0, 0, -9.81]", "0.3", ""));
  lb_data* d = state_of(m);
  lb_random r = {5};
  enum { MOST = 40 };
  static double M[MOST * MOST], full[MOST], bias[MOST];
  const double none[MOST] = {0};
  assert_int_equal(m->nv, 6 + 4 + 1);
  for (int trial = 0; trial < 20; trial++) {
    random_state(m, d, &r, 0.4);
    lb_rnea(m, d, full, d->q, d->qd, d->qdd);
    lb_rnea(m, d, bias, d->q, d->qd, none);
    lb_crba(m, d, M, d->q);
    double half = 0;
    for (int i = 0; i < m->nv; i++) {
      double sum = bias[i];
      for (int j = 0; j < m->nv; j++) {
        sum += M[i * m->nv + j] * d->qdd[j];
        half += 0.5 * d->qd[i] * M[i * m->nv + j] * d->qd[j];
      }
      assert_near(sum, full[i], 1e-11);
    }
    assert_near(lb_kinetic_energy(m, d), half, 1e-12);
  }
  lb_data_release(d);
  lb_model_release(m);
}

static void derivatives_are_differences(void** state) {
  (void)state;
  lb_model* m = make(SEVERAL("bdf2", "[0, 0, -9.81]", "0.3",
                             "loads: {push: {body: tip, at: [0.2, 0, 0], force: [1, 2, "
                             "3], torque: [0.1, 0.2, 0]}}\n"));
  lb_data *d = state_of(m), *other = state_of(m);
  lb_derivatives* D = NULL;
  assert_int_equal(lb_derivatives_create(m, NULL, &D, NULL), LB_OK);
  lb_random r = {11};
  enum { MOST = 20 };
  static double by_q[MOST * MOST], by_v[MOST * MOST];
  for (int trial = 0; trial < 10; trial++) {
    random_state(m, d, &r, 0.3);
    d->time = other->time = 0.4;
    lb_update(m, d, LB_ORIGINS | LB_FORCED);
    lb_derive_forced(D, d);
    residual_of c = {m, other, d->qdd};
    difference(m, residual, &c, m->nv, d->q, d->qd, true, 1e-4, by_q);
    difference(m, residual, &c, m->nv, d->q, d->qd, false, 1e-3, by_v);
    assert_matrix_near(m->nv * m->nv, D->tau_q, by_q, 1e-6);
    assert_matrix_near(m->nv * m->nv, D->tau_qd, by_v, 1e-8);
  }
  lb_derivatives_release(D);
  lb_data_release(d);
  lb_data_release(other);
  lb_model_release(m);
}

// --- models ---

// A scene whose first fork has models under these forces on its first effector, and nothing else
// that changes.
typedef struct several {
  fork_world w;
  lb_scene_effector_load load[4];
  lb_scene_fork_model model[4];
  lb_model* m;
  lb_data* d;
  lb_external_force push; // on the first effector
} several;

static void open_several(several* s, const char* scene, int count, const lb_vec3* force,
                         lb_integrator integrator) {
  *s = (several){.w = fork_read(scene)};
  lb_scene_fork* what = &s->w.scene.fork[0];
  s->w.scene.nload = 0;
  s->w.scene.solver.integrator = integrator;
  what->nmodel = count;
  what->model = s->model;
  for (int i = 0; i < count; i++) {
    s->load[i] = (lb_scene_effector_load){.force = force[i]};
    s->model[i] = (lb_scene_fork_model){.nload = 1, .load = &s->load[i]};
  }
  lb_model_release(s->w.m);
  assert_int_equal(lb_model_create(&s->w.scene, NULL, &s->w.m, NULL), LB_OK);
  s->m = reduced_model(&s->w.scene);
  s->d = state_of(s->m);
  const lb_scene_effector* e = &what->effector[0];
  s->push = (lb_external_force){.at = lb_model_anchor_of(s->m, e->body, e->at)};
  s->d->external = &s->push;
  s->d->nexternal = 1;
}

static void close_several(several* s) {
  lb_data_release(s->d);
  lb_model_release(s->m);
  s->w.scene.fork[0].nmodel = 0;
  fork_drop(&s->w);
}

static lb_vec3 effector_at(const several* s) {
  const lb_scene_effector* e = &s->w.scene.fork[0].effector[0];
  lb_poses(s->m, s->d);
  return lb_transform_point(s->d->pose[e->body], e->at);
}

// Where the whole is in equilibrium under a force on the first effector.
static lb_vec3 truth(const several* s, lb_vec3 force) {
  lb_scene_effector_load load = {.force = force};
  lb_scene_fork_model at = {.nload = 1, .load = &load};
  lb_scene_fork what = s->w.scene.fork[0];
  lb_fork* whole = NULL;
  what.nmodel = 1;
  what.model = &at;
  assert_int_equal(lb_fork_create(s->w.m, &what, 0, NULL, &whole, NULL), LB_OK);
  const lb_vec3 p = whole->pose[0].p;
  lb_fork_release(whole);
  return p;
}

// How far the first effector is off, settled under a force.
static double settle(several* s, lb_vec3 force) {
  lb_stepper* st = stepper_of(s->m);
  s->push.force = force;
  for (int i = 0; i < 1500; i++) {
    assert_int_equal(lb_stepper_step(st, s->d, 0.05, NULL), LB_OK);
  }
  lb_stepper_release(st);
  return lb_vec3_norm(lb_vec3_sub(effector_at(s), truth(s, force)));
}

static void a_blend_errs_less_than_its_models(void** state) {
  (void)state;
  static const struct {
    const char* scene;
    lb_vec3 far;
    double most[2];
  } cases[] = {{"wishbone", {100, 0, 0}, {0.5, 0.25}},
               {"helix-50", {0, 0, 100}, {0.03, 0.05}},
               {"ring", {60, 0, 0}, {0.01, 0.1}},
               {"two-links", {20, 0, 0}, {0.5, 0.25}}};
  for (int i = 0; i < 4; i++) {
    for (int k = 1; k < 4; k++) {
      const lb_vec3 force = lb_vec3_scale(k / 4.0, cases[i].far);
      const lb_vec3 at[2] = {{0, 0, 0}, cases[i].far};
      several one, two;
      open_several(&one, cases[i].scene, 1, at, LB_INTEGRATOR_BDF1);
      open_several(&two, cases[i].scene, 2, at, LB_INTEGRATOR_BDF1);
      const double alone = settle(&one, force), blended = settle(&two, force);
      print_message("%s, %d/4: off by %.3g mm alone, %.3g blended, %.3f of it\n", cases[i].scene, k,
                    1e3 * alone, 1e3 * blended, blended / alone);
      close_several(&one);
      close_several(&two);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_is_the_mass_matrix_times_acceleration),
      cmocka_unit_test(derivatives_are_differences),
      cmocka_unit_test(a_blend_errs_less_than_its_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
