// Searches that end where formulas say, within bounds, and nothing lost where memory ends.
#include <time.h>

#include "counting.h"
#include "limber/limber.h"
#include "test.h"

enum { MOST = 1200 };

typedef struct problem {
  lb_scene scene;
  lb_optimization* o;
  double x[MOST], objective;
} problem;

static void complain(lb_error* err) {
  for (int i = 0; i < err->count; i++) {
    print_error("%d: %s\n", err->message[i].place.line, err->message[i].text);
  }
  fail();
}

static void open_problem(problem* p, const char* text) {
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "test.yaml", NULL, &p->scene, &err) != LB_OK ||
      lb_optimization_create(&p->scene, NULL, &p->o, &err) != LB_OK) {
    complain(&err);
  }
  assert_at_most(p->o->nvalue, MOST);
  memcpy(p->x, p->o->start, (size_t)p->o->nvalue * sizeof *p->x);
}

static void solve(problem* p, lb_optimize_options options) {
  lb_error err = lb_error_make(NULL);
  if (lb_optimize_run(p->o, &options, p->x, &p->objective, &err) != LB_OK) {
    complain(&err);
  }
}

static void close_problem(problem* p) {
  lb_optimization_release(p->o);
  lb_scene_release(&p->scene);
}

// BDF1 from rest of a falling point: after n steps of h, z = z0 + v0 t - g h^2 n (n + 1) / 2.
static void a_throw_without_drag_has_the_velocity_of_the_closed_form(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "duration: 1 s\n"
                   "solver: {integrator: bdf1, step: 10 ms}\n"
                   "bodies: {ball: {shape: {sphere: {radius: 5 cm}}, position: [0, 1, 2]}}\n"
                   "optimize:\n"
                   "  parameters: {throw: {velocity: ball}}\n"
                   "  goals: {hit: {point: ball, position: [4, -1, 3]}}\n");
  solve(&p, (lb_optimize_options){0});
  assert_near(p.x[0], 4, 1e-9);
  assert_near(p.x[1], -2, 1e-9);
  assert_near(p.x[2], 3 - 2 + 9.81 * 1e-4 * 100 * 101 / 2, 1e-9);
  assert_below(p.objective, 1e-18);
  assert_int_equal(p.o->end, LB_OPTIMIZE_NO_GAIN);
  close_problem(&p);
}

// Numbers count by their size, however small it is, without bounds.
static void a_small_number_is_found_as_well_as_a_large_one(void** state) {
  (void)state;
  static const double size[] = {1e-6, 1, 1e6};
  for (size_t i = 0; i < 3; i++) {
    problem p;
    char text[600];
    snprintf(text, sizeof text,
             "duration: 1 s\n"
             "gravity: [0, 0, 0]\n"
             "solver: {integrator: bdf2, step: 10 ms}\n"
             "bodies: {cart: {mass: %g, inertia: [1, 1, 1]}}\n"
             "joints: {rail: {type: prismatic, child: cart, axis: x,\n"
             "                spring: {stiffness: %g}}}\n"
             "initial: {rail: {position: 1 m}}\n"
             "optimize:\n"
             "  parameters: {k: {stiffness: rail}}\n"
             "  goals: {zero: {joint: rail, position: 0}}\n",
             size[i], 2 * size[i]);
    open_problem(&p, text);
    solve(&p, (lb_optimize_options){0});
    assert_near(p.x[0] / size[i], M_PI * M_PI / 4, 1e-3); // a quarter of the period
    close_problem(&p);
  }
}

// A throw that may not be as fast as it should: the nearest that the bound allows.
static void bounds_hold_to_the_last_bit(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "duration: 1 s\n"
                   "solver: {integrator: bdf2, step: 10 ms}\n"
                   "gravity: [0, 0, 0]\n"
                   "bodies: {ball: {shape: {sphere: {radius: 5 cm}}}}\n"
                   "optimize:\n"
                   "  parameters: {throw: {velocity: ball, at_least: -1.7, at_most: 2.3}}\n"
                   "  goals: {hit: {point: ball, position: [4, -3, 1]}}\n");
  solve(&p, (lb_optimize_options){0});
  assert_true(p.x[0] == 2.3);
  assert_true(p.x[1] == -1.7);
  assert_near(p.x[2], 1, 1e-9);
  assert_near(p.objective, 1.7 * 1.7 + 1.3 * 1.3, 1e-9);
  close_problem(&p);
}

// A swinging pendulum is as long as its clock says: T = 2 pi sqrt(l / g) for a point.
static void a_length_is_found_from_the_period(void** state) {
  (void)state;
  problem p;
  open_problem(&p, "duration: 0.5 s\n" // a quarter of 2 s
                   "solver: {integrator: sdirk2, step: 2 ms}\n"
                   "bodies: {bob: {mass: 1 kg, center: [1, 0, 0], inertia: [1e-9, 1e-9, 1e-9]}}\n"
                   "joints: {pivot: {type: revolute, child: bob, axis: y}}\n"
                   "initial: {pivot: {position: 90.01 deg}}\n" // hangs along x turned down
                   "optimize:\n"
                   "  parameters: {length: {length: bob, at_least: 0.3, at_most: 3}}\n"
                   "  goals: {down: {joint: pivot, position: 90 deg, weight: 1e6}}\n");
  solve(&p, (lb_optimize_options){0});
  assert_near(p.x[0], 9.81 / (M_PI * M_PI), 1e-4);
  close_problem(&p);
}

static bool stop_after_three(void* context, const lb_optimize_news* n) {
  *(double*)context = n->objective;
  return n->iteration < 3;
}

static const char swing[] =
    "duration: 1 s\n"
    "solver: {integrator: bdf2, step: 10 ms}\n"
    "bodies: {rod: {shape: {box: [0.5, 0.05, 0.05], position: [0.25, 0, 0]}}}\n"
    "joints: {pivot: {type: revolute, child: rod, axis: y}}\n"
    "motors: {push: {joint: pivot, drive: force, keys: [[0, 0]]}}\n"
    "optimize:\n"
    "  parameters: {push: {motor: push, knots: 8, at_least: -5, at_most: 5}}\n"
    "  goals: {up: {joint: pivot, position: -90 deg}, still: {joint: pivot, velocity: 0}}\n";

// Torques of a swing-up that end at their bounds or close by: a search that comes ever nearer to a
// bound and never reaches it takes ever shorter steps, and would end at 0.3.
static void bounds_that_are_all_but_reached_do_not_hold_up_a_search(void** state) {
  (void)state;
  problem p;
  open_problem(&p,
               "duration: 4 s\n"
               "solver: {integrator: bdf1, step: 10 ms}\n"
               "bodies:\n"
               "  pendulum:\n"
               "    shapes:\n"
               "      - cylinder: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, -0.5]}\n"
               "      - {sphere: {radius: 6 cm}, position: [0, 0, -0.5], material: brass}\n"
               "    mass: 1 kg\n"
               "joints: {pivot: {type: revolute, child: pendulum, axis: y, damping: 0.01}}\n"
               "motors:\n"
               "  pivot: {joint: pivot, drive: force, ease: linear,\n"
               "          keys: [[0, 1], [1 s, -1], [2 s, 1], [4 s, 0]]}\n"
               "optimize:\n"
               "  parameters: {torque: {motor: pivot, knots: 41, at_least: -1.6, at_most: 1.6}}\n"
               "  goals:\n"
               "    top: {joint: pivot, position: 180 deg, weight: 10}\n"
               "    at rest: {joint: pivot, velocity: 0}\n"
               "    effort: {motor: pivot, weight: 1e-3}\n"
               "  iterations: 500\n");
  solve(&p, (lb_optimize_options){0});
  assert_below(p.objective, 0.005);
  close_problem(&p);
}

static void a_search_that_is_stopped_leaves_its_best_numbers(void** state) {
  (void)state;
  problem p;
  double seen = NAN, value = NAN;
  open_problem(&p, swing);
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_optimize_run(p.o, &(lb_optimize_options){stop_after_three, &seen}, p.x,
                                   &p.objective, &err),
                   LB_INTERRUPTED);
  lb_error_clear(&err);
  assert_int_equal(lb_optimization_evaluate(p.o, p.x, &value, NULL, NULL), LB_OK);
  assert_near(value, seen, 1e-12);
  assert_near(p.objective, seen, 1e-12);
  assert_int_equal(p.o->end, LB_OPTIMIZE_INTERRUPTED);
  close_problem(&p);
}

static void a_search_says_why_it_ended(void** state) {
  (void)state;
  problem p;
  open_problem(&p, swing);
  p.scene.optimize.iterations = 2;
  solve(&p, (lb_optimize_options){0});
  assert_int_equal(p.o->end, LB_OPTIMIZE_LIMIT);
  p.scene.optimize.iterations = 200;
  p.scene.optimize.tolerance = 10; // more than there is
  solve(&p, (lb_optimize_options){0});
  assert_int_equal(p.o->end, LB_OPTIMIZE_CONVERGED);
  close_problem(&p);
}

static void searches_repeat_to_the_last_bit(void** state) {
  (void)state;
  static problem p, again;
  open_problem(&p, swing);
  open_problem(&again, swing);
  solve(&p, (lb_optimize_options){0});
  solve(&again, (lb_optimize_options){0});
  assert_memory_equal(p.x, again.x, (size_t)p.o->nvalue * sizeof *p.x);
  assert_below(p.objective, 1e-6);
  close_problem(&p);
  close_problem(&again);
}

// Two hinges that a third closes to a triangle: it hangs still, whatever is asked.
static const char triangle[] =
    "duration: 30 ms\n"
    "solver: {integrator: bdf2, step: 10 ms}\n"
    "bodies:\n"
    "  a: {shape: {box: [1, 0.05, 0.05], position: [0.5, 0, 0]}}\n"
    "  b: {shape: {box: [1, 0.05, 0.05], position: [0.5, 0, 0]}}\n"
    "  c: {shape: {box: [1, 0.05, 0.05], position: [0.5, 0, 0]}}\n"
    "joints:\n"
    "  one: {type: revolute, child: a, axis: y}\n"
    "  two: {type: revolute, parent: a, child: b, at: [1, 0, 0], axis: y}\n"
    "  three: {type: revolute, parent: b, child: c, at: [1, 0, 0], axis: y}\n"
    "  last: {type: revolute, parent: c, at: [1, 0, 0], in_child: [0.5, 0, 0], child: a,\n"
    "         axis: y, loop: true}\n"
    "springs: {s: {from: {body: b}, to: {at: [0, 0, 1]}, stiffness: 3}}\n"
    "initial: {two: {position: 120 deg}, three: {position: 130 deg}}\n"
    "optimize:\n"
    "  parameters: {turn: {position: one}, length: {length: b}, weight: {mass: c}}\n"
    "  goals: {there: {point: c, position: [0, 0, 0]}}\n";

// A joint that closes a loop, a rope and a piece of a deformable.
static const char fabric[] =
    "duration: 20 ms\n"
    "solver: {integrator: bdf2, step: 10 ms, coordinates: maximal}\n"
    "materials: {fat: {density: 400, young: 20 kPa, poisson: 0.4}}\n"
    "bodies:\n"
    "  a: {shape: {box: [0.2, 0.05, 0.05], position: [0.1, 0, 0]}}\n"
    "  b: {shape: {box: [0.1, 0.1, 0.1]}, position: [0, 1, 0]}\n"
    "joints:\n"
    "  one: {type: revolute, child: a, axis: y}\n"
    "  hold: {type: revolute, child: b, at: [0, 1, 0], axis: y, loop: true}\n"
    "ropes: {s: {through: [{body: a}, {body: b}], segments: 3, mass: 0.1, stiffness: 10}}\n"
    "deformables:\n"
    "  lump:\n"
    "    form: {box: {from: [0, 0, 0], to: [0.2, 0, 0], width: 0.1, height: 0.1}, material: fat,\n"
    "      elements: {along: 2, across: 1, around: 1}}\n"
    "    attach: [a]\n"
    "    within: 4 cm\n"
    "optimize:\n"
    "  parameters: {turn: {position: one}, speed: {velocity: one}, length: {length: b, along: z},\n"
    "               soft: {young: fat}}\n"
    "  goals: {there: {point: b, position: [0, 0, 0]}, so: {joint: one, position: 1}}\n";

// Parts of a chain and a body of two materials.
static const char parts[] =
    "duration: 8 ms\n"
    "solver: {integrator: bdf1, step: 4 ms}\n"
    "materials: {hard: {density: 1000, young: 5 MPa}, soft: {density: 1000, young: 1 MPa}}\n"
    "bodies:\n"
    "  a: {shape: {box: [0.2, 0.05, 0.05], position: [0.1, 0, 0]}}\n"
    "  b: {elastic: {box: {from: [0, 0, 0], to: [0.2, 0, 0], width: 2 cm, height: 2 cm},\n"
    "      parts: [{until: 0.1, material: hard}, {material: soft}], elements: {along: 2, across: "
    "1},\n"
    "      basis: {modes: 1, derivatives: 0}}}\n"
    "joints:\n"
    "  one: {type: composite, child: a, parts: [{type: revolute, axis: y},\n"
    "    {type: prismatic, axis: x, spring: {stiffness: 30}}]}\n"
    "  hold: {type: fixed, parent: a, child: b, at: [0.2, 0, 0], child_face: start}\n"
    "constraints: {led: {follow: {body: a, z: {keys: [[0, 0]]}}}}\n"
    "optimize:\n"
    "  parameters: {place: {position: one, part: 1}, k: {stiffness: one, part: 2},\n"
    "               r: {rest: one}, soft: {young: soft}}\n"
    "  goals: {there: {point: a, position: [0, 0, 0]}}\n";

// A curve of which all values matter at all times, a rest that is a rotation, and numbers that
// change on the way.
static const char turning[] =
    "duration: 12 ms\n"
    "solver: {integrator: bdf2, step: 4 ms}\n"
    "bodies:\n"
    "  a: {shape: {box: [0.2, 0.05, 0.05], position: [0.1, 0, 0]}}\n"
    "  b: {shape: {box: [0.1, 0.1, 0.1]}}\n"
    "  c: {shape: {box: [0.1, 0.1, 0.1]}}\n"
    "joints:\n"
    "  one: {type: revolute, child: a, axis: y}\n"
    "  two: {type: spherical, parent: a, child: b, at: [0.2, 0, 0], spring: {stiffness: 1}}\n"
    "  three: {type: exponential, parent: b, child: c, at: [0.1, 0, 0]}\n"
    "motors: {m: {joint: one, ease: cubic, keys: [[0, 0], [5 ms, 0.1], [12 ms, 0.3]]}}\n"
    "initial: {three: {position: [4.6, 0, 1], velocity: [30, 1, 0]}}\n"
    "optimize:\n"
    "  parameters: {curve: {motor: m}, rest: {rest: two}}\n"
    "  goals: {there: {point: c, at: [0, 0.1, 0], position: [0, 0, 0]}}\n";

static void run_out_of_memory(const char* text) {
  bool done = false;
  for (long refuse = 1; !done; refuse++) {
    lb_scene scene;
    assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, NULL), LB_OK);
    lb_counting c = {.refuse = refuse};
    const lb_allocator a = lb_counting_allocator(&c);
    lb_optimization* o = NULL;
    double g[8], value = 1234567;
    lb_status status = lb_optimization_create(&scene, &a, &o, NULL);
    if (status == LB_OK) {
      status = lb_optimization_evaluate(o, o->start, &value, g, NULL);
      assert_true((status == LB_OK) == (value != 1234567));
      status = status == LB_OK ? lb_optimization_apply(o, o->start, &scene, NULL) : status;
    } else {
      assert_null(o);
    }
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    done = c.requests < refuse;
    assert_true(done == (status == LB_OK));
    lb_optimization_release(o);
    assert_int_equal(c.live, 0);
    lb_scene_release(&scene);
  }
}

static void nothing_leaks_when_memory_ends_anywhere(void** state) {
  (void)state;
  run_out_of_memory(swing);
  run_out_of_memory(triangle);
  run_out_of_memory(fabric);
  run_out_of_memory(parts);
  run_out_of_memory(turning);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Best of several, so that other work on the machine matters little.
static double seconds(problem* p, double* gradient) {
  double best = INFINITY, value;
  for (int i = 0; i < 7; i++) {
    const double start = now();
    assert_int_equal(lb_optimization_evaluate(p->o, p->x, &value, gradient, NULL), LB_OK);
    best = fmin(best, now() - start);
  }
  return best;
}

// The gradient along random directions, in which all numbers change, against differences of fourth
// order; over the slope that a direction of this length has in the root mean square.
static double slopes_off(problem* p, const double* g) {
  static const double way[] = {-2, -1, 1, 2}, weight[] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  static double y[MOST], along[MOST];
  lb_random r = {5};
  const double h = 1e-3;
  double worst = 0, size = 0;
  for (int i = 0; i < p->o->nvalue; i++) {
    size += g[i] * g[i] / 3; // the mean square of numbers between -1 and 1
  }
  for (int trial = 0; trial < 3; trial++) {
    double slope = 0;
    for (int i = 0; i < p->o->nvalue; i++) {
      along[i] = lb_random_between(&r, -1, 1);
      slope += g[i] * along[i];
    }
    for (int k = 0; k < 4; k++) {
      double value = NAN;
      for (int i = 0; i < p->o->nvalue; i++) {
        y[i] = p->x[i] + way[k] * h * along[i];
      }
      assert_int_equal(lb_optimization_evaluate(p->o, y, &value, NULL, NULL), LB_OK);
      slope -= weight[k] * value / h;
    }
    worst = fmax(worst, fabs(slope));
  }
  return worst / sqrt(size);
}

static void a_gradient_by_500_numbers_costs_less_than_four_simulations_and_matches(void** state) {
  (void)state;
  lb_test_needs_speed();
  static problem p;
  static double g[MOST];
  lb_error err = lb_error_make(NULL);
  if (lb_scene_read(LIMBER_SOURCE_DIR "/scenes/reach.yaml", NULL, &p.scene, &err) != LB_OK) {
    complain(&err);
  }
  for (int i = 0; i < p.scene.optimize.nparameter; i++) {
    p.scene.optimize.parameter[i].knots = 125;
  }
  if (lb_optimization_create(&p.scene, NULL, &p.o, &err) != LB_OK) {
    complain(&err);
  }
  assert_int_equal(p.o->nvalue, 500);
  for (int i = 0; i < p.o->nvalue; i++) {
    p.x[i] = 3 * sin(0.1 * i);
  }
  const double run = seconds(&p, NULL), both = seconds(&p, g);
  print_message("a run %.3g ms, with the gradient %.3g ms: %.2f times\n", 1e3 * run, 1e3 * both,
                both / run);
  assert_below(both, 4 * run);
  const double off = slopes_off(&p, g);
  print_message("off differences by %.2g\n", off);
  assert_below(off, 1e-6);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_throw_without_drag_has_the_velocity_of_the_closed_form),
      cmocka_unit_test(a_small_number_is_found_as_well_as_a_large_one),
      cmocka_unit_test(bounds_hold_to_the_last_bit),
      cmocka_unit_test(a_length_is_found_from_the_period),
      cmocka_unit_test(bounds_that_are_all_but_reached_do_not_hold_up_a_search),
      cmocka_unit_test(a_search_that_is_stopped_leaves_its_best_numbers),
      cmocka_unit_test(a_search_says_why_it_ended),
      cmocka_unit_test(searches_repeat_to_the_last_bit),
      cmocka_unit_test(nothing_leaks_when_memory_ends_anywhere),
      cmocka_unit_test(a_gradient_by_500_numbers_costs_less_than_four_simulations_and_matches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
