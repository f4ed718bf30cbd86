// Contact of elastic bodies, ropes and deformables with rigid shapes, against closed forms: weights
// at rest, beams on supports, slopes, impacts; and what is refused.
#include "contact_scene.h"
#include "limber/dynamics.h"
#include "limber/model.h"

#define STONE "scenery: [{box: [40, 40, 1], position: [0, 0, -0.5], solid: true, material: m}]\n"
#define SOFT                                                                                       \
  "materials: {m: {friction: %g}, gel: {density: 1000, young: 200 kPa, poisson: 0.3, model: "      \
  "corotated, friction: %g, damping: {stiffness: 20 ms}}}\n"
// Blocks of 20 x 20 x 10 cm, flat.
#define ELASTIC                                                                                    \
  "bodies: {b: {elastic: {box: {from: [-0.1, 0, 0], to: [0.1, 0, 0], width: 0.2, height: 0.1}, "   \
  "material: gel, elements: {along: 2, across: 1, around: 1}, order: 1}}}\n"                       \
  "joints: {j: {type: free, child: b, face: start, hold: average}}\n"
#define DEFORMABLE                                                                                 \
  "deformables: {b: {position: [0, 0, %g], form: {box: {from: [-0.1, 0, 0], to: [0.1, 0, 0], "     \
  "width: 0.2, height: 0.1}, material: gel, elements: {along: 2, across: 2, around: 2}}}}\n"

static const double WEIGHT = 1000 * 0.2 * 0.2 * 0.1 * 9.81;

// Sum of the forces on what is soft, the second of each point.
static lb_vec3 pressed(lb_world* w) {
  static lb_body_contact c[512];
  const int n = lb_world_contacts(w, c, 512);
  lb_vec3 sum = {0, 0, 0};
  for (int i = 0; i < n; i++) {
    sum = lb_vec3_sub(sum, c[i].force);
  }
  return sum;
}

static lb_world* block_on_floor(bool elastic, double height, double mu, lb_vec3 gravity,
                                const char* integrator) {
  char where[400];
  snprintf(where, sizeof where,
           elastic ? ELASTIC "initial: {j: {position: [0, 0, %g]}}\n" : DEFORMABLE, height);
  return contact_world(
      "contacts: {}\ngravity: [%.17g, %.17g, %.17g]\nsolver: {integrator: %s}\n" SOFT STONE "%s",
      gravity.x, gravity.y, gravity.z, integrator, mu, mu, where);
}

// Mean velocity of all the mass.
static lb_vec3 drift(lb_world* w) {
  return lb_vec3_scale(9.81 / WEIGHT, lb_momentum(lb_world_model(w), lb_world_data(w)).linear);
}

// --- rest ---

static void floors_carry_the_weight_of_what_rests_on_them(void** state) {
  (void)state;
  static const char* const BY[] = {"linear-euler", "bdf1", "bdf2", "sdirk2"};
  for (int i = 0; i < 8; i++) {
    lb_world* w = block_on_floor(i % 2, 0.06, 0.5, lb_vec3_make(0, 0, -GRAVITY), BY[i / 2]);
    contact_run(w, 1.5);
    const lb_vec3 f = pressed(w);
    printf("%s, %s: %.2g of the weight\n", i % 2 ? "elastic" : "deformable", BY[i / 2],
           fabs(f.z / WEIGHT - 1));
    assert_within(f.z / WEIGHT, 1, 1e-6);
    assert_within(hypot(f.x, f.y) / WEIGHT, 0, 1e-6);
    assert_below(lb_vec3_norm(drift(w)), 1e-6);
    lb_world_close(w);
  }
}

// Of a body that is fixed to the floor's other side nothing but its surface can touch.
static void nothing_sinks_in(void** state) {
  (void)state;
  lb_world* w = block_on_floor(false, 0.3, 0.5, lb_vec3_make(0, 0, -GRAVITY), "linear-euler");
  const lb_model* m = lb_world_model(w);
  double lowest = 1;
  while (lb_world_time(w) < 0.6) {
    contact_run(w, lb_world_time(w) + 1e-3);
    for (int i = 0; i < m->particles.nparticle; i++) {
      lowest = fmin(lowest, lb_world_data(w)->q[m->particles.particle[i].q + 2]);
    }
  }
  printf("lowest: %.2g m\n", lowest);
  assert_above(lowest, -1e-5);
  assert_below(lowest, 1e-5); // it did land
  lb_world_close(w);
}

// --- beams ---

// A steel strip of 60 x 3 x 0.6 cm.
#define BEAM                                                                                       \
  "contacts: {}\nmaterials: {m: {friction: 0.1, density: 7800, young: 200 GPa, poisson: 0.3, "     \
  "damping: {mass: 30, stiffness: 1 ms}}}\n"                                                       \
  "bodies: {b: {elastic: {beam: {from: [0, 0, 0], to: [0.6, 0, 0], width: 0.03, height: "          \
  "0.006}, material: m}}}\n"
static const double HEAVY = 7800 * 0.03 * 0.006 * 9.81, LENGTH = 0.6; // [N/m]

// A cantilever on a prop at its end: 3/8 of its weight is on the prop.
static void a_propped_cantilever_leaves_three_eighths_to_the_prop(void** state) {
  (void)state;
  lb_world* w = contact_world(
      BEAM "scenery: [{cylinder: {radius: 0.004, length: 0.2}, rotation: {axis: x, angle: 90 "
           "deg}, position: [0.6, 0, -0.007], solid: true, material: m}]\n"
           "joints: {j: {type: fixed, child: b, face: start, hold: average}}\n");
  contact_run(w, 1.5);
  const double share = pressed(w).z / (HEAVY * LENGTH);
  printf("on the prop: %.5f\n", share);
  assert_within(share, 0.375, 2e-3);
  lb_world_close(w);
}

// Height of the vertex of an elastic body's surface that is nearest to a point of it.
static double height_of(lb_world* w, lb_vec3 near) {
  const lb_model_elastic* e = &lb_world_model(w)->elastic.body[0];
  int best = 0;
  for (int i = 1; i < e->surface.nvertex; i++) {
    const double now = lb_vec3_norm(lb_vec3_sub(e->surface.vertex[i], near));
    best = now < lb_vec3_norm(lb_vec3_sub(e->surface.vertex[best], near)) ? i : best;
  }
  lb_vec3 x = e->surface.vertex[best];
  for (int k = 0; k < e->r; k++) {
    const double* phi = e->Phi + 3 * (k * e->surface.nvertex + best);
    x = lb_vec3_add(
        x, lb_vec3_scale(lb_world_data(w)->q[e->q + k], lb_vec3_make(phi[0], phi[1], phi[2])));
  }
  return lb_transform_point(lb_world_pose(w, e->body), x).z;
}

// On two supports a apart with ends b beyond them it sags by w a^2 (5 a^2 - 24 b^2) / (384 EI).
static void a_beam_on_two_supports_sags_as_beams_do(void** state) {
  (void)state;
  lb_world* w = contact_world(
      BEAM
      "scenery:\n"
      "  - {cylinder: {radius: 0.004, length: 0.2}, rotation: {axis: x, angle: 90 deg}, position: "
      "[0.0375, 0, -0.007], solid: true, material: m}\n"
      "  - {cylinder: {radius: 0.004, length: 0.2}, rotation: {axis: x, angle: 90 deg}, position: "
      "[0.5625, 0, -0.007], solid: true, material: m}\n"
      "joints: {j: {type: free, child: b, face: start, hold: average, damping: 0.1}}\n");
  contact_run(w, 2);
  lb_body_contact c[64];
  const int n = lb_world_contacts(w, c, 64);
  double force[2] = {0, 0}, x[2] = {0, 0}, z[2] = {0, 0};
  for (int i = 0; i < n; i++) {
    const int side = c[i].point.x > 0.3;
    force[side] -= c[i].force.z;
    x[side] -= c[i].force.z * c[i].point.x;
    z[side] -= c[i].force.z * c[i].point.z;
  }
  const double a = x[1] / force[1] - x[0] / force[0], b = (0.6 - a) / 2;
  const double EI = 200e9 * 0.03 * pow(0.006, 3) / 12;
  const double sag = HEAVY * a * a * (5 * a * a - 24 * b * b) / (384 * EI);
  const double ends = 0.5 * (z[0] / force[0] + z[1] / force[1]);
  const double sags = ends - height_of(w, lb_vec3_make(0.3, 0, -0.003));
  printf("sag over theory: %.5f\n", sags / sag);
  assert_within((force[0] + force[1]) / (HEAVY * LENGTH), 1, 1e-6);
  assert_within(sags / sag, 1, 0.01);
  lb_world_close(w);
}

// --- slopes ---

// Gravity turned by an angle: way of the block from 0.8 s to 1.2 s.
static double slid(bool elastic, double degrees, double mu) {
  const double a = degrees * 3.14159265358979 / 180;
  lb_world* w = block_on_floor(
      elastic, 0.05, mu, lb_vec3_make(GRAVITY * sin(a), 0, -GRAVITY * cos(a)), "linear-euler");
  double way = 0;
  while (lb_world_time(w) < 1.2 - 1e-9) {
    contact_run(w, lb_world_time(w) + 1e-3);
    way += lb_world_time(w) > 0.8 ? 1e-3 * drift(w).x : 0;
  }
  lb_world_close(w);
  return way;
}

static void friction_holds_below_its_angle_and_yields_above(void** state) {
  (void)state;
  const double limit = atan(0.5) * 180 / 3.14159265358979;
  for (int elastic = 0; elastic < 2; elastic++) {
    const double stays = slid(elastic, limit - 2, 0.5);
    assert_within(stays, 0, 1e-6);
    const double a = (limit + 5) / 180 * 3.14159265358979;
    const double gain = GRAVITY * (sin(a) - 0.5 * cos(a));
    const double way = 0.5 * gain * (1.2 * 1.2 - 0.8 * 0.8);
    const double slides = slid(elastic, limit + 5, 0.5) / way;
    printf("%s: %.2g m, and %.5f of theory\n", elastic ? "elastic" : "deformable", stays, slides);
    assert_within(slides, 1, 0.01);
  }
}

// --- impacts ---

// A ball flies at what floats: energy does not grow in steps with contact. Momentum that is lost in
// the end, over what the ball had.
static double lost_momentum(const char* what, double h) {
  lb_world* w = contact_world("contacts: {}\ngravity: [0, 0, 0]\nsolver: {step: %g s}\n" SOFT "%s",
                              h, 0.5, 0.5, what);
  const lb_model* m = lb_world_model(w);
  lb_data* d = lb_world_data(w);
  const lb_momenta before = lb_momentum(m, d);
  double energy = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
  const double first = energy;
  int met = 0;
  while (lb_world_time(w) < 0.1) {
    contact_run(w, lb_world_time(w) + h);
    const double now = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
    if (lb_world_contacts(w, NULL, 0) > 0) {
      assert_at_most(now, energy);
      met++;
    }
    energy = now;
  }
  assert_true(met > 0);
  assert_below(energy, 0.95 * first);
  const lb_vec3 after = lb_momentum(m, d).linear;
  lb_world_close(w);
  return lb_vec3_norm(lb_vec3_sub(after, before.linear)) / before.linear_sum;
}

// What floats in coordinates of a tree keeps its momentum to first order in flight.
static void impacts_keep_momentum_and_never_gain_energy(void** state) {
  (void)state;
  static const char particles[] =
      "bodies: {ball: {shape: {sphere: {radius: 0.05}}, material: gel, position: [-0.2, 0.02, "
      "0.01]}}\ninitial: {ball: {velocity: [3, 0.2, 0]}}\n"
      "deformables: {b: {form: {box: {from: [-0.1, 0, 0], to: [0.1, 0, 0], width: 0.2, height: "
      "0.1}, material: gel, elements: {along: 2, across: 2, around: 2}}}}\n";
  static const char tree[] =
      "bodies: {ball: {shape: {sphere: {radius: 0.05}}, material: gel, position: [-0.2, 0, 0]}, b: "
      "{elastic: {box: {from: [-0.1, 0, 0], to: [0.1, 0, 0], width: 0.2, height: 0.1}, material: "
      "gel, elements: {along: 2, across: 1, around: 1}, order: 1}}}\n"
      "joints: {j: {type: free, child: b, face: end, hold: average}}\n"
      "initial: {ball: {velocity: [3, 0, 0]}, j: {position: [0.1, 0, 0]}}\n";
  const double kept = lost_momentum(particles, 1e-3);
  assert_below(kept, 1e-12);
  const double coarse = lost_momentum(tree, 1e-3), fine = lost_momentum(tree, 2.5e-4);
  printf("momentum lost: %.2g; %.2g, and %.2g by steps of a quarter\n", kept, coarse, fine);
  assert_below(coarse, 1e-5);
  assert_below(fine, 0.7 * coarse);
}

// --- what moves with what ---

// A box on a rope of particles is heavier than a free one: both boxes' floors carry all of it.
static void ropes_and_boxes_are_solved_together(void** state) {
  (void)state;
  lb_world* w = contact_world(
      "contacts: {}\nmaterials: {m: {friction: 0.5}}\n" STONE
      "bodies:\n  a: {shape: {box: [0.1, 0.1, 0.1]}, mass: 1, material: m, position: [0, 0, "
      "0.05]}\n"
      "  b: {shape: {box: [0.1, 0.1, 0.1]}, mass: 1, material: m, position: [0.5, 0, 0.05]}\n"
      "ropes: {r: {through: [{body: a, at: [0, 0, 0.05]}, {body: b, at: [0, 0, 0.05]}], mass: "
      "0.2, stiffness: 500 N, damping: 20 ms, drag: 10, segments: 8, radius: 5 mm, slack: "
      "1.02}}\n");
  contact_run(w, 2);
  lb_body_contact c[64];
  const int n = lb_world_contacts(w, c, 64);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += c[i].body[1] == LB_WORLD ? c[i].force.z : -c[i].force.z;
  }
  assert_within(sum / (2.2 * GRAVITY), 1, 1e-6);
  assert_within(contact_place(w, "a").z, 0.05, 1e-5);
  lb_world_close(w);
}

// A tip that is fixed to a face of an elastic body, and a box that hangs on the tip, overlap with
// neighbours and touch none of them; a ball on the way does.
static void what_is_fixed_to_a_face_touches_neither_its_body_nor_what_it_carries(void** state) {
  (void)state;
  lb_world* w = contact_world(
      "contacts: {}\ngravity: [0, 0, 0]\n" SOFT "bodies:\n"
      "  b: {elastic: {box: {from: [0, 0, 0], to: [0.3, 0, 0], width: 0.04, height: 0.04}, "
      "material: gel, elements: {along: 3, across: 1, around: 1}, order: 1}}\n"
      "  tip: {shape: {box: [0.03, 0.03, 0.03]}, mass: 0.1}\n"
      "  more: {shape: {box: [0.03, 0.03, 0.03]}, mass: 0.1}\n"
      "  ball: {shape: {sphere: {radius: 0.01}}, mass: 0.1, position: [0.3, 0, 0.024]}\n"
      "joints:\n"
      "  j: {type: fixed, child: b, face: start}\n"
      "  k: {type: fixed, parent: b, child: tip, face: end}\n"
      "  l: {type: revolute, parent: tip, child: more, axis: y, at: [-0.02, 0, 0]}\n",
      0.5, 0.5);
  contact_run(w, 0.01);
  lb_body_contact c[64];
  const int n = lb_world_contacts(w, c, 64), ball = lb_world_find(w, LB_PART_BODY, "ball");
  assert_true(n > 0);
  for (int i = 0; i < n && i < 64; i++) {
    assert_true(c[i].body[0] == ball || c[i].body[1] == ball);
  }
  lb_world_close(w);
}

// A rope that falls over a bar hangs on it, on both sides.
static void a_rope_hangs_over_a_bar(void** state) {
  (void)state;
  lb_world* w = contact_world(
      "contacts: {}\nmaterials: {m: {friction: 1}}\nscenery: [{cylinder: {radius: 0.05, length: "
      "0.4}, rotation: {axis: x, angle: 90 deg}, solid: true, material: m}]\n"
      "ropes: {r: {through: [{free: true, at: [-0.4, 0, 0.08]}, {free: true, at: [0.4, 0, 0.08]}], "
      "mass: 0.1, stiffness: 200 N, damping: 10 ms, drag: 5, segments: 40, radius: 5 mm, material: "
      "m}}\n");
  contact_run(w, 2.5);
  assert_within(pressed(w).z / (0.1 * GRAVITY), 1, 1e-3);
  const lb_model* m = lb_world_model(w);
  double lowest = 1;
  for (int i = 0; i < m->particles.nparticle; i++) {
    const double* x = lb_world_data(w)->q + m->particles.particle[i].q;
    lowest = fmin(lowest, x[2]);
    assert_above(hypot(x[0], x[2]), 0.055 - 1e-5);
  }
  assert_below(lowest, -0.2);
  lb_world_close(w);
}

// --- what is refused ---

static void expect(const char* text, const char* message) {
  lb_error err = lb_error_make(NULL);
  assert_null(lb_world_parse(text, "bad", &err));
  assert_true(err.count > 0);
  if (!strstr(err.message[0].text, message)) {
    fprintf(stderr, "%s\n", err.message[0].text);
  }
  assert_non_null(strstr(err.message[0].text, message));
  lb_error_clear(&err);
}

#define TWO                                                                                        \
  "materials: {gel: {density: 1000, young: 200 kPa, poisson: 0.3}}\n"                              \
  "deformables:\n"                                                                                 \
  "  a: {form: {box: {from: [0, 0, 0], to: [1, 0, 0], width: 1, height: 1}, material: gel}}\n"     \
  "  b: {form: {box: {from: [2, 0, 0], to: [3, 0, 0], width: 1, height: 1}, material: gel}}\n"

static void what_cannot_be_is_refused(void** state) {
  (void)state;
  expect("contacts: {}\n" TWO, "'a' and 'b' both bend");
  lb_world* w = contact_world("contacts: {pairs: [{between: [a, b], collide: false}]}\n" TWO);
  lb_world_close(w);
  w = contact_world(
      "contacts: {}\nmaterials: {gel: {density: 1000, young: 200 kPa, poisson: 0.3}}\n"
      "deformables:\n"
      "  a: {form: {box: {from: [0, 0, 0], to: [1, 0, 0], width: 1, height: 1}, material: gel}}\n"
      "  b: {form: {box: {from: [2, 0, 0], to: [3, 0, 0], width: 1, height: 1}, material: gel, "
      "solid: false}}\n");
  lb_world_close(w);
  expect(
      "contacts: {}\nsolver: {elastic: full, integrator: bdf1}\nmaterials: {m: {density: 1000, "
      "young: 1 GPa, poisson: "
      "0.3}}\nbodies: {b: {elastic: {rod: {radius: 0.01, from: [0, 0, 0], to: [0, 0, 0.3]}, "
      "material: m, elements: {along: 2}}}}\njoints: {j: {type: fixed, child: b, face: start}}\n",
      "not with all nodes of elastic bodies");
  expect("contacts: {pairs: [{between: [a, c], collide: false}]}\n" TWO,
         "there is no body, group, rope or deformable 'c'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floors_carry_the_weight_of_what_rests_on_them),
      cmocka_unit_test(nothing_sinks_in),
      cmocka_unit_test(a_propped_cantilever_leaves_three_eighths_to_the_prop),
      cmocka_unit_test(a_beam_on_two_supports_sags_as_beams_do),
      cmocka_unit_test(friction_holds_below_its_angle_and_yields_above),
      cmocka_unit_test(impacts_keep_momentum_and_never_gain_energy),
      cmocka_unit_test(ropes_and_boxes_are_solved_together),
      cmocka_unit_test(what_is_fixed_to_a_face_touches_neither_its_body_nor_what_it_carries),
      cmocka_unit_test(a_rope_hangs_over_a_bar),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
