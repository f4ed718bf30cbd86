// What cannot be optimised is refused where the scene asks for it, and no more than that.
#include "limber/limber.h"
#include "test.h"

static lb_scene parse(const char* text) {
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err) != LB_OK) {
    fail_msg("%d: %s", err.message[0].place.line, err.message[0].text);
  }
  return scene;
}

// The scene itself is good; the optimisation is refused at the line, with the words.
static void check_refused(const char* text, int line, const char* words) {
  lb_scene scene = parse(text);
  lb_optimization* o = NULL;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_optimization_create(&scene, NULL, &o, &err), LB_INVALID);
  assert_null(o);
  assert_int_equal(err.count, 1);
  assert_int_equal(err.message[0].place.line, line);
  if (!strstr(err.message[0].text, words)) {
    fail_msg("'%s' is not in: %s", words, err.message[0].text);
  }
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

// What moves at a rate starts with it; joints of a loop cannot start other than the rest of the
// loop lets them.
static void starts_that_are_said_already(void** state) {
  (void)state;
  check_refused("solver: {integrator: bdf2}\n"
                "bodies: {arm: {shape: {box: [1, 0.1, 0.1]}}}\n"
                "joints: {shoulder: {type: revolute, child: arm, axis: y}}\n"
                "constraints: {c: {couple: [{joint: shoulder}], path: {rates: [[0, 1]]}}}\n"
                "optimize:\n"
                "  parameters: {p: {velocity: shoulder}}\n"
                "  goals: {g: {joint: shoulder, position: 0}}\n",
                6, "already say how it starts");
  static const char bar[] =
      "bodies: {crank: {mass: 1, inertia: [1, 1, 1]}, rod: {mass: 1, inertia: [1, 1, 1]},\n"
      "         rocker: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  a: {type: revolute, child: crank, axis: y}\n"
      "  b: {type: revolute, parent: crank, child: rod, at: [0, 0, 0.2], axis: y}\n"
      "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y}\n"
      "  d: {type: revolute, parent: rod, child: rocker, at: [0.5, 0, 0.1], axis: y,\n"
      "      in_child: [0, 0, 0.3], loop: true}\n"
      "optimize:\n"
      "  parameters:\n"
      "    one: {%s}\n"
      "    other: {%s}\n"
      "  goals: {g: {joint: a, position: 0}}\n";
  static const char* const twice[][2] = {{"position: c", "position: a"},
                                         {"velocity: c", "velocity: a"}};
  for (int i = 0; i < 2; i++) {
    char text[sizeof bar + 40];
    snprintf(text, sizeof text, bar, twice[i][0], twice[i][1]);
    check_refused(text, 11, "parameter 'one': loops and constraints already say how it starts");
    snprintf(text, sizeof text, bar, "mass: rod", i == 0 ? "position: d" : "velocity: d");
    check_refused(text, 12,
                  "parameter 'other': joint 'd' closes a loop, and how it starts follows");
  }
}

// What a loop splits, and what a deformable is fastened to, stays as long as it is.
static void lengths_of_what_is_split_or_has_a_deformable_on_it(void** state) {
  (void)state;
  check_refused("bodies: {rod: {mass: 1, inertia: [1, 1, 1]}, bar: {mass: 1, inertia: [1, 1, 1]}}\n"
                "joints:\n"
                "  a: {type: revolute, child: rod, axis: y}\n"
                "  b: {type: revolute, parent: rod, child: bar, at: [0, 0, 0.2], axis: y}\n"
                "  c: {type: revolute, child: bar, at: [0.5, 0, 0], in_child: [0.5, 0, -0.2],\n"
                "      axis: y, loop: true, armature: 0.1}\n"
                "optimize:\n"
                "  parameters: {p: {length: bar}}\n"
                "  goals: {g: {joint: a, position: 0}}\n",
                8, "the length of body 'bar' cannot change, since joint 'c' closes a loop there");
  check_refused("materials: {fat: {density: 400, young: 20 kPa, poisson: 0.4}}\n"
                "bodies: {arm: {shape: {box: [0.2, 0.05, 0.05], position: [0.1, 0, 0]}}}\n"
                "joints: {a: {type: revolute, child: arm, axis: y}}\n"
                "deformables:\n"
                "  lump:\n"
                "    form: {box: {from: [0, 0, 0], to: [0.2, 0, 0], width: 0.1, height: 0.1},\n"
                "      material: fat, elements: {along: 2, across: 1, around: 1}}\n"
                "    attach: [arm]\n"
                "    within: 4 cm\n"
                "optimize:\n"
                "  parameters: {p: {length: arm}}\n"
                "  goals: {g: {joint: a, position: 0}}\n",
                11, "the length of body 'arm' cannot change, since deformable 'lump' is fastened");
}

static void bdf2_is_the_integrator_unless_one_is_named(void** state) {
  (void)state;
  lb_scene scene = parse("bodies: {arm: {shape: {box: [1, 0.1, 0.1]}}}\n"
                         "joints: {shoulder: {type: revolute, child: arm, axis: y}}\n"
                         "optimize:\n"
                         "  parameters: {weight: {mass: arm}}\n"
                         "  goals: {there: {joint: shoulder, position: 0}}\n");
  assert_int_equal(scene.solver.integrator, LB_INTEGRATOR_BDF2);
  lb_scene_release(&scene);
}

static const char rod[] = "duration: 0.1 s\n"
                          "solver: {integrator: bdf2, step: 10 ms}\n"
                          "bodies:\n"
                          "  carrier: {}\n"
                          "  ball: {shape: {sphere: {radius: 5 cm}}, mass: 2 kg}\n"
                          "joints:\n"
                          "  turn: {type: revolute, child: carrier, axis: y}\n"
                          "  hold: {type: fixed, parent: carrier, child: ball, at: [0.3, 0, 0]}\n"
                          "optimize:\n"
                          "  parameters: {p: {%s}}\n"
                          "  goals: {g: {point: ball, position: [0.5, 0, 0]%s}}\n";

static void numbers_without_room(void** state) {
  (void)state;
  static const struct {
    const char *parameter, *words;
  } no[] = {
      {"mass: ball, at_most: 1 g", "must not be below 0.002"},
      {"length: carrier, at_most: 1e-4", "must not be below 0.001"},
      {"mass: carrier", "body 'carrier' has no mass"},
  };
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
    char text[sizeof rod + 100];
    snprintf(text, sizeof text, rod, no[i].parameter, "");
    check_refused(text, 10, no[i].words);
  }
}

static void goals_that_no_step_ends_in(void** state) {
  (void)state;
  static const char* const time[] = {", time: [51 ms, 52 ms]", ", time: [1 ms, 2 ms]"};
  for (size_t i = 0; i < 2; i++) {
    char text[sizeof rod + 100];
    snprintf(text, sizeof text, rod, "mass: ball", time[i]);
    check_refused(text, 11, "goal 'g': no step ends from");
  }
}

static void a_body_without_mass_has_a_length(void** state) {
  (void)state;
  char text[sizeof rod + 100];
  double x = 1.5, value = NAN, again = NAN, gradient = NAN;
  lb_optimization *o = NULL, *plain = NULL;
  snprintf(text, sizeof text, rod, "length: carrier", "");
  lb_scene scene = parse(text);
  assert_int_equal(lb_optimization_create(&scene, NULL, &o, NULL), LB_OK);
  assert_int_equal(lb_optimization_evaluate(o, &x, &value, &gradient, NULL), LB_OK);
  assert_true(isfinite(gradient) && gradient != 0);
  assert_int_equal(lb_optimization_apply(o, &x, &scene, NULL), LB_OK);
  assert_int_equal(lb_optimization_create(&scene, NULL, &plain, NULL), LB_OK);
  assert_int_equal(lb_optimization_evaluate(plain, plain->start, &again, NULL, NULL), LB_OK);
  assert_near(again, value, 1e-12);
  lb_optimization_release(plain);
  lb_optimization_release(o);
  lb_scene_release(&scene);
}

// A gear that does not fit as the scene has it is closed without going through the floor that a
// body stands on.
static void starts_in_contact_where_gears_are_closed(void** state) {
  (void)state;
  lb_scene scene =
      parse("duration: 50 ms\n"
            "bodies:\n"
            "  base: {shape: {box: [0.1, 0.1, 0.1]}}\n"
            "  arm: {shape: {box: [0.3, 0.05, 0.04], position: [0.15, 0, 0]}}\n"
            "  wheel: {shape: {cylinder: {radius: 6 cm, length: 3 cm}}}\n"
            "joints:\n"
            "  rail: {type: prismatic, child: base, axis: z, at: [0, 0, 0.3]}\n"
            "  turn: {type: revolute, parent: base, child: arm, axis: y}\n"
            "  shaft: {type: revolute, parent: base, child: wheel, at: [0, 0.2, 0], axis: y}\n"
            "constraints:\n"
            "  gear: {couple: [{joint: turn, times: 2}, {joint: shaft}], equals: 0}\n"
            "  ground: {floor: {body: base, points: [{at: [0, 0, -0.05]}], height: 0.25}}\n"
            "initial: {turn: {position: 0.1}}\n"
            "optimize:\n"
            "  parameters: {p: {position: turn}}\n"
            "  goals: {g: {joint: turn, position: 0}}\n");
  lb_optimization* o = NULL;
  lb_error err = lb_error_make(NULL);
  double value = 0;
  assert_int_equal(lb_optimization_create(&scene, NULL, &o, &err), LB_OK);
  assert_int_equal(lb_optimization_evaluate(o, o->start, &value, NULL, &err), LB_OK);
  lb_optimization_release(o);
  lb_scene_release(&scene);
}

// The scene can be simulated as it is.
static void linearly_implicit_steps(void** state) {
  (void)state;
  check_refused("bodies: {arm: {shape: {box: [1, 0.1, 0.1]}}}\n"
                "joints: {shoulder: {type: revolute, child: arm, axis: y, friction: 1 N m}}\n"
                "solver: {integrator: linear-euler}\n"
                "optimize:\n"
                "  parameters: {p: {velocity: shoulder}}\n"
                "  goals: {g: {joint: shoulder, position: 0}}\n",
                3, "bdf1");
}

// Numbers of the text are those of scenes whose models are made anew for every run, and whose steps
// say what their constraints do.
static void numbers_of_the_text_that_have_no_derivatives(void** state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "solver: {integrator: %s}\n"
      "bodies: {arm: {shape: {box: [1, 0.1, 0.1]}}, rod: {mass: 1}}\n"
      "joints:\n"
      "  shoulder: {type: revolute, child: arm, axis: y}\n"
      "  rail: {type: prismatic, child: rod, axis: x}\n"
      "constraints:\n"
      "  gear: {couple: [{joint: shoulder}, {joint: rail, times: 2}], equals: 0}\n"
      "%s"
      "optimize:\n"
      "  parameters: {p: {number: %s}%s}\n"
      "  goals: {g: {joint: shoulder, position: 0}}\n";
  static const struct {
    const char *integrator, *more, *path, *other;
    int line;
    const char* words;
  } bad[] = {
      {"adaptive", "", "gravity.2", "", 10, "adaptive steps have no derivatives by it"},
      {"rk4", "  stop: {couple: [{joint: shoulder}], at_most: 1}\n", "gravity.2", "", 11,
       "it needs an implicit integrator"},
      {"bdf2",
       "ropes: {r: {through: [{at: [0, 0, 2]}, {at: [0, 1, 2]}], mass: 1, stiffness: 1 kN}}\n",
       "gravity.2", "", 11, "it cannot be one beside elastic bodies, ropes and deformables"},
      {"bdf2", "", "gravity.2", ", q: {length: arm}", 10, "it cannot be one beside a 'length'"},
      {"bdf2", "", "constraints.gear.couple.1.times", "", 10,
       "the ratio of a coupling cannot be a parameter"},
      {"bdf2", "", "gravity.2", ", q: {number: gravity.2}", 10, "changes what 'p' changes"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char whole[sizeof text + 300];
    snprintf(whole, sizeof whole, text, bad[i].integrator, bad[i].more, bad[i].path, bad[i].other);
    check_refused(whole, bad[i].line, bad[i].words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_of_the_text_that_have_no_derivatives),
      cmocka_unit_test(starts_that_are_said_already),
      cmocka_unit_test(lengths_of_what_is_split_or_has_a_deformable_on_it),
      cmocka_unit_test(bdf2_is_the_integrator_unless_one_is_named),
      cmocka_unit_test(numbers_without_room),
      cmocka_unit_test(goals_that_no_step_ends_in),
      cmocka_unit_test(a_body_without_mass_has_a_length),
      cmocka_unit_test(linearly_implicit_steps),
      cmocka_unit_test(starts_in_contact_where_gears_are_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
