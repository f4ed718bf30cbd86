// Collocation of loops, couplings and given motions, and against other ways to the same motion.
#include <unistd.h>

#include "collocating.h"
#include "collocating_checks.h"

#define FOUR_BAR                                                                                   \
  "limber: 1\nduration: 1 s\n"                                                                     \
  "bodies:\n"                                                                                      \
  "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.1]}}, mass: 0.2 kg}\n"  \
  "  coupler: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0.2]}}, mass: 0.5 "   \
  "kg}\n"                                                                                          \
  "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.3]}}, mass: 0.4 kg}\n" \
  "joints:\n"                                                                                      \
  "  shaft: {type: revolute, child: crank, axis: y}\n"                                             \
  "  pivot: {type: revolute, child: rocker, at: [0.4, 0, 0], axis: y}\n"                           \
  "  pin: {type: revolute, parent: crank, child: coupler, at: [0, 0, 0.1], axis: y}\n"             \
  "  closing: {type: revolute, parent: rocker, child: coupler, at: [0, 0, 0.3], in_child: [0.4, "  \
  "0, "                                                                                            \
  "0.2], axis: y, loop: true}\n"                                                                   \
  "motors: {turn: {joint: shaft, drive: force, keys: [[0 s, 0 N m]]}}\n"

// A loop whose joint is redundant in the plane, and a cam.
static void derivatives_of_loops_and_cams_agree_with_differences(void** state) {
  (void)state;
  check_derivatives(FOUR_BAR "collocate: {intervals: 3}\n", NULL);
  check_derivatives(
      "limber: 1\n"
      "bodies:\n"
      "  wheel: {shape: {sphere: {radius: 10 cm}}, mass: 1 kg}\n"
      "  rod: {shape: {box: [2 cm, 2 cm, 20 cm]}, mass: 0.3 kg}\n"
      "joints:\n"
      "  shaft: {type: revolute, child: wheel, axis: y}\n"
      "  guide: {type: prismatic, child: rod, at: [0, 0, 0.3], axis: z}\n"
      "motors: {turn: {joint: shaft, drive: force, keys: [[0 s, 0 N m]]}}\n"
      "constraints:\n"
      "  cam:\n"
      "    couple:\n"
      "      - {joint: guide, times: -1}\n"
      "      - {joint: shaft, profile: {keys: [[-2, 0], [0, 5 cm], [2, 0]], ease: smooth}}\n"
      "    equals: 0\n"
      "initial: {shaft: {position: 0.5 rad}}\n"
      "collocate: {intervals: 3, scheme: trapezoid, time: [0.5 s, 2 s]}\n",
      NULL);
}

static void loops_hold_at_all_mesh_points(void** state) {
  (void)state;
  collocated x = solve_collocation(
      FOUR_BAR "collocate:\n  intervals: 16\n  tolerance: 1e-9\n"
               "  must: {there: {joint: shaft, position: 1.2 rad}, still: {joint: shaft, velocity: "
               "0 rad/s}}\n",
      NULL);
  print_message("gap %.1e, cost %.9g, %d iterations\n", x.c->gap, x.c->objective, x.c->iterations);
  assert_true(x.c->gap < 1e-9);
  assert_true(x.c->residual < 1e-6);
  forget_collocation(&x);
}

// --- the same motion by other ways ---

#define PENDULUM                                                                                   \
  "limber: 1\nduration: 1 s\nsolver: {integrator: rk4, step: 1 ms}\n"                              \
  "bodies: {rod: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -1]}}, mass: 1 "     \
  "kg}}\n"                                                                                         \
  "joints: {pin: {type: revolute, child: rod, axis: y}}\n"

#define LIFT "  must: {up: {joint: pin, position: 2 rad}, still: {joint: pin, velocity: 0 rad/s}}\n"

// End of a simulation by the torques found, quadratic over each interval.
static double played_end(int intervals) {
  char text[1000];
  snprintf(text, sizeof text,
           PENDULUM "motors: {turn: {joint: pin, drive: force, keys: [[0 s, 0 N m]]}}\n"
                    "collocate:\n  intervals: %d\n  tolerance: 1e-10\n" LIFT,
           intervals);
  collocated x = solve_collocation(text, NULL);
  lb_data* d;
  lb_command command = {.set = true};
  assert_int_equal(lb_data_create(x.m, NULL, &d, NULL), LB_OK);
  d->command = &command;
  const int per = 400 / intervals;
  const double h = 1. / (intervals * per);
  for (int i = 0; i < intervals * per; i++) {
    const double* u = x.c->u + 2 * (i / per);
    double slope[4][2], from[2] = {d->q[0], d->qd[0]};
    for (int k = 0; k < 4; k++) { // Runge and Kutta's
      const double part = k == 0 ? 0 : k == 3 ? 1 : 0.5, s = (i % per + part) / per;
      command.to[0] =
          u[0] * (1 - s) * (1 - 2 * s) + 4 * u[1] * s * (1 - s) + u[2] * s * (2 * s - 1);
      d->q[0] = from[0] + (k ? part * h * slope[k - 1][0] : 0);
      d->qd[0] = from[1] + (k ? part * h * slope[k - 1][1] : 0);
      lb_forward(x.m, d);
      slope[k][0] = d->qd[0];
      slope[k][1] = d->qdd[0];
    }
    d->q[0] = from[0] + h / 6 * (slope[0][0] + 2 * slope[1][0] + 2 * slope[2][0] + slope[3][0]);
    d->qd[0] = from[1] + h / 6 * (slope[0][1] + 2 * slope[1][1] + 2 * slope[2][1] + slope[3][1]);
  }
  const double off = fabs(d->q[0] - 2);
  lb_data_release(d);
  forget_collocation(&x);
  return off;
}

static void torques_found_play_the_motion_with_the_order_of_the_scheme(void** state) {
  (void)state;
  const double coarse = played_end(5), fine = played_end(10);
  print_message("off by %.2g and %.2g rad: order %.2f\n", coarse, fine, log2(coarse / fine));
  assert_true(fine < 1e-4);
  assert_true(log2(coarse / fine) > 3.5);
}

// Shooting by 'optimize', with torques that are straight between 21 knots.
static void collocation_and_shooting_find_the_same_effort(void** state) {
  (void)state;
  collocated x = solve_collocation(
      PENDULUM "motors: {turn: {joint: pin, drive: force, keys: [[0 s, 0 N m]]}}\n"
               "collocate:\n  intervals: 20\n  tolerance: 1e-9\n" LIFT,
      NULL);
  static const char SHOOT[] =
      PENDULUM "motors: {turn: {joint: pin, drive: force, ease: linear, keys: [[0 s, 3 N m], [1 s, "
               "3 N m]]}}\n"
               "optimize:\n  iterations: 500\n  tolerance: 1e-9\n"
               "  parameters: {torque: {motor: turn, knots: 21}}\n"
               "  goals:\n    up: {joint: pin, position: 2 rad, weight: 1e6}\n"
               "    still: {joint: pin, velocity: 0 rad/s, weight: 1e6}\n"
               "    effort: {motor: turn}\n";
  lb_scene scene;
  lb_optimization* o;
  double value, *best;
  assert_int_equal(lb_scene_parse(SHOOT, strlen(SHOOT), "shoot.yaml", NULL, &scene, NULL), LB_OK);
  assert_int_equal(lb_optimization_create(&scene, NULL, &o, NULL), LB_OK);
  best = malloc((size_t)o->nvalue * sizeof *best);
  memcpy(best, o->start, (size_t)o->nvalue * sizeof *best);
  const lb_optimize_options none = {0};
  assert_int_equal(lb_optimize_run(o, &none, best, &value, NULL), LB_OK);
  print_message("effort %.6g by collocation, %.6g by shooting\n", x.c->effort, value);
  assert_near(value, x.c->effort, 5e-3 * x.c->effort);
  free(best);
  lb_optimization_release(o);
  lb_scene_release(&scene);
  forget_collocation(&x);
}

// --- given motions ---

#define TWO                                                                                        \
  "limber: 1\nduration: 0.6 s\n"                                                                   \
  "bodies:\n"                                                                                      \
  "  upper: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 2 kg}\n"   \
  "  fore: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 1 kg}\n"    \
  "joints:\n"                                                                                      \
  "  shoulder: {type: universal, child: upper, axis: y, second_axis: x}\n"                         \
  "  elbow: {type: revolute, parent: upper, child: fore, axis: y, at: [0, 0, -0.3]}\n"

static void a_motion_is_followed_with_the_torques_of_inverse_dynamics(void** state) {
  (void)state;
  enum { N = 61, NV = 3 };
  double time[N], q[N * NV], rates[N * NV] = {0};
  bool none[8] = {false};
  for (int i = 0; i < N; i++) {
    time[i] = 0.01 * i;
    for (int k = 0; k < NV; k++) {
      q[i * NV + k] = 0.4 * sin(6 * time[i] + k) + 0.1 * k;
    }
  }
  const lb_joint_motion motion = {.file = "made",
                                  .nsample = N,
                                  .time = time,
                                  .q = q,
                                  .qd = rates,
                                  .qdd = rates,
                                  .has_qd = none,
                                  .has_qdd = none};
  lb_collocate_inputs in = lb_collocate_default();
  in.motion = &motion;
  collocated x = solve_collocation(
      TWO "collocate: {intervals: 30, reserves: 1000, effort: {reserves: 1e-6}, tolerance: 1e-9}\n",
      &in);
  lb_recording* r;
  lb_summary s;
  lb_inverse_options o = lb_inverse_default();
  assert_int_equal(lb_recording_create(x.m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_inverse(x.m, &motion, &o, r, &s, NULL), LB_OK);
  double worst = 0, most = 0;
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < NV; k++) {
      worst = fmax(worst, fabs(r->torque[i * NV + k] - x.c->u[i * NV + k]));
      most = fmax(most, fabs(r->torque[i * NV + k]));
    }
  }
  print_message("%d iterations; coordinates off by %.1e, torques by %.1e of %.3g N m\n",
                x.c->iterations, x.c->rms, worst, most);
  assert_true(x.c->rms < 1e-4);
  assert_true(worst < 0.02 * most);
  lb_recording_release(r);
  forget_collocation(&x);
}

// Markers of a motion lead back to it, whatever the coordinates do at the start.
static void markers_are_followed(void** state) {
  (void)state;
  enum { N = 31, MARKERS = 3 };
  static const double L = 0.3;
  double time[N], x[N * MARKERS * 3], q[N * 3] = {0}, rates[N * 3] = {0};
  bool none[8] = {false};
  lb_scene_marker marker[MARKERS] = {
      {.name = "elbow", .body = 0, .has_at = true, .at = {0, 0, -0.3}, .weight = 1},
      {.name = "hand", .body = 1, .has_at = true, .at = {0, 0, -0.3}, .weight = 2},
      {.name = "side", .body = 1, .has_at = true, .at = {0, 0.1, -0.1}, .weight = 1}};
  for (int i = 0; i < N; i++) {
    time[i] = 0.02 * i;
    const double a = 0.3 * sin(4 * time[i]), b = a + 0.5 + 0.2 * cos(4 * time[i]); // about y
    const double place[9] = {-L * sin(a),
                             0,
                             -L * cos(a),
                             -L * sin(a) - L * sin(b),
                             0,
                             -L * cos(a) - L * cos(b),
                             -L * sin(a) - 0.1 * sin(b),
                             0.1,
                             -L * cos(a) - 0.1 * cos(b)};
    memcpy(x + 9 * i, place, sizeof place);
    q[3 * i + 2] = 0.4; // a rough guess
  }
  const lb_markers markers = {
      .file = "made", .nmarker = MARKERS, .nsample = N, .marker = marker, .time = time, .x = x};
  const lb_joint_motion guess = {.file = "made",
                                 .nsample = N,
                                 .time = time,
                                 .q = q,
                                 .qd = rates,
                                 .qdd = rates,
                                 .has_qd = none,
                                 .has_qdd = none};
  lb_collocate_inputs in = lb_collocate_default();
  in.motion = &guess;
  in.markers = &markers;
  check_derivatives(TWO "collocate: {intervals: 4, reserves: 100}\n", &in);
  collocated c = solve_collocation(
      TWO "collocate: {intervals: 30, reserves: 1000, effort: {reserves: 1e-4}}\n", &in);
  double worst = 0;
  for (int i = 0; i < N; i++) {
    const double* z = c.c->q + 3 * (2 * i);
    const double a = 0.3 * sin(4 * time[i]), b = 0.5 + 0.2 * cos(4 * time[i]);
    worst = fmax(worst, fmax(fabs(z[0] - a), fmax(fabs(z[1]), fabs(z[2] - b))));
  }
  print_message("%d iterations, coordinates off by %.1e rad\n", c.c->iterations, worst);
  assert_true(worst < 1e-3);
  forget_collocation(&c);
}

static void results_do_not_depend_on_the_number_of_threads(void** state) {
  (void)state;
  double cost[3], end[3];
  for (int t = 0; t < 3; t++) {
    lb_collocate_inputs in = lb_collocate_default();
    in.threads = t + 1;
    collocated x = solve_collocation(TWO "collocate:\n  intervals: 9\n  reserves: 100\n"
                                         "  must: {bend: {joint: elbow, position: 1 rad}}\n",
                                     &in);
    cost[t] = x.c->objective;
    end[t] = x.c->u[7];
    forget_collocation(&x);
  }
  assert_true(memcmp(&cost[0], &cost[1], sizeof cost[0]) == 0 && cost[1] == cost[2]);
  assert_true(memcmp(&end[0], &end[1], sizeof end[0]) == 0 && end[1] == end[2]);
}

// --- refused ---

static void assert_refused(const char* text, const char* words) {
  const lb_collocate_inputs in = lb_collocate_default();
  collocated x = {0};
  lb_error err = lb_error_make(NULL);
  assert_int_equal(try_collocation(&x, text, &in, &err), LB_INVALID);
  if (err.count == 0 || !strstr(err.message[0].text, words)) {
    print_error("said '%s', not '%s'\n", err.count ? err.message[0].text : "", words);
    fail();
  }
  lb_error_clear(&err);
  if (x.m) {
    lb_model_release(x.m);
    lb_scene_release(x.scene);
  }
  free(x.scene);
}

static void what_has_no_place_in_it_is_refused_by_name(void** state) {
  (void)state;
#define BALL(joint, more)                                                                          \
  "limber: 1\nbodies: {b: {shape: {sphere: {radius: 10 cm}}}}\n"                                   \
  "joints: {j: {type: " joint ", child: b}}\n" more
  assert_refused(BALL("spherical", "collocate: {reserves: 1}\n"), "quaternion");
  assert_refused(BALL("revolute, axis: y", "collocate: {intervals: 5}\n"), "nothing may act");
  assert_refused(
      BALL("revolute, axis: y", "motors: {m: {joint: j, keys: [[0 s, 0 deg]]}}\ncollocate: {}\n"),
      "must apply forces");
  assert_refused(BALL("revolute, axis: y", "collocate: {reserves: 1, time: [2 s, 1 s]}\n"),
                 "[least, most]");
  assert_refused(BALL("revolute, axis: y", "collocate: {controls: {k: {at_most: 1}}}\n"), "k");
  assert_refused(BALL("revolute, axis: y",
                      "motors: {m: {joint: j, drive: force, keys: [[0 s, 0 N m]]}}\n"
                      "collocate: {must: {little: {motor: m}}}\n"),
                 "controls");
}

// A text that has the name of a file with `table` for %s.
static void write_table(char* path, const char* table) {
  const int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, table, strlen(table)), (long)strlen(table));
  close(file);
}

// Derivatives by the time it takes do not know forces that change over time.
static void measured_forces_have_no_place_in_a_free_time(void** state) {
  (void)state;
  char path[] = "/tmp/limber_collocate_XXXXXX", text[1000];
  write_table(path, "time,fx,fy,fz\n0,0,0,1\n1,5,0,2\n");
  snprintf(text, sizeof text,
           BALL("revolute, axis: y", "external: {wind: {body: b, file: %s, force: f}}\n"
                                     "collocate: {reserves: 10, intervals: 4, time: [0.5 s, 1 s]}"
                                     "\n"),
           path);
  assert_refused(text, "measured forces");
  *strstr(text, ", time: [") = '\0'; // while they have a place in one that is given
  strcat(text, "}\n");
  collocated x = make_collocation(text, NULL);
  forget_collocation(&x);
  unlink(path);
}

// There is no control of a muscle that is idle.
static void goals_of_idle_muscles_are_refused(void** state) {
  (void)state;
  assert_refused(
      BALL("revolute, axis: y",
           "muscles: {cord: {through: [{body: world, at: [1, 0, 1]}, {body: b, at: [1, 0, 0]}], "
           "tension: 10 N}}\n"
           "collocate: {reserves: 10, muscles: idle, goals: {lazy: {muscle: cord}}}\n"),
      "'lazy': the muscle is idle");
}

static void meshes_and_searches_have_a_largest_size(void** state) {
  (void)state;
  assert_refused(BALL("revolute, axis: y", "collocate: {reserves: 1, intervals: 20000}\n"),
                 "'intervals' must be at most");
  assert_refused(BALL("revolute, axis: y", "collocate: {reserves: 1, iterations: 200000}\n"),
                 "'iterations' must be at most");
  enum { LINKS = 120, SIZE = 40000 };
  char *text = calloc(SIZE, 1), *at = text;
  at += sprintf(at, "limber: 1\nbodies:\n");
  for (int i = 0; i < LINKS; i++) {
    at += sprintf(at, "  b%d: {shape: {sphere: {radius: 10 cm}}}\n", i);
  }
  at += sprintf(at, "joints:\n  j0: {type: revolute, child: b0, axis: y}\n");
  for (int i = 1; i < LINKS; i++) {
    at += sprintf(at, "  j%d: {type: revolute, parent: b%d, child: b%d, axis: y, at: [0, 0, 1]}\n",
                  i, i - 1, i);
  }
  sprintf(at, "collocate: {reserves: 1, intervals: 10000}\n");
  assert_refused(text, "too many for so many coordinates");
  free(text);
}

// A table with an empty cell is no start.
static void a_search_goes_on_with_whole_tables_alone(void** state) {
  (void)state;
  collocated x =
      make_collocation(BALL("revolute, axis: y", "collocate: {reserves: 1, intervals: 2}\n"), NULL);
  for (int empty = 0; empty < 2; empty++) {
    char path[] = "/tmp/limber_collocate_XXXXXX", table[2000] = "time";
    for (int k = 0; k < lb_collocation_width(x.c); k++) {
      strcat(strcat(table, ","), lb_collocation_heading(x.c, k).text);
    }
    for (int row = 0; row < 2; row++) {
      strcat(table, row ? "\n1" : "\n0");
      for (int k = 0; k < lb_collocation_width(x.c); k++) {
        strcat(table, empty && row && k == 1 ? "," : ",0.25");
      }
    }
    write_table(path, strcat(table, "\n"));
    lb_error err = lb_error_make(NULL);
    const double before = lb_collocation_number(x.c, 1, 0);
    const lb_status status = lb_collocation_resume(x.c, path, &err);
    assert_int_equal(status, empty ? LB_INVALID : LB_OK);
    assert_near(lb_collocation_number(x.c, 1, 0), empty ? before : 0.25, 0);
    assert_int_equal(err.count, empty);
    assert_int_equal(empty ? err.message[0].place.line : 3, 3);
    lb_error_clear(&err);
    unlink(path);
  }
  forget_collocation(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_loops_and_cams_agree_with_differences),
      cmocka_unit_test(loops_hold_at_all_mesh_points),
      cmocka_unit_test(torques_found_play_the_motion_with_the_order_of_the_scheme),
      cmocka_unit_test(collocation_and_shooting_find_the_same_effort),
      cmocka_unit_test(a_motion_is_followed_with_the_torques_of_inverse_dynamics),
      cmocka_unit_test(markers_are_followed),
      cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
      cmocka_unit_test(what_has_no_place_in_it_is_refused_by_name),
      cmocka_unit_test(measured_forces_have_no_place_in_a_free_time),
      cmocka_unit_test(goals_of_idle_muscles_are_refused),
      cmocka_unit_test(meshes_and_searches_have_a_largest_size),
      cmocka_unit_test(a_search_goes_on_with_whole_tables_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
