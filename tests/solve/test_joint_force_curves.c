// Springs of joints that do not pull in proportion: by a power, by a table.
#include "recorded.h"

#define RUN(solver, seconds)                                                                       \
  "duration: " seconds "\n"                                                                        \
  "gravity: [0, 0, 0]\n"                                                                           \
  "record: {every: 10 ms}\n"                                                                       \
  "solver: {" solver "}\n"
#define WHEEL "bodies: {arm: {mass: 2, inertia: [0.5, 0.5, 0.5]}}\n"
#define FINE "integrator: rk8, step: 1 ms"

// When the first coordinate is back at its first maximum: where its rate falls through zero for
// the n-th time, between two frames found by the straight line.
static double period(const lb_recording* r, int swings) {
  for (int f = 1, n = 0; f < r->nframe; f++) {
    const double a = r->qd[(size_t)(f - 1) * (size_t)r->model->nv];
    const double b = r->qd[(size_t)f * (size_t)r->model->nv];
    if (f > 1 && a > 0 && b <= 0 && ++n == swings) {
      return (r->time[f - 1] + (r->time[f] - r->time[f - 1]) * a / (a - b)) / swings;
    }
  }
  return 0;
}

// I x'' = -k x^3 from rest at A swings with the period 4 sqrt(2 I/k)/A int_0^1 du/sqrt(1 - u^4),
// where the integral is the quarter of the lemniscate, 1.311028777146060.
static void a_power_has_its_period(void** state) {
  (void)state;
  const double lemniscate = 1.311028777146060;
  static const struct {
    const char* text;
    double inertia, amplitude;
  } swing[] = {
      {RUN(FINE, "20 s") WHEEL "joints: {j: {type: revolute, child: arm, axis: y, spring: "
                               "{stiffness: 8, exponent: 3}}}\ninitial: {j: {position: 0.7}}\n",
       0.5, 0.7},
      {RUN(FINE, "20 s") WHEEL "joints: {j: {type: prismatic, child: arm, axis: y, spring: "
                               "{stiffness: 8, exponent: 3, rest: 1}}}\n",
       2, 1}};
  for (int i = 0; i < 2; i++) {
    lb_recording* r = run(swing[i].text);
    const double exact = 4 * sqrt(2 * swing[i].inertia / 8) / swing[i].amplitude * lemniscate;
    // the second starts below its rest: half a period to its maximum
    const int swings = 3;
    const double found = period(r, swings), off = i == 0 ? 0 : 0.5 / swings;
    print_message("period %.9f, is %.9f\n", found, exact * (1 - off));
    assert_near(found / (exact * (1 - off)), 1, 1e-6);
    end(r);
  }
}

// Two slopes: half a period of each, pi (sqrt(I/k1) + sqrt(I/k2)), whatever the amplitude.
static void a_table_has_its_period(void** state) {
  (void)state;
  lb_recording* r = run(RUN(FINE, "10 s") WHEEL
                        "joints: {j: {type: revolute, child: arm, axis: y, spring: {table: "
                        "[[-1 rad, -4 N m], [0 rad, 0 N m], [90 deg, 40 N m]]}}}\n"
                        "initial: {j: {position: 0.3}}\n");
  const double pi = 3.14159265358979323846, k2 = 40 / (pi / 2);
  const double exact = pi * (sqrt(0.5 / 4) + sqrt(0.5 / k2)), found = period(r, 3);
  print_message("period %.6f, is %.6f\n", found, exact);
  assert_near(found / exact, 1, 1e-6);
  end(r);
}

static double energy_error(const char* text) {
  lb_recording* r = run(text);
  double worst = 0, most = 0;
  for (int f = 0; f < r->nframe; f++) {
    const double all = r->kinetic[f] + r->potential[f];
    worst = fmax(worst, fabs(all - r->kinetic[0] - r->potential[0]));
    most = fmax(most, r->kinetic[f]);
  }
  end(r);
  return worst / most;
}

#define JOINTS                                                                                     \
  "bodies:\n"                                                                                      \
  "  a: {mass: 2, center: [0, 0, 0.3], inertia: [0.3, 0.2, 0.1]}\n"                                \
  "  b: {mass: 1, center: [0.1, 0, 0.2], inertia: [0.03, 0.02, 0.01]}\n"                           \
  "  c: {mass: 1, center: [0.1, 0, 0.2], inertia: [0.03, 0.02, 0.01]}\n"                           \
  "  d: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"                             \
  "  arm: {mass: 1, center: [0.1, 0, 0], inertia: [0.03, 0.02, 0.01]}\n"                           \
  "joints:\n"                                                                                      \
  "  s: {type: spherical, child: a, spring: {stiffness: 30, exponent: 3, rest: {axis: [1, 2, "     \
  "3], angle: 0.4}}}\n"                                                                            \
  "  e: {type: euler, parent: a, child: b, at: [0, 0, 0.5], order: zxz, spring: {stiffness: 9, "   \
  "exponent: 3, rest: [0, 1, 0]}}\n"                                                               \
  "  g: {type: free-3d, parent: b, child: c, spring: {stiffness: 40, exponent: 3, "                \
  "turn_stiffness: 4, turn_exponent: 3}}\n"                                                        \
  "  f: {type: free, parent: a, child: d, spring: {stiffness: 90, exponent: 3, turn_table: "       \
  "[[0, 0], [3, 5]]}}\n"                                                                           \
  "  c: {type: composite, parent: d, child: arm, parts: [{type: universal, spring: {stiffness: "   \
  "5, exponent: 5}}, {type: prismatic, axis: x, spring: {stiffness: 300, exponent: 3}}]}\n"        \
  "initial:\n"                                                                                     \
  "  s: {spin: [2, 3, -4]}\n"                                                                      \
  "  e: {position: [0.3, 0.9, 0.2]}\n"                                                             \
  "  f: {spin: [1, 2, 3], velocity: [1, 0, 2]}\n"

// All sorts of joints on each other: what springs take comes back, to the order of the steps. Odd
// powers are smooth; others have a kink at rest, in some derivative, and steps of high order feel
// it.
static void energy_stays(void** state) {
  (void)state;
  const double eight = energy_error(RUN("integrator: rk8, step: 1 ms", "1 s") JOINTS);
  const double two[] = {energy_error(RUN("integrator: sdirk2, step: 2 ms", "0.5 s") JOINTS),
                        energy_error(RUN("integrator: sdirk2, step: 1 ms", "0.5 s") JOINTS)};
  const double four[] = {energy_error(RUN("integrator: rk4, step: 2 ms", "0.5 s") JOINTS),
                         energy_error(RUN("integrator: rk4, step: 1 ms", "0.5 s") JOINTS)};
  print_message("energy off by %.1e; orders %.2f, %.2f\n", eight, log2(two[0] / two[1]),
                log2(four[0] / four[1]));
  assert_near(eight, 0, 1e-9);
  assert_above(log2(two[0] / two[1]), 1.8);
  assert_above(log2(four[0] / four[1]), 3.5);
}

// Where bodies are at the end, at worst.
static double apart(const lb_recording* a, const lb_recording* b) {
  double worst = 0;
  for (int i = 0; i < a->model->nbody; i++) {
    const int j = lb_model_body(b->model, a->model->body.name[i]);
    const lb_transform x = a->pose[(a->nframe - 1) * a->model->nbody + i];
    const lb_transform y = b->pose[(b->nframe - 1) * b->model->nbody + j];
    const lb_vec3 turn = lb_quat_log(lb_quat_mul(lb_quat_conjugate(x.q), y.q));
    worst = fmax(worst, fmax(lb_vec3_norm(lb_vec3_sub(x.p, y.p)), lb_vec3_norm(turn)));
  }
  return worst;
}

static void check_alike(const char* one, const char* other, double tolerance) {
  lb_recording *a = run(one), *b = run(other);
  print_message("%.1e apart\n", apart(a, b));
  assert_near(apart(a, b), 0, tolerance);
  end(a);
  end(b);
}

static void maximal_coordinates_are_the_same(void** state) {
  (void)state;
  check_alike(RUN(FINE, "0.5 s") JOINTS, RUN(FINE ", coordinates: maximal", "0.5 s") JOINTS, 1e-9);
}

// Turning about one axis, a ball is a hinge, and a table of one side is that of both.
static void a_ball_in_a_plane_is_a_hinge(void** state) {
  (void)state;
#define TURNS(joint, start)                                                                        \
  RUN(FINE, "2 s") WHEEL "joints: {j: {child: arm, " joint "}}\ninitial: {j: {" start "}}\n"
  check_alike(
      TURNS("type: spherical, spring: {stiffness: 4, exponent: 2.5}", "spin: [0, 5, 0]"),
      TURNS("type: revolute, axis: y, spring: {stiffness: 4, exponent: 2.5}", "velocity: 5"),
      1e-10);
  check_alike(
      TURNS("type: spherical, spring: {table: [[0, 0], [2, 7], [4, 20]]}", "spin: [0, 5, 0]"),
      TURNS("type: revolute, axis: y, spring: {table: [[-4, -20], [-2, -7], [2, 7], [4, 20]]}",
            "velocity: 5"),
      1e-6);
}

// A parallelogram whose knee has the spring: the knee in the tree and a pivot that closes the loop,
// or the other way round.
static void a_joint_that_closes_a_loop_has_it(void** state) {
  (void)state;
#define BARS(solver, spring, pivot, knee, start)                                                   \
  RUN(solver, "0.5 s")                                                                             \
  "bodies:\n"                                                                                      \
  "  crank: {mass: 1, center: [0.15, 0, 0], inertia: [0.01, 0.02, 0.02]}\n"                        \
  "  rod: {mass: 1, center: [0.25, 0, 0.1], inertia: [0.01, 0.05, 0.05]}\n"                        \
  "  rocker: {mass: 1, center: [0.15, 0, 0], inertia: [0.01, 0.04, 0.04]}\n"                       \
  "joints:\n"                                                                                      \
  "  o: {type: revolute, child: crank, axis: y}\n"                                                 \
  "  p: {type: revolute, parent: crank, child: rod, at: [0.3, 0, 0], axis: y}\n"                   \
  "  r: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y" pivot "}\n"                      \
  "  q: {type: revolute, parent: rod, child: rocker, at: [0.5, 0, 0], in_child: [0.3, 0, 0], "     \
  "axis: y, spring: {" spring "}" knee "}\n"                                                       \
  "initial: {o: {position: 1, velocity: 3}, p: {position: -1, velocity: -3}, " start               \
  ": {position: 1, velocity: 3}}\n"
#define POWER "stiffness: 6, exponent: 3, rest: 1.2"
#define TABLE "table: [[-9, -40], [0, 0], [9, 90]]"
#define LOOP ", loop: true"
  check_alike(BARS(FINE, POWER, LOOP, "", "q"), BARS(FINE, POWER, "", LOOP, "r"), 1e-9);
  check_alike(BARS(FINE, POWER, LOOP, "", "q"),
              BARS(FINE ", coordinates: maximal", POWER, "", LOOP, "r"), 1e-9);
  check_alike(BARS(FINE, TABLE, LOOP, "", "q"), BARS(FINE, TABLE, "", LOOP, "r"), 1e-6);
}

// In a chain, whose implicit steps take time linear in its length.
static void implicit_steps_have_their_order(void** state) {
  (void)state;
#define CHAIN(solver)                                                                              \
  "duration: 0.5 s\nrecord: {every: 10 ms}\nsolver: {" solver "}\n"                                \
  "bodies:\n"                                                                                      \
  "  a: {mass: 1, center: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                             \
  "  b: {mass: 1, center: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                             \
  "  c: {mass: 1, center: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                             \
  "joints:\n"                                                                                      \
  "  a: {type: revolute, child: a, axis: y, damping: 0.2, spring: {stiffness: 300, exponent: "     \
  "3}}\n"                                                                                          \
  "  b: {type: revolute, parent: a, child: b, at: [0.2, 0, 0], axis: y, damping: 0.2, spring: "    \
  "{table: [[-1, -20], [0.5, 10], [1, 30]]}}\n"                                                    \
  "  c: {type: revolute, parent: b, child: c, at: [0.2, 0, 0], axis: y, damping: 0.2, spring: "    \
  "{stiffness: 300, exponent: 3, rest: 0.2}}\n"
  lb_recording* exact = run(CHAIN("integrator: rk8, step: 0.1 ms"));
  static const struct {
    const char *name, *text[2];
    double order;
  } with[] = {
      {"bdf2", {CHAIN("integrator: bdf2, step: 1 ms"), CHAIN("integrator: bdf2, step: 0.5 ms")}, 2},
      {"sdirk2",
       {CHAIN("integrator: sdirk2, step: 1 ms"), CHAIN("integrator: sdirk2, step: 0.5 ms")},
       2},
      {"linear-euler",
       {CHAIN("integrator: linear-euler, step: 1 ms"),
        CHAIN("integrator: linear-euler, step: 0.5 ms")},
       1}};
  for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
    double off[2];
    for (int k = 0; k < 2; k++) {
      lb_recording* r = run(with[i].text[k]);
      off[k] = apart(r, exact);
      end(r);
    }
    print_message("%s: %.1e, order %.2f\n", with[i].name, off[1], log2(off[0] / off[1]));
    assert_above(log2(off[0] / off[1]), with[i].order - 0.3);
  }
  end(exact);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_power_has_its_period),
      cmocka_unit_test(a_table_has_its_period),
      cmocka_unit_test(energy_stays),
      cmocka_unit_test(maximal_coordinates_are_the_same),
      cmocka_unit_test(a_ball_in_a_plane_is_a_hinge),
      cmocka_unit_test(a_joint_that_closes_a_loop_has_it),
      cmocka_unit_test(implicit_steps_have_their_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
