// Grounds without an end and of many heights: bodies move on them as on a box.
#include "contact_scene.h"

static const char* const GROUND[] = {
    "box: [40, 40, 1], position: [%.17g, 0, %.17g]",
    "plane: z",
    "heights: \"%s\", spacing: 1 m",
};

// A file of heights that are all the same.
static const char* flat_heights(void) {
  static const char* const path = "flat.csv";
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  for (int i = 0; i < 12; i++) {
    fputs("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n", out);
  }
  fclose(out);
  return path;
}

// A body on a slope along x, whose ground is of a kind; degrees about y, downhill along +x.
static lb_world* on_ground(int kind, double degrees, const char* contacts, const char* body) {
  const double a = degrees * 3.14159265358979 / 180;
  char ground[300];
  if (kind == 0) {
    snprintf(ground, sizeof ground, GROUND[0], -0.5 * sin(a), -0.5 * cos(a));
  } else {
    snprintf(ground, sizeof ground, GROUND[kind], flat_heights());
  }
  return contact_world(
      "materials: {m: {friction: 0.3, restitution: 0.2}}\ncontacts: {%s}\nscenery: [{%s, rotation: "
      "{axis: y, angle: %.17g deg}, solid: true, material: m}]\nbodies: {b: {%s, material: m, "
      "position: [%.17g, 0, %.17g], rotation: {axis: y, angle: %.17g deg}}}\n",
      contacts, ground, degrees, body, 0.05 * sin(a), 0.05 * cos(a), degrees);
}

// s = g (sin a - mu cos a) t^2 / 2 of a block, on each of them to the same digits.
static void blocks_slide_alike_on_every_ground(void** state) {
  (void)state;
  const double a = 25 * 3.14159265358979 / 180, t = 0.6;
  const double far = 0.5 * GRAVITY * (sin(a) - 0.3 * cos(a)) * t * t;
  lb_vec3 end[3];
  for (int kind = 0; kind < 3; kind++) {
    lb_world* w = on_ground(kind, 25, "", "shape: {box: [0.1, 0.1, 0.1]}");
    const lb_vec3 from = contact_place(w, "b");
    contact_run(w, t);
    end[kind] = contact_place(w, "b");
    assert_within(lb_vec3_norm(lb_vec3_sub(end[kind], from)), far, 3e-3 * far);
    assert_below(lb_vec3_norm(lb_vec3_sub(end[kind], end[0])), 1e-9);
    lb_world_close(w);
  }
}

// Balls that bounce, and capsules and cylinders that roll.
static void round_things_move_alike_on_every_ground(void** state) {
  (void)state;
  static const char* const body[] = {
      "shape: {sphere: {radius: 0.05}}",
      "shape: {capsule: {radius: 0.05, from: [0, -0.1, 0], to: [0, 0.1, 0]}}",
      "shape: {ellipsoid: {radii: [0.06, 0.07, 0.05]}}"};
  for (int i = 0; i < 3; i++) {
    lb_vec3 end[3];
    for (int kind = 0; kind < 3; kind++) {
      lb_world* w = on_ground(kind, 8, "", body[i]);
      contact_run(w, 0.7);
      end[kind] = contact_place(w, "b");
      assert_below(lb_vec3_norm(lb_vec3_sub(end[kind], end[0])), 2e-5);
      lb_world_close(w);
    }
    assert_above(end[0].x, 0.05);
  }
}

// A plane has no end: a ball a kilometre away rests on it; one beside the heights falls.
static void a_plane_goes_on_where_heights_end(void** state) {
  (void)state;
  for (int kind = 1; kind < 3; kind++) {
    char ground[300];
    snprintf(ground, sizeof ground, GROUND[kind], flat_heights());
    lb_world* w = contact_world("contacts: {}\nscenery: [{%s, solid: true}]\nbodies: {b: {shape: "
                                "{sphere: {radius: 0.1}}, position: [1 km, 0, 0.2]}}\n",
                                ground);
    contact_run(w, 1);
    if (kind == 1) {
      assert_within(contact_place(w, "b").z, 0.1, 1e-6);
    } else {
      assert_below(contact_place(w, "b").z, -4);
    }
    lb_world_close(w);
  }
}

// A ball comes to rest in the lowest place of a bowl, and its walls go up and down under it.
static void heights_of_a_body_that_moves_carry(void** state) {
  (void)state;
  const char* path = "bowl.csv";
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  for (int j = -8; j <= 8; j++) {
    for (int i = -8; i <= 8; i++) {
      fprintf(out, "%s%.6f", i > -8 ? "," : "", 2e-3 * (i * i + j * j));
    }
    fputs("\n", out);
  }
  fclose(out);
  lb_world* w = contact_world(
      "materials: {m: {friction: 0.5, rolling: 2 mm}}\ncontacts: {}\nbodies:\n  bowl: {mass: 1, "
      "inertia: [1, 1, 1], shape: {heights: %s, spacing: 5 cm, massless: true, solid: true, "
      "material: m}}\n  ball: {shape: {sphere: {radius: 4 cm}}, material: m, position: [12 cm, 3 "
      "cm, 12 cm]}\njoints: {lift: {type: prismatic, child: bowl, axis: z}}\nmotors: {up: {joint: "
      "lift, keys: [[0, 0], [1, 10 cm], [6, 10 cm]]}}\n",
      path);
  contact_run(w, 6);
  const lb_vec3 p = contact_place(w, "ball"), bowl = contact_place(w, "bowl");
  assert_within(bowl.z, 0.1, 1e-9);
  assert_within(p.z - bowl.z, 0.04, 2e-3);
  assert_below(hypot(p.x, p.y), 0.03);
  lb_world_close(w);
}

// A ball bounces to the last digit as it does without: points that do not touch have no force.
static void a_margin_moves_nothing_that_is_seen_in_time(void** state) {
  (void)state;
  lb_world* w[2];
  for (int i = 0; i < 2; i++) {
    w[i] = contact_world(
        "materials: {m: {restitution: 0.5}}\ncontacts: {%s}\nscenery: [{plane: z, solid: true, "
        "material: m}]\nbodies: {b: {shape: {sphere: {radius: 0.1}}, material: m, position: [0, 0, "
        "0.3]}}\n",
        i ? "margin: 10 cm" : "");
  }
  for (double t = 1e-2; t < 1; t += 1e-2) {
    contact_run(w[0], t);
    contact_run(w[1], t);
    assert_within(contact_place(w[1], "b").z, contact_place(w[0], "b").z, 0);
  }
  lb_world_close(w[0]);
  lb_world_close(w[1]);
}

// 200 N move 10 g by 20 mm in a step from rest, towards a plate that is 5 mm away and 2 mm thick.
// It is seen by a margin, or else when the step's end is known.
static void what_a_force_throws_within_a_step_is_stopped(void** state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    lb_world* w = contact_world(
        "gravity: [0, 0, 0]\ncontacts: {%s}\nscenery: [{box: [1, 1, 2 mm], position: [0, 0, -1 "
        "mm], "
        "solid: true}]\nbodies: {b: {shape: {sphere: {radius: 2 mm}}, mass: 10 g, position: [0, 0, "
        "7 mm]}}\nloads: {push: {body: b, force: [0, 0, -200]}}\n",
        i ? "margin: 3 cm" : "");
    contact_run(w, 0.01);
    const double z = contact_place(w, "b").z;
    assert_within(z, 2e-3, 1e-6);
    lb_world_close(w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_slide_alike_on_every_ground),
      cmocka_unit_test(round_things_move_alike_on_every_ground),
      cmocka_unit_test(a_plane_goes_on_where_heights_end),
      cmocka_unit_test(heights_of_a_body_that_moves_carry),
      cmocka_unit_test(a_margin_moves_nothing_that_is_seen_in_time),
      cmocka_unit_test(what_a_force_throws_within_a_step_is_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
