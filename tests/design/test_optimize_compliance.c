// Gradients through constraints that yield, cams, ratchets, points on lines and planes.
#include "optimizing.h"

static const char* const METHODS[] = {"bdf1", "bdf2", "sdirk2", "rk4", "adaptive"};
static const char* const COORDINATES[] = {"reduced", "maximal"};
enum { NMETHOD = sizeof METHODS / sizeof *METHODS };

// A door whose lower hinge yields, on a post with a point that yields on a plane.
static const char door[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s, step: 2 ms, coordinates: %s}\n"
    "bodies:\n"
    "  frame: {mass: 1, shape: {box: [0.2, 0.1, 0.05], position: [0.1, 0, 0]}}\n"
    "  door: {mass: 1, shape: {box: [0.2, 0.1, 0.05], position: [0.1, 0, 0]}}\n"
    "joints:\n"
    "  post: {type: revolute, child: frame, axis: [0, 0.2, 1]}\n"
    "  upper: {type: spherical, parent: frame, child: door, at: [0.2, 0.05, 0],\n"
    "          in_child: [0, 0.05, 0]}\n"
    "  lower: {type: revolute, loop: true, parent: frame, child: door, at: [0.2, -0.05, 0],\n"
    "          in_child: [0, -0.05, 0], axis: y, compliance: {stiffness: 3e3, damping: 2,\n"
    "          turn_stiffness: 8, turn_damping: 0.1}}\n"
    "constraints:\n"
    "  table: {plane: {body: door, at: [0.2, 0, 0], through: {at: [0, 0, 0]}, normal: z},\n"
    "          stiffness: 500, damping: 1}\n"
    "initial: {post: {velocity: 3}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    fast: {velocity: post}\n"
    "    heavy: {mass: door}\n"
    "    long: {length: frame, along: x}\n"
    "  goals:\n"
    "    there: {point: door, at: [0.2, 0, 0.3], position: [0.3, 0, 0.2]}\n";

static void gradients_of_what_yields_equal_differences(void** state) {
  (void)state;
  for (int i = 0; i < 2 * NMETHOD; i++) {
    char scene[3000];
    problem p;
    snprintf(scene, sizeof scene, door, METHODS[i / 2], COORDINATES[i % 2]);
    open_problem(&p, scene);
    check_gradient(&p, p.o->start, 1e-3, 1e-6);
    close_problem(&p);
  }
}

// A cam that is exact or yields, with a bead on a line of its follower.
static const char cam[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s, step: 2 ms}\n"
    "bodies:\n"
    "  wheel: {mass: 1, shape: {cylinder: {radius: 0.1, length: 0.02}}}\n"
    "  rod: {mass: 0.5, shape: {box: [0.1, 0.05, 0.3]}}\n"
    "  bead: {mass: 0.2, shape: {sphere: {radius: 0.02}}, position: [0.1, 0, 0]}\n"
    "joints:\n"
    "  turn: {type: revolute, child: wheel, axis: z}\n"
    "  slide: {type: prismatic, child: rod, axis: z}\n"
    "constraints:\n"
    "  cam: {couple: [{joint: slide}, {joint: turn, times: -1, profile: {ease: cubic, keys: [[-2, "
    "0],\n"
    "    [0, 3 cm], [2, 10 cm], [5, 0]]}}], equals: 0%s}\n"
    "  line: {line: {body: bead, through: {body: rod}, along: [0.6, 0, 0.8]}}\n"
    "%s"
    "initial: {turn: {position: 0.6, velocity: 7}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    from: {position: turn}\n"
    "    fast: {velocity: turn}\n"
    "    heavy: {mass: rod}\n"
    "  goals:\n"
    "    there: {joint: turn, position: 1.3}\n"
    "    low: {point: bead, position: [0, 0, 0.2]}\n";

static void gradients_of_cams_equal_differences(void** state) {
  (void)state;
  static const char* const yields[] = {"", ", stiffness: 2e3, damping: 3"};
  for (int i = 0; i < 2 * NMETHOD; i++) {
    char scene[3000];
    problem p;
    snprintf(scene, sizeof scene, cam, METHODS[i / 2], yields[i % 2], "");
    open_problem(&p, scene);
    check_gradient(&p, p.o->start, 1e-3, 1e-6);
    close_problem(&p);
  }
}

// A wheel that turns back to its last tooth.
static void gradients_of_ratchets_equal_differences(void** state) {
  (void)state;
  for (int i = 0; i < NMETHOD - 1; i++) {
    char scene[3000];
    problem p;
    snprintf(scene, sizeof scene,
             "duration: 100 ms\n"
             "solver: {integrator: %s, step: 2 ms}\n"
             "bodies:\n"
             "  wheel: {mass: 1, shape: {cylinder: {radius: 0.1, length: 0.02}}}\n"
             "  arm: {mass: 0.5, shape: {box: [0.3, 0.05, 0.03], position: [0.15, 0, 0]}}\n"
             "joints:\n"
             "  turn: {type: revolute, child: wheel, axis: y}\n"
             "  swing: {type: revolute, parent: wheel, child: arm, axis: y, at: [0.1, 0, 0]}\n"
             "constraints: {pawl: {couple: [{joint: turn}], ratchet: 0.3}}\n"
             "initial: {turn: {position: 0.4, velocity: -4}, swing: {velocity: 2}}\n"
             "optimize:\n"
             "  parameters: {fast: {velocity: swing}, heavy: {mass: arm}}\n"
             "  goals: {there: {joint: swing, position: 1}, push: {point: arm, at: [0.3, 0, 0], "
             "position: [0.3, 0, 0]}}\n",
             METHODS[i]);
    open_problem(&p, scene);
    check_gradient(&p, p.o->start, 1e-4, 1e-6);
    close_problem(&p);
  }
}

static void numbers_in_the_scene_do_the_same(void** state) {
  (void)state;
  char scene[3000];
  problem p;
  snprintf(scene, sizeof scene, door, "bdf2", "maximal");
  open_problem(&p, scene);
  check_applied(&p);
  close_problem(&p);
}

static void ratchets_without_teeth_are_refused(void** state) {
  (void)state;
  char text[3000];
  lb_scene scene;
  lb_optimization* o = NULL;
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, cam, "bdf2", "", "  clutch: {couple: [{joint: turn}], ratchet: 0}\n");
  assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_optimization_create(&scene, NULL, &o, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "ratchet without teeth"));
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_of_what_yields_equal_differences),
                                     cmocka_unit_test(gradients_of_cams_equal_differences),
                                     cmocka_unit_test(gradients_of_ratchets_equal_differences),
                                     cmocka_unit_test(numbers_in_the_scene_do_the_same),
                                     cmocka_unit_test(ratchets_without_teeth_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
