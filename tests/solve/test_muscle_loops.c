// Muscles and cables whose points go by a joint that closes a loop: the same mechanism, cut
// elsewhere, moves alike and weighs the same.
#include "compile.h"
#include "dynamics/tree/kinematics.h"
#include "solve/step/stepper.h"

// A four-bar. %s: coordinates, what follows joint b, joint c, of the mass, the muscles, the cables.
#define FOUR_BAR                                                                                   \
  "solver: {integrator: rk8, step: 1 ms%s}\n"                                                      \
  "bodies:\n"                                                                                      \
  "  crank: {mass: 1, center: [0, 0, 0.1], inertia: [0.01, 0.01, 0.001]}\n"                        \
  "  coupler: {mass: 1, center: [0.2, 0, 0], inertia: [0.001, 0.02, 0.02]}\n"                      \
  "  rocker: {mass: 2, center: [0, 0, -0.15], inertia: [0.02, 0.02, 0.002]}\n"                     \
  "joints:\n"                                                                                      \
  "  a: {type: revolute, child: crank, axis: y}\n"                                                 \
  "  b: {type: revolute, parent: crank, child: coupler, at: [0, 0, 0.2], axis: y}\n"               \
  "  c: {type: revolute, parent: coupler, child: rocker, at: [0.4, 0, 0], axis: y%s}\n"            \
  "  d: {type: revolute, child: rocker, at: [0.4, 0, -0.1], axis: y, in_child: [0, 0, -0.3]%s}\n"  \
  "muscles:\n"                                                                                     \
  "  m: {through: [{at: [0.1, 0.02, -0.2]}, {body: rocker, follows: {joint: d, x: {linear: [[-1, " \
  "0.1], [1, 0.2]]}, y: 0, z: {spline: [[-1, -0.1], [0, -0.15], [1, -0.1]]}}}, "                   \
  "{body: coupler, at: [0.3, 0, 0.1]}], %s}\n"                                                     \
  "%s"

#define CABLE                                                                                      \
  "cables: {c: {through: [{at: [0.1, 0, -0.2]}, {body: rocker, at: [0.1, 0, -0.1], while: "        \
  "{joint: "                                                                                       \
  "d, at_least: -0.1, over: 0.3}}, {body: coupler, at: [0.2, 0, 0.1]}], stiffness: 100 N/m, "      \
  "length: 0.3}}\n"

typedef struct world {
  lb_model* m;
  lb_data* d;
} world;

static void expect_alike(const char* const coordinates[2], const char* const cut[2][2],
                         const char* muscle, const char* rest) {
  world w[2];
  double mass[2] = {0};
  for (int k = 0; k < 2; k++) {
    char text[3000];
    snprintf(text, sizeof text, FOUR_BAR, coordinates[k], cut[k][0], cut[k][1], muscle, rest);
    w[k].m = compile(text);
    lb_stepper* st;
    assert_int_equal(lb_data_create(w[k].m, NULL, &w[k].d, NULL), LB_OK);
    assert_int_equal(lb_stepper_create(w[k].m, NULL, NULL, &st, NULL), LB_OK);
    for (int i = 0; i < 200; i++) {
      assert_int_equal(lb_stepper_step(st, w[k].d, 1e-3, NULL), LB_OK);
    }
    lb_stepper_release(st);
    lb_poses(w[k].m, w[k].d);
    for (int l = 0; l < w[k].m->nlink; l++) {
      mass[k] += w[k].m->link.mass[l].mass;
    }
  }
  assert_near(mass[0], mass[1], 1e-12);
  double worst = 0;
  for (int i = 0; i < 3; i++) {
    const lb_vec3 p = w[0].d->pose[i].p, q = w[1].d->pose[i].p;
    worst = fmax(worst, lb_vec3_norm(lb_vec3_sub(p, q)));
  }
  const double moved = lb_vec3_norm(lb_vec3_sub(w[0].d->pose[2].p, (lb_vec3){0.4, 0, 0.2}));
  print_message("%.60s: %.2g m apart, moved by %.2g m\n", muscle, worst, moved);
  assert_true(moved > 1e-3);
  assert_true(worst < 1e-8);
  for (int k = 0; k < 2; k++) {
    lb_data_release(w[k].d);
    lb_model_release(w[k].m);
  }
}

static const char* const CUTS[2][2] = {{", loop: true", ""}, {"", ", loop: true"}};
static const char* const REDUCED[2] = {"", ""};
static const char* const MAXIMAL[2] = {"", ", coordinates: maximal"};

static void points_go_by_a_joint_that_closes_a_loop(void** state) {
  (void)state;
  static const char* const muscle[] = {"tension: 5", "mass: {amount: 0.5}, tension: 5",
                                       "mass: {amount: 0.5, from: coupler}, tension: 5",
                                       "mass: {amount: 1.5, from: rocker}"};
  for (size_t i = 0; i < sizeof muscle / sizeof *muscle; i++) {
    expect_alike(REDUCED, CUTS, muscle[i], "");
    expect_alike(MAXIMAL, CUTS, muscle[i], "");
  }
}

static void cables_do_too(void** state) {
  (void)state;
  expect_alike(REDUCED, CUTS, "tension: 1", CABLE);
  expect_alike(MAXIMAL, CUTS, "tension: 1", CABLE);
}

static void feedback_is_of_a_joint_that_closes_a_loop(void** state) {
  (void)state;
  static const char* const muscle =
      "tension: 20, excitation: {follow: {joint: d, to: 0.4, gain: 3, rate_gain: 0.1}}";
  expect_alike(REDUCED, CUTS, muscle, "");
  expect_alike(MAXIMAL, CUTS, muscle, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_go_by_a_joint_that_closes_a_loop),
      cmocka_unit_test(cables_do_too),
      cmocka_unit_test(feedback_is_of_a_joint_that_closes_a_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
