// Muscles with mass between elastic tendons, whose stretches are coordinates: closed forms,
// Lagrange's equations, derivatives, energy, momentum, and the limits of stiff tendons and no mass.
#include "compile.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "model/use/model_path.h"
#include "residual.h"
#include "solve/step/stepper.h"

enum { MOST = 16 };

typedef struct world {
  lb_model* m;
  lb_data* d;
} world;

static world make(const char* text) {
  world w = {.m = compile(text)};
  assert_int_equal(lb_data_create(w.m, NULL, &w.d, NULL), LB_OK);
  return w;
}

static void drop(world* w) {
  lb_data_release(w->d);
  lb_model_release(w->m);
}

static void run(world* w, double until, double h) {
  lb_stepper* st;
  assert_int_equal(lb_stepper_create(w->m, NULL, NULL, &st, NULL), LB_OK);
  const int n = (int)lround(until / h);
  for (int i = 0; i < n; i++) {
    assert_int_equal(lb_stepper_step(st, w->d, h, NULL), LB_OK);
  }
  lb_stepper_release(st);
}

static const lb_path_tendon* tendon(const world* w, int i) {
  return &w->m->muscle.item[0].path->tendon[i];
}

// Energy of tendons: their force integrated from where they are slack.
static double tendon_energy(const world* w) {
  static const double XI[] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                              0.9305681557970263},
                      W[] = {0.17392742256872692, 0.32607257743127307, 0.32607257743127307,
                             0.17392742256872692};
  enum { PARTS = 400 };
  const lb_model_muscle* mu = &w->m->muscle.item[0];
  double sum = 0;
  for (int i = 0; i < mu->path->ntendon; i++) {
    const double u = w->d->q[tendon(w, i)->q];
    for (int k = 0; k < 4 * PARTS && u > 0; k++) {
      const double at = (k / 4 + XI[k % 4]) / PARTS;
      sum += W[k % 4] * u / PARTS * lb_hill_tendon_at(mu->series, tendon(w, i)->slack, at * u).y;
    }
  }
  return sum;
}

// --- closed forms ---

// Between two fixed points; tendons are on the straight part of their curve.
#define FIXED                                                                                      \
  "gravity: [0, 0, 0]\nsolver: {integrator: rk8, step: 1e-5}\n"                                    \
  "muscles:\n  m:\n    through: [{at: [0, 0, 0]}, {body: box, at: [0.5, 0, 0]}]\n"                 \
  "    mass: {amount: 0.3, belly: [%g, %g], tendon: elastic}\n"                                    \
  "    hill: {model: millard, force: 500, fiber: 0.13, slack: 0.2, damping: 0.2}\n"                \
  "initial: {m: {activation: 0.9}}\nbodies: {box: {shape: {sphere: {radius: 0.1}}}}\n"             \
  "joints: {weld: {type: fixed, child: box}}\n"

static world make_fixed(double from, double to) {
  char text[1000];
  snprintf(text, sizeof text, FIXED, from, to);
  world w = make(text);
  lb_forward(w.m, w.d);
  return w;
}

// T of a belly whose ends move by u' and -u'': m/6 (u'^2 - u' u'' + u''^2).
static void a_belly_has_the_mass_of_a_rod_that_stretches(void** state) {
  (void)state;
  world w = make_fixed(0.2, 0.8);
  double M[4];
  assert_int_equal(w.m->nv, 2);
  lb_crba(w.m, w.d, M, w.d->q);
  assert_near(M[0], 0.3 / 3, 1e-15);
  assert_near(M[1], -0.3 / 6, 1e-15);
  assert_near(M[3], 0.3 / 3, 1e-15);
  drop(&w);
}

// The belly slides as a whole, w^2 = 2 k/m, with the fibre at its length.
static void a_belly_slides_at_its_frequency(void** state) {
  (void)state;
  world w = make_fixed(0.2, 0.8);
  const double k = 500 * 1.375 / 0.049 / 0.1, omega = sqrt(2 * k / 0.3), by = 1e-4;
  const double rest = w.d->q[0], rested[2] = {w.d->qdd[0], w.d->qdd[1]};
  assert_near(rested[0], 0, 1e-6);
  assert_near(rested[1], 0, 1e-6);
  w.d->q[0] += by;
  w.d->q[1] -= by;
  // activation stays
  const double excitation[] = {w.d->x[0]};
  w.d->work->muscles->given = excitation;
  double worst = 0;
  for (int i = 1; i <= 10; i++) {
    run(&w, 1e-3, 1e-5);
    worst = fmax(worst, fabs(w.d->q[0] - rest - by * cos(omega * 1e-3 * i)) / by);
  }
  print_message("slides at %.6g /s: off by %.3g of the amplitude\n", omega, worst);
  assert_below(worst, 1e-9);
  drop(&w);
}

// With one tendon the belly is a third of its mass on tendon and fibre: w^2 = 3 (k + k_f)/m.
static void a_belly_on_one_tendon_swings_as_a_third(void** state) {
  (void)state;
  world w = make_fixed(0, 0.6);
  const lb_model_muscle* mu = &w.m->muscle.item[0];
  const double L = 0.5 - w.d->q[0], e = 1e-6, a = w.d->x[0];
  const double fiber = (lb_hill_force_at(mu->hill, a, 0, L + e, 0).force -
                        lb_hill_force_at(mu->hill, a, 0, L - e, 0).force) /
                       (2 * e);
  const double k = 500 * 1.375 / 0.049 / 0.2;
  assert_int_equal(w.m->nv, 1);
  double qdd[2];
  for (int i = 0; i < 2; i++) {
    w.d->q[0] += i == 0 ? e : -2 * e;
    lb_forward(w.m, w.d);
    qdd[i] = w.d->qdd[0];
  }
  const double square = (qdd[1] - qdd[0]) / (2 * e);
  print_message("square of the frequency %.8g, 3 (k + k_f)/m %.8g\n", square,
                3 * (k + fiber) / 0.3);
  assert_near(square / (3 * (k + fiber) / 0.3), 1, 1e-6);
  drop(&w);
}

// --- an arm ---

#define ARM                                                                                        \
  "gravity: [0, 0, %g]\n"                                                                          \
  "solver: {integrator: %s, step: %g%s}\n"                                                         \
  "bodies:\n"                                                                                      \
  "  upper: {mass: 0.5, center: [0, 0, -0.15], inertia: [0.005, 0.005, 0.0006]}\n"                 \
  "  fore: {mass: 0.4, center: [0, 0, -0.15], inertia: [0.004, 0.004, 0.0004]}\n"                  \
  "  hand: {mass: 0.2, center: [0, 0, -0.05], inertia: [0.001, 0.001, 0.0005]}\n"                  \
  "joints:\n"                                                                                      \
  "  shoulder: {type: %s, child: upper, at: [0, 0, 1]}\n"                                          \
  "  elbow: {type: revolute, parent: upper, child: fore, at: [0, 0, -0.3], axis: -y}\n"            \
  "  wrist: {type: revolute, parent: fore, child: hand, at: [0, 0, -0.25], axis: [0.2, 1, 0]}\n"   \
  "initial: {elbow: {position: 1.2}}\n"                                                            \
  "wraps:\n  round: {body: upper, position: [0, 0, -0.3], cylinder: {radius: 3 cm}, side: -x, "    \
  "rotation: [90 deg, 10 deg, 0]}\n"                                                               \
  "muscles:\n  triceps:\n"                                                                         \
  "    through: [{body: upper, at: [-0.06, 0.01, -0.05]}, %s]\n"                                   \
  "    mass: {%s}\n    hill: {%s}\n    excitation: {keys: [[0, %g]]}\n"

#define HILL "model: millard, force: 100, fiber: 0.15, slack: 0.3, pennation: 10 deg"
#define VIA                                                                                        \
  "{body: upper, at: [-0.05, 0, -0.28]}, {body: fore, at: [-0.05, 0, -0.05]}, {body: hand, at: "   \
  "[-0.03, 0, -0.05]}"
#define WRAPPED "{wrap: round}, {body: fore, at: [-0.05, 0.005, -0.2]}"
#define MOVING                                                                                     \
  "{wrap: round}, {body: fore, follows: {joint: wrist, x: {spline: [[-1.5, -6 cm], [0, -5 cm], "   \
  "[1, -5.5 cm], [2, -5 cm]]}, z: {polynomial: [0.01, 0.02, -0.1]}}}, {body: hand, at: [-0.03, "   \
  "0, -0.05]}"

static const struct test_case {
  const char *name, *path, *mass;
} CASES[] = {
    {"straight", "{body: fore, at: [-0.05, 0, -0.25]}", "belly: [0.3, 0.7]"},
    {"via points", VIA, "belly: [0.1, 0.55]"},
    {"one tendon, before", VIA, "belly: [0.3, 1]"},
    {"one tendon, behind", VIA, "belly: [0, 0.5]"},
    {"cylinder", WRAPPED, "belly: [0.2, 0.7]"},
    {"moving", MOVING, "belly: [0.2, 0.7]"},
    {"sticks out", VIA, "belly: [0.001, 0.995]"},
    {"points", WRAPPED, "belly: [0.2, 0.7], points: 7"},
};
enum { NCASE = sizeof CASES / sizeof *CASES };

typedef struct setting {
  double gravity;
  const char* by;
  double h;
  const char *solver, *shoulder, *hill;
  double mass, excitation;
} setting;
static const setting USUAL = {-9.81, "rk4", 1e-3, "", "revolute, axis: y", HILL, 0.6, 0.2};

static setting hung_on(const char* shoulder) {
  setting s = USUAL;
  s.shoulder = shoulder;
  return s;
}

static world make_arm(const struct test_case* c, setting s) {
  char text[4096], mass[200];
  snprintf(mass, sizeof mass, "amount: %g, tendon: elastic, %s", s.mass, c->mass);
  snprintf(text, sizeof text, ARM, s.gravity, s.by, s.h, s.solver, s.shoulder, c->path, mass,
           s.hill, s.excitation);
  world w = make(text);
  lb_forward(w.m, w.d);
  return w;
}

static bool is_tendon(const lb_model* m, int v) {
  return m->joint.kind[m->link.joint[m->nlink - 1]] == LB_LINK_TENDON &&
         v >= m->link.v[m->nlink - 1] - (m->muscle.item[0].path->ntendon - 1);
}

// Stretches of up to a centimetre, either way: bellies that stick out are among them.
static void random_motion(const world* w, lb_random* r, double* q, double* qd) {
  double e[MOST];
  memcpy(q, w->d->q, (size_t)w->m->nq * sizeof *q);
  for (int k = 0; k < w->m->nv; k++) {
    const double size = is_tendon(w->m, k) ? 0.01 : 0.2;
    e[k] = lb_random_between(r, -size, size);
    qd[k] = lb_random_between(r, -2, 2);
  }
  lb_advance(w->m, q, e, 1);
}

static void mass_matrix_at(void* context, double* out, const double* q, const double* v) {
  lb_data* d = context;
  (void)v;
  lb_crba(d->model, d, out, q);
}

static void inverse_dynamics_follows_from_the_mass_matrix(void** state) {
  (void)state;
  double q[MOST], v[MOST], M[MOST * MOST], dM[MOST * MOST * MOST], tau[MOST],
      zero[MOST] = {0}, weight[MOST], column[MOST];
  for (int i = 0; i < NCASE; i++) {
    world w = make_arm(&CASES[i], hung_on("revolute, axis: [0.3, 1, 0]"));
    const int N = w.m->nv;
    lb_random r = {(uint64_t)i + 5};
    assert_int_equal(N, 3 + w.m->muscle.item[0].path->ntendon);
    for (int n = 0; n < 5; n++) {
      random_motion(&w, &r, q, v);
      difference(w.m, mass_matrix_at, w.d, N * N, q, v, true, 1e-4, dM);
      lb_rnea(w.m, w.d, tau, q, v, zero);
      lb_rnea(w.m, w.d, weight, q, zero, zero);
      lb_crba(w.m, w.d, M, q);
      for (int k = 0; k < N; k++) {
        double unit[MOST] = {0}, bias = 0;
        unit[k] = 1;
        lb_rnea(w.m, w.d, column, q, zero, unit);
        for (int a = 0; a < N; a++) {
          assert_near(column[a] - weight[a], M[a * N + k], 1e-13);
          for (int b = 0; b < N; b++) { // (dM_ka/dq_b - dM_ab/dq_k / 2) v_a v_b
            bias += (dM[(k * N + a) * N + b] - 0.5 * dM[(a * N + b) * N + k]) * v[a] * v[b];
          }
        }
        if (fabs(tau[k] - weight[k] - bias) > 1e-8) {
          fail_msg("%s: bias %d is %.12g, by Lagrange %.12g", CASES[i].name, k, tau[k] - weight[k],
                   bias);
        }
      }
    }
    drop(&w);
  }
}

static void potential_at(void* context, double* out, const double* q, const double* v) {
  lb_data* d = context;
  memcpy(d->q, q, (size_t)d->model->nq * sizeof *q);
  memcpy(d->qd, v, (size_t)d->model->nv * sizeof *v);
  out[0] = lb_potential_energy(d->model, d);
}

static void energies_are_those_of_the_matrices(void** state) {
  (void)state;
  for (int i = 0; i < NCASE; i++) {
    world w = make_arm(&CASES[i], hung_on("spherical"));
    const int n = w.m->nv;
    double q[MOST], v[MOST], M[MOST * MOST], slope[MOST], tau[MOST], zero[MOST] = {0}, sum = 0;
    lb_random r = {(uint64_t)i + 5};
    random_motion(&w, &r, q, v);
    lb_crba(w.m, w.d, M, q);
    for (int a = 0; a < n * n; a++) {
      sum += 0.5 * v[a / n] * M[a] * v[a % n];
    }
    memcpy(w.d->q, q, (size_t)w.m->nq * sizeof *q);
    memcpy(w.d->qd, v, (size_t)n * sizeof *v);
    assert_near(lb_kinetic_energy(w.m, w.d), sum, 1e-12);
    difference(w.m, potential_at, w.d, 1, q, v, true, 1e-4, slope);
    lb_rnea(w.m, w.d, tau, q, zero, zero);
    for (int k = 0; k < n; k++) {
      assert_near(tau[k], slope[k], 1e-9);
    }
    drop(&w);
  }
}

typedef struct gaps {
  double by_q, by_qd, mass;
} gaps;

static gaps compare(const world* w, const double* q, const double* v, double h) {
  static double reference[MOST * MOST], M[MOST * MOST], scratch[MOST];
  const int n = w->m->nv * w->m->nv;
  lb_derivatives* D;
  gaps g;
  assert_int_equal(lb_derivatives_create(w->m, NULL, &D, NULL), LB_OK);
  residual(w->d, scratch, q, v);
  lb_derive_forced(D, w->d);
  lb_crba(w->m, w->d, M, q);
  difference(w->m, residual, w->d, w->m->nv, q, v, true, h, reference);
  g.by_q = distance(n, reference, D->tau_q);
  difference(w->m, residual, w->d, w->m->nv, q, v, false, 1e-4, reference);
  g.by_qd = distance(n, reference, D->tau_qd);
  g.mass = distance(n, M, D->M);
  lb_derivatives_release(D);
  return g;
}

// Of inertia alone, and of all with tendons on the straight part of their curve: elsewhere its
// third derivative is larger than differences stand.
static void derivatives_match_differences(void** state) {
  (void)state;
  static const char* const shoulder[] = {"revolute, axis: y", "spherical", "free"};
  for (int i = 0; i < 6 * NCASE; i++) {
    const struct test_case* c = &CASES[i / 6];
    const bool pulls = i % 2;
    world w = make_arm(c, hung_on(shoulder[i / 2 % 3]));
    double q[MOST], v[MOST];
    lb_random r = {17};
    w.d->work->muscles->idle = !pulls;
    for (int k = 0; k < 3; k++) {
      random_motion(&w, &r, q, v);
      w.d->x[0] = 0.2;
      for (int j = 0; j < w.m->muscle.item[0].path->ntendon && pulls; j++) {
        q[tendon(&w, j)->q] = tendon(&w, j)->slack * lb_random_between(&r, 0.06, 0.09);
        v[tendon(&w, j)->v] *= 0.1;
      }
      for (int j = 0; j < w.m->nv; j++) {
        w.d->qdd[j] = lb_random_between(&r, -5, 5);
      }
      const gaps g = compare(&w, q, v, pulls ? 1e-5 : 5e-5);
      if (!(g.by_q < 1e-8) || !(g.by_qd < 1e-8) || !(g.mass < 1e-13)) {
        fail_msg("%s, %s, %d: derivatives differ by %g, %g, mass by %g", c->name,
                 shoulder[i / 2 % 3], pulls, g.by_q, g.by_qd, g.mass);
      }
    }
    drop(&w);
  }
}

// --- motion ---

static double energy(const world* w) {
  return lb_kinetic_energy(w->m, w->d) + lb_potential_energy(w->m, w->d) + tendon_energy(w);
}

// Energy of a fibre that is so long that it is passive, on a path without tendons.
static double fiber_energy(const world* w) {
  enum { PARTS = 2000 };
  const lb_model_muscle* mu = &w->m->muscle.item[0];
  const double L = w->d->work->muscles->now[0].length - lb_path_stretch(mu->path, w->d->q);
  const double from = mu->hill->slack, part = (L - from) / PARTS;
  double sum = 0;
  for (int k = 0; k < PARTS; k++) {
    for (int g = 0; g < 2; g++) {
      const double at = from + part * (k + (g ? 0.7886751345948129 : 0.21132486540518712));
      sum += part / 2 * lb_hill_force_at(mu->hill, 0, 0, at, 0).force;
    }
  }
  return sum;
}

// Passive fibres, and bellies whose ends stay clear of points.
#define PASSIVE "model: millard, pennation: 10 deg, damping: 0, shape: {passive_strain: 2}, "
static const struct {
  struct test_case at;
  const char* hill;
} KEEPS[] = {
    {{"straight", "{body: fore, at: [-0.05, 0, -0.05]}", "belly: [0.3, 0.7]"},
     PASSIVE "force: 100, fiber: 5 cm, slack: 0.13"},
    {{"via points", VIA, "belly: [0.15, 0.8]"}, PASSIVE "force: 100, fiber: 9 cm, slack: 0.3"},
    {{"one tendon, before", VIA, "belly: [0.15, 1]"},
     PASSIVE "force: 100, fiber: 9 cm, slack: 0.3"},
    {{"one tendon, behind", VIA, "belly: [0, 0.8]"}, PASSIVE "force: 100, fiber: 9 cm, slack: 0.3"},
    {{"cylinder", WRAPPED, "belly: [0.2, 0.7]"}, PASSIVE "force: 100, fiber: 9 cm, slack: 0.25"},
};

static double energy_error(int i, const char* by, double h) {
  setting s = USUAL;
  s.by = by;
  s.h = h;
  s.hill = KEEPS[i].hill;
  s.excitation = 0;
  world w = make_arm(&KEEPS[i].at, s);
  const double fiber = w.m->muscle.item[0].hill->fiber;
  assert_above(w.d->x[1] / fiber, 1.85); // beyond all active force
  const double before = energy(&w) + fiber_energy(&w);
  run(&w, 0.1, h);
  lb_forward(w.m, w.d);
  const double error = fabs(energy(&w) + fiber_energy(&w) - before);
  assert_above(w.d->x[1] / fiber, 1.85);
  drop(&w);
  return error;
}

static void passive_muscles_keep_energy(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof KEEPS / sizeof *KEEPS; i++) {
    const double coarse = energy_error((int)i, "rk4", 2e-4),
                 fine = energy_error((int)i, "rk4", 5e-5),
                 finest = energy_error((int)i, "rk8", 2.5e-5);
    const double order = log2(coarse / fine) / 2;
    print_message("%s: energy off by %.3g, %.3g, order %.3g; rk8 %.3g\n", KEEPS[i].at.name, coarse,
                  fine, order, finest);
    assert_above(order, 3.5);
    assert_below(finest, 1e-9);
  }
}

// What the fibre does is what all else gains, tendons included: E(t) - E(0) = -int F (L - u)' dt.
static void fibres_do_all_the_work(void** state) {
  (void)state;
  setting s = USUAL;
  s.by = "rk8";
  s.h = 5e-5;
  s.excitation = 0.6;
  for (int i = 1; i < 5; i++) {
    world w = make_arm(&CASES[i], s);
    const lb_model_muscle* mu = &w.m->muscle.item[0];
    lb_stepper* st;
    assert_int_equal(lb_stepper_create(w.m, NULL, NULL, &st, NULL), LB_OK);
    w.d->x[0] = 0.05;
    lb_forward(w.m, w.d);
    const double before = energy(&w);
    double work = 0;
    enum { STEPS = 400 };
    for (int n = 0; n <= STEPS; n++) { // by Simpson's rule
      const lb_muscle_now* now = &w.d->work->muscles->now[0];
      const double rate = now->rate - lb_path_stretch_rate(mu->path, w.d->qd);
      const int weight = n == 0 || n == STEPS ? 1 : n % 2 ? 4 : 2;
      work -= weight * s.h / 3 * now->tension.force * rate;
      if (n < STEPS) {
        assert_int_equal(lb_stepper_step(st, w.d, s.h, NULL), LB_OK);
        lb_forward(w.m, w.d);
      }
    }
    const double off = energy(&w) - before - work;
    print_message("%s: work %.6g J, off by %.3g\n", CASES[i].name, work, off);
    assert_above(fabs(work), 0.1);
    assert_below(fabs(off), 1e-7);
    lb_stepper_release(st);
    drop(&w);
  }
}

static void a_free_skeleton_keeps_its_momentum(void** state) {
  (void)state;
  setting s = hung_on("free");
  s.gravity = 0;
  s.by = "rk8";
  s.h = 1e-4;
  s.excitation = 0.3;
  for (size_t i = 0; i < sizeof KEEPS / sizeof *KEEPS; i++) {
    s.hill = KEEPS[i].hill;
    world w = make_arm(&KEEPS[i].at, s);
    for (int k = 0; k < w.m->nv; k++) {
      w.d->qd[k] = is_tendon(w.m, k) ? 0 : 0.3 * cos(k);
    }
    const lb_momenta before = lb_momentum(w.m, w.d);
    run(&w, 0.05, s.h);
    const lb_momenta after = lb_momentum(w.m, w.d);
    const double linear = lb_vec3_norm(lb_vec3_sub(after.linear, before.linear));
    const double angular = lb_vec3_norm(lb_vec3_sub(after.angular, before.angular));
    print_message("%s: momenta change by %.3g, %.3g\n", KEEPS[i].at.name, linear, angular);
    assert_below(linear, 1e-11);
    assert_below(angular, 1e-11);
    drop(&w);
  }
}

// Places of bodies after a run.
static double apart(const world* a, const world* b) {
  double most = 0;
  lb_poses(a->m, a->d);
  lb_poses(b->m, b->d);
  for (int k = 0; k < a->m->nbody; k++) {
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(a->d->pose[k].p, b->d->pose[k].p)));
  }
  return most;
}

static void reduced_and_maximal_coordinates_agree(void** state) {
  (void)state;
  setting s = USUAL, maximal = USUAL;
  s.h = maximal.h = 1e-4;
  maximal.solver = ", coordinates: maximal";
  for (int i = 0; i < NCASE; i++) {
    if (strstr(CASES[i].path, "follows")) {
      continue; // joints have no coordinates there
    }
    world a = make_arm(&CASES[i], s), b = make_arm(&CASES[i], maximal);
    run(&a, 0.02, s.h);
    run(&b, 0.02, s.h);
    double gap = apart(&a, &b);
    for (int j = 0; j < a.m->muscle.item[0].path->ntendon; j++) {
      gap = fmax(gap, fabs(a.d->q[tendon(&a, j)->q] - b.d->q[tendon(&b, j)->q]));
    }
    assert_below(gap, 1e-8);
    drop(&a);
    drop(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_belly_has_the_mass_of_a_rod_that_stretches),
      cmocka_unit_test(a_belly_slides_at_its_frequency),
      cmocka_unit_test(a_belly_on_one_tendon_swings_as_a_third),
      cmocka_unit_test(inverse_dynamics_follows_from_the_mass_matrix),
      cmocka_unit_test(energies_are_those_of_the_matrices),
      cmocka_unit_test(derivatives_match_differences),
      cmocka_unit_test(passive_muscles_keep_energy),
      cmocka_unit_test(fibres_do_all_the_work),
      cmocka_unit_test(a_free_skeleton_keeps_its_momentum),
      cmocka_unit_test(reduced_and_maximal_coordinates_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
