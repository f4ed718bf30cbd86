// Periodic motions, their mirror images, mean velocities, rates of controls and smooth contact.
#include "collocating.h"
#include "collocating_checks.h"

#define SLIDER(name) "  " name ": {type: prismatic, child: " name "-body, axis: x}\n"
#define BODY(name) "  " name "-body: {mass: 1 kg, inertia: [1, 1, 1]}\n"
#define MOTOR(name) "  push " name ": {joint: " name ", drive: force, keys: [[0 s, 0 N]]}\n"

// --- cycles ---

#define PAIR                                                                                       \
  "limber: 1\nduration: 1 s\ngravity: [0, 0, 0]\n"                                                 \
  "bodies:\n" BODY("a_l") BODY("a_r") BODY("turn") "joints:\n" SLIDER("a_l") SLIDER("a_r")         \
      SLIDER("turn") "motors:\n" MOTOR("a_l") MOTOR("a_r") MOTOR(                                  \
          "turn") "initial: {a_l: {position: 0}, a_r: {position: 1 m}, turn: {position: 0.5 m}}\n"

// Each goes where the other was, x = 3t^2 - 2t^3, and what is reversed to the other side.
static void half_a_cycle_ends_in_the_mirror(void** state) {
  (void)state;
  collocated x = solve_collocation(
      PAIR "collocate: {intervals: 10, tolerance: 1e-10, mirror: [_l, _r], reversed: [turn]}\n",
      NULL);
  const int last = x.c->nnode - 1;
  for (int i = 0; i <= last; i++) {
    const double t = x.c->time[i], s = t * t * (3 - 2 * t), *q = x.c->q + 3 * i,
                 *u = x.c->u + 3 * i;
    assert_near(q[0], s, 1e-9);
    assert_near(q[1], 1 - s, 1e-9);
    assert_near(q[2], 0.5 - s, 1e-9);
    assert_near(u[0], 6 - 12 * t, 1e-7);
    assert_near(u[2], -(6 - 12 * t), 1e-7);
  }
  forget_collocation(&x);
}

// With a damper c, going on at the mean speed all the time takes the least effort, c^2 v^2 T.
#define SLED                                                                                       \
  "limber: 1\nduration: 2 s\ngravity: [0, 0, 0]\n"                                                 \
  "bodies:\n" BODY("sled")                                                                         \
      BODY("load") "joints:\n  sled: {type: prismatic, child: sled-body, axis: x, damping: 3}\n"   \
                   "  load: {type: prismatic, parent: sled-body, child: load-body, axis: z, "      \
                   "spring: {stiffness: "                                                          \
                   "5}}\n"                                                                         \
                   "motors:\n" MOTOR("sled")                                                       \
                       MOTOR("load") "initial: {sled: {position: 0.2 m}, load: {position: 1 m}}\n"
#define SPEED "{point: load-body, velocity: [0.7 m/s, 0, 0], along: x, mean: true"

static void what_travels_with_a_mean_speed_goes_on_evenly(void** state) {
  (void)state;
  collocated x = solve_collocation(
      SLED "collocate:\n  intervals: 8\n  tolerance: 1e-10\n  free_start: true\n  periodic: true\n"
           "  travels: sled\n  must: {speed: " SPEED "}}\n",
      NULL);
  for (int i = 0; i < x.c->nnode; i++) {
    assert_near(x.c->q[2 * i], 0.2 + 0.7 * x.c->time[i], 1e-8); // from where the scene says
    assert_near(x.c->q[2 * i + 1], 0, 1e-8);                    // comes back, and best stays
    assert_near(x.c->u[2 * i], 3 * 0.7, 1e-7);
  }
  assert_near(x.c->objective, 9 * 0.49 * 2, 1e-8);
  forget_collocation(&x);
}

// Weighed by W: c^2 v^2 T + W (v - v0)^2 is least at v = W v0/(W + c^2 T).
static void a_mean_speed_that_is_weighed_is_a_compromise(void** state) {
  (void)state;
  collocated x = solve_collocation(
      SLED "collocate:\n  intervals: 8\n  tolerance: 1e-10\n  free_start: true\n  periodic: true\n"
           "  travels: sled\n  goals: {speed: " SPEED ", weight: 20}}\n",
      NULL);
  const double v = 20 * 0.7 / (20 + 9 * 2);
  assert_near((x.c->q[2 * (x.c->nnode - 1)] - x.c->q[0]) / 2, v, 1e-8);
  assert_near(x.c->objective, 9 * v * v * 2 + 20 * (v - 0.7) * (v - 0.7), 1e-8);
  forget_collocation(&x);
}

// A loop that comes back: its gaps vanish at both ends, and its ends are the same. What is more
// than enough must not keep a search from its end.
static void a_linkage_turns_periodically(void** state) {
  (void)state;
  collocated x = solve_collocation(
      "limber: 1\nduration: 1 s\n"
      "bodies:\n"
      "  a: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.2]}}, mass: 0.2 kg}\n"
      "  b: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0]}}, mass: 0.2 kg}\n"
      "  c: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.2]}}, mass: 0.2 kg}\n"
      "joints:\n"
      "  one: {type: revolute, child: a, axis: y}\n"
      "  two: {type: revolute, parent: a, child: b, at: [0, 0, 0.2], axis: y}\n"
      "  three: {type: revolute, child: c, at: [0.4, 0, 0], axis: y}\n"
      "  close: {type: revolute, parent: b, child: c, at: [0.4, 0, 0], in_child: [0, 0, 0.2], "
      "axis: "
      "y, loop: true}\n"
      "motors: {turn: {joint: one, drive: force, keys: [[0 s, 0 N m]]}}\n"
      "initial: {one: {position: 20 deg}, two: {position: -20 deg}, three: {position: 20 deg}}\n"
      "collocate: {intervals: 16, periodic: true, must: {there: {joint: one, position: -20 deg, "
      "time: 0.5 s}}}\n",
      NULL);
  const int last = x.c->nnode - 1, nv = x.m->nv;
  for (int k = 0; k < nv; k++) {
    assert_near(x.c->q[last * nv + k], x.c->q[k], 1e-6);
    assert_near(x.c->qd[last * nv + k], x.c->qd[k], 1e-6);
  }
  assert_true(x.c->gap < 1e-6);
  forget_collocation(&x);
}

// --- rates ---

// Least integral of u^2 + tau^2 u'^2 that brings a mass from rest to x(1) = 1:
//
//   u = lambda ((1 - t) + A cosh(t/tau) + B sinh(t/tau)),   u'(0) = u'(1) = 0,
//
// with the integral of (1 - t) u being 1.
static void rates_of_controls_make_them_smooth(void** state) {
  (void)state;
  static const double TAU = 0.2;
  collocated x = solve_collocation("limber: 1\nduration: 1 s\ngravity: [0, 0, 0]\n"
                                   "bodies:\n" BODY("a") "joints:\n" SLIDER("a") "motors:\n" MOTOR(
                                       "a") "collocate: {intervals: 80, tolerance: 1e-9, effort: "
                                            "{smooth: 0.2 s}, must: {there: {joint: a, position: 1 "
                                            "m}}}\n",
                                   NULL);
  const double B = TAU, A = TAU * (1 - cosh(1 / TAU)) / sinh(1 / TAU);
  double moved = 0;
  enum { N = 2000 };
  for (int i = 0; i < N; i++) {
    const double t = (i + 0.5) / N;
    moved += (1 - t) * ((1 - t) + A * cosh(t / TAU) + B * sinh(t / TAU)) / N;
  }
  double worst = 0;
  for (int i = 0; i < x.c->nnode; i++) {
    const double t = x.c->time[i];
    const double u = ((1 - t) + A * cosh(t / TAU) + B * sinh(t / TAU)) / moved;
    worst = fmax(worst, fabs(x.c->u[i] - u));
  }
  print_message("off by %.1e N of %.3g N\n", worst, x.c->u[0]);
  assert_true(worst < 1e-3);
  forget_collocation(&x);
}

// --- contact ---

#define BALL                                                                                       \
  "limber: 1\nduration: 0.5 s\n"                                                                   \
  "bodies:\n  ball: {shape: {sphere: {radius: 10 cm}}, mass: 2 kg}\n"                              \
  "joints:\n  up: {type: prismatic, child: ball, at: [0, 0, 0.1], axis: z}\n"                      \
  "motors:\n" MOTOR("up") "grounds: {floor: {points: [{body: ball, at: [0, 0, 0], radius: 10 "     \
                          "cm}], stiffness: 1000, "                                                \
                          "smooth: 5 mm}}\n"                                                       \
                          "initial: {up: {position: 0.1 m}}\n"

// Period of a bounce, and how deep it goes.
static void simulate_bounce(double* period, double* deepest) {
  collocated x = make_collocation(BALL "collocate: {}\n", NULL);
  const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_RK8, .step = 1e-4};
  lb_data* d;
  lb_stepper* st;
  double before;
  assert_int_equal(lb_data_create(x.m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(x.m, &solver, NULL, &st, NULL), LB_OK);
  *deepest = 0;
  do {
    before = d->qd[0];
    assert_int_equal(lb_stepper_step(st, d, 1e-4, NULL), LB_OK);
    if (before < 0 && d->qd[0] >= 0) { // a parabola between the steps
      *deepest = d->q[0] - d->qd[0] * d->qd[0] / (2 * (d->qd[0] - before) / 1e-4);
    }
  } while (!(before > 0 && d->qd[0] <= 0));
  *period = d->time - 1e-4 * d->qd[0] / (d->qd[0] - before);
  lb_stepper_release(st);
  lb_data_release(d);
  forget_collocation(&x);
}

// A ball that bounces without losses needs no force, in the time that a simulation says. Errors are
// of the scheme's order once the mesh sees the contact.
static void a_bouncing_ball_needs_no_effort(void** state) {
  (void)state;
  double period, deepest, off[2];
  simulate_bounce(&period, &deepest);
  for (int i = 0; i < 2; i++) {
    char text[1500];
    snprintf(text, sizeof text,
             BALL "collocate: {intervals: %d, tolerance: 1e-10, periodic: true, time: [0.3 s, 0.8 "
                  "s], must: {down: {joint: up, position: %.12g, time: 0.25 s}}}\n",
             i ? 40 : 20, deepest);
    collocated x = solve_collocation(text, NULL);
    off[i] = fabs(x.c->duration - period);
    print_message("effort %.1e, %.9g s, simulated %.9g s\n", x.c->effort, x.c->duration, period);
    assert_true(x.c->effort < 1e-3);
    forget_collocation(&x);
  }
  print_message("off by %.1e and %.1e s: order %.2f\n", off[0], off[1], log2(off[0] / off[1]));
  assert_true(off[1] < 1e-5);
  assert_true(log2(off[0] / off[1]) > 3.5);
}

// --- derivatives ---

#define WALKER                                                                                     \
  "limber: 1\nduration: 0.5 s\n"                                                                   \
  "bodies:\n  trunk: {mass: 5 kg, inertia: [1, 1, 1]}\n"                                           \
  "  leg_l: {mass: 1 kg, center: [0, 0, -0.3], inertia: [0.1, 0.1, 0.1]}\n"                        \
  "  leg_r: {mass: 1 kg, center: [0, 0, -0.3], inertia: [0.1, 0.1, 0.1]}\n"                        \
  "joints:\n  root: {type: free-2d, child: trunk, at: [0, 0, 0.6], axis: x, second_axis: z}\n"     \
  "  hip_l: {type: revolute, parent: trunk, child: leg_l, axis: y}\n"                              \
  "  hip_r: {type: revolute, parent: trunk, child: leg_r, axis: y}\n"                              \
  "motors:\n  drive_l: {joint: hip_l, drive: force, keys: [[0 s, 0 N m]]}\n"                       \
  "  drive_r: {joint: hip_r, drive: force, keys: [[0 s, 0 N m]]}\n"                                \
  "grounds: {floor: {points: [{body: leg_l, at: [0, 0, -0.6], radius: 2 cm}, {body: leg_r, at: "   \
  "[0, 0, -0.6], radius: 2 cm}], stiffness: 2000, exponent: 1.5, dissipation: 1, friction: 0.7, "  \
  "slip: 0.3, smooth: 2 cm, smooth_speed: 0.2}}\n"                                                 \
  "initial: {hip_l: {position: 0.3}, hip_r: {position: -0.3}}\n"
#define GAIT                                                                                       \
  "intervals: 3, free_start: true, mirror: [_l, _r], travels: root.0, time: [0.3 s, 0.7 s]"
#define MEANS                                                                                      \
  "goals: {fast: {point: leg_l, at: [0, 0, -0.3], velocity: [1, 0, 0], mean: true, along: xz, "    \
  "time: [0 s, 0.34 s], weight: 3}}, must: {speed: {point: trunk, velocity: [0.8, 0, 0], along: "  \
  "x, mean: true}}"

static void derivatives_of_gaits_agree_with_differences(void** state) {
  (void)state;
  check_derivatives(WALKER "collocate: {" GAIT ", " MEANS ", effort: {smooth: 0.1 s}}\n", NULL);
  check_derivatives(WALKER "collocate: {" GAIT ", " MEANS ", scheme: trapezoid, effort: {smooth: "
                           "0.1 s, mean: true}}\n",
                    NULL);
}

// --- stopping ---

static bool stop_at_third(void* context, double fraction, const char* what) {
  int* calls = context;
  (void)fraction;
  assert_non_null(what);
  return ++*calls < 3;
}

// The first news are of iteration 0; others come while its second derivatives are found.
static void a_search_stops_within_an_iteration(void** state) {
  (void)state;
  int calls = 0;
  lb_collocate_inputs in = lb_collocate_default();
  in.progress = (lb_progress){stop_at_third, &calls};
  collocated x = make_collocation(WALKER "collocate: {" GAIT "}\n", &in);
  assert_int_equal(lb_collocation_solve(x.c, NULL), LB_INTERRUPTED);
  assert_int_equal(calls, 3);
  assert_int_equal(x.c->end, LB_COLLOCATE_INTERRUPTED);
  assert_int_equal(x.c->iterations, 0);
  assert_true(isfinite(x.c->objective));
  forget_collocation(&x);
}

static void the_pace_of_a_search_is_judged(void** state) {
  (void)state;
  collocated x = make_collocation(WALKER "collocate: {" GAIT "}\n", NULL);
  const double pace = lb_collocation_pace(x.c);
  print_message("%.2g s an iteration\n", pace);
  assert_true(pace > 0 && pace < 10);
  forget_collocation(&x);
}

// --- mistakes ---

static void mistakes_of_cycles_are_named(void** state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } of[] = {
      {PAIR "collocate: {mirror: [_l, _x]}\n", "'a_l' ends with '_l' and has no partner"},
      {PAIR "collocate: {mirror: [left, right]}\n", "no coordinate has a name that ends"},
      {PAIR "collocate: {mirror: [_l]}\n", "'mirror' must be two endings"},
      {PAIR "collocate: {mirror: [_l, _l]}\n", "two endings that differ"},
      {PAIR "collocate: {mirror: [_l, _r], reversed: [turns]}\n", "no coordinate so called"},
      {PAIR "collocate: {reversed: [turn]}\n", "'reversed' goes with 'mirror'"},
      {PAIR "collocate: {travels: turn}\n", "'travels' goes with 'periodic'"},
      {PAIR "collocate: {periodic: true, travels: trun}\n", "no joint or coordinate so called"},
      {PAIR "collocate: {intervals: 4, must: {v: {point: turn-body, velocity: [1, 0, 0], mean: "
            "true, time: [0.9 s, 1 s]}}}\n",
       "its time is within one interval"},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    collocated x;
    lb_error err = lb_error_make(NULL);
    const lb_collocate_inputs in = lb_collocate_default();
    assert_int_equal(try_collocation(&x, of[i].text, &in, &err), LB_INVALID);
    print_message("%s\n", err.message[0].text);
    assert_non_null(strstr(err.message[0].text, of[i].says));
    assert_true(err.message[0].place.line > 0);
    lb_error_clear(&err);
    forget_collocation(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(half_a_cycle_ends_in_the_mirror),
      cmocka_unit_test(what_travels_with_a_mean_speed_goes_on_evenly),
      cmocka_unit_test(a_mean_speed_that_is_weighed_is_a_compromise),
      cmocka_unit_test(a_linkage_turns_periodically),
      cmocka_unit_test(rates_of_controls_make_them_smooth),
      cmocka_unit_test(a_bouncing_ball_needs_no_effort),
      cmocka_unit_test(derivatives_of_gaits_agree_with_differences),
      cmocka_unit_test(a_search_stops_within_an_iteration),
      cmocka_unit_test(the_pace_of_a_search_is_judged),
      cmocka_unit_test(mistakes_of_cycles_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
