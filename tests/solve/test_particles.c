// Ropes and deformables beside trees: forces against energies, the matrix of implicit steps against
// products and differences, energy and momentum, orders of the steppers, and closed forms.
#include "dynamics/force/force.h"
#include "dynamics/force/particles.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"
#include "particle_world.h"
#include "solve/particle/particle_matrix.h"

// Two links on a hinge and a ball, a rope from the world through the first to the second and on
// to a free end, and deformables between the links.
#define BODIES                                                                                     \
  "materials:\n"                                                                                   \
  "  gel: {density: 500, young: 3e4, poisson: 0.3, model: corotated DAMPING}\n"                    \
  "bodies:\n"                                                                                      \
  "  arm: {shape: {box: [0.4, 0.06, 0.06], position: [0.2, 0, 0]}, mass: 1}\n"                     \
  "  hand: {shape: {box: [0.3, 0.06, 0.06], position: [0.15, 0, 0]}, mass: 0.5}\n"                 \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: arm, axis: y}\n"                                            \
  "  elbow: {type: spherical, parent: arm, at: [0.4, 0, 0], child: hand}\n"
static const char WORLD[] =
    "limber: 1\nsolver: {integrator: rk4, step: 1 ms}\n" BODIES "ropes:\n"
    "  string:\n"
    "    through: [{at: [0.5, 0.3, 0.4]}, {body: arm, at: [0.3, 0, 0.03]},\n"
    "      {body: hand, at: [0.2, 0, 0.03]}, {free: true, at: [0.9, 0.1, 0.1]}]\n"
    "    segments: 9\n"
    "    mass: 0.2\n"
    "    stiffness: 200 N\n"
    "    slack: 0.95\n"
    "    pushes: true\n" // else there are no orders
    "    damping: DAMP\n"
    "    drag: DRAG\n"
    "deformables:\n"
    "  flesh:\n"
    "    form:\n"
    "      box: {from: [0.2, 0, 0], to: [0.6, 0, 0], width: 0.1, height: 0.1}\n"
    "      elements: {along: 8, across: 2, around: 2}\n"
    "      material: gel\n"
    "    attach: [arm, hand]\n";

// The world above, with or without damping.
static lb_model* make(bool damped) {
  static char text[8000];
  const char* from = WORLD;
  char* to = text;
  const struct {
    const char *word, *with, *without;
  } change[] = {{"DAMPING", ", damping: {mass: 0.3, stiffness: 3 ms}", ""},
                {"DAMP", "2 ms", "0 s"},
                {"DRAG", "0.2", "0"}};
  while (*from) {
    bool found = false;
    for (size_t i = 0; i < 3 && !found; i++) {
      const size_t n = strlen(change[i].word);
      if (strncmp(from, change[i].word, n) == 0) {
        to += sprintf(to, "%s", damped ? change[i].with : change[i].without);
        from += n;
        found = true;
      }
    }
    if (!found) {
      *to++ = *from++;
    }
  }
  *to = 0;
  return compile(text);
}

// Somewhere else, at some speed.
static void shake(const lb_model* m, lb_data* d, double size, double speed, uint64_t seed) {
  lb_random random = {seed};
  double* dq = calloc((size_t)m->nv, sizeof *dq);
  for (int k = 0; k < m->nv; k++) {
    dq[k] = lb_random_between(&random, -1, 1);
    d->qd[k] = speed * lb_random_between(&random, -1, 1);
  }
  lb_advance(m, d->q, dq, size);
  free(dq);
}

static double potential_at(const lb_model* m, lb_data* d, const double* q, int k, double h) {
  double* dq = calloc((size_t)m->nv, sizeof *dq);
  dq[k] = 1;
  memcpy(d->q, q, (size_t)m->nq * sizeof *q);
  lb_advance(m, d->q, dq, h);
  free(dq);
  return lb_potential_energy(m, d);
}

static void forces_are_minus_the_gradient_of_the_energy(void** state) {
  (void)state;
  lb_model* m = make(false);
  lb_data* d = data_of(m);
  assert_above(m->particles.nfree, 50);
  assert_above(m->particles.nparticle, m->particles.nfree + 10);
  assert_int_equal(m->ndense, 4);
  shake(m, d, 0.01, 0, 1);
  double* q = malloc((size_t)m->nq * sizeof *q);
  double* tau = calloc((size_t)m->nv, sizeof *tau);
  memcpy(q, d->q, (size_t)m->nq * sizeof *q);
  memset(d->qdd, 0, (size_t)m->nv * sizeof *d->qdd);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  double* held = malloc((size_t)m->nv * sizeof *held);
  memcpy(held, d->work->tau, (size_t)m->nv * sizeof *held);
  // what holds it still: inverse dynamics under the forces
  lb_rnea_moved(m, d, tau, d->qdd);
  for (int k = 0; k < m->nv; k++) {
    const double h = 1e-5;
    const double slope = (potential_at(m, d, q, k, h) - potential_at(m, d, q, k, -h)) / (2 * h);
    assert_near(tau[k] - held[k], slope, 1e-6);
  }
  free(held);
  free(tau);
  free(q);
  lb_data_release(d);
  lb_model_release(m);
}

static void linearised_are_differences_of_forces(void** state) {
  (void)state;
  lb_model* m = make(true);
  lb_data* d = data_of(m);
  shake(m, d, 0.01, 0.1, 2);
  const size_t n = 3 * (size_t)m->particles.nparticle;
  double* z = malloc(n * sizeof *z);
  double* y = malloc(n * sizeof *y);
  double* f[2] = {malloc(n * sizeof *z), malloc(n * sizeof *z)};
  lb_random random = {3};
  for (size_t k = 0; k < n; k++) {
    z[k] = lb_random_between(&random, -1, 1);
  }
  // springs and elements at places moved by hand, with velocities that do not matter to K
  memset(d->qd, 0, (size_t)m->nv * sizeof *d->qd);
  lb_kinematics(m, d, d->q, d->qd);
  lb_particles_move(m, d, d->q, d->qd);
  lb_particles_linearised(m, d->work->particles, y, 1, 0, z);
  const lb_particles* particles = d->work->particles;
  for (int i = 0; i < m->particles.nparticle; i++) {
    // only free particles can be moved one by one
    for (int k = 0; k < 3; k++) {
      z[3 * i + k] = m->particles.particle[i].link == LB_PARTICLE_FREE ? z[3 * i + k] : 0;
    }
  }
  lb_particles_linearised(m, d->work->particles, y, 1, 0, z);
  const double h = 1e-6;
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < m->particles.nparticle; i++) {
      for (int k = 0; k < 3 && m->particles.particle[i].link == LB_PARTICLE_FREE; k++) {
        d->q[m->particles.particle[i].q + k] += (side ? -2 * h : h) * z[3 * i + k];
      }
    }
    lb_forces_apply(m, d);
    memcpy(f[side], particles->f, n * sizeof *z);
  }
  for (size_t k = 0; k < n; k++) {
    assert_near(y[k] / 1e3, (f[1][k] - f[0][k]) / (2 * h) / 1e3, 1e-6);
  }
  free(f[0]);
  free(f[1]);
  free(y);
  free(z);
  lb_data_release(d);
  lb_model_release(m);
}

// W x = b by products, then b back to x by the sparse factor and the small dense one.
static void solving_with_the_matrix_undoes_multiplying_by_it(void** state) {
  (void)state;
  lb_model* m = make(true);
  lb_data* d = data_of(m);
  shake(m, d, 0.003, 0.1, 4);
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_particle_matrix N;
  assert_int_equal(lb_particle_matrix_create(&N, m, &arena), LB_OK);
  const lb_particle_share share = {1000, 1, 1e-3};
  double W[16], M[16];
  lb_crba(m, d, W, d->q);
  for (int k = 0; k < 16; k++) {
    M[k] = W[k] *= share.mass;
  }
  lb_kinematics(m, d, d->q, d->qd);
  lb_particles_move(m, d, d->q, d->qd);
  lb_particle_matrix_fill(&N, d, share, W);
  double* x = malloc((size_t)m->nv * sizeof *x);
  double* b = calloc((size_t)m->nv, sizeof *b);
  lb_random random = {5};
  for (int k = 0; k < m->nv; k++) {
    x[k] = lb_random_between(&random, -1, 1);
    b[k] = k < 4 ? 0 : share.mass * m->dof.armature[k] * x[k];
  }
  for (int k = 0; k < 16; k++) {
    b[k / 4] += M[k] * x[k % 4];
  }
  lb_particle_matrix_add_product(&N, d, share, x, b);
  assert_true(lb_particle_matrix_eliminate(&N, W));
  lb_particle_matrix_before(&N, b);
  assert_int_equal(lb_cholesky(4, W, 4), LB_OK);
  lb_cholesky_solve(4, W, 4, 1, b, 4);
  lb_particle_matrix_after(&N, b);
  for (int k = 0; k < m->nv; k++) {
    assert_near(b[k], x[k], 1e-11);
  }
  free(b);
  free(x);
  lb_arena_release(&arena);
  lb_data_release(d);
  lb_model_release(m);
}

// --- runs ---

static double energy(const lb_model* m, lb_data* d) {
  return lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
}

static void energy_is_kept_with_order_four_by_runge_kutta(void** state) {
  (void)state;
  lb_model* m = make(false);
  double off[2];
  for (int i = 0; i < 2; i++) {
    lb_data* d = data_of(m);
    const double before = energy(m, d);
    run(m, d, LB_INTEGRATOR_RK4, 4e-4 / (1 << i), 400 << i);
    off[i] = fabs(energy(m, d) - before) / lb_kinetic_energy(m, d);
    lb_data_release(d);
  }
  print_message("energy off by %.2g and %.2g\n", off[0], off[1]);
  assert_below(off[1], 1e-6);
  assert_above(off[0], 12 * off[1]);
  lb_model_release(m);
}

static void every_stepper_converges_with_its_order(void** state) {
  (void)state;
  static const struct {
    lb_integrator integrator;
    int order;
  } all[] = {{LB_INTEGRATOR_LINEAR_EULER, 1},
             {LB_INTEGRATOR_BDF1, 1},
             {LB_INTEGRATOR_BDF2, 2},
             {LB_INTEGRATOR_SDIRK2, 2}};
  lb_model* m = make(true);
  lb_data* exact = data_of(m);
  run(m, exact, LB_INTEGRATOR_RK8, 2e-4, 500);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    double off[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
      lb_data* d = data_of(m);
      run(m, d, all[k].integrator, 5e-4 / (1 << i), 200 << i);
      for (int j = 0; j < m->nq; j++) {
        off[i] = fmax(off[i], fabs(d->q[j] - exact->q[j]));
      }
      lb_data_release(d);
    }
    print_message("%s: off by %.2g and %.2g m\n", lb_integrator_name(all[k].integrator), off[0],
                  off[1]);
    assert_above(off[0] / off[1], 0.8 * (1 << all[k].order));
    assert_below(off[0] / off[1], 1.4 * (1 << all[k].order));
    assert_below(off[1], 0.02);
  }
  lb_data_release(exact);
  lb_model_release(m);
}

static void momentum_of_what_floats_is_kept(void** state) {
  (void)state;
  lb_model* m =
      compile("limber: 1\ngravity: [0, 0, 0]\n"
              "materials:\n"
              "  gel: {density: 500, young: 3e4, model: corotated, damping: {stiffness: 1 ms}}\n"
              "bodies:\n"
              "  a: {shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 0]}\n"
              "  b: {shape: {box: [0.1, 0.1, 0.1]}, position: [0.4, 0, 0]}\n"
              "initial:\n"
              "  a: {position: [0, 0, 0], velocity: [0, 1, 0.3], spin: [1, 2, 3]}\n"
              "ropes:\n"
              "  string: {through: [{body: a, at: [0, 0, 0.05]}, {body: b, at: [0, 0, 0.05]}],\n"
              "    mass: 0.1, stiffness: 50 N, segments: 6}\n"
              "deformables:\n"
              "  flesh:\n"
              "    form: {box: {to: [0.4, 0, 0], width: 0.06, height: 0.06},\n"
              "      elements: {along: 8, across: 1, around: 1}, material: gel}\n"
              "    attach: [a, b]\n");
  static const lb_integrator all[] = {LB_INTEGRATOR_RK4, LB_INTEGRATOR_SDIRK2};
  for (int i = 0; i < 2; i++) {
    lb_data* d = data_of(m);
    const lb_momenta before = lb_momentum(m, d);
    run(m, d, all[i], i ? 1e-3 : 2.5e-4, i ? 100 : 400);
    const lb_momenta after = lb_momentum(m, d);
    const double linear = lb_vec3_norm(lb_vec3_sub(after.linear, before.linear));
    const double angular = lb_vec3_norm(lb_vec3_sub(after.angular, before.angular));
    print_message("momenta off by %.2g and %.2g\n", linear / before.linear_sum,
                  angular / before.angular_sum);
    // turning bodies' velocities are along their own axes: sdirk2 keeps both to its order
    assert_below(linear, (i ? 1e-5 : 1e-9) * before.linear_sum);
    assert_below(angular, (i ? 1e-4 : 1e-8) * before.angular_sum);
    lb_data_release(d);
  }
  lb_model_release(m);
}

// A rope of n segments hangs from the world: segment k carries all below it.
static void a_hanging_rope_is_as_long_as_its_weight_says(void** state) {
  (void)state;
  lb_model* m = compile("limber: 1\nbodies: {b: {shape: {sphere: {radius: 0.1}}, mass: 2}}\n"
                        "joints: {slide: {type: prismatic, child: b, at: [0, 0, -1.1], axis: z}}\n"
                        "ropes:\n"
                        "  rope: {through: [{at: [0, 0, 0]}, {body: b, at: [0, 0, 0.1]}],\n"
                        "    segments: 8, mass: 1, stiffness: 500 N, damping: 0.1 s}\n");
  lb_data* d = data_of(m);
  run(m, d, LB_INTEGRATOR_BDF1, 0.05, 400);
  double z = 0;
  for (int k = 0; k < 8; k++) {
    const double below = 2 + 1.0 / 8 * (7 - k + 0.5); // half of the last node is the body's
    z -= 1.0 / 8 * (1 + below * 9.81 / 500);
    const double found = k < 7 ? d->q[m->particles.particle[k + 1].q + 2] : d->q[0] - 1;
    assert_near(found, z, 1e-9);
  }
  lb_data_release(d);
  lb_model_release(m);
}

// A weight on a rope that is a tenth too long falls freely until the rope is taut, and comes to
// hang on it.
static void a_slack_rope_holds_nothing_until_it_is_taut(void** state) {
  (void)state;
  lb_model* m =
      compile("limber: 1\nbodies: {b: {shape: {sphere: {radius: 0.05}}, mass: 2, drag: 5}}\n"
              "joints: {slide: {type: prismatic, child: b, at: [0, 0, -1], axis: z}}\n"
              "ropes:\n"
              "  rope: {through: [{at: [0, 0, 0]}, {body: b}], segments: 1, mass: 1 g,\n"
              "    stiffness: 500 N, damping: 10 ms, slack: 1.1}\n");
  lb_data* d = data_of(m);
  const double mass = 2 + 5e-4, rate = 5 / mass, end = 9.81 / rate, t = 0.12;
  run(m, d, LB_INTEGRATOR_SDIRK2, 1e-3, 120);
  // v' = -g - rate v
  assert_near(d->q[0], -end * t + end / rate * (1 - exp(-rate * t)), 1e-6);
  assert_above(d->q[0], -0.1);
  for (int i = 0; i < 20; i++) {
    run(m, d, LB_INTEGRATOR_SDIRK2, 1e-3, 500);
  }
  assert_near(d->q[0], -0.1 - 1.1 * mass * 9.81 / 500, 1e-9);
  lb_data_release(d);
  lb_model_release(m);
}

static void a_pulled_bar_of_deformable_stretches_as_ea_over_l_says(void** state) {
  (void)state;
  static const char held[] =
      "limber: 1\ngravity: [0, 0, 0]\n"
      "materials:\n"
      "  gel: {density: 500, young: 1e5, poisson: 0, model: corotated, damping: {mass: 20, "
      "stiffness: 0.02 s}}\n"
      "bodies:\n"
      "  a: {shape: {box: [0.02, 0.2, 0.2]}}\n"
      "  b: {shape: {box: [0.02, 0.2, 0.2]}, position: [0.5, 0, 0]}\n"
      "joints: {clamp: {type: fixed, child: a}}\n"
      "deformables:\n"
      "  flesh:\n"
      "    form: {box: {to: [0.5, 0, 0], width: 0.1, height: 0.1},\n"
      "      elements: {along: 5, across: 2, around: 2}, material: gel}\n"
      "    attach: [a, b]\n"
      "loads: {pull: {body: b, force: [12 N, 0, 0]}}\n";
  lb_model* m = compile(held);
  lb_data* d = data_of(m);
  run(m, d, LB_INTEGRATOR_BDF1, 0.05, 300);
  // EA = 1e5 * 0.01 N: strain 12/1000 over half a metre
  lb_poses(m, d);
  assert_near(d->pose[1].p.x - 0.5, 0.5 * 12 / 1000, 1e-9);
  assert_near(d->pose[1].p.y, 0, 1e-9);
  assert_near(d->pose[1].p.z, 0, 1e-9);
  lb_data_release(d);
  lb_model_release(m);
}

// Turned as a whole, a deformable has turned forces and the same energy.
static void deformable_does_not_mind_being_turned(void** state) {
  (void)state;
  lb_model* m = compile("limber: 1\ngravity: [0, 0, 0]\n"
                        "materials: {gel: {density: 500, young: 1e5, model: corotated}}\n"
                        "bodies: {b: {shape: {sphere: {radius: 0.05}}}}\n"
                        "deformables:\n"
                        "  flesh: {form: {box: {to: [0.5, 0, 0], width: 0.1, height: 0.1},\n"
                        "    elements: {along: 3, across: 1, around: 1}, material: gel}}\n");
  lb_data* d = data_of(m);
  assert_int_equal(m->particles.nfree, m->particles.nparticle);
  shake(m, d, 0.01, 0, 7);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  const double before = lb_potential_energy(m, d);
  const size_t n = 3 * (size_t)m->particles.nparticle;
  double* f = malloc(n * sizeof *f);
  memcpy(f, d->work->particles->f, n * sizeof *f);
  const lb_quat turn = lb_quat_exp(lb_vec3_make(1, -2, 0.5));
  for (int i = 0; i < m->particles.nparticle; i++) {
    double* x = d->q + m->particles.particle[i].q;
    const lb_vec3 y = lb_quat_rotate(turn, lb_vec3_make(x[0], x[1], x[2]));
    x[0] = y.x + 3;
    x[1] = y.y - 1;
    x[2] = y.z;
  }
  lb_forces_apply(m, d);
  assert_near(lb_potential_energy(m, d), before, 1e-12);
  for (int i = 0; i < m->particles.nparticle; i++) {
    const lb_vec3 g = lb_quat_rotate(turn, lb_vec3_make(f[3 * i], f[3 * i + 1], f[3 * i + 2]));
    const double* now = d->work->particles->f + 3 * i;
    assert_near(now[0], g.x, 1e-9);
    assert_near(now[1], g.y, 1e-9);
    assert_near(now[2], g.z, 1e-9);
  }
  free(f);
  lb_data_release(d);
  lb_model_release(m);
}

static void steps_allocate_nothing(void** state) {
  (void)state;
  lb_model* m = make(true);
  for (int i = 0; i < LB_INTEGRATOR_ADAPTIVE; i++) {
    lb_counting counting = {0};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    lb_data* d = NULL;
    lb_stepper* st = NULL;
    lb_scene_solver solver = m->solver;
    solver.integrator = (lb_integrator)i;
    assert_int_equal(lb_data_create(m, &allocator, &d, NULL), LB_OK);
    assert_int_equal(lb_stepper_create(m, &solver, &allocator, &st, NULL), LB_OK);
    const long before = counting.requests;
    for (int k = 0; k < 5; k++) {
      assert_int_equal(lb_stepper_step(st, d, 2e-4, NULL), LB_OK);
    }
    assert_int_equal(counting.requests, before);
    lb_stepper_release(st);
    lb_data_release(d);
    assert_int_equal(counting.live, 0);
  }
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_minus_the_gradient_of_the_energy),
      cmocka_unit_test(linearised_are_differences_of_forces),
      cmocka_unit_test(solving_with_the_matrix_undoes_multiplying_by_it),
      cmocka_unit_test(energy_is_kept_with_order_four_by_runge_kutta),
      cmocka_unit_test(every_stepper_converges_with_its_order),
      cmocka_unit_test(momentum_of_what_floats_is_kept),
      cmocka_unit_test(a_hanging_rope_is_as_long_as_its_weight_says),
      cmocka_unit_test(a_slack_rope_holds_nothing_until_it_is_taut),
      cmocka_unit_test(a_pulled_bar_of_deformable_stretches_as_ea_over_l_says),
      cmocka_unit_test(deformable_does_not_mind_being_turned),
      cmocka_unit_test(steps_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
