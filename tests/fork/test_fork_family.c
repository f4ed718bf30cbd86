// Mechanisms with several models inside of a scene: one body whose shapes change with its
// coordinates. Identities of its dynamics, models reproduced, the whole mechanism and the blended
// stepper beside it, momentum, stability, states and refusals.
#include "fork/fork_family.h"
#include "fork_scene_checks.h"
#include "math/linear/dense.h"

#define MODELS                                                                                     \
  ", models: [{}, {loads: {coupler: [9, 0, 2], tip: [1, 2, 4]}}, {loads: {coupler: [-7, 0, 1], "   \
  "tip: [1, -3, 2]}}]"
#define SEVERAL(integrator, gravity, drag, more) ROVER_OF(integrator, gravity, drag, more, MODELS)

// --- dynamics ---

static void inverse_dynamics_is_the_mass_matrix_times_acceleration(void** state) {
  (void)state;
  assert_inverse_dynamics(SEVERAL("bdf2", "[0, 0, -9.81]", "0.3", ""), 0.4);
}

static void derivatives_are_differences(void** state) {
  (void)state;
  assert_derivatives(
      SEVERAL(
          "bdf2", "[0, 0, -9.81]", "0.3",
          "loads: {push: {body: tip, at: [0.2, 0, 0], force: [1, 2, 3], torque: [0.1, 0.2, 0]}}\n"),
      0.3, 1e-4, 1e-6);
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

// Error in equilibrium under a quarter, half and three quarters of the second model's force, over
// that of the first model alone.
static void a_blend_errs_less_than_its_models(void** state) {
  (void)state;
  static const struct {
    const char* scene;
    lb_vec3 far;
    double most[3];
  } cases[] = {{"wishbone", {100, 0, 0}, {0.15, 0.05, 0.02}},
               {"helix-50", {0, 0, 100}, {0.03, 0.02, 0.01}},
               {"ring", {60, 0, 0}, {0.2, 0.1, 0.02}},
               {"ladder", {0, 400, 0}, {0.25, 0.25, 0.25}},
               {"two-links", {20, 0, 0}, {0.4, 0.2, 0.05}}};
  for (int i = 0; i < 5; i++) {
    for (int k = 1; k < 4; k++) {
      const lb_vec3 force = lb_vec3_scale(k / 4.0, cases[i].far);
      const lb_vec3 at[2] = {{0, 0, 0}, cases[i].far};
      several one, two;
      open_several(&one, cases[i].scene, 1, at, LB_INTEGRATOR_BDF1);
      open_several(&two, cases[i].scene, 2, at, LB_INTEGRATOR_BDF1);
      const double alone = settle(&one, force), blended = settle(&two, force);
      print_message("%s, %d/4: off by %.3g mm alone, %.3g blended, %.3f of it\n", cases[i].scene, k,
                    1e3 * alone, 1e3 * blended, blended / alone);
      assert_below(blended, cases[i].most[k - 1] * alone);
      close_several(&one);
      close_several(&two);
    }
  }
}

// Models at distances d, d/2 and d/4: the error half way falls with the fourth power at least.
static void the_error_between_models_is_of_fourth_order(void** state) {
  (void)state;
  static const char* const scenes[] = {"helix-50", "two-links"};
  static const lb_vec3 far[] = {{0, 0, 50}, {4, 0, 0}};
  for (int i = 0; i < 2; i++) {
    double off[3];
    for (int k = 0; k < 3; k++) {
      const lb_vec3 at[2] = {{0, 0, 0}, lb_vec3_scale(1.0 / (1 << k), far[i])};
      several two;
      open_several(&two, scenes[i], 2, at, LB_INTEGRATOR_BDF1);
      off[k] = settle(&two, lb_vec3_scale(0.5, at[1]));
      close_several(&two);
    }
    print_message("%s: %.3g, %.3g, %.3g m, orders %.2f and %.2f\n", scenes[i], off[0], off[1],
                  off[2], log2(off[0] / off[1]), log2(off[1] / off[2]));
    assert_above(log2(off[0] / off[1]), 3.5);
    assert_above(log2(off[1] / off[2]), 3.5);
  }
}

// Accelerations by the engine's M^-1 (tau - bias).
static double largest_acceleration(several* s) {
  double most = 0;
  lb_forward(s->m, s->d);
  for (int k = 0; k < s->m->nv; k++) {
    most = fmax(most, fabs(s->d->qdd[k]));
  }
  return most;
}

// At each model: in equilibrium under its force, all bodies where the whole has them, and
// vibrations of the reduced model.
static void models_are_reproduced(void** state) {
  (void)state;
  static const char* const scenes[] = {"helix-50", "ring", "two-links", "arm-20"};
  static const lb_vec3 force[3] = {{0, 0, 0}, {10, 0, 5}, {-5, 0, 10}};
  for (int n = 0; n < 4; n++) {
    several s;
    open_several(&s, scenes[n], 3, force, LB_INTEGRATOR_BDF1);
    const lb_link* l = &s.m->link.packed[s.m->body.link[s.m->mechanism.item[0].body]];
    for (int i = 0; i < 3; i++) {
      lb_fork* f = fork_reduce(&s.w, i);
      lb_data* whole = state_of(s.w.m);
      memcpy(whole->q, f->q, (size_t)s.w.m->nq * sizeof *whole->q);
      lb_poses(s.w.m, whole);
      // y where the model is
      const lb_fork_family* g = l->reduced->curved->context;
      memcpy(s.d->q + l->q, g->y + i * g->r, (size_t)g->r * sizeof *s.d->q);
      s.push.force = force[i];
      assert_below(largest_acceleration(&s), 1e-6);
      lb_poses(s.m, s.d);
      for (int b = 0; b < s.w.m->nbody; b++) {
        assert_near(lb_vec3_norm(lb_vec3_sub(s.d->pose[b].p, whole->pose[b].p)), 0, 1e-11);
      }
      // K and M there, through the derivatives of all forces
      double frequency[24], w[24];
      static double K[24 * 24], M[24 * 24];
      lb_derivatives* D = NULL;
      lb_arena scratch;
      lb_arena_init(&scratch, lb_allocator_default());
      assert_int_equal(lb_derivatives_create(s.m, NULL, &D, NULL), LB_OK);
      memset(s.d->qdd, 0, (size_t)s.m->nv * sizeof *s.d->qdd);
      lb_update(s.m, s.d, LB_ORIGINS | LB_FORCED);
      lb_derive_forced(D, s.d);
      memcpy(K, D->tau_q, (size_t)(s.m->nv * s.m->nv) * sizeof *K);
      memcpy(M, D->M, (size_t)(s.m->nv * s.m->nv) * sizeof *M);
      assert_int_equal(lb_eigen_generalised(&scratch, s.m->nv, K, s.m->nv, M, s.m->nv, w), LB_OK);
      assert_int_equal(lb_fork_frequencies(f, frequency, NULL), LB_OK);
      for (int k = 0; k < s.m->nv; k++) {
        assert_near(sqrt(w[k]) / (2 * M_PI) / frequency[k], 1, 1e-9);
      }
      lb_derivatives_release(D);
      lb_arena_release(&scratch);
      lb_data_release(whole);
      lb_fork_release(f);
    }
    close_several(&s);
  }
}

// --- the blended stepper beside it ---

// Both expand about models, and differ beyond what is linear: pushed from a model, they part with
// the square of the force.
static void steps_are_those_of_the_blended_stepper_about_each_model(void** state) {
  (void)state;
  static const char* const scenes[] = {"helix-50", "ring"};
  static const lb_vec3 force[2] = {{0, 0, 0}, {10, 0, 5}};
  static const double h = 1e-3;
  for (int n = 0; n < 2; n++) {
    for (int i = 0; i < 2; i++) {
      double off[2], moved = 0;
      for (int small = 0; small < 2; small++) {
        several s;
        lb_fork* f[2];
        lb_fork_blend* b = NULL;
        open_several(&s, scenes[n], 2, force, LB_INTEGRATOR_BDF1);
        f[0] = fork_reduce(&s.w, 0);
        f[1] = fork_reduce(&s.w, 1);
        assert_int_equal(lb_fork_blend_create(f, 2, h, NULL, &b, NULL), LB_OK);
        lb_fork_blend_set(b, f[i]->pose, NULL);
        const lb_link* l = &s.m->link.packed[s.m->body.link[s.m->mechanism.item[0].body]];
        const lb_fork_family* g = l->reduced->curved->context;
        memcpy(s.d->q + l->q, g->y + i * g->r, (size_t)g->r * sizeof *s.d->q);
        const lb_vec3 push = lb_vec3_make(0.02 / (small ? 10 : 1), 0, 0.02 / (small ? 10 : 1));
        const lb_vec3 all = lb_vec3_add(force[i], push);
        const double wrench[6] = {0, 0, 0, all.x, all.y, all.z};
        lb_stepper* st = stepper_of(s.m);
        s.push.force = all;
        for (int k = 0; k < 200; k++) {
          lb_fork_blend_step(b, wrench);
          assert_int_equal(lb_stepper_step(st, s.d, h, NULL), LB_OK);
        }
        off[small] = lb_vec3_norm(lb_vec3_sub(effector_at(&s), b->pose[0].p));
        moved = fmax(moved, lb_vec3_norm(lb_vec3_sub(b->pose[0].p, f[i]->pose[0].p)));
        lb_stepper_release(st);
        lb_fork_blend_release(b);
        lb_fork_release(f[0]);
        lb_fork_release(f[1]);
        close_several(&s);
      }
      print_message("%s, model %d: moved %.3g m, apart %.3g and %.3g m\n", scenes[n], i + 1, moved,
                    off[0], off[1]);
      assert_below(off[1], 0.013 * off[0] + 1e-12);
      assert_below(off[0], 1e-3 * moved);
    }
  }
}

// --- conserved quantities ---

static void momentum_is_kept_while_the_base_floats(void** state) {
  (void)state;
#define KEEP(integrator, bound)                                                                    \
  {                                                                                                \
    lb_model* m = make(SEVERAL(integrator, "[0, 0, 0]", "0", ""));                                 \
    lb_data* d = state_of(m);                                                                      \
    lb_stepper* s = stepper_of(m);                                                                 \
    const int y = m->link.q[m->body.link[m->mechanism.item[0].body]];                              \
    d->q[y] = 0.1;                                                                                 \
    const lb_momenta first = lb_momentum(m, d);                                                    \
    for (int i = 0; i < 1000; i++) {                                                               \
      assert_int_equal(lb_stepper_step(s, d, 1e-3, NULL), LB_OK);                                  \
    }                                                                                              \
    const lb_momenta last = lb_momentum(m, d);                                                     \
    const double p = lb_vec3_norm(lb_vec3_sub(last.linear, first.linear)) / first.linear_sum;      \
    const double L = lb_vec3_norm(lb_vec3_sub(last.angular, first.angular)) / first.angular_sum;   \
    print_message("%s: momentum to %.2g, %.2g\n", integrator, p, L);                               \
    assert_below(fmax(p, L), bound);                                                               \
    lb_stepper_release(s);                                                                         \
    lb_data_release(d);                                                                            \
    lb_model_release(m);                                                                           \
  }
  KEEP("linear-euler", 1e-12)
  KEEP("rk8", 1e-11)
  KEEP("bdf2", 1e-5)
}

// Without damping, kinetic and potential energy stay: the blended forces have one.
static void energy_is_kept_without_damping(void** state) {
  (void)state;
  static const lb_vec3 force[2] = {{0, 0, 0}, {20, 0, 0}};
  several s;
  open_several(&s, "two-links", 2, force, LB_INTEGRATOR_RK8);
  for (int j = 0; j < s.w.scene.njoint; j++) {
    s.w.scene.joint[j].resistance.damping = 0;
  }
  lb_model* m = reduced_model(&s.w.scene);
  lb_data* d = state_of(m);
  lb_stepper* st = stepper_of(m);
  d->q[0] = 0.05;
  d->q[1] = -0.03;
  const double first = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
  double most = 0;
  for (int i = 0; i < 2000; i++) {
    assert_int_equal(lb_stepper_step(st, d, 1e-3, NULL), LB_OK);
    most = fmax(most, lb_kinetic_energy(m, d));
    assert_near(lb_kinetic_energy(m, d) + lb_potential_energy(m, d), first, 1e-9 * fabs(first));
  }
  assert_above(most, 0.005);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  close_several(&s);
}

// --- stability ---

// A chain of eight links, as stiff as asked for, under a load that comes and goes.
static const char* chain(const char* integrator, double k, const char* models) {
  static fork_text t;
  t.n = 0;
  fork_say(&t,
           "gravity: [0, 0, 0]\nduration: 60 s\nsolver: {integrator: %s, step: %.17g}\nbodies:\n",
           integrator, 1. / 60);
  for (int i = 0; i < 8; i++) {
    fork_say(&t, "  l%d: {mass: 0.04, center: [0.05, 0, 0], inertia: [1e-5, 4e-5, 4e-5]}\n", i);
  }
  fork_say(&t, "joints:\n");
  for (int i = 0; i < 8; i++) {
    char parent[20] = "parent: world, ";
    if (i > 0) {
      snprintf(parent, sizeof parent, "parent: l%d, ", i - 1);
    }
    fork_say(&t,
             "  j%d: {type: spherical, %schild: l%d, at: {position: [%g, 0, 0], rotation: {axis: "
             "y, angle: 0.15}}, spring: {stiffness: %g}}\n",
             i, parent, i, i ? 0.1 : 0., k);
  }
  fork_say(&t,
           "loads: {push: {body: l7, at: [0.1, 0, 0], force: [0, %g, %g], keys: [[0 s, 0], [2 s, "
           "1], [3 s, 0]], repeat: 4 s}}\nfork: {f: {effectors: [l7]%s}}\n",
           0.1 * k, 0.05 * k, models);
  return t.at;
}

static void it_is_stable_at_any_stiffness(void** state) {
  (void)state;
  lb_test_needs_speed();
  static const char* const integrators[] = {"linear-euler", "bdf1", "bdf2", "sdirk2"};
  for (int n = 0; n < 4; n++) {
    for (double k = 1; k < 2e9; k *= 1000) {
      char models[120];
      snprintf(models, sizeof models, ", models: [{}, {loads: {l7: [0, %g, %g]}}]", 0.2 * k,
               0.1 * k);
      lb_model* m = make(chain(integrators[n], k, models));
      lb_data* d = state_of(m);
      lb_stepper* s = stepper_of(m);
      double most = 0;
      for (int i = 0; i < 3600; i++) {
        lb_error err = lb_error_make(NULL);
        if (lb_stepper_step(s, d, 1. / 60, &err) != LB_OK) {
          print_error("%s, %g N m, step %d, y %g %g %g: %s\n", integrators[n], k, i, d->q[0],
                      d->q[1], d->q[2], err.count ? err.message[0].text : "?");
          fail();
        }
        for (int c = 0; c < m->nv; c++) {
          most = fmax(most, fabs(d->q[c]));
        }
      }
      print_message("%s, %g N m: y up to %.3g\n", integrators[n], k, most);
      assert_below(most, 2);
      assert_above(most, 0.005);
      lb_stepper_release(s);
      lb_data_release(d);
      lb_model_release(m);
    }
  }
}

// --- states, threads, memory ---

static void a_saved_state_goes_on_bit_for_bit(void** state) {
  (void)state;
  assert_saved_states_go_on(SEVERAL("bdf2", "[0, 0, -9.81]", "0.3", ""));
}

static void results_do_not_depend_on_threads(void** state) {
  (void)state;
  assert_same_for_all_threads(SEVERAL("bdf2", "[0, 0, -9.81]", "0.3", ""));
}

static void a_step_allocates_nothing(void** state) {
  (void)state;
  assert_steps_allocate_nothing(SEVERAL("bdf2", "[0, 0, -9.81]", "0.3", ""));
}

static void memory_may_run_out_at_any_request(void** state) {
  (void)state;
  assert_memory_may_run_out(SEVERAL("bdf2", "[0, 0, -9.81]", "0.3", ""));
}

// --- what is refused ---

static void what_cannot_be_simulated_is_refused_with_its_place(void** state) {
  (void)state;
  assert_refused(ARM("    mass: impulse\n    models: [{}, {loads: {b: [0, 1, 0]}}]\n"), 12,
                 "whose masses are those of static shapes");
  assert_refused(ARM("    grow: {error: 0.01}\n"), 9, "is to grow, which it does in 'limber fork'");
  assert_refused(ARM("    models: [{}, {loads: {b: [0, 1, 0]}}, {}]\n"), 11,
                 "model 3 is at the place of one before it");
  // a coupler that goes along x, along x and along z
  assert_refused(
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  left: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "  right: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "  coupler: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "joints:\n"
      "  a: {type: revolute, axis: y, child: left, spring: {stiffness: 1}}\n"
      "  b: {type: revolute, axis: y, child: right, at: [1, 0, 0], spring: {stiffness: 1}}\n"
      "  c: {type: revolute, axis: y, parent: left, child: coupler, at: [0, 0, -1]}\n"
      "  d: {type: revolute, axis: y, parent: right, child: coupler, at: [0, 0, -1], in_child: [1, "
      "0, 0], loop: true}\n"
      "fork:\n"
      "  f:\n"
      "    effectors: [coupler]\n"
      "    models: [{}, {loads: {coupler: [0.1, 0, 0]}}, {loads: {coupler: [1000, 0, 0]}}]\n",
      14, "model 3 lets its effectors move in directions that have little in common");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_is_the_mass_matrix_times_acceleration),
      cmocka_unit_test(derivatives_are_differences),
      cmocka_unit_test(models_are_reproduced),
      cmocka_unit_test(a_blend_errs_less_than_its_models),
      cmocka_unit_test(the_error_between_models_is_of_fourth_order),
      cmocka_unit_test(steps_are_those_of_the_blended_stepper_about_each_model),
      cmocka_unit_test(momentum_is_kept_while_the_base_floats),
      cmocka_unit_test(energy_is_kept_without_damping),
      cmocka_unit_test(it_is_stable_at_any_stiffness),
      cmocka_unit_test(a_saved_state_goes_on_bit_for_bit),
      cmocka_unit_test(results_do_not_depend_on_threads),
      cmocka_unit_test(a_step_allocates_nothing),
      cmocka_unit_test(memory_may_run_out_at_any_request),
      cmocka_unit_test(what_cannot_be_simulated_is_refused_with_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
