// solver: {closing}: what starts apart comes together over time, by linearly implicit Euler.
#include "limber/limber.h"
#include "test.h"

typedef struct run {
  lb_model* m;
  lb_recording* r;
  lb_summary s;
} run;

static lb_status start(run* u, const char* scene, const char* solver) {
  char text[2000];
  lb_scene parsed;
  lb_error err = lb_error_make(NULL);
  const lb_simulate_options options = lb_simulate_default();
  snprintf(text, sizeof text, "%s\nsolver: {%s}\n", scene, solver);
  if (lb_scene_parse(text, strlen(text), "test.yaml", NULL, &parsed, &err) != LB_OK ||
      lb_model_create(&parsed, NULL, &u->m, &err) != LB_OK ||
      lb_recording_create(u->m, 10, NULL, &u->r, &err) != LB_OK) {
    fail_msg("%s", err.message[0].text);
  }
  lb_scene_release(&parsed);
  const lb_status status = lb_simulate(u->m, &options, u->r, &u->s, &err);
  lb_error_clear(&err);
  return status;
}

static void finish(run* u) {
  lb_recording_release(u->r);
  lb_model_release(u->m);
}

static double at(const run* u, int frame, int k) {
  return u->r->q[frame * u->m->nq + k];
}

// Two slides that are to be twice each other.
#define SLIDES                                                                                     \
  "gravity: [0, 0, 0]\nduration: 1\nrecord: {every: 10 ms}\n"                                      \
  "bodies: {a: {mass: 1, shape: {sphere: {radius: 0.1}}},"                                         \
  " b: {mass: 2, shape: {sphere: {radius: 0.1}}}}\n"                                               \
  "joints: {a: {type: prismatic, child: a, axis: x}, b: {type: prismatic, child: b, axis: y}}\n"   \
  "constraints: {twice: {couple: [{joint: a}, {joint: b, times: -2}], equals: 0}}\n"               \
  "initial: {a: {position: 0.3}, b: {position: -0.1}}\n"

// A step of h takes h/T of the gap away: (1 - h/T)^n is left after n.
static void gaps_of_couplings_fall_as_a_geometric_series(void** state) {
  (void)state;
  run u;
  assert_int_equal(start(&u, SLIDES, "integrator: linear-euler, step: 10 ms, closing: 50 ms"),
                   LB_OK);
  assert_int_equal(u.r->nframe, 101);
  for (int f = 0; f < u.r->nframe; f++) {
    assert_near(at(&u, f, 0) - 2 * at(&u, f, 1), 0.5 * pow(0.8, f), 1e-14);
  }
  assert_near(u.s.constraint_violation, 0.5, 1e-14);
  assert_false(u.s.conservative); // what closes a gap does work
  finish(&u);
}

static void without_closing_a_run_starts_closed(void** state) {
  (void)state;
  run u;
  assert_int_equal(start(&u, SLIDES, "integrator: linear-euler, step: 10 ms"), LB_OK);
  assert_near(at(&u, 0, 0), 2 * at(&u, 0, 1), 1e-12);
  finish(&u);
}

static void closing_faster_than_a_step_is_closing_within_it(void** state) {
  (void)state;
  run u;
  assert_int_equal(start(&u, SLIDES, "integrator: linear-euler, step: 10 ms, closing: 1 ms"),
                   LB_OK);
  assert_near(at(&u, 0, 0) - 2 * at(&u, 0, 1), 0.5, 1e-15);
  assert_near(at(&u, 1, 0), 2 * at(&u, 1, 1), 1e-14);
  finish(&u);
}

// A pendulum of two links whose end is to be held where it is not: by a ball in the world.
#define CHAIN                                                                                      \
  "duration: 1\nrecord: {every: 50 ms}\n"                                                          \
  "bodies: {a: {mass: 1, shape: {box: [0.4, 0.05, 0.05]}},"                                        \
  " b: {mass: 1, shape: {box: [0.4, 0.05, 0.05]}}}\n"                                              \
  "joints:\n"                                                                                      \
  "  a: {type: revolute, child: a, axis: y, in_child: [-0.2, 0, 0], damping: 0.1}\n"               \
  "  b: {type: revolute, parent: a, child: b, axis: y, at: [0.2, 0, 0],"                           \
  " in_child: [-0.2, 0, 0], damping: 0.1}\n"                                                       \
  "  end: {type: spherical, child: b, at: [0.5, 0, -0.1], in_child: [0.2, 0, 0], loop: true}\n"    \
  "initial: {b: {position: 40 deg}}\n"

static double gap_of_chain(const run* u, int frame) {
  const lb_transform* X = &u->r->pose[frame * u->m->nbody + 1];
  const lb_vec3 end = lb_transform_point(*X, (lb_vec3){0.2, 0, 0});
  return lb_vec3_norm(lb_vec3_sub(end, (lb_vec3){0.5, 0, -0.1}));
}

// The constraints are linearised at the start of each step, so gaps fall by e in a time but for an
// error of first order.
static double worst_ratio(const char* solver) {
  run u;
  double worst = 0;
  assert_int_equal(start(&u, CHAIN, solver), LB_OK);
  const double first = gap_of_chain(&u, 0);
  assert_above(first, 0.05);
  for (int f = 1; f < u.r->nframe; f++) {
    worst = fmax(worst, fabs(gap_of_chain(&u, f) - first * exp(-u.r->time[f] / 0.2)) / first);
  }
  finish(&u);
  return worst;
}

static void gaps_of_loops_fall_by_e_in_the_time_given(void** state) {
  (void)state;
  const double coarse = worst_ratio("integrator: linear-euler, step: 2 ms, closing: 200 ms");
  const double fine = worst_ratio("integrator: linear-euler, step: 0.5 ms, closing: 200 ms");
  print_message("off by %.2g at 2 ms, %.2g at 0.5 ms\n", coarse, fine);
  assert_below(coarse, 0.02);
  assert_in_range((int)(100 * coarse / fine), 350, 450);
  // and with joints that are constraints themselves
  const double maximal =
      worst_ratio("integrator: linear-euler, step: 0.5 ms, closing: 200 ms, coordinates: maximal");
  assert_below(maximal, 0.02);
}

// A gap that cannot be closed is reported as ever.
static void what_cannot_be_closed_is_refused(void** state) {
  (void)state;
  run u;
  char scene[2000];
  snprintf(scene, sizeof scene, "%s", CHAIN);
  memcpy(strstr(scene, "[0.5, 0, -0.1]"), "[5.5, 0, -0.1]", 14);
  assert_int_equal(start(&u, scene, "integrator: linear-euler, closing: 50 ms"), LB_INVALID);
  finish(&u);
}

// A four-bar of some 0.4 m times `scale` that swings, in times that go with the root of it.
static lb_status swing(run* u, double scale) {
  char scene[2000], solver[200];
  const double time = sqrt(scale), s = scale, w = 0.05 * scale;
  snprintf(scene, sizeof scene,
           "gravity: [9.81, 0, 0]\nduration: %g s\nrecord: {every: %g s}\n"
           "bodies: {a: {mass: 1, shape: {box: [%g, %g, %g]}}, b: {mass: 1, shape: {box: [%g, %g,"
           " %g]}}, c: {mass: 1, shape: {box: [%g, %g, %g]}}}\n"
           "joints:\n"
           "  a: {type: revolute, child: a, axis: y, in_child: [%g, 0, 0]}\n"
           "  b: {type: revolute, parent: a, child: b, axis: y, at: [%g, 0, 0],"
           " in_child: [%g, 0, 0]}\n"
           "  c: {type: revolute, parent: b, child: c, axis: y, at: [%g, 0, 0],"
           " in_child: [%g, 0, 0]}\n"
           "  end: {type: revolute, child: c, axis: y, at: [%g, 0, 0], in_child: [%g, 0, 0],"
           " loop: true}\n"
           "initial: {a: {position: 90 deg}, b: {position: -90 deg}, c: {position: %.17g}}\n",
           time, 0.05 * time, 0.4 * s, w, w, 0.3 * s, w, w, 0.5 * s, w, w, -0.2 * s, 0.2 * s,
           -0.15 * s, 0.15 * s, -0.25 * s, 0.6 * s, 0.25 * s, -atan2(0.8, 0.6));
  snprintf(solver, sizeof solver, "integrator: linear-euler, step: %g s, closing: %g s",
           0.002 * time, 0.2 * time);
  return start(u, scene, solver);
}

// A hundred times as large, everything takes ten times as long and is the same otherwise: gaps of
// some thousandths of the size are allowed in both.
static void large_mechanisms_may_open_by_more(void** state) {
  (void)state;
  run unit, large;
  double off = 0;
  assert_int_equal(swing(&unit, 1), LB_OK);
  assert_int_equal(swing(&large, 100), LB_OK);
  assert_int_equal(unit.r->nframe, large.r->nframe);
  assert_above(large.s.constraint_violation, 0.02);
  assert_near(large.s.constraint_violation, 100 * unit.s.constraint_violation, 1e-6);
  for (int f = 0; f < unit.r->nframe; f++) {
    for (int k = 0; k < 3; k++) {
      off = fmax(off, fabs(at(&unit, f, k) - at(&large, f, k)));
    }
  }
  print_message("open by %.3g m and %.3g m, angles differ by %.2g\n", unit.s.constraint_violation,
                large.s.constraint_violation, off);
  assert_below(off, 1e-9);
  finish(&unit);
  finish(&large);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_of_couplings_fall_as_a_geometric_series),
      cmocka_unit_test(without_closing_a_run_starts_closed),
      cmocka_unit_test(closing_faster_than_a_step_is_closing_within_it),
      cmocka_unit_test(gaps_of_loops_fall_by_e_in_the_time_given),
      cmocka_unit_test(what_cannot_be_closed_is_refused),
      cmocka_unit_test(large_mechanisms_may_open_by_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
