// Stacks and piles: they stand still, come to rest without overlap, and are the same for any number
// of threads; too many bodies in one place are refused.
#include "contact_scene.h"
#include "dynamics/contact/contact_set.h"
#include "geom/collide/collide.h"
#include "world/world_inside.h"

// Head of a scene in steps of 2 ms; `boxes` of 0.2 m in layers, each layer turned another way.
#define HEAD "solver: {step: 2 ms}\nmaterials: {m: {friction: 0.8}}\n" FLOOR
#define BOX(name, x, y, more)                                                                      \
  "      " name "-(n): {shape: {box: [0.2, 0.2, 0.2]}, mass: 1, material: m, position: [" x ", " y \
  ", (0.36n-0.1)], rotation: {axis: [1, 2, 3], angle: (" more ") deg}}\n"

static lb_world* pile(int layers) {
  return contact_world(HEAD "repeat:\n  - count: %d\n    bodies:\n" BOX("a", "0", "0", "41n")
                           BOX("b", "0.36", "0", "57n+20") BOX("c", "0", "0.36", "23n+70")
                               BOX("d", "0.36", "0.36", "77n+5"),
                       layers);
}

static lb_world* stack_of_ten(void) {
  return contact_world(
      HEAD "repeat:\n  - count: 10\n    bodies:\n      b(n): {shape: {box: [0.2, 0.2, 0.2]}, "
           "mass: 1, material: m, position: [0, 0, (0.2n-0.1)]}\n");
}

static void a_stack_of_ten_neither_drifts_nor_sinks_in_a_minute(void** state) {
  (void)state;
  lb_test_needs_speed();
  lb_world* w = stack_of_ten();
  contact_run(w, 60);
  for (int i = 0; i < 10; i++) {
    const lb_vec3 p = lb_world_pose(w, i).p;
    assert_below(hypot(p.x, p.y), 1e-4);
    assert_within(p.z, 0.1 + 0.2 * i, 1e-4);
  }
  lb_world_close(w);
}

// Impulses of the step before are the solution, then: one sweep says so.
static void a_stack_of_ten_comes_to_rest(void** state) {
  enum { STEPS = 1000 };
  (void)state;
  lb_world* w = stack_of_ten();
  int iterations = 0;
  contact_run(w, 0.5);
  for (int k = 0; k < STEPS; k++) {
    assert_int_equal(lb_world_step(w, 0), LB_OK);
    iterations += lb_contacts_report(w->d->work->contacts).iterations;
  }
  assert_below(iterations, 3 * STEPS);
  lb_world_close(w);
}

// Deepest overlap of the boxes with each other and with the floor.
static double deepest(lb_world* w) {
  const lb_collider_def def = {.type = LB_COLLIDER_BOX, .size = {0.2, 0.2, 0.2}};
  lb_collider* box;
  double depth = 0;
  assert_int_equal(lb_collider_create(&def, NULL, &box, NULL), LB_OK);
  const int n = lb_world_count(w, LB_PART_BODY);
  for (int i = 0; i < n; i++) {
    const lb_transform X = lb_world_pose(w, i);
    for (int k = 0; k < 8; k++) {
      const lb_vec3 corner = {k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, k & 4 ? 0.1 : -0.1};
      depth = fmin(depth, lb_transform_point(X, corner).z);
    }
    for (int j = 0; j < i; j++) {
      depth = fmin(depth, lb_collide_distance(box, X, box, lb_world_pose(w, j)).distance);
    }
  }
  lb_collider_release(box);
  return -depth;
}

static void a_pile_comes_to_rest_without_overlap(void** state) {
  (void)state;
  lb_test_needs_speed();
  lb_world* w = pile(25);
  double fastest = 0;
  contact_run(w, 12);
  for (int i = 0; i < 100; i++) {
    fastest = fmax(fastest, lb_vec3_norm(lb_world_velocity(w, i).linear));
  }
  print_message("100 boxes after 12 s: overlap %.2g m, fastest %.2g m/s\n", deepest(w), fastest);
  assert_below(deepest(w), 5e-5);
  assert_below(fastest, 1e-6);
  lb_world_close(w);
}

static void piles_are_the_same_bytes_for_any_number_of_threads(void** state) {
  (void)state;
  static lb_transform pose[3][100];
  const int layers = getenv("LIMBER_SANITIZED") ? 10 : 25;
  for (int i = 0; i < 3; i++) {
    lb_world* w = pile(layers);
    w->d->threads = 1 << i;
    contact_run(w, layers == 25 ? 0.5 : 0.3);
    for (int k = 0; k < 4 * layers; k++) {
      pose[i][k] = lb_world_pose(w, k);
    }
    lb_world_close(w);
    assert_memory_equal(pose[i], pose[0], sizeof pose[0]);
  }
}

// A slab on twenty columns of ten boxes of 1 kg, for some time [s]: the most by which it is off.
static double carry_slab(double mass, double time) {
  static char boxes[8192];
  size_t used = 0;
  for (int k = 0; k < 20; k++) {
    used += (size_t)snprintf(boxes + used, sizeof boxes - used,
                             "      c%d-(n): {shape: {box: [0.2, 0.2, 0.2]}, mass: 1, material: m, "
                             "position: [%g, %g, (0.2n-0.1)]}\n",
                             k, 0.25 * (k % 5), 0.25 * (double)(k / 5));
  }
  lb_world* w = contact_world(HEAD "bodies:\n  slab: {shape: {box: [1.2, 1, 0.2]}, mass: %g, "
                                   "material: m, position: [0.5, 0.375, 2.1]}\n"
                                   "repeat:\n  - count: 10\n    bodies:\n%s",
                              mass, boxes);
  contact_run(w, time);
  assert_below(lb_vec3_norm(contact_velocity(w, "slab").linear), 1e-4);
  lb_body_contact point[1200];
  const int n = lb_world_contacts(w, point, 1200);
  double weight = 0;
  for (int i = 0; i < n; i++) {
    const bool floor = point[i].body[0] == LB_WORLD || point[i].body[1] == LB_WORLD;
    weight += floor ? fabs(point[i].force.z) : 0;
  }
  assert_within(weight, (mass + 200) * GRAVITY, 1e-4 * weight);
  const double off = fabs(contact_place(w, "slab").z - 2.1);
  lb_world_close(w);
  return off;
}

// Sweeps would take as many as the ratio of masses to hold it up. Some masses are worse than
// others: what is left of a step grows from step to step.
static void light_columns_carry_a_heavy_slab(void** state) {
  (void)state;
  lb_test_needs_speed();
  assert_below(carry_slab(1e6, 0.1), 1e-6);
  assert_below(carry_slab(1.5e5, 0.3), 1e-6);
  assert_below(carry_slab(7e5, 0.3), 1e-6);
}

static void a_crowd_in_one_place_is_refused(void** state) {
  (void)state;
  lb_world* w = contact_world("contacts: {}\nrepeat:\n  - count: 1500\n    bodies:\n      b(n): "
                              "{shape: {sphere: {radius: 0.1}}, mass: 1}\n");
  assert_int_equal(lb_world_step(w, 0), LB_FAILED);
  lb_error err = lb_error_make(NULL);
  lb_world_check(w, &err);
  assert_true(err.count > 0);
  assert_non_null(strstr(err.message[0].text, "within each other"));
  lb_error_clear(&err);
  lb_world_close(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stack_of_ten_neither_drifts_nor_sinks_in_a_minute),
      cmocka_unit_test(a_stack_of_ten_comes_to_rest),
      cmocka_unit_test(a_pile_comes_to_rest_without_overlap),
      cmocka_unit_test(piles_are_the_same_bytes_for_any_number_of_threads),
      cmocka_unit_test(light_columns_carry_a_heavy_slab),
      cmocka_unit_test(a_crowd_in_one_place_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
