// Every piece of memory may be refused: each take from an arena is a request of its own here (the
// library asks for blocks that hold many), and each is refused once, for every integrator on every
// kind of world.
#define LB_ARENA_BLOCK 0
#include "base/arena.c" // stands in for the library's

#include "counting.h"
#include "limber/limber.h"
#include "test.h"

#define BOX "{shape: {box: [0.1, 0.1, 0.4], position: [0, 0, -0.2]}}"
#define LEGS                                                                                       \
  "bodies: {a: " BOX ", b: " BOX ", c: " BOX "}\n"                                                 \
  "joints:\n"                                                                                      \
  "  ja: {type: revolute, child: a, axis: y, damping: 0.1}\n"                                      \
  "  jb: {type: revolute, parent: a, child: b, axis: y, at: [0, 0, -0.4], spring: {stiffness: "    \
  "9}}\n"                                                                                          \
  "  jc: {type: revolute, child: c, axis: y, at: [0.4, 0, 0]}\n"
#define LOOP                                                                                       \
  "  loop: {type: spherical, loop: true, parent: b, child: c, in_child: [0, 0, -0.4], at: [0, 0, " \
  "-0.4]}\n"

static const struct world {
  const char *name, *text;
} WORLDS[] = {
    {"tree", LEGS},
    {"loop", LEGS LOOP "initial: {ja: {position: 0.1}}\n"},
    {"floor", "bodies: {a: " BOX "}\n"
              "joints: {ja: {type: free, child: a}}\n"
              "constraints: {ground: {floor: {body: a, height: -0.4, points: [{at: [0.1, 0, "
              "-0.4]}, {at: [-0.1, 0.1, -0.4]}, {at: [-0.1, -0.1, -0.4]}]}}}\n"},
    {"floor and loop",
     LEGS LOOP "constraints: {ground: {floor: {body: b, height: -0.81, points: [{at: [0, 0, "
               "-0.4]}]}}}\n"},
    {"couplings", LEGS "constraints:\n"
                       "  gear: {couple: [{joint: ja}, {joint: jc, times: 2}], equals: 0}\n"
                       "  stop: {couple: [{joint: jb}], at_most: 0.3, at_least: -0.2}\n"},
    {"prescribed motion",
     LEGS "constraints:\n"
          "  led: {follow: {body: b, at: [0, 0, -0.4], along: xz, x: {keys: [[0, 0], [1, "
          "0.1]]}}}\n"
          "  pace: {couple: [{joint: jc}], path: {rates: [[0, 1]]}}\n"
          "motors: {m: {joint: ja, drive: force, keys: [[0 s, 0], [1 s, 0.1]]}}\n"},
    {"driven", LEGS LOOP "motors: {m: {joint: ja, keys: [[0 s, 0], [1 s, 0.1]]}}\n"},
    {"cable", LEGS "ropes: {rope: {through: [{body: b, at: [0, 0, -0.4]}, {free: true, at: [0.3, "
                   "0, -0.8]}], segments: 3, mass: 0.1, stiffness: 50, damping: 1 ms}}\n"},
    {"cable and loop",
     LEGS LOOP "ropes: {rope: {through: [{body: b, at: [0, 0, -0.4]}, {free: true, at: [0.3, 0, "
               "-0.8]}], segments: 3, mass: 0.1, stiffness: 50, damping: 1 ms}}\n"},
    {"cable and floor",
     "bodies: {a: " BOX "}\n"
     "joints: {ja: {type: free, child: a}}\n"
     "constraints: {ground: {floor: {body: a, height: -0.4, points: [{at: [0, 0, -0.4]}]}}}\n"
     "ropes: {rope: {through: [{body: a, at: [0, 0, -0.4]}, {free: true, at: [0.3, 0, -0.8]}], "
     "segments: 3, mass: 0.1, stiffness: 50, damping: 1 ms}}\n"},
    {"deformable",
     "materials: {gel: {density: 1000, young: 50 kPa, poisson: 0.4}}\n" LEGS
     "soft: {flesh: {form: {box: {width: 0.2, height: 0.2, from: [0, 0, -0.5], to: [0, 0, -0.2]}, "
     "material: gel, elements: {along: 2, across: 1, around: 1}}, attach: [a], within: 8 cm}}\n"},
    {"elastic",
     "materials: {gum: {density: 1000, young: 2 MPa, poisson: 0.4, damping: {stiffness: 1 ms}}}\n"
     "bodies:\n"
     "  a: " BOX "\n"
     "  bar: {elastic: {box: {width: 0.02, height: 0.03, from: [0, 0, 0], to: [0.1, 0, 0]}, "
     "material: gum, elements: {along: 1, across: 1, around: 1}, order: 1, basis: {modes: 2, "
     "derivatives: 0}}}\n"
     "joints:\n"
     "  ja: {type: revolute, child: a, axis: y}\n"
     "  jb: {type: fixed, parent: a, child: bar, face: start, at: [0, 0, -0.4]}\n"},
    {"elastic and loop",
     "materials: {gum: {density: 1000, young: 2 MPa, poisson: 0.4, damping: {stiffness: 1 ms}}}\n"
     "bodies:\n"
     "  a: " BOX "\n"
     "  b: " BOX "\n"
     "  bar: {elastic: {box: {width: 0.02, height: 0.03, from: [0, 0, 0], to: [0.1, 0, 0]}, "
     "material: gum, elements: {along: 1, across: 1, around: 1}, order: 1, basis: {modes: 2, "
     "derivatives: 0}}}\n"
     "joints:\n"
     "  ja: {type: revolute, child: a, axis: y}\n"
     "  jb: {type: fixed, parent: a, child: bar, face: start, at: [0, 0, -0.4]}\n"
     "  jc: {type: revolute, child: b, axis: y, at: [0.1, 0, 0]}\n"
     "  loop: {type: spherical, loop: true, parent: bar, child: b, face: end, at: [0.1, 0, 0], "
     "in_child: [0, 0, -0.4]}\n"},
};
enum { WORLDS_COUNT = sizeof WORLDS / sizeof *WORLDS };

// How worlds are solved; not every world can be each.
static const char* const WAYS[] = {"coordinates: reduced", "coordinates: maximal", "elastic: full"};
enum { WAYS_COUNT = sizeof WAYS / sizeof *WAYS };

// A scene, or false where a world cannot be solved that way; the first way suits all.
static bool read_world(const struct world* w, int way, lb_scene* scene) {
  char text[4000];
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, "solver: {integrator: bdf2, step: 1 ms, %s}\n%s", WAYS[way], w->text);
  const bool can = lb_scene_parse(text, strlen(text), "world.yaml", NULL, scene, &err) == LB_OK;
  if (!can) {
    print_message("%s, %s: %s\n", w->name, WAYS[way], err.message[0].text);
    assert_int_not_equal(way, 0);
  }
  lb_error_clear(&err);
  return can;
}

typedef lb_status attempt(const void* context, const lb_allocator* allocator);

// Refuse one request after the other; how many there are.
static long refuse_each(attempt* try, const void* context) {
  lb_counting counting = {0};
  const lb_allocator allocator = lb_counting_allocator(&counting);
  assert_int_equal(try(context, &allocator), LB_OK);
  assert_int_equal(counting.live, 0);
  const long requests = counting.requests;
  for (long n = 1; n <= requests; n++) {
    counting = (lb_counting){.refuse = n};
    const lb_status status = try(context, &allocator);
    if (status != LB_NO_MEMORY || counting.live != 0) {
      fail_msg("request %ld of %ld: status %d, %ld pieces left", n, requests, (int)status,
               counting.live);
    }
  }
  return requests;
}

static lb_status make_model(const void* context, const lb_allocator* allocator) {
  lb_model* m = NULL;
  lb_error err = lb_error_make(allocator);
  const lb_status status = lb_model_create(context, allocator, &m, &err);
  lb_model_release(m);
  lb_error_clear(&err);
  return status;
}

typedef struct steps {
  const lb_model* m;
  lb_scene_solver solver;
} steps;

static lb_status take_steps(const void* context, const lb_allocator* allocator) {
  const steps* s = context;
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  lb_error err = lb_error_make(allocator);
  lb_status status = lb_data_create(s->m, allocator, &d, &err);
  status = status == LB_OK ? lb_assemble(s->m, d, &err) : status;
  status = status == LB_OK ? lb_stepper_create(s->m, &s->solver, allocator, &st, &err) : status;
  for (int i = 0; status == LB_OK && i < 3; i++) {
    status = lb_stepper_step(st, d, 1e-3, &err);
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_error_clear(&err);
  return status;
}

static lb_status find_equilibrium(const void* context, const lb_allocator* allocator) {
  const lb_model* m = context;
  lb_data* d = NULL;
  lb_error err = lb_error_make(allocator);
  lb_status status = lb_data_create(m, allocator, &d, &err);
  status = status == LB_OK ? lb_assemble(m, d, &err) : status;
  status = status == LB_OK ? lb_equilibrium(m, d, &err) : status;
  lb_data_release(d);
  lb_error_clear(&err);
  return status;
}

static lb_status make_derivatives(const void* context, const lb_allocator* allocator) {
  lb_derivatives* derivatives = NULL;
  const lb_status status = lb_derivatives_create(context, allocator, &derivatives, NULL);
  lb_derivatives_release(derivatives);
  return status;
}

static const lb_model* moving(const lb_model* m) {
  return lb_model_simulated(m);
}

static void for_all_worlds(void (*visit)(const lb_scene* scene, const lb_model* m)) {
  for (int i = 0; i < WORLDS_COUNT * WAYS_COUNT; i++) {
    const int world = i / WAYS_COUNT, way = i % WAYS_COUNT;
    lb_scene scene;
    lb_model* m = NULL;
    if (read_world(&WORLDS[world], way, &scene)) {
      print_message("%s, %s\n", WORLDS[world].name, WAYS[way]);
      lb_error err = lb_error_make(NULL);
      if (lb_model_create(&scene, NULL, &m, &err) != LB_OK) {
        fail_msg("%s", err.message[0].text);
      }
      visit(&scene, m);
      lb_model_release(m);
      lb_scene_release(&scene);
    }
  }
}

static void make_and_refuse(const lb_scene* scene, const lb_model* m) {
  if (m->constraint.nloop > 0 && m->elastic.count > 0) {
    return; // both are made in other worlds, and elastic bodies are slow to make
  }
  print_message("  %ld pieces of a model\n", refuse_each(make_model, scene));
}

static void a_model_made_of_pieces_any_of_which_is_refused_leaves_nothing(void** state) {
  (void)state;
  for_all_worlds(make_and_refuse);
}

static void step_and_refuse(const lb_scene* scene, const lb_model* m) {
  for (int k = 0; k < LB_INTEGRATOR_COUNT; k++) {
    steps s = {moving(m), scene->solver};
    s.solver.integrator = (lb_integrator)k;
    s.solver.tolerance = k == LB_INTEGRATOR_ADAPTIVE ? 1e-3 : 0;
    // an explicit integrator on a stiff world, or one that does not suit all nodes
    const bool can = take_steps(&s, NULL) == LB_OK;
    print_message("  %s: %ld pieces\n", lb_integrator_name((lb_integrator)k),
                  can ? refuse_each(take_steps, &s) : 0);
    assert_true(can || k < LB_INTEGRATOR_BDF1 || k == LB_INTEGRATOR_ADAPTIVE);
  }
}

static void steps_of_which_any_piece_is_refused_say_so_and_leave_nothing(void** state) {
  (void)state;
  for_all_worlds(step_and_refuse);
}

static void rest_and_refuse(const lb_scene* scene, const lb_model* m) {
  (void)scene;
  m = moving(m);
  if (find_equilibrium(m, NULL) == LB_OK) {
    print_message("  equilibrium: %ld pieces\n", refuse_each(find_equilibrium, m));
  }
  if (make_derivatives(m, NULL) == LB_OK) {
    print_message("  derivatives: %ld pieces\n", refuse_each(make_derivatives, m));
  }
}

static void equilibrium_and_derivatives_of_refused_pieces_leave_nothing(void** state) {
  (void)state;
  for_all_worlds(rest_and_refuse);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_made_of_pieces_any_of_which_is_refused_leaves_nothing),
      cmocka_unit_test(steps_of_which_any_piece_is_refused_say_so_and_leave_nothing),
      cmocka_unit_test(equilibrium_and_derivatives_of_refused_pieces_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
