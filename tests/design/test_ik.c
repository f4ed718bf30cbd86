// Inverse kinematics: it undoes what poses do to markers.
#include "compile.h"
#include "counting.h"

enum { POINTS = 3, MOST = 64 };

typedef struct measured {
  lb_recording* run;
  lb_markers markers;
  lb_scene_marker marker[MOST];
  char name[MOST][16];
} measured;

// Three points of each body, not in a line, over a run of the scene.
static void measure(measured* x, const lb_model* m) {
  static const lb_vec3 AT[POINTS] = {{0.11, 0.02, 0.03}, {-0.04, 0.1, 0.05}, {0.02, -0.06, 0.12}};
  lb_summary s;
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_recording_create(m, 0, NULL, &x->run, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &o, x->run, &s, NULL), LB_OK);
  const int n = POINTS * m->nbody, nframe = x->run->nframe;
  assert_true(n <= MOST);
  x->markers = (lb_markers){.file = "made",
                            .nmarker = n,
                            .nsample = nframe,
                            .marker = x->marker,
                            .time = x->run->time,
                            .x = calloc(3 * (size_t)n * (size_t)nframe, sizeof(double))};
  for (int i = 0; i < n; i++) {
    snprintf(x->name[i], sizeof x->name[i], "p%d", i);
    x->marker[i] = (lb_scene_marker){.name = x->name[i],
                                     .body = i / POINTS,
                                     .has_at = true,
                                     .at = AT[i % POINTS],
                                     .weight = 1 + i % 2};
  }
  for (int f = 0; f < nframe; f++) {
    for (int i = 0; i < n; i++) {
      const lb_transform* X = &x->run->pose[f * m->nbody + x->marker[i].body];
      const lb_vec3 p = lb_vec3_add(X->p, lb_quat_rotate(X->q, x->marker[i].at));
      memcpy(x->markers.x + 3 * (size_t)(f * n + i), (double[]){p.x, p.y, p.z}, 3 * sizeof(double));
    }
  }
}

static void forget(measured* x) {
  free(x->markers.x);
  lb_recording_release(x->run);
}

static lb_ik* solve(const lb_model* m, const lb_markers* markers) {
  const lb_ik_options o = lb_ik_default();
  lb_ik* ik = NULL;
  lb_error err = lb_error_make(NULL);
  if (lb_inverse_kinematics(m, markers, &o, NULL, &ik, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
  return ik;
}

// Worst difference of bodies' poses from those of the run, in metres and parts of rotations.
static double worst_pose(const lb_ik* ik, const lb_recording* run) {
  lb_recording* r;
  double worst = 0;
  assert_int_equal(lb_recording_create(ik->model, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_ik_record(ik, r, NULL), LB_OK);
  assert_int_equal(r->nframe, run->nframe);
  for (int i = 0; i < r->nframe * ik->model->nbody; i++) {
    const lb_transform *a = &r->pose[i], *b = &run->pose[i];
    worst = fmax(worst, lb_vec3_norm(lb_vec3_sub(a->p, b->p)));
    worst = fmax(worst,
                 1 - fabs(a->q.w * b->q.w + a->q.x * b->q.x + a->q.y * b->q.y + a->q.z * b->q.z));
  }
  lb_recording_release(r);
  return worst;
}

#define BRANCH                                                                                     \
  "duration: 0.5 s\n"                                                                              \
  "record: {every: 10 ms}\n"                                                                       \
  "bodies:\n"                                                                                      \
  "  trunk: {shape: {box: [0.3, 0.2, 0.1]}}\n"                                                     \
  "  upper: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.4]}}}\n"               \
  "  lower: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0.1, 0, -0.3]}}}\n"             \
  "  hand: {shape: {box: [0.1, 0.05, 0.02], position: [0, 0, -0.05]}}\n"                           \
  "  lid: {shape: {box: [0.1, 0.05, 0.02], position: [0, 0, -0.05]}}\n"                            \
  "joints:\n"                                                                                      \
  "  air: {type: free, child: trunk}\n"                                                            \
  "  shoulder: {type: euler, order: yxz, parent: trunk, child: upper}\n"                           \
  "  elbow: {type: universal, parent: upper, child: lower, at: [0, 0, -0.4], axis: y,\n"           \
  "          second_axis: z}\n"                                                                    \
  "  wrist: {type: spherical, parent: lower, child: hand, at: [0.1, 0, -0.3]}\n"                   \
  "  slide: {type: prismatic, parent: trunk, child: lid, axis: x}\n"                               \
  "initial: {air: {spin: [1, 2, 3], velocity: [1, 0, 0]}, slide: {velocity: 0.4}}\n"

static void poses_come_back_from_markers(void** state) {
  (void)state;
  lb_model* m = compile(BRANCH);
  measured x;
  measure(&x, m);
  lb_ik* ik = solve(m, &x.markers);
  print_message("rms %g m, worst pose %g, %ld iterations of %d samples\n", ik->total,
                worst_pose(ik, x.run), ik->iterations, ik->nsample);
  assert_below(ik->total, 1e-9);
  assert_below(worst_pose(ik, x.run), 1e-9);
  assert_int_equal(ik->unfinished, 0);
  assert_int_equal(ik->blind, 0);
  lb_ik_release(ik);
  forget(&x);
  lb_model_release(m);
}

static void markers_that_are_hidden_leave_the_rest_in_place(void** state) {
  (void)state;
  lb_model* m = compile(BRANCH);
  measured x;
  measure(&x, m);
  const size_t width = 3 * (size_t)x.markers.nmarker;
  for (int f = 0; f < x.markers.nsample; f++) { // one of each body's, in turn
    for (int b = 0; b < m->nbody; b++) {
      x.markers.x[(size_t)f * width + 3 * (size_t)(POINTS * b + f % POINTS)] = NAN;
    }
  }
  for (size_t k = 0; k < width; k++) { // all of one sample
    x.markers.x[7 * width + k] = NAN;
  }
  lb_ik* ik = solve(m, &x.markers);
  // two points of a body leave its turn about their line to the joints; the hand's is free
  assert_below(ik->total, 1e-9);
  assert_int_equal(ik->blind, 1);
  assert_true(isnan(ik->rms[7]));
  assert_memory_equal(ik->motion.q + 7 * m->nq, ik->motion.q + 6 * m->nq,
                      (size_t)m->nq * sizeof(double));
  lb_ik_release(ik);
  forget(&x);
  lb_model_release(m);
}

static void loops_stay_closed(void** state) {
  (void)state;
  lb_model* m = compile(
      "duration: 0.5 s\n"
      "record: {every: 10 ms}\n"
      "bodies:\n"
      "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.1]}}}\n"
      "  coupler: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.4, 0, 0.2]}}}\n"
      "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.3]}}}\n"
      "joints:\n"
      "  shaft: {type: revolute, child: crank, axis: y}\n"
      "  pin: {type: revolute, parent: crank, child: coupler, at: [0, 0, 0.1], axis: y}\n"
      "  pivot: {type: revolute, child: rocker, at: [0.4, 0, 0], axis: y}\n"
      "  close: {type: revolute, loop: true, parent: rocker, child: coupler, at: [0, 0, 0.3],\n"
      "          in_child: [0.4, 0, 0.2], axis: y}\n"
      "initial: {shaft: {velocity: 4}}\n");
  measured x;
  measure(&x, m);
  for (size_t k = 0; k < 3 * (size_t)(x.markers.nmarker * x.markers.nsample); k++) {
    x.markers.x[k] += 1e-3 * sin(1.7 * (double)k); // what no pose can follow
  }
  lb_ik* ik = solve(m, &x.markers);
  print_message("rms %g m, gap %g\n", ik->total, ik->gap);
  assert_below(ik->gap, 1e-10);
  assert_below(ik->total, 2e-3);
  assert_below(worst_pose(ik, x.run), 1e-2);
  lb_ik_release(ik);
  forget(&x);
  lb_model_release(m);
}

#define HINGE(limits)                                                                              \
  "bodies: {arm: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [1, 0, 0]}}}}\n"            \
  "joints: {pin: {type: revolute, child: arm, axis: z" limits "}}\n"

// Markers on a hinge that ask for angles, at distances from its axis. The least squares of
// r_k |e(q) - e(a_k)| with weights w_k are at the angle of the sum of w_k r_k^2 e(a_k).
static double angle_found(const char* scene, int n, const double* r, const double* w,
                          const double* angle) {
  lb_model* m = compile(scene);
  double x[9];
  double time[] = {0};
  lb_scene_marker marker[3];
  for (int k = 0; k < n; k++) {
    marker[k] = (lb_scene_marker){.name = "p", .has_at = true, .at = {r[k], 0, 0}, .weight = w[k]};
    memcpy(x + 3 * k, (double[]){r[k] * cos(angle[k]), r[k] * sin(angle[k]), 0}, 3 * sizeof *x);
  }
  const lb_markers markers = {
      .file = "made", .nmarker = n, .nsample = 1, .marker = marker, .time = time, .x = x};
  lb_ik* ik = solve(m, &markers);
  const double q = ik->motion.q[0];
  lb_ik_release(ik);
  lb_model_release(m);
  return q;
}

static void weights_count_as_least_squares_have_it(void** state) {
  (void)state;
  const double r[] = {1, 0.5, 0.8}, w[] = {1, 3, 0.2}, a[] = {0.3, 1.1, -0.4};
  double s = 0, c = 0;
  for (int k = 0; k < 3; k++) {
    s += w[k] * r[k] * r[k] * sin(a[k]);
    c += w[k] * r[k] * r[k] * cos(a[k]);
  }
  assert_below(fabs(angle_found(HINGE(""), 3, r, w, a) - atan2(s, c)), 1e-8);
}

static void limits_hold(void** state) {
  (void)state;
  const double r[] = {1}, w[] = {1}, a[] = {1.2}, b[] = {-0.7};
  const char* scene = HINGE(", limits: {lower: -0.5, upper: 0.9, stiffness: 10}");
  assert_below(fabs(angle_found(scene, 1, r, w, a) - 0.9), 1e-12);
  assert_below(fabs(angle_found(scene, 1, r, w, b) + 0.5), 1e-12);
}

// --- ranges that are clamped ---

// Slides along oblique directions carry one marker, so that x = D q: linear least squares.
enum { SLIDES = 4 };

static const double ALONG[SLIDES][3] = {
    {1, 0, 0}, {-0.9, 0.43588989435406733, 0}, {0.2, 0.9, 0.4}, {0.1, -0.5, 0.8}};
static const double RANGE[SLIDES][2] = {{0, 1}, {0, 0.7}, {-0.3, 0.2}, {-0.2, 0.1}};

static void write_slides(char* text, size_t size, int n, const char* clamped, const char* rest) {
  size_t at = (size_t)snprintf(text, size, "bodies: {");
  for (int k = 0; k < n; k++) {
    at += (size_t)snprintf(text + at, size - at, "%sb%d: {shape: {sphere: {radius: 1 cm}}}",
                           k ? ", " : "", k);
  }
  at += (size_t)snprintf(text + at, size - at, "}\njoints:\n");
  for (int k = 0; k < n; k++) {
    char parent[32] = "";
    if (k > 0) {
      snprintf(parent, sizeof parent, "parent: b%d, ", k - 1);
    }
    at += (size_t)snprintf(text + at, size - at,
                           "  s%d: {type: prismatic, %schild: b%d, axis: [%.17g, %.17g, %.17g], "
                           "ranges: [[%g, %g]], clamped: [%s]}\n",
                           k, parent, k, ALONG[k][0], ALONG[k][1], ALONG[k][2], RANGE[k][0],
                           RANGE[k][1], clamped);
  }
  snprintf(text + at, size - at, "%s", rest);
}

static void unit(const double* a, double* u) {
  const double l = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int i = 0; i < 3; i++) {
    u[i] = a[i] / l;
  }
}

static lb_ik* slide_to(const lb_model* m, int n, const double* y, lb_markers* markers) {
  static double time[] = {0};
  static lb_scene_marker marker;
  marker = (lb_scene_marker){.name = "p", .body = n - 1, .has_at = true, .weight = 1};
  *markers = (lb_markers){
      .file = "made", .nmarker = 1, .nsample = 1, .marker = &marker, .time = time, .x = (double*)y};
  return solve(m, markers);
}

// |D q - y|^2
static double slide_cost(int n, const double* q, const double* y) {
  double x[3] = {-y[0], -y[1], -y[2]};
  for (int k = 0; k < n; k++) {
    double u[3];
    unit(ALONG[k], u);
    for (int i = 0; i < 3; i++) {
      x[i] += q[k] * u[i];
    }
  }
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

// Both slides leave their ranges when nothing holds them; when the first is held the second must
// not be.
static void a_range_lets_go_of_what_another_holds(void** state) {
  (void)state;
  char text[2000];
  lb_markers markers;
  write_slides(text, sizeof text, 2, "true", "");
  lb_model* m = compile(text);
  const double u[3] = {ALONG[1][0], ALONG[1][1], 0}, y[3] = {-1 - 0.5 * u[0], -0.5 * u[1], 0};
  lb_ik* ik = slide_to(m, 2, y, &markers);
  assert_true(ik->motion.q[0] == 0);
  assert_below(fabs(ik->motion.q[1] - 0.4), 1e-9); // u.y = 0.9 - 0.5
  assert_int_equal(ik->at_limit[0], 1);
  assert_int_equal(ik->at_limit[1], 0);
  lb_ik_release(ik);
  lb_model_release(m);
}

// Least of all poses by coordinate descent, which finds it for bounds.
static double descend_slides(int n, const double* y, double* q) {
  for (int round = 0; round < 20000; round++) {
    for (int k = 0; k < n; k++) {
      double u[3], r = 0;
      unit(ALONG[k], u);
      q[k] = 0;
      for (int i = 0; i < 3; i++) {
        double x = y[i];
        for (int l = 0; l < n; l++) {
          double w[3];
          unit(ALONG[l], w);
          x -= q[l] * w[i];
        }
        r += u[i] * x;
      }
      q[k] = fmin(fmax(r, RANGE[k][0]), RANGE[k][1]);
    }
  }
  return slide_cost(n, q, y);
}

static void clamped_ranges_hold_the_nearest_pose_within_them(void** state) {
  (void)state;
  char text[2000];
  lb_markers markers;
  write_slides(text, sizeof text, SLIDES, "true", "");
  lb_model* m = compile(text);
  int held = 0;
  for (int i = 0; i < 40; i++) {
    const double y[3] = {1.3 * sin(1.7 * i), 1.1 * sin(2.3 * i + 1), 0.9 * sin(3.1 * i + 2)};
    double q[SLIDES] = {0};
    lb_ik* ik = slide_to(m, SLIDES, y, &markers);
    const double least = descend_slides(SLIDES, y, q), found = slide_cost(SLIDES, ik->motion.q, y);
    assert_below(fabs(found - least), 1e-9);
    for (int k = 0; k < SLIDES; k++) {
      assert_true(ik->motion.q[k] >= RANGE[k][0] && ik->motion.q[k] <= RANGE[k][1]);
      held += ik->at_limit[k];
    }
    assert_int_equal(ik->unfinished, 0);
    lb_ik_release(ik);
  }
  assert_true(held > 40);
  lb_model_release(m);
}

static void ranges_that_are_not_clamped_hold_nothing(void** state) {
  (void)state;
  char text[2000];
  lb_markers markers;
  write_slides(text, sizeof text, 1, "false", "");
  lb_model* m = compile(text);
  lb_ik* ik = slide_to(m, 1, (double[]){3, 0, 0}, &markers);
  assert_below(fabs(ik->motion.q[0] - 3), 1e-9);
  lb_ik_release(ik);
  lb_model_release(m);
}

// The first slide, which nothing limits in the way, stops where the second one's range ends.
static void a_coupled_coordinate_stops_at_its_range(void** state) {
  (void)state;
  char text[2000];
  lb_markers markers;
  write_slides(text, sizeof text, 3, "true",
               "constraints: {c: {couple: [{joint: s0}, {joint: s1, times: -2}], equals: 0}}\n");
  lb_model* m = compile(text);
  lb_ik* ik = slide_to(m, 3, (double[]){5, 3, 0}, &markers);
  assert_below(fabs(ik->motion.q[0] - 2 * ik->motion.q[1]), 1e-12);
  for (int k = 0; k < 3; k++) {
    assert_true(ik->motion.q[k] >= RANGE[k][0] && ik->motion.q[k] <= RANGE[k][1]);
  }
  assert_true(ik->motion.q[0] == 1);
  assert_below(fabs(ik->motion.q[2] - RANGE[2][1]), 1e-6); // what is left of gaps moves it
  assert_int_equal(ik->at_limit[2], 1);
  lb_ik_release(ik);
  lb_model_release(m);
}

enum { SAMPLES = 60 };

// Angles of the hinge by one marker that asks for these, and where it jumps (-1: nowhere).
static int follow(const char* scene, const double* angle, double* found) {
  lb_model* m = compile(scene);
  double x[3 * SAMPLES], time[SAMPLES];
  lb_scene_marker marker = {.name = "p", .has_at = true, .at = {1, 0, 0}, .weight = 1};
  for (int i = 0; i < SAMPLES; i++) {
    time[i] = 0.01 * i;
    memcpy(x + 3 * i, (double[]){cos(angle[i]), sin(angle[i]), 0}, 3 * sizeof *x);
  }
  const lb_markers markers = {
      .file = "made", .nmarker = 1, .nsample = SAMPLES, .marker = &marker, .time = time, .x = x};
  lb_ik* ik = solve(m, &markers);
  memcpy(found, ik->motion.q, SAMPLES * sizeof *found);
  const int jump = ik->jump < 0 ? -1 : ik->jump_sample;
  lb_ik_release(ik);
  lb_model_release(m);
  return jump;
}

static double worst_angle(const double* angle, const double* found) {
  double worst = 0;
  for (int i = 0; i < SAMPLES; i++) {
    worst = fmax(worst, fabs(found[i] - angle[i]));
  }
  return worst;
}

#define PART                                                                                       \
  "bodies: {arm: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [1, 0, 0]}}}}\n"            \
  "joints: {pin: {type: composite, child: arm, parts: [{type: revolute, axis: z}]}}\n"

static void hinges_go_round_and_round(void** state) {
  (void)state;
  static const char* const SCENE[] = {HINGE(""), PART};
  double angle[SAMPLES], found[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) {
    angle[i] = 0.4 * i; // nearly four turns
  }
  for (int k = 0; k < 2; k++) {
    assert_int_equal(follow(SCENE[k], angle, found), -1);
    assert_below(worst_angle(angle, found), 1e-7);
  }
}

// Near a quarter turn Newton's step, the tangent of what is left, goes round many times.
static void whole_turns_are_taken_back(void** state) {
  (void)state;
  static const char* const SCENE[] = {HINGE(""), PART};
  double angle[SAMPLES], found[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) {
    angle[i] = i % 2 ? 1.5 + 0.07 * i / SAMPLES : 0;
  }
  for (int k = 0; k < 2; k++) {
    assert_int_equal(follow(SCENE[k], angle, found), -1);
    assert_below(worst_angle(angle, found), 1e-7);
  }
}

static void jumps_are_found(void** state) {
  (void)state;
  double angle[SAMPLES], found[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) {
    angle[i] = i < 20 ? 0.2 : i < 40 ? 1.9 : -0.3;
  }
  assert_int_equal(follow(HINGE(""), angle, found), 20);
  assert_below(worst_angle(angle, found), 1e-7);
}

static void no_memory_is_said_and_nothing_is_kept(void** state) {
  (void)state;
  lb_model* m = compile(BRANCH);
  measured x;
  measure(&x, m);
  const lb_ik_options o = lb_ik_default();
  lb_status status = LB_NO_MEMORY;
  for (long n = 1; status == LB_NO_MEMORY; n++) {
    lb_counting counting = {.refuse = n};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    lb_ik* ik = NULL;
    status = lb_inverse_kinematics(m, &x.markers, &o, &allocator, &ik, NULL);
    lb_ik_release(ik);
    assert_int_equal(counting.live, 0);
  }
  assert_int_equal(status, LB_OK);
  forget(&x);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_come_back_from_markers),
      cmocka_unit_test(markers_that_are_hidden_leave_the_rest_in_place),
      cmocka_unit_test(loops_stay_closed),
      cmocka_unit_test(weights_count_as_least_squares_have_it),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(a_range_lets_go_of_what_another_holds),
      cmocka_unit_test(clamped_ranges_hold_the_nearest_pose_within_them),
      cmocka_unit_test(ranges_that_are_not_clamped_hold_nothing),
      cmocka_unit_test(a_coupled_coordinate_stops_at_its_range),
      cmocka_unit_test(hinges_go_round_and_round),
      cmocka_unit_test(whole_turns_are_taken_back),
      cmocka_unit_test(jumps_are_found),
      cmocka_unit_test(no_memory_is_said_and_nothing_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
