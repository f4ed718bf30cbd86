// Elastic bodies by steps of semi-implicit Euler: how long these may be, against the vibrations of
// whole models and against what motions do; weights, impacts, momentum and the order of the method
// against linearly implicit steps and others.
#include "contact_scene.h"
#include "counting.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "limber/dynamics.h"
#include "limber/model.h"
#include "math/linear/dense.h"
#include "model/use/elastic_steps.h"

static const double TURN = 6.28318530717958647692;

#define SOFT(damping)                                                                              \
  "materials: {m: {friction: 0.5}, gel: {density: 1000, young: 200 kPa, poisson: 0.3, model: "     \
  "corotated, friction: 0.5, damping: {" damping "}}}\n"
// A block of 20 x 20 x 10 cm, flat, free.
#define BLOCK                                                                                      \
  "{elastic: {box: {from: [-0.1, 0, 0], to: [0.1, 0, 0], width: 0.2, height: 0.1}, material: "     \
  "gel, elements: {along: 2, across: 1, around: 1}, order: 1}}"
#define FREE "j: {type: free, child: b, face: start, hold: average}"
#define FLOATING                                                                                   \
  "contacts: {}\ngravity: [0, 0, 0]\nsolver: {integrator: %s, step: %.17g s}\n" SOFT(              \
      "%s") "bodies: {b: " BLOCK "}\njoints: {" FREE "}\n"

static const double WEIGHT = 1000 * 0.2 * 0.2 * 0.1 * 9.81;

static lb_elastic_limit limit_of(lb_world* w) {
  lb_elastic_limit limit;
  assert_int_equal(lb_elastic_limit_find(lb_world_model(w), NULL, &limit, NULL), LB_OK);
  return limit;
}

static double energy_of(lb_world* w) {
  const lb_model* m = lb_world_model(w);
  lb_data* d = lb_world_data(w);
  return lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
}

// --- vibrations of a whole model ---

typedef struct vibration {
  int nv;
  double *M, *K, *C; // at the start
  double* v;         // fastest shape
  double omega;      // its angular frequency
} vibration;

// M, K and C of steps at the start, and the fastest shape of the first two.
static vibration vibration_of(lb_world* w) {
  const lb_model* m = lb_world_model(w);
  lb_data* d = lb_world_data(w);
  const size_t n = (size_t)m->nv;
  lb_derivatives* D;
  lb_arena scratch;
  lb_arena_init(&scratch, NULL);
  assert_int_equal(lb_derivatives_create(m, NULL, &D, NULL), LB_OK);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  lb_derive(D, d, d->q, d->qd, d->qdd, true);
  lb_forces_stiffen(D, d);
  vibration of = {.nv = m->nv,
                  .M = malloc(n * n * sizeof(double)),
                  .K = malloc(n * n * sizeof(double)),
                  .C = malloc(n * n * sizeof(double)),
                  .v = malloc(n * sizeof(double))};
  memcpy(of.M, D->M, n * n * sizeof(double));
  memcpy(of.K, D->tau_q, n * n * sizeof(double));
  memcpy(of.C, D->tau_qd, n * n * sizeof(double));
  double *A = LB_TAKE(&scratch, double, n*n), *B = LB_TAKE(&scratch, double, n*n);
  double* omega = LB_TAKE(&scratch, double, n);
  memcpy(A, of.K, n * n * sizeof *A);
  memcpy(B, of.M, n * n * sizeof *B);
  assert_int_equal(lb_eigen_generalised(&scratch, m->nv, A, m->nv, B, m->nv, omega), LB_OK);
  memcpy(of.v, A + (n - 1) * n, n * sizeof *A);
  of.omega = sqrt(omega[n - 1]);
  lb_arena_release(&scratch);
  lb_derivatives_release(D);
  return of;
}

static void forget(vibration* of) {
  free(of->M);
  free(of->K);
  free(of->C);
  free(of->v);
}

// The longest h for which 4 M - 2 h C - h^2 K is positive definite.
static double longest_of(const vibration* of) {
  const int n = of->nv;
  double* A = malloc((size_t)(n * n) * sizeof *A);
  double below = 0, above = 2 / of->omega;
  for (int i = 0; i < 50; i++) {
    const double h = 0.5 * (below + above);
    for (int k = 0; k < n * n; k++) {
      A[k] = 4 * of->M[k] - 2 * h * of->C[k] - h * h * of->K[k];
    }
    *(lb_cholesky(n, A, n) == LB_OK ? &below : &above) = h;
  }
  free(A);
  return below;
}

static void the_longest_step_of_a_body_in_flight_is_that_of_its_vibrations(void** state) {
  (void)state;
  static const char* const DAMPING[] = {"stiffness: 0 s", "stiffness: 0.3 ms", "stiffness: 20 ms",
                                        "mass: 50, stiffness: 1 ms"};
  for (int i = 0; i < 4; i++) {
    lb_world* w = contact_world(FLOATING, "bdf1", 1e-3, DAMPING[i]);
    const lb_elastic_limit limit = limit_of(w);
    vibration of = vibration_of(w);
    const double h = longest_of(&of);
    printf("%s: %.6g s, of the whole %.2g more; %.5g Hz\n", DAMPING[i], limit.step,
           h / limit.step - 1, limit.frequency);
    assert_near(limit.step / h, 1, 1e-9);
    assert_near(limit.frequency * TURN / of.omega, 1, 1e-9);
    forget(&of);
    lb_world_close(w);
  }
}

// h omega < 2 (sqrt(1 + zeta^2) - zeta), with zeta = beta omega/2 of damping by stiffness.
static void damping_shortens_steps_as_of_one_vibration(void** state) {
  (void)state;
  static const double BETA[] = {0, 1e-4, 1e-3, 2e-2};
  static const char* const DAMPING[] = {"stiffness: 0 s", "stiffness: 0.1 ms", "stiffness: 1 ms",
                                        "stiffness: 20 ms"};
  for (int i = 0; i < 4; i++) {
    lb_world* w = contact_world(FLOATING, "bdf1", 1e-3, DAMPING[i]);
    const lb_elastic_limit limit = limit_of(w);
    const double omega = TURN * limit.frequency, zeta = BETA[i] * omega / 2;
    assert_near(limit.step * omega / (2 * (hypot(1, zeta) - zeta)), 1, 1e-9);
    lb_world_close(w);
  }
}

// Two elastic bodies in a chain, the second between rigid ones; and the same apart.
static void what_bodies_hang_on_and_carry_takes_longer_steps(void** state) {
  (void)state;
  static const char chain[] =
      "contacts: {pairs: [{between: [all, all], collide: false}]}\nsolver: {integrator: bdf1, "
      "coordinates: %s}\n" SOFT(
          "stiffness: 0 s") "bodies:\n"
                            "  arm: {shape: {box: [0.2, 0.02, 0.02]}, mass: %g}\n"
                            "  a: {elastic: {box: {from: [0, 0, 0], to: [0.3, 0, 0], width: 0.04, "
                            "height: 0.04}, "
                            "material: gel, elements: {along: 3, across: 1, around: 1}, order: "
                            "1}}\n"
                            "  hand: {shape: {box: [0.1, 0.02, 0.02]}, mass: %g}\n"
                            "  b: " BLOCK "\n"
                            "  tip: {shape: {sphere: {radius: 0.02}}, mass: %g}\n"
                            "joints:\n"
                            "  hip: {type: spherical, child: arm}\n"
                            "  j: {type: fixed, parent: arm, child: a, face: start}\n"
                            "  wrist: {type: revolute, axis: y, parent: a, child: hand, face: "
                            "end}\n"
                            "  k: {type: fixed, parent: hand, child: b, face: start, at: [0.1, 0, "
                            "0]}\n"
                            "  l: {type: fixed, parent: b, child: tip, face: end}\n"
                            "initial: {wrist: {position: 40 deg}}\n";
  static const double MASS[] = {1e-4, 0.1, 10};
  for (int i = 0; i < 6; i++) {
    const double mass = MASS[i / 2];
    lb_world* w = contact_world(chain, i % 2 ? "maximal" : "reduced", mass, mass, mass);
    const lb_elastic_limit limit = limit_of(w);
    vibration of = vibration_of(w);
    const double h = longest_of(&of);
    printf("%g kg: %.6g s, of the whole %.3g times as much\n", mass, limit.step, h / limit.step);
    assert_at_most(limit.step, h * (1 + 1e-9));
    assert_above(limit.step, 0.5 * h); // it is of use
    forget(&of);
    lb_world_close(w);
  }
}

// --- motions by steps about as long ---

// Largest energy, over that at the start, of a block that vibrates in its fastest shape as it
// flies, by steps of `share` times the longest that it bears.
static double grown(const char* damping, double share) {
  lb_world* w = contact_world(FLOATING, "bdf1", 1e-3, damping);
  const lb_model* m = lb_world_model(w);
  lb_data* d = lb_world_data(w);
  const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_EULER};
  const double h = share * limit_of(w).step;
  vibration of = vibration_of(w);
  lb_stepper* st;
  for (int k = 0; k < m->nv; k++) {
    d->qd[k] = 1e-4 * of.v[k];
  }
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  const double first = energy_of(w);
  double most = first;
  for (int i = 0; i < 20000 && most < 1e6 * first; i++) {
    if (lb_stepper_step(st, d, h, NULL) != LB_OK) {
      most = INFINITY;
      break;
    }
    most = fmax(most, energy_of(w));
  }
  lb_stepper_release(st);
  forget(&of);
  lb_world_close(w);
  return most / first;
}

// Steps of h omega = 2 s of one vibration keep v^2 + y^2 - 2 s v y with y = omega q, so that energy
// is up to 1/(1 - s) times that of a start without stretch.
static void shorter_steps_are_stable_and_longer_ones_are_not(void** state) {
  (void)state;
  static const char* const DAMPING[] = {"stiffness: 0 s", "stiffness: 1 ms", "stiffness: 20 ms"};
  for (int i = 0; i < 3; i++) {
    const double below = grown(DAMPING[i], 0.99), above = grown(DAMPING[i], 1.01);
    printf("%s: energy up to %.4g times as much, and %.2g\n", DAMPING[i], below, above);
    assert_at_most(below, 1.01 / (1 - 0.99));
    assert_above(above, 1e6);
  }
}

static void expect(const char* message, const char* format, ...) {
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  lb_error err = lb_error_make(NULL);
  assert_null(lb_world_parse(text, "bad", &err));
  assert_true(err.count > 0);
  char got[600];
  lb_error_format(&err, 0, got, sizeof got);
  if (!strstr(got, message)) {
    fprintf(stderr, "%s\n", got);
  }
  assert_non_null(strstr(got, message));
  assert_int_equal(err.count, 1);
  lb_error_clear(&err);
}

static void scenes_with_longer_steps_are_refused(void** state) {
  (void)state;
  static const char* const DAMPING[] = {"stiffness: 0 s", "stiffness: 20 ms"};
  static const char* const MESSAGE[] = {
      "bad:3:9: integrator 'euler' cannot step elastic body 'b' by 0.00266273 s: its fastest shape "
      "vibrates at 119.5 Hz, for which steps may have 0.00266 s at most (take shorter steps, or "
      "linear-euler, bdf1, bdf2 or sdirk2)",
      "its fastest shape vibrates at 119.5 Hz, for which, with its damping, steps may have "
      "0.000176 s at most"};
  for (int i = 0; i < 2; i++) {
    lb_world* w = contact_world(FLOATING, "bdf1", 1e-3, DAMPING[i]);
    const double h = limit_of(w).step;
    lb_world_close(w);
    w = contact_world(FLOATING, "euler", h * (1 - 1e-6), DAMPING[i]);
    contact_run(w, 10 * h);
    assert_int_equal(lb_world_step(w, 1.001 * h), LB_INVALID); // and longer ones that are asked for
    lb_world_close(w);
    expect(MESSAGE[i], FLOATING, "euler", h * (1 + 1e-6), DAMPING[i]);
  }
}

static void limits_give_memory_back_when_it_runs_out(void** state) {
  (void)state;
  lb_world* w = contact_world(FLOATING, "bdf1", 1e-3, "stiffness: 1 ms");
  const double step = limit_of(w).step;
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    lb_counting count = {.refuse = refuse};
    const lb_allocator allocator = lb_counting_allocator(&count);
    lb_elastic_limit limit = {-2, 0, 0};
    lb_error err = lb_error_make(NULL);
    status = lb_elastic_limit_find(lb_world_model(w), &allocator, &limit, &err);
    assert_true(status == LB_OK || (status == LB_NO_MEMORY && limit.body == -2 && err.count == 1));
    assert_int_equal(count.live, 0);
    assert_near(status == LB_OK ? limit.step : step, step, 0);
    lb_error_clear(&err);
  }
  lb_world_close(w);
}

// --- contact ---

static lb_world* block_on_floor(const char* integrator, double h, double height) {
  return contact_world(FLOOR "solver: {integrator: %s, step: %.17g s}\n" SOFT(
                           "stiffness: 5 ms") "bodies: {b: " BLOCK "}\njoints: {" FREE "}\n"
                                              "initial: {j: {position: [0, 0, %g]}}\n",
                       integrator, h, height);
}

static void floors_carry_the_weight(void** state) {
  (void)state;
  lb_world* w = block_on_floor("euler", 4e-4, 0.06);
  contact_run(w, 3);
  lb_body_contact c[64];
  const int n = lb_world_contacts(w, c, 64);
  lb_vec3 sum = {0, 0, 0};
  for (int i = 0; i < n; i++) {
    sum = lb_vec3_sub(sum, c[i].force);
  }
  printf("weight: off by %.2g, %.2g aside\n", fabs(sum.z / WEIGHT - 1),
         hypot(sum.x, sum.y) / WEIGHT);
  assert_within(sum.z / WEIGHT, 1, 1e-6);
  assert_within(hypot(sum.x, sum.y) / WEIGHT, 0, 2e-6); // what solutions of contacts leave
  lb_world_close(w);
}

enum { SEEN = 80 };

// Coordinates at a time; how many.
static int end_of(lb_world* w, double time, double* q) {
  contact_run(w, time);
  const int n = lb_world_model(w)->nq;
  assert_at_most(n, SEEN);
  memcpy(q, lb_world_data(w)->q, (size_t)n * sizeof *q);
  lb_world_close(w);
  return n;
}

static double distance(int n, const double* a, const double* b) {
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return sqrt(sum);
}

// A block that touches the floor from the start sinks under its weight.
static void steps_on_the_floor_are_of_order_one(void** state) {
  (void)state;
  double exact[SEEN], other[SEEN], coarse[SEEN], fine[SEEN];
  const double time = 0.04;
  const int n = end_of(block_on_floor("bdf2", 1e-5, 0.05), time, exact);
  end_of(block_on_floor("linear-euler", 1e-5, 0.05), time, other);
  end_of(block_on_floor("euler", 4e-4, 0.05), time, coarse);
  end_of(block_on_floor("euler", 1e-4, 0.05), time, fine);
  const double far = distance(n, coarse, exact), near = distance(n, fine, exact);
  printf("sinks: %.3g m off, %.3g by a quarter of the step; linear-euler at 10 us %.3g\n", far,
         near, distance(n, other, exact));
  assert_below(near, far / 3);
  assert_above(near, far / 6);
  assert_below(far, 2e-5);
}

#define STRUCK                                                                                     \
  "bodies: {ball: {shape: {sphere: {radius: 0.05}}, material: gel, position: [-0.2, 0, 0]}, "      \
  "b: " BLOCK "}\njoints: {" FREE "}\ninitial: {ball: {velocity: [3, 0, 0]}}\n"

typedef struct impact {
  int met;                     // steps with contact
  double left, gained, moment; // energy and its largest gain in a step, momentum lost
} impact;

static impact strike(const char* integrator, double h) {
  lb_world* w = contact_world("contacts: {}\ngravity: [0, 0, 0]\nsolver: {integrator: %s, step: %g "
                              "s}\n" SOFT("stiffness: 5 ms") STRUCK,
                              integrator, h);
  const lb_model* m = lb_world_model(w);
  lb_data* d = lb_world_data(w);
  const lb_momenta before = lb_momentum(m, d);
  const double first = energy_of(w);
  double energy = first;
  impact of = {.met = 0};
  while (lb_world_time(w) < 0.3) {
    contact_run(w, lb_world_time(w) + h);
    const double now = energy_of(w);
    of.gained = fmax(of.gained, (now - energy) / first);
    of.met += lb_world_contacts(w, NULL, 0) > 0;
    energy = now;
  }
  const lb_momenta after = lb_momentum(m, d);
  of.left = energy / first;
  of.moment = lb_vec3_norm(lb_vec3_sub(after.linear, before.linear)) / before.linear_sum;
  lb_world_close(w);
  return of;
}

// A ball flies at a block that floats. Steps have an energy of their own, off by a part in
// proportion to them; momentum is lost in the turning of the block alone.
static void impacts_add_no_energy_and_keep_momentum(void** state) {
  (void)state;
  impact of[3];
  for (int i = 0; i < 3; i++) {
    const double h = i == 1 ? 1e-4 : 4e-4;
    of[i] = strike(i < 2 ? "euler" : "linear-euler", h);
    printf("%g s: %d steps of contact, %.4g of the energy left, %.2g more in a step; momentum off "
           "by %.2g\n",
           h, of[i].met, of[i].left, of[i].gained, of[i].moment);
    assert_true(of[i].met > 0);
    assert_below(of[i].left, 0.95);
    assert_at_most(of[i].gained, 1e-9);
  }
  assert_within(of[1].left / of[2].left, 1, 0.02);
  assert_below(of[1].moment, of[0].moment / 3);
  assert_below(of[0].moment, 3 * of[2].moment);
}

// Momentum after a flight of 0.2 s, off by so much of what it was.
static double drift(const char* integrator, double h) {
  lb_world* w = contact_world(
      FLOOR "solver: {integrator: %s, step: %g s}\n" SOFT(
          "stiffness: 1 ms") "bodies: {b: " BLOCK "}\njoints: {" FREE
                             "}\ninitial: {j: {position: [0, 0, 5], velocity: [1, 0, 2], spin: "
                             "[2, 3, -1]}}\n",
      integrator, h);
  const lb_model* m = lb_world_model(w);
  lb_data* d = lb_world_data(w);
  for (int k = 6; k < m->nv; k++) {
    d->qd[k] = 0.01 * (k % 3 - 1);
  }
  const lb_vec3 from = lb_momentum(m, d).linear;
  contact_run(w, 0.2);
  const lb_vec3 to = lb_vec3_add(from, lb_vec3_make(0, 0, -WEIGHT * lb_world_time(w)));
  const lb_vec3 off = lb_vec3_sub(lb_momentum(m, d).linear, to);
  lb_world_close(w);
  return lb_vec3_norm(off) / lb_vec3_norm(from);
}

// A block that turns and vibrates under gravity: momentum comes to what it should be with shorter
// steps, as by linearly implicit ones.
static void flights_keep_momentum_to_first_order(void** state) {
  (void)state;
  const double coarse = drift("euler", 4e-4), fine = drift("euler", 1e-4);
  const double other = drift("linear-euler", 4e-4);
  printf("momentum in flight: off by %.3g, by a quarter of the step %.3g; linear-euler %.3g\n",
         coarse, fine, other);
  assert_within(coarse / fine, 4, 0.2);
  assert_below(coarse, 1.1 * other);
}

// --- beside others ---

// Loops, servos, springs of joints, and no contacts at all: motions come to those of linearly
// implicit steps.
static void joints_and_loops_go_along_to_first_order(void** state) {
  (void)state;
  static const char arm[] =
      "%sduration: 1 s\nsolver: {integrator: %s, step: %g s, coordinates: %s}\n" SOFT(
          "stiffness: 0.3 ms") "bodies:\n"
                               "  arm: {shape: {box: [0.2, 0.02, 0.02]}, mass: 0.2}\n"
                               "  b: {elastic: {box: {from: [0, 0, 0], to: [0.3, 0, 0], width: "
                               "0.04, height: 0.04}, "
                               "material: gel, elements: {along: 3, across: 1, around: 1}, order: "
                               "1}}\n"
                               "  tip: {shape: {box: [0.04, 0.04, 0.04]}, mass: 0.05}\n"
                               "joints:\n"
                               "  hip: {type: revolute, child: arm, axis: y, at: [-0.1, 0, 0], "
                               "in_child: [-0.1, 0, 0]%s}\n"
                               "  j: {type: fixed, parent: arm, child: b, face: start, at: [0.1, "
                               "0, 0]}\n"
                               "  k: {type: fixed, parent: b, child: tip, face: end, in_child: "
                               "[-0.02, 0, 0]}\n%s";
  static const struct {
    const char *head, *coordinates, *hip, *more;
  } KIND[] = {
      {"", "reduced", "", "initial: {hip: {velocity: 1 rad/s}}\n"},
      {"", "maximal", ", spring: {stiffness: 2}, damping: 0.05",
       "initial: {hip: {velocity: 1 rad/s}}\n"},
      {"", "reduced", ", spring: {stiffness: 2}",
       "  l: {type: spherical, loop: true, child: tip, at: [0.44, 0, 0], in_child: [0.02, 0, "
       "0]}\n"},
      {"contacts: {}\nscenery: [{plane: z, position: [0, 0, -0.04], solid: true, material: m}]\n",
       "reduced", "",
       "  l: {type: spherical, loop: true, child: tip, at: [0.44, 0, 0], in_child: [0.02, 0, "
       "0]}\n"},
      {"contacts: {}\nscenery: [{plane: z, position: [0, 0, -1], solid: true, material: m}]\n",
       "reduced", "",
       "motors: {m: {joint: hip, drive: servo, stiffness: 5, damping: 0.1, limit: 1, keys: [[0 s, "
       "0], [1 s, 45 deg]]}}\n"},
  };
  for (size_t i = 0; i < sizeof KIND / sizeof *KIND; i++) {
    static const char* const BY[] = {"euler", "linear-euler"};
    double q[2][SEEN], off[2];
    for (int k = 0; k < 4; k++) {
      lb_world* w = contact_world(arm, KIND[i].head, BY[k % 2], k / 2 ? 5e-5 : 1e-4,
                                  KIND[i].coordinates, KIND[i].hip, KIND[i].more);
      const int n = end_of(w, 0.1, q[k % 2]);
      off[k / 2] = distance(n, q[0], q[1]);
    }
    printf("kind %d: %.3g apart, %.3g by half the step\n", (int)i, off[0], off[1]);
    assert_below(off[1], 0.6 * off[0]);
    assert_below(off[0], 2e-3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_longest_step_of_a_body_in_flight_is_that_of_its_vibrations),
      cmocka_unit_test(damping_shortens_steps_as_of_one_vibration),
      cmocka_unit_test(what_bodies_hang_on_and_carry_takes_longer_steps),
      cmocka_unit_test(shorter_steps_are_stable_and_longer_ones_are_not),
      cmocka_unit_test(scenes_with_longer_steps_are_refused),
      cmocka_unit_test(limits_give_memory_back_when_it_runs_out),
      cmocka_unit_test(floors_carry_the_weight),
      cmocka_unit_test(steps_on_the_floor_are_of_order_one),
      cmocka_unit_test(impacts_add_no_energy_and_keep_momentum),
      cmocka_unit_test(flights_keep_momentum_to_first_order),
      cmocka_unit_test(joints_and_loops_go_along_to_first_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
