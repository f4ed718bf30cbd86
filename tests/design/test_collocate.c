// Collocation: closed forms, orders, and derivatives against differences.
#include "collocating.h"
#include "collocating_checks.h"

#define SLIDER                                                                                     \
  "limber: 1\ngravity: [0, 0, 0]\nduration: 1 s\n"                                                 \
  "bodies: {cart: {shape: {box: [1, 1, 1]}, mass: 1 kg}}\n"                                        \
  "joints: {rail: {type: prismatic, child: cart, axis: x}}\n"                                      \
  "motors: {push: {joint: rail, drive: force, keys: [[0 s, 0 N]]}}\n"

#define TO_ONE                                                                                     \
  "  must: {there: {joint: rail, position: 1 m}, still: {joint: rail, velocity: 0 m/s}}\n"

// Least effort from rest to rest: x = 3 t^2 - 2 t^3, u = 6 - 12 t, and 12 in all.
static void least_effort_of_a_double_integrator_is_a_cubic(void** state) {
  (void)state;
  collocated x =
      solve_collocation(SLIDER "collocate:\n  intervals: 8\n  tolerance: 1e-10\n" TO_ONE, NULL);
  for (int i = 0; i < x.c->nnode; i++) {
    const double t = x.c->time[i];
    assert_near(x.c->q[i], 3 * t * t - 2 * t * t * t, 1e-9);
    assert_near(x.c->u[i], 6 - 12 * t, 1e-7);
  }
  assert_near(x.c->effort, 12, 1e-8);
  forget_collocation(&x);
}

// Least time with a force of at most 1: 2 s, half of it forward and half backward.
static void least_time_is_bang_bang(void** state) {
  (void)state;
  collocated x = solve_collocation(
      SLIDER "collocate:\n  intervals: 20\n  scheme: trapezoid\n  time: [0.5 s, 5 s]\n"
             "  time_weight: 1\n  effort: {motors: 0}\n  tolerance: 1e-9\n"
             "  controls: {push: {at_least: -1 N, at_most: 1 N}}\n" TO_ONE,
      NULL);
  // a trapezoid crosses from +1 to -1 within an interval, which costs of second order
  assert_near(x.c->duration, 2, 0.01);
  assert_near(x.c->u[0], 1, 1e-4);
  assert_near(x.c->u[x.c->nnode - 1], -1, 1e-4);
  forget_collocation(&x);
}

// x' = v, v' = u with x^2 + u^2 integrated, long enough to be stationary: the Riccati equation has
// P = [sqrt(2) 1; 1 sqrt(2)], cost x0'P x0 = sqrt(2).
static void a_linear_quadratic_problem_has_its_riccati_cost(void** state) {
  (void)state;
  collocated x =
      solve_collocation("limber: 1\ngravity: [0, 0, 0]\nduration: 12 s\n"
                        "bodies: {cart: {shape: {box: [1, 1, 1]}, mass: 1 kg}}\n"
                        "joints: {rail: {type: prismatic, child: cart, axis: x}}\n"
                        "motors: {push: {joint: rail, drive: force, keys: [[0 s, 0 N]]}}\n"
                        "initial: {rail: {position: 1 m}}\n"
                        "collocate:\n  intervals: 120\n  tolerance: 1e-9\n"
                        "  goals: {home: {joint: rail, position: 0 m, time: [0 s, 12 s]}}\n",
                        NULL);
  assert_near(x.c->objective, sqrt(2.), 1e-6);
  assert_near(x.c->u[0], -1, 1e-3); // u = -x - sqrt(2) v, at nodes of second order, h = 0.1
  forget_collocation(&x);
}

#define PENDULUM                                                                                   \
  "limber: 1\nduration: 1 s\n"                                                                     \
  "bodies: {rod: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -1]}}, mass: 1 "     \
  "kg}}\n"                                                                                         \
  "joints: {pin: {type: revolute, child: rod, axis: y}}\n"                                         \
  "motors: {turn: {joint: pin, drive: force, keys: [[0 s, 0 N m]]}}\n"

// Costs of two meshes differ by the order of the scheme.
static double cost_of(const char* scheme, int intervals) {
  char text[1000];
  snprintf(text, sizeof text,
           PENDULUM "collocate:\n  scheme: %s\n  intervals: %d\n  tolerance: 1e-11\n"
                    "  must: {up: {joint: pin, position: 2 rad}, still: {joint: pin, velocity: 0 "
                    "rad/s}}\n",
           scheme, intervals);
  collocated x = solve_collocation(text, NULL);
  const double cost = x.c->objective;
  forget_collocation(&x);
  return cost;
}

static void schemes_have_their_orders(void** state) {
  (void)state;
  const double exact = cost_of("hermite-simpson", 160);
  const double two = log2((cost_of("trapezoid", 20) - exact) / (cost_of("trapezoid", 40) - exact));
  const double four =
      log2((cost_of("hermite-simpson", 8) - exact) / (cost_of("hermite-simpson", 16) - exact));
  print_message("orders %.3f and %.3f\n", two, four);
  assert_near(two, 2, 0.1);
  assert_near(four, 4, 0.3);
}

// --- derivatives ---

#define ARM                                                                                        \
  "limber: 1\nduration: 0.5 s\n"                                                                   \
  "bodies:\n"                                                                                      \
  "  upper: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 2 kg}\n"   \
  "  fore: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 1 cm, -0.25]}}, mass: 1.5 "   \
  "kg}\n"                                                                                          \
  "joints:\n"                                                                                      \
  "  shoulder: {type: universal, child: upper, axis: y, second_axis: x}\n"                         \
  "  elbow: {type: revolute, parent: upper, child: fore, axis: y, at: [0, 0, -30 cm]}\n"           \
  "muscles:\n"                                                                                     \
  "  biceps:\n"                                                                                    \
  "    through: [{body: upper, at: [3 cm, 0, 0]}, {body: fore, at: [2 cm, 0, -5 cm]}]\n"           \
  "    hill: {model: millard, force: 700 N, fiber: 13 cm, slack: 21 cm, pennation: 5 deg}\n"       \
  "  triceps:\n"                                                                                   \
  "    through: [{body: upper, at: [-3 cm, 0, 0]}, {body: fore, at: [-2 cm, 0, 1 cm]}]\n"          \
  "    hill: {model: millard, force: 900 N, fiber: 10 cm, slack: 19 cm, elastic: false}\n"         \
  "  plain:\n"                                                                                     \
  "    through: [{body: world, at: [5 cm, 5 cm, 10 cm]}, {body: upper, at: [2 cm, 1 cm, -10 "      \
  "cm]}]\n"                                                                                        \
  "    tension: 100 N\n"                                                                           \
  "motors: {twist: {joint: elbow, drive: force, keys: [[0 s, 0 N m]]}}\n"                          \
  "initial: {elbow: {position: -40 deg}, shoulder: {position: [10 deg, 5 deg]}}\n"

static void derivatives_of_muscles_and_points_agree_with_differences(void** state) {
  (void)state;
  check_derivatives(
      ARM "collocate:\n  intervals: 3\n  time: [0.2 s, 1 s]\n  time_weight: 0.3\n  reserves: 100\n"
          "  must: {hand: {point: fore, at: [0, 0, -25 cm], position: [20 cm, 0, -30 cm]}}\n"
          "  goals:\n"
          "    slow: {point: fore, at: [0, 1 cm, -25 cm], velocity: [0, 1 m/s, 0], time: [0 s, 0.4 "
          "s]}\n"
          "    bend: {joint: elbow, position: -1 rad, weight: 3}\n"
          "    lazy: {muscle: biceps}\n",
      NULL);
  check_derivatives(ARM "collocate: {intervals: 2, scheme: trapezoid, instant: true}\n", NULL);
}

// An arm of two bones and the path of its muscle: surfaces, points that move or come in, mass. %s
// are the surfaces, the path behind its origin, the mass, and the Hill-type muscle's tendon.
#define PATHS                                                                                      \
  "limber: 1\nduration: 0.5 s\n"                                                                   \
  "bodies:\n"                                                                                      \
  "  upper: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 2 kg}\n"   \
  "  fore: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 1 cm, -0.25]}}, mass: 1.5 "   \
  "kg}\n"                                                                                          \
  "joints:\n"                                                                                      \
  "  shoulder: {type: universal, child: upper, axis: y, second_axis: x}\n"                         \
  "  elbow: {type: revolute, parent: upper, child: fore, axis: -y, at: [0, 0, -30 cm]}\n"          \
  "wraps:\n  round: {body: upper, position: [0, 0, -30 cm], %s}\n"                                 \
  "  bump: {body: upper, position: [-3 cm, 0, -17 cm], rotation: [90 deg, 0, 0], cylinder: "       \
  "{radius: 4 cm}, side: -x}\n"                                                                    \
  "muscles:\n"                                                                                     \
  "  triceps:\n"                                                                                   \
  "    through: [{body: upper, at: [-6 cm, 1 cm, -5 cm]}, %s]\n"                                   \
  "    hill: {model: millard, force: 700 N, fiber: 14 cm, slack: 21 cm%s}\n%s"                     \
  "motors: {twist: {joint: elbow, drive: force, keys: [[0 s, 0 N m]]}}\n"                          \
  "initial: {elbow: {position: 70 deg}, shoulder: {position: [10 deg, 5 deg]}}\n"                  \
  "collocate: {intervals: 2, time: [0.2 s, 1 s], goals: {bend: {joint: elbow, position: 1 "        \
  "rad}}}\n"

#define ROUND "cylinder: {radius: 3 cm}, side: -x, rotation: [90 deg, 10 deg, 0]"
#define WRAPPED "{wrap: round}, {body: fore, at: [-5 cm, 5 mm, -20 cm]}"

// Third derivatives of a muscle's curves jump where their pieces meet, and differences across such
// a place are off by up to 1e-4: short steps meet fewer, and none here.
static void derivatives_of_every_kind_of_path_agree_with_differences(void** state) {
  (void)state;
  static const struct {
    const char *name, *surface, *path;
  } kind[] = {
      {"via points", ROUND,
       "{body: upper, at: [-5 cm, 0, -28 cm]}, {body: fore, at: [-5 cm, 0, -5 cm]}"},
      {"cylinder", ROUND, WRAPPED},
      {"sphere", "sphere: {radius: 4 cm}, side: -x", WRAPPED},
      {"capsule", "capsule: {radius: 3 cm, length: 4 cm}, side: -x, rotation: [90 deg, 10 deg, 0]",
       WRAPPED},
      {"ellipsoid", "ellipsoid: {radii: [4 cm, 3 cm, 5 cm]}, side: -x", WRAPPED},
      {"torus", "torus: {ring: 8 cm, radius: 2 cm}, rotation: [0, 10 deg, 0]", WRAPPED},
      {"two cylinders", ROUND, "{wrap: bump}, " WRAPPED},
      {"moving", ROUND,
       "{wrap: round}, {body: fore, follows: {joint: elbow, x: {spline: [[-1.5, -6 cm], [0, -5 "
       "cm], [1, -5.5 cm], [2, -5 cm]]}, z: {polynomial: [0.01, 0.02, -0.1]}}}"},
      {"comes in", ROUND,
       "{body: fore, at: [-7 cm, 1 cm, -2 cm], while: {joint: elbow, at_least: 70 deg, over: 60 "
       "deg}}, {body: fore, at: [-3 cm, 0, -15 cm]}"},
  };
  static const struct {
    const char *name, *tendon, *mass;
  } made[] = {
      {"massless", "", ""},
      {"massless, stiff", ", elastic: false", ""},
      {"with mass", "", "    mass: {amount: 600 g}\n"},
      {"with mass, stiff", ", elastic: false", "    mass: {amount: 600 g, belly: [0.1, 0.6]}\n"}};
  for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
      char text[4096];
      snprintf(text, sizeof text, PATHS, kind[i].surface, kind[i].path, made[k].tendon,
               made[k].mass);
      print_message("%s, %s: ", kind[i].name, made[k].name);
      check_derivatives_by(text, NULL, 1e-5);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(least_effort_of_a_double_integrator_is_a_cubic),
      cmocka_unit_test(least_time_is_bang_bang),
      cmocka_unit_test(a_linear_quadratic_problem_has_its_riccati_cost),
      cmocka_unit_test(schemes_have_their_orders),
      cmocka_unit_test(derivatives_of_muscles_and_points_agree_with_differences),
      cmocka_unit_test(derivatives_of_every_kind_of_path_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
