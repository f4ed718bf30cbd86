// Bodies that are fast against their size: they pass through nothing, meet nothing that they only
// pass, and what they strike passes through nothing either.
#include <stdlib.h>
#include <unistd.h>

#include "contact_scene.h"

#define STILL "gravity: [0, 0, 0]\n"

// A plate of 1 mm with its upper face at z = 0.5 mm, as a box and as a mesh of 128 triangles.
typedef struct plate {
  char text[256];
} plate;

static const char* mesh_file(void) {
  static char name[] = "/tmp/limber-plate-XXXXXX.obj";
  static bool written = false;
  enum { N = 8 };
  if (written) {
    return name;
  }
  const int file = mkstemps(name, 4);
  assert_true(file >= 0);
  FILE* out = fdopen(file, "w");
  for (int i = 0; i <= N; i++) {
    for (int k = 0; k <= N; k++) {
      fprintf(out, "v %g %g 0.0005\n", 4.0 * i / N - 2, 4.0 * k / N - 2);
    }
  }
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++) {
      const int a = 1 + i * (N + 1) + k, b = a + N + 1;
      fprintf(out, "f %d %d %d\nf %d %d %d\n", a, b, b + 1, a, b + 1, a + 1);
    }
  }
  fclose(out);
  written = true;
  return name;
}

static plate plate_of(bool mesh) {
  plate p;
  if (mesh) {
    snprintf(p.text, sizeof p.text,
             "scenery: [{mesh: \"%s\", solid: true, convex: false, material: m}]\n", mesh_file());
  } else {
    snprintf(p.text, sizeof p.text, "scenery: [{box: [4, 4, 0.001], solid: true, material: m}]\n");
  }
  return p;
}

// The lowest place of a body's centre until a time.
static double lowest(lb_world* w, const char* body, double until) {
  double low = contact_place(w, body).z;
  for (double t = 0; t < until; t = lb_world_time(w)) {
    assert_int_equal(lb_world_step(w, 0), LB_OK);
    low = fmin(low, contact_place(w, body).z);
  }
  return low;
}

// --- what is struck ---

// A ball of 1 cm at rest above the plate, struck from above. Its centre stays above 0.9 of its
// radius over the plate.
static void strike(const char* bat, double mass, double speed, double step, double height,
                   double aside, double e, bool mesh) {
  lb_world* w = contact_world(
      STILL "solver: {step: %.17g}\nmaterials: {m: {restitution: %g, friction: 0.3}}\ncontacts: "
            "{}\n%sbodies:\n  a: {shape: {%s}, mass: %g, material: m, position: [%g, 0, %.17g]}\n  "
            "b: {shape: {sphere: {radius: 1 cm}}, material: m, mass: 10 g, position: [0, 0, "
            "%.17g]}\ninitial: {a: {velocity: [0, 0, %g]}}\n",
      step, e, plate_of(mesh).text, bat, mass, aside, height + 0.3, height, -speed);
  assert_above(lowest(w, "b", 0.3), 0.0005 + 0.9 * 0.01);
  lb_world_close(w);
}

static void what_is_struck_stays_above_a_thin_plate(void** state) {
  (void)state;
  static const double E[] = {0, 0.5, 1};
  for (int k = 0; k < 2 * 3 * 8; k++) {
    const bool mesh = k % 2;
    const double e = E[k / 2 % 3], phase = k / 6;
    strike("sphere: {radius: 1 cm}", 0.01, 100, 1.0 / 60, 0.03 + 0.011 * phase, 0, e, mesh);
    strike("sphere: {radius: 1 cm}", 0.05, 100, 1.0 / 60, 0.02 + 0.003 * phase, 0.004, e, mesh);
    strike("box: [10 cm, 10 cm, 4 cm]", 2, 30, 1e-3, 0.0125 + 0.002 * phase, 0, e, mesh);
    strike("box: [10 cm, 10 cm, 4 cm]", 2, 30, 1e-3, 0.0155 + 0.001 * phase, 0.03, e, mesh);
    strike("capsule: {radius: 2 cm, length: 6 cm}", 1, 60, 2e-3, 0.0125 + 0.004 * phase, 0.005, e,
           mesh);
  }
}

static void a_box_that_is_struck_stays_above_a_thin_plate(void** state) {
  (void)state;
  for (int k = 0; k < 16; k++) {
    lb_world* w = contact_world(
        STILL "solver: {step: 1 ms}\nmaterials: {m: {restitution: 0.3, friction: 0.3}}\ncontacts: "
              "{}\n%sbodies:\n  a: {shape: {box: [10 cm, 10 cm, 4 cm]}, mass: 2, material: m, "
              "position: [%g, 0, 0.3]}\n  b: {shape: {box: [3 cm, 3 cm, 2 cm]}, mass: 20 g, "
              "material: m, position: [0, 0, %g]}\ninitial: {a: {velocity: [0, 0, -30]}}\n",
        plate_of(k % 2).text, 0.01 * (k % 3), 0.012 + 0.002 * k);
    assert_above(lowest(w, "b", 0.2), 0.0005 + 0.9 * 0.01);
    lb_world_close(w);
  }
}

// Long bodies that are struck beside their middle, or land on an end: they turn by much in the
// step.
static void what_is_spun_stays_above_a_thin_plate(void** state) {
  (void)state;
  static const char* const SHAPES[] = {
      "ellipsoid: {radii: [1 cm, 2 cm, 3 cm]}", "capsule: {radius: 1 cm, length: 5 cm}",
      "box: [2 cm, 3 cm, 4 cm]", "cylinder: {radius: 1 cm, length: 3 cm}"};
  lb_random r = {23};
  for (int k = 0; k < 96; k++) {
    double x[9];
    for (int i = 0; i < 9; i++) {
      x[i] = lb_random_between(&r, -1, 1);
    }
    lb_world* w = contact_world(
        STILL
        "solver: {step: %g}\nmaterials: {m: {restitution: %g, friction: 0.3}}\ncontacts: {}\n"
        "%sbodies:\n  a: {shape: {%s}, material: m, mass: 0.3, position: [%g, %g, 0.5], "
        "rotation: [%g rad, %g rad, 0]}\n  b: {shape: {%s}, material: m, mass: 0.05, position: "
        "[0, 0, %g], rotation: [%g rad, %g rad, 0]}\ninitial: {a: {velocity: [0, 0, %g], spin: "
        "[%g, 0, 9]}}\n",
        k % 2 ? 1e-3 : 2e-3, 0.5 * (k % 3), plate_of(k / 4 % 2).text, SHAPES[k % 4], 0.02 * x[0],
        0.02 * x[1], 3 * x[2], 3 * x[3], SHAPES[k / 8 % 4], 0.08 + 0.04 * x[4], 3 * x[5], 3 * x[6],
        -50 + 20 * x[7], 20 * x[8]);
    for (int i = 0; i < 60; i++) {
      assert_int_equal(lb_world_step(w, 0), LB_OK);
      for (int body = 0; body < 2; body++) {
        const lb_vec3 at = lb_world_pose(w, body).p;
        const bool beside = fabs(at.x) > 1.9 || fabs(at.y) > 1.9;
        assert_true(beside || at.z > 0.0005);
      }
    }
    lb_world_close(w);
  }
}

// By all integrators that go with contacts.
static void what_is_struck_stays_above_by_all_integrators(void** state) {
  (void)state;
  static const char* const BY[] = {"euler", "bdf1", "bdf2", "sdirk2"};
  for (int k = 0; k < 4 * 6; k++) {
    lb_world* w = contact_world(
        STILL
        "solver: {step: 1 ms, integrator: %s}\nmaterials: {m: {restitution: 0.5}}\ncontacts: "
        "{}\n%sbodies:\n  a: {shape: {box: [10 cm, 10 cm, 4 cm]}, mass: 2, material: m, "
        "position: [0, 0, 0.3]}\n  b: {shape: {sphere: {radius: 1 cm}}, mass: 10 g, material: "
        "m, position: [0, 0, %g]}\n  c: {shape: {sphere: {radius: 1 cm}}, position: [2.02, 0, "
        "%g]}\ninitial: {a: {velocity: [0, 0, -30]}, c: {velocity: [0, 0, -50]}}\n",
        BY[k % 4], plate_of(k / 4 % 2).text, 0.0125 + 0.003 * (k / 8), 0.4 + 0.017 * (k / 8));
    assert_above(lowest(w, "b", 0.05), 0.0005 + 0.9 * 0.01);
    assert_within(contact_velocity(w, "c").linear.z, -50, 1e-7); // which flies past
    lb_world_close(w);
  }
}

// A club on a hinge, whose end comes down at 30 m/s.
static void what_a_mechanism_strikes_stays_above_a_thin_plate(void** state) {
  (void)state;
  for (int k = 0; k < 16; k++) {
    lb_world* w = contact_world(
        STILL
        "solver: {step: 2 ms}\nmaterials: {m: {restitution: 0.5, friction: 0.3}}\ncontacts: "
        "{}\n%sbodies:\n  club: {shape: {box: [0.5, 4 cm, 4 cm], position: [0.25, 0, 0]}, "
        "mass: 1, material: m}\n  b: {shape: {sphere: {radius: 1 cm}}, mass: 10 g, material: "
        "m, position: [0.4, 0, %g]}\njoints: {pivot: {type: revolute, child: club, at: [0, 0, "
        "0.06], axis: y}}\ninitial: {pivot: {position: -1.5, velocity: 60}}\n",
        plate_of(k % 2).text, 0.0115 + 0.0015 * (k / 2));
    assert_above(lowest(w, "b", 0.06), 0.0005 + 0.9 * 0.01);
    assert_above(lb_vec3_norm(contact_velocity(w, "b").linear), 0.1); // it is struck
    lb_world_close(w);
  }
}

// A row of balls: each strikes the next one in the same step, and the last one a wall.
static void a_row_that_is_struck_stays_before_a_wall(void** state) {
  (void)state;
  lb_world* w = contact_world(
      STILL "solver: {step: 16 ms}\nmaterials: {m: {restitution: 0.8}}\ncontacts: {}\nscenery: "
            "[{box: [1 mm, 2, 2], position: [0.25, 0, 0], solid: true, material: m}]\nbodies:\n"
            "  a: {shape: {sphere: {radius: 1 cm}}, material: m, position: [-1, 0, 0]}\n"
            "  b: {shape: {sphere: {radius: 1 cm}}, material: m, position: [0, 0, 0]}\n"
            "  c: {shape: {sphere: {radius: 1 cm}}, material: m, position: [0.08, 0, 0]}\n"
            "  d: {shape: {sphere: {radius: 1 cm}}, material: m, position: [0.16, 0, 0]}\n"
            "initial: {a: {velocity: [80, 0, 0]}}\n");
  for (int i = 0; i < 20; i++) {
    assert_int_equal(lb_world_step(w, 0), LB_OK);
    for (const char* body = "abcd"; *body; body++) {
      const char name[2] = {*body, 0};
      assert_below(contact_place(w, name).x, 0.2495 - 0.009);
    }
  }
  lb_world_close(w);
}

// --- what is only passed ---

// A body flies along a block of 1 m, so far from its side.
static void pass(const char* shape, double half, double clear, double speed, double step,
                 double start, const char* rotation, double spin) {
  lb_world* w = contact_world(
      STILL "solver: {step: %.17g}\ncontacts: {}\nscenery: [{box: [1, 1, 1], solid: true}]\n"
            "bodies: {a: {shape: {%s}, position: [%.17g, 0.1, %.17g], rotation: [%s]}}\ninitial: "
            "{a: {velocity: [0, 0, %g], spin: [0, 0, %g]}}\n",
      step, shape, 0.5 + half + clear, start, rotation, -speed, spin);
  contact_run(w, 6 / speed);
  const lb_body_velocity v = contact_velocity(w, "a");
  assert_within(v.linear.x, 0, 1e-9);
  assert_within(v.linear.y, 0, 1e-9);
  assert_within(v.linear.z, -speed, 1e-9 * speed);
  assert_within(v.angular.z, spin, 1e-9);
  lb_world_close(w);
}

static void what_flies_past_keeps_its_velocity(void** state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    const double start = 3 + 0.0003 + 0.013 * k;
    pass("sphere: {radius: 1 cm}", 0.01, 0.005, 20, 1e-3, start, "0, 0, 0", 0);
    pass("sphere: {radius: 1 cm}", 0.01, 0.02, 100, 1.0 / 60, start, "0, 0, 0", 0);
    pass("sphere: {radius: 1 cm}", 0.01, 0.001, 100, 1.0 / 60, start, "0, 0, 0", 50);
    pass("box: [2 cm, 2 cm, 4 cm]", 0.01, 0.005, 50, 2e-3, start, "0, 0, 0", 0);
    pass("box: [2 cm, 2 cm, 4 cm]", 0.015, 0.005, 100, 1.0 / 60, start, "0, 0, 45", 0);
    pass("capsule: {radius: 1 cm, length: 5 cm}", 0.01, 0.005, 100, 5e-3, start, "0, 0, 0", 30);
    pass("cylinder: {radius: 1 cm, length: 5 cm}", 0.01, 0.005, 100, 5e-3, start, "0, 0, 0", 0);
  }
}

// Past an edge of the plate, as a box and as a mesh.
static void what_flies_past_a_plate_keeps_its_velocity(void** state) {
  (void)state;
  for (int k = 0; k < 16; k++) {
    lb_world* w = contact_world(
        STILL "solver: {step: 5 ms}\nmaterials: {m: {}}\ncontacts: {}\n%sbodies: {a: {shape: "
              "{sphere: {radius: 1 cm}}, position: [2.02, 0.3, %g]}}\ninitial: {a: {velocity: [0, "
              "0, -100]}}\n",
        plate_of(k % 2).text, 1.5 + 0.031 * k);
    contact_run(w, 0.05);
    assert_within(contact_velocity(w, "a").linear.z, -100, 1e-7);
    assert_within(contact_velocity(w, "a").linear.x, 0, 1e-7);
    lb_world_close(w);
  }
}

// --- what flies into a plate ---

static void nothing_passes_through_a_thin_plate(void** state) {
  (void)state;
  static const char* const SHAPES[] = {"sphere: {radius: 1 cm}", "box: [2 cm, 3 cm, 2 cm]",
                                       "capsule: {radius: 1 cm, length: 4 cm}",
                                       "cylinder: {radius: 1 cm, length: 2 cm}"};
  lb_random r = {21};
  for (int k = 0; k < 4 * 2 * 12; k++) {
    lb_world* w = contact_world(
        STILL "solver: {step: %g}\nmaterials: {m: {restitution: %g, friction: 0.3}}\ncontacts: {}\n"
              "%sbodies: {a: {shape: {%s}, material: m, position: [0, 0, %g], rotation: [%g rad, "
              "%g rad, %g rad]}}\ninitial: {a: {velocity: [%g, %g, -100], spin: [%g, %g, %g]}}\n",
        k / 8 % 2 ? 1.0 / 60 : 2e-3, 0.25 * (k / 8 % 3), plate_of(k / 4 % 2).text, SHAPES[k % 4],
        lb_random_between(&r, 1, 3), lb_random_between(&r, -3, 3), lb_random_between(&r, -1, 1),
        lb_random_between(&r, -3, 3), lb_random_between(&r, -10, 10),
        lb_random_between(&r, -10, 10), lb_random_between(&r, -30, 30),
        lb_random_between(&r, -30, 30), lb_random_between(&r, -30, 30));
    assert_above(lowest(w, "a", 0.15), 0.0005);
    lb_world_close(w);
  }
}

// The plane across the nearest points of the start is not where two meet: a ball flies at the top
// of a block from beside it. It comes away as from a plate.
static void a_ball_from_beside_bounces_off_the_face_that_it_meets(void** state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    lb_world* w = contact_world(
        STILL "solver: {step: 5 ms}\nmaterials: {m: {restitution: 0.5, friction: 0}}\ncontacts: "
              "{}\nscenery: [{box: [1, 1, 1], solid: true, material: m}]\nbodies: {a: {shape: "
              "{sphere: {radius: 1 cm}}, material: m, position: [%.17g, 0, %.17g]}}\ninitial: {a: "
              "{velocity: [-100, 0, -100]}}\n",
        0.3 + 0.31 + 0.05 * k, 0.51 + 0.31 + 0.05 * k);
    contact_run(w, 0.05);
    assert_within(contact_velocity(w, "a").linear.x, -100, 1e-6);
    assert_within(contact_velocity(w, "a").linear.z, 50, 1e-6);
    lb_world_close(w);
  }
}

static int finish(void** state) {
  (void)state;
  return unlink(mesh_file());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_struck_stays_above_a_thin_plate),
      cmocka_unit_test(a_box_that_is_struck_stays_above_a_thin_plate),
      cmocka_unit_test(what_is_spun_stays_above_a_thin_plate),
      cmocka_unit_test(what_is_struck_stays_above_by_all_integrators),
      cmocka_unit_test(what_a_mechanism_strikes_stays_above_a_thin_plate),
      cmocka_unit_test(a_row_that_is_struck_stays_before_a_wall),
      cmocka_unit_test(what_flies_past_keeps_its_velocity),
      cmocka_unit_test(what_flies_past_a_plate_keeps_its_velocity),
      cmocka_unit_test(nothing_passes_through_a_thin_plate),
      cmocka_unit_test(a_ball_from_beside_bounces_off_the_face_that_it_meets),
  };
  return cmocka_run_group_tests(tests, NULL, finish);
}
