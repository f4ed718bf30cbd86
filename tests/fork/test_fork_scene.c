// Mechanisms simulated by their effectors inside of a scene: identities of the dynamics, the whole
// mechanism and the reduced stepper beside it, momentum, stability, states and refusals.
#include "elastic/reduced/reduced.h"
#include "fork_scene_checks.h"

// --- dynamics ---

static void inverse_dynamics_is_the_mass_matrix_times_acceleration(void** state) {
  (void)state;
  assert_inverse_dynamics(ROVER("bdf2", "[0, 0, -9.81]", "0.3", ""), 0.7);
}

static void derivatives_are_differences(void** state) {
  (void)state;
  assert_derivatives(
      ROVER(
          "bdf2", "[0, 0, -9.81]", "0.3",
          "loads: {push: {body: tip, at: [0.2, 0, 0], force: [1, 2, 3], torque: [0.1, 0.2, 0]}}\n"),
      0.6, 1e-3, 1e-8);
}

// Bodies that stand for mechanisms: their own mass is that of their fields of displacements, but
// for rotors. The parallelogram and the arm are independent, and count apart.
static void mass_is_that_of_the_displacements(void** state) {
  (void)state;
  lb_model* m = make(ROVER("bdf2", "[0, 0, -9.81]", "0.3", ""));
  const double mass[] = {0.5 + 0.4 + 0.7, 0.3 + 0.2};
  assert_int_equal(m->mechanism.count, 2);
  for (int n = 0; n < 2; n++) {
    const lb_model_mechanism* of = &m->mechanism.item[n];
    const lb_reduced* b = m->link.packed[m->body.link[of->body]].reduced;
    const lb_model* whole = of->whole;
    const int rotor = n == 1 ? whole->joint.v[lb_model_joint(whole, "f")] : 0;
    assert_near(b->m, mass[n], 1e-15);
    for (int i = 0; i < b->r; i++) {
      for (int k = 0; k < b->r; k++) {
        const double turns = of->dq[i * whole->nv + rotor] * of->dq[k * whole->nv + rotor];
        const double armature = n == 1 ? 0.01 * turns : 0;
        assert_near(lb_m3_trace(b->B1[i * b->r + k]) + armature, b->M[i * b->r + k], 1e-13);
      }
    }
  }
  assert_string_equal(m->mechanism.item[1].name, "legs-tip");
  lb_model_release(m);
}

// --- equilibrium ---

static void it_starts_in_equilibrium(void** state) {
  (void)state;
  static const char* const scenes[] = {"ladder", "arm-20", "ring", "wishbone", "helix-50"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    fork_world w = fork_read(scenes[i]);
    lb_model* m = reduced_model(&w.scene);
    lb_data* d = state_of(m);
    lb_forward(m, d);
    for (int k = 0; k < m->nv; k++) {
      assert_near(d->qdd[k], 0, 1e-8);
    }
    // all bodies are where the whole has them
    lb_fork* f = fork_reduce(&w, 0);
    lb_data* whole = state_of(w.m);
    memcpy(whole->q, f->q, (size_t)w.m->nq * sizeof *whole->q);
    lb_poses(w.m, whole);
    lb_poses(m, d);
    for (int k = 0; k < w.m->nbody; k++) {
      assert_near(lb_vec3_norm(lb_vec3_sub(d->pose[k].p, whole->pose[k].p)), 0, 1e-12);
    }
    lb_fork_release(f);
    lb_data_release(whole);
    lb_data_release(d);
    lb_model_release(m);
    fork_drop(&w);
  }
}

// --- the reduced stepper beside it ---

// Let go from a displacement, implicit Euler does the same steps.
static void steps_of_bdf1_are_those_of_the_reduced_stepper(void** state) {
  (void)state;
  static const char* const scenes[] = {"wishbone", "ladder", "helix-50"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    fork_world w = fork_read(scenes[i]);
    w.scene.nload = 0;
    w.scene.solver.integrator = LB_INTEGRATOR_BDF1;
    lb_model_release(w.m);
    assert_int_equal(lb_model_create(&w.scene, NULL, &w.m, NULL), LB_OK);
    w.f = fork_reduce(&w, 0);
    lb_model* m = reduced_model(&w.scene);
    lb_data* d = state_of(m);
    lb_stepper* st = stepper_of(m);
    lb_fork_stepper* s = NULL;
    const double h = 1e-3;
    assert_int_equal(lb_fork_stepper_create(w.f, h, NULL, &s, NULL), LB_OK);
    const int q = m->link.q[m->body.link[m->mechanism.item[0].body]];
    for (int k = 0; k < w.f->count; k++) {
      s->y[k] = d->q[q + k] = (k % 2 ? -0.4 : 0.3) / (1 + k);
    }
    lb_fork_place(s);
    for (int n = 0; n < 300; n++) {
      lb_fork_step(s, NULL);
      assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    }
    lb_poses(m, d);
    for (int k = 0; k < w.f->count; k++) {
      assert_near(d->q[q + k], s->y[k], 1e-9);
    }
    for (int e = 0; e < w.f->neffector; e++) {
      const lb_scene_effector* of = &w.scene.fork[0].effector[e];
      const lb_vec3 at = lb_transform_point(d->pose[of->body], of->at);
      assert_near(lb_vec3_norm(lb_vec3_sub(at, s->pose[e].p)), 0, 1e-9);
    }
    lb_fork_stepper_release(s);
    lb_stepper_release(st);
    lb_data_release(d);
    lb_model_release(m);
    fork_drop(&w);
  }
}

// --- the whole beside it ---

#define TWO_LINKS(integrator, force, gravity)                                                      \
  "gravity: [0, 0, " gravity "]\n"                                                                 \
  "duration: 0.5 s\n"                                                                              \
  "solver: {integrator: " integrator ", step: 1 ms}\n"                                             \
  "bodies:\n"                                                                                      \
  "  upper: {mass: 0.1, center: [0.15, 0, 0], inertia: [1e-4, 1e-3, 1e-3]}\n"                      \
  "  lower: {mass: 0.1, center: [0.15, 0, 0], inertia: [1e-4, 1e-3, 1e-3]}\n"                      \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: upper, axis: y, at: {position: [0, 0, 0], rotation: "       \
  "{axis: y, angle: -60 deg}}, spring: {stiffness: 10}, damping: 0.02}\n"                          \
  "  elbow: {type: revolute, parent: upper, child: lower, axis: y, at: {position: [0.3, 0, 0], "   \
  "rotation: {axis: y, angle: 120 deg}}, spring: {stiffness: 10}, damping: 0.02}\n"                \
  "markers: {hand: {body: lower, at: [0.3, 0, 0]}}\n"                                              \
  "loads: {pull: {body: lower, at: [0.3, 0, 0], force: [" force                                    \
  ", 0, 0], keys: [[0 s, 0], [0.1 s, 1]]}}\n"                                                      \
  "fork: {arm: {effectors: [hand]}}\n"

// Farthest that the hand is from its place in the whole, which starts in equilibrium.
static double miss(const char* text, double* moved) {
  lb_scene scene = parse(text);
  fork_world w = fork_parse(text);
  w.f = fork_reduce(&w, 0);
  lb_model* m = reduced_model(&scene);
  lb_data *d = state_of(m), *whole = state_of(w.m);
  lb_stepper *a = stepper_of(m), *b = stepper_of(w.m);
  memcpy(whole->q, w.f->q, (size_t)w.m->nq * sizeof *whole->q);
  const int lower = lb_model_body(m, "lower");
  const lb_vec3 hand = lb_vec3_make(0.3, 0, 0);
  double most = 0;
  *moved = 0;
  const double h = m->solver.step;
  for (int n = 0; n < (int)lround(m->duration / h); n++) {
    assert_int_equal(lb_stepper_step(a, d, h, NULL), LB_OK);
    assert_int_equal(lb_stepper_step(b, whole, h, NULL), LB_OK);
    lb_poses(m, d);
    lb_poses(w.m, whole);
    const lb_vec3 at = lb_transform_point(d->pose[lower], hand);
    const lb_vec3 true_at = lb_transform_point(whole->pose[lower], hand);
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(at, true_at)));
    *moved = fmax(*moved, lb_vec3_norm(lb_vec3_sub(true_at, w.f->pose[0].p)));
  }
  lb_stepper_release(a);
  lb_stepper_release(b);
  lb_data_release(d);
  lb_data_release(whole);
  lb_model_release(m);
  fork_drop(&w);
  lb_scene_release(&scene);
  return most;
}

// The error falls with the square of the force, by every implicit integrator: where effectors have
// all freedoms of a mechanism, motions are exact to first order.
static void small_motions_are_those_of_the_whole(void** state) {
  (void)state;
#define TRY(integrator, gravity)                                                                   \
  {                                                                                                \
    double moved[2], off[2] = {miss(TWO_LINKS(integrator, "0.1", gravity), &moved[0]),             \
                               miss(TWO_LINKS(integrator, "0.01", gravity), &moved[1])};           \
    print_message("%s: off by %.3g of %.3g m, and %.3g of %.3g m\n", integrator, off[0], moved[0], \
                  off[1], moved[1]);                                                               \
    assert_above(log10(off[0] / off[1]), 1.9);                                                     \
    assert_below(off[1], 0.003 * moved[1]);                                                        \
  }
  TRY("linear-euler", "0") // which takes the change of weight at the start of a step
  TRY("bdf1", "-9.81")
  TRY("bdf2", "-9.81")
  TRY("sdirk2", "-9.81")
  TRY("rk4", "-9.81")
}

// --- a base that floats ---

static void momentum_is_kept_while_the_base_floats(void** state) {
  (void)state;
#define KEEP(integrator, bound)                                                                    \
  {                                                                                                \
    lb_model* m = make(ROVER(integrator, "[0, 0, 0]", "0", ""));                                   \
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
  KEEP("rk8", 1e-12)
  KEEP("bdf2", 1e-5) // by the error of its steps, as of all that floats
}

// --- stability ---

// Steps of 1/60 s for a minute, whatever its joints' stiffness, under a load that comes and goes.
static void it_is_stable_at_any_stiffness(void** state) {
  (void)state;
  static const char* const integrators[] = {"linear-euler", "bdf1", "bdf2", "sdirk2"};
  for (int n = 0; n < 4; n++) {
    for (double k = 1; k < 2e9; k *= 1000) {
      static fork_text t;
      t.n = 0;
      fork_say(
          &t,
          "gravity: [0, 0, 0]\nduration: 60 s\nsolver: {integrator: %s, step: %.17g}\nbodies:\n",
          integrators[n], 1. / 60);
      for (int i = 0; i < 8; i++) {
        fork_say(&t, "  l%d: {mass: 0.04, center: [0.05, 0, 0], inertia: [1e-5, 4e-5, 4e-5]}\n", i);
      }
      fork_say(&t, "joints:\n");
      for (int i = 0; i < 8; i++) {
        fork_say(
            &t, "  j%d: {type: spherical, %schild: l%d, at: [%g, 0, 0], spring: {stiffness: %g}}\n",
            i,
            i ? (char[]){'p', 'a', 'r', 'e', 'n', 't', ':', ' ', 'l', (char)('0' + i - 1), ',', ' ',
                         0}
              : "",
            i, i ? 0.1 : 0., k);
      }
      fork_say(
          &t,
          "loads: {push: {body: l7, at: [0.1, 0, 0], force: [0, %g, %g], keys: [[0 s, 0], [2 s, "
          "1], [3 s, 0]], repeat: 4 s}}\nfork: {f: {effectors: [l7]}}\n",
          0.1 * k, 0.05 * k);
      lb_model* m = make(t.at);
      lb_data* d = state_of(m);
      lb_stepper* s = stepper_of(m);
      double most = 0;
      for (int i = 0; i < 3600; i++) {
        assert_int_equal(lb_stepper_step(s, d, 1. / 60, NULL), LB_OK);
        for (int c = 0; c < m->nv; c++) {
          most = fmax(most, fabs(d->q[c]));
        }
      }
      assert_below(most, 2);
      assert_above(most, 0.01);
      lb_stepper_release(s);
      lb_data_release(d);
      lb_model_release(m);
    }
  }
}

// --- states, threads, memory ---

static void a_saved_state_goes_on_bit_for_bit(void** state) {
  (void)state;
  assert_saved_states_go_on(ROVER("bdf2", "[0, 0, -9.81]", "0.3", ""));
}

// Bodies inside move as differences of their poses say, and cannot be pushed.
static void inner_bodies_have_velocities(void** state) {
  (void)state;
  static const char* const names[] = {"left", "right", "arm", "coupler", "tip", "wheel"};
  lb_error err = lb_error_make(NULL);
  lb_world* w = lb_world_parse(ROVER("bdf1", "[0, 0, -9.81]", "0.3", ""), "rover.yaml", &err);
  assert_non_null(w);
  assert_velocities(w, 6, names);
  assert_int_equal(lb_world_status(w), LB_OK);
  lb_world_push(w, lb_world_find(w, LB_PART_BODY, "left"), lb_vec3_make(1, 0, 0),
                lb_vec3_make(0, 0, 0));
  assert_int_equal(lb_world_check(w, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "nothing can act on it"));
  lb_world_close(w);
  lb_error_clear(&err);
}

static void results_do_not_depend_on_threads(void** state) {
  (void)state;
  assert_same_for_all_threads(ROVER("bdf2", "[0, 0, -9.81]", "0.3", ""));
}

static void a_step_allocates_nothing(void** state) {
  (void)state;
  assert_steps_allocate_nothing(ROVER("bdf2", "[0, 0, -9.81]", "0.3", ""));
}

static void memory_may_run_out_at_any_request(void** state) {
  (void)state;
  assert_memory_may_run_out(ROVER("bdf2", "[0, 0, -9.81]", "0.3", ""));
}

// --- what is refused ---

#define LINKS                                                                                      \
  "bodies:\n"                                                                                      \
  "  a: {mass: 1, center: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                             \
  "  b: {mass: 1, center: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                             \
  "  c: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
#define HINGES                                                                                     \
  "joints:\n"                                                                                      \
  "  one: {type: revolute, axis: y, child: a, spring: {stiffness: 9}}\n"                           \
  "  two: {type: revolute, axis: y, parent: a, child: b, at: [0.2, 0, 0], spring: {stiffness: "    \
  "9}}\n"

static void what_cannot_be_reduced_is_refused_with_its_place(void** state) {
  (void)state;
  // without stiffness
  assert_refused(LINKS "joints:\n"
                       "  one: {type: revolute, axis: z, child: a, spring: {stiffness: 9}}\n"
                       "  two: {type: revolute, axis: z, parent: a, child: b, at: [0.2, 0, 0]}\n"
                       "fork: {f: {effectors: [b]}}\n",
                 8, "has no stiffness");
  // past buckling: it would fall
  assert_refused("bodies:\n"
                 "  a: {mass: 10, center: [0, 0, 1], inertia: [0.01, 0.01, 0.01]}\n"
                 "joints:\n"
                 "  one: {type: revolute, axis: y, child: a}\n"
                 "fork: {f: {effectors: [a]}}\n",
                 5, "past buckling");
  // a four-bar with all bars in a line
  assert_refused("gravity: [0, 0, 0]\n"
                 "bodies:\n"
                 "  a: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
                 "  b: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
                 "  c: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
                 "joints:\n"
                 "  p: {type: revolute, axis: y, child: a, spring: {stiffness: 9}}\n"
                 "  q: {type: revolute, axis: y, parent: a, child: b, at: [1, 0, 0]}\n"
                 "  r: {type: revolute, axis: y, child: c, at: [1, 0, 0]}\n"
                 "  s: {type: revolute, axis: y, parent: b, child: c, at: [1, 0, 0], in_child: [1, "
                 "0, 0], loop: true}\n"
                 "fork: {f: {effectors: [b]}}\n",
                 11, "singular pose");
  // an effector that cannot move
  assert_refused(LINKS HINGES "  three: {type: fixed, child: c}\n"
                              "fork: {f: {effectors: [c]}}\n",
                 9, "cannot move");
  assert_refused(LINKS HINGES "fork: {f: {effectors: [c]}}\n", 8, "does not hang on its base");
  assert_refused(LINKS HINGES "fork: {f: {base: b, effectors: [a]}}\n", 6, "carries an effector");
  // maximal coordinates, prescribed motions
  assert_refused("solver: {coordinates: maximal}\n" LINKS HINGES "fork: {f: {effectors: [b]}}\n", 9,
                 "maximal coordinates");
  assert_refused(LINKS HINGES "motors: {m: {joint: two, keys: [[0 s, 0], [1 s, 1]]}}\n"
                              "fork: {f: {effectors: [b]}}\n",
                 8, "prescribes a motion");
  // what acts between inside and outside
  assert_refused(LINKS HINGES "springs: {s: {from: {body: a}, to: {body: c}, stiffness: 1}}\n"
                              "fork: {f: {effectors: [b]}}\n",
                 8, "acts between the inside");
  assert_refused(LINKS HINGES
                 "loads: {l: {body: a, force: [1, 0, 0], keys: [[0 s, 0], [1 s, 1]]}}\n"
                 "fork: {f: {effectors: [b]}}\n",
                 8, "acts on body 'a' inside");
  assert_refused(LINKS HINGES "fork: {f: {effectors: [b]}, g: {effectors: [a]}}\n", 8,
                 "both have body 'a'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_is_the_mass_matrix_times_acceleration),
      cmocka_unit_test(derivatives_are_differences),
      cmocka_unit_test(mass_is_that_of_the_displacements),
      cmocka_unit_test(it_starts_in_equilibrium),
      cmocka_unit_test(steps_of_bdf1_are_those_of_the_reduced_stepper),
      cmocka_unit_test(small_motions_are_those_of_the_whole),
      cmocka_unit_test(momentum_is_kept_while_the_base_floats),
      cmocka_unit_test(it_is_stable_at_any_stiffness),
      cmocka_unit_test(a_saved_state_goes_on_bit_for_bit),
      cmocka_unit_test(inner_bodies_have_velocities),
      cmocka_unit_test(results_do_not_depend_on_threads),
      cmocka_unit_test(a_step_allocates_nothing),
      cmocka_unit_test(memory_may_run_out_at_any_request),
      cmocka_unit_test(what_cannot_be_reduced_is_refused_with_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
