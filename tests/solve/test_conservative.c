// Whether a summary says that energy is to stay: it does where a fine run keeps it, and does not
// where something takes it.
#include "compile.h"
#include "limber/simulate.h"
#include "solve/diagnose/diagnose_conservative.h"

// A rod that swings; what its hinge has, with a number open.
#define ROD                                                                                        \
  "bodies: {rod: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.3, 0, 0]}}, mass: "      \
  "0.4}}\n"
#define SWINGING(JOINT) ROD "joints: {j: {type: revolute, child: rod, axis: y" JOINT "}}\n"

#define FOUR_BAR(LOOP)                                                                             \
  "bodies:\n"                                                                                      \
  "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.1]}}}\n"                \
  "  coupler: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0.2]}}}\n"            \
  "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.3]}}}\n"               \
  "joints:\n"                                                                                      \
  "  shaft: {type: revolute, child: crank, axis: y}\n"                                             \
  "  pin: {type: revolute, parent: crank, child: coupler, at: [0, 0, 0.1], axis: y}\n"             \
  "  pivot: {type: revolute, child: rocker, at: [0.4, 0, 0], axis: y}\n"                           \
  "  close: {loop: true, parent: rocker, child: coupler, at: [0, 0, 0.3], in_child: [0.4, 0, "     \
  "0.2], " LOOP "}\n"                                                                              \
  "initial: {shaft: {position: 0.3}}\n"

// Each with one number open, which is zero or as given.
typedef struct example {
  const char *scene, *number;
} example;

static const example EXAMPLES[] = {
    {SWINGING(", damping: %s"), "0.01"},
    {SWINGING(", friction: %s"), "0.01"},
    {SWINGING(", limits: {upper: 0.2, stiffness: 50, damping: %s}"), "0.1"},
    {SWINGING(", limits: {upper: 0.2, stiffness: 50, damping: %s, pulls: true}"), "0.1"},
    {ROD "joints: {j: {type: spherical, child: rod, damping: %s}}\n", "0.01"},
    {ROD "joints: {j: {type: spherical, child: rod, friction: %s}}\n", "0.01"},
    {ROD "joints: {j: {type: composite, child: rod, parts: [{type: revolute, axis: y, damping: "
         "%s}, {type: prismatic, axis: x, spring: {stiffness: 100}}]}}\n",
     "0.01"},
    {ROD "joints: {j: {type: free-2d, child: rod, axis: x, second_axis: z, turn_limits: {upper: "
         "0, stiffness: 5, damping: %s}}}\ninitial: {j: {velocity: [0, 0, 3]}}\n",
     "0.1"},
    {FOUR_BAR("type: revolute, axis: y, damping: %s"), "0.01"},
    {FOUR_BAR("type: spherical, damping: %s"), "0.01"},
    {FOUR_BAR("type: revolute, axis: y, friction: %s"), "0.01"},
    {FOUR_BAR("type: revolute, axis: y, armature: 0.001, damping: %s"), "0.01"},
    {SWINGING("") "springs: {s: {from: {at: [0, 0, 0.2]}, to: {body: rod, at: [0.3, 0, 0]}, "
                  "stiffness: 10, damping: %s}}\n",
     "0.1"},
    {SWINGING("") "cables: {c: {through: [{at: [0, 0, 0.2]}, {body: rod, at: [0.3, 0, 0]}], "
                  "stiffness: 10, damping: %s}}\n",
     "0.1"},
    {SWINGING("") "grounds: {g: {points: [{body: rod, at: [0.3, 0, 0]}], at: [0, 0, -0.05], "
                  "stiffness: 1000, dissipation: %s}}\n",
     "0.5"},
    {SWINGING("") "grounds: {g: {points: [{body: rod, at: [0.3, 0, 0]}], at: [0, 0, -0.05], "
                  "stiffness: 1000, friction: %s}}\n",
     "0.5"},
    {"bodies: {b: {shape: {sphere: {radius: 0.1}}, drag: %s}}\n", "0.1"},
    {"bodies: {b: {shape: {sphere: {radius: 0.1}}, turn_drag: %s}}\ninitial: {b: {spin: [3, 2, "
     "9]}}\n",
     "0.01"},
    {SWINGING(
         "") "ropes: {s: {through: [{at: [0, 0, 0]}, {free: true, at: [0.3, 0, 0]}], mass: 0.3, "
             "segments: 4, pushes: true, stiffness: 5 N, damping: %s}}\n",
     "0.01"},
    {SWINGING(
         "") "ropes: {s: {through: [{at: [0, 0, 0]}, {free: true, at: [0.3, 0, 0]}], mass: 0.3, "
             "segments: 4, pushes: true, stiffness: 5 N, drag: %s}}\n",
     "1"},
#define FLESH(DAMPING)                                                                             \
  "materials: {gel: {density: 1000, young: 5 kPa, poisson: 0.3, damping: {" DAMPING "}}}\n"        \
  "bodies: {post: {shape: {box: [2 cm, 6 cm, 6 cm]}}}\n"                                           \
  "joints: {j: {type: fixed, child: post}}\n"                                                      \
  "soft: {f: {form: {box: {from: [0, 0, 0], to: [0.1, 0, 0], width: 4 cm, height: 4 cm}, "         \
  "material: gel, elements: {along: 2, across: 1, around: 1}}, attach: [post]}}\n"
#define BEAM(DAMPING)                                                                              \
  "materials: {rubber: {density: 1200, young: 1 MPa, poisson: 0.3, damping: {" DAMPING "}}}\n"     \
  "bodies:\n"                                                                                      \
  "  beam:\n"                                                                                      \
  "    elastic:\n"                                                                                 \
  "      rod: {radius: 8 mm, from: [0, 0, 0], to: [0.2, 0, 0]}\n"                                  \
  "      material: rubber\n"                                                                       \
  "      elements: {along: 4, across: 1}\n"                                                        \
  "      basis: {modes: 3}\n"                                                                      \
  "joints: {clamp: {type: fixed, child: beam, face: start}}\n"
    {FLESH("mass: %s"), "1"},
    {FLESH("stiffness: %s"), "0.01"},
    {BEAM("mass: %s"), "1"},
    {BEAM("stiffness: %s"), "0.01"},
};
enum { NEXAMPLE = sizeof EXAMPLES / sizeof *EXAMPLES };

// Elastic bodies take implicit steps alone, whose energy is less exact.
static bool is_elastic(const example* e) {
  return strstr(e->scene, "elastic:");
}

static lb_summary simulate_text(const char* text) {
  lb_model* m = compile(text);
  lb_recording* r;
  lb_summary s;
  const lb_simulate_options options = lb_simulate_default();
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &options, r, &s, NULL), LB_OK);
  lb_recording_release(r);
  lb_model_release(m);
  return s;
}

// A fine run of a fifth of a second.
static lb_summary simulate(const example* e, bool zero, bool maximal) {
  char text[4000];
  const size_t n = (size_t)snprintf(text, sizeof text, e->scene, zero ? "0" : e->number);
  snprintf(text + n, sizeof text - n,
           "solver: {integrator: %s, step: 0.1 ms%s}\nrecord: {every: 5 ms}\nduration: 0.2\n",
           is_elastic(e) ? "sdirk2" : "rk8", maximal ? ", coordinates: maximal" : "");
  return simulate_text(text);
}
static void energy_stays_where_it_is_said_to(void** state) {
  (void)state;
  for (int i = 0; i < NEXAMPLE; i++) {
    const lb_summary kept = simulate(&EXAMPLES[i], true, false);
    const lb_summary taken = simulate(&EXAMPLES[i], false, false);
    const double exact = is_elastic(&EXAMPLES[i]) ? 1e-4 : 1e-6;
    if (!kept.conservative || taken.conservative || !(kept.energy_drift < exact) ||
        !(taken.energy_drift > 1e-3)) {
      fail_msg("example %d: %d %g, %d %g", i, kept.conservative, kept.energy_drift,
               taken.conservative, taken.energy_drift);
    }
  }
}

static void maximal_coordinates_say_the_same(void** state) {
  (void)state;
  for (int i = 0; i < 12; i++) { // those of joints
    assert_true(simulate(&EXAMPLES[i], true, true).conservative);
    assert_false(simulate(&EXAMPLES[i], false, true).conservative);
  }
}

// A ball that falls 5 cm on a floor, with one number open; what is kept has the number that is
// first, and the other one takes energy.
static void contacts_keep_energy_only_without_rubbing_and_where_they_bounce_back(void** state) {
  (void)state;
#define BALL(CONTACTS, MATERIAL)                                                                   \
  "contacts: {" CONTACTS "}\nmaterials: {m: {" MATERIAL "}}\nscenery: [{plane: z, solid: true, "   \
  "material: m}]\nbodies: {b: {shape: {sphere: {radius: 0.1}}, material: m, position: [0, 0, "     \
  "0.15]}}\ninitial: {b: {velocity: [1, 0, 0]}}\n"
  static const struct {
    const char *scene, *kept, *taken;
  } CASES[] = {
      {BALL("", "friction: 0, restitution: %s"), "1", "0.9"},
      {BALL("", "friction: %s, restitution: 1"), "0", "0.5"},
      {BALL("", "friction: 0, restitution: 1, rolling: %s"), "0", "1 mm"},
      {BALL("", "friction: 0, restitution: 1, spinning: %s"), "0", "1 mm"},
      {BALL("pairs: [{between: [b, world], restitution: %s}]", "friction: 0"), "1", "0.9"},
      {BALL("pairs: [{between: [b, world], collide: %s}]", "friction: 1"), "false", "true"},
      {BALL("law: %s", "friction: 0, restitution: 1"), "rigid", "compliant, damping: 0"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    const char* number[] = {CASES[i].kept, CASES[i].taken};
    for (int k = 0; k < 2; k++) {
      char text[2000];
      const size_t n = (size_t)snprintf(text, sizeof text, CASES[i].scene, number[k]);
      snprintf(text + n, sizeof text - n, "solver: {step: 0.1 ms}\nduration: 0.2\n");
      const lb_summary s = simulate_text(text);
      print_message("contact %zu: %d, %.2g\n", i, s.conservative, s.energy_drift);
      assert_true(s.conservative == (k == 0));
      if (k == 0) {
        assert_below(s.energy_drift, 5e-3); // steps are of first order
      }
    }
  }
}

static double feed(const char* text, double duration) {
  lb_model* m = compile(text);
  const double most = lb_energy_feed(m, duration);
  lb_model_release(m);
  return most;
}

static void energy_comes_from_what_acts_and_from_muscles_as_much_as_they_can(void** state) {
  (void)state;
#define MUSCLE(WHAT)                                                                               \
  SWINGING("")                                                                                     \
  "muscles: {m: {through: [{at: [0, 0, 0.2]}, {body: rod, at: [0.1, 0, 0]}], " WHAT "}}\n"
  assert_near(feed(SWINGING(", damping: 1"), 3), 0, 0);
  assert_near(
      feed(SWINGING("") "motors: {m: {joint: j, drive: force, keys: [[0, 0], [1, 0]]}}\n", 3), 0,
      0);
  assert_true(isinf(
      feed(SWINGING("") "motors: {m: {joint: j, drive: force, keys: [[0, 0], [1, 1]]}}\n", 3)));
  assert_true(isinf(
      feed(SWINGING("") "motors: {m: {joint: j, drive: position, keys: [[0, 0], [1, 0]]}}\n", 3)));
  assert_true(isinf(feed(SWINGING("") "loads: {l: {body: rod, force: [1, 0, 0]}}\n", 3)));
  assert_true(isinf(feed(MUSCLE("tension: 5"), 3)));
  // F l (1 + 0.1 v_max T)
  assert_near(feed(MUSCLE("hill: {model: thelen, force: 100, fiber: 0.1, slack: 0.1, speed: 10, "
                          "elastic: false}"),
                   3),
              40, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_stays_where_it_is_said_to),
      cmocka_unit_test(maximal_coordinates_say_the_same),
      cmocka_unit_test(contacts_keep_energy_only_without_rubbing_and_where_they_bounce_back),
      cmocka_unit_test(energy_comes_from_what_acts_and_from_muscles_as_much_as_they_can),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
