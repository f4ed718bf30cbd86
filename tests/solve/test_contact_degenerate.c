// Input of contact that is hard or makes no sense: each ends, and either is simulated as it should
// be or is refused with a message that says why.
#define _GNU_SOURCE
#include <unistd.h>

#include "contact_scene.h"

// The first message about a scene that is not accepted.
static void assert_refused(const char* text, const char* says) {
  lb_error err = lb_error_make(NULL);
  lb_world* w = lb_world_parse(text, "contact", &err);
  assert_null(w);
  assert_true(err.count > 0);
  if (!strstr(err.message[0].text, says)) {
    fail_msg("%s", err.message[0].text);
  }
  lb_error_clear(&err);
}

// A cube of 0.2 m, closed, with faces of no area: three corners in a line, where one edge of two
// faces meets two edges of others; two corners the same; all three the same.
static const char CUBE[] =
    "v -0.1 -0.1 -0.1\nv 0.1 -0.1 -0.1\nv 0.1 0.1 -0.1\nv -0.1 0.1 -0.1\n"
    "v -0.1 -0.1 0.1\nv 0.1 -0.1 0.1\nv 0.1 0.1 0.1\nv -0.1 0.1 0.1\nv 0 -0.1 -0.1\n"
    "f 1 4 3\nf 1 3 2\nf 5 6 7\nf 5 7 8\nf 1 9 6\nf 9 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\n"
    "f 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\nf 1 2 9\nf 1 1 2\nf 3 3 3\nf 7 8 7\n";

static void meshes_with_faces_of_no_area_rest_as_the_box_does(void** state) {
  (void)state;
  char path[] = "/tmp/limber-degenerate-XXXXXX.obj";
  const int file = mkstemps(path, 4);
  assert_true(file >= 0);
  assert_int_equal(write(file, CUBE, sizeof CUBE - 1), (int)sizeof CUBE - 1);
  close(file);
  for (int convex = 0; convex < 2; convex++) {
    lb_world* w = contact_world("materials: {m: {friction: 0.5}}\n" FLOOR
                                "bodies: {b: {shape: {mesh: \"%s\", convex: %s}, mass: 1, inertia: "
                                "[0.01, 0.01, 0.01], material: m, position: [0, 0, 0.12]}}\n",
                                path, convex ? "true" : "false");
    contact_run(w, 0.5);
    assert_within(contact_place(w, "b").z, 0.1, 1e-4);
    assert_below(lb_vec3_norm(contact_velocity(w, "b").linear), 1e-3);
    lb_world_close(w);
  }
  unlink(path);
}

// Bodies at the same place in the same pose: pushed apart, or told to overlap; never not a number.
static void coincident_bodies_come_apart(void** state) {
  (void)state;
  static const char* const SHAPE[] = {"box: [0.2, 0.2, 0.2]", "sphere: {radius: 0.1}",
                                      "capsule: {radius: 0.1, length: 0.2}",
                                      "cylinder: {radius: 0.1, length: 0.2}"};
  for (int i = 0; i < 4; i++) {
    lb_world* w =
        contact_world("gravity: [0, 0, 0]\ncontacts: {}\nbodies:\n  a: {shape: {%s}, mass: "
                      "1}\n  b: {shape: {%s}, mass: 1}\n",
                      SHAPE[i], SHAPE[i]);
    assert_within(lb_world_distance(w, 0, 1).distance, -0.2, 0.2);
    contact_run(w, 1);
    const lb_vec3 a = contact_place(w, "a"), b = contact_place(w, "b");
    assert_true(isfinite(lb_vec3_norm(a)) && isfinite(lb_vec3_norm(b)));
    assert_within(lb_vec3_norm(lb_vec3_add(a, b)), 0, 1e-9); // momentum stays zero
    assert_above(lb_world_distance(w, 0, 1).distance, -1e-3);
    lb_world_close(w);
  }
}

// A compliant contact of no compliance is a rigid one, which has a law of its own.
static void endless_stiffness_is_refused_and_a_huge_one_is_rigid(void** state) {
  (void)state;
  assert_refused("contacts: {law: compliant, stiffness: .inf}\n", "stiffness");
  assert_refused("contacts: {law: compliant, stiffness: .nan}\n", "stiffness");
  static const char* const LAW[] = {"", "law: compliant, stiffness: 1e15, damping: 0",
                                    "law: compliant, stiffness: 1e300, damping: 1e3"};
  for (int i = 0; i < 3; i++) {
    lb_world* w =
        contact_world("contacts: {%s}\nscenery: [{box: [4, 4, 1], position: [0, 0, -0.5], "
                      "solid: true}]\nbodies: {b: {shape: {box: [0.2, 0.2, 0.2]}, mass: "
                      "1, position: [0, 0, 0.1]}}\n",
                      LAW[i]);
    contact_run(w, 0.5);
    assert_within(contact_place(w, "b").z, 0.1, 1e-6);
    lb_world_close(w);
  }
}

// Without friction a block goes down a slope by g sin(a), and across it not at all.
static void without_friction_a_block_slides_as_on_ice(void** state) {
  (void)state;
  const double slope = 0.2;
  lb_world* w = contact_world(
      "gravity: [%.17g, 0, %.17g]\nmaterials: {m: {friction: 0}}\n" FLOOR
      "bodies: {b: {shape: {box: [0.2, 0.2, 0.2]}, mass: 1, material: m, position: [0, 0, 0.1]}}\n",
      GRAVITY * sin(slope), -GRAVITY * cos(slope));
  contact_run(w, 1);
  assert_within(contact_velocity(w, "b").linear.x, GRAVITY * sin(slope), 1e-9);
  assert_within(contact_place(w, "b").y, 0, 1e-9);
  assert_within(contact_place(w, "b").z, 0.1, 1e-6);
  lb_world_close(w);
}

static void ten_thousand_bodies_at_one_point_are_refused(void** state) {
  (void)state;
  lb_test_needs_speed();
  lb_world* w = contact_world("contacts: {}\nrepeat:\n  - count: 10000\n    bodies:\n      b(n): "
                              "{shape: {box: [0.2, 0.2, 0.2]}, mass: 1}\n");
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_world_step(w, 0), LB_FAILED);
  lb_world_check(w, &err);
  assert_true(err.count > 0);
  assert_non_null(strstr(err.message[0].text, "within each other"));
  lb_error_clear(&err);
  lb_world_close(w);
}

// Grains of a nanometre and blocks of a metre on ground of a thousand kilometres. Gravity takes a
// grain 4.9 um down in a millisecond, thousands of its own sizes.
static void a_nanometre_and_a_thousand_kilometres_meet_in_one_scene(void** state) {
  (void)state;
  lb_world* w = contact_world(
      "materials: {m: {friction: 0.5}}\ncontacts: {}\n"
      "scenery: [{box: [1e6, 1e6, 1e6], position: [0, 0, -5e5], solid: true, material: m}]\n"
      "bodies:\n"
      "  ball: {shape: {sphere: {radius: 1e-9}}, mass: 1e-9, material: m, position: [0, 0, 1e-6]}\n"
      "  grain: {shape: {box: [1e-9, 1e-9, 1e-9]}, mass: 1e-9, material: m, position: [1, 0, "
      "1e-6]}\n"
      "  block: {shape: {box: [1, 1, 1]}, mass: 1000, material: m, position: [3, 0, 0.5]}\n"
      "  rider: {shape: {sphere: {radius: 1e-9}}, mass: 1e-9, material: m, position: [3, 0, "
      "1.000001]}\n");
  // Numbers near 5e5 m have a rounding of 6e-11 m. Between boxes some of them come together, and
  // what they let the grain sink is pushed back: 0.25 nm.
  static const char* const NAME[] = {"ball", "grain", "block", "rider"};
  const double height[] = {1e-9, 5e-10, 0.5, 1 + 1e-9}, off[] = {1e-10, 1e-9, 1e-10, 1e-10};
  contact_run(w, 1);
  for (int i = 0; i < 4; i++) {
    const lb_vec3 p = contact_place(w, NAME[i]);
    assert_true(isfinite(lb_vec3_norm(p)));
    assert_within(p.z, height[i], off[i]);
    assert_below(lb_vec3_norm(contact_velocity(w, NAME[i]).linear), 1e-6);
  }
  lb_world_close(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_with_faces_of_no_area_rest_as_the_box_does),
      cmocka_unit_test(coincident_bodies_come_apart),
      cmocka_unit_test(endless_stiffness_is_refused_and_a_huge_one_is_rigid),
      cmocka_unit_test(without_friction_a_block_slides_as_on_ice),
      cmocka_unit_test(ten_thousand_bodies_at_one_point_are_refused),
      cmocka_unit_test(a_nanometre_and_a_thousand_kilometres_meet_in_one_scene),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
