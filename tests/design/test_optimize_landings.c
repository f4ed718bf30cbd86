// Gradients by numbers of a design through about ten contacts that stick, slip and land, against
// differences that converge: friction, phases, curves of motors, lengths of bars, places of pivots,
// densities, radii, starts.
#include "contact_kinds.h"
#include "converging.h"
#include "dynamics/tree/state.h"
#include "walking_leg.h"

#define HEAD                                                                                       \
  "name: x\nduration: 0.12 s\nsolver: {integrator: %s, step: 1 ms}\n"                              \
  "materials: {m: {density: 1000, friction: 0.5}, ice: {density: 1000, friction: 0.05}}\n"         \
  "scenery: [{box: [40, 40, 1], position: [0, 0, -0.5], solid: true, material: m}]\n"

#define RIGID "contacts: {pairs: [{between: [walker, walker], collide: false}]}\n"
#define COMPLIANT                                                                                  \
  "contacts: {law: compliant, stiffness: 1e5 N/m, damping: 500 N s/m, pairs: [{between: [walker, " \
  "walker], collide: false}]}\n"

// Three feet with a ball on them, balls that roll, slide and land, a rod that slides on two points,
// a box that lands on a corner; and a foot in a linkage with a tail behind it.
#define THINGS                                                                                     \
  "bodies:\n"                                                                                      \
  "  slab: {mass: 3, inertia: [0.02, 0.04, 0.05], center: [0, 0, 0], material: ice, position: "    \
  "[0, 0, 0.0112], rotation: [0.2 deg, 0.3 deg, 0], shapes: [{sphere: {radius: 1 cm}, "            \
  "position: [15 cm, 0, 0]}, {sphere: {radius: 1 cm}, position: [-10 cm, 12 cm, 0]}, {sphere: "    \
  "{radius: 1 cm}, position: [-10 cm, -12 cm, 0]}, {box: [30 cm, 24 cm, 2 cm], position: [0, "     \
  "0, 3 cm]}]}\n"                                                                                  \
  "  top: {shape: {sphere: {radius: 5 cm}}, material: m, position: [0.03, 0.02, 0.1025]}\n"        \
  "  rolls: {shape: {sphere: {radius: 10 cm}}, material: m, position: [1, 0, 0.10012]}\n"          \
  "  slides: {shape: {sphere: {radius: 10 cm}}, material: ice, position: [2, 0, 0.10012]}\n"       \
  "  lands: {shape: {sphere: {radius: 10 cm}}, material: m, position: [3, 0, 0.102]}\n"            \
  "  log: {shape: {capsule: {radius: 3 cm, length: 20 cm}}, material: ice, position: [0, 1, "      \
  "0.0312], rotation: [0, 90.5 deg, 20 deg]}\n"                                                    \
  "  tilted: {shape: {box: [10 cm, 10 cm, 10 cm]}, material: m, position: [0, 2, 0.09], "          \
  "rotation: [30 deg, 20 deg, 0]}\n"                                                               \
  "  trunk: {shape: {box: [60 cm, 20 cm, 4 cm]}, material: m, group: walker}\n"                    \
  "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.05]}}, material: m, "   \
  "group: walker}\n"                                                                               \
  "  rod: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.2, 0, 0.1]}}, material: m, "    \
  "group: walker}\n"                                                                               \
  "  foot: {shape: {capsule: {radius: 2 cm, from: [0, 0, -0.2], to: [0, 0, 0.15]}}, material: "    \
  "m, group: walker}\n"                                                                            \
  "  tail: {shape: {sphere: {radius: 4 cm}}, material: m, group: walker}\n" LEG_JOINTS             \
  "motors: {m: {joint: shaft, ease: cubic, repeat: 0.3 s, advance: 1 turn, phase: 0.02, keys: "    \
  "[[0, 0], [0.1 s, 150 deg], [0.2, 230 deg]]}}\n"                                                 \
  "initial:\n  slab: {velocity: [0.2, 0.1, 0], spin: [0, 0, 0.3]}\n  top: {velocity: [0.2, 0.1, "  \
  "0]}\n  rolls: {velocity: [1, 0, 0], spin: [0, 10, 0]}\n  slides: {velocity: [1, 0.5, 0]}\n"     \
  "  lands: {velocity: [0.5, 0, -0.5]}\n  log: {velocity: [0.3, 0.2, 0], spin: [0, 0, 1]}\n"       \
  "  tilted: {velocity: [0.2, 0.1, -0.2]}\n"                                                       \
  "  stand: {position: [0, -2, 0.222], velocity: [0.3, 0.1, -0.2], spin: [0.1, 0.2, 0.3]}\n"       \
  "  arm: {velocity: 0.5 rad/s}\n"

#define GOALS                                                                                      \
  "  goals:\n"                                                                                     \
  "    trunk: {point: trunk, position: [1, -2, 0.3]}\n"                                            \
  "    slab: {point: slab, position: [1, 0.5, 0], along: xy}\n"                                    \
  "    top: {point: top, at: [0, 0, 5 cm], position: [1, 0.5, 0], along: xy}\n"                    \
  "    lands: {point: lands, position: [4, 0.3, 0], along: xy}\n"                                  \
  "    slides: {point: slides, position: [3, 0.3, 0], along: xy}\n"                                \
  "    log: {point: log, position: [1, 1.3, 0], along: xy}\n"                                      \
  "    tilted: {point: tilted, at: [3 cm, 0, 0], position: [1, 2.2, 0]}\n"

static void write_scene(char* text, size_t size, const char* integrator, const char* law,
                        const char* parameters) {
  snprintf(text, size, HEAD "%s%soptimize:\n  parameters: {%s}\n%s", integrator, law, THINGS,
           parameters, GOALS);
}

static void check_by(const char* integrator, const char* law, const char* parameters) {
  char text[10000];
  problem p;
  write_scene(text, sizeof text, integrator, law, parameters);
  open_problem(&p, text);
  check_converged(&p, 1e-3, 1e-6);
  close_problem(&p);
}

static void check(const char* law, const char* parameters) {
  check_by("linear-euler", law, parameters);
}

// About ten contacts bear at a time. Some stick, some slip, some are open and land.
static void count(const char* law) {
  char text[10000];
  lb_scene scene;
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  contact_kinds kinds = {0};
  lb_error err = lb_error_make(NULL);
  write_scene(text, sizeof text, "linear-euler", law, "v: {velocity: slab}");
  assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, &err), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, &err), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, &err), LB_OK);
  assert_int_equal(lb_assemble(m, d, &err), LB_OK);
  const int steps = (int)lround(m->duration / m->solver.step);
  for (int i = 0; i < steps; i++) {
    assert_int_equal(lb_stepper_step(st, d, m->solver.step, &err), LB_OK);
    count_contacts(&kinds, d->work->contacts);
  }
  const double n = steps;
  print_message("a step has %.1f contacts that stick, %.1f that slip, %.1f that are open\n",
                kinds.sticks / n, kinds.slips / n, kinds.opens / n);
  assert_at_least((kinds.sticks + kinds.slips) / n, 9);
  assert_at_least(kinds.sticks / n, 2);
  assert_at_least(kinds.slips / n, 2);
  assert_at_least(kinds.opens / n, 0.3);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  lb_scene_release(&scene);
}

static void contacts_stick_slip_and_land(void** state) {
  (void)state;
  count(RIGID);
  count(COMPLIANT);
}

#define BOTH_LAWS(claim, parameters)                                                               \
  static void rigid_##claim(void** state) {                                                        \
    (void)state;                                                                                   \
    check(RIGID, parameters);                                                                      \
  }                                                                                                \
  static void compliant_##claim(void** state) {                                                    \
    (void)state;                                                                                   \
    check(COMPLIANT, parameters);                                                                  \
  }

BOTH_LAWS(friction, "grip: {number: materials.m.friction}, slick: {number: materials.ice.friction}")
BOTH_LAWS(phases, "ahead: {phase: m}")
BOTH_LAWS(curves, "curve: {motor: m}")
BOTH_LAWS(bars, "crank: {number: joints.pin.at.2}, rod: {number: joints.end.in_child.0}, foot: "
                "{number: joints.end.at.2}")
BOTH_LAWS(pivots, "pivot: {number: joints.pivot.at.0}, arm: {number: joints.arm.at.0}")
BOTH_LAWS(masses, "slab: {mass: slab}, m: {number: materials.m.density}")
BOTH_LAWS(sizes, "ball: {number: bodies.lands.shape.sphere.radius}, sole: {number: "
                 "bodies.foot.shape.capsule.radius}, edge: {number: bodies.tilted.shape.box.0}, "
                 "tail: {number: bodies.tail.shape.sphere.radius}")
BOTH_LAWS(starts, "stand: {velocity: stand}, tilted: {velocity: tilted}, slides: {velocity: "
                  "slides}")

// Whatever contacts are made of: bounces, rolling and spinning friction, springs and dampers.
static void check_ball(const char* contacts, const char* parameters) {
  char text[3000];
  problem p;
  snprintf(text, sizeof text,
           "name: x\nduration: 0.1 s\nsolver: {integrator: linear-euler, step: 1 ms}\n"
           "materials: {m: {density: 1000, friction: 0.3, restitution: 0.6, rolling: 1 mm, "
           "spinning: 2 mm}}\n"
           "scenery: [{box: [40, 40, 1], position: [0, 0, -0.5], solid: true, material: m}]\n"
           "%sbodies: {b: {shape: {sphere: {radius: 10 cm}}, material: m, position: [0, 0, 0.12]}, "
           "c: {shape: {box: [20 cm, 10 cm, 10 cm]}, material: m, position: [1, 0, 0.1], rotation: "
           "[20 deg, 30 deg, 0]}}\n"
           "initial: {b: {velocity: [1, 0.5, -1], spin: [3, 2, 1]}, c: {velocity: [1, 0.3, 0], "
           "spin: [0.1, 0.2, 0.3]}}\n"
           "optimize:\n  parameters: {%s}\n  goals: {b: {point: b, at: [0, 0, 5 cm], position: "
           "[0.1, 0.3, 0]}, c: {point: c, at: [5 cm, 0, 0], position: [1, 0.2, 0], weight: 10}}\n",
           contacts, parameters);
  open_problem(&p, text);
  check_converged(&p, 3e-4, 1e-6);
  close_problem(&p);
}

#define SURFACE                                                                                    \
  "grip: {number: materials.m.friction}, bounce: {number: materials.m.restitution}, roll: "        \
  "{number: materials.m.rolling}, spin: {number: materials.m.spinning}, size: {number: "           \
  "bodies.b.shape.sphere.radius}, edge: {number: bodies.c.shape.box.2}"

static void surfaces_and_laws(void** state) {
  (void)state;
  check_ball("contacts: {}\n", SURFACE);
  check_ball("contacts: {cone: pyramid}\n", SURFACE);
  check_ball("contacts: {law: compliant, stiffness: 1e5 N/m, damping: 500 N s/m}\n",
             SURFACE ", soft: {number: contacts.stiffness}, slow: {number: contacts.damping}");
  check_ball("contacts: {law: compliant, stiffness: 1e5 N/m, damping: 500 N s/m, friction: "
             "viscous, friction_damping: 500 N s/m}\n",
             "grip: {number: materials.m.friction}, creep: {number: contacts.friction_damping}");
}

static void other_steps(void** state) {
  (void)state;
  static const char BARS[] =
      "crank: {number: joints.pin.at.2}, pivot: {number: joints.pivot.at.0}, "
      "sole: {number: bodies.foot.shape.capsule.radius}, grip: {number: "
      "materials.m.friction}, ahead: {phase: m}";
  check_by("euler", RIGID, BARS);
  check_by("linear-euler, coordinates: maximal", RIGID, BARS);
}

// A wheel that slides until it rolls with a ball that lands on it, and a tin that lands on its rim.
static void check_cylinders(const char* law) {
  char text[3000];
  problem p;
  snprintf(
      text, sizeof text,
      "name: x\nduration: 0.12 s\nsolver: {integrator: linear-euler, step: 1 ms}\n"
      "materials: {m: {density: 1000, friction: 0.5}}\n"
      "scenery: [{box: [40, 40, 1], position: [0, 0, -0.5], solid: true, material: m}]\n"
      "contacts: {%s}\nbodies:\n"
      "  wheel: {shape: {cylinder: {radius: 10 cm, length: 4 cm}}, material: m, position: [0, 0, "
      "0.1005], rotation: [90.5 deg, 0, 0]}\n"
      "  tin: {shape: {cylinder: {radius: 5 cm, length: 12 cm}}, material: m, position: [1, 0, "
      "0.09], rotation: [35 deg, 20 deg, 0]}\n"
      "  ball: {shape: {sphere: {radius: 4 cm}}, material: m, position: [0.01, 0, 0.245]}\n"
      "initial:\n  wheel: {velocity: [1, 0.1, 0], spin: [0, 4, 0.2]}\n"
      "  tin: {velocity: [0.3, 0.2, -0.5], spin: [1, 0, 1]}\n  ball: {velocity: [1, 0, -0.3]}\n"
      "optimize:\n  parameters: {wheel: {velocity: wheel}, tin: {velocity: tin}, grip: {number: "
      "materials.m.friction}, r: {number: bodies.wheel.shape.cylinder.radius}, t: {number: "
      "bodies.tin.shape.cylinder.radius}, l: {number: bodies.tin.shape.cylinder.length}}\n"
      "  goals: {w: {point: wheel, at: [5 cm, 0, 0], position: [0.1, 0.3, 0]}, t: {point: tin, at: "
      "[0, 5 cm, 0], position: [1, 0.1, 0]}, b: {point: ball, position: [0.2, 0, 0.2]}}\n",
      law);
  open_problem(&p, text);
  check_converged(&p, 1e-4, 1e-6);
  close_problem(&p);
}

static void cylinders(void** state) {
  (void)state;
  check_cylinders("law: compliant, stiffness: 1e5 N/m, damping: 500 N s/m");
  check_cylinders("");
}

// Four legs with loops, each with a crank: bars, a fixed point, feet, a phase. Feet that are stiff
// scuff: the longer such a run is, the nearer is one of its switches.
static void check_legs(const char* duration, const char* law) {
  char text[3000];
  problem p;
  snprintf(text, sizeof text,
           "name: x\ninclude: [" LIMBER_SOURCE_DIR "/scenes/parts/dog.yaml, " LIMBER_SOURCE_DIR
           "/scenes/parts/flat.yaml]\nduration: %s\ncontacts: {%spairs: [{between: [all, all], "
           "collide: false}, {between: [all, world], friction: 0.8}]}\n"
           "optimize:\n  parameters: {upper: {bar: upper}, lower: {bar: "
           "lower}, crank: {bar: crank}, fixed: {number: linkages.leg.points.B.fixed.0}, foot: "
           "{number: linkages.leg.feet.G}, ahead: {number: motors.crank-lf.phase}}\n"
           "  goals: {fast: {point: chassis, velocity: [0.5 m/s, 0, 0], along: x, mean: true}}\n",
           duration, law);
  open_problem(&p, text);
  check_converged(&p, 1e-4, 1e-6);
  close_problem(&p);
}

static void legs_of_bars(void** state) {
  (void)state;
  check_legs("40 ms", "");
  check_legs("50 ms", "law: compliant, stiffness: 1e5 N/m, damping: 500 N s/m, ");
}

// A ball in the air, which a little larger one is near enough to the floor to be looked at.
static void what_is_near_by_a_nudge_alone(void** state) {
  (void)state;
  char text[1000];
  problem p;
  double g[MOST];
  for (double z = 0.10001; z < 0.1003; z += 4e-6) {
    snprintf(text, sizeof text,
             "name: x\nduration: 2 ms\nsolver: {integrator: linear-euler, step: 1 ms}\n"
             "gravity: [0, 0, 0]\nmaterials: {m: {density: 1000}}\n"
             "scenery: [{plane: z, solid: true, material: m}]\ncontacts: {}\n"
             "bodies: {b: {shape: {sphere: {radius: 10 cm}}, material: m, position: [0, 0, %g]}}\n"
             "optimize:\n  parameters: {r: {number: bodies.b.shape.sphere.radius}}\n"
             "  goals: {b: {point: b, position: [0.1, 0, 0.2]}}\n",
             z);
    open_problem(&p, text);
    evaluate(&p, p.o->start, g);
    assert_at_most(fabs(g[0]), 1e-9);
    close_problem(&p);
  }
}

// Bounces so slow that a nudge of the radius is more than their way of a step.
static void check_slow_bounces(const char* contacts) {
  char text[1000];
  problem p;
  snprintf(text, sizeof text,
           "name: x\nduration: 0.1 s\nsolver: {integrator: linear-euler, step: 1 ms}\n"
           "materials: {m: {density: 1000, friction: 0.3, restitution: 0.5}}\n"
           "scenery: [{plane: z, solid: true, material: m}]\n%s"
           "bodies: {b: {shape: {sphere: {radius: 10}}, material: m, position: [0, 0, 10.00103]}}\n"
           "initial: {b: {velocity: [0.3, 0.1, -0.05], spin: [0.1, 0.2, 0.3]}}\n"
           "optimize:\n  parameters: {r: {number: bodies.b.shape.sphere.radius}}\n"
           "  goals: {b: {point: b, at: [0, 0, 5 cm], position: [0.1, 0.3, 0]}}\n",
           contacts);
  open_problem(&p, text);
  check_converged(&p, 1e-6, 1e-6);
  close_problem(&p);
}

static void slow_bounces(void** state) {
  (void)state;
  check_slow_bounces("contacts: {}\n");
  check_slow_bounces("contacts: {law: compliant, stiffness: 1e7 N/m, damping: 5000 N s/m}\n");
}

#define BOTH_TESTS(claim) cmocka_unit_test(rigid_##claim), cmocka_unit_test(compliant_##claim)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_stick_slip_and_land),
      cmocka_unit_test(cylinders),
      BOTH_TESTS(friction),
      BOTH_TESTS(phases),
      BOTH_TESTS(curves),
      BOTH_TESTS(bars),
      BOTH_TESTS(pivots),
      cmocka_unit_test(surfaces_and_laws),
      cmocka_unit_test(other_steps),
      cmocka_unit_test(legs_of_bars),
      cmocka_unit_test(what_is_near_by_a_nudge_alone),
      cmocka_unit_test(slow_bounces),
      BOTH_TESTS(masses),
      BOTH_TESTS(sizes),
      BOTH_TESTS(starts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
