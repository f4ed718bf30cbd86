// Friction that sticks keeps what lies on a carrier at its place there, however the carrier moves.
#include "dynamics/contact/contact_set.h"
#include "solve/contact_scene.h"
#include "world/world_inside.h"

// --- carriers ---

// Place of the box in the axes of the plate that carries it.
static lb_vec3 place_on_plate(lb_world* w) {
  const lb_transform X = lb_world_pose(w, lb_world_find(w, LB_PART_BODY, "plate"));
  return lb_quat_rotate(lb_quat_conjugate(X.q), lb_vec3_sub(contact_place(w, "b"), X.p));
}

// Way of the box along the plate from where it is after a second: the longest one, and the growth
// of it from the second second to the last, a second [m].
typedef struct way {
  double most, growth;
} way;

static way way_on_plate(lb_world* w) {
  enum { SECONDS = 10 };
  contact_run(w, 1);
  const lb_vec3 start = place_on_plate(w);
  way out = {0, 0};
  double second = 0, x = 0;
  for (int i = 1; i <= 100 * (SECONDS - 1); i++) {
    contact_run(w, 1 + 0.01 * i);
    const lb_vec3 p = lb_vec3_sub(place_on_plate(w), start);
    x = hypot(p.x, p.y);
    second = i == 100 ? x : second;
    out.most = fmax(out.most, x);
  }
  out.growth = (x - second) / (SECONDS - 2);
  lb_world_close(w);
  return out;
}

// The box stays within `most` of its place, and what is left of a cycle of a second is `growth`.
static void assert_stays(lb_world* w, double most, double growth) {
  const way x = way_on_plate(w);
  print_message("within %.2g um, %.2g um a second\n", 1e6 * x.most, 1e6 * x.growth);
  assert_below(x.most, most);
  assert_below(fabs(x.growth), growth);
}

typedef struct manner {
  const char *integrator, *coordinates, *contacts;
} manner;
static const manner MANNERS[] = {{"linear-euler", "reduced", ""},
                                 {"linear-euler", "reduced", "law: compliant"},
                                 {"linear-euler", "maximal", ""},
                                 {"euler", "reduced", ""},
                                 {"linear-euler", "reduced", "cone: pyramid"},
                                 {"bdf1", "reduced", ""},
                                 {"bdf1", "reduced", "law: compliant"},
                                 {"bdf2", "reduced", ""},
                                 {"sdirk2", "reduced", ""}};
enum { MANNER_COUNT = sizeof MANNERS / sizeof *MANNERS };

// A box on a plate, at x, that a motor moves as keys say.
static lb_world* carrier(manner by, double x, const char* joint, const char* keys,
                         const char* more) {
  return contact_world(
      "solver: {integrator: %s, coordinates: %s, step: 1 ms}\ncontacts: {%s}\nmaterials: {m: "
      "{friction: 0.9}, bouncy: {friction: 0.5, restitution: 0.5}}\nbodies:\n  plate: {shape: "
      "{box: [2, 2, 0.1]}, material: m}\n  b: {shape: "
      "{box: [0.1, 0.1, 0.1]}, material: m, position: [%g, 0.03, 0.1]}\njoints: {j: {%s, child: "
      "plate}}\nmotors: {j: {joint: j, %s}}\n%s",
      by.integrator, by.coordinates, by.contacts, x, joint, keys, more);
}

// Keys to and fro between two values, from zero, half a second each.
typedef struct keys {
  char text[1000];
} keys;
static keys to_and_fro(double value, const char* unit) {
  keys k;
  size_t at = (size_t)snprintf(k.text, sizeof k.text, "keys: [[0, 0 %s]", unit);
  for (int i = 0; i < 22; i++) {
    at += (size_t)snprintf(k.text + at, sizeof k.text - at, ", [%g, %g %s]", 0.5 * (i + 1),
                           i % 2 ? -value : value, unit);
  }
  snprintf(k.text + at, sizeof k.text - at, "]");
  return k;
}

static void what_lies_on_a_turntable_stays(void** state) {
  (void)state;
  for (int i = 0; i < MANNER_COUNT; i++) {
    assert_stays(carrier(MANNERS[i], 0.18, "type: revolute, axis: z",
                         "ease: linear, keys: [[0, 0], [20, 100]]",
                         "initial: {b: {velocity: [-0.15, 0.9, 0], spin: [0, 0, 5]}}\n"),
                 1e-8, 1e-9);
  }
}

// A ball rolls beside it, which may bounce in any step: those of implicit integrators are then
// taken by linearly implicit Euler.
static void what_lies_on_a_turntable_stays_while_something_bounces(void** state) {
  (void)state;
  static const char* const BY[] = {"linear-euler", "bdf1", "bdf2", "sdirk2"};
  for (int i = 0; i < 4; i++) {
    const manner by = {BY[i], "reduced", ""};
    assert_stays(
        carrier(by, 0.18, "type: revolute, axis: z", "ease: linear, keys: [[0, 0], [20, 100]]",
                "repeat:\n  - count: 1\n    bodies: {ball-(n): {shape: {sphere: {radius: 0.1}}, "
                "material: bouncy, position: [10, 0, 0.3]}}\n"
                "scenery: [{box: [4, 40, 0.2], position: [10, 0, 0.1], solid: true, material: "
                "bouncy}]\ninitial: {b: {velocity: [-0.15, 0.9, 0], spin: [0, 0, 5]}, ball-1: "
                "{velocity: [0, 1, 0], spin: [-10, 0, 0]}}\n"),
        1e-8, 1e-9);
  }
}

// Far out and by long steps the way of a step is long beside the body.
static void what_lies_far_out_on_a_turntable_stays(void** state) {
  (void)state;
  lb_world* w = contact_world(
      "solver: {step: 10 ms}\ncontacts: {}\nmaterials: {m: {friction: 0.9}}\nbodies:\n  plate: "
      "{shape: {box: [8, 8, 0.1]}, material: m}\n  b: {shape: {box: [0.04, 0.04, 0.02]}, "
      "material: m, position: [3, 0, 0.06]}\njoints: {j: {type: revolute, axis: z, child: plate}}\n"
      "motors: {j: {joint: j, ease: linear, keys: [[0, 0], [20, 30]]}}\ninitial: {b: {velocity: "
      "[0, 4.5, 0], spin: [0, 0, 1.5]}}\n");
  assert_stays(w, 1e-6, 1e-7);
}

// A box on a plate along z, which a motor holds or nothing does.
static lb_world* lift(const char* motors) {
  return contact_world(
      "contacts: {}\nmaterials: {m: {friction: 0.9}}\nbodies:\n  plate: {shape: {box: [1, 1, "
      "0.1]}, material: m}\n  b: {shape: {box: [0.1, 0.1, 0.1]}, material: m, position: [0, 0, "
      "0.1]}\njoints: {j: {type: prismatic, axis: z, child: plate}}\n%s",
      motors);
}

// What moves a carrier by hand moves it without speed: what lies on it is not thrown.
static void what_lies_on_a_carrier_that_is_moved_by_hand_is_not_thrown(void** state) {
  (void)state;
  static const double BY[] = {1e-4, 5e-4, 9e-4, 2e-3};
  for (int i = 0; i < 8; i++) {
    const double by = BY[i % 4], none = 0;
    const bool placed = i >= 4; // what a motor holds cannot be
    lb_world* w = lift(placed ? "" : "motors: {j: {joint: j, keys: [[0, 0]]}}\n");
    const int joint = lb_world_find(w, LB_PART_JOINT, "j"),
              motor = placed ? -1 : lb_world_find(w, LB_PART_MOTOR, "j");
    double highest = 0;
    for (int k = 0; k < 300; k++) {
      const double to = k < 100 ? 0 : by;
      if (placed) {
        lb_world_place(w, joint, &to, &none);
      } else {
        lb_world_set_motion(w, motor, to, 0);
      }
      contact_run(w, lb_world_time(w) + 1e-3);
      highest = fmax(highest, contact_place(w, "b").z);
    }
    assert_above(highest, 0.1 + 0.4 * by); // it is lifted
    assert_below(highest, 0.1 + by + 1e-5);
    lb_world_close(w);
  }
}

// ... and with speed, by hand, it has that alone, however far it was moved.
static void what_lies_on_a_carrier_that_is_thrown_by_hand_has_its_speed(void** state) {
  (void)state;
  const double up = 9e-4, speed = 1, none = 0;
  lb_world* w = lift("");
  const int joint = lb_world_find(w, LB_PART_JOINT, "j");
  for (int k = 0; k < 100; k++) {
    lb_world_place(w, joint, &none, &none);
    contact_run(w, lb_world_time(w) + 1e-3);
  }
  contact_run(w, lb_world_time(w) + 1e-3); // nothing is by hand
  lb_world_place(w, joint, &up, &speed);
  contact_run(w, lb_world_time(w) + 1e-3);
  const double v = contact_velocity(w, "b").linear.z;
  print_message("%g m/s\n", v);
  assert_above(v, 0.9);
  assert_below(v, 1.01);
  lb_world_close(w);
}

static void what_lies_on_a_rocking_plate_stays(void** state) {
  (void)state;
  for (int i = 0; i < MANNER_COUNT; i++) {
    assert_stays(
        carrier(MANNERS[i], 0.2, "type: revolute, axis: y", to_and_fro(15, "deg").text, ""), 1e-5,
        1e-7);
  }
}

static void what_lies_on_a_shaken_plate_stays(void** state) {
  (void)state;
  for (int i = 0; i < MANNER_COUNT; i++) {
    assert_stays(
        carrier(MANNERS[i], 0.2, "type: prismatic, axis: x", to_and_fro(12, "cm").text, ""), 1e-5,
        1e-7);
  }
}

static void what_lies_on_a_table_that_turns_to_and_fro_stays(void** state) {
  (void)state;
  for (int i = 0; i < MANNER_COUNT; i++) {
    assert_stays(
        carrier(MANNERS[i], 0.2, "type: revolute, axis: z", to_and_fro(15, "deg").text, ""), 1e-5,
        1e-7);
  }
}

// A gondola: an arm swings, and the plate on its end is kept level.
static void what_lies_in_a_gondola_stays(void** state) {
  (void)state;
  static const char* const BY[][2] = {
      {"linear-euler", "reduced"}, {"linear-euler", "maximal"}, {"bdf1", "reduced"}};
  for (int i = 0; i < 3; i++) {
    assert_stays(
        contact_world(
            "solver: {integrator: %s, coordinates: %s}\ncontacts: {}\nmaterials: {m: {friction: "
            "0.9}}\nbodies:\n  arm: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n  plate: {shape: {box: "
            "[0.5, 0.5, 0.1]}, material: m}\n  b: {shape: {box: [0.1, 0.1, 0.1]}, material: m, "
            "position: [0.6, 0, 0.1]}\njoints:\n  arm: {type: revolute, child: arm, axis: "
            "y}\n  plate: {type: revolute, parent: arm, child: plate, axis: y, at: [0.5, 0, "
            "0]}\nmotors:\n  arm: {joint: arm, %s}\n  plate: {joint: plate, %s}\n",
            BY[i][0], BY[i][1], to_and_fro(8, "deg").text, to_and_fro(-8, "deg").text),
        1e-5, 1e-7);
  }
}

// Each box of a pile lies on one that is carried.
static void a_pile_on_a_rocking_plate_stays(void** state) {
  (void)state;
  lb_world* w = contact_world(
      "solver: {step: 1 ms}\ncontacts: {}\nmaterials: {m: {friction: 0.9}}\nbodies:\n  plate: "
      "{shape: {box: [2, 2, 0.1]}, material: m}\n  first: {shape: {box: [0.2, 0.2, 0.1]}, "
      "material: m, position: [0.2, 0, 0.1]}\n  second: {shape: {box: [0.2, 0.2, 0.1]}, material: "
      "m, position: [0.23, 0, 0.2]}\n  b: {shape: {box: [0.2, 0.2, 0.1]}, material: m, position: "
      "[0.2, 0.02, 0.3]}\njoints: {j: {type: revolute, axis: y, child: plate}}\nmotors: {j: "
      "{joint: j, %s}}\n",
      to_and_fro(8, "deg").text);
  assert_stays(w, 1e-5, 1e-7);
}

// What a carrier was beside its velocities is part of a state.
static void a_state_on_a_carrier_goes_on_alike(void** state) {
  (void)state;
  lb_world* w = carrier(MANNERS[0], 0.2, "type: revolute, axis: y", to_and_fro(15, "deg").text, "");
  contact_run(w, 1.25);
  double* kept = test_calloc(lb_world_state_size(w), sizeof *kept);
  lb_world_save(w, kept);
  contact_run(w, 1.5);
  const lb_vec3 first = contact_place(w, "b");
  contact_run(w, 2.1);
  lb_world_restore(w, kept);
  contact_run(w, 1.5);
  const lb_vec3 again = contact_place(w, "b");
  assert_true(first.x == again.x && first.y == again.y && first.z == again.z);
  test_free(kept);
  lb_world_close(w);
}

// Also where a carrier turns back, and in a world that has not been on the way.
static void a_state_where_a_carrier_turns_back_goes_on_alike_elsewhere(void** state) {
  (void)state;
  enum { STEPS = 20 };
  const keys by = to_and_fro(12, "cm");
  static const char SHAKEN[] = "type: prismatic, axis: x";
  lb_world* w = carrier(MANNERS[0], 0.2, SHAKEN, by.text, "");
  double* kept = test_calloc(lb_world_state_size(w), sizeof *kept);
  contact_run(w, 0.99);
  for (int i = 0; i < STEPS; i++) {
    lb_world* other = carrier(MANNERS[0], 0.2, SHAKEN, by.text, "");
    lb_world_save(w, kept);
    lb_world_restore(other, kept);
    for (int k = 0; k < 2; k++) {
      lb_world_step(other, 0);
    }
    lb_world_step(w, 0);
    lb_world_save(w, kept);
    lb_world_step(w, 0);
    const lb_vec3 first = contact_place(w, "b"), again = contact_place(other, "b");
    if (!(first.x == again.x && first.y == again.y && first.z == again.z)) {
      fail_msg("step %d: %.17g and %.17g", i, first.x, again.x);
    }
    lb_world_restore(w, kept);
    lb_world_close(other);
  }
  test_free(kept);
  lb_world_close(w);
}

// Where a ball may bounce in any step, all of them are those of linearly implicit Euler, and the
// forces that are told of are theirs: those of what yields, too.
static void forces_of_steps_with_bounces_are_told_by_who_took_them(void** state) {
  (void)state;
  enum { STEPS = 300 };
  static const char* const BY[] = {"linear-euler", "bdf1", "bdf2", "sdirk2"};
  static double force[4][STEPS];
  for (int i = 0; i < 4; i++) {
    lb_world* w = contact_world(
        "solver: {integrator: %s, step: 1 ms}\ncontacts: {}\nmaterials: {bouncy: {friction: 0.5, "
        "restitution: 0.5}}\nbodies:\n  arm: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n  bob: {mass: 2, "
        "inertia: [0.1, 0.1, 0.1], position: [0.5, 0, -0.5]}\n  ball: {shape: {sphere: {radius: "
        "0.1}}, material: bouncy, position: [10, 0, 0.3]}\njoints: {s: {type: revolute, axis: y, "
        "child: arm}}\nmotors: {s: {joint: s, keys: [[0, 0], [0.5, 0.3], [1, 0]]}}\nconstraints: "
        "{rod: {distance: {from: {body: arm, at: [0.5, 0, 0]}, to: {body: bob}}, stiffness: 1e5 "
        "N/m, damping: 1e3 N s/m}}\nscenery: [{box: [4, 40, 0.2], position: [10, 0, 0.1], solid: "
        "true, material: bouncy}]\ninitial: {ball: {velocity: [0, 1, 0], spin: [-10, 0, 0]}}\n",
        BY[i]);
    const int motor = lb_world_find(w, LB_PART_MOTOR, "s");
    for (int k = 0; k < STEPS; k++) {
      lb_world_step(w, 0);
      force[i][k] = lb_world_motor_force(w, motor);
      if (force[i][k] != force[0][k]) {
        fail_msg("%s, step %d: %.9g and %.9g", BY[i], k, force[i][k], force[0][k]);
      }
    }
    lb_world_close(w);
  }
  assert_above(fabs(force[0][STEPS - 1]), 1);
}

// So many boxes that pairs, points and groups of links are shared among the threads.
static void boxes_on_a_carrier_are_the_same_bytes_for_any_number_of_threads(void** state) {
  (void)state;
  enum { ROWS = 60, BOXES = 6 * ROWS };
  static lb_transform pose[3][BOXES];
  char boxes[2000];
  size_t at = 0;
  for (int k = 0; k < 6; k++) {
    at += (size_t)snprintf(boxes + at, sizeof boxes - at,
                           "      c%d-(n): {shape: {box: [0.1, 0.1, 0.1]}, material: m, position: "
                           "[%g, (0.15n-4.5), 0.1]}\n",
                           k, 0.15 * k - 0.4);
  }
  for (int i = 0; i < 3; i++) {
    lb_world* w = contact_world(
        "contacts: {}\nmaterials: {m: {friction: 0.9}}\nbodies: {plate: {shape: {box: [10, 10, "
        "0.1]}, material: m}}\njoints: {j: {type: revolute, axis: y, child: plate}}\nmotors: {j: "
        "{joint: j, %s}}\nrepeat:\n  - count: %d\n    bodies:\n%s",
        to_and_fro(8, "deg").text, ROWS, boxes);
    const lb_touch* touch = NULL;
    w->d->threads = 1 << i;
    contact_run(w, 0.3);
    assert_at_least(lb_contacts_points(w->d->work->contacts, &touch), 4 * BOXES);
    for (int k = 0; k < BOXES; k++) {
      pose[i][k] = lb_world_pose(w, 1 + k);
    }
    lb_world_close(w);
    assert_memory_equal(pose[i], pose[0], sizeof pose[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_lies_on_a_turntable_stays),
      cmocka_unit_test(what_lies_on_a_turntable_stays_while_something_bounces),
      cmocka_unit_test(what_lies_far_out_on_a_turntable_stays),
      cmocka_unit_test(what_lies_on_a_carrier_that_is_moved_by_hand_is_not_thrown),
      cmocka_unit_test(what_lies_on_a_carrier_that_is_thrown_by_hand_has_its_speed),
      cmocka_unit_test(what_lies_on_a_rocking_plate_stays),
      cmocka_unit_test(what_lies_on_a_shaken_plate_stays),
      cmocka_unit_test(what_lies_on_a_table_that_turns_to_and_fro_stays),
      cmocka_unit_test(what_lies_in_a_gondola_stays),
      cmocka_unit_test(a_pile_on_a_rocking_plate_stays),
      cmocka_unit_test(a_state_on_a_carrier_goes_on_alike),
      cmocka_unit_test(a_state_where_a_carrier_turns_back_goes_on_alike_elsewhere),
      cmocka_unit_test(forces_of_steps_with_bounces_are_told_by_who_took_them),
      cmocka_unit_test(boxes_on_a_carrier_are_the_same_bytes_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
