// Gradients of optimisations through contacts: motors, phases and starts of what stands, slides,
// lands and walks.
#include "walker_search.h"
#include "walking_leg.h"

#define HEAD_BY(integrator)                                                                        \
  "name: x\nduration: 0.15 s\nsolver: {integrator: " integrator ", step: 1 ms}\n"                  \
  "materials: {m: {density: 1000, friction: 0.5}}\n"                                               \
  "scenery: [{box: [40, 40, 1], position: [0, 0, -0.5], solid: true, material: m}]\n"
#define HEAD HEAD_BY("linear-euler")

static void check(const char* text, double part, double tolerance) {
  problem p;
  open_problem(&p, text);
  check_gradient(&p, p.o->start, part, tolerance);
  check_applied(&p);
  close_problem(&p);
}

static void a_ball_is_thrown_along_the_ground(void** state) {
  (void)state;
  check(HEAD "contacts: {}\nbodies: {b: {shape: {sphere: {radius: 10 cm}}, material: m, position: "
             "[0, 0, 0.105]}}\ninitial: {b: {velocity: [2, 1, -0.2], spin: [1, 2, 3]}}\n"
             "optimize:\n  parameters: {throw: {velocity: b}, spin: {spin: b}}\n  goals: {far: "
             "{point: b, position: [1, 0, 0], along: xy}, fast: {point: b, velocity: [3, 0, 0], "
             "along: xy, mean: "
             "true}}\n",
        1e-5, 1e-6);
}

// A block that tumbles and lands on a corner: its mass matters to springs of contacts.
static void a_block_has_a_mass(void** state) {
  (void)state;
  check(HEAD
        "contacts: {law: compliant, stiffness: 1e4 N/m, damping: 50 N s/m}\nbodies: {b: {shape: "
        "{box: [10 cm, 20 cm, 30 cm]}, material: m, position: [0, 0, 0.2], rotation: [20 deg, "
        "10 deg, 30 deg]}}\ninitial: {b: {velocity: [1, 0, -1], spin: [1, 2, -3]}}\n"
        "optimize:\n  parameters: {heavy: {mass: b}, when: {position: b}}\n  goals: {far: "
        "{point: b, position: [1, 0, 0], along: xy}}\n",
        1e-5, 1e-6);
}

#define LEGS                                                                                       \
  "bodies:\n"                                                                                      \
  "  trunk: {shape: {box: [30 cm, 20 cm, 6 cm]}, material: m}\n"                                   \
  "  left: {shape: {capsule: {radius: 2 cm, length: 30 cm}}, material: m}\n"                       \
  "  right: {shape: {capsule: {radius: 2 cm, length: 30 cm}}, material: m}\n"                      \
  "joints:\n"                                                                                      \
  "  hip: {type: revolute, axis: y, parent: trunk, child: left, at: [10 cm, 12 cm, 0], in_child: " \
  "[0, 0, 15 cm]}\n"                                                                               \
  "  knee: {type: spherical, parent: trunk, child: right, at: [-10 cm, -12 cm, 0], in_child: [0, " \
  "0, 15 cm]}\n"                                                                                   \
  "  free: {type: free, child: trunk}\n"                                                           \
  "contacts: {law: compliant}\n"                                                                   \
  "initial: {free: {position: [0, 0, 0.322], velocity: [0.3, 0.2, -0.1], spin: [0.1, 0.2, "        \
  "0.3]}}\n"

static void a_leg_is_driven(void** state) {
  (void)state;
  check(HEAD LEGS "motors: {m: {joint: hip, keys: [[0, 10 deg], [0.1, 20 deg], [0.2, 5 deg]]}}\n"
                  "optimize:\n  parameters: {curve: {motor: m}, throw: {velocity: free}}\n  goals: "
                  "{far: {point: trunk, "
                  "position: [1, 0, 0.3]}}\n",
        1e-5, 1e-6);
}

static void a_leg_has_a_servo(void** state) {
  (void)state;
  check(HEAD LEGS "motors: {m: {joint: hip, drive: servo, keys: [[0, 10 deg], [0.1, 20 deg], [0.2, "
                  "5 deg]], stiffness: 300 N m/rad, damping: 3 N m s/rad, limit: 40 N m}}\n"
                  "optimize:\n  parameters: {curve: {motor: m}}\n  goals: {far: {point: trunk, "
                  "position: [1, 0, 0.3]}}\n",
        1e-5, 1e-6);
}

static void a_leg_is_pushed(void** state) {
  (void)state;
  check(HEAD LEGS "motors: {m: {joint: hip, drive: force, keys: [[0, 10 N m], [0.1, 30 N m], [0.2, "
                  "-50 N m]]}}\n"
                  "optimize:\n  parameters: {curve: {motor: m}}\n  goals: {far: {point: trunk, "
                  "position: [1, 0, 0.3]}}\n",
        1e-5, 1e-6);
}

// Feet of a closed chain of bars, in the way of walkers: crank, rod and foot, with a floor and a
// limit beside the contacts.
#define LINKAGE(law)                                                                               \
  "bodies:\n"                                                                                      \
  "  trunk: {shape: {box: [60 cm, 20 cm, 4 cm]}, material: m}\n"                                   \
  "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.05]}}, material: m}\n"  \
  "  rod: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.2, 0, 0.1]}}, material: m}\n"   \
  "  foot: {shape: {capsule: {radius: 2 cm, from: [0, 0, -0.2], to: [0, 0, 0.15]}}, material: "    \
  "m}\n"                                                                                           \
  "  tail: {shape: {sphere: {radius: 4 cm}}, material: m}\n" LEG_JOINTS "contacts: {" law          \
  "pairs: [{between: [all, all], collide: false}]}\n"                                              \
  "initial: {stand: {position: [0, 0, 0.222], velocity: [0.3, 0.1, -0.2], spin: [0.1, 0.2, "       \
  "0.3]}, arm: {velocity: 0.5 rad/s}}\n"
#define CHAIN_BY(law)                                                                              \
  LINKAGE(law)                                                                                     \
  "motors: {m: {joint: shaft, ease: cubic, repeat: 0.3 s, advance: 1 turn, keys: [[0, 0], [0.1 "   \
  "s, 150 deg], [0.2, 230 deg]]}}\n"
#define CHAIN CHAIN_BY("")

static void a_loop_walks(void** state) {
  (void)state;
  check(HEAD CHAIN
        "optimize:\n  parameters: {curve: {motor: m}, throw: {velocity: stand}}\n  goals: "
        "{fast: {point: trunk, velocity: [1 m/s, 0, 0], along: x, mean: true}}\n",
        1e-4, 1e-6);
}

// Servos on the joint that closes the loop and, in maximal coordinates, on any.
static void a_loop_has_a_servo(void** state) {
  (void)state;
#define SERVO(joint)                                                                               \
  "motors: {m: {joint: " joint ", drive: servo, keys: [[0, 0], [0.1, 10 deg], [0.2, -5 deg]], "    \
  "stiffness: 30 N m/rad, damping: 0.3 N m s/rad, limit: 4 N m}}\noptimize:\n  parameters: "       \
  "{curve: {motor: m}}\n  goals: {fast: {point: trunk, velocity: [1 m/s, 0, 0], along: x, mean: "  \
  "true}}\n"
  check(HEAD LINKAGE("") SERVO("end"), 1e-4, 1e-6);
  check(HEAD_BY("euler") LINKAGE("") SERVO("end"), 1e-4, 1e-6);
  check(HEAD_BY("linear-euler, coordinates: maximal") LINKAGE("") SERVO("end"), 1e-4, 1e-6);
  check(HEAD_BY("linear-euler, coordinates: maximal") LINKAGE("") SERVO("shaft"), 1e-4, 1e-6);
}

// Springs and damping of a joint are parameters where steps do not take their stiffness in.
static void a_leg_has_a_spring(void** state) {
  (void)state;
  check(HEAD_BY("euler") LEGS
        "springs: {line: {from: {body: left, at: [0, 0, -10 cm]}, to: {body: right, at: [0, 0, -10 "
        "cm]}, stiffness: 200 N/m, damping: 1 N s/m, length: 20 cm}}\n"
        "optimize:\n  parameters: {soft: {stiffness: line}, slow: {damping: line}, long: {rest: "
        "line}, heavy: {mass: left}}\n  goals: {far: {point: trunk, position: [1, 0, 0.3]}}\n",
        1e-5, 1e-6);
}

// --- what is refused ---

static void refuses(const char* text, const char* why) {
  lb_scene scene;
  lb_optimization* o = NULL;
  lb_error err = lb_error_make(NULL);
  const bool read = lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err) == LB_OK;
  assert_true(!read || lb_optimization_create(&scene, NULL, &o, &err) != LB_OK);
  assert_int_equal(err.count, 1);
  assert_true(err.message[0].place.line > 0);
  if (!strstr(err.message[0].text, why)) {
    print_error("'%s' lacks '%s'\n", err.message[0].text, why);
    fail();
  }
  if (read) {
    lb_scene_release(&scene);
  }
  lb_error_clear(&err);
}

#define GOAL "goals: {far: {point: trunk, position: [1, 0, 0.3]}}}\n"

static void what_has_no_gradient_is_refused(void** state) {
  (void)state;
  refuses(HEAD LEGS "optimize: {parameters: {long: {length: left, along: z}}, " GOAL,
          "shapes that collide do not get longer");
  refuses(HEAD LEGS "motors: {m: {joint: hip, keys: [[0, 0], [1, 1]]}}\n"
                    "optimize: {parameters: {p: {motor: m}}, goals: {e: {motor: m}}}\n",
          "what a motor exerts has no gradient in steps of linear-euler");
  refuses(HEAD_BY("bdf1") LEGS "optimize: {parameters: {v: {velocity: free}}, " GOAL,
          "steps of bdf1 have no gradients through contacts");
  refuses(HEAD LEGS "springs: {line: {from: {body: left}, to: {body: right}, stiffness: 200 N/m}}\n"
                    "optimize: {parameters: {v: {velocity: free}}, " GOAL,
          "springs, cables and grounds between bodies");
}

// Capsules along each other, which is known once they meet.
static void a_pair_without_a_gradient_is_named(void** state) {
  (void)state;
  problem p;
  double g[MOST], value;
  lb_error err = lb_error_make(NULL);
  open_problem(&p,
               HEAD "contacts: {}\nbodies: {log: {shape: {capsule: {radius: 10 cm, from: [0, "
                    "-1, 0], to: [0, 1, 0]}}, material: m, position: [0, 0, 0.1]}, rod: {shape: "
                    "{capsule: {radius: 10 cm, from: [0, -1, 0], to: [0, 1, 0]}}, material: m, "
                    "position: [0, 0, 0.3]}}\noptimize: {parameters: {v: {velocity: rod}}, "
                    "goals: {far: {point: rod, position: [1, 0, 0]}}}\n");
  assert_true(lb_optimization_evaluate(p.o, p.o->start, &value, g, &err) == LB_FAILED);
  assert_non_null(strstr(err.message[0].text, "'log' (a capsule)"));
  assert_non_null(strstr(err.message[0].text, "'rod' (a capsule)"));
  lb_error_clear(&err);
  close_problem(&p);
}

// A bar that falls on its end: with some slants Newton's law adds energy, with others it does not.
static bool is_refused(int slant) {
  problem p;
  double g[MOST], value;
  char text[2048];
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text,
           HEAD "contacts: {pairs: [{between: [all, world], restitution: 1}]}\nbodies: {b: {shape: "
                "{box: [0.4, 0.1, 0.05]}, material: m, position: [0, 0, 0.3], rotation: [3 deg, %d "
                "deg, 0]}}\ninitial: {b: {velocity: [-1, 0.1, -3]}}\noptimize: {parameters: {v: "
                "{velocity: b}}, goals: {far: {point: b, position: [1, 0, 0]}}}\n",
           slant);
  open_problem(&p, text);
  const bool refused = lb_optimization_evaluate(p.o, p.o->start, &value, g, &err) == LB_FAILED;
  assert_true(!refused || strstr(err.message[0].text, "would add energy"));
  lb_error_clear(&err);
  close_problem(&p);
  return refused;
}

static void an_impact_that_is_held_back_is_refused(void** state) {
  (void)state;
  int n = 0;
  for (int slant = 5; slant < 90; slant += 10) {
    n += is_refused(slant);
  }
  assert_in_range(n, 1, 8);
}

// --- a search ---

static void a_walker_gets_faster(void** state) {
  (void)state;
  check_walker(4, 1.2);
}

// Numbers of the text: friction of the feet and the ground, a length of the chain, the place of a
// pivot. Steps come as a whole for them, so all that contacts depend on counts.
static void numbers_of_the_text(void** state) {
  (void)state;
  check(HEAD CHAIN_BY(
            "law: compliant, stiffness: 1e4 N/m, damping: 100 N s/m, ") "optimize:\n  parameters: "
                                                                        "{grip: {number: "
                                                                        "materials.m.friction}, "
                                                                        "pivot: {number: "
                                                                        "joints.pivot.at.0}, sole: "
                                                                        "{number: "
                                                                        "bodies.foot.shape.capsule."
                                                                        "radius}}\n  goals: {fast: "
                                                                        "{point: trunk, velocity: "
                                                                        "[1 m/s, 0, 0], along: x, "
                                                                        "mean: true}}\n",
        1e-5, 1e-6);
}

// Lengths of bars of a walker on four legs with loops and motors, which yields where it lands: the
// drawing is assembled anew with each length, and the run starts from there.
static void bars_of_a_walker(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "name: x\ninclude: [" LIMBER_SOURCE_DIR
                   "/scenes/parts/dog.yaml, " LIMBER_SOURCE_DIR "/scenes/parts/flat.yaml]\n"
                   "duration: 0.3 s\ncontacts: {law: compliant, stiffness: 1e5 N/m, damping: 500 N "
                   "s/m, friction: viscous, friction_damping: 500 N s/m}\n"
                   "optimize:\n  parameters: {upper: {bar: upper}, lower: {bar: lower}, crank: "
                   "{bar: crank}}\n  goals: {fast: {point: chassis, velocity: [0.5 m/s, 0, 0], "
                   "along: x, mean: true}}\n");
  check_gradient(&p, p.o->start, 1e-6, 1e-6);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_is_thrown_along_the_ground),
      cmocka_unit_test(a_block_has_a_mass),
      cmocka_unit_test(a_leg_is_driven),
      cmocka_unit_test(a_leg_has_a_servo),
      cmocka_unit_test(a_loop_has_a_servo),
      cmocka_unit_test(a_leg_is_pushed),
      cmocka_unit_test(a_loop_walks),
      cmocka_unit_test(numbers_of_the_text),
      cmocka_unit_test(bars_of_a_walker),
      cmocka_unit_test(a_leg_has_a_spring),
      cmocka_unit_test(what_has_no_gradient_is_refused),
      cmocka_unit_test(a_pair_without_a_gradient_is_named),
      cmocka_unit_test(an_impact_that_is_held_back_is_refused),
      cmocka_unit_test(a_walker_gets_faster),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
