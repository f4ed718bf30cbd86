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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(least_effort_of_a_double_integrator_is_a_cubic),
      cmocka_unit_test(least_time_is_bang_bang),
      cmocka_unit_test(a_linear_quadratic_problem_has_its_riccati_cost),
      cmocka_unit_test(schemes_have_their_orders),
      cmocka_unit_test(derivatives_of_muscles_and_points_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
