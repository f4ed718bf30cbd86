// Rods and ropes, constraints on the distance of two points: closed forms, what is conserved, the
// same motion in two kinds of coordinates.
#include "dynamics/constraint/constraint_loop.h"
#include "random_world.h"

// A ball on a rod of 1 m, whose other end is at the world's origin, let go at an angle.
#define PENDULUM                                                                                   \
  "bodies: {ball: {mass: 2, shape: {sphere: {radius: 0.1}}, position: [0.8, 0, -0.6]}}\n"          \
  "constraints: {rod: {distance: {to: {body: ball}}}}\n"

// The way from the world's origin to the first body's.
static lb_vec3 place_of(const world* w) {
  lb_poses(w->m, w->d);
  return w->d->pose[0].p;
}

// A period of a pendulum is 2 pi sqrt(l/g) over the arithmetic-geometric mean of 1 and cos(a/2).
static double period(double angle) {
  double a = 1, b = cos(angle / 2);
  for (int i = 0; i < 10; i++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return 2 * M_PI * sqrt(1 / 9.81) / a;
}

static void a_ball_on_a_rod_is_a_pendulum(void** state) {
  (void)state;
  enum { STEPS = 4000 };
  const double T = period(atan2(0.8, 0.6));
  world w = open_world("gravity: [0, 0, -9.81]\n" PENDULUM "solver: {integrator: rk8}\n");
  run(&w, STEPS / 2, T / STEPS);
  const lb_vec3 half = place_of(&w);
  run(&w, STEPS / 2, T / STEPS);
  const lb_vec3 whole = place_of(&w);
  print_message("off by %.2g m after half a period, %.2g m after one\n", half.x + 0.8,
                whole.x - 0.8);
  assert_near(half.x, -0.8, 1e-9);
  assert_near(half.z, -0.6, 1e-9);
  assert_near(whole.x, 0.8, 1e-9);
  assert_near(whole.z, -0.6, 1e-9);
  close_world(&w);
}

// Where it is fastest, the rod pulls with the weight and the centripetal force:
// m g (3 - 2 cos a), and with m g cos a where it turns back.
static void a_rod_pulls_as_a_pendulum_does(void** state) {
  (void)state;
  world w = open_world("gravity: [0, 0, -9.81]\n" PENDULUM "solver: {integrator: rk8}\n");
  lb_reaction pull[2];
  lb_forward(w.m, w.d);
  lb_reactions(w.m, w.d, pull);
  assert_near(lb_vec3_norm(pull[1].force), 2 * 9.81 * 0.6, 1e-9);
  run(&w, 1000, period(atan2(0.8, 0.6)) / 4000);
  lb_forward(w.m, w.d);
  lb_reactions(w.m, w.d, pull);
  assert_near(lb_vec3_norm(pull[1].force), 2 * 9.81 * (3 - 2 * 0.6), 1e-7);
  close_world(&w);
}

// Two bodies that fly, joined by a rod at their rims.
#define DUMBBELL                                                                                   \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies:\n"                                                                                      \
  "  a: {mass: 1, shape: {box: [0.2, 0.3, 0.4]}}\n"                                                \
  "  b: {mass: 3, shape: {box: [0.5, 0.1, 0.2]}, position: [1, 0, 0]}\n"                           \
  "initial:\n"                                                                                     \
  "  a: {velocity: [0, 1, 0.3], spin: [2, 0, 5]}\n"                                                \
  "  b: {spin: [0, -3, 1]}\n"                                                                      \
  "constraints:\n"                                                                                 \
  "  rod: {distance: {from: {body: a, at: [0.1, 0.1, 0]}, to: {body: b, at: [-0.2, 0, 0.1]}}}\n"

static double rod_length(const world* w) {
  lb_poses(w->m, w->d);
  return lb_vec3_norm(lb_vec3_sub(lb_transform_point(w->d->pose[1], (lb_vec3){-0.2, 0, 0.1}),
                                  lb_transform_point(w->d->pose[0], (lb_vec3){0.1, 0.1, 0})));
}

static void a_rod_does_no_work_and_keeps_its_length(void** state) {
  (void)state;
  world w = open_world(DUMBBELL "solver: {integrator: rk8}\n");
  const double energy = lb_kinetic_energy(w.m, w.d), length = rod_length(&w);
  run(&w, 5000, 1e-3);
  const double later = lb_kinetic_energy(w.m, w.d);
  print_message("energy changes by %.2g, length by %.2g\n", later / energy - 1,
                rod_length(&w) - length);
  assert_near(later, energy, 1e-10 * energy);
  assert_near(rod_length(&w), length, 1e-12);
  close_world(&w);
}

// Two cranks with a rod between them, in a tree and taken apart: one mechanism.
static const char CRANKS[] = "bodies:\n  " ROD("a", "0.5") "  " ROD("b", "0.7") //
    "joints:\n"
    "  one: {type: revolute, child: a, axis: y, damping: 0.05}\n"
    "  two: {type: revolute, child: b, axis: y, at: [0.6, 0, 0]}\n"
    "initial: {one: {position: 40 deg}, two: {position: 70 deg}}\n"
    "constraints:\n"
    "  rod: {distance: {from: {body: a, at: [0, 0, -0.5]}, to: {body: b, at: [0, 0, -0.7]}}}\n";

static void coordinates_do_not_matter(void** state) {
  (void)state;
  static const char* const integrators[] = {"rk8", "bdf2", "linear-euler"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    char scene[2][1500];
    world w[2];
    for (int k = 0; k < 2; k++) {
      snprintf(scene[k], sizeof scene[k], "%ssolver: {integrator: %s%s}\n", CRANKS, integrators[i],
               k ? ", coordinates: maximal" : "");
      w[k] = open_world(scene[k]);
      run(&w[k], 500, 1e-3);
      lb_poses(w[k].m, w[k].d);
    }
    const double apart =
        lb_vec3_norm(lb_vec3_sub(lb_transform_point(w[0].d->pose[1], (lb_vec3){0, 0, -0.7}),
                                 lb_transform_point(w[1].d->pose[1], (lb_vec3){0, 0, -0.7})));
    print_message("%s: %.2g m apart\n", integrators[i], apart);
    assert_near(apart, 0, i == 1 ? 1e-6 : 1e-9);
    close_world(&w[0]);
    close_world(&w[1]);
  }
}

// A ball falls 0.5 m until its rope is taut, and hangs there: an impact without bounce.
static void a_rope_is_slack_until_it_is_taut(void** state) {
  (void)state;
  static const char* const integrators[] = {"euler", "rk4", "linear-euler", "bdf1", "bdf2"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    char scene[1000];
    lb_reaction pull[2];
    snprintf(scene, sizeof scene,
             "gravity: [0, 0, -9.81]\n"
             "bodies: {ball: {mass: 2, shape: {sphere: {radius: 0.1}}, position: [0, 0, -0.5]}}\n"
             "constraints: {rope: {distance: {to: {body: ball}, length: 1 m, unilateral: true}}}\n"
             "solver: {integrator: %s}\n",
             integrators[i]);
    world w = open_world(scene);
    run(&w, 300, 1e-3); // 0.319 s
    assert_near(place_of(&w).z, -0.5 - 0.5 * 9.81 * 0.09, 2e-3);
    run(&w, 700, 1e-3);
    assert_near(place_of(&w).z, -1, 1e-5);
    lb_forward(w.m, w.d);
    lb_reactions(w.m, w.d, pull);
    assert_near(pull[1].force.z, 2 * 9.81, 1e-6);
    close_world(&w);
  }
}

static void lengths_and_ends_are_checked(void** state) {
  (void)state;
  static const struct {
    const char *scene, *says;
  } bad[] = {
      {"constraints: {rod: {distance: {to: {body: a}, length: 0}}}\n", "length"},
      {"constraints: {rod: {distance: {from: {body: a}, to: {body: a, at: [0.1, 0, 0]}}}}\n",
       "'a'"},
      {"constraints: {rod: {distance: {to: {body: a, at: [0, 0, 0]}}}}\n", "start"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[600];
    lb_scene scene;
    lb_model* m = NULL;
    lb_error err = lb_error_make(NULL);
    snprintf(text, sizeof text, "bodies: {a: {mass: 1, shape: {sphere: {radius: 0.1}}}}\n%s",
             bad[i].scene);
    lb_status status = lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err);
    if (status == LB_OK) {
      status = lb_model_create(&scene, NULL, &m, &err);
      lb_scene_release(&scene);
    }
    assert_int_equal(status, LB_INVALID);
    assert_non_null(strstr(err.message[0].text, bad[i].says));
    lb_error_clear(&err);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_on_a_rod_is_a_pendulum),
      cmocka_unit_test(a_rod_pulls_as_a_pendulum_does),
      cmocka_unit_test(a_rod_does_no_work_and_keeps_its_length),
      cmocka_unit_test(coordinates_do_not_matter),
      cmocka_unit_test(a_rope_is_slack_until_it_is_taut),
      cmocka_unit_test(lengths_and_ends_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
