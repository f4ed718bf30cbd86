// Walkers on flat ground with a friction of 0.8: as far a cycle as their kinematics say, by 3 % at
// most, upright, and with pins that hold.
#include "walk_on_ground.h"

typedef struct expected_walk {
  const char* scene;
  double period;       // of a cycle [s]
  double unit;         // of the numbers below [m]
  double least, most;  // distance a cycle by kinematics
  double heave, pitch; // at most, the latter in degrees
} expected_walk;

// At the pace of these scenes legs that swing and feet that land add to what kinematics has for
// heave and pitch; long_walkers compares both where a walker is slow.
static const expected_walk WALKS[] = {
    {"jansen", 2, 0.01, 137.9, 143.3, 0.4, 0.5},
    {"klann", 2, 0.5, 2.00, 2.01, 0.050, 0.60},
    {"dog", 3, 0.005, 80.1, 80.1, 0.5, 0.6},
    {"giraffe", 4.5, 0.01, 80.1, 80.1, 0.5, 0.8},
};

static void walkers_go_as_far_as_their_feet_say(void** state) {
  (void)state;
  lb_test_needs_speed();
  for (int i = 0; i < 4; i++) {
    const expected_walk* e = &WALKS[i];
    ground_walk w;
    open_walk(&w, e->scene, 0, NULL);
    walk_cycles(&w, e->period, 2);
    print_message("%s: %.4g a cycle, heave %.3g, pitch %.3f, roll %.3f degrees, pins %.2g m\n",
                  e->scene, w.along / e->unit, w.heave / e->unit, w.pitch, w.roll, w.gap);
    assert_above(w.along / e->unit, 0.97 * e->least);
    assert_below(w.along / e->unit, 1.03 * e->most);
    assert_below(w.heave / e->unit, e->heave);
    assert_below(w.pitch, e->pitch);
    assert_above(w.upright, 0.99);
    assert_below(w.gap, 1e-6);
    close_walk(&w);
  }
}

// Pins of loops and of the tree alike, by either kind of coordinates and two integrators, in every
// step: in free flight, while feet land and while they stand.
static void pins_hold_while_it_walks(void** state) {
  (void)state;
  static const char* const by[][2] = {
      {"solver.coordinates=maximal", "solver.integrator=linear-euler"},
      {"solver.coordinates=reduced", "solver.integrator=bdf1"},
      {"solver.coordinates=maximal", "solver.integrator=bdf1"}};
  for (int i = 0; i < 3; i++) {
    ground_walk w;
    open_walk(&w, "dog", 2, by[i]);
    step_walk(&w, 450);
    assert_below(w.gap, 1e-9);
    close_walk(&w);
  }
}

// 5 cm above the ground, from the first step of the motors on until feet have landed.
static void pins_hold_from_the_first_step_on(void** state) {
  (void)state;
  static const char* const high[] = {"initial.stand.position=[0, 0, 5 cm]"};
  for (int i = 0; i < 4; i++) {
    ground_walk w;
    open_walk(&w, WALKS[i].scene, 1, high);
    step_walk(&w, 150);
    print_message("%s: pins %.2g m\n", WALKS[i].scene, w.gap);
    assert_below(w.gap, 1e-9);
    close_walk(&w);
  }
}

// Where the weight presses on the ground, before anything moves [m].
static double place_of_weight(const char* scene) {
  ground_walk w;
  open_scene(&w, scene, 0, NULL);
  const lb_model* m = lb_world_model(w.world);
  double mass = 0, sum = 0;
  for (int b = 0; b < m->nbody; b++) {
    const lb_mass* of = &m->body.mass[b];
    mass += of->mass;
    sum += of->mass * lb_transform_point(lb_world_pose(w.world, b), of->com).x;
  }
  close_walk(&w);
  return sum / mass;
}

// Feet stand square on the slope, about the world's origin: with the weight there, too, three of
// them carry it all the time, as on the flat.
static void uphill_the_weight_presses_where_it_does_on_the_flat(void** state) {
  (void)state;
  assert_within(place_of_weight("dog-slope"), place_of_weight("dog"), 3e-3);
  assert_within(place_of_weight("giraffe-slope"), place_of_weight("giraffe"), 3e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walkers_go_as_far_as_their_feet_say),
      cmocka_unit_test(uphill_the_weight_presses_where_it_does_on_the_flat),
      cmocka_unit_test(pins_hold_while_it_walks),
      cmocka_unit_test(pins_hold_from_the_first_step_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
