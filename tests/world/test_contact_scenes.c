// Scenes that live by contact do what they say: what slides, holds, falls, rolls, grips and walks.
#include "walk_on_ground.h"

// A scene after a time; changes may be NULL.
static ground_walk run_scene(const char* name, int nset, const char* const* set, double time) {
  ground_walk w;
  open_scene(&w, name, nset, set);
  step_walk(&w, (int)lround(time / w.scene.solver.step));
  return w;
}

static lb_vec3 place_of(ground_walk* w, const char* body) {
  return lb_world_pose(w->world, lb_world_find(w->world, LB_PART_BODY, body)).p;
}

// s = g (sin a - mu cos a) t^2 / 2
static void blocks_slide_by_their_friction(void** state) {
  (void)state;
  const double g = 9.81, a = 20 * M_PI / 180, t = 0.5;
  static const char* const block[] = {"slick", "middling", "rough"};
  const double mu[] = {0.2, 0.35, INFINITY};
  ground_walk start = run_scene("incline", 0, NULL, 0), end = run_scene("incline", 0, NULL, t);
  for (int i = 0; i < 3; i++) {
    const lb_vec3 way = lb_vec3_sub(place_of(&end, block[i]), place_of(&start, block[i]));
    const double far = fmax(0, 0.5 * g * (sin(a) - mu[i] * cos(a)) * t * t);
    assert_within(lb_vec3_norm(way), far, 3e-3 * far + 1e-6);
  }
  close_walk(&start);
  close_walk(&end);
}

static void cards_stand_by_friction_alone(void** state) {
  (void)state;
  static const char* const slick[] = {
      "contacts.pairs=[{between: [all, all], friction: 0.1}, {between: [all, world], friction: "
      "0.1}]"};
  ground_walk start = run_scene("card-house", 0, NULL, 0);
  ground_walk stands = run_scene("card-house", 0, NULL, 0.5);
  ground_walk falls = run_scene("card-house", 1, slick, 0.5);
  const double high = place_of(&start, "left-3").z;
  assert_within(place_of(&stands, "left-3").z, high, 1e-6);
  assert_below(place_of(&falls, "left-3").z, 0.5 * high);
  close_walk(&start);
  close_walk(&stands);
  close_walk(&falls);
}

static void a_grip_lifts_as_much_as_its_friction_holds(void** state) {
  (void)state;
  static const char* const weak[] = {
      "motors.grip.keys=[[0, 5]]"}; // 2 mu F/2 = 3 N, less than the weight
  ground_walk lifts = run_scene("gripper", 0, NULL, 2), slips = run_scene("gripper", 1, weak, 2);
  assert_within(place_of(&lifts, "box").z, 0.24, 1e-4);
  assert_within(place_of(&slips, "box").z, 0.04, 1e-4);
  close_walk(&lifts);
  close_walk(&slips);
}

static void marbles_end_in_the_tray(void** state) {
  (void)state;
  lb_test_needs_speed();
  ground_walk w = run_scene("marble-run", 0, NULL, 5);
  for (int i = 1; i <= 5; i++) {
    char name[20];
    snprintf(name, sizeof name, "marble-%d", i);
    assert_within(place_of(&w, name).z, 0.112, 1e-3);
  }
  close_walk(&w);
}

// A turn of the shaft takes it on by 4 r, while both sets of feet stay level.
static void a_wound_up_toy_walks(void** state) {
  (void)state;
  ground_walk w = run_scene("windup", 0, NULL, 1);
  const int shaft = lb_world_find(w.world, LB_PART_JOINT, "shaft");
  const double x = place_of(&w, "case").x, turned = lb_world_q(w.world, shaft)[0];
  step_walk(&w, 2000);
  const double turns = (lb_world_q(w.world, shaft)[0] - turned) / (2 * M_PI);
  assert_above(turns, 1);
  assert_within((place_of(&w, "case").x - x) / turns, 4 * 7e-3, 2e-3);
  close_walk(&w);
}

// Its loops, its motor and its legs push and pull, and nothing else does.
static void check_flight(const char* name, const char* joint, const char* coordinates) {
  char set[3][80];
  const char* const sets[] = {set[0], set[1], set[2]};
  snprintf(set[0], sizeof set[0], "gravity=[0, 0, 0]");
  snprintf(set[1], sizeof set[1], "initial.%s.position=[0, 0, 5]", joint);
  snprintf(set[2], sizeof set[2], "solver.coordinates=%s", coordinates);
  ground_walk w;
  open_scene(&w, name, 3, sets);
  const lb_model* m = lb_world_model(w.world);
  step_walk(&w, 1); // from the start, where motors take their speed at once
  const lb_momenta first = lb_momentum(m, lb_world_data(w.world));
  step_walk(&w, 1000);
  const lb_momenta last = lb_momentum(m, lb_world_data(w.world));
  const double linear = lb_vec3_norm(lb_vec3_sub(last.linear, first.linear));
  const double angular = lb_vec3_norm(lb_vec3_sub(last.angular, first.angular));
  print_message("%s, %s: %.1e, %.1e\n", name, coordinates, linear / last.linear_sum,
                angular / last.angular_sum);
  assert_below(linear, 1e-12 * last.linear_sum);
  assert_below(angular, 1e-12 * last.angular_sum);
  close_walk(&w);
}

static void walkers_in_free_flight_keep_their_momentum(void** state) {
  (void)state;
  lb_test_needs_speed();
  check_flight("jansen", "stand", "reduced");
  check_flight("klann", "stand", "reduced");
  check_flight("dog", "stand", "reduced");
}

// Past a pose in which the order of elimination of the start loses digits.
static void a_walker_walks_alike_in_maximal_coordinates(void** state) {
  (void)state;
  lb_test_needs_speed();
  static const char* const by[][2] = {{"solver.integrator=bdf1", "solver.coordinates=reduced"},
                                      {"solver.integrator=bdf1", "solver.coordinates=maximal"}};
  ground_walk a = run_scene("klann", 2, by[0], 0.3), b = run_scene("klann", 2, by[1], 0.3);
  const lb_vec3 way = lb_vec3_sub(place_of(&a, "chassis"), place_of(&b, "chassis"));
  assert_below(lb_vec3_norm(way), 1e-3);
  close_walk(&a);
  close_walk(&b);
}

// Tilt of a domino about y [rad].
static double tilt_of(ground_walk* w, int domino) {
  char name[20];
  snprintf(name, sizeof name, "domino-%d", domino);
  const int body = lb_world_find(w->world, LB_PART_BODY, name);
  const lb_vec3 up = lb_quat_rotate(lb_world_pose(w->world, body).q, lb_vec3_make(0, 0, 1));
  return atan2(up.x, up.z);
}

enum { DOMINOES = 30 };

// Times at which they pass an eighth of half a turn. None does before its turn.
static void run_dominoes(ground_walk* w, double fell[DOMINOES + 1]) {
  int down = 0;
  while (down < DOMINOES && lb_world_time(w->world) < 2.5) {
    step_walk(w, 1);
    if (tilt_of(w, down + 1) > M_PI / 8) {
      fell[++down] = lb_world_time(w->world);
    }
    for (int i = down + 2; i <= DOMINOES; i++) {
      assert_below(tilt_of(w, i), M_PI / 8);
    }
  }
  assert_int_equal(down, DOMINOES);
}

// All fall, one after the other, as a wave that soon goes evenly, at the same speed for half the
// step. Gravity and the height H give the scale of that speed: rows with gaps of about half the
// height go with little more than sqrt(g H).
static void dominoes_fall_in_order_as_an_even_wave(void** state) {
  (void)state;
  static const char* const finer[] = {"solver.step=1 ms"};
  const double scale = sqrt(9.81 * 0.05), apart = 0.03;
  double speed[2], fell[DOMINOES + 1];
  for (int k = 0; k < 2; k++) {
    ground_walk w;
    open_scene(&w, "dominoes", k, finer);
    run_dominoes(&w, fell);
    const double middle = 10 * apart / (fell[20] - fell[10]);
    speed[k] = 9 * apart / (fell[29] - fell[20]);
    print_message("%.3f m/s, then %.3f m/s: %.2f sqrt(g H)\n", middle, speed[k], speed[k] / scale);
    assert_within(speed[k] / middle, 1, 0.05);
    assert_true(speed[k] > scale && speed[k] < 1.6 * scale);
    step_walk(&w, (int)lround(0.5 / w.scene.solver.step));
    for (int i = 1; i < DOMINOES; i++) { // each leans on the next, the last one lies
      assert_above(tilt_of(&w, i), M_PI / 4);
    }
    assert_within(tilt_of(&w, DOMINOES), M_PI / 2, 1e-3);
    close_walk(&w);
  }
  assert_within(speed[1] / speed[0], 1, 0.05);
}

// Momentum along the table, and energy of motion.
typedef struct shot {
  lb_vec3 momentum;
  double energy;
} shot;

static shot look_at_balls(ground_walk* w) {
  const lb_model* m = lb_world_model(w->world);
  lb_data* d = lb_world_data(w->world);
  return (shot){lb_momentum(m, d).linear, lb_kinetic_energy(m, d)};
}

static int count_moving(ground_walk* w) {
  int moving = 0;
  for (int i = 1; i <= 15; i++) {
    char name[20];
    snprintf(name, sizeof name, "ball-%d", i);
    const int ball = lb_world_find(w->world, LB_PART_BODY, name);
    moving += lb_vec3_norm(lb_world_velocity(w->world, ball).linear) > 0.05;
  }
  return moving;
}

// The break on a slippery table, before any ball is at a rail: most move, and momentum along the
// table stays. Of the energy no step makes more; the first hit of two balls leaves (1 + e^2)/2 of
// it, those that follow take about as much again.
static void a_break_keeps_momentum_and_loses_what_restitution_takes(void** state) {
  (void)state;
  static const char* const set[] = {"materials.cloth.friction=0", "materials.cloth.rolling=0",
                                    "solver.step=0.1 ms"};
  const double e = 0.95;
  for (int finer = 0; finer < 2; finer++) {
    ground_walk w;
    open_scene(&w, "billiards", 2 + finer, set);
    const int steps = (int)lround(0.06 / w.scene.solver.step);
    step_walk(&w, (int)lround(0.14 / w.scene.solver.step));
    const shot before = look_at_balls(&w);
    shot last = before;
    for (int k = 0; k < steps; k++) {
      step_walk(&w, 1);
      const shot now = look_at_balls(&w);
      assert_at_most(now.energy, last.energy + 1e-4 * before.energy);
      last = now;
    }
    print_message("momentum %.6f, %.6f; %.2e aside; %.4f of the energy\n", before.momentum.x,
                  last.momentum.x, last.momentum.y, last.energy / before.energy);
    assert_within(last.momentum.x, before.momentum.x, 1e-9);
    assert_within(last.momentum.y, before.momentum.y, 1e-9);
    assert_at_least(count_moving(&w), 10);
    assert_below(last.energy, (1 + e * e) / 2 * before.energy);
    assert_above(last.energy, 0.7 * before.energy);
    close_walk(&w);
  }
}

// Mean speed over the two cycles of half a second that the search was for.
static double beetle_speed(const char* scene) {
  ground_walk w = run_scene(scene, 0, NULL, 0.5);
  const double from = place_of(&w, "body").x;
  step_walk(&w, (int)lround(1 / w.scene.solver.step));
  const double speed = place_of(&w, "body").x - from;
  close_walk(&w);
  return speed;
}

static void what_optimize_found_makes_a_walker_fast(void** state) {
  (void)state;
  const double before = beetle_speed("walker-to-design"), after = beetle_speed("walker-designed");
  print_message("%.3f m/s before, %.3f m/s after\n", before, after);
  assert_below(before, 0.4);
  assert_above(after, 0.8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_slide_by_their_friction),
      cmocka_unit_test(cards_stand_by_friction_alone),
      cmocka_unit_test(a_grip_lifts_as_much_as_its_friction_holds),
      cmocka_unit_test(marbles_end_in_the_tray),
      cmocka_unit_test(a_wound_up_toy_walks),
      cmocka_unit_test(walkers_in_free_flight_keep_their_momentum),
      cmocka_unit_test(dominoes_fall_in_order_as_an_even_wave),
      cmocka_unit_test(a_break_keeps_momentum_and_loses_what_restitution_takes),
      cmocka_unit_test(what_optimize_found_makes_a_walker_fast),
      cmocka_unit_test(a_walker_walks_alike_in_maximal_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
